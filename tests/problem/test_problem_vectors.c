/* Products with D: vector code against portable code, bit by bit, and against the entries of D. The assembly of S, whose bits depend on the processor as those of its factor do: to rounding. */
#include "support/support.h"

#include "base/core.h"
#include "problem/kkt/kkt_data.h"

/* The same sources once more, compiled for every processor of this kind. */
#undef CAIRN_CLONES
#undef CAIRN_CLONES_FMA
#define CAIRN_CLONES
#define CAIRN_CLONES_FMA
#define quad                      portable_quad
#define duo                       portable_duo
#define cairn_body_blocks_free    portable_body_blocks_free
#define cairn_body_blocks_create  portable_body_blocks_create
#define cairn_problem_slip        portable_slip
#define cairn_problem_impulse     portable_impulse
#define cairn_body_blocks_connect portable_body_blocks_connect
#define cairn_problem_row_size    portable_row_size
#include "problem/delassus/jacobian_blocks.c"
#undef cairn_body_blocks_free
#undef cairn_body_blocks_create
#undef cairn_problem_slip
#undef cairn_problem_impulse
#undef cairn_body_blocks_connect
#undef cairn_problem_row_size
#undef quad
#undef duo
#define cairn_kkt_assemble      portable_assemble
#define cairn_kkt_assemble_base portable_assemble_base
#include "problem/kkt/kkt_assemble_fma.c"
#undef cairn_kkt_assemble
#undef cairn_kkt_assemble_base

static double *random_vector(test_random *random, size_t count) {
    double *x = calloc(count + 1, sizeof *x);
    for (size_t i = 0; i < count; i++)
        x[i] = test_random_signed(random);
    return x;
}

static void check_products(const cairn_problem *p, test_random *random) {
    size_t n = (size_t)p->n, m = (size_t)p->m;
    double *v = random_vector(random, n), *gamma = random_vector(random, m);
    double *u = random_vector(random, m), *w = random_vector(random, n), *u2 = calloc(m + 1, sizeof *u2);
    double *w2 = calloc(n + 1, sizeof *w2), *exact = calloc(n + 1, sizeof *exact);
    for (double alpha = 0.0; alpha < 2.0; alpha += 0.75) {
        memcpy(u2, u, m * sizeof *u);
        memcpy(w2, w, n * sizeof *w);
        memcpy(exact, w, n * sizeof *w);
        for (int j = 0; j < p->m; j++) {
            double sum = alpha * u[j];
            for (int e = p->D.start[j]; e < p->D.start[j + 1]; e++)
                sum += p->D.value[e] * v[p->D.index[e]];
            u2[j] = sum;
        }
        cairn_problem_slip(p, v, alpha, u);
        for (int j = 0; j < p->m; j++)
            CHECK_NEAR(u[j], u2[j], 1e-12 * (1.0 + fabs(u2[j])));
        for (int i = 0; i < p->n; i++)
            exact[i] *= alpha;
        for (int j = 0; j < p->m; j++)
            for (int e = p->D.start[j]; e < p->D.start[j + 1]; e++)
                exact[p->D.index[e]] += p->D.value[e] * gamma[j];
        cairn_problem_impulse(p, gamma, alpha, w);
        portable_impulse(p, gamma, alpha, w2);
        CHECK(memcmp(w, w2, n * sizeof *w) == 0);
        for (int i = 0; i < p->n; i++)
            CHECK_NEAR(w[i], exact[i], 1e-12 * (1.0 + fabs(exact[i])));
        memcpy(u2, u, m * sizeof *u);
        cairn_problem_slip(p, v, alpha, u);
        portable_slip(p, v, alpha, u2);
        CHECK(memcmp(u, u2, m * sizeof *u) == 0);
    }
    free(v);
    free(gamma);
    free(u);
    free(w);
    free(u2);
    free(w2);
    free(exact);
}

/* y = S x by H, D and the weights, against the assembled entries; then the portable assembly. */
static void check_assembly(const cairn_problem *p, test_random *random) {
    cairn_kkt *kkt = NULL;
    CHECK(cairn_kkt_create(p, true, &kkt) == CAIRN_OK);
    if (kkt == NULL)
        return;
    size_t n = (size_t)p->n, m = (size_t)p->m, size = (size_t)kkt->size, entries = (size_t)kkt->start[kkt->size];
    double *B = random_vector(random, (size_t)kkt->B_start[p->blocks]), *v = random_vector(random, n);
    double *u = calloc(m + 1, sizeof *u), *t = calloc(m + 1, sizeof *t), *y = calloc(n + 1, sizeof *y);
    double *got = calloc(size + 1, sizeof *got), *value = calloc(entries + 1, sizeof *value);
    for (int e = 0; e < kkt->B_start[1] && p->blocks > 0; e++)
        B[e] = 0.0; /* an open contact */
    for (size_t j = 0; j < m; j++)
        kkt->theta[j] = kkt->weight[j] = 1.0;
    if (kkt->base != NULL)
        cairn_kkt_assemble_base(kkt);
    for (int full = 0; full < 2; full++) {
        cairn_kkt_assemble(kkt, full ? B : NULL);
        memcpy(value, kkt->value, entries * sizeof *value);
        portable_assemble(kkt, full ? B : NULL);
        double most = 0.0;
        for (size_t e = 0; e < entries; e++)
            most = fmax(most, fabs(value[e]));
        for (size_t e = 0; e < entries; e++) /* fused multiply-adds where the processor has them */
            CHECK_NEAR(kkt->value[e], value[e], 1e-15 * most);
        cairn_problem_slip(p, v, 0.0, u);
        for (int i = 0; i < p->blocks; i++) {
            int row = p->block_start[i], dim = p->block[i].dim;
            for (int r = 0; r < dim; r++) {
                t[row + r] = full ? 0.0 : u[row + r];
                for (int c = 0; full && c < dim; c++)
                    t[row + r] += B[kkt->B_start[i] + r * dim + c] * u[row + c];
                if (cairn_kkt_is_saddle(p, i))
                    t[row + r] = 0.0;
            }
        }
        cairn_problem_multiply(p, v, 0.0, y);
        cairn_problem_impulse(p, t, 1.0, y);
        memset(got, 0, size * sizeof *got);
        double *x = calloc(size + 1, sizeof *x), largest = 0.0;
        for (int i = 0; i < p->n; i++)
            x[kkt->position[i]] = v[i];
        for (int j = 0; j < kkt->size; j++)
            for (int e = kkt->start[j]; e < kkt->start[j + 1]; e++)
                got[kkt->index[e]] += value[e] * x[j];
        for (int i = 0; i < p->n; i++)
            largest = fmax(largest, fabs(y[i]));
        for (int i = 0; i < p->n; i++)
            CHECK_NEAR(got[kkt->position[i]], y[i], 1e-12 * (1.0 + largest));
        free(x);
    }
    free(B);
    free(v);
    free(u);
    free(t);
    free(y);
    free(got);
    free(value);
    cairn_kkt_destroy(kkt);
}

TEST(vectors_and_scalars_give_the_same_bits_on_every_sample) {
    cairn_context *context = plain_context(1);
    test_random random = {5};
    int checked = 0;
    for (int i = 0; i < cairn_sample_count(); i++) {
        cairn_sample_info info;
        cairn_problem *problem = NULL;
        cairn_sample_get(i, &info);
        cairn_sample_def def = cairn_default_sample_def(info.name);
        def.count = def.count > 40 ? 40 : def.count;
        def.layers = def.layers > 6 ? 6 : def.layers;
        if (cairn_sample_create(context, &def, &problem) != CAIRN_OK)
            continue;
        if (!problem->local) {
            check_products(problem, &random);
            check_assembly(problem, &random);
            checked++;
        }
        cairn_problem_destroy(problem);
    }
    CHECK(checked >= 4);
    cairn_context_destroy(context);
}

int main(void) {
    RUN(vectors_and_scalars_give_the_same_bits_on_every_sample);
    return test_end();
}
