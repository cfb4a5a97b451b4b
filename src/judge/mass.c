/*
 * mass.c: H^-1 and the scales n_i for the judge.
 *
 * Symbols: H_b a body's or node's own block of H (size x size), G its inverse in long double, R = I - G H_b, Z a bound of |H_b^-1 - G|.
 *
 * G comes from elimination without pivoting, which a matrix with a positive definite symmetric part allows: every pivot is positive, or H is refused. Rows that stand alone
 * on the diagonal, as masses do, are inverted by themselves. Whatever elimination has lost shows in R, which is computed with a bound of its own rounding:
 *     H_b^-1 - G = R H_b^-1,   |H_b^-1| <= |G|/(1 - rho) + ...,   so   |H_b^-1 - G| <= |R||G|/(1 - rho) to first order, rho = largest row sum of |R|
 * and Z is twice that. rho > 1/4 is refused.
 *
 * Where H couples bodies: a factor of src/linalg, refined against H itself in long double. The factor is believed in nothing: what is left of x - H v, with a bound of its
 * rounding, is brought to m/s by |H_b^-1| of each node and by the mass of all that is coupled, as a whole: d'H^-1 d >= (d'w)^2/(w'Hw) for every motion w.
 */
#include "judge.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SIZE_MAX_BODY CAIRN_BODY_DIM_MAX
#define REFINE        8   /* corrections after the first solve */
#define ENOUGH        0.1 /* of what needs no factor: a residual that is no more is the last */
#define FALL          0.5 /* a correction that leaves more than this of the residual is the last */

static cairn_status refuse(const cairn_judge *judge, int row) {
    return cairn_fail(judge->context, CAIRN_ERROR_NUMERICAL, "certificate: H is not positive definite at row %d", row);
}

/* A body's block of H, row by row. */
static void read_block(const cairn_problem *p, int body, long double *H) {
    int first = p->body_start[body], size = p->body_start[body + 1] - first;
    memset(H, 0, (size_t)(size * size) * sizeof *H);
    for (int j = 0; j < size; j++)
        for (int e = p->A.start[first + j]; e < p->A.start[first + j + 1]; e++) {
            int i = p->A.index[e] - first;
            if (i >= 0 && i < size)
                H[i * size + j] = p->A.value[e];
        }
}

/* G = H^-1 by Gauss and Jordan. The row of a pivot that is not positive, or -1. */
static int invert(int size, const long double *H, long double *G) {
    memcpy(G, H, (size_t)(size * size) * sizeof *G);
    for (int k = 0; k < size; k++) {
        long double pivot = G[k * size + k];
        if (!(pivot > 0.0L) || !isfinite(pivot))
            return k;
        G[k * size + k] = 1.0L;
        for (int j = 0; j < size; j++)
            G[k * size + j] /= pivot;
        for (int i = 0; i < size; i++) {
            long double factor = G[i * size + k];
            if (i == k || factor == 0.0L)
                continue;
            G[i * size + k] = 0.0L;
            for (int j = 0; j < size; j++)
                G[i * size + j] -= factor * G[k * size + j];
        }
    }
    return -1;
}

/* Z of a block, and whether G is an inverse at all. */
static bool find_uncertain(int size, const long double *H, const long double *G, long double *Z) {
    long double R[SIZE_MAX_BODY * SIZE_MAX_BODY], rho = 0.0L;
    for (int i = 0; i < size; i++) {
        long double row = 0.0L;
        for (int j = 0; j < size; j++) {
            long double sum = i == j, terms = i == j;
            for (int k = 0; k < size; k++) {
                sum -= G[i * size + k] * H[k * size + j];
                terms += fabsl(G[i * size + k] * H[k * size + j]);
            }
            R[i * size + j] = fabsl(sum) + (size + 2) * LDBL_EPSILON * terms;
            row += R[i * size + j];
        }
        rho = fmaxl(rho, row);
    }
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) {
            long double sum = 0.0L;
            for (int k = 0; k < size; k++)
                sum += R[i * size + k] * fabsl(G[k * size + j]);
            Z[i * size + j] = 2.0L * sum;
        }
    return rho <= 0.25L;
}

/* G and Z of the rows keep[0..count) of a block, which no other row of it touches. The row that fails, or -1. */
static int invert_rows(int size, const long double *H, int count, const int *keep, long double *G, long double *Z) {
    long double h[SIZE_MAX_BODY * SIZE_MAX_BODY], g[SIZE_MAX_BODY * SIZE_MAX_BODY], z[SIZE_MAX_BODY * SIZE_MAX_BODY];
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            h[i * count + j] = H[keep[i] * size + keep[j]];
    int failed = invert(count, h, g);
    if (failed >= 0)
        return keep[failed];
    if (!find_uncertain(count, h, g, z))
        return keep[0];
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            G[keep[i] * size + keep[j]] = g[i * count + j];
            Z[keep[i] * size + keep[j]] = z[i * count + j];
        }
    return -1;
}

/* G and Z of one body. The row that fails, or -1. */
static int invert_body(int size, const long double *H, long double *G, long double *Z) {
    int keep[SIZE_MAX_BODY], count = 0;
    memset(G, 0, (size_t)(size * size) * sizeof *G);
    memset(Z, 0, (size_t)(size * size) * sizeof *Z);
    for (int i = 0; i < size; i++) {
        bool alone = true;
        for (int j = 0; j < size; j++)
            alone = alone && (i == j || (H[i * size + j] == 0.0L && H[j * size + i] == 0.0L));
        long double mass = H[i * size + i];
        if (!alone) {
            keep[count++] = i;
            continue;
        }
        if (!(mass > 0.0L) || !isfinite(1.0L / mass))
            return i;
        G[i * size + i] = 1.0L / mass;
        Z[i * size + i] = LDBL_EPSILON / mass;
    }
    return count > 0 ? invert_rows(size, H, count, keep, G, Z) : -1;
}

/* G of all bodies, and what v' = G (k + D g') may be off by, over the sizes of its terms: p eps |G| + Z, p = terms + size + 2 (measure.h). */
static cairn_status invert_bodies(cairn_judge *judge) {
    const cairn_problem *p = judge->problem;
    cairn_judge_mass *m = &judge->mass;
    long double H[SIZE_MAX_BODY * SIZE_MAX_BODY];
    for (int body = 0; body < p->bodies; body++) {
        int size = p->body_start[body + 1] - p->body_start[body], terms = judge->terms[body] + size + 2;
        int64_t at = m->start[body];
        read_block(p, body, H);
        int failed = invert_body(size, H, m->inverse + at, m->slack + at);
        if (failed >= 0)
            return refuse(judge, p->body_start[body] + failed);
        for (int64_t e = at; e < at + size * size; e++) {
            long double G = fabsl(m->inverse[e]), Z = m->slack[e];
            m->slack[e] = terms * LDBL_EPSILON * G + Z;
            m->rounded[e] = (double)m->inverse[e];
            m->loose[e] = (double)((terms + 1) * DBL_EPSILON * G + 2.0L * Z);
        }
    }
    return CAIRN_OK;
}

/* trace(D_i' G D_i) of block i. */
static double trace_of(const cairn_judge *judge, int i) {
    const cairn_problem *p = judge->problem;
    const double *d = p->body.dense + p->body.dense_start[i];
    double trace = 0.0;
    for (int r = 0; r < p->block[i].dim; r++)
        for (int t = p->body.touch_start[i]; t < p->body.touch_start[i + 1]; t++) {
            int body = p->body.touch[t], size = p->body_start[body + 1] - p->body_start[body];
            const double *G = judge->mass.rounded + judge->mass.start[body];
            for (int a = 0; a < size; a++) {
                double sum = 0.0;
                for (int c = 0; c < size; c++)
                    sum += G[a * size + c] * d[c];
                trace += d[a] * sum;
            }
            d += size;
        }
    return trace;
}

static void find_scales(cairn_judge *judge) {
    const cairn_problem *p = judge->problem;
    double N[CAIRN_BLOCK_DIM_MAX * CAIRN_BLOCK_DIM_MAX];
    for (int i = 0; i < p->blocks; i++) {
        int dim = p->block[i].dim;
        double trace = p->local ? 0.0 : trace_of(judge, i);
        memset(N, 0, sizeof N);
        if (judge->mass.coupled)
            cairn_pieces_add(p, &judge->mass.pieces, i, N);
        for (int r = 0; r < dim; r++) {
            int row = p->block_start[i] + r;
            trace += N[r * dim + r] + p->C[row];
            for (int e = p->local ? p->A.start[row] : 0; p->local && e < p->A.start[row + 1]; e++)
                trace += p->A.index[e] == row ? p->A.value[e] : 0.0;
        }
        judge->scale[i] = trace > 0.0 && isfinite(trace) ? trace / dim : 1.0;
    }
}

/* ---- H that couples bodies ------------------------------------------------------------------------------------------ */

cairn_status cairn_judge_mass_factor(cairn_judge *judge) {
    const cairn_problem *p = judge->problem;
    if (judge->mass.factor != NULL)
        return CAIRN_OK;
    cairn_pattern pattern = {0};
    cairn_status status = cairn_pattern_create(judge->context, &p->A, p->unsymmetric ? &p->At : NULL, p->full_pattern,
                                               &pattern);
    double *value = NULL;
    if (status == CAIRN_OK) {
        value = cairn_alloc(judge->context, (size_t)pattern.start[p->n], sizeof *value);
        status = value != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    }
    for (int e = 0; status == CAIRN_OK && e < p->A.start[p->n]; e++)
        value[pattern.map != NULL ? pattern.map[e] : e] = p->A.value[e];
    if (status == CAIRN_OK)
        status = cairn_factor_analyze(judge->context, p->n, pattern.start, pattern.index, p->bodies, p->body_start,
                                      !p->unsymmetric, &judge->mass.factor);
    if (status == CAIRN_OK)
        status = cairn_factor_numeric(judge->mass.factor, value, NULL);
    if (status == CAIRN_ERROR_NUMERICAL)
        refuse(judge, cairn_factor_failed_row(judge->mass.factor));
    if (status != CAIRN_OK) {
        cairn_factor_destroy(judge->mass.factor);
        judge->mass.factor = NULL;
    }
    cairn_free(judge->context, value);
    cairn_pattern_free(judge->context, &pattern);
    return status;
}

/* r = x - H v, size = |x| + |H||v|: row by row where the rows of H are at hand, whose sums stay in registers; else column by column. */
static void residual(const cairn_problem *p, const long double *x, const long double *v, long double *r,
                     long double *size) {
    const cairn_csc *rows = p->unsymmetric ? &p->At : p->full_pattern ? &p->A : NULL;
    for (int i = 0; i < p->n; i++) {
        long double sum = x[i], terms = fabsl(x[i]);
        for (int e = rows != NULL ? rows->start[i] : 0; rows != NULL && e < rows->start[i + 1]; e++) {
            long double z = rows->value[e] * v[rows->index[e]];
            sum -= z;
            terms += fabsl(z);
        }
        r[i] = sum;
        size[i] = terms;
    }
    for (int j = 0; j < p->n && rows == NULL; j++)
        for (int e = p->A.start[j]; e < p->A.start[j + 1]; e++) {
            long double z = p->A.value[e] * v[j];
            r[p->A.index[e]] -= z;
            size[p->A.index[e]] += fabsl(z);
        }
}

/* A bound of |H^-1 r|, m/s: of each node by itself, and of its piece as a whole. */
static long double speed_of(const cairn_judge *judge, const long double *r) {
    const cairn_problem *p = judge->problem;
    const cairn_judge_mass *m = &judge->mass;
    long double node = 0.0L, whole = 0.0L; /* the sum over all pieces, which is no less than that of any */
    for (int body = 0; body < p->bodies; body++) {
        int first = p->body_start[body], size = p->body_start[body + 1] - first, piece = m->pieces.piece_of[body];
        for (int i = 0; i < size; i++) {
            long double sum = 0.0L;
            for (int j = 0; j < size; j++)
                sum += fabsl(m->inverse[m->start[body] + i * size + j]) * fabsl(r[first + j]);
            node = fmaxl(node, sum * m->reach[first + i]);
            if (i < 3 && piece >= 0 && m->pieces.mass[3 * piece + i] > 0.0)
                whole += m->reach[first + i] * fabsl(r[first + i]) / m->pieces.mass[3 * piece + i];
        }
    }
    return node + whole;
}

long double cairn_judge_mass_left(cairn_judge *judge, const long double *x, const long double *size,
                                  const long double *v, long double *work) {
    const cairn_problem *p = judge->problem;
    long double *terms = judge->work + 4 * (size_t)p->n + 3 * (size_t)p->m;
    residual(p, x, v, work, terms);
    for (int i = 0; i < p->n; i++)
        work[i] = fabsl(work[i]) + (judge->mass.entries + 2) * (LDBL_EPSILON / 2) * terms[i] + size[i];
    return speed_of(judge, work);
}

long double cairn_judge_mass_solve(cairn_judge *judge, const long double *x, const long double *size, long double *v,
                                   long double *work) {
    const cairn_problem *p = judge->problem;
    long double *r = work, *terms = judge->work + 4 * (size_t)p->n + 3 * (size_t)p->m, best = INFINITY;
    double *packed = judge->packed;
    if (judge->spare == 0.0) /* else v is as it was given, which is near */
        memset(v, 0, (size_t)p->n * sizeof *v);
    for (int step = 0; step <= REFINE; step++) {
        residual(p, x, v, r, terms);
        long double left = speed_of(judge, r);
        if (left <= ENOUGH * judge->spare || (step > 0 && !(left < (long double)FALL * best)))
            break;
        best = left;
        long double largest = 0.0L;
        for (int i = 0; i < p->n; i++)
            largest = fmaxl(largest, fabsl(r[i]));
        if (!(largest > 0.0L) || !isfinite(largest))
            break;
        for (int i = 0; i < p->n; i++)
            packed[i] = (double)(r[i] / largest);
        cairn_factor_solve(judge->mass.factor, packed);
        for (int i = 0; i < p->n; i++)
            v[i] += largest * packed[i];
    }
    return cairn_judge_mass_left(judge, x, size, v, work);
}

void cairn_judge_reach(cairn_judge *judge) {
    const cairn_problem *p = judge->problem;
    double *reach = judge->mass.reach;
    for (int j = 0; j < p->n; j++)
        reach[j] = 0.0;
    for (int j = 0; j < p->m; j++)
        for (int e = p->D.start[j]; e < p->D.start[j + 1]; e++)
            reach[p->D.index[e]] = fmax(reach[p->D.index[e]], fabs(p->D.value[e]));
    for (int j = 0; j < p->n; j++)
        reach[j] = reach[j] > 0.0 ? reach[j] : 1.0;
}

/* ---- all of it ------------------------------------------------------------------------------------------------------ */

cairn_status cairn_judge_mass_make(cairn_judge *judge) {
    const cairn_problem *p = judge->problem;
    cairn_status status = CAIRN_OK;
    if (!p->local) {
        judge->mass.start[0] = 0;
        for (int body = 0; body < p->bodies; body++) {
            int64_t size = p->body_start[body + 1] - p->body_start[body];
            judge->mass.start[body + 1] = judge->mass.start[body] + size * size;
        }
        status = invert_bodies(judge);
    }
    judge->mass.coupled = !p->local && !p->block_diagonal;
    if (status == CAIRN_OK && judge->mass.coupled) {
        status = cairn_pieces_create(p, &judge->mass.pieces);
        cairn_judge_reach(judge);
    }
    for (int j = 0; status == CAIRN_OK && judge->mass.coupled && j < p->n; j++) {
        const cairn_csc *rows = p->unsymmetric ? &p->At : &p->A;
        int entries = rows->start[j + 1] - rows->start[j];
        judge->mass.entries = entries > judge->mass.entries ? entries : judge->mass.entries;
    }
    if (status == CAIRN_OK)
        find_scales(judge);
    return status;
}

void cairn_judge_mass_free(cairn_judge *judge) {
    cairn_factor_destroy(judge->mass.factor);
    cairn_pieces_free(judge->context, &judge->mass.pieces);
    judge->mass.factor = NULL;
    judge->mass.pieces = (cairn_pieces){0};
    judge->mass.entries = 0;
}
