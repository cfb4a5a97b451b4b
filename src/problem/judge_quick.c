/*
 * judge_quick.c: the certificate of contacts between bodies with diagonal H [theory 1] in double, four contacts at a time.
 *
 * The formulas of judge_contacts.c, in which long double is most of the time. An answer that is asked to 1e-3 has errors a million times larger than what double makes of
 * its figures. That is not believed but looked at: beside every slip u the sizes of its terms are summed up, |D|'|v^| + |C gamma| + |b|. A sum of a few dozen products is wrong by less than
 *
 *     delta = CARELESS eps (|terms| + |gamma|)      in the norm of the figure, gamma for the load of the bodies and for the projection
 *
 * and a run counts only if delta is below FINE times every figure that a certificate is made of: both natural maps and the worst velocity. H^-1 k and r^ must not be what cancelling has
 * left. Else judge_contacts.c judges anew. Sums go lane by lane, then over the lanes: the same bits on every processor.
 *
 * Not in these figures: momentum, gap and distances to cones below 1e-13 of their terms, which are rounding and told as what they come to.
 */
#include "judge_quick.h"

#include "judge_lanes.h"
#include "judge_sums.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define CARELESS  1000.0
#define FINE      1e-6
#define CANCELLED 1e-4 /* of its terms: a sum below it has lost digits that matter */
#define SAFE_LOW  1e-200
#define SAFE_HIGH 1e200

bool cairn_judge_quick_fits(const cairn_problem *p) {
    for (int i = 0; i < p->blocks; i++)
        if (p->block[i].set != CAIRN_SET_CONE || p->block[i].dim != DIM)
            return false;
    return true;
}

/* ---- bodies ------------------------------------------------------------------------------------------------ */

/* Squares of norms as in judge_contacts.c. */
typedef struct energies {
    double free, load, error;
} energies;

/* load (6) = D gamma of one body. */
CAIRN_INLINE void load_body(const cairn_problem *p, int body, const double *gamma, double *load) {
    const cairn_body_blocks *B = &p->body;
    pair sum[3] = {0};
    for (int s = B->incident_start[body]; s < B->incident_start[body + 1]; s++) {
        int block = B->incident[s], width = B->width[block];
        const double *E = B->dense + B->incident_at[s], *x = gamma + p->block_start[block];
        for (int c = 0; c < 3; c++)
            sum[c] += (pair_at(E + 2 * c) * x[0] + pair_at(E + width + 2 * c) * x[1]) +
                      pair_at(E + 2 * width + 2 * c) * x[2];
    }
    memcpy(load, sum, sizeof sum);
}

CAIRN_CLONES static energies pass_bodies(const cairn_problem *p, const cairn_judge_quick *q, const double *answer,
                                         const double *gamma) {
    energies sums = {0};
    for (int body = 0; body < p->bodies; body++) {
        int first = ROWS * body;
        const double *H = p->A.value + first, *k = p->k + first;
        double load[ROWS], *v = q->v + first, *free = q->free + first;
        load_body(p, body, gamma, load);
        for (int i = 0; i < ROWS; i++) {
            free[i] = k[i] / H[i];
            v[i] = (k[i] + load[i]) / H[i];
            double error = answer != NULL ? answer[first + i] - v[i] : 0.0;
            sums.free += k[i] * free[i];
            sums.load += load[i] * (v[i] - free[i]);
            sums.error += error * H[i] * error;
        }
    }
    return sums;
}

/* ---- contacts ---------------------------------------------------------------------------------------------- */

typedef struct tally {
    quad cone, gap, dual, slip, free_slip, terms; /* largest, sum, largest; largest squares */
    quad residual, residual_plain, gamma, gamma_plain, u, u_plain, r, r_plain, terms_norm; /* sums of squares */
    quad own, own_plain, own_most; /* of the terms of u: weighted, plain, largest square */
    quad least, most;              /* of the traces of N_ii */
    double worst;                  /* square of the worst velocity */
} tally;

/* Square of |x - P(x - s2 u~)| for cones in space; normal: that of u~. */
CAIRN_INLINE void residual_of(const contacts *g, const quad *s2, const quad *normal, const quad *u, quad *out) {
    const quad none = {0}, one = none + 1.0;
    quad zN = g->gamma[0] - *s2 * *normal, z1 = g->gamma[1] - *s2 * u[1], z2 = g->gamma[2] - *s2 * u[2];
    quad t = z1 * z1 + z2 * z2;
    root(&t);
    quad qN = (zN + t * g->mu) / (one + g->mu * g->mu);
    raise(&qN, &none);
    mask flat = t > none, inside = (zN >= none) & (t <= zN * g->mu);
    quad under = one, shrink = none;
    choose(&flat, &t, &under);
    quad share = qN * g->mu / under;
    choose(&flat, &share, &shrink);
    choose(&inside, &zN, &qN);
    choose(&inside, &one, &shrink);
    quad a = g->gamma[0] - qN, b = g->gamma[1] - z1 * shrink, c = g->gamma[2] - z2 * shrink;
    *out = (a * a + b * b) + c * c;
}

/* Distance of (N, t) to the wedge between the axis and the ray (e, f), e and f not below zero. */
CAIRN_INLINE void wedge_distance(const quad *e, const quad *f, const quad *N, const quad *t, quad *out) {
    const quad none = {0};
    quad length = *e * *e + *f * *f, far = *N * *N + *t * *t;
    root(&length);
    root(&far);
    *out = (*t * *e - *N * *f) / length;
    mask behind = *N * *e + *t * *f <= none, inside = (*N >= none) & (*t * *e <= *N * *f);
    choose(&behind, &far, out);
    choose(&inside, &none, out);
}

/* The figures of the worst contact so far, when one of these four is it. */
static void find_worst(const contacts *g, const slips *s, const quad *speed, const quad *cone, const quad *gap,
                       int begin, int blocks, tally *t, cairn_judge_tally *sums) {
    for (int l = 0; l < LANES && begin + l < blocks; l++) {
        if (!((*speed)[l] > t->worst) && sums->worst_block >= 0)
            continue;
        double x = g->gamma[0][l], y = g->gamma[1][l], z = g->gamma[2][l];
        double a = s->u[0][l], b = s->u[1][l], c = s->u[2][l];
        t->worst = (*speed)[l];
        sums->worst_block = begin + l;
        sums->worst_cone = (*cone)[l];
        sums->worst_gap = (*gap)[l];
        sums->worst_gamma = sqrt(x * x + y * y + z * z);
        sums->worst_slip = sqrt(a * a + b * b + c * c);
    }
}

CAIRN_INLINE void judge_four(const cairn_problem *p, const contacts *g, const slips *s, int begin, tally *t,
                             cairn_judge_tally *sums) {
    const quad none = {0}, one = none + 1.0;
    quad n = s->trace / (none + DIM), size, plain, residual, cone, dual;
    mask empty = n == none;
    choose(&empty, &one, &n);
    quad under = one / n, tangent = s->u[1] * s->u[1] + s->u[2] * s->u[2], normal = s->u[0];
    quad slip = s->u[0] * s->u[0] + tangent;
    root(&tangent);
    if (p->law == CAIRN_LAW_COULOMB)
        normal += g->mu * tangent;
    residual_of(g, &under, &normal, s->u, &residual);
    residual_of(g, &one, &normal, s->u, &plain);
    quad pull = g->gamma[1] * g->gamma[1] + g->gamma[2] * g->gamma[2], gamma = g->gamma[0] * g->gamma[0] + pull;
    root(&pull);
    wedge_distance(&one, &g->mu, &g->gamma[0], &pull, &cone);
    wedge_distance(&g->mu, &one, &normal, &tangent, &dual);
    quad gap = (normal * g->gamma[0] + s->u[1] * g->gamma[1]) + s->u[2] * g->gamma[2];
    quad speed = n * n * residual, worst = none + t->worst;
    raise(&t->cone, &cone);
    raise(&t->dual, &dual);
    raise(&t->slip, &slip);
    raise(&t->free_slip, &s->r_square);
    raise(&t->terms, &s->r_terms);
    t->gap += gap;
    t->residual += n * residual;
    t->residual_plain += plain;
    t->gamma += n * gamma;
    t->gamma_plain += gamma;
    t->u += under * slip;
    t->u_plain += slip;
    t->r += under * s->r_square;
    t->r_plain += s->r_square;
    t->terms_norm += under * s->r_terms;
    t->own += under * s->u_terms;
    t->own_plain += s->u_terms;
    size = s->u_terms + n * n * gamma;
    raise(&t->own_most, &size);
    raise(&t->most, &n);
    quad less = none - n;
    raise(&t->least, &less);
    mask more = speed > worst;
    if ((more[0] | more[1] | more[2] | more[3]) != 0 || sums->worst_block < 0)
        find_worst(g, s, &speed, &cone, &gap, begin, p->blocks, t, sums);
}

CAIRN_CLONES static void pass_contacts(const cairn_problem *p, const cairn_judge_quick *q, const double *gamma,
                                       double *u, tally *t, cairn_judge_tally *sums) {
    const cairn_judge_lanes lanes = {q->root, q->v, q->free};
    for (int i = 0; i < p->blocks; i += LANES) {
        contacts g;
        slips s;
        read_contacts(p, &lanes, gamma, i, &g);
        find_slips(&g, true, &s);
        judge_four(p, &g, &s, i, t, sums);
        for (int l = 0; l < LANES && i + l < p->blocks && u != NULL; l++)
            for (int r = 0; r < DIM; r++)
                u[p->block_start[i + l] + r] = s.u[r][l];
    }
}

/* ---- the run ----------------------------------------------------------------------------------------------- */

/* Is sqrt(square) known to FINE, when what it is made of has the size sqrt(terms)? */
static bool fine(double square, double terms) {
    const double share = CARELESS * DBL_EPSILON / FINE;
    return square > SAFE_LOW && square < SAFE_HIGH && terms < SAFE_HIGH && square >= share * share * terms;
}

static bool conclusive(const tally *t) {
    double gamma = total(&t->gamma), plain = total(&t->gamma_plain), terms = most_of(&t->terms);
    return fine(total(&t->residual), total(&t->own) + gamma) &&
           fine(total(&t->residual_plain), total(&t->own_plain) + plain) && fine(t->worst, most_of(&t->own_most)) &&
           total(&t->r) >= CANCELLED * CANCELLED * total(&t->terms_norm) && terms > SAFE_LOW && terms < SAFE_HIGH &&
           most_of(&t->free_slip) >= CANCELLED * CANCELLED * terms && most_of(&t->most) < SAFE_HIGH &&
           most_of(&t->least) < -SAFE_LOW;
}

/* The norms that belong to the sums of squares. */
static cairn_judge_size size_of(const quad *weighted, const quad *plain) {
    return (cairn_judge_size){sqrt(total(weighted)), sqrt(total(plain))};
}

bool cairn_judge_quick_run(const cairn_problem *p, const cairn_judge_quick *q, const double *v, const double *gamma,
                           double *u, cairn_judge_tally *sums, double *momentum) {
    tally t = {.least = (quad){0} - HUGE_VAL};
    cairn_judge_tally made = {.worst_block = -1};
    energies energy = pass_bodies(p, q, v, gamma);
    pass_contacts(p, q, gamma, u, &t, &made);
    if (!conclusive(&t))
        return false;
    made.worst_velocity = sqrt(t.worst);
    made.cone = most_of(&t.cone);
    made.gap = total(&t.gap);
    made.dual = most_of(&t.dual);
    made.free_slip = sqrt(most_of(&t.free_slip));
    made.slip = sqrt(most_of(&t.slip));
    made.terms = sqrt(most_of(&t.terms));
    made.residual = size_of(&t.residual, &t.residual_plain);
    made.r = size_of(&t.r, &t.r_plain);
    made.gamma = size_of(&t.gamma, &t.gamma_plain);
    made.u = size_of(&t.u, &t.u_plain);
    made.terms_norm = sqrt(total(&t.terms_norm));
    double size = fmax(energy.free, energy.load);
    if (!(size > SAFE_LOW && size < SAFE_HIGH && energy.error < SAFE_HIGH))
        return false;
    *momentum = cairn_judge_quotient(sqrt(energy.error), sqrt(size));
    *sums = made;
    return true;
}
