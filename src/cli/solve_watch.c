/*
 * solve_watch.c: what happens while a solve runs: the progress line, the trace file, Ctrl-C.
 *
 * Progress goes to standard error. On a terminal: one line redrawn ten times a second, from the
 * first second on. Elsewhere: a plain line every ten seconds.
 */
#define _POSIX_C_SOURCE 200809L
#include "cli/solve_watch.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct watch {
    cli_output trace; /* its stream is NULL: none */
    cairn_context *context;
    const char *name; /* of the current problem */
    int max_iterations;
    bool terminal, shown;
    double next; /* seconds at which the next progress line is due */
    double map;  /* last natural map that was computed */
};

/* The one thing a signal handler may touch. */
static volatile sig_atomic_t interrupted;

static void on_interrupt(int signal_number) {
    (void)signal_number;
    interrupted = 1;
}

bool watch_interrupted(void) {
    return interrupted != 0;
}

static int open_trace(watch *w, const char *path) {
    int code = cli_output_open(w->context, path, &w->trace);
    if (code != CLI_GO)
        return code;
    fputs("iteration,factorizations,solves,primal,dual,rho,natural_map,violation,seconds,phi\n", w->trace.stream);
    return CLI_GO;
}

void watch_catch(void) {
    static const int caught[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {0};
    action.sa_handler = on_interrupt;
    action.sa_flags = (int)SA_RESETHAND;
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof caught / sizeof *caught; i++) {
        struct sigaction before;
        if (sigaction(caught[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(caught[i], &action, NULL);
    }
}

int watch_create(cairn_context *context, const char *trace, int max_iterations, watch **out) {
    watch *w = calloc(1, sizeof *w);
    if (w == NULL) {
        cli_complain("out of memory");
        return CLI_BAD_FILE;
    }
    w->context = context;
    w->max_iterations = max_iterations;
    w->terminal = isatty(STDERR_FILENO) != 0;
    if (trace != NULL) {
        int code = open_trace(w, trace);
        if (code != CLI_GO) {
            free(w);
            return code;
        }
    }
    watch_catch();
    *out = w;
    return CLI_GO;
}

int watch_destroy(watch *w) {
    int code = cli_output_close(w->context, &w->trace, true);
    free(w);
    return code == CLI_GO ? CLI_OK : code;
}

void watch_begin(watch *w, const char *name) {
    w->name = name;
    w->next = w->terminal ? 1.0 : 10.0;
    w->map = NAN;
    w->shown = false;
}

void watch_clear(watch *w) {
    if (w->shown)
        fputs("\r\033[K", stderr);
    w->shown = false;
}

/* A number, or nothing when it is not known: what programs that read CSV expect. */
static void write_number(FILE *out, double x) {
    if (isfinite(x))
        fprintf(out, ",%.17g", x);
    else
        fputc(',', out);
}

static void write_trace(FILE *out, const cairn_iteration *it) {
    fprintf(out, "%d,%d,%d", it->iteration, it->factorizations, it->solves);
    write_number(out, it->primal);
    write_number(out, it->dual);
    write_number(out, it->rho);
    write_number(out, it->natural_map);
    write_number(out, it->violation);
    write_number(out, it->seconds);
    write_number(out, it->phi);
    fputc('\n', out);
}

static void show_progress(watch *w, const cairn_iteration *it) {
    char map[16];
    const char *begin = w->terminal ? "\r" : "", *end = w->terminal ? "\033[K" : "\n";
    fprintf(stderr, "%s%s: iteration %d of at most %d, natural map %s, %.1f s%s", begin, w->name, it->iteration,
            w->max_iterations, cli_short(w->map, map), it->seconds, end);
    fflush(stderr);
    w->shown = w->terminal;
    w->next = it->seconds + (w->terminal ? 0.1 : 10.0);
}

bool watch_iteration(void *user, const cairn_iteration *it) {
    watch *w = user;
    if (!isnan(it->natural_map))
        w->map = it->natural_map;
    if (w->trace.stream != NULL)
        write_trace(w->trace.stream, it);
    if (it->seconds >= w->next)
        show_progress(w, it);
    return interrupted == 0;
}
