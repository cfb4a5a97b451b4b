/*
 * cairn.h: all of Cairn. Read the headers in the order in which they are included.
 *
 * Conventions, once and for all:
 *   units      SI (m, kg, s, N s), radians
 *   contact    normal from A to B; u is the velocity of B minus that of A; gamma acts on B
 *   blocks     (normal, tangent, tangent)
 *   impulses   gamma is an impulse over the step, not a force
 *   ownership  who creates destroys; inputs are copied; pointers handed out belong to the object asked
 *   errors     cairn_status: the call failed. cairn_outcome: how a solve ended. Never mixed.
 *   threads    one context, one caller at a time; any number of worker threads gives the same bits
 */
#ifndef CAIRN_CAIRN_H
#define CAIRN_CAIRN_H

#include "base.h"
#include "math.h"
#include "problem.h"
#include "samples.h"
#include "solver.h"
#include "collide.h"
#include "rigid.h"
#include "fem.h"
#include "world.h"
#include "io.h"
#include "scene.h"
#include "record.h"
#include "view.h"

#endif
