/*
 * samples.h: generated problems, to try methods on and to test with. Each is one time step of a small scene:
 *
 *     H v - D gamma = k = H v0 + h f        v0 the velocities before the step, f the loads
 *     u = D'v + b                           b_N = gap / h for a contact that is still apart, else 0
 *
 * Rigid bodies have six rows each: velocity of the centre of mass, angular velocity in the body frame. z is up. The same
 * definition gives the same bits on every machine with IEEE arithmetic and the same mathematical library.
 */
#ifndef CAIRN_SAMPLES_H
#define CAIRN_SAMPLES_H

#include "problem.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What a sample is made from. Start from cairn_default_sample_def(name), which fills in that sample's own defaults. A
 * sample reads only the fields among its parameters (cairn_sample_parameters); the rest are ignored. */
typedef struct cairn_sample_def {
    uint32_t cookie; /* set by cairn_default_sample_def; catches a forgotten call */
    char name[32];   /* "stack", "cairn", ...; see cairn_sample_get */
    cairn_law law;   /* default CAIRN_LAW_COULOMB */
    int count;       /* how many spheres, stones, links, blocks; wall: bricks in a row */
    int layers;      /* wall: rows of bricks */
    int place;       /* stack: which sphere of the column is the heavy one, 1 is the lowest */
    double mass;     /* one ordinary body, kg */
    double heavy;    /* the heavy body, kg */
    double base;     /* stack: the sphere under the column, kg */
    double size;     /* radius of a sphere, length of a stone, brick, rod or box, m */
    double mu;       /* friction coefficient */
    double gravity;  /* downwards, m/s^2 */
    double step;     /* time step h, s */
    double
        kick; /* horizontal speed of one body (chain: the block; pile: every body, any direction) before the step, m/s */
    double pull;   /* stack-pull: upward force on the heavy sphere, in units of its weight */
    double spread; /* random variation: of masses (cairn), of places (spheres), relative; of masses in decades
                        (manufactured) */
    double margin; /* pile: contacts are made up to this gap, in radii */
    uint64_t seed; /* of the random variation */
} cairn_sample_def;

/* Unknown names are caught by cairn_sample_create. */
CAIRN_API cairn_sample_def cairn_default_sample_def(const char *name);

/* Makes the problem. The message of a failure names the parameter, its value and what is allowed. */
CAIRN_API cairn_status cairn_sample_create(cairn_context *context, const cairn_sample_def *def,
                                           cairn_problem **problem);

/* The known answer of a sample that has one, for a problem of m rows made from the same definition: gamma (m) and u (m, without
 * Phi); either may be NULL. CAIRN_ERROR_UNSUPPORTED when the sample has no known answer. */
CAIRN_API cairn_status cairn_sample_known(cairn_context *context, const cairn_sample_def *def, int m, double *gamma,
                                          double *u);

/* Sets one parameter from text, as `cairn generate NAME KEY=VALUE` does. On failure the message (at most size bytes)
 * says which keys or values are allowed and def is untouched. */
CAIRN_API cairn_status cairn_sample_set(cairn_sample_def *def, const char *key, const char *value, char *message,
                                        size_t size);

/* The table of samples and their parameters. */
typedef struct cairn_sample_info {
    const char *name;
    const char *description; /* one line */
    bool known;              /* cairn_sample_known has an answer */
    bool fclib;              /* fits an FCLIB file: cones, then bilaterals */
} cairn_sample_info;
typedef struct cairn_sample_parameter {
    const char *key, *unit, *help;
    double least, most; /* allowed range */
    char value[32];     /* default for this sample, as text */
} cairn_sample_parameter;
CAIRN_API int cairn_sample_count(void);
CAIRN_API cairn_status cairn_sample_get(int index, cairn_sample_info *info);
/* Parameters of one sample: returns how many there are, fills at most capacity. -1: no such sample. */
CAIRN_API int cairn_sample_parameters(const char *name, cairn_sample_parameter *parameters, int capacity);

#ifdef __cplusplus
}
#endif
#endif
