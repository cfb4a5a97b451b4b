/*
 * part.h: a flexible part: a mesh with materials, somewhere in the world, moving. What the layer world knows of finite elements.
 *
 * Unknowns: `vectors` vectors of three, x and v (3 vectors). M mass, f(x) = -dE/dx elastic force, K = -df/dx, R = a M + b K damping.
 * One implicit step linearised about velocities w (the answer before, or v itself for the first solve) [theory 7]:
 *
 *     (M + h R + h^2 K) v+ = M v + h (f(x + h w) + h K w + loads) with K, R taken at x + h w       (first solve: w = 0, so f(x), K(x))
 *
 * A node that is held (prescribed) keeps its rows: H_ii = its mass, all else of row and column left out, k so that v+ is what is prescribed; its pull on
 * the neighbours goes to k.
 */
#ifndef CAIRN_FEM_PART_H
#define CAIRN_FEM_PART_H

#include "../base/core.h"

#include <cairn/fem.h>

typedef struct cairn_fem_part {
    cairn_context *context;
    cairn_fem_mesh *mesh;
    cairn_fem_mesh_view view;
    int vectors; /* of unknowns; n = 3 vectors */
    int materials;
    cairn_fem_material *material; /* by group of the elements */
    double *x, *v;                /* 3 vectors: places (and slopes), velocities; world axes */
    double *rest;                 /* 3 vectors: where nothing is strained, world axes of the start */
    double *load;                 /* 3 vectors: forces on the vectors, N, for the next step; the world clears it */
    unsigned char *held;          /* vectors: bit 0, 1, 2: this component is prescribed */
    double *held_v;               /* 3 vectors: with this velocity */
    double *lumped;               /* vectors: mass of each place (for joints, gravity, centre of mass) */
    double mass;                  /* whole, kg */
    int *H_start, *H_row;         /* 3 vectors + 1; pattern of H by columns, sorted, both triangles */
    int entries;                  /* H_start[3 vectors] */
    void *work;                   /* maps and tables of the fem layer */
} cairn_fem_part;

/* pose puts the mesh into the world. materials: at least the largest group + 1. */
cairn_status cairn_fem_part_create(cairn_context *context, cairn_fem_mesh *mesh, int materials,
                                   const cairn_fem_material *material, cairn_pose pose, cairn_fem_part **part);
void cairn_fem_part_destroy(cairn_fem_part *part);

/* H_value (entries) and k (3 vectors) as above. about: w, or NULL for the first solve. Gravity is spread by the mass matrix. Takes no memory. The sum has a fixed order. With threads of the
 * context; same bits for any number. Not from inside a parallel loop of the same context; two calls for one part never at a time (also force, elastic, stress: they share room). */
void cairn_fem_part_write(cairn_fem_part *part, double h, cairn_vec3 gravity, const double *about, double *H_value,
                          double *k);
/* M v_new - M v - h (f(x + h v_new) - R(x + h v_new) v_new + loads + gravity): what a converged step balances with D gamma; residual (3 vectors), N s. */
void cairn_fem_part_residual(cairn_fem_part *part, double h, cairn_vec3 gravity, const double *v_new, double *residual);

double cairn_fem_part_elastic(const cairn_fem_part *part, const double *x);            /* E(x), J */
void cairn_fem_part_force(const cairn_fem_part *part, const double *x, double *force); /* -dE/dx, 3 vectors, N */
double cairn_fem_part_kinetic(const cairn_fem_part *part);
double cairn_fem_part_potential(const cairn_fem_part *part, cairn_vec3 gravity);
cairn_vec3 cairn_fem_part_center(const cairn_fem_part *part);   /* of mass */
cairn_vec3 cairn_fem_part_velocity(const cairn_fem_part *part); /* momentum over mass */

/* Adds pressure (Pa, > 0 pushes inwards) on the skin to load: on the faces whose corners are all in that set of the mesh, or -1: on all. */
void cairn_fem_part_pressure(cairn_fem_part *part, int set, double pressure);

/* Cauchy stress (xx, yy, zz, xy, yz, zx; world axes, Pa) and Green strain of every element's middle, and von Mises' stress at nodes (mean of the elements around, weighted by
 * volume). Any may be NULL. Beams: stress[0] is the largest of axial stress and bending. */
void cairn_fem_part_stress(const cairn_fem_part *part, double *stress, double *strain, double *mises_node);

#endif
