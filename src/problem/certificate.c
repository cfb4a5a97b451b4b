/*
 * certificate.c: the judge. Reads a problem and (v, gamma), returns how far they are from an answer.
 *
 * Symbols: v^ = H^-1 (k + D gamma), u = D'v^ + C gamma + b, r^ = D'H^-1 k + b; local form u = N gamma + C gamma + b,
 * r^ = b. u~ = u + Phi(u) under the Coulomb law, u otherwise. n_i block scale, s_i = n_i^(-1/2), P projection onto
 * the sets, sigma support function. [theory 1], "One certificate, independent of every solver":
 *
 *     natural_map = |s^-1 (gamma - P(gamma - s^2 u~))| / max(|s r^|, |s^-1 gamma|, |s u|)
 *     momentum    = |Hv - D gamma - k| / max(|k|, |D gamma|)       in the norm |x| = sqrt(x' H^-1 x)
 *
 * Nothing of src/sets or src/solve is used: the sets are those of judge_cones.c. Sums run in long double, so that
 * the judge's own rounding stays below that of the figures it reads. A figure that is not a number is told as
 * INFINITY, and no comparison lets it pass.
 *
 * Not checked: that the answer is unique, or the best of several; that callbacks of custom sets tell the truth.
 */
#include "data.h"
#include "judge_cones.h"
#include "judge_mass.h"

#include <math.h>

struct cairn_judge {
    const cairn_problem *problem;
    cairn_judge_mass *mass; /* NULL for the local form */
    cairn_arena arena;      /* holds all that follows */
    long double *scale;     /* blocks: n_i */
    long double *gamma;     /* m */
    long double *u;         /* m */
    long double *r;         /* m: r^ */
    long double *load;      /* n: D gamma */
    long double *rhs;       /* n */
    long double *v;         /* n: v^ */
    long double *free_v;    /* n: H^-1 k */
    long double *work;      /* n */
};

/* Norm of a long vector, entry by entry: largest * sqrt(sum) without overflow on the way. */
typedef struct norm_sum {
    long double largest, sum;
} norm_sum;

static void norm_add(norm_sum *norm, long double x) {
    long double size = fabsl(x);
    if (!isfinite(x)) {
        norm->largest = INFINITY;
    } else if (size > norm->largest) {
        norm->sum = 1.0L + norm->sum * (norm->largest / size) * (norm->largest / size);
        norm->largest = size;
    } else if (size > 0.0L && isfinite(norm->largest)) {
        norm->sum += (size / norm->largest) * (size / norm->largest);
    }
}

static long double norm_value(const norm_sum *norm) {
    return norm->largest == 0.0L ? 0.0L : isfinite(norm->largest) ? norm->largest * sqrtl(norm->sum) : INFINITY;
}

static double told(long double figure) {
    return isnan(figure) ? INFINITY : (double)figure;
}

/* above / below with 0/0 = 0; INFINITY where the quotient says nothing. */
static double quotient(long double above, long double below) {
    if (above == 0.0L && below >= 0.0L && isfinite(below))
        return 0.0;
    return isfinite(above) && isfinite(below) && below > 0.0L ? told(above / below) : INFINITY;
}

/* ---- creation ---------------------------------------------------------------------------------------------- */

static void layout(cairn_judge *judge) {
    size_t n = (size_t)judge->problem->n, m = (size_t)judge->problem->m, size = sizeof(long double);
    judge->scale = cairn_arena_take(&judge->arena, (size_t)judge->problem->blocks, size);
    judge->gamma = cairn_arena_take(&judge->arena, m, size);
    judge->u = cairn_arena_take(&judge->arena, m, size);
    judge->r = cairn_arena_take(&judge->arena, m, size);
    judge->load = cairn_arena_take(&judge->arena, n, size);
    judge->rhs = cairn_arena_take(&judge->arena, n, size);
    judge->v = cairn_arena_take(&judge->arena, n, size);
    judge->free_v = cairn_arena_take(&judge->arena, n, size);
    judge->work = cairn_arena_take(&judge->arena, n, size);
}

/* n_i of the local form: mean of the block's diagonal of N + C. */
static void local_scales(const cairn_problem *problem, long double *scale) {
    const cairn_csc *N = &problem->A;
    for (int i = 0; i < problem->blocks; i++) {
        long double trace = 0.0L;
        for (int row = problem->block_start[i]; row < problem->block_start[i + 1]; row++) {
            trace += problem->C[row];
            for (int e = N->start[row]; e < N->start[row + 1]; e++)
                if (N->index[e] == row)
                    trace += N->value[e];
        }
        scale[i] = trace > 0.0L && isfinite(trace) ? trace / problem->block[i].dim : 1.0L;
    }
}

cairn_status cairn_judge_create(const cairn_problem *problem, cairn_judge **judge) {
    if (problem == NULL || judge == NULL)
        return cairn_fail(problem ? problem->context : NULL, CAIRN_ERROR_ARGUMENT,
                          "cairn_judge_create: an argument is NULL");
    cairn_judge *made = cairn_alloc(problem->context, 1, sizeof *made);
    if (made == NULL)
        return CAIRN_ERROR_MEMORY;
    made->problem = problem;
    layout(made);
    cairn_status status = cairn_arena_reserve(problem->context, &made->arena);
    if (status == CAIRN_OK) {
        layout(made);
        if (problem->local)
            local_scales(problem, made->scale);
        else
            status = cairn_judge_mass_create(problem, &made->mass);
    }
    if (status == CAIRN_OK && !problem->local)
        cairn_judge_mass_scales(made->mass, made->scale);
    if (status != CAIRN_OK) {
        cairn_judge_destroy(made);
        return status;
    }
    *judge = made;
    return CAIRN_OK;
}

void cairn_judge_destroy(cairn_judge *judge) {
    if (judge == NULL)
        return;
    cairn_context *context = judge->problem->context;
    cairn_judge_mass_destroy(judge->mass);
    cairn_arena_free(context, &judge->arena);
    cairn_free(context, judge);
}

/* ---- velocities and momentum ------------------------------------------------------------------------------- */

/* y_j = sum_i D_ij x_i + b_j for every constraint row j. */
static void constraint_velocity(const cairn_problem *problem, const long double *x, long double *y) {
    const cairn_csc *D = &problem->D;
    for (int j = 0; j < problem->m; j++) {
        long double sum = 0.0L;
        for (int e = D->start[j]; e < D->start[j + 1]; e++)
            sum += D->value[e] * x[D->index[e]];
        y[j] = sum + problem->b[j];
    }
}

static void clear(int count, long double *x) {
    for (int i = 0; i < count; i++)
        x[i] = 0.0L;
}

/* Fills u and r^; for the global form also D gamma, v^ and H^-1 k. */
static cairn_status find_velocities(cairn_judge *judge) {
    const cairn_problem *problem = judge->problem;
    if (problem->local) {
        clear(problem->m, judge->u);
        cairn_judge_multiply(&problem->A, judge->gamma, judge->u);
        for (int j = 0; j < problem->m; j++) {
            judge->r[j] = problem->b[j];
            judge->u[j] += judge->r[j];
        }
    } else {
        clear(problem->n, judge->load);
        cairn_judge_multiply(&problem->D, judge->gamma, judge->load);
        for (int i = 0; i < problem->n; i++)
            judge->rhs[i] = problem->k[i] + judge->load[i];
        cairn_status status = cairn_judge_mass_solve(judge->mass, judge->rhs, judge->v);
        for (int i = 0; i < problem->n; i++)
            judge->rhs[i] = problem->k[i];
        if (status == CAIRN_OK)
            status = cairn_judge_mass_solve(judge->mass, judge->rhs, judge->free_v);
        if (status != CAIRN_OK)
            return status;
        constraint_velocity(problem, judge->v, judge->u);
        constraint_velocity(problem, judge->free_v, judge->r);
    }
    for (int j = 0; j < problem->m; j++)
        judge->u[j] += problem->C[j] * judge->gamma[j];
    return CAIRN_OK;
}

/* sqrt(x'y) for y = H^-1 x, each brought to size 1 first. */
static long double energy_norm(int n, const long double *x, const long double *y) {
    long double x_size = 0.0L, y_size = 0.0L, sum = 0.0L;
    for (int i = 0; i < n; i++) {
        if (!isfinite(x[i]) || !isfinite(y[i]))
            return INFINITY;
        x_size = fmaxl(x_size, fabsl(x[i]));
        y_size = fmaxl(y_size, fabsl(y[i]));
    }
    if (x_size == 0.0L || y_size == 0.0L)
        return 0.0L;
    for (int i = 0; i < n; i++)
        sum += (x[i] / x_size) * (y[i] / y_size);
    return sum > 0.0L ? sqrtl(sum) * sqrtl(x_size) * sqrtl(y_size) : 0.0L;
}

/* |Hv - D gamma - k| / max(|k|, |D gamma|) in the norm of H^-1; v NULL stands for v^ rounded to double. Uses rhs and
 * work; free_v and load must be there. */
static cairn_status find_momentum(cairn_judge *judge, const double *v, double *momentum) {
    const cairn_problem *problem = judge->problem;
    int n = problem->n;
    for (int i = 0; i < n; i++)
        judge->rhs[i] = problem->k[i];
    long double size = energy_norm(n, judge->rhs, judge->free_v);
    cairn_status status = cairn_judge_mass_solve(judge->mass, judge->load, judge->work);
    if (status != CAIRN_OK)
        return status;
    size = fmaxl(size, energy_norm(n, judge->load, judge->work));
    for (int i = 0; i < n; i++) {
        judge->rhs[i] = -(judge->load[i] + problem->k[i]);
        judge->work[i] = v ? v[i] : (double)judge->v[i];
    }
    cairn_judge_multiply(&problem->A, judge->work, judge->rhs);
    status = cairn_judge_mass_solve(judge->mass, judge->rhs, judge->work);
    if (status != CAIRN_OK)
        return status;
    *momentum = quotient(energy_norm(n, judge->rhs, judge->work), size);
    return CAIRN_OK;
}

/* ---- blocks ------------------------------------------------------------------------------------------------ */

/* What is summed or maximised over the blocks. */
typedef struct tally {
    norm_sum map, gamma, u, r;                         /* weighted by s or s^-1 */
    norm_sum map_plain, gamma_plain, u_plain, r_plain; /* s = 1 */
    long double worst_velocity, cone, gap, dual;
    int worst_block;
    long double worst_cone, worst_gap, worst_gamma, worst_slip;
} tally;

/* u~ of one block: De Saxce's term mu |u_T| on the normal of plain cones, under the Coulomb law only. */
static void modified_velocity(const cairn_block *block, cairn_law law, const long double *u, long double *modified) {
    for (int j = 0; j < block->dim; j++)
        modified[j] = u[j];
    if (block->set == CAIRN_SET_CONE && law == CAIRN_LAW_COULOMB)
        modified[0] += block->mu * cairn_judge_norm(block->dim - 1, u + 1);
}

/* residual = gamma - P(gamma - u~/n). */
static void natural_residual(const cairn_block *block, long double n, const long double *gamma, const long double *u,
                             long double *residual) {
    long double z[CAIRN_BLOCK_DIM_MAX], p[CAIRN_BLOCK_DIM_MAX];
    for (int j = 0; j < block->dim; j++)
        z[j] = gamma[j] - u[j] / n;
    cairn_judge_project(block, z, p);
    for (int j = 0; j < block->dim; j++)
        residual[j] = gamma[j] - p[j];
}

static void add_norms(int dim, long double n, const long double *gamma, const long double *u, const long double *r,
                      tally *sums) {
    long double root = sqrtl(n); /* s^-1 */
    for (int j = 0; j < dim; j++) {
        norm_add(&sums->gamma, gamma[j] * root);
        norm_add(&sums->u, u[j] / root);
        norm_add(&sums->r, r[j] / root);
        norm_add(&sums->gamma_plain, gamma[j]);
        norm_add(&sums->u_plain, u[j]);
        norm_add(&sums->r_plain, r[j]);
    }
}

/* Raises *most to x; a figure that is not a number counts as INFINITY. */
static bool raise_to(long double *most, long double x) {
    if (x <= *most)
        return false;
    *most = isnan(x) ? INFINITY : x;
    return true;
}

static void judge_block(const cairn_judge *judge, int i, tally *sums) {
    const cairn_problem *problem = judge->problem;
    const cairn_block *block = &problem->block[i];
    int first = problem->block_start[i];
    const long double *gamma = judge->gamma + first, *u = judge->u + first;
    long double n = judge->scale[i], modified[CAIRN_BLOCK_DIM_MAX], residual[CAIRN_BLOCK_DIM_MAX];

    add_norms(block->dim, n, gamma, u, judge->r + first, sums);
    modified_velocity(block, problem->law, u, modified);
    natural_residual(block, 1.0L, gamma, modified, residual);
    for (int j = 0; j < block->dim; j++)
        norm_add(&sums->map_plain, residual[j]);
    natural_residual(block, n, gamma, modified, residual);
    for (int j = 0; j < block->dim; j++)
        norm_add(&sums->map, residual[j] * sqrtl(n));

    long double cone = cairn_judge_distance(block, gamma), gap = 0.0L, sigma, outside;
    raise_to(&sums->cone, cone);
    if (cairn_judge_support(block, modified, &sigma, &outside)) {
        gap = sigma;
        for (int j = 0; j < block->dim; j++)
            gap += modified[j] * gamma[j];
        raise_to(&sums->dual, outside);
    }
    sums->gap += gap;
    if (raise_to(&sums->worst_velocity, n * cairn_judge_norm(block->dim, residual)) || sums->worst_block < 0) {
        sums->worst_block = i;
        sums->worst_cone = cone;
        sums->worst_gap = gap;
        sums->worst_gamma = cairn_judge_norm(block->dim, gamma);
        sums->worst_slip = cairn_judge_norm(block->dim, u);
    }
}

static long double largest_norm(const norm_sum *a, const norm_sum *b, const norm_sum *c) {
    return fmaxl(norm_value(a), fmaxl(norm_value(b), norm_value(c)));
}

static void judge_blocks(const cairn_judge *judge, cairn_certificate *made) {
    tally sums = {.worst_block = -1};
    for (int i = 0; i < judge->problem->blocks; i++)
        judge_block(judge, i, &sums);
    made->natural_map = quotient(norm_value(&sums.map), largest_norm(&sums.r, &sums.gamma, &sums.u));
    made->natural_map_plain = quotient(norm_value(&sums.map_plain),
                                       largest_norm(&sums.r_plain, &sums.gamma_plain, &sums.u_plain));
    made->worst_velocity = told(sums.worst_velocity);
    made->cone = told(sums.cone);
    made->gap = told(sums.gap);
    made->dual = told(sums.dual);
    made->worst_block = sums.worst_block;
    made->worst_cone = told(sums.worst_cone);
    made->worst_gap = told(sums.worst_gap);
    made->worst_gamma = told(sums.worst_gamma);
    made->worst_slip = told(sums.worst_slip);
}

/* ---- the judgement ----------------------------------------------------------------------------------------- */

static int first_bad(int count, const double *x) {
    for (int i = 0; x != NULL && i < count; i++)
        if (!isfinite(x[i]))
            return i;
    return -1;
}

/* Every figure INFINITY; the worst block is the one that holds row `row`, or the first. */
static void reject(const cairn_problem *problem, int row, cairn_certificate *made) {
    made->natural_map = made->natural_map_plain = made->momentum = INFINITY;
    made->worst_velocity = made->cone = made->gap = made->dual = INFINITY;
    made->worst_cone = made->worst_gap = made->worst_gamma = made->worst_slip = INFINITY;
    made->worst_block = problem->blocks > 0 ? 0 : -1;
    for (int i = 0; i < problem->blocks; i++)
        if (row >= problem->block_start[i])
            made->worst_block = i;
}

static void put_out(int count, const long double *x, bool known, double *out) {
    for (int i = 0; out != NULL && i < count; i++)
        out[i] = known ? (double)x[i] : NAN;
}

cairn_status cairn_judge_run(cairn_judge *judge, const double *v, const double *gamma, double tolerance,
                             cairn_certificate *certificate, double *u_out, double *v_out) {
    if (judge == NULL)
        return CAIRN_ERROR_ARGUMENT;
    const cairn_problem *problem = judge->problem;
    if (certificate == NULL || (gamma == NULL && problem->m > 0))
        return cairn_fail(problem->context, CAIRN_ERROR_ARGUMENT, "certificate: %s is NULL",
                          certificate ? "gamma" : "the certificate");
    if (!(tolerance >= 0.0))
        return cairn_fail(problem->context, CAIRN_ERROR_ARGUMENT, "certificate: tolerance is %g, expected >= 0",
                          tolerance);
    cairn_certificate made = {.tolerance = tolerance, .law = problem->law};
    int bad_gamma = first_bad(problem->m, gamma);
    bool finite = bad_gamma < 0 && first_bad(problem->n, v) < 0;
    if (!finite) {
        reject(problem, bad_gamma, &made);
    } else {
        for (int j = 0; j < problem->m; j++)
            judge->gamma[j] = gamma[j];
        cairn_status status = find_velocities(judge);
        if (status == CAIRN_OK && !problem->local)
            status = find_momentum(judge, v, &made.momentum);
        if (status != CAIRN_OK)
            return status;
        judge_blocks(judge, &made);
    }
    made.certified = isfinite(made.natural_map) && made.natural_map <= tolerance && isfinite(made.momentum) &&
                     made.momentum <= tolerance;
    *certificate = made;
    put_out(problem->m, judge->u, finite, u_out);
    put_out(problem->n, judge->v, finite, v_out);
    return CAIRN_OK;
}

cairn_status cairn_certify(const cairn_problem *problem, const double *v, const double *gamma, double tolerance,
                           cairn_certificate *certificate, double *u_out, double *v_out) {
    cairn_judge *judge = NULL;
    cairn_status status = cairn_judge_create(problem, &judge);
    if (status == CAIRN_OK)
        status = cairn_judge_run(judge, v, gamma, tolerance, certificate, u_out, v_out);
    cairn_judge_destroy(judge);
    return status;
}
