/*
 * surface_obj.c: Wavefront OBJ: v, f, and o and g for groups. Two passes: count, then fill.
 *
 * A face names points as 7, 7/1, 7//3 or 7/1/3, from 1 on; negative numbers count back from the
 * last point so far. A line that ends with \ goes on. Free-form curves and surfaces are refused;
 * everything else that OBJ knows says nothing about the shape.
 */
#include "io/mesh_file/surface_file.h"
#include "io/text/text_scan.h"

#include <string.h>

enum { CORNERS_MAX = 1000 };

typedef struct obj {
    cairn_scan scan; /* of one line */
    const char *name, *text, *end;
    int line; /* that the next one has */
    int points, triangles, groups;
    bool fill, fresh; /* fresh: a group begins with the next face */
    cairn_surface *surface;
    int loop[CORNERS_MAX], order[CORNERS_MAX];
} obj;

static cairn_status fail(obj *o, cairn_status status) {
    return cairn_fail(o->scan.context, status, "%s: %s", o->name, o->scan.message);
}

/* The next line, with those that go on after a backslash; false: there is none. */
static bool next_line(obj *o) {
    if (o->text >= o->end)
        return false;
    o->scan.at = o->text;
    o->scan.line = o->scan.word_line = o->line;
    bool more = true;
    while (more && o->text < o->end) {
        const char *stop = memchr(o->text, '\n', (size_t)(o->end - o->text)), *last = stop != NULL ? stop : o->end;
        o->scan.end = last;
        while (last > o->text && (last[-1] == '\r' || last[-1] == ' '))
            last--;
        more = stop != NULL && last > o->text && last[-1] == '\\';
        o->text = stop != NULL ? stop + 1 : o->end;
        o->line++;
    }
    return true;
}

/* The next word of the line that is not a lone backslash. */
static cairn_status next_word(obj *o) {
    cairn_status status;
    do
        status = cairn_scan_word(&o->scan);
    while (status == CAIRN_OK && strcmp(o->scan.word, "\\") == 0);
    return status;
}

static cairn_status read_point(obj *o) {
    double x[3] = {0, 0, 0};
    if (o->points == CAIRN_SURFACE_MAX)
        return cairn_scan_bad(&o->scan, CAIRN_ERROR_PARSE, "more than %d points", CAIRN_SURFACE_MAX);
    for (int i = 0; i < 3 && o->fill; i++) {
        static const char *const what[3] = {"the x of a point", "the y of a point", "the z of a point"};
        cairn_status status = cairn_scan_real(&o->scan, what[i], &x[i]);
        if (status != CAIRN_OK && o->scan.word[0] == '\0')
            return cairn_scan_bad(&o->scan, status, "a point of %d numbers; expected v x y z", i);
        if (status != CAIRN_OK)
            return status;
    }
    if (o->fill)
        o->surface->point[o->points] = cairn_vec3_of(x[0], x[1], x[2]);
    o->points++;
    return CAIRN_OK;
}

/* The point that a corner of a face names, from 0 on. */
static cairn_status read_corner(obj *o, int *point) {
    char *word = o->scan.word, *slash = strchr(word, '/');
    int number = 0;
    if (slash != NULL)
        *slash = '\0';
    if (!cairn_scan_whole(word, &number) || number == 0)
        return cairn_scan_bad(&o->scan, CAIRN_ERROR_PARSE,
                              "expected the number of a point as in 7, 7/1 or -1, found '%s'", word);
    *point = number > 0 ? number - 1 : o->points + number;
    if (*point < 0 || *point >= o->points)
        return cairn_scan_bad(&o->scan, CAIRN_ERROR_PARSE, "the face names point %d, but there are %d so far", number,
                              o->points);
    return CAIRN_OK;
}

static cairn_status read_face(obj *o) {
    int corners = 0;
    for (;;) {
        cairn_status status = next_word(o);
        if (status != CAIRN_OK)
            return status;
        if (o->scan.word[0] == '\0' || o->scan.word[0] == '#')
            break;
        if (corners == CORNERS_MAX)
            return cairn_scan_bad(&o->scan, CAIRN_ERROR_PARSE, "a face of more than %d corners", CORNERS_MAX);
        status = o->fill ? read_corner(o, &o->loop[corners]) : CAIRN_OK;
        if (status != CAIRN_OK)
            return status;
        corners++;
    }
    if (corners < 3)
        return cairn_scan_bad(&o->scan, CAIRN_ERROR_PARSE, "a face of %d corners; at least 3 are needed", corners);
    if (o->triangles > CAIRN_SURFACE_MAX - corners)
        return cairn_scan_bad(&o->scan, CAIRN_ERROR_PARSE, "more than %d triangles", CAIRN_SURFACE_MAX);
    o->groups += o->fresh ? 1 : 0;
    o->fresh = false;
    if (o->fill) {
        cairn_surface_cut(o->surface->point, corners, o->loop, o->order, o->surface->corner + 3 * (size_t)o->triangles);
        for (int i = 0; i < corners - 2; i++)
            o->surface->group[o->triangles + i] = o->groups - 1;
    }
    o->triangles += corners - 2;
    return CAIRN_OK;
}

static cairn_status read_line(obj *o) {
    static const char *const silent[] = {"vt",     "vn",       "vp",       "s",          "usemtl",   "mtllib",
                                         "usemap", "maplib",   "mg",       "bevel",      "l",        "p",
                                         "lod",    "c_interp", "d_interp", "shadow_obj", "trace_obj"};
    static const char *const curved[] = {"curv", "curv2", "surf", "cstype", "deg", "bmat", "step",  "parm",
                                         "trim", "hole",  "end",  "scrv",   "sp",  "con",  "ctech", "stech"};
    cairn_status status = next_word(o);
    const char *word = o->scan.word;
    if (status != CAIRN_OK && o->scan.word[0] != '#')
        return status;
    if (word[0] == '\0' || word[0] == '#')
        return CAIRN_OK;
    if (strcmp(word, "v") == 0)
        return read_point(o);
    if (strcmp(word, "f") == 0 || strcmp(word, "fo") == 0)
        return read_face(o);
    if (strcmp(word, "o") == 0 || strcmp(word, "g") == 0) {
        o->fresh = true;
        return CAIRN_OK;
    }
    for (size_t i = 0; i < sizeof silent / sizeof *silent; i++)
        if (strcmp(word, silent[i]) == 0)
            return CAIRN_OK;
    for (size_t i = 0; i < sizeof curved / sizeof *curved; i++)
        if (strcmp(word, curved[i]) == 0)
            return cairn_scan_bad(&o->scan, CAIRN_ERROR_PARSE,
                                  "'%s': free-form curves and surfaces are not read; export polygons", word);
    return cairn_scan_bad(&o->scan, CAIRN_ERROR_PARSE,
                          "'%.30s' is no word of an OBJ file; expected v, f, o, g, vn, vt, # ...", word);
}

static cairn_status pass(obj *o, const char *text, size_t size, bool fill) {
    o->text = text;
    o->end = text + size;
    o->line = 1;
    o->points = o->triangles = o->groups = 0;
    o->fill = fill;
    o->fresh = true;
    while (next_line(o)) {
        cairn_status status = read_line(o);
        if (status != CAIRN_OK)
            return fail(o, status);
    }
    return CAIRN_OK;
}

cairn_status cairn_surface_obj(cairn_context *context, const char *text, size_t size, const char *name,
                               cairn_surface *surface) {
    obj *o = cairn_alloc(context, 1, sizeof *o);
    if (o == NULL)
        return CAIRN_ERROR_MEMORY;
    o->scan.context = context;
    o->name = name;
    o->surface = surface;
    cairn_status status = pass(o, text, size, false);
    if (status == CAIRN_OK && o->triangles == 0)
        status = cairn_fail(context, CAIRN_ERROR_PARSE, "%s: the file has %d points (v) and no face (f)", name,
                            o->points);
    if (status == CAIRN_OK)
        status = cairn_surface_take(context, o->points, o->triangles, surface);
    if (status == CAIRN_OK)
        status = pass(o, text, size, true);
    surface->groups = o->groups;
    cairn_free(context, o);
    return status;
}
