/*
 * scene_value.c: numbers, vectors, rotations, texts and choices of a scene, and what is said when
 * they are wrong.
 */
#include "io/scene/scene_data.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void fail_at(cairn_reader *r, const cairn_json *at, int line, int column, cairn_status status,
                    const char *text) {
    char path[160];
    cairn_json_path(at, path, sizeof path);
    const char *gap = path[0] != '\0' ? ": " : "";
    if (line > 0)
        r->status = cairn_fail(r->context, status, "%.160s:%d:%d: %s%s%s", at->name, line, column, path, gap, text);
    else
        r->status = cairn_fail(r->context, status, "%.160s, overridden: %s%s%s", at->name, path, gap, text);
}

/* The first mistake is reported; what follows from it is not. */
static void fail_list(cairn_reader *r, const cairn_json *at, int line, int column, const char *format, va_list list) {
    char text[400];
    if (r->status != CAIRN_OK)
        return;
    vsnprintf(text, sizeof text, format, list);
    fail_at(r, at, line, column, CAIRN_ERROR_PARSE, text);
}

void cairn_reader_fail(cairn_reader *r, const cairn_json *at, const char *format, ...) {
    va_list list;
    va_start(list, format);
    fail_list(r, at, at->line, at->column, format, list);
    va_end(list);
}

void cairn_reader_fail_key(cairn_reader *r, const cairn_json *at, const char *format, ...) {
    va_list list;
    va_start(list, format);
    fail_list(r, at, at->key_line, at->key_column, format, list);
    va_end(list);
}

void cairn_reader_note(cairn_reader *r, const cairn_json *at, const char *format, ...) {
    char text[320], path[120];
    va_list list;
    if (r->status != CAIRN_OK)
        return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    cairn_json_path(at, path, sizeof path);
    cairn_log(r->context, CAIRN_LOG_WARNING, "%.60s:%d:%d: %s%s%s", at->name, at->line, at->column, path,
              path[0] != '\0' ? ": " : "", text);
}

void cairn_reader_fail_inside(cairn_reader *r, const cairn_json *at, cairn_status status) {
    if (r->status != CAIRN_OK)
        return;
    r->status = status;
    if (status == CAIRN_ERROR_MEMORY)
        return;
    char text[400];
    snprintf(text, sizeof text, "%.390s", cairn_error_message(r->context));
    fail_at(r, at, at->line, at->column, status == CAIRN_ERROR_ARGUMENT ? CAIRN_ERROR_PARSE : status, text);
}

bool cairn_reader_keys(cairn_reader *r, const cairn_json *object, const char *const *known, int count) {
    char text[80], list[280] = "";
    if (r->status != CAIRN_OK)
        return false;
    if (object->kind != CAIRN_JSON_OBJECT) {
        for (int i = 0; i < count; i++)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i > 0 ? ", " : "", known[i]);
        cairn_reader_fail(r, object, "expected an object with the keys %s; found %s", list,
                          cairn_json_describe(object, text, sizeof text));
        return false;
    }
    for (const cairn_json *v = object->first; v != NULL; v = v->next) {
        bool good = false;
        for (int i = 0; i < count && !good; i++)
            good = strcmp(v->key, known[i]) == 0;
        if (good)
            continue;
        for (int i = 0; i < count; i++)
            snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i > 0 ? ", " : "", known[i]);
        const char *meant = cairn_nearest(v->key, known, count);
        if (meant != NULL)
            cairn_reader_fail_key(r, v, "unknown key '%.40s'; did you mean '%s'? Known here: %s", v->key, meant, list);
        else
            cairn_reader_fail_key(r, v, "unknown key '%.40s'; known here: %s", v->key, list);
        return false;
    }
    return true;
}

bool cairn_reader_list(cairn_reader *r, const cairn_json *list, int least, int most, const char *what) {
    char text[80];
    if (r->status != CAIRN_OK)
        return false;
    if (list->kind == CAIRN_JSON_ARRAY && list->count >= least && list->count <= most)
        return true;
    cairn_reader_fail(r, list, "expected %s, found %s", what, cairn_json_describe(list, text, sizeof text));
    return false;
}

static bool evaluate(cairn_reader *r, const cairn_json *v, const char *text, double *value) {
    cairn_expression_result result;
    cairn_variables scope = {r->scene->variable, r->scene->variables};
    if (!cairn_expression_evaluate(text, scope, &result)) {
        cairn_reader_fail(r, v, "in the expression '%.60s': %s", text, result.message);
        return false;
    }
    r->used |= result.used;
    *value = result.value;
    return true;
}

double cairn_reader_number(cairn_reader *r, const cairn_json *v, cairn_range range) {
    char text[80];
    double x = 1.0;
    if (r->status != CAIRN_OK)
        return 1.0;
    if (v->kind == CAIRN_JSON_NUMBER) {
        x = v->number;
    } else if (v->kind == CAIRN_JSON_STRING && v->text[0] == '=') {
        if (!evaluate(r, v, v->text + 1, &x))
            return 1.0;
    } else {
        cairn_reader_fail(r, v, "expected a number or an expression such as \"=2*pi\", found %s",
                          cairn_json_describe(v, text, sizeof text));
        return 1.0;
    }
    if (!isfinite(x))
        cairn_reader_fail(r, v, "the value of '%.60s' is not finite", v->text + 1);
    else if (range == CAIRN_RANGE_POSITIVE && !(x > 0.0))
        cairn_reader_fail(r, v, "expected a positive number, found %.10g", x);
    else if (range == CAIRN_RANGE_NOT_NEGATIVE && !(x >= 0.0))
        cairn_reader_fail(r, v, "expected a number that is 0 or more, found %.10g", x);
    return r->status == CAIRN_OK ? x : 1.0;
}

double cairn_reader_number_or(cairn_reader *r, const cairn_json *object, const char *key, cairn_range range,
                              double fallback) {
    const cairn_json *v = cairn_json_member(object, key);
    return v != NULL ? cairn_reader_number(r, v, range) : fallback;
}

int cairn_reader_count(cairn_reader *r, const cairn_json *v, int least, int most) {
    double x = cairn_reader_number(r, v, CAIRN_RANGE_ANY);
    if (r->status != CAIRN_OK)
        return least;
    if (x != floor(x) || x < least || x > most) {
        cairn_reader_fail(r, v, "expected a whole number from %d to %d, found %.10g", least, most, x);
        return least;
    }
    return (int)x;
}

bool cairn_reader_bool(cairn_reader *r, const cairn_json *v) {
    char text[80];
    if (r->status == CAIRN_OK && v->kind != CAIRN_JSON_BOOL)
        cairn_reader_fail(r, v, "expected true or false, found %s", cairn_json_describe(v, text, sizeof text));
    return r->status == CAIRN_OK && v->number != 0.0;
}

cairn_vec3 cairn_reader_vec3(cairn_reader *r, const cairn_json *v, cairn_range range) {
    double x[3] = {1.0, 1.0, 1.0};
    if (!cairn_reader_list(r, v, 3, 3, "a list of three numbers [x, y, z]"))
        return cairn_vec3_of(1.0, 1.0, 1.0);
    for (const cairn_json *item = v->first; item != NULL; item = item->next)
        x[item->index] = cairn_reader_number(r, item, range);
    return cairn_vec3_of(x[0], x[1], x[2]);
}

static cairn_vec3 direction(cairn_reader *r, const cairn_json *v) {
    cairn_vec3 a = cairn_reader_vec3(r, v, CAIRN_RANGE_ANY);
    if (r->status == CAIRN_OK && !(cairn_vec3_length(a) > 0.0))
        cairn_reader_fail(r, v, "expected a direction, found a vector of length 0");
    return cairn_vec3_unit(a);
}

double cairn_reader_angle(cairn_reader *r, const cairn_json *v) {
    const double turn = 6.283185307179586;
    double x = cairn_reader_number(r, v, CAIRN_RANGE_ANY);
    if (fabs(x) > turn * (1.0 + 1e-9))
        cairn_reader_note(
            r, v, "%.6g rad is more than a turn; angles are in radians: %.6g degrees are \"=%.6g*pi/180\"", x, x, x);
    return x;
}

cairn_quat cairn_reader_rotation(cairn_reader *r, const cairn_json *v) {
    static const char *const known[] = {"axis", "angle"};
    char text[80];
    if (r->status != CAIRN_OK)
        return cairn_quat_identity();
    if (v->kind == CAIRN_JSON_OBJECT) {
        if (!cairn_reader_keys(r, v, known, 2))
            return cairn_quat_identity();
        const cairn_json *axis = cairn_json_member(v, "axis"), *angle = cairn_json_member(v, "angle");
        if (axis == NULL || angle == NULL) {
            cairn_reader_fail(r, v, "expected both \"axis\" and \"angle\"");
            return cairn_quat_identity();
        }
        return cairn_quat_turn(direction(r, axis), cairn_reader_angle(r, angle));
    }
    if (v->kind != CAIRN_JSON_ARRAY || v->count != 4) {
        cairn_reader_fail(r, v,
                          "expected a quaternion [w, x, y, z] or {\"axis\": [x, y, z], \"angle\": radians}, found %s",
                          cairn_json_describe(v, text, sizeof text));
        return cairn_quat_identity();
    }
    double q[4] = {0};
    for (const cairn_json *item = v->first; item != NULL; item = item->next)
        q[item->index] = cairn_reader_number(r, item, CAIRN_RANGE_ANY);
    cairn_quat turn = {q[0], q[1], q[2], q[3]};
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (r->status == CAIRN_OK && fabs(length - 1.0) > 1e-3)
        cairn_reader_fail(r, v, "expected a quaternion [w, x, y, z] of length 1, found one of length %.6g", length);
    return cairn_quat_unit(turn);
}

/* The turn that takes z to the direction n, about the axis at right angles to both. */
static cairn_quat turn_to(cairn_vec3 n) {
    cairn_quat q = {1.0 + n.z, -n.y, n.x, 0.0};
    return n.z > -1.0 + 1e-12 ? cairn_quat_unit(q)
                              : cairn_quat_turn(cairn_vec3_of(1.0, 0.0, 0.0), 3.14159265358979323846);
}

cairn_pose cairn_reader_pose(cairn_reader *r, const cairn_json *object) {
    cairn_pose pose = cairn_pose_identity();
    const cairn_json *position = cairn_json_member(object, "position"), *turn = cairn_json_member(object, "rotation");
    const cairn_json *axis = cairn_json_member(object, "axis");
    if (position != NULL)
        pose.position = cairn_reader_vec3(r, position, CAIRN_RANGE_ANY);
    if (turn != NULL && axis != NULL)
        cairn_reader_fail_key(r, axis, "\"axis\" and \"rotation\" both say where z points: give one");
    if (turn != NULL)
        pose.rotation = cairn_reader_rotation(r, turn);
    else if (axis != NULL)
        pose.rotation = turn_to(direction(r, axis));
    return pose;
}

const char *cairn_reader_text(cairn_reader *r, const cairn_json *v) {
    char text[80];
    if (r->status == CAIRN_OK && v->kind != CAIRN_JSON_STRING)
        cairn_reader_fail(r, v, "expected a text in quotes, found %s", cairn_json_describe(v, text, sizeof text));
    return r->status == CAIRN_OK ? v->text : "";
}

int cairn_reader_choice(cairn_reader *r, const cairn_json *v, const char *const *word, int count) {
    char list[280] = "", text[80];
    if (r->status != CAIRN_OK)
        return 0;
    for (int i = 0; i < count && v->kind == CAIRN_JSON_STRING; i++)
        if (strcmp(v->text, word[i]) == 0)
            return i;
    for (int i = 0; i < count; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s\"%s\"", i > 0 ? ", " : "", word[i]);
    const char *meant = v->kind == CAIRN_JSON_STRING ? cairn_nearest(v->text, word, count) : NULL;
    cairn_json_describe(v, text, sizeof text);
    if (meant != NULL)
        cairn_reader_fail(r, v, "expected one of %s; found %s; did you mean \"%s\"?", list, text, meant);
    else
        cairn_reader_fail(r, v, "expected one of %s; found %s", list, text);
    return 0;
}

void cairn_reader_name(cairn_reader *r, const cairn_json *v, char name[CAIRN_SCENE_NAME_MAX]) {
    const char *text = cairn_reader_text(r, v);
    size_t used = 0;
    while (r->status == CAIRN_OK && *text != '\0' && used < CAIRN_SCENE_NAME_MAX - 16) {
        const char *close = *text == '{' ? strchr(text, '}') : NULL;
        char inside[64];
        double x = 0.0;
        if (*text == '{' && (close == NULL || close - text >= (ptrdiff_t)sizeof inside)) {
            cairn_reader_fail(r, v,
                              "'{' begins an expression of up to %d characters, as in \"brick {i}\": '}' is missing",
                              (int)sizeof inside - 2);
            break;
        }
        if (close == NULL) {
            name[used++] = *text++;
            continue;
        }
        snprintf(inside, sizeof inside, "%.*s", (int)(close - text - 1), text + 1);
        if (!evaluate(r, v, inside, &x))
            break;
        if (x != floor(x) || fabs(x) > 1e9)
            cairn_reader_fail(r, v, "the part {%s} is %.10g, not a whole number", inside, x);
        used += (size_t)snprintf(name + used, 16, "%.0f", x);
        text = close + 1;
    }
    name[used] = '\0';
    if (r->status == CAIRN_OK && (*text != '\0' || used == 0))
        cairn_reader_fail(r, v, "expected a name of 1 to %d bytes", CAIRN_SCENE_NAME_MAX - 16);
}

void cairn_reader_formula(cairn_reader *r, const cairn_json *v, cairn_formula *formula) {
    int before = r->used, count = r->scene->variables;
    *formula = (cairn_formula){.at = v};
    if (r->status != CAIRN_OK)
        return;
    cairn_reader_push(r, "t", 0.0, CAIRN_VARIABLE_TIME);
    r->used = 0;
    formula->constant = cairn_reader_number(r, v, CAIRN_RANGE_ANY);
    if (r->status == CAIRN_OK && (r->used & CAIRN_VARIABLE_TIME) != 0) {
        formula->variable = cairn_alloc(r->context, (size_t)r->scene->variables, sizeof *formula->variable);
        if (formula->variable == NULL) {
            r->status = CAIRN_ERROR_MEMORY;
        } else {
            formula->text = v->text + 1;
            formula->count = r->scene->variables;
            memcpy(formula->variable, r->scene->variable, (size_t)formula->count * sizeof *formula->variable);
        }
    }
    r->used |= before;
    r->scene->variables = count;
}

bool cairn_reader_grow(cairn_reader *r, void *array, int count, int *capacity, size_t size) {
    if (r->status != CAIRN_OK)
        return false;
    if (count < *capacity)
        return true;
    void *old, *larger = cairn_alloc(r->context, (size_t)(2 * *capacity + 16), size);
    if (larger == NULL) {
        r->status = CAIRN_ERROR_MEMORY;
        return false;
    }
    memcpy(&old, array, sizeof old);
    if (count > 0)
        memcpy(larger, old, (size_t)count * size);
    cairn_free(r->context, old);
    memcpy(array, &larger, sizeof larger);
    *capacity = 2 * *capacity + 16;
    return true;
}

void cairn_reader_push(cairn_reader *r, const char *name, double value, int origin) {
    cairn_scene *s = r->scene;
    if (cairn_reader_grow(r, &s->variable, s->variables, &s->variable_capacity, sizeof *s->variable))
        s->variable[s->variables++] = (cairn_variable){name, value, origin};
}
