/*
 * flexible.h: flexible parts inside a world: what is kept of one, and what the stages of a step ask for.
 */
#ifndef CAIRN_WORLD_FLEXIBLE_FLEXIBLE_H
#define CAIRN_WORLD_FLEXIBLE_FLEXIBLE_H

#include "fem/part/part.h"
#include "fem/part/plasticity.h"
#include "world/model/world_data.h"

typedef struct cairn_flex_hold {
    cairn_vec3 (*motion)(void *user, double time);
    void *user;
    double way[3]; /* displacement at the end of the present part of a step */
} cairn_flex_hold;

/* A component that two entries of different motions hold. */
typedef struct cairn_flex_share {
    int at, node; /* 3 vector + component; the node that it is of */
    int hold;     /* the second; the first is hold_of */
} cairn_flex_share;

typedef struct cairn_flex {
    cairn_fem_part *part;
    cairn_skin *skin; /* NULL: only beams */
    cairn_rods rods;
    double thickness;
    cairn_quat frame; /* of the mesh when the part was made: the body's rotation counts from it */
    int holds;
    cairn_flex_hold *hold;
    int *hold_of; /* 3 vectors: number of its first hold, -1: none */
    int shares;
    cairn_flex_share *share; /* owned */
    double *reaction;        /* 3 vectors: force that holds it, N, mean over the last step; 0 where it is not held */
    double *home;            /* 3 vectors: where the part was made; what holds count from */
    double *end_v, *last_v;  /* 3 vectors: at the end of the step; one step earlier */
    double *before_x, *before_v, *before_last; /* when the step began */
    cairn_fem_yield *yield;                    /* NULL: it never flows */
    double *before_flow, *before_plastic;      /* of the yield, when the step began */
    double *before_stress;                     /* 6 an element: of the part, likewise */
    double *H, *k;                             /* of the present solve: part->entries, 3 vectors */
    double *residual;                          /* 3 vectors: room */
    double *aim;                               /* 3 vectors: velocities that k was written about last, */
    bool aimed;                                /* unless it is still about the motion that goes on */
    double *first;                             /* 3 vectors: the aim of an island's first answer, */
    bool first_aimed;                          /* likewise */
    double heat;                               /* taken by damping in this part of the step, J */
    bool solved;                               /* H and k have been solved in this step */
    void *memory;
} cairn_flex;

void cairn_flex_destroy(cairn_context *context, cairn_flex *flex); /* NULL allowed */

static inline cairn_flex *cairn_flex_of(const cairn_world *w, int slot) {
    return slot > 0 ? w->slot[slot].flex : NULL;
}

/* Unknowns and groups of rows of a slot that can be pushed. */
int cairn_slot_rows(const cairn_world *world, int slot);
int cairn_slot_groups(const cairn_world *world, int slot);

/* Rows that a slot brings to the problem by itself, and their blocks: the stresses of a part that can flow. */
static inline int cairn_slot_own_blocks(const cairn_world *w, int slot) {
    const cairn_flex *f = w->slot[slot].flex;
    return f != NULL && f->yield != NULL ? f->part->view.elements : 0;
}
static inline int cairn_slot_own_rows(const cairn_world *w, int slot) {
    return CAIRN_FEM_YIELD_ROWS * cairn_slot_own_blocks(w, slot);
}

/* Sum of the weights times the vectors of field (3 vectors). */
cairn_vec3 cairn_spread_of(const cairn_spread *spread, const double *field);
/* Is component c of a vector held? */
static inline bool cairn_flex_held(const cairn_flex *flex, int vector, int c) {
    return (flex->part->held[vector] >> c & 1) != 0;
}

/* A step begins, or a part of it: velocities without constraints, velocities of held nodes. */
void cairn_flex_begin(cairn_world *world);
/* H and k of all parts, about the motion that goes on. */
void cairn_flex_write(cairn_world *world);
/* Largest angle by which a part turns in this part of the step, as its elements do in the mean, rad. */
double cairn_flex_turn(const cairn_world *world);
/* k of one part, and the rows of its stresses, about the velocities v (its own, as in its problem; NULL: `first`). Threads are those of context. */
void cairn_flex_aim(const cairn_world *world, cairn_context *context, cairn_flex *flex, const double *v);
/* What the contacts add to H of their parts while they roll; after cairn_flex_write. */
void cairn_flex_roll(cairn_world *world);
/* The answer is there: stresses that it applies, what damping takes. Before the works are counted. */
void cairn_flex_apply(cairn_world *world);
/* Holds (prescribed_nodes.c). cairn_flex_take_holds fills hold_of, share and the part's held. */
cairn_status cairn_flex_check_holds(cairn_world *world, const cairn_flexible_def *def);
cairn_status cairn_flex_take_holds(cairn_world *world, cairn_flex *flex, const cairn_flexible_def *def);
/* Where the holds of one part, or of all, are at a time; an error where two of them contradict each other. */
cairn_status cairn_flex_follow(const cairn_world *world, cairn_flex *flex, double time);
cairn_status cairn_flex_follow_all(cairn_world *world, double time);
void cairn_flex_clear_reactions(cairn_world *world);
/* Adds what a part of a step has taken to the reactions; after its solves, before it moves. Returns the work of the holds, J. */
double cairn_flex_react(cairn_world *world);
void cairn_flex_move(cairn_world *world);
void cairn_flex_keep(cairn_world *world);
void cairn_flex_put_back(cairn_world *world);
void cairn_flex_drop_loads(cairn_world *world);
void cairn_flex_energy(const cairn_world *world, cairn_energy *energy);
/* Largest speed of its nodes now and at the end of the step. */
double cairn_flex_speed(const cairn_flex *flex);
/* Von Mises stress at the nodes; of a part that flows from its multipliers. */
void cairn_flex_mises(const cairn_flex *flex, double *mises);
/* Trace over three directions of what unit impulses change there, by the diagonal of H alone. */
double cairn_flex_inverse(const cairn_flex *flex, const cairn_spread *at);
/* How far the touching point's velocity changed in the last step, m/s. */
double cairn_flex_unrest(const cairn_flex *flex, const cairn_spread *at);
/* What cairn_world_set_velocity and cairn_world_push do to a part. */
cairn_status cairn_flex_set_velocity(cairn_world *world, int slot, cairn_vec3 velocity, cairn_vec3 spin);
cairn_status cairn_flex_push(cairn_world *world, int slot, cairn_vec3 force, cairn_vec3 torque);
/* Centre and velocity of the part to the world's list of bodies. */
void cairn_flex_mirror(cairn_world *world, int slot);

/* The body at an end of a joint (0: a, 1: b, 2: the carrier of a gear): a point of a part is a body without axes of its own. */
cairn_rigid cairn_joint_end(const cairn_world *world, const cairn_joint_slot *joint, int end);
/* The same without a copy, where it is a body of the world; room: for a point of a part. */
const cairn_rigid *cairn_joint_end_at(const cairn_world *world, const cairn_joint_slot *joint, int end,
                                      cairn_rigid *room);
/* The point of a part at a place, for a joint's end; an error when the place is off the part. */
cairn_status cairn_flex_anchor(cairn_world *world, int slot, cairn_vec3 place, cairn_spread *at);

/* Elements that are inside out where the step ends, into the report; a step with such is not certified. */
void cairn_flex_judge_inverted(const cairn_world *world, cairn_step_report *report);

cairn_bounds cairn_flex_bounds(const cairn_flex *flex);
/* Contacts of two slots of which one at least is a part, into world->skin_contacts, a and b as given. */
cairn_status cairn_flex_collide(cairn_world *world, int a, int b, double margin);
/* First face of the skin that the ray meets from outside within reach; direction of length 1. Thickness and beams do not count. */
bool cairn_flex_ray(const cairn_flex *flex, cairn_vec3 origin, cairn_vec3 direction, double reach, cairn_ray_hit *hit);
/* Can the contact push anything along its normal? */
bool cairn_flex_pushes(const cairn_world *world, int slot, const cairn_spread *at, cairn_vec3 d);

#endif
