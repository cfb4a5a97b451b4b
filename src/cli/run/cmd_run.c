/*
 * cmd_run.c: `cairn run SCENE`: builds the world of a scene, steps it, says what every step's
 * certificate said.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/replay_page.h"
#include "cli/run/run.h"
#include "cli/solve_watch.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { OVERRIDES_MAX = 2 * CLI_LIST_MAX + 8, TEXT_MAX = 192 };

/* Overrides as the library takes them, with room for texts that are made here. */
typedef struct overrides {
    cairn_scene_override item[OVERRIDES_MAX];
    char text[OVERRIDES_MAX][TEXT_MAX];
    int count;
} overrides;

double run_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* KEY=VALUE of an option; the path gets a prefix. */
static int add_pair(overrides *o, const char *option, const char *prefix, const char *pair) {
    const char *equals = strchr(pair, '=');
    size_t letters = equals != NULL ? (size_t)(equals - pair) : 0;
    if (letters == 0 || equals[1] == '\0' || letters + strlen(prefix) >= TEXT_MAX)
        return cli_usage("run", "%s expects %s, got '%s'", option, *prefix ? "KEY=VALUE" : "PATH=VALUE", pair);
    snprintf(o->text[o->count], TEXT_MAX, "%s%.*s", prefix, (int)letters, pair);
    o->item[o->count] = (cairn_scene_override){o->text[o->count], equals + 1};
    o->count++;
    return CLI_GO;
}

static void add_text(overrides *o, const char *path, const char *value) {
    if (value != NULL)
        o->item[o->count++] = (cairn_scene_override){path, value};
}

static void add_real(overrides *o, const char *path, double value) {
    if (value < 0.0)
        return;
    snprintf(o->text[o->count], TEXT_MAX, "%.17g", value);
    o->item[o->count] = (cairn_scene_override){path, o->text[o->count]};
    o->count++;
}

static int make_overrides(const run_request *q, overrides *o) {
    int code = CLI_GO;
    for (int i = 0; i < q->sets.count && code == CLI_GO; i++)
        code = add_pair(o, "--set", "", q->sets.item[i]);
    add_real(o, "until", q->until);
    add_real(o, "step", q->step);
    add_real(o, "tolerance", q->tolerance);
    add_text(o, "law", q->law);
    add_text(o, "method", q->method);
    for (int i = 0; i < q->options.count && code == CLI_GO; i++)
        code = add_pair(o, "--opt", "options.", q->options.item[i]);
    return code;
}

/* A file when there is one of that name, else a scene that ships. */
static int open_scene(run_state *run, const overrides *o) {
    const char *given = run->request->scene, *text = cli_scene_text(given);
    struct stat found;
    cairn_status status;
    if (strcmp(given, "-") == 0)
        given = "/dev/stdin";
    bool file = stat(given, &found) == 0 && !S_ISDIR(found.st_mode);
    if (!file && text == NULL && strchr(given, '/') == NULL && strstr(given, ".json") == NULL) {
        const char *meant = cli_scene_closest(given);
        cli_report_text(given, CAIRN_ERROR_IO, run->request->json,
                        "there is no file and no scene '%s'%s%s%s cairn scenes lists those that ship", given,
                        meant != NULL ? "; did you mean '" : "", meant != NULL ? meant : "",
                        meant != NULL ? "'?" : ";");
        return CLI_BAD_FILE;
    }
    run->name = cli_basename(given);
    if (file || text == NULL) {
        status = cairn_scene_load(run->context, given, o->item, o->count, &run->scene);
    } else {
        char name[TEXT_MAX];
        snprintf(name, sizeof name, "%s.json", given);
        status = cairn_scene_parse(run->context, text, strlen(text), name, o->item, o->count, &run->scene);
    }
    if (status != CAIRN_OK) {
        cli_report(run->context, given, status, run->request->json);
        return CLI_BAD_FILE;
    }
    run->info = cairn_scene_get(run->scene);
    return CLI_GO;
}

bool run_dump(run_state *run, const char *folder, int64_t step) {
    const cairn_problem *problem = NULL;
    char path[4096], title[512], stem[256];
    cairn_status status = cairn_world_problem(cairn_scene_world(run->scene), &problem);
    snprintf(stem, sizeof stem, "%.*s", (int)strcspn(run->name, "."), run->name); /* no name of a file is longer */
    if (snprintf(path, sizeof path, "%s/%s-%06lld.hdf5", folder, stem, (long long)step) >= (int)sizeof path) {
        cli_complain("--dump: the folder's name is too long");
        return false;
    }
    snprintf(title, sizeof title, "scene %s, step %lld, law %s", stem, (long long)step, cairn_law_name(run->info.law));
    if (status == CAIRN_OK) {
        cairn_file file = {.problem = (cairn_problem *)problem, .spacedim = 3, .title = title, .context = run->context};
        status = cairn_file_write(run->context, path, &file);
    }
    run_progress_clear(run);
    if (status != CAIRN_OK)
        cli_complain("step %lld was not written: %s", (long long)step, cairn_error_message(run->context));
    else
        fprintf(stderr, "step %lld written to %s%s\n", (long long)step, path,
                cairn_file_fits_fclib(problem) ? ""
                                               : ", not as FCLIB but in Cairn's own form: it has limits, motors, "
                                                 "compliance, adhesion, caps or joints before contacts");
    return status == CAIRN_OK;
}

const char *run_worst_joint(const run_state *run, const cairn_step_report *r) {
    for (int i = 0; i < run->info.joints && r->worst_joint.slot != 0; i++) {
        cairn_joint joint;
        const char *name;
        if (cairn_scene_joint(run->scene, i, &joint, &name) == CAIRN_OK && joint.slot == r->worst_joint.slot &&
            joint.generation == r->worst_joint.generation)
            return name;
    }
    return NULL;
}

const char *run_body_name(const run_state *run, cairn_body wanted) {
    for (int i = 0; i < run->info.bodies && wanted.slot != 0; i++) {
        cairn_body body;
        const char *name;
        if (cairn_scene_body(run->scene, i, &body, &name) == CAIRN_OK && body.slot == wanted.slot &&
            body.generation == wanted.generation)
            return name;
    }
    return NULL;
}

static void count_depth(run_state *run, const cairn_step_report *r) {
    run->overlapping += r->depth > r->depth_tolerance;
    run->passed += r->missed > 0;
    run->fallen += r->fallbacks > 0;
    run->crushed += r->inverted > 0;
    if (r->inverted > run->most_inverted) {
        run->most_inverted = r->inverted;
        run->crushed_part = r->inverted_part;
    }
    if (r->depth * run->deep.depth_tolerance > run->deep.depth * r->depth_tolerance ||
        (run->deep.step == 0 && r->depth > 0.0))
        run->deep = *r;
}

static void count_joints(run_state *run, const cairn_step_report *r) {
    run->open += !r->joints_closed;
    if (!(r->joint_gap > run->worst_gap))
        return;
    run->worst_gap = r->joint_gap;
    run->worst_turns = r->joint_turns;
    run->worst_joint = run_worst_joint(run, r);
    run->worst_step = r->step;
}

int run_on_step(run_state *run, const cairn_step_report *r) {
    const run_request *q = run->request;
    const cairn_certificate *c = &r->info.certificate;
    run->done++;
    run->in_row = r->certified ? 0 : run->in_row + 1;
    if (!r->certified) {
        if (run->uncertified < RUN_LISTED)
            run->listed[run->uncertified] = r->step;
        run->uncertified++;
    }
    run->contacts += r->contacts;
    run->most_contacts = r->contacts > run->most_contacts ? r->contacts : run->most_contacts;
    run->iterations += r->info.iterations;
    run->factorizations += r->info.factorizations;
    run->partial_factorizations += r->info.partial_factorizations;
    run->solves += r->solves;
    run->missed += r->missed;
    run->projections += r->projections;
    run->collide += r->seconds_collide;
    run->assemble += r->seconds_assemble;
    run->solve += r->seconds_solve;
    run->total += r->seconds_total;
    run->worst_error = fmax(run->worst_error, c->error);
    run->worst_angular = fmax(run->worst_angular, c->error_angular);
    run->deepest = fmax(run->deepest, r->deepest);
    count_joints(run, r);
    count_depth(run, r);
    run_count_energy(run, &r->energy);
    if (r->opposed[0].slot != 0 && run->opposed++ == 0)
        for (int i = 0; i < 2; i++)
            run->opposed_first[i] = r->opposed[i];
    run->last = *r;
    if (!r->certified && q->dump_failed != NULL && !run_dump(run, q->dump_failed, r->step))
        run->undumped = true;
    if (q->dump_step == r->step && !run_dump(run, q->dump_folder, r->step))
        run->undumped = true;
    int code = run_record_step(run, r);
    if (code != CLI_GO)
        return code;
    if (q->json)
        run_print_step_json(run, r);
    run_progress(run);
    return CLI_GO;
}

static bool go_on(void *user) {
    (void)user;
    return !watch_interrupted();
}

static int step_all(run_state *run) {
    int code = CLI_GO;
    cairn_world_set_watch(cairn_scene_world(run->scene), go_on, NULL);
    run->start = cairn_world_energy(cairn_scene_world(run->scene));
    run->start_time = cairn_world_time(cairn_scene_world(run->scene));
    run->begin = run_clock();
    while (code == CLI_GO && run->done < run->steps && !run->gave_up && !watch_interrupted()) {
        cairn_step_report report;
        cairn_status status = cairn_scene_step(run->scene, &report);
        if (status == CAIRN_ERROR_CANCELLED)
            break;
        if (status != CAIRN_OK) {
            run_progress_clear(run);
            cli_complain("step %lld could not be done", (long long)run->done + 1);
            code = cli_report(run->context, run->request->scene, status, run->request->json);
            break;
        }
        code = run_on_step(run, &report);
        run->gave_up = run->in_row == run->request->give_up && run->in_row > 0 && run->done < run->steps;
    }
    run->stopped = run->done < run->steps;
    run->spent = run_clock() - run->begin;
    run_progress_clear(run);
    return code;
}

/* Was the step of --dump-step one of this run's, which follow step `first`? */
static void check_dump(run_state *run, int64_t first) {
    int wanted = run->request->dump_step;
    if (wanted == 0 || (wanted > first && wanted <= first + run->done))
        return;
    cli_complain("step %d was not written: the run did %lld steps after step %lld", wanted, (long long)run->done,
                 (long long)first);
    run->undumped = true;
}

static int run_scene(run_state *run) {
    overrides *o = calloc(1, sizeof *o);
    if (o == NULL) {
        cli_complain("out of memory");
        return CLI_BAD_FILE;
    }
    int code = make_overrides(run->request, o);
    if (code == CLI_GO)
        code = open_scene(run, o);
    free(o);
    if (code != CLI_GO)
        return code;
    watch_catch(); /* from here on there are files to be put in order */
    code = run_record_begin(run);
    if (code != CLI_GO)
        return code;
    int64_t first = cairn_world_steps(cairn_scene_world(run->scene));
    run->steps = (int64_t)fmin(1e15, ceil(run->info.until / run->info.step - 1e-9)) - first;
    run_find_redundancy(run);
    if (!run->request->json) {
        run_print_head(run);
        run_print_redundancy(run);
        if (run->steps <= 0 && run->request->resume != NULL)
            printf("  nothing to do: the checkpoint is at %g s\n", cairn_world_time(cairn_scene_world(run->scene)));
        fflush(stdout);
    }
    code = step_all(run);
    int ended = run_record_end(run);
    code = code == CLI_GO ? ended : code;
    check_dump(run, first);
    if (run->request->json)
        run_print_summary_json(run);
    else
        run_print_summary(run);
    int page = run_record_page(run);
    code = code == CLI_GO ? page : code;
    if (code == CLI_GO && run->undumped)
        code = CLI_BAD_FILE;
    if (code != CLI_GO)
        return code;
    return run->uncertified > 0 || run->stopped ? CLI_UNSOLVED : CLI_OK;
}

/* What is written must not replace what is read, nor each other. A checkpoint may take the place
 * of the one it goes on from. */
static int check_files(const run_request *q) {
    const char *const option[] = {"the scene", "--resume", "--checkpoint", "--out", "--html"};
    const char *const path[] = {q->scene, q->resume, q->checkpoint, q->out, q->html};
    for (int i = 2; i < 5; i++)
        for (int k = 0; k < i; k++) {
            bool renewed = i == 2 && k == 1;
            if (path[i] != NULL && path[k] != NULL && !renewed && cli_same_file(path[i], path[k]))
                return cli_usage("run", "%s and %s are the same file '%s'", option[k], option[i], path[i]);
        }
    return CLI_GO;
}

static int start(const run_request *q) {
    int code = q->method != NULL ? cli_check_method("run", q->method) : CLI_GO;
    if (code == CLI_GO)
        code = check_files(q);
    bool made = false;
    if (code == CLI_GO && q->dump_failed != NULL)
        code = cli_make_folder(q->dump_failed, &made);
    if (code == CLI_GO && q->html != NULL && !page_available())
        code = CLI_UNSOLVED; /* said before the run, not after it */
    if (code != CLI_GO)
        return code;
    run_state run = {.request = q};
    run.context = cli_context(q->threads);
    if (run.context == NULL)
        return CLI_BAD_FILE;
    code = run_scene(&run);
    cairn_record_close(run.record); /* only after a run that could not begin */
    run_record_clear(&run);
    cairn_scene_destroy(run.scene);
    free(run.redundant);
    cairn_context_destroy(run.context);
    return code;
}

int cmd_run(int argc, char **argv) {
    static const char *const law_names[] = {"coulomb", "associated"};
    run_request q = {
        .until = -1.0, .step = -1.0, .tolerance = -1.0, .threads = 1, .dump_folder = ".", .every = 1, .give_up = 50};
    int law = -1;
    const cli_option option[] = {
        {"--until", CLI_REAL, &q.until, 0, 1e9, "T", "simulated time, s (default: the scene's)"},
        {"--step", CLI_REAL, &q.step, 1e-9, 1e3, "H", "length of a step, s"},
        {"--method", CLI_TEXT, &q.method, 0, 0, "NAME", "cairn methods lists them"},
        {"--law", CLI_CHOICE, &law, 0, 0, "coulomb|associated", "the friction law"},
        {"--tol", CLI_REAL, &q.tolerance, 1e-16, CLI_TOLERANCE_MOST, "X",
         "what the method aims at first; steps are certified at velocity_tolerance, by default 100 X m/s"},
        {"--opt", CLI_LIST, &q.options, 0, 0, "KEY=VALUE", "a setting of the method"},
        {"--set", CLI_LIST, &q.sets, 0, 0, "PATH=VALUE", "a parameter, or any single value by its path"},
        {"--give-up", CLI_INTEGER, &q.give_up, 0, 1e9, "N",
         "end the run after N steps in a row that are not certified (default 50; 0: never)"},
        {"--threads", CLI_INTEGER, &q.threads, 1, 64, "N", "worker threads; the same bits for every N"},
        {"--out", CLI_TEXT, &q.out, 0, 0, "RUN.h5", "record the run (HDF5); survives a kill"},
        {"--every", CLI_INTEGER, &q.every, 1, 1e9, "K", "record every K-th step (default 1)"},
        {"--stress", CLI_FLAG, &q.stress, 0, 0, NULL, "record von Mises' stress of flexible parts too"},
        {"--html", CLI_TEXT, &q.html, 0, 0, "PAGE.html", "write a replay page of the run (cairn view)"},
        {"--checkpoint", CLI_TEXT, &q.checkpoint, 0, 0, "FILE",
         "keep the state in FILE: every 100 steps and at the end"},
        {"--resume", CLI_TEXT, &q.resume, 0, 0, "FILE", "go on from a checkpoint, and with the recording of --out"},
        {"--dump-failed", CLI_TEXT, &q.dump_failed, 0, 0, "DIR",
         "write each uncertified step's problem to DIR, for cairn solve"},
        {"--dump-step", CLI_INTEGER, &q.dump_step, 1, 2e9, "N",
         "write step N's problem to this folder, for cairn solve"},
        {"--json", CLI_FLAG, &q.json, 0, 0, NULL, "one JSON object a step, then one for the run"},
        {"--quiet", CLI_FLAG, &q.quiet, 0, 0, NULL, "no progress"},
    };
    const cli_command command = {
        "run",
        "SCENE",
        "Builds the world of a scene file (-: standard input), or of a scene that ships (cairn scenes lists them), and "
        "steps it. Every "
        "step is\n"
        "certified. Exit code 1 means that a step was not, or that the run was stopped; the summary lists such "
        "steps.\nA step whose joints stay open, or that leaves bodies in each other, is not certified either.\n",
        "  cairn run stack\n  cairn run dominoes --html dominoes.html\n  cairn run wall --until 1 --set walls=1 --set "
        "rows=6 --set columns=6\n  "
        "cairn run my.json --step 0.005 --threads 2\n",
        1,
        1,
        option,
        sizeof option / sizeof option[0],
    };
    int operands = 0;
    int code = cli_parse(&command, argc, argv, &operands);
    if (code != CLI_GO)
        return code;
    q.scene = argv[1];
    q.law = law >= 0 ? law_names[law] : NULL;
    return start(&q);
}
