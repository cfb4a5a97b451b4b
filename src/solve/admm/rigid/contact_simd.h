/*
 * contact_simd.h: half steps of primal-admm for rigid bodies in contact, four contacts side by
 * side.
 */
#ifndef CAIRN_SOLVE_ADMM_RIGID_CONTACT_SIMD_H
#define CAIRN_SOLVE_ADMM_RIGID_CONTACT_SIMD_H

#include "solve/driver/method.h"

#include "problem/kkt/kkt.h"

enum { CAIRN_CONTACT_LANES = 4 };

/* Vectors "in lanes" have 12 numbers per group of four contacts: four normals, four first
 * tangents, four second ones. Contacts of one pair of bodies share groups; those that are alone
 * with theirs make mixed groups. Places without a contact are 0 and stay 0. Velocity vectors
 * have six numbers more than rows, all 0. */
typedef struct cairn_contact_simd {
    /* the first `uniform` groups are of one pair of bodies each; of the first `opposed` the linear
     * parts differ in sign alone: their first three columns serve both bodies */
    int opposed, uniform, groups;
    int rows;     /* 12 groups */
    int *place;   /* of each contact: where its normal is in lanes */
    int *contact; /* 4 per group: which contact; -1: none */
    int *base;    /* 8 per group: first velocity row of the first body, then of the second; n where there is none */
    double *D;    /* 144 per group: entry (r, c) of the four 3 x 12 blocks at 4 (12 r + c) */
    double *mu;   /* 4 per group */
} cairn_contact_simd;

/* Sums over all contacts of one iteration. */
typedef struct cairn_contact_sums {
    double r, x, y; /* |a - y|^2, |a - shift|^2, |y|^2 */
    double e;       /* |z - z^|^2 + |y - y^|^2 */
} cairn_contact_sums;

/* Only cones of three rows between rigid bodies, no compliance, H block diagonal? */
bool cairn_contact_simd_fit(const cairn_problem *problem);
/* Memory from an arena, counting or real; after the real one fill it. Contacts are grouped by
 * the classes of kkt. */
void cairn_contact_simd_layout(cairn_contact_simd *contacts, cairn_arena *arena, const cairn_problem *problem,
                               const cairn_kkt *kkt);
void cairn_contact_simd_fill(const cairn_problem *problem, const cairn_kkt *kkt, cairn_contact_simd *contacts);
/* Friction coefficients may change from solve to solve. */
void cairn_contact_simd_friction(const cairn_problem *problem, cairn_contact_simd *contacts);

/* Between the order of the problem (m) and lanes (rows). Places without a contact are not
 * written. */
void cairn_contact_simd_to_lanes(const cairn_problem *problem, const cairn_contact_simd *contacts, const double *x,
                                 double *lanes);
void cairn_contact_simd_from_lanes(const cairn_problem *problem, const cairn_contact_simd *contacts,
                                   const double *lanes, double *x);

/* y^ = y + momentum (y - yn), z^ alike, then a = D'v + shift, x = a + z^, yn = P_{K*}(x), zn = x
 * - yn, image (n + 6) = D yn; all others in lanes. yn, zn: in, the iterates before y, z; out,
 * the next ones. a, yh, zh: written unless NULL. */
typedef struct cairn_contact_step {
    const double *v, *shift, *y, *z;
    double momentum;
    double *yn, *zn, *image, *a, *yh, *zh;
} cairn_contact_step;

cairn_contact_sums cairn_contact_simd_sweep(const cairn_problem *problem, const cairn_contact_simd *contacts,
                                            const cairn_contact_step *step);
/* image (n + 6) = D x, x in lanes. */
void cairn_contact_simd_impulse(const cairn_problem *problem, const cairn_contact_simd *contacts, const double *x,
                                double *image);

#endif
