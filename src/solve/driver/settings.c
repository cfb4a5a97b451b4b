/*
 * settings.c: defaults, and settings by name for --opt KEY=VALUE.
 *
 * One table row a setting: key, where it lives, what it may be, what it means. A method names the
 * keys it uses and its own defaults in its row of method_table.c.
 */
#include "solve/driver/settings.h"

#include "solve/driver/method.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A rule is a name, or a number that goes to settings.rho. */
typedef enum option_type { OPTION_REAL, OPTION_COUNT, OPTION_SWITCH, OPTION_CHOICE, OPTION_RULE } option_type;

typedef struct option {
    const char *key;
    option_type type;
    size_t offset;
    double low, high;    /* real, count: allowed range */
    bool open;           /* the ends of the range are not allowed */
    const char *choices; /* choice, rule: names separated by |, in the order of the enum; those of a rule from 1 */
    const char *help;
} option;

#define AT(field)    offsetof(cairn_settings, field)
#define NUMBER_MAX   1e30 /* a number given instead of a name: > 0 and below this */
#define PENALTY_FOUR "ghadimi|dicairano|acary|normal"

/* Choices are stored through an int. */
_Static_assert(sizeof(cairn_step_policy) == sizeof(int) && sizeof(cairn_akm_variant) == sizeof(int),
               "enums have the size of an int");

static const option table[] = {
    {"tolerance", OPTION_REAL, AT(tolerance), 0.0, 1.0, true, NULL, "certificate asked for"},
    {"tolerance_plain", OPTION_REAL, AT(tolerance_plain), -1.0, 1.0, false, NULL,
     "secondary target for the plain map; -1: as tolerance, 0: none"},
    {"tolerance_velocity", OPTION_REAL, AT(tolerance_velocity), 0.0, 1e30, false, NULL,
     "certificate asked for in m/s, in place of tolerance; 0: tolerance decides"},
    {"tolerance_angular", OPTION_REAL, AT(tolerance_angular), 0.0, 1e30, false, NULL,
     "the same of rows in rad/s; 0: the same number"},
    {"max_iterations", OPTION_COUNT, AT(max_iterations), 1, INT_MAX, false, NULL, "iteration limit"},
    {"time_limit", OPTION_REAL, AT(time_limit), 0.0, 1e9, false, NULL, "seconds, 0: none"},
    {"repair", OPTION_SWITCH, AT(repair), 0, 1, false, NULL,
     "move the judge's points jointly where they miss by little"},
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
    {"step_root", OPTION_SWITCH, AT(step_root), 0, 1, false, NULL,
     "balanced policies take the square root of their ratio"},
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
    {"carry_rho", OPTION_SWITCH, AT(carry_rho), 0, 1, false, NULL,
     "in worlds: begin with the penalty of the last step"},
    {"warm_velocity", OPTION_SWITCH, AT(warm_velocity), 0, 1, false, NULL,
     "of a guess: y from its velocities, not from H^-1(k + D gamma)"},
    {"omega", OPTION_REAL, AT(omega), 0.0, 2.0, true, NULL, "relaxation of a sweep"},
    {"symmetric", OPTION_SWITCH, AT(symmetric), 0, 1, false, NULL, "sweep forwards, then backwards"},
    {"colouring", OPTION_SWITCH, AT(colouring), 0, 1, false, NULL, "sweep colour by colour, in parallel"},
    {"precondition", OPTION_SWITCH, AT(precondition), 0, 1, false, NULL, "scale by the block scales"},
    {"history", OPTION_COUNT, AT(history), 1, 100, false, NULL, "memory of the nonmonotone line search"},
    {"variant", OPTION_CHOICE, AT(variant), 0, 11, false,
     "cp-N|cp-R|cp-RR|vp-N-He|vp-R-He|vp-RR-He|vp-N-Wohlberg|vp-R-Wohlberg|vp-RR-Wohlberg|vp-N-Spectral|vp-R-Spectral|"
     "vp-RR-Spectral",
     "penalty constant or varied; plain, relaxed, relaxed and restarted"},
    {"rho0", OPTION_RULE, AT(rho0), 0, 4, false, PENALTY_FOUR, "first penalty, a rule or a number"},
    {"s_update", OPTION_CHOICE, AT(s_update), 0, 3, false, "none|external|internal|internal-external-stop",
     "how the term of the exact Coulomb law is renewed"},
    {"form", OPTION_CHOICE, AT(form), 0, 1, false, "primal|dual", "iterate on velocities or on impulses"},
    {"stop", OPTION_CHOICE, AT(stop), 0, 1, false, "certificate|paper",
     "go on until certified, or end at the method's own test"},
    {"eps_abs", OPTION_REAL, AT(eps_abs), 0.0, 1e30, false, NULL, "own test, absolute"},
    {"eps_rel", OPTION_REAL, AT(eps_rel), 0.0, 1.0, false, NULL, "own test, relative"},
    {"eps_external", OPTION_REAL, AT(eps_external), 0.0, 1.0, false, NULL,
     "own test of the outer fixed point: relative change of the term, contact by contact"},
    {"balance", OPTION_REAL, AT(balance), 1.0, 1e12, false, NULL,
     "residuals further apart than this change the penalty"},
    {"tau", OPTION_REAL, AT(tau), 1.0, 1e12, false, NULL, "factor of a change (He)"},
    {"tau_max", OPTION_REAL, AT(tau_max), 1.0, 1e12, false, NULL, "largest factor of a change (Wohlberg)"},
    {"xi", OPTION_REAL, AT(xi), 0.0, 1e12, true, NULL, "wanted ratio of the relative residuals (Wohlberg)"},
    {"t_f", OPTION_COUNT, AT(t_f), 1, 1e6, false, NULL, "iterations between two looks at the penalty (spectral)"},
    {"eps_cor", OPTION_REAL, AT(eps_cor), 0.0, 1.0, false, NULL, "least correlation to trust a curvature (spectral)"},
    {"step_size", OPTION_RULE, AT(step_size), 0, 7, false, PENALTY_FOUR "|smaller|w|eigen-w",
     "first step, a rule or a number; not used by step_update=adaptive"},
    {"step_update", OPTION_CHOICE, AT(step_update), 0, 3, false, "adaptive|fixed|ratio1|ratio2",
     "how the step is changed"},
    {"ratio_max", OPTION_REAL, AT(ratio_max), 0.0, 1.0, true, NULL, "L: the step shrinks above this ratio"},
    {"ratio_min", OPTION_REAL, AT(ratio_min), 0.0, 1.0, true, NULL, "L_min: the step grows below this ratio"},
    {"ratio_shrink", OPTION_REAL, AT(ratio_shrink), 0.0, 1.0, true, NULL, "w: factor of a change"},
    {"gradient_restart", OPTION_SWITCH, AT(gradient_restart), 0, 1, false, NULL,
     "forget the momentum when it points uphill"},
    {"g_d", OPTION_REAL, AT(g_d), 0.0, 1e30, true, NULL, "step of the own test's metric"},
    {"start", OPTION_CHOICE, AT(start), 0, 2, false, "dapuzzo|nocedal|least-squares", "starting point without a guess"},
    {"warm", OPTION_CHOICE, AT(warm), 0, 2, false, "full|partial|none",
     "what is taken from a guess: all, velocities, nothing"},
    {"steps", OPTION_CHOICE, AT(steps), 0, 1, false, "common|separate", "one step length, or one for each side"},
    {"units", OPTION_CHOICE, AT(units), 0, 1, false, "problem|si", "what 1 means in starting points and barrier"},
    {"cheap_residuals", OPTION_SWITCH, AT(cheap_residuals), 0, 1, false, NULL, "residuals follow from the step"},
    {"eps_rp", OPTION_REAL, AT(eps_rp), 0.0, 1e30, true, NULL, "own test: |r_p| over rows, m/s"},
    {"eps_rd", OPTION_REAL, AT(eps_rd), 0.0, 1e30, true, NULL, "own test: |r_d| over velocities, N s"},
    {"eps_tau", OPTION_REAL, AT(eps_tau), 0.0, 1e30, true, NULL, "own test: complementarity y'lambda, J"},
    {"refine", OPTION_COUNT, AT(refine), 0, 1000, false, NULL,
     "factorisations that bring an accepted answer of at most 120 rows, without joints, near rounding"},
    {"soft", OPTION_REAL, AT(soft), 0.0, 1.0, false, NULL,
     "compliance while pivoting, relative to the block scale; 0: none"},
    {"max_rows", OPTION_COUNT, AT(max_rows), 1, 30000, false, NULL, "problems with more rows are refused"},
    {"eps_metric", OPTION_REAL, AT(eps_metric), 0.0, 1e30, true, NULL, "own test: metric below this"},
};
enum { OPTIONS = sizeof table / sizeof *table };

/* Are a and b the same key? A dash is as good as an underscore. */
static bool same_key(const char *a, const char *b, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (a[i] != b[i] && !(a[i] == '_' && b[i] == '-'))
            return false;
    return true;
}

static const option *find_option(const char *key, size_t length) {
    for (int i = 0; i < OPTIONS; i++)
        if (strlen(table[i].key) == length && same_key(table[i].key, key, length))
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

/* The choices of an option that a method has: "key=a|b" of the method before those of the table. */
static const char *choices_of(const cairn_method *method, const option *o) {
    size_t length = strlen(o->key);
    const char *own = method != NULL ? method->choices : NULL;
    if (own != NULL && strncmp(own, o->key, length) == 0 && own[length] == '=')
        return own + length + 1;
    return o->choices;
}

/* What is allowed, for a message. all: also upper limits that are far from any use. */
static void range_text(const cairn_method *method, const option *o, bool all, char *text, size_t size) {
    if (o->type == OPTION_CHOICE || o->type == OPTION_RULE)
        snprintf(text, size, "%s%s", choices_of(method, o), o->type == OPTION_RULE ? "|a number > 0" : "");
    else if (o->type == OPTION_SWITCH)
        snprintf(text, size, "on|off");
    else if (o->high >= 1e9 && !all)
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

/* A name goes to its enum; the enum of a rule is 0 for a number. */
static bool store_choice(cairn_settings *settings, const option *o, const char *value) {
    int choice = find_choice(o->choices, value);
    double number = 0.0;
    if (choice >= 0) {
        choice += o->type == OPTION_RULE;
    } else {
        if (o->type != OPTION_RULE || !parse_number(value, &number) || !(number > 0.0) || number > NUMBER_MAX)
            return false;
        settings->rho = number;
        choice = 0;
    }
    memcpy((char *)settings + o->offset, &choice, sizeof choice);
    return true;
}

static int get_choice(const cairn_settings *settings, const option *o) {
    int choice;
    memcpy(&choice, (const char *)settings + o->offset, sizeof choice);
    return choice;
}

static bool store(cairn_settings *settings, const option *o, const char *value) {
    char *field = (char *)settings + o->offset;
    double number = 0.0;
    if (o->type == OPTION_CHOICE || o->type == OPTION_RULE)
        return store_choice(settings, o, value);
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
                          .repair = true,
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
                          .history = 10,
                          .variant = CAIRN_VP_RR_HE,
                          .rho0 = CAIRN_PENALTY_DICAIRANO,
                          .s_update = CAIRN_S_INTERNAL,
                          .eps_abs = 1e-6,
                          .eps_rel = 1e-3,
                          .eps_external = 1e-3,
                          .balance = 10.0,
                          .tau = 2.0,
                          .tau_max = 100.0,
                          .xi = 1.0,
                          .t_f = 2,
                          .eps_cor = 0.2,
                          .step_size = CAIRN_PENALTY_W,
                          .ratio_max = 0.9,
                          .ratio_min = 0.3,
                          .ratio_shrink = 2.0 / 3.0,
                          .gradient_restart = true,
                          .start = CAIRN_START_LEAST_SQUARES,
                          .g_d = 1e-6,
                          .eps_metric = 1e-3,
                          .cheap_residuals = true,
                          .eps_rp = 1e-8,
                          .eps_rd = 1e-8,
                          .eps_tau = 1e-7,
                          .soft = 1e-7,
                          .max_rows = 4000};
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
    char text[240] = "";
    if (settings == NULL || key == NULL || value == NULL) {
        snprintf(message, message != NULL ? size : 0, "settings, key or value is NULL");
        return CAIRN_ERROR_ARGUMENT;
    }
    const cairn_method *method = cairn_method_find(settings->method);
    const option *o = find_option(key, strlen(key));
    bool used = o != NULL && (method == NULL || o->offset <= AT(repair) || has_word(method->options, o->key));
    if (!used) {
        snprintf(message, size,
                 "%s has no setting '%s'; it has: tolerance tolerance_plain tolerance_velocity tolerance_angular "
                 "max_iterations time_limit repair %s",
                 settings->method, key, method != NULL ? method->options : "");
        return CAIRN_ERROR_ARGUMENT;
    }
    bool allowed = o->choices == NULL || find_choice(choices_of(method, o), value) >= 0 || o->type == OPTION_RULE;
    if (!allowed || !store(settings, o, value)) {
        double number = 0.0;
        range_text(method, o, parse_number(value, &number) && number >= o->high, text, sizeof text);
        snprintf(message, size, "setting '%s' is '%s', expected %s", key, value, text);
        return CAIRN_ERROR_ARGUMENT;
    }
    return CAIRN_OK;
}

const char *cairn_settings_check(const cairn_settings *settings, char *message, size_t size) {
    char text[240];
    for (int i = 0; i < OPTIONS; i++) {
        const option *o = &table[i];
        const char *field = (const char *)settings + o->offset;
        double number = 0.0;
        if (o->type == OPTION_REAL)
            number = *(const double *)(const void *)field;
        else if (o->type == OPTION_COUNT)
            number = *(const int *)(const void *)field;
        else if (o->type == OPTION_CHOICE || o->type == OPTION_RULE)
            number = get_choice(settings, o);
        if (number >= o->low && number <= o->high && !(o->open && (number == o->low || number == o->high)))
            continue;
        range_text(cairn_method_find(settings->method), o, number >= o->high, text, sizeof text);
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
        int choice = get_choice(settings, o) - (o->type == OPTION_RULE);
        const char *at = o->choices;
        if (choice < 0) {
            snprintf(text, size, "%g", settings->rho);
            return;
        }
        while (choice-- > 0)
            at = strchr(at, '|') + 1;
        snprintf(text, size, "%.*s", (int)strcspn(at, "|"), at);
    }
}

int cairn_method_options(const char *name, cairn_option_info *options, int capacity) {
    static const char *const type_names[] = {"real", "count", "switch", "choice", "rule"};
    const cairn_method *method = name != NULL ? cairn_method_find(name) : NULL;
    if (method == NULL)
        return -1;
    cairn_settings settings = cairn_default_settings(name);
    int count = 0;
    for (int i = 0; i < OPTIONS; i++) {
        const option *o = &table[i];
        if (o->offset > AT(repair) && !has_word(method->options, o->key))
            continue;
        if (count < capacity) {
            cairn_option_info *info = &options[count];
            info->key = o->key;
            info->type = type_names[o->type];
            info->help = o->help;
            range_text(method, o, false, info->range, sizeof info->range);
            value_text(&settings, o, info->value, sizeof info->value);
        }
        count++;
    }
    return count;
}
