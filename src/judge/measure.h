/*
 * measure.h: the backward error of an answer [certificate], for one kind of number. Included by measure_exact.c and measure_quick.c, which define
 * `real`, real_sqrt, real_abs, REAL_EPSILON, REAL_LEAST, PASS, the attribute of the loops, G of mass.c, INVERSE; MEASURE, FREE and VELOCITIES, the names of the functions; and rigid_slip and rigid_load, which
 * do as block_slip and block_load for three rows over bodies of six.
 *
 *     1. v from the impulses g, or as it was given; w_i = D_i'v + C_i g_i + b_i; points (g'_i, u'_i) on the graphs (graph.h)
 *     2. v' = H^-1 (k + D g')
 *     3. w'_i = D_i'v' + C_i g'_i + b_i,  u'_i moved along its fibre to w'_i,  Delta b_i = u'_i - w'_i
 *
 * (g', v') is the exact answer of the problem with b + Delta b. X_i = |Delta b_i| + a bound of what rounding has done to it.
 *
 * The bound. eps is the spacing of `real` at 1, twice its unit roundoff. A sum of p products x_j y_j, in any order, is off by at most p eps/2 (1 + p eps) times
 * sum |x_j y_j|; we take p eps, which pays for second order, and for the rounding of the sizes, sums of positive terms, while p < 2^20.
 *     k + D g' of a row of body b, p = terms_b:     off by at most p eps a,  a = |k| + sum |D g'|
 *     v' = G (k + D g'), G = H_b^-1 to within Z_jl <= z_j z_l (mass.c), p = terms_b + size_b + 2:      off by e = p eps sum_l |G_jl| a_l + z_j sum_l z_l a_l
 *     w', p = columns + 4:        off by f = sum |D_rj| (p eps |v'_j| + e_j) + p eps (|b_r| + |C_r g'_r|)
 *     u' follows from w' and g' by at most eight operations, each relative:   on the graph to within 8 eps |u'|
 * X_i = (|Delta b_i| + |f_i| + 8 eps |u'_i|)(1 + 16 eps). g' is a double by definition, so it adds nothing; that g'_T has the length mu g'_N to 2 eps of double only is a
 * change of mu by as much, which the certificate allows itself. Products that underflow are not counted: velocities below 1e-290 m/s are nothing.
 *
 * Where H couples bodies v' is refined against H itself, and what is left of k + D g' - H v', rounding included, is measured by itself (mass.c).
 * Cost: one read of D in step 1, which also sums D g', and one in step 3; the local form two products with N.
 */
#include "judge/graph.h"

/* w = D_i'v of the rows of block i; e not NULL: size = |D_i|'e. */
static inline void block_slip(const cairn_problem *p, int i, const real *v, const real *e, real *w, real *size) {
    const cairn_body_blocks *B = &p->body;
    const double *d = B->dense + B->dense_start[i];
    for (int r = 0; r < p->block[i].dim; r++) {
        w[r] = size[r] = 0;
        for (int t = B->touch_start[i]; t < B->touch_start[i + 1]; t++)
            for (int j = p->body_start[B->touch[t]]; j < p->body_start[B->touch[t] + 1]; j++, d++) {
                w[r] += *d * v[j];
                size[r] += e != NULL ? real_abs((real)*d) * e[j] : 0;
            }
    }
}

/* load += D_i g, size += |D_i g|. */
static inline void block_load(const cairn_problem *p, int i, const double *g, real *load, real *size) {
    const cairn_body_blocks *B = &p->body;
    const double *d = B->dense + B->dense_start[i];
    for (int r = 0; r < p->block[i].dim; r++)
        for (int t = B->touch_start[i]; t < B->touch_start[i + 1]; t++)
            for (int j = p->body_start[B->touch[t]]; j < p->body_start[B->touch[t] + 1]; j++, d++) {
                real x = *d * (real)g[r];
                load[j] += x;
                size[j] += real_abs(x);
            }
}

/* Vectors of one measurement, in judge->work. */
typedef struct vectors {
    real *v, *e, *load;   /* n; e: the sizes of the load's terms, then the bound of v */
    real *w, *f, *stored; /* m; w = N g and f = |N||g| of the local form */
} vectors;

static vectors vectors_of(const cairn_judge *judge) {
    real *x = (real *)judge->work;
    size_t n = (size_t)judge->problem->n, m = (size_t)judge->problem->m;
    return (vectors){x, x + n, x + 2 * n, x + 3 * n, x + 3 * n + m, x + 3 * n + 2 * m};
}

static void begin_load(const cairn_problem *p, const vectors *x) {
    for (int j = 0; j < p->n; j++) {
        x->load[j] = p->k[j];
        x->e[j] = real_abs(x->load[j]);
    }
}

CAIRN_INLINE void add_load(const cairn_problem *p, int i, const double *gamma, vectors *x) {
    const double *g = gamma + p->block_start[i];
    if (p->body.rigid[i] > 0)
        rigid_load(p, i, g, x->load, x->e);
    else
        block_load(p, i, g, x->load, x->e);
}

/* Numbers that a row of k + D g' is summed from, at most. */
static inline int terms_of(const cairn_judge *judge, int body) {
    const int *start = judge->problem->body.incident_start + body;
    return judge->tallest * (start[1] - start[0]) + 1;
}

/* v' = H^-1 load of a body, and in e what rounding may do to it, that of the products with v' included. */
CAIRN_INLINE void move_body(const cairn_judge *judge, int body, const vectors *x) {
    const cairn_problem *p = judge->problem;
    const int first = p->body_start[body], count = p->body_start[body + 1] - first;
    const int64_t at = judge->mass.start[body];
    const double *z = judge->mass.loose + first;
    const real eps = (real)(terms_of(judge, body) + count + 2) * (real)REAL_EPSILON;
    real off = 0, size[CAIRN_BODY_DIM_MAX];
    for (int c = 0; c < count; c++) {
        size[c] = x->e[first + c];
        off += z[c] * size[c];
    }
    for (int r = 0; r < count; r++) {
        real sum = 0, bound = 0;
        for (int c = 0; c < count; c++) {
            real G = INVERSE(judge, at + r * count + c);
            sum += G * x->load[first + c];
            bound += real_abs(G) * size[c];
        }
        x->v[first + r] = sum;
        x->e[first + r] = eps * bound + z[r] * off + (judge->widest + 4) * (real)REAL_EPSILON * real_abs(sum);
    }
}

/* v' = H^-1 (k + D g') and its bound; of the local form N gamma. */
PASS static void move(cairn_judge *judge, const double *gamma, vectors *x) {
    const cairn_problem *p = judge->problem;
    const cairn_csc *N = &p->A;
    if (judge->mass.coupled)
        move_coupled(judge, x);
    for (int body = 0; body < p->bodies && !p->local && !judge->mass.coupled; body++)
        move_body(judge, body, x);
    for (int j = 0; p->local && j < p->m; j++)
        x->w[j] = x->f[j] = 0;
    for (int j = 0; p->local && gamma != NULL && j < p->m; j++)
        for (int e = N->start[j]; e < N->start[j + 1]; e++) {
            real z = N->value[e] * (real)gamma[j];
            x->w[N->index[e]] += z;
            x->f[N->index[e]] += real_abs(z);
        }
}

/* The motion of the impulses gamma; NULL: of none. */
static void move_by(cairn_judge *judge, const double *gamma, vectors *x) {
    const cairn_problem *p = judge->problem;
    begin_load(p, x);
    for (int i = 0; gamma != NULL && !p->local && i < p->blocks; i++)
        add_load(p, i, gamma, x);
    move(judge, gamma, x);
}

/* w = D'v + C g + b of block i; f not NULL: a bound of its rounding. */
CAIRN_INLINE void slip_of(const cairn_judge *judge, const vectors *x, int i, const double *gamma, real *w, real *f) {
    const cairn_problem *p = judge->problem;
    const real eps = (real)(judge->widest + 4) * (real)REAL_EPSILON;
    const real *e = f != NULL ? x->e : NULL;
    int first = p->block_start[i], dim = p->block[i].dim;
    real spare[CAIRN_BLOCK_DIM_MAX], *size = f != NULL ? f : spare;
    for (int r = 0; p->local && r < dim; r++) {
        w[r] = x->w[first + r];
        size[r] = (real)(p->m + 4) * (real)REAL_EPSILON * x->f[first + r];
    }
    if (!p->local && p->body.rigid[i] > 0)
        rigid_slip(p, i, x->v, e, w, size);
    else if (!p->local)
        block_slip(p, i, x->v, e, w, size);
    for (int r = 0; r < dim; r++) {
        real soft = gamma != NULL ? p->C[first + r] * (real)gamma[first + r] : 0, b = p->b[first + r];
        w[r] = (w[r] + soft) + b;
        if (f != NULL)
            f[r] += eps * (real_abs(soft) + real_abs(b));
    }
}

/* Step 1: the point of block i, and the load of its impulse. as_given: the impulse stays what it is, but for what lies outside its set. */
CAIRN_INLINE void find_point(cairn_judge *judge, int i, bool as_given, const double *gamma, vectors *x) {
    const cairn_problem *p = judge->problem;
    int first = p->block_start[i];
    real w[CAIRN_BLOCK_DIM_MAX], g[CAIRN_BLOCK_DIM_MAX] = {0};
    for (int r = 0; r < p->block[i].dim; r++)
        g[r] = gamma[first + r];
    if (as_given) {
        given_impulse(&p->block[i], g, judge->gamma + first, x->stored + first);
    } else {
        slip_of(judge, x, i, gamma, w, NULL);
        near_impulse(&p->block[i], p->law, (real)judge->scale[i], g, w, judge->gamma + first, x->stored + first);
    }
    if (!p->local)
        add_load(p, i, judge->gamma, x);
}

/* (size + rounding + 8 eps slip)(1 + 16 eps), rounded up to double. */
static double told(real size, real rounding, real slip) {
    real sum = (size + rounding + 8 * (real)REAL_EPSILON * slip) * (1 + 16 * (real)REAL_EPSILON);
    double x = (double)sum;
    return isnan(x) ? (double)INFINITY : x < (double)INFINITY ? x * (1.0 + DBL_EPSILON) : x;
}

/* |Delta b| in the rows of one unit, turning or not. */
static double part_of(const cairn_problem *p, int i, bool turning, const real *d, real bound, real slip) {
    real x[CAIRN_BLOCK_DIM_MAX];
    bool any = false;
    for (int r = 0; r < p->block[i].dim; r++) {
        bool has = (p->angular[p->block_start[i] + r] != 0) == turning;
        x[r] = has ? d[r] : 0;
        any = any || has;
    }
    return any ? told(length_of(p->block[i].dim, x), bound, slip) : 0.0;
}

/* Step 3, of block i. */
CAIRN_INLINE void find_error(cairn_judge *judge, int i, const vectors *x) {
    const cairn_problem *p = judge->problem;
    int first = p->block_start[i], dim = p->block[i].dim;
    const double *g = judge->gamma + first;
    real w[CAIRN_BLOCK_DIM_MAX], f[CAIRN_BLOCK_DIM_MAX], u[CAIRN_BLOCK_DIM_MAX], d[CAIRN_BLOCK_DIM_MAX];
    slip_of(judge, x, i, judge->gamma, w, f);
    fibre(&p->block[i], p->law, g, x->stored + first, w, u);
    for (int r = 0; r < dim; r++) {
        d[r] = u[r] - w[r];
        judge->u[first + r] = (double)u[r];
        judge->shift[first + r] = (double)d[r];
    }
    real bound = length_of(dim, f), slip = length_of(dim, u);
    if (p->block[i].set == CAIRN_SET_CUSTOM) /* u' goes with g' before it was rounded to double */
        bound += (real)DBL_EPSILON * (real)judge->scale[i] * size_of(dim, g);
    judge->rounding[i] = told(0, bound, slip);
    judge->error[i] = p->angular != NULL ? part_of(p, i, false, d, bound, slip) : told(length_of(dim, d), bound, slip);
    judge->turning[i] = p->angular != NULL ? part_of(p, i, true, d, bound, slip) : 0.0;
}

/* Step 2 for the bodies of block i that have no other block to come, then step 3 for the blocks from `next` on whose bodies all move. Returns the first that has to wait. */
CAIRN_INLINE int go_on(cairn_judge *judge, int i, int next, const vectors *x) {
    const cairn_body_blocks *B = &judge->problem->body;
    for (int t = B->touch_start[i]; t < B->touch_start[i + 1]; t++)
        if (--judge->left[B->touch[t]] == 0)
            move_body(judge, B->touch[t], x);
    for (; next <= i; next++) {
        for (int t = B->touch_start[next]; t < B->touch_start[next + 1]; t++)
            if (judge->left[B->touch[t]] > 0)
                return next;
        find_error(judge, next, x);
    }
    return next;
}

/* Steps 1 to 3. Where H couples no bodies they go on side by side: where blocks stand near those that they share bodies with, D is still in the cache for step 3. */
PASS void MEASURE(cairn_judge *judge, bool as_given, const double *hint, const double *gamma) {
    const cairn_problem *p = judge->problem;
    const bool apart = !p->local && !judge->mass.coupled;
    vectors x = vectors_of(judge);
    int next = 0;
    for (int j = 0; j < p->n && hint != NULL; j++)
        x.v[j] = hint[j];
    if (!as_given && (hint == NULL || p->local))
        move_by(judge, gamma, &x);
    begin_load(p, &x);
    for (int body = 0; body < p->bodies && apart; body++) {
        judge->left[body] = p->body.incident_start[body + 1] - p->body.incident_start[body];
        if (judge->left[body] == 0)
            move_body(judge, body, &x);
    }
    for (int i = 0; i < p->blocks; i++) {
        find_point(judge, i, as_given, gamma, &x);
        next = apart ? go_on(judge, i, next, &x) : 0;
    }
    if (!apart)
        move(judge, judge->gamma, &x);
    for (; next < p->blocks; next++)
        find_error(judge, next, &x);
    for (int j = 0; j < p->n; j++)
        judge->v[j] = (double)x.v[j];
}

/* The largest free velocities of the components, and the sizes of their terms. The former are units, no bounds: rounding changes the tolerance that was asked for in its last digits, by some of
 * the grain times the tolerance at most. */
PASS void FREE(cairn_judge *judge) {
    const cairn_problem *p = judge->problem;
    vectors x = vectors_of(judge);
    move_by(judge, NULL, &x);
    for (int j = 0; j < p->n; j++)
        x.e[j] = real_abs(x.v[j]);
    for (int c = 0; c < judge->components; c++)
        judge->free[c] = judge->grain[c] = 0.0;
    for (int i = 0; i < p->blocks; i++) {
        real r[CAIRN_BLOCK_DIM_MAX], terms[CAIRN_BLOCK_DIM_MAX];
        int c = judge->component[p->bodies + i], dim = p->block[i].dim;
        slip_of(judge, &x, i, NULL, r, terms);
        for (int j = 0; j < dim; j++)
            terms[j] += real_abs((real)p->b[p->block_start[i] + j]);
        judge->free[c] = fmax(judge->free[c], (double)length_of(dim, r));
        judge->grain[c] = fmax(judge->grain[c], (double)(16 * (real)DBL_EPSILON * length_of(dim, terms)));
    }
}

PASS void VELOCITIES(cairn_judge *judge, const double *gamma, double *u, double *v) {
    const cairn_problem *p = judge->problem;
    vectors x = vectors_of(judge);
    move_by(judge, gamma, &x);
    for (int i = 0; i < p->blocks && u != NULL; i++) {
        real w[CAIRN_BLOCK_DIM_MAX];
        slip_of(judge, &x, i, gamma, w, NULL);
        for (int r = 0; r < p->block[i].dim; r++)
            u[p->block_start[i] + r] = (double)w[r];
    }
    for (int j = 0; j < p->n && v != NULL; j++)
        v[j] = (double)x.v[j];
}
