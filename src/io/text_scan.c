/*
 * text_scan.c: the scanner of text_scan.h. Numbers go through strtod in the "C" locale, which the caller sets.
 * Hexadecimal, "inf" and "nan" are refused, so is a whole number printed with an exponent (digits were lost).
 */
#include "text_scan.h"

#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

cairn_status cairn_scan_bad(cairn_scan *scan, cairn_status status, const char *format, ...) {
    char text[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (char *c = text; *c != '\0'; c++)
        if (!isprint((unsigned char)*c))
            *c = '?';
    snprintf(scan->message, sizeof scan->message, "line %d: %s", scan->word_line, text);
    return status;
}

static bool blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

cairn_status cairn_scan_word(cairn_scan *scan) {
    while (scan->at < scan->end && blank(*scan->at))
        scan->line += *scan->at++ == '\n';
    scan->word_line = scan->line;
    size_t length = 0;
    while (scan->at < scan->end && !blank(*scan->at)) {
        if (length + 1 == sizeof scan->word) {
            scan->word[length] = '\0';
            return cairn_scan_bad(scan, CAIRN_ERROR_PARSE, "a word of more than %zu characters: %.20s...", length,
                                  scan->word);
        }
        scan->word[length++] = *scan->at++;
    }
    scan->word[length] = '\0';
    return CAIRN_OK;
}

void cairn_scan_skip_line(cairn_scan *scan) {
    while (scan->at < scan->end && *scan->at != '\n')
        scan->at++;
}

/* What stands there, for messages. */
static const char *found(const cairn_scan *scan) {
    return scan->word[0] != '\0' ? scan->word : "the end of the file";
}

bool cairn_scan_whole(const char *word, int *value) {
    size_t sign = word[0] == '-' || word[0] == '+', digits = strspn(word + sign, "0123456789");
    if (digits == 0 || digits > 10 || word[sign + digits] != '\0')
        return false;
    long long whole = strtoll(word, NULL, 10);
    if (whole < INT_MIN || whole > INT_MAX)
        return false;
    *value = (int)whole;
    return true;
}

cairn_status cairn_scan_int(cairn_scan *scan, const char *what, int low, int high, int *value) {
    cairn_status status = cairn_scan_word(scan);
    if (status != CAIRN_OK)
        return status;
    int whole = 0;
    if (!cairn_scan_whole(scan->word, &whole) || whole < low || whole > high)
        return cairn_scan_bad(scan, CAIRN_ERROR_PARSE, "%s: found %s, expected a whole number from %d to %d", what,
                              found(scan), low, high);
    *value = whole;
    return CAIRN_OK;
}

cairn_status cairn_scan_real(cairn_scan *scan, const char *what, double *value) {
    cairn_status status = cairn_scan_word(scan);
    if (status != CAIRN_OK)
        return status;
    char *end = scan->word;
    size_t plain = strspn(scan->word, "0123456789+-.eE");
    double real = scan->word[plain] == '\0' ? strtod(scan->word, &end) : 0.0;
    if (end == scan->word || *end != '\0' || !isfinite(real))
        return cairn_scan_bad(scan, CAIRN_ERROR_PARSE, "%s: found %s, expected a finite number", what, found(scan));
    *value = real;
    return CAIRN_OK;
}

cairn_status cairn_scan_expect(cairn_scan *scan, const char *word) {
    cairn_status status = cairn_scan_word(scan);
    if (status == CAIRN_OK && strcmp(scan->word, word) != 0)
        return cairn_scan_bad(scan, CAIRN_ERROR_PARSE, "found %s, expected %s", found(scan),
                              word[0] != '\0' ? word : "the end of the file");
    return status;
}

cairn_status cairn_scan_room(cairn_scan *scan, const char *what, int64_t count, int size) {
    int64_t left = scan->end - scan->at;
    if (count > left / size + 1 || count > INT_MAX)
        return cairn_scan_bad(scan, CAIRN_ERROR_PARSE, "%s: %lld values announced, %lld characters are left", what,
                              (long long)count, (long long)left);
    return CAIRN_OK;
}
