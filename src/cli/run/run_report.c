/*
 * run_report.c: what `cairn run` prints: progress on standard error, the summary on standard
 * output.
 *
 * On a terminal one progress line is redrawn five times a second; elsewhere a plain line comes
 * every ten seconds.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/run/run.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { BAR = 20 };

void run_progress_clear(run_state *run) {
    if (run->shown)
        fputs("\r\033[K", stderr);
    run->shown = false;
}

void run_progress(run_state *run) {
    double now = run_clock() - run->begin;
    if (run->done == 1) {
        run->terminal = isatty(STDERR_FILENO) != 0;
        run->next = run->terminal ? 0.3 : 10.0;
    }
    if (run->request->quiet || now < run->next || run->done == run->steps)
        return;
    char map[16], left[16], bar[BAR + 1];
    double part = (double)run->done / (double)run->steps;
    int full = (int)(BAR * part);
    memset(bar, '.', BAR);
    memset(bar, '#', (size_t)full);
    bar[BAR] = '\0';
    fprintf(
        stderr,
        "%s%s %s%s%s%.4g of %.4g s, %d contacts, %.1f ms a step, worst %s, %lld uncertified, %.0f s gone, %s left%s",
        run->terminal ? "\r" : "", run->name, run->terminal ? "[" : "", run->terminal ? bar : "",
        run->terminal ? "] " : "", run->last.time, run->info.until, run->last.contacts,
        1e3 * run->total / (double)run->done, cli_speed(run->worst_error, map), (long long)run->uncertified, now,
        cli_seconds(now / part - now, left), run->terminal ? "\033[K" : "\n");
    fflush(stderr);
    run->shown = run->terminal;
    run->next = now + (run->terminal ? 0.2 : 10.0);
}

void run_print_head(const run_state *run) {
    const cairn_scene_info *i = &run->info;
    char text[16];
    printf("%s%s%s: %s\n", cli_bold(), run->name, cli_plain(), i->title[0] != '\0' ? i->title : "(no title)");
    if (i->comment[0] != '\0')
        printf("  %s\n", i->comment);
    printf("  %d %s, %d joint%s; step %g s, until %g s; method %s, law %s; certified within %s\n", i->bodies,
           i->bodies == 1 ? "body" : "bodies", i->joints, i->joints == 1 ? "" : "s", i->step, i->until, i->method,
           cairn_law_name(i->law), cli_speed(i->tolerance_velocity, text));
    for (int k = 0; k < i->parameters; k++) {
        const char *name;
        double value;
        if (cairn_scene_parameter(run->scene, k, &name, &value) == CAIRN_OK)
            printf("%s%s = %g%s", k == 0 ? "  parameters: " : ", ", name, value, k + 1 == i->parameters ? "\n" : "");
    }
    fflush(stdout);
}

static const char *unit(const run_state *run) {
    return run->worst_turns ? "rad" : "m";
}

static const char *worst_joint(const run_state *run) {
    return run->worst_joint != NULL ? run->worst_joint : "a joint";
}

static const char *deep_name(const run_state *run, const cairn_step_report *r, int side) {
    const char *name = run_body_name(run, r->deep[side]);
    return name != NULL ? name : "a body";
}

static void print_depth(const run_state *run) {
    const cairn_step_report *r = &run->deep;
    if (run->overlapping > 0)
        printf(
            "  %sbodies lie deeper in each other than their tolerance in %lld of them:%s %s and %s by %.2g m in step "
            "%lld, more than %.2g; a smaller step or more substeps may help\n",
            cli_red(), (long long)run->overlapping, cli_plain(), deep_name(run, r, 0), deep_name(run, r, 1), r->depth,
            (long long)r->step, r->depth_tolerance);
    if (run->passed > 0)
        printf("  %scontacts were seen too late in %lld of them:%s %.0f in all; a smaller step or more substeps may "
               "help\n",
               cli_red(), (long long)run->passed, cli_plain(), run->missed);
    if (run->fallen > 0)
        printf("  %sno motion was found that meets contacts and joints in %lld steps:%s there bodies move so that no "
               "energy is gained%s\n",
               cli_red(), (long long)run->fallen, cli_plain(),
               run->recording[0] != '\0' ? " (marked in recording and page)" : "");
}

static void print_crushed(const run_state *run) {
    const char *name = run_body_name(run, run->crushed_part);
    if (run->crushed > 0)
        printf("  %selements of flexible parts are inside out in %lld of them:%s up to %d, the first in %s; a smaller "
               "step, a finer mesh or the law neo_hookean may help\n",
               cli_red(), (long long)run->crushed, cli_plain(), run->most_inverted, name != NULL ? name : "a part");
}

static void print_uncertified(const run_state *run) {
    printf("  %snot certified: %lld of %lld steps:%s", cli_red(), (long long)run->uncertified, (long long)run->done,
           cli_plain());
    int64_t listed = run->uncertified < RUN_LISTED ? run->uncertified : RUN_LISTED;
    for (int64_t i = 0; i < listed; i++)
        printf(" %lld", (long long)run->listed[i]);
    if (run->uncertified > listed)
        printf(" and %lld more", (long long)(run->uncertified - listed));
    printf("\n");
    if (run->open > 0)
        printf(
            "  %sjoints stay open in %lld of them:%s %s by %.2g %s in step %lld; more than 10 times joint_tolerance\n",
            cli_red(), (long long)run->open, cli_plain(), worst_joint(run), run->worst_gap, unit(run),
            (long long)run->worst_step);
    print_depth(run);
    print_crushed(run);
}

void run_print_summary(const run_state *run) {
    double steps = run->done > 0 ? (double)run->done : 1.0, simulated = run->last.time - run->start_time;
    char map[16], velocity[16], spent[16];
    if (run->gave_up)
        printf("  %sgave up after %lld of %lld steps:%s the last %lld were not certified (--give-up %d; 0: never)\n",
               cli_red(), (long long)run->done, (long long)run->steps, cli_plain(), (long long)run->in_row,
               run->request->give_up);
    else if (run->stopped)
        printf("  stopped after %lld of %lld steps\n", (long long)run->done, (long long)run->steps);
    if (run->done == 0)
        return;
    printf("  %lld steps, %g s simulated in %s: %.3g times real time, %.3g ms a step\n", (long long)run->done,
           simulated, cli_seconds(run->spent, spent), simulated / run->spent, 1e3 * run->spent / steps);
    printf("  time: contacts %.0f %%, assembly and elements %.0f %%, solver %.0f %%\n",
           100.0 * run->collide / run->total, 100.0 * run->assemble / run->total, 100.0 * run->solve / run->total);
    printf("  a step: %.1f contacts (at most %d), %.1f solves, %.1f iterations, %.1f factorisations",
           run->contacts / steps, run->most_contacts, run->solves / steps, run->iterations / steps,
           run->factorizations / steps);
    if (run->partial_factorizations > 0.0)
        printf(", %.1f of them partial", run->partial_factorizations / steps);
    putchar('\n');
    printf("  deepest overlap %.2g m, overlaps removed on positions %.0f time%s, contacts seen too late %.0f",
           run->deepest, run->projections, run->projections == 1.0 ? "" : "s", run->missed);
    if (run->info.joints > 0)
        printf(", largest joint gap %.2g %s", run->worst_gap, unit(run));
    printf("\n");
    run_print_energy(run);
    run_print_opposed(run);
    printf("  every step is exact for free velocities within %s", cli_speed(run->worst_error, map));
    if (run->worst_angular > 0.0)
        printf(" and %s rad/s", cli_short(run->worst_angular, velocity));
    putchar('\n');
    if (run->uncertified > 0)
        print_uncertified(run);
    else
        printf("  %s%s %lld steps %sare certified%s\n", cli_green(), run->stopped ? "the" : "all", (long long)run->done,
               run->stopped ? "that were done " : "", cli_plain());
}

static void json_works(cli_json *json, const cairn_energy *w) {
    cli_json_real(json, "friction", w->friction);
    cli_json_real(json, "impact", w->impact);
    cli_json_real(json, "created", w->created);
    cli_json_real(json, "joints", w->joints);
    cli_json_real(json, "loads", w->loads);
    cli_json_real(json, "damping", w->damping);
    cli_json_real(json, "flow", w->flow);
}

/* A gap and whose it is. */
static void json_joints(cli_json *json, double gap, bool turns, const char *name) {
    cli_json_real(json, "joint_gap", gap);
    cli_json_text(json, "joint_gap_unit", name == NULL ? NULL : turns ? "rad" : "m");
    cli_json_text(json, "worst_joint", name);
}

/* A depth that was left, its tolerance, and whose it is. */
static void json_depth(cli_json *json, const run_state *run, const cairn_step_report *r) {
    cli_json_real(json, "depth", r->depth);
    cli_json_real(json, "depth_tolerance", r->depth_tolerance);
    if (r->deep[0].slot == 0) {
        cli_json_text(json, "deep", NULL);
        return;
    }
    cli_json_open(json, "deep", '[');
    for (int i = 0; i < 2; i++)
        cli_json_text(json, NULL, run_body_name(run, r->deep[i]));
    cli_json_close(json, ']');
}

void run_print_step_json(const run_state *run, const cairn_step_report *r) {
    const cairn_certificate *c = &r->info.certificate;
    cli_json json = {.out = stdout};
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "type", "step");
    cli_json_int(&json, "step", r->step);
    cli_json_real(&json, "time", r->time);
    cli_json_bool(&json, "certified", r->certified);
    cli_json_int(&json, "contacts", r->contacts);
    cli_json_int(&json, "rows", r->rows);
    cli_json_int(&json, "solves", r->solves);
    cli_json_int(&json, "iterations", r->info.iterations);
    cli_json_int(&json, "factorizations", r->info.factorizations);
    cli_json_int(&json, "most_iterations", r->most_iterations);
    cli_json_int(&json, "most_factorizations", r->most_factorizations);
    cli_json_int(&json, "partial_factorizations", r->info.partial_factorizations);
    cli_json_real(&json, "partial_share", r->info.partial_share);
    cli_json_int(&json, "most_whole", r->most_whole);
    cli_json_int(&json, "jointed_iterations", r->jointed_iterations);
    cli_json_int(&json, "jointed_factorizations", r->jointed_factorizations);
    cli_json_real(&json, "factor_work", r->factor_work);
    cli_json_text(&json, "outcome", cairn_outcome_name(r->info.outcome));
    cli_json_real(&json, "error", c->error);
    cli_json_real(&json, "error_angular", c->error_angular);
    cli_json_real(&json, "error_rms", c->rms);
    cli_json_real(&json, "deepest", r->deepest);
    json_depth(&json, run, r);
    cli_json_bool(&json, "apart", r->apart);
    cli_json_int(&json, "fallbacks", r->fallbacks);
    cli_json_int(&json, "inverted", r->inverted);
    cli_json_text(&json, "inverted_part", run_body_name(run, r->inverted_part));
    cli_json_int(&json, "missed", r->missed);
    cli_json_int(&json, "substeps", r->substeps);
    json_joints(&json, r->joint_gap, r->joint_turns, run_worst_joint(run, r));
    cli_json_bool(&json, "joints_closed", r->joints_closed);
    cli_json_real(&json, "kinetic", r->energy.kinetic);
    cli_json_real(&json, "potential", r->energy.potential);
    cli_json_real(&json, "elastic", r->energy.elastic);
    json_works(&json, &r->energy);
    cli_json_real(&json, "seconds", r->seconds_total);
    cli_json_close(&json, '}');
    cli_json_end(&json);
}

void run_print_summary_json(const run_state *run) {
    cli_json json = {.out = stdout};
    cli_json_open(&json, NULL, '{');
    cli_json_text(&json, "type", "run");
    cli_json_text(&json, "scene", run->name);
    cli_json_text(&json, "title", run->info.title);
    cli_json_text(&json, "method", run->info.method);
    cli_json_text(&json, "law", cairn_law_name(run->info.law));
    cli_json_int(&json, "bodies", run->info.bodies);
    cli_json_int(&json, "joints", run->info.joints);
    run_json_redundancy(&json, run);
    cli_json_int(&json, "steps", run->done);
    cli_json_int(&json, "uncertified", run->uncertified);
    cli_json_bool(&json, "stopped", run->stopped);
    cli_json_bool(&json, "gave_up", run->gave_up);
    cli_json_real(&json, "time", run->last.time);
    cli_json_real(&json, "seconds", run->spent);
    cli_json_real(&json, "seconds_collide", run->collide);
    cli_json_real(&json, "seconds_assemble", run->assemble);
    cli_json_real(&json, "seconds_solve", run->solve);
    cli_json_real(&json, "iterations", run->iterations);
    cli_json_real(&json, "factorizations", run->factorizations);
    cli_json_real(&json, "partial_factorizations", run->partial_factorizations);
    cli_json_int(&json, "most_contacts", run->most_contacts);
    cli_json_real(&json, "error", run->worst_error);
    cli_json_real(&json, "error_angular", run->worst_angular);
    cli_json_real(&json, "deepest", run->deepest);
    json_depth(&json, run, &run->deep);
    cli_json_int(&json, "steps_too_deep", run->overlapping);
    cli_json_int(&json, "steps_missed", run->passed);
    cli_json_int(&json, "steps_fallen_back", run->fallen);
    cli_json_int(&json, "steps_inverted", run->crushed);
    cli_json_int(&json, "most_inverted", run->most_inverted);
    cli_json_real(&json, "missed", run->missed);
    json_joints(&json, run->worst_gap, run->worst_turns, run->worst_joint);
    cli_json_int(&json, "joints_open", run->open);
    cli_json_real(&json, "start_energy", run_energy_of(&run->start));
    cli_json_real(&json, "kinetic", run->last.energy.kinetic);
    cli_json_real(&json, "potential", run->last.energy.potential);
    cli_json_real(&json, "elastic", run->last.energy.elastic);
    cli_json_open(&json, "works", '{');
    json_works(&json, &run->work);
    cli_json_close(&json, '}');
    cli_json_real(&json, "turned_over", run->turned);
    cli_json_real(&json, "left_over", run_unexplained(run));
    cli_json_int(&json, "steps_motors_opposed", run->opposed);
    cli_json_close(&json, '}');
    cli_json_end(&json);
}
