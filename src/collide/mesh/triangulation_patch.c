/*
 * triangulation_patch.c: flat regions of a surface.
 *
 * A region grows from its widest face over faces whose corners lie within CAIRN_MESH_NOISE of its
 * plane. Narrow faces have a normal of noise: a face is judged by its corners, and by its normal
 * only as to which side is the front. The plane is the one of least squares over the area, fitted
 * anew whenever the region has doubled; until there are many faces it leans by noise over its
 * radius, and corners may be off by as much more. At the end the region is what lies within the
 * noise of its plane; faces that do not are met again, and then grow with the plane of the first
 * face alone.
 */
#include "collide/mesh/triangulation.h"

#include "base/core.h"

#include <math.h>

/* times the noise: corners that are farther off never belong to a region; narrower faces have no
 * front */
#define LOOSE   8.0
#define RADIUS  0.24 /* of a triangle's corners about their mean, in the narrow direction, over its width */
#define PENDING (-2)
#define STRICT  (-3) /* to grow a region with the plane of its first face */

/* Sums over a region, weighted by area; places from the point o. And its plane n'x = level. */
typedef struct fit {
    cairn_vec3 o, area, first;
    double weight, xx, xy, xz, yy, yz, zz;
    cairn_vec3 n, center;
    double level, lean; /* lean: sine by which noise may tilt it */
} fit;

typedef struct regions {
    const cairn_triangulation *s;
    double noise;
    cairn_vec3 *area; /* faces: twice the area along the normal */
    double *width;    /* faces: least height */
    int *patch, *queue;
    int seeds, *seed; /* 2 faces: where regions begin */
} regions;

static cairn_vec3 corner_of(const regions *g, int face, int k) {
    return g->s->point[g->s->face[3 * face + k]];
}

static void add_face(const regions *g, fit *f, int face) {
    double w = cairn_vec3_length(g->area[face]);
    f->area = cairn_vec3_add(f->area, g->area[face]);
    f->weight += 3.0 * w;
    for (int k = 0; k < 3; k++) {
        cairn_vec3 x = cairn_vec3_sub(corner_of(g, face, k), f->o);
        f->first = cairn_vec3_add_scaled(f->first, w, x);
        f->xx += w * x.x * x.x;
        f->xy += w * x.x * x.y;
        f->xz += w * x.x * x.z;
        f->yy += w * x.y * x.y;
        f->yz += w * x.y * x.z;
        f->zz += w * x.z * x.z;
    }
}

/* u'Mv with M the mean of (x - c)(x - c)'. */
static double moment(const fit *f, cairn_vec3 c, cairn_vec3 u, cairn_vec3 v) {
    double sum = u.x * (f->xx * v.x + f->xy * v.y + f->xz * v.z) + u.y * (f->xy * v.x + f->yy * v.y + f->yz * v.z) +
                 u.z * (f->xz * v.x + f->yz * v.y + f->zz * v.z);
    return sum / f->weight - cairn_vec3_dot(u, c) * cairn_vec3_dot(v, c);
}

/* The plane of least squares: with heights a s'x + b t'x over the mean plane n, its normal is n
 * - a s - b t. */
static void fit_plane(fit *f, int faces, double noise) {
    cairn_vec3 n = cairn_vec3_unit(f->area), c = cairn_vec3_scale(1.0 / f->weight, f->first), s, t;
    cairn_vec3_frame(n, &s, &t);
    double ss = moment(f, c, s, s), st = moment(f, c, s, t), tt = moment(f, c, t, t), det = ss * tt - st * st;
    double mean = 0.5 * (ss + tt), least = mean - sqrt(fmax(0.0, mean * mean - det));
    if (det > 1e-12 * ss * tt) {
        double sn = moment(f, c, s, n), tn = moment(f, c, t, n);
        n = cairn_vec3_add_scaled(n, (st * tn - tt * sn) / det, s);
        n = cairn_vec3_unit(cairn_vec3_add_scaled(n, (st * sn - ss * tn) / det, t));
    }
    f->n = n;
    f->center = cairn_vec3_add(f->o, c);
    f->level = cairn_vec3_dot(n, f->center);
    f->lean = least > 0.0 ? noise / sqrt(least * faces) : 0.0;
}

/* Do the corners of a face lie in the plane, within the noise and what the plane leans, and does
 * it show the same front? */
static bool lies_in(const regions *g, const fit *f, int face, double lean) {
    for (int k = 0; k < 3; k++) {
        cairn_vec3 x = corner_of(g, face, k);
        double off = fabs(cairn_vec3_dot(f->n, x) - f->level);
        if (off > g->noise &&
            (off > LOOSE * g->noise || off > g->noise + lean * cairn_vec3_length(cairn_vec3_sub(x, f->center))))
            return false;
    }
    return g->width[face] <= LOOSE * g->noise || cairn_vec3_dot(f->n, g->area[face]) > 0.0;
}

/* Grows region `patch` from a face into queue; returns how many faces. loose: the plane is
 * fitted as it grows. */
static int grow(const regions *g, fit *f, int seed, int patch, bool loose) {
    int count = 0, refit = 2;
    *f = (fit){.o = corner_of(g, seed, 0), .n = cairn_vec3_unit(g->area[seed])};
    f->center = f->o;
    f->level = cairn_vec3_dot(f->n, f->o);
    f->lean = loose ? g->noise / (RADIUS * g->width[seed]) : 0.0;
    g->patch[seed] = patch;
    g->queue[count++] = seed;
    for (int i = 0; i < count; i++)
        for (int e = 3 * g->queue[i]; e < 3 * g->queue[i] + 3; e++)
            for (int o = g->s->beside[e]; o >= 0 && o != e; o = g->s->beside[o]) {
                int face = o / 3;
                if (g->patch[face] >= 0 || (loose && g->patch[face] == STRICT) || !lies_in(g, f, face, f->lean))
                    continue;
                if (count == 1)
                    add_face(g, f, seed);
                g->patch[face] = patch;
                g->queue[count++] = face;
                add_face(g, f, face);
                if (loose && count == refit) {
                    fit_plane(f, count, g->noise);
                    refit *= 2;
                }
            }
    if (count > 1)
        fit_plane(f, count, g->noise);
    return count;
}

/* Faces that do not lie in the plane of their region leave it; all do where the first one would.
 * Returns how many remain. */
static int prune(regions *g, const fit *f, int count) {
    bool all = !lies_in(g, f, g->queue[0], 0.0);
    int kept = 0;
    for (int i = 0; i < count; i++) {
        int face = g->queue[i];
        if (!all && lies_in(g, f, face, 0.0)) {
            g->queue[kept++] = face;
            continue;
        }
        g->patch[face] = STRICT;
        g->seed[g->seeds++] = face;
    }
    return kept;
}

/* Halfway between the lowest and the highest corner of the region. */
static double middle_level(const regions *g, cairn_vec3 n, int count) {
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < 3 * count; i++) {
        double height = cairn_vec3_dot(n, corner_of(g, g->queue[i / 3], i % 3));
        low = fmin(low, height);
        high = fmax(high, height);
    }
    return low + 0.5 * (high - low);
}

/* All faces, the widest first, to a factor of two; of equal ones in order. */
static void order_seeds(regions *g) {
    enum { CLASSES = 32 };
    int start[CLASSES + 1] = {0}, faces = g->s->faces;
    for (int f = 0; f < faces; f++) {
        cairn_vec3 longest = {0, 0, 0};
        g->area[f] = cairn_triangulation_area(g->s, f);
        for (int k = 0; k < 3; k++) {
            cairn_vec3 e = cairn_vec3_sub(corner_of(g, f, (k + 1) % 3), corner_of(g, f, k));
            longest = cairn_vec3_dot(e, e) > cairn_vec3_dot(longest, longest) ? e : longest;
        }
        g->width[f] = cairn_vec3_length(g->area[f]) / cairn_vec3_length(longest);
        int class = g->width[f] > 0.0 ? -ilogb(g->width[f] / g->s->size) : CLASSES - 1;
        g->queue[f] = class < 0 ? 0 : class >= CLASSES ? CLASSES - 1 : class;
        start[g->queue[f] + 1]++;
        g->patch[f] = PENDING;
    }
    for (int i = 0; i < CLASSES; i++)
        start[i + 1] += start[i];
    for (int f = 0; f < faces; f++)
        g->seed[start[g->queue[f]]++] = f;
    g->seeds = faces;
}

static int find_patches(regions *g, cairn_vec3 *normal, double *level) {
    int patches = 0;
    order_seeds(g);
    for (int i = 0; i < g->seeds; i++) {
        fit f;
        bool loose = i < g->s->faces;
        if (g->patch[g->seed[i]] != (loose ? PENDING : STRICT))
            continue;
        int count = grow(g, &f, g->seed[i], patches, loose);
        if (loose && count > 1)
            count = prune(g, &f, count);
        if (count == 0)
            continue;
        normal[patches] = f.n;
        level[patches++] = middle_level(g, f.n, count);
    }
    return patches;
}

cairn_status cairn_triangulation_patches(const cairn_triangulation *s, int *patch, cairn_vec3 *normal, double *level,
                                         int *patches) {
    size_t n = (size_t)s->faces;
    regions g = {.s = s, .noise = CAIRN_MESH_NOISE * s->size, .patch = patch};
    g.area = cairn_alloc_raw(s->context, n, sizeof *g.area);
    g.width = cairn_alloc_raw(s->context, n, sizeof *g.width);
    g.queue = cairn_alloc_raw(s->context, n, sizeof *g.queue);
    g.seed = cairn_alloc_raw(s->context, 2 * n, sizeof *g.seed);
    bool fine = g.area != NULL && g.width != NULL && g.queue != NULL && g.seed != NULL;
    if (fine)
        *patches = find_patches(&g, normal, level);
    cairn_free(s->context, g.area);
    cairn_free(s->context, g.width);
    cairn_free(s->context, g.queue);
    cairn_free(s->context, g.seed);
    return fine ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}
