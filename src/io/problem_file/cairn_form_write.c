/*
 * cairn_form_write.c: which problems FCLIB can hold, and the others in Cairn's own form
 * (cairn_form_read.c).
 *
 * Polyhedral cones are written as the round ones they stand for, as in FCLIB.
 */
#include "io/problem_file/fclib_write.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>

/* [W V; V' R]: FCLIB stores V once, so the two couplings must agree. */
static bool coupling_fits(const cairn_problem_view *view, int rows) {
    if (!view->local || !view->unsymmetric || rows == view->m)
        return true;
    for (int j = 0; j < view->m; j++)
        for (int e = view->H_start[j]; e < view->H_start[j + 1]; e++) {
            int i = view->H_index[e], twin = view->H_start[i];
            if ((i < rows) == (j < rows))
                continue;
            while (twin < view->H_start[i + 1] && view->H_index[twin] < j)
                twin++;
            if (twin == view->H_start[i + 1] || view->H_index[twin] != j || view->H_value[twin] != view->H_value[e])
                return false;
        }
    return true;
}

bool cairn_own_is_contact(cairn_set_kind set) {
    return set == CAIRN_SET_CONE || set == CAIRN_SET_POLY_CONE;
}

bool cairn_file_fits_fclib(const cairn_problem *problem) {
    if (problem == NULL)
        return false;
    cairn_problem_view view = cairn_problem_get(problem);
    int block = 0;
    for (; block < view.blocks && cairn_own_is_contact(view.block[block].set); block++)
        if (view.block[block].dim != view.block[0].dim)
            return false;
    int rows = view.block_start[block];
    for (; block < view.blocks; block++)
        if (view.block[block].set != CAIRN_SET_BILATERAL)
            return false;
    for (int row = 0; row < view.m; row++)
        if (view.C[row] != 0.0)
            return false;
    return coupling_fits(&view, rows);
}

/* Files hold finite numbers: the largest ones stand for no bound. */
static double stored_bound(double bound) {
    return isfinite(bound) ? bound : copysign(DBL_MAX, bound);
}

static double real_of(const cairn_block *b, int field) {
    switch (field) {
    case 0:
        return b->mu;
    case 1:
        return b->set == CAIRN_SET_BOX ? stored_bound(b->lo) : 0.0;
    case 2:
        return b->set == CAIRN_SET_BOX ? stored_bound(b->hi) : 0.0;
    case 3:
        return b->radius;
    case 4:
        return b->cap;
    default:
        return b->adhesion;
    }
}

static void write_blocks(cairn_writer *w, hid_t top) {
    const cairn_problem_view *view = &w->view;
    int *whole = cairn_alloc(w->context, (size_t)view->blocks, sizeof *whole);
    double *real = cairn_alloc(w->context, (size_t)view->blocks, sizeof *real);
    hid_t group = cairn_write_group(w, top, "blocks");
    if (whole == NULL || real == NULL)
        w->status = CAIRN_ERROR_MEMORY;
    for (int i = 0; i < view->blocks && w->status == CAIRN_OK; i++)
        whole[i] = cairn_own_is_contact(view->block[i].set) ? CAIRN_SET_CONE : (int)view->block[i].set;
    cairn_write_ints(w, group, "set", whole, view->blocks);
    for (int i = 0; i < view->blocks && w->status == CAIRN_OK; i++)
        whole[i] = view->block[i].dim;
    cairn_write_ints(w, group, "dim", whole, view->blocks);
    for (int field = 0; field < CAIRN_OWN_REALS; field++) {
        for (int i = 0; i < view->blocks && w->status == CAIRN_OK; i++)
            real[i] = real_of(&view->block[i], field);
        cairn_write_reals(w, group, cairn_own_real_names[field], real, view->blocks);
    }
    cairn_write_close(w, group);
    cairn_free(w->context, whole);
    cairn_free(w->context, real);
}

void cairn_write_own(cairn_writer *w, hid_t top) {
    const cairn_problem_view *view = &w->view;
    const int version = CAIRN_OWN_VERSION;
    cairn_write_ints(w, top, "version", &version, 1);
    cairn_write_own_matrices(w, top);
    hid_t vectors = cairn_write_group(w, top, "vectors");
    if (!view->local)
        cairn_write_reals(w, vectors, "f", view->k, view->n);
    cairn_write_reals(w, vectors, "b", view->b, view->m);
    cairn_write_reals(w, vectors, "C", view->C, view->m);
    cairn_write_close(w, vectors);
    write_blocks(w, top);
}

cairn_status cairn_own_check(cairn_context *context, const char *path, const cairn_problem_view *view) {
    for (int i = 0; i < view->blocks; i++)
        if (view->block[i].set == CAIRN_SET_CUSTOM)
            return cairn_fail(context, CAIRN_ERROR_UNSUPPORTED,
                              "%s: block %d is a set of your own; no file can hold functions", path, i);
    return CAIRN_OK;
}
