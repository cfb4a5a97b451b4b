/*
 * scene_drive.c: what a scene does while it runs: formulas of t, motions by keyframes, loads and
 * prescribed velocities.
 *
 * Keyframes: cubic Hermite pieces. The slope at an inner key is the harmonic mean of the slopes
 * beside it, weighted by the lengths of the pieces, and 0 where they differ in sign; at the first
 * and the last key it is 0. So the curve has a continuous derivative, never leaves the range of two
 * neighbouring keys, and rests outside.
 */
#include "world/model/world_data.h"
#include "io/scene/scene_data.h"

#include <math.h>

double cairn_formula_at(const cairn_formula *f, double t) {
    if (f->text == NULL)
        return f->constant;
    cairn_expression_result result;
    f->variable[f->count - 1].value = t;
    bool good = cairn_expression_evaluate(f->text, (cairn_variables){f->variable, f->count}, &result);
    return good ? result.value : NAN;
}

void cairn_formula_free(cairn_context *context, cairn_formula *f) {
    cairn_free(context, f->variable);
}

double cairn_motion_at(void *user, double t) {
    const cairn_motion *m = user;
    if (m->keys == 0)
        return cairn_formula_at(&m->formula, t);
    if (t <= m->time[0])
        return m->value[0];
    if (t >= m->time[m->keys - 1])
        return m->value[m->keys - 1];
    int low = 0, high = m->keys - 1; /* time[low] <= t < time[high] */
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (m->time[middle] <= t)
            low = middle;
        else
            high = middle;
    }
    double h = m->time[high] - m->time[low], s = (t - m->time[low]) / h, r = 1.0 - s;
    return r * r * (1.0 + 2.0 * s) * m->value[low] + s * s * (1.0 + 2.0 * r) * m->value[high] +
           h * s * r * (r * m->slope[low] - s * m->slope[high]);
}

void cairn_motion_free(cairn_context *context, cairn_motion *m) {
    cairn_formula_free(context, &m->formula);
    cairn_free(context, m->time);
    cairn_free(context, m->value);
    cairn_free(context, m->slope);
    cairn_free(context, m);
}

static cairn_vec3 vector_at(const cairn_formula f[3], double t) {
    return cairn_vec3_of(cairn_formula_at(&f[0], t), cairn_formula_at(&f[1], t), cairn_formula_at(&f[2], t));
}

/* Reports a formula whose value is of no use, with its place. */
cairn_status cairn_formula_check(cairn_scene *s, const cairn_formula *f, double t) {
    if (f->text == NULL || isfinite(cairn_formula_at(f, t)))
        return CAIRN_OK;
    char path[160];
    cairn_json_path(f->at, path, sizeof path);
    return cairn_fail(s->context, CAIRN_ERROR_ARGUMENT, "%.160s:%d:%d: %s: '%.60s' is not finite at t = %g s",
                      f->at->name, f->at->line, f->at->column, path, f->text, t);
}

static cairn_status check_motions(cairn_scene *s, double t) {
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < s->motions && status == CAIRN_OK; i++)
        if (s->motion[i]->keys == 0)
            status = cairn_formula_check(s, &s->motion[i]->formula, t);
    return status;
}

static cairn_status check_load(cairn_scene *s, const cairn_scene_drive *load, double t) {
    cairn_status status = CAIRN_OK;
    for (int k = 0; k < 6 && status == CAIRN_OK; k++)
        status = cairn_formula_check(s, k < 3 ? &load->linear[k] : &load->angular[k - 3], t);
    return status;
}

static bool is_finite(cairn_vec3 a) {
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

/* Forces at the end of the step, as the springs are; velocities at its middle, where x(t + h) -
 * x(t) is h v to third order. */
static cairn_status give_loads(cairn_scene *s) {
    double h = s->def.step, now = cairn_world_time(s->world);
    for (int i = 0; i < s->loads; i++) {
        cairn_scene_drive *load = &s->load[i];
        double t = now + (load->moves ? 0.5 * h : h);
        cairn_vec3 linear = vector_at(load->linear, t), angular = vector_at(load->angular, t);
        if (!is_finite(linear) || !is_finite(angular))
            return check_load(s, load, t);
        load->given = cairn_world_find(s->world, load->body);
        if (load->given == 0)
            continue; /* removed meanwhile */
        load->before = s->world->rigid[load->given];
        cairn_status status = load->moves ? cairn_world_set_velocity(s->world, load->body, linear, angular)
                                          : cairn_world_push(s->world, load->body, linear, angular);
        if (status != CAIRN_OK)
            return status;
    }
    return CAIRN_OK;
}

/* After a step that failed: loads are given again with the next one, velocities are what they
 * were. */
static void take_back(cairn_scene *s) {
    cairn_world_drop_loads(s->world);
    for (int i = 0; i < s->loads; i++)
        if (s->load[i].moves && s->load[i].given > 0)
            s->world->rigid[s->load[i].given] = s->load[i].before;
}

cairn_status cairn_scene_step(cairn_scene *s, cairn_step_report *report) {
    if (s == NULL)
        return CAIRN_ERROR_ARGUMENT;
    cairn_status status = check_motions(s, cairn_world_time(s->world) + s->def.step);
    if (status != CAIRN_OK)
        return status;
    for (int i = 0; i < s->loads; i++)
        s->load[i].given = 0;
    status = give_loads(s);
    if (status == CAIRN_OK)
        status = cairn_scene_give_pushes(s, cairn_world_time(s->world) + s->def.step);
    if (status == CAIRN_OK)
        status = cairn_world_step(s->world, report);
    if (status != CAIRN_OK)
        take_back(s);
    return status;
}
