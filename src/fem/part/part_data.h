/*
 * part_data.h: the inside of a part, shared by part*.c and stress.c.
 *
 * Elements are evaluated one by one into K and force (any thread, any order); then every 3 x 3 block of H and every vector of k
 * adds what it needs in a fixed order, by lists made once. So the bits do not depend on the number of threads.
 *
 *     near    vectors that share an element with vector i, rising, itself included: the block pattern of H
 *     entry   position in near: block (i, near[entry])
 *
 * Column 3 i + c of H holds rows 3 near + (0, 1, 2), so block (j, i) of entry p of vector i begins at 9 near_start[i] + 3 c degree + 3 (p - near_start[i]).
 */
#ifndef CAIRN_FEM_PART_PART_DATA_H
#define CAIRN_FEM_PART_PART_DATA_H

#include "fem/element/element.h"
#include "fem/part/part.h"

#define CAIRN_FEM_SUMS  5  /* of part_gain.c */
#define CAIRN_FEM_SEEN  2  /* energies that are remembered: where a step begins and ends */
#define CAIRN_FEM_GRAIN 64 /* elements or vectors in one piece of parallel work */

/* How K+ of an element counts in the present step. */
typedef struct cairn_fem_brace {
    double beta, eta; /* on the change of velocity; as damping */
    bool guarded;     /* the element turns so fast that its turning is damped too */
} cairn_fem_brace;

typedef struct cairn_fem_work {
    cairn_fem_stuff *stuff; /* materials */
    int *slot_start,
        *slot; /* elements + 1: vectors of the elements, element after element; rising in solids, so that no block is added
                               transposed. kept, K and force follow this order */
    int *block_start;          /* elements + 1: blocks of K before each element */
    int64_t *kept_start;       /* elements + 1 */
    double *kept;              /* rest states */
    double *K;                 /* 9 a block */
    double *force;             /* 3 a slot */
    double *energy;            /* one a piece of elements */
    double *coarse;            /* elements: what `taut` returns for a pull of 1 Pa all around */
    cairn_fem_brace *brace;    /* elements */
    int64_t *lean_start;       /* elements + 1 */
    double *lean;              /* what elements keep within a step */
    double *base, *rigid;      /* 3 vectors: k without forces of elements; velocities of the whole */
    double *twist;             /* three a piece of elements: torque of their bracing */
    double *sums;              /* CAIRN_FEM_SUMS a piece of elements or of vectors */
    double *seen;              /* CAIRN_FEM_SEEN times: places (3 vectors) and their elastic energy */
    int seen_count, seen_next; /* how many are known; the one to be forgotten */
    double *arm, *room;        /* 3 vectors: from the centre, or the slope; room */
    double inertia[9];         /* about the centre, of a part that nothing holds; else 0 */
    int *pull_start, *pull;    /* vectors + 1: slots of each vector, rising */
    int *near_start, *near;    /* vectors + 1: entries */
    int *mirror;               /* entries: entry of the transposed block */
    int *gather_start;         /* entries + 1: only blocks (i, j >= i) gather */
    int *gather;               /* blocks that a block of H adds; ~block: transposed */
    double *mass, *damped;     /* entries: M and its part a M of the damping, times the unit matrix of three */
    double *weight;            /* vectors: M times a translation: force of gravity over g */
    int *diagonal;             /* vectors: entry (i, i) */
    bool lumped;               /* M is diagonal */
} cairn_fem_work;

static inline cairn_fem_work *cairn_fem_work_of(const cairn_fem_part *part) {
    return part->work;
}

/* Vectors of element e in the order of its nodes (slots of solids are sorted); returns their number. */
static inline int cairn_fem_part_vectors(const cairn_fem_part *part, int e, int *vector) {
    const cairn_fem_mesh_view *v = &part->view;
    int count = 0, each = cairn_fem_element_of(v->kind[e])->vectors;
    for (int p = v->start[e]; p < v->start[e + 1]; p++)
        for (int t = 0; t < each; t++)
            vector[count++] = v->vector[v->corner[p]] + t;
    return count;
}

/* Vectors of an element one after the other. */
static inline void cairn_fem_collect(const int *slot, int n, const double *from, double *to) {
    for (int a = 0; a < n; a++)
        for (int c = 0; c < 3; c++)
            to[3 * a + c] = from[3 * slot[a] + c];
}

/* Whether elements e to e + 3 lie before end and can go through the lanes (tet4_simd.h): corotational tetrahedra of one material. */
bool cairn_fem_part_alike(const cairn_fem_part *part, int e, int end);
/* Sum of the elements' forces on vector i. */
void cairn_fem_pull(const cairn_fem_work *work, int i, double sum[3]);
/* Blocks (i, j >= i) of H and their mirrors: sums of the elements' K, and shares of the masses. */
void cairn_fem_spread_row(const cairn_fem_part *part, int i, double mass_share, double damped_share, double *H);
/* Patterns and lists from slot_start and slot; H_start and H_row of the part. */
cairn_status cairn_fem_part_pattern(cairn_fem_part *part);
/* entry of block (i, j); it must be there */
int cairn_fem_part_entry(const cairn_fem_work *work, int i, int j);
/* out = M v (3 vectors), or with damped in place of mass */
void cairn_fem_part_mass_times(const cairn_fem_part *part, const double *mass, const double *v, double *out);

#endif
