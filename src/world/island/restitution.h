/*
 * restitution.h: rebounds of an island that must not create energy.
 */
#ifndef CAIRN_WORLD_ISLAND_RESTITUTION_H
#define CAIRN_WORLD_ISLAND_RESTITUTION_H

#include "world/model/world_data.h"

/* Has it contacts that may give energy? Rolling and flexible parts without restitution are not looked at. */
bool cairn_island_may_gain(const cairn_world *world, const cairn_island *island);

/* May contacts of a certified answer gain more than cairn_island_gains allows? Not where nothing rebounds, gives way or
 * bends and no overlap is deeper than gravity makes in a step: gamma'u+ <= |gamma| (error + 2 drift) + closing then. */
bool cairn_island_could_gain(const cairn_world *world, const cairn_island *island);

/* What the contacts of an island, and its elements, have made in the step, J. Energy that contacts store counts; what impacts lost whose rebound comes now is taken off. */
typedef struct cairn_island_gain {
    double all;      /* of kinetic and stored energy */
    double rebounds; /* of that, at most what rebounds have made */
    double late;     /* lost in impacts whose rebound comes in the next step */
    double allowed;  /* what the answer's error and rounding may make */
} cairn_island_gain;
cairn_island_gain cairn_island_gains(const cairn_world *world, cairn_lane *lane, const cairn_island *island);

/* Notes at contacts whose rebound comes in the next step what they have lost, together no more than the island has. */
void cairn_island_pay(cairn_world *world, cairn_lane *lane, const cairn_island *island);

/* The search for the largest share of the rebounds at which nothing is gained. */
typedef struct cairn_rebound_search {
    double low, high;           /* shares: nothing gained, something gained */
    double gain_low, gain_high; /* J */
    double first;               /* gain of the whole rebounds, */
    double limit;               /* of none, if positive: what is not of restitution */
    double share;               /* that is in force */
    int tries;
} cairn_rebound_search;

/* Before any try: what the whole rebounds gained. */
cairn_rebound_search cairn_rebound_begin(double gain);
/* Takes the gain of the present share, and whether its answer is certified; false: it is the answer, else the next share is in force. */
bool cairn_rebound_next(cairn_rebound_search *search, double gain, double allowed, bool certified);

#endif
