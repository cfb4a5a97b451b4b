/*
 * view.h: what the commands that make pictures of recordings share.
 */
#ifndef CAIRN_CLI_VIEW_H
#define CAIRN_CLI_VIEW_H

#include "cli.h"

#define VIEW_LIMIT 25.0 /* MB: a page that can be sent and opens at once */

/* The recording's name in this folder with another ending. CLI_GO, or CLI_USAGE: it is too long. */
int view_default_name(const char *recording, const char *ending, char *name, size_t size);

/* The replay page of a recording. limit in MB. CLI_GO, or an exit code after a message. */
int view_write(cairn_context *context, const char *recording, const cairn_frame_choice *choice, double limit,
               const char *page, cairn_view_report *report);
/* Tables of a recording in a folder, which is made. An exit code. */
int export_csv(cairn_context *context, const char *path, cairn_recording *recording, const char *folder);

/* One line about it on standard output. */
void view_say(const char *page, const cairn_view_report *report);

#endif
