/*
 * world.h: bodies, materials and time stepping.
 *
 *     create a world -> add bodies -> step, step, ... -> look at poses, contacts, reports
 *
 * Units are SI, z is up, velocities and angular velocities are in world axes. A pose given for a body is that of its shape's frame;
 * the centre of mass is found from shape and density. Every step is solved as one cone complementarity problem and
 * carries its certificate. A step is a pure function of the world's state: same state, same bits, whatever the number of threads.
 */
#ifndef CAIRN_WORLD_H
#define CAIRN_WORLD_H

#include "collide.h"
#include "fem.h"
#include "problem.h"
#include "rigid.h"
#include "solver.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cairn_world cairn_world;

/* Names of things in a world are given by value, like cairn_body and cairn_joint in rigid.h. */
typedef struct cairn_material {
    uint32_t slot;
} cairn_material;

typedef struct cairn_world_def {
    uint32_t cookie;
    cairn_vec3 gravity; /* m/s^2; default (0, 0, -9.81) */
    double step;        /* h, s; 1e-12 to 1e6; default 0.01 */
    cairn_law law;      /* default CAIRN_LAW_COULOMB */
    cairn_settings
        solver; /* method of the steps, and the relative tolerance that it aims at first; default auto, 1e-6 */
    double
        tolerance_velocity; /* certificate asked of a step, m/s: its motion is exact for free velocities within this; rows in rad/s: the same number. 0 (default): 100 times the solver's tolerance, 1e-4 */
    int max_resolves; /* further solves of a part of a step whose joints are not closed; default 5. The smallest parts may take four times as many. Contacts that nobody expected may take 15, whatever this is */
    double
        tolerance_joint; /* gap of joints after a step, m or rad: the step is solved again about its answer until it is met; default 1e-5. Above 10 times this the
                            step is halved, and is not certified when that does not help. It is absolute: worlds of another size than metres need another one */
    double
        tolerance_depth; /* how deep a rigid body may lie in another where a step ends, m. 0 (default): a hundredth of how thin the thinner one is. Overlaps up to a quarter of it, and up to g h^2/4, are
                            left to velocities, deeper ones are parted on positions; a step that leaves a deeper one than this is not certified */
    int substeps;        /* a step is made of this many equal parts; default 1 */
    int newton; /* solves of flexible parts about their own answer, with the same contacts, that a step may take; default 1: one linear solve. With more a step whose parts are not in balance in the
                   end is not certified, and moves as the first solve says */
    double
        tolerance_force; /* N: with newton > 1 the parts are solved again until no node is out of balance by more, nor by more than a quarter of tolerance_velocity; default 1e-3 */
    bool
        rolling; /* contacts are linearised about the motion when the step begins: edges that roll fast, as Euler's disc does. Energy may rise; default false */
    double
        gap_share; /* share of their gaps and overlaps that contacts and joints may close in a step, gamma of [A], above 0 and at most 1; default 1. What gives way is not concerned */
} cairn_world_def;

CAIRN_API cairn_world_def cairn_default_world_def(void);
CAIRN_API cairn_status cairn_world_create(cairn_context *context, const cairn_world_def *def, cairn_world **world);
/* Does nothing while the world is stepped: from a callback, or another thread. */
CAIRN_API void cairn_world_destroy(cairn_world *world);

/* What two surfaces do to each other. For a pair of materials without a rule of its own: friction is the geometric mean, restitution the
 * larger, compliance the sum, adhesion the smaller, cap the smaller of those that are there. */
#define CAIRN_FRICTION_MAX 1e6
#define CAIRN_MASS_MIN     1e-30 /* kg: of a dynamic body */
#define CAIRN_MASS_MAX     1e30

typedef struct cairn_material_def {
    uint32_t cookie;
    double friction;    /* mu, 0 to CAIRN_FRICTION_MAX; default 0.5 */
    double restitution; /* e in [0, 1]; default 0 */
    double compliance;  /* of one contact point along its normal, m/N; default 0: rigid */
    double
        adhesion; /* pull one contact point bears, N; default 0. With adhesion the associated law holds for that contact */
    double
        cap; /* push one contact point bears, N; default 0: any. Pushed by more it crushes: the bodies sink into each other, and the dent stays. With a cap the associated law holds for that contact; not together with adhesion */
} cairn_material_def;

CAIRN_API cairn_material_def cairn_default_material_def(void);
CAIRN_API cairn_status cairn_world_add_material(cairn_world *world, const cairn_material_def *def,
                                                cairn_material *material);
/* A rule for one pair, instead of the combination above. */
CAIRN_API cairn_status cairn_world_set_pair(cairn_world *world, cairn_material a, cairn_material b,
                                            const cairn_material_def *def);

typedef enum cairn_body_kind {
    CAIRN_BODY_DYNAMIC = 0,
    CAIRN_BODY_FIXED,    /* never moves */
    CAIRN_BODY_KINEMATIC /* moves with the velocity it was given, whatever pushes it */
} cairn_body_kind;

typedef struct cairn_body_def {
    uint32_t cookie;
    cairn_body_kind kind;        /* default dynamic */
    cairn_pose pose;             /* of the shape's frame; default the origin */
    cairn_vec3 velocity;         /* of the centre of mass, m/s */
    cairn_vec3 angular_velocity; /* world axes, rad/s */
    cairn_shape *shape;          /* kept by reference; NULL: no shape, touches nothing (mass is then needed) */
    double density; /* kg/m^3, CAIRN_DENSITY_MIN to CAIRN_DENSITY_MAX; default 1000; ignored when mass is given */
    const cairn_mass *mass;  /* mass, centre and inertia in the shape's frame; NULL: from shape and density */
    cairn_material material; /* default: the world's first, friction 0.5 */
} cairn_body_def;

CAIRN_API cairn_body_def cairn_default_body_def(void);
CAIRN_API cairn_status cairn_world_add_body(cairn_world *world, const cairn_body_def *def, cairn_body *body);
CAIRN_API cairn_status cairn_world_remove_body(cairn_world *world, cairn_body body);

/* Flexible parts (docs/flexible.md). A part takes a slot like any body: its name is a cairn_body, its contacts and joints are those of bodies, and
 * cairn_world_body tells its centre of mass. */

/* Nodes whose motion is given. Entries on one node add up, component by component; where two hold the same component, their motions must agree: else the part is refused, or the step in which
 * they part fails. */
typedef struct cairn_flexible_hold {
    int nodes;
    const int *node;
    bool free_x, free_y, free_z; /* components (world axes) that are not held */
    bool clamp;                  /* nodes of beams: the slope is held too, where it was */
    cairn_vec3 (*motion)(void *user,
                         double time); /* displacement since the part was made, m; NULL: they stay. A pure function */
    void *user;
} cairn_flexible_hold;

typedef struct cairn_flexible_def {
    uint32_t cookie;
    cairn_fem_mesh *mesh; /* kept by reference */
    int elastics;         /* at least the largest group of the mesh + 1 */
    const cairn_fem_material *elastic;
    cairn_pose pose;             /* puts the mesh into the world; default the origin */
    cairn_vec3 velocity;         /* of the centre of mass */
    cairn_vec3 angular_velocity; /* about it, world axes */
    cairn_material material;     /* of its surface; default: the world's first */
    double thickness;            /* contacts keep this distance from the skin, m; default 0 */
    int holds;
    const cairn_flexible_hold *hold; /* copied */
} cairn_flexible_def;

CAIRN_API cairn_flexible_def cairn_default_flexible_def(void);
/* A part that fails to be added leaves the world as it was. Parts do not touch themselves. */
CAIRN_API cairn_status cairn_world_add_flexible(cairn_world *world, const cairn_flexible_def *def, cairn_body *body);

/* A look at a part; pointers are valid until it is removed, the numbers behind them change with every step. */
typedef struct cairn_flexible_view {
    cairn_fem_mesh_view mesh; /* mesh.vector: where a node's place stands in x and v */
    const double *x, *v;      /* 3 mesh.vectors: places and slopes, velocities */
    double mass, elastic;     /* kg; elastic energy, J */
    const double *reaction;   /* 3 mesh.vectors: what holds the nodes that are held, N, world axes, mean over the last
                                 step; 0 where nothing is held. NULL: the part has no holds */
} cairn_flexible_view;
CAIRN_API cairn_status cairn_world_flexible(const cairn_world *world, cairn_body body, cairn_flexible_view *view);
/* Von Mises' stress at the nodes of the mesh, Pa. */
CAIRN_API cairn_status cairn_world_flexible_mises(const cairn_world *world, cairn_body body, double *mises);
/* Adds to the load of the next step only. Force on a node, N. Pressure on the skin, Pa, inward: on faces all of whose nodes belong to the named set of the
 * mesh; NULL: the whole skin. */
CAIRN_API cairn_status cairn_world_push_node(cairn_world *world, cairn_body body, int node, cairn_vec3 force);
CAIRN_API cairn_status cairn_world_press(cairn_world *world, cairn_body body, const char *set, double pressure);

typedef struct cairn_body_state {
    cairn_pose pose;             /* of the shape's frame */
    cairn_vec3 center;           /* of mass, world */
    cairn_vec3 velocity;         /* of the centre of mass */
    cairn_vec3 angular_velocity; /* world axes */
    double mass;                 /* kg; INFINITY when it cannot be pushed */
} cairn_body_state;

CAIRN_API cairn_status cairn_world_body(const cairn_world *world, cairn_body body, cairn_body_state *state);
CAIRN_API cairn_status cairn_world_set_velocity(cairn_world *world, cairn_body body, cairn_vec3 velocity,
                                                cairn_vec3 angular_velocity);
/* Adds to the load of the next step only: force at the centre of mass (N) and torque (N m), world axes. Bodies that are not dynamic do not feel it. */
CAIRN_API cairn_status cairn_world_push(cairn_world *world, cairn_body body, cairn_vec3 force, cairn_vec3 torque);

/* loads is called when a step begins, to push bodies as the state asks for (drag, magnets, thrust): it may look at anything and call
 * cairn_world_push, and must not add, remove or step. What it pushes is for that step. NULL: none (default). For equal bits after a restart it must be a pure function of
 * the world's state. */
CAIRN_API void cairn_world_set_loads(cairn_world *world, void (*loads)(void *user, cairn_world *world, double time),
                                     void *user);

CAIRN_API cairn_status cairn_world_add_joint(cairn_world *world, const cairn_joint_def *def, cairn_joint *joint);
/* Ends of joints on flexible parts: the frame's origin must lie on the skin, or on a beam's axis; that point of the part is held. Spherical and distance joints, and
 * free ones with a distance, take parts at either end; points on lines and planes, and slides, take one as b. */

/* Holds nodes of a flexible part where they are now, seen from a body (all zero: the world): one spherical joint a node, named in joint (nodes; NULL: not
 * wanted). Part and body do not touch each other. */
CAIRN_API cairn_status cairn_world_weld(cairn_world *world, cairn_body part, int nodes, const int *node,
                                        cairn_body body, cairn_joint *joint);
CAIRN_API cairn_status cairn_world_remove_joint(cairn_world *world, cairn_joint joint);

typedef struct cairn_joint_state {
    double coordinate; /* 0 when it has none */
    cairn_vec3 force;  /* mean over the last step, on b at its frame's origin, world axes, N */
    cairn_vec3 torque; /* on b, N m */
    double drive;      /* part of it along the coordinate: limits, motor, spring, friction, imposed motion; N or N m */
    double gap;        /* how far the rows are violated: largest of m and rad */
} cairn_joint_state;
CAIRN_API cairn_status cairn_world_joint(const cairn_world *world, cairn_joint joint, cairn_joint_state *state);

/* Joints that say the same thing twice, as a closed loop in a plane does: allowed, and told here. Rows are those that hold the joints, without
 * drives and soft joints; the first ones that will do are kept, the others depend on them. Of their reactions, which the motion does not determine, a step takes those of
 * least norm. */
typedef struct cairn_redundancy {
    int rows, rank, redundant; /* rows = rank + redundant */
} cairn_redundancy;
typedef struct cairn_redundant_row {
    cairn_joint joint;
    int row; /* of the joint, from 0: positions along x, y, z of its frame, then turns */
} cairn_redundant_row;
/* For the present poses. The first `capacity` redundant rows go to row (NULL when capacity is 0). Dense work: up to 4000 rows. */
CAIRN_API cairn_status cairn_world_redundancy(cairn_world *world, cairn_redundant_row *row, int capacity,
                                              cairn_redundancy *found);

/* Energies in J; works are those of this step, by the mean of the velocities before and after it. The balance of a step is
 *
 *     change of (kinetic + potential + elastic) = joints + loads + created - friction - impact - damping - flow + what the time stepping itself makes or takes
 *
 * where the last is of first order in the step: gravity along x + h v, bodies that were parted, the implicit forces of flexible parts. */
typedef struct cairn_energy {
    double kinetic, potential; /* after the step, of dynamic bodies; potential is -m g'x */
    double elastic;            /* of flexible parts, after the step */
    double friction;           /* lost to friction in this step */
    double impact;  /* lost by normal impulses in this step; negative when a rebound comes a step after its loss */
    double created; /* made by all contacts together; >= 0, and 0 but for errors of the step: docs/world.md */
    double joints;  /* done by joints: motors, motions, springs, dampers, dry friction, and the rows that hold */
    double loads;   /* done by forces and torques, and by kinematic bodies on what they touch */
    double damping; /* lost to the damping of flexible parts */
    double flow;    /* lost to their plastic flow */
} cairn_energy;
/* Adds the works of a step to a sum of works; energies are left alone. */
CAIRN_API void cairn_energy_add(cairn_energy *sum, const cairn_energy *step);

CAIRN_API double cairn_world_time(const cairn_world *world);   /* s, of the steps done */
CAIRN_API int64_t cairn_world_steps(const cairn_world *world); /* done, those before a checkpoint included */

/* Kinetic, potential and elastic energy of the present state; the works are 0. */
CAIRN_API cairn_energy cairn_world_energy(const cairn_world *world);

typedef struct cairn_step_report {
    int64_t step; /* number of steps done, this one included */
    double time;  /* s, after the step */
    int bodies, contacts, joints, rows;
    bool
        certified; /* every solve of the step was certified at tolerance_velocity, the joints closed, and no pair was left too deep or past each other: apart */
    cairn_info
        info; /* of the worst island of all solves; counts are sums over all solves of the step; no cpu_seconds */
    int most_iterations,
        most_factorizations; /* the same counts for the island that had most of them: what one solve of all would have needed */
    int most_whole; /* of factorisations that were not partial (cairn_info), for the island that had most of those */
    int jointed_iterations,
        jointed_factorizations; /* the first two for islands with joints alone: those with a saddle-point matrix */
    double
        factor_work; /* multiply-adds of all factorisations, in units of factoring the matrices of all islands that were factored once */
    int solves;      /* complementarity problems solved in this step */
    int projections; /* how often overlaps, and gaps of joints, were closed on positions */
    int substeps; /* parts that the step was made of: it is cut in the middle for joints that do not close, and where bodies that turn would overlap deeply */
    int islands;  /* groups of bodies that nothing connects, each solved alone; of the last solve */
    double
        joint_gap; /* largest gap of joints after any part of the step, m or rad; without the give of soft ones, limits and imposed motions included */
    cairn_joint worst_joint; /* the one that has it; all zero: none */
    bool joint_turns;        /* joint_gap is in rad, not in m */
    bool joints_closed; /* joint_gap <= 10 tolerance_joint. Else the step is not certified, and info.note says so */
    double
        deepest; /* deepest overlap that the motion made in a part of the step, or that the step began with, before it was parted, m; 0: none */
    double depth; /* overlap that the step leaves, m, */
    double
        depth_tolerance; /* and how deep it may be, for the pair that comes nearest to that, or goes furthest beyond; 0: no pair overlaps */
    cairn_body deep[2]; /* that pair */
    bool
        apart; /* no pair is deeper than its tolerance, and none was missed. Else the step is not certified, and info.note says so */
    int fallbacks; /* islands for which no motion was found that meets their rows (then the step is not certified): they move so that no energy is gained but from what drives them */
    cairn_joint opposed
        [2]; /* two motors with more than half of their limit each, the first towards its speed, the second against its own: they share a load, and only their sum is determined. All zero: none */
    int missed; /* contacts that came too late: overlapping after a part of the step, yet not in its problem; and pairs of bodies that turn a lot and sink deep into each other, or pass, all the same. Normally 0 */
    int inverted; /* elements of flexible parts that are inside out where the step ends. More than 0: the step is not certified, and info.note says so */
    cairn_body inverted_part; /* the first part that has such; all zero: none */
    cairn_energy energy;
    double seconds_collide, seconds_assemble, seconds_solve,
        seconds_total; /* assemble: writing the problems, elements of flexible parts included; collide: the rest */
} cairn_step_report;

/* While a world is stepped, its callbacks and other threads must not step, change or destroy it: CAIRN_ERROR_STATE, with a message to a callback and without one to another
 * thread. Looking at it from another thread meanwhile is not told. */

/* One step of length h. CAIRN_OK also when the step was not certified: report->certified says so. report may be NULL. A step that fails leaves the
 * world as it was before it. */
CAIRN_API cairn_status cairn_world_step(cairn_world *world, cairn_step_report *report);

/* go_on is asked within the steps, at every iteration of the solvers, from several threads if the context has them; NULL: never. When it says
 * false the step ends with CAIRN_ERROR_CANCELLED. */
CAIRN_API void cairn_world_set_watch(cairn_world *world, bool (*go_on)(void *user), void *user);

/* The problem that the last step solved last; valid until the next step. CAIRN_ERROR_STATE: no step has
 * solved one. */
CAIRN_API cairn_status cairn_world_problem(const cairn_world *world, const cairn_problem **problem);

/* Contacts of the last step that were in its problem. */
typedef struct cairn_world_contact {
    cairn_body a, b;
    cairn_vec3 point;   /* world, when the step began */
    cairn_vec3 normal;  /* from a to b */
    cairn_vec3 impulse; /* on b, world axes, N s */
    double gap;         /* when the step began, m */
    double mu;
} cairn_world_contact;
CAIRN_API int cairn_world_contact_count(const cairn_world *world);
CAIRN_API cairn_status cairn_world_contact_get(const cairn_world *world, int index, cairn_world_contact *contact);

typedef struct cairn_world_hit {
    cairn_body body;   /* all zero: nothing was hit */
    double distance;   /* from the origin, m */
    cairn_vec3 point;  /* world */
    cairn_vec3 normal; /* of the surface, world */
} cairn_world_hit;
/* What the ray origin + t direction, 0 <= t <= reach, meets first; direction of any length > 0. Bodies for which skip says true are left out;
 * skip may be NULL. Looks at the bounds of every body, then at the shapes whose bounds it meets; of a
 * flexible part at the skin from outside, not at beams. */
CAIRN_API cairn_status cairn_world_ray(const cairn_world *world, cairn_vec3 origin, cairn_vec3 direction, double reach,
                                       bool (*skip)(void *user, cairn_body body), void *user, cairn_world_hit *hit);

/* A checkpoint: the state that the next steps are a function of, as a block of bytes with a checksum. Writes it to bytes when capacity
 * allows; *size is what it takes. bytes NULL, capacity 0: only asks. The block belongs to this version of Cairn and this kind of machine. */
CAIRN_API cairn_status cairn_world_save(const cairn_world *world, void *bytes, size_t capacity, size_t *size);
/* Puts a world back to a saved state; it goes on with the bits of running through. The world must have been built alike: same
 * settings, materials, and a body or joint in every slot that is in use in the block. Bodies and joints that the saved world
 * did not have (any more) are removed; those added while running must be added again before the call. Names are those of the saved world.
 * A block that is damaged (CAIRN_ERROR_PARSE) or of another world (CAIRN_ERROR_ARGUMENT) changes nothing. */
CAIRN_API cairn_status cairn_world_load_state(cairn_world *world, const void *bytes, size_t size);

#ifdef __cplusplus
}
#endif
#endif
