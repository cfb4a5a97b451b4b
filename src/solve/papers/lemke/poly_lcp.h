/*
 * poly_lcp.h: the linear complementarity problem of a time step with polyhedral friction cones,
 * bilateral rows eliminated.
 */
#ifndef CAIRN_SOLVE_PAPERS_LEMKE_POLY_LCP_H
#define CAIRN_SOLVE_PAPERS_LEMKE_POLY_LCP_H

#include "solve/driver/method.h"

/* One row and its variable. */
typedef enum cairn_lcp_kind {
    CAIRN_LCP_UNILATERAL, /* a row of a nonnegative block, or the normal row of a contact without friction */
    CAIRN_LCP_NORMAL,     /* gamma_N */
    CAIRN_LCP_DIRECTION,  /* beta_j */
    CAIRN_LCP_LIMIT       /* lambda */
} cairn_lcp_kind;

typedef struct cairn_lcp_entry {
    cairn_lcp_kind kind;
    int row;        /* of the problem: the unilateral row, or the contact's normal row */
    int first;      /* entry of the contact's normal row */
    int directions; /* of the contact */
    double mu;
    double x, y; /* direction: d_j */
} cairn_lcp_entry;

typedef struct cairn_poly_lcp {
    int m, n;               /* rows of the problem, of the LCP */
    bool associated;        /* subtract mu lambda in the normal rows */
    double *A;              /* m x m: s N s; after prepare with L, U of the bilateral rows and the rest reduced */
    int *pivot;             /* bilateral rows in the order of their elimination */
    int pivots;             /* how many are independent */
    int *rank;              /* m: place of a row in pivot; INT_MAX: not eliminated */
    double *s;              /* m */
    cairn_lcp_entry *entry; /* n */
    double *q;              /* n: what the LCP has without impulses */
    double *u, *v;          /* m, n of the problem: work */
    double soft;            /* added to the diagonal of A by cairn_poly_lcp_row */
    double unit;            /* scaled velocities and impulses are divided by this */
} cairn_poly_lcp;

/* Why the problem has no such LCP, or NULL. */
const char *cairn_poly_lcp_refuses(const cairn_problem *problem, const cairn_settings *settings);
/* Most rows the LCP can have, whatever the friction coefficients will be. */
int64_t cairn_poly_lcp_rows(const cairn_problem *problem);
void cairn_poly_lcp_layout(cairn_poly_lcp *w, cairn_arena *arena, const cairn_problem *problem);
/* Forms N column by column and eliminates the bilateral rows. */
void cairn_poly_lcp_prepare(cairn_run *run, cairn_poly_lcp *w);
/* Rows and q for the present vectors, law and friction. False: friction on a round cone of
 * dimension 3. */
bool cairn_poly_lcp_begin(cairn_run *run, cairn_poly_lcp *w);

/* out (n) = row i of the LCP's matrix; user: cairn_poly_lcp. */
void cairn_poly_lcp_row(const void *user, int i, double *out);

/* gamma (m): the impulses of z (n), bilateral rows included. */
void cairn_poly_lcp_impulses(cairn_run *run, cairn_poly_lcp *w, const double *z, double *gamma);
/* slack (n) = M z + q computed from the true u of gamma, which must be the impulses of z. */
void cairn_poly_lcp_slack(cairn_run *run, cairn_poly_lcp *w, const double *z, const double *gamma, double *slack);

#endif
