/*
 * scene_load.c: loads of flexible parts: a force on the whole, gravity of its own, forces and
 * pressure on nodes. All may depend on t, and count at the end of a step.
 *
 * A force on nodes is a sum: it is spread evenly over the faces all of whose nodes are named, as
 * they were when the scene began, or, where there are none, evenly over the nodes.
 */
#include "fem/part/part_mass.h"
#include "world/flexible/flexible.h"
#include "io/scene/scene_data.h"

#include <math.h>
#include <string.h>

static const char *const load_keys[] = {"box", "set", "force", "pressure", "comment"};

/* A load of the scene for this body, with its formulas; NULL after a failure. */
static cairn_scene_push *add_push(cairn_reader *r, cairn_body body, cairn_push_kind kind, const cairn_json *v) {
    cairn_scene *s = r->scene;
    if (!cairn_reader_grow(r, &s->push, s->pushes, &s->push_capacity, sizeof *s->push))
        return NULL;
    cairn_scene_push *push = &s->push[s->pushes++];
    *push = (cairn_scene_push){.body = body, .kind = kind};
    if (kind == CAIRN_PUSH_PRESSURE)
        cairn_reader_formula(r, v, &push->value[0]);
    else
        cairn_reader_vector_formula(r, v, push->value);
    return r->status == CAIRN_OK ? push : NULL;
}

/* What each node takes of a force on the chosen ones, in sum 1. Pressure needs faces and no
 * shares. */
static void share_out(cairn_reader *r, const cairn_json *v, cairn_fem_part *part, cairn_scene_push *push, int count) {
    push->share = cairn_alloc(r->context, (size_t)part->view.nodes, sizeof *push->share);
    if (push->share == NULL) {
        r->status = CAIRN_ERROR_MEMORY;
        return;
    }
    double area = cairn_fem_part_shares(part, push->chosen, push->share);
    for (int i = 0; i < part->view.nodes; i++)
        push->share[i] = area > 0.0 ? push->share[i] / area : push->chosen[i] ? 1.0 / count : 0.0;
    if (push->kind == CAIRN_PUSH_PRESSURE && !(area > 0.0))
        cairn_reader_fail(r, v, "no face of the mesh has all of its nodes there: pressure needs one");
}

static void read_load(cairn_reader *r, const cairn_json *v, cairn_body body) {
    cairn_fem_part *part = r->scene->world->slot[body.slot].flex->part;
    const cairn_json *force = cairn_json_member(v, "force"), *pressure = cairn_json_member(v, "pressure");
    if (!cairn_reader_keys(r, v, load_keys, sizeof load_keys / sizeof *load_keys))
        return;
    if ((force == NULL) == (pressure == NULL)) {
        cairn_reader_fail(r, v, "expected \"force\" [x, y, z] in N or \"pressure\" in Pa, one of the two");
        return;
    }
    bool whole = cairn_json_member(v, "box") == NULL && cairn_json_member(v, "set") == NULL;
    cairn_scene_push *push = pressure != NULL ? add_push(r, body, CAIRN_PUSH_PRESSURE, pressure)
                                              : add_push(r, body, CAIRN_PUSH_NODES, force);
    if (push == NULL || (whole && pressure != NULL))
        return;
    int count = 0, *node = cairn_reader_nodes(r, v, &part->view, &count);
    push->chosen = cairn_alloc(r->context, (size_t)part->view.nodes, 1);
    if (push->chosen == NULL && r->status == CAIRN_OK)
        r->status = CAIRN_ERROR_MEMORY;
    for (int i = 0; i < count && r->status == CAIRN_OK; i++)
        push->chosen[node[i]] = 1;
    cairn_free(r->context, node);
    if (r->status == CAIRN_OK)
        share_out(r, v, part, push, count);
}

void cairn_reader_pushes(cairn_reader *r, const cairn_json *v, cairn_body body) {
    const cairn_json *force = cairn_json_member(v, "force"), *gravity = cairn_json_member(v, "gravity");
    const cairn_json *loads = cairn_json_member(v, "load");
    if (force != NULL)
        (void)add_push(r, body, CAIRN_PUSH_WHOLE, force);
    if (gravity != NULL)
        (void)add_push(r, body, CAIRN_PUSH_GRAVITY, gravity);
    if (loads == NULL || !cairn_reader_list(r, loads, 0, CAIRN_SCENE_BODIES_MAX, "a list of loads on nodes"))
        return;
    for (const cairn_json *l = loads->first; l != NULL && r->status == CAIRN_OK; l = l->next)
        read_load(r, l, body);
}

/* ---- while running ---- */

static void push_nodes(cairn_fem_part *part, const cairn_scene_push *push, const double force[3]) {
    for (int i = 0; i < part->view.nodes; i++)
        for (int c = 0; c < 3; c++)
            part->load[3 * part->view.vector[i] + c] += push->share[i] * force[c];
}

static void give(const cairn_scene *s, const cairn_scene_push *push, cairn_fem_part *part, const double x[3]) {
    cairn_vec3 value = {x[0], x[1], x[2]};
    switch (push->kind) {
    case CAIRN_PUSH_WHOLE:
        cairn_fem_part_pull(part, cairn_vec3_scale(1.0 / part->mass, value));
        break;
    case CAIRN_PUSH_GRAVITY: /* the world's is taken off again */
        cairn_fem_part_pull(part, cairn_vec3_sub(value, s->world->def.gravity));
        break;
    case CAIRN_PUSH_NODES:
        push_nodes(part, push, x);
        break;
    case CAIRN_PUSH_PRESSURE:
        cairn_fem_part_pressure(part, push->chosen, x[0]);
        break;
    }
}

cairn_status cairn_scene_give_pushes(cairn_scene *s, double t) {
    for (int i = 0; i < s->pushes; i++) {
        cairn_scene_push *push = &s->push[i];
        double x[3] = {0.0, 0.0, 0.0};
        int slot = cairn_world_find(s->world, push->body);
        if (slot == 0)
            continue; /* removed meanwhile */
        for (int c = 0; c < (push->kind == CAIRN_PUSH_PRESSURE ? 1 : 3); c++) {
            cairn_status status = cairn_formula_check(s, &push->value[c], t);
            if (status != CAIRN_OK)
                return status;
            x[c] = cairn_formula_at(&push->value[c], t);
        }
        give(s, push, s->world->slot[slot].flex->part, x);
    }
    return CAIRN_OK;
}

void cairn_scene_free_pushes(cairn_scene *s) {
    for (int i = 0; i < s->pushes; i++) {
        for (int c = 0; c < 3; c++)
            cairn_formula_free(s->context, &s->push[i].value[c]);
        cairn_free(s->context, s->push[i].share);
        cairn_free(s->context, s->push[i].chosen);
    }
    cairn_free(s->context, s->push);
}
