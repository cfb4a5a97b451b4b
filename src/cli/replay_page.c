/*
 * replay_page.c: the template of the replay page: built from web/ and held deflated in the program
 * (cmake/CairnPage.cmake).
 */
#include "cli/replay_page.h"

#include <stdlib.h>
#include <zlib.h>

extern const unsigned char view_page[];
extern const size_t view_page_size, view_page_length; /* deflated, as it is */
extern const char view_page_missing[];                /* why there is none */

bool page_available(void) {
    if (view_page_size == 0)
        cli_complain(
            "this build has no replay page: %s. To get it, install Node.js (Debian: nodejs npm) and run: make page",
            view_page_missing);
    return view_page_size > 0;
}

char *page_template(void) {
    if (!page_available())
        return NULL;
    char *page = malloc(view_page_length + 1);
    uLongf length = (uLongf)view_page_length;
    if (page == NULL || uncompress((unsigned char *)page, &length, view_page, (uLong)view_page_size) != Z_OK) {
        cli_complain("the replay page could not be unpacked: no memory");
        free(page);
        return NULL;
    }
    page[length] = '\0';
    return page;
}
