/*
 * test_io_scene.c: worlds from scene files: every part of the format against what it must build, and the messages of wrong scenes.
 */
#include "io/scene/scene_data.h"
#include "support/support.h"

#include <unistd.h>

static cairn_scene *load_with(cairn_context *context, const char *text, const cairn_scene_override *set, int count) {
    cairn_scene *scene = NULL;
    if (cairn_scene_parse(context, text, strlen(text), "x.json", set, count, &scene) != CAIRN_OK)
        printf("%s\n", cairn_error_message(context));
    CHECK(scene != NULL);
    return scene;
}

static cairn_scene *load(cairn_context *context, const char *text) {
    return load_with(context, text, NULL, 0);
}

static cairn_body_state state_of(const cairn_scene *scene, const char *name) {
    cairn_body body = {0, 0};
    cairn_body_state state = {0};
    CHECK(cairn_scene_find_body(scene, name, &body) == CAIRN_OK);
    CHECK(cairn_world_body(cairn_scene_world(scene), body, &state) == CAIRN_OK);
    return state;
}

static void check_vec(cairn_vec3 a, double x, double y, double z) {
    CHECK_NEAR(a.x, x, 1e-12);
    CHECK_NEAR(a.y, y, 1e-12);
    CHECK_NEAR(a.z, z, 1e-12);
}

TEST(settings_and_bodies) {
    cairn_context *context = plain_context(1);
    cairn_scene *s = load(
        context, "{\"title\": \"T\", \"gravity\": [0, 0, -1], \"step\": 0.02, \"until\": 3, \"law\": \"associated\", "
                 "\"tolerance\": 1e-7,"
                 " \"parameters\": {\"b\": \"=2*a\", \"a\": 3},"
                 " \"shapes\": {\"cube\": {\"box\": {\"size\": [1, 2, \"=a\"]}}},"
                 " \"bodies\": [{\"name\": \"one\", \"shape\": \"cube\", \"density\": \"=b\", \"position\": [1, 2, 3],"
                 "   \"rotation\": {\"axis\": [0, 0, 2], \"angle\": \"=pi/2\"}, \"velocity\": [4, 5, 6], "
                 "\"angular_velocity\": [7, 8, 9]},"
                 "  {\"shape\": {\"sphere\": {\"radius\": 2}}, \"mass\": 5},"
                 "  {\"name\": \"point\", \"mass\": 2, \"inertia\": [1, 2, 3], \"center\": [0, 0, 1]},"
                 "  {\"shape\": {\"plane\": {}}}]}");
    cairn_scene_info info = cairn_scene_get(s);
    CHECK(strcmp(info.title, "T") == 0 && info.comment[0] == '\0' && info.until == 3.0 && info.step == 0.02);
    CHECK(info.law == CAIRN_LAW_ASSOCIATED && info.tolerance == 1e-7 && info.bodies == 4 && info.parameters == 2);
    cairn_body_state one = state_of(s, "one");
    CHECK_NEAR(one.mass, 36.0, 1e-12);
    check_vec(one.center, 1, 2, 3);
    check_vec(one.velocity, 4, 5, 6);
    check_vec(one.angular_velocity, 7, 8, 9);
    check_vec(cairn_quat_rotate(one.pose.rotation, cairn_vec3_of(1, 0, 0)), 0, 1, 0);
    CHECK_NEAR(state_of(s, "bodies[1]").mass, 5.0, 1e-12);
    check_vec(state_of(s, "point").center, 0, 0, 1);
    CHECK(!isfinite(state_of(s, "bodies[3]").mass));
    cairn_body body;
    CHECK(cairn_scene_find_body(s, "onr", &body) == CAIRN_ERROR_ARGUMENT);
    CHECK_CONTAINS(cairn_error_message(context), "did you mean 'one'?");
    const char *name = NULL;
    double value = 0.0;
    CHECK(cairn_scene_parameter(s, 1, &name, &value) == CAIRN_OK && strcmp(name, "b") == 0 && value == 6.0);
    CHECK(cairn_scene_parameter(s, 2, &name, &value) == CAIRN_ERROR_ARGUMENT);
    CHECK(cairn_scene_step(s, NULL) == CAIRN_OK);
    cairn_scene_destroy(s);
    cairn_context_destroy(context);
}

TEST(repeats) {
    cairn_context *context = plain_context(1);
    cairn_scene *s = load(
        context, "{\"shapes\": {\"s\": {\"sphere\": {\"radius\": 0.1}}}, \"bodies\": ["
                 "{\"name\": \"g\", \"shape\": \"s\", \"position\": [\"=0.5*(k % 2)\", 0, 1], \"when\": \"=i + j > 0\","
                 " \"repeat\": {\"grid\": {\"counts\": [2, 3, 2], \"spacing\": [1, 2, 3]}}},"
                 "{\"name\": \"r\", \"shape\": \"s\", \"repeat\": {\"ring\": {\"count\": 4, \"radius\": 2}}},"
                 "{\"name\": \"n{w}-{i}\", \"shape\": \"s\", \"position\": [0, 0, \"=100*w + n\"],"
                 " \"repeat\": [{\"stack\": {\"count\": 2, \"spacing\": 10}, \"index\": \"w\"}, {\"stack\": "
                 "{\"count\": 3, \"spacing\": 1}}]},"
                 "{\"name\": \"q\", \"shape\": \"s\", \"repeat\": {\"random\": {\"count\": 50, \"box\": [[0, 0, 5], "
                 "[1, 2, 6]], \"seed\": 7, "
                 "\"rotate\": true}}}]}");
    CHECK(cairn_scene_get(s).bodies == 10 + 4 + 6 + 50);
    check_vec(state_of(s, "g[1]").center, 1, 0, 1);
    check_vec(state_of(s, "g[11]").center, 1.5, 4, 4);
    check_vec(state_of(s, "r[1]").center, 0, 2, 0);
    check_vec(cairn_quat_rotate(state_of(s, "r[1]").pose.rotation, cairn_vec3_of(1, 0, 0)), 0, 1, 0);
    check_vec(state_of(s, "n1-2").center, 0, 0, 10 + 2 + 100 + 3);
    for (int i = 0; i < 50; i++) {
        char name[16];
        snprintf(name, sizeof name, "q[%d]", i);
        cairn_vec3 x = state_of(s, name).center;
        CHECK(x.x >= 0 && x.x < 1 && x.y >= 0 && x.y < 2 && x.z >= 5 && x.z < 6);
    }
    cairn_scene_destroy(s);
    cairn_context_destroy(context);
}

TEST(overrides) {
    static const char text[] =
        "{\"parameters\": {\"a\": 1, \"b\": \"=a + 1\"}, \"bodies\": [{\"name\": \"x\", \"mass\": \"=b\", \"inertia\": "
        "[1, 1, 1], \"position\": [0, 0, 0]}]}";
    static const cairn_scene_override set[] = {
        {"a", "2*3"},      {"bodies[0].position[2]", "=b"}, {"step", "0.5"},
        {"method", "nsn"}, {"options.max_iterations", "7"}, {"bodies[0].density", "3"},
        {"a", "=10"}};
    cairn_context *context = plain_context(1);
    cairn_scene *s = load_with(context, text, set, 5);
    CHECK(state_of(s, "x").mass == 7.0 && state_of(s, "x").center.z == 7.0);
    CHECK(cairn_scene_get(s).step == 0.5 && strcmp(cairn_scene_get(s).method, "nsn") == 0);
    CHECK(s->def.solver.max_iterations == 7);
    cairn_scene_destroy(s);
    s = NULL;
    CHECK(cairn_scene_parse(context, text, strlen(text), "x", set + 5, 1, &s) == CAIRN_ERROR_PARSE);
    CHECK_CONTAINS(cairn_error_message(context), "overridden: bodies[0].density: \"mass\" and \"density\"");
    s = load_with(context, text, set + 6, 1);
    CHECK(state_of(s, "x").mass == 11.0);
    cairn_scene_destroy(s);
    static const cairn_scene_override top[] = {/* values that the scene leaves out */
                                               {"substeps", "3"},           {"rolling", "true"},
                                               {"joint_tolerance", "1e-7"}, {"newton", "4"},
                                               {"force_tolerance", "0.5"},  {"velocity_tolerance", "1e-3"},
                                               {"depth_tolerance", "1e-4"}, {"gap_share", "0.25"}};
    s = load_with(context, text, top, 8);
    CHECK(s->def.gap_share == 0.25);
    CHECK(s->def.substeps == 3 && s->def.rolling && s->def.tolerance_joint == 1e-7 && s->def.newton == 4);
    CHECK(s->def.tolerance_force == 0.5 && s->def.tolerance_velocity == 1e-3 && s->def.tolerance_depth == 1e-4);
    cairn_scene_destroy(s);
    static const struct {
        cairn_scene_override set;
        const char *message;
    } bad[] = {{{"c", "1"}, "--set c=1: the scene has no parameter 'c'"},
               {{"untill", "1"}, "did you mean 'until'?"},
               {{"bodies[3].mass", "1"}, "there is no item 3; the list has 1"},
               {{"bodies[x]", "1"}, "expected a number in brackets"},
               {{"bodies", "1"}, "--set bodies=1: this place holds a list or an object"},
               {{"bodies[0].position", "1"}, "holds a list or an object"},
               {{"bodies[0].positon.x", "1"}, "there is no 'positon' at this place; did you mean 'position'?"},
               {{"bodies[0].name.x.y", "1"}, "there is no such place"},
               {{"bodies[0].masss", "1"}, "unknown key 'masss'; did you mean 'mass'?"},
               {{"step", "-1"}, "x.json, overridden: step: expected a positive number, found -1"},
               {{"a", "1/"}, "in the expression '1/'"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(cairn_scene_parse(context, text, strlen(text), "x.json", &bad[i].set, 1, &s) == CAIRN_ERROR_PARSE);
        CHECK_CONTAINS(cairn_error_message(context), bad[i].message);
    }
    cairn_context_destroy(context);
}

/* A pendulum by a joint, a motion by keyframes and by formula, forces and kinematic velocities that depend on t. */
TEST(joints_motions_loads) {
    cairn_context *context = plain_context(1);
    cairn_scene *s = load(
        context,
        "{\"gravity\": [0, 0, 0], \"step\": 0.01, \"tolerance\": 1e-10, \"bodies\": ["
        "{\"name\": \"a\", \"mass\": 1, \"inertia\": [1, 1, 1]},"
        "{\"name\": \"b\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [5, 0, 0]},"
        "{\"name\": \"c\", \"mass\": 2, \"inertia\": [1, 1, 1], \"position\": [9, 0, 0], \"force\": [\"=4*t\", 0, 0]},"
        "{\"name\": \"k\", \"kind\": \"kinematic\", \"shape\": {\"sphere\": {\"radius\": 1}}, \"position\": [20, 0, 0],"
        " \"velocity\": [0, \"=2*t\", 0]}],"
        "\"joints\": [{\"name\": \"ja\", \"kind\": \"prismatic\", \"b\": \"a\", \"axis\": [1, 0, 0], \"coordinate\": "
        "\"slide\","
        " \"motion\": [[0, 0], [1, 2], [2, 3]]},"
        "{\"name\": \"jb\", \"kind\": \"revolute\", \"b\": \"b\", \"position\": [5, 0, 0], \"coordinate\": \"turn\", "
        "\"motion\": \"=sin(t)\"}]}");
    for (int i = 0; i < 100; i++) {
        cairn_step_report report;
        CHECK(cairn_scene_step(s, &report) == CAIRN_OK && report.certified);
    }
    CHECK_NEAR(state_of(s, "a").center.x, 2.0, 1e-6);
    cairn_joint joint;
    cairn_joint_state state;
    CHECK(cairn_scene_find_joint(s, "jb", &joint) == CAIRN_OK);
    CHECK(cairn_world_joint(cairn_scene_world(s), joint, &state) == CAIRN_OK);
    CHECK_NEAR(state.coordinate, sin(1.0), 1e-4);
    CHECK_NEAR(state_of(s, "c").velocity.x, 1.0, 0.02);
    CHECK_NEAR(state_of(s, "k").center.y, 1.0, 1e-9);
    cairn_scene_destroy(s);
    cairn_context_destroy(context);
}

/* A wheel rolls around a wheel of twice its size that does not turn: against the arm it turns twice as far as the arm does. */
TEST(gears_on_a_carrier) {
    cairn_context *context = plain_context(1);
    cairn_scene *s = load(
        context,
        "{\"step\": 0.01, \"tolerance\": 1e-10, \"bodies\": [{\"name\": \"sun\", \"kind\": \"fixed\"},"
        "{\"name\": \"arm\", \"mass\": 1, \"inertia\": [1, 1, 1]},"
        "{\"name\": \"wheel\", \"mass\": 1, \"inertia\": [1, 1, 1], \"position\": [3, 0, 0]}],"
        "\"joints\": [{\"kind\": \"revolute\", \"b\": \"arm\", \"coordinate\": \"turn\", \"motion\": \"=3*t\"},"
        "{\"name\": \"axle\", \"kind\": \"revolute\", \"a\": \"arm\", \"b\": \"wheel\", \"position\": [3, 0, 0], "
        "\"coordinate\": \"turn\"},"
        "{\"kind\": \"gear\", \"a\": \"sun\", \"b\": \"wheel\", \"carrier\": \"arm\", \"ratio\": 0.5, "
        "\"frame_b\": {\"position\": [3, 0, 0]}}]}");
    for (int i = 0; i < 100; i++) {
        cairn_step_report report;
        CHECK(cairn_scene_step(s, &report) == CAIRN_OK && report.certified);
    }
    cairn_joint joint;
    cairn_joint_state state;
    CHECK(cairn_scene_find_joint(s, "axle", &joint) == CAIRN_OK);
    CHECK(cairn_world_joint(cairn_scene_world(s), joint, &state) == CAIRN_OK);
    CHECK_NEAR(state.coordinate, 6.0, 1e-5);
    cairn_scene_destroy(s);
    cairn_context_destroy(context);
}

TEST(keyframes_are_smooth) {
    double time[] = {0, 1, 3, 4}, value[] = {0, 2, 2.5, 1}, slope[4] = {0};
    cairn_motion m = {.keys = 4, .time = time, .value = value, .slope = slope};
    slope[1] = 0.4;
    for (int i = 0; i < 4; i++)
        CHECK_NEAR(cairn_motion_at(&m, time[i]), value[i], 1e-15);
    CHECK(cairn_motion_at(&m, -1.0) == 0.0 && cairn_motion_at(&m, 9.0) == 1.0);
    for (int i = 0; i < 4; i++) { /* the derivative has no jump */
        double e = 1e-6, left = (cairn_motion_at(&m, time[i]) - cairn_motion_at(&m, time[i] - e)) / e;
        double right = (cairn_motion_at(&m, time[i] + e) - cairn_motion_at(&m, time[i])) / e;
        CHECK_NEAR(left, right, 1e-4);
    }
}

static void write_text(const char *path, const char *text) {
    FILE *out = fopen(path, "w");
    CHECK(out != NULL);
    if (out != NULL) {
        fputs(text, out);
        fclose(out);
    }
}

TEST(includes) {
    cairn_context *context = plain_context(1);
    write_text(
        "scene_inner.json",
        "{\"step\": 0.5, \"until\": 9, \"parameters\": {\"r\": 1, \"twice\": \"=2*r\"}, \"materials\": {\"m\": {}},"
        "\"pairs\": [{\"materials\": [\"m\", \"default\"], \"friction\": 0.1}],"
        "\"bodies\": [{\"name\": \"in\", \"shape\": {\"sphere\": {\"radius\": \"=twice\"}}, \"mass\": 1},"
        "{\"shape\": {\"plane\": {}}, \"material\": \"m\", \"position\": [0, 0, -6]}]}");
    write_text("scene_outer.json",
               "{\"include\": [\"scene_inner.json\"], \"step\": 0.25, \"parameters\": {\"r\": 3},"
               "\"pairs\": [{\"materials\": [\"default\", \"m\"], \"friction\": 0.9}],"
               "\"bodies\": [{\"name\": \"out\", \"mass\": \"=twice\", \"inertia\": [1, 1, 1], \"material\": \"m\"}]}");
    write_text("scene_loop.json", "{\"include\": [\"scene_loop.json\"]}");
    write_text("scene_none.json", "{\"include\": [\"scene_not_there.json\"]}");
    cairn_scene *s = NULL;
    CHECK(cairn_scene_load(context, "scene_outer.json", NULL, 0, &s) == CAIRN_OK);
    if (s != NULL) {
        CHECK(cairn_scene_get(s).step == 0.25 && cairn_scene_get(s).until == 9.0 && cairn_scene_get(s).bodies == 3);
        cairn_world_contact contact = {.mu = 0.0}; /* the outer file's rule for the pair */
        CHECK(cairn_scene_step(s, NULL) == CAIRN_OK);
        CHECK(cairn_world_contact_get(cairn_scene_world(s), 0, &contact) == CAIRN_OK && contact.mu == 0.9);
        CHECK(state_of(s, "out").mass == 6.0);
        cairn_scene_destroy(s);
    }
    CHECK(cairn_scene_load(context, "scene_loop.json", NULL, 0, &s) == CAIRN_ERROR_PARSE);
    CHECK_CONTAINS(cairn_error_message(context), "include each other without end");
    CHECK(cairn_scene_load(context, "scene_none.json", NULL, 0, &s) == CAIRN_ERROR_IO);
    CHECK_CONTAINS(cairn_error_message(context),
                   "scene_none.json:1:14: include[0]: scene_not_there.json: cannot be opened");
    CHECK(cairn_scene_load(context, "no-such.json", NULL, 0, &s) == CAIRN_ERROR_IO);
    unlink("scene_inner.json");
    unlink("scene_outer.json");
    unlink("scene_loop.json");
    unlink("scene_none.json");
    cairn_context_destroy(context);
}

typedef struct wrong {
    const char *text, *message;
} wrong;

#define BODY(x)  "{\"bodies\": [{" x "}]}"
#define POINT    "\"mass\": 1, \"inertia\": [1, 1, 1]"
#define JOINT(x) "{\"bodies\": [{\"name\": \"a\", " POINT "}, {\"name\": \"bee\", " POINT "}], \"joints\": [{" x "}]}"

/* Surfaces from files: a mesh to stand on, pieces that move, mass from a closed mesh. */
TEST(surfaces) {
    static const char cube[] = "v -1 -1 -1\nv 1 -1 -1\nv 1 1 -1\nv -1 1 -1\nv -1 -1 1\nv 1 -1 1\nv 1 1 1\nv -1 1 1\n"
                               "f 4 3 2 1\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\nf 5 6 7 8\n";
    static const char two[] = "o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 3 1 4\n"
                              "o two\nv 5 0 0\nv 6 0 0\nv 5 1 0\nv 5 0 1\nf 5 7 6\nf 5 6 8\nf 6 7 8\nf 7 5 8\n";
    static const char text[] =
        "{\"bodies\": [{\"name\": \"floor\", \"shape\": {\"mesh\": {\"file\": \"scene_cube.obj\", \"scale\": 10}}},"
        "{\"name\": \"lift\", \"kind\": \"kinematic\", \"shape\": {\"mesh\": {\"file\": \"scene_cube.obj\"}}, "
        "\"position\": [30, 0, 0]},"
        "{\"name\": \"hull\", \"shape\": {\"hull\": {\"file\": \"scene_cube.obj\", \"scale\": 0.5}}, \"density\": 8, "
        "\"position\": [0, 0, 10.5]},"
        "{\"name\": \"pieces\", \"shape\": {\"pieces\": {\"file\": \"scene_two.obj\"}}, \"density\": 6, \"position\": "
        "[3, 0, 20]},"
        "{\"name\": \"other\", \"shape\": {\"pieces\": {\"file\": \"scene_two.obj\"}}, \"density\": 1,"
        " \"mass_shape\": {\"mesh\": {\"file\": \"scene_cube.obj\"}}, \"position\": [3, 9, 30]}]}";
    static const wrong bad[] = {
        {BODY("\"shape\": {\"mesh\": {\"file\": \"scene_picture.obj\"}}"),
         "x.json:1:41: bodies[0].shape.mesh.file: scene_picture.obj: this is a PNG picture; expected a surface of "
         "triangles"},
        {BODY("\"shape\": {\"hull\": {\"file\": \"scene_none.stl\"}}"),
         "bodies[0].shape.hull.file: scene_none.stl: cannot be opened"},
        {BODY("\"shape\": {\"hull\": {}}"), "bodies[0].shape.hull: expected \"points\" or \"file\""},
        {BODY("\"shape\": {\"hull\": {\"file\": \"a\", \"points\": []}}"), "\"file\" is given as well: one is enough"},
        {BODY("\"shape\": {\"hull\": {\"points\": [], \"scale\": 2}}"),
         "\"scale\" belongs to a \"file\"; there is none"},
        {BODY("\"shape\": {\"mesh\": {\"file\": \"scene_cube.obj\", \"scale\": -1}}"),
         "mesh.scale: expected a positive number, found -1"},
        {BODY("\"shape\": {\"mesh\": {\"file\": \"scene_cube.obj\"}}, \"kind\": \"dynamic\""),
         "bodies[0].kind: a mesh can only be fixed or kinematic; a dynamic body needs convex pieces: \"pieces\""},
        {BODY("\"shape\": {\"sphere\": {\"radius\": 1}}, \"mass_shape\": {\"mesh\": {\"points\": "
              "[[0,0,0],[1,0,0],[0,1,0]], \"triangles\": [[0,1,2]]}}"),
         "bodies[0]: mesh: the surface is not closed, so it has no mass"},
        {BODY("\"shape\": {\"mesh\": {\"points\": [[0,0,0],[1,0,0],[0,1,0]], \"triangles\": [[0,1,3]]}}"),
         "bodies[0].shape.mesh.triangles[0][2]: expected a whole number from 0 to 2, found 3"}};
    write_text("scene_cube.obj", cube);
    write_text("scene_two.obj", two);
    write_text("scene_picture.obj", "\x89PNG\r\n\x1a\n");
    cairn_context *context = plain_context(1);
    cairn_scene *s = load(context, text), *none = NULL;
    CHECK_NEAR(state_of(s, "hull").mass, 8.0, 1e-9);
    CHECK_NEAR(state_of(s, "pieces").mass, 2.0, 1e-9);
    CHECK_NEAR(state_of(s, "pieces").center.x, 3.0 + 2.75, 1e-9);
    CHECK_NEAR(state_of(s, "other").mass, 8.0, 1e-9);
    for (int i = 0; i < 10; i++)
        CHECK(cairn_scene_step(s, NULL) == CAIRN_OK);
    CHECK_NEAR(state_of(s, "hull").center.z, 10.5, 1e-6);
    cairn_scene_destroy(s);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        CHECK(cairn_scene_parse(context, bad[i].text, strlen(bad[i].text), "x.json", NULL, 0, &none) != CAIRN_OK);
        CHECK_CONTAINS(cairn_error_message(context), bad[i].message);
        CHECK_CONTAINS(cairn_error_message(context), "x.json:");
    }
    unlink("scene_cube.obj");
    unlink("scene_two.obj");
    unlink("scene_picture.obj");
    cairn_context_destroy(context);
}

/* Formulas that fail while it runs are told with their place; the world stays as it was. */
TEST(formulas_without_a_value) {
    static const wrong cases[] = {
        {JOINT("\"kind\": \"prismatic\", \"a\": \"a\", \"coordinate\": \"slide\", \"motion\": "
               "\"=sqrt(0.025-t)-sqrt(0.025)\""),
         "joints[0].motion: 'sqrt(0.025-t)-sqrt(0.025)' is not finite at t = 0.03 s"},
        {BODY("\"force\": [0, 0, \"=log(0.025-t)\"], " POINT),
         "bodies[0].force[2]: 'log(0.025-t)' is not finite at t = 0.03 s"},
    };
    cairn_context *context = plain_context(1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cairn_scene *s = load(context, cases[i].text);
        CHECK(cairn_scene_step(s, NULL) == CAIRN_OK && cairn_scene_step(s, NULL) == CAIRN_OK);
        CHECK(cairn_scene_step(s, NULL) == CAIRN_ERROR_ARGUMENT && cairn_world_steps(cairn_scene_world(s)) == 2);
        CHECK_CONTAINS(cairn_error_message(context), "x.json:1:");
        CHECK_CONTAINS(cairn_error_message(context), cases[i].message);
        cairn_scene_destroy(s);
    }
    cairn_context_destroy(context);
}

TEST(wrong_scenes) {
    static const wrong cases[] = {
        {"{\"step\": 0.1 \"until\": 2}", "x.json:1:14: expected ',' or '}' after a value"},
        {"[]", "x.json:1:1: expected an object with the keys"},
        {"{\"bodys\": []}", "x.json:1:2: bodys: unknown key 'bodys'; did you mean 'bodies'?"},
        {"{\"zzzzzzzz\": []}", "unknown key 'zzzzzzzz'; known here: $schema, title"},
        {"{\n \"step\": \"fast\"}",
         "x.json:2:10: step: expected a number or an expression such as \"=2*pi\", found the text 'fast'"},
        {"{\"step\": 0}", "step: expected a positive number, found 0"},
        {"{\"law\": \"colomb\"}",
         "law: expected one of \"coulomb\", \"associated\"; found the text 'colomb'; did you mean \"coulomb\"?"},
        {"{\"method\": \"nsm\"}", "did you mean \"nsn\"?"},
        {"{\"options\": {\"rhoo\": 1}}", "options.rhoo: auto has no setting 'rhoo'"},
        {"{\"options\": {\"rhoo\": 1}}", "did you mean 'rho'?"},
        {"{\"tolerance\": 2}", "x.json:1:15: tolerance: expected a number above 0 and below 1, found 2"},
        {"{\"materials\": {\"m\": {}}, \"pairs\": [{\"materials\": [\"m\", \"default\"]},\n{\"materials\": "
         "[\"default\", "
         "\"m\"]}]}",
         "x.json:2:1: pairs[1]: line 1 already has a rule for these two materials"},
        {BODY("\"repeat\": [], " POINT),
         "repeat: expected a list of 1 to 8 repeats inside each other, found a list of 0"},
        {BODY("\"name\": \"brick {i\", " POINT), "bodies[0].name: '{' begins an expression"},
        {JOINT("\"kind\": \"distance\", \"a\": \"a\""), "joints[0]: joint: the distance to keep is 0"},
        {JOINT("\"kind\": \"revolute\", \"a\": \"a\", \"coordinate\": \"turn\", \"limits\": [1, 0]"),
         "joints[0].limits: expected [low, high] with low not above high, found 1 and 0"},
        {"{\"gravity\": [0, 0]}", "gravity: expected a list of three numbers [x, y, z], found a list of 2"},
        {"{\"gravity\": [0, 0, \"=1/0\"]}", "gravity[2]: in the expression '1/0': division by 0"},
        {"{\"parameters\": {\"a\": \"=b\", \"b\": \"=a\"}}",
         "x.json:1:22: parameters.a: the parameter 'a' needs 'b', which in the end needs 'a' again"},
        {"{\"parameters\": {\"a\": \"=b\", \"b\": \"=1+c/2\", \"c\": \"=b\"}}",
         "parameters.b: the parameter 'b' needs 'c'"},
        {"{\"parameters\": {\"a\": \"=a\"}}", "parameters.a: the parameter 'a' needs its own value"},
        {"{\"parameters\": {\"a\": \"=b\", \"b\": \"=ab\"}}",
         "parameters.b: in the expression 'ab': unknown name 'ab'"},
        {"{\"parameters\": {\"pi\": 3}}", "parameters.pi: a parameter needs a name"},
        {"{\"parameters\": {\"a\": \"x\"}}", "parameters.a: expected a number or an expression"},
        {"{\"materials\": {\"m\": {\"friction\": -1}}}",
         "materials.m.friction: expected a number that is 0 or more, found -1"},
        {"{\"materials\": {\"m\": {\"restitution\": 2}}}",
         "materials.m.restitution: expected a number from 0 to 1, found 2"},
        {"{\"materials\": {\"m\": {\"cap\": -1}}}", "materials.m.cap: expected a number that is 0 or more, found -1"},
        {"{\"materials\": {\"m\": {\"cap\": 4, \"adhesion\": 2}}}",
         "materials.m: material: adhesion is 2 N and cap 4 N; a contact has one of the two"},
        {"{\"pairs\": [{\"materials\": [\"a\", \"b\"]}]}", "pairs[0].materials[0]: the scene has no material 'a'"},
        {"{\"shapes\": {\"s\": {\"spere\": {\"radius\": 1}}}}", "unknown key 'spere'; did you mean 'sphere'?"},
        {"{\"shapes\": {\"s\": {\"sphere\": {}}}}", "shapes.s.sphere: \"radius\" is missing"},
        {"{\"shapes\": {\"s\": {\"box\": {\"size\": [1, 0, 1]}}}}",
         "shapes.s.box.size[1]: expected a positive number, found 0"},
        {"{\"shapes\": {\"s\": {}}}", "expected exactly one shape"},
        {"{\"shapes\": {\"s\": {\"hull\": {\"points\": [[0,0,0],[1,0,0],[0,1,0],[1,1,0]]}}}}", "shapes.s.hull: "},
        {"{\"shapes\": {\"s\": {\"compound\": {\"children\": [{\"shape\": \"s\"}]}}}}",
         "the shape 's' contains itself"},
        {BODY("\"shape\": \"bal\""), "bodies[0].shape: the scene has no shape 'bal'"},
        {BODY("\"shape\": {\"sphere\": {\"radius\": 1}}, \"mass\": -2"),
         "x.json:1:58: bodies[0].mass: expected a positive number, found -2"},
        {BODY("\"shape\": {\"sphere\": {\"radius\": 1}}, \"mass\": 1, \"density\": 1"), "one is enough"},
        {BODY("\"mass\": 1"), "bodies[0]: a body without a shape needs \"mass\" and \"inertia\""},
        {BODY("\"mass\": 1, \"inertia\": [[1, 0, 0], [0, -1, 0], [0, 0, 1]]"),
         "bodies[0]: body: the inertia is not positive definite"},
        {BODY("\"mass\": 1, \"inertia\": [[1, 1, 0], [0, 1, 0], [0, 0, 1]]"), "the inertia is not symmetric"},
        {BODY("\"kind\": \"static\", " POINT),
         "expected one of \"dynamic\", \"fixed\", \"kinematic\"; found the text 'static'"},
        {BODY("\"kind\": \"dynamic\", \"shape\": {\"plane\": {}}"), "bodies[0]: "},
        {BODY("\"mass\": 1, \"shape\": {\"plane\": {}}"), "a plane has no mass"},
        {BODY("\"density\": 1, \"shape\": {\"mesh\": {\"points\": [[0, 0, 0], [1, 0, 0], [0, 1, 0]], \"triangles\": "
              "[[0, 1, "
              "2]]}}"),
         "bodies[0]: a mesh can only be fixed or kinematic"},
        {BODY("\"positon\": [0, 0, 0], " POINT), "bodies[0].positon: unknown key 'positon'; did you mean 'position'?"},
        {BODY("\"rotation\": [1, 1, 0, 0], " POINT), "rotation: expected a quaternion [w, x, y, z] of length 1"},
        {BODY("\"rotation\": {\"axis\": [0, 0, 0], \"angle\": 1}, " POINT), "rotation.axis: expected a direction"},
        {BODY("\"rotation\": 3, " POINT), "rotation: expected a quaternion [w, x, y, z] or {\"axis\""},
        {BODY("\"material\": \"ice\", " POINT), "bodies[0].material: the scene has no material 'ice'"},
        {BODY("\"repeat\": {\"grit\": {}}, " POINT), "unknown key 'grit'; did you mean 'grid'?"},
        {BODY("\"repeat\": {\"stack\": {\"count\": 2.5, \"spacing\": 1}}, " POINT),
         "expected a whole number from 0 to"},
        {BODY("\"repeat\": {\"stack\": {\"spacing\": 1}}, " POINT), "\"count\" is missing"},
        {BODY("\"repeat\": {\"grid\": {\"counts\": [1e4, 1e4, 1], \"spacing\": [1, 1, 1]}}, " POINT),
         "more than 1000000 copies"},
        {BODY("\"name\": 3, " POINT), "bodies[0].name: expected a text in quotes, found the number 3"},
        {BODY("\"kind\": \"fixed\", \"force\": [1, 0, 0]"), "only a dynamic body can be pushed"},
        {BODY("\"kind\": \"fixed\", \"angular_velocity\": [1, 0, 0]"),
         ".angular_velocity: a fixed body does not move; one of \"kind\": \"kinematic\""},
        {JOINT("\"kind\": \"revolute\""), "joints[0]: joint: both ends are the world; at least one must be a body"},
        {"{\"bodies\": [{\"name\": \"a\", " POINT "}, {\"name\": \"a\", " POINT "}]}",
         "there is already a body of the name 'a'"},
        {JOINT("\"kind\": \"revolut\", \"a\": \"a\""), "did you mean \"revolute\"?"},
        {JOINT("\"a\": \"a\""), "joints[0]: \"kind\" is missing"},
        {JOINT("\"kind\": \"fixed\", \"a\": \"bea\""),
         "joints[0].a: there is no body of the name 'bea'; did you mean 'bee'?"},
        {JOINT("\"kind\": \"fixed\", \"a\": \"bee\", \"b\": \"bee\""), "joints[0]: joint: both ends are the same body"},
        {JOINT("\"kind\": \"gear\", \"a\": \"a\", \"b\": \"bee\", \"carrier\": \"c\""),
         "joints[0].carrier: there is no body"},
        {JOINT("\"kind\": \"revolute\", \"a\": \"a\", \"carrier\": \"bee\""),
         "joints[0].carrier: \"carrier\" belongs to joints of the kind \"gear\""},
        {JOINT("\"kind\": \"revolute\", \"a\": \"a\", \"coordinate\": \"slide\", \"limits\": [0, 1]"),
         "joints[0]: joint: its kind holds the coordinate slide"},
        {JOINT("\"kind\": \"cylindrical\", \"a\": \"a\", \"limits\": [0, 1]"), "but no coordinate to act on"},
        {JOINT("\"kind\": \"revolute\", \"a\": \"a\", \"motor\": {\"speed\": 1}"), "joints[0].motor: \"limit\""},
        {JOINT("\"kind\": \"revolute\", \"a\": \"a\", \"coordinate\": \"turn\", \"motion\": [[1, 0], [0, 1]]"),
         "keyframes must go forward in time"},
        {JOINT("\"kind\": \"revolute\", \"a\": \"a\", \"coordinate\": \"turn\", \"motion\": \"=sin(tt)\""),
         "unknown name 'tt'"},
        {"\x89PNG\r\n\x1a\n", "x.json:1:1: expected a value, found the byte 0x89"},
    };
    cairn_context *context = plain_context(1);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cairn_scene *s = NULL;
        cairn_status status = cairn_scene_parse(context, cases[i].text, strlen(cases[i].text), "x.json", NULL, 0, &s);
        if (status != CAIRN_ERROR_PARSE)
            printf("%s: status %d\n", cases[i].text, (int)status);
        CHECK(status == CAIRN_ERROR_PARSE && s == NULL);
        CHECK_CONTAINS(cairn_error_message(context), cases[i].message);
        CHECK_CONTAINS(cairn_error_message(context), "x.json:");
        cairn_scene_destroy(s);
    }
    cairn_context_destroy(context);
}

TEST(memory_may_fail) {
    static const char text[] =
        "{\"parameters\": {\"a\": 1}, \"materials\": {\"m\": {\"friction\": 1}}, \"pairs\": [{\"materials\": [\"m\", "
        "\"m\"]}],"
        "\"shapes\": {\"s\": {\"compound\": {\"children\": [{\"shape\": {\"sphere\": {\"radius\": 1}}}]}}},"
        "\"bodies\": [{\"name\": \"b\", \"shape\": \"s\", \"force\": [\"=t\", 0, 0], \"repeat\": {\"stack\": "
        "{\"count\": 3, \"spacing\": 9}}}],"
        "\"joints\": [{\"kind\": \"prismatic\", \"b\": \"b[1]\", \"coordinate\": \"slide\", \"motion\": [[0, 0], [1, "
        "\"=a\"]]}]}";
    for (int fail = 0;; fail++) {
        counting_allocator a = {.fail_at = fail};
        cairn_context *context = counting_context(&a, 1);
        if (context == NULL)
            continue;
        cairn_scene *s = NULL;
        cairn_status status = cairn_scene_parse(context, text, sizeof text - 1, "x", NULL, 0, &s);
        CHECK(status == CAIRN_OK || (status == CAIRN_ERROR_MEMORY && s == NULL));
        cairn_scene_destroy(s);
        cairn_context_destroy(context);
        CHECK(a.live == 0);
        if (status == CAIRN_OK || fail > 1000)
            break;
    }
}

int main(void) {
    RUN(settings_and_bodies);
    RUN(repeats);
    RUN(overrides);
    RUN(joints_motions_loads);
    RUN(gears_on_a_carrier);
    RUN(keyframes_are_smooth);
    RUN(includes);
    RUN(surfaces);
    RUN(formulas_without_a_value);
    RUN(wrong_scenes);
    RUN(memory_may_fail);
    return test_end();
}
