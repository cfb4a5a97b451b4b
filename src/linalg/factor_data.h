/*
 * factor_data.h: the inside of a factorisation, shared by the files factor*.c.
 *
 * Rows are renumbered: row k of P A P' is row order[k] of A. Neighbouring columns of L with (nearly) the same
 * pattern form a panel; columns first[s] .. first[s+1]-1 make panel s, of width w. Its rows are its own columns
 * and below them the rows of any of its columns, in rising order: height h in all. A panel is a dense array of
 * w columns, each h + CAIRN_PANEL_PAD long (its stride); the pad is always 0, so that kernels may read four rows
 * at a time past the end.
 *
 *     panel of L:   strictly lower part holds L, diagonal holds D, upper triangle of the first w rows is not used
 *     panel of U:   strictly lower part holds U', the rest is not used; only in unsymmetric factors
 *
 * The symmetric case is the unsymmetric one with U' = L.
 */
#ifndef CAIRN_LINALG_FACTOR_DATA_H
#define CAIRN_LINALG_FACTOR_DATA_H

#include "factor.h"

#define CAIRN_PANEL_PAD   3  /* rows of zeros under each panel column */
#define CAIRN_PANEL_WIDTH 32 /* widest panel, multiple of 4 */

struct cairn_factor {
    cairn_context *context;
    int n;
    bool symmetric;
    bool ready;     /* numeric has succeeded */
    int failed_row; /* original row of the last bad pivot, -1: none */
    int64_t entries;
    double flops;

    /* pattern, from analyze */
    int nonzeros;       /* entries of A */
    int panels;         /* number of panels */
    int max_height;     /* largest height */
    int *order;         /* n: original row of each row */
    int *first;         /* panels + 1: first column of each panel */
    int *panel_of;      /* n: panel of each column */
    int64_t *row_start; /* panels + 1: where the rows below each panel begin in row */
    int *row;           /* row_start[panels]: rows below the panels, rising in each */
    int64_t *at;        /* panels + 1: where each panel begins in lower and upper */

    /* gathering A: lower[target[q]] = value[source[q]], q in gather_start[s] .. gather_start[s+1]-1 for panel s.
     * A target of at[panels] or more means upper[target - at[panels]]. */
    int *index;        /* nonzeros: original row of each value */
    int *gather_start; /* panels + 1 */
    int *source;       /* gather_start[panels] */
    int64_t *target;   /* gather_start[panels] */

    /* numbers, from numeric */
    double *lower; /* at[panels]: panels of L */
    double *upper; /* at[panels]: panels of U'; the same pointer as lower when symmetric */
    double *pivot; /* n: D */

    /* workspace */
    double *row_max;     /* n: largest |entry| of each original row */
    double *x;           /* n: renumbered right-hand side */
    double *column;      /* max_height + pad */
    double *coefficient; /* CAIRN_PANEL_WIDTH^2 */
    int *place;          /* n: place of a row in the current panel */
    int *relative;       /* max_height: places of the rows of an earlier panel in the current one */
    int *head;           /* panels: first earlier panel that is next used by this one, -1: none */
    int *next;           /* panels: next in that list */
    int *position;       /* panels: rows of this panel already used, own rows included */
    cairn_arena arena;   /* all arrays above */
};

static inline int cairn_panel_width(const cairn_factor *f, int s) {
    return f->first[s + 1] - f->first[s];
}
static inline int cairn_panel_below(const cairn_factor *f, int s) {
    return (int)(f->row_start[s + 1] - f->row_start[s]);
}
static inline int cairn_panel_stride(const cairn_factor *f, int s) {
    return cairn_panel_width(f, s) + cairn_panel_below(f, s) + CAIRN_PANEL_PAD;
}

/* What analyze works on and throws away. */
typedef struct cairn_pattern {
    int n;
    const int *start, *index; /* the caller's pattern of A */
    int groups;
    const int *group_start; /* groups + 1 */
    int *single;            /* n + 1: group_start when the caller gave none */
    int *transpose;         /* start[n]: where the mirrored entry of each entry is */
    int *order;             /* n: original row of each row */
    int *inverse;           /* n: row of each original row */
    int *parent;            /* n: parent in the elimination tree, -1: root */
    int *count;             /* n: entries of each column of L, diagonal included */
    int panels;
    int *first;        /* n + 1: first column of each panel; panels + 1 used */
    int *panel_of;     /* n: panel of each column */
    int *panel_parent; /* n: parent panel, -1: root */
    int *below;        /* n: number of rows below each panel */
    int64_t *zeros;    /* n: zeros stored in each run of columns */
    int *work;         /* 4 n + 1 */
    int *graph;        /* 9 groups + graph_room: for AMD */
    int graph_room;    /* room for the quotient graph and AMD's work on it */
    cairn_arena arena; /* all arrays above */
} cairn_pattern;

/* Checks start, index and groups, but not the symmetry; the message names the wrong column or group. */
cairn_status cairn_pattern_check(cairn_context *context, int n, const int *start, const int *index, int groups,
                                 const int *group_start);
/* Fills transpose; CAIRN_ERROR_ARGUMENT when the pattern is not symmetric. */
cairn_status cairn_pattern_mirror(cairn_context *context, cairn_pattern *pattern);
/* Fills order and inverse: AMD on the quotient graph, groups expanded to rows. */
void cairn_pattern_order(cairn_pattern *pattern);
/* Fills parent and count, and renumbers so that the elimination tree is in postorder. */
void cairn_pattern_tree(cairn_pattern *pattern);
/* Fills first, panel_of, panel_parent, below, panels. */
void cairn_pattern_panels(cairn_pattern *pattern);

#endif
