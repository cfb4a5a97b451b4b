/*
 * pictures.h: what the commands that make pictures of recordings share.
 */
#ifndef CAIRN_CLI_PICTURES_H
#define CAIRN_CLI_PICTURES_H

#include "cli/cli.h"

#define VIEW_LIMIT 25.0 /* MB: a page that can be sent and opens at once */

/* Progress of a journal that is folded into a recording, on standard error. */
typedef struct view_folding {
    const char *path;
    int64_t frames; /* -1: not known */
    bool quiet;     /* nothing is shown */
    bool heeds;     /* Ctrl-C ends it (solve_watch.c) */
    bool began, terminal, shown;
    double next; /* clock at which the next line is due */
} view_folding;

/* A cairn_fold_watch for a view_folding. */
bool view_watch_folding(void *folding, double part);
/* Removes the line. */
void view_end_folding(view_folding *folding);
/* cairn_recording_open with progress. */
cairn_status view_open(cairn_context *context, const char *path, cairn_recording **recording);

/* CLI_BAD_FILE, after a message, when part of the journal could not be read; else CLI_OK.
 * NULL allowed. */
int view_damage(const cairn_recording *recording);

/* The recording's name in this folder with another ending. CLI_GO, or CLI_USAGE: it is too long. */
int view_default_name(const char *recording, const char *ending, char *name, size_t size);

/* The replay page of a recording. limit in MB. CLI_GO, or an exit code after a message; *damaged
 * as from view_damage. */
int view_write(cairn_context *context, const char *recording, const cairn_frame_choice *choice, double limit,
               const char *page, cairn_view_report *report, int *damaged);
/* Tables of a recording in a folder, which is made. An exit code. */
int export_csv(cairn_context *context, const char *path, cairn_recording *recording, const cairn_frame_choice *choice,
               const char *folder);

/* One line about it on standard output. */
void view_say(const char *page, const cairn_view_report *report);

#endif
