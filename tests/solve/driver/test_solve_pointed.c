/*
 * test_solve_pointed.c: when friction cones are pointed: a ball in a wedge, a slider with its joint, frictionless walls, a box on four corners.
 */
#include "support/support.h"

enum { ROWS_MAX = 16, COLS_MAX = 8 };

/* A body of n velocities with unit masses, or masses scale. D by rows of the problem: D[row][velocity]. */
static cairn_problem *one_body(cairn_context *context, int n, double scale, int m, double D[][COLS_MAX], int blocks,
                               const cairn_block *block) {
    int H_start[COLS_MAX + 1], H_row[COLS_MAX], D_start[ROWS_MAX + 1], D_row[ROWS_MAX * COLS_MAX], bodies[2] = {0, n};
    double H[COLS_MAX], value[ROWS_MAX * COLS_MAX];
    for (int i = 0; i <= n; i++)
        H_start[i] = i;
    for (int i = 0; i < n; i++) {
        H_row[i] = i;
        H[i] = scale;
    }
    for (int r = 0, at = 0; r < m; r++) {
        D_start[r] = at;
        for (int j = 0; j < n; j++, at++) {
            D_row[at] = j;
            value[at] = D[r][j];
        }
        D_start[r + 1] = at;
    }
    cairn_problem_def def = cairn_default_problem_def();
    def.n = n;
    def.m = m;
    def.H = (cairn_sparse){
        .format = CAIRN_SPARSE_COLUMNS, .rows = n, .cols = n, .row = H_row, .start = H_start, .value = H};
    def.D = (cairn_sparse){
        .format = CAIRN_SPARSE_COLUMNS, .rows = n, .cols = m, .row = D_row, .start = D_start, .value = value};
    def.blocks = blocks;
    def.block = block;
    def.bodies = 1;
    def.body_start = bodies;
    cairn_problem *problem = NULL;
    CHECK(cairn_problem_create(context, &def, &problem) == CAIRN_OK);
    return problem;
}

static cairn_pointed verdict_of(const cairn_problem *problem, double *impulses) {
    cairn_pointed found = {.jammed = -1};
    CHECK(cairn_problem_pointed(problem, impulses, &found) == CAIRN_OK);
    return found;
}

/* A ball of radius 1 in a wedge whose walls lean by `half` from the plane of symmetry: v_x, v_y, spin. The force between both contacts is level, so it lies in both cones when mu >= tan(half). */
static cairn_problem *wedge(cairn_context *context, double half, double mu, double mass) {
    double c = cos(half), s = sin(half);
    double D[4][COLS_MAX] = {{c, s, 0}, {-s, c, 1}, {-c, s, 0}, {s, c, -1}};
    const cairn_block block[2] = {{.set = CAIRN_SET_CONE, .dim = 2, .mu = mu},
                                  {.set = CAIRN_SET_CONE, .dim = 2, .mu = mu}};
    return one_body(context, 3, mass, 4, D, 2, block);
}

TEST(ball_in_a_wedge) {
    cairn_context *context = plain_context(1);
    for (int degrees = 5; degrees <= 80; degrees += 25)
        for (int heavy = 0; heavy < 2; heavy++) {
            double half = degrees * acos(-1.0) / 180.0, gamma[4], mass = heavy ? 1e5 : 1.0;
            cairn_problem *loose = wedge(context, half, 0.99 * tan(half), mass);
            cairn_problem *tight = wedge(context, half, 1.01 * tan(half), mass), *local = NULL;
            CHECK(verdict_of(loose, gamma).verdict == CAIRN_POINTED);
            cairn_pointed found = verdict_of(tight, gamma);
            CHECK(found.verdict == CAIRN_NOT_POINTED && found.jammed == 2);
            CHECK_NEAR(gamma[0], gamma[2],
                       1e-5 * gamma[0]); /* level: both push alike, with t = -mu n up to the slack */
            CHECK_NEAR(gamma[1], -gamma[0] * tan(half), 1e-4 * gamma[0] * tan(half));
            CHECK(cairn_problem_to_local(tight, &local) == CAIRN_OK);
            CHECK(verdict_of(local, NULL).verdict == CAIRN_NOT_POINTED);
            cairn_problem_destroy(local);
            CHECK(cairn_problem_to_local(loose, &local) == CAIRN_OK);
            CHECK(verdict_of(local, NULL).verdict == CAIRN_POINTED);
            cairn_problem_destroy(local);
            cairn_problem_destroy(tight);
            cairn_problem_destroy(loose);
        }
    cairn_context_destroy(context);
}

/* A slider that a rail keeps at y = 0 is pushed along (cos a, sin a): the rail takes the y part, so nothing but the x part of a force moves it. The cone holds a force across the rail when
 * mu >= cot(a). */
TEST(slider_on_a_rail) {
    cairn_context *context = plain_context(1);
    for (int k = 0; k < 2; k++) {
        double a = 1.1, mu = (k == 0 ? 0.98 : 1.02) / tan(a), gamma[3];
        double D[3][COLS_MAX] = {{cos(a), sin(a)}, {-sin(a), cos(a)}, {0, 1}};
        const cairn_block block[2] = {{.set = CAIRN_SET_CONE, .dim = 2, .mu = mu},
                                      {.set = CAIRN_SET_BILATERAL, .dim = 1}};
        cairn_problem *problem = one_body(context, 2, 1.0, 3, D, 2, block);
        cairn_pointed found = verdict_of(problem, gamma);
        CHECK(found.verdict == (k == 0 ? CAIRN_POINTED : CAIRN_NOT_POINTED) && found.jammed == k);
        if (k == 1)
            CHECK_NEAR(gamma[0] * cos(a) - gamma[1] * sin(a), 0.0, 1e-6 * gamma[0]);
        cairn_problem_destroy(problem);
    }
    cairn_context_destroy(context);
}

/* Between parallel walls a body is jammed without any friction; redundant joints alone jam nothing. */
TEST(walls_and_joints) {
    cairn_context *context = plain_context(1);
    double D[2][COLS_MAX] = {{1, 0}, {-1, 0}};
    const cairn_block push[2] = {{.set = CAIRN_SET_NONNEGATIVE, .dim = 1}, {.set = CAIRN_SET_NONNEGATIVE, .dim = 1}};
    const cairn_block joints[2] = {{.set = CAIRN_SET_BILATERAL, .dim = 1}, {.set = CAIRN_SET_BILATERAL, .dim = 1}};
    cairn_problem *between = one_body(context, 2, 1.0, 2, D, 2, push);
    cairn_problem *held = one_body(context, 2, 1.0, 2, D, 2, joints);
    CHECK(verdict_of(between, NULL).verdict == CAIRN_NOT_POINTED);
    CHECK(verdict_of(held, NULL).verdict == CAIRN_POINTED);
    cairn_problem_destroy(held);
    cairn_problem_destroy(between);
    cairn_context_destroy(context);
}

/* However rough a floor is, what stands on it can be lifted; with a roof on top it cannot. */
static cairn_problem *on_corners(cairn_context *context, double mu, bool roof) {
    double D[ROWS_MAX][COLS_MAX] = {{0}};
    cairn_block block[5];
    for (int i = 0; i < 5; i++) {
        cairn_vec3 arm = i < 4 ? cairn_vec3_of(i % 2 ? 1 : -1, i / 2 ? 1 : -1, -1) : cairn_vec3_of(0, 0, 1);
        cairn_vec3 axis[3] = {{0, 0, i < 4 ? 1 : -1}, {1, 0, 0}, {0, i < 4 ? 1 : -1, 0}};
        block[i] = (cairn_block){
            .set = i % 2 ? CAIRN_SET_POLY_CONE : CAIRN_SET_CONE, .dim = 3, .mu = mu, .directions = 4};
        for (int k = 0; k < 3; k++) {
            cairn_vec3 turn = cairn_vec3_cross(arm, axis[k]);
            const double row[6] = {axis[k].x, axis[k].y, axis[k].z, turn.x, turn.y, turn.z};
            memcpy(D[3 * i + k], row, sizeof row);
        }
    }
    return one_body(context, 6, 1.0, roof ? 15 : 12, D, roof ? 5 : 4, block);
}

TEST(box_under_a_roof) {
    cairn_context *context = plain_context(1);
    for (double mu = 1e-3; mu < 2e2; mu *= 1e2) {
        cairn_problem *open = on_corners(context, mu, false), *shut = on_corners(context, mu, true);
        CHECK(verdict_of(open, NULL).verdict == CAIRN_POINTED);
        cairn_pointed found = verdict_of(shut, NULL);
        CHECK(found.verdict == CAIRN_NOT_POINTED && found.jammed >= 2);
        cairn_problem_destroy(shut);
        cairn_problem_destroy(open);
    }
    cairn_context_destroy(context);
}

TEST(bad_arguments_and_memory) {
    counting_allocator allocator = {.fail_at = -1};
    cairn_context *context = counting_context(&allocator, 1);
    cairn_problem *problem = wedge(context, 0.5, 1.0, 1.0);
    cairn_pointed found;
    CHECK(cairn_problem_pointed(problem, NULL, NULL) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_problem_pointed(NULL, NULL, &found) == CAIRN_ERROR_ARGUMENT);
    int before = allocator.live, tries = 0;
    cairn_status status = CAIRN_ERROR_MEMORY;
    for (; status == CAIRN_ERROR_MEMORY && tries < 2000; tries++) {
        allocator.fail_at = allocator.allocations + tries;
        status = cairn_problem_pointed(problem, NULL, &found);
        CHECK(status == CAIRN_OK || status == CAIRN_ERROR_MEMORY);
        CHECK(allocator.live >= before);
    }
    CHECK(status == CAIRN_OK && tries > 3);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
    CHECK(allocator.live == 0);
}

int main(void) {
    RUN(ball_in_a_wedge);
    RUN(slider_on_a_rail);
    RUN(walls_and_joints);
    RUN(box_under_a_roof);
    RUN(bad_arguments_and_memory);
    return test_end();
}
