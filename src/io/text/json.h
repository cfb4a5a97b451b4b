/*
 * json.h: JSON with comments, as a tree in which every value knows its line and column.
 *
 * Strict: no trailing commas, no duplicate keys, no unquoted words, valid UTF-8. Comments are those
 * of C: // to the end of the line and slash-star. Limits: JSON_BYTES_MAX, JSON_DEPTH_MAX,
 * JSON_MEMBERS_MAX; memory is linear in the size of the text.
 */
#ifndef CAIRN_IO_TEXT_JSON_H
#define CAIRN_IO_TEXT_JSON_H

#include "base/core.h"

#define CAIRN_JSON_BYTES_MAX   ((size_t)16 << 20)
#define CAIRN_JSON_DEPTH_MAX   64
#define CAIRN_JSON_MEMBERS_MAX 4096 /* of one object */
#define CAIRN_JSON_DIGITS_MAX  60   /* of one number */

typedef enum cairn_json_kind {
    CAIRN_JSON_NULL = 0,
    CAIRN_JSON_BOOL,
    CAIRN_JSON_NUMBER,
    CAIRN_JSON_STRING,
    CAIRN_JSON_ARRAY,
    CAIRN_JSON_OBJECT
} cairn_json_kind;

typedef struct cairn_json cairn_json;
struct cairn_json {
    cairn_json_kind kind;
    int line, column;              /* of the value, from 1; columns count characters. Line 0: it comes from no file */
    int key_line, key_column;      /* of its key */
    const char *name;              /* of the text, for messages */
    const char *key;               /* NULL outside objects */
    const char *text;              /* string, NUL at its end; it holds no other NUL */
    double number;                 /* number; bool: 0 or 1 */
    int index, count;              /* place in its array or object; number of items */
    cairn_json *parent, *next;     /* NULL at the root; at the last */
    cairn_json *first, *last_item; /* NULL when empty */
};

typedef struct cairn_json_document cairn_json_document;

/* Reads size bytes. On failure CAIRN_ERROR_PARSE and a message "name:line:column: ...". The text
 * is not kept; name is copied. */
cairn_status cairn_json_parse(cairn_context *context, const char *text, size_t size, const char *name,
                              cairn_json_document **document);
void cairn_json_destroy(cairn_json_document *document); /* NULL allowed */
cairn_json *cairn_json_root(const cairn_json_document *document);

/* One more member at the end of an object, or the item itself when it is there: for overrides. A
 * null that comes from no file. key is copied. NULL: no memory. */
cairn_json *cairn_json_add(cairn_json_document *document, cairn_json *object, const char *key);
/* A copy of the text that lives as long as the document. NULL: no memory. */
char *cairn_json_keep(cairn_json_document *document, const char *text, size_t length);

/* NULL: no such member, or not an object. */
cairn_json *cairn_json_member(const cairn_json *object, const char *key);
/* "bodies[3].shape.box": at most size bytes with the NUL; returns path. */
const char *cairn_json_path(const cairn_json *value, char *path, size_t size);
/* What a value is, in words for messages: "an object", "the number 3", "the text 'abc'"; returns
 * text. */
const char *cairn_json_describe(const cairn_json *value, char *text, size_t size);

/* Reads a number of JSON's grammar that begins at `at`; returns where it ends, or NULL: none,
 * too long, or out of range. Does not depend on the locale. */
const char *cairn_json_scan_number(const char *at, const char *end, double *value);
/* Reads a number as people write it: .5 is one too. */
const char *cairn_scan_number(const char *at, const char *end, double *value);

#endif
