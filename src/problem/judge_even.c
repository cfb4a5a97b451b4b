/*
 * judge_even.c: contacts whose part of the certificate [theory 1] needs no long double, four at a time.
 *
 * v^ comes rounded from a solve in long double, so u = D'v^ + C gamma + b is wrong by a few eps of the sizes of its terms and no more, however much cancels in the forces
 * on a body. The residual x = gamma - P(gamma - s^2 u~) loses digits in the projection alone, and there are two places where nothing is projected:
 *
 *     gamma - s^2 u~ inside the cone:          x = s^2 u~
 *     gamma - s^2 u~ inside the polar cone:    x = gamma
 *
 * A contact is even when both residuals, weighted and plain, are surely one of the two, gamma is zero or surely inside its cone, and u~ is known to FINE of
 * itself. That is most contacts of bodies at rest. All others are odd: they slide, or double does not know, and judge_contacts.c judges them in long double. So every contact's
 * figures are right to FINE, whatever the answer. Where most contacts are odd it is not tried any further.
 */
#include "judge_even.h"

#include "judge_lanes.h"

#include <float.h>

#define SURE \
    (32.0 * DBL_EPSILON) /* of its terms: a difference above it has the right sign, and a sum is wrong by less */
#define FINE      1e-6
#define SAFE_LOW  1e-100 /* squares and scales within these limits, and their products, are as good as others */
#define SAFE_HIGH 1e100
#define TRIAL     32 /* contacts after which it is seen whether most are odd */

typedef struct tally {
    quad gap, dual, slip, residual, residual_plain, gamma, gamma_plain, u, u_plain; /* as in cairn_judge_tally */
    quad free_slip, terms, r, r_plain, terms_norm, idle;
    double worst; /* square of the worst velocity */
} tally;

/* What is known of four contacts. */
typedef struct figures {
    quad n, under, normal, tangent, pull; /* n_i, 1/n_i, u~_N, |u_T|, |gamma_T| */
    quad slip, speed, gamma, residual[2]; /* squares of |u|, |u~|, |gamma|; of the residuals with s2 = 1/n_i and 1 */
    mask even;
} figures;

CAIRN_INLINE void add_if(const mask *which, const quad *x, quad *sum) {
    *sum += (quad)((mask)*x & *which);
}

CAIRN_INLINE void raise_if(const mask *which, const quad *x, quad *most) {
    quad part = (quad)((mask)*x & *which);
    raise(most, &part);
}

CAIRN_INLINE void size_of(const quad *x, quad *out) {
    *out = (quad)((mask)*x & INT64_MAX);
}

/* Is gamma - s2 u~ surely inside the cone, or surely where P is zero? */
CAIRN_INLINE void place(const contacts *g, const slips *s, const figures *f, const quad *s2, mask *inside,
                        mask *behind) {
    quad zN = g->gamma[0] - *s2 * f->normal, z1 = g->gamma[1] - *s2 * s->u[1], z2 = g->gamma[2] - *s2 * s->u[2];
    quad t = z1 * z1 + z2 * z2, most, push;
    root(&t);
    size_of(&f->normal, &most);
    size_of(&g->gamma[0], &push);
    most = push + *s2 * most;
    quad most_t = f->pull + *s2 * f->tangent;
    *inside = (zN > SURE * most) & (g->mu * zN - t > SURE * (g->mu * most + most_t));
    *behind = zN + g->mu * t < -SURE * (most + g->mu * most_t);
}

/* Sizes and residuals, and which contacts are even; n is there. */
CAIRN_INLINE void look(const cairn_problem *p, const contacts *g, const slips *s, figures *f) {
    const quad none = {0}, one = none + 1.0, wide = one + g->mu;
    const double share = SURE * SURE / (FINE * FINE);
    f->tangent = s->u[1] * s->u[1] + s->u[2] * s->u[2];
    f->pull = g->gamma[1] * g->gamma[1] + g->gamma[2] * g->gamma[2];
    f->slip = s->u[0] * s->u[0] + f->tangent;
    f->gamma = g->gamma[0] * g->gamma[0] + f->pull;
    f->speed = f->tangent;
    root(&f->tangent);
    root(&f->pull);
    f->normal = s->u[0];
    if (p->law == CAIRN_LAW_COULOMB)
        f->normal += g->mu * f->tangent;
    f->speed += f->normal * f->normal;
    f->under = one / f->n;
    mask known = (share * (wide * wide * s->u_terms) <= f->speed) & (f->speed > SAFE_LOW);
    mask zero = (g->gamma[0] == none) & (g->gamma[1] == none) & (g->gamma[2] == none);
    mask held = (g->gamma[0] > none) & (f->gamma > SAFE_LOW) &
                (g->mu * g->gamma[0] - f->pull > SURE * (g->mu * g->gamma[0] + f->pull));
    f->even = known & (zero | held) & (f->gamma < SAFE_HIGH) & (f->slip < SAFE_HIGH) & (f->n > SAFE_LOW) &
              (f->n < SAFE_HIGH);
    for (int k = 0; k < 2; k++) {
        const quad s2 = k == 0 ? f->under : one;
        mask inside, behind;
        place(g, s, f, &s2, &inside, &behind);
        f->residual[k] = s2 * s2 * f->speed;
        choose(&behind, &f->gamma, &f->residual[k]);
        f->even &= behind | inside;
    }
}

/* The figures of the worst contact so far, when one of these four is it. */
static void find_worst(const figures *f, const quad *error, const quad *gap, int begin, tally *t,
                       cairn_judge_tally *sums) {
    for (int l = 0; l < LANES; l++) {
        if (f->even[l] == 0 || (!((*error)[l] > t->worst) && sums->worst_block >= 0))
            continue;
        t->worst = (*error)[l];
        sums->worst_block = begin + l;
        sums->worst_cone = 0.0L;
        sums->worst_gap = (*gap)[l];
        sums->worst_gamma = sqrt(f->gamma[l]);
        sums->worst_slip = sqrt(f->slip[l]);
    }
}

/* What the even ones of four contacts add. */
CAIRN_INLINE void add_even(const cairn_problem *p, const contacts *g, const slips *s, const figures *f, int begin,
                           tally *t, cairn_judge_tally *sums) {
    const quad none = {0}, one = none + 1.0;
    quad gap = (f->normal * g->gamma[0] + s->u[1] * g->gamma[1]) + s->u[2] * g->gamma[2];
    quad length = one + g->mu * g->mu, far = f->speed;
    root(&length);
    root(&far);
    quad dual = none - s->u[0]; /* u~ is that far beyond the dual cone's edge, times length */
    if (p->law != CAIRN_LAW_COULOMB)
        dual = f->tangent * g->mu - f->normal;
    dual /= length;
    mask behind = f->normal * g->mu + f->tangent <= none;
    choose(&behind, &far, &dual);
    quad weighted = f->n * f->residual[0], error = f->n * weighted, push = f->n * f->gamma, moved = f->under * f->slip;
    add_if(&f->even, &gap, &t->gap);
    add_if(&f->even, &weighted, &t->residual);
    add_if(&f->even, &f->residual[1], &t->residual_plain);
    add_if(&f->even, &push, &t->gamma);
    add_if(&f->even, &f->gamma, &t->gamma_plain);
    add_if(&f->even, &moved, &t->u);
    add_if(&f->even, &f->slip, &t->u_plain);
    raise_if(&f->even, &dual, &t->dual);
    raise_if(&f->even, &f->slip, &t->slip);
    mask more = (error > none + t->worst) & f->even;
    if ((more[0] | more[1] | more[2] | more[3]) != 0 || sums->worst_block < 0)
        find_worst(f, &error, &gap, begin, t, sums);
}

/* Square of |P(-r~)| of all four, r~ as u~: what is wrong without impulses, in m/s. */
CAIRN_INLINE void idle_speed(const cairn_problem *p, const contacts *g, const slips *s, quad *out) {
    const quad none = {0}, one = none + 1.0;
    quad side = s->r[1] * s->r[1] + s->r[2] * s->r[2], tangent = side, push = none - s->r[0];
    root(&tangent);
    if (p->law == CAIRN_LAW_COULOMB)
        push -= g->mu * tangent;
    quad foot = push + g->mu * tangent;
    mask inside = (push >= none) & (tangent <= push * g->mu);
    raise(&foot, &none);
    *out = foot * foot / (one + g->mu * g->mu);
    quad whole = push * push + side;
    choose(&inside, &whole, out);
}

/* What belongs to k and b alone, of all four. */
CAIRN_INLINE void add_free(const cairn_problem *p, const contacts *g, const slips *s, const figures *f, tally *t) {
    quad idle;
    idle_speed(p, g, s, &idle);
    t->idle += f->under * idle;
    raise(&t->free_slip, &s->r_square);
    raise(&t->terms, &s->r_terms);
    t->r += f->under * s->r_square;
    t->r_plain += s->r_square;
    t->terms_norm += f->under * s->r_terms;
}

/* n_i, known or from the trace. False: a trace is at the ends of the range. */
CAIRN_INLINE bool find_scales(const cairn_judge_even *e, const slips *s, int begin, int count, quad *n) {
    *n = (quad){1.0, 1.0, 1.0, 1.0};
    for (int l = 0; l < count; l++) {
        if (!e->has_scale && !(s->trace[l] > SAFE_LOW && s->trace[l] < SAFE_HIGH))
            return false;
        if (!e->has_scale)
            e->scale[begin + l] = s->trace[l] / DIM;
        (*n)[l] = (double)e->scale[begin + l];
    }
    return true;
}

/* fresh: scales or free slips are not there yet. */
CAIRN_INLINE int pass(const cairn_problem *p, const cairn_judge_even *e, const double *gamma, bool fresh, double *u,
                      tally *t, cairn_judge_tally *sums) {
    const cairn_judge_lanes lanes = {e->root, e->v, e->free};
    int odds = 0;
    for (int i = 0; i < p->blocks; i += LANES) {
        int count = p->blocks - i < LANES ? p->blocks - i : LANES;
        contacts g;
        slips s;
        figures f;
        read_contacts(p, &lanes, gamma, i, &g);
        find_slips(&g, fresh, &s);
        if (!find_scales(e, &s, i, count, &f.n))
            return -1;
        look(p, &g, &s, &f);
        for (int l = count; l < LANES; l++)
            f.even[l] = 0;
        add_even(p, &g, &s, &f, i, t, sums);
        if (fresh)
            add_free(p, &g, &s, &f, t);
        for (int l = 0; l < count; l++) {
            if (f.even[l] == 0)
                e->odd[odds++] = i + l;
            for (int r = 0; r < DIM && u != NULL; r++)
                u[p->block_start[i + l] + r] = s.u[r][l];
        }
        if (i + LANES == TRIAL && odds > TRIAL / 2)
            return -1;
    }
    return odds;
}

CAIRN_CLONES static int pass_fresh(const cairn_problem *p, const cairn_judge_even *e, const double *gamma, double *u,
                                   tally *t, cairn_judge_tally *sums) {
    return pass(p, e, gamma, true, u, t, sums);
}

CAIRN_CLONES static int pass_again(const cairn_problem *p, const cairn_judge_even *e, const double *gamma, double *u,
                                   tally *t, cairn_judge_tally *sums) {
    return pass(p, e, gamma, false, u, t, sums);
}

int cairn_judge_even_run(const cairn_problem *p, const cairn_judge_even *e, const double *gamma, double *u,
                         cairn_judge_tally *sums, cairn_judge_tally *kept) {
    tally t = {0};
    cairn_judge_tally made = {.worst_block = -1};
    bool fresh = !(e->has_scale && e->has_free);
    int odds = fresh ? pass_fresh(p, e, gamma, u, &t, &made) : pass_again(p, e, gamma, u, &t, &made);
    double terms = most_of(&t.terms);
    if (odds < 0 || (!e->has_free && !(terms > SAFE_LOW && terms < SAFE_HIGH)))
        return -1;
    made.worst_velocity = sqrt(t.worst);
    made.gap = total(&t.gap);
    made.dual = most_of(&t.dual);
    made.slip = most_of(&t.slip);
    made.residual = (cairn_judge_size){total(&t.residual), total(&t.residual_plain)};
    made.gamma = (cairn_judge_size){total(&t.gamma), total(&t.gamma_plain)};
    made.u = (cairn_judge_size){total(&t.u), total(&t.u_plain)};
    *sums = made;
    if (!e->has_free) {
        kept->r = (cairn_judge_size){total(&t.r), total(&t.r_plain)};
        kept->terms_norm = total(&t.terms_norm);
        kept->idle = total(&t.idle);
        kept->free_slip = most_of(&t.free_slip);
        kept->terms = terms;
    }
    return odds;
}
