/*
 * part_write.c: H and k of a step, its residual, forces and elastic energy.
 *
 *     H = (1 + h a) M + (h b + h^2) K,    k = M v + h (f + h K w + loads + gravity),    f, K at x + h w       [theory 7]
 *
 * a and b by the material of each element. First all elements, then all blocks: see part_data.h. A held component keeps its diagonal of M
 * alone; its column times its velocity goes to the neighbours' k.
 */
#include "lanes.h"
#include "part_data.h"

#include <math.h>

/* What one evaluation of all elements needs and wants. */
typedef struct sweep {
    const cairn_fem_part *part;
    const double *x, *w; /* state; w NULL: 0. Elements see x + h w */
    double h;
    bool stiffness; /* K is kept, times h b + h^2 */
    bool force;
    const double *damped_by; /* velocities: force also holds -b K of these */
} sweep;

/* force += factor K y for the vectors of one element; K as blocks a <= b */
static void add_product(int n, const double *K, double factor, const double *y, double *force) {
    for (int a = 0; a < n; a++)
        for (int b = a; b < n; b++, K += 9) {
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    force[3 * a + i] += factor * K[3 * i + j] * y[3 * b + j];
            for (int i = 0; a != b && i < 3; i++)
                for (int j = 0; j < 3; j++)
                    force[3 * b + j] += factor * K[3 * i + j] * y[3 * a + i];
        }
}

static void collect(const int *slot, int n, const double *from, double *to) {
    for (int a = 0; a < n; a++)
        for (int c = 0; c < 3; c++)
            to[3 * a + c] = from[3 * slot[a] + c];
}

static double evaluate(const sweep *s, int e) {
    const cairn_fem_part *part = s->part;
    const cairn_fem_work *w = part->work;
    const cairn_fem_element *element = cairn_fem_element_of(part->view.kind[e]);
    const cairn_fem_stuff *stuff = &w->stuff[part->view.group[e]];
    const int *slot = w->slot + w->slot_start[e];
    int n = element->nodes * element->vectors;
    double x[3 * CAIRN_FEM_NODES_MAX], y[3 * CAIRN_FEM_NODES_MAX];
    double *force = s->force ? w->force + 3 * (size_t)w->slot_start[e] : NULL;
    bool damping = s->damped_by != NULL && stuff->damping_stiffness > 0.0;
    double *K = s->stiffness || damping ? w->K + 9 * (size_t)w->block_start[e] : NULL;
    collect(slot, n, s->x, x);
    if (s->w != NULL) {
        collect(slot, n, s->w, y);
        for (int t = 0; t < 3 * n; t++)
            x[t] += s->h * y[t];
    }
    double energy = element->evaluate(element, stuff, w->kept + w->kept_start[e], x, force, K);
    if (s->stiffness && s->w != NULL)
        add_product(n, K, s->h, y, force);
    if (damping) {
        collect(slot, n, s->damped_by, y);
        add_product(n, K, -stuff->damping_stiffness, y, force);
    }
    double factor = s->h * stuff->damping_stiffness + s->h * s->h;
    for (int t = 0; s->stiffness && t < 9 * (n * (n + 1) / 2); t++)
        K[t] *= factor;
    return energy;
}

/* Whether elements e to e + 3 can go through the lanes: corotational tetrahedra of one material. */
static bool alike(const sweep *s, int e) {
    const cairn_fem_mesh_view *v = &s->part->view;
    const cairn_fem_stuff *stuff = &cairn_fem_work_of(s->part)->stuff[v->group[e]];
    if (stuff->law->point != cairn_fem_corotational)
        return false;
    for (int l = 0; l < CAIRN_FEM_LANES; l++)
        if (v->kind[e + l] != CAIRN_ELEMENT_TET4 || v->group[e + l] != v->group[e])
            return false;
    return true;
}

/* Force and stiffness of elements e to e + 3; false: one by one. */
static bool evaluate_four(const sweep *s, int e, double *energy) {
    const cairn_fem_work *w = s->part->work;
    const cairn_fem_stuff *stuff = &w->stuff[s->part->view.group[e]];
    const double *kept[CAIRN_FEM_LANES];
    double x[CAIRN_FEM_LANES][12], y[CAIRN_FEM_LANES][12], each[CAIRN_FEM_LANES], *force[CAIRN_FEM_LANES],
        *K[CAIRN_FEM_LANES], factor = s->h * stuff->damping_stiffness + s->h * s->h;
    for (int l = 0; l < CAIRN_FEM_LANES; l++) {
        const int *slot = w->slot + w->slot_start[e + l];
        kept[l] = w->kept + w->kept_start[e + l];
        force[l] = w->force + 3 * (size_t)w->slot_start[e + l];
        K[l] = w->K + 9 * (size_t)w->block_start[e + l];
        collect(slot, 4, s->x, x[l]);
        if (s->w != NULL) {
            collect(slot, 4, s->w, y[l]);
            for (int t = 0; t < 12; t++)
                x[l][t] += s->h * y[l][t];
        }
    }
    if (!cairn_fem_tet4_lanes(stuff, kept, (const double(*)[12])x, factor, each, force, K))
        return false;
    for (int l = 0; l < CAIRN_FEM_LANES; l++) {
        if (s->w != NULL && factor > 0.0)
            add_product(4, K[l], s->h / factor, y[l], force[l]);
        *energy += each[l];
    }
    return true;
}

static void evaluate_piece(void *user, int chunk, int begin, int end) {
    const sweep *s = user;
    double sum = 0.0;
    for (int e = begin; e < end;) {
        if (s->stiffness && e + CAIRN_FEM_LANES <= end && alike(s, e) && evaluate_four(s, e, &sum)) {
            e += CAIRN_FEM_LANES;
        } else {
            sum += evaluate(s, e);
            e++;
        }
    }
    cairn_fem_work_of(s->part)->energy[chunk] = sum;
}

static void run(sweep *s) {
    cairn_parallel(s->part->context, s->part->view.elements, CAIRN_FEM_GRAIN, evaluate_piece, s);
}

/* Sum of the elements' forces on vector i. */
static void pull(const cairn_fem_work *w, int i, double sum[3]) {
    sum[0] = sum[1] = sum[2] = 0.0;
    for (int p = w->pull_start[i]; p < w->pull_start[i + 1]; p++)
        for (int c = 0; c < 3; c++)
            sum[c] += w->force[3 * (size_t)w->pull[p] + (size_t)c];
}

typedef struct writing {
    const cairn_fem_part *part;
    double h;
    cairn_vec3 gravity;
    double *H, *k;
} writing;

/* block <- sum of the elements' blocks */
static void gather(const cairn_fem_work *w, int entry, double block[9]) {
    for (int t = 0; t < 9; t++)
        block[t] = 0.0;
    for (int p = w->gather_start[entry]; p < w->gather_start[entry + 1]; p++) {
        int g = w->gather[p];
        const double *K = w->K + 9 * (size_t)(g < 0 ? ~g : g);
        if (g >= 0)
            for (int t = 0; t < 9; t++)
                block[t] += K[t];
        else
            for (int t = 0; t < 9; t++)
                block[t] += K[3 * (t % 3) + t / 3];
    }
}

static void write_piece(void *user, int chunk, int begin, int end) {
    (void)chunk;
    const writing *s = user;
    const cairn_fem_part *part = s->part;
    const cairn_fem_work *w = part->work;
    double g[3] = {s->gravity.x, s->gravity.y, s->gravity.z};
    for (int i = begin; i < end; i++) {
        int first = w->near_start[i], degree = w->near_start[i + 1] - first;
        double force[3], block[9];
        pull(w, i, force);
        for (int c = 0; c < 3; c++)
            s->k[3 * i + c] += s->h * (force[c] + part->load[3 * i + c] + w->weight[i] * g[c]);
        for (int p = w->diagonal[i]; p < first + degree; p++) {
            gather(w, p, block);
            double mass = w->mass[p] + s->h * w->damped[p];
            for (int c = 0; c < 3; c++)
                block[4 * c] += mass;
            int j = w->near[p], theirs = w->near_start[j + 1] - w->near_start[j];
            double *mine = s->H + 9 * (size_t)first + 3 * (size_t)(p - first);
            double *other = s->H + 9 * (size_t)w->near_start[j] + 3 * (size_t)(w->mirror[p] - w->near_start[j]);
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++) { /* block (i, j): rows of i, columns of j */
                    other[(size_t)c * 3 * (size_t)theirs + (size_t)r] = block[3 * r + c];
                    mine[(size_t)r * 3 * (size_t)degree + (size_t)c] = block[3 * r + c];
                }
        }
    }
}

/* Row and column of component c of vector i: only the mass stays. */
static void hold(const cairn_fem_part *part, int i, int c, double *H, double *k) {
    const cairn_fem_work *w = part->work;
    double v = part->held_v[3 * i + c], mass = w->mass[w->diagonal[i]];
    int first = w->near_start[i], degree = w->near_start[i + 1] - first;
    for (int p = first; p < first + degree; p++) {
        int j = w->near[p], theirs = w->near_start[j + 1] - w->near_start[j];
        double *column = H + 9 * (size_t)first + (size_t)c * 3 * (size_t)degree + 3 * (size_t)(p - first);
        double *row = H + 9 * (size_t)w->near_start[j] + 3 * (size_t)(w->mirror[p] - w->near_start[j]) + c;
        for (int r = 0; r < 3; r++) {
            k[3 * j + r] -= column[r] * v;
            column[r] = 0.0;
            row[(size_t)r * 3 * (size_t)theirs] = 0.0;
        }
    }
    H[9 * (size_t)first + (size_t)c * 3 * (size_t)degree + 3 * (size_t)(w->diagonal[i] - first) + (size_t)c] = mass;
}

void cairn_fem_part_write(cairn_fem_part *part, double h, cairn_vec3 gravity, const double *about, double *H_value,
                          double *k) {
    const cairn_fem_work *w = part->work;
    sweep s = {.part = part, .x = part->x, .w = about, .h = h, .stiffness = true, .force = true};
    run(&s);
    cairn_fem_part_mass_times(part, w->mass, part->v, k);
    writing to = {part, h, gravity, H_value, k};
    cairn_parallel(part->context, part->vectors, CAIRN_FEM_GRAIN, write_piece, &to);
    for (int i = 0; i < part->vectors; i++)
        for (int c = 0; c < 3; c++)
            if (part->held[i] >> c & 1)
                hold(part, i, c, H_value, k);
    for (int i = 0; i < part->vectors; i++)
        for (int c = 0; c < 3; c++)
            if (part->held[i] >> c & 1)
                k[3 * i + c] = w->mass[w->diagonal[i]] * part->held_v[3 * i + c];
}

void cairn_fem_part_residual(cairn_fem_part *part, double h, cairn_vec3 gravity, const double *v_new,
                             double *residual) {
    const cairn_fem_work *w = part->work;
    double g[3] = {gravity.x, gravity.y, gravity.z};
    sweep s = {.part = part, .x = part->x, .w = v_new, .h = h, .force = true, .damped_by = v_new};
    run(&s);
    for (int i = 0; i < part->vectors; i++) {
        int begin = w->lumped ? w->diagonal[i] : w->near_start[i], end = w->lumped ? begin + 1 : w->near_start[i + 1];
        double force[3], inertia[3] = {0.0, 0.0, 0.0};
        pull(w, i, force);
        for (int p = begin; p < end; p++)
            for (int c = 0; c < 3; c++) {
                double v = v_new[3 * w->near[p] + c];
                inertia[c] += w->mass[p] * (v - part->v[3 * w->near[p] + c]) + h * w->damped[p] * v;
            }
        for (int c = 0; c < 3; c++) {
            int t = 3 * i + c;
            residual[t] = inertia[c] - h * (force[c] + part->load[t] + w->weight[i] * g[c]);
            if (part->held[i] >> c & 1)
                residual[t] = w->mass[w->diagonal[i]] * (v_new[t] - part->held_v[t]);
        }
    }
}

double cairn_fem_part_elastic(const cairn_fem_part *part, const double *x) {
    sweep s = {.part = part, .x = x};
    run(&s);
    double sum = 0.0;
    for (int i = 0; i < cairn_chunks(part->view.elements, CAIRN_FEM_GRAIN); i++)
        sum += cairn_fem_work_of(part)->energy[i];
    return sum;
}

void cairn_fem_part_force(const cairn_fem_part *part, const double *x, double *force) {
    sweep s = {.part = part, .x = x, .force = true};
    run(&s);
    for (int i = 0; i < part->vectors; i++)
        pull(part->work, i, force + 3 * i);
}
