/*
 * round.c: contacts between balls: arms along the normal, one moment of inertia a body.
 *
 *     H = diag(m I, J I) a body;   D of the body pushed forwards   [ F ; Q'(arm * (0, t2, -t1)) ],   the other   [ -F ; likewise ]
 *
 * F = (n, t1, t2) is the frame of the contact, Q' takes world axes to the body's. Spin in world axes, w_world = Q w, makes Q vanish from the sweeps: a
 * contact is its frame and two arms, 17 numbers instead of 52 [theory 1]. Q' is found from the first contact of a body,
 * (Q'n, Q't1, Q't2) F', and every other contact must agree with it up to TOLERANCE; so must F be orthogonal, D have no torque of the normal, and H be
 * as above. Otherwise the contacts are not round and packed.c does the work. A body that is pushed along a right-handed frame is the one
 * that F pushes forwards, whatever the problem calls its normal.
 */
#include "round.h"

#include <math.h>
#include <string.h>

#define BODY      CAIRN_PACKED_BODY
#define ROWS      6
#define LANES     CAIRN_PACKED_LANES
#define LINE      CAIRN_PACKED_LINE
#define TOLERANCE 1e-12

typedef struct making {
    const cairn_problem *problem;
    cairn_operator *op;
    double *turn; /* nine numbers a body: Q' row by row */
    bool *known;  /* a body: turn is there */
} making;

typedef struct vec {
    double x, y, z;
} vec;

/* Three vectors, one for each column of D: normal, two tangents. */
typedef struct frame {
    vec n, s, t;
} frame;

static inline vec read(const double *x) {
    return (vec){x[0], x[1], x[2]};
}

static inline double dot(vec a, vec b) {
    return (a.x * b.x + a.y * b.y) + a.z * b.z;
}

static inline vec cross(vec a, vec b) {
    return (vec){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static inline vec scale_of(double f, vec a) {
    return (vec){f * a.x, f * a.y, f * a.z};
}

/* |a - f b| in the sum of its components. */
static inline double miss_of(vec a, double f, vec b) {
    return (fabs(a.x - f * b.x) + fabs(a.y - f * b.y)) + fabs(a.z - f * b.z);
}

/* Rows of a body's velocity (or of its spin, from there on) in one block, width apart. */
static inline frame read_frame(const double *rows, int width) {
    return (frame){read(rows), read(rows + width), read(rows + 2 * width)};
}

/* Is f a right-handed frame (sign 1) or the negative of one (-1)? 0: neither. */
static int handed(const frame *f) {
    vec third = cross(f->n, f->s);
    int sign = dot(third, f->t) > 0.0 ? 1 : -1;
    double miss = fabs(dot(f->n, f->s)) + fabs(dot(f->n, f->n) - 1.0) + fabs(dot(f->s, f->s) - 1.0);
    return miss + miss_of(third, sign, f->t) <= TOLERANCE ? sign : 0;
}

/* a times component i of F's columns, added up: a row of Q'. */
static inline void put_row(double n, double s, double t, const frame *F, double *row) {
    row[0] = (n * F->n.x + s * F->s.x) + t * F->t.x;
    row[1] = (n * F->n.y + s * F->s.y) + t * F->t.y;
    row[2] = (n * F->n.z + s * F->s.z) + t * F->t.z;
}

/* Q' of a body from a contact's frame F (right-handed) and the body's own G; false: there is no torque to tell it. */
static bool find_turn(const frame *F, const frame *G, double *turn) {
    double arm = -sqrt(0.5 * (dot(G->s, G->s) + dot(G->t, G->t)));
    if (!(arm < 0.0))
        return false;
    vec s = scale_of(-1.0 / arm, G->t), t = scale_of(1.0 / arm, G->s), n = cross(s, t);
    put_row(n.x, s.x, t.x, F, turn);
    put_row(n.y, s.y, t.y, F, turn + 3);
    put_row(n.z, s.z, t.z, F, turn + 6);
    return true;
}

/* The arm of a body's part G of a contact, F the contact's frame; false: its torques are not those of a ball. */
static bool find_arm(const making *m, int body, const frame *G, const frame *F, double *arm) {
    double *turn = m->turn + 9 * (size_t)body;
    if (!m->known[body])
        m->known[body] = find_turn(F, G, turn);
    *arm = 0.0;
    if (!m->known[body])
        return dot(G->n, G->n) == 0.0;
    vec first = read(turn), second = read(turn + 3), third = read(turn + 6);
    vec s = {dot(first, F->s), dot(second, F->s), dot(third, F->s)};
    vec t = {dot(first, F->t), dot(second, F->t), dot(third, F->t)};
    *arm = 0.5 * (dot(G->s, t) - dot(G->t, s));
    double miss = (fabs(G->n.x) + fabs(G->n.y)) + fabs(G->n.z);
    return miss + miss_of(G->s, *arm, t) + miss_of(G->t, -*arm, s) <= TOLERANCE * fabs(*arm);
}

/* 1/m and 1/J of a body; false: it is not a ball. */
static bool find_masses(const double *inverse, double *mass, double *inertia) {
    *mass = inverse[0];
    *inertia = inverse[ROWS * 3 + 3];
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < ROWS; c++) {
            double expected = r != c ? 0.0 : r < 3 ? *mass : *inertia;
            if (!(fabs(inverse[ROWS * r + c] - expected) <= TOLERANCE * expected))
                return false;
        }
    return *mass > 0.0 && *inertia > 0.0;
}

static inline void put_column(const vec *a, int lane, cairn_quad *column) {
    column[0][lane] = a->x;
    column[1][lane] = a->y;
    column[2][lane] = a->z;
}

/* Contact i into its lane; false: it is not round. v holds the masses. */
static bool fill_contact(const making *m, const double *scale, int i, int lane, const double *v, cairn_round_group *g) {
    const cairn_problem *p = m->problem;
    int width = p->body.width[i], count = p->body.touch_start[i + 1] - p->body.touch_start[i];
    const double *dense = p->body.dense + p->body.dense_start[i], *b = p->b + p->block_start[i];
    const int *touch = p->body.touch + p->body.touch_start[i];
    if (count < 1)
        return false;
    frame F = read_frame(dense, width);
    int sign = handed(&F);
    if (sign == 0)
        return false;
    if (count == 2) { /* the other is pushed the other way */
        frame other = read_frame(dense + ROWS, width);
        if (!(miss_of(other.n, -1.0, F.n) + miss_of(other.s, -1.0, F.s) + miss_of(other.t, -1.0, F.t) <= TOLERANCE))
            return false;
    }
    F = (frame){scale_of(sign, F.n), scale_of(sign, F.s), scale_of(sign, F.t)};
    put_column(&F.n, lane, g->F[0]);
    put_column(&F.s, lane, g->F[1]);
    put_column(&F.t, lane, g->F[2]);
    double normal = 0.0, tangent = 0.0;
    for (int t = 0; t < count; t++) {
        int side = (sign > 0) == (t == 0) ? 1 : 0; /* the first is pushed forwards if its frame is right-handed */
        const double *own = v + BODY * (size_t)touch[t];
        frame G = read_frame(dense + ROWS * t + 3, width);
        double arm;
        if (!find_arm(m, touch[t], &G, &F, &arm))
            return false;
        g->body[side][lane] = BODY * touch[t];
        g->arm[side][lane] = arm;
        normal += own[3];
        tangent += own[3] + arm * arm * own[7];
    }
    g->b[0][lane] = b[0];
    g->b[1][lane] = b[1];
    g->b[2][lane] = b[2];
    g->mu[lane] = p->block[i].mu;
    g->weight[lane] = scale[i];
    g->normal[lane] = 1.0 / normal;
    g->tangent[lane] = 1.0 / tangent;
    return true;
}

/* Masses into the free motion; false: a body is not a ball. */
static bool fill_masses(const making *m, double *free) {
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
        const double *k = p->k + p->body_start[body], *turn = m->turn + 9 * body;
        for (int c = 0; c < 3; c++) {
            own[c] = own[3] * k[c];
            own[4 + c] = m->known[body] ? own[7] * ((turn[c] * k[3] + turn[3 + c] * k[4]) + turn[6 + c] * k[5]) : 0.0;
        }
    }
}

/* False: some contact is not round. */
static bool fill(const making *m, const int *place, cairn_round *out) {
    const cairn_problem *p = m->problem;
    const double *scale = cairn_operator_scale(m->op);
    if (!fill_masses(m, out->free))
        return false;
    for (int i = 0; i < out->groups; i++) {
        cairn_round_group *g = &out->group[i];
        const int *in = place + LANES * i;
        if (in[0] < 0 || in[1] < 0 || in[2] < 0 || in[3] < 0)
            memset(g, 0, sizeof *g);
        for (int l = 0; l < LANES; l++) {
            int block = in[l];
            g->weight[l] = g->normal[l] = g->tangent[l] = 1.0;
            g->arm[0][l] = g->arm[1][l] = 0.0;
            g->body[0][l] = g->body[1][l] = BODY * p->bodies;
            out->row[LANES * i + l] = block < 0 ? -1 : p->block_start[block];
            if (block >= 0 && !fill_contact(m, scale, block, l, out->free, g))
                return false;
        }
    }
    fill_free(m, out->free);
    return true;
}

/* One piece of memory for all; size_t sums cannot overflow where the problem itself fits. */
static bool take(cairn_context *context, cairn_round *out) {
    size_t state = BODY * ((size_t)out->bodies + 1), groups = (size_t)out->groups;
    size_t bytes = LINE + groups * sizeof *out->group + 4 * state * sizeof *out->v + LANES * groups * sizeof *out->row;
    out->memory = cairn_alloc_raw(context, bytes, 1);
    if (out->memory == NULL)
        return false;
    out->group = (cairn_round_group *)(((uintptr_t)out->memory + LINE - 1) / LINE * LINE);
    out->v = (double *)(out->group + groups);
    out->old = out->v + state;
    out->p = out->old + state;
    out->free = out->p + state;
    out->row = (int *)(out->free + state);
    memset(out->v, 0, 4 * state * sizeof *out->v);
    return true;
}

cairn_status cairn_round_create(const cairn_run *run, int groups, const int *place, cairn_round *out) {
    const cairn_problem *p = run->problem;
    size_t bodies = (size_t)p->bodies;
    cairn_round made = {.groups = groups, .bodies = p->bodies, .coulomb = p->law == CAIRN_LAW_COULOMB};
    making m = {p, run->op, cairn_alloc_raw(run->context, 9 * bodies, sizeof *m.turn),
                cairn_alloc(run->context, bodies, sizeof *m.known)};
    bool enough = m.turn != NULL && m.known != NULL && take(run->context, &made);
    if (enough && fill(&m, place, &made))
        *out = made;
    else {
        cairn_round_free(run->context, &made);
        *out = made;
    }
    cairn_free(run->context, m.turn);
    cairn_free(run->context, m.known);
    return enough ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

void cairn_round_free(cairn_context *context, cairn_round *round) {
    cairn_free(context, round->memory);
    *round = (cairn_round){0};
}

void cairn_round_put(cairn_round *round, const double *gamma) {
    size_t state = BODY * ((size_t)round->bodies + 1) * sizeof *round->v;
    for (int i = 0; i < round->groups; i++) {
        cairn_round_group *g = &round->group[i];
        for (int c = 0; c < 3; c++) {
            for (int l = 0; l < LANES; l++) {
                int row = round->row[LANES * i + l];
                g->x[c][l] = gamma != NULL && row >= 0 ? gamma[row + c] : 0.0;
            }
            g->old[c] = g->x[c];
            g->p[c] = (cairn_quad){0};
        }
    }
    cairn_round_refresh(round);
    memcpy(round->old, round->v, state);
    memset(round->p, 0, state);
}

void cairn_round_get(const cairn_round *round, double *gamma) {
    for (int i = 0; i < round->groups; i++)
        for (int l = 0; l < LANES; l++) {
            int row = round->row[LANES * i + l];
            for (int c = 0; c < 3 && row >= 0; c++)
                gamma[row + c] = round->group[i].x[c][l];
        }
}
