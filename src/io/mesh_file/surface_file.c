/*
 * surface_file.c: surfaces of triangles from files: which format it is, and STL.
 *
 * A binary STL is recognised by its size, 84 + 50 n bytes with n at byte 80: such files begin with
 * "solid" at times. Then comes text that begins with "solid", then OBJ. Numbers of a binary STL are
 * little-endian.
 */
#define _POSIX_C_SOURCE 200809L

#include "base/input.h"
#include "io/mesh_file/surface_file.h"
#include "io/text/text_scan.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define BYTES_MAX ((size_t)1 << 30)

enum { STL_HEAD = 84, STL_FACET = 50 };

cairn_status cairn_surface_take(cairn_context *context, int points, int triangles, cairn_surface *s) {
    s->point = cairn_alloc(context, (size_t)points, sizeof *s->point);
    s->corner = cairn_alloc(context, 3 * (size_t)triangles, sizeof *s->corner);
    s->group = cairn_alloc(context, (size_t)triangles, sizeof *s->group);
    s->points = points;
    s->triangles = triangles;
    return s->point != NULL && s->corner != NULL && s->group != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

void cairn_surface_clear(cairn_context *context, cairn_surface *s) {
    if (context == NULL || s == NULL)
        return;
    cairn_free(context, s->point);
    cairn_free(context, s->corner);
    cairn_free(context, s->group);
    *s = (cairn_surface){0};
}

/* ---- what it is ---- */

static const char *other_format(const unsigned char *b, size_t size) {
    static const struct {
        const char *magic;
        size_t length;
        const char *what;
    } known[] = {{"\x89PNG", 4, "a PNG picture"},
                 {"\xFF\xD8\xFF", 3, "a JPEG picture"},
                 {"GIF8", 4, "a GIF picture"},
                 {"BM", 2, "a BMP picture"},
                 {"%PDF", 4, "a PDF document"},
                 {"PK\x03\x04", 4, "a ZIP archive"},
                 {"\x1F\x8B", 2, "a gzip file"},
                 {"glTF", 4, "a glTF model"},
                 {"ply\n", 4, "a PLY model"},
                 {"ply\r", 4, "a PLY model"},
                 {"<?xml", 5, "an XML file"},
                 {"\x89HDF", 4, "an HDF5 file"},
                 {"\x7F"
                  "ELF",
                  4, "a program"},
                 {"{", 1, "a JSON file"}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (size >= known[i].length && memcmp(b, known[i].magic, known[i].length) == 0)
            return known[i].what;
    return NULL;
}

static uint32_t word_at(const unsigned char *b) {
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static double float_at(const unsigned char *b) {
    uint32_t bits = word_at(b);
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

static bool is_binary_stl(const unsigned char *b, size_t size) {
    return size >= STL_HEAD && (size - STL_HEAD) % STL_FACET == 0 && word_at(b + 80) == (size - STL_HEAD) / STL_FACET;
}

static bool begins_with(const unsigned char *b, size_t size, const char *word) {
    size_t length = strlen(word), at = 0;
    while (at < size && (b[at] == ' ' || b[at] == '\t' || b[at] == '\n' || b[at] == '\r'))
        at++;
    return size - at >= length && memcmp(b + at, word, length) == 0;
}

/* ---- STL ---- */

static cairn_status read_binary(cairn_context *context, const unsigned char *b, size_t size, const char *name,
                                cairn_surface *s) {
    size_t n = (size - STL_HEAD) / STL_FACET;
    if (n == 0)
        return cairn_fail(context, CAIRN_ERROR_PARSE, "%s: a binary STL file without a triangle", name);
    if (n > CAIRN_SURFACE_MAX / 3)
        return cairn_fail(context, CAIRN_ERROR_PARSE, "%s: %zu triangles; at most %d are read", name, n,
                          CAIRN_SURFACE_MAX / 3);
    cairn_status status = cairn_surface_take(context, 3 * (int)n, (int)n, s);
    if (status != CAIRN_OK)
        return status;
    s->groups = 1;
    for (size_t i = 0; i < 3 * n; i++) {
        const unsigned char *at = b + STL_HEAD + STL_FACET * (i / 3) + 12 + 12 * (i % 3); /* the normal is left out */
        s->point[i] = cairn_vec3_of(float_at(at), float_at(at + 4), float_at(at + 8));
        s->corner[i] = (int)i;
        if (!isfinite(s->point[i].x) || !isfinite(s->point[i].y) || !isfinite(s->point[i].z))
            return cairn_fail(context, CAIRN_ERROR_PARSE,
                              "%s: byte %zu: corner %zu of triangle %zu is not finite; expected three finite numbers",
                              name, (size_t)(at - b), i % 3 + 1, i / 3 + 1);
    }
    return CAIRN_OK;
}

/* One facet after its first word; NULL surface: only looked at. */
static cairn_status read_facet(cairn_scan *scan, int number, cairn_surface *s) {
    static const char *const head[] = {"normal", NULL, NULL, NULL, "outer", "loop"}, *const what[] = {"x", "y", "z"};
    cairn_status status = CAIRN_OK;
    for (size_t i = 0; i < sizeof head / sizeof *head && status == CAIRN_OK; i++)
        status = head[i] != NULL ? cairn_scan_expect(scan, head[i]) : cairn_scan_word(scan);
    for (int k = 0; k < 3 && status == CAIRN_OK; k++) {
        double x[3] = {0, 0, 0};
        status = cairn_scan_expect(scan, "vertex");
        for (int i = 0; i < 3 && status == CAIRN_OK; i++)
            status = cairn_scan_real(scan, what[i], &x[i]);
        if (s != NULL && status == CAIRN_OK) {
            s->point[3 * number + k] = cairn_vec3_of(x[0], x[1], x[2]);
            s->corner[3 * number + k] = 3 * number + k;
        }
    }
    if (status == CAIRN_OK)
        status = cairn_scan_expect(scan, "endloop");
    return status == CAIRN_OK ? cairn_scan_expect(scan, "endfacet") : status;
}

/* All solids. NULL surface: only counts. */
static cairn_status scan_solids(cairn_scan *scan, cairn_surface *s, int *triangles, int *groups) {
    bool inside = false, fresh = false;
    *triangles = *groups = 0;
    for (;;) {
        cairn_status status = cairn_scan_word(scan);
        if (status != CAIRN_OK)
            return status;
        if (scan->word[0] == '\0' && !inside)
            return CAIRN_OK;
        if (!inside && strcmp(scan->word, "solid") == 0) {
            cairn_scan_skip_line(scan);
            inside = fresh = true;
        } else if (inside && strcmp(scan->word, "endsolid") == 0) {
            cairn_scan_skip_line(scan);
            inside = false;
        } else if (inside && strcmp(scan->word, "facet") == 0) {
            if (*triangles == CAIRN_SURFACE_MAX / 3)
                return cairn_scan_bad(scan, CAIRN_ERROR_PARSE, "more than %d triangles", CAIRN_SURFACE_MAX / 3);
            status = read_facet(scan, *triangles, s);
            if (status != CAIRN_OK)
                return status;
            *groups += fresh ? 1 : 0;
            fresh = false;
            if (s != NULL)
                s->group[*triangles] = *groups - 1;
            ++*triangles;
        } else {
            return cairn_scan_bad(scan, CAIRN_ERROR_PARSE, "expected %s, found %s",
                                  inside ? "'facet' or 'endsolid'" : "'solid'",
                                  scan->word[0] != '\0' ? scan->word : "the end of the file");
        }
    }
}

static cairn_status read_text_stl(cairn_context *context, const char *text, size_t size, const char *name,
                                  cairn_surface *s) {
    int triangles = 0;
    for (int fill = 0; fill < 2; fill++) {
        cairn_scan scan = {.context = context, .at = text, .end = text + size, .line = 1, .word_line = 1};
        cairn_status status = scan_solids(&scan, fill ? s : NULL, &triangles, &s->groups);
        if (status != CAIRN_OK)
            return cairn_fail(context, status, "%s: %s", name, scan.message);
        if (triangles == 0)
            return cairn_fail(context, CAIRN_ERROR_PARSE, "%s: an STL file without a triangle ('facet')", name);
        status = fill ? CAIRN_OK : cairn_surface_take(context, 3 * triangles, triangles, s);
        if (status != CAIRN_OK)
            return status;
    }
    return CAIRN_OK;
}

/* ---- all of it ---- */

static cairn_status parse(cairn_context *context, const unsigned char *b, size_t size, const char *name,
                          cairn_surface *s) {
    const char *other = other_format(b, size);
    if (size == 0)
        return cairn_fail(context, CAIRN_ERROR_PARSE, "%s: the file is empty; expected a surface in OBJ or STL", name);
    if (is_binary_stl(b, size))
        return read_binary(context, b, size, name, s);
    if (other != NULL)
        return cairn_fail(context, CAIRN_ERROR_PARSE, "%s: this is %s; expected a surface of triangles in OBJ or STL",
                          name, other);
    const unsigned char *zero = memchr(b, 0, size);
    if (zero != NULL && size >= STL_HEAD)
        return cairn_fail(
            context, CAIRN_ERROR_PARSE,
            "%s: neither text (byte %zu is 0) nor a binary STL: one of %lu triangles, as bytes 80 to 83 say, has %llu "
            "bytes, this file has %zu",
            name, (size_t)(zero - b), (unsigned long)word_at(b + 80),
            STL_HEAD + STL_FACET * (unsigned long long)word_at(b + 80), size);
    if (zero != NULL)
        return cairn_fail(
            context, CAIRN_ERROR_PARSE,
            "%s: neither text (byte %zu is 0) nor a binary STL, which has at least %d bytes; this file has %zu", name,
            (size_t)(zero - b), STL_HEAD, size);
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (plain == (locale_t)0)
        return cairn_fail(context, CAIRN_ERROR_MEMORY, "%s: out of memory: no \"C\" locale", name);
    locale_t before = uselocale(plain);
    cairn_status status = begins_with(b, size, "solid") ? read_text_stl(context, (const char *)b, size, name, s)
                                                        : cairn_surface_obj(context, (const char *)b, size, name, s);
    uselocale(before);
    freelocale(plain);
    return status;
}

cairn_status cairn_surface_parse(cairn_context *context, const void *bytes, size_t size, const char *name, double scale,
                                 cairn_surface *surface) {
    if (context == NULL || bytes == NULL || name == NULL || surface == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "cairn_surface_parse: an argument is NULL");
    cairn_surface s = {0};
    if (!(scale > 0.0) || !isfinite(scale))
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "%s: the scale is %g; it must be positive and finite", name,
                          scale);
    cairn_status status = parse(context, bytes, size, name, &s);
    for (int i = 0; i < s.points && status == CAIRN_OK; i++) {
        s.point[i] = cairn_vec3_scale(scale, s.point[i]);
        if (!(cairn_vec3_length(s.point[i]) < 1e100))
            status = cairn_fail(context, CAIRN_ERROR_PARSE, "%s: point %d is farther than 1e100 m from the origin",
                                name, i + 1);
    }
    if (status == CAIRN_OK)
        *surface = s;
    else
        cairn_surface_clear(context, &s);
    return status;
}

cairn_status cairn_bytes_read(cairn_context *context, const char *path, char **bytes, size_t *size) {
    return cairn_input_read(context, path, NULL, BYTES_MAX, bytes, size);
}

cairn_status cairn_surface_read(cairn_context *context, const char *path, double scale, cairn_surface *surface) {
    if (context == NULL || path == NULL || surface == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "cairn_surface_read: an argument is NULL");
    char *bytes = NULL;
    size_t size = 0;
    cairn_status status = cairn_bytes_read(context, path, &bytes, &size);
    if (status == CAIRN_OK)
        status = cairn_surface_parse(context, bytes, size, path, scale, surface);
    cairn_free(context, bytes);
    return status;
}
