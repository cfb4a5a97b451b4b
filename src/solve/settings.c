/*
 * settings.c: defaults, and settings by name for --opt KEY=VALUE.
 *
 * One table row a setting: key, where it lives, what it may be, what it means. A method names the keys it uses and
 * its own defaults in its row of method_table.c.
 */
#include "settings.h"

#include "method.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum option_type { OPTION_REAL, OPTION_COUNT, OPTION_SWITCH, OPTION_CHOICE } option_type;

typedef struct option {
    const char *key;
    option_type type;
    size_t offset;
    double low, high;    /* real, count: allowed range */
    bool open;           /* the ends of the range are not allowed */
    const char *choices; /* choice: names separated by |, in the order of the enum */
    const char *help;
} option;

#define AT(field) offsetof(cairn_settings, field)

static const option table[] = {
    {"tolerance", OPTION_REAL, AT(tolerance), 0.0, 1.0, true, NULL, "certificate asked for"},
    {"tolerance_plain", OPTION_REAL, AT(tolerance_plain), -1.0, 1.0, false, NULL,
     "also wish for natural_map_plain; -1: as tolerance, 0: no wish"},
    {"max_iterations", OPTION_COUNT, AT(max_iterations), 1, INT_MAX, false, NULL, "iteration limit"},
    {"time_limit", OPTION_REAL, AT(time_limit), 0.0, 1e9, false, NULL, "seconds, 0: none"},
    {"test_every", OPTION_COUNT, AT(test_every), 1, 1e6, false, NULL,
     "iterations between two looks at the natural map"},
    {"rho", OPTION_REAL, AT(rho), 0.0, 1e30, true, NULL, "first penalty"},
    {"rho_bilateral", OPTION_REAL, AT(rho_bilateral), 0.0, 1e30, true, NULL,
     "penalty of bilateral rows, relative to their block scale"},
    {"step_policy", OPTION_CHOICE, AT(step_policy), 0, 3, false, "fixed|balanced|balanced-normalized|spectral",
     "how the penalty is changed"},
    {"step_every", OPTION_COUNT, AT(step_every), 1, 1e6, false, NULL,
     "n_s: iterations between two looks at the penalty"},
    {"step_grow", OPTION_REAL, AT(step_grow), 1.0, 10.0, false, NULL,
     "the interval grows by this factor with every change"},
    {"step_clamp", OPTION_REAL, AT(step_clamp), 1.0, 1e12, false, NULL, "largest change of the penalty in one update"},
    {"step_ignore", OPTION_REAL, AT(step_ignore), 1.0, 1e12, false, NULL, "changes below this factor are not made"},
    {"step_max", OPTION_COUNT, AT(step_max), 0, INT_MAX, false, NULL, "at most this many changes, 0: no limit"},
    {"relaxation", OPTION_REAL, AT(relaxation), 0.0, 2.0, true, NULL, "over-relaxation, 1: none"},
    {"anderson", OPTION_COUNT, AT(anderson), 0, 50, false, NULL, "memory of Anderson acceleration, 0: off"},
    {"restart", OPTION_REAL, AT(restart), 0.0, 1.0, true, NULL, "epsilon_r of the accelerated methods"},
    {"coulomb", OPTION_CHOICE, AT(coulomb), 0, 2, false, "resolvent|inside|outer",
     "how the exact Coulomb law enters the iteration"},
    {"eps_primal", OPTION_REAL, AT(eps_primal), 0.0, 1e30, false, NULL,
     "the method's own stop: primal residual in N s; 0: only the certificate stops"},
    {"eps_dual", OPTION_REAL, AT(eps_dual), 0.0, 1e30, false, NULL, "the method's own stop: dual residual in m/s"},
    {"eps_relative", OPTION_REAL, AT(eps_relative), 0.0, 1.0, false, NULL,
     "added to both, relative to the impulses and to the slips"},
    {"omega", OPTION_REAL, AT(omega), 0.0, 2.0, true, NULL, "relaxation of a sweep"},
    {"symmetric", OPTION_SWITCH, AT(symmetric), 0, 1, false, NULL, "sweep forwards, then backwards"},
    {"colouring", OPTION_SWITCH, AT(colouring), 0, 1, false, NULL, "sweep colour by colour, in parallel"},
    {"precondition", OPTION_SWITCH, AT(precondition), 0, 1, false, NULL, "scale by the block scales"},
    {"history", OPTION_COUNT, AT(history), 1, 100, false, NULL, "memory of the nonmonotone line search"},
};
enum { OPTIONS = sizeof table / sizeof *table };

static const option *find_option(const char *key, size_t length) {
    for (int i = 0; i < OPTIONS; i++)
        if (strlen(table[i].key) == length && memcmp(table[i].key, key, length) == 0)
            return &table[i];
    return NULL;
}

/* Is key one of the words of list? */
static bool has_word(const char *list, const char *key) {
    size_t length = strlen(key);
    for (const char *at = strstr(list, key); at != NULL; at = strstr(at + 1, key))
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

/* Position of value among "a|b|c", -1 when it is none of them. */
static int find_choice(const char *choices, const char *value) {
    size_t length = strlen(value);
    int index = 0;
    for (const char *at = choices; at != NULL; index++) {
        const char *bar = strchr(at, '|');
        size_t here = bar != NULL ? (size_t)(bar - at) : strlen(at);
        if (here == length && memcmp(at, value, length) == 0)
            return index;
        at = bar != NULL ? bar + 1 : NULL;
    }
    return -1;
}

static void range_text(const option *o, char *text, size_t size) {
    if (o->type == OPTION_CHOICE)
        snprintf(text, size, "%s", o->choices);
    else if (o->type == OPTION_SWITCH)
        snprintf(text, size, "on|off");
    else if (o->high >= 1e9)
        snprintf(text, size, "%s %g", o->open ? ">" : ">=", o->low);
    else
        snprintf(text, size, "%s%g, %g%s", o->open ? "(" : "[", o->low, o->high, o->open ? ")" : "]");
}

static bool parse_number(const char *value, double *number) {
    char *end = NULL;
    errno = 0;
    *number = strtod(value, &end);
    return *value != '\0' && *end == '\0' && errno == 0 && isfinite(*number);
}

static bool store(cairn_settings *settings, const option *o, const char *value) {
    char *field = (char *)settings + o->offset;
    double number = 0.0;
    if (o->type == OPTION_CHOICE) {
        int choice = find_choice(o->choices, value);
        if (choice < 0)
            return false;
        if (o->offset == AT(step_policy))
            settings->step_policy = (cairn_step_policy)choice;
        else
            settings->coulomb = (cairn_coulomb_mode)choice;
        return true;
    }
    if (o->type == OPTION_SWITCH) {
        bool on = strcmp(value, "on") == 0 || strcmp(value, "true") == 0 || strcmp(value, "1") == 0;
        bool off = strcmp(value, "off") == 0 || strcmp(value, "false") == 0 || strcmp(value, "0") == 0;
        if (on || off)
            *(bool *)field = on;
        return on || off;
    }
    if (!parse_number(value, &number) || number < o->low || number > o->high ||
        (o->open && (number == o->low || number == o->high)))
        return false;
    if (o->type == OPTION_COUNT) {
        if (number != floor(number))
            return false;
        *(int *)(void *)field = (int)number;
    } else {
        *(double *)(void *)field = number;
    }
    return true;
}

static void common_defaults(cairn_settings *s) {
    *s = (cairn_settings){.cookie = CAIRN_SETTINGS_COOKIE,
                          .tolerance = 1e-8,
                          .tolerance_plain = -1.0,
                          .max_iterations = 20000,
                          .rho = 0.1,
                          .rho_bilateral = 1e-9,
                          .step_policy = CAIRN_STEP_BALANCED,
                          .step_every = 5,
                          .step_grow = 1.0,
                          .step_clamp = 50.0,
                          .step_ignore = 2.0,
                          .relaxation = 1.0,
                          .restart = 0.999,
                          .coulomb = CAIRN_COULOMB_RESOLVENT,
                          .test_every = 5,
                          .omega = 1.0,
                          .history = 10};
}

/* Applies "key=value key=value". The text is ours: a bad one is a bug. */
static void apply_defaults(cairn_settings *settings, const char *text) {
    while (text != NULL && *text != '\0') {
        const char *equals = strchr(text, '=');
        CAIRN_ASSERT(equals != NULL);
        const char *end = strchr(equals, ' ');
        size_t length = end != NULL ? (size_t)(end - equals - 1) : strlen(equals + 1);
        char value[32];
        CAIRN_ASSERT(length < sizeof value);
        memcpy(value, equals + 1, length);
        value[length] = '\0';
        const option *o = find_option(text, (size_t)(equals - text));
        bool good = o != NULL && store(settings, o, value);
        CAIRN_ASSERT(good);
        (void)good;
        text = end != NULL ? end + 1 : NULL;
    }
}

cairn_settings cairn_default_settings(const char *method) {
    cairn_settings settings;
    common_defaults(&settings);
    if (method == NULL)
        method = cairn_method_at(0)->name;
    snprintf(settings.method, sizeof settings.method, "%s", method);
    const cairn_method *found = cairn_method_find(method);
    if (found != NULL)
        apply_defaults(&settings, found->defaults);
    return settings;
}

cairn_status cairn_settings_set(cairn_settings *settings, const char *key, const char *value, char *message,
                                size_t size) {
    char text[200] = "";
    const cairn_method *method = cairn_method_find(settings->method);
    const option *o = find_option(key, strlen(key));
    bool used = o != NULL && (method == NULL || o->offset <= AT(time_limit) || has_word(method->options, key));
    if (!used) {
        snprintf(message, size,
                 "%s has no setting '%s'; it has: tolerance tolerance_plain max_iterations time_limit %s",
                 settings->method, key, method != NULL ? method->options : "");
        return CAIRN_ERROR_ARGUMENT;
    }
    if (!store(settings, o, value)) {
        range_text(o, text, sizeof text);
        snprintf(message, size, "setting '%s' is '%s', expected %s", key, value, text);
        return CAIRN_ERROR_ARGUMENT;
    }
    return CAIRN_OK;
}

const char *cairn_settings_check(const cairn_settings *settings, char *message, size_t size) {
    char text[200];
    for (int i = 0; i < OPTIONS; i++) {
        const option *o = &table[i];
        const char *field = (const char *)settings + o->offset;
        double number = 0.0;
        if (o->type == OPTION_REAL)
            number = *(const double *)(const void *)field;
        else if (o->type == OPTION_COUNT)
            number = *(const int *)(const void *)field;
        else if (o->type == OPTION_CHOICE)
            number = o->offset == AT(step_policy) ? (double)settings->step_policy : (double)settings->coulomb;
        if (number >= o->low && number <= o->high && !(o->open && (number == o->low || number == o->high)))
            continue;
        range_text(o, text, sizeof text);
        snprintf(message, size, "setting '%s' is %g, expected %s", o->key, number, text);
        return message;
    }
    return NULL;
}

static void value_text(const cairn_settings *settings, const option *o, char *text, size_t size) {
    const char *field = (const char *)settings + o->offset;
    if (o->type == OPTION_REAL) {
        snprintf(text, size, "%g", *(const double *)(const void *)field);
    } else if (o->type == OPTION_COUNT) {
        snprintf(text, size, "%d", *(const int *)(const void *)field);
    } else if (o->type == OPTION_SWITCH) {
        snprintf(text, size, "%s", *(const bool *)field ? "on" : "off");
    } else {
        int choice = o->offset == AT(step_policy) ? (int)settings->step_policy : (int)settings->coulomb;
        const char *at = o->choices;
        while (choice-- > 0)
            at = strchr(at, '|') + 1;
        snprintf(text, size, "%.*s", (int)strcspn(at, "|"), at);
    }
}

int cairn_method_options(const char *name, cairn_option_info *options, int capacity) {
    static const char *const type_names[] = {"real", "count", "switch", "choice"};
    const cairn_method *method = cairn_method_find(name);
    if (method == NULL)
        return -1;
    cairn_settings settings = cairn_default_settings(name);
    int count = 0;
    for (int i = 0; i < OPTIONS; i++) {
        const option *o = &table[i];
        if (o->offset > AT(time_limit) && !has_word(method->options, o->key))
            continue;
        if (count < capacity) {
            cairn_option_info *info = &options[count];
            info->key = o->key;
            info->type = type_names[o->type];
            info->help = o->help;
            range_text(o, info->range, sizeof info->range);
            value_text(&settings, o, info->value, sizeof info->value);
        }
        count++;
    }
    return count;
}
