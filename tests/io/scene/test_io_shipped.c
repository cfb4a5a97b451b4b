/*
 * test_io_shipped.c: what the comments of some scenes promise: the gripper lifts or slips, the rattleback turns back, the cradle keeps its energy, the robot's flange is where its
 * path leads and its loop is redundant, the scenes of [T21] have its sizes. And whichever method is at work when somebody stops a run: the step does not count.
 */
#include "support/support.h"

static cairn_scene *load(cairn_context *context, const char *name, const cairn_scene_override *set, int count) {
    char path[1000];
    cairn_scene *scene = NULL;
    snprintf(path, sizeof path, CAIRN_SOURCE_DIR "/scenes/%s.json", name);
    if (cairn_scene_load(context, path, set, count, &scene) != CAIRN_OK)
        printf("%s\n", cairn_error_message(context));
    CHECK(scene != NULL);
    return scene;
}

static cairn_body_state state_of(const cairn_scene *scene, const char *name) {
    cairn_body body = {0, 0};
    cairn_body_state state = {0};
    CHECK(cairn_scene_find_body(scene, name, &body) == CAIRN_OK);
    CHECK(cairn_world_body(cairn_scene_world(scene), body, &state) == CAIRN_OK);
    return state;
}

typedef struct counts {
    int steps, iterations;
    int few; /* steps with at most 15 iterations and 2 factorisations of an island */
} counts;

/* Runs until the time; every step must be certified. */
static counts run(cairn_scene *scene, double until) {
    int bad = 0;
    counts c = {0};
    while (cairn_world_time(cairn_scene_world(scene)) < until - 1e-9) {
        cairn_step_report report = {0};
        if (cairn_scene_step(scene, &report) != CAIRN_OK || !report.certified)
            bad++;
        if (bad > 0)
            break;
        c.steps++;
        c.iterations += report.info.iterations;
        c.few += report.most_iterations <= 15 && report.most_factorizations <= 2;
    }
    CHECK(bad == 0);
    return c;
}

TEST(gripper) {
    static const cairn_scene_override weak[] = {{"grip", "8"}};
    cairn_context *context = plain_context(1);
    cairn_scene *s = load(context, "gripper", NULL, 0);
    counts c = run(s, 2.2);
    CHECK(c.iterations <= 10 * c.steps);                          /* motors do not need a thousand */
    CHECK_NEAR(state_of(s, "block").center.z, 0.03 + 0.25, 1e-6); /* it came along and did not creep */
    cairn_scene_destroy(s);
    s = load(context, "gripper", weak, 1);
    run(s, 2.2);
    CHECK_NEAR(state_of(s, "block").center.z, 0.03, 1e-3);
    cairn_scene_destroy(s);
    cairn_context_destroy(context);
}

TEST(rattleback) {
    static const cairn_scene_override coarse[] = {{"step", "0.001"}, {"spin", "5"}};
    cairn_context *context = plain_context(1);
    cairn_scene *s = load(context, "rattleback", coarse, 1);
    CHECK_NEAR(state_of(s, "stone").angular_velocity.z, -5.0, 1e-12);
    run(s, 5.0);
    CHECK(state_of(s, "stone").angular_velocity.z > 0.4); /* turned back */
    cairn_scene_destroy(s);
    s = load(context, "rattleback", coarse, 2);
    run(s, 1.5);
    CHECK(state_of(s, "stone").angular_velocity.z > 4.9); /* the right way it just spins */
    cairn_scene_destroy(s);
    cairn_context_destroy(context);
}

TEST(robot) {
    cairn_context *context = plain_context(1);
    cairn_scene *s = load(context, "robot", NULL, 0);
    cairn_joint elbow;
    cairn_joint_state st;
    CHECK(cairn_scene_find_joint(s, "axis 3", &elbow) == CAIRN_OK);
    counts c = run(s, 2.0);
    CHECK(2 * c.few > c.steps);
    cairn_vec3 x = state_of(s, "flange").center;
    CHECK_NEAR(x.x, 1.46 + 0.7636, 1e-4);
    CHECK_NEAR(x.y, -0.6, 1e-4);
    CHECK_NEAR(x.z, 1.88 - 0.26, 1e-4);
    CHECK(cairn_world_joint(cairn_scene_world(s), elbow, &st) == CAIRN_OK);
    /* upper arm 1.08, elbow to wrist 1.1574 m: angle between them from the distance of shoulder and wrist, 2.230 m of 2.237 */
    CHECK(fabs(st.coordinate) > 1.1);
    run(s, 3.0);
    CHECK_NEAR(state_of(s, "flange").center.y, 0.0, 1e-4);
    CHECK(state_of(s, "box[12]").center.z < 0.5); /* the top box of the first column lies on the floor, */
    CHECK(state_of(s, "box[0]").center.z < 0.151 &&
          fabs(state_of(s, "box[0]").center.y + 0.2) < 0.02); /* its lowest one stands */
    cairn_scene_destroy(s);
    cairn_context_destroy(context);
}

/* Ten impacts follow each other through the cradle: the last ball alone swings out, as high as the first one was, and nothing is lost. */
TEST(cradle) {
    cairn_context *context = plain_context(1);
    cairn_scene *scene = load(context, "cradle", NULL, 0);
    cairn_energy start = cairn_world_energy(cairn_scene_world(scene)), sum = {0}, now = start;
    double swing = 0.5 * (1.0 - cos(0.6)), highest[2] = {-1.0, -1.0};
    for (int i = 0; i < 4400; i++) { /* to the highest point of the far ball */
        cairn_step_report report;
        cairn_body_state far, middle;
        CHECK(cairn_scene_step(scene, &report) == CAIRN_OK && report.certified);
        cairn_energy_add(&sum, &report.energy);
        now = report.energy;
        cairn_body ball;
        CHECK(cairn_scene_find_body(scene, "ball[4]", &ball) == CAIRN_OK);
        CHECK(cairn_world_body(cairn_scene_world(scene), ball, &far) == CAIRN_OK);
        CHECK(cairn_scene_find_body(scene, "ball[2]", &ball) == CAIRN_OK);
        CHECK(cairn_world_body(cairn_scene_world(scene), ball, &middle) == CAIRN_OK);
        highest[0] = fmax(highest[0], far.center.z + 0.5);
        highest[1] = fmax(highest[1], middle.center.z + 0.5);
    }
    CHECK_NEAR(highest[0], swing, 0.01 * swing);
    CHECK(highest[1] < 0.01 * swing);
    const double energy = 4.084 * 9.81 * swing; /* of a ball of steel */
    CHECK_NEAR(now.kinetic + now.potential, start.kinetic + start.potential, 1e-3 * energy);
    CHECK_NEAR(sum.impact, 0.0, 1e-3 * energy);
    cairn_scene_destroy(scene);
    cairn_context_destroy(context);
}

/* Where a ray first meets something. */
static cairn_vec3 met(const cairn_scene *scene, cairn_vec3 from, cairn_vec3 along) {
    cairn_world_hit hit = {.distance = -1.0};
    CHECK(cairn_world_ray(cairn_scene_world(scene), from, along, 1000.0, NULL, NULL, &hit) == CAIRN_OK);
    CHECK(hit.body.generation > 0);
    return hit.point;
}

/* [T21 8.2]: ten rows of 15 bricks, 3.96 m long, 2 m high, 4 m wide, 100 kg/m3: four walls of 60 x 20 x 4 m; a ball of 8 m and 8000 kg/m3 that moves level. */
TEST(walls_of_the_paper) {
    static const char *const name[2] = {"wall", "wall-rest"};
    for (int k = 0; k < 2; k++) {
        cairn_context *context = plain_context(1);
        cairn_scene *s = load(context, name[k], NULL, 0);
        CHECK(cairn_scene_get(s).bodies == (k == 0 ? 602 : 601) && cairn_scene_get(s).step == 0.02);
        CHECK_NEAR(state_of(s, "brick[599]").mass, 3.96 * 2.0 * 4.0 * 100.0, 1e-9);
        for (int wall = 0; wall < 4; wall++) {
            double y = 9.0 * wall;
            CHECK_NEAR(met(s, (cairn_vec3){29, y, 100}, (cairn_vec3){0, 0, -1}).z, 20.0, 1e-12);
            CHECK_NEAR(met(s, (cairn_vec3){-100, y, 19}, (cairn_vec3){1, 0, 0}).x, 1.9 - 1.98,
                       1e-12); /* the tenth row */
            CHECK_NEAR(met(s, (cairn_vec3){100, y, 1}, (cairn_vec3){-1, 0, 0}).x, 14.0 * 4.0 + 1.98, 1e-12);
            CHECK_NEAR(met(s, (cairn_vec3){29, y + 4.5, 15}, (cairn_vec3){0, -1, 0}).y, y + 2.0, 1e-12);
        }
        if (k == 0) {
            cairn_body_state ball = state_of(s, "ball");
            CHECK_NEAR(ball.mass, 8000.0 * 4.0 / 3.0 * 3.14159265358979323846 * 64.0, 1e-6);
            CHECK(ball.velocity.y == 16.0 && ball.velocity.x == 0.0 && ball.velocity.z == 0.0);
        }
        cairn_scene_destroy(s);
        cairn_context_destroy(context);
    }
}

/* [T21 8.3, 8.4]: 15 boxes 0.4 m wide and 0.3 m high; 15 bars, 9360 velocities. */
TEST(boxes_and_bars_of_the_paper) {
    static const char *const name[2] = {"bars-soft", "bars-stiff"};
    cairn_context *context = plain_context(1);
    cairn_scene *s = load(context, "robot", NULL, 0);
    cairn_body body;
    CHECK(cairn_scene_find_body(s, "box[14]", &body) == CAIRN_OK &&
          cairn_scene_find_body(s, "box[15]", &body) != CAIRN_OK);
    CHECK_NEAR(state_of(s, "box[0]").mass, 1000.0 * 0.4 * 0.4 * 0.3, 1e-9);
    CHECK_NEAR(met(s, (cairn_vec3){2.22, -0.2, 9}, (cairn_vec3){0, 0, -1}).z, 5.0 * 0.3, 1e-12);
    CHECK_NEAR(met(s, (cairn_vec3){2.22, 9, 0.1}, (cairn_vec3){0, -1, 0}).y, -0.2 + 2.0 * 0.45 + 0.2, 1e-12);
    cairn_scene_destroy(s);
    for (int k = 0; k < 2; k++) {
        int unknowns = 0;
        s = load(context, name[k], NULL, 0);
        for (int i = 0; i < 15; i++) {
            char bar[32];
            cairn_flexible_view view;
            snprintf(bar, sizeof bar, "bar[%d]", i);
            CHECK(cairn_scene_find_body(s, bar, &body) == CAIRN_OK);
            CHECK(cairn_world_flexible(cairn_scene_world(s), body, &view) == CAIRN_OK);
            CHECK(view.mesh.nodes == 208 && view.mesh.elements == 450);
            CHECK_NEAR(view.mass, 1000.0 * 1.0 * 0.12 * 0.04, 1e-9);
            unknowns += 3 * view.mesh.vectors;
        }
        CHECK(unknowns == 9360);
        cairn_scene_destroy(s);
    }
    cairn_context_destroy(context);
}

typedef struct stop {
    long calls, at; /* at 0: never */
    bool said;
} stop;

static bool ask(void *user) {
    stop *s = user;
    s->calls++;
    s->said = s->said || (s->at > 0 && s->calls >= s->at);
    return !s->said;
}

typedef struct block {
    char *bytes;
    size_t size;
} block;

static block save(const cairn_world *world) {
    block b = {0};
    CHECK(cairn_world_save(world, NULL, 0, &b.size) == CAIRN_OK);
    b.bytes = malloc(b.size);
    CHECK(cairn_world_save(world, b.bytes, b.size, &b.size) == CAIRN_OK);
    return b;
}

static bool same(block a, block b) {
    return a.size == b.size && memcmp(a.bytes, b.bytes, a.size) == 0;
}

/* Each step is done once in peace and several times stopped: at the first, the last and some other iterations. */
static void stop_steps(cairn_scene *scene, int steps) {
    cairn_world *world = cairn_scene_world(scene);
    stop watch = {0};
    int stops = 0, wrong = 0;
    cairn_world_set_watch(world, ask, &watch);
    for (int i = 0; i < steps; i++) {
        block before = save(world);
        watch = (stop){0};
        CHECK(cairn_scene_step(scene, NULL) == CAIRN_OK);
        block after = save(world);
        long total = watch.calls;
        for (int k = 0; k < 4 && total > 0; k++) {
            CHECK(cairn_world_load_state(world, before.bytes, before.size) == CAIRN_OK);
            watch = (stop){.at = 1 + (total - 1) * k / 3};
            cairn_status status = cairn_scene_step(scene, NULL);
            block now = save(world);
            bool fine = status == CAIRN_ERROR_CANCELLED ? same(now, before) : !watch.said && same(now, after);
            wrong += !fine;
            stops += status == CAIRN_ERROR_CANCELLED;
            free(now.bytes);
        }
        CHECK(cairn_world_load_state(world, after.bytes, after.size) == CAIRN_OK);
        free(before.bytes);
        free(after.bytes);
    }
    cairn_world_set_watch(world, NULL, NULL);
    if (wrong > 0 || stops < 4)
        printf("%d stops, %d wrong\n", stops, wrong);
    CHECK(wrong == 0 && stops >= 4);
}

TEST(stopped_steps_do_not_count) {
    static const cairn_scene_override few[] = {{"size", "60"}};
    static const struct {
        const char *name;
        int steps, sets;
    } at[] = {{"dominoes", 60, 0}, {"robot", 20, 0},    {"gripper", 60, 0},
              {"press", 6, 0},     {"granular", 60, 1}, {"brick", 60, 0}};
    for (size_t i = 0; i < sizeof at / sizeof *at; i++) {
        cairn_context *context = plain_context(1 + (int)i % 2);
        cairn_scene *scene = load(context, at[i].name, few, at[i].sets);
        stop_steps(scene, at[i].steps);
        cairn_scene_destroy(scene);
        cairn_context_destroy(context);
    }
}

int main(void) {
    RUN(gripper);
    RUN(rattleback);
    RUN(robot);
    RUN(cradle);
    RUN(walls_of_the_paper);
    RUN(boxes_and_bars_of_the_paper);
    RUN(stopped_steps_do_not_count);
    return test_end();
}
