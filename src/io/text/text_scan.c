/*
 * text_scan.c: the scanner of text_scan.h. Numbers go through strtod in the "C" locale, which the
 * caller sets. Hexadecimal, "inf" and "nan" are refused, so is a whole number printed with an
 * exponent (digits were lost). A loose scanner skips comments and takes the exponents of Fortran:
 * 1.5D+00, and 1.5-100, where the letter gave way to a digit.
 */
#include "io/text/text_scan.h"

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

/* Whether a comment begins here: #, %, ! or two slashes. */
static bool comment(const cairn_scan *scan) {
    if (!scan->loose || scan->at == scan->end)
        return false;
    char c = *scan->at;
    return c == '#' || c == '%' || c == '!' || (c == '/' && scan->end - scan->at > 1 && scan->at[1] == '/');
}

static void skip_blanks(cairn_scan *scan) {
    while (scan->at < scan->end && blank(*scan->at))
        scan->line += *scan->at++ == '\n';
}

cairn_status cairn_scan_word(cairn_scan *scan) {
    skip_blanks(scan);
    while (comment(scan)) {
        if (scan->comments++ == 0)
            scan->comment_line = scan->line;
        cairn_scan_skip_line(scan);
        skip_blanks(scan);
    }
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

/* Writes a number of Fortran as one of C: text has room for one character more than word. */
static void from_fortran(const char *word, char *text) {
    size_t length = strlen(word);
    bool bare = length > 4 && strspn(word + length - 3, "0123456789") == 3 && strpbrk(word, "eEdD") == NULL &&
                (word[length - 4] == '+' || word[length - 4] == '-') && strchr("+-", word[length - 5]) == NULL;
    for (size_t k = 0; k < length; k++) {
        if (bare && k == length - 4)
            *text++ = 'e';
        *text++ = word[k] == 'd' || word[k] == 'D' ? 'e' : word[k];
    }
    *text = '\0';
}

bool cairn_scan_decimal(const cairn_scan *scan, double *value) {
    char text[sizeof scan->word + 1], *end = text;
    size_t plain = strspn(scan->word, scan->loose ? "0123456789+-.eEdD" : "0123456789+-.eE");
    if (scan->word[plain] != '\0')
        return false;
    if (scan->loose)
        from_fortran(scan->word, text);
    else
        memcpy(text, scan->word, sizeof scan->word);
    *value = strtod(text, &end);
    return end != text && *end == '\0';
}

cairn_status cairn_scan_real(cairn_scan *scan, const char *what, double *value) {
    cairn_status status = cairn_scan_word(scan);
    if (status != CAIRN_OK)
        return status;
    double real = 0.0;
    if (!cairn_scan_decimal(scan, &real) || !isfinite(real))
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
