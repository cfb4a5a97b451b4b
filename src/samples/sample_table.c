/*
 * sample_table.c: the table of generated problems and their parameters; what samples.h declares.
 *
 * To add a sample: one function that fills a scene (sample.h), one row in `samples`, one list of
 * parameters.
 */
#include "samples/sample.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE_COOKIE UINT32_C(0x736d706c)
#define BODIES_MOST   20000 /* keeps every index far inside an int */
#define PILE_MOST     200000

typedef enum kind { END = 0, WHOLE, REAL, SEED } kind;

typedef struct parameter {
    kind kind;
    const char *key, *unit, *help;
    size_t offset; /* in cairn_sample_def */
    double least, most;
} parameter;

#define FIELD(name) offsetof(cairn_sample_def, name)
#define COUNT(key, help, most) \
    { WHOLE, key, "", help, FIELD(count), 1, most }
#define MASS(name, help) \
    { REAL, #name, "kg", help, FIELD(name), 1e-12, 1e12 }
#define SIZE(key, help) \
    { REAL, key, "m", help, FIELD(size), 1e-6, 1e6 }
#define MU \
    { REAL, "mu", "", "friction coefficient", FIELD(mu), 0, 100 }
#define GRAVITY \
    { REAL, "gravity", "m/s^2", "downwards", FIELD(gravity), 0, 1e6 }
#define STEP \
    { REAL, "step", "s", "time step", FIELD(step), 1e-9, 10 }
#define KICK(help) \
    { REAL, "kick", "m/s", help, FIELD(kick), -1e6, 1e6 }
#define RANDOM \
    { SEED, "seed", "", "of the random numbers", FIELD(seed), 0, 0x1p64 }
#define PULL \
    { REAL, "pull", "weights", "upward force on the heavy sphere", FIELD(pull), 0, 1e6 }
#define COLUMN \
    COUNT("spheres", "spheres in the column", BODIES_MOST), \
        {WHOLE, "place", "", "which sphere is the heavy one, 1 the lowest", FIELD(place), 1, BODIES_MOST}, \
        MASS(mass, "an ordinary sphere"), MASS(heavy, "the heavy sphere"), MASS(base, "the sphere under the column"), \
        SIZE("radius", "of every sphere"), MU, GRAVITY, STEP

static const parameter stack_parameters[] = {COLUMN, {0}};
static const parameter pull_parameters[] = {COLUMN, PULL, {0}};
static const parameter cairn_parameters[] = {COUNT("stones", "laid in square layers", BODIES_MOST),
                                             MASS(mass, "a stone, on average"),
                                             SIZE("length", "of a stone; its height is half of that"),
                                             MU,
                                             GRAVITY,
                                             STEP,
                                             KICK("sideways speed of the topmost stone before the step"),
                                             {REAL, "spread", "", "variation of the masses", FIELD(spread), 0, 0.99},
                                             RANDOM,
                                             {0}};
static const parameter wall_parameters[] = {COUNT("width", "bricks in a row", 1000),
                                            {WHOLE, "height", "", "rows", FIELD(layers), 1, 1000},
                                            MASS(mass, "a brick"),
                                            SIZE("length", "of a brick"),
                                            MU,
                                            GRAVITY,
                                            STEP,
                                            KICK("speed of a brick of the top row, out of the wall"),
                                            {0}};
static const parameter spheres_parameters[] = {COUNT("spheres", "in the box", BODIES_MOST),
                                               MASS(mass, "a sphere"),
                                               SIZE("radius", "of a sphere"),
                                               MU,
                                               GRAVITY,
                                               STEP,
                                               {REAL, "spread", "radii", "shake of the lattice", FIELD(spread), 0, 0.1},
                                               RANDOM,
                                               {0}};
static const parameter pile_parameters[] = {
    COUNT("spheres", "in the box", PILE_MOST),
    MASS(mass, "a sphere"),
    SIZE("radius", "of a sphere"),
    MU,
    GRAVITY,
    STEP,
    {REAL, "margin", "radii", "gap up to which spheres are in contact", FIELD(margin), 0, 0.25},
    KICK("largest speed of every sphere along each axis before the step"),
    RANDOM,
    {0}};
static const parameter chain_parameters[] = {COUNT("links", "rods", BODIES_MOST),
                                             MASS(mass, "a rod"),
                                             MASS(heavy, "the block at the end"),
                                             SIZE("length", "of a rod"),
                                             MU,
                                             GRAVITY,
                                             STEP,
                                             KICK("speed of the block away from the fixed end"),
                                             {0}};
static const parameter box_parameters[] = {
    MASS(mass, "the box"), SIZE("length", "of its edges"), MU, GRAVITY, STEP, {0}};
static const parameter manufactured_parameters[] = {
    COUNT("blocks", "constraints", BODIES_MOST),
    MASS(mass, "the lightest body"),
    {REAL, "mu", "", "friction coefficients are drawn up to twice this", FIELD(mu), 0, 50},
    {REAL, "spread", "decades", "range of the masses", FIELD(spread), 0, 12},
    RANDOM,
    {0}};

typedef struct sample {
    cairn_sample_info info;
    const parameter *parameters;
    cairn_sample_builder build; /* NULL: manufactured */
    cairn_sample_def defaults;
} sample;

static const sample samples[] = {
    {{"stack", "column of spheres on the floor with one heavy sphere in it, [T21] TEST 1.A", true, true},
     stack_parameters,
     cairn_sample_stack,
     {.count = 20,
      .place = 10,
      .mass = 10,
      .heavy = 1e4,
      .base = 1e3,
      .size = 1,
      .mu = .4,
      .gravity = 9.8,
      .step = .01}},
    {{"stack-pull", "the same with the heavy sphere pulled up: the contact under it opens, [T21] TEST 1.B", true, true},
     pull_parameters,
     cairn_sample_stack,
     {.count = 20,
      .place = 10,
      .mass = 10,
      .heavy = 1e4,
      .base = 1e3,
      .size = 1,
      .mu = .4,
      .gravity = 9.8,
      .step = .01,
      .pull = 2}},
    {{"cairn", "pyramid of stones, the topmost one pushed sideways", false, true},
     cairn_parameters,
     cairn_sample_cairn,
     {.count = 55,
      .mass = 20,
      .size = .4,
      .mu = .6,
      .gravity = 9.81,
      .step = .01,
      .kick = .5,
      .spread = .3,
      .seed = 1}},
    {{"wall", "bricks in running bond on the floor", false, true},
     wall_parameters,
     cairn_sample_wall,
     {.count = 8, .layers = 6, .mass = 3168, .size = 3.96, .mu = .4, .gravity = 9.81, .step = .02}},
    {{"spheres", "heap of spheres in a box, some apart, some touching", false, true},
     spheres_parameters,
     cairn_sample_spheres,
     {.count = 125, .mass = 10, .size = .1, .mu = .4, .gravity = 9.81, .step = .01, .spread = .01, .seed = 1}},
    {{"pile", "pile of spheres in a box, each resting on three others or on walls", false, true},
     pile_parameters,
     cairn_sample_pile,
     {.count = 1000, .mass = 10, .size = .1, .mu = .4, .gravity = 9.81, .step = .01, .margin = .02, .seed = 1}},
    {{"chain", "light rods in a row, jointed from a fixed point to a heavy block on the floor", false, true},
     chain_parameters,
     cairn_sample_chain,
     {.count = 19, .mass = 1, .heavy = 1000, .size = .5, .mu = .4, .gravity = 9.81, .step = .01, .kick = 1}},
    {{"box-on-four", "one box on its four corners: the sum of the impulses is known, each is not", true, true},
     box_parameters,
     cairn_sample_box_on_four,
     {.mass = 1, .size = 1, .mu = .5, .gravity = 9.81, .step = .01}},
    {{"manufactured", "random, every kind of set in it, made so that an answer is known", true, false},
     manufactured_parameters,
     NULL,
     {.count = 60, .mass = 1, .mu = .5, .spread = 2, .seed = 1}},
};
static const int sample_count = (int)(sizeof samples / sizeof samples[0]);

static const sample *find(const char *name) {
    for (int i = 0; name != NULL && i < sample_count; i++)
        if (strcmp(samples[i].info.name, name) == 0)
            return &samples[i];
    return NULL;
}

/* "a, b, c" of all samples, or of all keys of one. */
static void list_names(const parameter *parameters, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (int i = 0; parameters == NULL ? i < sample_count : parameters[i].kind != END; i++) {
        const char *name = parameters == NULL ? samples[i].info.name : parameters[i].key;
        int written = snprintf(text + used, size - used, "%s%s", i > 0 ? ", " : "", name);
        if (written < 0 || (size_t)written >= size - used)
            return;
        used += (size_t)written;
    }
}

cairn_sample_def cairn_default_sample_def(const char *name) {
    const sample *s = find(name);
    cairn_sample_def def = {0};
    if (s != NULL)
        def = s->defaults;
    def.cookie = SAMPLE_COOKIE;
    snprintf(def.name, sizeof def.name, "%s", name != NULL ? name : "");
    return def;
}

static double read_number(const cairn_sample_def *def, const parameter *p) {
    const char *at = (const char *)def + p->offset;
    if (p->kind == WHOLE) {
        int value;
        memcpy(&value, at, sizeof value);
        return value;
    }
    if (p->kind == SEED) {
        uint64_t value;
        memcpy(&value, at, sizeof value);
        return (double)value;
    }
    double value;
    memcpy(&value, at, sizeof value);
    return value;
}

static cairn_status check(cairn_context *context, const cairn_sample_def *def, const sample **found) {
    if (def->cookie != SAMPLE_COOKIE)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "the definition must come from cairn_default_sample_def()");
    const sample *s = memchr(def->name, '\0', sizeof def->name) != NULL ? find(def->name) : NULL;
    if (s == NULL) {
        char names[256];
        list_names(NULL, names, sizeof names);
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "there is no sample \"%.31s\"; there are: %s", def->name,
                          names);
    }
    for (const parameter *p = s->parameters; p->kind != END; p++) {
        double value = read_number(def, p);
        if (!(value >= p->least && value <= p->most))
            return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "sample %s: %s is %g, expected %g to %g", def->name,
                              p->key, value, p->least, p->most);
    }
    if (def->law != CAIRN_LAW_COULOMB && def->law != CAIRN_LAW_ASSOCIATED)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "sample %s: law is %d, expected a cairn_law", def->name,
                          (int)def->law);
    *found = s;
    return CAIRN_OK;
}

cairn_status cairn_sample_create(cairn_context *context, const cairn_sample_def *def, cairn_problem **problem) {
    if (context == NULL)
        return CAIRN_ERROR_ARGUMENT;
    if (def == NULL || problem == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "cairn_sample_create: an argument is NULL");
    const sample *s;
    cairn_status status = check(context, def, &s);
    if (status != CAIRN_OK)
        return status;
    if (s->build == NULL)
        return cairn_sample_manufactured(context, def, problem, 0, NULL, NULL);
    cairn_sample_scene scene = {.context = context, .def = def};
    status = s->build(&scene);
    if (status == CAIRN_OK)
        status = cairn_sample_problem(&scene, problem);
    cairn_sample_end(&scene);
    return status;
}

cairn_status cairn_sample_known(cairn_context *context, const cairn_sample_def *def, int m, double *gamma, double *u) {
    if (context == NULL)
        return CAIRN_ERROR_ARGUMENT;
    if (def == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "cairn_sample_known: def is NULL");
    const sample *s;
    cairn_status status = check(context, def, &s);
    if (status != CAIRN_OK)
        return status;
    if (!s->info.known)
        return cairn_fail(context, CAIRN_ERROR_UNSUPPORTED, "sample %s has no known answer", def->name);
    if (s->build == NULL)
        return cairn_sample_manufactured(context, def, NULL, m, gamma, u);
    cairn_sample_scene scene = {.context = context, .def = def};
    status = s->build(&scene);
    if (status == CAIRN_OK && m != 3 * scene.links)
        status = cairn_fail(context, CAIRN_ERROR_ARGUMENT, "m is %d, the sample has %d rows", m, 3 * scene.links);
    if (status == CAIRN_OK && gamma != NULL)
        memcpy(gamma, scene.gamma, (size_t)m * sizeof *gamma);
    if (status == CAIRN_OK && u != NULL)
        memcpy(u, scene.u, (size_t)m * sizeof *u);
    cairn_sample_end(&scene);
    return status;
}

static cairn_status refuse(char *message, size_t size, const char *text) {
    if (message != NULL && size > 0)
        snprintf(message, size, "%s", text);
    return CAIRN_ERROR_ARGUMENT;
}

/* Puts text into the field; false when it is no number of the right kind and range. */
static bool write_number(cairn_sample_def *def, const parameter *p, const char *text) {
    char *end = NULL, *at = (char *)def + p->offset;
    errno = 0;
    if (p->kind == SEED) {
        uint64_t value = strtoull(text, &end, 10);
        if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0)
            return false;
        memcpy(at, &value, sizeof value);
        return true;
    }
    double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= p->least && value <= p->most))
        return false;
    if (p->kind == WHOLE) {
        int whole = (int)value;
        if ((double)whole != value)
            return false;
        memcpy(at, &whole, sizeof whole);
        return true;
    }
    memcpy(at, &value, sizeof value);
    return true;
}

cairn_status cairn_sample_set(cairn_sample_def *def, const char *key, const char *value, char *message, size_t size) {
    char text[512], names[256];
    if (def == NULL || key == NULL || value == NULL)
        return refuse(message, size, "cairn_sample_set: an argument is NULL");
    const sample *s = find(def->name);
    if (s == NULL) {
        list_names(NULL, names, sizeof names);
        snprintf(text, sizeof text, "there is no sample \"%.31s\"; there are: %s", def->name, names);
        return refuse(message, size, text);
    }
    for (const parameter *p = s->parameters; p->kind != END; p++) {
        if (strcmp(p->key, key) != 0)
            continue;
        if (write_number(def, p, value))
            return CAIRN_OK;
        snprintf(text, sizeof text, "sample %s: %s=%.60s: expected a %s from %g to %g%s%s", s->info.name, key, value,
                 p->kind == REAL ? "number" : "whole number", p->least, p->most, p->unit[0] ? " " : "", p->unit);
        return refuse(message, size, text);
    }
    list_names(s->parameters, names, sizeof names);
    snprintf(text, sizeof text, "sample %s has no parameter \"%.60s\"; it has: %s", s->info.name, key, names);
    return refuse(message, size, text);
}

int cairn_sample_count(void) {
    return sample_count;
}

cairn_status cairn_sample_get(int index, cairn_sample_info *info) {
    if (index < 0 || index >= sample_count || info == NULL)
        return CAIRN_ERROR_ARGUMENT;
    *info = samples[index].info;
    return CAIRN_OK;
}

int cairn_sample_parameters(const char *name, cairn_sample_parameter *parameters, int capacity) {
    const sample *s = find(name);
    if (s == NULL)
        return -1;
    int count = 0;
    for (const parameter *p = s->parameters; p->kind != END; p++, count++) {
        if (count >= capacity || parameters == NULL)
            continue;
        cairn_sample_parameter *out = &parameters[count];
        *out = (cairn_sample_parameter){
            .key = p->key, .unit = p->unit, .help = p->help, .least = p->least, .most = p->most};
        snprintf(out->value, sizeof out->value, "%.15g", read_number(&s->defaults, p));
    }
    return count;
}
