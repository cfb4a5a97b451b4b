/*
 * broadphase.c: pairs of overlapping boxes. A tree over the boxes (box_tree.c), then one query a
 * box for partners with a larger number: n log n + pairs.
 *
 * The tree is over boxes with slack. As long as every box stays in its fat one, near pairs are
 * pairs of fat boxes, and only those are looked at: at rest nothing is built. What is found does
 * not depend on it. Where all moves too fast for slack there is none for a while.
 */
#include "collide/broad/broadphase.h"

#include "collide/broad/box_tree.h"

#include <math.h>
#include <string.h>

#define GRAIN 64
#define SLACK 0.05 /* of the smallest extent of a box, on each side, */
#define AHEAD 6.0  /* and so many times what it has moved since the last look, */
#define MOST  0.25 /* but no more than this of the extent */
#define WAIT  8

/* Room for count pairs, of which the first `kept` stay. */
static cairn_status grow_pairs(cairn_context *context, int kept, int count, int (**pair)[2], int *room) {
    if (count <= *room)
        return CAIRN_OK;
    size_t more = (size_t)count + (size_t)count / 2;
    int(*made)[2] = cairn_alloc(context, more, sizeof *made);
    if (made == NULL)
        return CAIRN_ERROR_MEMORY;
    if (kept > 0)
        memcpy(made, *pair, (size_t)kept * sizeof *made);
    cairn_free(context, *pair);
    *pair = made;
    *room = (int)more;
    return CAIRN_OK;
}

typedef struct search {
    cairn_broad *broad;
    int n;
    bool fill;
} search;

/* Partners j > i of fat box i; writes them sorted when fill, returns how many. */
static int partners(const search *s, int i, int *out) {
    const cairn_broad *b = s->broad;
    const cairn_bounds *box = &b->fat[i];
    cairn_box_tree_range stack[CAIRN_BOX_TREE_DEPTH];
    int top = 0, found = 0;
    stack[top++] = (cairn_box_tree_range){0, 0, s->n};
    while (top > 0) {
        cairn_box_tree_range r = stack[--top];
        if (!cairn_bounds_touch(&b->node[r.node], box))
            continue;
        if (r.count > CAIRN_BOX_TREE_LEAF) {
            top = cairn_box_tree_split(r, stack, top);
            continue;
        }
        for (int l = r.begin; l < r.begin + r.count; l++) {
            int j = b->order[l];
            if (j <= i || !cairn_bounds_touch(&b->sorted[l], box) || (b->still[i] != 0 && b->still[j] != 0))
                continue;
            if (s->fill) { /* keep the list sorted */
                int at = found;
                while (at > 0 && out[2 * (at - 1) + 1] > j) {
                    out[2 * at + 1] = out[2 * (at - 1) + 1];
                    at--;
                }
                out[2 * found] = i;
                out[2 * at + 1] = j;
            }
            found++;
        }
    }
    return found;
}

/* Two parts of the tree that are looked at together; the same one twice: its pairs with itself. */
typedef struct twins {
    cairn_box_tree_range a, b;
} twins;

/* Pairs of boxes of two leaves, or of one, appended in no order. */
static void join_leaves(cairn_broad *b, const twins *t) {
    bool same = t->a.node == t->b.node;
    for (int k = t->a.begin; k < t->a.begin + t->a.count; k++)
        for (int l = same ? k + 1 : t->b.begin; l < t->b.begin + t->b.count; l++) {
            int i = b->order[k], j = b->order[l];
            if (!cairn_bounds_touch(&b->sorted[k], &b->sorted[l]) || (b->still[i] != 0 && b->still[j] != 0))
                continue;
            b->pair[b->pairs][0] = i < j ? i : j;
            b->pair[b->pairs++][1] = i < j ? j : i;
        }
}

/* from, sorted by one of its two numbers, into to; what is equal keeps its order. */
static void sort_by(cairn_broad *b, int n, int which, int (*from)[2], int (*to)[2]) {
    memset(b->first, 0, ((size_t)n + 1) * sizeof *b->first);
    for (int p = 0; p < b->pairs; p++)
        b->first[from[p][which] + 1]++;
    for (int i = 0; i < n; i++)
        b->first[i + 1] += b->first[i];
    for (int p = 0; p < b->pairs; p++) {
        int at = b->first[from[p][which]]++;
        to[at][0] = from[p][0];
        to[at][1] = from[p][1];
    }
}

/* The pairs, sorted, become the near ones. */
static void sort_pairs(cairn_broad *b, int n) {
    int(*sorted)[2] = b->pair, room = b->room;
    sort_by(b, n, 1, b->pair, b->near);
    sort_by(b, n, 0, b->near, b->pair);
    b->pair = b->near;
    b->room = b->near_room;
    b->near = sorted;
    b->near_room = room;
    b->nears = b->pairs;
    b->pairs = 0;
}

/* All of them in one go: the tree against itself, which looks at each pair of parts once. */
static cairn_status search_alone(cairn_broad *b, int n) {
    twins stack[4 * CAIRN_BOX_TREE_DEPTH];
    cairn_box_tree_range half[2], all = {0, 0, n};
    int top = 0;
    stack[top++] = (twins){all, all};
    b->pairs = 0;
    while (top > 0) {
        twins t = stack[--top];
        bool same = t.a.node == t.b.node;
        if (!same && !cairn_bounds_touch(&b->node[t.a.node], &b->node[t.b.node]))
            continue;
        if (t.a.count <= CAIRN_BOX_TREE_LEAF && t.b.count <= CAIRN_BOX_TREE_LEAF) {
            cairn_status status = grow_pairs(b->context, b->pairs, b->pairs + CAIRN_BOX_TREE_LEAF * CAIRN_BOX_TREE_LEAF,
                                             &b->pair, &b->room);
            if (status != CAIRN_OK)
                return status;
            join_leaves(b, &t);
            continue;
        }
        bool first = t.a.count >= t.b.count;
        cairn_box_tree_split(first ? t.a : t.b, half, 0);
        for (int k = 0; k < 2; k++)
            stack[top++] = same ? (twins){half[k], half[k]} : first ? (twins){half[k], t.b} : (twins){t.a, half[k]};
        if (same)
            stack[top++] = (twins){half[0], half[1]};
    }
    cairn_status status = CAIRN_OK;
    if (b->near_room < b->pairs) /* both change places from search to search: they grow together */
        status = grow_pairs(b->context, 0, b->room, &b->near, &b->near_room);
    if (status == CAIRN_OK)
        sort_pairs(b, n);
    return status;
}

static void search_chunk(void *user, int chunk, int begin, int end) {
    const search *s = user;
    (void)chunk;
    for (int i = begin; i < end; i++)
        if (s->fill)
            partners(s, i, &s->broad->near[s->broad->first[i]][0]);
        else
            s->broad->first[i + 1] = partners(s, i, NULL);
}

static void free_boxes(cairn_broad *b) {
    cairn_free(b->context, b->order);
    cairn_free(b->context, b->first);
    cairn_free(b->context, b->node);
    cairn_free(b->context, b->sorted);
    cairn_free(b->context, b->fat);
    cairn_free(b->context, b->still);
    cairn_free(b->context, b->low);
    b->order = b->first = NULL;
    b->node = b->sorted = b->fat = NULL;
    b->still = NULL;
    b->low = NULL;
    b->capacity = b->boxes = 0;
}

static cairn_status make_room(cairn_broad *b, int n) {
    if (n <= b->capacity)
        return CAIRN_OK;
    size_t room = (size_t)n + (size_t)n / 2;
    free_boxes(b);
    b->order = cairn_alloc(b->context, room, sizeof *b->order);
    b->first = cairn_alloc(b->context, room + 1, sizeof *b->first);
    b->node = cairn_alloc(b->context, 2 * room, sizeof *b->node);
    b->sorted = cairn_alloc(b->context, room, sizeof *b->sorted);
    b->fat = cairn_alloc(b->context, room, sizeof *b->fat);
    b->still = cairn_alloc(b->context, room, sizeof *b->still);
    b->low = cairn_alloc(b->context, room, sizeof *b->low);
    if (b->order == NULL || b->first == NULL || b->node == NULL || b->sorted == NULL || b->fat == NULL ||
        b->still == NULL || b->low == NULL) {
        free_boxes(b);
        return CAIRN_ERROR_MEMORY;
    }
    b->capacity = (int)room;
    return CAIRN_OK;
}

static bool inside(const cairn_bounds *box, const cairn_bounds *fat) {
    return fat->low.x <= box->low.x && box->high.x <= fat->high.x && fat->low.y <= box->low.y &&
           box->high.y <= fat->high.y && fat->low.z <= box->low.z && box->high.z <= fat->high.z;
}

/* Do the near pairs hold all pairs of these boxes? */
static bool serves(const cairn_broad *b, int n, const cairn_bounds *box, const unsigned char *still) {
    if (n != b->boxes)
        return false;
    for (int i = 0; i < n; i++)
        if (b->still[i] != (still != NULL && still[i] != 0) || !inside(&box[i], &b->fat[i]))
            return false;
    return true;
}

/* Slack in proportion to size and motion; none for what is infinite. */
static cairn_bounds fatten(const cairn_bounds *b, bool known, cairn_vec3 low) {
    double extent = fmin(b->high.x - b->low.x, fmin(b->high.y - b->low.y, b->high.z - b->low.z));
    double moved = fmax(fabs(b->low.x - low.x), fmax(fabs(b->low.y - low.y), fabs(b->low.z - low.z)));
    double s = extent < HUGE_VAL ? fmin(MOST * extent, SLACK * extent + (known ? AHEAD * moved : 0.0)) : 0.0;
    return (cairn_bounds){{b->low.x - s, b->low.y - s, b->low.z - s}, {b->high.x + s, b->high.y + s, b->high.z + s}};
}

/* Several threads: counted first, so that everyone knows where to write. */
static cairn_status search_together(cairn_broad *b, int n) {
    search s = {.broad = b, .n = n};
    cairn_parallel(b->context, n, GRAIN, search_chunk, &s);
    b->first[0] = 0;
    for (int i = 0; i < n; i++)
        b->first[i + 1] += b->first[i];
    cairn_status status = grow_pairs(b->context, 0, b->first[n], &b->near, &b->near_room);
    if (status != CAIRN_OK)
        return status;
    s.fill = true;
    if (b->first[n] > 0)
        cairn_parallel(b->context, n, GRAIN, search_chunk, &s);
    b->nears = b->first[n];
    return CAIRN_OK;
}

/* Fat boxes, their tree and their pairs. */
static cairn_status find_near(cairn_broad *b, int n, const cairn_bounds *box, const unsigned char *still) {
    bool known = n == b->boxes;
    cairn_status status = make_room(b, n);
    if (status != CAIRN_OK)
        return status;
    b->wait = b->boxes > 0 && b->uses < 2 && b->wait == 0 ? WAIT : b->wait > 0 ? b->wait - 1 : 0;
    b->boxes = b->uses = 0;
    for (int i = 0; i < n; i++) {
        b->still[i] = still != NULL && still[i] != 0;
        b->fat[i] = b->wait > 0 ? box[i] : fatten(&box[i], known, b->low[i]);
    }
    cairn_box_tree_build(b->fat, n, b->order, b->node);
    for (int l = 0; l < n; l++)
        b->sorted[l] = b->fat[b->order[l]];
    status = cairn_thread_count(b->context) > 1 ? search_together(b, n) : search_alone(b, n);
    if (status == CAIRN_OK)
        status = grow_pairs(b->context, 0, b->nears, &b->pair, &b->room);
    if (status == CAIRN_OK)
        b->boxes = n;
    return status;
}

cairn_status cairn_broad_find(cairn_broad *b, int n, const cairn_bounds *box, const unsigned char *still) {
    b->pairs = 0;
    if (n < 2)
        return CAIRN_OK;
    cairn_status status = serves(b, n, box, still) ? CAIRN_OK : find_near(b, n, box, still);
    if (status != CAIRN_OK)
        return status;
    b->uses++;
    for (int i = 0; i < n; i++)
        b->low[i] = box[i].low;
    for (int p = 0; p < b->nears; p++) {
        const int *near = b->near[p];
        if (cairn_bounds_touch(&box[near[0]], &box[near[1]])) {
            b->pair[b->pairs][0] = near[0];
            b->pair[b->pairs++][1] = near[1];
        }
    }
    return CAIRN_OK;
}

void cairn_broad_free(cairn_broad *b) {
    free_boxes(b);
    cairn_free(b->context, b->near);
    cairn_free(b->context, b->pair);
    *b = (cairn_broad){.context = b->context};
}
