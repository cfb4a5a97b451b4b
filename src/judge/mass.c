/*
 * mass.c: H^-1 for the judge.
 *
 * Symbols: H_b a body's or node's own block of H, G its inverse in long double, z a vector with |H_b^-1 - G|_jl <= z_j z_l (linalg/small_inverse.h).
 *
 * Where H couples bodies: a factor of src/linalg, refined against H itself in long double. The factor is believed in nothing: what is left of x - H v, with a bound of its
 * rounding, is brought to m/s by |H_b^-1| of each node and by the mass of all that is coupled, as a whole: d'H^-1 d >= (d'w)^2/(w'Hw) for every motion w.
 */
#include "judge/judge.h"

#include "linalg/small_inverse.h"
#include "problem/delassus/mass_factor.h"

#include <float.h>
#include <math.h>
#include <string.h>

_Static_assert(CAIRN_BODY_DIM_MAX <= CAIRN_INVERSE_MAX, "every body's block is inverted");

#define REFINE 9   /* most corrections */
#define FALL   0.5 /* a correction that leaves more than this of the residual is the last */

static cairn_status refuse(const cairn_judge *judge, int row) {
    return cairn_fail(judge->context, CAIRN_ERROR_NUMERICAL, "certificate: H is not positive definite at row %d", row);
}

/* G and z of all bodies. */
static cairn_status invert_bodies(cairn_judge *judge) {
    const cairn_problem *p = judge->problem;
    cairn_judge_mass *m = &judge->mass;
    double H[CAIRN_BODY_DIM_MAX * CAIRN_BODY_DIM_MAX];
    int64_t at = 0;
    for (int body = 0; body < p->bodies && !p->local; body++) {
        int size = p->body_start[body + 1] - p->body_start[body];
        m->start[body] = at;
        cairn_csc_block(&p->A, p->body_start[body], size, H);
        int failed = cairn_inverse(size, H, m->inverse + at, m->loose + p->body_start[body]);
        if (failed >= 0)
            return refuse(judge, p->body_start[body] + failed);
        for (int e = 0; e < size * size; e++, at++)
            m->rounded[at] = (double)m->inverse[at];
    }
    return CAIRN_OK;
}

cairn_status cairn_judge_mass_factor(cairn_judge *judge) {
    int failed = -1;
    if (!judge->mass.coupled || judge->mass.factor != NULL)
        return CAIRN_OK;
    cairn_status status = cairn_problem_factor_mass(judge->problem, &judge->mass.cache, &judge->mass.factor, &failed);
    return failed >= 0 ? refuse(judge, failed) : status;
}

/* r = x - H v; v NULL: 0. Returns a bound of |H^-1 r|, m/s: of each node by itself, and of its piece as a whole; what rounding has done to r, and to x, size, is counted. bound: n. */
static long double residual(const cairn_judge *judge, const long double *x, const long double *size,
                            const long double *v, long double *r, long double *bound) {
    const cairn_problem *p = judge->problem;
    const cairn_judge_mass *m = &judge->mass;
    const cairn_csc *rows = p->unsymmetric ? &p->At : &p->A;
    long double node = 0.0L, whole = 0.0L; /* the sum over all pieces, which is no less than that of any */
    for (int i = 0; i < p->n; i++) {
        long double sum = x[i], terms = fabsl(x[i]);
        for (int e = rows->start[i]; v != NULL && e < rows->start[i + 1]; e++) {
            long double z = rows->value[e] * v[rows->index[e]];
            sum -= z;
            terms += fabsl(z);
        }
        r[i] = sum;
        bound[i] = fabsl(sum) + (rows->start[i + 1] - rows->start[i] + 2) * (LDBL_EPSILON / 2) * terms + size[i];
    }
    for (int body = 0; body < p->bodies; body++) {
        int first = p->body_start[body], count = p->body_start[body + 1] - first, piece = m->pieces.piece_of[body];
        for (int i = 0; i < count; i++) {
            long double sum = 0.0L;
            for (int j = 0; j < count; j++)
                sum += fabsl(m->inverse[m->start[body] + i * count + j]) * bound[first + j];
            node = sum * m->reach[first + i] > node ? sum * m->reach[first + i] : node;
            if (i < 3 && piece >= 0 && m->pieces.mass[3 * piece + i] > 0.0)
                whole += m->reach[first + i] * bound[first + i] / m->pieces.mass[3 * piece + i];
        }
    }
    return node + whole;
}

long double cairn_judge_mass_solve(cairn_judge *judge, const long double *x, const long double *size, long double *v) {
    const cairn_problem *p = judge->problem;
    long double *r = judge->work + 3 * (size_t)p->n + 3 * (size_t)p->m, *bound = r + p->n, best = INFINITY;
    if (judge->spare == 0.0) /* else v is as it was given, which is near */
        memset(v, 0, (size_t)p->n * sizeof *v);
    for (int t = 0;; t++) {
        long double largest = 0.0L, left = residual(judge, x, size, t > 0 || judge->spare > 0.0 ? v : NULL, r, bound);
        for (int i = 0; i < p->n; i++)
            largest = fabsl(r[i]) > largest ? fabsl(r[i]) : largest;
        if (left <= judge->spare || !(left < (long double)FALL * best) || t == REFINE || !(largest > 0.0L) ||
            cairn_judge_mass_factor(judge) != CAIRN_OK)
            return left;
        best = left;
        for (int i = 0; i < p->n; i++)
            judge->packed[i] = (double)(r[i] / largest);
        cairn_factor_solve(judge->mass.factor, judge->packed);
        for (int i = 0; i < p->n; i++)
            v[i] += largest * judge->packed[i];
    }
}

cairn_status cairn_judge_mass_make(cairn_judge *judge) {
    const cairn_problem *p = judge->problem;
    cairn_status status = invert_bodies(judge);
    judge->mass.coupled = !p->local && !p->block_diagonal;
    if (status == CAIRN_OK && judge->mass.coupled) {
        status = cairn_mass_components_create(p, &judge->mass.pieces);
        cairn_problem_reach(p, judge->mass.reach);
    }
    return status;
}

void cairn_judge_mass_free(cairn_judge *judge) {
    cairn_factor_cache_return(&judge->mass.cache, judge->mass.factor);
    cairn_mass_components_free(judge->context, &judge->mass.pieces);
    judge->mass.factor = NULL;
    judge->mass.pieces = (cairn_mass_components){0};
}
