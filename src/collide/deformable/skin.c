/*
 * skin.c: a surface of triangles that deforms: its boxes and normals, the nearest point of it, and
 * sharp edges that cross.
 *
 * A point that asks has normals of its own (the faces around it): two surfaces meet only where they
 * look at each other. The sign of a distance is that of the product with the sum of the faces'
 * normals around the nearest point, each weighted by its angle there, which is right for every
 * closed surface (Baerentzen and Aanaes 2005). The trees are sorted once, for the places when the
 * skin was made, and only their boxes follow: what a step finds does not depend on how the surface
 * came to be where it is.
 *
 * Outside a sharp edge (faces bent by more than 40 degrees) the nearest point says little about
 * where things will meet within a long step: such points count only when they are nearer than NEAR
 * edges; the faces and crossing edges see the rest.
 */
#include "collide/deformable/skin.h"

#include <math.h>
#include <string.h>

#define LOOKS      0.1   /* cosine: a face looks at what lies along a direction */
#define LOOKS_WELL 0.5   /* the same for directions that are no face's normal */
#define SHARP      0.766 /* cosine between faces: bent by more than 40 degrees */
#define BENT       0.985 /* 10 degrees: an edge that may cross others */
#define NEAR       0.1   /* of an edge */
#define LEAN       0.17  /* sine: how far the direction between two edges may lean out of the sides' normals */
#define LONGER     0.1   /* edges: how much longer the way out through a face that a point looks at may be */
#define DEEP       2.0   /* edges: what lies deeper inside is not this surface's business */

void cairn_skin_contacts_add(cairn_skin_contacts *list, const cairn_skin_contact *contact) {
    if (list->count == list->capacity) {
        int capacity = 2 * list->capacity + 64;
        cairn_skin_contact *larger = cairn_alloc(list->context, (size_t)capacity, sizeof *larger);
        if (larger == NULL) {
            list->failed = true;
            return;
        }
        if (list->count > 0)
            memcpy(larger, list->item, (size_t)list->count * sizeof *larger);
        cairn_free(list->context, list->item);
        list->item = larger;
        list->capacity = capacity;
    }
    list->item[list->count++] = *contact;
}

static void lay_out(cairn_arena *a, int numbers, cairn_skin *s) {
    size_t f = (size_t)s->faces, e = (size_t)s->edges, n = (size_t)s->nodes;
    s->face = cairn_arena_take(a, 3 * f, sizeof(int));
    s->edge = cairn_arena_take(a, 2 * e, sizeof(int));
    s->edge_face = cairn_arena_take(a, 2 * e, sizeof(int));
    s->beside = cairn_arena_take(a, 3 * f, sizeof(int));
    s->node = cairn_arena_take(a, n, sizeof(int));
    s->around_start = cairn_arena_take(a, n + 1, sizeof(int));
    s->around = cairn_arena_take(a, 3 * f, sizeof(int));
    s->node_of = cairn_arena_take(a, (size_t)numbers, sizeof(int));
    s->normal = cairn_arena_take(a, f, sizeof(cairn_vec3));
    s->face_box = cairn_arena_take(a, f, sizeof(cairn_bounds));
    s->edge_box = cairn_arena_take(a, e, sizeof(cairn_bounds));
    s->face_tree = cairn_arena_take(a, 2 * f + 1, sizeof(cairn_bounds));
    s->edge_tree = cairn_arena_take(a, 2 * e + 1, sizeof(cairn_bounds));
    s->face_order = cairn_arena_take(a, f, sizeof(int));
    s->edge_order = cairn_arena_take(a, e, sizeof(int));
}

/* Faces around each node; faces beside each edge, and edges of each face. */
static void connect(cairn_skin *s, int numbers) {
    for (int i = 0; i < numbers; i++)
        s->node_of[i] = -1;
    for (int i = 0; i < s->nodes; i++)
        s->node_of[s->node[i]] = i;
    for (int i = 0; i < 3 * s->faces; i++)
        s->around_start[s->node_of[s->face[i]] + 1]++;
    for (int i = 0; i < s->nodes; i++)
        s->around_start[i + 1] += s->around_start[i];
    for (int i = 0; i < 3 * s->faces; i++)
        s->around[s->around_start[s->node_of[s->face[i]]]++] = i / 3;
    for (int i = s->nodes; i > 0; i--)
        s->around_start[i] = s->around_start[i - 1];
    s->around_start[0] = 0;
    for (int e = 0; e < s->edges; e++) {
        int p = s->edge[2 * e], q = s->edge[2 * e + 1], found = 0, at = s->node_of[p];
        s->edge_face[2 * e] = s->edge_face[2 * e + 1] = -1;
        for (int i = s->around_start[at]; i < s->around_start[at + 1]; i++)
            for (int k = 0; k < 3; k++) {
                int f = s->around[i], u = s->face[3 * f + k], v = s->face[3 * f + (k + 1) % 3];
                if (found == 2 || !((u == p && v == q) || (u == q && v == p)))
                    continue;
                s->edge_face[2 * e + found++] = f;
                s->beside[3 * f + k] = e;
            }
    }
}

cairn_status cairn_skin_create(cairn_context *context, int numbers, const cairn_vec3 *x, int faces, const int *face,
                               int edges, const int *edge, int nodes, const int *node, cairn_skin **skin) {
    cairn_skin *s = cairn_alloc(context, 1, sizeof *s);
    if (s == NULL)
        return CAIRN_ERROR_MEMORY;
    *s = (cairn_skin){.context = context, .x = x, .faces = faces, .edges = edges, .nodes = nodes};
    cairn_arena arena = {0};
    lay_out(&arena, numbers, s);
    cairn_status status = cairn_arena_reserve(context, &arena);
    if (status != CAIRN_OK) {
        cairn_free(context, s);
        return status;
    }
    lay_out(&arena, numbers, s);
    s->memory = arena.base;
    memcpy(s->face, face, 3 * (size_t)faces * sizeof *face);
    memcpy(s->edge, edge, 2 * (size_t)edges * sizeof *edge);
    memcpy(s->node, node, (size_t)nodes * sizeof *node);
    connect(s, numbers);
    for (int e = 0; e < edges; e++)
        s->length += cairn_vec3_length(cairn_vec3_sub(x[edge[2 * e]], x[edge[2 * e + 1]])) / edges;
    cairn_skin_refresh(s);
    cairn_box_tree_build(s->face_box, faces, s->face_order, s->face_tree);
    cairn_box_tree_build(s->edge_box, edges, s->edge_order, s->edge_tree);
    *skin = s;
    return CAIRN_OK;
}

void cairn_skin_destroy(cairn_skin *s) {
    if (s == NULL)
        return;
    cairn_free(s->context, s->memory);
    cairn_free(s->context, s);
}

static void widen(cairn_bounds *b, cairn_vec3 p) {
    b->low = cairn_vec3_of(fmin(b->low.x, p.x), fmin(b->low.y, p.y), fmin(b->low.z, p.z));
    b->high = cairn_vec3_of(fmax(b->high.x, p.x), fmax(b->high.y, p.y), fmax(b->high.z, p.z));
}

void cairn_skin_refresh(cairn_skin *s) {
    for (int f = 0; f < s->faces; f++) {
        cairn_vec3 p = s->x[s->face[3 * f]], q = s->x[s->face[3 * f + 1]], r = s->x[s->face[3 * f + 2]];
        cairn_vec3 n = cairn_vec3_cross(cairn_vec3_sub(q, p), cairn_vec3_sub(r, p));
        double area = cairn_vec3_length(n);
        s->normal[f] = area > 0.0 ? cairn_vec3_scale(1.0 / area, n) : cairn_vec3_of(0, 0, 0);
        s->face_box[f] = (cairn_bounds){p, p};
        widen(&s->face_box[f], q);
        widen(&s->face_box[f], r);
    }
    for (int e = 0; e < s->edges; e++) {
        s->edge_box[e] = (cairn_bounds){s->x[s->edge[2 * e]], s->x[s->edge[2 * e]]};
        widen(&s->edge_box[e], s->x[s->edge[2 * e + 1]]);
    }
    cairn_box_tree_refit(s->face_box, s->faces, s->face_order, s->face_tree);
    cairn_box_tree_refit(s->edge_box, s->edges, s->edge_order, s->edge_tree);
}

cairn_lookout cairn_skin_lookout(const cairn_skin *s, int node) {
    cairn_lookout look = {0};
    for (int i = s->around_start[node]; i < s->around_start[node + 1] && look.count < 24; i++)
        look.normal[look.count++] = s->normal[s->around[i]];
    return look;
}

double cairn_lookout_along(const cairn_lookout *look, cairn_vec3 d) {
    double most = -1.0;
    for (int i = 0; i < look->count; i++)
        most = fmax(most, cairn_vec3_dot(look->normal[i], d));
    return most;
}

/* Nearest point of face f; weights, and where it lies. Returns the square of the distance. */
static double nearest_on_face(const cairn_skin *s, int f, cairn_vec3 p, cairn_skin_spot *spot) {
    cairn_vec3 x[3];
    for (int k = 0; k < 3; k++)
        x[k] = s->x[s->face[3 * f + k]];
    cairn_vec3 n = s->normal[f];
    double w[3], sum = 0.0;
    spot->face = f;
    spot->edge = spot->corner = -1;
    for (int k = 0; k < 3; k++) {
        cairn_vec3 u = x[(k + 1) % 3], v = x[(k + 2) % 3];
        w[k] = cairn_vec3_dot(n, cairn_vec3_cross(cairn_vec3_sub(u, p), cairn_vec3_sub(v, p)));
        sum += w[k];
    }
    double best = INFINITY;
    if (sum > 0.0 && w[0] >= 0.0 && w[1] >= 0.0 && w[2] >= 0.0) {
        spot->point = cairn_vec3_add_scaled(p, -cairn_vec3_dot(n, cairn_vec3_sub(p, x[0])), n);
        for (int k = 0; k < 3; k++)
            spot->weight[k] = w[k] / sum;
        cairn_vec3 d = cairn_vec3_sub(p, spot->point);
        return cairn_vec3_dot(d, d);
    }
    for (int k = 0; k < 3; k++) {
        int l = (k + 1) % 3;
        cairn_vec3 e = cairn_vec3_sub(x[l], x[k]);
        double square = cairn_vec3_dot(e, e);
        double t = square > 0.0 ? fmin(1.0, fmax(0.0, cairn_vec3_dot(e, cairn_vec3_sub(p, x[k])) / square)) : 0.0;
        cairn_vec3 q = cairn_vec3_add_scaled(x[k], t, e), d = cairn_vec3_sub(p, q);
        double distance = cairn_vec3_dot(d, d);
        if (!(distance < best))
            continue;
        best = distance;
        spot->point = q;
        spot->edge = t > 0.0 && t < 1.0 ? k : -1;
        spot->corner = t <= 0.0 ? k : t >= 1.0 ? l : -1;
        spot->weight[k] = 1.0 - t;
        spot->weight[l] = t;
        spot->weight[3 - k - l] = 0.0;
    }
    return best;
}

/* Distance of p from low <= x <= high. Without fmax, which is a call of the mathematical
 * library. */
static inline double beyond(double low, double high, double p) {
    double under = low - p, over = p - high, most = under > over ? under : over;
    return most > 0.0 ? most : 0.0;
}

static inline double box_distance(const cairn_bounds *b, cairn_vec3 p) {
    double x = beyond(b->low.x, b->high.x, p.x), y = beyond(b->low.y, b->high.y, p.y),
           z = beyond(b->low.z, b->high.z, p.z);
    return x * x + y * y + z * z;
}

/* Sum of the normals around the spot, each weighted by its angle there. */
static cairn_vec3 spot_normal(const cairn_skin *s, const cairn_skin_spot *spot) {
    if (spot->edge >= 0) {
        int e = s->beside[3 * spot->face + spot->edge],
            g = s->edge_face[2 * e] == spot->face ? s->edge_face[2 * e + 1] : s->edge_face[2 * e];
        return g >= 0 ? cairn_vec3_add(s->normal[spot->face], s->normal[g]) : s->normal[spot->face];
    }
    if (spot->corner < 0)
        return s->normal[spot->face];
    int point = s->face[3 * spot->face + spot->corner], node = s->node_of[point];
    cairn_vec3 sum = {0, 0, 0};
    for (int i = s->around_start[node]; i < s->around_start[node + 1]; i++) {
        int f = s->around[i], k = s->face[3 * f] == point ? 0 : s->face[3 * f + 1] == point ? 1 : 2;
        cairn_vec3 u = cairn_vec3_unit(cairn_vec3_sub(s->x[s->face[3 * f + (k + 1) % 3]], s->x[point]));
        cairn_vec3 v = cairn_vec3_unit(cairn_vec3_sub(s->x[s->face[3 * f + (k + 2) % 3]], s->x[point]));
        sum = cairn_vec3_add_scaled(sum, acos(fmax(-1.0, fmin(1.0, cairn_vec3_dot(u, v)))), s->normal[f]);
    }
    return sum;
}

cairn_skin_spot cairn_skin_nearest(const cairn_skin *s, cairn_vec3 p, double reach, const cairn_lookout *look) {
    cairn_skin_spot best = {.face = -1};
    double least = reach * reach;
    cairn_box_tree_range stack[CAIRN_BOX_TREE_DEPTH];
    int top = 0;
    if (s->faces > 0)
        stack[top++] = (cairn_box_tree_range){0, 0, s->faces};
    while (top > 0) {
        cairn_box_tree_range r = stack[--top];
        if (box_distance(&s->face_tree[r.node], p) > least)
            continue;
        if (r.count > CAIRN_BOX_TREE_LEAF) {
            top = cairn_box_tree_split(r, stack, top);
            cairn_box_tree_range first = stack[top - 1], second = stack[top - 2];
            if (box_distance(&s->face_tree[second.node], p) < box_distance(&s->face_tree[first.node], p)) {
                stack[top - 1] = second; /* the nearer one first */
                stack[top - 2] = first;
            }
            continue;
        }
        for (int l = r.begin; l < r.begin + r.count; l++) {
            int f = s->face_order[l];
            if (box_distance(&s->face_box[f], p) > least)
                continue;
            cairn_skin_spot spot;
            if (look->count > 0 && cairn_lookout_along(look, cairn_vec3_scale(-1.0, s->normal[f])) < LOOKS)
                continue;
            double square = nearest_on_face(s, f, p, &spot);
            if (square < least || (square == least && (best.face < 0 || f < best.face))) {
                least = square;
                best = spot;
            }
        }
    }
    best.distance = sqrt(least);
    if (best.face >= 0)
        best.inside = cairn_vec3_dot(spot_normal(s, &best), cairn_vec3_sub(p, best.point)) < 0.0;
    return best;
}

/* Is the surface bent sharply at the spot? */
static bool is_sharp(const cairn_skin *s, const cairn_skin_spot *spot) {
    if (spot->edge >= 0) {
        int e = s->beside[3 * spot->face + spot->edge], f = s->edge_face[2 * e], g = s->edge_face[2 * e + 1];
        return g < 0 || cairn_vec3_dot(s->normal[f], s->normal[g]) < SHARP;
    }
    int node = s->node_of[s->face[3 * spot->face + spot->corner]];
    for (int i = s->around_start[node]; i < s->around_start[node + 1]; i++)
        if (cairn_vec3_dot(s->normal[spot->face], s->normal[s->around[i]]) < SHARP)
            return true;
    return false;
}

bool cairn_skin_meet_point(const cairn_skin *s, cairn_vec3 p, const cairn_lookout *look, double margin,
                           cairn_skin_spot *spot, cairn_vec3 *normal, double *gap, bool *blind) {
    const cairn_lookout any = {0};
    double deep = DEEP * s->length;
    *blind = false;
    *spot = cairn_skin_nearest(s, p, fmax(margin, deep), &any);
    if (spot->face < 0)
        return false;
    bool flat = spot->edge < 0 && spot->corner < 0;
    if (spot->inside) {
        cairn_skin_spot seen = cairn_skin_nearest(s, p, deep, look);
        /* out through the nearest face of all, where the way through those that it looks at is
         * much longer: they were turned over */
        *blind = seen.face < 0 || seen.distance > spot->distance + LONGER * s->length;
        if (!*blind)
            *spot = seen;
        *normal = s->normal[spot->face];
        *gap = cairn_vec3_dot(*normal, cairn_vec3_sub(p, spot->point));
        return *gap <= 0.0;
    }
    *gap = spot->distance;
    if (*gap > margin)
        return false;
    if (flat || *gap <= 1e-9 * s->length)
        *normal = s->normal[spot->face];
    else
        *normal = cairn_vec3_scale(1.0 / *gap, cairn_vec3_sub(p, spot->point));
    if (!flat && *gap > NEAR * s->length && is_sharp(s, spot))
        return false;
    *blind = look->count > 0 &&
             cairn_lookout_along(look, cairn_vec3_scale(-1.0, *normal)) < (flat ? LOOKS : LOOKS_WELL);
    return !*blind || flat || !is_sharp(s, spot);
}

bool cairn_skin_sharp(const cairn_skin *s, int e, bool flat, cairn_sharp *sharp) {
    int f = s->edge_face[2 * e], g = s->edge_face[2 * e + 1];
    if (f < 0 || g < 0 || (!flat && cairn_vec3_dot(s->normal[f], s->normal[g]) > BENT))
        return false;
    *sharp = (cairn_sharp){s->x[s->edge[2 * e]], s->x[s->edge[2 * e + 1]], {s->normal[f], s->normal[g]}};
    /* a hollow: the far corner of g lies before f */
    for (int k = 0; k < 3; k++) {
        cairn_vec3 d = cairn_vec3_sub(s->x[s->face[3 * g + k]], sharp->from);
        if (cairn_vec3_dot(sharp->normal[0], d) > (flat ? LEAN : 1e-9) * s->length)
            return false;
    }
    return true;
}

/* Does d, at a right angle to the edge, lie between the normals of its sides, or not far out? */
static bool between(const cairn_sharp *e, cairn_vec3 d) {
    double c = cairn_vec3_dot(e->normal[0], e->normal[1]), u = cairn_vec3_dot(e->normal[0], d),
           v = cairn_vec3_dot(e->normal[1], d);
    double least = fmin(0.7, 0.9 * sqrt(fmax(0.0, 0.5 * (1.0 + c)))); /* d along the bisector of a thin edge has less */
    return u - c * v >= -LEAN && v - c * u >= -LEAN && fmax(u, v) > least;
}

bool cairn_sharp_cross(const cairn_sharp *a, const cairn_sharp *b, double *s, double *t, cairn_vec3 *d, double *gap) {
    cairn_vec3 u = cairn_vec3_sub(a->to, a->from), v = cairn_vec3_sub(b->to, b->from), n = cairn_vec3_cross(u, v);
    double uu = cairn_vec3_dot(u, u), vv = cairn_vec3_dot(v, v), square = cairn_vec3_dot(n, n);
    if (!(square > 1e-4 * uu * vv))
        return false; /* almost parallel: nodes see it */
    cairn_vec3 r = cairn_vec3_sub(b->from, a->from);
    *s = cairn_vec3_dot(cairn_vec3_cross(r, v), n) / square;
    *t = cairn_vec3_dot(cairn_vec3_cross(r, u), n) / square;
    const double rim = 1e-6;
    if (*s < rim || *s > 1.0 - rim || *t < rim || *t > 1.0 - rim)
        return false;
    *d = cairn_vec3_scale(1.0 / sqrt(square), n);
    if (cairn_vec3_dot(*d, a->normal[0]) + cairn_vec3_dot(*d, a->normal[1]) < 0.0)
        *d = cairn_vec3_scale(-1.0, *d);
    *gap = cairn_vec3_dot(*d, r);
    return between(a, *d) && between(b, cairn_vec3_scale(-1.0, *d));
}
