/*
 * scene_joint.c: joints of a scene, their drives and imposed motions.
 */
#include "io/scene/scene_data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { KEYS_MAX = 100000 };

static const char *const joint_keys[] = {
    "name",   "kind",    "a",       "b",        "position", "rotation",   "axis",   "frame_b", "coordinate",
    "limits", "motor",   "spring",  "friction", "motion",   "compliance", "repeat", "when",    "comment",
    "ratio",  "slide_a", "slide_b", "collide",  "box",      "set",        "carrier"};
static const char *const kind_words[] = {"fixed",          "spherical", "revolute", "prismatic",
                                         "cylindrical",    "universal", "distance", "point_on_line",
                                         "point_on_plane", "free",      "gear",     "weld"};
enum { WELD = CAIRN_JOINT_GEAR + 1 }; /* many joints: scene_flexible.c */
static const char *const coordinate_words[] = {"none", "turn", "slide", "distance"};
static const char *const frame_keys[] = {"position", "rotation", "axis"};
static const char *const motor_keys[] = {"speed", "limit"};
static const char *const spring_keys[] = {"stiffness", "damping", "rest"};

static cairn_body find_end(cairn_reader *r, const cairn_json *v) {
    char name[CAIRN_SCENE_NAME_MAX];
    cairn_body body = {0, 0};
    if (v == NULL)
        return body; /* the world itself */
    cairn_reader_name(r, v, name);
    if (r->status != CAIRN_OK)
        return body;
    int found = cairn_names_find(&r->scene->bodies, name);
    if (found >= 0)
        return (cairn_body){r->scene->bodies.id[found][0], r->scene->bodies.id[found][1]};
    const char *meant = cairn_names_nearest(&r->scene->bodies, name);
    if (meant != NULL)
        cairn_reader_fail(r, v, "there is no body of the name '%.60s'; did you mean '%.60s'?", name, meant);
    else
        cairn_reader_fail(r, v, "there is no body of the name '%.60s'", name);
    return body;
}

/* A number, or null for infinity of this sign. */
static double read_limit(cairn_reader *r, const cairn_json *v, double sign) {
    return v->kind == CAIRN_JSON_NULL ? sign * INFINITY : cairn_reader_number(r, v, CAIRN_RANGE_ANY);
}

static void read_drives(cairn_reader *r, const cairn_json *v, cairn_joint_def *def) {
    const cairn_json *limits = cairn_json_member(v, "limits"), *motor = cairn_json_member(v, "motor");
    const cairn_json *spring = cairn_json_member(v, "spring");
    if (limits != NULL && cairn_reader_list(r, limits, 2, 2, "[low, high], either may be null")) {
        def->limited = true;
        def->low = read_limit(r, limits->first, -1.0);
        def->high = read_limit(r, limits->first->next, 1.0);
        if (r->status == CAIRN_OK && def->low > def->high)
            cairn_reader_fail(r, limits, "expected [low, high] with low not above high, found %.10g and %.10g",
                              def->low, def->high);
    }
    if (motor != NULL && cairn_reader_keys(r, motor, motor_keys, 2)) {
        def->motor = true;
        def->speed = cairn_reader_number_or(r, motor, "speed", CAIRN_RANGE_ANY, 0.0);
        def->motor_limit = cairn_reader_number_or(r, motor, "limit", CAIRN_RANGE_NOT_NEGATIVE, INFINITY);
        if (r->status == CAIRN_OK && cairn_json_member(motor, "limit") == NULL)
            cairn_reader_fail(r, motor, "\"limit\", the largest force or torque, is missing");
    }
    if (spring != NULL && cairn_reader_keys(r, spring, spring_keys, 3)) {
        def->stiffness = cairn_reader_number_or(r, spring, "stiffness", CAIRN_RANGE_NOT_NEGATIVE, 0.0);
        def->damping = cairn_reader_number_or(r, spring, "damping", CAIRN_RANGE_NOT_NEGATIVE, 0.0);
        def->rest = cairn_reader_number_or(r, spring, "rest", CAIRN_RANGE_ANY, 0.0);
    }
    def->friction = cairn_reader_number_or(r, v, "friction", CAIRN_RANGE_NOT_NEGATIVE, 0.0);
    def->compliance = cairn_reader_number_or(r, v, "compliance", CAIRN_RANGE_NOT_NEGATIVE, 0.0);
}

static void read_gear(cairn_reader *r, const cairn_json *v, cairn_joint_def *def) {
    static const char *const key[4] = {"ratio", "slide_a", "slide_b", "carrier"};
    for (int i = 0; i < 4; i++) {
        const cairn_json *found = cairn_json_member(v, key[i]);
        if (found == NULL)
            continue;
        if (def->kind != CAIRN_JOINT_GEAR)
            cairn_reader_fail_key(r, found, "\"%s\" belongs to joints of the kind \"gear\"", key[i]);
        else if (i == 0)
            def->ratio = cairn_reader_number(r, found, CAIRN_RANGE_ANY);
        else if (i == 3)
            def->carrier = find_end(r, found);
        else
            *(i == 1 ? &def->slide_a : &def->slide_b) = cairn_reader_bool(r, found);
    }
}

/* Slopes at the keys: see scene_drive.c. */
static void set_slopes(cairn_motion *m) {
    for (int i = 1; i + 1 < m->keys; i++) {
        double h0 = m->time[i] - m->time[i - 1], h1 = m->time[i + 1] - m->time[i];
        double d0 = (m->value[i] - m->value[i - 1]) / h0, d1 = (m->value[i + 1] - m->value[i]) / h1;
        double w0 = 2.0 * h1 + h0, w1 = h1 + 2.0 * h0;
        m->slope[i] = d0 * d1 > 0.0 ? (w0 + w1) / (w0 / d0 + w1 / d1) : 0.0;
    }
}

static void read_keys(cairn_reader *r, const cairn_json *v, cairn_motion *m) {
    if (!cairn_reader_list(r, v, 1, KEYS_MAX, "keyframes [[time, value], ...]"))
        return;
    size_t count = (size_t)v->count;
    m->time = cairn_alloc(r->context, count, sizeof *m->time);
    m->value = cairn_alloc(r->context, count, sizeof *m->value);
    m->slope = cairn_alloc(r->context, count, sizeof *m->slope);
    if (m->time == NULL || m->value == NULL || m->slope == NULL) {
        r->status = CAIRN_ERROR_MEMORY;
        return;
    }
    for (const cairn_json *key = v->first; key != NULL; key = key->next) {
        if (!cairn_reader_list(r, key, 2, 2, "a keyframe [time, value]"))
            return;
        int i = key->index;
        m->time[i] = cairn_reader_number(r, key->first, CAIRN_RANGE_ANY);
        m->value[i] = cairn_reader_number(r, key->first->next, CAIRN_RANGE_ANY);
        if (r->status == CAIRN_OK && i > 0 && !(m->time[i] > m->time[i - 1]))
            cairn_reader_fail(r, key, "keyframes must go forward in time: %.10g s comes after %.10g s", m->time[i],
                              m->time[i - 1]);
    }
    m->keys = v->count;
    set_slopes(m);
}

cairn_motion *cairn_reader_motion(cairn_reader *r, const cairn_json *v) {
    cairn_scene *s = r->scene;
    if (!cairn_reader_grow(r, &s->motion, s->motions, &s->motion_capacity, sizeof *s->motion))
        return NULL;
    cairn_motion *m = cairn_alloc(r->context, 1, sizeof *m);
    if (m == NULL) {
        r->status = CAIRN_ERROR_MEMORY;
        return NULL;
    }
    s->motion[s->motions++] = m;
    if (v->kind == CAIRN_JSON_ARRAY)
        read_keys(r, v, m);
    else
        cairn_reader_formula(r, v, &m->formula);
    return r->status == CAIRN_OK ? m : NULL;
}

static void add_joint(cairn_reader *r, const cairn_json *v, cairn_pose place, int number, void *user) {
    (void)user;
    const cairn_json *kind = cairn_json_member(v, "kind"), *when = cairn_json_member(v, "when");
    const cairn_json *other = cairn_json_member(v, "frame_b"), *motion = cairn_json_member(v, "motion");
    const cairn_json *coordinate = cairn_json_member(v, "coordinate"), *collide = cairn_json_member(v, "collide");
    if (when != NULL && cairn_reader_number(r, when, CAIRN_RANGE_ANY) == 0.0)
        return;
    cairn_joint_def def = cairn_default_joint_def();
    cairn_joint joint;
    int chosen = 0;
    if (kind == NULL)
        cairn_reader_fail(r, v, "\"kind\" is missing");
    else
        chosen = cairn_reader_choice(r, kind, kind_words, sizeof kind_words / sizeof *kind_words);
    def.a = find_end(r, cairn_json_member(v, "a"));
    def.b = find_end(r, cairn_json_member(v, "b"));
    if (chosen == WELD) {
        cairn_reader_weld(r, v, def.a, def.b);
        return;
    }
    def.kind = (cairn_joint_kind)chosen;
    for (int i = 0; i < 2; i++) {
        static const char *const key[2] = {"box", "set"};
        const cairn_json *nodes = cairn_json_member(v, key[i]);
        if (nodes != NULL)
            cairn_reader_fail_key(r, nodes, "\"%s\" belongs to joints of the kind \"weld\"", key[i]);
    }
    def.frame = cairn_pose_multiply(place, cairn_reader_pose(r, v));
    if (other != NULL && cairn_reader_keys(r, other, frame_keys, 3)) {
        def.has_frame_b = true;
        def.frame_b = cairn_pose_multiply(place, cairn_reader_pose(r, other));
    }
    if (coordinate != NULL)
        def.coordinate = (cairn_coordinate)cairn_reader_choice(r, coordinate, coordinate_words, 4);
    else /* a hinge turns and a slider slides: they have no other */
        def.coordinate = def.kind == CAIRN_JOINT_REVOLUTE    ? CAIRN_COORDINATE_TURN
                         : def.kind == CAIRN_JOINT_PRISMATIC ? CAIRN_COORDINATE_SLIDE
                                                             : CAIRN_COORDINATE_NONE;
    read_drives(r, v, &def);
    read_gear(r, v, &def);
    if (collide != NULL)
        def.collide = cairn_reader_bool(r, collide);
    if (motion != NULL) {
        def.motion = cairn_motion_at;
        def.motion_user = cairn_reader_motion(r, motion);
    }
    if (r->status != CAIRN_OK)
        return;
    cairn_status status = cairn_world_add_joint(r->scene->world, &def, &joint);
    if (status == CAIRN_OK)
        cairn_reader_enter(r, v, "joint", &r->scene->joints, number, joint.slot, joint.generation);
    else
        cairn_reader_fail_inside(r, v, status);
}

void cairn_reader_joints(cairn_reader *r, const cairn_json *list) {
    if (!cairn_reader_list(r, list, 0, CAIRN_SCENE_BODIES_MAX, "a list of joints"))
        return;
    for (const cairn_json *v = list->first; v != NULL && r->status == CAIRN_OK; v = v->next)
        if (cairn_reader_keys(r, v, joint_keys, sizeof joint_keys / sizeof *joint_keys))
            cairn_reader_repeat(r, v, add_joint, NULL);
}
