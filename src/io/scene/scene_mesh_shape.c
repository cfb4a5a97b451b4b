/*
 * scene_mesh_shape.c: hulls, meshes and convex pieces of a scene: from points in the scene or from
 * OBJ and STL files.
 */
#include "io/scene/scene_data.h"

enum { POINTS_MAX = 100000, PIECES_MAX = 10000 };

/* Points of a scene while they are read. */
typedef struct point_list {
    cairn_vec3 *point;
    int count, capacity;
} point_list;

/* The points of one copy. */
static void add_points(cairn_reader *r, const cairn_json *v, cairn_pose place, int number, void *user) {
    point_list *all = user;
    (void)number;
    for (const cairn_json *item = cairn_json_member(v, "points")->first; item != NULL; item = item->next) {
        cairn_vec3 p = cairn_reader_vec3(r, item, CAIRN_RANGE_ANY);
        if (r->status == CAIRN_OK && all->count == POINTS_MAX)
            cairn_reader_fail(r, v, "more than %d points", POINTS_MAX);
        if (!cairn_reader_grow(r, &all->point, all->count, &all->capacity, sizeof *all->point))
            return;
        all->point[all->count++] = cairn_pose_apply(place, p);
    }
}

/* A list of points, repeated where "repeat" asks for it; NULL after a failure. */
static cairn_vec3 *read_points(cairn_reader *r, const cairn_json *v, int *count) {
    const cairn_json *list = cairn_reader_need(r, v, "points");
    point_list all = {0};
    if (list == NULL || !cairn_reader_list(r, list, 1, POINTS_MAX, "a list of points [[x, y, z], ...]"))
        return NULL;
    cairn_reader_repeat(r, v, add_points, &all);
    *count = all.count;
    if (r->status != CAIRN_OK) {
        cairn_free(r->context, all.point);
        return NULL;
    }
    return all.point;
}

/* The surface in the file that v names; false after a failure. The caller clears it. */
static bool read_surface(cairn_reader *r, const cairn_json *v, cairn_surface *surface) {
    const cairn_json *file = cairn_reader_need(r, v, "file");
    double scale = cairn_reader_number_or(r, v, "scale", CAIRN_RANGE_POSITIVE, 1.0);
    char path[CAIRN_SCENE_PATH_MAX];
    *surface = (cairn_surface){0};
    if (file == NULL || !cairn_reader_path(r, file, path))
        return false;
    cairn_status status = cairn_surface_read(r->context, path, scale, surface);
    if (status != CAIRN_OK)
        cairn_reader_fail_inside(r, file, status);
    return status == CAIRN_OK;
}

/* Points or a file, not both: true when it is the file. */
static bool from_file(cairn_reader *r, const cairn_json *v, const char *what) {
    const cairn_json *file = cairn_json_member(v, "file"), *scale = cairn_json_member(v, "scale");
    const cairn_json *points = cairn_json_member(v, "points"), *triangles = cairn_json_member(v, "triangles");
    const cairn_json *repeat = cairn_json_member(v, "repeat");
    if (file == NULL && scale != NULL)
        cairn_reader_fail_key(r, scale, "\"scale\" belongs to a \"file\"; there is none");
    if (file == NULL && points == NULL)
        cairn_reader_fail(r, v, "expected %s or \"file\"", what);
    if (file != NULL && repeat != NULL)
        cairn_reader_fail_key(r, repeat, "\"repeat\" belongs to \"points\", not to a \"file\"");
    if (file != NULL && (points != NULL || triangles != NULL))
        cairn_reader_fail_key(r, points != NULL ? points : triangles, "\"file\" is given as well: one is enough");
    return file != NULL;
}

cairn_status cairn_reader_hull(cairn_reader *r, const cairn_json *v, cairn_shape **shape) {
    int count = 0;
    cairn_status status = CAIRN_OK;
    if (from_file(r, v, "\"points\"")) {
        cairn_surface surface;
        if (read_surface(r, v, &surface))
            status = cairn_shape_hull(r->context, surface.points, surface.point, shape);
        cairn_surface_clear(r->context, &surface);
        return status;
    }
    cairn_vec3 *point = r->status == CAIRN_OK ? read_points(r, v, &count) : NULL;
    if (r->status == CAIRN_OK)
        status = cairn_shape_hull(r->context, count, point, shape);
    cairn_free(r->context, point);
    return status;
}

static cairn_status mesh_of_file(cairn_reader *r, const cairn_json *v, cairn_shape **shape) {
    cairn_surface s;
    cairn_status status = CAIRN_OK;
    if (read_surface(r, v, &s))
        status = cairn_shape_mesh(r->context, s.points, s.point, s.triangles, s.corner, shape);
    cairn_surface_clear(r->context, &s);
    return status;
}

cairn_status cairn_reader_mesh(cairn_reader *r, const cairn_json *v, cairn_shape **shape) {
    int count = 0;
    if (from_file(r, v, "\"points\" and \"triangles\""))
        return mesh_of_file(r, v, shape);
    cairn_vec3 *point = r->status == CAIRN_OK ? read_points(r, v, &count) : NULL;
    const cairn_json *list = point != NULL ? cairn_reader_need(r, v, "triangles") : NULL;
    cairn_status status = CAIRN_OK;
    if (list != NULL && cairn_reader_list(r, list, 1, POINTS_MAX, "a list of triangles [[i, j, k], ...]")) {
        int *corner = cairn_alloc(r->context, 3 * (size_t)list->count, sizeof *corner);
        if (corner == NULL)
            r->status = CAIRN_ERROR_MEMORY;
        for (const cairn_json *t = list->first; t != NULL && r->status == CAIRN_OK; t = t->next)
            if (cairn_reader_list(r, t, 3, 3, "three numbers of points"))
                for (const cairn_json *c = t->first; c != NULL; c = c->next)
                    corner[3 * t->index + c->index] = cairn_reader_count(r, c, 0, count - 1);
        if (r->status == CAIRN_OK)
            status = cairn_shape_mesh(r->context, count, point, list->count, corner, shape);
        cairn_free(r->context, corner);
    }
    cairn_free(r->context, point);
    return status;
}

/* The hull of one group of triangles. mark, list: workspace for as many points as there are. */
static cairn_status hull_of_group(cairn_reader *r, const cairn_surface *s, int *next, int *mark, cairn_vec3 *list,
                                  cairn_shape **shape) {
    int group = s->group[*next], count = 0;
    for (; *next < s->triangles && s->group[*next] == group; ++*next)
        for (int k = 0; k < 3; k++) {
            int p = s->corner[3 * *next + k];
            if (mark[p] != group + 1)
                list[count++] = s->point[p];
            mark[p] = group + 1;
        }
    return cairn_shape_hull(r->context, count, list, shape);
}

/* Every object of the file is one convex piece. */
cairn_status cairn_reader_pieces(cairn_reader *r, const cairn_json *v, cairn_shape **shape) {
    cairn_surface s;
    cairn_status status = CAIRN_OK;
    if (!read_surface(r, v, &s))
        return CAIRN_OK;
    if (s.groups > PIECES_MAX)
        cairn_reader_fail(r, v, "the file has %d objects; at most %d pieces make a shape", s.groups, PIECES_MAX);
    size_t groups = (size_t)s.groups;
    cairn_shape **piece = cairn_alloc(r->context, groups, sizeof *piece);
    cairn_pose *pose = cairn_alloc(r->context, groups, sizeof *pose);
    int *mark = cairn_alloc(r->context, (size_t)s.points, sizeof *mark), next = 0;
    cairn_vec3 *list = cairn_alloc(r->context, (size_t)s.points, sizeof *list);
    if (piece == NULL || pose == NULL || mark == NULL || list == NULL)
        status = CAIRN_ERROR_MEMORY;
    for (int g = 0; g < s.groups && r->status == CAIRN_OK && status == CAIRN_OK; g++) {
        pose[g] = cairn_pose_identity();
        status = hull_of_group(r, &s, &next, mark, list, &piece[g]);
    }
    if (status == CAIRN_OK && r->status == CAIRN_OK)
        status = cairn_shape_compound(r->context, s.groups, piece, pose, shape);
    for (int g = 0; piece != NULL && g < s.groups; g++)
        cairn_shape_release(piece[g]);
    cairn_free(r->context, piece);
    cairn_free(r->context, pose);
    cairn_free(r->context, mark);
    cairn_free(r->context, list);
    cairn_surface_clear(r->context, &s);
    return status;
}
