/*
 * flexible.c: flexible parts of a world: made, asked, loaded.
 *
 * A part is a slot whose unknowns are all its vectors (docs/flexible.md). Contacts see its skin (collide/skin.h) and the rods of its beams; everything else of
 * finite elements is behind fem/part/part.h.
 */
#include "fem/part/inverted.h"
#include "fem/part/part_mass.h"
#include "world/flexible/flexible.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define FLEXIBLE_COOKIE 0x464c4558u

cairn_flexible_def cairn_default_flexible_def(void) {
    return (cairn_flexible_def){.cookie = FLEXIBLE_COOKIE, .pose = {{0, 0, 0}, {1, 0, 0, 0}}};
}

static bool finite_vec(cairn_vec3 a) {
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

static cairn_status check(cairn_world *w, const cairn_flexible_def *def) {
    if (def->cookie != FLEXIBLE_COOKIE)
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "flexible part: begin with cairn_default_flexible_def()");
    if (def->mesh == NULL)
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "flexible part: no mesh is given");
    if (!finite_vec(def->pose.position) || !finite_vec(def->velocity) || !finite_vec(def->angular_velocity))
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "flexible part: position or velocity is not finite");
    cairn_quat q = def->pose.rotation;
    if (!(fabs(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z - 1.0) <= 1e-6))
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT,
                          "flexible part: the rotation (%g, %g, %g, %g) is not a quaternion of length 1", q.w, q.x, q.y,
                          q.z);
    if (def->material.slot >= (uint32_t)w->materials)
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "flexible part: there is no such material in this world");
    if (!(def->thickness >= 0.0) || !isfinite(def->thickness))
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT,
                          "flexible part: the thickness is %g m; it must be 0 or more and finite", def->thickness);
    return cairn_flex_check_holds(w, def);
}

void cairn_flex_destroy(cairn_context *context, cairn_flex *f) {
    if (f == NULL)
        return;
    cairn_skin_destroy(f->skin);
    cairn_fem_yield_destroy(f->yield);
    cairn_fem_part_destroy(f->part);
    cairn_free(context, f->share);
    cairn_free(context, f->memory);
    cairn_free(context, f);
}

/* Numbers of the beams; their vectors, lengths and radii. */
static int count_beams(const cairn_fem_mesh_view *m) {
    int beams = 0;
    for (int e = 0; e < m->elements; e++)
        beams += m->kind[e] == CAIRN_ELEMENT_BEAM2;
    return beams;
}

typedef struct rod_room {
    int *vector;
    double *length, *radius;
} rod_room;

/* Does any of its materials yield? */
static bool flows(const cairn_flex *f) {
    for (int i = 0; i < f->part->materials; i++)
        if (f->part->material[i].yield > 0.0)
            return true;
    return false;
}

/* Stresses as multipliers (fem/part/plasticity.h). */
static cairn_status make_yield(cairn_world *w, cairn_flex *f) {
    if (!flows(f))
        return CAIRN_OK;
    if (w->def.newton > 1)
        return cairn_fail(
            w->context, CAIRN_ERROR_UNSUPPORTED,
            "flexible part: it yields, and the world's newton is %d; parts that yield take one solve a step",
            w->def.newton);
    double *limit = cairn_alloc(w->context, (size_t)f->part->materials, sizeof *limit);
    if (limit == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < f->part->materials; i++)
        limit[i] = f->part->material[i].yield;
    cairn_status status = cairn_fem_yield_create(f->part, limit, &f->yield);
    cairn_free(w->context, limit);
    return status;
}

static void lay_out(cairn_arena *a, int holds, int beams, cairn_flex *f, rod_room *rods) {
    size_t v = (size_t)f->part->vectors, n = 3 * v;
    f->hold = cairn_arena_take(a, (size_t)holds, sizeof *f->hold);
    f->hold_of = cairn_arena_take(a, n, sizeof(int));
    double **field[] = {&f->home, &f->end_v,    &f->last_v,   &f->before_x, &f->before_v, &f->before_last,
                        &f->k,    &f->residual, &f->reaction, &f->aim,      &f->first};
    for (size_t i = 0; i < sizeof field / sizeof *field; i++)
        *field[i] = cairn_arena_take(a, n, sizeof(double));
    f->H = cairn_arena_take(a, (size_t)f->part->entries, sizeof(double));
    size_t elements = flows(f) ? (size_t)f->part->view.elements : 0;
    f->before_stress = cairn_arena_take(a, 6 * (size_t)f->part->view.elements, sizeof(double));
    f->before_flow = cairn_arena_take(a, CAIRN_FEM_YIELD_ROWS * elements, sizeof(double));
    f->before_plastic = cairn_arena_take(a, elements, sizeof(double));
    rods->vector = cairn_arena_take(a, 4 * (size_t)beams, sizeof(int));
    rods->length = cairn_arena_take(a, (size_t)beams, sizeof(double));
    rods->radius = cairn_arena_take(a, (size_t)beams, sizeof(double));
}

static void set_rods(cairn_flex *f, const rod_room *room) {
    const cairn_fem_mesh_view *m = &f->part->view;
    int at = 0;
    for (int e = 0; e < m->elements; e++) {
        if (m->kind[e] != CAIRN_ELEMENT_BEAM2)
            continue;
        int p = m->corner[m->start[e]], q = m->corner[m->start[e] + 1];
        int group = m->group != NULL ? m->group[e] : 0;
        for (int k = 0; k < 2; k++) {
            room->vector[4 * at + k] = m->vector[p] + k;
            room->vector[4 * at + 2 + k] = m->vector[q] + k;
        }
        room->length[at] = cairn_vec3_length(cairn_vec3_sub(m->node[q], m->node[p]));
        room->radius[at] = f->part->material[group].radius;
        at++;
    }
    f->rods = (cairn_rods){at, room->vector, room->length, room->radius, (const cairn_vec3 *)(const void *)f->part->x};
}

/* Skin of a part with solids: numbers of nodes become numbers of vectors. */
static cairn_status make_skin(cairn_world *w, cairn_flex *f) {
    const cairn_fem_mesh_view *m = &f->part->view;
    if (m->faces == 0)
        return CAIRN_OK;
    size_t total = 3 * (size_t)m->faces + 2 * (size_t)m->edges + (size_t)m->skin_nodes;
    int *number = cairn_alloc(w->context, total, sizeof *number);
    if (number == NULL)
        return CAIRN_ERROR_MEMORY;
    int *face = number, *edge = face + 3 * m->faces, *node = edge + 2 * m->edges;
    for (int i = 0; i < 3 * m->faces; i++)
        face[i] = m->vector[m->face[i]];
    for (int i = 0; i < 2 * m->edges; i++)
        edge[i] = m->vector[m->edge[i]];
    for (int i = 0; i < m->skin_nodes; i++)
        node[i] = m->vector[m->skin[i]];
    cairn_status status = cairn_skin_create(w->context, f->part->vectors, (const cairn_vec3 *)(const void *)f->part->x,
                                            m->faces, face, m->edges, edge, m->skin_nodes, node, &f->skin);
    cairn_free(w->context, number);
    return status;
}

static cairn_status make(cairn_world *w, const cairn_flexible_def *def, cairn_flex **made) {
    cairn_flex *f = cairn_alloc(w->context, 1, sizeof *f);
    if (f == NULL)
        return CAIRN_ERROR_MEMORY;
    cairn_pose pose = {def->pose.position, cairn_quat_unit(def->pose.rotation)};
    cairn_status status = cairn_fem_part_create(w->context, def->mesh, def->elastics, def->elastic, pose, &f->part);
    cairn_arena arena = {0};
    rod_room room;
    if (status == CAIRN_OK) {
        int beams = count_beams(&f->part->view);
        lay_out(&arena, def->holds, beams, f, &room);
        status = cairn_arena_reserve(w->context, &arena);
        if (status == CAIRN_OK) {
            lay_out(&arena, def->holds, beams, f, &room);
            f->memory = arena.base;
            set_rods(f, &room);
            status = cairn_flex_take_holds(w, f, def);
        }
        if (status == CAIRN_OK)
            status = make_skin(w, f);
    }
    if (status == CAIRN_OK)
        status = make_yield(w, f);
    if (status != CAIRN_OK) {
        cairn_flex_destroy(w->context, f);
        return status;
    }
    f->thickness = def->thickness;
    f->frame = pose.rotation;
    memcpy(f->home, f->part->x, 3 * (size_t)f->part->vectors * sizeof(double));
    *made = f;
    return CAIRN_OK;
}

/* v + w x (x - c) for places, w x s for slopes. */
static void set_motion(cairn_flex *f, cairn_vec3 velocity, cairn_vec3 spin) {
    cairn_fem_part *p = f->part;
    cairn_vec3 c = cairn_fem_part_center(p);
    for (int i = 0; i < p->view.nodes; i++) {
        int from = p->view.vector[i], to = i + 1 < p->view.nodes ? p->view.vector[i + 1] : p->vectors;
        for (int k = from; k < to; k++) {
            cairn_vec3 x = {p->x[3 * k], p->x[3 * k + 1], p->x[3 * k + 2]};
            cairn_vec3 v = k == from ? cairn_vec3_add(velocity, cairn_vec3_cross(spin, cairn_vec3_sub(x, c)))
                                     : cairn_vec3_cross(spin, x);
            const double value[3] = {v.x, v.y, v.z};
            for (int l = 0; l < 3; l++)
                p->v[3 * k + l] = f->last_v[3 * k + l] = cairn_flex_held(f, k, l) ? 0.0 : value[l];
        }
    }
}

void cairn_flex_mirror(cairn_world *w, int slot) {
    const cairn_flex *f = w->slot[slot].flex;
    cairn_rigid *r = &w->rigid[slot];
    cairn_quat turn = cairn_fem_part_rotation(f->part, cairn_quat_multiply(r->q, cairn_quat_conjugate(f->frame)));
    r->x = cairn_fem_part_center(f->part);
    r->v = cairn_fem_part_velocity(f->part);
    r->q = cairn_quat_unit(cairn_quat_multiply(turn, f->frame));
    r->w = cairn_quat_rotate(cairn_quat_conjugate(r->q), cairn_fem_part_spin(f->part));
}

/* How thin a part is: of a plate the thickness, 2 volume/area; of beams the least diameter. */
static double width_of(const cairn_flex *f) {
    const cairn_fem_mesh_view *m = &f->part->view;
    double volume = 0.0, area = 0.0, least = INFINITY;
    for (int i = 0; i < m->faces; i++) {
        cairn_vec3 a = m->node[m->face[3 * i]], b = m->node[m->face[3 * i + 1]], c = m->node[m->face[3 * i + 2]];
        cairn_vec3 twice = cairn_vec3_cross(cairn_vec3_sub(b, a), cairn_vec3_sub(c, a));
        area += 0.5 * cairn_vec3_length(twice);
        volume += cairn_vec3_dot(a, twice) / 6.0;
    }
    for (int i = 0; i < f->rods.count; i++)
        least = fmin(least, 2.0 * f->rods.radius[i]);
    return area > 0.0 ? fmin(least, 2.0 * volume / area) : least;
}

cairn_status cairn_world_add_flexible(cairn_world *w, const cairn_flexible_def *def, cairn_body *body) {
    cairn_status usable = cairn_world_check(w, true, def != NULL && body != NULL, "cairn_world_add_flexible");
    if (usable != CAIRN_OK)
        return usable;
    w->looked_h = 0.0;
    cairn_flex *f = NULL;
    int at = 0;
    cairn_status status = check(w, def);
    if (status == CAIRN_OK)
        status = make(w, def, &f);
    if (status != CAIRN_OK)
        return status;
    status = cairn_world_take_slot(w, &at);
    if (status != CAIRN_OK) {
        cairn_flex_destroy(w->context, f);
        return status;
    }
    set_motion(f, def->velocity, def->angular_velocity);
    cairn_bounds b = cairn_flex_bounds(f);
    cairn_slot *s = &w->slot[at];
    *s = (cairn_slot){.generation = s->generation + 1,
                      .kind = CAIRN_BODY_DYNAMIC,
                      .material = def->material.slot,
                      .flex = f,
                      .reach = 0.5 * cairn_vec3_length(cairn_vec3_sub(b.high, b.low))};
    cairn_mat3 R = cairn_quat_matrix(f->frame), back = cairn_mat3_transpose(&R), J = cairn_fem_part_inertia(f->part);
    J = cairn_mat3_multiply(&J, &R);
    w->rigid[at] = (cairn_rigid){.q = f->frame, .mass = f->part->mass, .inertia = cairn_mat3_multiply(&back, &J)};
    cairn_flex_mirror(w, at);
    w->rigid[at].last_v = w->rigid[at].v;
    s->width = width_of(f);
    w->flexibles++;
    *body = (cairn_body){(uint32_t)at, s->generation};
    return CAIRN_OK;
}

/* The part of a name; NULL with a message. */
static cairn_flex *find(const cairn_world *w, cairn_body body) {
    int at = cairn_world_find(w, body);
    if (at == 0)
        return NULL;
    if (w->slot[at].flex == NULL)
        cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "body: slot %d is a rigid body, not a flexible part", at);
    return w->slot[at].flex;
}

cairn_status cairn_world_flexible(const cairn_world *w, cairn_body body, cairn_flexible_view *view) {
    cairn_status usable = cairn_world_check(w, false, view != NULL, "cairn_world_flexible");
    if (usable != CAIRN_OK)
        return usable;
    const cairn_flex *f = find(w, body);
    if (f == NULL)
        return CAIRN_ERROR_ARGUMENT;
    *view = (cairn_flexible_view){.mesh = f->part->view,
                                  .x = f->part->x,
                                  .v = f->part->v,
                                  .mass = f->part->mass,
                                  .elastic = cairn_fem_part_elastic(f->part, f->part->x),
                                  .reaction = f->holds > 0 ? f->reaction : NULL};
    return CAIRN_OK;
}

void cairn_flex_mises(const cairn_flex *f, double *mises) {
    if (f->yield != NULL)
        cairn_fem_yield_mises(f->yield, mises);
    else
        cairn_fem_part_stress(f->part, NULL, NULL, mises);
}

cairn_status cairn_world_flexible_mises(const cairn_world *w, cairn_body body, double *mises) {
    cairn_status usable = cairn_world_check(w, false, mises != NULL, "cairn_world_flexible_mises");
    if (usable != CAIRN_OK)
        return usable;
    const cairn_flex *f = find(w, body);
    if (f == NULL)
        return CAIRN_ERROR_ARGUMENT;
    cairn_flex_mises(f, mises);
    return CAIRN_OK;
}

cairn_status cairn_world_push_node(cairn_world *w, cairn_body body, int node, cairn_vec3 force) {
    cairn_status usable = cairn_world_check(w, false, true, "cairn_world_push_node");
    if (usable != CAIRN_OK)
        return usable;
    cairn_flex *f = find(w, body);
    if (f == NULL)
        return CAIRN_ERROR_ARGUMENT;
    if (node < 0 || node >= f->part->view.nodes)
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "flexible part: node %d; the mesh has %d nodes", node,
                          f->part->view.nodes);
    if (!finite_vec(force))
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "flexible part: the load is not finite");
    double *load = f->part->load + 3 * f->part->view.vector[node];
    load[0] += force.x;
    load[1] += force.y;
    load[2] += force.z;
    return CAIRN_OK;
}

/* Number of the named set of a mesh; -1: none. */
static int set_of(const cairn_fem_mesh_view *m, const char *name) {
    for (int i = 0; i < m->sets; i++)
        if (strcmp(m->set_name[i], name) == 0)
            return i;
    return -1;
}

cairn_status cairn_world_press(cairn_world *w, cairn_body body, const char *set, double pressure) {
    cairn_status usable = cairn_world_check(w, false, true, "cairn_world_press");
    if (usable != CAIRN_OK)
        return usable;
    cairn_flex *f = find(w, body);
    if (f == NULL)
        return CAIRN_ERROR_ARGUMENT;
    const cairn_fem_mesh_view *m = &f->part->view;
    int chosen = set != NULL ? set_of(m, set) : -1;
    if (set != NULL && chosen < 0)
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "flexible part: the mesh has no set \"%s\"", set);
    if (!isfinite(pressure))
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT, "flexible part: the pressure is not finite");
    unsigned char *mask = NULL;
    if (set != NULL) {
        mask = cairn_alloc(w->context, (size_t)m->nodes, 1);
        if (mask == NULL)
            return CAIRN_ERROR_MEMORY;
        for (int i = m->set_start[chosen]; i < m->set_start[chosen + 1]; i++)
            mask[m->set_node[i]] = 1;
    }
    cairn_fem_part_pressure(f->part, mask, pressure);
    cairn_free(w->context, mask);
    return CAIRN_OK;
}

cairn_status cairn_flex_set_velocity(cairn_world *w, int slot, cairn_vec3 velocity, cairn_vec3 spin) {
    set_motion(w->slot[slot].flex, velocity, spin);
    cairn_flex_mirror(w, slot);
    w->rigid[slot].last_v = w->rigid[slot].v;
    return CAIRN_OK;
}

cairn_status cairn_flex_push(cairn_world *w, int slot, cairn_vec3 force, cairn_vec3 torque) {
    cairn_fem_part *p = w->slot[slot].flex->part;
    if (cairn_vec3_length(torque) > 0.0)
        return cairn_fail(w->context, CAIRN_ERROR_ARGUMENT,
                          "body: a flexible part takes no torque; push its nodes instead");
    cairn_fem_part_pull(p, cairn_vec3_scale(1.0 / p->mass, force));
    return CAIRN_OK;
}

void cairn_flex_judge_inverted(const cairn_world *w, cairn_step_report *r) {
    char words[128];
    for (int i = 1; i < w->slots && w->flexibles > 0; i++) {
        int count = w->slot[i].generation % 2 == 1 && w->slot[i].flex != NULL
                        ? cairn_fem_part_inverted(w->slot[i].flex->part)
                        : 0;
        if (count > 0 && r->inverted == 0)
            r->inverted_part = (cairn_body){(uint32_t)i, w->slot[i].generation};
        r->inverted += count;
    }
    if (r->inverted == 0)
        return;
    r->certified = false;
    snprintf(words, sizeof words, "%d elements of flexible parts are inside out, the first in slot %u", r->inverted,
             (unsigned)r->inverted_part.slot);
    cairn_note_first(&r->info, words);
}
