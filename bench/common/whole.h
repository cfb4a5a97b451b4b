/*
 * whole.h: the problem of a step of a world, all of it in one piece: a world itself solves groups of bodies that nothing connects one by one.
 *
 *     whole_look(w)              before the step: where bodies are, how fast
 *     cairn_world_step(...)
 *     whole_problem(w, ...)      after it: the problem, from the contacts that the step used
 */
#ifndef CAIRN_BENCH_WHOLE_H
#define CAIRN_BENCH_WHOLE_H

#include <cairn/cairn.h>

/* Bodies that move, and what is known of them. */
typedef struct whole {
    cairn_context *context;
    cairn_world *world;
    int bodies;
    cairn_body *body;
    cairn_vec3 *inertia;      /* body axes; given by who adds it */
    cairn_body_state *before; /* by whole_look */
    int *number;              /* by slot: place in body, -1: fixed */
    int slots;
} whole;

typedef struct whole_form {
    double step, gravity; /* h, s; downwards, m/s^2 */
    bool frictionless;    /* one unilateral row a contact */
    double compliance;    /* of a contact point along its normal, m/N */
    cairn_law law;
} whole_form;

/* They stop the program with a message when something fails. */
void whole_add(whole *w, cairn_body body, cairn_vec3 inertia);
/* Bricks and ball of TEST 2, scenes/wall.json. */
void whole_add_wall(whole *w, const cairn_scene *scene);
void whole_look(whole *w);
cairn_problem *whole_problem(const whole *w, const whole_form *form);
void whole_clear(whole *w);

/* Prints to standard error and exits with 1. */
_Noreturn void whole_fail(const char *what, const char *why);
void *whole_need(size_t count, size_t bytes); /* zeroed */

/* Sorts value; the upper one of two middles, NAN of none. */
double whole_median(double *value, int count);

/* CPU time of this process. */
double whole_cpu_seconds(void);

#endif
