/*
 * page_scan.c: the first look at all frames of a replay page: figures of each frame, bounds, who
 * moves, and with how many digits.
 *
 * Quanta, with r the radius of the smallest body that moves: positions r/2048, points of contacts
 * r/512, velocities 1/65536 of the largest one. Gaps have steps of 1 % down to r/2^21. Impulses
 * have 12 bits (page_contacts.c).
 */
#include "view/page/page_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *cairn_series_name(int series) {
    static const char *const name[CAIRN_SERIES_COUNT] = {"step",
                                                         "time",
                                                         "kinetic",
                                                         "potential",
                                                         "elastic",
                                                         "friction",
                                                         "impact",
                                                         "certified",
                                                         "uncertified",
                                                         "outcome",
                                                         "note",
                                                         "error",
                                                         "error_angular",
                                                         "error_rms",
                                                         "iterations",
                                                         "factorizations",
                                                         "linear_solves",
                                                         "solves",
                                                         "projections",
                                                         "missed",
                                                         "rows",
                                                         "deepest",
                                                         "contacts",
                                                         "stick",
                                                         "slip",
                                                         "strongest",
                                                         "residual",
                                                         "reaction",
                                                         "collide",
                                                         "assemble",
                                                         "solve",
                                                         "total",
                                                         "partial_factorizations",
                                                         "depth",
                                                         "depth_tolerance",
                                                         "fallbacks",
                                                         "inverted"};
    return name[series];
}

/* The number of a note, which is kept when it is new. */
static int note_number(cairn_view *v, const char *note) {
    for (int i = 0; i < v->notes; i++)
        if (strcmp(v->note[i], note) == 0)
            return i;
    if (v->notes == CAIRN_NOTES)
        return CAIRN_NOTES - 1;
    snprintf(v->note[v->notes], sizeof v->note[0], "%s", note);
    return v->notes++;
}

static cairn_status know_mu(cairn_view *v, double mu) {
    for (int i = v->mus - 1; i >= 0; i--)
        if (v->mu[i] == mu)
            return CAIRN_OK;
    if (v->mus == v->mu_capacity) {
        int capacity = 2 * v->mu_capacity + 16;
        double *larger = cairn_alloc(v->context, (size_t)capacity, sizeof *larger);
        if (larger == NULL)
            return CAIRN_ERROR_MEMORY;
        if (v->mus > 0)
            memcpy(larger, v->mu, (size_t)v->mus * sizeof *larger);
        cairn_free(v->context, v->mu);
        v->mu = larger;
        v->mu_capacity = capacity;
    }
    v->mu[v->mus++] = mu;
    return CAIRN_OK;
}

/* What is summed over frames, also those left out; all but the works since the frame before in
 * the page. */
typedef struct sums {
    double friction, impact;
    int uncertified;
    double depth, depth_tolerance; /* of the worst frame */
    int fallbacks, inverted;       /* most */
} sums;

static void add_frame(sums *s, const cairn_frame *f) {
    s->friction += f->friction_work;
    s->impact += f->impact_work - f->created_work;
    s->uncertified += f->uncertified;
    s->fallbacks = f->fallbacks > s->fallbacks ? f->fallbacks : s->fallbacks;
    s->inverted = f->inverted > s->inverted ? f->inverted : s->inverted;
    if (s->depth_tolerance == 0.0 || f->depth * s->depth_tolerance > s->depth * f->depth_tolerance) {
        s->depth = f->depth;
        s->depth_tolerance = f->depth_tolerance;
    }
}

static void note_series(cairn_view *v, int k, const cairn_frame *f, const sums *s) {
    double stick = 0.0, slip = 0.0, strongest = 0.0, residual = 0.0, reaction = 0.0;
    for (int i = 0; i < f->contacts; i++) {
        const double *p = f->contact_impulse + (ptrdiff_t)3 * i;
        strongest = fmax(strongest, hypot(hypot(p[0], p[1]), p[2]));
        residual = fmax(residual, f->contact_residual[i]);
        stick += f->contact_status[i] == CAIRN_CONTACT_STICK;
        slip += f->contact_status[i] == CAIRN_CONTACT_SLIP;
    }
    for (int i = 0; i < f->joints; i++) {
        const double *p = f->joint_force + (ptrdiff_t)3 * i;
        reaction = fmax(reaction, hypot(hypot(p[0], p[1]), p[2]));
    }
    const double value[CAIRN_SERIES_COUNT] = {[CAIRN_SERIES_STEP] = (double)f->step,
                                              [CAIRN_SERIES_TIME] = f->time,
                                              [CAIRN_SERIES_KINETIC] = f->kinetic,
                                              [CAIRN_SERIES_POTENTIAL] = f->potential,
                                              [CAIRN_SERIES_ELASTIC] = f->elastic,
                                              [CAIRN_SERIES_FRICTION] = s->friction,
                                              [CAIRN_SERIES_IMPACT] = s->impact,
                                              [CAIRN_SERIES_CERTIFIED] = f->certified,
                                              [CAIRN_SERIES_UNCERTIFIED] = s->uncertified,
                                              [CAIRN_SERIES_OUTCOME] = (double)f->outcome,
                                              [CAIRN_SERIES_NOTE] = note_number(v, f->note),
                                              [CAIRN_SERIES_ERROR] = f->error,
                                              [CAIRN_SERIES_ERROR_ANGULAR] = f->error_angular,
                                              [CAIRN_SERIES_ERROR_RMS] = f->error_rms,
                                              [CAIRN_SERIES_ITERATIONS] = f->iterations,
                                              [CAIRN_SERIES_FACTORIZATIONS] = f->factorizations,
                                              [CAIRN_SERIES_PARTIAL_FACTORIZATIONS] = f->partial_factorizations,
                                              [CAIRN_SERIES_LINEAR_SOLVES] = f->linear_solves,
                                              [CAIRN_SERIES_SOLVES] = f->solves,
                                              [CAIRN_SERIES_PROJECTIONS] = f->projections,
                                              [CAIRN_SERIES_MISSED] = f->missed,
                                              [CAIRN_SERIES_ROWS] = f->rows,
                                              [CAIRN_SERIES_DEEPEST] = f->deepest,
                                              [CAIRN_SERIES_DEPTH] = s->depth,
                                              [CAIRN_SERIES_DEPTH_TOLERANCE] = s->depth_tolerance,
                                              [CAIRN_SERIES_FALLBACKS] = s->fallbacks,
                                              [CAIRN_SERIES_INVERTED] = s->inverted,
                                              [CAIRN_SERIES_CONTACTS] = f->contacts,
                                              [CAIRN_SERIES_STICK] = stick,
                                              [CAIRN_SERIES_SLIP] = slip,
                                              [CAIRN_SERIES_STRONGEST] = strongest,
                                              [CAIRN_SERIES_RESIDUAL] = residual,
                                              [CAIRN_SERIES_REACTION] = reaction,
                                              [CAIRN_SERIES_COLLIDE] = f->seconds_collide,
                                              [CAIRN_SERIES_ASSEMBLE] = f->seconds_assemble,
                                              [CAIRN_SERIES_SOLVE] = f->seconds_solve,
                                              [CAIRN_SERIES_TOTAL] = f->seconds_total};
    for (int i = 0; i < CAIRN_SERIES_COUNT; i++)
        v->series[(ptrdiff_t)i * v->frames + k] = value[i];
}

static bool same_pose(const double *x, const double *q, const double *pose) {
    return memcmp(x, pose, 3 * sizeof *x) == 0 && memcmp(q, pose + 3, 4 * sizeof *q) == 0;
}

/* Marks bodies that move in moves, notes their bounds and speeds. */
static void note_bodies(cairn_view *v, int k, const cairn_frame *f, const cairn_recorded_body *body,
                        unsigned char *moves) {
    for (int i = 0; i < v->info.bodies; i++) {
        static const double nowhere[3] = {NAN, NAN, NAN};
        const double *x = i < f->bodies ? f->position + (ptrdiff_t)3 * i : nowhere;
        double *first = v->first_pose + (ptrdiff_t)7 * i;
        if (k == 0) {
            memcpy(first, x, 3 * sizeof *x);
            if (i < f->bodies)
                memcpy(first + 3, f->rotation + (ptrdiff_t)4 * i, 4 * sizeof *x);
        }
        if (body[i].kind != CAIRN_BODY_FIXED || isnan(x[0]) || isnan(first[0]) ||
            !same_pose(x, f->rotation + (ptrdiff_t)4 * i, first))
            moves[i] = 1;
        if (isnan(x[0]))
            continue;
        for (int c = 0; c < 3; c++) {
            v->velocity_quantum = fmax(v->velocity_quantum, fabs(f->velocity[3 * i + c]));
            v->spin_quantum = fmax(v->spin_quantum, fabs(f->angular_velocity[3 * i + c]));
        }
    }
}

static int ascending(const void *p, const void *q) {
    double a = *(const double *)p, b = *(const double *)q;
    return (a > b) - (a < b);
}

/* Where most bodies are: the lowest and the highest 2 % along each axis are left out, so that
 * one that flies away does not make the others small. list: room for 3 numbers per body, three
 * rows of count. */
static void most_bodies(cairn_box *box, double *list, int capacity, int count, double radius) {
    for (int c = 0; c < 3 && count > 0; c++) {
        double *row = list + (ptrdiff_t)c * capacity;
        qsort(row, (size_t)count, sizeof *row, ascending);
        box->low[c] = row[count / 50] - radius;
        box->high[c] = row[count - 1 - count / 50] + radius;
    }
}

static void note_bounds(cairn_view *v, int k, const cairn_frame *f, const cairn_recorded_body *body, double *list) {
    int count = 0;
    double sum = 0.0;
    for (int i = 0; i < f->bodies; i++) {
        const double *p = f->position + (ptrdiff_t)3 * i, *q = f->rotation + (ptrdiff_t)4 * i;
        const double *middle = v->middle + (ptrdiff_t)3 * i;
        if (isnan(p[0]) || v->radius[i] <= 0.0 || body[i].kind == CAIRN_BODY_FIXED || body[i].shape < 0)
            continue;
        const double pose[7] = {p[0], p[1], p[2], q[0], q[1], q[2], q[3]};
        double x[3];
        cairn_view_place(pose, middle[0], middle[1], middle[2], x);
        cairn_box_grow(&v->all, x, v->radius[i]);
        for (int c = 0; c < 3; c++)
            list[(ptrdiff_t)c * v->info.bodies + count] = x[c];
        sum += v->radius[i];
        count++;
    }
    if (k == 0)
        most_bodies(&v->start, list, v->info.bodies, count, sum / (count > 0 ? count : 1));
    if (k == v->frames - 1)
        most_bodies(&v->end, list, v->info.bodies, count, sum / (count > 0 ? count : 1));
    for (int i = 0; i < f->nodes; i++) { /* of flexible parts; those that are not there are passed over */
        const double *x = f->node_position + (ptrdiff_t)3 * i;
        cairn_box_grow(&v->all, x, 0.0);
        if (k == 0)
            cairn_box_grow(&v->start, x, 0.0);
        if (k == v->frames - 1)
            cairn_box_grow(&v->end, x, 0.0);
    }
}

static void choose_quanta(cairn_view *v) {
    double smallest = INFINITY, extent = 0.0;
    for (int i = 0; i < v->movings; i++)
        if (v->radius[v->moving[i]] > 0.0)
            smallest = fmin(smallest, v->radius[v->moving[i]]);
    for (int i = 0; i < 3; i++)
        extent = fmax(extent, fmax(fabs(v->all.low[i]), fabs(v->all.high[i])));
    if (!isfinite(smallest))
        smallest = 1.0;
    v->position_quantum = fmax(smallest / 2048.0, isfinite(extent) ? extent / (1 << 28) : 0.0);
    v->point_quantum = 4.0 * v->position_quantum;
    v->least_gap = v->position_quantum / 1024.0;
    v->velocity_quantum = v->velocity_quantum > 0.0 ? v->velocity_quantum / 65536.0 : 1.0;
    v->spin_quantum = v->spin_quantum > 0.0 ? v->spin_quantum / 65536.0 : 1.0;
    int many = v->movings + v->nodes / 3; /* a node has a third of a body's numbers */
    int fitting = many > 0 ? 65536 / many : 64;
    v->chunk = fitting < 8 ? 8 : fitting > 64 ? 64 : fitting;
}

/* The largest impulse of the run has the exponent 100, so that all exponents fit into a byte and
 * only those of nothing are 0. */
static void choose_impulses(cairn_view *v) {
    double strongest = 0.0;
    int exponent = 0;
    for (int k = 0; k < v->frames; k++)
        strongest = fmax(strongest, v->series[(ptrdiff_t)CAIRN_SERIES_STRONGEST * v->frames + k]);
    frexp(strongest, &exponent);
    v->impulse_base = exponent - CAIRN_IMPULSE_BITS - 100;
}

static cairn_status scan_frames(cairn_view *v, unsigned char *moves, const cairn_recorded_body *body, double *list) {
    sums s = {0};
    cairn_status status = CAIRN_OK;
    int64_t last = v->frame[v->frames - 1];
    int k = 0;
    for (int64_t i = 0; i <= last && status == CAIRN_OK; i++) {
        cairn_frame f;
        status = cairn_recording_frame(v->recording, i, &f);
        if (status != CAIRN_OK)
            return status;
        add_frame(&s, &f);
        if (i != v->frame[k])
            continue;
        note_series(v, k, &f, &s);
        note_bodies(v, k, &f, body, moves);
        cairn_view_scan_parts(v, &f);
        note_bounds(v, k, &f, body, list);
        for (int c = 0; c < f.contacts && status == CAIRN_OK; c++)
            status = know_mu(v, f.contact_mu[c]);
        v->contacts += f.contacts;
        s = (sums){.friction = s.friction, .impact = s.impact};
        k++;
    }
    return status;
}

cairn_status cairn_view_scan(cairn_view *v) {
    size_t bodies = (size_t)v->info.bodies;
    const cairn_box empty = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    v->start = v->end = v->all = empty;
    unsigned char *moves = cairn_alloc(v->context, bodies, 1);
    cairn_recorded_body *body = cairn_alloc(v->context, bodies, sizeof *body);
    double *list = cairn_alloc(v->context, 3 * bodies, sizeof *list);
    v->moving = cairn_alloc(v->context, bodies, sizeof *v->moving);
    v->parent = cairn_alloc(v->context, bodies, sizeof *v->parent);
    v->radius = cairn_alloc(v->context, bodies, sizeof *v->radius);
    v->middle = cairn_alloc(v->context, 3 * bodies, sizeof *v->middle);
    v->first_pose = cairn_alloc(v->context, 7 * bodies, sizeof *v->first_pose);
    v->series = cairn_alloc(v->context, (size_t)v->frames * CAIRN_SERIES_COUNT, sizeof *v->series);
    bool room = moves != NULL && body != NULL && list != NULL && v->moving != NULL && v->parent != NULL &&
                v->radius != NULL && v->middle != NULL && v->first_pose != NULL && v->series != NULL;
    cairn_status status = room ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    for (int i = 0; i < v->info.bodies && status == CAIRN_OK; i++) {
        status = cairn_recording_body(v->recording, i, &body[i]);
        if (status == CAIRN_OK)
            v->radius[i] = cairn_view_ball(v->recording, body[i].shape, v->middle + (ptrdiff_t)3 * i);
    }
    if (status == CAIRN_OK)
        status = scan_frames(v, moves, body, list);
    for (int i = 0; i < v->info.bodies && status == CAIRN_OK; i++)
        if (moves[i])
            v->moving[v->movings++] = i;
    if (status == CAIRN_OK) {
        choose_quanta(v);
        choose_impulses(v);
    }
    cairn_free(v->context, moves);
    cairn_free(v->context, body);
    cairn_free(v->context, list);
    return status;
}
