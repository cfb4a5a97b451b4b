/*
 * table.h: the results of a race and how they are printed.
 */
#ifndef CAIRN_PEERS_TABLE_H
#define CAIRN_PEERS_TABLE_H

#include "peer.h"

#include <stdio.h>

/* The best of the repeated solves of one contestant on one problem. */
typedef struct race_cell {
    bool tried;    /* false: the contestant does not take this problem */
    bool finished; /* at least one repeat returned an answer */
    int runs, iterations;
    int verdict;      /* the solver's own: 0 solved */
    double seconds;   /* CPU time, the smallest */
    double inner;     /* Cairn: without load */
    double forming;   /* who needs N of a global problem: CPU time in which Cairn forms it, not in seconds */
    double reduction; /* the same by the contestant's own means: Siconos' reduction, or Cairn's forming */
    double spent;     /* over all repeats */
    double relative;  /* Cairn's certificate, of the largest free velocity */
    double plain;     /* the peers' formula */
} race_cell;

/* One tolerance: problems by contestants; the first columns are Cairn's. */
typedef struct race_table {
    double tolerance;
    cairn_law law;
    int problems, peers;
    int own;                      /* Cairn's columns, one a method; the ratios of the tables are the first one's */
    const race_peer *const *peer; /* peers */
    const char *const *name;      /* problems */
    const int *contacts;          /* problems */
    race_cell *cell;              /* problems * peers, row by row */
} race_table;

/* Under the peers' formula, and under both. */
bool race_solved_plain(const race_cell *cell, double tolerance);
bool race_solved_both(const race_cell *cell, double tolerance);

void race_print(const race_table *table, FILE *out);
/* The peers' cells as result lines of `cairn bench`: seconds is the solver call, forming_seconds is not in it. */
void race_print_jsonl(const race_table *table, FILE *out);
/* One line for each cell; head: also the names of the columns. */
void race_print_csv(const race_table *table, bool head, FILE *out);

#endif
