/*
 * part_write.c: H and k of a step [docs/flexible.md, theory].
 *
 *     H = (1 + h a) M + (h^2 + h b) K + h^2 sum beta K+,   K = sum V B'C B at x
 *     k = M v + h (loads + gravity - sum V B't) + h^2 sum K+ (beta v - eta (v - v_rigid)),   t = (1 + b/h) T(x + h v_p) - (b/h) T(x) - h (1 + b/h) C B v_p
 *
 * a and b by the material of each element. v_p is predicted: v turned as the element turned in the last step, or what the world aims at. K+ is the stiffness across elements that are
 * taut by the stress of the last step. First all elements, then all blocks: see part_data.h. A held component keeps its diagonal of M alone; its column times its velocity goes
 * to the neighbours' k.
 */
#include "fem/element/tet4_simd.h"
#include "fem/part/part_data.h"
#include "fem/material/polar_decomposition.h"

#include <math.h>
#include <string.h>

#define TAUT_FROM  1.0  /* h^2 K+ over the mass at a node from which K+ counts; all of it one later */
#define TAUT_SHARE 0.75 /* beta of a taut element: 1/2 and more where the pull grows within a step, */
#define TAUT_LOSS  0.3  /* and eta: what damps waves across it */
#define GUARD_FROM 0.25 /* rad of a step from which an element that turns is braked, */
#define GUARD_OVER 0.2  /* over so much more as the implicit Euler method brakes */
#define RIGID      1e-9 /* of the largest inertia: what is smaller turns nothing */

/* One evaluation of all elements. */
typedef struct sweep {
    cairn_context *context;
    const cairn_fem_part *part;
    double h;
    const double *aim;    /* velocities that are predicted; NULL: those of now, turned */
    const double *answer; /* stresses of these velocities are wanted instead of forces; or NULL */
} sweep;

/* K (blocks) += a L, a number a block */
static void add_across(int n, const double *L, double a, double *K) {
    for (int b = 0; b < n * (n + 1) / 2; b++)
        for (int c = 0; c < 3; c++)
            K[9 * b + 4 * c] += a * L[b];
}

/* force += a L y */
static void add_product(int n, const double *L, double a, const double *y, double *force) {
    for (int i = 0; i < n; i++)
        for (int j = i; j < n; j++, L++)
            for (int c = 0; c < 3; c++) {
                force[3 * i + c] += a * *L * y[3 * j + c];
                if (i != j)
                    force[3 * j + c] += a * *L * y[3 * i + c];
            }
}

/* Largest eigenvalue of a stress, a little more for its rounding. */
static double strongest_pull(const double t[6]) {
    double mean = (t[0] + t[1] + t[2]) / 3.0, a = t[0] - mean, b = t[1] - mean, c = t[2] - mean,
           pairs = t[3] * t[3] + t[4] * t[4] + t[5] * t[5], second = 0.5 * (a * a + b * b + c * c) + pairs,
           third = a * b * c + 2.0 * t[3] * t[4] * t[5] - a * t[4] * t[4] - b * t[5] * t[5] - c * t[3] * t[3],
           size = sqrt(second / 3.0), cosine = size > 0.0 ? third / (2.0 * size * size * size) : 0.0;
    return mean + 2.0 * size * cos(acos(fmin(1.0, fmax(-1.0, cosine))) / 3.0) + 1e-6 * (fabs(mean) + size);
}

/* Can it be taut at all? A pull of the same size all around is no less than what pulls. */
static bool is_coarse(const sweep *s, int e) {
    const double *t = s->part->stress + 6 * (size_t)e;
    double sum = t[0] * t[0] + t[1] * t[1] + t[2] * t[2] + 2.0 * (t[3] * t[3] + t[4] * t[4] + t[5] * t[5]);
    double coarse = cairn_fem_work_of(s->part)->coarse[e] * s->h * s->h;
    return coarse * coarse * sum > TAUT_FROM * TAUT_FROM &&
           (s->part->view.kind[e] == CAIRN_ELEMENT_BEAM2 || coarse * strongest_pull(t) > TAUT_FROM);
}

/* beta and eta of an element that has turned by this angle, and L; false: nothing is taut. */
static bool brace(const sweep *s, int e, double angle, double *L, cairn_fem_brace *b) {
    const cairn_fem_part *part = s->part;
    const cairn_fem_work *w = part->work;
    const cairn_fem_element *element = cairn_fem_element_of(part->view.kind[e]);
    const double *stress = part->stress + 6 * (size_t)e;
    double guard = fmin(1.0, fmax(0.0, (angle - GUARD_FROM) / GUARD_OVER)), square = s->h * s->h;
    *b = (cairn_fem_brace){0};
    if (!is_coarse(s, e) && guard == 0.0)
        return false;
    double taut = square *
                  element->taut(element, &w->stuff[part->view.group[e]], w->kept + w->kept_start[e], stress, L);
    double ramp = fmin(1.0, fmax(0.0, taut - TAUT_FROM));
    b->beta = fmax(TAUT_SHARE * ramp, guard);
    b->eta = fmax(TAUT_LOSS * ramp, guard);
    b->guarded = guard > 0.0;
    return b->beta > 0.0;
}

/* What bracing adds to the force and, where it is wanted, to K; twist += its torque where the step goes as predicted. v: that prediction. */
static void add_brace(const sweep *s, int e, const double *L, const double *v, double *K, double twist[3]) {
    const cairn_fem_part *part = s->part;
    const cairn_fem_work *w = part->work;
    const cairn_fem_brace *b = &w->brace[e];
    const cairn_fem_element *element = cairn_fem_element_of(part->view.kind[e]);
    const int *slot = w->slot + w->slot_start[e];
    int n = element->nodes * element->vectors;
    double y[3 * CAIRN_FEM_NODES_MAX] = {0}, own[3 * CAIRN_FEM_NODES_MAX] = {0}, arm[3 * CAIRN_FEM_NODES_MAX],
                 *force = w->force + 3 * (size_t)w->slot_start[e];
    for (int t = 0; t < 3 * n; t++) {
        int at = 3 * slot[t / 3] + t % 3;
        y[t] = (b->beta - b->eta) * part->v[at] + (b->guarded ? 0.0 : b->eta * w->rigid[at]);
    }
    add_product(n, L, s->h, y, own);
    for (int t = 0; t < 3 * n; t++)
        force[t] += own[t];
    add_product(n, L, -s->h * b->beta, v, own);
    cairn_fem_collect(slot, n, w->arm, arm);
    for (int t = 0; t < 3 * n && !b->guarded; t++) {
        int first = t - t % 3, j = (t + 1) % 3, k = (t + 2) % 3;
        twist[t % 3] += arm[first + j] * own[first + k] - arm[first + k] * own[first + j];
    }
    if (K != NULL)
        add_across(n, L, s->h * s->h * b->beta, K);
}

/* v of an element go on turning as they did; returns the angle. */
static double turn_on(const cairn_fem_element *element, const double *kept, double h, int n, const double *x,
                      double *v) {
    double Q[9], angle = element->turn(element, kept, h, x, v, Q);
    for (double *a = v; a < v + 3 * n; a += 3) {
        const double b[3] = {a[0], a[1], a[2]};
        for (int i = 0; i < 3; i++)
            a[i] = Q[3 * i] * b[0] + Q[3 * i + 1] * b[1] + Q[3 * i + 2] * b[2];
    }
    return angle;
}

/* Bracing of element e: found anew where the step is written, else that of the writing. */
static void finish(const sweep *s, int e, double angle, double twist[3]) {
    const cairn_fem_part *part = s->part;
    cairn_fem_work *w = part->work;
    const cairn_fem_element *element = cairn_fem_element_of(part->view.kind[e]);
    const cairn_fem_stuff *stuff = &w->stuff[part->view.group[e]];
    const double *kept = w->kept + w->kept_start[e];
    const int *slot = w->slot + w->slot_start[e];
    int n = element->nodes * element->vectors;
    double L[CAIRN_FEM_BLOCKS_MAX], x[3 * CAIRN_FEM_NODES_MAX], v[3 * CAIRN_FEM_NODES_MAX];
    bool anew = s->aim == NULL;
    if (anew ? !brace(s, e, angle, L, &w->brace[e]) : !(w->brace[e].beta > 0.0))
        return;
    cairn_fem_collect(slot, n, part->x, x);
    cairn_fem_collect(slot, n, anew ? part->v : s->aim, v);
    if (anew)
        turn_on(element, kept, s->h, n, x, v);
    else
        element->taut(element, stuff, kept, part->stress + 6 * (size_t)e, L);
    add_brace(s, e, L, v, anew ? w->K + 9 * (size_t)w->block_start[e] : NULL, twist);
}

static double damping_share(double h, const cairn_fem_stuff *stuff) {
    return stuff->damping_stiffness > 0.0 ? stuff->damping_stiffness / h : 0.0;
}

/* One element: force, and K where the step is written; or stress, and what damping takes. angle: by which it has turned. */
static double evaluate(const sweep *s, int e, double *angle) {
    const cairn_fem_part *part = s->part;
    const cairn_fem_work *w = part->work;
    const cairn_fem_element *element = cairn_fem_element_of(part->view.kind[e]);
    const cairn_fem_stuff *stuff = &w->stuff[part->view.group[e]];
    const int *slot = w->slot + w->slot_start[e];
    const double *kept = w->kept + w->kept_start[e];
    int n = element->nodes * element->vectors;
    double x[3 * CAIRN_FEM_NODES_MAX], v[3 * CAIRN_FEM_NODES_MAX], y[3 * CAIRN_FEM_NODES_MAX];
    double far = damping_share(s->h, stuff), *force = w->force + 3 * (size_t)w->slot_start[e],
           *K = w->K + 9 * (size_t)w->block_start[e], *lean = w->lean + w->lean_start[e];
    cairn_fem_motion motion = {.h = s->h, .near = 1.0 + far, .far = far, .x = x, .v = v};
    cairn_fem_collect(slot, n, part->x, x);
    cairn_fem_collect(slot, n, s->aim != NULL ? s->aim : part->v, v);
    if (s->aim == NULL)
        *angle = turn_on(element, kept, s->h, n, x, v);
    if (s->answer != NULL) {
        cairn_fem_collect(slot, n, s->answer, y);
        return element->applied(element, stuff, kept, &motion, lean, y, part->stress + 6 * (size_t)e);
    }
    element->step(element, stuff, kept, &motion, lean, force, s->aim == NULL ? K : NULL);
    if (s->aim != NULL)
        return 0.0;
    double factor = s->h * stuff->damping_stiffness + s->h * s->h;
    for (int t = 0; t < 9 * (n * (n + 1) / 2); t++)
        K[t] *= factor;
    return 0.0;
}

bool cairn_fem_part_alike(const cairn_fem_part *part, int e, int end) {
    const cairn_fem_mesh_view *v = &part->view;
    if (e + CAIRN_FEM_LANES > end || cairn_fem_work_of(part)->stuff[v->group[e]].law->point != cairn_fem_corotational)
        return false;
    for (int l = 0; l < CAIRN_FEM_LANES; l++)
        if (v->kind[e + l] != CAIRN_ELEMENT_TET4 || v->group[e + l] != v->group[e])
            return false;
    return true;
}

/* Four elements that are alike; false: one by one. heat: of the lanes, where stresses are wanted. */
static bool evaluate_four(const sweep *s, int e, double angle[CAIRN_FEM_LANES], double heat[CAIRN_FEM_LANES]) {
    const cairn_fem_part *part = s->part;
    const cairn_fem_work *w = part->work;
    const cairn_fem_stuff *stuff = &w->stuff[part->view.group[e]];
    double far = damping_share(s->h, stuff), last[CAIRN_FEM_LANES][12], *force[CAIRN_FEM_LANES], *K[CAIRN_FEM_LANES];
    cairn_fem_quad quad = {.h = s->h, .near = 1.0 + far, .far = far};
    for (int l = 0; l < CAIRN_FEM_LANES; l++) {
        const int *slot = w->slot + w->slot_start[e + l];
        quad.kept[l] = w->kept + w->kept_start[e + l];
        force[l] = w->force + 3 * (size_t)w->slot_start[e + l];
        K[l] = w->K + 9 * (size_t)w->block_start[e + l];
        cairn_fem_collect(slot, 4, part->x, quad.x[l]);
        cairn_fem_collect(slot, 4, s->aim != NULL ? s->aim : part->v, quad.v[l]);
        if (s->answer != NULL)
            cairn_fem_collect(slot, 4, s->answer, last[l]);
    }
    double *turned = s->aim == NULL ? angle : NULL, factor = s->h * stuff->damping_stiffness + s->h * s->h;
    if (s->answer != NULL)
        return cairn_fem_quad_applied(stuff, &quad, (const double(*)[12])last, turned,
                                      (double(*)[6])(part->stress + 6 * (size_t)e), heat);
    return cairn_fem_quad_step(stuff, &quad, force, s->aim == NULL ? K : NULL, factor, turned);
}

static void evaluate_piece(void *user, int chunk, int begin, int end) {
    const sweep *s = user;
    double sum = 0.0, turned = 0.0, *twist = cairn_fem_work_of(s->part)->twist + 3 * (size_t)chunk;
    twist[0] = twist[1] = twist[2] = 0.0;
    for (int e = begin; e < end;) {
        double angle[CAIRN_FEM_LANES] = {0}, heat[CAIRN_FEM_LANES] = {0};
        int count = 1;
        if (cairn_fem_part_alike(s->part, e, end) && evaluate_four(s, e, angle, heat))
            count = CAIRN_FEM_LANES;
        else
            heat[0] = evaluate(s, e, angle);
        for (int l = 0; l < count; l++)
            sum += heat[l];
        for (int l = 0; s->answer == NULL && l < count; l++) {
            finish(s, e + l, angle[l], twist);
            turned += angle[l];
        }
        e += count;
    }
    cairn_fem_work_of(s->part)->energy[chunk] = s->answer != NULL ? sum : turned;
}

/* Evaluates all elements; returns the sum of what damping takes, or of the angles. */
static double run(sweep *s) {
    double sum = 0.0;
    cairn_parallel(s->context, s->part->view.elements, CAIRN_FEM_GRAIN, evaluate_piece, s);
    for (int i = 0; i < cairn_chunks(s->part->view.elements, CAIRN_FEM_GRAIN); i++)
        sum += cairn_fem_work_of(s->part)->energy[i];
    return sum;
}

void cairn_fem_pull(const cairn_fem_work *w, int i, double sum[3]) {
    sum[0] = sum[1] = sum[2] = 0.0;
    for (int p = w->pull_start[i]; p < w->pull_start[i + 1]; p++)
        for (int c = 0; c < 3; c++)
            sum[c] += w->force[3 * (size_t)w->pull[p] + (size_t)c];
}

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

void cairn_fem_spread_row(const cairn_fem_part *part, int i, double mass_share, double damped_share, double *H) {
    const cairn_fem_work *w = part->work;
    int first = w->near_start[i], degree = w->near_start[i + 1] - first;
    double block[9];
    for (int p = w->diagonal[i]; p < first + degree; p++) {
        gather(w, p, block);
        double mass = mass_share * w->mass[p] + damped_share * w->damped[p];
        for (int c = 0; c < 3; c++)
            block[4 * c] += mass;
        int j = w->near[p], theirs = w->near_start[j + 1] - w->near_start[j];
        double *mine = H + 9 * (size_t)first + 3 * (size_t)(p - first);
        double *other = H + 9 * (size_t)w->near_start[j] + 3 * (size_t)(w->mirror[p] - w->near_start[j]);
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < 3; c++) { /* block (i, j): rows of i, columns of j */
                other[(size_t)c * 3 * (size_t)theirs + (size_t)r] = block[3 * r + c];
                mine[(size_t)r * 3 * (size_t)degree + (size_t)c] = block[3 * r + c];
            }
    }
}

typedef struct writing {
    const cairn_fem_part *part;
    double h;
    cairn_vec3 gravity;
    double *H;
} writing;

static void write_piece(void *user, int chunk, int begin, int end) {
    (void)chunk;
    const writing *s = user;
    const cairn_fem_part *part = s->part;
    const cairn_fem_work *w = part->work;
    const double g[3] = {s->gravity.x, s->gravity.y, s->gravity.z};
    for (int i = begin; i < end; i++) {
        for (int c = 0; c < 3; c++)
            w->base[3 * i + c] += s->h * (part->load[3 * i + c] + w->weight[i] * g[c]);
        cairn_fem_spread_row(part, i, 1.0, s->h, s->H);
    }
}

/* Row and column of component c of vector i: only the mass stays. */
static void hold(const cairn_fem_part *part, int i, int c, double *H) {
    const cairn_fem_work *w = part->work;
    double v = part->held_v[3 * i + c], mass = w->mass[w->diagonal[i]];
    int first = w->near_start[i], degree = w->near_start[i + 1] - first;
    for (int p = first; p < first + degree; p++) {
        int j = w->near[p], theirs = w->near_start[j + 1] - w->near_start[j];
        double *column = H + 9 * (size_t)first + (size_t)c * 3 * (size_t)degree + 3 * (size_t)(p - first);
        double *row = H + 9 * (size_t)w->near_start[j] + 3 * (size_t)(w->mirror[p] - w->near_start[j]) + c;
        for (int r = 0; r < 3; r++) {
            w->base[3 * j + r] -= column[r] * v;
            column[r] = 0.0;
            row[(size_t)r * 3 * (size_t)theirs] = 0.0;
        }
    }
    H[9 * (size_t)first + (size_t)c * 3 * (size_t)degree + 3 * (size_t)(w->diagonal[i] - first) + (size_t)c] = mass;
}

/* Row of vector i of H v - k, nothing held. */
static void row_left(const cairn_fem_part *part, int i, double h, const double g[3], const double *v, double left[3]) {
    const cairn_fem_work *w = part->work;
    double block[9], force[3];
    cairn_fem_pull(w, i, force);
    for (int c = 0; c < 3; c++)
        left[c] = -h * (force[c] + part->load[3 * i + c] + w->weight[i] * g[c]);
    for (int p = w->near_start[i]; p < w->near_start[i + 1]; p++) {
        const double *now = v + 3 * w->near[p], *before = part->v + 3 * w->near[p];
        bool upper = p >= w->diagonal[i];
        gather(w, upper ? p : w->mirror[p], block);
        for (int c = 0; c < 3; c++) {
            left[c] += w->mass[p] * (now[c] - before[c]) + h * w->damped[p] * now[c];
            for (int d = 0; d < 3; d++)
                left[c] += (upper ? block[3 * c + d] : block[3 * d + c]) * now[d];
        }
    }
}

void cairn_fem_part_holding(const cairn_fem_part *part, double h, cairn_vec3 gravity, const double *v,
                            double *impulse) {
    const double g[3] = {gravity.x, gravity.y, gravity.z};
    for (int i = 0; i < part->vectors; i++) {
        double left[3] = {0.0, 0.0, 0.0};
        if (part->held[i] != 0)
            row_left(part, i, h, g, v, left);
        for (int c = 0; c < 3; c++)
            impulse[3 * i + c] = part->held[i] >> c & 1 ? left[c] : 0.0;
    }
}

static bool is_free(const cairn_fem_part *part) {
    for (int i = 0; i < part->vectors; i++)
        if (part->held[i] != 0)
            return false;
    return true;
}

/* J^-1 L, nothing about axes without inertia. */
static cairn_vec3 spin_of(const double J[9], cairn_vec3 L) {
    double V[9], j[3], most = 0.0;
    cairn_vec3 spin = {0, 0, 0};
    cairn_eigen3(J, V, j);
    for (int k = 0; k < 3; k++)
        most = fmax(most, j[k]);
    for (int k = 0; k < 3; k++) {
        cairn_vec3 axis = {V[k], V[3 + k], V[6 + k]};
        if (j[k] > RIGID * most)
            spin = cairn_vec3_add_scaled(spin, cairn_vec3_dot(axis, L) / j[k], axis);
    }
    return spin;
}

/* arm and inertia; none where nodes are held. */
static void find_arms(const cairn_fem_part *part) {
    cairn_fem_work *w = part->work;
    cairn_vec3 c = cairn_fem_part_center(part);
    memset(w->inertia, 0, sizeof w->inertia);
    for (int i = 0; i < part->vectors; i++) {
        const double *x = part->x + 3 * i, from = part->lumped[i] > 0.0 ? 1.0 : 0.0; /* slopes do not move */
        w->arm[3 * i] = x[0] - from * c.x;
        w->arm[3 * i + 1] = x[1] - from * c.y;
        w->arm[3 * i + 2] = x[2] - from * c.z;
    }
    for (int i = 0; is_free(part) && i < part->vectors; i++) {
        int begin = w->lumped ? w->diagonal[i] : w->near_start[i], end = w->lumped ? begin + 1 : w->near_start[i + 1];
        const double *a = w->arm + 3 * i;
        for (int p = begin; p < end; p++) {
            const double *b = w->arm + 3 * w->near[p], square = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
            for (int t = 0; t < 9; t++)
                w->inertia[t] += w->mass[p] * ((t % 4 == 0 ? square : 0.0) - b[t / 3] * a[t % 3]);
        }
    }
}

/* out = spin x arm + velocity, slopes without the latter */
static void set_motion(const cairn_fem_part *part, cairn_vec3 spin, cairn_vec3 velocity, double *out) {
    const cairn_fem_work *w = part->work;
    for (int i = 0; i < part->vectors; i++) {
        const double *a = w->arm + 3 * i;
        cairn_vec3 v = cairn_vec3_cross(spin, cairn_vec3_of(a[0], a[1], a[2]));
        if (part->lumped[i] > 0.0)
            v = cairn_vec3_add(v, velocity);
        out[3 * i] = v.x;
        out[3 * i + 1] = v.y;
        out[3 * i + 2] = v.z;
    }
}

/* rigid <- the motion of the whole with the part's momenta; none where nodes are held. Mv: M times the velocities. */
static void find_rigid(const cairn_fem_part *part, const double *Mv) {
    const cairn_fem_work *w = part->work;
    cairn_vec3 L = {0, 0, 0}, none = {0, 0, 0};
    find_arms(part);
    for (int i = 0; i < part->vectors; i++) {
        const double *a = w->arm + 3 * i, *m = Mv + 3 * i;
        L = cairn_vec3_add(L, cairn_vec3_cross(cairn_vec3_of(a[0], a[1], a[2]), cairn_vec3_of(m[0], m[1], m[2])));
    }
    set_motion(part, spin_of(w->inertia, L), is_free(part) ? cairn_fem_part_velocity(part) : none, w->rigid);
}

/* Bracing may turn nobody: the torque that it has in the prediction is taken off, as if all of the part were turned back. */
static void take_twist(const cairn_fem_part *part, double h, double *k) {
    const cairn_fem_work *w = part->work;
    double sum[3] = {0.0, 0.0, 0.0}, *back = w->room;
    for (int i = 0; i < 3 * cairn_chunks(part->view.elements, CAIRN_FEM_GRAIN); i++)
        sum[i % 3] += w->twist[i];
    if ((sum[0] == 0.0 && sum[1] == 0.0 && sum[2] == 0.0) || !is_free(part))
        return;
    cairn_vec3 none = {0, 0, 0}, spin = spin_of(w->inertia, cairn_vec3_of(h * sum[0], h * sum[1], h * sum[2]));
    set_motion(part, spin, none, back);
    cairn_fem_part_mass_times(part, w->mass, back, back + 3 * part->vectors);
    for (int t = 0; t < 3 * part->vectors; t++)
        k[t] -= back[3 * part->vectors + t];
}

/* k = base + h force; held components have their velocity alone. */
static void sum_forces(const cairn_fem_part *part, double h, double *k) {
    const cairn_fem_work *w = part->work;
    for (int i = 0; i < part->vectors; i++) {
        double force[3];
        cairn_fem_pull(w, i, force);
        for (int c = 0; c < 3; c++)
            k[3 * i + c] = part->held[i] >> c & 1 ? w->mass[w->diagonal[i]] * part->held_v[3 * i + c]
                                                  : w->base[3 * i + c] + h * force[c];
    }
    take_twist(part, h, k);
}

void cairn_fem_part_write(cairn_fem_part *part, double h, cairn_vec3 gravity, double *H, double *k) {
    cairn_fem_work *w = part->work;
    cairn_fem_part_mass_times(part, w->mass, part->v, w->base);
    find_rigid(part, w->base);
    sweep s = {.context = part->context, .part = part, .h = h};
    part->turn = run(&s) / part->view.elements;
    writing to = {part, h, gravity, H};
    cairn_parallel(part->context, part->vectors, CAIRN_FEM_GRAIN, write_piece, &to);
    for (int i = 0; i < part->vectors; i++)
        for (int c = 0; c < 3; c++)
            if (part->held[i] >> c & 1)
                hold(part, i, c, H);
    sum_forces(part, h, k);
}

void cairn_fem_part_aim(cairn_fem_part *part, cairn_context *context, double h, const double *aim, double *k) {
    sweep s = {.context = context, .part = part, .h = h, .aim = aim};
    run(&s);
    sum_forces(part, h, k);
}

static bool is_damped(const cairn_fem_part *part) {
    for (int i = 0; i < part->materials; i++)
        if (part->material[i].damping_mass > 0.0)
            return true;
    return false;
}

double cairn_fem_part_apply(cairn_fem_part *part, double h, const double *aim, const double *v) {
    const cairn_fem_work *w = part->work;
    sweep s = {.context = part->context, .part = part, .h = h, .aim = aim, .answer = v};
    double heat = run(&s), power = 0.0;
    for (int i = 0; is_damped(part) && i < part->vectors; i++)
        for (int p = w->near_start[i]; p < w->near_start[i + 1]; p++)
            for (int c = 0; c < 3; c++)
                power += v[3 * i + c] * w->damped[p] * v[3 * w->near[p] + c];
    return heat + h * power;
}
