/*
 * test_random_worlds.c: random worlds. Without arguments the tests: the generator, the judge's own depths, and a slice of worlds. With
 * arguments as many as one likes:
 *
 *     test_random_worlds --count 10000 [--first 1] [--class heap] [--jobs 2] [--limit 120] [--log FILE] [--quiet]
 *     test_random_worlds --print SEED                        the scene
 *     test_random_worlds --reduce SEED [--kind deep] [--out FILE]   the smallest scene that still shows it
 *     test_random_worlds --scene FILE                        a scene of --print or --reduce, perhaps edited, judged
 *
 * docs/testing.md tells what is judged.
 */
#include "random_campaign.h"
#include "random_depth.h"
#include "random_run.h"
#include "support/test.h"

/* ---- the tests ---------------------------------------------------------------------------------------------- */

/* The texts of the first thousand scenes, as one number: it is the same on every machine. */
TEST(scenes_are_the_same_everywhere) {
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (uint64_t seed = 0; seed < 1000; seed++) {
        random_scene *scene = random_scene_make(seed);
        random_text text = {.size = 0};
        CHECK(scene != NULL);
        if (scene == NULL)
            return;
        random_scene_print(scene, &text);
        CHECK(!text.failed);
        for (size_t i = 0; i < text.size; i++)
            hash = (hash ^ (unsigned char)text.data[i]) * UINT64_C(0x100000001B3);
        free(text.data);
        random_scene_free(scene);
    }
    printf("scenes 0 to 999: %016llx\n", (unsigned long long)hash);
    CHECK(hash == UINT64_C(0xceb2f53a7a567ac1));
}

static depth_shape any_piece(test_random *r) {
    static const cairn_shape_kind kind[] = {CAIRN_SHAPE_SPHERE,    CAIRN_SHAPE_CAPSULE,  CAIRN_SHAPE_BOX,
                                            CAIRN_SHAPE_ELLIPSOID, CAIRN_SHAPE_CYLINDER, CAIRN_SHAPE_CONE};
    depth_shape shape = {.kind = kind[test_random_bits(r) % 6]};
    for (int k = 0; k < 3; k++)
        shape.size[k] = 0.2 + 0.4 * test_random_unit(r);
    shape.pose.position = cairn_vec3_of(0.5 * test_random_signed(r), 0.5 * test_random_signed(r),
                                        0.5 * test_random_signed(r));
    shape.pose.rotation = cairn_quat_unit(
        (cairn_quat){test_random_signed(r), test_random_signed(r), test_random_signed(r), test_random_signed(r)});
    return shape;
}

static double height(const depth_shape *a, const depth_shape *b, cairn_vec3 n) {
    return cairn_vec3_dot(n, cairn_vec3_sub(depth_support(a, n), depth_support(b, cairn_vec3_scale(-1, n))));
}

/* min h(n) by a search: 400 directions, then ever smaller turns of the best. An upper bound of the depth. */
static double searched_depth(const depth_shape *a, const depth_shape *b, test_random *r) {
    double best = INFINITY, reach = 0.3;
    cairn_vec3 at = cairn_vec3_of(1, 0, 0);
    for (int i = 0; i < 2000; i++) {
        cairn_vec3 turn = cairn_vec3_of(test_random_signed(r), test_random_signed(r), test_random_signed(r));
        cairn_vec3 n = cairn_vec3_unit(i < 400 ? turn : cairn_vec3_add_scaled(at, reach, turn));
        double h = height(a, b, n);
        at = h < best ? n : at;
        best = fmin(best, h);
        reach *= i < 400 ? 1 : 0.994;
    }
    return best;
}

TEST(depths_are_those_of_a_search) {
    test_random r = {7};
    int deep = 0;
    for (int i = 0; i < 400; i++) {
        depth_shape a = any_piece(&r), b = any_piece(&r);
        double depth = depth_above(&a, &b, 0), searched = searched_depth(&a, &b, &r);
        CHECK(searched > 0 || depth == 0);
        CHECK(depth <= 1.0001 * fmax(searched, 0));
        CHECK(!(searched > 1e-3) || depth > 0.93 * searched);
        deep += depth > 0;
    }
    CHECK(deep > 200);
    depth_shape ball = {.kind = CAIRN_SHAPE_SPHERE, .size = {1}, .pose = cairn_pose_at(0, 0, 0.75)};
    CHECK_NEAR(depth_below(&ball, cairn_pose_identity()), 0.25, 1e-15);
    depth_shape box = {.kind = CAIRN_SHAPE_BOX, .size = {1, 1, 0.01}, .pose = cairn_pose_identity()};
    depth_shape way = depth_segment(cairn_vec3_of(0, 0.3, 1), cairn_vec3_of(0.2, 0, -1));
    CHECK(depth_above(&way, &box, 0.001) > 0.01); /* through the plate */
    way = depth_segment(cairn_vec3_of(0, 0.3, 1), cairn_vec3_of(0.2, 0, 0.02));
    CHECK(depth_above(&way, &box, 0) == 0);
    CHECK_NEAR(depth_width(&box), 0.02, 1e-15);
}

#if TEST_SANITIZED
enum { SLICE = 26, LIMIT = 300 };
#else
enum { SLICE = 200, LIMIT = 15 };
#endif

typedef struct slice {
    int worlds, found[FOUND_KINDS];
} slice;

static void count_slice(void *user, uint64_t seed, const random_result *result) {
    slice *s = user;
    s->worlds++;
    for (int i = 0; i < FOUND_KINDS; i++) {
        s->found[i] += result->found[i].count > 0;
        if (result->found[i].count > 0)
            printf("world %llu: %s\n", (unsigned long long)seed, random_found_name(i));
    }
}

/* Nothing may be found. */
TEST(slice_of_worlds) {
    slice s = {.worlds = 0};
    random_campaign campaign = {
        .first = 1, .count = SLICE, .kind = -1, .jobs = 2, .limit = LIMIT, .folder = ".", .quiet = true};
    campaign.each = count_slice;
    campaign.user = &s;
    CHECK(random_campaign_run(&campaign));
    CHECK(s.worlds == SLICE);
    for (int i = 0; i < FOUND_KINDS; i++)
        CHECK(s.found[i] == 0);
}

/* Worlds beyond the slice that showed a finding once. */
TEST(worlds_that_had_findings) {
    static const uint64_t seed[] = {
        2733,       /* energy: a part that was solved a third time gained, and was kept */
        2987,       /* energy: springs gave back what nobody had stored, between bodies that were torn apart */
        3240, 4501, /* energy: joints that were torn apart lifted bodies where they were closed on positions */
        6529,       /* energy: joints made a twentieth of what a certified part had */
        5275,       /* energy: a body that a torn joint held threw those that leaned on it */
        1348, /* energy: bodies that waited kept the spin that their weight had given them on a way they did not go */
    };
    for (size_t i = 0; i < sizeof seed / sizeof *seed; i++) {
        slice s = {.worlds = 0};
        random_campaign campaign = {
            .first = seed[i], .count = 1, .kind = -1, .jobs = 1, .limit = 4 * LIMIT, .folder = ".", .quiet = true};
        campaign.each = count_slice;
        campaign.user = &s;
        CHECK(random_campaign_run(&campaign) && s.worlds == 1);
        for (int k = 0; k < FOUND_KINDS; k++)
            CHECK(s.found[k] == 0);
    }
}

/* A world that says it is passive and is not: a force drives it. The judge must see that, and nothing else. */
TEST(judge_sees_a_drive_that_is_not_told) {
    static const char *const text = "{\"comment\": \"judged as: passive;\", \"gravity\": [0, 0, 0], \"step\": 0.01, "
                                    "\"until\": 0.1, \"bodies\": [{\"name\": \"b\", "
                                    "\"shape\": {\"sphere\": {\"radius\": 0.1}}, \"force\": [1, 0, 0]}]}";
    random_result result = {.steps = 0};
    random_run(text, strlen(text), ".", &result);
    CHECK(result.steps == 10 && result.certified == 10);
    for (int i = 0; i < FOUND_KINDS; i++)
        CHECK((result.found[i].count > 0) == (i == FOUND_ENERGY));
}

/* A box that begins in the floor is lifted out of it, and then turns in free flight: in steps of several parts, too, nothing is gained by that. */
TEST(judge_knows_what_is_lifted) {
    static const char *const text =
        "{\"comment\": \"judged as: passive;\", \"gravity\": [0, 0, -9.81], \"step\": 0.002, \"substeps\": 3, "
        "\"until\": 0.002, \"bodies\": [{\"name\": \"floor\", \"shape\": {\"plane\": {}}}, "
        "{\"name\": \"b\", \"shape\": {\"box\": {\"size\": [0.4, 0.4, 0.4]}}, \"position\": [0, 0, 0.25], "
        "\"rotation\": [0.8, 0.4, 0.4, 0.2], \"velocity\": [0, 0, 0.1], \"angular_velocity\": [3, 0, 0]}]}";
    random_result result = {.steps = 0};
    random_run(text, strlen(text), ".", &result);
    CHECK(result.steps == 1 && result.certified == 1 && result.found[FOUND_ENERGY].count == 0);
}

/* A ball on the floor goes up with g h/2: after the step it is at rest where it was, and has lost all its energy. That is no gain, though gravity's work along the mean of its velocities says so. With a
 * force that makes it leave the floor with as much more it is one. */
TEST(judge_knows_what_gravity_turns_round) {
    static const char *const format =
        "{\"comment\": \"judged as: passive;\", \"gravity\": [0, 0, -9.81], \"step\": 0.01, "
        "\"until\": 0.05, \"bodies\": [{\"name\": \"floor\", \"shape\": {\"plane\": {}}}, "
        "{\"name\": \"b\", \"shape\": {\"sphere\": {\"radius\": 0.1}}, \"position\": [0, 0, 0.1], "
        "\"velocity\": [0, 0, 0.04905], \"force\": [0, 0, %d]}]}";
    for (int force = 0; force < 100; force += 50) {
        random_result result = {.steps = 0};
        char text[600];
        int size = snprintf(text, sizeof text, format, force);
        random_run(text, (size_t)size, ".", &result);
        CHECK(result.steps == 5 && result.certified == 5);
        CHECK((result.found[FOUND_ENERGY].count > 0) == (force > 0));
    }
}

/* ---- the program -------------------------------------------------------------------------------------------- */

static const char *option(int count, char **word, const char *name, const char *otherwise) {
    for (int i = 1; i + 1 < count; i++)
        if (strcmp(word[i], name) == 0)
            return word[i + 1];
    return otherwise;
}

static uint64_t number(int count, char **word, const char *name, const char *otherwise) {
    return strtoull(option(count, word, name, otherwise), NULL, 10);
}

static int write_text(const char *path, const random_text *text) {
    FILE *file = path != NULL ? fopen(path, "w") : stdout;
    bool fine = file != NULL && fwrite(text->data, 1, text->size, file) == text->size;
    fine = (path == NULL || (file != NULL && fclose(file) == 0)) && fine;
    if (!fine)
        fprintf(stderr, "%s: cannot be written\n", path != NULL ? path : "output");
    return fine ? 0 : 1;
}

static int reduce(int count, char **word, const char *folder, int limit) {
    const char *name = option(count, word, "--kind", NULL);
    random_scene *scene = random_scene_make(number(count, word, "--reduce", "0"));
    random_text text = {.size = 0};
    int kind = -1, status = 1;
    for (int i = 0; name != NULL && i < FOUND_KINDS; i++)
        kind = strcmp(name, random_found_name(i)) == 0 ? i : kind;
    if (name != NULL && kind < 0)
        fprintf(stderr,
                "--kind %s: expected crash, hang, failed, nan, deep, sunk, passed, energy, books, threads, restart or "
                "work\n",
                name);
    else if (scene == NULL || !random_reduce(scene, kind, folder, limit, &text))
        fprintf(stderr, "the world shows no such finding\n");
    else
        status = write_text(option(count, word, "--out", NULL), &text);
    free(text.data);
    random_scene_free(scene);
    return status;
}

static int judge_file(const char *path, const char *folder, int limit) {
    FILE *file = fopen(path, "r");
    random_text text = {.size = 0}, told = {.size = 0};
    char line[4096];
    while (file != NULL && fgets(line, sizeof line, file) != NULL)
        random_put(&text, "%s", line);
    if (file != NULL)
        fclose(file);
    random_result result = {.steps = 0};
    bool fine = text.size > 0 && !text.failed && random_apart(text.data, text.size, folder, limit, &result);
    random_found_print(&result, &told);
    if (fine)
        printf("%lld steps, %lld certified:%s\n", (long long)result.steps, (long long)result.certified,
               told.data != NULL ? told.data : " nothing found");
    else
        fprintf(stderr, "%s: cannot be read or run\n", path);
    free(text.data);
    free(told.data);
    return fine && told.size == 0 ? 0 : 1;
}

static int program(int count, char **word) {
    const char *folder = option(count, word, "--folder", "."), *name = option(count, word, "--class", NULL);
    int limit = (int)number(count, word, "--limit", "120"), kind = name != NULL ? random_class_find(name) : -1;
    if (option(count, word, "--print", NULL) != NULL) {
        random_scene *scene = random_scene_make(number(count, word, "--print", "0"));
        random_text text = {.size = 0};
        if (scene != NULL)
            random_scene_print(scene, &text);
        int status = scene == NULL ? 1 : write_text(NULL, &text);
        free(text.data);
        random_scene_free(scene);
        return status;
    }
    if (option(count, word, "--reduce", NULL) != NULL)
        return reduce(count, word, folder, limit);
    if (option(count, word, "--scene", NULL) != NULL)
        return judge_file(option(count, word, "--scene", NULL), folder, limit);
    uint64_t jobs = number(count, word, "--jobs", "2"), worlds = number(count, word, "--count", "0");
    if (worlds == 0 || worlds > 100000000 || jobs < 1 || jobs > 16 || (name != NULL && kind < 0)) {
        fprintf(stderr, "expected --count 1 to 100000000, --jobs 1 to 16, --class of");
        for (int i = 0; i < RANDOM_CLASSES; i++)
            fprintf(stderr, " %s", random_class_name(i));
        fprintf(stderr, "; or --print SEED, --reduce SEED, --scene FILE\n");
        return 2;
    }
    random_campaign campaign = {
        .first = number(count, word, "--first", "1"), .count = worlds, .kind = kind, .jobs = (int)jobs};
    campaign.limit = limit;
    campaign.log = option(count, word, "--log", NULL);
    campaign.folder = folder;
    campaign.quiet = strcmp(word[count - 1], "--quiet") == 0;
    return random_campaign_run(&campaign) ? 0 : 1;
}

int main(int count, char **word) {
    if (count > 1)
        return program(count, word);
    RUN(scenes_are_the_same_everywhere);
    RUN(depths_are_those_of_a_search);
    RUN(judge_sees_a_drive_that_is_not_told);
    RUN(judge_knows_what_gravity_turns_round);
    RUN(judge_knows_what_is_lifted);
    RUN(worlds_that_had_findings);
    RUN(slice_of_worlds);
    return test_end();
}
