/*
 * systems.c: assembles K and S of a scene.
 */
#include "matrices.h"

#include <stdlib.h>
#include <string.h>

/* theta (m), see matrices.h. */
static double *penalties(const scene *s) {
    int n = s->H.rows, m = s->D.cols;
    double *inverse = bench_need((size_t)n, sizeof *inverse), *theta = bench_need((size_t)m, sizeof *theta);
    for (int j = 0; j < n; j++)
        for (int k = s->H.start[j]; k < s->H.start[j + 1]; k++)
            if (s->H.index[k] == j)
                inverse[j] = 1.0 / s->H.value[k];
    for (int b = 0; b < s->blocks; b++) {
        double sum = 0.0;
        for (int k = s->D.start[s->block_start[b]]; k < s->D.start[s->block_start[b + 1]]; k++)
            sum += s->D.value[k] * s->D.value[k] * inverse[s->D.index[k]];
        double scale = sum / (s->block_start[b + 1] - s->block_start[b]);
        for (int i = s->block_start[b]; i < s->block_start[b + 1]; i++)
            theta[i] = b < s->joints ? 1e-9 * scale : scale;
    }
    free(inverse);
    return theta;
}

static void add_matrix(triplets *list, const sparse *a) {
    for (int j = 0; j < a->cols; j++)
        for (int k = a->start[j]; k < a->start[j + 1]; k++)
            triplets_add(list, a->index[k], j, a->value[k]);
}

/* Columns 0..count-1 of D, their transposes, and -theta, below and beside n rows. */
static void add_border(triplets *list, const scene *s, int count, const double *theta) {
    int n = s->H.rows;
    for (int j = 0; j < count; j++) {
        for (int k = s->D.start[j]; k < s->D.start[j + 1]; k++) {
            triplets_add(list, s->D.index[k], n + j, s->D.value[k]);
            triplets_add(list, n + j, s->D.index[k], s->D.value[k]);
        }
        triplets_add(list, n + j, n + j, -theta[j]);
    }
}

/* Adds the columns of one contact, divided by theta: sum over its rows of d d' / theta. Its columns share one pattern, or
 * are added one by one. */
static void add_contact(triplets *list, const sparse *D, int first, int last, const double *theta) {
    int size = D->start[first + 1] - D->start[first];
    bool same = true;
    for (int j = first + 1; j < last; j++)
        same = same && D->start[j + 1] - D->start[j] == size &&
               memcmp(&D->index[D->start[j]], &D->index[D->start[first]], (size_t)size * sizeof(int)) == 0;
    int step = same ? last - first : 1;
    for (int j = first; j < last; j += step) {
        int begin = D->start[j], length = D->start[j + 1] - begin;
        for (int a = 0; a < length; a++)
            for (int b = 0; b < length; b++) {
                double sum = 0.0;
                for (int i = j; i < j + step; i++)
                    sum += D->value[D->start[i] + a] * D->value[D->start[i] + b] / theta[i];
                triplets_add(list, D->index[begin + a], D->index[begin + b], sum);
            }
    }
}

/* Groups: the bodies, then the first `blocks` blocks of rows. Signs likewise. */
static linear_system finish(const scene *s, int blocks, triplets *list) {
    int n = s->H.rows, size = n + s->block_start[blocks];
    linear_system a = {.A = sparse_compress(list, size, size), .groups = s->bodies + blocks, .definite = blocks == 0};
    a.group_start = bench_need((size_t)a.groups + 1, sizeof *a.group_start);
    a.sign = bench_need((size_t)size, sizeof *a.sign);
    memcpy(a.group_start, s->body_start, ((size_t)s->bodies + 1) * sizeof(int));
    for (int b = 0; b <= blocks; b++)
        a.group_start[s->bodies + b] = n + s->block_start[b];
    for (int i = 0; i < size; i++)
        a.sign[i] = i < n ? 1 : -1;
    return a;
}

linear_system system_full(const scene *s) {
    triplets list = {0};
    double *theta = penalties(s);
    add_matrix(&list, &s->H);
    add_border(&list, s, s->D.cols, theta);
    free(theta);
    return finish(s, s->blocks, &list);
}

linear_system system_reduced(const scene *s) {
    triplets list = {0};
    double *theta = penalties(s);
    add_matrix(&list, &s->H);
    add_border(&list, s, s->block_start[s->joints], theta);
    for (int b = s->joints; b < s->blocks; b++)
        add_contact(&list, &s->D, s->block_start[b], s->block_start[b + 1], theta);
    free(theta);
    return finish(s, s->joints, &list);
}

void system_clear(linear_system *a) {
    sparse_clear(&a->A);
    free(a->group_start);
    free(a->sign);
    *a = (linear_system){.groups = 0};
}
