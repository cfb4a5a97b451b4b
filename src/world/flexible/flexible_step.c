/*
 * flexible_step.c: flexible parts in the stages of a step.
 *
 *     held nodes: v = (home + motion(t + h) - x)/h, so that they are where they shall be when the step ends
 *     H and k about the motion that goes on; k anew about the velocities that the forces and the impulses of the last step give (docs/flexible.md)
 *     x + h v
 *
 * Before anything is solved a part is thought to fall freely: that decides which contacts are in the first problem.
 */
#include "world/flexible/flexible.h"

#include <math.h>

#include <string.h>

static cairn_flex *in_use(const cairn_world *w, int i) {
    return w->slot[i].generation % 2 == 1 ? w->slot[i].flex : NULL;
}

int cairn_slot_rows(const cairn_world *w, int slot) {
    return w->slot[slot].flex != NULL ? 3 * w->slot[slot].flex->part->vectors : 6;
}

int cairn_slot_groups(const cairn_world *w, int slot) {
    return w->slot[slot].flex != NULL ? w->slot[slot].flex->part->vectors : 1;
}

cairn_vec3 cairn_spread_of(const cairn_spread *s, const double *field) {
    cairn_vec3 sum = {0, 0, 0};
    for (int k = 0; k < s->count; k++) {
        const double *x = field + 3 * s->vector[k];
        sum = cairn_vec3_add_scaled(sum, s->weight[k], cairn_vec3_of(x[0], x[1], x[2]));
    }
    return sum;
}

static void begin(const cairn_world *w, cairn_flex *f) {
    cairn_fem_part *p = f->part;
    double h = w->h;
    const double fall[3] = {h * w->def.gravity.x, h * w->def.gravity.y, h * w->def.gravity.z};
    for (int i = 0; i < p->vectors; i++) {
        for (int c = 0; c < 3; c++) {
            int at = 3 * i + c, hold = f->hold_of[at];
            double way = hold >= 0 ? f->hold[hold].way[c] : 0.0;
            p->held_v[at] = (f->home[at] + way - p->x[at]) / h;
            f->end_v[at] = cairn_flex_held(f, i, c) ? p->held_v[at] : p->v[at] + (p->lumped[i] > 0.0 ? fall[c] : 0.0);
        }
    }
    f->solved = false;
}

void cairn_flex_begin(cairn_world *w) {
    for (int i = 1; i < w->slots && w->flexibles > 0; i++)
        if (in_use(w, i) != NULL)
            begin(w, w->slot[i].flex);
}

void cairn_flex_write(cairn_world *w) {
    for (int i = 1; i < w->slots && w->flexibles > 0; i++) {
        cairn_flex *f = in_use(w, i);
        if (f == NULL)
            continue;
        cairn_fem_part_write(f->part, w->h, w->def.gravity, f->H, f->k);
        if (f->yield != NULL) {
            cairn_fem_yield_write(f->yield, w->h);
            cairn_fem_yield_harden(f->yield, f->H, f->k);
        }
        f->solved = f->aimed = false;
    }
    if (w->flexibles > 0)
        cairn_flex_roll(w);
}

double cairn_flex_turn(const cairn_world *w) {
    double most = 0.0;
    for (int i = 1; i < w->slots && w->flexibles > 0; i++)
        if (in_use(w, i) != NULL)
            most = fmax(most, in_use(w, i)->part->turn);
    return most;
}

void cairn_flex_aim(const cairn_world *w, cairn_context *context, cairn_flex *f, const double *v) {
    const double *to = v != NULL ? v : f->first;
    f->aimed = v != NULL || f->first_aimed;
    if (f->aimed)
        memcpy(f->aim, to, 3 * (size_t)f->part->vectors * sizeof *to);
    cairn_fem_part_aim(f->part, context, w->h, f->aimed ? f->aim : NULL, f->k);
    if (f->yield == NULL)
        return;
    cairn_fem_yield_aim(f->yield, w->h, f->aimed ? f->aim : NULL);
    cairn_fem_yield_harden(f->yield, NULL, f->k);
}

static size_t stress_size(const cairn_flex *f) {
    return 6 * (size_t)f->part->view.elements * sizeof(double);
}

void cairn_flex_apply(cairn_world *w) {
    for (int i = 1; i < w->slots && w->flexibles > 0; i++) {
        cairn_flex *f = in_use(w, i);
        if (f == NULL)
            continue;
        f->heat = cairn_fem_part_apply(f->part, w->h, f->aimed ? f->aim : NULL, f->end_v);
        if (f->yield != NULL) /* what flows is not braced: it would flow more slowly */
            memset(f->part->stress, 0, stress_size(f));
    }
}

void cairn_flex_move(cairn_world *w) {
    for (int i = 1; i < w->slots && w->flexibles > 0; i++) {
        cairn_flex *f = in_use(w, i);
        if (f == NULL)
            continue;
        cairn_fem_part *p = f->part;
        for (int k = 0; k < 3 * p->vectors; k++) {
            f->last_v[k] = p->v[k];
            p->v[k] = f->end_v[k];
            p->x[k] += w->h * p->v[k];
        }
        if (f->yield != NULL)
            cairn_fem_yield_take(f->yield, w->h, f->yield->gamma, f->yield->u);
        w->rigid[i].last_v = w->rigid[i].v;
        cairn_flex_mirror(w, i);
    }
}

static void copy(double *to, const double *from, int vectors) {
    memcpy(to, from, 3 * (size_t)vectors * sizeof *to);
}

/* Remembers what a part that flows has gone through, or puts it back. */
static void exchange_yield(cairn_flex *f, bool keep) {
    size_t elements = (size_t)f->part->view.elements, stress = CAIRN_FEM_YIELD_ROWS * elements * sizeof(double);
    memcpy(keep ? f->before_flow : f->yield->stress, keep ? f->yield->stress : f->before_flow, stress);
    memcpy(keep ? f->before_plastic : f->yield->plastic, keep ? f->yield->plastic : f->before_plastic,
           elements * sizeof(double));
}

void cairn_flex_keep(cairn_world *w) {
    for (int i = 1; i < w->slots && w->flexibles > 0; i++) {
        cairn_flex *f = in_use(w, i);
        if (f == NULL)
            continue;
        copy(f->before_x, f->part->x, f->part->vectors);
        copy(f->before_v, f->part->v, f->part->vectors);
        copy(f->before_last, f->last_v, f->part->vectors);
        memcpy(f->before_stress, f->part->stress, stress_size(f));
        if (f->yield != NULL)
            exchange_yield(f, true);
    }
}

void cairn_flex_put_back(cairn_world *w) {
    for (int i = 1; i < w->slots && w->flexibles > 0; i++) {
        cairn_flex *f = in_use(w, i);
        if (f == NULL)
            continue;
        copy(f->part->x, f->before_x, f->part->vectors);
        copy(f->part->v, f->before_v, f->part->vectors);
        copy(f->last_v, f->before_last, f->part->vectors);
        memcpy(f->part->stress, f->before_stress, stress_size(f));
        if (f->yield != NULL)
            exchange_yield(f, false);
    }
}

void cairn_flex_drop_loads(cairn_world *w) {
    for (int i = 1; i < w->slots && w->flexibles > 0; i++)
        if (in_use(w, i) != NULL)
            memset(w->slot[i].flex->part->load, 0, 3 * (size_t)w->slot[i].flex->part->vectors * sizeof(double));
}

void cairn_flex_energy(const cairn_world *w, cairn_energy *energy) {
    for (int i = 1; i < w->slots && w->flexibles > 0; i++) {
        const cairn_flex *f = in_use(w, i);
        if (f == NULL)
            continue;
        energy->kinetic += cairn_fem_part_kinetic(f->part);
        energy->potential += cairn_fem_part_potential(f->part, w->def.gravity);
        energy->elastic += cairn_fem_part_elastic(f->part, f->part->x);
        if (f->yield != NULL)
            energy->elastic += cairn_fem_yield_energy(f->yield);
    }
}

double cairn_flex_speed(const cairn_flex *f) {
    double most = 0.0;
    const double *field[2] = {f->part->v, f->end_v};
    for (int i = 0; i < f->part->vectors; i++)
        for (int k = 0; k < 2 && f->part->lumped[i] > 0.0; k++) {
            const double *v = field[k] + 3 * i;
            most = fmax(most, v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
        }
    return sqrt(most);
}

double cairn_flex_unrest(const cairn_flex *f, const cairn_spread *at) {
    return cairn_vec3_length(cairn_vec3_sub(cairn_spread_of(at, f->part->v), cairn_spread_of(at, f->last_v)));
}

double cairn_flex_inverse(const cairn_flex *f, const cairn_spread *at) {
    const cairn_fem_part *p = f->part;
    double sum = 0.0;
    for (int k = 0; k < at->count; k++)
        for (int c = 0; c < 3; c++) {
            int row = 3 * at->vector[k] + c, e = p->H_start[row];
            while (p->H_row[e] != row)
                e++;
            sum += cairn_flex_held(f, at->vector[k], c) ? 0.0 : at->weight[k] * at->weight[k] / f->H[e];
        }
    return sum;
}
