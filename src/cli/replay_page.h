/*
 * replay_page.h: the replay page that travels inside the program.
 */
#ifndef CAIRN_CLI_REPLAY_PAGE_H
#define CAIRN_CLI_REPLAY_PAGE_H

#include "cli/cli.h"

/* Whether this build has the page; when not, says how to get one. */
bool page_available(void);
/* The template of the replay page, to be freed. NULL, with a message that says how to get one:
 * this build has none. */
char *page_template(void);

#endif
