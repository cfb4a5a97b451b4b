/*
 * guard.h: runs one piece of somebody else's code in a process of its own: a crash, a call of exit or a computation that
 * never ends stays in there.
 */
#ifndef CAIRN_PEERS_GUARD_H
#define CAIRN_PEERS_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

/* Memory that the child process writes and the parent reads, all zero. NULL when there is none. */
void *guard_memory_create(size_t bytes);
void guard_memory_destroy(void *memory, size_t bytes);

/* Runs work(data) in a child process, its output thrown away, for at most limit seconds of CPU time. False when no process could be
 * made; what became of the work is known only from what it wrote to guarded memory. */
bool guard_run(void (*work)(void *data), void *data, double limit);

/* CPU time of this process, seconds. */
static inline double guard_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

#endif
