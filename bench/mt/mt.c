/*
 * mt.c: Tables 1 and 2 of [MT]: iterations of its interior point method in our own scenes, beside the paper's figures.
 *
 *     mt [--only 1|2] [--out FILE.csv] [--traces FOLDER]
 *
 * Cairn's world moves the bodies (without friction; its matrix-free method at 1e-4). Each step's problem, all contacts in one piece, is then solved once more by ipm-mt as
 * published: stop=paper, SI units, common step length, both starting points. What is counted are these calls, iterations from 0. --traces writes the first call of each row of
 * Table 1, iteration by iteration.
 *
 *     Table 1   balls of 0.1 m fall into a box; matrix size = velocities + contacts of the augmented system (20); mean iterations a call
 *     Table 2   no, partial (velocities) and full warm start (also impulses and slacks) from the last call's answer
 *
 * A contact keeps its impulse by its pair of bodies and the nearest place; a new one begins with 0. The paper says neither sizes of balls nor steps nor
 * how long it ran: counts, not scenes, are compared.
 */
#include "../common/whole.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS_MAX = 200 };
static const double gravity = 9.81;

/* ---- calls ---- */

typedef struct last_call {
    int contacts;
    cairn_world_contact *contact;
    double *gamma, *v;
    int n;
} last_call;

static void forget(last_call *l) {
    free(l->contact);
    free(l->gamma);
    free(l->v);
    *l = (last_call){0};
}

static double known_impulse(const last_call *l, const cairn_world_contact *c) {
    double best = INFINITY, impulse = 0.0;
    for (int i = 0; i < l->contacts; i++) {
        const cairn_world_contact *o = &l->contact[i];
        if (o->a.slot != c->a.slot || o->b.slot != c->b.slot)
            continue;
        double away = cairn_vec3_length(cairn_vec3_sub(o->point, c->point));
        if (away < best) {
            best = away;
            impulse = l->gamma[i];
        }
    }
    return impulse;
}

static void remember(last_call *l, const whole *w, const cairn_answer *answer, int n) {
    int count = cairn_world_contact_count(w->world);
    cairn_world_contact *contact = whole_need((size_t)count, sizeof *contact);
    double *gamma = whole_need((size_t)count, sizeof *gamma), *v = whole_need((size_t)n, sizeof *v);
    for (int i = 0; i < count; i++)
        if (cairn_world_contact_get(w->world, i, &contact[i]) != CAIRN_OK)
            whole_fail("contact", cairn_error_message(w->context));
    memcpy(gamma, answer->gamma, (size_t)count * sizeof *gamma);
    memcpy(v, answer->v, (size_t)n * sizeof *v);
    forget(l);
    *l = (last_call){count, contact, gamma, v, n};
}

/* How a call is made; trace: NULL or what becomes of it. */
typedef struct manner {
    cairn_start_point start;
    cairn_warm_mode warm;
    FILE *trace;
} manner;

static bool write_line(void *user, const cairn_iteration *it) {
    fprintf(user, "%d,%.9g,%.9g,%.9g\n", it->iteration, it->primal, it->dual, it->rho);
    return true;
}

/* One call of ipm-mt on the step that was just made; returns its iterations, *size the size of its matrix. */
static int call(const whole *w, manner how, double h, last_call *l, int *size, bool *solved) {
    whole_form form = {.step = h, .gravity = gravity, .frictionless = true};
    cairn_problem *problem = whole_problem(w, &form);
    cairn_problem_view view = cairn_problem_get(problem);
    cairn_settings settings = cairn_default_settings("ipm-mt");
    cairn_solver *solver;
    cairn_answer answer;
    cairn_info info;
    settings.start = how.start;
    settings.stop = CAIRN_STOP_PAPER;
    settings.units = CAIRN_UNITS_SI;
    settings.warm = how.warm;
    settings.on_iteration = how.trace != NULL ? write_line : NULL;
    settings.user = how.trace;
    settings.max_iterations = 500;
    double *gamma = whole_need((size_t)view.m, sizeof *gamma);
    for (int i = 0; i < view.m; i++) {
        cairn_world_contact c;
        if (cairn_world_contact_get(w->world, i, &c) != CAIRN_OK)
            whole_fail("contact", cairn_error_message(w->context));
        gamma[i] = known_impulse(l, &c);
    }
    cairn_guess guess = {.gamma = gamma, .v = l->v};
    bool have = l->v != NULL && how.warm != CAIRN_WARM_NONE;
    if (cairn_solver_create(w->context, &settings, &solver) != CAIRN_OK ||
        cairn_solver_load(solver, problem) != CAIRN_OK ||
        cairn_solver_solve(solver, have ? &guess : NULL, &answer, &info) != CAIRN_OK)
        whole_fail("ipm-mt", cairn_error_message(w->context));
    remember(l, w, &answer, view.n);
    *size = view.n + view.m;
    *solved = info.certificate.natural_map <= 1e-4;
    cairn_solver_destroy(solver);
    cairn_problem_destroy(problem);
    free(gamma);
    return info.iterations;
}

/* ---- scenes ---- */

typedef struct stage {
    cairn_context *context;
    cairn_world *world;
    whole w;
    double step;
} stage;

static void add_body(stage *s, cairn_shape *shape, cairn_pose pose, bool fixed, cairn_vec3 spin) {
    cairn_body_def def = cairn_default_body_def();
    cairn_body body;
    cairn_mass mass;
    def.kind = fixed ? CAIRN_BODY_FIXED : CAIRN_BODY_DYNAMIC;
    def.shape = shape;
    def.pose = pose;
    def.angular_velocity = spin;
    if (cairn_world_add_body(s->world, &def, &body) != CAIRN_OK ||
        (!fixed && cairn_shape_mass(shape, def.density, &mass) != CAIRN_OK))
        whole_fail("body", cairn_error_message(s->context));
    if (!fixed)
        whole_add(&s->w, body, cairn_vec3_of(mass.inertia.m[0][0], mass.inertia.m[1][1], mass.inertia.m[2][2]));
}

static void open_stage(stage *s, double step) {
    cairn_context_def context = cairn_default_context_def();
    cairn_world_def def = cairn_default_world_def();
    cairn_material_def smooth = cairn_default_material_def();
    cairn_material first = {0};
    cairn_shape *plane;
    smooth.friction = 0.0;
    def.solver = cairn_default_settings("nncg");
    def.solver.tolerance = 1e-4;
    def.solver.tolerance_plain = 0.0;
    def.tolerance_velocity = 1e-2;
    def.step = s->step = step;
    if (cairn_context_create(&context, &s->context) != CAIRN_OK ||
        cairn_world_create(s->context, &def, &s->world) != CAIRN_OK ||
        cairn_world_set_pair(s->world, first, first, &smooth) != CAIRN_OK ||
        cairn_shape_plane(s->context, &plane) != CAIRN_OK)
        whole_fail("world", "cannot be made");
    s->w = (whole){.context = s->context, .world = s->world};
    add_body(s, plane, (cairn_pose){.rotation = cairn_quat_identity()}, true, cairn_vec3_of(0, 0, 0));
    cairn_shape_release(plane);
}

static void close_stage(stage *s) {
    whole_clear(&s->w);
    cairn_world_destroy(s->world);
    cairn_context_destroy(s->context);
}

static double jitter(int i, int axis) {
    unsigned x = (unsigned)i * 2654435761u + (unsigned)axis * 40503u + 977u;
    x ^= x >> 13;
    x *= 2246822519u;
    x ^= x >> 16;
    return (double)(x & 0xffffu) / 65536.0 - 0.5;
}

/* count balls above the floor of a box of across x across cells. */
static void balls_in_box(stage *s, int count, int across) {
    cairn_shape *plane, *ball;
    double cell = 0.22, side = 0.5 * cell * across + 0.01, right = 0.5 * 3.14159265358979323846;
    open_stage(s, 0.01);
    if (cairn_shape_plane(s->context, &plane) != CAIRN_OK || cairn_shape_sphere(s->context, 0.1, &ball) != CAIRN_OK)
        whole_fail("shape", cairn_error_message(s->context));
    for (int i = 0; i < 4; i++) {
        cairn_vec3 out = cairn_vec3_of(i == 0 ? 1 : i == 2 ? -1 : 0, i == 1 ? 1 : i == 3 ? -1 : 0, 0);
        cairn_quat q = cairn_quat_turn(cairn_vec3_of(-out.y, out.x, 0), -right);
        add_body(s, plane, (cairn_pose){cairn_vec3_scale(side, out), q}, true, cairn_vec3_of(0, 0, 0));
    }
    for (int i = 0; i < count; i++) {
        cairn_vec3 at = cairn_vec3_of(cell * (i % across - 0.5 * (across - 1)) + 0.016 * jitter(i, 1),
                                      cell * (i / across % across - 0.5 * (across - 1)) + 0.016 * jitter(i, 2),
                                      0.11 + cell * (i / across / across));
        add_body(s, ball, (cairn_pose){at, cairn_quat_identity()}, false, cairn_vec3_of(0, 0, 0));
    }
    cairn_shape_release(plane);
    cairn_shape_release(ball);
}

/* On the floor, turning; size: the radius of a ball, half of the width of a brick. */
static void one_body(stage *s, bool brick, double size) {
    cairn_shape *shape;
    open_stage(s, 0.01);
    cairn_status status = brick ? cairn_shape_box(s->context, cairn_vec3_of(2.0 * size, size, 0.5 * size), &shape)
                                : cairn_shape_sphere(s->context, size, &shape);
    if (status != CAIRN_OK)
        whole_fail("shape", cairn_error_message(s->context));
    add_body(s, shape, (cairn_pose){cairn_vec3_of(0, 0, brick ? 0.5 * size : size), cairn_quat_identity()}, false,
             cairn_vec3_of(0, 0, 0.3));
    cairn_shape_release(shape);
}

static int step(stage *s) {
    cairn_step_report report;
    whole_look(&s->w);
    if (cairn_world_step(s->world, &report) != CAIRN_OK)
        whole_fail("step", cairn_error_message(s->context));
    return report.contacts;
}

/* ---- tables ---- */

static const cairn_start_point starts[] = {CAIRN_START_DAPUZZO, CAIRN_START_NOCEDAL};

typedef struct counts {
    int calls, sum, least, most, good;
} counts;

static void count(counts *c, int iterations, bool solved) {
    c->least = c->calls == 0 || iterations < c->least ? iterations : c->least;
    c->most = iterations > c->most ? iterations : c->most;
    c->calls++;
    c->sum += iterations;
    c->good += solved;
}

static FILE *open_trace(const char *folder, int size) {
    char path[512];
    if (folder == NULL)
        return NULL;
    snprintf(path, sizeof path, "%s/mt-%d.csv", folder, size);
    FILE *file = fopen(path, "w");
    if (file == NULL)
        whole_fail(path, "cannot be written");
    fputs("iteration,primal,dual,rho\n", file);
    return file;
}

/* Both starting points on the present step. */
static void call_both(const stage *s, FILE *trace, counts c[2], int *size) {
    for (int k = 0; k < 2; k++) {
        last_call last = {0};
        manner how = {starts[k], CAIRN_WARM_NONE, k == 0 ? trace : NULL};
        bool solved = false;
        int iterations = call(&s->w, how, s->step, &last, size, &solved);
        count(&c[k], iterations, solved);
        forget(&last);
    }
}

/* Steps until the matrix has the wanted size, then calls while it stays within 3 %; at most 300 steps in all. */
static void table_one(FILE *csv, const char *folder) {
    static const struct {
        int size, balls, across;
        double paper;
    } row[] = {{1200, 145, 5, 16.7}, {3200, 385, 6, 18.6}, {4500, 540, 7, 19.4}, {13800, 1640, 10, 18.9}};
    puts("### Table 1: iterations a call against size\n\n| matrix size in the paper | mean iterations there | balls "
         "here | matrix size here | calls | D'Apuzzo: mean | least, most | Nocedal: mean | least, most "
         "| answers with natural map below 1e-4 |\n|---|---|---|---|---|---|---|---|---|---|");
    for (size_t r = 0; r < sizeof row / sizeof *row; r++) {
        stage s = {0};
        counts c[2] = {{0}};
        int size = 0, smallest = 1 << 30, largest = 0;
        balls_in_box(&s, row[r].balls, row[r].across);
        for (int i = 0; i < 300 && c[0].calls < 50; i++) {
            int expected = step(&s) + 6 * s.w.bodies;
            if (abs(expected - row[r].size) > 0.03 * row[r].size)
                continue;
            FILE *trace = c[0].calls == 0 ? open_trace(folder, row[r].size) : NULL;
            call_both(&s, trace, c, &size);
            if (trace != NULL)
                fclose(trace);
            smallest = size < smallest ? size : smallest;
            largest = size > largest ? size : largest;
        }
        double calls = c[0].calls > 0 ? c[0].calls : 1;
        printf("| %d | %.1f | %d | %d to %d | %d | %.1f | %d, %d | %.1f | %d, %d | %d of %d |\n", row[r].size,
               row[r].paper, row[r].balls, smallest, largest, c[0].calls, c[0].sum / calls, c[0].least, c[0].most,
               c[1].sum / calls, c[1].least, c[1].most, c[0].good + c[1].good, 2 * c[0].calls);
        fflush(stdout);
        for (int k = 0; k < 2 && csv != NULL; k++)
            fprintf(csv, "1,%d,%d,%d,%d,%d,%.4g,%.4g\n", row[r].size, row[r].balls, largest, c[k].calls, k,
                    c[k].sum / calls, row[r].paper);
        close_stage(&s);
    }
}

typedef enum scene_kind { BALLS = 0, BRICK, BALL } scene_kind;

static counts count_calls(scene_kind scene, double size, int calls, manner how) {
    stage s = {0};
    last_call last = {0};
    counts c = {0};
    if (scene == BALLS)
        balls_in_box(&s, 250, 6);
    else
        one_body(&s, scene == BRICK, size);
    for (int i = 0; scene == BALLS && i < 100; i++) /* the balls have come down */
        step(&s);
    while (c.calls < calls) {
        int rows;
        bool solved;
        if (step(&s) == 0)
            continue;
        int iterations = call(&s.w, how, s.step, &last, &rows, &solved);
        count(&c, iterations, solved);
    }
    forget(&last);
    close_stage(&s);
    return c;
}

static void table_two(FILE *csv) {
    static const struct {
        const char *name;
        scene_kind scene;
        double size; /* m; bodies of 4 and 8 kg, or of 268 and 512 kg */
        int calls, paper[3];
    } row[] = {{"Balls in box", BALLS, 0.1, 50, {935, 927, 747}},
               {"Single brick", BRICK, 0.1, 100, {499, 370, 81}},
               {"Single ball", BALL, 0.1, 100, {720, 515, 90}},
               {"Single brick, 512 kg", BRICK, 0.4, 100, {499, 370, 81}},
               {"Single ball, 268 kg", BALL, 0.4, 100, {720, 515, 90}}};
    static const cairn_warm_mode modes[] = {CAIRN_WARM_NONE, CAIRN_WARM_PARTIAL, CAIRN_WARM_FULL};
    static const char *const name[] = {"D'Apuzzo", "Nocedal"};
    puts("\n### Table 2: iterations of all calls, by warm start\n\n| test (calls) | start | none: paper | here "
         "| partial: paper | here | full: paper | here | answers with natural map below 1e-4 "
         "|\n|---|---|---|---|---|---|---|---|---|");
    for (size_t r = 0; r < sizeof row / sizeof *row; r++)
        for (int k = 0; k < 2; k++) {
            int good = 0;
            printf("| %s (%d) | %s", row[r].name, row[r].calls, name[k]);
            for (int i = 0; i < 3; i++) {
                counts c = count_calls(row[r].scene, row[r].size, row[r].calls, (manner){starts[k], modes[i], NULL});
                good += c.good;
                printf(" | %d | %d", row[r].paper[i], c.sum);
                fflush(stdout);
                if (csv != NULL)
                    fprintf(csv, "2,%s,%d,%d,%d,%d,%d,%d\n", row[r].name, row[r].calls, k, i, c.sum, row[r].paper[i],
                            c.good);
            }
            printf(" | %d of %d |\n", good, 3 * row[r].calls);
        }
}

int main(int argc, char **argv) {
    FILE *csv = NULL;
    const char *folder = NULL;
    int only = 0;
    if (argc < 2) {
        puts("mt counts iterations of [MT]'s interior point method; `make bench-mt` calls it.");
        return 0;
    }
    for (int i = 1; i + 1 < argc; i += 2)
        if (strcmp(argv[i], "--only") == 0)
            only = (int)strtol(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--traces") == 0)
            folder = argv[i + 1];
        else if (strcmp(argv[i], "--out") == 0) {
            csv = fopen(argv[i + 1], "w");
            if (csv == NULL)
                whole_fail(argv[i + 1], "cannot be written");
        } else
            whole_fail(argv[i], "expected --only, --out or --traces");
    if (csv != NULL)
        fputs("table,row,a,b,c,start,d,here,paper\n", csv);
    if (only != 2)
        table_one(csv, folder);
    if (only != 1)
        table_two(csv);
    return csv != NULL && fclose(csv) != 0;
}
