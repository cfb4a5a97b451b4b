/*
 * random_run.h: runs a scene through the public interface and has it judged.
 *
 * Three runs: one thread, recorded; four threads; two threads from a checkpoint in the middle of the first. States of bodies, nodes, contacts and joints
 * must have the same bits after every step.
 */
#ifndef CAIRN_RANDOM_RUN_H
#define CAIRN_RANDOM_RUN_H

#include "random_judge.h"

/* As long as the scene wants to. folder: for the recording, which is removed again. */
void random_run(const char *text, size_t size, const char *folder, random_result *result);

#endif
