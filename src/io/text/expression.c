/*
 * expression.c: the formulas of expression.h, computed while they are read by recursive descent.
 *
 * The branch of an if() that is not taken is read with live = false: its names and brackets are
 * checked, its values do not count.
 */
#include "io/text/expression.h"

#include "io/text/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { DEPTH_MAX = 64, ARGUMENTS_MAX = 4, NAME_MAX_ = 48 };

typedef struct parser {
    const char *text, *at, *end;
    cairn_variables variables;
    int depth;
    bool failed, live;
    cairn_expression_result *result;
} parser;

typedef enum function_kind {
    F_SIN,
    F_COS,
    F_TAN,
    F_ASIN,
    F_ACOS,
    F_ATAN,
    F_SQRT,
    F_EXP,
    F_LOG,
    F_ABS,
    F_SIGN,
    F_FLOOR,
    F_CEIL,
    F_ROUND,
    F_ATAN2,
    F_HYPOT,
    F_MIN,
    F_MAX,
    F_IF,
    F_RANDOM
} function_kind;

typedef struct function_row {
    const char *name;
    function_kind kind;
    int least, most;
} function_row;

static const function_row functions[] = {
    {"sin", F_SIN, 1, 1},   {"cos", F_COS, 1, 1},     {"tan", F_TAN, 1, 1},     {"asin", F_ASIN, 1, 1},
    {"acos", F_ACOS, 1, 1}, {"atan", F_ATAN, 1, 1},   {"sqrt", F_SQRT, 1, 1},   {"exp", F_EXP, 1, 1},
    {"log", F_LOG, 1, 1},   {"abs", F_ABS, 1, 1},     {"sign", F_SIGN, 1, 1},   {"floor", F_FLOOR, 1, 1},
    {"ceil", F_CEIL, 1, 1}, {"round", F_ROUND, 1, 1}, {"atan2", F_ATAN2, 2, 2}, {"hypot", F_HYPOT, 2, 2},
    {"min", F_MIN, 1, 4},   {"max", F_MAX, 1, 4},     {"if", F_IF, 3, 3},       {"random", F_RANDOM, 1, 4},
};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

static double fail(parser *p, const char *at, const char *format, ...) CAIRN_PRINTF(3, 4);
static double fail(parser *p, const char *at, const char *format, ...) {
    if (p->failed)
        return 0.0;
    p->failed = true;
    char why[140];
    va_list list;
    va_start(list, format);
    vsnprintf(why, sizeof why, format, list);
    va_end(list);
    snprintf(p->result->message, sizeof p->result->message, "%s at character %d", why, (int)(at - p->text) + 1);
    return 0.0;
}

static void skip(parser *p) {
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t'))
        p->at++;
}

static bool take(parser *p, const char *sign) {
    size_t length = strlen(sign);
    skip(p);
    if ((size_t)(p->end - p->at) < length || memcmp(p->at, sign, length) != 0)
        return false;
    p->at += length;
    return true;
}

static bool letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool digit(char c) {
    return c >= '0' && c <= '9';
}

static double comparison(parser *p);

static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

double cairn_expression_random(double a, double b, double c, double d) {
    double x[4] = {a, b, c, d};
    uint64_t state = UINT64_C(0x9E3779B97F4A7C15);
    for (int i = 0; i < 4; i++) {
        uint64_t bits;
        double plain = x[i] + 0.0; /* -0 is 0 */
        memcpy(&bits, &plain, sizeof bits);
        state = mix(state + mix(bits + UINT64_C(0x9E3779B97F4A7C15)));
    }
    return (double)(state >> 11) * 0x1p-53;
}

static double apply(const function_row *f, int count, const double x[ARGUMENTS_MAX]) {
    double y = x[0];
    switch (f->kind) {
    case F_SIN:
        return sin(y);
    case F_COS:
        return cos(y);
    case F_TAN:
        return tan(y);
    case F_ASIN:
        return asin(y);
    case F_ACOS:
        return acos(y);
    case F_ATAN:
        return atan(y);
    case F_SQRT:
        return sqrt(y);
    case F_EXP:
        return exp(y);
    case F_LOG:
        return log(y);
    case F_ABS:
        return fabs(y);
    case F_SIGN:
        return y > 0.0 ? 1.0 : y < 0.0 ? -1.0 : 0.0;
    case F_FLOOR:
        return floor(y);
    case F_CEIL:
        return ceil(y);
    case F_ROUND:
        return round(y);
    case F_ATAN2:
        return atan2(y, x[1]);
    case F_HYPOT:
        return hypot(y, x[1]);
    case F_MIN:
    case F_MAX:
        for (int i = 1; i < count; i++)
            y = f->kind == F_MIN ? fmin(y, x[i]) : fmax(y, x[i]);
        return y;
    case F_IF:
        return y != 0.0 ? x[1] : x[2];
    case F_RANDOM:
        return cairn_expression_random(y, x[1], x[2], x[3]);
    }
    return y;
}

static double call(parser *p, const function_row *f, const char *at) {
    double x[ARGUMENTS_MAX] = {0};
    int count = 0;
    bool live = p->live;
    do {
        if (count == f->most) {
            p->live = live;
            return fail(p, p->at, "%s takes %d value%s, not more", f->name, f->most, f->most > 1 ? "s" : "");
        }
        if (f->kind == F_IF && count > 0)
            p->live = live && (x[0] != 0.0) == (count == 1);
        x[count++] = comparison(p);
    } while (!p->failed && take(p, ","));
    p->live = live;
    if (!p->failed && !take(p, ")"))
        return fail(p, p->at, "')' is missing");
    if (!p->failed && count < f->least)
        return fail(p, at, "%s needs %d values, got %d", f->name, f->least, count);
    return p->failed ? 0.0 : apply(f, count, x);
}

/* Names of functions and variables for a suggestion. */
static const char *suggest(const parser *p, const char *name) {
    const char *known[FUNCTIONS + 128];
    int count = 0;
    for (int i = 0; i < FUNCTIONS; i++)
        known[count++] = functions[i].name;
    for (int i = p->variables.count - 1; i >= 0 && count < FUNCTIONS + 128; i--)
        known[count++] = p->variables.item[i].name;
    return cairn_nearest(name, known, count);
}

static double named(parser *p) {
    const char *at = p->at;
    char name[NAME_MAX_];
    while (p->at < p->end && (letter(*p->at) || digit(*p->at)))
        p->at++;
    if (p->at - at >= NAME_MAX_)
        return fail(p, at, "a name of more than %d letters", NAME_MAX_ - 1);
    snprintf(name, sizeof name, "%.*s", (int)(p->at - at), at);
    if (take(p, "(")) {
        for (int i = 0; i < FUNCTIONS; i++)
            if (strcmp(functions[i].name, name) == 0)
                return call(p, &functions[i], at);
        const char *meant = suggest(p, name);
        return fail(p, at, "no function '%s'%s%s%s", name, meant != NULL ? " (did you mean '" : "",
                    meant != NULL ? meant : "", meant != NULL ? "'?)" : "");
    }
    for (int i = p->variables.count - 1; i >= 0; i--)
        if (strcmp(p->variables.item[i].name, name) == 0) {
            p->result->used |= p->variables.item[i].origin;
            return p->variables.item[i].value;
        }
    if (strcmp(name, "pi") == 0)
        return 3.14159265358979323846;
    const char *meant = suggest(p, name);
    return fail(p, at, "unknown name '%s'%s%s%s", name, meant != NULL ? " (did you mean '" : "",
                meant != NULL ? meant : "", meant != NULL ? "'?)" : "");
}

static double operand(parser *p) {
    skip(p);
    if (p->at == p->end)
        return fail(p, p->at, "a value is missing");
    if (letter(*p->at))
        return named(p);
    if (digit(*p->at) || (*p->at == '.' && p->at + 1 < p->end && digit(p->at[1]))) {
        double value = 0.0;
        const char *after = cairn_scan_number(p->at, p->end, &value);
        if (after == NULL)
            return fail(p, p->at, "not a number");
        p->at = after;
        return value;
    }
    if (take(p, "(")) {
        double value = comparison(p);
        return p->failed || take(p, ")") ? value : fail(p, p->at, "')' is missing");
    }
    return fail(p, p->at, "expected a value, found '%c'", *p->at);
}

static double unary(parser *p);

static double power(parser *p) {
    double base = operand(p);
    if (!p->failed && take(p, "^"))
        base = pow(base, unary(p));
    return base;
}

/* Every nesting passes here: the one place that counts the depth. */
static double unary(parser *p) {
    if (++p->depth > DEPTH_MAX)
        return fail(p, p->at, "more than %d levels", DEPTH_MAX);
    double value = take(p, "-") ? -unary(p) : take(p, "+") ? unary(p) : power(p);
    p->depth--;
    return value;
}

static double product(parser *p) {
    double value = unary(p);
    while (!p->failed) {
        const char *at = p->at;
        if (take(p, "*")) {
            value *= unary(p);
        } else if (take(p, "/")) {
            double by = unary(p);
            if (by == 0.0 && p->live)
                return fail(p, at, "division by 0");
            value /= by;
        } else if (take(p, "%")) {
            double by = unary(p);
            if (by == 0.0 && p->live)
                return fail(p, at, "remainder of a division by 0");
            value -= by * floor(value / by);
        } else {
            break;
        }
    }
    return value;
}

static double sum(parser *p) {
    double value = product(p);
    while (!p->failed) {
        if (take(p, "+"))
            value += product(p);
        else if (take(p, "-"))
            value -= product(p);
        else
            break;
    }
    return value;
}

static double comparison(parser *p) {
    double a = sum(p);
    if (p->failed)
        return 0.0;
    if (take(p, "<="))
        return a <= sum(p);
    if (take(p, ">="))
        return a >= sum(p);
    if (take(p, "=="))
        return a == sum(p);
    if (take(p, "!="))
        return a != sum(p);
    if (take(p, "<"))
        return a < sum(p);
    if (take(p, ">"))
        return a > sum(p);
    return a;
}

bool cairn_expression_evaluate(const char *text, cairn_variables variables, cairn_expression_result *result) {
    *result = (cairn_expression_result){0};
    parser p = {.text = text, .at = text, .end = text + strlen(text), .variables = variables, .live = true};
    p.result = result;
    double value = comparison(&p);
    skip(&p);
    if (!p.failed && p.at < p.end)
        fail(&p, p.at, "expected an operator, found '%c'", *p.at);
    result->value = value;
    return !p.failed;
}

bool cairn_expression_is_name(const char *text) {
    if (!letter(text[0]) || strlen(text) >= NAME_MAX_ || strcmp(text, "pi") == 0)
        return false;
    for (const char *c = text; *c != '\0'; c++)
        if (!letter(*c) && !digit(*c))
            return false;
    for (int i = 0; i < FUNCTIONS; i++)
        if (strcmp(functions[i].name, text) == 0)
            return false;
    return true;
}
