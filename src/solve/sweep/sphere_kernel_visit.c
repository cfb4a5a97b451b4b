/*
 * sphere_kernel_visit.c: sweeps over contacts between balls, four at a time; the layout is that of
 * sphere_kernel.c.
 *
 *     u_N = n'd + b_N,   u_1 = t1'd + t2's + b_1,   u_2 = t2'd - t1's + b_2      d = v_1 - v_0,
 *         s = arm_0 w_0 + arm_1 w_1
 *
 * The contact's own problem, N_ii = diag(1/normal, 1/tangent, 1/tangent): with y = gamma - N_ii^-1
 * u [theory 1]
 *
 *     exact law    gamma_N = max(0, y_N),   gamma_T = y_T min(1, mu gamma_N / |y_T|)
 *     associated   |y_T| <= mu y_N: y;   else gamma_T as above and
 *                  gamma_N = max(0, (mu |y_T| normal + y_N tangent) / (tangent + mu^2 normal))
 *
 * An iteration of conjugate gradients (method_nncg.c) needs no pass of its own over the impulses:
 * the sweep forwards extrapolates each contact before it visits it, the one backwards sums up the
 * change. cairn_sphere_kernel_resize is a step along gamma itself. Sums go lane by lane, then over
 * the lanes: the same bits on every processor.
 *
 * Not checked: squares of slips beyond 1e280, which lose the friction of the contact.
 */
#include "solve/sweep/sphere_kernel.h"

#include <math.h>

#define BODY  CAIRN_CONTACT_KERNEL_BODY
#define LANES CAIRN_CONTACT_KERNEL_LANES
#define AHEAD 4      /* groups between the one that is visited and the one that memory is asked for, */
#define LARGE 1500   /* where there are so many: fewer stay in the cache */
#define LEAST 1e-280 /* |y_T|^2 below this counts as this */

typedef cairn_quad quad;
typedef cairn_quad_mask mask;
typedef double pair __attribute__((vector_size(16)));
typedef union halves {
    quad all;
    pair half[2];
} halves;

/* Numbers of a body in four lanes: velocity, 1/m, spin, 1/J. */
typedef struct bodies {
    quad v[3], mass, w[3], inertia;
} bodies;

CAIRN_INLINE pair load(const double *x) {
    return *(const pair *)x;
}

/* Two numbers of four bodies, from offset on, from memory and back. Halves of registers are
 * joined on their way from memory, so that little is left to be shuffled. */
CAIRN_INLINE void fetch(const double *const *at, int offset, quad *first, quad *second) {
    quad even = __builtin_shufflevector(load(at[0] + offset), load(at[2] + offset), 0, 1, 2, 3);
    quad odd = __builtin_shufflevector(load(at[1] + offset), load(at[3] + offset), 0, 1, 2, 3);
    *first = __builtin_shufflevector(even, odd, 0, 4, 2, 6);
    *second = __builtin_shufflevector(even, odd, 1, 5, 3, 7);
}

CAIRN_INLINE void store(const quad *first, const quad *second, int offset, double *const *at) {
    halves even = {__builtin_shufflevector(*first, *second, 0, 4, 2, 6)};
    halves odd = {__builtin_shufflevector(*first, *second, 1, 5, 3, 7)};
    *(pair *)(at[0] + offset) = even.half[0];
    *(pair *)(at[1] + offset) = odd.half[0];
    *(pair *)(at[2] + offset) = even.half[1];
    *(pair *)(at[3] + offset) = odd.half[1];
}

CAIRN_INLINE void fetch_bodies(const double *v, const int *where, bodies *out) {
    const double *const at[LANES] = {v + where[0], v + where[1], v + where[2], v + where[3]};
    fetch(at, 0, &out->v[0], &out->v[1]);
    fetch(at, 2, &out->v[2], &out->mass);
    fetch(at, 4, &out->w[0], &out->w[1]);
    fetch(at, 6, &out->w[2], &out->inertia);
}

CAIRN_INLINE void store_bodies(const bodies *in, const int *where, double *v) {
    double *const at[LANES] = {v + where[0], v + where[1], v + where[2], v + where[3]};
    store(&in->v[0], &in->v[1], 0, at);
    store(&in->v[2], &in->mass, 2, at);
    store(&in->w[0], &in->w[1], 4, at);
    store(&in->w[2], &in->inertia, 6, at);
}

CAIRN_INLINE void choose(const mask *which, const quad *yes, quad *no) {
    *no = (quad)(((mask)*yes & *which) | ((mask)*no & ~*which));
}

CAIRN_INLINE void root(quad *x) {
    for (int l = 0; l < LANES; l++)
        (*x)[l] = sqrt((*x)[l]);
}

/* x <- max(x, y). */
CAIRN_INLINE void raise(quad *x, const quad *y) {
    mask more = *y > *x;
    choose(&more, y, x);
}

CAIRN_INLINE void slip(const cairn_sphere_kernel_group *g, const bodies *a, const bodies *b, quad *u) {
    quad d[3], s[3];
    for (int c = 0; c < 3; c++) {
        d[c] = b->v[c] - a->v[c];
        s[c] = g->arm[0] * a->w[c] + g->arm[1] * b->w[c];
    }
    for (int c = 0; c < 3; c++)
        u[c] = ((g->F[c][0] * d[0] + g->F[c][1] * d[1]) + g->F[c][2] * d[2]) + g->b[c];
    u[1] += (g->F[2][0] * s[0] + g->F[2][1] * s[1]) + g->F[2][2] * s[2];
    u[2] -= (g->F[1][0] * s[0] + g->F[1][1] * s[1]) + g->F[1][2] * s[2];
}

/* Both bodies after a change of the impulses. */
CAIRN_INLINE void push(const cairn_sphere_kernel_group *g, const quad *change, bodies *a, bodies *b) {
    quad turn[2] = {g->arm[0] * a->inertia, g->arm[1] * b->inertia};
    for (int c = 0; c < 3; c++) {
        quad force = (g->F[0][c] * change[0] + g->F[1][c] * change[1]) + g->F[2][c] * change[2];
        quad torque = g->F[2][c] * change[1] - g->F[1][c] * change[2];
        a->v[c] -= a->mass * force;
        b->v[c] += b->mass * force;
        a->w[c] += turn[0] * torque;
        b->w[c] += turn[1] * torque;
    }
}

/* x: in gamma, out the answers of the contacts' own problems; u their slips. */
CAIRN_INLINE void solve(const cairn_sphere_kernel_group *g, bool coulomb, const quad *u, quad *x) {
    const quad none = {0}, one = none + 1.0, least = none + LEAST;
    quad y = x[0] - g->normal * u[0], y1 = x[1] - g->tangent * u[1], y2 = x[2] - g->tangent * u[2];
    quad length = y1 * y1 + y2 * y2;
    raise(&length, &least);
    root(&length);
    if (!coulomb) {
        quad lower = (g->mu * length * g->normal + y * g->tangent) / (g->tangent + g->mu * g->mu * g->normal);
        mask slides = length > g->mu * y;
        choose(&slides, &lower, &y);
    }
    x[0] = none;
    raise(&x[0], &y);
    quad share = g->mu * x[0] / length;
    mask sticks = share > one;
    choose(&sticks, &one, &share);
    x[1] = share * y1;
    x[2] = share * y2;
}

/* Asks memory for group i, if there is one: a large heap does not fit into the caches. */
CAIRN_INLINE void prefetch(const cairn_sphere_kernel *round, int i) {
    if (round->groups < LARGE || i < 0 || i >= round->groups)
        return;
    const char *group = (const char *)&round->group[i];
    for (size_t at = 0; at < sizeof *round->group; at += CAIRN_CONTACT_KERNEL_LINE)
        __builtin_prefetch(group + at);
}

CAIRN_CLONES static void sweep_forwards(cairn_sphere_kernel *round, double beta, double keep) {
    bool coulomb = round->coulomb;
    for (int i = 0; i < round->groups; i++) {
        cairn_sphere_kernel_group *g = &round->group[i];
        bodies a, b;
        quad u[3], x[3], change[3];
        prefetch(round, i + AHEAD);
        fetch_bodies(round->v, g->body[0], &a);
        fetch_bodies(round->v, g->body[1], &b);
        for (int c = 0; c < 3; c++) {
            quad f = g->x[c] - g->old[c], ahead = beta * g->p[c];
            g->p[c] = ahead + keep * f;
            g->old[c] = x[c] = g->x[c] + ahead;
        }
        slip(g, &a, &b, u);
        solve(g, coulomb, u, x);
        for (int c = 0; c < 3; c++) {
            change[c] = x[c] - g->old[c];
            g->x[c] = x[c];
        }
        push(g, change, &a, &b);
        store_bodies(&a, g->body[0], round->v);
        store_bodies(&b, g->body[1], round->v);
    }
}

typedef struct sums {
    quad square, primal, dual;
} sums;

CAIRN_CLONES static void sweep_backwards(cairn_sphere_kernel *round, sums *out) {
    bool coulomb = round->coulomb;
    sums s = {0};
    const quad none = {0};
    for (int i = round->groups - 1; i >= 0; i--) {
        cairn_sphere_kernel_group *g = &round->group[i];
        bodies a, b;
        quad u[3], x[3], change[3];
        prefetch(round, i - AHEAD);
        fetch_bodies(round->v, g->body[0], &a);
        fetch_bodies(round->v, g->body[1], &b);
        for (int c = 0; c < 3; c++)
            x[c] = g->x[c];
        slip(g, &a, &b, u);
        solve(g, coulomb, u, x);
        for (int c = 0; c < 3; c++) {
            change[c] = x[c] - g->x[c];
            g->x[c] = x[c];
        }
        push(g, change, &a, &b);
        store_bodies(&a, g->body[0], round->v);
        store_bodies(&b, g->body[1], round->v);
        for (int c = 0; c < 3; c++) {
            quad f = x[c] - g->old[c], size = none - f;
            raise(&size, &f);
            quad speed = g->weight * size;
            s.square += speed * size;
            raise(&s.primal, &size);
            raise(&s.dual, &speed);
        }
    }
    *out = s;
}

/* The bodies' share of the extrapolation; count is a multiple of four. */
CAIRN_CLONES static void extrapolate(int count, double beta, double keep, double *restrict v, double *restrict old,
                                     double *restrict p) {
    for (int i = 0; i < count; i += LANES) {
        quad *to = (quad *)(v + i), *from = (quad *)(old + i), *way = (quad *)(p + i);
        quad f = *to - *from, ahead = beta * *way;
        *way = ahead + keep * f;
        *from = *to = *to + ahead;
    }
}

cairn_sphere_kernel_change cairn_sphere_kernel_iterate(cairn_sphere_kernel *round, double beta, double keep) {
    cairn_sphere_kernel_change out = {0};
    sums s;
    extrapolate(BODY * (round->bodies + 1), beta, keep, round->v, round->old, round->p);
    sweep_forwards(round, beta, keep);
    sweep_backwards(round, &s);
    for (int l = 0; l < LANES; l++) {
        out.square += s.square[l];
        out.primal = fmax(out.primal, s.primal[l]);
        out.dual = fmax(out.dual, s.dual[l]);
    }
    return out;
}

CAIRN_CLONES static void refresh(cairn_sphere_kernel *round) {
    for (int i = 0; i < round->groups; i++) {
        const cairn_sphere_kernel_group *g = &round->group[i];
        bodies a, b;
        fetch_bodies(round->v, g->body[0], &a);
        fetch_bodies(round->v, g->body[1], &b);
        push(g, g->x, &a, &b);
        store_bodies(&a, g->body[0], round->v);
        store_bodies(&b, g->body[1], round->v);
    }
}

void cairn_sphere_kernel_refresh(cairn_sphere_kernel *round) {
    for (int i = 0; i < BODY * (round->bodies + 1); i++)
        round->v[i] = round->free[i];
    refresh(round);
}

/* z <- its projection onto the cone. */
CAIRN_INLINE void project(const quad *mu, quad *z) {
    const quad none = {0}, one = none + 1.0, least = none + LEAST;
    quad length = z[1] * z[1] + z[2] * z[2];
    raise(&length, &least);
    root(&length);
    quad lower = (z[0] + *mu * length) / (one + *mu * *mu);
    mask outside = length > *mu * z[0];
    choose(&outside, &lower, &z[0]);
    raise(&z[0], &none);
    quad share = *mu * z[0] / length;
    mask within = share > one;
    choose(&within, &one, &share);
    z[1] *= share;
    z[2] *= share;
}

typedef struct tested {
    quad error, impulse, slip, worst;
} tested;

CAIRN_CLONES static void test(const cairn_sphere_kernel *round, tested *out) {
    tested s = {0};
    const quad none = {0}, one = none + 1.0;
    for (int i = 0; i < round->groups; i++) {
        const cairn_sphere_kernel_group *g = &round->group[i];
        bodies a, b;
        quad u[3], z[3], under = one / g->weight, square = none, lift;
        fetch_bodies(round->v, g->body[0], &a);
        fetch_bodies(round->v, g->body[1], &b);
        slip(g, &a, &b, u);
        for (int c = 0; c < 3; c++) {
            s.slip += under * u[c] * u[c];
            s.impulse += g->weight * g->x[c] * g->x[c];
        }
        lift = u[1] * u[1] + u[2] * u[2];
        root(&lift);
        if (round->coulomb)
            u[0] += g->mu * lift;
        for (int c = 0; c < 3; c++)
            z[c] = g->x[c] - under * u[c];
        project(&g->mu, z);
        for (int c = 0; c < 3; c++)
            square += (g->x[c] - z[c]) * (g->x[c] - z[c]);
        s.error += g->weight * square;
        square *= g->weight * g->weight;
        raise(&s.worst, &square);
    }
    *out = s;
}

cairn_sphere_kernel_error cairn_sphere_kernel_test(const cairn_sphere_kernel *round, double load) {
    tested s;
    double error = 0.0, impulse = 0.0, slips = 0.0, worst = 0.0;
    test(round, &s);
    for (int l = 0; l < LANES; l++) {
        error += s.error[l];
        impulse += s.impulse[l];
        slips += s.slip[l];
        worst = fmax(worst, s.worst[l]);
    }
    double size = fmax(load, fmax(impulse, slips));
    return (cairn_sphere_kernel_error){size > 0.0 ? sqrt(error / size) : 0.0, sqrt(worst)};
}

/* x'(u + mu |u_T| n), lane by lane; without the lift under the associated law. */
CAIRN_CLONES static void sum_gap(const cairn_sphere_kernel *round, quad *out) {
    quad sum = {0};
    for (int i = 0; i < round->groups; i++) {
        const cairn_sphere_kernel_group *g = &round->group[i];
        bodies a, b;
        quad u[3], lift;
        prefetch(round, i + AHEAD);
        fetch_bodies(round->v, g->body[0], &a);
        fetch_bodies(round->v, g->body[1], &b);
        slip(g, &a, &b, u);
        lift = u[1] * u[1] + u[2] * u[2];
        root(&lift);
        if (round->coulomb)
            u[0] += g->mu * lift;
        sum += (g->x[0] * u[0] + g->x[1] * u[1]) + g->x[2] * u[2];
    }
    *out = sum;
}

/* x'N x = (v - free)'H (v - free). */
static double energy_of(const cairn_sphere_kernel *round) {
    double sum = 0.0;
    for (int i = 0; i < BODY * round->bodies; i += BODY) {
        const double *v = round->v + i, *free = round->free + i;
        double moved = 0.0, turned = 0.0;
        for (int c = 0; c < 3; c++) {
            moved += (v[c] - free[c]) * (v[c] - free[c]);
            turned += (v[4 + c] - free[4 + c]) * (v[4 + c] - free[4 + c]);
        }
        sum += moved / v[3] + turned / v[7];
    }
    return sum;
}

double cairn_sphere_kernel_resize(cairn_sphere_kernel *round, double most) {
    quad gap;
    double energy = energy_of(round);
    sum_gap(round, &gap);
    double factor = 1.0 - ((gap[0] + gap[1]) + (gap[2] + gap[3])) / energy;
    if (!(energy > 0.0) || !isfinite(factor))
        return 1.0;
    factor = fmin(most, fmax(0.0, factor));
    for (int i = 0; i < round->groups; i++)
        for (int c = 0; c < 3; c++)
            round->group[i].x[c] *= factor;
    for (int i = 0; i < BODY * round->bodies; i++)
        round->v[i] = round->free[i] + factor * (round->v[i] - round->free[i]);
    return factor;
}
