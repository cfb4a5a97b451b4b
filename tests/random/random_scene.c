/*
 * random_scene.c: the head of a random scene, its shapes and bodies, and its text; see random_scene.h.
 */
#include "random_scene.h"

static const char *const class_name[RANDOM_CLASSES] = {"rows",   "heap",      "mass-ratio", "chain",  "thin-fast",
                                                       "spin",   "mesh",      "flexible",   "drives", "overlap",
                                                       "joints", "materials", "meet"};

const char *random_class_name(int kind) {
    return class_name[kind];
}

int random_class_find(const char *name) {
    for (int i = 0; i < RANDOM_CLASSES; i++)
        if (strcmp(name, class_name[i]) == 0)
            return i;
    return -1;
}

/* ---- shapes ------------------------------------------------------------------------------------------------- */

random_shape random_shape_of(int kind, double x, double y, double z) {
    random_shape shape = {.kind = kind, .size = {x, y, z}};
    switch (kind) {
    case SHAPE_SPHERE:
        shape.radius = x;
        break;
    case SHAPE_CAPSULE:
        shape.radius = x + 0.5 * y;
        break;
    case SHAPE_CYLINDER:
        shape.radius = sqrt(x * x + 0.25 * y * y);
        break;
    case SHAPE_CONE:
        shape.radius = fmax(0.75 * y, sqrt(x * x + y * y / 16));
        break;
    case SHAPE_ELLIPSOID:
        shape.radius = 0.5 * fmax(x, fmax(y, z));
        break;
    default:
        shape.radius = 0.5 * sqrt(x * x + y * y + z * z);
        break;
    }
    return shape;
}

random_shape random_shape_any(random_maker *maker, double size) {
    random_bits *bits = &maker->bits;
    int kind = random_below(bits, SHAPE_KINDS);
    double low = random_chance(bits, 80) ? 0.4 : 0.05; /* some are thin */
    double z = size * random_between(bits, low, 1), y = size * random_between(bits, low, 1);
    random_shape shape = random_shape_of(kind, size * random_between(bits, low, 1), y, z);
    if (kind == SHAPE_SPHERE || kind == SHAPE_CAPSULE || kind == SHAPE_CYLINDER || kind == SHAPE_CONE)
        shape = random_shape_of(kind, 0.5 * shape.size[0], shape.size[1], 0);
    shape.points = random_next(bits);
    return shape;
}

static void print_hull(const random_shape *shape, random_text *text) {
    random_bits bits = {.state = shape->points};
    int points = 6 + random_below(&bits, 15);
    random_put(text, "{\"hull\": {\"points\": [");
    for (int i = 0; i < points; i++) {
        double direction[3];
        random_direction(&bits, 3, direction);
        if (i < 4) /* a tetrahedron, so that no hull is flat */
            for (int k = 0; k < 3; k++)
                direction[k] = 0.577 * ((k == 0 ? i & 1 : k == 1 ? i >> 1 : (i ^ (i >> 1)) & 1) ? 1 : -1);
        for (int k = 0; k < 3; k++)
            random_put(text, "%s%.9g", k > 0 ? ", " : i > 0 ? "], [" : "[", 0.5 * shape->size[k] * direction[k]);
    }
    random_put(text, "]]}}");
}

/* A box with a ball or a cylinder that sticks out of it. */
static void print_compound(const random_shape *shape, random_text *text) {
    random_bits bits = {.state = shape->points};
    const double *size = shape->size;
    double least = fmin(size[0], fmin(size[1], size[2])), way = random_between(&bits, -0.25, 0.25);
    random_put(text, "{\"compound\": {\"children\": [{\"shape\": {\"box\": {\"size\": [%.9g, %.9g, %.9g]}}}, ",
               0.8 * size[0], 0.5 * size[1], 0.5 * size[2]);
    if (random_chance(&bits, 50))
        random_put(text, "{\"shape\": {\"sphere\": {\"radius\": %.9g}}, ", 0.3 * least);
    else
        random_put(text, "{\"shape\": {\"cylinder\": {\"radius\": %.9g, \"height\": %.9g}}, ", 0.2 * least,
                   0.4 * size[2]);
    random_put(text, "\"position\": [%.9g, 0, %.9g]}]}}", way * size[0], 0.25 * size[2]);
}

void random_shape_print(const random_shape *shape, random_text *text) {
    const double *size = shape->size;
    switch (shape->kind) {
    case SHAPE_HULL:
        print_hull(shape, text);
        break;
    case SHAPE_COMPOUND:
        print_compound(shape, text);
        break;
    case SHAPE_SPHERE:
        random_put(text, "{\"sphere\": {\"radius\": %.9g}}", size[0]);
        break;
    case SHAPE_ELLIPSOID:
        random_put(text, "{\"ellipsoid\": {\"size\": [%.9g, %.9g, %.9g]}}", size[0], size[1], size[2]);
        break;
    case SHAPE_BOX:
        random_put(text, "{\"box\": {\"size\": [%.9g, %.9g, %.9g]}}", size[0], size[1], size[2]);
        break;
    default:
        random_put(text, "{\"%s\": {\"radius\": %.9g, \"%s\": %.9g}}",
                   shape->kind == SHAPE_CAPSULE    ? "capsule"
                   : shape->kind == SHAPE_CYLINDER ? "cylinder"
                                                   : "cone",
                   size[0], shape->kind == SHAPE_CAPSULE ? "length" : "height", size[1]);
    }
}

void random_sheet_print(random_maker *maker, int cells, double edge, double rise, random_text *text) {
    random_put(text, "{\"mesh\": {\"points\": [");
    for (int i = 0; i <= cells; i++)
        for (int j = 0; j <= cells; j++)
            random_put(text, "%s[%.9g, %.9g, %.9g]", i + j > 0 ? ", " : "", edge * (i - 0.5 * cells),
                       edge * (j - 0.5 * cells), rise * random_unit(&maker->bits));
    random_put(text, "], \"triangles\": [");
    for (int i = 0; i < cells; i++)
        for (int j = 0; j < cells; j++) {
            int a = i * (cells + 1) + j, b = a + cells + 1;
            random_put(text, "%s[%d, %d, %d], [%d, %d, %d]", i + j > 0 ? ", " : "", a, b, b + 1, a, b + 1, a + 1);
        }
    random_put(text, "]}}");
}

void random_closed_print(const double half[3], random_text *text) {
    random_put(text, "{\"mesh\": {\"points\": [");
    for (int i = 0; i < 8; i++)
        random_put(text, "%s[%.9g, %.9g, %.9g]", i > 0 ? ", " : "", i & 1 ? half[0] : -half[0],
                   i & 2 ? half[1] : -half[1], i & 4 ? half[2] : -half[2]);
    random_put(
        text,
        "], \"triangles\": [[0, 2, 3], [0, 3, 1], [4, 5, 7], [4, 7, 6], [0, 1, 5], [0, 5, 4], [2, 6, 7], [2, 7, 3], "
        "[0, 4, 6], [0, 6, 2], [1, 3, 7], [1, 7, 5]]}}");
}

/* ---- items -------------------------------------------------------------------------------------------------- */

int random_begin(random_maker *maker, int section) {
    random_scene *scene = maker->scene;
    if (scene->items >= RANDOM_ITEMS) {
        scene->text.failed = true;
        return RANDOM_ITEMS - 1;
    }
    random_item *item = &scene->item[scene->items];
    *item = (random_item){.start = scene->text.size, .needs = {-1, -1, -1}, .section = section};
    return scene->items++;
}

void random_end(random_maker *maker) {
    maker->scene->item[maker->scene->items - 1].end = maker->scene->text.size;
}

random_state random_at(double x, double y, double z) {
    return (random_state){.position = {x, y, z}, .rotation = {1, 0, 0, 0}, .density = 1000};
}

void random_turn(random_maker *maker, double rotation[4]) {
    random_direction(&maker->bits, 4, rotation);
}

int random_body(random_maker *maker, const random_shape *shape, const random_state *state) {
    int item = random_begin(maker, 0);
    random_text *text = &maker->scene->text;
    random_put(text, "{\"name\": \"b%d\", \"shape\": ", item);
    random_shape_print(shape, text);
    random_put(text, ", ");
    if (state->kind != NULL)
        random_put(text, "\"kind\": \"%s\", ", state->kind);
    if (state->material != NULL)
        random_put(text, "\"material\": \"%s\", ", state->material);
    random_put(text, "\"density\": %.9g, ", state->density);
    random_put_numbers(text, "position", 3, state->position);
    random_put(text, ", ");
    random_put_numbers(text, "rotation", 4, state->rotation);
    if (state->velocity[0] != 0 || state->velocity[1] != 0 || state->velocity[2] != 0) {
        random_put(text, ", ");
        random_put_numbers(text, "velocity", 3, state->velocity);
    }
    if (state->spin[0] != 0 || state->spin[1] != 0 || state->spin[2] != 0) {
        random_put(text, ", ");
        random_put_numbers(text, "angular_velocity", 3, state->spin);
    }
    random_put(text, "}");
    random_end(maker);
    return item;
}

int random_floor(random_maker *maker, const char *material) {
    int item = random_begin(maker, 0);
    random_put(&maker->scene->text, "{\"name\": \"floor%d\", \"shape\": {\"plane\": {}}", item);
    if (material != NULL)
        random_put(&maker->scene->text, ", \"material\": \"%s\"", material);
    random_put(&maker->scene->text, "}");
    random_end(maker);
    return item;
}

/* ---- scenes ------------------------------------------------------------------------------------------------- */

static void put_material(random_maker *maker, const char *name, bool give) {
    random_bits *bits = &maker->bits;
    random_scene *scene = maker->scene;
    double friction = random_chance(bits, 25) ? 0 : random_between(bits, 0, random_chance(bits, 80) ? 1 : 2);
    double restitution = random_chance(bits, 50) ? 0 : random_chance(bits, 25) ? 1 : random_unit(bits);
    scene->restitution = scene->restitution || restitution > 0;
    random_put(&scene->text, "\"%s\": {\"friction\": %.9g, \"restitution\": %.9g", name, friction, restitution);
    double weight = 1000 * maker->length * maker->length * maker->length * 9.81; /* N */
    if (give && random_chance(bits, 60)) {
        random_put(&scene->text, ", \"compliance\": %.9g", random_scale(bits, 1e-4, 1e-2) * maker->length / weight);
        scene->stores = scene->soft = true;
    }
    if (give && random_chance(bits, 40))
        random_put(&scene->text, ", \"adhesion\": %.9g", random_scale(bits, 1e-2, 10) * weight);
    random_put(&scene->text, "}");
}

static void put_head(random_maker *maker) {
    random_bits *bits = &maker->bits;
    random_scene *scene = maker->scene;
    random_text *text = &scene->text;
    double gravity[3] = {0, 0, -9.81};
    if (random_chance(bits, scene->kind == RANDOM_MEET || scene->kind == RANDOM_SPIN ? 50 : 3))
        gravity[2] = 0;
    else if (random_chance(bits, 10))
        gravity[0] = random_between(bits, -5, 5);
    random_put(text, "\"title\": \"random world %llu, %s\",\n", (unsigned long long)scene->seed,
               class_name[scene->kind]);
    random_put_numbers(text, "gravity", 3, gravity);
    random_put(text, ",\n\"step\": %.9g,\n", scene->step);
    if (scene->jointed || scene->flexible)
        random_put(text, "\"joint_tolerance\": %.9g,\n", 1e-5 * maker->length);
    if (random_chance(bits, 15))
        random_put(text, "\"tolerance\": %.9g,\n", random_chance(bits, 50) ? 1e-8 : 1e-4);
    if (random_chance(bits, 8))
        random_put(text, "\"substeps\": %d,\n", 2 + random_below(bits, 3));
    bool give = scene->kind == RANDOM_MATERIALS;
    if (give && random_chance(bits, 25))
        random_put(text, "\"law\": \"associated\",\n");
    if (give && random_chance(bits, 15)) {
        random_put(text, "\"rolling\": true,\n");
        scene->active = true; /* docs/scenes.md: energy may rise */
    }
    random_put(text, "\"materials\": {");
    put_material(maker, "default", give);
    random_put(text, ", ");
    put_material(maker, "other", give);
    random_put(text, "}");
    if (give && random_chance(bits, 50)) {
        random_put(text, ",\n\"pairs\": [{\"materials\": [\"default\", \"other\"], \"friction\": %.9g}]",
                   random_between(bits, 0, 2));
    }
    scene->head = text->size;
}

random_scene *random_scene_make(uint64_t seed) {
    return random_scene_make_from(seed, NULL, 0);
}

random_scene *random_scene_make_from(uint64_t seed, const unsigned char *byte, size_t bytes) {
    random_scene *scene = calloc(1, sizeof *scene);
    if (scene == NULL)
        return NULL;
    scene->seed = seed;
    scene->kind = (int)(seed % RANDOM_CLASSES);
    random_maker maker = {.scene = scene, .bits = {seed, byte, bytes}};
    random_next(&maker.bits);
    bool sized = scene->kind == RANDOM_ROWS || scene->kind == RANDOM_THIN;
    maker.length = random_scale(&maker.bits, sized ? 0.01 : 1e-3, sized ? 2 : random_chance(&maker.bits, 20) ? 100 : 2);
    scene->step = maker.step = random_scale(&maker.bits, 1e-3, 0.05);
    scene->steps = 20 + random_below(&maker.bits, 60);
    maker.speed = sqrt(9.81 * maker.length);
    scene->flexible = scene->kind == RANDOM_FLEXIBLE;
    scene->jointed = scene->kind == RANDOM_CHAIN || scene->kind == RANDOM_JOINTS || scene->kind == RANDOM_DRIVES;
    put_head(&maker);
    if (scene->jointed)
        random_make_tied(&maker);
    else if (scene->kind == RANDOM_MESH || scene->flexible)
        random_make_other(&maker);
    else
        random_make_loose(&maker);
    if (scene->text.failed) {
        random_scene_free(scene);
        return NULL;
    }
    return scene;
}

void random_scene_free(random_scene *scene) {
    if (scene != NULL)
        free(scene->text.data);
    free(scene);
}

static bool is_there(const random_scene *scene, const random_item *item) {
    bool there = !item->dropped;
    for (int i = 0; i < 3; i++)
        there = there && (item->needs[i] < 0 || is_there(scene, &scene->item[item->needs[i]]));
    return there;
}

void random_scene_print(const random_scene *scene, random_text *text) {
    static const char *const section[3] = {"bodies", "flexible", "joints"};
    text->size = 0;
    random_put(text, "{\n%.*s,\n\"until\": %.9g", (int)scene->head, scene->text.data,
               (scene->steps - 0.25) * scene->step);
    random_put(text, ",\n\"comment\": \"judged as:%s%s%s%s%s%s;\"", scene->active ? " active" : " passive",
               scene->restitution ? " restitution" : "", scene->stores ? " stores" : "", scene->soft ? " soft" : "",
               scene->jointed ? " jointed" : "", scene->flexible ? " flexible" : "");
    for (int s = 0; s < 3; s++) {
        bool first = true;
        for (int i = 0; i < scene->items; i++) {
            const random_item *item = &scene->item[i];
            if (item->section != s || !is_there(scene, item))
                continue;
            if (first)
                random_put(text, ",\n\"%s\": [\n", section[s]);
            random_put(text, "%s    %.*s", first ? "" : ",\n", (int)(item->end - item->start),
                       scene->text.data + item->start);
            first = false;
        }
        if (!first)
            random_put(text, "\n]");
    }
    random_put(text, "\n}\n");
}
