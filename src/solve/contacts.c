/*
 * contacts.c: a = D'v + shift, the projection onto the dual cones [AKM (27), (33)] and D y in one pass over the contacts.
 *
 *     y = x                                          where mu |x_T| <= x_N
 *       = 0                                          where |x_T| <= -mu x_N
 *       = f (mu |x_T|, x_T),  f = (mu x_N + |x_T|) / ((1 + mu^2) |x_T|)   elsewhere
 *
 * Written without 1/mu: mu = 0 gives the half space x_N >= 0. Four contacts at a time by vectors of four; D y leaves out contacts with y = 0, which
 * are those that stick. One thread, so that sums have one order. Not checked: that cairn_contacts_fit said yes.
 */
#include "contacts.h"

#include <math.h>
#include <string.h>

typedef double quad __attribute__((vector_size(32)));
typedef long long mask __attribute__((vector_size(32)));
typedef double pair __attribute__((vector_size(16)));

enum { L = CAIRN_LANES, COLUMNS = 12, BODY = 6 };

bool cairn_contacts_fit(const cairn_problem *p) {
    if (p->local || p->unsymmetric || !p->block_diagonal)
        return false;
    for (int i = 0; i < p->blocks; i++)
        if (p->block[i].set != CAIRN_SET_CONE || p->block[i].dim != 3 || p->body.rigid[i] == 0)
            return false;
    for (int j = 0; j < p->m; j++)
        if (p->C[j] != 0.0)
            return false;
    return true;
}

void cairn_contacts_layout(cairn_contacts *contacts, cairn_arena *arena, const cairn_problem *problem) {
    contacts->groups = (problem->blocks + L - 1) / L;
    contacts->rows = 3 * L * contacts->groups;
    contacts->base = cairn_arena_take(arena, (size_t)contacts->groups * 2 * L, sizeof *contacts->base);
    contacts->D = cairn_arena_take(arena, (size_t)contacts->groups * 3 * COLUMNS * L, sizeof *contacts->D);
    contacts->mu = cairn_arena_take(arena, (size_t)contacts->groups * L, sizeof *contacts->mu);
}

void cairn_contacts_friction(const cairn_problem *p, cairn_contacts *contacts) {
    for (int i = 0; i < p->blocks; i++)
        contacts->mu[i] = p->block[i].mu;
}

void cairn_contacts_fill(const cairn_problem *p, cairn_contacts *contacts) {
    for (int i = 0; i < contacts->groups * L; i++) {
        int *base = contacts->base + i / L * 2 * L + i % L;
        double *D = contacts->D + (size_t)(i / L) * 3 * COLUMNS * L + i % L;
        base[0] = base[L] = p->n;
        if (i >= p->blocks)
            continue;
        const int *touch = p->body.touch + p->body.touch_start[i];
        const double *dense = p->body.dense + p->body.dense_start[i];
        int width = BODY * p->body.rigid[i];
        base[0] = p->body_start[touch[0]];
        if (p->body.rigid[i] == 2)
            base[L] = p->body_start[touch[1]];
        for (int r = 0; r < 3; r++)
            for (int c = 0; c < width; c++)
                D[(r * COLUMNS + c) * L] = dense[r * width + c];
    }
}

void cairn_contacts_to_lanes(const cairn_problem *p, const double *x, double *lanes) {
    for (int i = 0; i < p->blocks; i++)
        for (int r = 0; r < 3; r++)
            lanes[(i / L * 3 + r) * L + i % L] = x[3 * i + r];
}

void cairn_contacts_from_lanes(const cairn_problem *p, const double *lanes, double *x) {
    for (int i = 0; i < p->blocks; i++)
        for (int r = 0; r < 3; r++)
            x[3 * i + r] = lanes[(i / L * 3 + r) * L + i % L];
}

#define PICK(m, a, b) ((quad)(((m) & (mask)(a)) | (~(m) & (mask)(b))))

static inline double sum_lanes(const quad *x) {
    return ((*x)[0] + (*x)[1]) + ((*x)[2] + (*x)[3]);
}

/* image += D_i y_i of contact i, y given by its three numbers. */
static inline void add_contact(const cairn_problem *p, int i, double y0, double y1, double y2, double *image) {
    const double *E = p->body.dense + p->body.dense_start[i];
    const int *touch = p->body.touch + p->body.touch_start[i];
    int bodies = p->body.rigid[i], width = BODY * bodies;
    for (int t = 0; t < bodies; t++, E += BODY) {
        double *to = image + p->body_start[touch[t]];
        quad e0, e1, e2, s4;
        pair f0, f1, f2, s2;
        memcpy(&e0, E, sizeof e0);
        memcpy(&e1, E + width, sizeof e1);
        memcpy(&e2, E + 2 * width, sizeof e2);
        memcpy(&s4, to, sizeof s4);
        memcpy(&f0, E + 4, sizeof f0);
        memcpy(&f1, E + width + 4, sizeof f1);
        memcpy(&f2, E + 2 * width + 4, sizeof f2);
        memcpy(&s2, to + 4, sizeof s2);
        s4 += e0 * y0 + e1 * y1 + e2 * y2;
        s2 += f0 * y0 + f1 * y1 + f2 * y2;
        memcpy(to, &s4, sizeof s4);
        memcpy(to + 4, &s2, sizeof s2);
    }
}

/* a (three quads) += D'v of one group. */
static inline void slip_group(const double *D, const int *base, const double *v, quad *a) {
    const double *v0 = v + base[0], *v1 = v + base[1], *v2 = v + base[2], *v3 = v + base[3];
    for (int side = 0; side < 2; side++) {
        for (int c = 0; c < BODY; c++, D += L) {
            quad t = {v0[c], v1[c], v2[c], v3[c]}, d0, d1, d2;
            memcpy(&d0, D, sizeof d0);
            memcpy(&d1, D + COLUMNS * L, sizeof d1);
            memcpy(&d2, D + 2 * COLUMNS * L, sizeof d2);
            a[0] += d0 * t;
            a[1] += d1 * t;
            a[2] += d2 * t;
        }
        v0 = v + base[L];
        v1 = v + base[L + 1];
        v2 = v + base[L + 2];
        v3 = v + base[L + 3];
    }
}

/* y = projection of x onto the dual cones of one group. */
static inline void project_group(const quad *friction, const quad *x, quad *y) {
    quad mu = *friction;
    quad square = x[1] * x[1] + x[2] * x[2];
    quad length = {sqrt(square[0]), sqrt(square[1]), sqrt(square[2]), sqrt(square[3])};
    mask inside = mu * length <= x[0], polar = length <= -mu * x[0];
    quad one = {1.0, 1.0, 1.0, 1.0}, zero = {0.0, 0.0, 0.0, 0.0};
    quad f = (mu * x[0] + length) / ((one + mu * mu) * length), normal = mu * length * f;
    f = PICK(inside, one, PICK(polar, zero, f));
    y[0] = PICK(inside, x[0], PICK(polar, zero, normal));
    y[1] = x[1] * f;
    y[2] = x[2] * f;
}

/* What cairn_contacts_sweep reads and writes. */
typedef struct sweep_task {
    const cairn_problem *problem;
    const cairn_contacts *contacts;
    const double *v, *shift, *yh, *zh;
    double *a, *y, *z, *image;
} sweep_task;

CAIRN_CLONES static void sweep(const sweep_task *task, cairn_contact_sums *sums) {
    const cairn_problem *p = task->problem;
    const cairn_contacts *contacts = task->contacts;
    double *image = task->image;
    quad sum_r = {0.0}, sum_x = {0.0}, sum_y = {0.0}, sum_e = {0.0};
    memset(image, 0, ((size_t)p->n + BODY) * sizeof *image);
    for (int g = 0; g < contacts->groups; g++) {
        size_t at = (size_t)g * 3 * L;
        quad s[3], h[3], k[3], u[3], x[3], w[3], mu;
        memcpy(s, task->shift + at, sizeof s);
        memcpy(h, task->zh + at, sizeof h);
        memcpy(k, task->yh + at, sizeof k);
        memcpy(&mu, contacts->mu + g * L, sizeof mu);
        memcpy(u, s, sizeof u);
        slip_group(contacts->D + (size_t)g * 3 * COLUMNS * L, contacts->base + g * 2 * L, task->v, u);
        for (int r = 0; r < 3; r++)
            x[r] = u[r] + h[r];
        project_group(&mu, x, w);
        for (int r = 0; r < 3; r++) {
            quad miss = u[r] - w[r], bare = u[r] - s[r], move = w[r] - k[r];
            sum_r += miss * miss; /* z - z^ is a - y too */
            sum_x += bare * bare;
            sum_y += w[r] * w[r];
            sum_e += move * move;
            x[r] -= w[r];
        }
        memcpy(task->a + at, u, sizeof u);
        memcpy(task->y + at, w, sizeof w);
        memcpy(task->z + at, x, sizeof x);
        for (int l = 0; l < L; l++)
            if (w[0][l] != 0.0 || w[1][l] != 0.0 || w[2][l] != 0.0)
                add_contact(p, g * L + l, w[0][l], w[1][l], w[2][l], image);
    }
    *sums = (cairn_contact_sums){.r = sum_lanes(&sum_r), .x = sum_lanes(&sum_x), .y = sum_lanes(&sum_y)};
    sums->e = sum_lanes(&sum_e) + sums->r;
}

cairn_contact_sums cairn_contacts_sweep(const cairn_problem *p, const cairn_contacts *contacts, const double *v,
                                        const double *shift, const double *yh, const double *zh, double *a, double *y,
                                        double *z, double *image) {
    sweep_task task = {p, contacts, v, shift, yh, zh, a, y, z, image};
    cairn_contact_sums sums;
    sweep(&task, &sums);
    return sums;
}

CAIRN_CLONES static void impulse(const cairn_problem *p, const double *x, double *image) {
    memset(image, 0, ((size_t)p->n + BODY) * sizeof *image);
    for (int i = 0; i < p->blocks; i++) {
        const double *at = x + i / L * 3 * L + i % L;
        add_contact(p, i, at[0], at[L], at[2 * L], image);
    }
}

void cairn_contacts_impulse(const cairn_problem *p, const double *x, double *image) {
    impulse(p, x, image);
}
