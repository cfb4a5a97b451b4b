/*
 * part.c: making a part: state, rest states of the elements, mass. And sums over the whole: energy, momentum, centre.
 *
 * Lumped mass: diagonal of each element's consistent matrix, scaled to its mass; always positive [HRZ]. Gravity and centre use M times a translation,
 * so that what falls freely falls with g.
 */
#include "fem/part/part_data.h"
#include "fem/mesh/mesh.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* Places turned and moved; slopes of beams: mean of the directions of the beams at the node. */
static void put_into_world(cairn_fem_part *part, cairn_pose pose) {
    const cairn_fem_mesh_view *v = &part->view;
    for (int i = 0; i < v->nodes; i++) {
        cairn_vec3 p = cairn_pose_apply(pose, v->node[i]);
        double *to = part->rest + 3 * v->vector[i];
        to[0] = p.x;
        to[1] = p.y;
        to[2] = p.z;
    }
    for (int e = 0; e < v->elements; e++) {
        if (cairn_fem_element_of(v->kind[e])->vectors == 1)
            continue;
        const int *node = v->corner + v->start[e];
        cairn_vec3 along = cairn_vec3_unit(cairn_vec3_sub(v->node[node[1]], v->node[node[0]]));
        along = cairn_quat_rotate(pose.rotation, along);
        for (int a = 0; a < 2; a++) {
            double *slope = part->rest + 3 * (v->vector[node[a]] + 1);
            slope[0] += along.x;
            slope[1] += along.y;
            slope[2] += along.z;
        }
    }
    for (int e = 0; e < v->elements; e++)
        for (int a = 0; cairn_fem_element_of(v->kind[e])->vectors == 2 && a < 2; a++) {
            double *slope = part->rest + 3 * (v->vector[v->corner[v->start[e] + a]] + 1);
            cairn_vec3 unit = cairn_vec3_unit(cairn_vec3_of(slope[0], slope[1], slope[2]));
            slope[0] = unit.x;
            slope[1] = unit.y;
            slope[2] = unit.z;
        }
    memcpy(part->x, part->rest, 3 * (size_t)part->vectors * sizeof *part->x);
}

/* Slots, and where blocks and rest states of each element begin. */
static cairn_status lay_out(cairn_fem_part *part) {
    const cairn_fem_mesh_view *v = &part->view;
    cairn_context *c = part->context;
    cairn_fem_work *w = part->work;
    size_t elements = (size_t)v->elements;
    w->slot_start = cairn_alloc(c, elements + 1, sizeof *w->slot_start);
    w->block_start = cairn_alloc(c, elements + 1, sizeof *w->block_start);
    w->kept_start = cairn_alloc(c, elements + 1, sizeof *w->kept_start);
    w->lean_start = cairn_alloc(c, elements + 1, sizeof *w->lean_start);
    w->twist = cairn_alloc(c, 3 * (size_t)cairn_chunks(v->elements, CAIRN_FEM_GRAIN), sizeof *w->twist);
    w->coarse = cairn_alloc(c, elements, sizeof *w->coarse);
    w->brace = cairn_alloc(c, elements, sizeof *w->brace);
    part->stress = cairn_alloc(c, 6 * elements, sizeof *part->stress);
    w->energy = cairn_alloc(c, (size_t)cairn_chunks(v->elements, CAIRN_FEM_GRAIN), sizeof *w->energy);
    int things = v->elements > part->vectors ? v->elements : part->vectors;
    w->sums = cairn_alloc(c, CAIRN_FEM_SUMS * (size_t)cairn_chunks(things, CAIRN_FEM_GRAIN), sizeof *w->sums);
    w->seen = cairn_alloc(c, CAIRN_FEM_SEEN * (3 * (size_t)part->vectors + 1), sizeof *w->seen);
    if (w->slot_start == NULL || w->block_start == NULL || w->kept_start == NULL || w->energy == NULL ||
        w->sums == NULL || w->seen == NULL || w->twist == NULL || w->lean_start == NULL || w->coarse == NULL ||
        w->brace == NULL || part->stress == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int e = 0; e < v->elements; e++) {
        const cairn_fem_element *element = cairn_fem_element_of(v->kind[e]);
        int n = element->nodes * element->vectors;
        if (w->block_start[e] > INT_MAX / 9 - CAIRN_FEM_BLOCKS_MAX)
            return cairn_fail(c, CAIRN_ERROR_UNSUPPORTED, "flexible part: %d elements are too many", v->elements);
        w->slot_start[e + 1] = w->slot_start[e] + n;
        w->block_start[e + 1] = w->block_start[e] + n * (n + 1) / 2;
        w->kept_start[e + 1] = w->kept_start[e] + element->kept;
        w->lean_start[e + 1] = w->lean_start[e] + element->lean;
    }
    w->slot = cairn_alloc(c, (size_t)w->slot_start[elements], sizeof *w->slot);
    w->force = cairn_alloc(c, 3 * (size_t)w->slot_start[elements], sizeof *w->force);
    w->K = cairn_alloc(c, 9 * (size_t)w->block_start[elements], sizeof *w->K);
    w->kept = cairn_alloc(c, (size_t)w->kept_start[elements], sizeof *w->kept);
    w->lean = cairn_alloc(c, (size_t)w->lean_start[elements] + 1, sizeof *w->lean);
    if (w->lean == NULL || w->slot == NULL || w->force == NULL || w->K == NULL || w->kept == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int e = 0; e < v->elements; e++) {
        int n = cairn_fem_part_vectors(part, e, w->slot + w->slot_start[e]);
        if (cairn_fem_element_of(v->kind[e])->vectors == 1)
            cairn_fem_sort(n, w->slot + w->slot_start[e]);
    }
    return CAIRN_OK;
}

/* mass (n x n): lumped in place unless the element keeps its consistent one; lumps (n): diagonal scaled to the element's mass. */
static void lump(const cairn_fem_element *element, const cairn_fem_stuff *stuff, double *mass, double *lumps) {
    int n = element->nodes * element->vectors, step = element->vectors;
    double all = 0.0, trace = 0.0;
    for (int a = 0; a < n; a += step) {
        trace += mass[a * n + a];
        for (int b = 0; b < n; b += step)
            all += mass[a * n + b];
    }
    for (int a = 0; a < n; a++)
        lumps[a] = a % step == 0 ? mass[a * n + a] * (all / trace) : 0.0;
    if (stuff->consistent || element->vectors > 1)
        return;
    for (int t = 0; t < n * n; t++)
        mass[t] = t % (n + 1) == 0 ? lumps[t / n] : 0.0;
}

/* Gradients of solids from the order of the nodes to that of the slots. */
static void sort_kept(const cairn_fem_element *element, int n, const int *vector, const int *slot, double *kept) {
    if (element->vectors > 1)
        return;
    for (double *G = kept; G < kept + element->kept; G += cairn_fem_solid_stride(element)) {
        double copy[3 * CAIRN_FEM_NODES_MAX];
        memcpy(copy, G, 3 * (size_t)n * sizeof *copy);
        for (int a = 0; a < n; a++)
            for (int s = 0; s < n; s++)
                if (slot[s] == vector[a])
                    memcpy(G + 3 * s, copy + 3 * a, 3 * sizeof *G);
    }
}

/* Rest states of the elements, and M. */
static void prepare(cairn_fem_part *part) {
    const cairn_fem_mesh_view *v = &part->view;
    cairn_fem_work *w = part->work;
    w->lumped = true;
    for (int e = 0; e < v->elements; e++) {
        const cairn_fem_element *element = cairn_fem_element_of(v->kind[e]);
        const cairn_fem_stuff *stuff = &w->stuff[v->group[e]];
        int slot[CAIRN_FEM_NODES_MAX], n = cairn_fem_part_vectors(part, e, slot);
        double X[3 * CAIRN_FEM_NODES_MAX], mass[CAIRN_FEM_NODES_MAX * CAIRN_FEM_NODES_MAX], lumps[CAIRN_FEM_NODES_MAX];
        for (int t = 0; t < 3 * n; t++)
            X[t] = part->rest[3 * slot[t / 3] + t % 3];
        element->prepare(element, stuff, X, w->kept + w->kept_start[e], mass);
        sort_kept(element, n, slot, w->slot + w->slot_start[e], w->kept + w->kept_start[e]);
        const double moments = element->vectors > 1 ? 1.0 : 0.0, pull[6] = {1.0, 1.0, 1.0, moments, moments, 0.0};
        double across[CAIRN_FEM_BLOCKS_MAX];
        w->coarse[e] = element->taut(element, stuff, w->kept + w->kept_start[e], pull, across);
        lump(element, stuff, mass, lumps);
        w->lumped = w->lumped && !stuff->consistent && element->vectors == 1;
        for (int a = 0; a < n; a++) {
            part->lumped[slot[a]] += lumps[a];
            part->mass += lumps[a];
            for (int b = 0; b < n; b++) {
                int entry = cairn_fem_part_entry(w, slot[a], slot[b]);
                w->mass[entry] += mass[a * n + b];
                w->damped[entry] += stuff->damping_mass * mass[a * n + b];
                if (b % element->vectors == 0)
                    w->weight[slot[a]] += mass[a * n + b];
            }
        }
    }
}

static cairn_status check_materials(cairn_fem_part *part, const cairn_fem_material *material) {
    cairn_fem_work *w = part->work;
    for (int i = 0; i < part->materials; i++) {
        cairn_status status = cairn_fem_stuff_of(part->context, i, &material[i], &w->stuff[i]);
        if (status != CAIRN_OK)
            return status;
        part->material[i] = material[i];
    }
    for (int e = 0; e < part->view.elements; e++)
        if (part->view.group[e] >= part->materials)
            return cairn_fail(part->context, CAIRN_ERROR_ARGUMENT,
                              "flexible part: element %d is of group %d, but there are %d elastic materials", e,
                              part->view.group[e], part->materials);
    return CAIRN_OK;
}

static cairn_status take_state(cairn_fem_part *part) {
    cairn_context *c = part->context;
    size_t vectors = (size_t)part->vectors;
    cairn_fem_work *w = part->work;
    double **arrays[] = {&part->x, &part->v,  &part->rest, &part->load, &part->held_v,
                         &w->base, &w->rigid, &w->arm,     &w->room};
    bool full = true;
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        *arrays[i] = cairn_alloc(c, (arrays[i] == &w->room ? 6 : 3) * vectors, sizeof(double));
        full = full && *arrays[i] != NULL;
    }
    part->held = cairn_alloc(c, vectors, 1);
    part->lumped = cairn_alloc(c, vectors, sizeof *part->lumped);
    part->material = cairn_alloc(c, (size_t)part->materials, sizeof *part->material);
    w->stuff = cairn_alloc(c, (size_t)part->materials, sizeof *w->stuff);
    w->weight = cairn_alloc(c, vectors, sizeof *w->weight);
    return full && part->held != NULL && part->lumped != NULL && part->material != NULL && w->stuff != NULL &&
                   w->weight != NULL
               ? CAIRN_OK
               : CAIRN_ERROR_MEMORY;
}

static cairn_status take_mass(cairn_fem_part *part) {
    cairn_fem_work *w = part->work;
    size_t entries = (size_t)w->near_start[part->vectors];
    w->mass = cairn_alloc(part->context, entries, sizeof *w->mass);
    w->damped = cairn_alloc(part->context, entries, sizeof *w->damped);
    return w->mass != NULL && w->damped != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

static bool finite_pose(cairn_pose p) {
    double sum = p.position.x + p.position.y + p.position.z + p.rotation.w + p.rotation.x + p.rotation.y + p.rotation.z;
    return isfinite(sum);
}

cairn_status cairn_fem_part_create(cairn_context *context, cairn_fem_mesh *mesh, int materials,
                                   const cairn_fem_material *material, cairn_pose pose, cairn_fem_part **out) {
    if (materials < 1 || material == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "flexible part: %d elastic materials; one or more are needed",
                          materials);
    if (!finite_pose(pose))
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "flexible part: its pose is not finite");
    cairn_fem_part *part = cairn_alloc(context, 1, sizeof *part);
    if (part == NULL)
        return CAIRN_ERROR_MEMORY;
    part->context = context;
    part->view = cairn_fem_mesh_get(mesh);
    part->vectors = part->view.vectors;
    part->materials = materials;
    part->work = cairn_alloc(context, 1, sizeof(cairn_fem_work));
    cairn_status status = part->work == NULL ? CAIRN_ERROR_MEMORY : take_state(part);
    if (status == CAIRN_OK)
        status = check_materials(part, material);
    if (status == CAIRN_OK)
        status = lay_out(part);
    if (status == CAIRN_OK)
        status = cairn_fem_part_pattern(part);
    if (status == CAIRN_OK)
        status = take_mass(part);
    if (status != CAIRN_OK) {
        cairn_fem_part_destroy(part);
        return status;
    }
    pose.rotation = cairn_quat_unit(pose.rotation);
    put_into_world(part, pose);
    prepare(part);
    cairn_fem_mesh_retain(mesh);
    part->mesh = mesh;
    *out = part;
    return CAIRN_OK;
}

void cairn_fem_part_destroy(cairn_fem_part *part) {
    if (part == NULL)
        return;
    cairn_context *c = part->context;
    cairn_fem_work *w = part->work;
    if (w != NULL) {
        void *arrays[] = {
            w->stuff,      w->slot_start, w->slot,   w->block_start, w->kept_start,   w->kept,     w->K,
            w->force,      w->energy,     w->pull,   w->near_start,  w->near,         w->mirror,   w->gather,
            w->pull_start, w->mass,       w->damped, w->weight,      w->gather_start, w->diagonal, w->coarse,
            w->brace,      w->lean_start, w->lean,   w->base,        w->rigid,        w->twist,    w->arm,
            w->room,       w->sums,       w->seen};
        for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
            cairn_free(c, arrays[i]);
    }
    void *arrays[] = {w,          part->material, part->x,      part->v,       part->rest,  part->load,
                      part->held, part->held_v,   part->lumped, part->H_start, part->H_row, part->stress};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cairn_free(c, arrays[i]);
    cairn_fem_mesh_release(part->mesh);
    cairn_free(c, part);
}

void cairn_fem_part_mass_times(const cairn_fem_part *part, const double *mass, const double *v, double *out) {
    const cairn_fem_work *w = part->work;
    for (int i = 0; i < part->vectors; i++) {
        int begin = w->lumped ? w->diagonal[i] : w->near_start[i], end = w->lumped ? begin + 1 : w->near_start[i + 1];
        double sum[3] = {0.0, 0.0, 0.0};
        for (int p = begin; p < end; p++)
            for (int c = 0; c < 3; c++)
                sum[c] += mass[p] * v[3 * w->near[p] + c];
        for (int c = 0; c < 3; c++)
            out[3 * i + c] = sum[c];
    }
}

double cairn_fem_part_kinetic(const cairn_fem_part *part) {
    const cairn_fem_work *w = part->work;
    double twice = 0.0;
    for (int i = 0; i < part->vectors; i++) {
        int begin = w->lumped ? w->diagonal[i] : w->near_start[i], end = w->lumped ? begin + 1 : w->near_start[i + 1];
        const double *a = part->v + 3 * i;
        for (int p = begin; p < end; p++) {
            const double *b = part->v + 3 * w->near[p];
            twice += w->mass[p] * (a[0] * b[0] + a[1] * b[1] + a[2] * b[2]);
        }
    }
    return 0.5 * twice;
}

/* sum of weight times vectors */
static cairn_vec3 weighed(const cairn_fem_part *part, const double *x) {
    const double *weight = cairn_fem_work_of(part)->weight;
    cairn_vec3 sum = {0.0, 0.0, 0.0};
    for (int i = 0; i < part->vectors; i++)
        sum = cairn_vec3_add_scaled(sum, weight[i], cairn_vec3_of(x[3 * i], x[3 * i + 1], x[3 * i + 2]));
    return sum;
}

double cairn_fem_part_potential(const cairn_fem_part *part, cairn_vec3 gravity) {
    return -cairn_vec3_dot(gravity, weighed(part, part->x));
}

cairn_vec3 cairn_fem_part_center(const cairn_fem_part *part) {
    return cairn_vec3_scale(1.0 / part->mass, weighed(part, part->x));
}

cairn_vec3 cairn_fem_part_velocity(const cairn_fem_part *part) {
    return cairn_vec3_scale(1.0 / part->mass, weighed(part, part->v));
}
