/*
 * factor_data.h: the inside of a factorisation, shared by the files factor*.c.
 *
 * Rows are renumbered: row k of P A P' is row order[k] of A. Neighbouring columns of L with (nearly) the same
 * pattern form a panel; columns first[s] .. first[s+1]-1 make panel s, of width w. Below its own w rows it has the
 * rows of any of its columns, in rising order. Rows are padded with zeros so that both parts fill quads of four:
 *
 *     place    0 .. w-1   own rows       up to 4 own quads, own quads = ceil(w / 4)
 *              4 own ..   rows below     up to 4 quads, quads = own quads + ceil(below / 4)
 *
 * A panel is stored as blocks of k columns (cairn_block_width); a block begins at its own first row and is laid out
 * as in kernel.h. Its lower part holds L, the rest 0; D is apart in pivot. In unsymmetric factors a second array
 * holds U' in the same way. The symmetric case is the unsymmetric one with U' = L.
 *
 * Panels form a tree. What a panel takes from rows below it is its update: a dense lower triangle (two in the
 * unsymmetric case: of the update and of its transpose) that its parent adds. Tasks are ranges of whole
 * subtrees, balanced by multiply-adds; panels above them make the top. Both depend on the pattern alone.
 */
#ifndef CAIRN_LINALG_FACTOR_DATA_H
#define CAIRN_LINALG_FACTOR_DATA_H

#include "factor.h"
#include "kernel.h"

/* A range of panels with memory of its own. The front of a panel is its columns while it is factored. */
typedef struct cairn_task {
    int begin, end;        /* panels; those of the top are the ones in no task */
    double cost;           /* estimated, in multiply-adds */
    int64_t front, scaled; /* in work: the front and L D, each of that size for every side */
    int64_t front_size, scaled_size;
    int64_t stack[2], stack_size[2]; /* in work: updates of panels of even and of odd depth */
    int failed;                      /* first column with a bad pivot, -1: none */
    double failed_pivot;
} cairn_task;

struct cairn_factor {
    cairn_context *context;
    const cairn_kernel *kernel; /* may be changed between two calls of numeric: the layout is the same for all */
    int n;
    int sides; /* 1: symmetric, 2: unsymmetric */
    bool symmetric;
    bool ready;     /* numeric has succeeded */
    int failed_row; /* original row of the last bad pivot, -1: none */
    int64_t entries;
    double flops;

    /* pattern, from analyze */
    int nonzeros;       /* entries of A */
    int panels;         /* number of panels */
    int *order;         /* n: original row of each row */
    int *first;         /* panels + 1: first column of each panel */
    int *parent;        /* panels: parent panel, -1: root */
    int *child, *next;  /* panels: first child; next child of the same parent; -1: none */
    int64_t *row_start; /* panels + 1: where the rows below each panel begin in row, slot and place */
    int *row;           /* row_start[panels]: rows below the panels, rising in each */
    int *slot;          /* where solve keeps that row: itself, or n and up for rows above the panel's task */
    int *place;         /* place of that row in the front of the parent */
    int *runs;          /* panels: number of runs of neighbouring places */
    int *run;           /* runs as in kernel.h: those of panel s begin at row_start[s] + s */
    int64_t *at;        /* panels + 1: where each panel begins in lower and upper */
    int64_t *update_at; /* panels: where the update is in work; the second side follows the first */

    /* gathering A: front[target[q]] = value[source[q]], q in gather_start[s] .. gather_start[s+1]-1 for panel s.
     * A target ~t means place t in the second side. */
    int *gather_start, *source, *target;
    int *start; /* n + 1: A's columns, for the largest entries */
    int *index; /* unsymmetric: original row of each value */

    cairn_task *task;   /* tasks + 1: the last one is the top; the costly ones first */
    int tasks;          /* 0: everything is in the top */
    int *top;           /* tops: panels in no task */
    int tops;           /* number of them */
    int slots;          /* n + copies of rows above the tasks */
    int *copy;          /* slots - n: row of each copy */
    int64_t work_size;  /* doubles in work */
    int64_t panel_size; /* doubles in lower */

    /* numbers, from numeric */
    double *lower; /* panels of L */
    double *upper; /* panels of U'; the same pointer as lower when symmetric */
    double *pivot; /* n: D */

    double *row_max;     /* n: largest |entry| of each original row */
    double *x;           /* slots * CAIRN_SOLVE_GROUP: renumbered right-hand sides */
    double *work;        /* fronts and updates of the tasks */
    cairn_arena arena;   /* what analyze fills: pattern and tasks */
    cairn_arena numbers; /* the rest */
};

static inline int cairn_quads(int count) {
    return (count + 3) / 4;
}
static inline int cairn_panel_width(const cairn_factor *f, int s) {
    return f->first[s + 1] - f->first[s];
}
static inline int cairn_panel_below(const cairn_factor *f, int s) {
    return (int)(f->row_start[s + 1] - f->row_start[s]);
}
/* Columns of a block: wide enough to keep the kernel busy, narrow enough to leave little to its serial corner. */
static inline int cairn_block_width(int width) {
    return width <= 96 ? width : width < 384 ? 96 : CAIRN_BLOCK_WIDTH;
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
    double *cost;      /* 2 n: estimated work of each panel, and of its subtree */
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
/* Fills order and inverse: AMD or nested dissection of the quotient graph, groups expanded to rows. */
cairn_status cairn_pattern_order(cairn_context *context, cairn_pattern *pattern);
/* order: nested dissection of a symmetric graph without loops; neighbours of v: adjacent[start[v]] .. */
cairn_status cairn_dissect(cairn_context *context, int n, const int *start, const int *adjacent, const int *weight,
                           int *order);
/* Fills parent and count, and renumbers so that the elimination tree is in postorder. */
void cairn_pattern_tree(cairn_pattern *pattern);
/* Fills first, panel_of, panel_parent, below, panels. */
void cairn_pattern_panels(cairn_pattern *pattern);

/* Lays out rows, places, runs, gathering, tasks in a factor whose n, symmetric and kernel are set; takes its memory. */
cairn_status cairn_factor_lay_out(cairn_factor *f, const cairn_pattern *pattern);
/* Cuts the tree into tasks. cost: estimated work of each panel; sum, low: room for one entry a panel. Fills begin, end,
 * cost of the tasks in the order of the panels, unless task is NULL; returns their number. */
int cairn_cut_tasks(int panels, const int *parent, const double *cost, double *sum, int *low, cairn_task *task);
/* Sizes and places of fronts and updates, work_size. Fills owner: task of each panel, tasks: the top. depth: panels. */
void cairn_plan_work(cairn_factor *f, const cairn_pattern *a, int *owner, int *depth);

#endif
