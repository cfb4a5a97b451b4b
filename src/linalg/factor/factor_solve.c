/*
 * factor_solve.c: x <- A^-1 x from P A P' = L D U: y = P x, L y <- y, y <- D^-1 y, U y <- y, x = P'
 * y.
 *
 * Both sweeps work on whole panels: v holds the panel's own part of y and, after it, the part of
 * the rows below. Tasks run beside each other: they keep rows above them as copies (slots), which
 * are added in the order of the slots. Groups of vectors are swept together, each with the same
 * operations as alone.
 */
#include "linalg/factor/factor_data.h"

#include <string.h>

#define SMALL_PANEL 4096 /* doubles: a panel that fits the first cache may be read in stripes */

typedef struct solve_work {
    cairn_factor *f;
    double *y; /* count vectors of f->slots */
    int count;
} solve_work;

/* v <- what panel s sees of y: forward, rows below begin with 0; backward, with their values. */
static void load(const solve_work *w, int s, bool below_too, double *v, int64_t ld) {
    const cairn_factor *f = w->f;
    int width = cairn_panel_width(f, s), below = cairn_panel_below(f, s), own = 4 * cairn_quads(width);
    const int *slot = f->slot + f->row_start[s];
    for (int c = 0; c < w->count; c++) {
        const double *y = w->y + (int64_t)c * f->slots;
        double *vc = v + c * ld;
        memcpy(vc, y + f->first[s], (size_t)width * sizeof(double));
        for (int i = width; i < own; i++)
            vc[i] = 0.0;
        vc += own;
        if (!below_too) {
            memset(vc, 0, (size_t)(ld - own) * sizeof(double));
            continue;
        }
        for (int i = 0; i < below; i++)
            vc[i] = y[slot[i]];
        for (int64_t i = below; i < ld - own; i++)
            vc[i] = 0.0;
    }
}

/* y <- v: own rows; forward, rows below are added. */
static void store(const solve_work *w, int s, bool below_too, const double *v, int64_t ld) {
    const cairn_factor *f = w->f;
    int width = cairn_panel_width(f, s), below = cairn_panel_below(f, s), own = 4 * cairn_quads(width);
    const int *slot = f->slot + f->row_start[s];
    for (int c = 0; c < w->count; c++) {
        double *y = w->y + (int64_t)c * f->slots;
        const double *vc = v + c * ld;
        memcpy(y + f->first[s], vc, (size_t)width * sizeof(double));
        for (int i = 0; below_too && i < below; i++)
            y[slot[i]] += vc[own + i];
    }
}

static cairn_spans spans_of(const cairn_factor *f, int s) {
    return (cairn_spans){f->span_start[s + 1] - f->span_start[s], f->span + 2 * (int64_t)f->span_start[s]};
}

/* y <- L^-1 y, the part of panel s. v: room for the panel's quads of rows, for every vector */
static void forward(const solve_work *w, int s, double *v) {
    const cairn_factor *f = w->f;
    int width = cairn_panel_width(f, s), block = cairn_block_width(width);
    int quads = cairn_quads(width) + cairn_quads(cairn_panel_below(f, s));
    const double *x = f->lower + f->at[s];
    if (w->count == 1 && block == width) {
        cairn_spans spans = spans_of(f, s);
        f->kernel->forward_one(width, cairn_panel_below(f, s), x, w->y + f->first[s], &spans, w->y, v);
        return;
    }
    load(w, s, false, v, 4 * (int64_t)quads);
    for (int begin = 0; begin < width; begin += block) {
        int k = width - begin < block ? width - begin : block, rest = quads - begin / 4;
        f->kernel->forward(k, rest, x, w->count, v + begin, 4 * (int64_t)quads);
        x += 4 * (int64_t)k * rest;
    }
    store(w, s, true, v, 4 * (int64_t)quads);
}

/* y <- U^-1 D^-1 y, the part of panel s */
static void backward(const solve_work *w, int s, double *v) {
    const cairn_factor *f = w->f;
    int width = cairn_panel_width(f, s), block = cairn_block_width(width);
    int quads = cairn_quads(width) + cairn_quads(cairn_panel_below(f, s));
    const double *x = f->upper + f->at[s + 1], *inverse = f->inverse + f->first[s];
    if (w->count == 1 && block == width && 4 * (int64_t)width * quads <= SMALL_PANEL) {
        cairn_spans spans = spans_of(f, s);
        f->kernel->backward_one(width, cairn_panel_below(f, s), f->upper + f->at[s], inverse, w->y + f->first[s],
                                &spans, w->y, v);
        return;
    }
    load(w, s, true, v, 4 * (int64_t)quads);
    for (int begin = (width - 1) / block * block; begin >= 0; begin -= block) {
        int k = width - begin < block ? width - begin : block, rest = quads - begin / 4;
        x -= 4 * (int64_t)k * rest;
        f->kernel->backward(k, rest, x, inverse + begin, w->count, v + begin, 4 * (int64_t)quads);
    }
    store(w, s, false, v, 4 * (int64_t)quads);
}

static void forward_tasks(void *user, int chunk, int begin, int end) {
    const solve_work *w = user;
    (void)chunk;
    for (int t = begin; t < end; t++) {
        const cairn_task *task = &w->f->task[t];
        for (int s = task->begin; s < task->end; s++)
            forward(w, s, w->f->work + task->front);
    }
}

static void backward_tasks(void *user, int chunk, int begin, int end) {
    const solve_work *w = user;
    (void)chunk;
    for (int t = begin; t < end; t++) {
        const cairn_task *task = &w->f->task[t];
        for (int s = task->end - 1; s >= task->begin; s--)
            backward(w, s, w->f->work + task->front);
    }
}

static void sweep(solve_work *w) {
    cairn_factor *f = w->f;
    double *v = f->work + f->task[f->tasks].front;
    int copies = f->slots - f->n;
    for (int c = 0; c < w->count; c++)
        memset(w->y + (int64_t)c * f->slots + f->n, 0, (size_t)copies * sizeof(double));
    cairn_parallel(f->context, f->tasks, 1, forward_tasks, w);
    for (int c = 0; c < w->count; c++) {
        double *y = w->y + (int64_t)c * f->slots;
        for (int i = 0; i < copies; i++)
            y[f->copy[i]] += y[f->n + i];
    }
    for (int i = 0; i < f->tops; i++)
        forward(w, f->top[i], v);
    for (int i = f->tops - 1; i >= 0; i--)
        backward(w, f->top[i], v);
    for (int c = 0; c < w->count; c++) {
        double *y = w->y + (int64_t)c * f->slots;
        for (int i = 0; i < copies; i++)
            y[f->n + i] = y[f->copy[i]];
    }
    cairn_parallel(f->context, f->tasks, 1, backward_tasks, w);
}

void cairn_factor_solve_many(cairn_factor *f, int count, double *x, int64_t stride) {
    CAIRN_ASSERT(f->ready);
    for (int done = 0; done < count; done += CAIRN_SOLVE_GROUP) {
        int group = count - done < CAIRN_SOLVE_GROUP ? count - done : CAIRN_SOLVE_GROUP;
        solve_work w = {f, f->x, group};
        double *xs = x + done * stride;
        for (int c = 0; c < group; c++)
            for (int k = 0; k < f->n; k++)
                f->x[(int64_t)c * f->slots + k] = xs[c * stride + f->order[k]];
        sweep(&w);
        for (int c = 0; c < group; c++)
            for (int k = 0; k < f->n; k++)
                xs[c * stride + f->order[k]] = f->x[(int64_t)c * f->slots + k];
    }
}

void cairn_factor_solve(cairn_factor *f, double *x) {
    cairn_factor_solve_many(f, 1, x, f->n);
}
