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
 * A map that rounding alone makes is no error: r^ is a sum whose terms, |D|'|H^-1 k| + |b|, may cancel to nothing, and no answer can be better than
 * its data. What 16 eps of the terms leave in natural_map is `rounding`; below it an answer passes at every tolerance.
 *
 * Nothing of src/sets or src/solve is used: the sets are those of judge_cones.c. Sums run in long double, so that
 * the judge's own rounding stays below that of the figures it reads. A figure that is not a number is told as
 * INFINITY, and no comparison lets it pass.
 *
 * Not checked: that the answer is unique, or the best of several; that callbacks of custom sets tell the truth.
 */
#include "data.h"
#include "judge_cones.h"
#include "judge_contacts.h"
#include "judge_mass.h"
#include "judge_sums.h"
#include "judge_tally.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define ROUNDING   (16.0L * DBL_EPSILON) /* of the terms that sum up to a row of r^ */
#define SLIP_SHARE 0.25L                 /* of the slip may be wrong in the worst block, whatever the tolerance */
#define QUICK_FROM 1e-5                  /* a tolerance that asks for speed: double, where it makes no difference */

struct cairn_judge {
    const cairn_problem *problem;
    cairn_judge_contacts *contacts; /* contacts between rigid bodies: all that follows is empty; else NULL */
    cairn_judge_mass *mass;         /* NULL for the local form */
    cairn_arena arena;              /* holds all that follows */
    long double *scale;             /* blocks: n_i */
    long double *root;              /* blocks: 1/s_i */
    long double *inverse_root;      /* blocks: s_i */
    long double *gamma;             /* m */
    long double *u;                 /* m */
    long double *r;                 /* m: r^ */
    long double *terms;             /* m: |D|'|H^-1 k| + |b|, what r^ is summed from */
    long double *residual;          /* m: gamma - P(gamma - s^2 u~) */
    long double *residual_plain;    /* m: the same with s = 1 */
    long double *load;              /* n: D gamma */
    long double *rhs;               /* n */
    long double *v;                 /* n: v^ */
    long double *free_v;            /* n: H^-1 k */
    long double *work;              /* n */
    double *k, *b;                  /* n, m: what free_v and r belong to */
    bool has_free;                  /* free_v and r are there */
};

/* ---- creation ---------------------------------------------------------------------------------------------- */

static void layout(cairn_judge *judge) {
    size_t n = (size_t)judge->problem->n, m = (size_t)judge->problem->m, size = sizeof(long double);
    size_t blocks = (size_t)judge->problem->blocks;
    judge->scale = cairn_arena_take(&judge->arena, blocks, size);
    judge->root = cairn_arena_take(&judge->arena, blocks, size);
    judge->inverse_root = cairn_arena_take(&judge->arena, blocks, size);
    judge->gamma = cairn_arena_take(&judge->arena, m, size);
    judge->u = cairn_arena_take(&judge->arena, m, size);
    judge->r = cairn_arena_take(&judge->arena, m, size);
    judge->terms = cairn_arena_take(&judge->arena, m, size);
    judge->residual = cairn_arena_take(&judge->arena, m, size);
    judge->residual_plain = cairn_arena_take(&judge->arena, m, size);
    judge->load = cairn_arena_take(&judge->arena, n, size);
    judge->rhs = cairn_arena_take(&judge->arena, n, size);
    judge->v = cairn_arena_take(&judge->arena, n, size);
    judge->free_v = cairn_arena_take(&judge->arena, n, size);
    judge->work = cairn_arena_take(&judge->arena, n, size);
    judge->k = cairn_arena_take(&judge->arena, n, sizeof(double));
    judge->b = cairn_arena_take(&judge->arena, m, sizeof(double));
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

/* The judge of any problem: with all vectors. */
static cairn_status fill_general(cairn_judge *made, cairn_factor *lent) {
    const cairn_problem *problem = made->problem;
    layout(made);
    cairn_status status = cairn_arena_reserve_raw(problem->context, &made->arena);
    if (status == CAIRN_OK) {
        layout(made);
        if (problem->local)
            local_scales(problem, made->scale);
        else
            status = cairn_judge_mass_create(problem, lent, &made->mass);
    }
    if (status == CAIRN_OK && !problem->local)
        status = cairn_judge_mass_scales(made->mass, made->scale);
    for (int i = 0; status == CAIRN_OK && i < problem->blocks; i++) {
        made->root[i] = sqrtl(made->scale[i]);
        made->inverse_root[i] = 1.0L / made->root[i];
    }
    return status;
}

static cairn_status create(const cairn_problem *problem, cairn_factor *lent, bool in_general, cairn_judge **judge) {
    if (problem == NULL || judge == NULL)
        return cairn_fail(problem ? problem->context : NULL, CAIRN_ERROR_ARGUMENT,
                          "cairn_judge_create: an argument is NULL");
    cairn_judge *made = cairn_alloc(problem->context, 1, sizeof *made);
    if (made == NULL)
        return CAIRN_ERROR_MEMORY;
    made->problem = problem;
    cairn_status status = !in_general && cairn_judge_contacts_fit(problem)
                              ? cairn_judge_contacts_create(problem, &made->contacts)
                              : fill_general(made, lent);
    if (status == CAIRN_OK)
        *judge = made;
    else
        cairn_judge_destroy(made);
    return status;
}

cairn_status cairn_judge_create_lent(const cairn_problem *problem, cairn_factor *lent, cairn_judge **judge) {
    return create(problem, lent, false, judge);
}

cairn_status cairn_judge_create_general(const cairn_problem *problem, cairn_judge **judge) {
    return create(problem, NULL, true, judge);
}

cairn_status cairn_judge_create(const cairn_problem *problem, cairn_judge **judge) {
    return cairn_judge_create_lent(problem, NULL, judge);
}

void cairn_judge_destroy(cairn_judge *judge) {
    if (judge == NULL)
        return;
    cairn_context *context = judge->problem->context;
    cairn_judge_contacts_destroy(judge->contacts);
    cairn_judge_mass_destroy(judge->mass);
    cairn_arena_free(context, &judge->arena);
    cairn_free(context, judge);
}

/* ---- velocities and momentum ------------------------------------------------------------------------------- */

/* y_j = sum_i D_ij x_i + b_j for every constraint row j. */
static void constraint_velocity(const cairn_problem *problem, const long double *x, long double *y) {
    const cairn_csc *D = &problem->D;
    for (int j = 0; j < problem->m; j++) {
        long double even = 0.0L, odd = 0.0L; /* two sums: each waits for its own last addition only */
        int e = D->start[j], last = D->start[j + 1] - 1;
        for (; e < last; e += 2) {
            even += D->value[e] * x[D->index[e]];
            odd += D->value[e + 1] * x[D->index[e + 1]];
        }
        if (e == last)
            even += D->value[e] * x[D->index[e]];
        y[j] = even + odd + problem->b[j];
    }
}

/* terms_j = sum_i |D_ij v_i| + |b_j|. */
static void sizes_of_terms(const cairn_problem *problem, const long double *v, long double *terms) {
    const cairn_csc *D = &problem->D;
    for (int j = 0; j < problem->m; j++) {
        long double sum = fabsl(problem->b[j]);
        for (int e = D->start[j]; e < D->start[j + 1]; e++)
            sum += fabsl(D->value[e] * v[D->index[e]]);
        terms[j] = cairn_judge_at_least(sum);
    }
}

/* y_i = sum_j D_ij gamma_j, row by row of D. */
static void impulse_load(const cairn_problem *problem, const double *gamma, long double *y) {
    for (int body = 0; body < problem->bodies; body++)
        cairn_judge_load(problem, body, gamma, y + problem->body_start[body]);
}

static void clear(int count, long double *x) {
    for (int i = 0; i < count; i++)
        x[i] = 0.0L;
}

/* H^-1 k and r^, unless those of the last run belong to the same bits of k and b. */
static cairn_status find_free_motion(cairn_judge *judge) {
    const cairn_problem *problem = judge->problem;
    size_t n = (size_t)problem->n * sizeof(double), m = (size_t)problem->m * sizeof(double);
    if (judge->has_free && memcmp(judge->k, problem->k, n) == 0 && memcmp(judge->b, problem->b, m) == 0)
        return CAIRN_OK;
    judge->has_free = false;
    for (int i = 0; i < problem->n; i++)
        judge->rhs[i] = problem->k[i];
    cairn_status status = cairn_judge_mass_solve(judge->mass, judge->rhs, judge->free_v);
    if (status != CAIRN_OK)
        return status;
    constraint_velocity(problem, judge->free_v, judge->r);
    sizes_of_terms(problem, judge->free_v, judge->terms);
    memcpy(judge->k, problem->k, n);
    memcpy(judge->b, problem->b, m);
    judge->has_free = true;
    return CAIRN_OK;
}

/* Fills u and r^; for the global form also D gamma, v^ and H^-1 k. */
static cairn_status find_velocities(cairn_judge *judge, const double *gamma) {
    const cairn_problem *problem = judge->problem;
    if (problem->local) {
        clear(problem->m, judge->u);
        cairn_judge_multiply(problem, judge->gamma, judge->u);
        for (int j = 0; j < problem->m; j++) {
            judge->r[j] = problem->b[j];
            judge->terms[j] = cairn_judge_at_least(fabsl(judge->r[j]));
            judge->u[j] += judge->r[j];
        }
    } else {
        cairn_status status = find_free_motion(judge);
        impulse_load(problem, gamma, judge->load);
        for (int i = 0; i < problem->n; i++)
            judge->rhs[i] = problem->k[i] + judge->load[i];
        if (status == CAIRN_OK)
            status = cairn_judge_mass_solve(judge->mass, judge->rhs, judge->v);
        if (status != CAIRN_OK)
            return status;
        constraint_velocity(problem, judge->v, judge->u);
    }
    for (int j = 0; j < problem->m; j++)
        judge->u[j] += problem->C[j] * judge->gamma[j];
    return CAIRN_OK;
}

/* |Hv - D gamma - k| / max(|k|, |D gamma|) in the norm of H^-1; v NULL stands for v^ rounded to double. With e = v - v^
 * the residual is He and its square e'He; H^-1 D gamma is v^ - H^-1 k. Uses rhs and work. */
static double find_momentum(cairn_judge *judge, const double *v) {
    const cairn_problem *problem = judge->problem;
    int n = problem->n;
    for (int i = 0; i < n; i++) {
        judge->rhs[i] = problem->k[i];
        judge->work[i] = judge->v[i] - judge->free_v[i];
    }
    long double size = cairn_judge_energy_norm(n, judge->rhs, judge->free_v);
    long double load = cairn_judge_energy_norm(n, judge->load, judge->work);
    for (int i = 0; i < n; i++) {
        judge->rhs[i] = 0.0L;
        judge->work[i] = (v ? v[i] : (double)judge->v[i]) - judge->v[i];
    }
    cairn_judge_multiply(problem, judge->work, judge->rhs);
    return cairn_judge_quotient(cairn_judge_energy_norm(n, judge->work, judge->rhs), size > load ? size : load);
}

/* ---- blocks ------------------------------------------------------------------------------------------------ */

/* u~ of one block: De Saxce's term on the normal, under the Coulomb law only: mu |u_T| for plain cones, mu max_j -d_j'u_T for
 * polyhedral ones. */
static void modified_velocity(const cairn_block *block, cairn_law law, const long double *u, long double *modified) {
    for (int j = 0; j < block->dim; j++)
        modified[j] = u[j];
    if (law != CAIRN_LAW_COULOMB)
        return;
    if (block->set == CAIRN_SET_CONE)
        modified[0] += block->mu * cairn_judge_norm(block->dim - 1, u + 1);
    if (block->set == CAIRN_SET_POLY_CONE)
        modified[0] += block->mu * cairn_judge_poly_reach(block, u + 1);
}

/* residual = gamma - P(gamma - s2 u~). */
static void natural_residual(const cairn_block *block, long double s2, const long double *gamma, const long double *u,
                             long double *residual) {
    long double z[CAIRN_BLOCK_DIM_MAX], p[CAIRN_BLOCK_DIM_MAX];
    for (int j = 0; j < block->dim; j++)
        z[j] = gamma[j] - s2 * u[j];
    cairn_judge_project(block, z, p);
    for (int j = 0; j < block->dim; j++)
        residual[j] = gamma[j] - p[j];
}

void cairn_judge_block(const cairn_problem *problem, int i, long double n, const long double *gamma,
                       const long double *u, long double *residual, long double *residual_plain,
                       cairn_judge_tally *sums) {
    const cairn_block *block = &problem->block[i];
    long double modified[CAIRN_BLOCK_DIM_MAX];
    modified_velocity(block, problem->law, u, modified);
    natural_residual(block, 1.0L, gamma, modified, residual_plain);
    natural_residual(block, 1.0L / n, gamma, modified, residual);

    long double cone = cairn_judge_distance(block, gamma), gap = 0.0L, sigma, outside;
    cairn_judge_raise(&sums->cone, cone);
    if (cairn_judge_support(block, modified, &sigma, &outside)) {
        gap = sigma;
        for (int j = 0; j < block->dim; j++)
            gap += modified[j] * gamma[j];
        cairn_judge_raise(&sums->dual, outside);
    }
    sums->gap += gap;
    if (cairn_judge_raise(&sums->worst_velocity, n * cairn_judge_norm(block->dim, residual)) || sums->worst_block < 0) {
        sums->worst_block = i;
        sums->worst_cone = cone;
        sums->worst_gap = gap;
        sums->worst_gamma = cairn_judge_norm(block->dim, gamma);
        sums->worst_slip = cairn_judge_norm(block->dim, u);
    }
}

/* The residual of polyhedral cones anew, with round cones in their place. */
static void judge_as_round(const cairn_judge *judge) {
    const cairn_problem *problem = judge->problem;
    for (int i = 0; i < problem->blocks; i++) {
        cairn_block cone = problem->block[i];
        long double modified[CAIRN_BLOCK_DIM_MAX];
        int first = problem->block_start[i];
        if (cone.set != CAIRN_SET_POLY_CONE)
            continue;
        cone.set = CAIRN_SET_CONE;
        modified_velocity(&cone, problem->law, judge->u + first, modified);
        natural_residual(&cone, 1.0L / judge->scale[i], judge->gamma + first, modified, judge->residual + first);
    }
}

/* |w x| over all blocks, w NULL: plain. */
static long double weighted(const cairn_judge *judge, const long double *w, const long double *x) {
    return cairn_judge_block_norm(judge->problem->blocks, judge->problem->block_start, w, x);
}

static cairn_judge_size size_of(const cairn_judge *judge, const long double *w, const long double *x) {
    return (cairn_judge_size){weighted(judge, w, x), weighted(judge, NULL, x)};
}

static long double largest(long double a, long double b, long double c) {
    long double most = a > b ? a : b;
    return most > c ? most : c;
}

/* max_i |x_i| over the blocks. */
static long double largest_block(const cairn_judge *judge, const long double *x) {
    const int *start = judge->problem->block_start;
    long double most = 0.0L;
    for (int i = 0; i < judge->problem->blocks; i++)
        cairn_judge_raise(&most, cairn_judge_norm(start[i + 1] - start[i], x + start[i]));
    return most;
}

/* All sums over the blocks, from the vectors. */
static void tally_blocks(const cairn_judge *judge, cairn_judge_tally *sums) {
    const long double *root = judge->root, *inverse = judge->inverse_root;
    for (int i = 0; i < judge->problem->blocks; i++) {
        int at = judge->problem->block_start[i];
        cairn_judge_block(judge->problem, i, judge->scale[i], judge->gamma + at, judge->u + at, judge->residual + at,
                          judge->residual_plain + at, sums);
    }
    sums->residual.weighted = weighted(judge, root, judge->residual);
    sums->residual.plain = weighted(judge, NULL, judge->residual_plain);
    sums->r = size_of(judge, inverse, judge->r);
    sums->gamma = size_of(judge, root, judge->gamma);
    sums->u = size_of(judge, inverse, judge->u);
    sums->free_slip = largest_block(judge, judge->r);
    sums->slip = largest_block(judge, judge->u);
    sums->terms = largest_block(judge, judge->terms);
    sums->terms_norm = weighted(judge, inverse, judge->terms);
}

/* gamma - P(gamma - u/n) cannot see a velocity that is lost in the digits of gamma. Are the impulses so large that all of them are? Two rows that
 * contradict each other, pushed with 1e20 N s, would pass for solved. */
static bool is_blind(const cairn_judge_tally *sums, long double share) {
    long double seen = share * (sums->r.weighted > sums->u.weighted ? sums->r.weighted : sums->u.weighted);
    long double lost = LDBL_EPSILON * sums->gamma.weighted;
    return sums->free_slip > 0.0L && lost > seen && lost > ROUNDING * sums->terms_norm;
}

/* All figures over the blocks; certified says whether the worst block is small beside the slip. */
static void tell(const cairn_judge *judge, const cairn_judge_tally *sums, cairn_certificate *made) {
    long double size = largest(sums->r.weighted, sums->gamma.weighted, sums->u.weighted);
    made->natural_map = made->natural_map_round = cairn_judge_quotient(sums->residual.weighted, size);
    made->natural_map_plain = cairn_judge_quotient(sums->residual.plain,
                                                   largest(sums->r.plain, sums->gamma.plain, sums->u.plain));
    made->worst_velocity = cairn_judge_told(sums->worst_velocity);
    made->slip = cairn_judge_told(sums->free_slip > sums->slip ? sums->free_slip : sums->slip);
    long double share = made->tolerance > SLIP_SHARE ? made->tolerance : SLIP_SHARE;
    made->rounding = cairn_judge_quotient(ROUNDING * sums->terms_norm, size);
    long double allowed = ROUNDING * sums->terms;
    if (share * made->slip > allowed)
        allowed = share * made->slip;
    bool blind = is_blind(sums, share);
    if (blind && made->worst_velocity < made->slip)
        made->worst_velocity = made->slip;
    made->certified = !blind && (sums->free_slip == 0.0L || (isfinite(made->slip) && sums->worst_velocity <= allowed));
    made->cone = cairn_judge_told(sums->cone);
    made->gap = cairn_judge_told(sums->gap);
    made->dual = cairn_judge_told(sums->dual);
    made->worst_block = sums->worst_block;
    made->worst_cone = cairn_judge_told(sums->worst_cone);
    made->worst_gap = cairn_judge_told(sums->worst_gap);
    made->worst_gamma = cairn_judge_told(sums->worst_gamma);
    made->worst_slip = cairn_judge_told(sums->worst_slip);
    if (made->directions > 0) {
        judge_as_round(judge);
        made->natural_map_round = cairn_judge_quotient(weighted(judge, judge->root, judge->residual), size);
    }
}

/* ---- the judgement ----------------------------------------------------------------------------------------- */

static int first_bad(int count, const double *x) {
    double none = 0.0; /* 0 x is 0, or not a number where x is not finite */
    for (int i = 0; x != NULL && i < count; i++)
        none += 0.0 * x[i];
    if (none == 0.0)
        return -1;
    for (int i = 0; x != NULL && i < count; i++)
        if (!isfinite(x[i]))
            return i;
    return -1;
}

/* Every figure INFINITY; the worst block is the one that holds row `row`, or the first. */
static void reject(const cairn_problem *problem, int row, cairn_certificate *made) {
    made->natural_map = made->natural_map_plain = made->natural_map_round = made->momentum = INFINITY;
    made->worst_velocity = made->slip = made->cone = made->gap = made->dual = INFINITY;
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

/* All vectors of the judge, then the sums over them. */
static cairn_status run_general(cairn_judge *judge, const double *v, const double *gamma, cairn_judge_tally *sums,
                                double *momentum) {
    for (int j = 0; j < judge->problem->m; j++)
        judge->gamma[j] = gamma[j];
    cairn_status status = find_velocities(judge, gamma);
    if (status != CAIRN_OK)
        return status;
    if (!judge->problem->local)
        *momentum = find_momentum(judge, v);
    tally_blocks(judge, sums);
    return CAIRN_OK;
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
    for (int i = 0; i < problem->blocks; i++)
        if (problem->block[i].set == CAIRN_SET_POLY_CONE && problem->block[i].directions > made.directions)
            made.directions = problem->block[i].directions;
    int bad_gamma = first_bad(problem->m, gamma);
    bool finite = bad_gamma < 0 && first_bad(problem->n, v) < 0;
    if (!finite) {
        reject(problem, bad_gamma, &made);
    } else {
        cairn_judge_tally sums = {.worst_block = -1};
        cairn_status status = judge->contacts != NULL
                                  ? cairn_judge_contacts_run(judge->contacts, v, gamma,
                                                             tolerance >= QUICK_FROM && v_out == NULL, u_out, &sums,
                                                             &made.momentum)
                                  : run_general(judge, v, gamma, &sums, &made.momentum);
        if (status != CAIRN_OK)
            return status;
        tell(judge, &sums, &made);
    }
    bool small = made.natural_map <= tolerance || (isfinite(made.rounding) && made.natural_map <= made.rounding);
    made.certified = made.certified && isfinite(made.natural_map) && small && isfinite(made.momentum) &&
                     made.momentum <= tolerance;
    *certificate = made;
    if (judge->contacts == NULL || !finite)
        put_out(problem->m, judge->u, finite, u_out);
    put_out(problem->n, judge->contacts != NULL ? cairn_judge_contacts_velocity(judge->contacts) : judge->v, finite,
            v_out);
    return CAIRN_OK;
}

double cairn_judge_idle_map(const cairn_judge *judge) {
    return judge->contacts != NULL ? cairn_judge_contacts_idle(judge->contacts) : -1.0;
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
