/*
 * scene_body.c: bodies of a scene.
 */
#include "io/scene/scene_data.h"

#include <stdio.h>
#include <string.h>

static const char *const body_keys[] = {
    "name",     "kind",     "shape", "density",  "mass",      "inertia",          "center",
    "position", "rotation", "axis",  "velocity", "material",  "angular_velocity", "force",
    "torque",   "repeat",   "when",  "comment",  "mass_shape"};
static const char *const kind_words[] = {"dynamic", "fixed", "kinematic"};

/* What copies of one description share. */
typedef struct sharing {
    cairn_shape *shape; /* kept when it does not depend on an index */
} sharing;

/* [xx, yy, zz] or three rows. */
static cairn_mat3 read_inertia(cairn_reader *r, const cairn_json *v) {
    cairn_mat3 J = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    if (!cairn_reader_list(r, v, 3, 3, "the inertia [xx, yy, zz] or three rows of a symmetric matrix, kg m^2"))
        return J;
    bool rows = v->first->kind == CAIRN_JSON_ARRAY;
    for (const cairn_json *item = v->first; item != NULL; item = item->next) {
        int i = item->index;
        if (rows) {
            cairn_vec3 a = cairn_reader_vec3(r, item, CAIRN_RANGE_ANY);
            J.m[i][0] = a.x;
            J.m[i][1] = a.y;
            J.m[i][2] = a.z;
        } else {
            J.m[i][i] = cairn_reader_number(r, item, CAIRN_RANGE_POSITIVE);
        }
    }
    if (r->status == CAIRN_OK && (J.m[0][1] != J.m[1][0] || J.m[0][2] != J.m[2][0] || J.m[1][2] != J.m[2][1]))
        cairn_reader_fail(r, v, "the inertia is not symmetric");
    return J;
}

/* Mass, centre and inertia where the scene gives them; the rest from the shape, or from another
 * one that says how matter is spread ("mass_shape"). True: def->mass is to be used. */
static bool read_mass(cairn_reader *r, const cairn_json *v, cairn_shape *solid, cairn_body_def *def, cairn_mass *mass) {
    const cairn_json *given = cairn_json_member(v, "mass"), *density = cairn_json_member(v, "density");
    const cairn_json *inertia = cairn_json_member(v, "inertia"), *center = cairn_json_member(v, "center");
    if (given != NULL && density != NULL) {
        cairn_reader_fail_key(r, density, "\"mass\" and \"density\" are both given: one is enough");
        return false;
    }
    def->density = cairn_reader_number_or(r, v, "density", CAIRN_RANGE_POSITIVE, def->density);
    double kilograms = cairn_reader_number_or(r, v, "mass", CAIRN_RANGE_POSITIVE, 0.0);
    if (r->status != CAIRN_OK || def->kind != CAIRN_BODY_DYNAMIC)
        return false;
    *mass = (cairn_mass){0};
    if (solid != NULL && (given == NULL || inertia == NULL)) {
        cairn_status status = cairn_shape_mass(solid, def->density, mass);
        if (status != CAIRN_OK)
            cairn_reader_fail_inside(r, v, status);
        double scale = given != NULL ? kilograms / mass->mass : 1.0;
        for (int i = 0; i < 9; i++)
            mass->inertia.m[i / 3][i % 3] *= scale;
        mass->mass *= scale;
    } else if (given == NULL || inertia == NULL) {
        cairn_reader_fail(r, v, "a body without a shape needs \"mass\" and \"inertia\"");
    } else {
        mass->mass = kilograms;
    }
    if (inertia != NULL)
        mass->inertia = read_inertia(r, inertia);
    if (center != NULL)
        mass->center = cairn_reader_vec3(r, center, CAIRN_RANGE_ANY);
    return r->status == CAIRN_OK;
}

/* Whoever gives a mass means a body that moves. */
static bool has_mass(const cairn_json *v) {
    return cairn_json_member(v, "mass") != NULL || cairn_json_member(v, "density") != NULL ||
           cairn_json_member(v, "inertia") != NULL;
}

/* Planes and meshes are fixed unless the scene says otherwise. */
static void read_kind(cairn_reader *r, const cairn_json *v, cairn_body_def *def) {
    const cairn_json *kind = cairn_json_member(v, "kind");
    cairn_shape_kind shape = def->shape != NULL ? cairn_shape_kind_of(def->shape) : CAIRN_SHAPE_SPHERE;
    if (kind != NULL)
        def->kind = (cairn_body_kind)cairn_reader_choice(r, kind, kind_words, 3);
    else if ((shape == CAIRN_SHAPE_PLANE || shape == CAIRN_SHAPE_MESH) && !has_mass(v))
        def->kind = CAIRN_BODY_FIXED;
    if (r->status == CAIRN_OK && def->kind == CAIRN_BODY_DYNAMIC && shape == CAIRN_SHAPE_MESH)
        cairn_reader_fail(
            r, kind != NULL ? kind : v,
            "a mesh can only be fixed or kinematic; a dynamic body needs convex pieces: \"pieces\" (an OBJ file "
            "with one object a piece), a \"compound\" of hulls, or a \"hull\" if its hollows do not matter");
}

void cairn_reader_vector_formula(cairn_reader *r, const cairn_json *v, cairn_formula formula[3]) {
    if (!cairn_reader_list(r, v, 3, 3, "a list of three numbers [x, y, z]"))
        return;
    for (const cairn_json *item = v->first; item != NULL; item = item->next)
        cairn_reader_formula(r, item, &formula[item->index]);
}

/* Velocities of a kinematic body may depend on t; so may forces and torques on a dynamic one. */
static void read_load(cairn_reader *r, const cairn_json *v, const cairn_body_def *def, cairn_body body) {
    cairn_scene *s = r->scene;
    bool moves = def->kind == CAIRN_BODY_KINEMATIC;
    const cairn_json *force = cairn_json_member(v, "force"), *torque = cairn_json_member(v, "torque");
    const cairn_json *linear = moves ? cairn_json_member(v, "velocity") : force;
    const cairn_json *angular = moves ? cairn_json_member(v, "angular_velocity") : torque;
    if (def->kind != CAIRN_BODY_DYNAMIC && (force != NULL || torque != NULL))
        cairn_reader_fail_key(r, force != NULL ? force : torque, "only a dynamic body can be pushed");
    if ((linear == NULL && angular == NULL) || def->kind == CAIRN_BODY_FIXED ||
        !cairn_reader_grow(r, &s->load, s->loads, &s->load_capacity, sizeof *s->load))
        return;
    cairn_scene_drive *load = &s->load[s->loads++];
    *load = (cairn_scene_drive){.body = body, .moves = moves};
    if (linear != NULL)
        cairn_reader_vector_formula(r, linear, load->linear);
    if (angular != NULL)
        cairn_reader_vector_formula(r, angular, load->angular);
}

static cairn_shape *read_shape(cairn_reader *r, const cairn_json *v, sharing *shared) {
    const cairn_json *given = cairn_json_member(v, "shape");
    if (given == NULL)
        return NULL;
    if (shared->shape != NULL) {
        cairn_shape_retain(shared->shape);
        return shared->shape;
    }
    int before = r->used;
    r->used = 0;
    cairn_shape *shape = cairn_reader_shape(r, given);
    if (shape != NULL && (r->used & CAIRN_VARIABLE_INDEX) == 0) {
        cairn_shape_retain(shape);
        shared->shape = shape;
    }
    r->used |= before;
    return shape;
}

/* Position and velocities; those of a kinematic body at t = 0, the rest is for read_load. */
static void read_motion(cairn_reader *r, const cairn_json *v, cairn_pose place, cairn_body_def *def) {
    const cairn_json *velocity = cairn_json_member(v, "velocity"), *spin = cairn_json_member(v, "angular_velocity");
    int before = r->scene->variables;
    def->pose = cairn_pose_multiply(place, cairn_reader_pose(r, v));
    def->pose.rotation = cairn_quat_unit(def->pose.rotation);
    if (def->kind == CAIRN_BODY_KINEMATIC)
        cairn_reader_push(r, "t", 0.0, CAIRN_VARIABLE_TIME);
    if (velocity != NULL)
        def->velocity = cairn_reader_vec3(r, velocity, CAIRN_RANGE_ANY);
    if (spin != NULL)
        def->angular_velocity = cairn_reader_vec3(r, spin, CAIRN_RANGE_ANY);
    r->scene->variables = before;
    bool goes = cairn_vec3_length(def->velocity) > 0.0, turns = cairn_vec3_length(def->angular_velocity) > 0.0;
    if (def->kind == CAIRN_BODY_FIXED && (goes || turns))
        cairn_reader_fail_key(r, goes ? velocity : spin,
                              "a fixed body does not move; one of \"kind\": \"kinematic\" moves as its velocity says");
}

static void add_body(cairn_reader *r, const cairn_json *v, cairn_pose place, int number, void *user) {
    const cairn_json *when = cairn_json_member(v, "when"), *material = cairn_json_member(v, "material");
    if (when != NULL && cairn_reader_number(r, when, CAIRN_RANGE_ANY) == 0.0)
        return;
    cairn_body_def def = cairn_default_body_def();
    cairn_mass mass;
    cairn_body body;
    def.shape = read_shape(r, v, user);
    read_kind(r, v, &def);
    read_motion(r, v, place, &def);
    const cairn_json *solid = cairn_json_member(v, "mass_shape");
    cairn_shape *other = solid != NULL ? cairn_reader_shape(r, solid) : NULL;
    if (read_mass(r, v, other != NULL ? other : def.shape, &def, &mass))
        def.mass = &mass;
    cairn_shape_release(other);
    for (int i = 0; i < r->materials && material == NULL; i++)
        if (strcmp(r->material[i].name, "default") == 0)
            def.material = r->material[i].material;
    const cairn_named_material *own = material != NULL ? cairn_reader_material(r, material) : NULL;
    if (own != NULL)
        def.material = own->material;
    if (r->status == CAIRN_OK) {
        cairn_status status = cairn_world_add_body(r->scene->world, &def, &body);
        if (status == CAIRN_OK) {
            cairn_reader_enter(r, v, "body", &r->scene->bodies, number, body.slot, body.generation);
            read_load(r, v, &def, body);
        } else {
            cairn_reader_fail_inside(r, v, status);
        }
    }
    cairn_shape_release(def.shape);
}

void cairn_reader_bodies(cairn_reader *r, const cairn_json *list) {
    if (!cairn_reader_list(r, list, 0, CAIRN_SCENE_BODIES_MAX, "a list of bodies"))
        return;
    for (const cairn_json *v = list->first; v != NULL && r->status == CAIRN_OK; v = v->next) {
        sharing shared = {0};
        if (cairn_reader_keys(r, v, body_keys, sizeof body_keys / sizeof *body_keys))
            cairn_reader_repeat(r, v, add_body, &shared);
        cairn_shape_release(shared.shape);
    }
}
