/*
 * json_scan.h: the characters of JSON: places, space and comments, strings, numbers. For json.c
 * alone.
 */
#ifndef CAIRN_IO_TEXT_JSON_SCAN_H
#define CAIRN_IO_TEXT_JSON_SCAN_H

#include "io/text/json.h"

typedef struct cairn_json_scan {
    cairn_context *context;
    const char *name;
    const char *at, *end;
    int line, column; /* of at */
    char *strings;    /* where the next string goes */
    void *user;
} cairn_json_scan;

int cairn_json_peek(const cairn_json_scan *s); /* the byte, -1 at the end */
void cairn_json_next(cairn_json_scan *s);
cairn_status cairn_json_skip(cairn_json_scan *s); /* space and comments */
/* The string whose opening quote is next; *text stays valid with the room in strings. */
cairn_status cairn_json_scan_string(cairn_json_scan *s, const char **text);

/* "name:line:column: message" */
cairn_status cairn_json_bad(cairn_json_scan *s, int line, int column, const char *format, ...) CAIRN_PRINTF(4, 5);
/* "... expected WHAT, found 'x'" at the present place. */
cairn_status cairn_json_unexpected(cairn_json_scan *s, const char *what);

#endif
