/*
 * run_record.c: recording, checkpoints and going on from one, for `cairn run`.
 */
#define _POSIX_C_SOURCE 200809L

#include "cli/run/run.h"
#include "cli/pictures.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    CHECKPOINT_EVERY = 100
}; /* steps, or the next multiple of those to a frame: a recording goes on from its last frame */

static int tell(run_state *run, const char *file, cairn_status status) {
    run_progress_clear(run);
    view_end_folding(&run->folding);
    cli_report(run->context, file, status, run->request->json);
    return status == CAIRN_ERROR_CANCELLED ? CLI_UNSOLVED : CLI_BAD_FILE;
}

/* Names of all bodies and joints of the scene. NULL arrays: there is no memory for them. */
static void name_all(const run_state *run, cairn_body_label *body, cairn_joint_label *joint,
                     cairn_record_options *options) {
    options->body_label = body;
    options->joint_label = joint;
    for (int i = 0; body != NULL && i < run->info.bodies; i++)
        if (cairn_scene_body(run->scene, i, &body[options->body_labels].body, &body[options->body_labels].name) ==
            CAIRN_OK)
            options->body_labels++;
    for (int i = 0; joint != NULL && i < run->info.joints; i++)
        if (cairn_scene_joint(run->scene, i, &joint[options->joint_labels].joint, &joint[options->joint_labels].name) ==
            CAIRN_OK)
            options->joint_labels++;
}

static int keep_state(run_state *run) {
    if (run->request->checkpoint == NULL)
        return CLI_GO;
    cairn_status status = cairn_checkpoint_write(cairn_scene_world(run->scene), run->request->checkpoint);
    return status == CAIRN_OK ? CLI_GO : tell(run, run->request->checkpoint, status);
}

/* One option and its value for the first line of the recorded scene; nothing may end the line. */
static size_t add_option(char *line, size_t size, size_t used, const char *option, const char *value) {
    if (value == NULL || used >= size)
        return used;
    used += (size_t)snprintf(line + used, size - used, " %s ", option);
    for (; *value != '\0' && used + 1 < size; value++)
        line[used++] = (unsigned char)*value < ' ' ? ' ' : *value;
    line[used < size ? used : size - 1] = '\0';
    return used;
}

static size_t add_number(char *line, size_t size, size_t used, const char *option, double value) {
    char text[32];
    snprintf(text, sizeof text, "%.17g", value);
    return add_option(line, size, used, option, value < 0.0 ? NULL : text);
}

/* The scene's text, after a comment with the command that changed it, if one did. To be freed;
 * NULL: no memory. */
static char *scene_text(const run_state *run) {
    const run_request *q = run->request;
    enum { LINE = 8192 };
    size_t used = 0;
    char *text = malloc(LINE + run->info.text_size + 2);
    if (text == NULL)
        return NULL;
    text[0] = '\0';
    used = add_number(text, LINE, used, "--until", q->until);
    used = add_number(text, LINE, used, "--step", q->step);
    used = add_number(text, LINE, used, "--tol", q->tolerance);
    used = add_option(text, LINE, used, "--law", q->law);
    used = add_option(text, LINE, used, "--method", q->method);
    for (int i = 0; i < q->options.count; i++)
        used = add_option(text, LINE, used, "--opt", q->options.item[i]);
    for (int i = 0; i < q->sets.count; i++)
        used = add_option(text, LINE, used, "--set", q->sets.item[i]);
    if (used > 0) {
        char changes[LINE];
        snprintf(changes, sizeof changes, "%s", text);
        used = (size_t)snprintf(text, LINE, "// cairn run %.200s%.7900s\n", run->name, changes);
    }
    memcpy(text + used, run->info.text, run->info.text_size);
    text[used + run->info.text_size] = '\0';
    return text;
}

/* The recording of a page: beside it, or in TMPDIR when the page goes into a device or a pipe. */
static int page_recording(const char *html, char *path, size_t size) {
    struct stat st;
    if (stat(html, &st) != 0 || S_ISREG(st.st_mode))
        return snprintf(path, size, "%s.part-%ld.h5", html, (long)getpid());
    const char *folder = getenv("TMPDIR");
    return snprintf(path, size, "%s/cairn-%ld.h5", folder != NULL && *folder == '/' ? folder : "/tmp", (long)getpid());
}

int run_record_begin(run_state *run) {
    const run_request *q = run->request;
    cairn_world *world = cairn_scene_world(run->scene);
    if (q->resume != NULL) {
        cairn_status status = cairn_checkpoint_read(world, q->resume);
        if (status != CAIRN_OK)
            return tell(run, q->resume, status);
    }
    /* Reports now what cannot be written, not after a hundred steps. */
    const char *const later[] = {q->checkpoint, q->html};
    for (int i = 0; i < 2; i++) {
        cairn_status status = later[i] != NULL ? cairn_output_check(run->context, later[i]) : CAIRN_OK;
        if (status != CAIRN_OK)
            return tell(run, later[i], status);
    }
    if (q->out == NULL && q->html == NULL)
        return CLI_GO;
    int length = q->out != NULL ? snprintf(run->recording, sizeof run->recording, "%s", q->out)
                                : page_recording(q->html, run->recording, sizeof run->recording);
    if (length >= (int)sizeof run->recording) {
        cli_complain("the name of the recording is too long");
        return CLI_BAD_FILE;
    }
    cairn_body_label *body = calloc((size_t)run->info.bodies + 1, sizeof *body);
    cairn_joint_label *joint = calloc((size_t)run->info.joints + 1, sizeof *joint);
    cairn_record_options options = cairn_default_record_options();
    options.every = q->every;
    options.stress = q->stress;
    options.resume = q->resume != NULL;
    run->folding = (view_folding){.path = run->recording, .frames = -1, .quiet = q->quiet};
    options.watch = view_watch_folding;
    options.watch_user = &run->folding;
    name_all(run, body, joint, &options);
    char *text = scene_text(run);
    cairn_status status = text == NULL
                              ? CAIRN_ERROR_MEMORY
                              : cairn_record_create(run->context, run->recording, world, text, &options, &run->record);
    free(text);
    free(body);
    free(joint);
    view_end_folding(&run->folding);
    return status == CAIRN_OK ? CLI_GO : tell(run, run->recording, status);
}

int run_record_step(run_state *run, const cairn_step_report *report) {
    if (run->record != NULL) {
        cairn_status status = cairn_record_step(run->record, cairn_scene_world(run->scene), report);
        if (status != CAIRN_OK)
            return tell(run, run->recording, status);
        run->frames += report->step % run->request->every == 0;
    }
    int every = run->request->every, between = every * ((CHECKPOINT_EVERY + every - 1) / every);
    return report->step % between == 0 ? keep_state(run) : CLI_GO;
}

int run_record_end(run_state *run) {
    cairn_status last = CAIRN_OK;
    if (run->record != NULL && run->done > 0)
        last = cairn_record_frame(run->record, cairn_scene_world(run->scene), &run->last);
    int code = last == CAIRN_OK ? keep_state(run) : tell(run, run->recording, last);
    run->folding.began = false;
    run->folding.heeds = true;
    run->folding.frames = run->frames;
    cairn_status status = cairn_record_close(run->record);
    run->record = NULL;
    view_end_folding(&run->folding);
    if (status != CAIRN_OK)
        return tell(run, run->recording, status);
    return code;
}

int run_record_page(run_state *run) {
    const run_request *q = run->request;
    if (q->html == NULL || run->recording[0] == '\0')
        return CLI_GO;
    cairn_view_report report;
    int damaged = CLI_OK, code = view_write(run->context, run->recording, NULL, VIEW_LIMIT, q->html, &report, &damaged);
    if (code == CLI_GO && !q->json)
        view_say(q->html, &report);
    return code == CLI_GO && damaged != CLI_OK ? damaged : code;
}

void run_record_clear(run_state *run) {
    if (run->request->out != NULL || run->recording[0] == '\0')
        return;
    char journal[sizeof run->recording + 16];
    snprintf(journal, sizeof journal, "%s.journal", run->recording);
    unlink(run->recording);
    unlink(journal);
}
