/*
 * still_clock.c: a library to preload: clocks that stand still and a process number that is always the same, so that recordings, pages and reports of two runs can be compared byte for byte.
 */
#define _POSIX_C_SOURCE 200809L
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t clock, struct timespec *now) {
    (void)clock;
    *now = (struct timespec){.tv_sec = 1};
    return 0;
}

pid_t getpid(void) {
    return 4711;
}
