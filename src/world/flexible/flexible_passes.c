/*
 * flexible_passes.c: solves of an island with flexible parts after the first one [docs/flexible.md, theory].
 *
 * H and D stay, k is written about the velocities that came out. Then H v - k - D gamma is what is out of balance with the stresses of the strains themselves: solves repeat until
 * it is small. It is told in m/s as the certificate tells momentum: by the inverse of each vector's own block of H.
 */
#include "world/island/assemble.h"
#include "world/flexible/flexible.h"

#include <math.h>
#include <string.h>

#define BALANCE 0.25 /* of the velocity tolerance: what Newton's iterations may leave, */
#define GROWTH  2.0  /* and how far beyond the least so far it may come on the way */
#define CREATED \
    0.01 /* of the energies that are there and change hands: what a step may create, which is second order in the angle of a step, */
#define ROUNDING 1e-9 /* and of stored energy */
enum { MENDS = 6 };   /* solves that may follow where it creates more, */
#define RUNAWAY 100.0 /* unless they create so many times what one of them did */

cairn_status cairn_island_aim(const cairn_world *w, cairn_lane *lane, const cairn_island *island, cairn_builder *s,
                              const double *v) {
    int row = island->m;
    for (int i = 0; i < island->bodies; i++)
        row -= cairn_slot_own_rows(w, island->body[i]);
    for (int i = 0; i < island->bodies; i++) {
        int slot = island->body[i], rows = cairn_slot_own_rows(w, slot);
        cairn_flex *f = w->slot[slot].flex;
        if (f == NULL)
            continue;
        cairn_flex_aim(w, lane->context, f, v != NULL ? v + w->number[slot] : NULL);
        memcpy(s->k + w->number[slot], f->k, 3 * (size_t)f->part->vectors * sizeof *f->k);
        if (rows > 0)
            memcpy(s->b + row, f->yield->b, (size_t)rows * sizeof *s->b);
        row += rows;
    }
    return cairn_problem_set_vectors(island->problem, s->k, s->b);
}

/* Solves the block of three of H at vector i for r. */
static cairn_vec3 own_velocity(const cairn_flex *f, int i, const double r[3]) {
    const cairn_fem_part *p = f->part;
    cairn_mat3 B;
    for (int c = 0; c < 3; c++) {
        int e = p->H_start[3 * i + c];
        while (p->H_row[e] < 3 * i)
            e++;
        for (int k = 0; k < 3; k++)
            B.m[k][c] = f->H[e + k];
    }
    return cairn_mat3_solve(&B, cairn_vec3_of(r[0], r[1], r[2]));
}

cairn_balance cairn_island_balance(const cairn_world *w, const cairn_island *island, const cairn_builder *s,
                                   const double *v, const double *gamma, double *r) {
    cairn_balance left = {0};
    for (int j = 0; j < s->n; j++)
        r[j] = -s->k[j];
    for (int j = 0; j < s->n; j++)
        for (int e = s->H_start[j]; e < s->H_start[j + 1]; e++)
            r[s->H_row[e]] += s->H_value[e] * v[j];
    for (int j = 0; j < s->m; j++)
        for (int e = s->D_start[j]; e < s->D_start[j + 1]; e++)
            r[s->D_row[e]] -= s->D_value[e] * gamma[j];
    for (int i = 0; i < island->bodies; i++) {
        const cairn_flex *f = w->slot[island->body[i]].flex;
        const double *own = r + w->number[island->body[i]];
        for (int k = 0; f != NULL && k < f->part->vectors; k++) {
            double free[3];
            for (int c = 0; c < 3; c++) {
                free[c] = cairn_flex_held(f, k, c) ? 0.0 : own[3 * k + c];
                left.force = fmax(left.force, fabs(free[c]) / w->h);
            }
            left.velocity = fmax(left.velocity, cairn_vec3_length(own_velocity(f, k, free)));
        }
    }
    return left;
}

/* Can the parts flow? What flows takes energy by rows of the problem. */
static bool flows(const cairn_world *w, const cairn_island *island) {
    for (int i = 0; i < island->bodies; i++)
        if (cairn_slot_own_rows(w, island->body[i]) > 0)
            return true;
    return false;
}

/* Is an island with flexible parts solved twice though Newton's method is not asked for? Where joints alone act that costs no factorisation. */
static bool goes_twice(const cairn_world *w, const cairn_island *island) {
    return !flows(w, island) && island->m > 0 && island->touches == 0;
}

/* Newton's method: solves until the parts are in balance with the strains of the answer. room: n. The island is unbalanced where that does not end. */
static cairn_status iterate(const cairn_world *w, cairn_lane *lane, cairn_island *island, cairn_builder *s,
                            cairn_answer *answer, double *room) {
    double limit = BALANCE * w->def.tolerance_velocity, least = INFINITY;
    cairn_status status = CAIRN_OK;
    for (int solves = 1; status == CAIRN_OK; solves++) {
        status = cairn_island_aim(w, lane, island, s, answer->v);
        if (status != CAIRN_OK)
            return status;
        cairn_balance left = cairn_island_balance(w, island, s, answer->v, answer->gamma, room);
        island->unbalance = left.velocity;
        island->unbalanced = !(left.velocity <= limit && left.force <= w->def.tolerance_force);
        if (!island->unbalanced || solves >= w->def.newton || !(left.velocity <= GROWTH * least))
            return CAIRN_OK;
        least = fmin(least, left.velocity);
        status = cairn_island_solve_about(w, lane, island, answer);
    }
    return status;
}

/* Solves of an island with flexible parts after the first one. Where Newton's method does not end the answer of the first solve stands, which cannot be far off in energy; about: the velocities that it is about, NULL: those of note_first. room: 2 (n + m). */
static cairn_status balance(const cairn_world *w, cairn_lane *lane, cairn_island *island, cairn_builder *s,
                            cairn_answer *answer, const double *about, double *room) {
    size_t n = (size_t)island->n, m = (size_t)island->m;
    if (w->def.newton < 2) {
        cairn_status status = cairn_island_aim(w, lane, island, s, answer->v);
        return status == CAIRN_OK ? cairn_island_solve_about(w, lane, island, answer) : status;
    }
    double *v = room + n, *gamma = v + n, *u = gamma + m;
    memcpy(v, answer->v, n * sizeof *v);
    memcpy(gamma, answer->gamma, m * sizeof *gamma);
    memcpy(u, answer->u, m * sizeof *u);
    cairn_certificate first = island->info.certificate;
    cairn_status status = iterate(w, lane, island, s, answer, room);
    island->info.certificate.error += island->unbalance;
    if (status == CAIRN_OK && island->unbalanced) {
        *answer = (cairn_answer){.v = v, .gamma = gamma, .u = u};
        island->info.certificate = first;
        status = cairn_island_aim(w, lane, island, s, about);
    }
    return status;
}

/* Energy that the parts have from nothing by velocities v, of those that have more of it than a step may create. */
static double created(const cairn_world *w, cairn_lane *lane, const cairn_island *island, const double *v) {
    double sum = 0.0, g = w->h * cairn_vec3_length(w->def.gravity);
    for (int i = 0; i < island->bodies; i++) {
        const cairn_flex *f = w->slot[island->body[i]].flex;
        if (f == NULL)
            continue;
        cairn_fem_gain gain = cairn_fem_part_gain(f->part, lane->context, w->h, v + w->number[island->body[i]]);
        double allowed = CREATED * (gain.kinetic + gain.work + f->part->mass * g * g) + ROUNDING * gain.elastic;
        sum += gain.created <= allowed ? 0.0 : gain.created;
    }
    return sum;
}

/* An answer, and the velocities that k was written about for it; NULL: those of the first answer. */
typedef struct kept_answer {
    const double *about;
    double *v, *gamma, *u;
    double created;
    cairn_certificate certificate;
} kept_answer;

static void keep(kept_answer *kept, const cairn_island *island, const cairn_answer *answer) {
    size_t n = (size_t)island->n * sizeof(double), m = (size_t)island->m * sizeof(double);
    memcpy(kept->v, answer->v, n);
    memcpy(kept->gamma, answer->gamma, m);
    memcpy(kept->u, answer->u, m);
    kept->created = island->created;
    kept->certificate = island->info.certificate;
}

/* Where a hit or a hold ends the motion that was predicted, the strains of the prediction are far from those of the answer, and parts may gain energy. Then k is written about rest,
 * where stresses are those of now, and about each answer that this gives, until nothing is gained or ever more is; the answer with least stands. about: what it is about. room: 3 n + 2 m. */
static cairn_status mend(const cairn_world *w, cairn_lane *lane, cairn_island *island, cairn_builder *s,
                         cairn_answer *answer, const double **about, double *room) {
    size_t n = (size_t)island->n, m = (size_t)island->m;
    double *aim = room, *best_aim = room + n;
    kept_answer best = {.about = *about, .v = room + 2 * n, .gamma = room + 3 * n, .u = room + 3 * n + m};
    cairn_status status = CAIRN_OK;
    keep(&best, island, answer);
    memset(aim, 0, n * sizeof *aim);
    for (int t = 0; t < MENDS && island->created > 0.0 && island->created < RUNAWAY * best.created; t++) {
        if (t > 0)
            memcpy(aim, answer->v, n * sizeof *aim);
        status = cairn_island_aim(w, lane, island, s, aim);
        if (status == CAIRN_OK && flows(w, island)) { /* what flowed by the last answer may not by this one */
            status = cairn_island_try_flow(w, lane, island, s, 0);
            *answer = (cairn_answer){.v = s->v, .gamma = s->guess, .u = answer->u};
        }
        if (status == CAIRN_OK)
            status = cairn_island_solve_about(w, lane, island, answer);
        if (status != CAIRN_OK)
            return status;
        island->created = created(w, lane, island, answer->v);
        if (island->created < best.created) {
            keep(&best, island, answer);
            memcpy(best_aim, aim, n * sizeof *aim);
            best.about = best_aim;
        }
    }
    *about = best.about;
    if (island->created <= best.created)
        return CAIRN_OK;
    *answer = (cairn_answer){.v = best.v, .gamma = best.gamma, .u = best.u};
    island->created = best.created;
    island->info.certificate = best.certificate;
    return cairn_island_aim(w, lane, island, s, best.about);
}

/* What the answer that is there is about. */
static void note_first(const cairn_world *w, const cairn_island *island) {
    for (int i = 0; i < island->bodies; i++) {
        cairn_flex *f = w->slot[island->body[i]].flex;
        if (f == NULL)
            continue;
        f->first_aimed = f->aimed;
        memcpy(f->first, f->aim, 3 * (size_t)f->part->vectors * sizeof *f->aim);
    }
}

cairn_status cairn_island_refine(const cairn_world *w, cairn_lane *lane, cairn_island *island, cairn_builder *s,
                                 cairn_answer *answer, double **room) {
    size_t n = (size_t)island->n, m = (size_t)island->m;
    bool newton = w->def.newton > 1 && !flows(w, island), twice = !newton && goes_twice(w, island);
    cairn_status status = CAIRN_OK;
    island->created = created(w, lane, island, answer->v);
    if (!newton && !twice && !(island->created > 0.0))
        return CAIRN_OK;
    *room = cairn_alloc(lane->context, 5 * n + 4 * m, sizeof **room);
    if (*room == NULL)
        return CAIRN_ERROR_MEMORY;
    const double *about = NULL;
    note_first(w, island);
    if (island->created > 0.0)
        status = mend(w, lane, island, s, answer, &about, *room);
    if (status != CAIRN_OK || (!newton && !twice))
        return status;
    status = balance(w, lane, island, s, answer, about, *room + 3 * n + 2 * m);
    if (status == CAIRN_OK && !island->unbalanced)
        island->created = created(w, lane, island, answer->v);
    return status;
}
