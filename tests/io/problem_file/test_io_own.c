/* Problems that FCLIB cannot hold, in Cairn's own form: every set comes back with its bits, from worlds too; damaged files are refused by name. */
#define _POSIX_C_SOURCE 200809L

#include "test_io_fixture.h"

#include <cairn/world.h>

#include <unistd.h>

static char directory[] = "/tmp/cairn-own-XXXXXX";
static char target[64];

enum { ROWS = 15, BLOCKS = 9, SPEEDS = 6 };

static const cairn_block all_sets[BLOCKS] = {{.set = CAIRN_SET_BOX, .dim = 1, .lo = -0.25, .hi = 1.0 / 3.0},
                                             {.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.3},
                                             {.set = CAIRN_SET_SHIFTED_CONE, .dim = 3, .mu = 0.7, .adhesion = 0.1},
                                             {.set = CAIRN_SET_NONNEGATIVE, .dim = 1},
                                             {.set = CAIRN_SET_BALL, .dim = 2, .radius = 0.2},
                                             {.set = CAIRN_SET_BILATERAL, .dim = 1},
                                             {.set = CAIRN_SET_CAPPED_CONE, .dim = 2, .mu = 0.4, .cap = 3.0},
                                             {.set = CAIRN_SET_BOX, .dim = 1, .lo = -INFINITY, .hi = 2.0},
                                             {.set = CAIRN_SET_BOX, .dim = 1, .lo = 0.0, .hi = INFINITY}};

/* All sets on six velocities, or on a matrix of their own; every number has many digits. */
static cairn_problem *make_problem(cairn_context *context, bool local) {
    int row[ROWS * ROWS], col[ROWS * ROWS], diagonal[ROWS];
    double value[ROWS * ROWS], mass[SPEEDS], k[SPEEDS], b[ROWS], C[ROWS];
    cairn_problem_def def = cairn_default_problem_def();
    def.m = ROWS;
    int entries = 0, height = local ? ROWS : SPEEDS;
    for (int j = 0; j < ROWS; j++)
        for (int i = 0; i < height; i++) {
            row[entries] = i;
            col[entries] = j;
            value[entries++] = local ? (i == j ? 20.0 : 0.0) + 1.0 / (1.0 + i + j) : sin(1.0 + i + 7.0 * j);
        }
    for (int i = 0; i < ROWS; i++) {
        diagonal[i] = i;
        b[i] = 0.1 * sin(i + 0.5);
        C[i] = i % 4 == 0 ? 1e-3 / (i + 1.0) : 0.0;
    }
    for (int i = 0; i < SPEEDS; i++) {
        mass[i] = 1.0 + 1.0 / (i + 3.0);
        k[i] = cos(i + 0.25);
    }
    cairn_sparse whole = {.rows = height, .cols = ROWS, .entries = entries, .row = row, .col = col, .value = value};
    if (local) {
        def.N = whole;
    } else {
        def.n = SPEEDS;
        def.H = (cairn_sparse){
            .rows = SPEEDS, .cols = SPEEDS, .entries = SPEEDS, .row = diagonal, .col = diagonal, .value = mass};
        def.D = whole;
        def.k = k;
    }
    def.b = b;
    def.C = C;
    def.blocks = BLOCKS;
    def.block = all_sets;
    cairn_problem *problem = NULL;
    CHECK(cairn_problem_create(context, &def, &problem) == CAIRN_OK);
    return problem;
}

static bool same(const void *a, const void *b, size_t bytes) {
    return bytes == 0 || memcmp(a, b, bytes) == 0;
}

/* The same entries with the same bits. Problems of worlds store zeros of D (src/problem/rigid_builder.h), those from files do not. */
static bool same_D(const cairn_problem_view *p, const cairn_problem_view *q) {
    for (int j = 0; j < p->m; j++) {
        int a = p->D_start[j], b = q->D_start[j];
        for (;; a++, b++) {
            while (a < p->D_start[j + 1] && p->D_value[a] == 0.0)
                a++;
            while (b < q->D_start[j + 1] && q->D_value[b] == 0.0)
                b++;
            if (a == p->D_start[j + 1] || b == q->D_start[j + 1])
                break;
            if (p->D_index[a] != q->D_index[b] || !same(&p->D_value[a], &q->D_value[b], sizeof(double)))
                return false;
        }
        if (a < p->D_start[j + 1] || b < q->D_start[j + 1])
            return false;
    }
    return true;
}

static void check_problems(const cairn_problem *a, const cairn_problem *b) {
    cairn_problem_view p = cairn_problem_get(a), q = cairn_problem_get(b);
    int cols = p.local ? p.m : p.n;
    CHECK(p.n == q.n && p.m == q.m && p.blocks == q.blocks && p.local == q.local);
    CHECK(same(p.H_start, q.H_start, (size_t)(cols + 1) * sizeof(int)));
    CHECK(same(p.H_value, q.H_value, (size_t)p.H_start[cols] * sizeof(double)));
    CHECK(p.local || same_D(&p, &q));
    CHECK(same(p.k, q.k, (size_t)p.n * sizeof(double)) && same(p.b, q.b, (size_t)p.m * sizeof(double)));
    CHECK(same(p.C, q.C, (size_t)p.m * sizeof(double)));
    for (int i = 0; i < p.blocks && p.blocks == q.blocks; i++) {
        const cairn_block *x = &p.block[i], *y = &q.block[i];
        CHECK(x->set == y->set && x->dim == y->dim);
        CHECK(x->mu == y->mu && x->radius == y->radius && x->cap == y->cap && x->adhesion == y->adhesion);
        CHECK(x->set != CAIRN_SET_BOX || (x->lo == y->lo && x->hi == y->hi));
    }
}

TEST(every_set_comes_back) {
    cairn_context *context = plain_context(1);
    double r[ROWS], v[SPEEDS];
    for (int i = 0; i < ROWS; i++)
        r[i] = 1.0 / (i + 3.0);
    for (int i = 0; i < SPEEDS; i++)
        v[i] = -1.0 / (i + 7.0);
    for (int local = 0; local < 2; local++) {
        cairn_vectors guess = {.r = r};
        cairn_file file = {.problem = make_problem(context, local == 1), .guesses = 1, .guess = &guess}, back = {0};
        char title[] = "all sets";
        file.title = title;
        file.solution = (cairn_vectors){.v = local ? NULL : v, .u = r, .r = r};
        CHECK(!cairn_file_fits_fclib(file.problem));
        CHECK(cairn_file_write(context, target, &file) == CAIRN_OK);
        CHECK(cairn_file_read(context, target, &back) == CAIRN_OK);
        CHECK(back.own && back.local == (local == 1) && back.contacts == 3 && back.equalities == 0);
        check_problems(file.problem, back.problem);
        CHECK(back.title != NULL && strcmp(back.title, title) == 0 && back.guesses == 1);
        CHECK(back.solution.r != NULL && same(back.solution.r, r, sizeof r));
        CHECK(back.solution.u != NULL && same(back.solution.u, r, sizeof r));
        CHECK(local || (back.solution.v != NULL && same(back.solution.v, v, sizeof v)));
        CHECK(back.guess[0].r != NULL && same(back.guess[0].r, r, sizeof r));
        cairn_vectors only = {0};
        CHECK(cairn_solution_read(context, target, local ? 0 : SPEEDS, ROWS, back.equalities, &only) == CAIRN_OK);
        CHECK(only.r != NULL && same(only.r, r, sizeof r));
        cairn_vectors_clear(context, &only);
        cairn_file_clear(&back);
        cairn_problem_destroy(file.problem);
    }
    cairn_context_destroy(context);
}

/* A box on a floor with adhesion, and beside it a slider with motor, limits, spring and friction: the step's problem, read back, has the same answer. */
TEST(step_of_a_world) {
    cairn_context *context = plain_context(1);
    cairn_world *world = NULL;
    cairn_shape *shape[2] = {NULL, NULL};
    cairn_body body[2];
    CHECK(cairn_world_create(context, NULL, &world) == CAIRN_OK && cairn_shape_plane(context, &shape[0]) == CAIRN_OK);
    CHECK(cairn_shape_box(context, cairn_vec3_of(0.1, 0.1, 0.1), &shape[1]) == CAIRN_OK);
    cairn_material_def sticky = cairn_default_material_def();
    cairn_material material;
    sticky.adhesion = 2.0;
    CHECK(cairn_world_add_material(world, &sticky, &material) == CAIRN_OK);
    for (int i = 0; i < 2; i++) {
        cairn_body_def def = cairn_default_body_def();
        def.kind = i == 0 ? CAIRN_BODY_FIXED : CAIRN_BODY_DYNAMIC;
        def.shape = shape[i];
        def.pose = cairn_pose_at(0, 0, 0.1 * i);
        def.material = material;
        CHECK(cairn_world_add_body(world, &def, &body[i]) == CAIRN_OK);
        cairn_shape_release(shape[i]);
    }
    cairn_joint_def def = cairn_default_joint_def();
    cairn_joint joint;
    def.kind = CAIRN_JOINT_FREE;
    def.b = body[1];
    def.coordinate = CAIRN_COORDINATE_SLIDE;
    def.limited = def.motor = true;
    def.low = -0.2;
    def.high = 0.2;
    def.speed = 0.1;
    def.motor_limit = 30.0;
    def.stiffness = 10.0;
    def.friction = 1.0;
    CHECK(cairn_world_add_joint(world, &def, &joint) == CAIRN_OK);
    cairn_step_report report;
    CHECK(cairn_world_step(world, &report) == CAIRN_OK && report.certified);
    const cairn_problem *problem = NULL;
    CHECK(cairn_world_problem(world, &problem) == CAIRN_OK && !cairn_file_fits_fclib(problem));
    cairn_file file = {.problem = (cairn_problem *)problem}, back = {0};
    CHECK(cairn_file_write(context, target, &file) == CAIRN_OK && cairn_file_read(context, target, &back) == CAIRN_OK);
    check_problems(problem, back.problem);
    CHECK(back.own && back.contacts > 0);
    cairn_file_clear(&back);
    cairn_world_destroy(world);
    cairn_context_destroy(context);
}

static void project_nothing(void *user, int dim, const double *x, double *projection) {
    (void)user;
    memmove(projection, x, (size_t)dim * sizeof *x);
}

TEST(functions_have_no_file) {
    cairn_context *context = plain_context(1);
    const cairn_custom_set mine = {.project = project_nothing};
    const cairn_block block = {.set = CAIRN_SET_CUSTOM, .dim = 1, .custom = &mine};
    const int zero = 0;
    const double one = 1.0;
    cairn_problem_def def = cairn_default_problem_def();
    def.m = 1;
    def.N = (cairn_sparse){.rows = 1, .cols = 1, .entries = 1, .row = &zero, .col = &zero, .value = &one};
    def.blocks = 1;
    def.block = &block;
    cairn_file file = {0};
    CHECK(cairn_problem_create(context, &def, &file.problem) == CAIRN_OK);
    unlink(target);
    CHECK(cairn_file_write(context, target, &file) == CAIRN_ERROR_UNSUPPORTED);
    CHECK_CONTAINS(cairn_error_message(context), "block 0 is a set of your own");
    CHECK(access(target, F_OK) != 0);
    cairn_problem_destroy(file.problem);
    cairn_context_destroy(context);
}

/* M = I on two velocities, a box and a limit, made without the writer. */
static hid_t small_image(void) {
    const int i[] = {0, 1}, set[] = {CAIRN_SET_BOX, CAIRN_SET_NONNEGATIVE}, dim[] = {1, 1};
    const double x[] = {1.0, 1.0}, C[] = {0.0, 0.5}, lo[] = {-1.0, 0.0}, none[] = {0.0, 0.0};
    hid_t image = image_begin();
    put_int(image, "/cairn_global/version", 1);
    put_matrix(image, "/cairn_global/M", 2, 2, 2, 2, i, i, 2, x);
    put_matrix(image, "/cairn_global/D", 2, 2, 2, 2, i, i, 2, x);
    put_reals(image, "/cairn_global/vectors/f", x, 2);
    put_reals(image, "/cairn_global/vectors/b", x, 2);
    put_reals(image, "/cairn_global/vectors/C", C, 2);
    put_ints(image, "/cairn_global/blocks/set", set, 2);
    put_ints(image, "/cairn_global/blocks/dim", dim, 2);
    put_reals(image, "/cairn_global/blocks/lo", lo, 2);
    put_reals(image, "/cairn_global/blocks/hi", x, 2);
    put_reals(image, "/cairn_global/blocks/mu", none, 2);
    put_reals(image, "/cairn_global/blocks/radius", none, 2);
    put_reals(image, "/cairn_global/blocks/cap", none, 2);
    put_reals(image, "/cairn_global/blocks/adhesion", none, 2);
    return image;
}

TEST(damaged_files) {
    cairn_context *context = plain_context(1);
    const int sets[][2] = {{8, 1}, {-1, 1}, {9, 1}}, dims[][2] = {{0, 1}, {17, 1}, {1, 2}};
    const double turned[] = {2.0, 0.0}, negative[] = {0.0, -1.0}, unknown[] = {0.0, NAN};
    struct {
        const char *path;
        const int *ints;
        const double *reals;
        int count;
        const char *message;
    } fault[] = {
        {"/cairn_global/version", (const int[]){2}, NULL, 1, "/cairn_global/version: 2, expected 1"},
        {"/cairn_global/blocks/set", sets[0], NULL, 2, "blocks/set: entry 0 is 8, expected 0 to 7"},
        {"/cairn_global/blocks/set", sets[1], NULL, 2, "blocks/set: entry 0 is -1"},
        {"/cairn_global/blocks/set", sets[2], NULL, 2, "blocks/set: entry 0 is 9"},
        {"/cairn_global/blocks/dim", dims[0], NULL, 2, "blocks/dim: entry 0 is 0, expected 1 to 16"},
        {"/cairn_global/blocks/dim", dims[1], NULL, 2, "blocks/dim: entry 0 is 17"},
        {"/cairn_global/blocks/dim", dims[2], NULL, 2, "/cairn_global/blocks: blocks of 3 rows, expected 2"},
        {"/cairn_global/blocks/dim", dims[2], NULL, 1, "blocks/dim: 1 entries, expected 2"},
        {"/cairn_global/blocks/lo", NULL, turned, 2, "block"},
        {"/cairn_global/vectors/C", NULL, negative, 2, "C[1]"},
        {"/cairn_global/vectors/C", NULL, unknown, 2, "vectors/C: entry 1 is nan"},
        {"/cairn_global/vectors/b", NULL, turned, 1, "vectors/b: 1 entries, expected 2"},
        {"/fclib_global/spacedim", dims[0], NULL, 1, "2 problems (global Cairn's own)"},
    };
    cairn_file file = {0};
    CHECK(read_image(context, small_image(), &file) == CAIRN_OK && file.own && file.contacts == 0);
    cairn_file_clear(&file);
    for (size_t k = 0; k < sizeof fault / sizeof *fault; k++) {
        hid_t image = small_image();
        if (fault[k].ints != NULL)
            put_ints(image, fault[k].path, fault[k].ints, fault[k].count);
        else
            put_reals(image, fault[k].path, fault[k].reals, fault[k].count);
        CHECK(read_image(context, image, &file) == CAIRN_ERROR_PARSE && file.problem == NULL);
        CHECK_CONTAINS(cairn_error_message(context), fault[k].message);
    }
    static const char *const needed[] = {"version",   "M/i",        "D/x",           "vectors/f",      "vectors/b",
                                         "vectors/C", "blocks/set", "blocks/dim",    "blocks/mu",      "blocks/lo",
                                         "blocks/hi", "blocks/cap", "blocks/radius", "blocks/adhesion"};
    for (size_t k = 0; k < sizeof needed / sizeof *needed; k++) {
        char path[64];
        hid_t image = small_image();
        snprintf(path, sizeof path, "/cairn_global/%s", needed[k]);
        H5Ldelete(image, path, H5P_DEFAULT);
        CHECK(read_image(context, image, &file) == CAIRN_ERROR_PARSE);
        CHECK_CONTAINS(cairn_error_message(context), path);
    }
    cairn_context_destroy(context);
}

int main(void) {
    if (mkdtemp(directory) == NULL)
        return 1;
    snprintf(target, sizeof target, "%s/out.hdf5", directory);
    RUN(every_set_comes_back);
    RUN(step_of_a_world);
    RUN(functions_have_no_file);
    RUN(damaged_files);
    unlink(target);
    rmdir(directory);
    return test_end();
}
