/* Light bodies that carry heavy ones: steps of worlds at default settings; and proofs of infeasibility, which such problems must not pass for. */
#include "support/support.h"

#include <math.h>

typedef struct seen {
    int steps, certified, factorizations;
    double speed; /* of the heaviest body, m/s */
} seen;

/* A tower of cubes of 1 m, each ratio times heavier than the one below; offset: how far they are off the axis. */
static seen run_tower_by(cairn_world_def how, int levels, double ratio, double offset, int steps) {
    cairn_context *context = plain_context(1);
    cairn_world *world;
    cairn_shape *floor, *cube;
    cairn_body body, heaviest = {0};
    seen result = {0};
    CHECK(cairn_world_create(context, &how, &world) == CAIRN_OK);
    CHECK(cairn_shape_plane(context, &floor) == CAIRN_OK);
    CHECK(cairn_shape_box(context, cairn_vec3_of(0.5, 0.5, 0.5), &cube) == CAIRN_OK);
    cairn_body_def def = cairn_default_body_def();
    def.kind = CAIRN_BODY_FIXED;
    def.shape = floor;
    CHECK(cairn_world_add_body(world, &def, &body) == CAIRN_OK);
    for (int i = 0; i < levels; i++) {
        def = cairn_default_body_def();
        def.shape = cube;
        def.density = pow(ratio, i);
        def.pose = cairn_pose_at(offset * sin(3.0 * i), offset * cos(5.0 * i), 0.5 + i);
        CHECK(cairn_world_add_body(world, &def, &body) == CAIRN_OK);
        heaviest = i == 0 || ratio > 1.0 ? body : heaviest;
    }
    cairn_shape_release(floor);
    cairn_shape_release(cube);
    for (int i = 0; i < steps; i++) {
        cairn_step_report report;
        cairn_body_state state;
        CHECK(cairn_world_step(world, &report) == CAIRN_OK);
        CHECK(cairn_world_body(world, heaviest, &state) == CAIRN_OK);
        result.steps++;
        result.certified += report.certified;
        result.factorizations += report.info.factorizations;
        result.speed = fmax(result.speed, cairn_vec3_length(state.velocity));
    }
    cairn_world_destroy(world);
    cairn_context_destroy(context);
    return result;
}

static seen run_tower(int levels, double ratio, double offset, int steps) {
    return run_tower_by(cairn_default_world_def(), levels, ratio, offset, steps);
}

TEST(towers_stand) {
    static const double ratio[] = {2, 4, 8, 1.0 / 2, 1.0 / 4, 1.0 / 8, 1.0 / 16};
    for (int k = 0; k < 7; k++)
        for (int off = 0; off < 2; off++) {
            seen s = run_tower(12, ratio[k], 0.03 * off, 100);
            printf("ratio %g%s: %d of %d certified, %d factorisations, at most %.1e m/s\n", ratio[k],
                   off ? ", offset" : "", s.certified, s.steps, s.factorizations, s.speed);
            CHECK(s.certified == s.steps);
            CHECK(s.speed < 1e-3);
        }
    for (int k = 0; k < 2; k++) {
        seen s = run_tower(2, k == 0 ? 1e6 : 1e-6, 0.1, 100);
        CHECK(s.certified == s.steps && s.speed < 1e-5);
    }
}

/* Masses that span 1.8e13. The impulse under them, h g times their sum, has digits of 2e-4 N s at h = 0.01: they move the lightest cube, of 1 kg, by more than the default of 1e-4 m/s. With a shorter step or a
 * larger tolerance they do not. */
TEST(digits_are_the_limit) {
    cairn_world_def shorter = cairn_default_world_def(), looser = shorter;
    shorter.step = 0.001;
    looser.tolerance_velocity = 1e-2;
    seen s = run_tower_by(shorter, 12, 16, 0.0, 100), l = run_tower_by(looser, 12, 16, 0.0, 100);
    printf("ratio 16: %d and %d of 100 certified, at most %.1e and %.1e m/s\n", s.certified, l.certified, s.speed,
           l.speed);
    CHECK(s.certified == 100 && s.speed < 1e-3);
    CHECK(l.certified == 100 && l.speed < 1e-3);
}

enum { WALLS = 30, ROWS = 3 * WALLS };

/* A body of 1 kg between rows of D, given column by column. */
static cairn_info solve_one(const char *method, cairn_law law, int blocks, const cairn_block *block, const double *D,
                            const double *b) {
    cairn_context *context = plain_context(1);
    cairn_problem_def def = cairn_default_problem_def();
    static int D_row[6 * ROWS], D_start[ROWS + 1];
    int diagonal[6], H_start[7];
    double H[6], k[6] = {0.3, -0.1, -1, 0, 0.05, 0};
    for (int i = 0; i < 6; i++) {
        diagonal[i] = H_start[i] = i;
        H[i] = 1.0;
    }
    H_start[6] = 6;
    for (int i = 0; i < blocks; i++)
        def.m += block[i].dim;
    for (int j = 0; j <= def.m; j++)
        D_start[j] = 6 * j;
    for (int e = 0; e < 6 * def.m; e++)
        D_row[e] = e % 6;
    def.law = law;
    def.n = 6;
    def.H = (cairn_sparse){
        .format = CAIRN_SPARSE_COLUMNS, .rows = 6, .cols = 6, .row = diagonal, .start = H_start, .value = H};
    def.D = (cairn_sparse){
        .format = CAIRN_SPARSE_COLUMNS, .rows = 6, .cols = def.m, .row = D_row, .start = D_start, .value = D};
    def.k = k;
    def.b = b;
    def.blocks = blocks;
    def.block = block;
    cairn_problem *problem = NULL;
    cairn_solver *solver = NULL;
    cairn_info info = {.outcome = CAIRN_NUMERICAL};
    cairn_settings settings = cairn_default_settings(method);
    CHECK(cairn_problem_create(context, &def, &problem) == CAIRN_OK);
    CHECK(cairn_solver_create(context, &settings, &solver) == CAIRN_OK);
    CHECK(cairn_solver_load(solver, problem) == CAIRN_OK);
    CHECK(cairn_solver_solve(solver, NULL, NULL, &info) == CAIRN_OK);
    cairn_solver_destroy(solver);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
    return info;
}

TEST(what_cannot_be_is_proven) {
    const cairn_block joint = {.set = CAIRN_SET_BILATERAL, .dim = 1}, row = {.set = CAIRN_SET_NONNEGATIVE, .dim = 1},
                      contact = {.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.6},
                      motor = {.set = CAIRN_SET_BOX, .dim = 1, .lo = -1, .hi = 1};
    const double lean = 0.8, other = 0.6;
    /* a joint drives the body into the floor; two joints disagree; a leaning stop against floor and joint; a motor beside them */
    cairn_block against_floor[2] = {joint, contact}, apart[2] = {joint, joint}, wedge[3] = {joint, contact, row},
                driven[3] = {joint, contact, motor};
    double D_floor[24] = {0, 0, 1, 0, 0, 0, 0, 0, 1, 0.1, -0.2, 0, 1, 0, 0, 0, 0, 0.2, 0, 1, 0, 0, 0, -0.1};
    D_floor[3] = 0.1;
    D_floor[4] = -0.2;
    double D_apart[12] = {1, 0, 0, 0, 0.3, 0, -2, 0, 0, 0, -0.6, 0};
    double D_wedge[30] = {1, 0, 0,   0, 0, 0, 0, 0, 1,    0,     0, 0,      1, 0, 0,
                          0, 0, 0.2, 0, 1, 0, 0, 0, -0.1, -lean, 0, -other, 0, 0, 0};
    double D_driven[30] = {0};
    memcpy(D_driven, D_floor, sizeof D_floor);
    D_driven[24] = 1.0;
    double b_floor[5] = {2, 0, 0, 0, 0}, b_apart[2] = {1, 1}, b_wedge[5] = {-1, 0, 0, 0, 0};
    for (int law = 0; law < 2; law++) {
        cairn_info info[4] = {
            solve_one("auto", (cairn_law)law, 2, against_floor, D_floor, b_floor),
            solve_one("auto", (cairn_law)law, 2, apart, D_apart, b_apart),
            solve_one("auto", (cairn_law)law, 3, wedge, D_wedge, b_wedge),
            solve_one("auto", (cairn_law)law, 3, driven, D_driven, b_floor),
        };
        for (int i = 0; i < 4; i++) {
            CHECK(info[i].outcome == CAIRN_INFEASIBLE && !info[i].certificate.certified);
            printf("no answer %d: %d iterations, %d factorisations\n", i, info[i].iterations, info[i].factorizations);
            CHECK(info[i].iterations <= 60 && isfinite(info[i].certificate.error));
        }
        /* with the joint off the contact's direction by 1e-2 and 1e-4, motions of 200 and 20 000 m/s are allowed */
        D_floor[0] = 1e-2;
        CHECK(solve_one("auto", (cairn_law)law, 2, against_floor, D_floor, b_floor).outcome == CAIRN_SOLVED);
        D_floor[0] = 1e-4;
        CHECK(solve_one("auto", (cairn_law)law, 2, against_floor, D_floor, b_floor).outcome != CAIRN_INFEASIBLE);
        D_floor[0] = 0.0;
    }
}

/* Thirty rough walls around a body close in. Impulses that grow have friction in them, so that their normal parts alone prove nothing: the proof must be searched for. */
TEST(closing_walls_are_proven) {
    test_random random = {1};
    cairn_block contact[WALLS];
    double D[6 * ROWS], b[ROWS];
    for (int k = 0; k < 20; k++) {
        for (int i = 0; i < WALLS; i++) {
            cairn_vec3 n = cairn_vec3_of(test_random_signed(&random), test_random_signed(&random),
                                         test_random_signed(&random));
            cairn_vec3 arm = cairn_vec3_of(test_random_signed(&random), test_random_signed(&random),
                                           test_random_signed(&random));
            n = cairn_vec3_scale(1.0 / cairn_vec3_length(n), n);
            cairn_vec3 t = cairn_vec3_cross(n, cairn_vec3_of(0.6, -0.48, 0.64));
            t = cairn_vec3_scale(1.0 / cairn_vec3_length(t), t);
            cairn_vec3 axis[3] = {n, t, cairn_vec3_cross(n, t)};
            contact[i] = (cairn_block){.set = CAIRN_SET_CONE, .dim = 3, .mu = 1};
            for (int r = 0; r < 3; r++) {
                cairn_vec3 turn = cairn_vec3_cross(arm, axis[r]);
                double row[6] = {axis[r].x, axis[r].y, axis[r].z, turn.x, turn.y, turn.z};
                memcpy(D + 18 * i + 6 * r, row, sizeof row);
                b[3 * i + r] = r == 0 ? -1.0 - test_random_unit(&random) : 0.0;
            }
        }
        cairn_info info = solve_one("auto", CAIRN_LAW_COULOMB, WALLS, contact, D, b);
        printf("walls %d: %s, %d factorisations\n", k, cairn_outcome_name(info.outcome), info.factorizations);
        CHECK(info.outcome == CAIRN_INFEASIBLE && info.factorizations <= 100);
    }
}

int main(void) {
    RUN(towers_stand);
    RUN(digits_are_the_limit);
    RUN(what_cannot_be_is_proven);
    RUN(closing_walls_are_proven);
    return test_end();
}
