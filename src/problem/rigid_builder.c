/*
 * rigid_builder.c: problems written in place [theory 1]. The world makes several a step; from
 * arrays that are checked, copied and transposed a contact costs as much as twenty sweeps over it.
 *
 * D is stored with all entries of its blocks, so that its values, column after column, are the
 * dense blocks of jacobian_blocks.c: both are one array.
 */
#include "problem/rigid_builder.h"

#include "sets/sets.h"

#include <string.h>

#define ROWS       6
#define ENTRIES    12 /* of H a body at most: three, and nine */
#define LANES      8
#define OTHER_MOST 3 /* bodies of a block that is no contact: two wheels and their carrier */

/* Lays out all arrays; the same order every time. entries: of D; touches: of bodies by blocks. */
static void layout(cairn_arena *a, cairn_problem *p, size_t entries, size_t touches) {
    size_t n = (size_t)p->n, m = (size_t)p->m, blocks = (size_t)p->blocks, bodies = (size_t)p->bodies;
    p->A.value = cairn_arena_take(a, ENTRIES * bodies, sizeof(double));
    p->D.value = cairn_arena_take(a, entries, sizeof(double));
    p->k = cairn_arena_take(a, n, sizeof(double));
    p->b = cairn_arena_take(a, m, sizeof(double));
    p->C = cairn_arena_take(a, m, sizeof(double));
    p->angular = cairn_arena_take(a, m, 1);
    p->block = cairn_arena_take(a, blocks, sizeof *p->block);
    p->A.start = cairn_arena_take(a, n + 1, sizeof(int));
    p->A.index = cairn_arena_take(a, ENTRIES * bodies, sizeof(int));
    p->D.start = cairn_arena_take(a, m + 1, sizeof(int));
    p->D.index = cairn_arena_take(a, entries, sizeof(int));
    p->block_start = cairn_arena_take(a, blocks + 1, sizeof(int));
    p->body_start = cairn_arena_take(a, bodies + 1, sizeof(int));
    cairn_body_blocks *B = &p->body;
    B->body_of = cairn_arena_take(a, n, sizeof *B->body_of);
    B->touch_start = cairn_arena_take(a, blocks + 1, sizeof *B->touch_start);
    B->touch = cairn_arena_take(a, touches, sizeof *B->touch);
    B->dense_start = cairn_arena_take(a, blocks + 1, sizeof *B->dense_start);
    B->width = cairn_arena_take(a, blocks, sizeof *B->width);
    B->rigid = cairn_arena_take(a, blocks, sizeof *B->rigid);
    B->incident_start = cairn_arena_take(a, bodies + 1, sizeof *B->incident_start);
    B->incident = cairn_arena_take(a, touches, sizeof *B->incident);
    B->incident_at = cairn_arena_take(a, touches, sizeof *B->incident_at);
    B->dense = p->D.value;
}

cairn_status cairn_direct_reserve(cairn_context *context, cairn_law law, const cairn_direct_size *size,
                                  cairn_problem **out) {
    cairn_problem *p = cairn_alloc(context, 1, sizeof *p);
    cairn_arena arena = {0};
    if (p == NULL)
        return CAIRN_ERROR_MEMORY;
    *p = (cairn_problem){.context = context,
                         .law = law,
                         .block_diagonal = true,
                         .full_pattern = true,
                         .n = ROWS * size->bodies,
                         .m = size->dim * size->contacts + size->rows,
                         .blocks = size->contacts + size->others,
                         .bodies = size->bodies};
    size_t contacts = (size_t)size->contacts, others = (size_t)size->others;
    size_t entries = ROWS * (2 * contacts * (size_t)size->dim + OTHER_MOST * (size_t)size->rows);
    size_t touches = 2 * contacts + OTHER_MOST * others;
    layout(&arena, p, entries, touches);
    arena.used += arena.used / 8; /* a few more contacts in the next step need no new memory */
    cairn_status status = cairn_arena_reserve_raw(context, &arena);
    if (status != CAIRN_OK) {
        cairn_free(context, p);
        return status;
    }
    layout(&arena, p, entries, touches);
    p->memory = arena.base;
    if (size->rows == 0)
        p->angular = NULL; /* contacts alone */
    else
        memset(p->angular, 0, (size_t)p->m);
    p->A.rows = p->A.cols = p->D.rows = p->n;
    p->D.cols = p->m;
    p->A.start[0] = p->D.start[0] = p->body.touch_start[0] = 0;
    p->body.dense_start[0] = 0;
    for (int i = 0; i <= size->contacts; i++)
        p->block_start[i] = size->dim * i;
    for (int i = 0; i <= size->bodies; i++)
        p->body_start[i] = ROWS * i;
    for (int i = 0; i < p->n; i++)
        p->body.body_of[i] = i / ROWS;
    *out = p;
    return CAIRN_OK;
}

void cairn_direct_body(cairn_problem *p, int i, double mass, const double *J) {
    int row = ROWS * i, at = p->A.start[row];
    bool diagonal = J[1] == 0.0 && J[2] == 0.0 && J[3] == 0.0 && J[5] == 0.0 && J[6] == 0.0 && J[7] == 0.0;
    if (diagonal && mass != 0.0 && J[0] != 0.0 && J[4] != 0.0 && J[8] != 0.0) {
        for (int j = 0; j < ROWS; j++) {
            p->A.index[at + j] = row + j;
            p->A.value[at + j] = j < 3 ? mass : J[4 * (j - 3)];
            p->A.start[row + j + 1] = at + j + 1;
        }
        return;
    }
    for (int j = 0; j < ROWS; j++) {
        for (int r = j < 3 ? j : 3; r < (j < 3 ? j + 1 : ROWS); r++) {
            double value = j < 3 ? mass : 0.5 * J[3 * (r - 3) + j - 3] + 0.5 * J[3 * (j - 3) + r - 3];
            p->A.index[at] = row + r;
            p->A.value[at] = value;
            at += value != 0.0;
        }
        p->A.start[row + j + 1] = at;
    }
}

double *cairn_direct_contact(cairn_problem *p, int i, int count, const int *body) {
    cairn_body_blocks *B = &p->body;
    int row = p->block_start[i], dim = p->block_start[i + 1] - row, width = ROWS * count, at = p->D.start[row];
    for (int t = 0; t < count; t++)
        B->touch[B->touch_start[i] + t] = body[t];
    B->touch_start[i + 1] = B->touch_start[i] + count;
    B->width[i] = width;
    B->rigid[i] = (unsigned char)(dim == 3 ? count : 0);
    B->dense_start[i + 1] = B->dense_start[i] + dim * width;
    int pattern[2 * ROWS];
    for (int k = 0; k < ROWS; k++) {
        pattern[k] = ROWS * body[0] + k;
        pattern[ROWS + k] = ROWS * body[count - 1] + k;
    }
    for (int r = 0; r < dim; r++) {
        if (count == 2)
            memcpy(p->D.index + at, pattern, sizeof pattern);
        else
            memcpy(p->D.index + at, pattern, sizeof pattern / 2);
        at += width;
        p->D.start[row + r + 1] = at;
    }
    return B->dense + B->dense_start[i];
}

double *cairn_direct_block(cairn_problem *p, int i, const cairn_block *block, int count, const int *body) {
    cairn_body_blocks *B = &p->body;
    int row = p->block_start[i], dim = block->dim, width = ROWS * count, at = p->D.start[row];
    p->block[i] = *block;
    p->block_start[i + 1] = row + dim;
    for (int t = 0; t < count; t++)
        B->touch[B->touch_start[i] + t] = body[t];
    B->touch_start[i + 1] = B->touch_start[i] + count;
    B->width[i] = width;
    B->rigid[i] = (unsigned char)(dim == 3 && count <= 2 ? count : 0);
    B->dense_start[i + 1] = B->dense_start[i] + dim * width;
    for (int r = 0; r < dim; r++) {
        for (int t = 0; t < count; t++, at += ROWS)
            for (int k = 0; k < ROWS; k++)
                p->D.index[at + k] = ROWS * body[t] + k;
        p->D.start[row + r + 1] = at;
    }
    return B->dense + B->dense_start[i];
}

/* Is every number finite? 0 x is 0 then, and not a number else. */
CAIRN_CLONES static bool is_finite(size_t count, const double *x) {
    double lane[LANES] = {0}, sum = 0.0;
    size_t i = 0;
    for (; i + LANES <= count; i += LANES)
        for (int l = 0; l < LANES; l++)
            lane[l] += 0.0 * x[i + (size_t)l];
    for (; i < count; i++)
        sum += 0.0 * x[i];
    for (int l = 0; l < LANES; l++)
        sum += lane[l];
    return sum == 0.0;
}

/* Is every set in order? */
static bool sets_are_good(const cairn_problem *p) {
    for (int i = 0; i < p->blocks; i++) {
        bool plain = p->block[i].set == CAIRN_SET_CONE || p->block[i].set == CAIRN_SET_NONNEGATIVE;
        if (!plain && cairn_set_get(p->block[i].set)->check(&p->block[i]) != NULL)
            return false;
    }
    return true;
}

bool cairn_direct_finish(cairn_problem *p) {
    cairn_body_blocks_connect(p);
    return is_finite((size_t)p->A.start[p->n], p->A.value) && is_finite((size_t)p->D.start[p->m], p->D.value) &&
           is_finite((size_t)p->n, p->k) && is_finite((size_t)p->m, p->b) && is_finite((size_t)p->m, p->C) &&
           sets_are_good(p);
}
