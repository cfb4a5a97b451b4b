/*
 * cairn_form_read.c: problems that FCLIB cannot hold, in Cairn's own form (docs/formats.md 4):
 * limits, motors, compliance, adhesion.
 *
 *     /cairn_global:  M (n x n), D (n x m), vectors f (n), b (m), C (m)
 *     /cairn_block_solver:   N (m x m), vectors b (m), C (m)
 *     blocks:         set, dim (integers), mu, lo, hi, radius, cap, adhesion, one of each a block
 *
 * The groups have names of their own so that a reader of FCLIB refuses the file instead of taking a
 * motor for a joint.
 */
#include "io/problem_file/fclib.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* What a block is stored as. */
typedef struct own_blocks {
    int count, *set, *dim;
    double *real[CAIRN_OWN_REALS];
} own_blocks;

const char *const cairn_own_real_names[CAIRN_OWN_REALS] = {"mu", "lo", "hi", "radius", "cap", "adhesion"};

static void blocks_free(cairn_context *context, own_blocks *blocks) {
    cairn_free(context, blocks->set);
    cairn_free(context, blocks->dim);
    for (int i = 0; i < CAIRN_OWN_REALS; i++)
        cairn_free(context, blocks->real[i]);
}

static cairn_status blocks_read(const cairn_hdf5 *h, const char *group, own_blocks *blocks) {
    cairn_status status = cairn_hdf5_length(h, group, "set", CAIRN_HDF5_INTEGER, &blocks->count);
    if (status == CAIRN_OK)
        status = cairn_hdf5_read_ints(h, group, "set", blocks->count, &blocks->set);
    if (status == CAIRN_OK)
        status = cairn_hdf5_read_ints(h, group, "dim", blocks->count, &blocks->dim);
    for (int i = 0; i < CAIRN_OWN_REALS && status == CAIRN_OK; i++)
        status = cairn_hdf5_read_reals(h, group, cairn_own_real_names[i], blocks->count, &blocks->real[i]);
    return status;
}

/* Sets that are known, of dimensions that add up to m. The rest is checked with the problem. */
static cairn_status blocks_check(const cairn_hdf5 *h, const char *group, const own_blocks *blocks, int m) {
    char path[CAIRN_HDF5_PATH];
    int64_t rows = 0;
    for (int i = 0; i < blocks->count; i++) {
        if (blocks->set[i] < 0 || blocks->set[i] >= CAIRN_SET_POLY_CONE) {
            cairn_hdf5_join(group, "set", path);
            return cairn_hdf5_bad(h, path, "entry %d is %d, expected 0 to %d", i, blocks->set[i],
                                  CAIRN_SET_POLY_CONE - 1);
        }
        if (blocks->dim[i] < 1 || blocks->dim[i] > CAIRN_BLOCK_DIM_MAX) {
            cairn_hdf5_join(group, "dim", path);
            return cairn_hdf5_bad(h, path, "entry %d is %d, expected 1 to %d", i, blocks->dim[i], CAIRN_BLOCK_DIM_MAX);
        }
        rows += blocks->dim[i];
    }
    return rows == m ? CAIRN_OK : cairn_hdf5_bad(h, group, "blocks of %lld rows, expected %d", (long long)rows, m);
}

/* Files hold finite numbers: the largest ones stand for no bound. */
static double bound_of(double stored) {
    return fabs(stored) == DBL_MAX ? copysign(INFINITY, stored) : stored;
}

static bool is_cone(cairn_set_kind set) {
    return set == CAIRN_SET_CONE || set == CAIRN_SET_CAPPED_CONE || set == CAIRN_SET_SHIFTED_CONE;
}

static cairn_block block_of(const own_blocks *blocks, int i) {
    double *const *real = blocks->real;
    return (cairn_block){.set = (cairn_set_kind)blocks->set[i],
                         .dim = blocks->dim[i],
                         .mu = real[0][i],
                         .lo = bound_of(real[1][i]),
                         .hi = bound_of(real[2][i]),
                         .radius = real[3][i],
                         .cap = real[4][i],
                         .adhesion = real[5][i]};
}

/* Matrices and sizes; raw->A is M or N, raw->B is D. */
static cairn_status read_matrices(const cairn_hdf5 *h, const char *top, int *n, int *m, cairn_raw *raw) {
    char first[CAIRN_HDF5_PATH], second[CAIRN_HDF5_PATH];
    int rows = 0, cols = 0, heights = 0;
    cairn_hdf5_join(top, raw->local ? "N" : "M", first);
    cairn_hdf5_join(top, "D", second);
    cairn_status status = cairn_matrix_read_size(h, first, &rows, &cols);
    if (status == CAIRN_OK && (rows < 1 || rows != cols))
        status = cairn_hdf5_bad(h, first, "%d x %d, expected square and at least 1 x 1", rows, cols);
    if (status == CAIRN_OK)
        status = cairn_matrix_read(h, first, rows, cols, &raw->A);
    *n = raw->local ? 0 : rows;
    *m = rows;
    if (status == CAIRN_OK && !raw->local)
        status = cairn_matrix_read_size(h, second, &heights, m);
    if (status == CAIRN_OK && !raw->local)
        status = cairn_matrix_read(h, second, *n, *m, &raw->B);
    return status;
}

static cairn_status build(const cairn_hdf5 *h, const own_blocks *blocks, const cairn_raw *raw, cairn_problem_def *def,
                          cairn_file *file) {
    cairn_block *block = cairn_alloc(h->context, (size_t)blocks->count, sizeof *block);
    if (block == NULL)
        return CAIRN_ERROR_MEMORY;
    file->spacedim = 3;
    for (int i = 0; i < blocks->count; i++) {
        block[i] = block_of(blocks, i);
        file->contacts += is_cone(block[i].set);
    }
    def->blocks = blocks->count;
    def->block = block;
    def->k = raw->f;
    def->b = raw->w;
    if (raw->local) {
        def->N = raw->A.view;
        def->N_unsymmetric = true;
    } else {
        def->H = raw->A.view;
        def->H_unsymmetric = true;
        def->D = raw->B.view;
    }
    cairn_status status = cairn_raw_create(h->context, h->name, def, &file->problem);
    cairn_free(h->context, block);
    return status;
}

static cairn_status check_version(const cairn_hdf5 *h, const char *top) {
    char path[CAIRN_HDF5_PATH];
    int version = 0;
    cairn_status status = cairn_hdf5_read_int(h, top, "version", &version);
    cairn_hdf5_join(top, "version", path);
    if (status == CAIRN_OK && version != CAIRN_OWN_VERSION)
        status = cairn_hdf5_bad(h, path, "%d, expected %d: written by another version of Cairn", version,
                                CAIRN_OWN_VERSION);
    return status;
}

cairn_status cairn_own_read(const cairn_hdf5 *h, bool local, cairn_file *file) {
    const char *top = local ? "/cairn_block_solver" : "/cairn_global";
    char vectors[CAIRN_HDF5_PATH], group[CAIRN_HDF5_PATH];
    cairn_raw raw = {.local = local}; /* w is b, mu is C */
    own_blocks blocks = {0};
    cairn_problem_def def = cairn_default_problem_def();
    cairn_hdf5_join(top, "vectors", vectors);
    cairn_hdf5_join(top, "blocks", group);
    cairn_status status = check_version(h, top);
    if (status == CAIRN_OK)
        status = read_matrices(h, top, &def.n, &def.m, &raw);
    if (status == CAIRN_OK && !local)
        status = cairn_hdf5_read_reals(h, vectors, "f", def.n, &raw.f);
    if (status == CAIRN_OK)
        status = cairn_hdf5_read_reals(h, vectors, "b", def.m, &raw.w);
    if (status == CAIRN_OK)
        status = cairn_hdf5_read_reals(h, vectors, "C", def.m, &raw.mu);
    if (status == CAIRN_OK)
        status = blocks_read(h, group, &blocks);
    if (status == CAIRN_OK)
        status = blocks_check(h, group, &blocks, def.m);
    def.C = raw.mu;
    if (status == CAIRN_OK)
        status = build(h, &blocks, &raw, &def, file);
    file->local = local;
    file->own = true;
    blocks_free(h->context, &blocks);
    cairn_raw_free(h->context, &raw);
    return status;
}
