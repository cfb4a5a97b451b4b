/*
 * clock.c: wall clock and CPU time in seconds.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/core.h"

#include <time.h>

static double read_clock(clockid_t which) {
    struct timespec t;
    if (clock_gettime(which, &t) != 0)
        return 0.0;
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double cairn_now(void) {
    return read_clock(CLOCK_MONOTONIC);
}

double cairn_cpu_now(void) {
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}
