/*
 * peer.h: one solve by one contestant of the race: Cairn, or a solver of Siconos Numerics with its options.
 *
 * A solve runs in a process of its own, which may crash, exit or run out of time without harm to the race.
 */
#ifndef CAIRN_PEERS_PEER_H
#define CAIRN_PEERS_PEER_H

#include "../guard.h"

#include <cairn/cairn.h>

/* A problem file, ready for all contestants. */
typedef struct race_problem {
    char name[64];
    cairn_file file;
    cairn_problem *local; /* N formed beforehand; owned when made is true, else file.problem */
    bool made;
    double forming;     /* CPU seconds that forming N took Cairn; 0 for the local form */
    double reduction;   /* the same for Siconos: its own reduction of the global form; INFINITY: not within the limit */
    cairn_judge *judge; /* of file.problem, with the law of the race */
} race_problem;

/* What one solve left behind. Lives in memory shared with the process that solved. */
typedef struct race_result {
    int finished;   /* 1: the solver returned; 0: it crashed, called exit or ran out of time */
    int iterations; /* as the solver says */
    int verdict;    /* the solver's own: 0 solved */
    double seconds; /* CPU time of the solver call; Cairn: load and solve */
    double inner;   /* Cairn: solve alone; Siconos: the same as seconds */
    double gamma[]; /* m */
} race_result;

/* Runs one solve in the child process; fills result. */
typedef void race_solve(const void *peer, const race_problem *problem, double tolerance, race_result *result);

typedef struct race_peer {
    const char *name;
    const char *note; /* one line for the head of the table */
    race_solve *solve;
    bool newton;              /* runs only where Newton methods are asked for */
    bool coulomb, associated; /* the laws that it knows */
    /* Siconos */
    bool global;        /* global form (M, H), else local (W) */
    int id;             /* solver */
    int balancing;      /* ADMM: residual balancing of the penalty */
    double tighten;     /* its own tolerance is the asked one divided by this */
    int iterations;     /* its limit */
    const char *method; /* Cairn */
    bool given_n;       /* Cairn: solves the local form, N formed beforehand as for the local peers */
} race_peer;

enum { RACE_SICONOS_PEERS = 9 };
extern const race_peer race_siconos[RACE_SICONOS_PEERS];

/* Siconos' reduction of the global form to the local one: seconds alone. */
void race_reduce_siconos(const void *peer, const race_problem *problem, double tolerance, race_result *result);

/* Cairn's own: method and limits from peer. */
void race_solve_cairn(const void *peer, const race_problem *problem, double tolerance, race_result *result);

#endif
