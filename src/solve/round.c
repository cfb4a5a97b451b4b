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

/* Three vectors, one for each column of D: normal, two tangents. */
typedef struct frame {
    double of[3][3];
} frame;

/* One body's part of a contact: rows of its velocity and of its spin. */
typedef struct share {
    size_t body;
    frame F, G;
} share;

static double dot(const double *a, const double *b) {
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

static void cross(const double *a, const double *b, double *out) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Parts of contact i. Returns how many bodies it has. */
static int read_shares(const cairn_problem *p, int i, share *out) {
    int width = p->body.width[i], count = p->body.touch_start[i + 1] - p->body.touch_start[i];
    const double *dense = p->body.dense + p->body.dense_start[i];
    for (int t = 0; t < count; t++) {
        out[t].body = (size_t)p->body.touch[p->body.touch_start[i] + t];
        for (int c = 0; c < 3; c++) {
            memcpy(out[t].F.of[c], dense + c * width + ROWS * t, sizeof out[t].F.of[c]);
            memcpy(out[t].G.of[c], dense + c * width + ROWS * t + 3, sizeof out[t].G.of[c]);
        }
    }
    return count;
}

/* Is f a right-handed frame (sign 1) or the negative of one (-1)? 0: neither. */
static int handed(const frame *f) {
    const double *n = f->of[0], *t = f->of[1];
    double third[3];
    cross(n, t, third);
    int sign = dot(third, f->of[2]) > 0.0 ? 1 : -1;
    double miss = fabs(dot(n, t)) + fabs(dot(n, n) - 1.0) + fabs(dot(t, t) - 1.0);
    for (int c = 0; c < 3; c++)
        miss += fabs(third[c] - sign * f->of[2][c]);
    return miss <= TOLERANCE ? sign : 0;
}

/* Q' of a body from a contact's frame F (right-handed) and the body's own G; false: there is no torque to tell it. */
static bool find_turn(const frame *F, const frame *G, double *turn) {
    double arm = -sqrt(0.5 * (dot(G->of[1], G->of[1]) + dot(G->of[2], G->of[2]))), image[3][3];
    if (!(arm < 0.0))
        return false;
    for (int c = 0; c < 3; c++) {
        image[1][c] = -G->of[2][c] / arm;
        image[2][c] = G->of[1][c] / arm;
    }
    cross(image[1], image[2], image[0]);
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++)
            turn[3 * r + c] = (image[0][r] * F->of[0][c] + image[1][r] * F->of[1][c]) + image[2][r] * F->of[2][c];
    return true;
}

/* The arm of one share, F the contact's frame; false: its torques are not those of a ball. */
static bool find_arm(const making *m, const share *s, const frame *F, double *arm) {
    const double *normal = s->G.of[0], *first = s->G.of[1], *second = s->G.of[2];
    double *turn = m->turn + 9 * s->body, image[3][3], miss = 0.0;
    if (!m->known[s->body])
        m->known[s->body] = find_turn(F, &s->G, turn);
    *arm = 0.0;
    if (!m->known[s->body])
        return dot(normal, normal) == 0.0;
    for (int k = 1; k < 3; k++)
        for (int r = 0; r < 3; r++)
            image[k][r] = dot(turn + 3 * r, F->of[k]);
    *arm = 0.5 * (dot(first, image[2]) - dot(second, image[1]));
    for (int c = 0; c < 3; c++)
        miss += fabs(normal[c]) + fabs(first[c] - *arm * image[2][c]) + fabs(second[c] + *arm * image[1][c]);
    return miss <= TOLERANCE * fabs(*arm);
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

/* Contact i into its lane; false: it is not round. v holds the masses. */
static bool fill_contact(const making *m, const double *scale, int i, int lane, const double *v, cairn_round_group *g) {
    const cairn_problem *p = m->problem;
    share s[2] = {{0}};
    frame F;
    int count = read_shares(p, i, s), sign = handed(&s[0].F);
    double normal = 0.0, tangent = 0.0;
    if (count < 1 || sign == 0)
        return false;
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++) {
            F.of[c][k] = sign * s[0].F.of[c][k];
            g->F[c][k][lane] = F.of[c][k];
            if (count == 2 && !(fabs(s[0].F.of[c][k] + s[1].F.of[c][k]) <= TOLERANCE))
                return false;
        }
    for (int t = 0; t < count; t++) {
        int side = (sign > 0) == (t == 0) ? 1 : 0; /* the first is pushed forwards if its frame is right-handed */
        const double *own = v + BODY * s[t].body;
        double arm;
        if (!find_arm(m, &s[t], &F, &arm))
            return false;
        g->body[side][lane] = BODY * (int)s[t].body;
        g->arm[side][lane] = arm;
        normal += own[3];
        tangent += own[3] + arm * arm * own[7];
    }
    for (int c = 0; c < 3; c++)
        g->b[c][lane] = p->b[p->block_start[i] + c];
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
    memset(out->group, 0, (size_t)out->groups * sizeof *out->group);
    for (int i = 0; i < out->groups; i++) {
        cairn_round_group *g = &out->group[i];
        for (int l = 0; l < LANES; l++) {
            int block = place[LANES * i + l];
            g->weight[l] = g->normal[l] = g->tangent[l] = 1.0;
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
