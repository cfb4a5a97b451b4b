/*
 * test_world_forms.c: a set of solutions that is not convex, and errors that fall with the step.
 */
#include "support/world_scene.h"

static const cairn_vec3 down = {0, 0, -9.81};
static const cairn_quat straight = {1, 0, 0, 0};

/* Case 25 [A "Nonconvex solution set"]: a body on six contacts around its centre. The problem is the one a step builds; impulses are (n, t1, t2). */
static cairn_problem *six_contacts(cairn_context *context, double weight, double mu) {
    enum { BODY = 6, CONTACTS = 6 };
    int H_start[BODY + 1], H_row[BODY], D_start[3 * CONTACTS + 1], D_row[18 * CONTACTS], bodies[2] = {0, BODY};
    double H[BODY] = {1, 1, 1, 1, 1, 1}, D[18 * CONTACTS], k[BODY] = {0, 0, -weight, 0, 0, 0}, b[3 * CONTACTS] = {0};
    cairn_block block[CONTACTS];
    for (int i = 0; i <= BODY; i++)
        H_start[i] = i;
    for (int i = 0; i < BODY; i++)
        H_row[i] = i;
    for (int i = 0, at = 0; i < CONTACTS; i++) {
        double angle = i * 2.0 * QUARTER_TURN / 3.0;
        cairn_vec3 arm = {cos(angle), sin(angle), -0.5}, axis[3] = {{0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
        block[i] = (cairn_block){.set = CAIRN_SET_CONE, .dim = 3, .mu = mu};
        for (int row = 0; row < 3; row++) {
            cairn_vec3 turn = cairn_vec3_cross(arm, axis[row]);
            const double part[BODY] = {axis[row].x, axis[row].y, axis[row].z, turn.x, turn.y, turn.z};
            D_start[3 * i + row] = at;
            for (int j = 0; j < BODY; j++, at++) {
                D_row[at] = j;
                D[at] = part[j];
            }
        }
        D_start[3 * i + 3] = at;
    }
    cairn_problem_def def = cairn_default_problem_def();
    def.n = BODY;
    def.m = 3 * CONTACTS;
    def.H = (cairn_sparse){
        .format = CAIRN_SPARSE_COLUMNS, .rows = BODY, .cols = BODY, .row = H_row, .start = H_start, .value = H};
    def.D = (cairn_sparse){
        .format = CAIRN_SPARSE_COLUMNS, .rows = BODY, .cols = def.m, .row = D_row, .start = D_start, .value = D};
    def.k = k;
    def.b = b;
    def.blocks = CONTACTS;
    def.block = block;
    def.bodies = 1;
    def.body_start = bodies;
    cairn_problem *problem = NULL;
    CHECK(cairn_problem_create(context, &def, &problem) == CAIRN_OK);
    return problem;
}

/* In the LCP's own variables (c_n, lambda) both solutions are complementary and their mean is not; the judge sees (v, gamma) alone, for
 * which all three are answers. */
TEST(solutions_that_are_not_a_convex_set) {
    cairn_context *context = plain_context(1);
    const double weight = 0.0981, mu = 0.5;
    cairn_problem *problem = six_contacts(context, weight, mu);
    for (int k = 0; k < 3; k++) {
        double gamma[18] = {0}, product = 0.0, v[6];
        for (int i = 0; i < 6; i++) {
            double share = k == 2 ? 0.5 : i % 2 == k ? 1.0 : 0.0;
            gamma[3 * i] = share * weight / 3.0;
            product += mu * gamma[3 * i] * (1.0 - share); /* lambda is 1 where the contact carries nothing, else 0 */
        }
        cairn_certificate c;
        CHECK(cairn_certify(problem, NULL, gamma, 1e-12, &c, NULL, v) == CAIRN_OK);
        CHECK(c.certified);
        for (int j = 0; j < 6; j++)
            CHECK_NEAR(v[j], 0.0, 1e-15);
        CHECK(k < 2 ? product == 0.0 : product > 0.1 * mu * weight);
        gamma[0] *= 1.01; /* and what is no answer is none */
        gamma[3] *= 1.01;
        CHECK(cairn_certify(problem, NULL, gamma, 1e-12, &c, NULL, NULL) == CAIRN_OK && !c.certified);
    }
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
}

/* Case 5 in the limit: 2.4525 m. */
static double slide(double h) {
    scene s = scene_make(1, h, 0.5, 0.0, down);
    scene_plane(&s, straight);
    cairn_shape *shape = NULL;
    CHECK(cairn_shape_box(s.context, cairn_vec3_of(0.5, 0.5, 0.05), &shape) == CAIRN_OK);
    cairn_body b = scene_add(&s, shape, CAIRN_BODY_DYNAMIC, cairn_pose_at(0, 0, 0.05), cairn_vec3_of(4.905, 0, 0),
                             cairn_vec3_of(0, 0, 0));
    scene_run(&s, (int)(1.1 / h));
    double error = scene_state(&s, b).center.x - 2.4525;
    scene_end(&s);
    return error;
}

/* Case 19: a point mass on a rod of 1 m, let go horizontally, after the exact quarter period: it should be at the bottom. */
static double swing(double h) {
    const double quarter = 0.25 * 2.0 * 3.14159265358979323846 * 1.1803405990160963 / sqrt(9.81);
    int steps = (int)(1.0 / h);
    scene s = scene_make(1, quarter / steps, 0.5, 0.0, down);
    cairn_body_def def = cairn_default_body_def();
    cairn_mass mass = {.mass = 1.0, .inertia = {{{1e-9, 0, 0}, {0, 1e-9, 0}, {0, 0, 1e-9}}}};
    cairn_body body;
    def.mass = &mass;
    def.pose.position = cairn_vec3_of(1, 0, 0);
    CHECK(cairn_world_add_body(s.world, &def, &body) == CAIRN_OK);
    cairn_joint_def joint = cairn_default_joint_def();
    cairn_joint id;
    joint.kind = CAIRN_JOINT_DISTANCE;
    joint.b = body;
    joint.has_frame_b = true;
    joint.frame_b.position = def.pose.position;
    CHECK(cairn_world_add_joint(s.world, &joint, &id) == CAIRN_OK);
    scene_run(&s, steps);
    double error = scene_state(&s, body).center.x;
    scene_end(&s);
    return error;
}

/* Halving the step halves the error, at least. */
TEST(errors_fall_with_the_step) {
    double (*motion[])(double) = {slide, swing};
    for (int k = 0; k < 2; k++) {
        double before = fabs(motion[k](0.02));
        CHECK(before > 1e-5 && before < 0.1);
        for (double h = 0.01; h > 0.002; h *= 0.5) {
            double error = fabs(motion[k](h));
            CHECK(error <= 0.55 * before);
            before = error;
        }
    }
}

int main(void) {
    RUN(solutions_that_are_not_a_convex_set);
    RUN(errors_fall_with_the_step);
    return test_end();
}
