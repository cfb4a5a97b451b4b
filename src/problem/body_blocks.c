/*
 * body_blocks.c: D as dense blocks, one a constraint block and body it touches [theory 1], and products with it.
 *
 *     constraint block i, bodies a < b:   dense = [ D_a' D_b' ]   dim rows of width size_a + size_b
 *
 * D'v reads each block once and v by runs of a body; D gamma goes body by body over the blocks that touch it, so that no two threads
 * write the same place and sums have a fixed order. For rigid bodies 36 flops and 168 bytes a contact and body; no indices
 * inside a block. Stored zeros cost less than the indices that would skip them.
 */
#include "data.h"

#include <string.h>

#define SLIP_GRAIN    128
#define IMPULSE_GRAIN 64

void cairn_body_blocks_free(cairn_context *context, cairn_body_blocks *B) {
    void *owned[] = {B->body_of, B->touch_start,    B->touch,    B->dense_start,
                     B->dense,   B->incident_start, B->incident, B->incident_at};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        cairn_free(context, owned[i]);
    *B = (cairn_body_blocks){0};
}

/* Bodies that a constraint block touches, sorted, into list (room for all bodies). */
static int touched_bodies(const cairn_problem *p, int block, int *list) {
    int count = 0;
    for (int e = p->D.start[p->block_start[block]]; e < p->D.start[p->block_start[block + 1]]; e++) {
        int body = p->body.body_of[p->D.index[e]], at = count;
        while (at > 0 && list[at - 1] > body)
            at--;
        if (at > 0 && list[at - 1] == body)
            continue;
        memmove(list + at + 1, list + at, (size_t)(count - at) * sizeof *list);
        list[at] = body;
        count++;
    }
    return count;
}

/* Rows of block i spread over the rows of its bodies. */
static void fill_dense(cairn_problem *p, int i) {
    const int *list = p->body.touch + p->body.touch_start[i];
    int width = cairn_block_width(p, i);
    double *dense = p->body.dense + p->body.dense_start[i];
    for (int r = 0; r < p->block[i].dim; r++) {
        int a = 0, before = 0;
        for (int e = p->D.start[p->block_start[i] + r]; e < p->D.start[p->block_start[i] + r + 1]; e++) {
            while (p->D.index[e] >= p->body_start[list[a] + 1]) {
                before += p->body_start[list[a] + 1] - p->body_start[list[a]];
                a++;
            }
            dense[r * width + before + p->D.index[e] - p->body_start[list[a]]] = p->D.value[e];
        }
    }
}

/* For each body the blocks that touch it, in their order, and where its part of their first row begins. */
static void fill_incident(cairn_problem *p) {
    cairn_body_blocks *B = &p->body;
    for (int t = 0; t < B->touch_start[p->blocks]; t++)
        B->incident_start[B->touch[t] + 1]++;
    for (int b = 0; b < p->bodies; b++)
        B->incident_start[b + 1] += B->incident_start[b];
    for (int i = 0; i < p->blocks; i++) {
        int64_t at = B->dense_start[i];
        for (int t = B->touch_start[i]; t < B->touch_start[i + 1]; t++) {
            int body = B->touch[t], slot = B->incident_start[body]++;
            B->incident[slot] = i;
            B->incident_at[slot] = at;
            at += p->body_start[body + 1] - p->body_start[body];
        }
    }
    for (int b = p->bodies; b > 0; b--)
        B->incident_start[b] = B->incident_start[b - 1];
    B->incident_start[0] = 0;
}

cairn_status cairn_body_blocks_create(cairn_problem *p) {
    cairn_context *context = p->context;
    cairn_body_blocks *B = &p->body;
    B->body_of = cairn_alloc(context, (size_t)p->n, sizeof *B->body_of);
    B->touch_start = cairn_alloc(context, (size_t)p->blocks + 1, sizeof *B->touch_start);
    B->touch = cairn_alloc(context, (size_t)p->D.start[p->m], sizeof *B->touch); /* at most one a stored entry */
    B->dense_start = cairn_alloc(context, (size_t)p->blocks + 1, sizeof *B->dense_start);
    B->incident_start = cairn_alloc(context, (size_t)p->bodies + 1, sizeof *B->incident_start);
    if (B->body_of == NULL || B->touch_start == NULL || B->touch == NULL || B->dense_start == NULL ||
        B->incident_start == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int body = 0; body < p->bodies; body++)
        for (int i = p->body_start[body]; i < p->body_start[body + 1]; i++)
            B->body_of[i] = body;
    for (int i = 0; i < p->blocks; i++) {
        int *list = B->touch + B->touch_start[i], touched = touched_bodies(p, i, list), width = 0;
        for (int a = 0; a < touched; a++)
            width += p->body_start[list[a] + 1] - p->body_start[list[a]];
        B->touch_start[i + 1] = B->touch_start[i] + touched;
        B->dense_start[i + 1] = B->dense_start[i] + (int64_t)width * p->block[i].dim;
    }
    size_t touches = (size_t)B->touch_start[p->blocks];
    B->dense = cairn_alloc(context, (size_t)B->dense_start[p->blocks], sizeof *B->dense);
    B->incident = cairn_alloc(context, touches, sizeof *B->incident);
    B->incident_at = cairn_alloc(context, touches, sizeof *B->incident_at);
    if (B->dense == NULL || B->incident == NULL || B->incident_at == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < p->blocks; i++)
        fill_dense(p, i);
    fill_incident(p);
    return CAIRN_OK;
}

typedef struct product_task {
    const cairn_problem *problem;
    const double *x;
    double alpha;
    double *y;
} product_task;

CAIRN_CLONES static void slip_chunk(void *user, int chunk, int begin, int end) {
    const product_task *task = user;
    const cairn_problem *p = task->problem;
    (void)chunk;
    for (int i = begin; i < end; i++) {
        int row = p->block_start[i], dim = p->block[i].dim, width = cairn_block_width(p, i);
        const double *dense = p->body.dense + p->body.dense_start[i];
        double sum[CAIRN_BLOCK_DIM_MAX] = {0};
        for (int t = p->body.touch_start[i]; t < p->body.touch_start[i + 1]; t++) {
            int first = p->body_start[p->body.touch[t]], size = p->body_start[p->body.touch[t] + 1] - first;
            const double *x = task->x + first;
            if (size == 6 && dim == 3) {
                for (int c = 0; c < 6; c++) {
                    sum[0] += dense[c] * x[c];
                    sum[1] += dense[width + c] * x[c];
                    sum[2] += dense[2 * width + c] * x[c];
                }
            } else {
                for (int r = 0; r < dim; r++)
                    for (int c = 0; c < size; c++)
                        sum[r] += dense[r * width + c] * x[c];
            }
            dense += size;
        }
        for (int r = 0; r < dim; r++)
            task->y[row + r] = task->alpha == 0.0 ? sum[r] : task->alpha * task->y[row + r] + sum[r];
    }
}

void cairn_problem_slip(const cairn_problem *p, const double *v, double alpha, double *u) {
    product_task task = {p, v, alpha, u};
    cairn_parallel(p->context, p->blocks, SLIP_GRAIN, slip_chunk, &task);
}

CAIRN_CLONES static void impulse_chunk(void *user, int chunk, int begin, int end) {
    const product_task *task = user;
    const cairn_problem *p = task->problem;
    const cairn_body_blocks *B = &p->body;
    (void)chunk;
    for (int body = begin; body < end; body++) {
        int first = p->body_start[body], size = p->body_start[body + 1] - first;
        double sum[CAIRN_BODY_DIM_MAX] = {0};
        for (int s = B->incident_start[body]; s < B->incident_start[body + 1]; s++) {
            int i = B->incident[s], dim = p->block[i].dim, width = cairn_block_width(p, i);
            const double *dense = B->dense + B->incident_at[s], *x = task->x + p->block_start[i];
            if (size == 6 && dim == 3) {
                for (int c = 0; c < 6; c++)
                    sum[c] += dense[c] * x[0] + dense[width + c] * x[1] + dense[2 * width + c] * x[2];
            } else {
                for (int r = 0; r < dim; r++)
                    for (int c = 0; c < size; c++)
                        sum[c] += dense[r * width + c] * x[r];
            }
        }
        for (int c = 0; c < size; c++)
            task->y[first + c] = task->alpha == 0.0 ? sum[c] : task->alpha * task->y[first + c] + sum[c];
    }
}

void cairn_problem_impulse(const cairn_problem *p, const double *gamma, double alpha, double *w) {
    product_task task = {p, gamma, alpha, w};
    cairn_parallel(p->context, p->bodies, IMPULSE_GRAIN, impulse_chunk, &task);
}
