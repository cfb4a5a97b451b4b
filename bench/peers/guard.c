/*
 * guard.c: a child process with a time limit, and memory shared with it.
 */
#define _DEFAULT_SOURCE
#include "guard.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
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

/* CPU seconds that a process has used so far; 0 when it cannot be known. */
static double used_by(pid_t child) {
    clockid_t clock;
    struct timespec used;
    if (clock_getcpuclockid(child, &clock) != 0 || clock_gettime(clock, &used) != 0)
        return 0.0;
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

/* Waits for the child and ends it when it has used more than limit seconds of CPU time, or has been there for 20 times as long.
 * Looking from outside leaves the child's own clock alone: a timer on CPU time would make the kernel read that clock in
 * steps of milliseconds, too coarse for small problems. */
static bool wait_for(pid_t child, double limit) {
    int status;
    double waited = 0.0;
    bool ended = false;
    for (long pause = 100000;; pause = pause < 10000000 ? 2 * pause : pause) {
        pid_t found = waitpid(child, &status, ended ? 0 : WNOHANG);
        if (found == child)
            return true;
        if (found < 0 && errno != EINTR)
            return false;
        struct timespec nap = {.tv_nsec = pause};
        nanosleep(&nap, NULL);
        waited += 1e-9 * (double)pause;
        if (!ended && (used_by(child) > limit || waited > 20.0 * limit))
            ended = kill(child, SIGKILL) == 0;
    }
}

bool guard_run(void (*work)(void *data), void *data, double limit) {
    pid_t child = fork();
    if (child < 0)
        return false;
    if (child == 0) {
        silence();
        work(data);
        _exit(0);
    }
    return wait_for(child, limit);
}
