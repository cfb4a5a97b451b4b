/*
 * scene_repeat.c: one description, many copies: grids, stacks, rings, random places, and one inside
 * another.
 *
 * A list of repeats nests: the first is the outermost. A copy stands at the product of their
 * placements times its own pose. In its expressions i, j, k and n are the indices and the number of
 * copies of the innermost repeat that is being read; "index" gives the running number of a repeat a
 * name of its own, which inner repeats see too.
 */
#include "io/scene/scene_data.h"

#include <math.h>
#include <string.h>

#define TWO_PI 6.283185307179586476925287

enum { LEVELS_MAX = 8 };

static const char *const repeat_keys[] = {"grid", "stack", "ring", "random", "index"};
static const char *const grid_keys[] = {"counts", "spacing"};
static const char *const stack_keys[] = {"count", "spacing"};
static const char *const ring_keys[] = {"count", "radius", "start", "angle", "turn"};
static const char *const random_keys[] = {"count", "box", "seed", "rotate"};

typedef struct expansion {
    const cairn_json *node;
    const cairn_json *level[LEVELS_MAX];
    int levels;
    int made; /* copies so far */
    cairn_reader_copy copy;
    void *user;
} expansion;

static void expand(cairn_reader *r, expansion *e, int level, cairn_pose place);

bool cairn_reader_reserved(const char *name) {
    return name[0] != '\0' && name[1] == '\0' && strchr("ijknt", name[0]) != NULL;
}

/* One copy of a level: its indices become known, then the levels inside it. */
static void inside(cairn_reader *r, expansion *e, int level, const int index[3], int number, int n, cairn_pose place) {
    static const char *const name[3] = {"i", "j", "k"};
    int before = r->scene->variables;
    const cairn_json *own = cairn_json_member(e->level[level], "index");
    if (r->status != CAIRN_OK)
        return;
    if (e->made >= CAIRN_SCENE_BODIES_MAX) {
        cairn_reader_fail(r, e->level[level], "more than %d copies", CAIRN_SCENE_BODIES_MAX);
        return;
    }
    for (int a = 0; a < 3; a++)
        cairn_reader_push(r, name[a], index[a], CAIRN_VARIABLE_INDEX);
    cairn_reader_push(r, "n", n, CAIRN_VARIABLE_INDEX);
    if (own != NULL) {
        const char *text = cairn_reader_text(r, own);
        if (r->status == CAIRN_OK && !cairn_expression_is_name(text))
            cairn_reader_fail(r, own, "expected a name of letters, digits and _");
        if (r->status == CAIRN_OK && cairn_reader_reserved(text))
            cairn_reader_fail(r, own, "'%s' is reserved: " CAIRN_RESERVED_NAMES, text);
        for (int i = 0; i < r->scene->parameters && r->status == CAIRN_OK; i++)
            if (strcmp(r->scene->variable[i].name, text) == 0)
                cairn_reader_fail(r, own, "there is a parameter '%s'; give the index another name", text);
        cairn_reader_push(r, text, number, CAIRN_VARIABLE_INDEX);
    }
    expand(r, e, level + 1, place);
    r->scene->variables = before;
}

static const cairn_json *need(cairn_reader *r, const cairn_json *v, const char *key) {
    const cairn_json *found = cairn_json_member(v, key);
    if (found == NULL && r->status == CAIRN_OK)
        cairn_reader_fail(r, v, "\"%s\" is missing", key);
    return found;
}

static int count_of(cairn_reader *r, const cairn_json *v) {
    const cairn_json *count = need(r, v, "count");
    return count != NULL ? cairn_reader_count(r, count, 0, CAIRN_SCENE_BODIES_MAX) : 0;
}

static void grid(cairn_reader *r, expansion *e, int level, const cairn_json *v, cairn_pose place) {
    int counts[3] = {0, 0, 0};
    if (!cairn_reader_keys(r, v, grid_keys, 2))
        return;
    const cairn_json *list = need(r, v, "counts"), *gap = need(r, v, "spacing");
    if (list == NULL || gap == NULL || !cairn_reader_list(r, list, 3, 3, "a list of three counts [nx, ny, nz]"))
        return;
    for (const cairn_json *c = list->first; c != NULL; c = c->next)
        counts[c->index] = cairn_reader_count(r, c, 0, CAIRN_SCENE_BODIES_MAX);
    cairn_vec3 step = cairn_reader_vec3(r, gap, CAIRN_RANGE_ANY);
    double n = (double)counts[0] * counts[1] * counts[2];
    if (n > CAIRN_SCENE_BODIES_MAX)
        cairn_reader_fail(r, list, "more than %d copies", CAIRN_SCENE_BODIES_MAX);
    int number = 0;
    for (int k = 0; k < counts[2] && r->status == CAIRN_OK; k++)
        for (int j = 0; j < counts[1] && r->status == CAIRN_OK; j++)
            for (int i = 0; i < counts[0] && r->status == CAIRN_OK; i++) {
                int index[3] = {i, j, k};
                cairn_pose at = cairn_pose_at(i * step.x, j * step.y, k * step.z);
                inside(r, e, level, index, number++, (int)n, cairn_pose_multiply(place, at));
            }
}

static void stack(cairn_reader *r, expansion *e, int level, const cairn_json *v, cairn_pose place) {
    if (!cairn_reader_keys(r, v, stack_keys, 2))
        return;
    const cairn_json *gap = need(r, v, "spacing");
    int n = count_of(r, v);
    double step = gap != NULL ? cairn_reader_number(r, gap, CAIRN_RANGE_ANY) : 0.0;
    for (int i = 0; i < n && r->status == CAIRN_OK; i++) {
        int index[3] = {i, 0, 0};
        inside(r, e, level, index, i, n, cairn_pose_multiply(place, cairn_pose_at(0.0, 0.0, i * step)));
    }
}

static void ring(cairn_reader *r, expansion *e, int level, const cairn_json *v, cairn_pose place) {
    if (!cairn_reader_keys(r, v, ring_keys, 5))
        return;
    const cairn_json *turn = cairn_json_member(v, "turn"), *radius = need(r, v, "radius");
    int n = count_of(r, v);
    const cairn_json *start = cairn_json_member(v, "start"), *angles = cairn_json_member(v, "angle");
    double from = start != NULL ? cairn_reader_angle(r, start) : 0.0;
    double whole = angles != NULL ? cairn_reader_angle(r, angles) : TWO_PI;
    double far = radius != NULL ? cairn_reader_number(r, radius, CAIRN_RANGE_ANY) : 0.0;
    bool turned = turn == NULL || cairn_reader_bool(r, turn);
    for (int i = 0; i < n && r->status == CAIRN_OK; i++) {
        int index[3] = {i, 0, 0};
        double angle = from + whole * i / n;
        cairn_pose at = cairn_pose_at(far * cos(angle), far * sin(angle), 0.0);
        if (turned)
            at.rotation = cairn_quat_turn(cairn_vec3_of(0.0, 0.0, 1.0), angle);
        inside(r, e, level, index, i, n, cairn_pose_multiply(place, at));
    }
}

/* A rotation drawn evenly from all: three numbers of [0, 1) [Shoemake 1992]. */
static cairn_quat even_rotation(double a, double b, double c) {
    double s = sqrt(1.0 - a), t = sqrt(a);
    cairn_quat q = {s * sin(TWO_PI * b), s * cos(TWO_PI * b), t * sin(TWO_PI * c), t * cos(TWO_PI * c)};
    return cairn_quat_unit(q);
}

static void scatter(cairn_reader *r, expansion *e, int level, const cairn_json *v, cairn_pose place) {
    if (!cairn_reader_keys(r, v, random_keys, 4))
        return;
    const cairn_json *box = need(r, v, "box"), *rotate = cairn_json_member(v, "rotate");
    int n = count_of(r, v);
    double seed = cairn_reader_number_or(r, v, "seed", CAIRN_RANGE_ANY, 1.0);
    bool turned = rotate != NULL && cairn_reader_bool(r, rotate);
    if (box == NULL || !cairn_reader_list(r, box, 2, 2, "two corners [[x, y, z], [x, y, z]]"))
        return;
    cairn_vec3 a = cairn_reader_vec3(r, box->first, CAIRN_RANGE_ANY);
    cairn_vec3 b = cairn_reader_vec3(r, box->first->next, CAIRN_RANGE_ANY);
    for (int i = 0; i < n && r->status == CAIRN_OK; i++) {
        int index[3] = {i, 0, 0};
        double x[6];
        for (int c = 0; c < 6; c++)
            x[c] = cairn_expression_random(seed, i, c, 0.0);
        cairn_pose at = cairn_pose_at(a.x + x[0] * (b.x - a.x), a.y + x[1] * (b.y - a.y), a.z + x[2] * (b.z - a.z));
        if (turned)
            at.rotation = even_rotation(x[3], x[4], x[5]);
        inside(r, e, level, index, i, n, cairn_pose_multiply(place, at));
    }
}

static void expand(cairn_reader *r, expansion *e, int level, cairn_pose place) {
    if (r->status != CAIRN_OK)
        return;
    if (level == e->levels) {
        int number = e->levels > 0 ? e->made++ : -1;
        e->copy(r, e->node, place, number, e->user);
        return;
    }
    const cairn_json *v = e->level[level], *found = NULL;
    if (!cairn_reader_keys(r, v, repeat_keys, 5))
        return;
    for (const cairn_json *m = v->first; m != NULL; m = m->next) {
        if (strcmp(m->key, "index") == 0)
            continue;
        if (found != NULL)
            cairn_reader_fail_key(r, m, "one repeat has one of grid, stack, ring, random; for more write a list");
        found = m;
    }
    if (found == NULL)
        cairn_reader_fail(r, v, "expected one of grid, stack, ring, random");
    if (r->status != CAIRN_OK)
        return;
    if (strcmp(found->key, "grid") == 0)
        grid(r, e, level, found, place);
    else if (strcmp(found->key, "stack") == 0)
        stack(r, e, level, found, place);
    else if (strcmp(found->key, "ring") == 0)
        ring(r, e, level, found, place);
    else
        scatter(r, e, level, found, place);
}

void cairn_reader_repeat(cairn_reader *r, const cairn_json *node, cairn_reader_copy copy, void *user) {
    expansion e = {.node = node, .copy = copy, .user = user};
    const cairn_json *v = cairn_json_member(node, "repeat");
    if (v != NULL && v->kind == CAIRN_JSON_ARRAY) {
        if (!cairn_reader_list(r, v, 1, LEVELS_MAX, "a list of 1 to 8 repeats inside each other"))
            return;
        for (const cairn_json *item = v->first; item != NULL; item = item->next)
            e.level[e.levels++] = item;
    } else if (v != NULL) {
        e.level[e.levels++] = v;
    }
    expand(r, &e, 0, cairn_pose_identity());
}
