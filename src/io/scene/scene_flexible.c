/*
 * scene_flexible.c: flexible parts of a scene: meshes, elastic materials, nodes that are held, and
 * welds.
 *
 * Nodes are named by a box in the frame of the mesh, before the part is placed, or by a set that
 * the mesh has. A point that lies on the side of a box belongs to it.
 */
#include "io/scene/scene_data.h"

#include <cairn/io.h>
#include <math.h>
#include <string.h>

enum { CELLS_MAX = 1000, POINTS_MAX = 100000, ELASTICS_MAX = 64, HOLDS_MAX = 1000000 };

static const char *const part_keys[] = {"name",     "mesh",     "elastic",   "position", "rotation", "axis",
                                        "velocity", "material", "thickness", "hold",     "repeat",   "angular_velocity",
                                        "when",     "comment",  "force",     "gravity",  "load"};
static const char *const mesh_kinds[] = {"box", "cylinder", "sphere", "line", "file"};
static const char *const box_keys[] = {"edge", "cells", "element", "tetrahedra"};
static const char *const cylinder_keys[] = {"radius", "height", "cells", "along", "element"};
static const char *const sphere_keys[] = {"radius", "cells", "element"};
static const char *const line_keys[] = {"points", "cells"};
static const char *const file_keys[] = {"path", "scale"};
static const char *const element_words[] = {"tet4", "tet10", "hex8"};
static const char *const elastic_keys[] = {"E",    "nu",      "density", "damping", "damping_mass", "law",
                                           "mass", "tangent", "radius",  "yield",   "hardening",    "comment"};
static const char *const law_words[] = {"corotational", "linear", "svk", "neo_hookean"};
static const char *const mass_words[] = {"lumped", "consistent"};
static const char *const tangent_words[] = {"projected", "exact"};
static const char *const hold_keys[] = {"box", "set", "free", "clamp", "motion", "comment"};

/* What copies of one description share. */
typedef struct sharing {
    cairn_fem_mesh *mesh; /* kept when it does not depend on an index */
} sharing;

/* ---- meshes ---- */

/* Whether v, or one of a list, has the key. */
static bool yields(const cairn_json *v) {
    for (const cairn_json *e = v != NULL && v->kind == CAIRN_JSON_ARRAY ? v->first : NULL; e != NULL; e = e->next)
        if (cairn_json_member(e, "yield") != NULL)
            return true;
    return v != NULL && cairn_json_member(v, "yield") != NULL;
}

/* By default bricks, which bend; parts that flow are made of linear tetrahedra, which are all
 * that can. */
static cairn_element_kind read_element(cairn_reader *r, const cairn_json *v) {
    const cairn_json *given = cairn_json_member(v, "element"), *part = v->parent->parent;
    if (given != NULL)
        return (cairn_element_kind)cairn_reader_choice(r, given, element_words, 3);
    return yields(cairn_json_member(part, "elastic")) ? CAIRN_ELEMENT_TET4 : CAIRN_ELEMENT_HEX8;
}

static double need_length(cairn_reader *r, const cairn_json *v, const char *key) {
    const cairn_json *found = cairn_reader_need(r, v, key);
    return found != NULL ? cairn_reader_number(r, found, CAIRN_RANGE_POSITIVE) : 1.0;
}

static int need_cells(cairn_reader *r, const cairn_json *v, const char *key) {
    const cairn_json *found = cairn_reader_need(r, v, key);
    return found != NULL ? cairn_reader_count(r, found, 1, CELLS_MAX) : 1;
}

static cairn_status read_box(cairn_reader *r, const cairn_json *v, cairn_fem_mesh **mesh) {
    int cells[3] = {1, 1, 1};
    if (!cairn_reader_keys(r, v, box_keys, 4))
        return r->status;
    const cairn_json *pieces = cairn_json_member(v, "tetrahedra");
    const cairn_json *edge = cairn_reader_need(r, v, "edge"), *list = cairn_reader_need(r, v, "cells");
    if (edge == NULL || list == NULL || !cairn_reader_list(r, list, 3, 3, "cells along each edge [nx, ny, nz]"))
        return r->status;
    for (const cairn_json *c = list->first; c != NULL; c = c->next)
        cells[c->index] = cairn_reader_count(r, c, 1, CELLS_MAX);
    cairn_vec3 size = cairn_reader_vec3(r, edge, CAIRN_RANGE_POSITIVE);
    cairn_element_kind kind = read_element(r, v);
    bool six = pieces != NULL && cairn_reader_count(r, pieces, 5, 6) == 6;
    if (r->status != CAIRN_OK)
        return r->status;
    return six ? cairn_fem_mesh_box_of_six(r->context, kind, size, cells, mesh)
               : cairn_fem_mesh_box(r->context, kind, size, cells, mesh);
}

static cairn_status read_round(cairn_reader *r, const cairn_json *v, bool ball, cairn_fem_mesh **mesh) {
    if (!cairn_reader_keys(r, v, ball ? sphere_keys : cylinder_keys, ball ? 3 : 5))
        return r->status;
    double radius = need_length(r, v, "radius"), height = ball ? 1.0 : need_length(r, v, "height");
    int cells = need_cells(r, v, "cells"), along = ball ? 1 : need_cells(r, v, "along");
    cairn_element_kind kind = read_element(r, v);
    if (r->status != CAIRN_OK)
        return r->status;
    return ball ? cairn_fem_mesh_sphere(r->context, kind, radius, cells, mesh)
                : cairn_fem_mesh_cylinder(r->context, kind, radius, height, cells, along, mesh);
}

/* Beams along a line of points; each stretch between two is cut into cells. */
static cairn_status read_line(cairn_reader *r, const cairn_json *v, cairn_fem_mesh **mesh) {
    if (!cairn_reader_keys(r, v, line_keys, 2))
        return r->status;
    const cairn_json *list = cairn_reader_need(r, v, "points"), *given = cairn_json_member(v, "cells");
    int cells = given != NULL ? cairn_reader_count(r, given, 1, CELLS_MAX) : 1, made = 0;
    if (list == NULL || !cairn_reader_list(r, list, 2, POINTS_MAX, "points [[x, y, z], ...] of a line"))
        return r->status;
    cairn_vec3 *point = cairn_alloc(r->context, (size_t)(list->count - 1) * (size_t)cells + 1, sizeof *point);
    if (point == NULL)
        return r->status = CAIRN_ERROR_MEMORY;
    for (const cairn_json *p = list->first; p != NULL; p = p->next) {
        cairn_vec3 to = cairn_reader_vec3(r, p, CAIRN_RANGE_ANY), from = made > 0 ? point[made - 1] : to;
        for (int k = made > 0 ? 1 : cells; k <= cells; k++)
            point[made++] = cairn_vec3_add_scaled(from, (double)k / cells, cairn_vec3_sub(to, from));
    }
    cairn_status status = r->status == CAIRN_OK ? cairn_fem_mesh_line(r->context, made, point, mesh) : r->status;
    cairn_free(r->context, point);
    return status;
}

static cairn_status read_file(cairn_reader *r, const cairn_json *v, cairn_fem_mesh **mesh) {
    char path[CAIRN_SCENE_PATH_MAX];
    if (!cairn_reader_keys(r, v, file_keys, 2))
        return r->status;
    const cairn_json *name = cairn_reader_need(r, v, "path");
    double scale = cairn_reader_number_or(r, v, "scale", CAIRN_RANGE_POSITIVE, 1.0);
    if (name == NULL || !cairn_reader_path(r, name, path))
        return r->status;
    return cairn_fem_mesh_read(r->context, path, scale, mesh);
}

static cairn_fem_mesh *make_mesh(cairn_reader *r, const cairn_json *v) {
    cairn_fem_mesh *mesh = NULL;
    if (!cairn_reader_keys(r, v, mesh_kinds, 5))
        return NULL;
    if (v->count != 1) {
        cairn_reader_fail(r, v, "a mesh is one of box, cylinder, sphere, line, file");
        return NULL;
    }
    const cairn_json *inside = v->first;
    cairn_status status = strcmp(inside->key, "box") == 0        ? read_box(r, inside, &mesh)
                          : strcmp(inside->key, "cylinder") == 0 ? read_round(r, inside, false, &mesh)
                          : strcmp(inside->key, "sphere") == 0   ? read_round(r, inside, true, &mesh)
                          : strcmp(inside->key, "line") == 0     ? read_line(r, inside, &mesh)
                                                                 : read_file(r, inside, &mesh);
    if (status != CAIRN_OK && r->status == CAIRN_OK)
        cairn_reader_fail_inside(r, inside, status);
    return mesh;
}

static cairn_fem_mesh *read_mesh(cairn_reader *r, const cairn_json *v, sharing *shared) {
    const cairn_json *given = cairn_reader_need(r, v, "mesh");
    if (given == NULL)
        return NULL;
    if (shared->mesh != NULL) {
        cairn_fem_mesh_retain(shared->mesh);
        return shared->mesh;
    }
    int before = r->used;
    r->used = 0;
    cairn_fem_mesh *mesh = make_mesh(r, given);
    if (mesh != NULL && (r->used & CAIRN_VARIABLE_INDEX) == 0) {
        cairn_fem_mesh_retain(mesh);
        shared->mesh = mesh;
    }
    r->used |= before;
    return mesh;
}

/* ---- elastic materials ---- */

static void read_elastic(cairn_reader *r, const cairn_json *v, cairn_fem_material *e) {
    *e = cairn_default_fem_material();
    if (!cairn_reader_keys(r, v, elastic_keys, sizeof elastic_keys / sizeof *elastic_keys))
        return;
    const cairn_json *law = cairn_json_member(v, "law"), *mass = cairn_json_member(v, "mass");
    const cairn_json *tangent = cairn_json_member(v, "tangent");
    e->E = cairn_reader_number_or(r, v, "E", CAIRN_RANGE_POSITIVE, e->E);
    e->nu = cairn_reader_number_or(r, v, "nu", CAIRN_RANGE_ANY, e->nu);
    e->density = cairn_reader_number_or(r, v, "density", CAIRN_RANGE_POSITIVE, e->density);
    e->damping_stiffness = cairn_reader_number_or(r, v, "damping", CAIRN_RANGE_NOT_NEGATIVE, e->damping_stiffness);
    e->damping_mass = cairn_reader_number_or(r, v, "damping_mass", CAIRN_RANGE_NOT_NEGATIVE, e->damping_mass);
    e->radius = cairn_reader_number_or(r, v, "radius", CAIRN_RANGE_POSITIVE, e->radius);
    e->yield = cairn_reader_number_or(r, v, "yield", CAIRN_RANGE_POSITIVE, e->yield);
    e->hardening = cairn_reader_number_or(r, v, "hardening", CAIRN_RANGE_NOT_NEGATIVE, e->hardening);
    if (law != NULL)
        e->law = (cairn_fem_law)cairn_reader_choice(r, law, law_words, 4);
    if (mass != NULL)
        e->consistent = cairn_reader_choice(r, mass, mass_words, 2) == 1;
    if (tangent != NULL)
        e->project = cairn_reader_choice(r, tangent, tangent_words, 2) == 0;
}

/* One material, or a list by the groups of the mesh. Returns how many. */
static int read_elastics(cairn_reader *r, const cairn_json *v, cairn_fem_material *elastic) {
    const cairn_json *given = cairn_json_member(v, "elastic");
    int count = 0;
    if (given == NULL) {
        elastic[0] = cairn_default_fem_material();
        return 1;
    }
    if (given->kind != CAIRN_JSON_ARRAY) {
        read_elastic(r, given, &elastic[0]);
        return 1;
    }
    if (!cairn_reader_list(r, given, 1, ELASTICS_MAX, "elastic materials, one per group of the mesh"))
        return 0;
    for (const cairn_json *e = given->first; e != NULL; e = e->next)
        read_elastic(r, e, &elastic[count++]);
    return count;
}

/* ---- nodes ---- */

static bool inside(const cairn_vec3 corner[2], cairn_vec3 p) {
    const double low[3] = {corner[0].x, corner[0].y, corner[0].z}, high[3] = {corner[1].x, corner[1].y, corner[1].z};
    const double at[3] = {p.x, p.y, p.z};
    for (int i = 0; i < 3; i++) {
        double slack = 1e-9 * fmax(1.0, fabs(at[i]));
        if (!(at[i] >= fmin(low[i], high[i]) - slack && at[i] <= fmax(low[i], high[i]) + slack))
            return false;
    }
    return true;
}

/* The nodes that v names by "box" or "set", for the caller to free; *count > 0. NULL after a
 * failure. */
int *cairn_reader_nodes(cairn_reader *r, const cairn_json *v, const cairn_fem_mesh_view *m, int *count) {
    const cairn_json *box = cairn_json_member(v, "box"), *set = cairn_json_member(v, "set");
    *count = 0;
    if ((box == NULL) == (set == NULL)) {
        cairn_reader_fail(r, v, "which nodes? Give \"box\": [[x, y, z], [x, y, z]] in the mesh's frame, or \"set\"");
        return NULL;
    }
    int *node = cairn_alloc(r->context, (size_t)m->nodes, sizeof *node);
    if (node == NULL) {
        r->status = CAIRN_ERROR_MEMORY;
        return NULL;
    }
    if (box != NULL && cairn_reader_list(r, box, 2, 2, "two corners [[x, y, z], [x, y, z]]")) {
        cairn_vec3 corner[2] = {cairn_reader_vec3(r, box->first, CAIRN_RANGE_ANY),
                                cairn_reader_vec3(r, box->first->next, CAIRN_RANGE_ANY)};
        for (int i = 0; i < m->nodes; i++)
            if (inside(corner, m->node[i]))
                node[(*count)++] = i;
    } else if (set != NULL) {
        int chosen = cairn_reader_choice(r, set, m->set_name, m->sets);
        for (int i = m->sets > 0 ? m->set_start[chosen] : 0; m->sets > 0 && i < m->set_start[chosen + 1]; i++)
            node[(*count)++] = m->set_node[i];
    }
    if (r->status == CAIRN_OK && *count == 0)
        cairn_reader_fail(r, box != NULL ? box : set, "no node of the mesh lies there");
    if (r->status == CAIRN_OK)
        return node;
    cairn_free(r->context, node);
    return NULL;
}

static cairn_vec3 motion_at(void *user, double t) {
    const cairn_scene_path *path = user;
    return cairn_vec3_of(cairn_motion_at(path->along[0], t), cairn_motion_at(path->along[1], t),
                         cairn_motion_at(path->along[2], t));
}

/* Three numbers, each of t or with keyframes. */
static cairn_scene_path *read_path(cairn_reader *r, const cairn_json *v) {
    cairn_scene *s = r->scene;
    if (!cairn_reader_list(r, v, 3, 3, "a displacement [x, y, z], each a number, an expression of t, or keyframes") ||
        !cairn_reader_grow(r, &s->path, s->paths, &s->path_capacity, sizeof *s->path))
        return NULL;
    cairn_scene_path *path = cairn_alloc(r->context, 1, sizeof *path);
    if (path == NULL) {
        r->status = CAIRN_ERROR_MEMORY;
        return NULL;
    }
    s->path[s->paths++] = path;
    for (const cairn_json *item = v->first; item != NULL && r->status == CAIRN_OK; item = item->next)
        path->along[item->index] = cairn_reader_motion(r, item);
    return r->status == CAIRN_OK ? path : NULL;
}

static void read_hold(cairn_reader *r, const cairn_json *v, const cairn_fem_mesh_view *m, cairn_flexible_hold *hold,
                      int **node) {
    if (!cairn_reader_keys(r, v, hold_keys, sizeof hold_keys / sizeof *hold_keys))
        return;
    const cairn_json *free_axes = cairn_json_member(v, "free"), *clamp = cairn_json_member(v, "clamp");
    const cairn_json *motion = cairn_json_member(v, "motion");
    *node = cairn_reader_nodes(r, v, m, &hold->nodes);
    hold->node = *node;
    const char *axes = free_axes != NULL ? cairn_reader_text(r, free_axes) : "";
    if (r->status == CAIRN_OK && (strspn(axes, "xyz") != strlen(axes) || strlen(axes) > 2))
        cairn_reader_fail(r, free_axes, "expected one or two of the letters x, y, z");
    hold->free_x = strchr(axes, 'x') != NULL;
    hold->free_y = strchr(axes, 'y') != NULL;
    hold->free_z = strchr(axes, 'z') != NULL;
    if (clamp != NULL)
        hold->clamp = cairn_reader_bool(r, clamp);
    if (motion == NULL)
        return;
    hold->user = read_path(r, motion);
    hold->motion = motion_at;
}

/* ---- parts ---- */

static void read_place(cairn_reader *r, const cairn_json *v, cairn_pose place, cairn_flexible_def *def) {
    const cairn_json *velocity = cairn_json_member(v, "velocity"), *spin = cairn_json_member(v, "angular_velocity");
    const cairn_json *material = cairn_json_member(v, "material");
    def->pose = cairn_pose_multiply(place, cairn_reader_pose(r, v));
    def->pose.rotation = cairn_quat_unit(def->pose.rotation);
    def->thickness = cairn_reader_number_or(r, v, "thickness", CAIRN_RANGE_NOT_NEGATIVE, 0.0);
    if (velocity != NULL)
        def->velocity = cairn_reader_vec3(r, velocity, CAIRN_RANGE_ANY);
    if (spin != NULL)
        def->angular_velocity = cairn_reader_vec3(r, spin, CAIRN_RANGE_ANY);
    for (int i = 0; i < r->materials && material == NULL; i++)
        if (strcmp(r->material[i].name, "default") == 0)
            def->material = r->material[i].material;
    const cairn_named_material *own = material != NULL ? cairn_reader_material(r, material) : NULL;
    if (own != NULL)
        def->material = own->material;
}

/* Entries of "hold"; hold and what is in node are for the caller to free. */
static void read_holds(cairn_reader *r, const cairn_json *list, cairn_flexible_def *def, cairn_flexible_hold **hold,
                       int ***node) {
    if (list == NULL || r->status != CAIRN_OK || !cairn_reader_list(r, list, 0, HOLDS_MAX, "nodes that are held"))
        return;
    cairn_fem_mesh_view view = cairn_fem_mesh_get(def->mesh);
    *hold = cairn_alloc(r->context, (size_t)list->count, sizeof **hold);
    *node = cairn_alloc(r->context, (size_t)list->count, sizeof **node);
    if (*hold == NULL || *node == NULL) {
        r->status = CAIRN_ERROR_MEMORY;
        return;
    }
    def->hold = *hold;
    for (const cairn_json *h = list->first; h != NULL && r->status == CAIRN_OK; h = h->next, def->holds++)
        read_hold(r, h, &view, &(*hold)[def->holds], &(*node)[def->holds]);
}

static void add_part(cairn_reader *r, const cairn_json *v, cairn_pose place, int number, void *user) {
    const cairn_json *when = cairn_json_member(v, "when"), *holds = cairn_json_member(v, "hold");
    if (when != NULL && cairn_reader_number(r, when, CAIRN_RANGE_ANY) == 0.0)
        return;
    cairn_flexible_def def = cairn_default_flexible_def();
    cairn_fem_material elastic[ELASTICS_MAX];
    cairn_flexible_hold *hold = NULL;
    int **node = NULL;
    cairn_body body;
    def.mesh = read_mesh(r, v, user);
    def.elastics = read_elastics(r, v, elastic);
    def.elastic = elastic;
    read_place(r, v, place, &def);
    read_holds(r, holds, &def, &hold, &node);
    if (r->status == CAIRN_OK) {
        cairn_status status = cairn_world_add_flexible(r->scene->world, &def, &body);
        if (status == CAIRN_OK) {
            cairn_reader_enter(r, v, "body", &r->scene->bodies, number, body.slot, body.generation);
            cairn_reader_pushes(r, v, body);
        } else {
            cairn_reader_fail_inside(r, v, status);
        }
    }
    if (r->status == CAIRN_OK && number <= 0)
        cairn_reader_doubt_part(r, v, &def);
    for (int i = 0; node != NULL && i < holds->count; i++)
        cairn_free(r->context, node[i]);
    cairn_free(r->context, node);
    cairn_free(r->context, hold);
    cairn_fem_mesh_release(def.mesh);
}

void cairn_reader_flexible(cairn_reader *r, const cairn_json *list) {
    if (!cairn_reader_list(r, list, 0, CAIRN_SCENE_BODIES_MAX, "a list of flexible parts"))
        return;
    for (const cairn_json *v = list->first; v != NULL && r->status == CAIRN_OK; v = v->next) {
        sharing shared = {0};
        if (cairn_reader_keys(r, v, part_keys, sizeof part_keys / sizeof *part_keys))
            cairn_reader_repeat(r, v, add_part, &shared);
        cairn_fem_mesh_release(shared.mesh);
    }
}

/* A joint of the kind "weld": part b, whose nodes v names, held to body a. Each node is a joint
 * of its own: name[number]. */
void cairn_reader_weld(cairn_reader *r, const cairn_json *v, cairn_body a, cairn_body b) {
    cairn_flexible_view view;
    cairn_status status = r->status;
    if (status == CAIRN_OK)
        status = cairn_world_flexible(r->scene->world, b, &view);
    if (status != CAIRN_OK) {
        cairn_reader_fail(r, v, "\"b\" of a weld must be a flexible part, \"a\" a body or, if absent, the world");
        return;
    }
    int count = 0, *node = cairn_reader_nodes(r, v, &view.mesh, &count);
    cairn_joint *joint = node != NULL ? cairn_alloc(r->context, (size_t)count, sizeof *joint) : NULL;
    if (joint != NULL) {
        status = cairn_world_weld(r->scene->world, b, count, node, a, joint);
        if (status != CAIRN_OK)
            cairn_reader_fail_inside(r, v, status);
        for (int i = 0; i < count && r->status == CAIRN_OK; i++)
            cairn_reader_enter(r, v, "joint", &r->scene->joints, i, joint[i].slot, joint[i].generation);
    } else if (node != NULL) {
        r->status = CAIRN_ERROR_MEMORY;
    }
    cairn_free(r->context, node);
    cairn_free(r->context, joint);
}
