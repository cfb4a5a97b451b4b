/*
 * whole.c: H, D, k, b of one step from contacts and states [theory 7].
 *
 *     H = diag(m, m, m, J) a body, J in body axes       k = H v + h (m g, -w x J w)
 *     a contact of a and b with arms r, frame (n, t, s): columns +-(d, R'(r x d)) for d = n, t, s
 *     b_N = gap/h, 0 where it overlaps by more than g h^2/4; C_N = compliance/h^2
 *
 * Fixed bodies have no rows. Kinematic bodies and restitution are not covered.
 */
#define _POSIX_C_SOURCE 200809L
#include "whole.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct entries {
    int count, room;
    int *row, *col;
    double *value;
} entries;

_Noreturn void whole_fail(const char *what, const char *why) {
    fprintf(stderr, "bench: %s: %s\n", what, why);
    exit(1);
}

void *whole_need(size_t count, size_t bytes) {
    void *memory = calloc(count > 0 ? count : 1, bytes);
    if (memory == NULL)
        whole_fail("memory", "there is not enough");
    return memory;
}

static void *grow(void *memory, size_t bytes) {
    memory = realloc(memory, bytes);
    if (memory == NULL)
        whole_fail("memory", "there is not enough");
    return memory;
}

void whole_add(whole *w, cairn_body body, cairn_vec3 inertia) {
    int slot = (int)body.slot;
    if (slot >= w->slots) {
        w->number = grow(w->number, (size_t)(slot + 1) * sizeof *w->number);
        for (int i = w->slots; i <= slot; i++)
            w->number[i] = -1;
        w->slots = slot + 1;
    }
    size_t count = (size_t)w->bodies + 1;
    w->body = grow(w->body, count * sizeof *w->body);
    w->inertia = grow(w->inertia, count * sizeof *w->inertia);
    w->before = grow(w->before, count * sizeof *w->before);
    w->body[w->bodies] = body;
    w->inertia[w->bodies] = inertia;
    w->number[slot] = w->bodies++;
}

void whole_look(whole *w) {
    for (int i = 0; i < w->bodies; i++)
        if (cairn_world_body(w->world, w->body[i], &w->before[i]) != CAIRN_OK)
            whole_fail("body", cairn_error_message(w->context));
}

void whole_clear(whole *w) {
    free(w->body);
    free(w->inertia);
    free(w->before);
    free(w->number);
    *w = (whole){0};
}

static void put(entries *e, int row, int col, double value) {
    if (e->count == e->room) {
        e->room = e->room > 0 ? 2 * e->room : 4096;
        e->row = grow(e->row, (size_t)e->room * sizeof *e->row);
        e->col = grow(e->col, (size_t)e->room * sizeof *e->col);
        e->value = grow(e->value, (size_t)e->room * sizeof *e->value);
    }
    e->row[e->count] = row;
    e->col[e->count] = col;
    e->value[e->count++] = value;
}

static void write_bodies(const whole *w, const whole_form *form, entries *mass, double *k) {
    for (int i = 0; i < w->bodies; i++) {
        const cairn_body_state *s = &w->before[i];
        cairn_vec3 j = w->inertia[i];
        cairn_vec3 spin = cairn_quat_rotate(cairn_quat_conjugate(s->pose.rotation), s->angular_velocity);
        cairn_vec3 turn = cairn_vec3_of(j.x * spin.x, j.y * spin.y, j.z * spin.z);
        cairn_vec3 push = cairn_vec3_add_scaled(turn, -form->step, cairn_vec3_cross(spin, turn));
        double diagonal[6] = {s->mass, s->mass, s->mass, j.x, j.y, j.z};
        double load[6] = {s->mass * s->velocity.x,
                          s->mass * s->velocity.y,
                          s->mass * (s->velocity.z - form->step * form->gravity),
                          push.x,
                          push.y,
                          push.z};
        for (int r = 0; r < 6; r++) {
            put(mass, 6 * i + r, 6 * i + r, diagonal[r]);
            k[6 * i + r] = load[r];
        }
    }
}

/* The part of one body in a column: direction d at a point of the world, sign +1 or -1. */
static void write_side(const whole *w, cairn_body body, cairn_vec3 point, cairn_vec3 d, double sign, int col,
                       entries *D) {
    int i = (int)body.slot < w->slots ? w->number[body.slot] : -1;
    if (i < 0)
        return;
    const cairn_body_state *s = &w->before[i];
    cairn_vec3 arm = cairn_vec3_cross(cairn_vec3_sub(point, s->center), d);
    cairn_vec3 turn = cairn_quat_rotate(cairn_quat_conjugate(s->pose.rotation), arm);
    double value[6] = {d.x, d.y, d.z, turn.x, turn.y, turn.z};
    for (int r = 0; r < 6; r++)
        put(D, 6 * i + r, col, sign * value[r]);
}

static int write_contacts(const whole *w, const whole_form *form, entries *D, double *b, double *C,
                          cairn_block *block) {
    int count = cairn_world_contact_count(w->world), dim = form->frictionless ? 1 : 3;
    double h = form->step, deep = 0.25 * form->gravity * h * h;
    for (int c = 0; c < count; c++) {
        cairn_world_contact contact;
        if (cairn_world_contact_get(w->world, c, &contact) != CAIRN_OK)
            whole_fail("contact", cairn_error_message(w->context));
        cairn_vec3 d[3] = {contact.normal};
        cairn_vec3_frame(d[0], &d[1], &d[2]);
        for (int r = 0; r < dim; r++) {
            write_side(w, contact.a, contact.point, d[r], -1.0, dim * c + r, D);
            write_side(w, contact.b, contact.point, d[r], 1.0, dim * c + r, D);
        }
        b[dim * c] = contact.gap < -deep ? 0.0 : contact.gap / h;
        C[dim * c] = form->compliance / (h * h);
        block[c] = (cairn_block){
            .set = form->frictionless ? CAIRN_SET_NONNEGATIVE : CAIRN_SET_CONE, .dim = dim, .mu = contact.mu};
    }
    return count;
}

static cairn_sparse triplets(const entries *e, int rows, int cols) {
    return (cairn_sparse){.format = CAIRN_SPARSE_TRIPLET,
                          .rows = rows,
                          .cols = cols,
                          .entries = e->count,
                          .row = e->row,
                          .col = e->col,
                          .value = e->value};
}

static void clear(entries *e) {
    free(e->row);
    free(e->col);
    free(e->value);
}

cairn_problem *whole_problem(const whole *w, const whole_form *form) {
    int n = 6 * w->bodies, dim = form->frictionless ? 1 : 3, m = dim * cairn_world_contact_count(w->world);
    entries mass = {0}, D = {0};
    double *k = whole_need((size_t)n, sizeof *k), *b = whole_need((size_t)m, sizeof *b);
    double *C = whole_need((size_t)m, sizeof *C);
    cairn_block *block = whole_need((size_t)m, sizeof *block);
    int *start = whole_need((size_t)w->bodies + 1, sizeof *start);
    for (int i = 0; i <= w->bodies; i++)
        start[i] = 6 * i;
    write_bodies(w, form, &mass, k);
    cairn_problem_def def = cairn_default_problem_def();
    def.blocks = write_contacts(w, form, &D, b, C, block);
    def.law = form->law;
    def.n = n;
    def.m = m;
    def.H = triplets(&mass, n, n);
    def.D = triplets(&D, n, m);
    def.k = k;
    def.b = b;
    def.C = C;
    def.block = block;
    def.bodies = w->bodies;
    def.body_start = start;
    cairn_problem *problem = NULL;
    if (cairn_problem_create(w->context, &def, &problem) != CAIRN_OK)
        whole_fail("problem", cairn_error_message(w->context));
    clear(&mass);
    clear(&D);
    free(k);
    free(b);
    free(C);
    free(block);
    free(start);
    return problem;
}

/* Boxes of 3.96 x 4 x 2 m and the ball of 4 m, told apart by mass. */
static cairn_vec3 wall_inertia(double mass) {
    if (mass > 1e5)
        return cairn_vec3_of(0.4 * mass * 16.0, 0.4 * mass * 16.0, 0.4 * mass * 16.0);
    double x = 3.96 * 3.96, y = 16.0, z = 4.0;
    return cairn_vec3_of(mass * (y + z) / 12.0, mass * (x + z) / 12.0, mass * (x + y) / 12.0);
}

void whole_add_wall(whole *w, const cairn_scene *scene) {
    cairn_scene_info info = cairn_scene_get(scene);
    for (int i = 0; i < info.bodies; i++) {
        cairn_body body;
        cairn_body_state state;
        const char *name;
        if (cairn_scene_body(scene, i, &body, &name) != CAIRN_OK ||
            cairn_world_body(w->world, body, &state) != CAIRN_OK)
            whole_fail("scene", cairn_error_message(w->context));
        if (isfinite(state.mass))
            whole_add(w, body, wall_inertia(state.mass));
    }
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

double whole_median(double *value, int count) {
    qsort(value, (size_t)count, sizeof *value, by_value);
    return count > 0 ? value[count / 2] : NAN;
}

double whole_cpu_seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}
