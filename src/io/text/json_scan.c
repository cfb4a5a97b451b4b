/*
 * json_scan.c: the characters of json_scan.h.
 */
#include "io/text/json_scan.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cairn_json_peek(const cairn_json_scan *s) {
    return s->at < s->end ? (unsigned char)*s->at : -1;
}

void cairn_json_next(cairn_json_scan *s) {
    unsigned char c = (unsigned char)*s->at++;
    if (c == '\n') {
        s->line++;
        s->column = 1;
    } else if ((c & 0xC0) != 0x80) {
        s->column++;
    }
}

cairn_status cairn_json_bad(cairn_json_scan *s, int line, int column, const char *format, ...) {
    char text[256];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    return cairn_fail(s->context, CAIRN_ERROR_PARSE, "%.200s:%d:%d: %s", s->name, line, column, text);
}

cairn_status cairn_json_unexpected(cairn_json_scan *s, const char *what) {
    int c = cairn_json_peek(s);
    if (c < 0)
        return cairn_json_bad(s, s->line, s->column, "expected %s, found the end of the file", what);
    if (c == '\n' || c == '\r')
        return cairn_json_bad(s, s->line, s->column, "expected %s, found the end of the line", what);
    if (c < 0x20 || c >= 0x7F)
        return cairn_json_bad(s, s->line, s->column, "expected %s, found the byte 0x%02X", what, (unsigned)c);
    int letters = 1;
    while (letters < 24 && s->at + letters < s->end && s->at[letters] >= 'a' && s->at[letters] <= 'z' && c >= 'A')
        letters++;
    return cairn_json_bad(s, s->line, s->column, "expected %s, found '%.*s'", what, letters, s->at);
}

static cairn_status skip_comment(cairn_json_scan *s) {
    int line = s->line, column = s->column;
    if (s->end - s->at < 2 || (s->at[1] != '/' && s->at[1] != '*'))
        return cairn_json_unexpected(s, "a value or a comment");
    bool block = s->at[1] == '*';
    cairn_json_next(s);
    cairn_json_next(s);
    for (; s->at < s->end; cairn_json_next(s)) {
        if (!block && *s->at == '\n')
            return CAIRN_OK;
        if (block && *s->at == '*' && s->end - s->at > 1 && s->at[1] == '/') {
            cairn_json_next(s);
            cairn_json_next(s);
            return CAIRN_OK;
        }
    }
    return block ? cairn_json_bad(s, line, column, "this comment never ends: */ is missing") : CAIRN_OK;
}

cairn_status cairn_json_skip(cairn_json_scan *s) {
    for (;;) {
        int c = cairn_json_peek(s);
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
            cairn_json_next(s);
        } else if (c == '/') {
            cairn_status status = skip_comment(s);
            if (status != CAIRN_OK)
                return status;
        } else {
            return CAIRN_OK;
        }
    }
}

/* Four hexadecimal digits at s->at, which moves past them; -1: they are not there. */
static int scan_hex(cairn_json_scan *s) {
    int code = 0;
    for (int i = 0; i < 4; i++) {
        int c = cairn_json_peek(s);
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return -1;
        code = 16 * code + digit;
        cairn_json_next(s);
    }
    return code;
}

static void put_utf8(cairn_json_scan *s, int code) {
    char *out = s->strings;
    if (code < 0x80) {
        *out++ = (char)code;
    } else if (code < 0x800) {
        *out++ = (char)(0xC0 | (code >> 6));
        *out++ = (char)(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *out++ = (char)(0xE0 | (code >> 12));
        *out++ = (char)(0x80 | ((code >> 6) & 0x3F));
        *out++ = (char)(0x80 | (code & 0x3F));
    } else {
        *out++ = (char)(0xF0 | (code >> 18));
        *out++ = (char)(0x80 | ((code >> 12) & 0x3F));
        *out++ = (char)(0x80 | ((code >> 6) & 0x3F));
        *out++ = (char)(0x80 | (code & 0x3F));
    }
    s->strings = out;
}

static cairn_status scan_unicode(cairn_json_scan *s, int line, int column) {
    int code = scan_hex(s);
    if (code >= 0xD800 && code < 0xDC00 && s->end - s->at >= 2 && s->at[0] == '\\' && s->at[1] == 'u') {
        cairn_json_next(s);
        cairn_json_next(s);
        int low = scan_hex(s);
        code = low >= 0xDC00 && low < 0xE000 ? 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00) : -1;
    }
    if (code <= 0 || (code >= 0xD800 && code < 0xE000))
        return cairn_json_bad(s, line, column, "\\u needs four hexadecimal digits of a character that is not 0");
    put_utf8(s, code);
    return CAIRN_OK;
}

static cairn_status scan_escape(cairn_json_scan *s) {
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    int line = s->line, column = s->column;
    cairn_json_next(s);
    int c = cairn_json_peek(s);
    if (c == 'u') {
        cairn_json_next(s);
        return scan_unicode(s, line, column);
    }
    const char *known = c > 0 ? strchr(from, c) : NULL;
    if (known == NULL)
        return cairn_json_bad(s, line, column,
                              "unknown escape in a text: \\ must be followed by one of \" \\ / b f n r t u");
    *s->strings++ = to[known - from];
    cairn_json_next(s);
    return CAIRN_OK;
}

/* Bytes of the UTF-8 character at `at`; 0: it is none. */
static int utf8_length(const unsigned char *at, ptrdiff_t left) {
    int more = at[0] < 0x80                    ? 0
               : at[0] >= 0xC2 && at[0] < 0xE0 ? 1
               : at[0] >= 0xE0 && at[0] < 0xF0 ? 2
               : at[0] >= 0xF0 && at[0] < 0xF5 ? 3
                                               : -1;
    if (more < 0 || left <= more)
        return 0;
    for (int i = 1; i <= more; i++)
        if ((at[i] & 0xC0) != 0x80)
            return 0;
    if ((at[0] == 0xE0 && at[1] < 0xA0) || (at[0] == 0xED && at[1] >= 0xA0) || (at[0] == 0xF0 && at[1] < 0x90) ||
        (at[0] == 0xF4 && at[1] >= 0x90))
        return 0;
    return 1 + more;
}

cairn_status cairn_json_scan_string(cairn_json_scan *s, const char **text) {
    int line = s->line, column = s->column;
    char *begin = s->strings;
    cairn_json_next(s);
    for (;;) {
        int c = cairn_json_peek(s);
        if (c < 0 || c == '\n')
            return cairn_json_bad(s, line, column, "this text has no closing quote in its line");
        if (c == '"')
            break;
        if (c < 0x20)
            return cairn_json_bad(s, s->line, s->column, "the byte 0x%02X inside a text must be written as an escape",
                                  (unsigned)c);
        if (c == '\\') {
            cairn_status status = scan_escape(s);
            if (status != CAIRN_OK)
                return status;
            continue;
        }
        int length = utf8_length((const unsigned char *)s->at, s->end - s->at);
        if (length == 0)
            return cairn_json_bad(s, s->line, s->column, "the byte 0x%02X is not UTF-8", (unsigned)c);
        for (int i = 0; i < length; i++) {
            *s->strings++ = *s->at;
            cairn_json_next(s);
        }
    }
    cairn_json_next(s);
    *s->strings++ = '\0';
    *text = begin;
    return CAIRN_OK;
}

/* Digits from *at on go to the buffer; returns how many there were. */
static int scan_digits(const char **at, const char *end, char *digits, int *used) {
    int count = 0;
    for (; *at < end && **at >= '0' && **at <= '9'; ++*at, count++) {
        if (*used < CAIRN_JSON_DIGITS_MAX)
            digits[*used] = **at;
        ++*used;
    }
    return count;
}

/* All digits without the point, then the exponent: strtod never sees a decimal point, so no
 * locale matters. bare: no digit need stand before the point. */
static const char *scan_number(const char *at, const char *end, bool bare, double *value) {
    char digits[CAIRN_JSON_DIGITS_MAX + 16], power[8];
    int used = 0, exponent = 0, letters = 0;
    bool negative = at < end && *at == '-';
    at += negative;
    const char *first = at;
    int whole = scan_digits(&at, end, digits, &used);
    bool begun = whole > 0 || (bare && at < end && *at == '.');
    if (!begun || (whole > 1 && *first == '0'))
        return NULL;
    if (at < end && *at == '.') {
        at++;
        int part = scan_digits(&at, end, digits, &used);
        if (part == 0)
            return NULL;
        exponent = -part;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        bool down = at < end && *at == '-';
        at += down || (at < end && *at == '+');
        const char *start = at;
        for (; at < end && *at >= '0' && *at <= '9'; at++)
            if (letters < 5)
                power[letters++] = *at;
        if (at == start || at - start > 5)
            return NULL;
        power[letters] = '\0';
        int given = atoi(power);
        exponent += down ? -given : given;
    }
    if (used > CAIRN_JSON_DIGITS_MAX)
        return NULL;
    snprintf(digits + used, sizeof digits - (size_t)used, "e%d", exponent);
    double x = strtod(digits, NULL);
    if (!isfinite(x))
        return NULL;
    *value = negative ? -x : x;
    return at;
}

const char *cairn_json_scan_number(const char *at, const char *end, double *value) {
    return scan_number(at, end, false, value);
}

const char *cairn_scan_number(const char *at, const char *end, double *value) {
    return scan_number(at, end, true, value);
}
