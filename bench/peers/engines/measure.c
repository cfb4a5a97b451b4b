/*
 * measure.c: penetration, drift, creep, gaps and CPU time from poses. The clock runs over the engine's step alone.
 *
 * Overlaps are measured by cairn_collide on the true shapes, whatever shapes an engine uses inside.
 */
#define _POSIX_C_SOURCE 200809L
#include "measure.h"

#include "../guard.h"
#include "engine_cairn.h"

#include <math.h>
#include <stdlib.h>

static const double slope_angle = 3.14159265358979323846 / 6.0, gravity = 9.81;

/* ---- overlaps ---- */

typedef struct place {
    double low; /* along x */
    int body;
} place;

static int by_low(const void *a, const void *b) {
    const place *p = a, *q = b;
    return p->low < q->low ? -1 : p->low > q->low ? 1 : p->body - q->body;
}

static void count_pair(cairn_shape *const *shape, const cairn_pose *pose, int a, int b, measures *m, double *sum) {
    cairn_manifold manifold[4];
    int count = cairn_collide(shape[a], pose[a], shape[b], pose[b], 0.0, manifold, 4);
    for (int i = 0; i < (count < 4 ? count : 4); i++)
        for (int j = 0; j < manifold[i].count; j++) {
            double depth = -manifold[i].point[j].gap;
            if (depth <= 0.0)
                continue;
            m->depth = fmax(m->depth, depth);
            *sum += depth;
            m->overlaps++;
        }
}

/* All pairs whose boxes meet, by a sweep along x; planes with everything. */
static void find_overlaps(const setting *s, cairn_shape *const *shape, const cairn_pose *pose, measures *m) {
    place *order = calloc((size_t)s->bodies, sizeof *order);
    cairn_bounds *box = calloc((size_t)s->bodies, sizeof *box);
    double sum = 0.0;
    int count = 0;
    m->depth = m->mean_depth = 0.0;
    m->overlaps = 0;
    for (int i = 0; order != NULL && box != NULL && i < s->bodies; i++) {
        if (shape[i] == NULL)
            continue;
        box[i] = cairn_shape_bounds(shape[i], pose[i]);
        order[count++] = (place){s->body[i].shape == SETTING_PLANE ? -INFINITY : box[i].low.x, i};
    }
    if (order != NULL)
        qsort(order, (size_t)count, sizeof *order, by_low);
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count; j++) {
            int a = order[i].body, b = order[j].body;
            bool plane = s->body[a].shape == SETTING_PLANE;
            if (!plane && box[b].low.x > box[a].high.x)
                break;
            if (s->body[a].mass <= 0.0 && s->body[b].mass <= 0.0)
                continue;
            if (plane || (box[b].low.y <= box[a].high.y && box[a].low.y <= box[b].high.y &&
                          box[b].low.z <= box[a].high.z && box[a].low.z <= box[b].high.z))
                count_pair(shape, pose, a, b, m, &sum);
        }
    m->mean_depth = m->overlaps > 0 ? sum / m->overlaps : 0.0;
    free(order);
    free(box);
}

/* Overlaps of the poses at the end, with shapes of their own. */
static void judge(const setting *s, const cairn_pose *pose, measures *m) {
    cairn_shape **shape = calloc((size_t)s->bodies, sizeof *shape);
    cairn_context_def def = cairn_default_context_def();
    cairn_context *context = NULL;
    if (shape != NULL && cairn_context_create(&def, &context) == CAIRN_OK && setting_shapes(s, context, shape))
        find_overlaps(s, shape, pose, m);
    for (int i = 0; shape != NULL && i < s->bodies; i++)
        cairn_shape_release(shape[i]);
    free(shape);
    cairn_context_destroy(context);
}

/* ---- one run ---- */

static double joint_gap(const setting *s, const cairn_pose *pose) {
    double most = 0.0;
    for (int i = 0; i < s->joints; i++) {
        const setting_joint *j = &s->joint[i];
        cairn_vec3 end[2] = {j->point, j->point};
        int body[2] = {j->a, j->b};
        for (int k = 0; k < 2; k++)
            if (body[k] >= 0) {
                cairn_pose start = s->body[body[k]].pose, now = pose[body[k]];
                cairn_vec3 arm = cairn_quat_rotate(cairn_quat_conjugate(start.rotation),
                                                   cairn_vec3_sub(j->point, start.position));
                end[k] = cairn_vec3_add(now.position, cairn_quat_rotate(now.rotation, arm));
            }
        most = fmax(most, cairn_vec3_length(cairn_vec3_sub(end[1], end[0])));
    }
    return most;
}

/* Poses after a step, and what follows from them; false when the run is lost. */
static bool look(const engine *e, void *run, const setting *s, cairn_pose *pose, measures *m) {
    engine_word word = {0};
    m->drift = 0.0;
    for (int i = 0; i < s->bodies; i++) {
        e->pose(run, i, &pose[i]);
        cairn_vec3 x = pose[i].position;
        double moved = cairn_vec3_length(cairn_vec3_sub(x, s->body[i].pose.position));
        if (!(moved < 10.0 * s->reach))
            m->lost = 1;
        if (s->body[i].mass > 0.0)
            m->drift = fmax(m->drift, moved);
    }
    e->word(run, &word);
    m->lost = m->lost || word.broken;
    m->contacts = word.contacts > m->contacts ? word.contacts : m->contacts;
    m->certified = word.certified;
    m->worst = word.worst;
    m->collide += word.collide;
    m->assemble += word.assemble;
    m->solve += word.solve;
    double rise = pose[s->watched].position.z - s->body[s->watched].pose.position.z;
    m->fall = -rise;
    m->highest = fmax(m->highest, rise);
    m->joint_gap = fmax(m->joint_gap, joint_gap(s, pose));
    return !m->lost;
}

/* Distance of the incline's cube along the slope and from it. */
static void place_on_slope(const cairn_pose *pose, double *along, double *above) {
    cairn_vec3 x = pose[1].position;
    *along = x.x * cos(slope_angle) - x.z * sin(slope_angle);
    *above = x.x * sin(slope_angle) + x.z * cos(slope_angle);
}

/* along: of every step, or NULL. */
static void run_setting(const engine *e, const setting *s, measures *m, double *along) {
    cairn_pose *pose = calloc((size_t)s->bodies, sizeof *pose);
    void *run = pose != NULL ? e->create(e, s) : NULL;
    m->made = run != NULL;
    bool good = run != NULL;
    for (int i = 0; good && i < s->steps && (m->limit <= 0.0 || m->cpu <= m->limit); i++) {
        double begin = guard_clock();
        good = e->step(run);
        double used = guard_clock() - begin;
        engine_word said = {0};
        e->word(run, &said);
        used = said.clock > 0.0 ? said.clock : used;
        m->cpu += used;
        m->cpu_worst = fmax(m->cpu_worst, used);
        m->lost = m->lost || !good;
        good = good && look(e, run, s, pose, m);
        m->steps = i + 1;
        if (along != NULL && good) {
            double above;
            place_on_slope(pose, &along[i], &above);
            m->hop = fmax(m->hop, above - 0.1);
        }
        if (good && s->bodies > 1000 && i % 50 == 49)
            judge(s, pose, m);
    }
    if (good)
        judge(s, pose, m);
    m->finished = good && m->steps == s->steps;
    free(pose);
}

void measure_run(const engine *e, const char *scene, double number, double step, measures *m) {
    setting s;
    if (!setting_make(&s, scene, number, step))
        return;
    run_setting(e, &s, m, NULL);
    setting_free(&s);
}

/* ---- incline ---- */

/* Runs it with friction mu. *gained: speed along the slope that came between 1 s and 3 s. */
static bool slide(const engine *e, double mu, measures *m, double *gained, double *end) {
    setting s;
    if (!setting_make(&s, "incline", mu, 0.0))
        return false;
    double *along = calloc((size_t)s.steps, sizeof *along);
    if (along != NULL) {
        run_setting(e, &s, m, along);
        int a = s.steps / 3, b = s.steps - 1;
        *gained = (along[b] - along[b - 1] - along[a] + along[a - 1]) / s.step / ((b - a) * s.step);
        *end = along[b] - (s.body[1].pose.position.x * cos(slope_angle) - s.body[1].pose.position.z * sin(slope_angle));
    }
    bool good = along != NULL && m->finished;
    free(along);
    setting_free(&s);
    return good;
}

void measure_incline(const engine *e, measures *m) {
    double gained, end, exact = gravity * (sin(slope_angle) - 0.5 * cos(slope_angle));
    measures sliding = {0}, trial;
    if (!slide(e, 0.6, m, &gained, &end)) {
        m->finished = 0;
        return;
    }
    m->creep = fabs(end);
    m->finished = slide(e, 0.5, &sliding, &gained, &end);
    m->slope_error = fabs(gained / exact - 1.0);
    m->hop = sliding.hop;
    m->certified = m->certified < 0 ? -1 : m->certified + sliding.certified;
    m->cpu += sliding.cpu;
    m->steps += sliding.steps;
    double low = 0.5, high = 0.7;
    while (m->finished && high - low > 1e-5) {
        double mu = 0.5 * (low + high);
        trial = (measures){0};
        m->finished = slide(e, mu, &trial, &gained, &end);
        if (gained > 5e-5)
            low = mu;
        else
            high = mu;
    }
    m->threshold = 0.5 * (low + high);
}
