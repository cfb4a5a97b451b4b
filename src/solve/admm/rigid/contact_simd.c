/*
 * contact_simd.c: a = D'v + shift, the projection onto the dual cones [AKM (27), (33)] and D y in
 * one pass over the contacts.
 *
 *     y = x                                          where mu |x_T| <= x_N
 *       = 0                                          where |x_T| <= -mu x_N
 *       = f (mu |x_T|, x_T),  f = (mu x_N + |x_T|) / ((1 + mu^2) |x_T|)   elsewhere
 *
 * Written without 1/mu: mu = 0 gives the half space x_N >= 0. Four contacts at a time by vectors of
 * four. D y leaves out groups with y = 0, which are those that stick. One thread, so that sums have
 * one order. Not checked: that cairn_contact_simd_fit said yes.
 */
#include "solve/admm/rigid/contact_simd_kernel.h"

#include <math.h>
#include <string.h>

bool cairn_contact_simd_fit(const cairn_problem *p) {
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

/* Groups of a class: whole ones, and one more for two or three contacts left over. One left over
 * goes to a mixed group. */
static int class_groups(int count) {
    return count / L + (count % L > 1 ? 1 : 0);
}

/* Does contact i push its two bodies by opposite forces? */
static bool is_opposed(const cairn_problem *p, int i) {
    const double *D = p->body.dense + p->body.dense_start[i];
    for (int r = 0; r < 3 && p->body.rigid[i] == 2; r++)
        for (int c = 0; c < 3; c++)
            if (D[r * COLUMNS + c] != -D[r * COLUMNS + BODY + c])
                return false;
    return p->body.rigid[i] == 2;
}

static bool all_opposed(const cairn_problem *p, int count, const int *block) {
    for (int j = 0; j < count; j++)
        if (!is_opposed(p, block[j]))
            return false;
    return true;
}

static void count_groups(const cairn_problem *p, const cairn_kkt *kkt, cairn_contact_simd *contacts) {
    const int *start, *block;
    int classes = cairn_kkt_classes(kkt, &start, &block), single = 0;
    contacts->opposed = contacts->uniform = 0;
    for (int c = 0; c < classes; c++) {
        int count = start[c + 1] - start[c];
        contacts->uniform += class_groups(count);
        if (all_opposed(p, count, block + start[c]))
            contacts->opposed += class_groups(count);
        single += count % L == 1;
    }
    contacts->groups = contacts->uniform + (single + L - 1) / L;
}

void cairn_contact_simd_layout(cairn_contact_simd *contacts, cairn_arena *arena, const cairn_problem *problem,
                               const cairn_kkt *kkt) {
    count_groups(problem, kkt, contacts);
    size_t groups = (size_t)contacts->groups;
    contacts->rows = 3 * L * contacts->groups;
    contacts->place = cairn_arena_take(arena, (size_t)problem->blocks, sizeof *contacts->place);
    contacts->contact = cairn_arena_take(arena, groups * L, sizeof *contacts->contact);
    contacts->base = cairn_arena_take(arena, groups * 2 * L, sizeof *contacts->base);
    contacts->D = cairn_arena_take(arena, groups * 3 * COLUMNS * L, sizeof *contacts->D);
    contacts->mu = cairn_arena_take(arena, groups * L, sizeof *contacts->mu);
}

void cairn_contact_simd_friction(const cairn_problem *p, cairn_contact_simd *contacts) {
    for (int g = 0; g < contacts->groups * L; g++)
        contacts->mu[g] = contacts->contact[g] < 0 ? 0.0 : p->block[contacts->contact[g]].mu;
}

static void put(cairn_contact_simd *contacts, int group, int lane, int contact) {
    contacts->contact[group * L + lane] = contact;
    contacts->place[contact] = group * 3 * L + lane;
}

/* Which contact is where. */
static void deal(const cairn_problem *p, const cairn_kkt *kkt, cairn_contact_simd *contacts) {
    const int *start, *block;
    int classes = cairn_kkt_classes(kkt, &start, &block), next[2] = {contacts->opposed, 0}, single = 0;
    for (int i = 0; i < contacts->groups * L; i++)
        contacts->contact[i] = -1;
    for (int c = 0; c < classes; c++) {
        int count = start[c + 1] - start[c], together = count % L == 1 ? count - 1 : count;
        int *group = &next[all_opposed(p, count, block + start[c])];
        for (int t = 0; t < together; t++)
            put(contacts, *group + t / L, t % L, block[start[c] + t]);
        if (together < count) {
            put(contacts, contacts->uniform + single / L, single % L, block[start[c] + together]);
            single++;
        }
        *group += class_groups(count);
    }
}

void cairn_contact_simd_fill(const cairn_problem *p, const cairn_kkt *kkt, cairn_contact_simd *contacts) {
    deal(p, kkt, contacts);
    for (int l = 0; l < contacts->groups * L; l++) {
        int *base = contacts->base + l / L * 2 * L + l % L, i = contacts->contact[l];
        double *D = contacts->D + (size_t)(l / L) * 3 * COLUMNS * L + l % L;
        base[0] = base[L] = p->n;
        for (int e = 0; e < 3 * COLUMNS; e++)
            D[e * L] = 0.0;
        if (i < 0)
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

void cairn_contact_simd_to_lanes(const cairn_problem *p, const cairn_contact_simd *contacts, const double *x,
                                 double *lanes) {
    for (int i = 0; i < p->blocks; i++)
        for (int r = 0; r < 3; r++)
            lanes[contacts->place[i] + r * L] = x[3 * i + r];
}

void cairn_contact_simd_from_lanes(const cairn_problem *p, const cairn_contact_simd *contacts, const double *lanes,
                                   double *x) {
    for (int i = 0; i < p->blocks; i++)
        for (int r = 0; r < 3; r++)
            x[3 * i + r] = lanes[contacts->place[i] + r * L];
}

#define EACH  ((mask){1, 1, 1, 1})
#define COUNT 256 /* more than there are lanes */

/* y = projection of x onto the dual cones of one group. False: y = 0. Roots and quotients are
 * only taken where a contact slides. */
CAIRN_INLINE bool project_group(const quad *friction, const quad *x, quad *y) {
    const quad one = ALL(1.0), zero = ALL(0.0);
    quad mu = *friction, square = x[1] * x[1] + x[2] * x[2], reach = mu * x[0];
    mask polar = (x[0] <= zero) & (square <= reach * reach);
    mask inside = (x[0] >= zero) & (mu * mu * square <= x[0] * x[0]) & ~polar;
    mask count = (polar & EACH) | (inside & (EACH * COUNT));
    long long counts = (count[0] + count[1]) + (count[2] + count[3]);
    if (counts % COUNT + counts / COUNT < L) {
        quad length = {sqrt(square[0]), sqrt(square[1]), sqrt(square[2]), sqrt(square[3])};
        quad f = (reach + length) / ((one + mu * mu) * length), normal = mu * length * f;
        f = PICK(inside, one, PICK(polar, zero, f));
        y[0] = PICK(inside, x[0], PICK(polar, zero, normal));
        y[1] = x[1] * f;
        y[2] = x[2] * f;
        return true;
    }
    for (int r = 0; r < 3; r++)
        y[r] = PICK(inside, x[r], zero);
    return counts >= COUNT;
}

/* Sums in lanes. */
typedef struct lane_sums {
    quad r, x, y, e;
} lane_sums;

/* The part of a step between D'v, which is in u, and D y. g: the group. False: y = 0. */
CAIRN_INLINE bool step_group(const cairn_contact_step *step, int g, const double *friction, const quad *bare,
                             lane_sums *sums) {
    const quad mu = LOAD(friction), momentum = ALL(step->momentum);
    const double *y = AT(step->y, g), *z = AT(step->z, g), *shift = AT(step->shift, g);
    double *yn = AT(step->yn, g), *zn = AT(step->zn, g);
    quad k[3], h[3], u[3], x[3], w[3];
    for (int r = 0; r < 3; r++) {
        k[r] = LOAD(y + r * L) + momentum * (LOAD(y + r * L) - LOAD(yn + r * L));
        h[r] = LOAD(z + r * L) + momentum * (LOAD(z + r * L) - LOAD(zn + r * L));
        u[r] = bare[r] + LOAD(shift + r * L);
        x[r] = u[r] + h[r];
        sums->x += bare[r] * bare[r];
    }
    bool some = project_group(&mu, x, w);
    for (int r = 0; r < 3; r++) {
        quad miss = u[r] - w[r], move = w[r] - k[r];
        sums->r += miss * miss; /* z - z^ is a - y too */
        sums->y += w[r] * w[r];
        sums->e += move * move;
        STORE(yn + r * L, w[r]);
        STORE(zn + r * L, x[r] - w[r]);
    }
    for (int r = 0; step->a != NULL && r < 3; r++) {
        STORE(AT(step->a, g) + r * L, u[r]);
        STORE(AT(step->yh, g) + r * L, k[r]);
        STORE(AT(step->zh, g) + r * L, h[r]);
    }
    return some;
}

/* A few groups at a time, each of the three parts over all of them: short loops let the
 * processor work on several groups at once. */
CAIRN_CLONES static void sweep(const cairn_problem *p, const cairn_contact_simd *list, const cairn_contact_step *given,
                               cairn_contact_sums *out) {
    const cairn_contact_simd contacts = *list;
    const cairn_contact_step step = *given;
    lane_sums sums = {{0.0}, {0.0}, {0.0}, {0.0}};
    memset(step.image, 0, ((size_t)p->n + BODY) * sizeof *step.image);
    for (int begin = 0, end; begin < contacts.groups; begin = end) {
        quad u[BATCH][3];
        bool some[BATCH];
        end = batch_end(&contacts, begin);
        if (begin < contacts.opposed)
            for (int g = begin; g < end; g++)
                pull_group(MATRIX(&contacts, g), BASE(&contacts, g), true, step.v, u[g - begin]);
        else if (begin < contacts.uniform)
            for (int g = begin; g < end; g++)
                pull_group(MATRIX(&contacts, g), BASE(&contacts, g), false, step.v, u[g - begin]);
        else
            for (int g = begin; g < end; g++)
                pull_mixed(MATRIX(&contacts, g), BASE(&contacts, g), step.v, u[g - begin]);
        for (int g = begin; g < end; g++)
            some[g - begin] = step_group(&step, g, contacts.mu + g * L, u[g - begin], &sums);
        push_groups(&contacts, begin, end, some, step.yn, step.image);
    }
    *out = (cairn_contact_sums){.r = sum_lanes(&sums.r), .x = sum_lanes(&sums.x), .y = sum_lanes(&sums.y)};
    out->e = sum_lanes(&sums.e) + out->r;
}

cairn_contact_sums cairn_contact_simd_sweep(const cairn_problem *p, const cairn_contact_simd *contacts,
                                            const cairn_contact_step *step) {
    cairn_contact_sums sums;
    sweep(p, contacts, step, &sums);
    return sums;
}

CAIRN_CLONES static void impulse(const cairn_problem *p, const cairn_contact_simd *contacts, const double *x,
                                 double *image) {
    memset(image, 0, ((size_t)p->n + BODY) * sizeof *image);
    push_groups(contacts, 0, contacts->groups, NULL, x, image);
}

void cairn_contact_simd_impulse(const cairn_problem *p, const cairn_contact_simd *contacts, const double *x,
                                double *image) {
    impulse(p, contacts, x, image);
}
