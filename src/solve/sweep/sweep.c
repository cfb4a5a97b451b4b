/*
 * sweep.c: block Gauss-Seidel on u = N gamma + r^ [theory 1], with or without N.
 *
 *     rigid bodies   v is kept equal to H^-1 (k + D gamma): u_i = D_i'v + C_i gamma_i + b_i, then v += W_i (change of
 *                    gamma_i); cost 4 dim_i times the rows of the bodies block i touches
 *     single rows    the same for unilateral rows of rigid bodies, by row_kernel.c
 *     otherwise      u_i = sum_j N_ij gamma_j + r^_i from explicit rows; for sparse H these are full, m*m numbers
 *
 * Each block solves q_i + N_ii gamma_i by block_solve.c, q_i = u_i - N_ii gamma_i with the
 * symmetric part of N_ii: a fixed point satisfies the law with the true u, whatever N_ii was.
 *
 * Colours: blocks of one colour share no body (no entry of N), so they read nothing that another of
 * them writes and any number of threads gives the same bits. Greedy in the order of the blocks:
 * each takes the least colour free.
 */
#include "solve/sweep/sweep.h"

#include "solve/sweep/block_solve.h"

#include <math.h>
#include <string.h>

#define SWEEP_GRAIN 32  /* blocks, or groups of four contacts */
#define LIMIT_BYTES 2e9 /* for the explicit N */

/* ---- colours ---- */

/* Stamps the colours of i's neighbours in used. */
static void stamp_neighbours(const cairn_problem *p, const cairn_sweep *s, int i, const int *colour, int *used) {
    if (!s->by_velocity) {
        for (int e = s->N.start[i]; e < s->N.start[i + 1] && s->N.index[e] < i; e++)
            used[colour[s->N.index[e]]] = i + 1;
        return;
    }
    const cairn_body_blocks *d = &p->body;
    for (int e = d->touch_start[i]; e < d->touch_start[i + 1]; e++)
        for (int f = d->incident_start[d->touch[e]]; f < d->incident_start[d->touch[e] + 1] && d->incident[f] < i; f++)
            used[colour[d->incident[f]]] = i + 1;
}

static cairn_status find_colours(cairn_context *context, const cairn_problem *p, cairn_sweep *s) {
    int blocks = p->blocks;
    int *colour = cairn_alloc(context, (size_t)blocks, sizeof *colour);
    int *used = cairn_alloc(context, (size_t)blocks, sizeof *used);
    if (colour == NULL || used == NULL) {
        cairn_free(context, colour);
        cairn_free(context, used);
        return CAIRN_ERROR_MEMORY;
    }
    for (int i = 0; i < blocks; i++) {
        stamp_neighbours(p, s, i, colour, used);
        while (used[colour[i]] == i + 1)
            colour[i]++;
        s->colour_start[colour[i] + 1]++;
        if (colour[i] >= s->colours)
            s->colours = colour[i] + 1;
    }
    for (int c = 0; c < s->colours; c++) {
        s->colour_start[c + 1] += s->colour_start[c];
        used[c] = s->colour_start[c];
    }
    for (int i = 0; i < blocks; i++)
        s->order[used[colour[i]]++] = i;
    cairn_free(context, colour);
    cairn_free(context, used);
    return CAIRN_OK;
}

static void keep_order(int blocks, cairn_sweep *s) {
    for (int i = 0; i < blocks; i++)
        s->order[i] = i;
    s->colours = blocks > 0 ? 1 : 0;
    s->colour_start[s->colours] = blocks;
}

/* ---- making ---- */

static const double *find_diagonal(const cairn_delassus *N, int i) {
    int e = N->start[i];
    while (N->index[e] != i)
        e++;
    return N->value + N->offset[e];
}

/* exact, start: as the operator has them. */
static void fill_diagonal(cairn_run *run, const double *exact, const int *start, cairn_sweep *s) {
    const cairn_problem *p = run->problem;
    memcpy(s->start, start, ((size_t)p->blocks + 1) * sizeof *start);
    for (int i = 0; i < p->blocks; i++) {
        const double *N = s->by_velocity ? exact + start[i] : find_diagonal(&s->N, i);
        int dim = p->block[i].dim;
        for (int r = 0; r < dim; r++)
            for (int c = 0; c < dim; c++)
                s->diagonal[start[i] + r * dim + c] = 0.5 * N[r * dim + c] + 0.5 * N[c * dim + r];
        if (p->block[i].set == CAIRN_SET_BILATERAL)
            cairn_block_invert(dim, s->diagonal + start[i], cairn_operator_scale(run->op)[i], s->inverse + start[i]);
    }
}

/* What u is computed from when blocks are of any kind. */
static cairn_status fill_general(cairn_run *run, cairn_sweep *s) {
    size_t blocks = (size_t)run->problem->blocks;
    const double *exact;
    const int *start;
    cairn_status status = cairn_operator_diagonal(run->op, &exact, &start);
    if (status != CAIRN_OK)
        return status;
    s->start = cairn_alloc(run->context, blocks + 1, sizeof *s->start);
    s->diagonal = cairn_alloc(run->context, (size_t)start[blocks], sizeof *s->diagonal);
    s->inverse = cairn_alloc(run->context, (size_t)start[blocks], sizeof *s->inverse);
    if (s->start == NULL || s->diagonal == NULL || s->inverse == NULL)
        return CAIRN_ERROR_MEMORY;
    status = s->by_velocity ? cairn_jacobian_columns_create(run->op, &s->columns)
                            : cairn_operator_delassus(run->op, LIMIT_BYTES, &s->N);
    if (status == CAIRN_OK)
        fill_diagonal(run, exact, start, s);
    return status;
}

static cairn_status fill_order(cairn_run *run, cairn_sweep *s) {
    if (run->settings->colouring)
        return find_colours(run->context, run->problem, s);
    keep_order(run->problem->blocks, s);
    return CAIRN_OK;
}

/* Contacts by fours; colours, where asked for, become runs of groups. */
static cairn_status fill_packed(cairn_run *run, cairn_sweep *s) {
    int *place = cairn_alloc_raw(run->context, (size_t)run->problem->blocks,
                                 CAIRN_CONTACT_KERNEL_LANES * sizeof *place);
    int groups = 0;
    cairn_status status = place != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK && run->settings->colouring) {
        cairn_contact_kernel_split(s->order, s->colours, s->colour_start, place, &groups);
    } else if (status == CAIRN_OK) {
        status = cairn_contact_kernel_arrange(run->problem, place, &groups);
        s->colour_start[s->colours] = groups;
    }
    if (status == CAIRN_OK)
        status = cairn_contact_kernel_create(run, groups, place, &s->packed);
    cairn_free(run->context, place);
    return status;
}

static cairn_status fill(cairn_run *run, cairn_sweep *s) {
    const cairn_problem *p = run->problem;
    size_t blocks = (size_t)p->blocks, m = (size_t)p->m + 3; /* three for lanes without contact */
    s->by_velocity = !p->local && p->block_diagonal;
    s->is_packed = cairn_contact_kernel_fits(p);
    bool rows = !run->settings->colouring && cairn_row_kernel_fit(p);
    s->state = s->is_packed ? CAIRN_CONTACT_KERNEL_BODY * (p->bodies + 1) : !s->by_velocity ? 0 : p->n + (rows ? 6 : 0);
    s->order = cairn_alloc(run->context, blocks, sizeof *s->order);
    s->colour_start = cairn_alloc(run->context, blocks + 1, sizeof *s->colour_start);
    s->gamma = cairn_alloc(run->context, m, sizeof *s->gamma);
    s->v = cairn_alloc(run->context, (size_t)s->state, sizeof *s->v);
    s->change = cairn_alloc(run->context, m, sizeof *s->change);
    if (s->order == NULL || s->colour_start == NULL || s->gamma == NULL || s->v == NULL || s->change == NULL)
        return CAIRN_ERROR_MEMORY;
    cairn_status status = rows ? cairn_row_kernel_create(run, &s->singles, &rows) : CAIRN_OK;
    if (status == CAIRN_OK && !s->is_packed && !rows)
        status = fill_general(run, s); /* neighbours by rows of N need N */
    if (status == CAIRN_OK)
        status = fill_order(run, s);
    if (status == CAIRN_OK && s->is_packed)
        status = fill_packed(run, s);
    return status;
}

cairn_status cairn_sweep_create(cairn_run *run, cairn_sweep **out) {
    cairn_sweep *sweep = cairn_alloc(run->context, 1, sizeof *sweep);
    if (sweep == NULL)
        return CAIRN_ERROR_MEMORY;
    cairn_status status = fill(run, sweep);
    if (status == CAIRN_OK)
        *out = sweep;
    else
        cairn_sweep_destroy(run->context, sweep);
    return status;
}

void cairn_sweep_destroy(cairn_context *context, cairn_sweep *sweep) {
    cairn_contact_kernel_free(context, &sweep->packed);
    cairn_row_kernel_free(context, &sweep->singles);
    cairn_jacobian_columns_free(context, &sweep->columns);
    cairn_delassus_free(context, &sweep->N);
    cairn_free(context, sweep->start);
    cairn_free(context, sweep->diagonal);
    cairn_free(context, sweep->inverse);
    cairn_free(context, sweep->order);
    cairn_free(context, sweep->colour_start);
    cairn_free(context, sweep->gamma);
    cairn_free(context, sweep->v);
    cairn_free(context, sweep->change);
    cairn_free(context, sweep);
}

/* ---- sweeping ---- */

void cairn_sweep_refresh(cairn_run *run, cairn_sweep *sweep) {
    if (sweep->is_packed)
        cairn_contact_kernel_refresh(&sweep->packed, sweep->gamma, sweep->v);
    else if (sweep->by_velocity)
        cairn_operator_velocity(run->op, sweep->gamma, sweep->v);
}

/* u_i = D_i'v + C_i gamma_i + b_i. */
static void slip_by_velocity(const cairn_problem *p, const cairn_sweep *s, int i, double *u) {
    const cairn_jacobian_columns *columns = &s->columns;
    int row = p->block_start[i], dim = p->block[i].dim;
    const double *D = columns->D + columns->offset[i];
    for (int c = 0; c < dim; c++)
        u[c] = p->C[row + c] * s->gamma[row + c] + p->b[row + c];
    for (int e = columns->start[i]; e < columns->start[i + 1]; e++, D += dim) {
        double v = s->v[columns->dof[e]];
        for (int c = 0; c < dim; c++)
            u[c] += D[c] * v;
    }
}

/* u_i = sum_j N_ij gamma_j + r^_i. */
static void slip_by_rows(const cairn_run *run, const cairn_sweep *s, int i, double *u) {
    const cairn_problem *p = run->problem;
    int row = p->block_start[i], dim = p->block[i].dim;
    for (int r = 0; r < dim; r++)
        u[r] = run->free_slip[row + r];
    for (int e = s->N.start[i]; e < s->N.start[i + 1]; e++) {
        int j = s->N.index[e], cols = p->block[j].dim;
        const double *N = s->N.value + s->N.offset[e], *gamma = s->gamma + p->block_start[j];
        for (int r = 0; r < dim; r++)
            for (int c = 0; c < cols; c++)
                u[r] += N[r * cols + c] * gamma[c];
    }
}

/* v += W_i change. */
static void push(const cairn_sweep *s, int i, int dim, const double *change) {
    const cairn_jacobian_columns *columns = &s->columns;
    const double *W = columns->W + columns->offset[i];
    for (int e = columns->start[i]; e < columns->start[i + 1]; e++, W += dim) {
        double sum = 0.0;
        for (int c = 0; c < dim; c++)
            sum += W[c] * change[c];
        s->v[columns->dof[e]] += sum;
    }
}

static void visit(const cairn_run *run, const cairn_sweep *s, double omega, int i) {
    const cairn_problem *p = run->problem;
    double u[CAIRN_BLOCK_DIM_MAX] = {0}, x[CAIRN_BLOCK_DIM_MAX];
    int row = p->block_start[i], dim = p->block[i].dim;
    double *gamma = s->gamma + row, *change = s->change + row;
    cairn_block_solver local = {.block = &p->block[i],
                                .coulomb = p->law == CAIRN_LAW_COULOMB,
                                .N = s->diagonal + s->start[i],
                                .inverse = s->inverse + s->start[i],
                                .scale = run->row_scale[row]};
    if (s->by_velocity)
        slip_by_velocity(p, s, i, u);
    else
        slip_by_rows(run, s, i, u);
    for (int r = 0; r < dim; r++) {
        for (int c = 0; c < dim; c++)
            u[r] -= local.N[r * dim + c] * gamma[c];
        x[r] = gamma[r];
    }
    cairn_block_solve(&local, u, x);
    if (omega != 1.0) {
        for (int r = 0; r < dim; r++)
            x[r] = (1.0 - omega) * gamma[r] + omega * x[r];
        cairn_set_get(p->block[i].set)->project(&p->block[i], x, x);
    }
    for (int r = 0; r < dim; r++) {
        change[r] = x[r] - gamma[r];
        gamma[r] = x[r];
    }
    if (s->by_velocity)
        push(s, i, dim, change);
}

typedef struct sweep_task {
    const cairn_run *run;
    const cairn_sweep *sweep;
    double omega;
    int first, count; /* in order */
    bool backwards;
    bool shared; /* by threads */
} sweep_task;

static void visit_some(void *user, int chunk, int begin, int end) {
    const sweep_task *task = user;
    const cairn_sweep *s = task->sweep;
    (void)chunk;
    if (task->backwards) {
        int last = task->count - begin;
        begin = task->count - end;
        end = last;
    }
    begin += task->first;
    end += task->first;
    if (s->is_packed) {
        cairn_contact_kernel_visit(task->run, &s->packed, task->omega, begin, end, task->backwards, task->shared,
                                   s->gamma, s->change, s->v);
        return;
    }
    if (s->singles.memory != NULL) {
        cairn_row_kernel_visit(task->run, &s->singles, task->omega, begin, end, task->backwards, s->gamma, s->change,
                               s->v);
        return;
    }
    for (int i = begin; i < end; i++)
        visit(task->run, s, task->omega, s->order[task->backwards ? end - 1 - (i - begin) : i]);
}

void cairn_sweep_run(cairn_run *run, cairn_sweep *sweep, double omega, bool backwards) {
    for (int c = 0; c < sweep->colours; c++) {
        int colour = backwards ? sweep->colours - 1 - c : c, first = sweep->colour_start[colour];
        int count = sweep->colour_start[colour + 1] - first;
        sweep_task task = {run, sweep, omega, first, count, backwards, run->settings->colouring};
        if (run->settings->colouring)
            cairn_parallel(run->context, count, SWEEP_GRAIN, visit_some, &task);
        else
            visit_some(&task, 0, 0, count);
    }
}
