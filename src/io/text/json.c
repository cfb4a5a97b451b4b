/*
 * json.c: the parser of json.h: recursive descent over the bytes, values in chunks that never move.
 *
 * A string never grows when its escapes are resolved, so one block as long as the text holds all of
 * them.
 */
#include "io/text/json.h"
#include "io/text/json_scan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { CHUNK = 256 };

typedef struct chunk chunk;
struct chunk {
    chunk *next;
    int used;
    cairn_json item[CHUNK];
};

typedef struct kept kept;
struct kept {
    kept *next;
    char text[];
};

struct cairn_json_document {
    cairn_context *context;
    chunk *chunks; /* the one in use first */
    kept *kept;
    char *name;
    char *strings; /* room for all strings of the text */
    cairn_json *root;
};

static cairn_json *new_value(cairn_json_document *d) {
    if (d->chunks == NULL || d->chunks->used == CHUNK) {
        chunk *c = cairn_alloc(d->context, 1, sizeof *c);
        if (c == NULL)
            return NULL;
        c->next = d->chunks;
        d->chunks = c;
    }
    cairn_json *v = &d->chunks->item[d->chunks->used++];
    v->name = d->name;
    return v;
}

static cairn_status parse_value(cairn_json_scan *s, cairn_json *v, int depth);

static cairn_json *append(cairn_json_document *d, cairn_json *parent) {
    cairn_json *v = new_value(d);
    if (v == NULL)
        return NULL;
    v->parent = parent;
    v->index = parent->count++;
    if (parent->last_item != NULL)
        parent->last_item->next = v;
    else
        parent->first = v;
    parent->last_item = v;
    return v;
}

static cairn_status parse_key(cairn_json_scan *s, const cairn_json *object, cairn_json *v) {
    v->key_line = s->line;
    v->key_column = s->column;
    if (cairn_json_peek(s) != '"')
        return cairn_json_unexpected(s, "a key in quotes");
    cairn_status status = cairn_json_scan_string(s, &v->key);
    if (status != CAIRN_OK)
        return status;
    if (object->count > CAIRN_JSON_MEMBERS_MAX)
        return cairn_json_bad(s, v->key_line, v->key_column, "more than %d members in one object",
                              CAIRN_JSON_MEMBERS_MAX);
    for (const cairn_json *o = object->first; o != v; o = o->next)
        if (strcmp(o->key, v->key) == 0)
            return cairn_json_bad(s, v->key_line, v->key_column, "the key '%.60s' was already given in line %d", v->key,
                                  o->key_line);
    status = cairn_json_skip(s);
    if (status == CAIRN_OK && cairn_json_peek(s) != ':')
        status = cairn_json_unexpected(s, "':' after a key");
    if (status == CAIRN_OK) {
        cairn_json_next(s);
        status = cairn_json_skip(s);
    }
    return status;
}

/* The items of an array or the members of an object; s is at the bracket. */
static cairn_status parse_nest(cairn_json_scan *s, cairn_json *v, int depth) {
    bool object = v->kind == CAIRN_JSON_OBJECT;
    int close = object ? '}' : ']';
    if (depth >= CAIRN_JSON_DEPTH_MAX)
        return cairn_json_bad(s, s->line, s->column, "more than %d brackets inside each other", CAIRN_JSON_DEPTH_MAX);
    cairn_json_next(s);
    cairn_status status = cairn_json_skip(s);
    if (status == CAIRN_OK && cairn_json_peek(s) == close) {
        cairn_json_next(s);
        return CAIRN_OK;
    }
    while (status == CAIRN_OK) {
        cairn_json *item = append(s->user, v);
        if (item == NULL)
            return CAIRN_ERROR_MEMORY;
        if (object)
            status = parse_key(s, v, item);
        if (status == CAIRN_OK)
            status = parse_value(s, item, depth + 1);
        if (status == CAIRN_OK)
            status = cairn_json_skip(s);
        if (status != CAIRN_OK)
            break;
        int c = cairn_json_peek(s);
        if (c != close && c != ',')
            return cairn_json_unexpected(s, object ? "',' or '}' after a value" : "',' or ']' after a value");
        cairn_json_next(s);
        if (c == close)
            break;
        status = cairn_json_skip(s);
        if (status == CAIRN_OK && cairn_json_peek(s) == close)
            status = cairn_json_unexpected(s, object ? "a key after ','" : "a value after ','");
    }
    return status;
}

static bool take_word(cairn_json_scan *s, const char *word) {
    size_t length = strlen(word);
    if ((size_t)(s->end - s->at) < length || memcmp(s->at, word, length) != 0)
        return false;
    const char *after = s->at + length;
    if (after < s->end && ((*after >= 'a' && *after <= 'z') || (*after >= 'A' && *after <= 'Z')))
        return false;
    for (size_t i = 0; i < length; i++)
        cairn_json_next(s);
    return true;
}

static cairn_status parse_number(cairn_json_scan *s, cairn_json *v) {
    const char *end = cairn_json_scan_number(s->at, s->end, &v->number);
    if (end == NULL)
        return cairn_json_bad(s, s->line, s->column,
                              "not a number that can be read (at most %d digits, of the size of a double)",
                              CAIRN_JSON_DIGITS_MAX);
    v->kind = CAIRN_JSON_NUMBER;
    while (s->at < end)
        cairn_json_next(s);
    return CAIRN_OK;
}

static cairn_status parse_value(cairn_json_scan *s, cairn_json *v, int depth) {
    int c = cairn_json_peek(s);
    v->line = s->line;
    v->column = s->column;
    if (c == '{' || c == '[') {
        v->kind = c == '{' ? CAIRN_JSON_OBJECT : CAIRN_JSON_ARRAY;
        return parse_nest(s, v, depth);
    }
    if (c == '"') {
        v->kind = CAIRN_JSON_STRING;
        return cairn_json_scan_string(s, &v->text);
    }
    if (c == '-' || (c >= '0' && c <= '9'))
        return parse_number(s, v);
    if (take_word(s, "null"))
        return CAIRN_OK;
    v->kind = CAIRN_JSON_BOOL;
    v->number = 1.0;
    if (take_word(s, "true"))
        return CAIRN_OK;
    v->number = 0.0;
    if (take_word(s, "false"))
        return CAIRN_OK;
    return cairn_json_unexpected(s, "a value");
}

static cairn_status parse_document(cairn_json_document *d, const char *text, size_t size) {
    cairn_json_scan s = {.context = d->context,
                         .name = d->name,
                         .at = text,
                         .end = text + size,
                         .line = 1,
                         .column = 1,
                         .strings = d->strings,
                         .user = d};
    if (size >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0)
        s.at += 3; /* a byte order mark */
    d->root = new_value(d);
    if (d->root == NULL)
        return CAIRN_ERROR_MEMORY;
    cairn_status status = cairn_json_skip(&s);
    if (status == CAIRN_OK)
        status = parse_value(&s, d->root, 0);
    if (status == CAIRN_OK)
        status = cairn_json_skip(&s);
    if (status == CAIRN_OK && s.at < s.end)
        status = cairn_json_unexpected(&s, "nothing more after the value");
    return status;
}

cairn_status cairn_json_parse(cairn_context *context, const char *text, size_t size, const char *name,
                              cairn_json_document **document) {
    if (size > CAIRN_JSON_BYTES_MAX)
        return cairn_fail(context, CAIRN_ERROR_PARSE, "%s: %zu bytes; at most %zu are read", name, size,
                          CAIRN_JSON_BYTES_MAX);
    cairn_json_document *d = cairn_alloc(context, 1, sizeof *d);
    if (d == NULL)
        return CAIRN_ERROR_MEMORY;
    d->context = context;
    d->name = cairn_alloc(context, strlen(name) + 1, 1);
    d->strings = cairn_alloc(context, size + 1, 1);
    cairn_status status = CAIRN_ERROR_MEMORY;
    if (d->name != NULL && d->strings != NULL) {
        memcpy(d->name, name, strlen(name) + 1);
        status = parse_document(d, text, size);
    }
    if (status == CAIRN_OK)
        *document = d;
    else
        cairn_json_destroy(d);
    return status;
}

void cairn_json_destroy(cairn_json_document *d) {
    if (d == NULL)
        return;
    for (chunk *c = d->chunks; c != NULL;) {
        chunk *next = c->next;
        cairn_free(d->context, c);
        c = next;
    }
    for (kept *k = d->kept; k != NULL;) {
        kept *next = k->next;
        cairn_free(d->context, k);
        k = next;
    }
    cairn_free(d->context, d->name);
    cairn_free(d->context, d->strings);
    cairn_free(d->context, d);
}

cairn_json *cairn_json_root(const cairn_json_document *document) {
    return document->root;
}

char *cairn_json_keep(cairn_json_document *d, const char *text, size_t length) {
    kept *k = cairn_alloc(d->context, sizeof *k + length + 1, 1);
    if (k == NULL)
        return NULL;
    memcpy(k->text, text, length);
    k->next = d->kept;
    d->kept = k;
    return k->text;
}

cairn_json *cairn_json_add(cairn_json_document *d, cairn_json *object, const char *key) {
    cairn_json *v = cairn_json_member(object, key);
    if (v != NULL)
        return v;
    const char *copy = cairn_json_keep(d, key, strlen(key));
    v = copy != NULL ? append(d, object) : NULL;
    if (v != NULL)
        v->key = copy;
    return v;
}

cairn_json *cairn_json_member(const cairn_json *object, const char *key) {
    if (object == NULL || object->kind != CAIRN_JSON_OBJECT)
        return NULL;
    for (cairn_json *v = object->first; v != NULL; v = v->next)
        if (strcmp(v->key, key) == 0)
            return v;
    return NULL;
}

const char *cairn_json_path(const cairn_json *value, char *path, size_t size) {
    size_t used = 0;
    if (size == 0)
        return "";
    path[0] = '\0';
    if (value->parent == NULL)
        return path;
    cairn_json_path(value->parent, path, size);
    used = strlen(path);
    if (value->key != NULL)
        snprintf(path + used, size - used, "%s%.60s", used > 0 ? "." : "", value->key);
    else
        snprintf(path + used, size - used, "[%d]", value->index);
    return path;
}

const char *cairn_json_describe(const cairn_json *v, char *text, size_t size) {
    switch (v->kind) {
    case CAIRN_JSON_NULL:
        snprintf(text, size, "null");
        break;
    case CAIRN_JSON_BOOL:
        snprintf(text, size, "%s", v->number != 0.0 ? "true" : "false");
        break;
    case CAIRN_JSON_NUMBER:
        snprintf(text, size, "the number %.10g", v->number);
        break;
    case CAIRN_JSON_STRING:
        snprintf(text, size, "the text '%.60s'", v->text);
        break;
    case CAIRN_JSON_ARRAY:
        snprintf(text, size, "a list of %d", v->count);
        break;
    case CAIRN_JSON_OBJECT:
        snprintf(text, size, "an object");
        break;
    }
    return text;
}
