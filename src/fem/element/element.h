/*
 * element.h: the table of element kinds. The next element is one file and one row.
 *
 *     place     x(xi) = sum_a N_a(xi) x_a                                     xi: natural coordinates, N shape functions
 *     gradient  F = sum_a x_a G_a',  G_a = dN_a/dX = J^-T dN_a/dxi            J = dX/dxi, X places at rest
 *
 * An element has nodes x vectors "vectors" of three unknowns each. What it keeps of its rest state is `kept` doubles; for solids
 * at each point of the rule (G of nodes and modes, 3 each; weight det J, 1; phi of the pressures). Its stiffness is handed out as blocks of 3 x 3, row by row, of vectors a <= b:
 * block (0,0), (0,1), ... (0,n-1), (1,1), ...
 */
#ifndef CAIRN_FEM_ELEMENT_ELEMENT_H
#define CAIRN_FEM_ELEMENT_ELEMENT_H

#include "fem/material/material.h"

#define CAIRN_FEM_NODES_MAX                10                                /* of an element */
#define CAIRN_FEM_POINTS_MAX               64                                /* of a rule */
#define CAIRN_FEM_BLOCKS_MAX               55                                /* 3 x 3 blocks a <= b of an element */
#define CAIRN_FEM_MODES_MAX                3                                 /* inner vectors of an element */
#define CAIRN_FEM_PRESSURES_MAX            4                                 /* of an element */
#define CAIRN_FEM_MODES_LEAN(nodes, modes) (3 * (modes) * (3 * (nodes) + 1)) /* places of the modes, K_xa K_aa^-1 */
#define CAIRN_FEM_PAD                      12 /* numbers of a block while it is summed, of which nine count */

/* Points and weights: integral over the natural element = sum of weight f(xi). */
typedef struct cairn_fem_rule {
    int points;
    double xi[CAIRN_FEM_POINTS_MAX][3], weight[CAIRN_FEM_POINTS_MAX];
} cairn_fem_rule;

/* What an element knows of a step of length h [docs/flexible.md, theory]. Stresses have weight `near` at the end of the step, `far` at its begin, taken off: 1 + b/h and b/h with
 * b the damping by stiffness. */
typedef struct cairn_fem_motion {
    double h, near, far;
    const double *x, *v; /* vectors where the step begins; velocities that are predicted */
} cairn_fem_motion;

typedef struct cairn_fem_element cairn_fem_element;
struct cairn_fem_element {
    const char *name;
    int nodes, vectors; /* of an element, of a node */
    int kept;           /* doubles of the rest state */
    int modes;          /* inner vectors that nobody else sees (incompatible_modes.c) */
    int pressures;      /* of its own, for material that hardly changes its volume (element_pressure.h) */
    int lean;           /* doubles that a step keeps from its first force to the next */

    /* solids only */
    void (*shape)(const double xi[3], double *N, double (*dN)[3]); /* either NULL */
    void (*stiffness_rule)(cairn_fem_rule *rule);
    void (*mass_rule)(cairn_fem_rule *rule);
    double middle[3];                        /* natural coordinates of the middle */
    const double (*place)[3];                /* nodes: natural coordinates */
    int corners;                             /* the first nodes are its corners */
    int faces, face_corners, face_triangles; /* of the element; of a face */
    const unsigned char (*face)[4];          /* faces: corners, counter-clockwise seen from outside */
    const unsigned char (*triangle)[3];      /* faces x face_triangles: nodes, same sense */
    /* Gradients of the modes at xi, where det J is det; NULL: none. */
    void (*mode_gradients)(const cairn_fem_element *element, const double *X, const double xi[3], double det,
                           double (*G)[3]);
    /* all: X vectors at rest. Fills kept and the scalars of the consistent mass matrix (n x n, each times the unit matrix of three). */
    void (*prepare)(const cairn_fem_element *element, const cairn_fem_stuff *stuff, const double *X, double *kept,
                    double *mass);
    /* Energy; force (3 n) = -dE/dx and K (9 a block) when not NULL. */
    double (*evaluate)(const cairn_fem_element *element, const cairn_fem_stuff *stuff, const double *kept,
                       const double *x, double *force, double *K);
    /* Rotation Q of the element from x - h v to x; returns its angle. */
    double (*turn)(const cairn_fem_element *element, const double *kept, double h, const double *x, const double *v,
                   double Q[9]);
    /* Force (3 n) -B'(near T(x + h v) - far T(x) - h near C B v) and, when not NULL, K = B'C B (9 a block), B the strain's slope at x. lean is filled when K is wanted, else it is
     * that of the same step. */
    void (*step)(const cairn_fem_element *element, const cairn_fem_stuff *stuff, const double *kept,
                 const cairn_fem_motion *motion, double *lean, double *force, double *K);
    /* Mean stress (xx, yy, zz, xy, yz, zx; rest axes; beams: their own) that this applies where the step ends with these velocities; returns what damping takes, J. */
    double (*applied)(const cairn_fem_element *element, const cairn_fem_stuff *stuff, const double *kept,
                      const cairn_fem_motion *motion, const double *lean, const double *answer, double stress[6]);
    /* Stiffness of a taut element across it: sum of w G_a'T G_b, T the pulling part of the stress, a number a block. Returns the largest diagonal one over the mass that moves with it,
     * 1/s^2; 0: nothing pulls. */
    double (*taut)(const cairn_fem_element *element, const cairn_fem_stuff *stuff, const double *kept,
                   const double stress[6], double *L);
    /* Cauchy stress and Green strain of the middle (xx, yy, zz, xy, yz, zx); returns the volume at rest. */
    double (*stress)(const cairn_fem_element *element, const cairn_fem_stuff *stuff, const double *kept,
                     const double *X, const double *x, double stress[6], double strain[6]);
};

extern const cairn_fem_element cairn_fem_tet4, cairn_fem_tet10, cairn_fem_hex8, cairn_fem_beam2;
/* NULL: no such kind. */
const cairn_fem_element *cairn_fem_element_of(cairn_element_kind kind);

/* Shared by the solids. */
/* Numbers kept of a point. */
static inline int cairn_fem_solid_stride(const cairn_fem_element *element) {
    return 3 * (element->nodes + element->modes) + 1 + element->pressures;
}
void cairn_fem_solid_prepare(const cairn_fem_element *element, const cairn_fem_stuff *stuff, const double *X,
                             double *kept, double *mass);
double cairn_fem_solid_evaluate(const cairn_fem_element *element, const cairn_fem_stuff *stuff, const double *kept,
                                const double *x, double *force, double *K);
double cairn_fem_solid_stress(const cairn_fem_element *element, const cairn_fem_stuff *stuff, const double *kept,
                              const double *X, const double *x, double stress[6], double strain[6]);
double cairn_fem_solid_turn(const cairn_fem_element *element, const double *kept, double h, const double *x,
                            const double *v, double Q[9]);
void cairn_fem_solid_step(const cairn_fem_element *element, const cairn_fem_stuff *stuff, const double *kept,
                          const cairn_fem_motion *motion, double *lean, double *force, double *K);
double cairn_fem_solid_applied(const cairn_fem_element *element, const cairn_fem_stuff *stuff, const double *kept,
                               const cairn_fem_motion *motion, const double *lean, const double *answer,
                               double stress[6]);
double cairn_fem_solid_taut(const cairn_fem_element *element, const cairn_fem_stuff *stuff, const double *kept,
                            const double stress[6], double *L);
/* The sums of a step over the points, for all vectors, modes included: force += and K (CAIRN_FEM_PAD a block) += when not NULL. */
void cairn_fem_solid_step_sums(const cairn_fem_element *element, const cairn_fem_stuff *stuff, const double *kept,
                               const cairn_fem_motion *motion, double *force, double *K);
/* F (9) = sum of count x_a G_a' */
void cairn_fem_solid_deformation(int count, const double *G, const double *x, double F[9]);
/* K += w G_a A G_b for all blocks a <= b of count vectors, each in CAIRN_FEM_PAD numbers. */
void cairn_fem_solid_add_stiffness(int count, const double *restrict G, double w, const double *restrict A,
                                   double *restrict K);
/* evaluate of elements with modes. */
double cairn_fem_modes_evaluate(const cairn_fem_element *element, const cairn_fem_stuff *stuff, const double *kept,
                                const double *x, double *force, double *K);
void cairn_fem_modes_step(const cairn_fem_element *element, const cairn_fem_stuff *stuff, const double *kept,
                          const cairn_fem_motion *motion, double *lean, double *force, double *K);
double cairn_fem_modes_applied(const cairn_fem_element *element, const cairn_fem_stuff *stuff, const double *kept,
                               const cairn_fem_motion *motion, const double *lean, const double *answer,
                               double stress[6]);
/* G (nodes) at xi and det J; G may be NULL. */
double cairn_fem_solid_gradient(const cairn_fem_element *element, const double *X, const double xi[3], double (*G)[3]);

/* Rules. Tetrahedra: one point (linear), four points (quadratic), 4^3 points (degree 5). Bricks: n^3, n = 2 or 3. */
void cairn_fem_rule_tet1(cairn_fem_rule *rule);
void cairn_fem_rule_tet4(cairn_fem_rule *rule);
void cairn_fem_rule_tet64(cairn_fem_rule *rule);
void cairn_fem_rule_hex8(cairn_fem_rule *rule);
void cairn_fem_rule_hex27(cairn_fem_rule *rule);

#endif
