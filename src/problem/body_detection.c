/*
 * body_detection.c: body and node blocks of H, found from the pattern when the caller does not
 * state them.
 *
 * FCLIB files carry no bodies, yet the quotient graph and the block scales of the certificate
 * [theory 1] want them. The rules, in this order, over blocks of equal size cut from the front:
 *
 *   1. six rows per body, if n is a multiple of 6, H has no entry outside these blocks, and no
 *      constraint touches
 *      more than two of them (rigid bodies in space);
 *   2. three rows, likewise (bodies in the plane, balls without rotation);
 *   3. three rows per node, if n is a multiple of 3 and H couples different blocks (finite elements
 *      in space);
 *   4. two rows per node, likewise (finite elements in the plane);
 *   5. otherwise the connected pieces of H when each is a run of at most 12 consecutive rows; else
 *      single rows.
 */
#include "problem/problem_data.h"

/* H has no entry outside diagonal blocks of this size. */
static bool block_diagonal(const cairn_csc *H, int size) {
    for (int j = 0; j < H->cols; j++)
        for (int e = H->start[j]; e < H->start[j + 1]; e++)
            if (H->index[e] / size != j / size)
                return false;
    return true;
}

/* No constraint block touches more than two blocks of this size. */
static bool pairwise(const cairn_csc *D, int blocks, const int *block_start, int size) {
    for (int i = 0; i < blocks; i++) {
        int first = -1, second = -1;
        for (int e = D->start[block_start[i]]; e < D->start[block_start[i + 1]]; e++) {
            int body = D->index[e] / size;
            if (first < 0 || body == first)
                first = body;
            else if (second < 0 || body == second)
                second = body;
            else
                return false;
        }
    }
    return true;
}

static void cut_evenly(int n, int size, int *bodies, int *body_start) {
    *bodies = n / size;
    for (int i = 0; i <= *bodies; i++)
        body_start[i] = i * size;
}

/* Runs of rows that no entry of H leaves; longer than limit: single rows all over. */
static void cut_by_coupling(const cairn_csc *H, int limit, int *bodies, int *body_start) {
    int count = 0, reach = -1;
    for (int j = 0; j < H->cols; j++) {
        if (j > reach)
            body_start[count++] = j;
        for (int e = H->start[j]; e < H->start[j + 1]; e++)
            if (H->index[e] > reach)
                reach = H->index[e];
        if (j > reach)
            reach = j;
        if (j - body_start[count - 1] >= limit) {
            cut_evenly(H->cols, 1, bodies, body_start);
            return;
        }
    }
    body_start[count] = H->cols;
    *bodies = count;
}

void cairn_find_bodies(const cairn_csc *H, const cairn_csc *D, int blocks, const int *block_start, int *bodies,
                       int *body_start) {
    int n = H->cols;
    for (int size = 6; size >= 3; size -= 3)
        if (n % size == 0 && block_diagonal(H, size) && pairwise(D, blocks, block_start, size)) {
            cut_evenly(n, size, bodies, body_start);
            return;
        }
    for (int size = 3; size >= 2; size--)
        if (n % size == 0 && !block_diagonal(H, size)) {
            cut_evenly(n, size, bodies, body_start);
            return;
        }
    cut_by_coupling(H, 12, bodies, body_start);
}
