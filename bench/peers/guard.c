/*
 * guard.c: a child process with a time limit, and memory shared with it.
 */
#define _DEFAULT_SOURCE
#include "guard.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

void *guard_memory_create(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void guard_memory_destroy(void *memory, size_t bytes) {
    if (memory != NULL)
        munmap(memory, bytes);
}

static void silence(void) {
    int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere >= 0) {
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
}

/* The kernel ends this process (SIGALRM) after so many seconds by the clock on the wall. A timer on CPU time would make the
 * kernel read the clock of CPU time in steps of milliseconds, too coarse for small problems. */
static void limit_time(double seconds) {
    struct itimerval timer = {
        .it_value = {.tv_sec = (time_t)seconds, .tv_usec = (suseconds_t)(1e6 * (seconds - floor(seconds)))}};
    setitimer(ITIMER_REAL, &timer, NULL);
}

bool guard_run(void (*work)(void *data), void *data, double limit) {
    pid_t child = fork();
    if (child < 0)
        return false;
    if (child == 0) {
        silence();
        limit_time(limit);
        work(data);
        _exit(0);
    }
    int status;
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return true;
}
