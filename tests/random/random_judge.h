/*
 * random_judge.h: reads a recording of a world and says what is wrong with it. Uses the public reader of recordings alone: depths,
 * crossings, kinetic energy and the balance of energy are computed here a second time. docs/testing.md has the tolerances.
 */
#ifndef CAIRN_RANDOM_JUDGE_H
#define CAIRN_RANDOM_JUDGE_H

#include <cairn/record.h>

/* What can be wrong with a world. */
enum {
    FOUND_CRASH,  /* a signal, or a finding of a sanitizer: the process of the world ended */
    FOUND_HANG,   /* more processor time than the limit, or a wait without end */
    FOUND_FAILED, /* a call failed: valid scenes must load, and step */
    FOUND_NAN,    /* a pose, velocity, impulse or figure of a report that is not finite */
    FOUND_DEEP,   /* a certified step left bodies inside each other that were not so when it began */
    FOUND_SUNK, /* the same by more than a tenth of the least width, and by more than g h^2/2: steps tolerate a half of that */
    FOUND_PASSED,  /* in a certified step the centre of a body went through another body */
    FOUND_ENERGY,  /* a passive world gained energy in a step */
    FOUND_BOOKS,   /* the kinetic energy of the report is not that of the velocities */
    FOUND_THREADS, /* other bits with more threads */
    FOUND_RESTART, /* other bits after a restart */
    FOUND_WORK,    /* a step took more counted work than the bound */
    FOUND_KINDS
};

typedef struct random_finding {
    int count;    /* steps, or 1 */
    int64_t step; /* the worst of them */
    double
        figure; /* FOUND_DEEP, FOUND_SUNK, FOUND_PASSED: depth over the least width; FOUND_ENERGY: gain over energy; FOUND_WORK: work; else 0 */
} random_finding;

typedef struct random_result {
    int64_t steps, certified;
    random_finding found[FOUND_KINDS];
    char text[200]; /* of the first call that failed, or the pair of bodies that is deepest */
} random_result;

/* What the scene says of itself. */
typedef struct random_facts {
    bool active, restitution, stores, soft, jointed, flexible;
    double gravity[3];
} random_facts;
random_facts random_facts_read(
    const char *text); /* of a scene that random_scene_print wrote; another one: active, so that energy is not judged */

const char *random_found_name(int kind);
void random_found_add(random_result *result, int kind, int64_t step, double figure);

/* What a step told that the recording does not keep. */
typedef struct random_told {
    int substeps;
    double work;
} random_told;
/* told: one a step. false: no memory, or the recording cannot be read (result->text). */
bool random_judge(cairn_recording *recording, const random_facts *facts, const random_told *told, int64_t steps,
                  random_result *result);

#endif
