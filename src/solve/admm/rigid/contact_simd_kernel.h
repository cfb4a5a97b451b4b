/*
 * contact_simd_kernel.h: D'v and D y of four contacts side by side, as vectors of four, for loops
 * over the groups of contact_simd.h. Private to contact_simd.c, rigid_admm_fma.c and
 * two_penalties.c.
 *
 * Contacts between the same two bodies are four lanes of one group, so that velocities are read
 * once and impulses summed over lanes before they are added to the body; the force on one body is
 * that on the other with its sign changed, so most groups need 27 of their 36 numbers per contact.
 */
#ifndef CAIRN_SOLVE_ADMM_RIGID_CONTACT_SIMD_KERNEL_H
#define CAIRN_SOLVE_ADMM_RIGID_CONTACT_SIMD_KERNEL_H

#include "solve/admm/rigid/contact_simd.h"

typedef double quad __attribute__((vector_size(32)));
typedef long long mask __attribute__((vector_size(32)));
typedef double pair __attribute__((vector_size(16)));

enum { L = CAIRN_CONTACT_LANES, COLUMNS = 12, BODY = 6, BATCH = 16 };

#define PICK(m, a, b) ((quad)(((m) & (mask)(a)) | (~(m) & (mask)(b))))

CAIRN_INLINE double sum_lanes(const quad *x) {
    return ((*x)[0] + (*x)[1]) + ((*x)[2] + (*x)[3]);
}

typedef double loose __attribute__((vector_size(32), aligned(8), may_alias));
typedef double loose_pair __attribute__((vector_size(16), aligned(8), may_alias));

#define LOAD(x)         (*(const loose *)(x))
#define STORE(x, value) (*(loose *)(x) = (value))
#define ALL(x)          ((quad){(x), (x), (x), (x)})

/* sum = the sums over the lanes of four vectors. */
CAIRN_INLINE void sum_four(const quad *x, quad *sum) {
    quad ab = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6) + __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7);
    quad cd = __builtin_shufflevector(x[2], x[3], 0, 4, 2, 6) + __builtin_shufflevector(x[2], x[3], 1, 5, 3, 7);
    *sum = __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

/* to (6) += four sums and two of rest, from lane `first` on. */
CAIRN_INLINE void add_body(const quad *low, const quad *rest, int first, double *to) {
    pair high = {(*rest)[first], (*rest)[first + 1]};
    *(loose *)to += *low;
    *(loose_pair *)(to + 4) += high;
}

/* out = column c of a group's D times y, in lanes. */
CAIRN_INLINE void push(const double *D, int c, const quad *y, quad *out) {
    *out = LOAD(D + c * L) * y[0] + LOAD(D + (COLUMNS + c) * L) * y[1] + LOAD(D + (2 * COLUMNS + c) * L) * y[2];
}

/* image += D y of a uniform group. */
CAIRN_INLINE void push_group(const double *D, const int *base, bool opposed, const quad *y, double *image) {
    quad t[4], linear, rest, other;
    for (int c = 0; c < 4; c++)
        push(D, c, y, &t[c]);
    sum_four(t, &linear);
    push(D, 4, y, &t[0]);
    push(D, 5, y, &t[1]);
    push(D, BODY + 4, y, &t[2]);
    push(D, BODY + 5, y, &t[3]);
    sum_four(t, &rest);
    push(D, BODY + 3, y, &t[3]);
    if (opposed) {
        other = -linear;
        other[3] = (t[3][0] + t[3][1]) + (t[3][2] + t[3][3]);
    } else {
        for (int c = 0; c < 3; c++)
            push(D, BODY + c, y, &t[c]);
        sum_four(t, &other);
    }
    add_body(&linear, &rest, 0, image + base[0]);
    add_body(&other, &rest, 2, image + base[L]);
}

/* image += D y of a mixed group: body by body. */
CAIRN_INLINE void push_mixed(const double *D, const int *base, const quad *y, double *image) {
    for (int l = 0; l < L; l++)
        for (int side = 0; side < 2; side++)
            for (int c = 0; c < BODY; c++) {
                const double *d = D + (side * BODY + c) * L + l;
                image[base[side * L + l] + c] += d[0] * y[0][l] + d[COLUMNS * L] * y[1][l] +
                                                 d[2 * COLUMNS * L] * y[2][l];
            }
}

/* a += column c of a group's D' times t. */
CAIRN_INLINE void pull(const double *D, int c, const quad *t, quad *a) {
    a[0] += LOAD(D + c * L) * *t;
    a[1] += LOAD(D + (COLUMNS + c) * L) * *t;
    a[2] += LOAD(D + (2 * COLUMNS + c) * L) * *t;
}

/* u (three quads) = D'v of a uniform group. */
CAIRN_INLINE void pull_group(const double *D, const int *base, bool opposed, const double *v, quad *u) {
    const double *v0 = v + base[0], *v1 = v + base[L];
    quad a[3] = {ALL(0.0), ALL(0.0), ALL(0.0)};
    for (int c = 0; c < BODY; c++) {
        quad t = ALL(opposed && c < 3 ? v0[c] - v1[c] : v0[c]);
        pull(D, c, &t, a);
    }
    for (int c = opposed ? 3 : 0; c < BODY; c++) {
        quad t = ALL(v1[c]);
        pull(D, BODY + c, &t, a);
    }
    for (int r = 0; r < 3; r++)
        u[r] = a[r];
}

/* u = D'v of a mixed group. */
CAIRN_INLINE void pull_mixed(const double *D, const int *base, const double *v, quad *u) {
    quad a[3] = {ALL(0.0), ALL(0.0), ALL(0.0)};
    for (int side = 0; side < 2; side++, base += L)
        for (int c = 0; c < BODY; c++) {
            quad t = {v[base[0] + c], v[base[1] + c], v[base[2] + c], v[base[3] + c]};
            pull(D, side * BODY + c, &t, a);
        }
    for (int r = 0; r < 3; r++)
        u[r] = a[r];
}

/* Where groups begin. */
#define MATRIX(contacts, g) ((contacts)->D + (size_t)(g)*3 * COLUMNS * L)
#define BASE(contacts, g)   ((contacts)->base + (g)*2 * L)
#define AT(x, g)            ((x) + (size_t)(g)*3 * L)

/* image += D y of groups begin .. end - 1 that are wanted, all of one kind. y: in lanes */
CAIRN_INLINE void push_groups(const cairn_contact_simd *contacts, int begin, int end, const bool *wanted,
                              const double *y, double *image) {
    for (int g = begin; g < end; g++) {
        quad part[3] = {LOAD(AT(y, g)), LOAD(AT(y, g) + L), LOAD(AT(y, g) + 2 * L)};
        if (wanted != NULL && !wanted[g - begin])
            continue;
        if (g < contacts->opposed)
            push_group(MATRIX(contacts, g), BASE(contacts, g), true, part, image);
        else if (g < contacts->uniform)
            push_group(MATRIX(contacts, g), BASE(contacts, g), false, part, image);
        else
            push_mixed(MATRIX(contacts, g), BASE(contacts, g), part, image);
    }
}

/* The end of the next batch: at most BATCH groups, all of one kind. */
CAIRN_INLINE int batch_end(const cairn_contact_simd *contacts, int begin) {
    int end = begin + BATCH;
    int kind = begin < contacts->opposed   ? contacts->opposed
               : begin < contacts->uniform ? contacts->uniform
                                           : contacts->groups;
    return end < kind ? end : kind;
}

#endif
