/*
 * assemble.h: arrays of an island's problem.
 */
#ifndef CAIRN_WORLD_ISLAND_ASSEMBLE_H
#define CAIRN_WORLD_ISLAND_ASSEMBLE_H

#include "world/model/world_data.h"

typedef struct cairn_builder {
    bool positions;   /* normal rows only, displacements for velocities */
    double rebound;   /* share of rebounds, and of what else makes contacts part, that is in force; restitution.c */
    int contact_rows; /* the first rows are of contacts */
    int n, m, blocks, bodies;
    size_t H_entries, D_entries; /* room for them */
    int *H_start, *H_row, *D_start, *D_row, *body_start;
    double *H_value, *D_value, *k, *b, *C, *guess, *v;
    unsigned char *angular; /* rows in rad/s or 1/s */
    cairn_block *block;
    cairn_mat3 *turn; /* bodies of an island that is plain: body to world */
} cairn_builder;

/* Fills all arrays; they lie in the lane's room until its next island. Only s->positions and s->rebound are read. */
cairn_status cairn_island_write(const cairn_world *world, cairn_lane *lane, const cairn_island *island,
                                cairn_builder *s);
/* Has the island nothing but rigid bodies, contacts and joints? Then its problem is made at once; all arrays of s but C, guess, v and turn are the problem's own. */
bool cairn_island_is_plain(const cairn_world *world, const cairn_island *island);
cairn_status cairn_island_write_plain(const cairn_world *world, cairn_lane *lane, const cairn_island *island,
                                      cairn_builder *s, cairn_problem **problem);

/* k (6) of a rigid body, zero for positions, and its velocity (6) when the step begins. */
void cairn_body_load(const cairn_world *world, bool positions, int slot, double *k, double *v);
/* The normal part of a contact's b with this share of its rebound, without what bodies that cannot be pushed and drift add. */
double cairn_contact_bias(const cairn_world *world, const cairn_touch *c, double rebound);
cairn_block cairn_contact_block(const cairn_world *world, const cairn_touch *c, bool positions);

/* The first row of a body that touches something, -1: its motion is given. */
static inline int cairn_contact_number(const cairn_world *world, int slot) {
    return world->held[slot].apart ? -1 : world->number[slot];
}

/* k and b of the island's problem, and of s, about velocities v (n) of its flexible parts; NULL: about what their first answer is about. */
cairn_status cairn_island_aim(const cairn_world *world, cairn_lane *lane, const cairn_island *island, cairn_builder *s,
                              const double *v);
typedef struct cairn_balance {
    double force,
        velocity; /* largest component of a force, N; largest change of velocity that a vector alone would need, m/s */
} cairn_balance;
/* What v and gamma leave of H v = k + D gamma at the flexible parts. room: n. */
cairn_balance cairn_island_balance(const cairn_world *world, const cairn_island *island, const cairn_builder *s,
                                   const double *v, const double *gamma, double *room);

/* The guess of a part alone that can flow: stresses and velocities by Newton's method, after so many passes about the answer that it has without flow. Nothing for other islands. */
cairn_status cairn_island_try_flow(const cairn_world *world, cairn_lane *lane, cairn_island *island, cairn_builder *s,
                                   int passes);
/* Another solve of the island's problem, from and about the last answer. */
cairn_status cairn_island_solve_about(const cairn_world *world, cairn_lane *lane, cairn_island *island,
                                      cairn_answer *answer);
/* Solves of an island with flexible parts after its first one, where they are needed. *room: NULL, then memory of the answer, for the caller to free. */
cairn_status cairn_island_refine(const cairn_world *world, cairn_lane *lane, cairn_island *island, cairn_builder *s,
                                 cairn_answer *answer, double **room);

/* The problem of these arrays. */
cairn_status cairn_island_problem(const cairn_world *world, cairn_lane *lane, const cairn_builder *s,
                                  cairn_problem **problem);

#endif
