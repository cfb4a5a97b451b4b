/*
 * scene_shape.c: shapes of a scene: {"box": {"size": [x, y, z]}} and the like, or the name of a
 * shared one.
 */
#include "io/scene/scene_data.h"

#include <string.h>

enum { CHILDREN_MAX = 10000, DEPTH_MAX = 64 };

static const char *const kinds[] = {"sphere", "box",  "capsule", "cylinder", "cone",     "hull",
                                    "plane",  "mesh", "pieces",  "compound", "ellipsoid"};
enum { SPHERE, BOX, CAPSULE, CYLINDER, CONE, HULL, PLANE, MESH, PIECES, COMPOUND, ELLIPSOID, KINDS };
enum { KEYS = 4 };

static const char *const keys[KINDS][KEYS] = {{"radius"},
                                              {"size"},
                                              {"radius", "length"},
                                              {"radius", "height"},
                                              {"radius", "height"},
                                              {"points", "file", "scale", "repeat"},
                                              {NULL},
                                              {"points", "triangles", "file", "scale"},
                                              {"file", "scale"},
                                              {"children"},
                                              {"size"}};
static const char *const child_keys[] = {"shape", "position", "rotation", "axis"};

const cairn_json *cairn_reader_need(cairn_reader *r, const cairn_json *v, const char *key) {
    const cairn_json *found = cairn_json_member(v, key);
    if (found == NULL)
        cairn_reader_fail(r, v, "\"%s\" is missing", key);
    return found;
}

static double length_of(cairn_reader *r, const cairn_json *v, const char *key) {
    const cairn_json *found = cairn_reader_need(r, v, key);
    return found != NULL ? cairn_reader_number(r, found, CAIRN_RANGE_POSITIVE) : 1.0;
}

static cairn_status make_compound(cairn_reader *r, const cairn_json *v, cairn_shape **shape) {
    const cairn_json *list = cairn_reader_need(r, v, "children");
    if (list == NULL || !cairn_reader_list(r, list, 1, CHILDREN_MAX, "a list of {\"shape\", \"position\", ...}"))
        return CAIRN_OK;
    cairn_shape **child = cairn_alloc(r->context, (size_t)list->count, sizeof *child);
    cairn_pose *pose = cairn_alloc(r->context, (size_t)list->count, sizeof *pose);
    cairn_status status = CAIRN_OK;
    if (child == NULL || pose == NULL)
        r->status = CAIRN_ERROR_MEMORY;
    for (const cairn_json *c = list->first; c != NULL && r->status == CAIRN_OK; c = c->next)
        if (cairn_reader_keys(r, c, child_keys, sizeof child_keys / sizeof *child_keys)) {
            const cairn_json *inner = cairn_reader_need(r, c, "shape");
            pose[c->index] = cairn_reader_pose(r, c);
            child[c->index] = inner != NULL ? cairn_reader_shape(r, inner) : NULL;
        }
    if (r->status == CAIRN_OK)
        status = cairn_shape_compound(r->context, list->count, child, pose, shape);
    for (int i = 0; child != NULL && i < list->count; i++)
        cairn_shape_release(child[i]);
    cairn_free(r->context, child);
    cairn_free(r->context, pose);
    return status;
}

static cairn_status make(cairn_reader *r, const cairn_json *v, int kind, cairn_shape **shape) {
    double radius = 1.0, along = 1.0;
    if (kind == SPHERE || kind == CAPSULE || kind == CYLINDER || kind == CONE)
        radius = length_of(r, v, "radius");
    if (kind == CAPSULE)
        along = length_of(r, v, "length");
    if (kind == CYLINDER || kind == CONE)
        along = length_of(r, v, "height");
    const cairn_json *size = kind == BOX || kind == ELLIPSOID ? cairn_reader_need(r, v, "size") : NULL;
    cairn_vec3 edges = size != NULL ? cairn_reader_vec3(r, size, CAIRN_RANGE_POSITIVE) : cairn_vec3_of(1, 1, 1);
    if (r->status != CAIRN_OK)
        return CAIRN_OK;
    switch (kind) {
    case SPHERE:
        return cairn_shape_sphere(r->context, radius, shape);
    case BOX:
        return cairn_shape_box(r->context, cairn_vec3_scale(0.5, edges), shape);
    case ELLIPSOID:
        return cairn_shape_ellipsoid(r->context, cairn_vec3_scale(0.5, edges), shape);
    case CAPSULE:
        return cairn_shape_capsule(r->context, radius, 0.5 * along, shape);
    case CYLINDER:
        return cairn_shape_cylinder(r->context, radius, 0.5 * along, shape);
    case CONE:
        return cairn_shape_cone(r->context, radius, along, shape);
    case HULL:
        return cairn_reader_hull(r, v, shape);
    case MESH:
        return cairn_reader_mesh(r, v, shape);
    case PIECES:
        return cairn_reader_pieces(r, v, shape);
    case COMPOUND:
        return make_compound(r, v, shape);
    default:
        return cairn_shape_plane(r->context, shape);
    }
}

static cairn_shape *read_inline(cairn_reader *r, const cairn_json *v) {
    if (!cairn_reader_keys(r, v, kinds, KINDS))
        return NULL;
    if (v->count != 1) {
        cairn_reader_fail(r, v, "expected exactly one shape, as in {\"sphere\": {\"radius\": 1}}; found %d", v->count);
        return NULL;
    }
    const cairn_json *inner = v->first;
    int kind = 0, count = 0;
    while (strcmp(kinds[kind], inner->key) != 0)
        kind++;
    while (count < KEYS && keys[kind][count] != NULL)
        count++;
    if (!cairn_reader_keys(r, inner, keys[kind], count))
        return NULL;
    cairn_shape *shape = NULL;
    cairn_status status = make(r, inner, kind, &shape);
    if (status != CAIRN_OK)
        cairn_reader_fail_inside(r, inner, status);
    return shape;
}

void cairn_reader_shapes(cairn_reader *r) {
    for (int d = 0; d < r->scene->documents; d++) {
        const cairn_json *all = cairn_json_member(cairn_json_root(r->scene->document[d]), "shapes");
        if (all != NULL && all->kind != CAIRN_JSON_OBJECT)
            cairn_reader_fail(r, all, "expected an object {name: shape, ...}");
        for (const cairn_json *v = all != NULL ? all->first : NULL; v != NULL && r->status == CAIRN_OK; v = v->next)
            if (cairn_reader_grow(r, &r->shape, r->shapes, &r->shape_capacity, sizeof *r->shape))
                r->shape[r->shapes++] = (cairn_named_shape){.node = v};
    }
    /* All of them, so that a mistake in an unused one is found too. */
    for (int i = 0; i < r->shapes && r->status == CAIRN_OK; i++) {
        cairn_named_shape *s = &r->shape[i];
        if (s->shape == NULL) {
            s->building = true;
            s->shape = cairn_reader_shape(r, s->node);
            s->building = false;
        }
    }
}

static cairn_shape *read_named(cairn_reader *r, const cairn_json *v) {
    const char *known[64];
    int count = 0;
    for (int i = 0; i < r->shapes; i++) {
        cairn_named_shape *s = &r->shape[i];
        if (strcmp(s->node->key, v->text) == 0) {
            if (s->building) {
                cairn_reader_fail(r, v, "the shape '%.40s' contains itself", v->text);
                return NULL;
            }
            if (s->shape == NULL) {
                s->building = true;
                s->shape = cairn_reader_shape(r, s->node);
                s->building = false;
            }
            if (s->shape != NULL)
                cairn_shape_retain(s->shape);
            return s->shape;
        }
        if (count < 64)
            known[count++] = s->node->key;
    }
    const char *meant = cairn_nearest(v->text, known, count);
    if (meant != NULL)
        cairn_reader_fail(r, v, "the scene has no shape '%.40s'; did you mean '%.40s'?", v->text, meant);
    else
        cairn_reader_fail(r, v, "the scene has no shape '%.40s' in \"shapes\"", v->text);
    return NULL;
}

cairn_shape *cairn_reader_shape(cairn_reader *r, const cairn_json *v) {
    if (r->status != CAIRN_OK)
        return NULL;
    if (r->depth == DEPTH_MAX) {
        cairn_reader_fail(r, v, "shapes inside shapes, more than %d deep", DEPTH_MAX);
        return NULL;
    }
    r->depth++;
    cairn_shape *shape = v->kind == CAIRN_JSON_STRING ? read_named(r, v) : read_inline(r, v);
    r->depth--;
    return shape;
}
