/*
 * test_golden_scenes.c: every shipped scene for 50 steps: hashes of poses, velocities, contacts, reactions, reports and certificates; the same bits on 2
 * threads, and on 4 from a checkpoint after 25 steps.
 */
#define _POSIX_C_SOURCE 200809L
#include "golden.h"

#include <dirent.h>

enum { STEPS = 50, HALF = 25 };

static void add_vector(golden_hash *hash, cairn_vec3 v) {
    golden_reals(hash, (const double[]){v.x, v.y, v.z}, 3);
}

static void add_body(golden_hash *hash, const cairn_world *world, cairn_body body) {
    cairn_body_state s;
    cairn_flexible_view view;
    if (cairn_world_body(world, body, &s) != CAIRN_OK)
        return;
    add_vector(hash, s.pose.position);
    golden_reals(hash, (const double[]){s.pose.rotation.w, s.pose.rotation.x, s.pose.rotation.y, s.pose.rotation.z}, 4);
    add_vector(hash, s.velocity);
    add_vector(hash, s.angular_velocity);
    if (cairn_world_flexible(world, body, &view) != CAIRN_OK)
        return;
    golden_reals(hash, view.x, 3 * (size_t)view.mesh.vectors);
    golden_reals(hash, view.v, 3 * (size_t)view.mesh.vectors);
}

static void add_contacts(golden_hash *hash, const cairn_world *world) {
    int count = cairn_world_contact_count(world);
    for (int i = 0; i < count; i++) {
        cairn_world_contact c;
        CHECK(cairn_world_contact_get(world, i, &c) == CAIRN_OK);
        add_vector(hash, c.point);
        add_vector(hash, c.normal);
        add_vector(hash, c.impulse);
        golden_reals(hash, (const double[]){c.gap, c.mu}, 2);
    }
}

static void add_report(golden_hash *hash, const cairn_step_report *r) {
    const cairn_certificate *c = &r->info.certificate;
    golden_counts(hash,
                  (const int64_t[]){r->step, r->contacts, r->joints, r->rows, r->certified, r->info.iterations,
                                    r->info.factorizations, r->info.solves, r->solves, r->projections, r->substeps,
                                    r->islands, r->missed, r->fallbacks, r->inverted, r->apart, r->joints_closed},
                  17);
    golden_reals(hash,
                 (const double[]){c->error, c->error_angular, c->rms, r->joint_gap, r->deepest, r->depth,
                                  r->energy.kinetic, r->energy.potential, r->energy.elastic, r->energy.friction,
                                  r->energy.impact, r->energy.created, r->energy.joints, r->energy.loads},
                 14);
}

/* Steps from `from` to `to` of a scene into hash. */
static bool run(cairn_scene *scene, int from, int to, golden_hash *hash) {
    const cairn_world *world = cairn_scene_world(scene);
    cairn_scene_info info = cairn_scene_get(scene);
    for (int step = from; step < to; step++) {
        cairn_step_report report;
        if (cairn_scene_step(scene, &report) != CAIRN_OK)
            return false;
        add_report(hash, &report);
        add_contacts(hash, world);
        for (int i = 0; i < info.bodies; i++) {
            cairn_body body;
            if (cairn_scene_body(scene, i, &body, NULL) == CAIRN_OK)
                add_body(hash, world, body);
        }
        for (int i = 0; i < info.joints; i++) {
            cairn_joint joint;
            cairn_joint_state s;
            if (cairn_scene_joint(scene, i, &joint, NULL) != CAIRN_OK ||
                cairn_world_joint(world, joint, &s) != CAIRN_OK)
                continue;
            add_vector(hash, s.force);
            add_vector(hash, s.torque);
            golden_reals(hash, (const double[]){s.coordinate, s.drive, s.gap}, 3);
        }
    }
    return true;
}

typedef struct checkpoint {
    void *bytes;
    size_t size;
} checkpoint;

static bool save(const cairn_world *world, checkpoint *c) {
    cairn_world_save(world, NULL, 0, &c->size);
    c->bytes = malloc(c->size);
    return c->bytes != NULL && cairn_world_save(world, c->bytes, c->size, &c->size) == CAIRN_OK;
}

/* Steps from `from` to `to` on `threads`: from the scene's start, or from a checkpoint; *after (NULL: not wanted) is one of the end. */
static golden_hash half(const char *path, int threads, int from, int to, const checkpoint *before, checkpoint *after) {
    cairn_context *context = plain_context(threads);
    cairn_scene *scene = NULL;
    golden_hash hash = golden_begin();
    CHECK(cairn_scene_load(context, path, NULL, 0, &scene) == CAIRN_OK);
    if (scene != NULL) {
        cairn_world *world = cairn_scene_world(scene);
        CHECK(before == NULL || cairn_world_load_state(world, before->bytes, before->size) == CAIRN_OK);
        CHECK(run(scene, from, to, &hash));
        CHECK(after == NULL || save(world, after));
    }
    cairn_scene_destroy(scene);
    cairn_context_destroy(context);
    return hash;
}

/* Both halves in one run, from one world. */
static void whole(const char *path, golden_hash hash[2]) {
    cairn_context *context = plain_context(1);
    cairn_scene *scene = NULL;
    hash[0] = hash[1] = golden_begin();
    CHECK(cairn_scene_load(context, path, NULL, 0, &scene) == CAIRN_OK);
    CHECK(scene != NULL && run(scene, 0, HALF, &hash[0]) && run(scene, HALF, STEPS, &hash[1]));
    cairn_scene_destroy(scene);
    cairn_context_destroy(context);
}

static void scene_of(golden_table *table, const char *folder, const char *name) {
    char path[1200], key[GOLDEN_KEY];
    golden_hash through[2], two, four;
    checkpoint middle = {.size = 0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    whole(path, through);
    two = half(path, 2, 0, HALF, NULL, &middle);
    four = half(path, 4, HALF, STEPS, &middle, NULL);
    if (two != through[0] || four != through[1])
        printf("%s: other bits on threads or from a checkpoint\n", name);
    CHECK(two == through[0] && four == through[1]);
    for (int k = 0; k < 2; k++) {
        snprintf(key, sizeof key, "%.60s, steps %d to %d", name, k * HALF + 1, (k + 1) * HALF);
        golden_add(table, key, through[k]);
    }
    free(middle.bytes);
}

static int is_scene(const struct dirent *entry) {
    size_t length = strlen(entry->d_name);
    return length > 5 && strcmp(entry->d_name + length - 5, ".json") == 0 && strcmp(entry->d_name, "schema.json") != 0;
}

/* Every second scene from `first` on, so that two processors share the work. */
static void scenes_from(int first, const char *name) {
    static const char folder[] = CAIRN_SOURCE_DIR "/scenes";
    golden_table table = golden_open(name);
    struct dirent **list = NULL;
    int count = scandir(folder, &list, is_scene, alphasort);
    CHECK(count > 20);
    for (int i = 0; i < count; i++) {
        if (i % 2 == first)
            scene_of(&table, folder, list[i]->d_name);
        free(list[i]);
    }
    free(list);
    golden_end(&table, NULL);
}

TEST(odd_scenes) {
    scenes_from(0, "scenes-odd");
}

TEST(even_scenes) {
    scenes_from(1, "scenes-even");
}

/* Without a word both halves; `odd` or `even`: one. */
int main(int count, char **word) {
    if (strcmp(golden_kind(), "release") != 0) {
        printf("skipped: hashes are of release builds\n");
        return GOLDEN_SKIPPED;
    }
    if (count < 2 || strcmp(word[1], "odd") == 0)
        RUN(odd_scenes);
    if (count < 2 || strcmp(word[1], "even") == 0)
        RUN(even_scenes);
    return test_end();
}
