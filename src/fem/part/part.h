/*
 * part.h: a flexible part: a mesh with materials, somewhere in the world, moving. What the layer world knows of finite elements.
 *
 * Unknowns: `vectors` vectors of three, x and v (3 vectors). M mass, R = a M + b K damping. One step [docs/flexible.md, theory]: the stresses are those of its end,
 * linearised about predicted velocities, the directions B in which they act those of its begin:
 *
 *     H v+ = k,    H = (1 + h a) M + (h^2 + h b) sum V B'C B + ...,    k = M v + h (loads - sum V B'(stress of the prediction)) + ...
 *
 * A node that is held (prescribed) keeps its rows: H_ii = its mass, all else of row and column left out, k so that v+ is what is prescribed; its pull on
 * the neighbours goes to k.
 */
#ifndef CAIRN_FEM_PART_PART_H
#define CAIRN_FEM_PART_PART_H

#include "base/core.h"

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
    double *stress;       /* 6 an element: mean stress that the last step applied, rest axes, Pa; state like x and v */
    double turn;          /* rad: mean angle by which the elements have turned, for the last step that was written */
    int *H_start, *H_row; /* 3 vectors + 1; pattern of H by columns, sorted, both triangles */
    int entries;          /* H_start[3 vectors] */
    void *work;           /* maps and tables of the fem layer */
} cairn_fem_part;

/* pose puts the mesh into the world. materials: at least the largest group + 1. */
cairn_status cairn_fem_part_create(cairn_context *context, cairn_fem_mesh *mesh, int materials,
                                   const cairn_fem_material *material, cairn_pose pose, cairn_fem_part **part);
void cairn_fem_part_destroy(cairn_fem_part *part);

/* H_value (entries) and k (3 vectors) as above; the prediction is v, turned as each element turned in the last step. Gravity is spread by the mass matrix. Takes no memory. The sum has a
 * fixed order. With threads of the context; same bits for any number. Not from inside a parallel loop of the same context; two calls for one part never at a time (also aim, apply, force, elastic,
 * tangent, stress: they share room). */
void cairn_fem_part_write(cairn_fem_part *part, double h, cairn_vec3 gravity, double *H_value, double *k);
/* What a step gives to the energy that no force gives: E(x + h v) - E(x) + v'J - (v - v_l)'M (v - v_l)/2, J the impulses of the elements. With forces f and impulses p from outside the step changes
 * kinetic and elastic energy by created + v'(h f + p). Never above 0 where E is convex and J its slope at the end. From the last write or aim. */
typedef struct cairn_fem_gain {
    double created, kinetic, elastic; /* J; kinetic: before and after together; elastic: before */
    double mean;                      /* E(x + h v) - E(x) + J'(v_l + v)/2: what the elements add to both energies */
    double work;                      /* of the elements along v, each component without its sign */
} cairn_fem_gain;
cairn_fem_gain cairn_fem_part_gain(cairn_fem_part *part, cairn_context *context, double h, const double *v);
/* k of the same step, whose H stays, about other predicted velocities (3 vectors); NULL: those of cairn_fem_part_write. Threads are those of context. */
void cairn_fem_part_aim(cairn_fem_part *part, cairn_context *context, double h, const double *aim, double *k);
/* The step ends with velocities v, and k was that of aim (NULL: of the prediction): keeps the stress that was applied, for the next step; returns what damping takes, J. Before x and v move on. */
double cairn_fem_part_apply(cairn_fem_part *part, double h, const double *aim, const double *v);

/* impulse (3 vectors, N s): what prescribes the held components, their rows of H v - k as they are before they are held; 0 elsewhere. After write or aim for this step, before x and v move on. */
void cairn_fem_part_holding(const cairn_fem_part *part, double h, cairn_vec3 gravity, const double *v, double *impulse);

double cairn_fem_part_elastic(const cairn_fem_part *part, const double *x); /* E(x), J */
/* The same with the threads of context. */
double cairn_fem_part_elastic_by(const cairn_fem_part *part, cairn_context *context, const double *x);
void cairn_fem_part_force(const cairn_fem_part *part, const double *x, double *force); /* -dE/dx, 3 vectors, N */
/* d2E/dx2 into the pattern of H, made positive element by element where the material says so. */
void cairn_fem_part_tangent(const cairn_fem_part *part, const double *x, double *K_value);
double cairn_fem_part_kinetic(const cairn_fem_part *part);
double cairn_fem_part_potential(const cairn_fem_part *part, cairn_vec3 gravity);
cairn_vec3 cairn_fem_part_center(const cairn_fem_part *part);   /* of mass */
cairn_vec3 cairn_fem_part_velocity(const cairn_fem_part *part); /* momentum over mass */

/* Adds pressure (Pa, > 0 pushes inwards) on the skin to load: on the faces of elements all of whose nodes are chosen (by node: not 0); NULL: on all. */
void cairn_fem_part_pressure(cairn_fem_part *part, const unsigned char *chosen, double pressure);
/* share (nodes): what each takes of a force that is spread evenly over these faces, m^2. Returns their area; 0: there are none. */
double cairn_fem_part_shares(cairn_fem_part *part, const unsigned char *chosen, double *share);

/* Cauchy stress (xx, yy, zz, xy, yz, zx; world axes, Pa) and Green strain of every element's middle, and von Mises' stress at nodes (mean of the elements around, weighted by
 * volume). Any may be NULL. Beams: stress[0] is the largest of axial stress and bending. */
void cairn_fem_part_stress(const cairn_fem_part *part, double *stress, double *strain, double *mises_node);

#endif
