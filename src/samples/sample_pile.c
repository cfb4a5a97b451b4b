/*
 * sample_pile.c: a pile of equal spheres in a box without a lid, each resting on three others or on
 * walls [theory 7].
 *
 * Spheres are strewn on the floor without overlap. Every further one is put into the lowest pocket
 * there is: the centre c touches three earlier spheres or walls,
 *
 *     |c - a| = 2r,   2 (a_i - a)'c = |a_i|^2 - |a|^2  or  c_axis = r or width - r   (i = 1, 2)
 *
 * and its own weight is a combination, with positive factors, of the three normals. That says
 * nothing of the load from above: such a pile may still yield, and many contacts slide in the first
 * step. Three contacts a sphere, one for those on the floor; spheres that come nearer than margin *
 * radius to each other by chance, to the floor or to a wall become contacts too (b_N = gap/h).
 * Before the step every sphere moves at up to kick along each axis.
 *
 * Symbols: r radius, a, a_i centres of spheres, c centre of a pocket. Pockets wait in a heap with
 * the lowest on top; cells of edge 2r find neighbours. Time and memory grow with the number of
 * spheres.
 */
#include "samples/sample.h"

#include <math.h>
#include <string.h>

#define THROWS 0.3 /* attempts to strew a sphere on the floor, for each that would fit in a square lattice */
#define FLOOR  2   /* axis of a support */
/* least share of the weight that each support bears: 0 to rounding, as on four spheres in a
 * square */
#define WEIGHT_MIN (-1e-9)
#define TOUCH      1e-9 /* overlap that rounding may cause, in radii */
#define AROUND     64   /* supports near one sphere at most; geometry allows 50 spheres and 2 walls */

typedef struct pocket {
    double place[3];
} pocket;

/* A sphere with its centre, or a wall: centre coordinate axis is at. */
typedef struct support {
    int axis; /* -1: sphere */
    double at;
    const double *place;
} support;

typedef struct builder {
    cairn_sample_scene *scene;
    double radius, width;
    int cells, layers; /* cells along x and y, along z */
    int *first;        /* cells * cells * layers: first sphere of a cell, -1: none */
    int *next;         /* spheres: next in the same cell */
    pocket *heap;
    int pockets, room;
} builder;

/* ---- cells ---- */

static int cell_along(const builder *b, double x, int cells) {
    int cell = (int)(x / (2.0 * b->radius));
    return cell < 0 ? 0 : cell >= cells ? cells - 1 : cell;
}

static int cell_index(const builder *b, int x, int y, int z) {
    return (z * b->cells + y) * b->cells + x;
}

/* Calls visit for every sphere in the cells up to reach cells around a place; false when visit
 * did. */
static bool look_around(const builder *b, const double place[3], int reach,
                        bool (*visit)(const builder *b, int sphere, void *user), void *user) {
    int x = cell_along(b, place[0], b->cells), y = cell_along(b, place[1], b->cells);
    int z = cell_along(b, place[2], b->layers);
    for (int k = z > reach ? z - reach : 0; k <= z + reach && k < b->layers; k++)
        for (int j = y > reach ? y - reach : 0; j <= y + reach && j < b->cells; j++)
            for (int i = x > reach ? x - reach : 0; i <= x + reach && i < b->cells; i++)
                for (int s = b->first[cell_index(b, i, j, k)]; s >= 0; s = b->next[s])
                    if (!visit(b, s, user))
                        return false;
    return true;
}

static double distance_squared(const double *p, const double *q) {
    double x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
    return x * x + y * y + z * z;
}

static bool is_clear(const builder *b, int sphere, void *place) {
    double least = (2.0 - TOUCH) * b->radius;
    return distance_squared(b->scene->body[sphere].place, place) >= least * least;
}

/* Is there room for a sphere? */
static bool fits(const builder *b, double place[3]) {
    double low = (1.0 - TOUCH) * b->radius, high = b->width - low;
    for (int axis = 0; axis < 2; axis++)
        if (place[axis] < low || place[axis] > high)
            return false;
    return place[2] >= low && look_around(b, place, 1, is_clear, place);
}

/* ---- the heap of pockets ---- */

static cairn_status push(builder *b, const pocket *p) {
    if (b->pockets == b->room) {
        int room = 2 * b->room + 1024;
        pocket *more = cairn_alloc(b->scene->context, (size_t)room, sizeof *more);
        if (more == NULL)
            return CAIRN_ERROR_MEMORY;
        if (b->pockets > 0)
            memcpy(more, b->heap, (size_t)b->pockets * sizeof *more);
        cairn_free(b->scene->context, b->heap);
        b->heap = more;
        b->room = room;
    }
    int at = b->pockets++;
    for (; at > 0 && b->heap[(at - 1) / 2].place[2] > p->place[2]; at = (at - 1) / 2)
        b->heap[at] = b->heap[(at - 1) / 2];
    b->heap[at] = *p;
    return CAIRN_OK;
}

static pocket pop(builder *b) {
    pocket top = b->heap[0], last = b->heap[--b->pockets];
    int at = 0;
    for (;;) {
        int child = 2 * at + 1;
        if (child + 1 < b->pockets && b->heap[child + 1].place[2] < b->heap[child].place[2])
            child++;
        if (child >= b->pockets || b->heap[child].place[2] >= last.place[2])
            break;
        b->heap[at] = b->heap[child];
        at = child;
    }
    b->heap[at] = last;
    return top;
}

/* ---- pockets ---- */

static double dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* The plane n'(c - a) = d of centres that touch s and the sphere at a. */
static void touching_plane(const double *a, const support *s, double n[3], double *d) {
    for (int i = 0; i < 3; i++)
        n[i] = s->axis < 0 ? s->place[i] - a[i] : i == s->axis ? 1.0 : 0.0;
    *d = s->axis < 0 ? 0.5 * dot(n, n) : s->at - a[s->axis];
}

/* Unit normal from a support to a sphere at c. */
static void normal_at(const builder *b, const double *c, const support *s, double n[3]) {
    for (int i = 0; i < 3; i++)
        n[i] = s->axis < 0    ? (c[i] - s->place[i]) / (2.0 * b->radius)
               : i == s->axis ? (s->at < 0.5 * b->width ? 1.0 : -1.0)
                              : 0.0;
}

/* Does each support bear a fair share of the weight? Cramer's rule for sum of share_i n_i = e_z. */
static bool stands(const builder *b, const double *c, const support *s) {
    double n[3][3], side[3];
    if (s[1].axis == FLOOR || s[2].axis == FLOOR)
        return true;
    for (int i = 0; i < 3; i++)
        normal_at(b, c, &s[i], n[i]);
    cross(n[1], n[2], side);
    double volume = dot(n[0], side);
    if (!(fabs(volume) > 1e-6))
        return false;
    for (int i = 0; i < 3; i++) {
        cross(n[(i + 1) % 3], n[(i + 2) % 3], side);
        if (!(side[2] / volume > WEIGHT_MIN))
            return false;
    }
    return true;
}

/* The higher of the two centres that touch all three; s[0] is a sphere. */
static bool find_pocket(const builder *b, const support *s, pocket *out) {
    const double *a = s[0].place;
    double n1[3], n2[3], d1, d2, t[3], from1[3], from2[3];
    touching_plane(a, &s[1], n1, &d1);
    touching_plane(a, &s[2], n2, &d2);
    cross(n1, n2, t);
    double square = dot(t, t);
    if (!(square > 1e-6 * dot(n1, n1) * dot(n2, n2)))
        return false;
    cross(n2, t, from1);
    cross(t, n1, from2);
    double foot[3];
    for (int i = 0; i < 3; i++)
        foot[i] = (d1 * from1[i] + d2 * from2[i]) / square;
    double rest = 4.0 * b->radius * b->radius - dot(foot, foot);
    if (!(rest > 0.0))
        return false;
    double step = sqrt(rest / square) * (t[2] < 0.0 ? -1.0 : 1.0);
    for (int i = 0; i < 3; i++)
        out->place[i] = a[i] + foot[i] + step * t[i];
    return stands(b, out->place, s);
}

typedef struct around {
    const double *place;
    support *list; /* AROUND */
    int count;
} around;

static bool collect(const builder *b, int sphere, void *user) {
    around *near = user;
    const double *place = b->scene->body[sphere].place;
    double reach = 4.0 * b->radius;
    if (place != near->place && near->count < AROUND && distance_squared(place, near->place) < reach * reach)
        near->list[near->count++] = (support){.axis = -1, .place = place};
    return true;
}

/* All pockets that the newest sphere is a support of. */
static cairn_status add_pockets(builder *b, const double *place) {
    support list[AROUND + 5];
    around near = {.place = place, .list = list};
    look_around(b, place, 2, collect, &near);
    for (int side = 0; side < 5; side++) {
        double at = side % 2 == 0 ? b->radius : b->width - b->radius;
        if (fabs(place[side / 2] - at) < 2.0 * b->radius)
            list[near.count++] = (support){.axis = side / 2, .at = at};
    }
    support s[3] = {{.axis = -1, .place = place}};
    for (int i = 0; i < near.count; i++)
        for (int j = i + 1; j < near.count; j++) {
            pocket p;
            s[1] = list[i];
            s[2] = list[j];
            if (!find_pocket(b, s, &p) || !fits(b, p.place))
                continue;
            if (push(b, &p) != CAIRN_OK)
                return CAIRN_ERROR_MEMORY;
        }
    return CAIRN_OK;
}

/* ---- the pile ---- */

static cairn_status add_sphere(builder *b, const double place[3]) {
    int sphere = cairn_sample_sphere(b->scene, place, b->scene->def->mass, b->radius);
    int *first = &b->first[cell_index(b, cell_along(b, place[0], b->cells), cell_along(b, place[1], b->cells),
                                      cell_along(b, place[2], b->layers))];
    b->next[sphere] = *first;
    *first = sphere;
    return add_pockets(b, b->scene->body[sphere].place);
}

static cairn_status fill_box(builder *b, uint64_t *random) {
    cairn_status status = CAIRN_OK;
    int wanted = b->scene->def->count, throws = 1 + (int)(THROWS * b->cells * b->cells);
    for (int i = 0; i < throws && status == CAIRN_OK && b->scene->bodies < wanted; i++) {
        double place[3] = {0.0, 0.0, b->radius};
        for (int axis = 0; axis < 2; axis++)
            place[axis] = b->radius + (b->width - 2.0 * b->radius) * cairn_sample_unit(random);
        if (fits(b, place))
            status = add_sphere(b, place);
    }
    while (status == CAIRN_OK && b->scene->bodies < wanted) {
        if (b->pockets == 0)
            return cairn_fail(b->scene->context, CAIRN_ERROR_UNSUPPORTED, "sample pile: no room after %d spheres",
                              b->scene->bodies);
        pocket p = pop(b);
        if (fits(b, p.place))
            status = add_sphere(b, p.place);
    }
    return status;
}

static bool touch(const builder *b, int other, void *user) {
    int sphere = *(int *)user;
    if (other >= sphere)
        return true;
    cairn_sample_touch_pair(b->scene, other, sphere, b->scene->def->margin);
    return true;
}

cairn_status cairn_sample_pile(cairn_sample_scene *scene) {
    const cairn_sample_def *def = scene->def;
    builder b = {.scene = scene, .radius = def->size, .cells = 1};
    while ((int64_t)b.cells * b.cells * b.cells < def->count)
        b.cells++;
    b.width = (2.0 * b.cells + 0.7) * def->size; /* no row of spheres just fits between two walls */
    b.layers = b.cells + 8;
    /* Up to twelve neighbours, half of them earlier in the order, and at most three sides of the
     * box. */
    cairn_status status = cairn_sample_begin(scene, def->count, 9 * def->count, false);
    size_t cells = (size_t)b.cells * (size_t)b.cells * (size_t)b.layers;
    b.first = cairn_alloc(scene->context, cells, sizeof *b.first);
    b.next = cairn_alloc(scene->context, (size_t)def->count, sizeof *b.next);
    if (status == CAIRN_OK && (b.first == NULL || b.next == NULL))
        status = CAIRN_ERROR_MEMORY;
    uint64_t random = def->seed;
    if (status == CAIRN_OK) {
        memset(b.first, -1, cells * sizeof *b.first);
        status = fill_box(&b, &random);
    }
    for (int i = 0; status == CAIRN_OK && i < def->count; i++) {
        for (int axis = 0; axis < 3; axis++)
            scene->body[i].velocity[axis] = def->kick * cairn_sample_signed(&random);
        cairn_sample_touch_box(scene, i, b.width, def->margin);
        look_around(&b, scene->body[i].place, 2, touch, &i);
    }
    cairn_free(scene->context, b.first);
    cairn_free(scene->context, b.next);
    cairn_free(scene->context, b.heap);
    return status;
}
