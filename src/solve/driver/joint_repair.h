/*
 * joint_repair.h: a joint repair of the points that the judge has chosen one by one.
 */
#ifndef CAIRN_SOLVE_DRIVER_JOINT_REPAIR_H
#define CAIRN_SOLVE_DRIVER_JOINT_REPAIR_H

#include "solve/driver/method.h"

typedef struct cairn_repair cairn_repair;

/* Takes all memory that a repair needs. The problem must have impulses. */
cairn_status cairn_repair_create(const cairn_run *run, cairn_repair **out);
void cairn_repair_destroy(cairn_context *context, cairn_repair *repair);

/* Moves the points of the judge's last answer, of which certificate and judged speak, until it
 * certifies them or gives up. The judge's word on the best points is in certificate and judged,
 * whose arrays hold them. Adds what it cost to run->repairs and run->products. */
cairn_status cairn_repair_run(cairn_run *run, cairn_repair *repair, cairn_certificate *certificate,
                              cairn_judged *judged);

#endif
