/*
 * factor_data.h: the inside of a factorisation, shared by the files factor*.c.
 *
 * Rows are renumbered: row k of P A P' is row order[k] of A. Neighbouring columns of L with
 * (nearly) the same pattern form a panel; columns first[s] .. first[s+1]-1 make panel s, of width
 * w. Below its own w rows it has the rows of any of its columns, in rising order. Rows are padded
 * with zeros so that both parts fill quads of four:
 *
 *     place    0 .. w-1   own rows       up to 4 own quads, own quads = ceil(w / 4)
 *              4 own ..   rows below     up to 4 quads, quads = own quads + ceil(below / 4)
 *
 * A panel is stored as blocks of k columns (cairn_block_width); a block begins at its own first row
 * and is laid out as in kernel.h. Its lower part holds L, the rest 0; D is apart in pivot. In
 * unsymmetric factors a second array holds U' in the same way. The symmetric case is the
 * unsymmetric one with U' = L.
 *
 * Panels form a tree. What a panel takes from rows below it is its update: a dense lower triangle
 * (two in the unsymmetric case: of the update and of its transpose) that its parent adds. Tasks are
 * ranges of whole subtrees, balanced by multiply-adds; panels above them make the top. Both depend
 * on the pattern alone.
 *
 * Panels that no changing group reaches (factor_renewal.c) are kept by a renewal: whole subtrees.
 * The updates of their roots have memory of their own.
 */
#ifndef CAIRN_LINALG_FACTOR_FACTOR_DATA_H
#define CAIRN_LINALG_FACTOR_FACTOR_DATA_H

#include "linalg/factor/factor.h"
#include "linalg/factor/kernel/kernel.h"

#define CAIRN_VALUE_GRAIN 32768 /* values in one piece of the search for the largest */

/* A range of panels with memory of its own. The front of a panel is its columns while it is
 * factored. */
typedef struct cairn_task {
    int begin, end;        /* panels; those of the top are the ones in no task */
    double cost;           /* estimated, in multiply-adds */
    int64_t front, scaled; /* in work: the front and L D, each of that size for every side */
    int64_t front_size, scaled_size;
    int64_t stack[2], stack_size[2]; /* in work: updates of panels of even and of odd depth */
} cairn_task;

/* A block of A: rows x cols entries, value[source + i + j stride]. It goes to the front from
 * place target on, or transposed when cols is negative. A target ~t means place t of the second
 * side. */
typedef struct cairn_piece {
    int source, target, rows, cols, stride;
} cairn_piece;

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
    double renew_flops; /* of a renewal */
    bool complete;      /* all panels have numbers: some may be kept */
    bool partial;       /* the last factorisation has kept those of keep */

    /* pattern, from analyze */
    int nonzeros;            /* entries of A */
    int groups;              /* of a factor that may go to a cache (factor_cache.h): */
    int *group_start;        /* groups + 1 */
    int *index;              /* start[n]: A's rows; these two are NULL in other factors */
    unsigned char *changing; /* groups: as given to analyze; NULL: all, or in other factors */
    int panels;              /* number of panels */
    int *order;              /* n: original row of each row */
    int *first;              /* panels + 1: first column of each panel */
    int *parent;             /* panels: parent panel, -1: root */
    int *child, *next;       /* panels: first child; next child of the same parent; -1: none */
    bool *keep;              /* panels: a renewal keeps it; NULL: it keeps none */
    int64_t *row_start;      /* panels + 1: where the rows below each panel begin in row, slot and place */
    int *row;                /* row_start[panels]: rows below the panels, rising in each */
    int *slot;               /* where solve keeps that row: itself, or n and up for rows above the panel's task */
    int *span_start;         /* panels + 1: number of spans before each panel's */
    int *span;               /* slots of the rows below, as spans of neighbours (kernel.h) */
    int *place;              /* place of that row in the front of the parent */
    int *runs;               /* panels: number of runs of neighbouring places */
    int *run;                /* runs as in kernel.h: those of panel s begin at row_start[s] + s */
    int64_t *at;             /* panels + 1: where each panel begins in lower and upper */
    int64_t *update_at;      /* panels: where the update is in work; the second side follows the first */

    /* gathering A: panel s takes pieces gather_start[s] .. gather_start[s+1]-1 */
    int *gather_start;
    cairn_piece *piece;
    int *start;        /* n + 1: A's columns, for the largest entries */
    cairn_piece *scan; /* unsymmetric: scans pieces of A in another order; target is the first original row */
    int scans;

    cairn_task *task;   /* tasks + 1: the last one is the top; the costly ones first */
    int tasks;          /* 0: everything is in the top */
    int *top;           /* tops: panels in no task */
    int tops;           /* number of them */
    int slots;          /* n + copies of rows above the tasks */
    int *copy;          /* slots - n: row of each copy */
    int64_t work_size;  /* doubles in work */
    int64_t panel_size; /* doubles in lower */

    /* numbers, from numeric */
    double *lower;   /* panels of L */
    double *upper;   /* panels of U'; the same pointer as lower when symmetric */
    double *pivot;   /* n: D */
    double *inverse; /* n: 1 / D */

    double *row_max;     /* n: what the pivot of each original row is measured by, when one is in doubt */
    double *most;        /* chunks of the values: largest |entry| of each */
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
/* Columns of a block: wide enough to keep the kernel busy, narrow enough to leave little to its
 * serial corner. */
static inline int cairn_block_width(int width) {
    return width <= 96 ? width : width < 384 ? 96 : CAIRN_BLOCK_WIDTH;
}

/* What analyze works on and throws away. Symbolic work is done on vertices: groups of rows that
 * stay together and count as dense. */
typedef struct cairn_pattern {
    int n;
    const int *start, *index; /* the caller's pattern of A */
    int groups;
    const int *group_start;        /* groups + 1; NULL: every row alone */
    const unsigned char *changing; /* groups; NULL: all do */
    int vertices;
    int *vertex_start; /* vertices + 1 (room n + 1): original rows of each vertex */
    int *vertex_of;    /* n */
    bool uniform;      /* every column of a vertex holds the same whole vertices */
    int *mark;         /* n + 1 */
    cairn_arena rows;  /* the three above */

    int *edge_start, *edge; /* vertices + 1: neighbours of each vertex, itself left out */
    int *order, *inverse;   /* vertices: original vertex of each vertex, and back */
    int *begin;             /* vertices + 1: first row of each vertex, in the new order */
    int *parent;            /* vertices: parent in the elimination tree, -1: root */
    int *count;             /* vertices: entries of its first column of L, diagonal included */
    int panels;
    int *first;        /* vertices + 1: first vertex of each panel; panels + 1 used */
    int *panel_of;     /* vertices: panel of each vertex */
    int *panel_parent; /* vertices: parent panel, -1: root */
    int *below;        /* vertices: number of rows below each panel */
    bool *moving;      /* vertices, original numbers: it changes; NULL: all do */
    bool *keep;     /* vertices, in the new order: neither it nor anything below it in the tree changes; NULL: none */
    int64_t *zeros; /* vertices: zeros stored in each run of columns */
    double *cost;   /* 2 vertices: estimated work of each panel, and of its subtree */
    int *work;      /* 4 vertices + 1 */
    int *place;     /* n */
    int *graph;     /* 9 vertices + graph_room: for AMD */
    int graph_room; /* room for the graph and AMD's work on it */
    cairn_arena arena; /* all arrays from edge_start on */
} cairn_pattern;

/* Entries p .. p + length-1 of a column: rows of one vertex, neighbours. */
typedef struct cairn_stretch {
    int vertex, length;
} cairn_stretch;
/* The stretch that begins at entry p of a column that ends before end. Rows rise, so its last
 * row tells whether it is whole; else it ends at the first gap. */
static inline cairn_stretch cairn_pattern_stretch(const cairn_pattern *a, int p, int end) {
    int i = a->index[p], v = a->vertex_of[i], length = a->vertex_start[v + 1] - i;
    if (length > end - p || a->index[p + length - 1] != i + length - 1)
        for (length = 1; p + length < end && a->index[p + length] == i + length && a->vertex_of[i + length] == v;)
            length++;
    return (cairn_stretch){v, length};
}
static inline int cairn_vertex_rows(const cairn_pattern *a, int k) {
    return a->begin[k + 1] - a->begin[k];
}

/* Checks start, index and groups, but not the symmetry; the message names the wrong column or
 * group. */
cairn_status cairn_pattern_check(cairn_context *context, int n, const int *start, const int *index, int groups,
                                 const int *group_start);
/* Takes memory; fills vertices and their graph. CAIRN_ERROR_ARGUMENT when the pattern is not
 * symmetric. */
cairn_status cairn_pattern_graph(cairn_context *context, cairn_pattern *pattern);
/* Fills order, inverse, begin, parent, count: AMD or nested dissection, in postorder of the
 * elimination tree. */
cairn_status cairn_pattern_order(cairn_context *context, cairn_pattern *pattern);
/* order: nested dissection of a symmetric graph without loops; neighbours of v:
 * adjacent[start[v]] .. */
cairn_status cairn_dissect(cairn_context *context, int n, const int *start, const int *adjacent, const int *weight,
                           int *order);
/* Fills inverse, begin, parent and count for the order given. Returns multiply-adds of the
 * factorisation, roughly. */
double cairn_pattern_tree(cairn_pattern *pattern);
/* Renumbers so that the elimination tree is in postorder. */
void cairn_pattern_postorder(cairn_pattern *pattern);
/* Fills moving, when some group changes and some does not. */
void cairn_pattern_moving(cairn_pattern *pattern);
/* Fills keep for the present tree; nothing without moving. Returns the multiply-adds of a
 * renewal, roughly. */
double cairn_pattern_keep(cairn_pattern *pattern);
/* After an order was found that takes cost multiply-adds: may put the vertices that do not
 * change first. */
void cairn_pattern_keep_first(cairn_pattern *pattern, double cost);
/* Fills first, panel_of, panel_parent, below, panels. A panel is kept as a whole or not at all. */
void cairn_pattern_panels(cairn_pattern *pattern);

/* count (panels): pieces that each panel gathers. Returns their number. */
size_t cairn_count_pieces(cairn_factor *f, const cairn_pattern *pattern, int *count);
/* Fills gather_start, piece and scan. Leaves rows of P A P' in target (~row for the second side)
 * and columns in column. */
void cairn_fill_pieces(cairn_factor *f, const cairn_pattern *pattern, const int *count, int *column);
/* Rows and columns of the pieces of panel s become places in its front. place: of each row in it */
void cairn_place_pieces(cairn_factor *f, int s, const int *place, const int *column);
/* Lays out rows, places, runs, gathering, tasks in a factor whose n, symmetric and kernel are
 * set; takes its memory. CAIRN_ERROR_UNSUPPORTED: the numbers would take more than most bytes. */
cairn_status cairn_factor_lay_out(cairn_factor *f, const cairn_pattern *pattern, size_t most);
/* terms (n, renumbered rows): |d_j| + sum of |l_jk d_k u_kj| over k < j. */
void cairn_factor_terms(const cairn_factor *f, double *terms);
/* Cuts the tree into tasks. cost: estimated work of each panel; sum, low: room for one entry a
 * panel. Fills begin, end, cost of the tasks in the order of the panels, unless task is NULL;
 * returns their number. */
int cairn_cut_tasks(int panels, const int *parent, const double *cost, double *sum, int *low, cairn_task *task);
/* Sizes and places of fronts and updates, work_size. Fills owner: task of each panel, tasks: the
 * top. depth: panels. */
void cairn_plan_work(cairn_factor *f, const cairn_pattern *a, int *owner, int *depth);

#endif
