/*
 * test_io_doubts.c: scenes that are right in form and may not be what was meant: names that would be replaced, bodies that overlap or fall, degrees for radians, beams of few linear
 * tetrahedra, motors against each other. What is noted, and what is not.
 */
#include "support/support.h"

#include <string.h>

typedef struct heard {
    char text[2000];
    int notes;
} heard;

static void hear(void *user, cairn_log_level level, const char *message) {
    heard *h = user;
    if (level != CAIRN_LOG_WARNING)
        return;
    h->notes++;
    snprintf(h->text + strlen(h->text), sizeof h->text - strlen(h->text), "%s\n", message);
}

static cairn_context *listening(heard *h) {
    cairn_context_def def = cairn_default_context_def();
    cairn_context *context = NULL;
    *h = (heard){.notes = 0};
    def.log = hear;
    def.log_user = h;
    CHECK(cairn_context_create(&def, &context) == CAIRN_OK);
    return context;
}

static cairn_scene *parse(cairn_context *context, const char *text) {
    cairn_scene *scene = NULL;
    if (cairn_scene_parse(context, text, strlen(text), "x.json", NULL, 0, &scene) != CAIRN_OK)
        return NULL;
    return scene;
}

/* The scene is read, and what is noted holds the words; NULL: nothing is noted. */
static void notes(const char *text, const char *words) {
    heard h;
    cairn_context *context = listening(&h);
    cairn_scene *scene = parse(context, text);
    CHECK(scene != NULL);
    if (words != NULL)
        CHECK_CONTAINS(h.text, words);
    else
        CHECK(h.notes == 0);
    if (words == NULL && h.notes > 0)
        printf("%s", h.text);
    cairn_scene_destroy(scene);
    cairn_context_destroy(context);
}

static void refuses(const char *text, const char *words) {
    heard h;
    cairn_context *context = listening(&h);
    cairn_scene *scene = parse(context, text);
    CHECK(scene == NULL);
    CHECK_CONTAINS(cairn_error_message(context), words);
    cairn_scene_destroy(scene);
    cairn_context_destroy(context);
}

#define FLOOR "{\"shape\": {\"plane\": {}}}"

/* i, j, k and n are the indices of repeats: a parameter of that name would be replaced inside one. */
TEST(reserved_names) {
    static const char name[] = "ijknt";
    char text[200], words[80];
    for (int c = 0; name[c] != '\0'; c++) {
        snprintf(text, sizeof text, "{\"parameters\": {\"%c\": 5}}", name[c]);
        snprintf(words, sizeof words, "x.json:1:17: parameters.%c: a parameter cannot be called '%c'", name[c],
                 name[c]);
        refuses(text, words);
    }
    refuses(
        "{\"parameters\": {\"w\": 5}, \"bodies\": [{\"shape\": {\"sphere\": {\"radius\": 1}}, \"repeat\": {\"stack\": "
        "{\"count\": 2, \"spacing\": 3}, \"index\": \"w\"}}]}",
        "there is a parameter 'w'; give the index another name");
    refuses(
        "{\"bodies\": [{\"shape\": {\"sphere\": {\"radius\": 1}}, \"repeat\": {\"stack\": {\"count\": 2, \"spacing\": "
        "3}, \"index\": \"n\"}}]}",
        "'n' is reserved");
    notes("{\"parameters\": {\"m\": 5, \"kk\": 2}, \"bodies\": [" FLOOR "]}", NULL);
}

TEST(doubtful_starts) {
    notes("{\"bodies\": [" FLOOR
          ", {\"name\": \"a\", \"shape\": {\"box\": {\"size\": [1, 1, 1]}}, \"position\": [0, 0, "
          "0.45]}]}",
          "'bodies[0]' and 'a' overlap by 0.05 m at the start");
    notes("{\"bodies\": [" FLOOR
          ", {\"name\": \"a\", \"shape\": {\"box\": {\"size\": [1, 1, 1]}}, \"position\": [0, 0, "
          "0.4], \"repeat\": {\"grid\": {\"counts\": [3, 1, 1], \"spacing\": [2, 0, 0]}}}]}",
          "3 pairs of bodies overlap at the start");
    notes("{\"bodies\": [" FLOOR ", {\"shape\": {\"box\": {\"size\": [1, 1, 1]}}, \"position\": [0, 0, 0.5]}]}", NULL);
    notes("{\"bodies\": [{\"shape\": {\"box\": {\"size\": [1, 1, 1]}}}]}", "nothing is fixed, and gravity acts");
    notes("{\"gravity\": [0, 0, 0], \"bodies\": [{\"shape\": {\"box\": {\"size\": [1, 1, 1]}}}]}", NULL);
    notes("{\"bodies\": [{\"name\": \"a\", \"shape\": {\"box\": {\"size\": [1, 1, 1]}}}], \"joints\": [{\"kind\": "
          "\"revolute\", \"b\": \"a\", \"position\": [0, 0, 1], \"axis\": [1, 0, 0]}]}",
          NULL);
}

TEST(degrees) {
    static const char form[] = "{\"bodies\": [" FLOOR
                               ", {\"shape\": {\"sphere\": {\"radius\": 1}}, \"position\": [0, 0, 1],"
                               "\"rotation\": {\"axis\": [0, 0, 1], \"angle\": %s}}]}";
    char text[400];
    snprintf(text, sizeof text, form, "90");
    notes(text, "bodies[1].rotation.angle: 90 rad is more than a turn");
    snprintf(text, sizeof text, form, "\"=2*pi\"");
    notes(text, NULL);
    notes("{\"bodies\": [" FLOOR ", {\"shape\": {\"sphere\": {\"radius\": 0.1}}, \"position\": [0, 0, 1], \"repeat\": "
          "{\"ring\": {\"count\": 3, \"radius\": 1, \"angle\": 360}}}]}",
          "360 rad is more than a turn");
}

static double tip(const char *mesh) {
    char text[600];
    heard h;
    cairn_context *context = listening(&h);
    snprintf(
        text, sizeof text,
        "{\"step\": 0.1, \"gravity\": [0, 0, -9.81], \"flexible\": [{\"name\": \"beam\", \"mesh\": %s, \"elastic\": "
        "{\"E\": 2e8, \"nu\": 0.3, \"density\": 1000, \"law\": \"linear\"}, \"position\": [0, 0, 1], \"hold\": "
        "[{\"box\": [[-0.5, -1, -1], [-0.5, 1, 1]]}]}]}",
        mesh);
    cairn_scene *scene = parse(context, text);
    double least = 0.0;
    CHECK(scene != NULL);
    for (int i = 0; i < 40 && scene != NULL; i++)
        CHECK(cairn_scene_step(scene, NULL) == CAIRN_OK);
    cairn_body body;
    cairn_flexible_view view;
    if (scene != NULL && cairn_scene_find_body(scene, "beam", &body) == CAIRN_OK &&
        cairn_world_flexible(cairn_scene_world(scene), body, &view) == CAIRN_OK)
        for (int i = 0; i < view.mesh.nodes; i++)
            least = fmin(least, view.x[3 * view.mesh.vector[i] + 2] - view.mesh.node[i].z - 1.0);
    cairn_scene_destroy(scene);
    cairn_context_destroy(context);
    return -least;
}

/* A cantilever of 1 m under its weight: q L^4/(8 E I) = 0.0736 m by Bernoulli. Boxes are bricks unless the scene says otherwise. */
TEST(default_elements_bend) {
    double exact = 1000.0 * 9.81 * 0.0025 / (8.0 * 2e8 * 0.0025 * 0.0025 / 12.0);
    double usual = tip("{\"box\": {\"edge\": [1, 0.05, 0.05], \"cells\": [20, 2, 2]}}");
    double thin = tip("{\"box\": {\"edge\": [1, 0.05, 0.05], \"cells\": [20, 2, 2], \"element\": \"tet4\"}}");
    CHECK_NEAR(usual, exact, 0.05 * exact);
    CHECK(thin < 0.8 * exact);
    static const char form[] = "{\"bodies\": [" FLOOR "], \"flexible\": [{\"position\": [0, 0, 1], \"mesh\": %s}]}";
    char text[400];
    snprintf(text, sizeof text, form,
             "{\"box\": {\"edge\": [1, 0.05, 0.05], \"cells\": [20, 2, 2], \"element\": \"tet4\"}}");
    notes(text, "about 2 linear tetrahedra across a part 20 times as long as thin: it bends too little");
    snprintf(text, sizeof text, form, "{\"box\": {\"edge\": [1, 0.05, 0.05], \"cells\": [20, 2, 2]}}");
    notes(text, NULL);
    snprintf(text, sizeof text, form,
             "{\"box\": {\"edge\": [0.1, 0.05, 0.05], \"cells\": [4, 2, 2], \"element\": \"tet4\"}}");
    notes(text, NULL);
    snprintf(text, sizeof text, form, "{\"cylinder\": {\"radius\": 0.1, \"height\": 1, \"cells\": 2, \"along\": 8}}");
    notes(text, NULL);
    snprintf(text, sizeof text, form, "{\"sphere\": {\"radius\": 0.1, \"cells\": 2}}");
    notes(text, NULL);
}

/* Parts that flow keep the element that can. */
TEST(yielding_parts_are_tetrahedra) {
    notes("{\"bodies\": [" FLOOR
          "], \"flexible\": [{\"position\": [0, 0, 1], \"mesh\": {\"box\": {\"edge\": [1, 1, 1], "
          "\"cells\": [2, 2, 2]}}, \"elastic\": {\"yield\": 1e5}}]}",
          NULL);
}

/* A hinge has one coordinate: nothing else need be said to drive it. */
TEST(coordinates_by_kind) {
    heard h;
    cairn_context *context = listening(&h);
    cairn_scene *s = parse(
        context,
        "{\"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": [1, 1, 1]},"
        "{\"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, 1]}], \"joints\": ["
        "{\"name\": \"h\", \"kind\": \"revolute\", \"b\": \"a\", \"motor\": {\"speed\": 1, \"limit\": 1e6}},"
        "{\"name\": \"s\", \"kind\": \"prismatic\", \"b\": \"b\", \"motor\": {\"speed\": 2, \"limit\": 1e6}}]}");
    CHECK(s != NULL);
    for (int i = 0; i < 100 && s != NULL; i++)
        CHECK(cairn_scene_step(s, NULL) == CAIRN_OK);
    for (int i = 0; i < 2 && s != NULL; i++) {
        cairn_joint joint;
        cairn_joint_state state = {0};
        CHECK(cairn_scene_find_joint(s, i == 0 ? "h" : "s", &joint) == CAIRN_OK);
        CHECK(cairn_world_joint(cairn_scene_world(s), joint, &state) == CAIRN_OK);
        CHECK_NEAR(state.coordinate, i + 1.0, 1e-4);
    }
    cairn_scene_destroy(s);
    cairn_context_destroy(context);
    refuses("{\"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": [1, 1, 1]}], \"joints\": [{\"kind\": "
            "\"cylindrical\", "
            "\"b\": \"a\", \"motor\": {\"speed\": 1, \"limit\": 1}}]}",
            "no coordinate to act on");
}

/* Two motors on one shaft that want different speeds: the faster one pulls at its limit, the slower one holds back. */
TEST(motors_against_each_other) {
    heard h;
    cairn_context *context = listening(&h);
    static const char form[] =
        "{\"gravity\": [0, 0, 0], \"bodies\": [{\"name\": \"a\", \"mass\": 1, \"inertia\": [1, 1, 1]}], \"joints\": ["
        "{\"name\": \"fast\", \"kind\": \"revolute\", \"b\": \"a\", \"motor\": {\"speed\": %s, \"limit\": 10}},"
        "{\"name\": \"slow\", \"kind\": \"revolute\", \"b\": \"a\", \"motor\": {\"speed\": 1, \"limit\": 10}}]}";
    for (int same = 0; same < 2; same++) {
        char text[600];
        snprintf(text, sizeof text, form, same ? "1" : "2");
        cairn_scene *s = parse(context, text);
        cairn_step_report report = {0};
        cairn_joint fast;
        CHECK(s != NULL);
        for (int i = 0; i < 50 && s != NULL; i++)
            CHECK(cairn_scene_step(s, &report) == CAIRN_OK);
        CHECK(s != NULL && cairn_scene_find_joint(s, "fast", &fast) == CAIRN_OK);
        CHECK(report.opposed[0].slot == (same ? 0 : fast.slot));
        CHECK((report.opposed[1].slot != 0) == !same);
        cairn_scene_destroy(s);
    }
    cairn_context_destroy(context);
}

/* Damping and flow have entries of their own: what is left over is the error of the step, and falls with it. */
TEST(energy_closes) {
    double left[2];
    for (int t = 0; t < 2; t++) {
        heard h;
        cairn_context *context = listening(&h);
        char text[500];
        snprintf(
            text, sizeof text,
            "{\"step\": %g, \"gravity\": [0, 0, 0], \"bodies\": [" FLOOR
            "], \"flexible\": [{\"name\": \"b\", \"position\": [0, 0, 2], \"mesh\": {\"box\": {\"edge\": [1, 0.2, "
            "0.2], "
            "\"cells\": [4, 1, 1]}}, \"elastic\": {\"E\": 1e5, \"density\": 100, \"damping\": 0.02, \"damping_mass\": "
            "0.5}, \"hold\": [{\"box\": [[-0.5, -1, -1], [-0.5, 1, 1]]}]}]}",
            t == 0 ? 0.001 : 0.0005);
        cairn_scene *s = parse(context, text);
        cairn_body body;
        CHECK(s != NULL && cairn_scene_find_body(s, "b", &body) == CAIRN_OK);
        CHECK(cairn_world_set_velocity(cairn_scene_world(s), body, cairn_vec3_of(0, 0, 1), cairn_vec3_of(0, 0, 0)) ==
              CAIRN_OK);
        cairn_energy start = cairn_world_energy(cairn_scene_world(s)), sum = {0};
        cairn_step_report report = {0};
        for (int i = 0; i < 200 << t; i++) {
            CHECK(cairn_scene_step(s, &report) == CAIRN_OK);
            cairn_energy_add(&sum, &report.energy);
        }
        double before = start.kinetic + start.elastic, now = report.energy.kinetic + report.energy.elastic;
        CHECK(sum.damping > 0.2 * before);
        left[t] = fabs(now - before + sum.damping - sum.joints - sum.loads) / before;
        cairn_scene_destroy(s);
        cairn_context_destroy(context);
    }
    CHECK(left[0] < 0.1);
    CHECK(left[1] < 0.65 * left[0]);
    printf("left over %.3g, %.3g of the energy\n", left[0], left[1]);
}

int main(void) {
    RUN(reserved_names);
    RUN(doubtful_starts);
    RUN(degrees);
    RUN(default_elements_bend);
    RUN(yielding_parts_are_tetrahedra);
    RUN(coordinates_by_kind);
    RUN(motors_against_each_other);
    RUN(energy_closes);
    return test_end();
}
