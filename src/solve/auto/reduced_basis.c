/*
 * reduced_basis.c: flexible parts in a few modes each, as a start for methods that factor the
 * whole.
 *
 * A part at a large step is nearly rigid: of its many velocities few answer to contact forces with
 * more than local indentation. With random loads Z of size 1 on the rows that constraints touch, W
 * = H^-1 Z and V = W T, T such that V'HV = I in each piece (a Cholesky factor of Z'W with pivots),
 * the inverse splits as
 *
 *     H^-1 = V V' + rest,   rest >= 0          N = D'V V'D + C + D' rest D
 *
 * and the last term is replaced by a compliance a block, TAU times that of the nodes' own blocks of
 * H. What is left is a problem of MODES rows per part [theory 1], which the interior point solves
 * in a small fraction of one factorisation of H. From impulses g that are known already the defect
 * is corrected: b = N g + r^ - N_modes g. For steel the answer is that of the whole problem to six
 * digits; for rubber to two, with the state of most contacts.
 *
 * One column of Z serves all parts at once, since H does not couple them: MODES solves. Bodies that
 * H does not couple are taken as they are. The loads come from a counter, so the same problem has
 * the same modes.
 */
#include "solve/auto/reduced_basis.h"

#include "solve/driver/step_solver.h"

#include "problem/mass_components.h"
#include "solve/second_order/ipm.h"

#include <math.h>
#include <string.h>

#define MODES      16    /* at most CAIRN_BODY_DIM_MAX */
#define TAU        5.0   /* local compliance, in that of a node held by its neighbours */
#define FAINT      1e-11 /* of the largest: a mode that answers less is rounding */
#define TOLERANCE  1e-4  /* of the problem in modes, where parts are soft; */
#define SHARE      0.1   /* of the tolerance asked for, where they are stiff */
#define ITERATIONS 150
#define USEFUL     1e-2 /* natural map in modes of an answer that is worth a try */

struct cairn_reduced_basis {
    cairn_problem *problem;
    cairn_operator *op;
    cairn_solver *solver;
    cairn_arena arena;
    double *b, *product; /* m */
    double *v;           /* n of the whole problem */
};

/* What is needed until the problem in modes is made. */
typedef struct builder {
    const cairn_problem *problem;
    cairn_operator *op;
    cairn_mass_components pieces;
    double *load, *mode;       /* n x MODES, column by column: Z; W, then V */
    double *gram;              /* MODES x MODES a piece: Z'W, then T row by row */
    int *kept;                 /* pieces: modes found */
    int *first;                /* bodies: first row in the problem in modes, of the body or of its piece */
    int bodies, *body_start;   /* of the problem in modes */
    int n, entries, H_entries; /* its rows, entries of its D and H */
    int *D_row, *D_col, *H_row, *H_col;
    double *D_value, *H_value, *C, *b, *k;
} builder;

/* +1 or -1 for a number. */
static double sign_of(uint64_t number) {
    number = (number + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    number = (number ^ number >> 31) * 0x94d049bb133111ebu;
    return number >> 63 ? 1.0 : -1.0;
}

static int piece_at(const builder *w, int row) {
    return w->pieces.piece_of[w->problem->body.body_of[row]];
}

/* Z on the rows of touched nodes; W = H^-1 Z; the pieces' Z'W. */
static void apply_loads(builder *w) {
    const cairn_problem *p = w->problem;
    size_t n = (size_t)p->n;
    for (int body = 0; body < p->bodies; body++) {
        bool touched = p->body.incident_start[body + 1] > p->body.incident_start[body] && w->pieces.piece_of[body] >= 0;
        for (int i = p->body_start[body]; touched && i < p->body_start[body + 1]; i++)
            for (size_t c = 0; c < MODES; c++)
                w->load[c * n + (size_t)i] = sign_of((uint64_t)i * MODES + c);
    }
    memcpy(w->mode, w->load, n * MODES * sizeof *w->mode);
    cairn_operator_solve_many(w->op, MODES, w->mode);
    for (size_t i = 0; i < n; i++) {
        int piece = piece_at(w, (int)i);
        double *gram = w->gram + (size_t)(piece < 0 ? 0 : piece) * MODES * MODES;
        for (size_t a = 0; piece >= 0 && w->load[i] != 0.0 && a < MODES; a++)
            for (size_t b = 0; b < MODES; b++)
                gram[a * MODES + b] += w->load[a * n + i] * w->mode[b * n + i];
    }
}

/* G (Z'W of a piece) becomes T': row k holds the mixture of loads that makes mode k. Largest
 * response first. Returns how many modes there are. */
static int orthonormalize(double *G) {
    double mix[MODES][MODES] = {{0}}, out[MODES][MODES] = {{0}}, largest = 0.0;
    bool done[MODES] = {false};
    int count = 0;
    for (int a = 0; a < MODES; a++) {
        mix[a][a] = 1.0;
        for (int b = 0; b < a; b++)
            G[a * MODES + b] = G[b * MODES + a] = 0.5 * (G[a * MODES + b] + G[b * MODES + a]);
    }
    for (; count < MODES; count++) {
        int best = -1;
        for (int a = 0; a < MODES; a++)
            if (!done[a] && (best < 0 || G[a * MODES + a] > G[best * MODES + best]))
                best = a;
        double square = G[best * MODES + best];
        largest = count == 0 ? square : largest;
        if (!(square > FAINT * largest))
            break;
        done[best] = true;
        for (int b = 0; b < MODES; b++)
            out[count][b] = mix[best][b] / sqrt(square);
        for (int a = 0; a < MODES; a++) {
            double share = G[a * MODES + best] / square;
            for (int b = 0; b < MODES && !done[a]; b++) {
                mix[a][b] -= share * mix[best][b];
                if (!done[b])
                    G[a * MODES + b] -= share * G[best * MODES + b];
            }
        }
    }
    memcpy(G, out, sizeof out);
    return count;
}

/* W becomes V. */
static void mix_modes(builder *w) {
    size_t n = (size_t)w->problem->n;
    for (int q = 0; q < w->pieces.count; q++)
        w->kept[q] = orthonormalize(w->gram + (size_t)q * MODES * MODES);
    for (size_t i = 0; i < n; i++) {
        int piece = piece_at(w, (int)i);
        if (piece < 0)
            continue;
        const double *T = w->gram + (size_t)piece * MODES * MODES;
        double own[MODES];
        for (size_t c = 0; c < MODES; c++)
            own[c] = w->mode[c * n + i];
        for (size_t c = 0; c < MODES; c++) {
            double sum = 0.0;
            for (size_t a = 0; a < MODES; a++)
                sum += T[c * MODES + a] * own[a];
            w->mode[c * n + i] = sum;
        }
    }
}

/* Rows of the problem in modes: the pieces in order of their first body, single bodies between
 * them. */
static void number_rows(builder *w) {
    const cairn_problem *p = w->problem;
    int seen = -1;
    for (int body = 0; body < p->bodies; body++) {
        int piece = w->pieces.piece_of[body], size = p->body_start[body + 1] - p->body_start[body];
        w->first[body] = w->n;
        if (piece >= 0 && piece <= seen)
            continue;
        seen = piece > seen ? piece : seen;
        int rows = piece < 0 ? size : w->kept[piece];
        if (rows > 0)
            w->body_start[w->bodies++] = w->n;
        w->n += rows;
    }
    w->body_start[w->bodies] = w->n;
    for (int body = p->bodies - 1; body >= 0; body--) /* a piece's later bodies stand where its first does */
        if (w->pieces.piece_of[body] >= 0)
            w->kept[w->pieces.count + w->pieces.piece_of[body]] = w->first[body];
    for (int body = 0; body < p->bodies; body++)
        if (w->pieces.piece_of[body] >= 0)
            w->first[body] = w->kept[w->pieces.count + w->pieces.piece_of[body]];
}

static void fill_H(builder *w) {
    const cairn_problem *p = w->problem;
    for (int q = 0; q < w->pieces.count; q++)
        for (int c = 0; c < w->kept[q]; c++) {
            w->H_row[w->H_entries] = w->H_col[w->H_entries] = w->kept[w->pieces.count + q] + c;
            w->H_value[w->H_entries++] = 1.0;
        }
    for (int body = 0; body < p->bodies; body++)
        for (int j = p->body_start[body]; w->pieces.piece_of[body] < 0 && j < p->body_start[body + 1]; j++)
            for (int e = p->A.start[j]; e < p->A.start[j + 1]; e++) {
                w->H_row[w->H_entries] = w->first[body] + p->A.index[e] - p->body_start[body];
                w->H_col[w->H_entries] = w->first[body] + j - p->body_start[body];
                w->H_value[w->H_entries++] = p->A.value[e];
            }
}

static void put_D(builder *w, int row, int col, double value) {
    w->D_row[w->entries] = row;
    w->D_col[w->entries] = col;
    w->D_value[w->entries++] = value;
}

/* V'D and what single bodies have, column by column. A column touches few pieces: they are
 * gathered one after the other. */
static void fill_D(builder *w) {
    const cairn_csc *D = &w->problem->D;
    size_t n = (size_t)w->problem->n;
    for (int j = 0; j < D->cols; j++)
        for (int e = D->start[j]; e < D->start[j + 1]; e++) {
            int piece = piece_at(w, D->index[e]), body = w->problem->body.body_of[D->index[e]];
            if (piece < 0) {
                put_D(w, w->first[body] + D->index[e] - w->problem->body_start[body], j, D->value[e]);
                continue;
            }
            bool again = false;
            for (int f = D->start[j]; f < e && !again; f++)
                again = piece_at(w, D->index[f]) == piece;
            for (int c = 0; !again && c < w->kept[piece]; c++) {
                double sum = 0.0;
                for (int f = e; f < D->start[j + 1]; f++)
                    if (piece_at(w, D->index[f]) == piece)
                        sum += D->value[f] * w->mode[(size_t)c * n + (size_t)D->index[f]];
                put_D(w, w->first[body] + c, j, sum);
            }
        }
}

/* What stands for the rest of N in block i. */
static double rest_of(const cairn_run *run, const cairn_mass_components *pieces, int i) {
    const cairn_problem *p = run->problem;
    double trace = 0.0;
    int first = p->block_start[i], last = p->block_start[i + 1];
    for (int e = p->D.start[first]; e < p->D.start[last] && p->block[i].set != CAIRN_SET_BILATERAL; e++) {
        int body = p->body.body_of[p->D.index[e]], size = p->body_start[body + 1] - p->body_start[body],
            at = p->D.index[e] - p->body_start[body];
        if (pieces->piece_of[body] >= 0)
            trace += p->D.value[e] * p->D.value[e] * cairn_operator_body_inverse(run->op, body)[at * size + at];
    }
    return TAU * trace / (last - first);
}

static double softness_of(const cairn_run *run, const cairn_mass_components *pieces) {
    double sum = 0.0;
    for (int i = 0; i < run->problem->blocks; i++)
        sum += fmin(1.0, rest_of(run, pieces, i) / cairn_operator_scale(run->op)[i]);
    return run->problem->blocks > 0 ? sum / run->problem->blocks : 0.0;
}

cairn_status cairn_reduced_basis_softness(const cairn_run *run, double *softness) {
    cairn_mass_components pieces;
    cairn_status status = cairn_mass_components_create(run->problem, &pieces);
    if (status != CAIRN_OK)
        return status;
    *softness = softness_of(run, &pieces);
    cairn_mass_components_free(run->context, &pieces);
    return CAIRN_OK;
}

/* C with it. */
static void fill_C(const cairn_run *run, const builder *w) {
    const cairn_problem *p = run->problem;
    for (int i = 0; i < p->blocks; i++) {
        double rest = rest_of(run, &w->pieces, i);
        for (int j = p->block_start[i]; j < p->block_start[i + 1]; j++)
            w->C[j] = p->C[j] + rest;
    }
}

static void free_builder(cairn_context *context, builder *w) {
    void *owned[] = {w->load,  w->mode,  w->gram,    w->kept,    w->first, w->body_start, w->D_row, w->D_col,
                     w->H_row, w->H_col, w->D_value, w->H_value, w->C,     w->b,          w->k};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        cairn_free(context, owned[i]);
    cairn_mass_components_free(context, &w->pieces);
}

static cairn_status take_memory(builder *w) {
    const cairn_problem *p = w->problem;
    cairn_context *context = p->context;
    size_t n = (size_t)p->n, m = (size_t)p->m, pieces = (size_t)w->pieces.count, D = (size_t)p->D.start[p->m] * MODES,
           H = pieces * MODES + (size_t)p->A.start[p->n];
    w->load = cairn_alloc(context, n * MODES, sizeof(double));
    w->mode = cairn_alloc(context, n * MODES, sizeof(double));
    w->gram = cairn_alloc(context, pieces * MODES * MODES, sizeof(double));
    w->kept = cairn_alloc(context, 2 * pieces, sizeof(int));
    w->first = cairn_alloc(context, (size_t)p->bodies, sizeof(int));
    w->body_start = cairn_alloc(context, (size_t)p->bodies + 1, sizeof(int));
    w->D_row = cairn_alloc(context, D, sizeof(int));
    w->D_col = cairn_alloc(context, D, sizeof(int));
    w->D_value = cairn_alloc(context, D, sizeof(double));
    w->H_row = cairn_alloc(context, H, sizeof(int));
    w->H_col = cairn_alloc(context, H, sizeof(int));
    w->H_value = cairn_alloc(context, H, sizeof(double));
    w->C = cairn_alloc(context, m, sizeof(double));
    w->b = cairn_alloc(context, m, sizeof(double));
    w->k = cairn_alloc(context, n + pieces * MODES, sizeof(double));
    bool all = w->load && w->mode && w->gram && w->kept && w->first && w->body_start && w->D_row && w->D_col &&
               w->D_value && w->H_row && w->H_col && w->H_value && w->C && w->b && w->k;
    return all ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

static cairn_status load(const cairn_run *run, const builder *w, cairn_reduced_basis *modes) {
    const cairn_problem *p = run->problem;
    cairn_problem_def def = cairn_default_problem_def();
    def.n = w->n;
    def.m = p->m;
    def.law = p->law;
    def.H = (cairn_sparse){
        .rows = w->n, .cols = w->n, .entries = w->H_entries, .row = w->H_row, .col = w->H_col, .value = w->H_value};
    def.D = (cairn_sparse){
        .rows = w->n, .cols = p->m, .entries = w->entries, .row = w->D_row, .col = w->D_col, .value = w->D_value};
    def.k = w->k;
    def.b = w->b;
    def.C = w->C;
    def.blocks = p->blocks;
    def.block = p->block;
    def.bodies = w->bodies;
    def.body_start = w->body_start;
    cairn_settings settings = cairn_default_settings("ipm");
    settings.tolerance = fmax(SHARE * run->settings->tolerance,
                              TOLERANCE * fmin(1.0, 10.0 * softness_of(run, &w->pieces)));
    settings.tolerance_plain = 0.0;
    settings.max_iterations = ITERATIONS;
    cairn_status status = cairn_problem_create(run->context, &def, &modes->problem);
    if (status == CAIRN_OK)
        status = cairn_operator_create(modes->problem, &modes->op);
    if (status == CAIRN_OK)
        status = cairn_solver_create(run->context, &settings, &modes->solver);
    if (status != CAIRN_OK)
        return status;
    cairn_solver_trust(modes->solver);
    return cairn_solver_load(modes->solver, modes->problem);
}

static void layout(cairn_reduced_basis *modes, const cairn_problem *p) {
    modes->b = cairn_arena_take(&modes->arena, (size_t)p->m, sizeof(double));
    modes->product = cairn_arena_take(&modes->arena, (size_t)p->m, sizeof(double));
    modes->v = cairn_arena_take(&modes->arena, (size_t)p->n, sizeof(double));
}

static cairn_status build(cairn_run *run, builder *w, cairn_reduced_basis *modes) {
    cairn_status status = take_memory(w);
    if (status != CAIRN_OK)
        return status;
    layout(modes, run->problem);
    status = cairn_arena_reserve(run->context, &modes->arena);
    if (status != CAIRN_OK)
        return status;
    layout(modes, run->problem);
    apply_loads(w);
    run->solves += MODES;
    mix_modes(w);
    number_rows(w);
    if (w->n == 0)
        return CAIRN_ERROR_UNSUPPORTED;
    fill_H(w);
    fill_D(w);
    fill_C(run, w);
    return load(run, w, modes);
}

const char *cairn_reduced_basis_refuse(const cairn_run *run) {
    const cairn_problem *p = run->problem;
    if (p->local || p->block_diagonal || p->unsymmetric)
        return "H couples no bodies, or is unsymmetric";
    return cairn_ipm_refuses(p, run->settings);
}

cairn_status cairn_reduced_basis_create(cairn_run *run, cairn_reduced_basis **out) {
    const cairn_problem *p = run->problem;
    *out = NULL;
    builder w = {.problem = p, .op = run->op};
    cairn_reduced_basis *modes = cairn_alloc(run->context, 1, sizeof *modes);
    cairn_status status = modes != NULL ? cairn_mass_components_create(p, &w.pieces) : CAIRN_ERROR_MEMORY;
    if (status == CAIRN_OK)
        status = build(run, &w, modes);
    free_builder(run->context, &w);
    if (status == CAIRN_OK) {
        *out = modes;
        return CAIRN_OK;
    }
    cairn_reduced_basis_destroy(run->context, modes);
    return status == CAIRN_ERROR_UNSUPPORTED ? CAIRN_OK : status; /* nothing is touched */
}

void cairn_reduced_basis_destroy(cairn_context *context, cairn_reduced_basis *modes) {
    if (modes == NULL)
        return;
    cairn_solver_destroy(modes->solver);
    cairn_operator_destroy(modes->op);
    cairn_problem_destroy(modes->problem);
    cairn_arena_free(context, &modes->arena);
    cairn_free(context, modes);
}

cairn_status cairn_reduced_basis_solve(cairn_run *run, cairn_reduced_basis *modes, const double *from,
                                       const double **gamma, const double **u, bool *good) {
    int m = run->problem->m;
    memcpy(modes->b, run->free_slip, (size_t)m * sizeof *modes->b);
    if (from != NULL) {
        run->solves++;
        cairn_operator_velocity(run->op, from, modes->v);
        cairn_operator_slip(run->op, modes->v, from, modes->b);
        cairn_operator_product(modes->op, from, modes->product);
        for (int j = 0; j < m; j++)
            modes->b[j] -= modes->product[j];
    }
    cairn_guess guess = {.gamma = from};
    cairn_answer answer = {0};
    cairn_info info = {0};
    cairn_problem_copy_data(run->problem, modes->problem);
    cairn_status status = cairn_problem_set_vectors(modes->problem, NULL, modes->b);
    if (status == CAIRN_OK)
        status = cairn_solver_solve(modes->solver, from != NULL ? &guess : NULL, &answer, &info);
    *good = status == CAIRN_OK && info.certificate.natural_map < USEFUL;
    *gamma = answer.gamma;
    *u = answer.u;
    return status == CAIRN_ERROR_NUMERICAL ? CAIRN_OK : status;
}
