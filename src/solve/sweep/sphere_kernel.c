/*
 * sphere_kernel.c: contacts between balls: arms along the normal, one moment of inertia per body.
 *
 *     H = diag(m I, J I) per body
 *     D of the body pushed forwards: [ F ; Q'(arm * (0, t2, -t1)) ], of the other: [ -F ; likewise ]
 *
 * F = (n, t1, t2) is the frame of the contact, Q' takes world axes to the body's. Spin in world
 * axes, w_world = Q w, makes Q vanish from the sweeps: a contact is its frame and two arms, 17
 * numbers instead of 52 [theory 1]. Q' is found from the first contact of a body, (Q'n, Q't1, Q't2)
 * F', and every other contact must agree with it up to TOLERANCE; so must F be orthogonal, D have
 * no torque of the normal, and H be as above. Otherwise the contacts are not round and
 * contact_kernel.c does the work. A body that is pushed along a right-handed frame is the one that
 * F pushes forwards, whatever the problem calls its normal.
 */
#include "solve/sweep/sphere_kernel.h"

#include <math.h>
#include <string.h>

#define BODY      CAIRN_CONTACT_KERNEL_BODY
#define ROWS      6
#define LANES     CAIRN_CONTACT_KERNEL_LANES
#define LINE      CAIRN_CONTACT_KERNEL_LINE
#define TOLERANCE 1e-12

#define TURN 10 /* numbers of a body's Q', row by row, and one that is nothing */

typedef cairn_quad quad;
typedef cairn_quad_mask mask;
typedef double pair __attribute__((vector_size(16)));

typedef struct making {
    const cairn_problem *problem;
    cairn_operator *op;
    double *turn; /* TURN numbers per body: Q', zero until a contact has given it */
    bool *known;  /* a body: turn is there */
} making;

/* A vector of each of four contacts, and three of them, one for each column of D: normal, two
 * tangents. */
typedef struct vec {
    quad x, y, z;
} vec;

typedef struct frame {
    vec n, s, t;
} frame;

CAIRN_INLINE pair load(const double *x) {
    pair out;
    memcpy(&out, x, sizeof out);
    return out;
}

/* `count` numbers of four places, an even count, side by side. */
CAIRN_INLINE void gather(const double *const *at, int count, quad *out) {
    for (int c = 0; c < count; c += 2) {
        quad even = __builtin_shufflevector(load(at[0] + c), load(at[2] + c), 0, 1, 2, 3);
        quad odd = __builtin_shufflevector(load(at[1] + c), load(at[3] + c), 0, 1, 2, 3);
        out[c] = __builtin_shufflevector(even, odd, 0, 4, 2, 6);
        out[c + 1] = __builtin_shufflevector(even, odd, 1, 5, 3, 7);
    }
}

CAIRN_INLINE void dot(const vec *a, const vec *b, quad *out) {
    *out = (a->x * b->x + a->y * b->y) + a->z * b->z;
}

CAIRN_INLINE void cross(const vec *a, const vec *b, vec *out) {
    out->x = a->y * b->z - a->z * b->y;
    out->y = a->z * b->x - a->x * b->z;
    out->z = a->x * b->y - a->y * b->x;
}

CAIRN_INLINE void scale_by(const quad *f, vec *a) {
    a->x *= *f;
    a->y *= *f;
    a->z *= *f;
}

CAIRN_INLINE void choose(const mask *which, const quad *yes, quad *no) {
    *no = (quad)(((mask)*yes & *which) | ((mask)*no & ~*which));
}

CAIRN_INLINE void size_of(quad *x) {
    *x = (quad)((mask)*x & INT64_MAX);
}

/* sum += |a - f b| in the sum of its components. */
CAIRN_INLINE void add_miss(const vec *a, const quad *f, const vec *b, quad *sum) {
    quad x = a->x - *f * b->x, y = a->y - *f * b->y, z = a->z - *f * b->z;
    size_of(&x);
    size_of(&y);
    size_of(&z);
    *sum += (x + y) + z;
}

/* Is F a right-handed frame (*sign 1) or the negative of one (-1)? *miss: how far it is from
 * that. */
CAIRN_INLINE void find_hand(const frame *F, quad *sign, quad *miss) {
    const quad none = {0}, one = none + 1.0, minus = none - 1.0;
    vec third;
    quad lean, n, s, along;
    cross(&F->n, &F->s, &third);
    dot(&third, &F->t, &along);
    mask left = along <= none;
    *sign = one;
    choose(&left, &minus, sign);
    dot(&F->n, &F->s, &lean);
    dot(&F->n, &F->n, &n);
    dot(&F->s, &F->s, &s);
    n -= one;
    s -= one;
    size_of(&lean);
    size_of(&n);
    size_of(&s);
    *miss = (lean + n) + s;
    add_miss(&third, sign, &F->t, miss);
}

/* Q' of a body from lane l of a contact's frame F (right-handed) and the body's own G; false:
 * there is no torque to tell it. Q' = (n, s, t) F' with t = G_s/arm, s = -G_t/arm, n = s x t. */
static bool find_turn(const frame *F, const frame *G, int l, double *turn) {
    double sx = G->s.x[l], sy = G->s.y[l], sz = G->s.z[l], tx = G->t.x[l], ty = G->t.y[l], tz = G->t.z[l];
    double arm = -sqrt(0.5 * (((sx * sx + sy * sy) + sz * sz) + ((tx * tx + ty * ty) + tz * tz)));
    if (!(arm < 0.0))
        return false;
    double s[3] = {-1.0 / arm * tx, -1.0 / arm * ty, -1.0 / arm * tz};
    double t[3] = {1.0 / arm * sx, 1.0 / arm * sy, 1.0 / arm * sz};
    double n[3] = {s[1] * t[2] - s[2] * t[1], s[2] * t[0] - s[0] * t[2], s[0] * t[1] - s[1] * t[0]};
    for (int i = 0; i < 3; i++) {
        turn[3 * i] = (n[i] * F->n.x[l] + s[i] * F->s.x[l]) + t[i] * F->t.x[l];
        turn[3 * i + 1] = (n[i] * F->n.y[l] + s[i] * F->s.y[l]) + t[i] * F->t.y[l];
        turn[3 * i + 2] = (n[i] * F->n.z[l] + s[i] * F->s.z[l]) + t[i] * F->t.z[l];
    }
    return true;
}

/* Arms of four bodies with parts G of the contacts, F the contacts' frames, turn their Q'. good:
 * cleared where torques are not those of a ball. A body without Q' has none. */
CAIRN_INLINE void find_arms(const double *const *turn, const frame *G, const frame *F, quad *arm, mask *good) {
    const quad none = {0};
    quad Q[TURN], a, b, miss = none, most;
    gather(turn, TURN, Q);
    const vec row[3] = {{Q[0], Q[1], Q[2]}, {Q[3], Q[4], Q[5]}, {Q[6], Q[7], Q[8]}};
    vec s, t;
    dot(&row[0], &F->s, &s.x);
    dot(&row[1], &F->s, &s.y);
    dot(&row[2], &F->s, &s.z);
    dot(&row[0], &F->t, &t.x);
    dot(&row[1], &F->t, &t.y);
    dot(&row[2], &F->t, &t.z);
    dot(&G->s, &t, &a);
    dot(&G->t, &s, &b);
    *arm = 0.5 * (a - b);
    most = *arm;
    size_of(&most);
    quad back = none - *arm;
    add_miss(&G->n, &none, &G->n, &miss);
    add_miss(&G->s, arm, &t, &miss);
    add_miss(&G->t, &back, &s, &miss);
    *good &= miss <= TOLERANCE * most;
}

/* 1/m and 1/J of a body; false: it is not a ball. */
CAIRN_INLINE bool find_masses(const double *inverse, double *mass, double *inertia) {
    mask some = {0};
    *mass = inverse[0];
    *inertia = inverse[ROWS * 3 + 3];
    for (int e = 0; e < ROWS * ROWS; e += LANES) {
        quad four;
        memcpy(&four, inverse + e, sizeof four);
        some -= four != (quad){0};
    }
    if ((some[0] + some[1]) + (some[2] + some[3]) != ROWS || !(*mass > 0.0) || !(*inertia > 0.0))
        return false;
    for (int r = 0; r < ROWS; r++) { /* as many as are not zero */
        double expected = r < 3 ? *mass : *inertia;
        if (!(fabs(inverse[(ROWS + 1) * r] - expected) <= TOLERANCE * expected))
            return false;
    }
    return true;
}

/* Masses into the free motion; false: a body is not a ball. */
CAIRN_CLONES static bool fill_masses(const making *m, double *free) {
    const cairn_problem *p = m->problem;
    for (int body = 0; body < p->bodies; body++) {
        double *own = free + BODY * (size_t)body;
        if (p->body_start[body + 1] - p->body_start[body] != ROWS ||
            !find_masses(cairn_operator_body_inverse(m->op, body), &own[3], &own[7]))
            return false;
    }
    return true;
}

/* Velocities of the free motion, spins in world axes. */
static void fill_free(const making *m, double *free) {
    const cairn_problem *p = m->problem;
    for (int body = 0; body < p->bodies; body++) {
        double *own = free + BODY * (size_t)body;
        const double *k = p->k + p->body_start[body], *turn = m->turn + TURN * body;
        for (int c = 0; c < 3; c++) {
            own[c] = own[3] * k[c];
            own[4 + c] = m->known[body] ? own[7] * ((turn[c] * k[3] + turn[3 + c] * k[4]) + turn[6 + c] * k[5]) : 0.0;
        }
    }
}

static const double nothing[2 * ROWS];

/* Four contacts of a group, as the problem has them. */
typedef struct four {
    frame own[2],
        /* of the first body and of the second, whose numbers are zero when it is not there: F
         * and G of sphere_kernel.c's head */
        turned[2];
    int body[2][LANES]; /* -1: none */
    mask there, two;    /* contacts, and those that have two bodies */
} four;

CAIRN_INLINE void read_four(const cairn_problem *p, const int *in, four *out) {
    const double *first[LANES], *second[LANES];
    int width[2][LANES];
    quad E[2][3][ROWS];
    out->there = out->two = (mask){0};
    for (int l = 0; l < LANES; l++) {
        int i = in[l], count = i < 0 ? 0 : p->body.touch_start[i + 1] - p->body.touch_start[i];
        const int *touch = p->body.touch + (i < 0 ? 0 : p->body.touch_start[i]);
        first[l] = i < 0 ? nothing : p->body.dense + p->body.dense_start[i];
        second[l] = count < 2 ? nothing : first[l] + ROWS;
        width[0][l] = i < 0 ? 0 : p->body.width[i];
        width[1][l] = count < 2 ? 0 : p->body.width[i];
        out->body[0][l] = count < 1 ? -1 : touch[0];
        out->body[1][l] = count < 2 ? -1 : touch[1];
        out->there[l] = i < 0 ? 0 : -1;
        out->two[l] = count < 2 ? 0 : -1;
    }
    for (int r = 0; r < 3; r++) {
        gather(first, ROWS, E[0][r]);
        gather(second, ROWS, E[1][r]);
        for (int l = 0; l < LANES; l++) {
            first[l] += width[0][l];
            second[l] += width[1][l];
        }
    }
    for (int k = 0; k < 2; k++) {
        out->own[k] = (frame){{E[k][0][0], E[k][0][1], E[k][0][2]},
                              {E[k][1][0], E[k][1][1], E[k][1][2]},
                              {E[k][2][0], E[k][2][1], E[k][2][2]}};
        out->turned[k] = (frame){{E[k][0][3], E[k][0][4], E[k][0][5]},
                                 {E[k][1][3], E[k][1][4], E[k][1][5]},
                                 {E[k][2][3], E[k][2][4], E[k][2][5]}};
    }
}

/* Fills what belongs to single contacts: b, mu, weight, rows and bodies. right: frames that are
 * right-handed. */
static void fill_lanes(const making *m, const double *scale, const int *in, const four *c, const mask *right,
                       cairn_sphere_kernel_group *g, int *row) {
    const cairn_problem *p = m->problem;
    for (int l = 0; l < LANES; l++) {
        int i = in[l], at = i < 0 ? -1 : p->block_start[i];
        int side = (*right)[l] != 0 ? 1 : 0; /* the first is pushed forwards if its frame is right-handed */
        row[l] = at;
        for (int r = 0; r < 3; r++)
            g->b[r][l] = i < 0 ? 0.0 : p->b[at + r];
        g->mu[l] = i < 0 ? 0.0 : p->block[i].mu;
        g->weight[l] = i < 0 ? 1.0 : scale[i];
        g->body[side][l] = BODY * (c->body[0][l] < 0 ? p->bodies : c->body[0][l]);
        g->body[1 - side][l] = BODY * (c->body[1][l] < 0 ? p->bodies : c->body[1][l]);
    }
}

/* One group; false: a contact is not round. v holds the masses, zero for the body that is none. */
CAIRN_INLINE bool fill_group(const making *m, const double *scale, const int *in, const double *v,
                             cairn_sphere_kernel_group *g, int *row) {
    const quad none = {0}, one = none + 1.0, minus = none - 1.0;
    const double *turn[2][LANES];
    four c;
    read_four(m->problem, in, &c);
    frame F = c.own[0];
    quad sign, miss, apart = none, arm[2];
    find_hand(&F, &sign, &miss);
    mask good = miss <= none + TOLERANCE, right = sign > none;
    add_miss(&c.own[1].n, &minus, &F.n, &apart); /* the other is pushed the other way */
    add_miss(&c.own[1].s, &minus, &F.s, &apart);
    add_miss(&c.own[1].t, &minus, &F.t, &apart);
    good &= (apart <= none + TOLERANCE) | ~c.two;
    scale_by(&sign, &F.n);
    scale_by(&sign, &F.s);
    scale_by(&sign, &F.t);
    for (int k = 0; k < 2; k++) {
        for (int l = 0; l < LANES; l++) {
            int body = c.body[k][l];
            turn[k][l] = body < 0 ? nothing : m->turn + TURN * (size_t)body;
            if (body >= 0 && !m->known[body])
                m->known[body] = find_turn(&F, &c.turned[k], l, m->turn + TURN * (size_t)body);
        }
        find_arms(turn[k], &c.turned[k], &F, &arm[k], &good);
    }
    g->F[0][0] = F.n.x, g->F[0][1] = F.n.y, g->F[0][2] = F.n.z;
    g->F[1][0] = F.s.x, g->F[1][1] = F.s.y, g->F[1][2] = F.s.z;
    g->F[2][0] = F.t.x, g->F[2][1] = F.t.y, g->F[2][2] = F.t.z;
    g->arm[0] = arm[0];
    g->arm[1] = arm[1];
    choose(&right, &arm[0], &g->arm[1]);
    choose(&right, &arm[1], &g->arm[0]);
    fill_lanes(m, scale, in, &c, &right, g, row);
    quad mass[2], inertia[2];
    for (int k = 0; k < 2; k++) {
        const double *at[LANES];
        quad last[2]; /* of the velocity and of the spin: what follows them is asked for */
        for (int l = 0; l < LANES; l++)
            at[l] = v + BODY * (c.body[k][l] < 0 ? m->problem->bodies : c.body[k][l]) + 2;
        gather(at, 2, last);
        mass[k] = last[1];
        for (int l = 0; l < LANES; l++)
            at[l] += 4;
        gather(at, 2, last);
        inertia[k] = last[1];
    }
    quad normal = mass[0] + mass[1];
    quad tangent = (mass[0] + arm[0] * arm[0] * inertia[0]) + (mass[1] + arm[1] * arm[1] * inertia[1]);
    g->normal = g->tangent = one;
    normal = one / normal;
    tangent = one / tangent;
    choose(&c.there, &normal, &g->normal);
    choose(&c.there, &tangent, &g->tangent);
    good |= ~c.there;
    bool pushed = true;
    for (int l = 0; l < LANES; l++)
        pushed = pushed && (in[l] < 0 || c.body[0][l] >= 0);
    return pushed && (good[0] & good[1] & good[2] & good[3]) != 0;
}

CAIRN_CLONES static bool fill_groups(const making *m, const int *place, cairn_sphere_kernel *out) {
    const double *scale = cairn_operator_scale(m->op);
    for (int i = 0; i < out->groups; i++)
        if (!fill_group(m, scale, place + LANES * i, out->free, &out->group[i], out->row + LANES * i))
            return false;
    return true;
}

/* False: some contact is not round. */
static bool fill(const making *m, const int *place, cairn_sphere_kernel *out) {
    if (!fill_masses(m, out->free) || !fill_groups(m, place, out))
        return false;
    fill_free(m, out->free);
    return true;
}

/* One piece of memory for all; size_t sums cannot overflow where the problem itself fits. */
static bool take(cairn_context *context, cairn_sphere_kernel *out) {
    size_t state = BODY * ((size_t)out->bodies + 1), groups = (size_t)out->groups;
    size_t bytes = LINE + groups * sizeof *out->group + 4 * state * sizeof *out->v + LANES * groups * sizeof *out->row;
    out->memory = cairn_alloc_raw(context, bytes, 1);
    if (out->memory == NULL)
        return false;
    out->group = (cairn_sphere_kernel_group *)(((uintptr_t)out->memory + LINE - 1) / LINE * LINE);
    out->v = (double *)(out->group + groups);
    out->old = out->v + state;
    out->p = out->old + state;
    out->free = out->p + state;
    out->row = (int *)(out->free + state);
    memset(out->free + state - BODY, 0, BODY * sizeof *out->free); /* the body that is none; all others are written */
    return true;
}

cairn_status cairn_sphere_kernel_create(const cairn_run *run, int groups, const int *place, cairn_sphere_kernel *out) {
    const cairn_problem *p = run->problem;
    size_t bodies = (size_t)p->bodies;
    cairn_sphere_kernel made = {.groups = groups, .bodies = p->bodies, .coulomb = p->law == CAIRN_LAW_COULOMB};
    making m = {p, run->op, cairn_alloc(run->context, TURN * bodies, sizeof *m.turn),
                cairn_alloc(run->context, bodies, sizeof *m.known)};
    bool enough = m.turn != NULL && m.known != NULL && take(run->context, &made);
    if (enough && fill(&m, place, &made))
        *out = made;
    else {
        cairn_sphere_kernel_free(run->context, &made);
        *out = made;
    }
    cairn_free(run->context, m.turn);
    cairn_free(run->context, m.known);
    return enough ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

void cairn_sphere_kernel_free(cairn_context *context, cairn_sphere_kernel *round) {
    cairn_free(context, round->memory);
    *round = (cairn_sphere_kernel){0};
}

void cairn_sphere_kernel_put(cairn_sphere_kernel *round, const double *gamma) {
    size_t state = BODY * ((size_t)round->bodies + 1) * sizeof *round->v;
    for (int i = 0; i < round->groups; i++) {
        cairn_sphere_kernel_group *g = &round->group[i];
        for (int c = 0; c < 3; c++) {
            for (int l = 0; l < LANES; l++) {
                int row = round->row[LANES * i + l];
                g->x[c][l] = gamma != NULL && row >= 0 ? gamma[row + c] : 0.0;
            }
            g->old[c] = g->x[c];
            g->p[c] = (cairn_quad){0};
        }
    }
    cairn_sphere_kernel_refresh(round);
    memcpy(round->old, round->v, state);
    memset(round->p, 0, state);
}

void cairn_sphere_kernel_get(const cairn_sphere_kernel *round, double *gamma) {
    for (int i = 0; i < round->groups; i++)
        for (int l = 0; l < LANES; l++) {
            int row = round->row[LANES * i + l];
            for (int c = 0; c < 3 && row >= 0; c++)
                gamma[row + c] = round->group[i].x[c][l];
        }
}
