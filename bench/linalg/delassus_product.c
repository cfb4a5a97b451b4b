/*
 * delassus_product.c: times y = N x, N = D'H^-1 D + C, without forming N, on a heap of spheres.
 *
 *     delassus_product [SPHERES]        default 8400: about 48 000 contacts
 *
 * Two ways: blocks (what the library does: 3 x 6 blocks, one a contact and body, and 6 x 6 inverses) and entries (compressed
 * columns of D, one entry after the other). Bytes are those that must be read when nothing stays in a cache; beside the rate stands
 * what a plain sum over memory reaches. Best of many; CPU time with one thread, wall clock with two.
 */
#define _POSIX_C_SOURCE 200809L
#include "problem/delassus/delassus_operator.h"

#include <cairn/samples.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static void check(const cairn_context *context, cairn_status status) {
    if (status != CAIRN_OK) {
        fprintf(stderr, "delassus_product: %s\n", cairn_error_message(context));
        exit(1);
    }
}

static double *take(size_t count) {
    double *memory = calloc(count + 1, sizeof *memory);
    if (memory == NULL) {
        fprintf(stderr, "delassus_product: out of memory\n");
        exit(1);
    }
    return memory;
}

static cairn_problem *heap(cairn_context *context, int spheres) {
    cairn_problem *problem = NULL;
    cairn_sample_def def = cairn_default_sample_def("spheres");
    def.count = spheres;
    check(context, cairn_sample_create(context, &def, &problem));
    return problem;
}

/* y = D'H^-1 D x + C x entry by entry; H is diagonal for spheres, so only the diagonal of each inverse is read. */
static void by_entries(cairn_operator *op, const double *x, double *w, double *y) {
    const cairn_problem *p = cairn_operator_problem(op);
    for (int i = 0; i < p->n; i++)
        w[i] = 0.0;
    for (int j = 0; j < p->m; j++)
        for (int e = p->D.start[j]; e < p->D.start[j + 1]; e++)
            w[p->D.index[e]] += p->D.value[e] * x[j];
    for (int b = 0; b < p->bodies; b++) {
        const double *inverse = cairn_operator_body_inverse(op, b);
        int first = p->body_start[b], size = p->body_start[b + 1] - first;
        for (int i = 0; i < size; i++)
            w[first + i] *= inverse[i * size + i];
    }
    for (int j = 0; j < p->m; j++) {
        double sum = p->C[j] * x[j];
        for (int e = p->D.start[j]; e < p->D.start[j + 1]; e++)
            sum += p->D.value[e] * w[p->D.index[e]];
        y[j] = sum;
    }
}

/* Bytes that one product by blocks reads and writes: D's blocks twice, inverses, vectors and index lists. */
static double bytes_of(const cairn_problem *p) {
    double touches = p->body.touch_start[p->blocks], blocks = (double)p->body.dense_start[p->blocks];
    double inverses = 0.0;
    for (int b = 0; b < p->bodies; b++)
        inverses += pow(p->body_start[b + 1] - p->body_start[b], 2.0);
    return 8.0 * (2.0 * blocks + inverses + 3.0 * p->n + 4.0 * p->m) + 16.0 * touches + 32.0 * p->blocks;
}

static double read_rate(int megabytes) {
    size_t count = (size_t)megabytes << 17;
    double *x = take(count), best = 0.0;
    volatile double sink = 0.0;
    for (size_t i = 0; i < count; i++) /* pages never written are not memory */
        x[i] = 1.0;
    for (int trial = 0; trial < 20; trial++) {
        double t = cairn_cpu_now(), s[8] = {0.0};
        for (size_t i = 0; i < count; i += 8)
            for (int k = 0; k < 8; k++)
                s[k] += x[i + (size_t)k];
        t = cairn_cpu_now() - t;
        sink = sink + s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7];
        best = fmax(best, 8.0 * (double)count / t);
    }
    free(x);
    return best;
}

/* Times the product with that many threads; with one also entry by entry, whose largest difference is returned. */
static double time_products(int threads, int spheres, double memory) {
    cairn_context_def def = cairn_default_context_def();
    cairn_context *context = NULL;
    cairn_operator *op = NULL;
    def.threads = threads;
    check(NULL, cairn_context_create(&def, &context));
    cairn_problem *p = heap(context, spheres);
    check(context, cairn_operator_create(p, &op));
    double *x = take((size_t)p->m), *y = take((size_t)p->m), *z = take((size_t)p->m), *w = take((size_t)p->n);
    double best[2] = {INFINITY, INFINITY}, worst = 0.0;
    for (int i = 0; i < p->m; i++)
        x[i] = sin(0.7 * i);
    for (int trial = 0; trial < 300; trial++) {
        double t = threads == 1 ? cairn_cpu_now() : cairn_now();
        cairn_operator_product(op, x, y);
        best[0] = fmin(best[0], (threads == 1 ? cairn_cpu_now() : cairn_now()) - t);
        if (threads > 1 || trial >= 50)
            continue;
        t = cairn_cpu_now();
        by_entries(op, x, w, z);
        best[1] = fmin(best[1], cairn_cpu_now() - t);
    }
    for (int i = 0; i < p->m && threads == 1; i++)
        worst = fmax(worst, fabs(y[i] - z[i]) / (fabs(z[i]) + 1.0));
    double bytes = bytes_of(p);
    if (threads == 1)
        printf("%d bodies, %d contacts, %.1f MB a product\nentries, 1 thread   %7.3f ms\n", p->bodies, p->blocks,
               1e-6 * bytes, 1e3 * best[1]);
    printf("blocks,  %d thread%s %8.3f ms, %5.1f GB/s, %3.0f %% of reading memory on one core\n", threads,
           threads > 1 ? "s" : " ", 1e3 * best[0], 1e-9 * bytes / best[0], 100.0 * bytes / best[0] / memory);
    free(x);
    free(y);
    free(z);
    free(w);
    cairn_operator_destroy(op);
    cairn_problem_destroy(p);
    cairn_context_destroy(context);
    return worst;
}

int main(int count, char **argument) {
    int spheres = count > 1 ? atoi(argument[1]) : 8400;
    if (count > 2 || spheres < 1) {
        fprintf(stderr, "usage: delassus_product [SPHERES]\n");
        return 2;
    }
    double memory = read_rate(256);
    printf("reading 256 MB %.1f GB/s, 16 MB %.1f GB/s\n", 1e-9 * memory, 1e-9 * read_rate(16));
    double worst = time_products(1, spheres, memory);
    time_products(2, spheres, memory);
    if (worst > 1e-10) {
        fprintf(stderr, "delassus_product: the two products differ by %g\n", worst);
        return 1;
    }
    return 0;
}
