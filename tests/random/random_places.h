/*
 * random_places.h: depths and crossings of the bodies of a recording, frame by frame; see random_judge.h.
 */
#ifndef CAIRN_RANDOM_PLACES_H
#define CAIRN_RANDOM_PLACES_H

#include "random_judge.h"

/* Counted work of a step, random_run.c: what a step of these small worlds never needs. */
static const double random_work_bound = 20000;

typedef struct random_places random_places;
random_places *random_places_create(cairn_recording *recording, const random_facts *facts); /* NULL: no memory */
void random_places_free(random_places *places);
/* Frames in their order; the first is the start. */
void random_places_judge(random_places *places, const cairn_frame *frame, int substeps, random_result *result);

#endif
