/*
 * method_lemke.c: lemke: complementary pivoting on the LCP of a time step with polyhedral cones
 * [A; theory 6].
 *
 *     load    N as a dense matrix, bilateral rows eliminated (poly_lcp.c)
 *     solve   pivots (lemke.c) on the LCP of A + soft I until z0 leaves;
 *             then the matrix over the basic variables is factored once and the answer corrected
 *             with true velocities, which removes both softness and the rounding of the tableau;
 *             if the certificate is not met, once more with 100 times and with 1/100 of the softness
 *
 * Law: exact (Stewart, Trinkle, Anitescu, Potra: copositive, so Lemke's method finds an answer when
 * every gap b_N is >= 0) or associated (positive semidefinite). [A] reports success for "tens of
 * bodies, most of the time"; the limit here is memory and time: about (rows of the LCP)^2 numbers
 * and as many pivots as rows or a few times more, each of (rows)^2 operations. More rows than
 * max_rows are refused at load.
 *
 * One iteration is one pivot; primal: z0, scaled. No warm start but the test whether the guess is
 * the answer.
 */
#include "solve/papers/lemke/lemke.h"
#include "solve/papers/lemke/poly_lcp.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define REFINE 30

typedef struct workspace {
    cairn_arena arena;
    cairn_lemke lemke;
    cairn_poly_lcp lcp;
    double *z, *slack; /* rows of the LCP */
    double *gamma;     /* m */
    double *before;    /* m */
} workspace;

static void release(cairn_context *context, void *memory) {
    workspace *w = memory;
    cairn_arena_free(context, &w->arena);
    cairn_free(context, w);
}

static void layout(workspace *w, const cairn_problem *p, int rows) {
    cairn_lemke_layout(&w->lemke, &w->arena, rows);
    cairn_poly_lcp_layout(&w->lcp, &w->arena, p);
    w->z = cairn_arena_take(&w->arena, (size_t)rows, sizeof(double));
    w->slack = cairn_arena_take(&w->arena, (size_t)rows, sizeof(double));
    w->gamma = cairn_arena_take(&w->arena, (size_t)p->m, sizeof(double));
    w->before = cairn_arena_take(&w->arena, (size_t)p->m, sizeof(double));
}

static cairn_status prepare(cairn_run *run, void **out) {
    int64_t rows = cairn_poly_lcp_rows(run->problem), limit = run->settings->max_rows;
    int64_t size = rows > run->problem->m ? rows : run->problem->m;
    if (size > limit)
        return cairn_fail(
            run->context, CAIRN_ERROR_UNSUPPORTED,
            "lemke does not accept this problem: its LCP has %lld rows from %d, more than max_rows = %lld",
            (long long)rows, run->problem->m, (long long)limit);
    workspace *w = cairn_alloc(run->context, 1, sizeof *w);
    if (w == NULL)
        return CAIRN_ERROR_MEMORY;
    layout(w, run->problem, (int)rows);
    cairn_status status = cairn_arena_reserve(run->context, &w->arena);
    if (status != CAIRN_OK) {
        release(run->context, w);
        return status;
    }
    layout(w, run->problem, (int)rows);
    cairn_poly_lcp_prepare(run, &w->lcp);
    *out = w;
    return CAIRN_OK;
}

/* gamma of z; true: it is the answer. */
static bool offer(cairn_run *run, workspace *w) {
    cairn_poly_lcp_impulses(run, &w->lcp, w->z, w->gamma);
    if (!cairn_run_test(run, w->gamma))
        return false;
    cairn_run_tick(run, w->gamma, true); /* the last line of a trace is the answer */
    return true;
}

/* The final basis, solved anew: a fixed point of z <- z - (M + soft)^-1 (true slack), which
 * converges to the true answer of this basis. */
static bool finish(cairn_run *run, workspace *w) {
    cairn_lemke_point(&w->lemke, w->z);
    if (offer(run, w))
        return true;
    run->factorizations++;
    if (!cairn_lemke_factor(&w->lemke))
        return false;
    double last = INFINITY;
    for (int step = 0; step < REFINE && run->last_map < last; step++) {
        last = run->last_map;
        cairn_poly_lcp_slack(run, &w->lcp, w->z, w->gamma, w->slack);
        cairn_lemke_correct(&w->lemke, w->slack, w->slack);
        for (int i = 0; i < w->lcp.n; i++)
            w->z[i] = fmax(0.0, w->z[i] + w->slack[i]);
        run->solves++;
        if (offer(run, w))
            return true;
    }
    return run->best_map <= cairn_run_aim(run); /* the plain figure may still be wanted smaller */
}

/* A ray of an infeasible problem is a proof of it, as far as the driver can follow. True:
 * proven. */
static bool hopeless(cairn_run *run, workspace *w) {
    cairn_lemke_point(&w->lemke, w->z);
    cairn_poly_lcp_impulses(run, &w->lcp, w->z, w->gamma);
    memcpy(w->before, w->gamma, (size_t)w->lcp.m * sizeof *w->gamma);
    cairn_lemke_ray(&w->lemke, w->slack);
    for (int i = 0; i < w->lcp.n; i++)
        w->z[i] += w->slack[i];
    cairn_poly_lcp_impulses(run, &w->lcp, w->z, w->gamma); /* affine in z: bilateral rows follow */
    for (int j = 0; j < w->lcp.m; j++)
        w->gamma[j] -= w->before[j];
    return cairn_run_infeasible(run, w->gamma, run->work2);
}

/* Tells the driver of one pivot; a pivot that lowers no residual is no stalling. */
static bool tell(cairn_run *run, workspace *w) {
    int z0 = w->lemke.place[2 * w->lemke.n];
    run->primal = z0 >= 0 ? w->lemke.q[z0] : 0.0;
    if (run->settings->trace) {
        cairn_lemke_point(&w->lemke, w->z);
        cairn_poly_lcp_impulses(run, &w->lcp, w->z, w->gamma);
    }
    run->stalled_since = run->iterations;
    return cairn_run_tick(run, w->gamma, false);
}

/* One run of pivots with the given softness. True: the run is over. */
static bool attempt(cairn_run *run, workspace *w, double soft) {
    w->lcp.soft = soft;
    cairn_lemke_state state = cairn_lemke_begin(&w->lemke, run->context, w->lcp.n, cairn_poly_lcp_row, &w->lcp,
                                                w->lcp.q);
    while (state == CAIRN_LEMKE_GOES_ON) {
        if (!tell(run, w))
            return true;
        state = cairn_lemke_pivot(&w->lemke);
    }
    switch (state) {
    case CAIRN_LEMKE_DONE:
        if (finish(run, w) || run->finished)
            return true;
        run->outcome = CAIRN_NUMERICAL;
        snprintf(run->note, sizeof run->note, "the last basis has a natural map of %.2g", run->last_map);
        return cairn_run_infeasible(run, w->gamma, run->work2);
    case CAIRN_LEMKE_RAY:
        run->outcome = CAIRN_STALLED;
        snprintf(run->note, sizeof run->note,
                 "pivoting ended on a ray: this method finds no answer, and there may be none");
        return hopeless(run, w);
    default:
        cairn_run_broken(run, "rounding has destroyed the tableau");
        return false;
    }
}

static cairn_status run_lemke(cairn_run *run, void *memory) {
    static const double factor[] = {1.0, 100.0, 0.01};
    workspace *w = memory;
    double soft = run->settings->soft;
    if (run->guess != NULL && cairn_run_test(run, run->guess))
        return CAIRN_OK;
    if (!cairn_poly_lcp_begin(run, &w->lcp))
        return cairn_run_broken(run, "friction on round cones: --cone poly:N makes them polyhedral");
    for (int i = 0; i < (soft > 0.0 ? 3 : 1); i++)
        if (attempt(run, w, soft * factor[i]))
            break;
    return CAIRN_OK;
}

const cairn_method cairn_method_lemke = {
    .name = "lemke",
    .summary = "complementary pivoting, lexicographic, on the LCP with polyhedral cones",
    .paper = "[A] \"Solving the LCP\"; Stewart and Trinkle, Anitescu and Potra, Lemke",
    .accepts = "polyhedral cones (--cone poly:N), unilateral and bilateral rows, up to max_rows",
    .options = "soft max_rows",
    .defaults = "",
    .refuses = cairn_poly_lcp_refuses,
    .prepare = prepare,
    .run = run_lemke,
    .release = release,
};
