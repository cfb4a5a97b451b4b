/*
 * prescribed_bodies.c: bodies whose motion joints decide.
 *
 * Six rigid rows of one joint between a body and others whose motion is given (fixed, driven, or known by this rule before) say how the body moves, whatever pushes it:
 *
 *     A v + c = 0,   A (6 x 6) its part of the rows, c their bias and what the other end does
 *
 * Contacts with such a body are like contacts with a driven one: v enters their b, and what they touch is an island without the mechanism. Their impulses are loads of the mechanism,
 *
 *     k += D gamma,
 *
 * which change reactions alone. So mechanisms with held bodies are solved after the islands that lean on them: a driven robot takes one factorisation, however many boxes it pushes. A mechanism's
 * answer meets its rows within its certificate; what it differs from v counts as an error of the velocities of those that lean on it, and where that is much, all is solved as one.
 *
 * A body is left in its mechanism's problem where it touches something that cannot be pushed, another held body, or a body of a mechanism with held bodies: islands.c.
 */
#include "world/flexible/flexible.h"

#include <math.h>
#include <string.h>

#define PIVOT  1e-5 /* of the largest: below, the six rows do not decide the motion well enough */
#define ASTRAY 0.1  /* of tolerance_velocity: how far the mechanism's answer may be from what was said here */

/* Where the motion of an end is in the rows of its joint. */
static const double *part_of(const cairn_joint_row *row, bool of_b) {
    return of_b ? row->b : row->a;
}

static bool is_given(const cairn_world *w, int slot) {
    return slot == 0 || w->slot[slot].kind != CAIRN_BODY_DYNAMIC || w->held[slot].known;
}

void cairn_given_velocity(const cairn_world *w, int slot, double *v) {
    const cairn_rigid *r = &w->rigid[slot];
    const double driven[6] = {r->v.x, r->v.y, r->v.z, r->w.x, r->w.y, r->w.z};
    if (!w->held[slot].known) {
        memcpy(v, driven, sizeof driven);
        return;
    }
    memcpy(v, w->held[slot].v, sizeof driven);
    v[3] += w->drift[slot].x;
    v[4] += w->drift[slot].y;
    v[5] += w->drift[slot].z;
}

/* The first six rigid rows of a joint; false: it has fewer. */
static bool six_rows(const cairn_joint_rows *rows, const cairn_joint_row **row) {
    int found = 0, at = 0;
    for (int i = 0; i < rows->blocks; i++)
        for (int k = 0; k < rows->block[i].dim; k++, at++)
            if (rows->block[i].set == CAIRN_SET_BILATERAL && rows->row[at].C == 0.0 && found < 6)
                row[found++] = &rows->row[at];
    return found == 6;
}

static void swap(double *a, double *b) {
    double t = *a;
    *a = *b;
    *b = t;
}

/* Largest entry of what is left to eliminate. */
static double find_pivot(double A[6][7], int k, int *row, int *column) {
    double most = 0.0;
    for (int i = k; i < 6; i++)
        for (int j = k; j < 6; j++)
            if (fabs(A[i][j]) > most) {
                most = fabs(A[i][j]);
                *row = i;
                *column = j;
            }
    return most;
}

/* A x = A[.][6], by elimination with the largest pivots. false: A is singular, or nearly so, or not finite. */
static bool solve_six(double A[6][7], double *x) {
    int order[6] = {0, 1, 2, 3, 4, 5};
    double y[6], first = 0.0;
    for (int k = 0; k < 6; k++) {
        int row = k, column = k;
        double pivot = find_pivot(A, k, &row, &column);
        first = k == 0 ? pivot : first;
        if (!(pivot > PIVOT * first) || !isfinite(pivot))
            return false;
        for (int j = 0; j < 7; j++)
            swap(&A[k][j], &A[row][j]);
        for (int i = 0; i < 6; i++)
            swap(&A[i][k], &A[i][column]);
        int t = order[k];
        order[k] = order[column];
        order[column] = t;
        for (int i = k + 1; i < 6; i++) {
            double factor = A[i][k] / A[k][k];
            for (int j = k + 1; j < 7; j++)
                A[i][j] -= factor * A[k][j];
        }
    }
    for (int k = 5; k >= 0; k--) {
        double sum = A[k][6];
        for (int j = k + 1; j < 6; j++)
            sum -= A[k][j] * y[j];
        y[k] = sum / A[k][k];
    }
    bool finite = true;
    for (int k = 0; k < 6; k++) {
        x[order[k]] = y[k];
        finite = finite && isfinite(y[k]);
    }
    return finite;
}

/* What the rows of joint j make of the body at its end b (of_b), or a. Rows and turns are measured so that a turn counts with the body's size. */
static bool decide(cairn_world *w, const cairn_joint_slot *j, bool of_b) {
    int slot = of_b ? j->data.b : j->data.a, other = of_b ? j->data.a : j->data.b;
    const cairn_joint_row *row[6];
    if (!six_rows(&j->rows, row))
        return false;
    const cairn_rigid *r = &w->rigid[slot];
    double A[6][7], given[6], x[6];
    double size = sqrt((r->inertia.m[0][0] + r->inertia.m[1][1] + r->inertia.m[2][2]) / (3.0 * r->mass));
    cairn_given_velocity(w, other, given);
    for (int i = 0; i < 6; i++) {
        const double *own = part_of(row[i], of_b), *far = part_of(row[i], !of_b);
        double sum = row[i]->bias + own[3] * w->drift[slot].x + own[4] * w->drift[slot].y + own[5] * w->drift[slot].z;
        double square = 0.0;
        for (int k = 0; k < 6; k++) {
            A[i][k] = k < 3 ? own[k] : own[k] / size;
            square += A[i][k] * A[i][k];
            sum += far[k] * given[k];
        }
        double scale = 1.0 / sqrt(square); /* a row of zeros: infinite, and no pivot */
        for (int k = 0; k < 6; k++)
            A[i][k] *= scale;
        A[i][6] = -sum * scale;
    }
    if (!solve_six(A, x))
        return false;
    cairn_held *held = &w->held[slot];
    for (int k = 0; k < 6; k++)
        held->v[k] = k < 3 ? x[k] : x[k] / size;
    held->known = true;
    return true;
}

/* Looks whether joint i decides the motion of one of its bodies. */
static bool try_joint(cairn_world *w, int i) {
    const cairn_joint_slot *j = &w->joint[i];
    if (j->generation % 2 == 0 || j->rows.rows < 6 || j->data.def.kind == CAIRN_JOINT_GEAR ||
        j->at[0].count + j->at[1].count > 0)
        return false;
    bool a = is_given(w, j->data.a), b = is_given(w, j->data.b);
    return a != b && decide(w, j, a);
}

/* Joints there and back, as long as that finds more: parts of a machine come mostly in one order or the other. */
static void find_known(cairn_world *w) {
    bool more = true;
    while (more) {
        more = false;
        for (int i = 1; i < w->joints; i++)
            more = try_joint(w, i) || more;
        for (int i = w->joints - 1; i > 0 && more; i--)
            try_joint(w, i);
    }
}

bool cairn_world_find_held(cairn_world *w) {
    bool any = false;
    for (int i = 0; i < w->slots; i++)
        w->held[i] = (cairn_held){0};
    if (w->parting || w->torn || w->together || w->joints < 2 || w->now.count == 0)
        return false;
    find_known(w);
    for (int i = 0; i < w->now.count; i++) {
        const cairn_touch *c = &w->now.item[i];
        for (int e = 0; e < 2 && c->active; e++) {
            cairn_held *held = &w->held[e == 0 ? c->a : c->b];
            held->apart = held->known;
            any = any || held->apart;
        }
    }
    for (int i = 1; i < w->slots && any; i++) {
        const double *v = w->held[i].v;
        if (!w->held[i].apart)
            continue;
        w->end_v[i] = cairn_vec3_of(v[0], v[1], v[2]);
        w->end_w[i] = cairn_vec3_of(v[3], v[4], v[5]);
    }
    return any;
}

/* Adds impulse p at this point to what loads the body. */
static void add_load(cairn_world *w, int slot, cairn_vec3 point, cairn_vec3 p, double sign) {
    const cairn_rigid *r = &w->rigid[slot];
    double row[6], *load = w->held[slot].load;
    cairn_mat3 R = cairn_quat_matrix(r->q);
    cairn_rigid_row(&R, cairn_vec3_sub(point, r->x), p, sign, row);
    for (int k = 0; k < 6; k++)
        load[k] += row[k];
}

void cairn_world_load_held(cairn_world *w) {
    for (int i = 0; i < w->now.count; i++) {
        const cairn_touch *c = &w->now.item[i];
        if (!c->active || !(w->held[c->a].apart || w->held[c->b].apart))
            continue;
        cairn_vec3 p = cairn_vec3_scale(c->gamma[0], c->normal);
        for (int k = 0; k < 2; k++)
            p = cairn_vec3_add_scaled(p, c->gamma[1 + k], c->tangent[k]);
        if (w->held[c->a].apart)
            add_load(w, c->a, c->on_a, p, -1.0);
        else
            add_load(w, c->b, c->on_b, p, 1.0);
    }
}

/* How far the answer of its mechanism leads a held body astray, m/s of the point that is furthest. */
static double astray(const cairn_world *w, int slot) {
    const double *v = w->held[slot].v;
    if (!w->held[slot].apart)
        return 0.0;
    cairn_vec3 way = cairn_vec3_sub(w->end_v[slot], cairn_vec3_of(v[0], v[1], v[2]));
    cairn_vec3 turn = cairn_vec3_sub(w->end_w[slot], cairn_vec3_of(v[3], v[4], v[5]));
    return cairn_vec3_length(way) + w->slot[slot].reach * cairn_vec3_length(turn);
}

bool cairn_world_held_stray(const cairn_world *w) {
    for (int i = 1; i < w->slots; i++)
        if (!(astray(w, i) <= ASTRAY * w->def.tolerance_velocity))
            return true;
    return false;
}

double cairn_island_astray(const cairn_world *w, const cairn_island *island) {
    double most = 0.0;
    for (int i = 0; i < island->touches; i++) {
        const cairn_touch *c = &w->now.item[island->touch[i]];
        most = fmax(most, astray(w, c->a) + astray(w, c->b));
    }
    return most;
}
