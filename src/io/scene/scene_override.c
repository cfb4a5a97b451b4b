/*
 * scene_override.c: overrides, and the parameters of a scene.
 *
 * Parameters may use each other in any order: those that can be computed are, until nothing
 * changes. A parameter of the outer file wins over one of the same name in a file that it includes;
 * an override wins over both.
 */
#include "io/scene/scene_data.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PARAMETERS_MAX = 256 };

static const char *const top_values[] = {"title",
                                         "comment",
                                         "gravity",
                                         "step",
                                         "until",
                                         "law",
                                         "method",
                                         "tolerance",
                                         "velocity_tolerance",
                                         "joint_tolerance",
                                         "depth_tolerance",
                                         "substeps",
                                         "rolling",
                                         "gap_share",
                                         "newton",
                                         "force_tolerance"};
enum { TOP_VALUES = sizeof top_values / sizeof top_values[0] };

/* The name of the parameter that an override means, NULL when it means a place in the tree. */
static const char *parameter_of(const cairn_scene_override *o) {
    const char *name = strncmp(o->path, "parameters.", 11) == 0 ? o->path + 11 : o->path;
    if (!cairn_expression_is_name(name))
        return NULL;
    for (int i = 0; i < TOP_VALUES && name == o->path; i++)
        if (strcmp(name, top_values[i]) == 0)
            return NULL;
    return name;
}

static void bad_path(cairn_reader *r, const cairn_scene_override *o, const char *why) {
    if (r->status == CAIRN_OK)
        r->status = cairn_fail(r->context, CAIRN_ERROR_PARSE, "--set %.80s=%.40s: %s", o->path, o->value, why);
}

static const char many_values[] = "this place holds a list or an object; only single values can be replaced";

/* There is no member of this name: says which was meant. */
static void no_member(cairn_reader *r, const cairn_scene_override *o, const cairn_json *from, const char *key) {
    const char *known[PARAMETERS_MAX];
    int count = 0;
    for (const cairn_json *v = from->first; v != NULL && count < PARAMETERS_MAX; v = v->next)
        known[count++] = v->key;
    char why[200];
    const char *meant = cairn_nearest(key, known, count);
    snprintf(why, sizeof why, "there is no '%.60s' at this place%s%.60s%s", key,
             meant != NULL ? "; did you mean '" : "", meant != NULL ? meant : "", meant != NULL ? "'?" : "");
    bad_path(r, o, why);
}

/* One step along a path: moves *at past the key or index and returns the value there; NULL after
 * a failure. */
static cairn_json *walk(cairn_reader *r, const cairn_scene_override *o, cairn_json *from, const char **at) {
    char key[64], why[160];
    if (**at == '[') {
        int index = -1, used = 0;
        if (sscanf(*at, "[%9d]%n", &index, &used) != 1 || used == 0) {
            bad_path(r, o, "expected a number in brackets, as in bodies[0]");
            return NULL;
        }
        cairn_json *v = from->kind == CAIRN_JSON_ARRAY && index >= 0 ? from->first : NULL;
        while (v != NULL && v->index < index)
            v = v->next;
        if (v == NULL) {
            snprintf(why, sizeof why, "there is no item %d; the list has %d", index,
                     from->kind == CAIRN_JSON_ARRAY ? from->count : 0);
            bad_path(r, o, why);
        }
        *at += used;
        return v;
    }
    size_t letters = strcspn(*at, ".[");
    if (letters == 0 || letters >= sizeof key || from->kind != CAIRN_JSON_OBJECT) {
        bad_path(r, o, "there is no such place in the scene");
        return NULL;
    }
    snprintf(key, sizeof key, "%.*s", (int)letters, *at);
    *at += letters;
    if (**at != '\0') {
        cairn_json *v = cairn_json_member(from, key);
        if (v == NULL)
            no_member(r, o, from, key);
        return v;
    }
    cairn_json *v = cairn_json_add(r->scene->document[0], from, key);
    if (v == NULL)
        r->status = CAIRN_ERROR_MEMORY;
    return v;
}

static void replace(cairn_reader *r, const cairn_scene_override *o, cairn_json *v) {
    const char *end = o->value + strlen(o->value);
    if (v->kind == CAIRN_JSON_ARRAY || v->kind == CAIRN_JSON_OBJECT) {
        bad_path(r, o, many_values);
        return;
    }
    double number = 0.0;
    v->line = v->key_line = 0;
    if (cairn_scan_number(o->value, end, &number) == end) {
        v->kind = CAIRN_JSON_NUMBER;
        v->number = number;
    } else if (strcmp(o->value, "true") == 0 || strcmp(o->value, "false") == 0) {
        v->kind = CAIRN_JSON_BOOL;
        v->number = o->value[0] == 't';
    } else {
        v->kind = CAIRN_JSON_STRING;
        v->text = cairn_json_keep(r->scene->document[0], o->value, strlen(o->value));
        if (v->text == NULL)
            r->status = CAIRN_ERROR_MEMORY;
    }
}

void cairn_reader_set(cairn_reader *r) {
    cairn_json *root = cairn_json_root(r->scene->document[0]);
    for (int i = 0; i < r->overrides && r->status == CAIRN_OK; i++) {
        const cairn_scene_override *o = &r->override[i];
        if (parameter_of(o) != NULL)
            continue;
        cairn_json *v = root;
        const char *at = o->path;
        /* "options" is the one object that may be missing: its members come from the command
         * line. */
        if (strncmp(at, "options.", 8) == 0 && cairn_json_member(root, "options") == NULL) {
            cairn_json *made = cairn_json_add(r->scene->document[0], root, "options");
            if (made == NULL)
                r->status = CAIRN_ERROR_MEMORY;
            else
                made->kind = CAIRN_JSON_OBJECT;
        }
        while (v != NULL && r->status == CAIRN_OK && *at != '\0') {
            at += *at == '.' && v != root;
            v = walk(r, o, v, &at);
        }
        if (r->status == CAIRN_OK && v == root)
            bad_path(r, o, "the path is empty");
        if (r->status == CAIRN_OK && v != NULL)
            replace(r, o, v);
    }
}

typedef struct definition {
    const char *name;
    const cairn_json *node;
    const char *text; /* of an override, else NULL */
    bool done;
} definition;

static int collect(cairn_reader *r, definition *list) {
    int count = 0;
    for (int d = 0; d < r->scene->documents; d++) {
        const cairn_json *all = cairn_json_member(cairn_json_root(r->scene->document[d]), "parameters");
        if (all != NULL && all->kind != CAIRN_JSON_OBJECT)
            cairn_reader_fail(r, all, "expected an object {name: number, ...}");
        for (const cairn_json *v = all != NULL ? all->first : NULL; v != NULL && r->status == CAIRN_OK; v = v->next) {
            bool known = false;
            for (int i = 0; i < count && !known; i++)
                known = strcmp(list[i].name, v->key) == 0;
            if (known)
                continue;
            if (cairn_reader_reserved(v->key))
                cairn_reader_fail_key(r, v, "a parameter cannot be called '%s': " CAIRN_RESERVED_NAMES, v->key);
            else if (!cairn_expression_is_name(v->key))
                cairn_reader_fail_key(r, v,
                                      "a parameter needs a name of letters, digits and _ that is not pi or a function");
            else if (count == PARAMETERS_MAX)
                cairn_reader_fail_key(r, v, "more than %d parameters", PARAMETERS_MAX);
            else
                list[count++] = (definition){.name = v->key, .node = v};
        }
    }
    return count;
}

/* The scene has no such parameter: says which was meant, or what there is. The first `count`
 * names are its parameters. */
static void no_parameter(cairn_reader *r, const cairn_scene_override *o, const char *const *known, int count) {
    char why[300];
    const char *name = parameter_of(o), *meant = cairn_nearest(name, known, count + TOP_VALUES);
    int used = snprintf(why, sizeof why, "the scene has no parameter '%.40s'", name);
    if (meant != NULL)
        snprintf(why + used, sizeof why - (size_t)used, "; did you mean '%.40s'?", meant);
    else if (count == 0)
        snprintf(why + used, sizeof why - (size_t)used,
                 "; it has none. A value by its path: --set bodies[0].density=500, --set step=0.005");
    for (int k = 0; k < count && meant == NULL && used + 60 < (int)sizeof why; k++)
        used += snprintf(why + used, sizeof why - (size_t)used, "%s%.40s", k == 0 ? "; it has " : ", ", known[k]);
    bad_path(r, o, why);
}

static void override_parameters(cairn_reader *r, definition *list, int count) {
    for (int i = 0; i < r->overrides && r->status == CAIRN_OK; i++) {
        const char *name = parameter_of(&r->override[i]), *known[PARAMETERS_MAX + TOP_VALUES];
        bool found = name == NULL;
        for (int k = 0; k < count; k++) {
            known[k] = list[k].name;
            if (name != NULL && strcmp(list[k].name, name) == 0) {
                list[k].text = r->override[i].value + (r->override[i].value[0] == '=');
                found = true;
            }
        }
        for (int k = 0; k < TOP_VALUES; k++)
            known[count + k] = top_values[k];
        if (found)
            continue;
        if (cairn_json_member(cairn_json_root(r->scene->document[0]), name) != NULL) {
            bad_path(r, &r->override[i], many_values);
            return;
        }
        no_parameter(r, &r->override[i], known, count);
    }
}

/* The formula of a parameter; NULL: it is not one. */
static const char *formula_of(const definition *d) {
    if (d->text != NULL)
        return d->text;
    return d->node->kind == CAIRN_JSON_STRING && d->node->text[0] == '=' ? d->node->text + 1 : NULL;
}

/* Its value if all that it needs is known. quiet: a failure is not recorded. */
static bool compute(cairn_reader *r, definition *d, bool quiet) {
    cairn_variables scope = {r->scene->variable, r->scene->variables};
    const char *text = formula_of(d);
    cairn_expression_result result = {0};
    if (text == NULL) {
        if (quiet && d->node->kind != CAIRN_JSON_NUMBER)
            return false;
        result.value = cairn_reader_number(r, d->node, CAIRN_RANGE_ANY);
    } else if (!cairn_expression_evaluate(text, scope, &result) || !isfinite(result.value)) {
        if (!quiet)
            cairn_reader_fail(r, d->node, "in the expression '%.60s': %s", text,
                              result.message[0] != '\0' ? result.message : "the value is not finite");
        return false;
    }
    if (r->status != CAIRN_OK)
        return false;
    cairn_reader_push(r, d->name, result.value, CAIRN_VARIABLE_PARAMETER);
    d->done = true;
    return true;
}

static bool is_letter(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Whether the name stands in the formula as a word. */
static bool mentions(const char *formula, const char *name) {
    size_t letters = strlen(name);
    for (const char *at = formula; at != NULL && (at = strstr(at, name)) != NULL; at++)
        if ((at == formula || !is_letter(at[-1])) && !is_letter(at[letters]))
            return true;
    return false;
}

/* The first parameter without a value that this one needs; -1: none. */
static int needed(const definition *list, int count, int i) {
    for (int k = 0; k < count; k++)
        if (!list[k].done && mentions(formula_of(&list[i]), list[k].name))
            return k;
    return -1;
}

/* Why some parameters have no value: the first that needs none of the others is wrong in itself,
 * or else they go round in a circle. */
static void blame(cairn_reader *r, definition *list, int count) {
    int at = -1;
    for (int i = 0; i < count && r->status == CAIRN_OK; i++) {
        if (list[i].done)
            continue;
        if (needed(list, count, i) < 0)
            compute(r, &list[i], false);
        at = at < 0 ? i : at;
    }
    if (at < 0 || r->status != CAIRN_OK)
        return;
    for (int i = 0; i < count; i++) /* as many steps as there are parameters end in the circle */
        at = needed(list, count, at);
    int next = needed(list, count, at);
    if (next == at)
        cairn_reader_fail(r, list[at].node, "the parameter '%.40s' needs its own value", list[at].name);
    else
        cairn_reader_fail(r, list[at].node,
                          "the parameter '%.40s' needs '%.40s', which in the end needs '%.40s' again: parameters "
                          "go round in a circle",
                          list[at].name, list[next].name, list[at].name);
}

void cairn_reader_parameters(cairn_reader *r) {
    definition *list = cairn_alloc(r->context, PARAMETERS_MAX, sizeof *list);
    if (list == NULL) {
        r->status = r->status == CAIRN_OK ? CAIRN_ERROR_MEMORY : r->status;
        return;
    }
    int count = collect(r, list);
    override_parameters(r, list, count);
    for (bool more = true; more && r->status == CAIRN_OK;) {
        more = false;
        for (int i = 0; i < count; i++)
            if (!list[i].done && compute(r, &list[i], true))
                more = true;
    }
    blame(r, list, count);
    r->scene->parameters = r->scene->variables;
    cairn_free(r->context, list);
}
