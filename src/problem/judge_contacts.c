/*
 * judge_contacts.c: the certificate of contacts between rigid bodies [theory 1], in two passes.
 *
 *     bodies:    load = D gamma, v^ = H^-1 (k + load), H^-1 k; energies of k, load and of the answer's error e = v - v^, e'He
 *     contacts:  u = D'v^ + C gamma + b, r^ = D'H^-1 k + b, the block's figures; squares for all norms
 *
 * The same formulas as in certificate.c, and the same sets but for plain cones in space, whose wedge is written out here; no vector of m numbers is kept: a contact
 * is read once, and what it adds to the sums is added at once. Figures that belong to k and b alone are remembered as long as both keep their bits, scales n_i for good. Sums run
 * in long double, whose range holds the square of every double, so that no norm needs scaling; where it does not, nothing fits. Answers far above rounding are judged by
 * judge_quick.c first, where the caller allows it. Contacts whose figures are as good in double are left to judge_even.c, which is told v^ from here.
 */
#include "judge_contacts.h"

#include "judge_dense.h"
#include "judge_even.h"
#include "judge_mass.h"
#include "judge_quick.h"
#include "judge_sums.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define ROWS           6
#define DIM            3
#define REFINE_MAX     10 /* as in judge_mass.c */
#define BACKWARD_LIMIT 1e-10
#define SAFE_LOW       1e-200 /* squares within these limits have lost nothing to underflow or overflow */
#define SAFE_HIGH      1e200
#define CANCELLED      1e-4 /* of its terms: a sum below it has lost digits that matter */

struct cairn_judge_contacts {
    const cairn_problem *problem;
    cairn_judge_dense *dense; /* of the bodies; NULL: H is diagonal */
    cairn_arena arena;        /* holds all that follows */
    long double *v, *free_v;  /* n: v^, H^-1 k */
    double *free;             /* n: free_v, rounded */
    long double *scale;       /* blocks: n_i */
    double *root;             /* n: 1/sqrt(H_ii) where H is diagonal */
    double *rough;            /* n: v^, rounded, or that of a quick run */
    int *odd;                 /* blocks: what judge_even.c leaves */
    bool cones;               /* plain cones in space are all there is: judge_quick.c and judge_even.c may be asked */
    double *k, *b;            /* n, m: what free_v and what is kept belong to */
    bool has_scale, has_free;
    cairn_judge_tally kept; /* free_slip, terms, r, terms_norm, idle */
    double idle;            /* natural map of no impulses; below zero: not known */
    long double free_energy;
};

bool cairn_judge_contacts_fit(const cairn_problem *p) {
    if (p->local || !p->block_diagonal || p->unsymmetric || !p->full_pattern || LDBL_MAX_EXP < 8 * DBL_MAX_EXP)
        return false;
    for (int body = 0; body < p->bodies; body++)
        if (p->body_start[body + 1] - p->body_start[body] != ROWS)
            return false;
    for (int i = 0; i < p->blocks; i++) {
        int count = p->body.touch_start[i + 1] - p->body.touch_start[i];
        if (p->block[i].dim > DIM || count < 1 || count > 2 || p->block[i].set == CAIRN_SET_POLY_CONE)
            return false;
    }
    return true;
}

static void layout(cairn_judge_contacts *c) {
    size_t n = (size_t)c->problem->n, m = (size_t)c->problem->m, blocks = (size_t)c->problem->blocks;
    c->v = cairn_arena_take(&c->arena, n, sizeof *c->v);
    c->free_v = cairn_arena_take(&c->arena, n, sizeof *c->free_v);
    c->free = cairn_arena_take(&c->arena, n, sizeof *c->free);
    c->scale = cairn_arena_take(&c->arena, blocks, sizeof *c->scale);
    c->root = cairn_arena_take(&c->arena, n, sizeof *c->root);
    c->rough = cairn_arena_take(&c->arena, n, sizeof *c->rough);
    c->odd = cairn_arena_take(&c->arena, blocks, sizeof *c->odd);
    c->k = cairn_arena_take(&c->arena, n, sizeof *c->k);
    c->b = cairn_arena_take(&c->arena, m, sizeof *c->b);
}

/* Factors of the bodies, or one number a row where H is diagonal. */
static cairn_status factor(cairn_judge_contacts *c) {
    const cairn_csc *H = &c->problem->A;
    if (H->start[H->cols] != H->cols) /* with its whole diagonal it has no less */
        return cairn_judge_dense_create(c->problem, &c->dense);
    for (int i = 0; i < H->cols; i++) {
        if (!(H->value[i] > 0.0))
            return cairn_fail(c->problem->context, CAIRN_ERROR_NUMERICAL,
                              "certificate: H is not positive definite at row %d (body %d)", i, i / ROWS);
        c->root[i] = (double)(1.0L / sqrtl(H->value[i]));
    }
    return CAIRN_OK;
}

cairn_status cairn_judge_contacts_create(const cairn_problem *problem, cairn_judge_contacts **out) {
    cairn_judge_contacts *made = cairn_alloc(problem->context, 1, sizeof *made);
    if (made == NULL)
        return CAIRN_ERROR_MEMORY;
    made->problem = problem;
    layout(made);
    cairn_status status = cairn_arena_reserve_raw(problem->context, &made->arena);
    if (status == CAIRN_OK) {
        layout(made);
        status = factor(made);
        made->cones = cairn_judge_quick_fits(problem);
    }
    if (status == CAIRN_OK)
        *out = made;
    else
        cairn_judge_contacts_destroy(made);
    return status;
}

void cairn_judge_contacts_destroy(cairn_judge_contacts *contacts) {
    if (contacts == NULL)
        return;
    cairn_context *context = contacts->problem->context;
    cairn_judge_dense_destroy(contacts->dense);
    cairn_arena_free(context, &contacts->arena);
    cairn_free(context, contacts);
}

const long double *cairn_judge_contacts_velocity(const cairn_judge_contacts *contacts) {
    return contacts->v;
}

double cairn_judge_contacts_idle(const cairn_judge_contacts *contacts) {
    return contacts->has_free ? contacts->idle : -1.0;
}

/* ---- bodies ------------------------------------------------------------------------------------------------ */

/* The quotient |residual| / (|H||x| + |rhs|) of a row with so many entries, with the larger denominator of judge_mass.c where that sum is only rounding; eta where that is
 * larger. size: largest |x|. */
CAIRN_INLINE long double row_error(int count, const double *value, const long double *x, long double rhs,
                                   long double size, long double eta, long double *residual) {
    long double sum = rhs, bound = fabsl(rhs);
    double most = 0.0;
    for (int e = 0; e < count; e++) {
        long double term = value[e] * x[e];
        sum -= term;
        bound += fabsl(term);
        most = fabs(value[e]) > most ? fabs(value[e]) : most;
    }
    *residual = sum;
    if (bound <= 1000.0L * ROWS * LDBL_EPSILON * (most * size + fabsl(rhs)))
        bound += most * size;
    if (sum != 0.0L && !(fabsl(sum) <= eta * bound))
        eta = isnan(sum / bound) ? INFINITY : fabsl(sum) / bound;
    return eta;
}

/* Rows of H_b: three of the mass, with one entry each, and three whole rows of the inertia. */
static bool is_usual(const cairn_csc *H, int first) {
    return H->start[first + 3] == H->start[first] + 3 && H->start[first + ROWS] == H->start[first] + 12;
}

/* residual = rhs - H_b x; returns the largest quotient of its rows. */
static long double backward_error(const cairn_problem *p, int body, const long double *rhs, const long double *x,
                                  long double *residual) {
    const cairn_csc *H = &p->A;
    int first = p->body_start[body];
    const double *value = H->value + H->start[first];
    long double eta = 0.0L, size = 0.0L;
    for (int i = 0; i < ROWS; i++)
        size = fabsl(x[i]) > size ? fabsl(x[i]) : size;
    if (is_usual(H, first)) {
        for (int i = 0; i < 3; i++)
            eta = row_error(1, value + i, x + i, rhs[i], size, eta, &residual[i]);
        for (int i = 3; i < ROWS; i++)
            eta = row_error(3, value + 3 * (i - 2), x + 3, rhs[i], size, eta, &residual[i]);
        return eta;
    }
    for (int i = 0; i < ROWS; i++) {
        int from = H->start[first + i], count = H->start[first + i + 1] - from;
        long double own[ROWS];
        for (int e = 0; e < count; e++)
            own[e] = x[H->index[from + e] - first];
        eta = row_error(count, H->value + from, own, rhs[i], size, eta, &residual[i]);
    }
    return eta;
}

/* x = H_b^-1 rhs (six numbers), refined against H. */
static cairn_status solve_body(const cairn_judge_contacts *c, int body, const long double *rhs, long double *x) {
    const cairn_problem *p = c->problem;
    if (c->dense == NULL) { /* a quotient is as good as it can be */
        for (int i = 0; i < ROWS; i++)
            x[i] = rhs[i] / p->A.value[ROWS * body + i];
        return CAIRN_OK;
    }
    long double residual[ROWS], better[ROWS];
    memcpy(x, rhs, ROWS * sizeof *x);
    cairn_judge_dense_solve(c->dense, body, x);
    long double eta = backward_error(p, body, rhs, x, residual);
    for (int step = 0; step < REFINE_MAX && eta > (ROWS + 1) * LDBL_EPSILON; step++) {
        cairn_judge_dense_solve(c->dense, body, residual);
        for (int i = 0; i < ROWS; i++)
            better[i] = x[i] + residual[i];
        long double after = backward_error(p, body, rhs, better, residual);
        if (!(after < eta))
            break;
        memcpy(x, better, sizeof better);
        eta = after;
    }
    if (eta <= BACKWARD_LIMIT)
        return CAIRN_OK;
    return cairn_fail(p->context, CAIRN_ERROR_NUMERICAL,
                      "certificate: solving with H leaves a backward error of %.2Lg, more than %g", eta,
                      BACKWARD_LIMIT);
}

/* e'H_b e for six numbers. */
static long double energy(const cairn_problem *p, int body, const long double *e) {
    const cairn_csc *H = &p->A;
    int first = p->body_start[body];
    const double *J = H->value + H->start[first];
    long double sum = 0.0L;
    if (is_usual(H, first)) {
        for (int i = 0; i < 3; i++)
            sum += e[i] * J[i] * e[i];
        for (int i = 3; i < ROWS; i++)
            for (int k = 3; k < ROWS; k++)
                sum += e[i] * J[3 * (i - 2) + k - 3] * e[k];
        return sum;
    }
    for (int i = 0; i < ROWS; i++)
        for (int at = H->start[first + i]; at < H->start[first + i + 1]; at++)
            sum += e[i] * H->value[at] * e[H->index[at] - first];
    return sum;
}

/* Squares of the norms of k, D gamma and Hv - D gamma - k, each in the norm of H^-1. */
typedef struct energies {
    long double free, load, error;
} energies;

static cairn_status pass_body(cairn_judge_contacts *c, int body, const double *answer, const double *gamma,
                              energies *sums) {
    const cairn_problem *p = c->problem;
    int first = p->body_start[body];
    const double *k = p->k + first;
    long double load[ROWS], rhs[ROWS], error[ROWS], *v = c->v + first, *free_v = c->free_v + first;
    cairn_status status = CAIRN_OK;
    if (!c->has_free) {
        for (int i = 0; i < ROWS; i++)
            rhs[i] = k[i];
        status = solve_body(c, body, rhs, free_v);
        for (int i = 0; i < ROWS; i++) {
            sums->free += k[i] * free_v[i];
            c->free[first + i] = (double)free_v[i];
        }
    }
    cairn_judge_load(p, body, gamma, load);
    for (int i = 0; i < ROWS; i++)
        rhs[i] = k[i] + load[i];
    if (status == CAIRN_OK)
        status = solve_body(c, body, rhs, v);
    for (int i = 0; i < ROWS; i++) {
        sums->load += load[i] * (v[i] - free_v[i]);
        c->rough[first + i] = (double)v[i];
        error[i] = (answer != NULL ? answer[first + i] : c->rough[first + i]) - v[i];
    }
    sums->error += energy(p, body, error);
    return status;
}

/* sqrt(x) of an energy; rounding may leave it below zero. */
static long double root_of(long double x) {
    return x > 0.0L ? sqrtl(x) : isnan(x) ? INFINITY : 0.0L;
}

/* ---- contacts ---------------------------------------------------------------------------------------------- */

typedef double pair __attribute__((vector_size(16)));
typedef double quad __attribute__((vector_size(32)));
typedef int64_t quad_bits __attribute__((vector_size(32)));

/* Numbers of the two bodies of a contact side by side; zeros for one that is not there. */
typedef struct both {
    quad part[3];
} both;

CAIRN_INLINE pair pair_at(const double *x) {
    pair out;
    memcpy(&out, x, sizeof out);
    return out;
}

/* a: six numbers of the first body; b: of the second, not read unless two is set. By halves of a register: what was just written is not read in other pieces. */
CAIRN_INLINE void read_sixes(const double *a, const double *b, bool two, both *out) {
    const pair none = {0};
    pair second[3] = {none, none, none};
    for (int k = 0; k < 3 && two; k++)
        second[k] = pair_at(b + 2 * k);
    out->part[0] = __builtin_shufflevector(pair_at(a), pair_at(a + 2), 0, 1, 2, 3);
    out->part[1] = __builtin_shufflevector(pair_at(a + 4), second[0], 0, 1, 2, 3);
    out->part[2] = __builtin_shufflevector(second[1], second[2], 0, 1, 2, 3);
}

CAIRN_INLINE void read_both(const double *x, const int *touch, int width, both *out) {
    bool two = width > ROWS;
    read_sixes(x + ROWS * touch[0], x + ROWS * touch[two], two, out);
}

CAIRN_INLINE double total(const quad *x) {
    return ((*x)[0] + (*x)[1]) + ((*x)[2] + (*x)[3]);
}

/* sum += |x|. */
CAIRN_INLINE void add_sizes(const quad *x, quad *sum) {
    *sum += (quad)((quad_bits)*x & INT64_MAX);
}

/* trace(N_ii)/dim by the factors; 1 where that is nothing. */
static long double careful_scale(const cairn_judge_contacts *c, int i) {
    const cairn_problem *p = c->problem;
    const double *E = p->body.dense + p->body.dense_start[i];
    int dim = p->block[i].dim, width = p->body.width[i];
    long double trace = 0.0L;
    for (int t = p->body.touch_start[i]; t < p->body.touch_start[i + 1]; t++, E += ROWS)
        for (int r = 0; r < dim; r++) {
            int body = p->body.touch[t];
            const double *d = E + r * width;
            if (c->dense != NULL)
                trace += cairn_judge_dense_energy(c->dense, body, d);
            for (int k = 0; c->dense == NULL && k < ROWS; k++)
                trace += ((long double)d[k] * d[k]) / p->A.value[ROWS * body + k];
        }
    for (int r = 0; r < dim; r++)
        trace += p->C[p->block_start[i] + r];
    return trace > 0.0L && isfinite(trace) ? trace / dim : 1.0L;
}

/* The same for a diagonal H, as long as squares lose nothing. */
CAIRN_INLINE long double scale_of(const cairn_judge_contacts *c, int i, int dim, const both *rows) {
    const cairn_problem *p = c->problem;
    int width = p->body.width[i];
    if (c->dense != NULL)
        return careful_scale(c, i);
    both root;
    read_both(c->root, p->body.touch + p->body.touch_start[i], width, &root);
    long double trace = 0.0L;
    for (int r = 0; r < dim; r++) {
        quad square = {0};
        for (int k = 0; k < 3; k++) {
            quad part = root.part[k] * rows[r].part[k];
            square += part * part;
        }
        double sum = total(&square);
        if (!(sum > SAFE_LOW && sum < SAFE_HIGH))
            return careful_scale(c, i);
        trace += (long double)sum + p->C[p->block_start[i] + r];
    }
    return trace / dim;
}

/* Adds a block's square to both sums. */
CAIRN_INLINE void add_size(long double square, long double weight, cairn_judge_size *size) {
    size->weighted += weight * square;
    size->plain += square;
}

/* A block's |r^|^2 and the square of its sum of |terms| into the sums and largest ones that are kept. */
CAIRN_INLINE void keep_free(cairn_judge_contacts *c, long double square, long double size, long double under) {
    add_size(square, under, &c->kept.r);
    c->kept.terms_norm += under * size;
    cairn_judge_raise(&c->kept.free_slip, square);
    cairn_judge_raise(&c->kept.terms, size);
}

/* What belongs to k and b alone: r^ = D'H^-1 k + b and the sum of |terms| that it is made of. Nothing but sizes is asked of it, for which double is good
 * enough; where it is not, find_free follows. Squares, and largest squares, into kept. */
CAIRN_INLINE void add_free(cairn_judge_contacts *c, int i, int dim, const both *rows, long double under) {
    const cairn_problem *p = c->problem;
    const double *b = p->b + p->block_start[i];
    both x;
    read_both(c->free, p->body.touch + p->body.touch_start[i], p->body.width[i], &x);
    long double square = 0.0L, size = 0.0L;
    for (int r = 0; r < dim; r++) {
        quad sum = {0}, terms = {0};
        for (int k = 0; k < 3; k++) {
            quad part = rows[r].part[k] * x.part[k];
            sum += part;
            add_sizes(&part, &terms);
        }
        long double slip = total(&sum) + b[r], most = total(&terms) + fabs(b[r]);
        square += slip * slip;
        size += most * most;
    }
    keep_free(c, square, size, under);
}

/* Sum of six products; two sums, each of which waits for its own last addition only. */
CAIRN_INLINE long double six(const double *E, const long double *x) {
    return ((E[0] * x[0] + E[1] * x[1]) + E[2] * x[2]) + ((E[3] * x[3] + E[4] * x[4]) + E[5] * x[5]);
}

/* u (dim) = rows of block i times v^, + C gamma + b. */
CAIRN_INLINE void find_slip(const cairn_judge_contacts *c, int i, int dim, const long double *gamma, long double *u) {
    const cairn_problem *p = c->problem;
    const double *E = p->body.dense + p->body.dense_start[i];
    int width = p->body.width[i], row = p->block_start[i];
    const int *touch = p->body.touch + p->body.touch_start[i];
    const long double *first = c->v + ROWS * touch[0], *second = width > ROWS ? c->v + ROWS * touch[1] : NULL;
    for (int r = 0; r < dim; r++, E += width) {
        u[r] = (p->C[row + r] * gamma[r] + p->b[row + r]) + six(E, first);
        if (second != NULL)
            u[r] += six(E + ROWS, second);
    }
}

CAIRN_INLINE long double square_of(int dim, const long double *x) {
    long double sum = 0.0L;
    for (int r = 0; r < dim; r++)
        sum += x[r] * x[r];
    return sum;
}

/* sqrt of a square that is a sum of squares of doubles: nothing is lost. */
CAIRN_INLINE long double length_of(long double a, long double b) {
    return sqrtl(a * a + b * b);
}

/* Square of |x - P(x - s2 u)| for a cone in space, with the normal of u given apart: the wedge of judge_cones.c, x - P(x) in its parts. */
CAIRN_INLINE long double cone_residual(long double mu, long double s2, const long double *x, long double normal,
                                       const long double *u) {
    long double zN = x[0] - s2 * normal, z1 = x[1] - s2 * u[1], z2 = x[2] - s2 * u[2], t = length_of(z1, z2);
    long double qN = zN, shrink = 1.0L;
    if (!(zN >= 0.0L && t <= zN * mu)) {
        long double foot = (zN + t * mu) / (1.0L + mu * mu);
        qN = foot > 0.0L ? foot : 0.0L;
        shrink = t > 0.0L ? qN * mu / t : 0.0L;
    }
    long double a = x[0] - qN, b = x[1] - z1 * shrink, d = x[2] - z2 * shrink;
    return (a * a + b * b) + d * d;
}

/* Distance of (N, t) to the wedge between the axis and the ray (e, f), e and f not below zero, length |(e, f)|. */
CAIRN_INLINE long double wedge_distance(long double e, long double f, long double N, long double t) {
    if (N >= 0.0L && t * e <= N * f)
        return 0.0L;
    return N * e + t * f <= 0.0L ? length_of(N, t) : (t * e - N * f) / length_of(e, f);
}

/* cairn_judge_block for a plain cone in space. *residual, *plain: squares. */
CAIRN_INLINE void judge_cone(const cairn_problem *p, int i, long double n, long double under, const long double *gamma,
                             const long double *u, long double *residual, long double *plain, cairn_judge_tally *sums) {
    long double mu = p->block[i].mu, t = length_of(u[1], u[2]);
    long double normal = p->law == CAIRN_LAW_COULOMB ? u[0] + mu * t : u[0];
    *plain = cone_residual(mu, 1.0L, gamma, normal, u);
    *residual = cone_residual(mu, under, gamma, normal, u);
    long double cone = wedge_distance(1.0L, mu, gamma[0], length_of(gamma[1], gamma[2]));
    long double gap = (normal * gamma[0] + u[1] * gamma[1]) + u[2] * gamma[2];
    cairn_judge_raise(&sums->cone, cone);
    cairn_judge_raise(&sums->dual, wedge_distance(mu, 1.0L, normal, t));
    sums->gap += gap;
    long double most = sums->worst_velocity;
    if (n * n * *residual <= most * most && sums->worst_block >= 0)
        return;
    cairn_judge_raise(&sums->worst_velocity, n * sqrtl(*residual));
    sums->worst_block = i;
    sums->worst_cone = cone;
    sums->worst_gap = gap;
    sums->worst_gamma = sqrtl(square_of(DIM, gamma));
    sums->worst_slip = sqrtl(square_of(DIM, u));
}

/* cairn_judge_block for rows that hold both ways: nothing is projected, the residual is s^2 u. *residual, *plain: squares. */
CAIRN_INLINE void judge_joint(int i, int dim, long double under, const long double *gamma, const long double *u,
                              long double *residual, long double *plain, cairn_judge_tally *sums) {
    long double slip, gap = 0.0L;
    *plain = square_of(dim, u);
    *residual = under * under * *plain;
    slip = sqrtl(*plain);
    for (int r = 0; r < dim; r++)
        gap += u[r] * gamma[r];
    sums->gap += gap;
    cairn_judge_raise(&sums->dual, slip);
    if (!cairn_judge_raise(&sums->worst_velocity, slip) && sums->worst_block >= 0)
        return;
    sums->worst_block = i;
    sums->worst_cone = 0.0L;
    sums->worst_gap = gap;
    sums->worst_gamma = sqrtl(square_of(dim, gamma));
    sums->worst_slip = slip;
}

/* cone: the block is a plain cone in space; else dim is its own. */
CAIRN_INLINE void pass_contact(cairn_judge_contacts *c, int i, bool cone, int dim, const double *impulse, double *u_out,
                               cairn_judge_tally *sums) {
    const cairn_problem *p = c->problem;
    int row = p->block_start[i], width = p->body.width[i];
    long double u[DIM], gamma[DIM], error = 0.0L, error_plain = 0.0L;
    both rows[DIM];
    for (int r = 0; r < dim && !(c->has_scale && c->has_free); r++) {
        const double *E = p->body.dense + p->body.dense_start[i] + r * width;
        read_sixes(E, E + ROWS, width > ROWS, &rows[r]);
    }
    if (!c->has_scale)
        c->scale[i] = scale_of(c, i, dim, rows);
    long double n = c->scale[i], under = 1.0L / n;
    if (!c->has_free)
        add_free(c, i, dim, rows, under);
    for (int r = 0; r < dim; r++)
        gamma[r] = impulse[row + r];
    find_slip(c, i, dim, gamma, u);
    for (int r = 0; r < dim && u_out != NULL; r++)
        u_out[row + r] = (double)u[r];
    if (cone) {
        judge_cone(p, i, n, under, gamma, u, &error, &error_plain, sums);
    } else if (p->block[i].set == CAIRN_SET_BILATERAL) {
        judge_joint(i, dim, under, gamma, u, &error, &error_plain, sums);
    } else {
        long double residual[DIM], plain[DIM];
        cairn_judge_block(p, i, n, gamma, u, residual, plain, sums);
        error = square_of(dim, residual);
        error_plain = square_of(dim, plain);
    }
    long double slip = square_of(dim, u);
    add_size(slip, under, &sums->u);
    add_size(square_of(dim, gamma), n, &sums->gamma);
    sums->residual.weighted += n * error;
    sums->residual.plain += error_plain;
    cairn_judge_raise(&sums->slip, slip);
}

/* odd: which contacts; NULL: the first count ones. */
CAIRN_CLONES static void pass_contacts(cairn_judge_contacts *c, int count, const int *odd, const double *impulse,
                                       double *u_out, cairn_judge_tally *sums) {
    for (int at = 0; at < count; at++) {
        int i = odd != NULL ? odd[at] : at;
        if (c->problem->block[i].set == CAIRN_SET_CONE && c->problem->block[i].dim == DIM)
            pass_contact(c, i, true, DIM, impulse, u_out, sums); /* with sizes that the compiler can see */
        else
            pass_contact(c, i, false, c->problem->block[i].dim, impulse, u_out, sums);
    }
}

/* All contacts: in double where that is as good, else in long double. */
static void judge_contacts(cairn_judge_contacts *c, const double *impulse, double *u_out, cairn_judge_tally *sums) {
    const cairn_problem *p = c->problem;
    bool had_free = c->has_free;
    for (int i = 0; i < p->blocks && c->cones && c->dense != NULL && !c->has_scale; i++)
        c->scale[i] = careful_scale(c, i);
    c->has_scale = c->has_scale || (c->cones && c->dense != NULL);
    const cairn_judge_even even = {.root = c->dense == NULL ? c->root : NULL,
                                   .v = c->rough,
                                   .free = c->free,
                                   .has_scale = c->has_scale,
                                   .has_free = had_free,
                                   .scale = c->scale,
                                   .odd = c->odd};
    int odds = c->cones ? cairn_judge_even_run(p, &even, impulse, u_out, sums, &c->kept) : -1;
    c->has_scale = c->has_scale || odds >= 0;
    c->has_free = had_free || odds >= 0;
    pass_contacts(c, odds < 0 ? p->blocks : odds, odds < 0 ? NULL : c->odd, impulse, u_out, sums);
    c->has_free = had_free;
    if (!had_free)
        c->idle = odds >= 0 ? cairn_judge_quotient(sqrtl(c->kept.idle), sqrtl(c->kept.r.weighted)) : -1.0;
}

/* One row of r^ = D'H^-1 k + b and the sum of the sizes of its terms, in long double. */
static void careful_free(const cairn_judge_contacts *c, int i, int r, long double *slip, long double *most) {
    const cairn_problem *p = c->problem;
    const double *E = p->body.dense + p->body.dense_start[i] + (ptrdiff_t)r * p->body.width[i];
    long double b = p->b[p->block_start[i] + r];
    *slip = b;
    *most = fabsl(b);
    for (int t = p->body.touch_start[i]; t < p->body.touch_start[i + 1]; t++, E += ROWS)
        for (int k = 0; k < ROWS; k++) {
            long double term = E[k] * c->free_v[ROWS * p->body.touch[t] + k];
            *slip += term;
            *most += fabsl(term);
        }
    *most = cairn_judge_at_least(*most);
}

/* kept anew in long double, where all contacts together cancel (r^ is what rounding leaves of its terms), or all terms are so small that double loses digits. Single contacts that do are
 * nothing beside the others. */
static void find_free(cairn_judge_contacts *c) {
    const cairn_problem *p = c->problem;
    const long double small = CAIRN_JUDGE_LEAST / CANCELLED;
    bool cancels = !(c->kept.r.weighted >= CANCELLED * CANCELLED * c->kept.terms_norm) ||
                   !(c->kept.free_slip >= CANCELLED * CANCELLED * c->kept.terms);
    if (!cancels && c->kept.terms >= small * small)
        return;
    c->kept = (cairn_judge_tally){0};
    c->idle = -1.0;
    for (int i = 0; i < p->blocks; i++) {
        long double square = 0.0L, size = 0.0L, under = 1.0L / c->scale[i];
        for (int r = 0; r < p->block[i].dim; r++) {
            long double slip, most;
            careful_free(c, i, r, &slip, &most);
            square += slip * slip;
            size += most * most;
        }
        keep_free(c, square, size, under);
    }
}

/* Squares to norms. */
static void take_roots(cairn_judge_size *size) {
    size->weighted = sqrtl(size->weighted);
    size->plain = sqrtl(size->plain);
}

cairn_status cairn_judge_contacts_run(cairn_judge_contacts *c, const double *v, const double *gamma, bool quick,
                                      double *u, cairn_judge_tally *sums, double *momentum) {
    const cairn_problem *p = c->problem;
    const cairn_judge_quick room = {c->root, c->rough, c->free};
    if (quick && c->cones && c->dense == NULL && cairn_judge_quick_run(p, &room, v, gamma, u, sums, momentum))
        return CAIRN_OK;
    size_t n = (size_t)p->n * sizeof(double), m = (size_t)p->m * sizeof(double);
    c->has_free = c->has_free && memcmp(c->k, p->k, n) == 0 && memcmp(c->b, p->b, m) == 0;
    if (!c->has_free) {
        c->kept = (cairn_judge_tally){0};
        memcpy(c->k, p->k, n);
        memcpy(c->b, p->b, m);
    }
    energies energy_of = {.free = c->has_free ? c->free_energy : 0.0L};
    cairn_status status = CAIRN_OK;
    for (int body = 0; body < p->bodies && status == CAIRN_OK; body++)
        status = pass_body(c, body, v, gamma, &energy_of);
    if (status != CAIRN_OK) {
        c->has_free = false;
        return status;
    }
    judge_contacts(c, gamma, u, sums);
    if (!c->has_free) {
        find_free(c);
        take_roots(&c->kept.r);
        c->kept.terms_norm = sqrtl(c->kept.terms_norm);
        c->kept.free_slip = sqrtl(c->kept.free_slip);
        c->kept.terms = sqrtl(c->kept.terms);
    }
    c->free_energy = energy_of.free;
    c->has_scale = c->has_free = true;
    sums->r = c->kept.r;
    sums->terms_norm = c->kept.terms_norm;
    sums->free_slip = c->kept.free_slip;
    sums->terms = c->kept.terms;
    take_roots(&sums->residual);
    take_roots(&sums->gamma);
    take_roots(&sums->u);
    sums->slip = sqrtl(sums->slip);
    long double size = root_of(energy_of.free), load = root_of(energy_of.load);
    *momentum = cairn_judge_quotient(root_of(energy_of.error), size > load ? size : load);
    return CAIRN_OK;
}
