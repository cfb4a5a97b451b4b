/*
 * text_scan.h: words and numbers from text in memory, with line numbers. Bounded: a word has at
 * most 63 characters, and no memory is taken for more numbers than the text has room for.
 */
#ifndef CAIRN_IO_TEXT_TEXT_SCAN_H
#define CAIRN_IO_TEXT_TEXT_SCAN_H

#include "base/core.h"

typedef struct cairn_scan {
    cairn_context *context;
    const char *at, *end;
    int line;          /* of at, from 1 */
    int word_line;     /* of the last word */
    char word[64];     /* the last word; "" at the end */
    char message[192]; /* the first failure: "line 7: ..." */
    bool loose;        /* skips comments and takes the exponents of Fortran */
    int comments;      /* skipped so far */
    int comment_line;  /* of the first one */
} cairn_scan;

/* Each returns CAIRN_OK, or records a message and returns CAIRN_ERROR_PARSE. */
cairn_status cairn_scan_bad(cairn_scan *scan, cairn_status status, const char *format, ...) CAIRN_PRINTF(3, 4);
cairn_status cairn_scan_word(cairn_scan *scan); /* at the end: word is "" */
void cairn_scan_skip_line(cairn_scan *scan);
cairn_status cairn_scan_int(cairn_scan *scan, const char *what, int low, int high, int *value);
cairn_status cairn_scan_real(cairn_scan *scan, const char *what, double *value);
/* The last word as a decimal number; false when it is none. It may have overflowed. */
bool cairn_scan_decimal(const cairn_scan *scan, double *value);
cairn_status cairn_scan_expect(cairn_scan *scan, const char *word);
/* Whether count items of at least size characters each can still follow. */
cairn_status cairn_scan_room(cairn_scan *scan, const char *what, int64_t count, int size);

/* Turns a word into a whole number; false when it is anything else or outside int. */
bool cairn_scan_whole(const char *word, int *value);

#endif
