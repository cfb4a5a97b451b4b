/*
 * solve_watch.h: watching a solve: the progress line, the trace file, signals that stop it.
 */
#ifndef CAIRN_CLI_SOLVE_WATCH_H
#define CAIRN_CLI_SOLVE_WATCH_H

#include "cli/cli.h"

typedef struct watch watch;

/* Catches the first Ctrl-C, SIGTERM or SIGHUP from here on; the second one ends the program.
 * Those that are ignored stay so. */
void watch_catch(void);
/* Calls watch_catch and opens the trace; trace NULL: none. Returns CLI_GO, or an exit code after a
 * message. */
int watch_create(cairn_context *context, const char *trace, int max_iterations, watch **out);
/* Closes the trace; CLI_BAD_FILE, after a message, when it could not be written, else CLI_OK. */
int watch_destroy(watch *w);

/* The next solve, by the name that progress lines show. */
void watch_begin(watch *w, const char *name);
/* Wipes the progress line, if one is shown. */
void watch_clear(watch *w);
/* For cairn_settings.on_iteration; user is the watch. False after Ctrl-C. */
bool watch_iteration(void *user, const cairn_iteration *iteration);
bool watch_interrupted(void);

#endif
