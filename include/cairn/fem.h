/*
 * fem.h: meshes of finite elements and what they are made of.
 *
 *     a mesh (made, or read from a file) + materials -> a flexible part, which a world moves (world.h) or which is used alone
 *
 * Units are SI. Places are in the frame the mesh was given in until a part puts it somewhere.
 * A node of a solid element has one vector of three unknowns, its place. A node of a beam has two: its place and its slope, the derivative of
 * the place with respect to arc length at rest. All unknowns of a part are such vectors; they move by x + h v.
 */
#ifndef CAIRN_FEM_H
#define CAIRN_FEM_H

#include "base.h"
#include "math.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum cairn_element_kind {
    CAIRN_ELEMENT_TET4 =
        0, /* linear tetrahedron: 4 corners, the first three counter-clockwise seen from the fourth's far side: positive volume
                                 det(x2 - x1, x3 - x1, x4 - x1) > 0 */
    CAIRN_ELEMENT_TET10, /* quadratic tetrahedron: 4 corners, then middles of edges 12 23 31 14 24 34 */
    CAIRN_ELEMENT_HEX8, /* trilinear brick: 4 corners of one face counter-clockwise seen from inside, then the 4 opposite ones */
    CAIRN_ELEMENT_BEAM2 /* cable or rod between two nodes, places and slopes: stretch and bending, round section */
} cairn_element_kind;

/* Never changes after it was made; counted references, so that many parts share one. */
typedef struct cairn_fem_mesh cairn_fem_mesh;

typedef struct cairn_fem_mesh_def {
    uint32_t cookie;
    int nodes;
    const cairn_vec3 *node; /* places, m */
    int elements;
    const cairn_element_kind *kind; /* elements */
    const int *start;               /* elements + 1: first entry of each in corner */
    const int *corner;              /* nodes of the elements, from 0 */
    const int *group;               /* elements: number of a material; NULL: all 0 */
    int sets;                       /* named sets of nodes; default 0 */
    const char *const *set_name;    /* sets */
    const int *set_start;           /* sets + 1 */
    const int *set_node;            /* nodes of the sets, any order */
} cairn_fem_mesh_def;

CAIRN_API cairn_fem_mesh_def cairn_default_fem_mesh_def(void);
/* Copies and checks: indices, inverted, flat and duplicate elements, nodes that no element has, beams that share nodes with solids. The message names the
 * element and its nodes. */
CAIRN_API cairn_status cairn_fem_mesh_create(cairn_context *context, const cairn_fem_mesh_def *def,
                                             cairn_fem_mesh **mesh);
/* Made meshes, centre at the origin; kind: TET4, TET10 or HEX8. Box: edges along the axes, cells along each. Cylinder: axis z. cells: about so many
 * along the radius (sphere, cylinder); along: cells along the axis. */
CAIRN_API cairn_status cairn_fem_mesh_box(cairn_context *context, cairn_element_kind kind, cairn_vec3 edge,
                                          const int cells[3], cairn_fem_mesh **mesh);
/* The same with six tetrahedra a brick, around its diagonal, instead of five: all bricks are cut alike. */
CAIRN_API cairn_status cairn_fem_mesh_box_of_six(cairn_context *context, cairn_element_kind kind, cairn_vec3 edge,
                                                 const int cells[3], cairn_fem_mesh **mesh);
CAIRN_API cairn_status cairn_fem_mesh_cylinder(cairn_context *context, cairn_element_kind kind, double radius,
                                               double height, int cells, int along, cairn_fem_mesh **mesh);
CAIRN_API cairn_status cairn_fem_mesh_sphere(cairn_context *context, cairn_element_kind kind, double radius, int cells,
                                             cairn_fem_mesh **mesh);
/* Beams along a line of points, from each to the next. The slope of a node is the mean direction of its beams. */
CAIRN_API cairn_status cairn_fem_mesh_line(cairn_context *context, int points, const cairn_vec3 *point,
                                           cairn_fem_mesh **mesh);
CAIRN_API void cairn_fem_mesh_retain(cairn_fem_mesh *mesh);
CAIRN_API void cairn_fem_mesh_release(cairn_fem_mesh *mesh); /* the last release frees it; NULL allowed */

typedef struct cairn_fem_mesh_view {
    int nodes, elements, vectors; /* vectors: of unknowns, nodes of solids + 2 nodes of beams */
    const cairn_vec3 *node;
    const cairn_element_kind *kind;
    const int *start, *corner, *group;
    const int *vector; /* nodes: number of its first vector (its place) */
    int faces;         /* triangles of the outer skin, counter-clockwise seen from outside; none for beams */
    const int *face;   /* 3 faces: nodes */
    int edges;         /* of the skin */
    const int *edge;   /* 2 edges: nodes */
    int skin_nodes;    /* nodes of the skin */
    const int *skin;   /* skin_nodes, ascending */
    const int *set_start, *set_node; /* named sets: sets + 1 starts, nodes ascending */
    int sets;
    const char *const *set_name;
    int pieces; /* groups of elements that share no node with each other: more than 1 may not be meant */
    int twins;  /* nodes at the place of another: where pieces meet without being joined */
} cairn_fem_mesh_view;
CAIRN_API cairn_fem_mesh_view cairn_fem_mesh_get(const cairn_fem_mesh *mesh);
CAIRN_API int cairn_fem_mesh_set(const cairn_fem_mesh *mesh, const char *name); /* number of the set; -1: none */

typedef enum cairn_fem_law {
    CAIRN_FEM_COROTATIONAL =
        0,                /* linear elasticity in a frame that turns with the element: large rotations, small strains */
    CAIRN_FEM_LINEAR,     /* small displacements */
    CAIRN_FEM_SVK,        /* St. Venant-Kirchhoff */
    CAIRN_FEM_NEO_HOOKEAN /* mu/2 (tr C - 3) - mu ln J + lambda/2 ln^2 J */
} cairn_fem_law;

typedef struct cairn_fem_material {
    uint32_t cookie;
    cairn_fem_law law;                      /* default corotational */
    double E;                               /* Young's modulus, Pa, > 0; default 1e6 */
    double nu;                              /* Poisson's ratio, -1 < nu < 0.5; default 0.3 */
    double density;                         /* kg/m^3, > 0; default 1000 */
    double damping_mass, damping_stiffness; /* Rayleigh: R = a M + b K, 1/s and s; default 0 */
    double radius;                          /* of a beam's section, m; default 0.01 */
    double
        yield; /* von Mises stress at which it flows, Pa; default 0: never. Worlds only, all materials of a part or none, TET4, corotational */
    double
        hardening; /* by so much that stress grows with the equivalent plastic strain, Pa; default 0: perfect plasticity */
    bool consistent; /* consistent mass matrix; default false: lumped. Beams are always consistent */
    bool
        project; /* tangents, which equilibria are found by, are made positive semidefinite element by element; default true. false: exact. Steps do not ask */
} cairn_fem_material;
CAIRN_API cairn_fem_material cairn_default_fem_material(void);

#ifdef __cplusplus
}
#endif
#endif
