/*
 * journal_progress.c: what is seen while the journal of a recording is folded into its file: on a
 * terminal one line that is redrawn five times a second, elsewhere a plain line after five seconds
 * and then every ten.
 */
#define _POSIX_C_SOURCE 200809L

#include "cli/run/run.h"
#include "cli/solve_watch.h"
#include "cli/pictures.h"

#include <unistd.h>

bool view_watch_folding(void *user, double part) {
    view_folding *f = user;
    double now = run_clock();
    if (!f->began) {
        f->began = true;
        f->heeds = f->heeds && !watch_interrupted(); /* the run that was stopped is still recorded whole */
        f->terminal = isatty(STDERR_FILENO) != 0;
        f->next = now + (f->terminal ? 0.3 : 5.0);
    }
    if (now >= f->next && !f->quiet) {
        char frames[40] = "the journal";
        if (f->frames >= 0)
            snprintf(frames, sizeof frames, "%lld frames", (long long)f->frames);
        fprintf(stderr, "%sfolding %s into %s: %.0f %%%s", f->terminal ? "\r" : "", frames, cli_basename(f->path),
                100.0 * part, f->terminal ? "\033[K" : "\n");
        fflush(stderr);
        f->shown = f->terminal;
        f->next = now + (f->terminal ? 0.2 : 10.0);
    }
    return !f->heeds || !watch_interrupted();
}

void view_end_folding(view_folding *f) {
    if (f->shown)
        fputs("\r\033[K", stderr);
    f->shown = false;
}

int view_damage(const cairn_recording *recording) {
    return recording != NULL && cairn_recording_get(recording).damaged > 0 ? CLI_BAD_FILE : CLI_OK;
}

cairn_status view_open(cairn_context *context, const char *path, cairn_recording **recording) {
    view_folding folding = {.path = path, .frames = -1};
    cairn_status status = cairn_recording_open_watched(context, path, view_watch_folding, &folding, recording);
    view_end_folding(&folding);
    return status;
}
