/*
 * rebound.h: rebounds of an island that must not create energy.
 */
#ifndef CAIRN_WORLD_REBOUND_H
#define CAIRN_WORLD_REBOUND_H

#include "world_data.h"

/* Is there a contact with restitution, and all of them between rigid bodies? */
bool cairn_island_rebounds(const cairn_world *world, const cairn_island *island);
/* Has no contact friction, adhesion or compliance, so that together they create no energy? */
bool cairn_island_is_smooth(const cairn_world *world, const cairn_island *island);
/* What its normal impulses have made of kinetic energy beyond what free motion, and impacts whose rebound comes now, brought, in J. share: of the
 * rebounds that is in force. *allowed: what errors of the answer, and contacts that part without a rebound, may make of it. */
double cairn_island_gain(const cairn_world *world, const cairn_island *island, double share, double *allowed);

/* Notes at contacts whose rebound comes in the next step what they have lost, together no more than the island has. */
void cairn_island_pay(cairn_world *world, const cairn_island *island);

/* The search for the share of the rebounds at which nothing is gained. */
typedef struct cairn_rebound_search {
    double low, high;           /* shares: nothing gained, something gained */
    double gain_low, gain_high; /* J */
    double first;               /* gain of the whole rebounds */
    double share;               /* that is in force */
    int tries;
} cairn_rebound_search;

/* Before any try: what the whole rebounds gained. */
cairn_rebound_search cairn_rebound_begin(double gain);
/* Takes the gain of the present share; false: it is the answer, else the next share is in force. */
bool cairn_rebound_next(cairn_rebound_search *search, double gain, double allowed);

#endif
