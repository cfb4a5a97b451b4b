/*
 * world_data.h: what a world holds, and the stages of a step.
 */
#ifndef CAIRN_WORLD_MODEL_WORLD_DATA_H
#define CAIRN_WORLD_MODEL_WORLD_DATA_H

#include "base/core.h"
#include "collide/broad/broadphase.h"
#include "collide/deformable/skin.h"
#include "rigid/body.h"
#include "rigid/joint.h"

#include <cairn/world.h>

#define CAIRN_CHECKPOINT_MAGIC "CairnCkp" /* what the bytes of cairn_world_save begin with */

typedef struct cairn_slot {
    uint32_t generation; /* odd: in use */
    cairn_body_kind kind;
    cairn_shape *shape; /* NULL: touches nothing */
    uint32_t material;
    struct cairn_flex *flex; /* a flexible part; NULL: rigid. Its entry in rigid has centre, velocity and mass */
    double width;            /* how thin it is, m; INFINITY: nothing can be said to lie deep in it */
    double reach; /* largest distance of a point of the shape from the centre of mass; infinite for a plane */
} cairn_slot;

typedef struct cairn_joint_slot {
    uint32_t generation; /* odd: in use */
    cairn_joint_data data;
    cairn_joint_rows rows;          /* of this step */
    double guess[CAIRN_JOINT_ROWS]; /* data.gamma when the part of the step began */
    cairn_joint_data before;        /* data when the step began */
    double gap;                     /* largest gap of its rows where the last solve leads to */
    double open;                    /* by how much that violates them; INFINITY: not known */
    cairn_spread at[2];             /* ends that are points of flexible parts: of a, of b */
    int next[2];                    /* further joints that keep its bodies from touching others: of a, of b; 0: none */
} cairn_joint_slot;

typedef struct cairn_pair_rule {
    uint32_t a, b; /* a <= b */
    cairn_material_def def;
} cairn_pair_rule;

/* One contact point of a step, and what is kept of it for the next. What every pass over a long list asks for comes first: lines of the cache that nobody asks
 * for are not read. */
typedef struct cairn_touch {
    int a, b; /* slots, a < b */
    uint64_t feature;
    bool active; /* it is in the problem */
    bool solved; /* and was in an earlier solve of this step */
    bool met;    /* found on the way, not when the step began: rotation_sweep.c */
    bool soft;   /* a side is a point of a flexible part: at is there */
    bool blind;  /* surfaces that do not look at each other: it joins where an answer would violate it, not before */
    double gap;
    double gamma[3];                           /* impulse on b: normal, tangents; first the guess, then the answer */
    double before;                             /* normal velocity when the step began, where bodies rebound */
    cairn_vec3 normal, tangent[2], on_a, on_b; /* world; normal from a to b */
    double mu, restitution, compliance, adhesion, cap;
    double dent;     /* cap: INFINITY where there is none. How deep it was crushed, m: it touches where gap is -dent */
    double curve[3]; /* what the motion of the step adds to b: normal, tangents; motion_terms.c */
    double remembered; /* approach velocity of an impact whose rebound is still to come; 0: none */
    double paid,
        pays; /* what that impact lost and its rebound may bring back, J; what this step's loses; restitution.c */
    double after[3];  /* velocity at the end of the step: normal, tangents */
    double slip[3];   /* velocity of its rows in the step's solve, b and C included */
    double error;     /* how far that is from its law, m/s, as the certificate measures it */
    double rho;       /* penalty with which a method of alternating directions ended there; 0: none */
    cairn_vec3 local; /* on_a in a's axes: finds the contact again when features change */
    cairn_spread at
        [2]; /* sides that are points of flexible parts: on a, on b; count 0: rigid. Not there unless soft: cairn_touch_sides */
} cairn_touch;

/* Bodies may lie deeper in each other there than rigid ones: it is elastic, or it crushes. */
static inline bool cairn_touch_gives(const cairn_touch *c) {
    return c->compliance > 0.0 || c->cap < INFINITY;
}

/* Does it push with all it bears, but for rounding? h: the time its impulse was given. */
static inline bool cairn_touch_crushes(const cairn_touch *c, double h) {
    return c->gamma[0] >= (1.0 - 1e-6) * h * c->cap;
}

typedef struct cairn_touches {
    cairn_touch *item;
    int count, capacity;
} cairn_touches;

/* An active contact, by its place in the list, and a body of its island. */
typedef struct cairn_member {
    int touch, body;
} cairn_member;

/* A body whose motion joints decide: prescribed_bodies.c. */
typedef struct cairn_held {
    bool known;     /* v is there */
    bool apart;     /* it touches others, and they are solved without it */
    double v[6];    /* at the end of the step, spin in body axes without drift */
    double load[6]; /* impulses of its contacts */
} cairn_held;

/* Bodies that contacts and joints connect. */
typedef struct cairn_island {
    int n, m, blocks; /* of its problem */
    int bodies, touches, joints;
    int groups;  /* groups of rows that its problem calls bodies: one a rigid body, one a vector of a flexible part */
    int elastic; /* rows of flexible parts */
    bool holds;  /* has bodies that others lean on without being in it: it is solved after them */
    int *body, *touch, *joint; /* slots, indices into world->now, slots of joints */
    bool fell_back;   /* no motion was found that meets its rows: it moves as solve/driver/passive_motion.h says */
    int passes;       /* solves that led to its answer */
    int trials;       /* factorisations of a guess that no solve has counted yet */
    bool unbalanced;  /* Newton's iterations of its flexible parts have not ended, */
    double unbalance; /* and what they leave, m/s */
    double created;   /* energy that its flexible parts have from nothing, where that is too much, J */
    bool skipped;     /* its answer of an earlier solve of this step stands */
    int lane;         /* that solves it; 0: the world's own context with all its threads */
    cairn_problem *problem; /* of the last solve */
    cairn_info info;
    double work_left; /* that this solve of it may take; work_allowance.c */
    double rebound;   /* share of its rebounds that it was solved with: 1 unless they would create energy */
    double speed;     /* of its fastest body, m/s; when overlaps are parted: the deepest, m */
    cairn_status status;
    double seconds_assemble, seconds_solve;
} cairn_island;

#define CAIRN_JOINT_OPEN \
    10.0 /* of tolerance_joint: a larger gap splits the step, is told when it stays, and closed on positions */

/* Solvers of a lane: velocities, positions, positions of many contacts by a few sweeps. */
enum { CAIRN_LANE_VELOCITIES, CAIRN_LANE_POSITIONS, CAIRN_LANE_ROUGHLY, CAIRN_LANE_SOLVERS };

/* What a thread needs to solve islands. */
typedef struct cairn_lane {
    const cairn_world *world; /* whose watch is asked */
    bool stopped;             /* it said no within the present solve */
    cairn_context *context;
    cairn_solver *solver[CAIRN_LANE_SOLVERS];
    cairn_problem *loaded[CAIRN_LANE_SOLVERS]; /* what they hold */
    cairn_arena room;                          /* arrays of a problem before it is made */
    int64_t rows;                              /* of the islands that it is to solve */
} cairn_lane;

struct cairn_world {
    _Atomic uintptr_t busy; /* the thread that steps it; 0: none */
    cairn_context *context;
    cairn_world_def def;
    int64_t steps;
    double time;
    bool (*go_on)(void *user); /* asked within steps; NULL: never */
    void *go_on_user;
    void (*loads)(void *user, cairn_world *world, double time); /* called when a step begins; NULL: never */
    void *loads_user;

    int slots, slot_capacity;  /* slot 0 is not used */
    int free_slot, free_joint; /* all slots before these are in use */
    int flexibles;             /* slots that flexible parts have taken */
    cairn_slot *slot;
    cairn_rigid *rigid, *rigid_before; /* slots: now, and when the step began */
    cairn_rigid *rigid_apart;          /* slots: before overlaps were parted */
    int *number;                       /* slots: first row of a body in the step's problem, -1: not in it */
    cairn_vec3 *free_w,
        *drift; /* slots: spin at the end of the step without constraints, and half its change, body axes */
    cairn_vec3 *start_v, *start_w; /* slots: velocities when the step began */
    cairn_vec3 *end_v, *end_w;     /* slots: velocities at the end of the step */
    cairn_vec3 *turn;              /* slots: end_w + drift, the turn of the step over h */
    cairn_vec3 *start_spin;        /* slots: start_w in world axes, */
    cairn_vec3 *end_spin;          /* and turn or end_w, whichever was asked for last */
    double *margin;                /* slots: how far a body's surface may come in this step */
    double *foreseen;              /* slots: speed that impacts may give it in this step, m/s; impact_chains.c */
    double *unrest; /* slots: how far impacts may move it in this step, if they are like those of the last */
    double
        *until; /* slots: bodies that wait move up to this time of the part, s; INFINITY: they do not wait; waiting.c */
    double *keeps;        /* slots: the share of their velocities that bodies keep which wait; waiting.c */
    double *falls;        /* slots: work of gravity per second on a group of bodies, W, in its root; waiting.c */
    unsigned char *bound; /* slots: contacts of the problem or joints act on it */
    unsigned char *stale; /* slots: not where it was, or with the margin it had, when contacts were looked for last */
    cairn_bounds *box;
    unsigned char *still;
    int *live;        /* slots in use, in order; box and still are indexed alike */
    int *first_joint; /* slots: of the list of joints that keep this body from touching their other end; 0: none */

    int joints, joint_capacity; /* slots; slot 0 is not used */
    cairn_joint_slot *joint;

    int materials, material_capacity;
    cairn_material_def *material;
    int rules, rule_capacity;
    cairn_pair_rule *rule;

    cairn_broad broad;
    cairn_arena forecast_room;
    cairn_manifold *manifold; /* room for those of one pair */
    int manifold_capacity;
    cairn_skin_contacts skin_contacts; /* the same for pairs with a flexible part */
    bool parting;                      /* positions are looked at, not velocities: flexible parts stay where they are */
    cairn_touches now, last, spare;    /* of this part of a step; of the one before; room */
    cairn_touches met;                 /* what a sweep has found */
    cairn_touches before;              /* `last` when the step began, once its first part is done */

    double stretch; /* no part of the step is longer, s; INFINITY: any may be */
    bool
        sparing; /* the part of the step is long against its bodies: its first problem has what touches, and rebounds come when no contact is missing */
    bool ahead;  /* it is solved without rebounds to see which contacts are missing */
    double share;        /* of rebounds, with which the solves of the part begin */
    double h, last_h;    /* of the present part of a step, and of the one before; 0: none */
    cairn_mat3 *stiff;   /* slots: what tension adds to the inertia, B h K+ */
    cairn_vec3 *stiff_k; /* slots: what it adds to k */
    bool stiffened;      /* stiff and stiff_k are not all zero */
    double looked_h;  /* world->now holds the contacts at the present poses, looked for with this h; 0: it does not */
    bool unsolved;    /* an island of the last solve has no solution, or none was found */
    bool failed;      /* an island of this part of the step is not certified */
    bool creates;     /* a solve of this part of the step left flexible parts with energy from nothing */
    cairn_held *held; /* slots */
    bool together;    /* no body is held: contacts and mechanisms are solved as one */
    bool torn;        /* islands with joints move as solve/driver/passive_motion.h says: nothing closes them */
    double rebound;   /* least share of rebounds in the solves of this step */
    double work, work_all,
        work_rows; /* of this step: counted so far, granted, rows of its largest problem; work_allowance.c */

    int *parent, *group; /* slots: of the same island; number of the island */
    int *body_list;      /* slots: bodies, island after island */
    int *touch_list, *joint_list;
    int touch_list_capacity, joint_list_capacity;
    cairn_member *member; /* active contacts in their order */
    int members, member_capacity;
    int islands, island_capacity;
    cairn_island *island;
    cairn_problem
        *problem; /* of the island with the worst certificate in the last solve; NULL: none. The island's own */
    int lanes;
    cairn_lane *lane;
    cairn_problem **retired; /* problems of earlier solves that a solver may still hold */
    int retired_count, retired_capacity;
};

/* Both sides as points of flexible parts; counts 0 where a side is rigid. */
const cairn_spread *cairn_touch_sides(const cairn_touch *touch);

/* Room for needed items of size bytes in the array that the pointer at `array` owns; count of them are kept. */
cairn_status cairn_world_grow(cairn_context *context, void *array, int count, int *capacity, int needed, size_t size);

/* All arrays that are indexed by slot, for one more. */
cairn_status cairn_world_grow_slots(cairn_world *world);
/* A slot that is not in use. */
cairn_status cairn_world_take_slot(cairn_world *world, int *slot);
/* Frees what a slot holds: its shape or its flexible part. */
void cairn_world_empty_slot(cairn_world *world, int slot);

/* How far the surface of each body may come within h at the speeds in end_v, end_w or at its present ones, whichever is faster, with some slack. */
void cairn_world_margins(cairn_world *world);
/* Is a body so fast that it may come further in the step than its margin? Those that are get a new one and are stale. Else every contact that can close in the
 * step was found with the margins. */
bool cairn_world_outgrown(cairn_world *world);
/* All contacts with gap below the margins of both bodies, into world->now. */
cairn_status cairn_world_collect(cairn_world *world);
/* The same once more in this step. Contacts of two bodies that are not stale stay as they are, the others keep what was decided about those that were there. The
 * list before is in world->spare. */
cairn_status cairn_world_collect_again(cairn_world *world);
/* Contacts that the impacts of this step close, as far as their speeds can be told from end_v, end_w, join the problem. *faster: bodies that are hit may come further than
 * their margins, so that contacts are to be looked for again. end_spin is that of end_w. */
cairn_status cairn_world_follow_impacts(cairn_world *world, bool *faster);
/* Impulses, times factor, and memories of the last step's contacts for those of this one. */
void cairn_world_recall(cairn_world *world, double factor);
/* curve of all contacts found, for worlds that ask for it. */
cairn_status cairn_world_roll(cairn_world *world);
/* The normal part of curve of contacts whose bodies turn while they slide, for the others. */
cairn_status cairn_world_bend(cairn_world *world);
/* Contacts that bodies which turn a lot meet on the way that end_v, end_w lead, into world->now; *fresh: how many. *deep: pairs that overlap too deep then, or
 * have passed through each other, *when: no later than the first of that begins, s into the step. meet false: nothing is added. */
cairn_status cairn_world_sweep(cairn_world *world, bool meet, int *fresh, int *deep, double *when);
/* The same, before anything is solved, for bodies that neither contacts of the problem nor joints act on: they go as end_v, end_w say. *deep: pairs of which one whirls and that come to meet so. */
cairn_status cairn_world_foresee(cairn_world *world, int *deep, double *when);
/* Does a body of the pair turn so much that its contacts are no guide to where it goes? The pair meets where a sweep finds it. */
bool cairn_pair_whirls(const cairn_world *world, int a, int b);
/* Takes what sweeps have added out again; all is to be solved anew. */
void cairn_world_forget_met(cairn_world *world);

/* Whether a call may be carried out (misuse.c): the world is there, what it needs is given, and nobody steps the world when the call changes it. */
cairn_status cairn_world_check(const cairn_world *world, bool changes, bool given, const char *call);
/* Takes the world for a step; CAIRN_ERROR_STATE: it is in one. */
cairn_status cairn_world_enter(cairn_world *world, const char *call);
void cairn_world_leave(cairn_world *world);

/* Forgets forces and torques that wait for the next step. */
void cairn_world_drop_loads(cairn_world *world);

/* overlap.c. How deep two bodies may overlap where a step ends, m; INFINITY: neither has a thickness. */
double cairn_pair_tolerance(const cairn_world *world, int a, int b);
/* How thin the thinner of both bodies is, m; INFINITY: neither has a thickness. */
double cairn_pair_width(const cairn_world *world, int a, int b);
/* The same of a contact. What gives way may go deeper, but not so deep that the body comes out on the other side. */
double cairn_touch_tolerance(const cairn_world *world, const cairn_touch *contact);
/* Overlaps of theirs up to this are left to velocities: g h^2/4, at most a quarter of the tolerance. */
double cairn_pair_allowed(const cairn_world *world, int a, int b);
/* Contacts at the present poses, into world->now, with margins for a step of length h. */
cairn_status cairn_world_look(cairn_world *world);
/* Parts overlaps that are deeper than allowed, on positions alone. */
cairn_status cairn_world_part_overlaps(cairn_world *world, cairn_step_report *report);
/* The deepest overlap that is left, into the report: one beyond its tolerance makes the step uncertified. */
void cairn_world_judge_depth(cairn_world *world, cairn_step_report *report);
/* Puts words in front of the note. */
void cairn_note_first(cairn_info *info, const char *words);

/* The slot of a body; 0, with a message: there is no such body. */
int cairn_world_find(const cairn_world *world, cairn_body body);

/* The time in which gaps of joints and overlaps are closed, s: h, or that of a part that is halved four times, whichever is longer. */
static inline double cairn_world_pace(const cairn_world *w) {
    double least = w->def.step / w->def.substeps / 16.0;
    return w->h > least ? w->h : least;
}
/* The share of its gap or overlap that a contact may close in a step. */
static inline double cairn_share_of_gap(const cairn_world *w, const cairn_touch *c) {
    return c->compliance == 0.0 ? w->def.gap_share : 1.0;
}
/* Rows of all joints, linearised about the velocities when the step began (first) or about end_v, end_w; stiff, stiff_k. */
void cairn_world_write_joints(cairn_world *world, bool first);
/* Rows that hold the joints where they are when overlaps are parted: gaps for biases, drives and soft rows left out. */
void cairn_world_place_joints(cairn_world *world);
/* Largest gap of the joints at the present poses, m or rad, if that may be more than `doubtful`, else 0. The rows are then those of cairn_world_place_joints. */
double cairn_world_joints_open(cairn_world *world, double doubtful);
/* Largest gap of the joints where end_v, end_w lead. Rows of motors, springs, dampers and friction have none, limits only beyond them, and the give of soft
 * rows is taken off. */
typedef struct cairn_joint_gap {
    double size; /* m or rad; INFINITY when a number is not finite */
    int slot;    /* of the joint; 0: there is no gap */
    bool turn;   /* rad, not m */
} cairn_joint_gap;
cairn_joint_gap cairn_world_joint_gap(cairn_world *world);
/* Reactions are sums over the parts of a step: zero when it begins. */
void cairn_world_clear_reactions(cairn_world *world);
/* Two motors that work against each other; see cairn_step_report. */
void cairn_world_find_opposed(const cairn_world *world, cairn_joint opposed[2]);
/* Reactions and coordinates after a part of a step; the bodies have moved. */
void cairn_world_settle_joints(cairn_world *world);

/* Islands of the active contacts and the joints. positions: contacts have their normal row alone. */
cairn_status cairn_world_split(cairn_world *world, bool positions);
/* Calls work for every island that holds bodies others lean on, or for every one that does not; side by side when the context has threads. */
typedef cairn_status (*cairn_island_work)(cairn_world *world, cairn_lane *lane, cairn_island *island, void *user);
cairn_status cairn_world_each_island(cairn_world *world, bool holds, cairn_island_work work, void *user);
cairn_status cairn_world_make_lanes(cairn_world *world);
void cairn_world_free_lanes(cairn_world *world);

/* held: bodies whose motion joints decide and that touch others. Returns whether there are any; end_v, end_w are theirs. */
bool cairn_world_find_held(cairn_world *world);
/* Velocity (6) of a held body, drift included, or of one that is not pushed. */
void cairn_given_velocity(const cairn_world *world, int slot, double *v);
/* load of held bodies, from the impulses of their contacts. */
void cairn_world_load_held(cairn_world *world);
/* Did the mechanisms' solves move a held body otherwise than was said, by more than little? */
bool cairn_world_held_stray(const cairn_world *world);
/* By how much, m/s, where this island touches them. */
double cairn_island_astray(const cairn_world *world, const cairn_island *island);

/* waiting.c. Nobody waits; bodies of a, b wait from this time of the part on; contacts that were missed are waited for too, and all that is connected waits together. */
void cairn_world_no_waits(cairn_world *world);
void cairn_world_wait(cairn_world *world, int a, int b, double time);
void cairn_world_join_waits(cairn_world *world);

/* work_allowance.c. The counted work that a step may take: granted when its first substep begins, and more with each further one. */
void cairn_world_allow(cairn_world *world, int substep);
/* What the solve of an island of so many rows may take; the same for all islands that are solved side by side. */
double cairn_world_allowance(const cairn_world *world, int rows);
/* Takes away the work of one solve of all islands. */
void cairn_world_spend(cairn_world *world, double work, int rows);
/* Is enough left to cut the step, or to solve again for contacts that were missed? */
bool cairn_world_may_cut(const cairn_world *world);
bool cairn_world_may_resolve(const cairn_world *world);

/* The step's problems from the active contacts and the joints, solved: end_v, end_w, impulses. Adds to the report. */
cairn_status cairn_world_solve(cairn_world *world, cairn_step_report *report);

/* energy_gain.c. Velocities of a rigid body without constraints; its kinetic energy with these velocities. */
void cairn_free_velocity(const cairn_world *world, int slot, cairn_vec3 *v, cairn_vec3 *spin);
double cairn_kinetic(const cairn_rigid *body, cairn_vec3 v, cairn_vec3 spin);
/* What springs and compliance of a joint have stored where its bodies are, and can give back within the part, J. Compliance, and springs where the part is doubted: no more than their impulses in the last
 * part say, as joints that were torn apart have stored nothing. */
double cairn_joint_stored(const cairn_world *world, const cairn_joint_slot *joint, bool doubted);
/* How far its rigid rows are open where its bodies are when the part begins. */
double cairn_joint_open(const cairn_world *world, const cairn_joint_slot *joint);
/* Has an island that nothing drives more kinetic energy by its answer than by free motion, and by what it has stored, by more than this share of it? */
bool cairn_world_gains(const cairn_world *world, double share);
/* Do the joints of an island that nothing drives make more than that, but for what closes them? Such a part is too long for what is linear in it. */
bool cairn_world_leaps(const cairn_world *world, double share);
/* Adds the works of one contact to those of the step: before, after: normal and tangential velocity, from the spin without constraints on. energy_works.c */
void cairn_world_contact_work(const cairn_world *world, const cairn_touch *c, cairn_vec3 before, cairn_vec3 after,
                              cairn_energy *energy);
/* The work of all rows of an island's joints, and of what tension adds to H, on bodies that are not driven, J. */
double cairn_island_joint_work(const cairn_world *world, const cairn_island *island);
/* Adds the works of joints and loads, before the bodies move. */
void cairn_world_works(const cairn_world *world, cairn_energy *energy);

/* Moves bodies apart along the normals of the active contacts until none overlaps, to first order; positions only. *moved: any did. */
cairn_status cairn_world_part(cairn_world *world, cairn_step_report *report, bool *moved);

#endif
