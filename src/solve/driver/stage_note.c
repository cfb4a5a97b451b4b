/*
 * stage_note.c: what a method of several stages has done, in words.
 *
 *     STAGE: COUNT iterations [to MAP]; ...
 *
 * MAP is the best natural map so far [theory 1], where the stage did not end the run.
 */
#include "solve/driver/method.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Writes the stage in work into the trail. */
static void close_stage(cairn_run *run, bool last) {
    size_t used = strlen(run->trail), room = sizeof run->trail - used;
    int count = run->iterations - run->stage_from;
    if (run->stage[0] == '\0')
        return;
    int made = snprintf(run->trail + used, room, "%s%s: %d iteration%s", used > 0 ? "; " : "", run->stage, count,
                        count == 1 ? "" : "s");
    used += made > 0 && (size_t)made < room ? (size_t)made : room - 1;
    if (!last)
        snprintf(run->trail + used, sizeof run->trail - used, " to %.0e", run->best_map);
    run->stage[0] = '\0';
}

void cairn_run_stage(cairn_run *run, const char *format, ...) {
    close_stage(run, format == NULL);
    run->stage_from = run->iterations;
    if (format == NULL)
        return;
    size_t length = strlen(format);
    if (strchr(format, '%') == NULL && length < sizeof run->stage) { /* most stages: nothing to print */
        memcpy(run->stage, format, length + 1);
        return;
    }
    va_list values;
    va_start(values, format);
    vsnprintf(run->stage, sizeof run->stage, format, values);
    va_end(values);
}
