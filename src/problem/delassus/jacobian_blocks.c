/*
 * jacobian_blocks.c: D as dense blocks, one a constraint block and body it touches [theory 1], and
 * products with it.
 *
 *     constraint block i, bodies a < b:   dense = [ D_a' D_b' ]   dim rows of width size_a + size_b
 *
 * D'v reads each block once and v by runs of a body; D gamma goes body by body over the blocks that
 * touch it, so that no two threads write the same place and sums have a fixed order. Rows of the
 * two bodies of a block lie side by side, so this reads nearly every line of D twice; one thread
 * alone goes block by block instead, which adds in the same order and reads D once. For rigid
 * bodies 36 flops and 168 bytes per contact and body; no indices inside a block. Stored zeros cost
 * less than the indices that would skip them.
 */
#include "problem/problem_data.h"

#include <math.h>
#include <string.h>

#define SLIP_GRAIN    128
#define IMPULSE_GRAIN 64

void cairn_body_blocks_free(cairn_context *context, cairn_body_blocks *B) {
    void *owned[] = {B->body_of,        B->touch_start, B->touch,       B->dense_start, B->dense,
                     B->incident_start, B->incident,    B->incident_at, B->width,       B->rigid};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        cairn_free(context, owned[i]);
    *B = (cairn_body_blocks){0};
}

/* Bodies that a constraint block touches, sorted, into list (room for all bodies). */
static int touched_bodies(const cairn_problem *p, int block, int *list) {
    int count = 0, low = 0, high = 0; /* rows of the body seen last */
    for (int e = p->D.start[p->block_start[block]]; e < p->D.start[p->block_start[block + 1]]; e++) {
        if (p->D.index[e] >= low && p->D.index[e] < high)
            continue;
        int body = p->body.body_of[p->D.index[e]], at = count;
        low = p->body_start[body];
        high = p->body_start[body + 1];
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
    int width = p->body.width[i];
    double *dense = p->body.dense + p->body.dense_start[i];
    for (int r = 0; r < p->block[i].dim; r++) {
        int a = 0, before = 0, begin = p->D.start[p->block_start[i] + r], end = p->D.start[p->block_start[i] + r + 1];
        if (end - begin == width) { /* nothing is missing, and rows are sorted */
            memcpy(dense + r * width, p->D.value + begin, (size_t)width * sizeof *dense);
            continue;
        }
        memset(dense + r * width, 0, (size_t)width * sizeof *dense);
        for (int e = begin; e < end; e++) {
            while (p->D.index[e] >= p->body_start[list[a] + 1]) {
                before += p->body_start[list[a] + 1] - p->body_start[list[a]];
                a++;
            }
            dense[r * width + before + p->D.index[e] - p->body_start[list[a]]] = p->D.value[e];
        }
    }
}

void cairn_body_blocks_connect(cairn_problem *p) {
    cairn_body_blocks *B = &p->body;
    memset(B->incident_start, 0, ((size_t)p->bodies + 1) * sizeof *B->incident_start);
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
    B->body_of = cairn_alloc_raw(context, (size_t)p->n, sizeof *B->body_of);
    B->touch_start = cairn_alloc(context, (size_t)p->blocks + 1, sizeof *B->touch_start);
    B->touch = cairn_alloc_raw(context, (size_t)p->D.start[p->m], sizeof *B->touch); /* at most one a stored entry */
    B->dense_start = cairn_alloc(context, (size_t)p->blocks + 1, sizeof *B->dense_start);
    B->incident_start = cairn_alloc(context, (size_t)p->bodies + 1, sizeof *B->incident_start);
    B->width = cairn_alloc_raw(context, (size_t)p->blocks, sizeof *B->width);
    B->rigid = cairn_alloc_raw(context, (size_t)p->blocks, sizeof *B->rigid);
    if (B->body_of == NULL || B->touch_start == NULL || B->touch == NULL || B->dense_start == NULL ||
        B->incident_start == NULL || B->width == NULL || B->rigid == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int body = 0; body < p->bodies; body++)
        for (int i = p->body_start[body]; i < p->body_start[body + 1]; i++)
            B->body_of[i] = body;
    for (int i = 0; i < p->blocks; i++) {
        int *list = B->touch + B->touch_start[i], touched = touched_bodies(p, i, list), width = 0;
        for (int a = 0; a < touched; a++)
            width += p->body_start[list[a] + 1] - p->body_start[list[a]];
        B->touch_start[i + 1] = B->touch_start[i] + touched;
        B->width[i] = width;
        bool six = p->block[i].dim == 3 && width == 6 * touched;
        for (int a = 0; a < touched; a++)
            six = six && p->body_start[list[a] + 1] - p->body_start[list[a]] == 6;
        B->rigid[i] = (unsigned char)(six && touched <= 2 ? touched : 0);
        B->dense_start[i + 1] = B->dense_start[i] + (int64_t)width * p->block[i].dim;
    }
    size_t touches = (size_t)B->touch_start[p->blocks];
    B->dense = cairn_alloc_raw(context, (size_t)B->dense_start[p->blocks], sizeof *B->dense);
    B->incident = cairn_alloc_raw(context, touches, sizeof *B->incident);
    B->incident_at = cairn_alloc_raw(context, touches, sizeof *B->incident_at);
    if (B->dense == NULL || B->incident == NULL || B->incident_at == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < p->blocks; i++)
        fill_dense(p, i);
    cairn_body_blocks_connect(p);
    return CAIRN_OK;
}

typedef struct product_task {
    const cairn_problem *problem;
    const double *x;
    double alpha;
    double *y;
} product_task;

typedef double quad __attribute__((vector_size(32)));
typedef double duo __attribute__((vector_size(16)));

/* q = the sum of six products e a, folded to two; e and a as four numbers and two. */
#define FOLD(q, e4, e2, low, high) \
    do { \
        memcpy(&(low), &(e4), sizeof(low)); \
        memcpy(&(high), (const double *)&(e4) + 2, sizeof(high)); \
        (q) = ((low) + (high)) + (e2); \
    } while (0)

/* sum (3) = E [a; b] for a contact between two rigid bodies: E is 3 x 12, a and b have 6
 * numbers. Every row adds its products in one order, whatever the processor. */
CAIRN_INLINE void slip_of_two(const double *E, const double *a, const double *b, double *sum) {
    quad a4, b4, e, f;
    duo a2, b2, g, h, low, high;
    memcpy(&a4, a, sizeof a4);
    memcpy(&b4, b, sizeof b4);
    memcpy(&a2, a + 4, sizeof a2);
    memcpy(&b2, b + 4, sizeof b2);
    for (int r = 0; r < 3; r++, E += 12) {
        memcpy(&e, E, sizeof e);
        memcpy(&f, E + 6, sizeof f);
        memcpy(&g, E + 4, sizeof g);
        memcpy(&h, E + 10, sizeof h);
        e = e * a4 + f * b4;
        g = g * a2 + h * b2;
        FOLD(g, e, g, low, high);
        sum[r] = g[0] + g[1];
    }
}

/* Slip of a contact with one body: E is 3 x 6. */
CAIRN_INLINE void slip_of_one(const double *E, const double *a, double *sum) {
    quad a4, e;
    duo a2, g, low, high;
    memcpy(&a4, a, sizeof a4);
    memcpy(&a2, a + 4, sizeof a2);
    for (int r = 0; r < 3; r++, E += 6) {
        memcpy(&e, E, sizeof e);
        memcpy(&g, E + 4, sizeof g);
        e = e * a4;
        g = g * a2;
        FOLD(g, e, g, low, high);
        sum[r] = g[0] + g[1];
    }
}

/* sum (dim) = rows of block i times the velocities of its bodies. */
CAIRN_INLINE void any_slip(const cairn_problem *p, int i, const double *v, double *sum) {
    int dim = p->block[i].dim, width = p->body.width[i];
    const double *E = p->body.dense + p->body.dense_start[i];
    for (int r = 0; r < dim; r++)
        sum[r] = 0.0;
    for (int t = p->body.touch_start[i]; t < p->body.touch_start[i + 1]; t++) {
        int first = p->body_start[p->body.touch[t]], size = p->body_start[p->body.touch[t] + 1] - first;
        if (size == 6) /* a rigid body: sizes the compiler can see */
            for (int r = 0; r < dim; r++)
                for (int c = 0; c < 6; c++)
                    sum[r] += E[r * width + c] * v[first + c];
        else
            for (int r = 0; r < dim; r++)
                for (int c = 0; c < size; c++)
                    sum[r] += E[r * width + c] * v[first + c];
        E += size;
    }
}

CAIRN_INLINE void take_slip(int dim, double alpha, const double *sum, double *u) {
    for (int r = 0; r < dim; r++)
        u[r] = alpha == 0.0 ? sum[r] : alpha * u[r] + sum[r];
}

CAIRN_CLONES static void slip_chunk(void *user, int chunk, int begin, int end) {
    const product_task *task = user;
    const cairn_problem *p = task->problem;
    const double *v = task->x;
    double alpha = task->alpha;
    (void)chunk;
    for (int i = begin; i < end; i++) {
        double sum[CAIRN_BLOCK_DIM_MAX], *u = task->y + p->block_start[i];
        const int *touch = p->body.touch + p->body.touch_start[i];
        const double *E = p->body.dense + p->body.dense_start[i];
        int rigid = p->body.rigid[i];
        if (rigid == 2)
            slip_of_two(E, v + p->body_start[touch[0]], v + p->body_start[touch[1]], sum);
        else if (rigid == 1)
            slip_of_one(E, v + p->body_start[touch[0]], sum);
        else
            any_slip(p, i, v, sum);
        if (rigid > 0) /* a length the compiler can see: no call to copy three numbers */
            take_slip(3, alpha, sum, u);
        else
            take_slip(p->block[i].dim, alpha, sum, u);
    }
}

void cairn_problem_slip(const cairn_problem *p, const double *v, double alpha, double *u) {
    product_task task = {p, v, alpha, u};
    cairn_parallel(p->context, p->blocks, SLIP_GRAIN, slip_chunk, &task);
}

/* sum (6) += E'x for three rows of six numbers, apart by width. */
CAIRN_INLINE void add_rigid_impulse(const double *E, int width, const double *x, quad *sum4, duo *sum2) {
    quad e, f, g;
    duo h, i, j;
    memcpy(&e, E, sizeof e);
    memcpy(&f, E + width, sizeof f);
    memcpy(&g, E + 2 * width, sizeof g);
    memcpy(&h, E + 4, sizeof h);
    memcpy(&i, E + width + 4, sizeof i);
    memcpy(&j, E + 2 * width + 4, sizeof j);
    *sum4 += e * x[0] + f * x[1] + g * x[2];
    *sum2 += h * x[0] + i * x[1] + j * x[2];
}

/* sum (6) = the impulses on a body of six rows, of block after block. */
CAIRN_INLINE void rigid_impulse(const cairn_problem *p, int body, const double *x, double *sum) {
    const cairn_body_blocks *B = &p->body;
    quad sum4 = {0};
    duo sum2 = {0};
    for (int s = B->incident_start[body]; s < B->incident_start[body + 1]; s++) {
        int i = B->incident[s], width = B->width[i];
        const double *E = B->dense + B->incident_at[s], *from = x + p->block_start[i];
        if (p->block[i].dim ==
            3) { /* also where the other side is no body of six rows: the order is that of scatter_impulse */
            add_rigid_impulse(E, width, from, &sum4, &sum2);
            continue;
        }
        for (int r = 0; r < p->block[i].dim; r++) {
            quad e;
            duo h;
            memcpy(&e, E + r * width, sizeof e);
            memcpy(&h, E + r * width + 4, sizeof h);
            sum4 += e * from[r];
            sum2 += h * from[r];
        }
    }
    memcpy(sum, &sum4, sizeof sum4);
    memcpy(sum + 4, &sum2, sizeof sum2);
}

CAIRN_INLINE void any_impulse(const cairn_problem *p, int body, int size, const double *x, double *sum) {
    const cairn_body_blocks *B = &p->body;
    for (int c = 0; c < size; c++)
        sum[c] = 0.0;
    for (int s = B->incident_start[body]; s < B->incident_start[body + 1]; s++) {
        int i = B->incident[s], width = B->width[i];
        const double *E = B->dense + B->incident_at[s], *from = x + p->block_start[i];
        for (int r = 0; r < p->block[i].dim; r++)
            for (int c = 0; c < size; c++)
                sum[c] += E[r * width + c] * from[r];
    }
}

CAIRN_CLONES static void impulse_chunk(void *user, int chunk, int begin, int end) {
    const product_task *task = user;
    const cairn_problem *p = task->problem;
    double alpha = task->alpha;
    (void)chunk;
    for (int body = begin; body < end; body++) {
        int first = p->body_start[body], size = p->body_start[body + 1] - first;
        double sum[CAIRN_BODY_DIM_MAX], *w = task->y + first;
        if (size == 6)
            rigid_impulse(p, body, task->x, sum);
        else
            any_impulse(p, body, size, task->x, sum);
        for (int c = 0; c < size; c++)
            w[c] = alpha == 0.0 ? sum[c] : alpha * w[c] + sum[c];
    }
}

/* Sums of two rigid bodies in registers: contacts between the same two follow each other. */
typedef struct held_pair {
    int first[2]; /* columns of the two, -1: none */
    quad sum4[2];
    duo sum2[2];
} held_pair;

CAIRN_INLINE void put_pair(held_pair *held, double *w) {
    for (int t = 0; t < 2 && held->first[0] >= 0; t++) {
        memcpy(w + held->first[t], &held->sum4[t], sizeof held->sum4[t]);
        memcpy(w + held->first[t] + 4, &held->sum2[t], sizeof held->sum2[t]);
    }
    held->first[0] = -1;
}

/* Holds bodies a and b: nothing to do if they are held already, else the pair before is written
 * back. */
CAIRN_INLINE void hold_pair(held_pair *held, int a, int b, double *w) {
    if (held->first[0] == a && held->first[1] == b)
        return;
    put_pair(held, w);
    held->first[0] = a;
    held->first[1] = b;
    for (int t = 0; t < 2; t++) {
        memcpy(&held->sum4[t], w + held->first[t], sizeof held->sum4[t]);
        memcpy(&held->sum2[t], w + held->first[t] + 4, sizeof held->sum2[t]);
    }
}

/* w += D_i x of one block. */
CAIRN_INLINE void scatter_block(const cairn_problem *p, int i, const double *x, double *w) {
    const cairn_body_blocks *B = &p->body;
    const double *dense = B->dense + B->dense_start[i];
    int dim = p->block[i].dim, width = B->width[i];
    for (int t = B->touch_start[i]; t < B->touch_start[i + 1]; t++) {
        int first = p->body_start[B->touch[t]], size = p->body_start[B->touch[t] + 1] - first;
        double *sum = w + first;
        if (size == 6 && dim == 3) {
            quad sum4;
            duo sum2;
            memcpy(&sum4, sum, sizeof sum4);
            memcpy(&sum2, sum + 4, sizeof sum2);
            add_rigid_impulse(dense, width, x, &sum4, &sum2);
            memcpy(sum, &sum4, sizeof sum4);
            memcpy(sum + 4, &sum2, sizeof sum2);
        } else if (size == 6 && (dim > 1 || x[0] != 0.0)) {
            for (int r = 0; r < dim; r++)
                for (int c = 0; c < 6; c++)
                    sum[c] += dense[r * width + c] * x[r];
        } else if (dim > 1 || x[0] != 0.0) { /* most single rows are open */
            for (int r = 0; r < dim; r++)
                for (int c = 0; c < size; c++)
                    sum[c] += dense[r * width + c] * x[r];
        }
        dense += size;
    }
}

/* w = D gamma, block by block. The sum of every body has the terms of impulse_chunk in the same
 * order. */
CAIRN_CLONES static void scatter_impulse(const cairn_problem *p, const double *gamma, double *w) {
    const cairn_body_blocks *B = &p->body;
    held_pair held = {.first = {-1, -1}};
    memset(w, 0, (size_t)p->n * sizeof *w);
    for (int i = 0; i < p->blocks; i++) {
        const double *x = gamma + p->block_start[i];
        if (B->rigid[i] != 2) {
            put_pair(&held, w);
            scatter_block(p, i, x, w);
            continue;
        }
        const int *touch = B->touch + B->touch_start[i];
        const double *E = B->dense + B->dense_start[i];
        hold_pair(&held, p->body_start[touch[0]], p->body_start[touch[1]], w);
        add_rigid_impulse(E, 12, x, &held.sum4[0], &held.sum2[0]);
        add_rigid_impulse(E + 6, 12, x, &held.sum4[1], &held.sum2[1]);
    }
    put_pair(&held, w);
}

double cairn_problem_row_size(const cairn_problem *p, int body, int i, const double *gamma) {
    const cairn_body_blocks *B = &p->body;
    double sum = 0.0;
    for (int s = B->incident_start[body]; s < B->incident_start[body + 1]; s++) {
        int block = B->incident[s], first = p->block_start[block];
        const double *E = B->dense + B->incident_at[s] + (i - p->body_start[body]);
        for (int r = 0; r < p->block[block].dim; r++)
            sum += fabs(E[r * B->width[block]] * (gamma != NULL ? gamma[first + r] : 1.0));
    }
    return sum;
}

void cairn_problem_impulse(const cairn_problem *p, const double *gamma, double alpha, double *w) {
    if (alpha == 0.0 && cairn_thread_count(p->context) == 1) {
        scatter_impulse(p, gamma, w);
        return;
    }
    product_task task = {p, gamma, alpha, w};
    cairn_parallel(p->context, p->bodies, IMPULSE_GRAIN, impulse_chunk, &task);
}
