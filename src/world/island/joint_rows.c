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
#include "rigid/stiffness.h"
#include "world/flexible/flexible.h"

#include <math.h>

#define STIFFEST 1e10 /* of the inertia: what tension adds to it at most */
#define BETA     0.5
#define THETA    0.15

static bool in_use(const cairn_joint_slot *j) {
    return j->generation % 2 == 1;
}

static int slot_of(const cairn_joint_slot *j, int end) {
    return end == 0 ? j->data.a : end == 1 ? j->data.b : j->data.carrier;
}

/* A carrier is there for gears alone. */
static int count_ends(const cairn_joint_slot *j) {
    return j->data.def.kind == CAIRN_JOINT_GEAR ? 3 : 2;
}

static bool is_point(const cairn_joint_slot *j, int end) {
    return end < 2 && j->at[end].count > 0;
}

cairn_rigid cairn_joint_end(const cairn_world *w, const cairn_joint_slot *j, int end) {
    int slot = slot_of(j, end);
    if (!is_point(j, end))
        return w->rigid[slot];
    double mass = w->rigid[slot].mass, size = mass * w->slot[slot].reach * w->slot[slot].reach;
    cairn_rigid point = {
        .q = cairn_quat_identity(), .mass = mass, .inertia = {{{size, 0, 0}, {0, size, 0}, {0, 0, size}}}};
    point.x = cairn_spread_of(&j->at[end], w->slot[slot].flex->part->x);
    return point;
}

const cairn_rigid *cairn_joint_end_at(const cairn_world *w, const cairn_joint_slot *j, int end, cairn_rigid *room) {
    if (!is_point(j, end))
        return &w->rigid[slot_of(j, end)];
    *room = cairn_joint_end(w, j, end);
    return room;
}

/* Velocity and turn of a joint's end: when the step began, or at its end. */
typedef struct motion {
    cairn_vec3 v, turn;
} motion;

static motion motion_of(const cairn_world *w, const cairn_joint_slot *j, int end, bool start) {
    int slot = slot_of(j, end);
    if (is_point(j, end)) {
        const cairn_flex *f = w->slot[slot].flex;
        return (motion){cairn_spread_of(&j->at[end], start ? f->part->v : f->end_v), {0, 0, 0}};
    }
    return start ? (motion){w->start_v[slot], w->start_w[slot]} : (motion){w->end_v[slot], w->turn[slot]};
}

/* x and q of a joint's end after h times this motion; the rest of out is not written. */
static void move_end(const cairn_world *w, const cairn_joint_slot *j, int end, motion m, cairn_rigid *out) {
    cairn_rigid room;
    const cairn_rigid *r = cairn_joint_end_at(w, j, end, &room);
    out->x = r->x;
    out->q = r->q;
    if (w->slot[slot_of(j, end)].kind != CAIRN_BODY_FIXED)
        cairn_rigid_move(out, w->h, m.v, m.turn);
}

/* B (x - now) + T (now - before), the part of h after which impulses act. */
static cairn_vec3 lead(const cairn_world *w, cairn_vec3 x, cairn_vec3 now, cairn_vec3 before) {
    double t = w->last_h > 0.0 ? THETA * w->h / w->last_h : THETA;
    return cairn_vec3_add_scaled(cairn_vec3_scale(BETA, cairn_vec3_sub(x, now)), t, cairn_vec3_sub(now, before));
}

/* Where its impulse acts; room: for x and q of an end that moves until then. */
static const cairn_rigid *at_impulse(const cairn_world *w, const cairn_joint_slot *j, int end, cairn_rigid *room) {
    int slot = slot_of(j, end);
    const cairn_rigid *r = &w->rigid[slot];
    if (w->slot[slot].kind != CAIRN_BODY_DYNAMIC || is_point(j, end))
        return cairn_joint_end_at(w, j, end, room);
    motion lag = {lead(w, w->end_v[slot], r->v, r->last_v), lead(w, w->end_w[slot], r->w, r->last_w)};
    move_end(w, j, end, lag, room);
    return room;
}

static double times(const double *row, cairn_vec3 v, cairn_vec3 t) {
    return row[0] * v.x + row[1] * v.y + row[2] * v.z + row[3] * t.x + row[4] * t.y + row[5] * t.z;
}

static bool is_bilateral(const cairn_joint_rows *rows, int row) {
    int block = 0;
    for (int at = rows->block[0].dim; at <= row; at += rows->block[block].dim)
        block++;
    return rows->block[block].set == CAIRN_SET_BILATERAL;
}

/* In short parts of a step gaps are closed by that part's share of what a longer one would close: else the velocities that close them would grow without bound. Of gaps, and of the way that is left to
 * a limit, gap_share is closed at most. */
static void write_rows(cairn_world *w, cairn_joint_slot *j, bool first) {
    cairn_rigid room[3], to[3];
    const cairn_rigid *from[3] = {NULL, NULL, NULL};
    motion by[3] = {0};
    int ends = count_ends(j);
    for (int e = 0; e < ends; e++) {
        from[e] = first ? cairn_joint_end_at(w, j, e, &room[e]) : at_impulse(w, j, e, &room[e]);
        by[e] = motion_of(w, j, e, first);
        move_end(w, j, e, by[e], &to[e]);
    }
    cairn_joint_rows end;
    cairn_joint_write(&j->data, (cairn_joint_ends){from[0], from[1], from[2]}, w->time, w->h, &j->rows);
    cairn_joint_write_gaps(&j->data, (cairn_joint_ends){&to[0], &to[1], &to[2]}, w->time, w->h, &end);
    double kept = 1.0 - w->def.gap_share * w->h / cairn_world_pace(w), room_kept = 1.0 - w->def.gap_share;
    cairn_joint_rows now;
    if (kept > 0.0) {
        for (int e = 0; e < ends; e++)
            from[e] = cairn_joint_end_at(w, j, e, &room[e]);
        cairn_joint_write_gaps(&j->data, (cairn_joint_ends){from[0], from[1], from[2]}, w->time - w->h, w->h, &now);
    }
    for (int k = 0; k < j->rows.rows; k++) {
        cairn_joint_row *r = &j->rows.row[k];
        if (!r->placed)
            continue;
        if (kept > 0.0 && r->C == 0.0 && (is_bilateral(&j->rows, k) || now.row[k].bias < 0.0))
            end.row[k].bias -= kept * now.row[k].bias;
        else if (room_kept > 0.0 && r->C == 0.0)
            end.row[k].bias -= room_kept * now.row[k].bias;
        r->bias = end.row[k].bias - times(r->a, by[0].v, by[0].turn) - times(r->b, by[1].v, by[1].turn);
        if (ends == 3)
            r->bias -= times(r->c, by[2].v, by[2].turn);
    }
}

static double trace_of(const cairn_mat3 *A) {
    return A->m[0][0] + A->m[1][1] + A->m[2][2];
}

/* Adds the stiffness of the joint's impulse on b, and of its counterpart on a. */
static void add_stiffness(cairn_world *w, const cairn_joint_slot *j) {
    cairn_rigid room[2];
    const cairn_rigid *a = cairn_joint_end_at(w, j, 0, &room[0]), *b = cairn_joint_end_at(w, j, 1, &room[1]);
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
    if (j->at[1].count == 0)
        cairn_stiffness_add(&w->stiff[j->data.b], j->data.at_b.position, fb);
    if (j->at[0].count == 0)
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
        double scale = BETA * h, most = STIFFEST * trace_of(&r->inertia), trace = scale * trace_of(K);
        if (trace >
            most) { /* joints that are torn apart: nothing of the inertia would be left in the digits of the sum */
            scale *= most / trace;
            w->stiff_k[i] = cairn_vec3_scale(most / trace, w->stiff_k[i]);
        }
        for (int k = 0; k < 3; k++)
            for (int l = 0; l < 3; l++)
                K->m[k][l] *= scale;
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
    w->stiffened = any && !w->torn; /* what must not gain energy must have no other inertia than its own */
    if (w->stiffened)
        write_stiffness(w, first);
}

/* Gaps of the joint where its bodies are when the part begins, as biases. */
static void write_here(const cairn_world *w, const cairn_joint_slot *j, cairn_joint_rows *rows) {
    cairn_rigid room[3];
    const cairn_rigid *at[3] = {NULL, NULL, NULL};
    for (int e = 0; e < count_ends(j); e++)
        at[e] = cairn_joint_end_at(w, j, e, &room[e]);
    cairn_joint_write_gaps(&j->data, (cairn_joint_ends){at[0], at[1], at[2]}, w->time - w->h, w->h, rows);
}

double cairn_joint_stored(const cairn_world *w, const cairn_joint_slot *j, bool doubted) {
    cairn_joint_rows rows;
    double sum = 0.0;
    if (j->data.def.stiffness == 0.0 && j->data.def.compliance == 0.0)
        return 0.0;
    write_here(w, j, &rows);
    for (int k = 0; k < rows.rows; k++) {
        const cairn_joint_row *r = &rows.row[k];
        double gap = r->C > 0.0 ? 0.5 * r->bias * r->bias / r->C : 0.0;
        double last = w->last_h > 0.0 ? w->h * j->guess[k] / w->last_h : 0.0, paid = 0.5 * r->C * last * last;
        sum += r->placed || doubted ? fmin(gap, paid) : gap;
    }
    return sum;
}

double cairn_joint_open(const cairn_world *w, const cairn_joint_slot *j) {
    cairn_joint_rows rows;
    double most = 0.0;
    write_here(w, j, &rows);
    for (int k = 0; k < rows.rows; k++) {
        const cairn_joint_row *r = &rows.row[k];
        double gap = is_bilateral(&rows, k) ? fabs(r->bias) : -r->bias;
        most = r->placed && r->C == 0.0 ? fmax(most, w->h * gap) : most;
    }
    return most;
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
        j->rows.rows = j->rows.blocks = 0;
        if (j->at[0].count + j->at[1].count > 0)
            continue; /* flexible parts stay where they are, and so does what holds them */
        cairn_joint_ends ends = {&w->rigid[j->data.a], &w->rigid[j->data.b], &w->rigid[j->data.carrier]};
        cairn_joint_write(&j->data, ends, w->time - 1.0, 1.0, &j->rows);
        keep_placed(&j->rows);
    }
}

double cairn_world_joints_open(cairn_world *w, double doubtful) {
    double most = 0.0;
    for (int i = 1; i < w->joints; i++)
        most = in_use(&w->joint[i]) ? fmax(most, w->joint[i].open) : most;
    if (most <= doubtful)
        return 0.0;
    cairn_world_place_joints(w);
    most = 0.0;
    for (int i = 1; i < w->joints; i++) {
        const cairn_joint_rows *rows = &w->joint[i].rows;
        for (int k = 0; k < rows->rows && in_use(&w->joint[i]); k++)
            most = fmax(most, is_bilateral(rows, k) ? fabs(rows->row[k].bias) : -rows->row[k].bias);
    }
    return most;
}

/* The larger of the gap so far and those of joint i; the joint remembers its own. */
static void widen(cairn_world *w, int i, cairn_joint_gap *worst) {
    cairn_joint_slot *j = &w->joint[i];
    int row = 0, ends = count_ends(j);
    cairn_rigid to[3];
    for (int e = 0; e < ends; e++)
        move_end(w, j, e, motion_of(w, j, e, false), &to[e]);
    cairn_joint_rows end;
    cairn_joint_write_gaps(&j->data, (cairn_joint_ends){&to[0], &to[1], &to[2]}, w->time, w->h, &end);
    j->gap = j->open = 0.0;
    for (int k = 0; k < end.rows; k++)
        j->gap = fmax(j->gap, fabs(end.row[k].gap));
    for (int k = 0; k < end.blocks; k++)
        for (int l = 0; l < end.block[k].dim; l++, row++) {
            const cairn_joint_row *r = &end.row[row];
            double u = w->h * (r->bias + r->C * j->data.gamma[row]);
            double gap = !isfinite(u) ? INFINITY : end.block[k].set == CAIRN_SET_BILATERAL ? fabs(u) : -u;
            j->open = r->placed ? fmax(j->open, gap) : j->open;
            if (r->placed && gap > worst->size)
                *worst = (cairn_joint_gap){gap, i, r->turn};
        }
}

cairn_joint_gap cairn_world_joint_gap(cairn_world *w) {
    cairn_joint_gap worst = {0.0, 0, false};
    for (int i = 1; i < w->slots; i++)
        w->turn[i] = cairn_vec3_add(w->end_w[i], w->drift[i]);
    for (int i = 1; i < w->joints; i++)
        if (in_use(&w->joint[i]))
            widen(w, i, &worst);
    return worst;
}
