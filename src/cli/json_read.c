/*
 * json_read.c: looks up members of a JSON object in place: no tree is built, values are spans of
 * the text.
 *
 * Written for lines of a few kilobytes. Nesting is limited to DEPTH_MAX.
 */
#include "cli/bench/bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 16 };

static const char *skip_space(const char *s) {
    while (*s == ' ' || *s == '\t' || *s == '\r' || *s == '\n')
        s++;
    return s;
}

/* Past the string that begins at s; NULL when it is none. */
static const char *skip_string(const char *s) {
    if (*s++ != '"')
        return NULL;
    for (; *s != '"'; s++) {
        if ((unsigned char)*s < 0x20)
            return NULL;
        if (*s != '\\')
            continue;
        s++;
        if (*s == 'u') {
            for (int i = 1; i <= 4; i++)
                if (s[i] == '\0' || strchr("0123456789abcdefABCDEF", s[i]) == NULL)
                    return NULL;
            s += 4;
        } else if (*s == '\0' || strchr("\"\\/bfnrt", *s) == NULL) {
            return NULL;
        }
    }
    return s + 1;
}

static const char *skip_digits(const char *s) {
    const char *begin = s;
    while (*s >= '0' && *s <= '9')
        s++;
    return s > begin ? s : NULL;
}

static const char *skip_number(const char *s) {
    s = skip_digits(s + (*s == '-'));
    if (s != NULL && *s == '.')
        s = skip_digits(s + 1);
    if (s != NULL && (*s == 'e' || *s == 'E'))
        s = skip_digits(s + 1 + (s[1] == '+' || s[1] == '-'));
    return s;
}

static const char *skip_value(const char *s, int depth);

/* Past the object or array that begins at s. */
static const char *skip_nest(const char *s, int depth) {
    bool object = *s == '{';
    char end = object ? '}' : ']';
    s = skip_space(s + 1);
    if (*s == end)
        return s + 1;
    for (;;) {
        if (object) {
            s = skip_string(s);
            s = s != NULL ? skip_space(s) : NULL;
            if (s == NULL || *s != ':')
                return NULL;
            s = skip_space(s + 1);
        }
        s = skip_value(s, depth);
        if (s == NULL)
            return NULL;
        s = skip_space(s);
        if (*s == end)
            return s + 1;
        if (*s != ',')
            return NULL;
        s = skip_space(s + 1);
    }
}

/* Past the value that begins at s; NULL when it is not JSON. */
static const char *skip_value(const char *s, int depth) {
    static const char *const word[] = {"true", "false", "null"};
    if (*s == '"')
        return skip_string(s);
    if (*s == '{' || *s == '[')
        return depth < DEPTH_MAX ? skip_nest(s, depth + 1) : NULL;
    for (int i = 0; i < 3; i++)
        if (strncmp(s, word[i], strlen(word[i])) == 0)
            return s + strlen(word[i]);
    return skip_number(s);
}

bool json_is_object(const char *text) {
    text = skip_space(text);
    const char *end = *text == '{' ? skip_value(text, 0) : NULL;
    return end != NULL && *skip_space(end) == '\0';
}

json_span json_member(const char *object, const char *key) {
    const char *s = skip_space(object);
    size_t length = strlen(key);
    if (*s != '{')
        return (json_span){NULL, 0};
    s = skip_space(s + 1);
    while (*s == '"') {
        const char *name = s + 1, *name_end = skip_string(s);
        const char *value = skip_space(skip_space(name_end) + 1), *end = skip_value(value, 1);
        if ((size_t)(name_end - name) == length + 1 && strncmp(name, key, length) == 0)
            return (json_span){value, (size_t)(end - value)};
        s = skip_space(end);
        s = *s == ',' ? skip_space(s + 1) : s;
    }
    return (json_span){NULL, 0};
}

double json_number(const char *object, const char *key) {
    json_span span = json_member(object, key);
    if (span.at == NULL || !(*span.at == '-' || (*span.at >= '0' && *span.at <= '9')))
        return NAN;
    return strtod(span.at, NULL);
}

/* Writes the code point as UTF-8; returns the bytes written. */
static int put_utf8(unsigned code, char *out) {
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xC0 | (code >> 6));
        out[1] = (char)(0x80 | (code & 0x3F));
        return 2;
    }
    out[0] = (char)(0xE0 | (code >> 12));
    out[1] = (char)(0x80 | ((code >> 6) & 0x3F));
    out[2] = (char)(0x80 | (code & 0x3F));
    return 3;
}

/* Code points above U+FFFF written as two halves become two U+FFFD. */
char *json_string(const char *object, const char *key) {
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    json_span span = json_member(object, key);
    if (span.at == NULL || *span.at != '"')
        return NULL;
    char *text = malloc(span.length + 1);
    if (text == NULL)
        return NULL;
    char *out = text;
    for (const char *s = span.at + 1; s < span.at + span.length - 1; s++) {
        if (*s != '\\') {
            *out++ = *s;
            continue;
        }
        s++;
        const char *known = strchr(from, *s);
        if (*s == 'u') {
            char digits[5] = {s[1], s[2], s[3], s[4], '\0'};
            unsigned code = (unsigned)strtoul(digits, NULL, 16);
            out += put_utf8(code >= 0xD800 && code < 0xE000 ? 0xFFFD : code, out);
            s += 4;
        } else {
            *out++ = known != NULL ? to[known - from] : *s;
        }
    }
    *out = '\0';
    return text;
}
