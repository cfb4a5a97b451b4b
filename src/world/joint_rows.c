/*
 * joint_rows.c: rows of the joints of a step, linearised about velocities v^i, and what tension adds to H.
 *
 *     gap at the end of the step:  g(q + h v) ~ g(q + h v^i) + h D'(v - v^i), so b = g(q + h v^i)/h - D' v^i
 *     joint impulses act at the turn h (B (w - w_l) + T (w_l - w_{l-1})) after the start, B = 1/2, T = 0.15
 *
 * First solve: v^i is the velocity when the step begins, D is taken at the start, and the turn enters through the stiffness K+ of the last
 * impulses: H = M + B h K+, k_w -= h K+ c with c = -B w_l + T (w_l - w_{l-1}). Later solves: v^i is the last answer, D is taken where the impulses
 * act, k_w += B h K+ w^i. Without K+ a chain with a heavy end blows up when sqrt(12 tension/(mass length)) exceeds 2/h. [theory 7]
 */
#include "../rigid/stiffness.h"
#include "world_data.h"

#include <math.h>

#define BETA  0.5
#define THETA 0.15

static bool in_use(const cairn_joint_slot *j) {
    return j->generation % 2 == 1;
}

/* Where the body is at the end of the step with these velocities. */
static cairn_rigid moved(const cairn_world *w, int slot, cairn_vec3 v, cairn_vec3 turn) {
    cairn_rigid r = w->rigid[slot];
    if (w->slot[slot].kind != CAIRN_BODY_FIXED)
        cairn_rigid_move(&r, w->h, v, turn);
    return r;
}

/* B (x - now) + T (now - before), the part of h after which impulses act. */
static cairn_vec3 lead(const cairn_world *w, cairn_vec3 x, cairn_vec3 now, cairn_vec3 before) {
    double t = w->last_h > 0.0 ? THETA * w->h / w->last_h : THETA;
    return cairn_vec3_add_scaled(cairn_vec3_scale(BETA, cairn_vec3_sub(x, now)), t, cairn_vec3_sub(now, before));
}

static cairn_rigid at_impulse(const cairn_world *w, int slot) {
    const cairn_rigid *r = &w->rigid[slot];
    if (w->slot[slot].kind != CAIRN_BODY_DYNAMIC)
        return *r;
    return moved(w, slot, lead(w, w->end_v[slot], r->v, r->last_v), lead(w, w->end_w[slot], r->w, r->last_w));
}

static double times(const double *row, cairn_vec3 v, cairn_vec3 t) {
    return row[0] * v.x + row[1] * v.y + row[2] * v.z + row[3] * t.x + row[4] * t.y + row[5] * t.z;
}

static void write_rows(cairn_world *w, cairn_joint_slot *j, bool first) {
    int a = j->data.a, b = j->data.b;
    cairn_rigid fa = first ? w->rigid[a] : at_impulse(w, a), fb = first ? w->rigid[b] : at_impulse(w, b);
    const cairn_vec3 *v = first ? w->start_v : w->end_v, *t = first ? w->start_w : w->turn;
    cairn_rigid ea = moved(w, a, v[a], t[a]), eb = moved(w, b, v[b], t[b]);
    cairn_joint_rows end;
    cairn_joint_write(&j->data, &fa, &fb, w->time, w->h, &j->rows);
    cairn_joint_write(&j->data, &ea, &eb, w->time, w->h, &end);
    for (int k = 0; k < j->rows.rows; k++) {
        cairn_joint_row *r = &j->rows.row[k];
        if (r->placed)
            r->bias = end.row[k].bias - times(r->a, v[a], t[a]) - times(r->b, v[b], t[b]);
    }
}

/* Adds the stiffness of the joint's impulse on b, and of its counterpart on a. */
static void add_stiffness(cairn_world *w, const cairn_joint_slot *j) {
    const cairn_rigid *a = &w->rigid[j->data.a], *b = &w->rigid[j->data.b];
    cairn_vec3 f = {0, 0, 0}, arm = j->data.at_a.position;
    for (int k = 0; k < j->rows.rows; k++) {
        const double *row = j->rows.row[k].b;
        f = cairn_vec3_add_scaled(f, j->data.gamma[k], cairn_vec3_of(row[0], row[1], row[2]));
    }
    if (j->data.def.kind != CAIRN_JOINT_DISTANCE && j->data.def.coordinate != CAIRN_COORDINATE_DISTANCE) {
        cairn_vec3 p = cairn_vec3_add(b->x, cairn_quat_rotate(b->q, j->data.at_b.position));
        arm = cairn_quat_rotate(cairn_quat_conjugate(a->q), cairn_vec3_sub(p, a->x));
    }
    cairn_vec3 fb = cairn_quat_rotate(cairn_quat_conjugate(b->q), f);
    cairn_vec3 fa = cairn_quat_rotate(cairn_quat_conjugate(a->q), cairn_vec3_scale(-1.0, f));
    cairn_stiffness_add(&w->stiff[j->data.b], j->data.at_b.position, fb);
    cairn_stiffness_add(&w->stiff[j->data.a], arm, fa);
}

static void write_stiffness(cairn_world *w, bool first) {
    double h = w->h;
    for (int i = 0; i < w->slots; i++)
        w->stiff[i] = (cairn_mat3){{{0}}};
    for (int i = 1; i < w->joints; i++)
        if (in_use(&w->joint[i]))
            add_stiffness(w, &w->joint[i]);
    for (int i = 1; i < w->slots; i++) {
        const cairn_rigid *r = &w->rigid[i];
        cairn_mat3 *K = &w->stiff[i];
        cairn_stiffness_clamp(K);
        cairn_vec3 none = {0, 0, 0};
        w->stiff_k[i] = first ? cairn_vec3_scale(-h, cairn_mat3_apply(K, lead(w, none, r->w, r->last_w)))
                              : cairn_vec3_scale(BETA * h, cairn_mat3_apply(K, w->end_w[i]));
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < 3; l++)
                K->m[k][l] *= BETA * h;
    }
}

void cairn_world_write_joints(cairn_world *w, bool first) {
    bool any = false;
    for (int i = 1; i < w->slots; i++)
        w->turn[i] = cairn_vec3_add(w->end_w[i], w->drift[i]);
    for (int i = 1; i < w->joints; i++)
        if (in_use(&w->joint[i])) {
            write_rows(w, &w->joint[i], first);
            any = true;
        }
    w->stiffened = any;
    if (any)
        write_stiffness(w, first);
}

/* Blocks whose rows are all rigid and have a place to be at. */
static void keep_placed(cairn_joint_rows *rows) {
    int row = 0, kept = 0, blocks = 0;
    for (int k = 0; k < rows->blocks; k++) {
        int dim = rows->block[k].dim;
        bool keep = rows->row[row].placed && rows->row[row].C == 0.0;
        for (int l = 0; l < dim && keep; l++)
            rows->row[kept++] = rows->row[row + l];
        if (keep)
            rows->block[blocks++] = rows->block[k];
        row += dim;
    }
    rows->rows = kept;
    rows->blocks = blocks;
}

void cairn_world_place_joints(cairn_world *w) {
    for (int i = 1; i < w->joints; i++) {
        cairn_joint_slot *j = &w->joint[i];
        if (!in_use(j))
            continue;
        cairn_joint_write(&j->data, &w->rigid[j->data.a], &w->rigid[j->data.b], w->time - 1.0, 1.0, &j->rows);
        keep_placed(&j->rows);
    }
}

double cairn_world_joint_gap(cairn_world *w) {
    double worst = 0.0;
    for (int i = 1; i < w->slots; i++)
        w->turn[i] = cairn_vec3_add(w->end_w[i], w->drift[i]);
    for (int i = 1; i < w->joints; i++) {
        const cairn_joint_slot *j = &w->joint[i];
        if (!in_use(j))
            continue;
        int a = j->data.a, b = j->data.b, row = 0;
        cairn_rigid ea = moved(w, a, w->end_v[a], w->turn[a]), eb = moved(w, b, w->end_v[b], w->turn[b]);
        cairn_joint_rows end;
        cairn_joint_write(&j->data, &ea, &eb, w->time, w->h, &end);
        for (int k = 0; k < end.blocks; k++)
            for (int l = 0; l < end.block[k].dim; l++, row++) {
                const cairn_joint_row *r = &end.row[row];
                double u = r->bias + r->C * j->data.gamma[row];
                double gap = end.block[k].set == CAIRN_SET_BILATERAL ? fabs(u) : fmax(0.0, -u);
                if (r->placed && !(w->h * gap <= worst))
                    worst = w->h * gap;
            }
    }
    return worst;
}
