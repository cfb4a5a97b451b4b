/*
 * factor_dissection.c: nested dissection of a graph with vertex weights: halves come first, then
 * what separates them.
 *
 * A separator is found on ever coarser graphs (pairs of vertices joined by heavy edges are merged)
 * and improved on the way back. Improving moves single vertices out of the separator: vertex v goes
 * to side s, its neighbours on the other side enter; gain = weight(v) - weight of those. The best
 * vertex moves first, losses are allowed for a while and taken back in the end. References: C.
 * Fiduccia, R. Mattheyses, DAC 1982; B. Hendrickson, E. Rothberg, SIAM J. Sci. Comput. 20 (1998);
 * G. Karypis, V. Kumar, SIAM J. Sci. Comput. 20 (1998). Small parts are ordered by AMD.
 *
 * All choices that are free are made by a fixed sequence of pseudo-random numbers: the same graph
 * gives the same order.
 */
#include "linalg/factor/factor_data.h"

#include <string.h>
#include <suitesparse/amd.h>

#define LEAF        120 /* parts of so many vertices are not cut any more */
#define COARSEST    60  /* vertices of the coarsest graph */
#define TRIES       4   /* starting cuts of the coarsest graph */
#define PASSES      8   /* rounds of improvement on each graph */
#define LOSSES      100 /* moves without a new best after which a round ends */
#define CUTS        3   /* of which the best is taken, for parts of more than 1 / CUT_SHARE of all; else one */
#define CUT_SHARE   8
#define LEVELS      40
#define SEPARATOR   2
#define LARGER_PART 0.53 /* of the weight: what one side may reach */

typedef struct graph {
    int n;
    int *start, *adjacent, *strength; /* strength: edges merged into each edge */
    int *weight;
    int total; /* weight of all */
} graph;

typedef struct scratch {
    int *pull[2];      /* weight of the neighbours on each side, for vertices of the separator */
    int *list, *where; /* the separator, and where in it a vertex is */
    signed char *moved;
    int *record; /* pairs: vertex, its side before */
    int *order;
} scratch;

static uint64_t next_random(uint64_t *state) {
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* ---- improving a separator ---- */

typedef struct cut {
    const graph *g;
    signed char *side; /* 0, 1 or SEPARATOR */
    scratch *s;
    int weight[3]; /* of the sides and of the separator */
    int listed, recorded;
} cut;

static void enter(cut *c, int v) {
    const graph *g = c->g;
    c->s->pull[0][v] = c->s->pull[1][v] = 0;
    for (int p = g->start[v]; p < g->start[v + 1]; p++) {
        int u = g->adjacent[p];
        if (c->side[u] != SEPARATOR)
            c->s->pull[c->side[u]][v] += g->weight[u];
    }
    c->s->where[v] = c->listed;
    c->s->list[c->listed++] = v;
}

static void count_cut(cut *c) {
    c->listed = 0;
    memset(c->weight, 0, sizeof c->weight);
    for (int v = 0; v < c->g->n; v++) {
        c->weight[c->side[v]] += c->g->weight[v];
        c->s->moved[v] = 0;
        if (c->side[v] == SEPARATOR)
            enter(c, v);
    }
}

static void record(cut *c, int v) {
    c->s->record[2 * c->recorded] = v;
    c->s->record[2 * c->recorded++ + 1] = c->side[v];
}

/* Vertex v leaves the separator for side s. */
static void move(cut *c, int v, int s) {
    const graph *g = c->g;
    record(c, v);
    int last = c->s->list[--c->listed];
    c->s->list[c->s->where[v]] = last;
    c->s->where[last] = c->s->where[v];
    c->side[v] = (signed char)s;
    c->s->moved[v] = 1;
    c->weight[SEPARATOR] -= g->weight[v];
    c->weight[s] += g->weight[v];
    for (int p = g->start[v]; p < g->start[v + 1]; p++) {
        int u = g->adjacent[p];
        if (c->side[u] == SEPARATOR) {
            c->s->pull[s][u] += g->weight[v];
        } else if (c->side[u] != s) {
            record(c, u);
            c->side[u] = SEPARATOR;
            c->weight[1 - s] -= g->weight[u];
            c->weight[SEPARATOR] += g->weight[u];
            for (int q = g->start[u]; q < g->start[u + 1]; q++)
                if (c->side[g->adjacent[q]] == SEPARATOR)
                    c->s->pull[1 - s][g->adjacent[q]] -= g->weight[u];
            enter(c, u);
        }
    }
}

/* The best move of a vertex that has not moved: to the lighter side when equal. -1: none is
 * allowed. */
static int best_move(const cut *c, int most, int *to) {
    int best = -1, best_gain = 0, lighter = c->weight[1] < c->weight[0];
    for (int k = 0; k < c->listed; k++) {
        int v = c->s->list[k], w = c->g->weight[v];
        if (c->s->moved[v])
            continue;
        for (int turn = 0; turn < 2; turn++) {
            int s = turn == 0 ? lighter : 1 - lighter, gain = w - c->s->pull[1 - s][v];
            if (c->weight[s] + w <= most && (best < 0 || gain > best_gain)) {
                best = v;
                best_gain = gain;
                *to = s;
            }
        }
    }
    return best;
}

static int imbalance(const cut *c) {
    return c->weight[0] > c->weight[1] ? c->weight[0] - c->weight[1] : c->weight[1] - c->weight[0];
}

/* Rounds of moves. */
static void improve(const graph *g, signed char *side, scratch *s) {
    cut c = {.g = g, .side = side, .s = s};
    int most = (int)(LARGER_PART * g->total);
    int64_t looks = 0, enough = 1000000 + 100 * (int64_t)g->n; /* bounds the work on odd graphs, stars for one */
    count_cut(&c);
    for (int pass = 0; pass < PASSES; pass++) {
        int best = c.weight[SEPARATOR], balance = imbalance(&c), kept = 0, losses = 0, to = 0, before = best;
        c.recorded = 0;
        while (losses < LOSSES && c.recorded < 2 * g->n && looks < enough) {
            looks += c.listed;
            int v = best_move(&c, most, &to);
            if (v < 0)
                break;
            move(&c, v, to);
            losses++;
            if (c.weight[SEPARATOR] < best || (c.weight[SEPARATOR] == best && imbalance(&c) < balance)) {
                best = c.weight[SEPARATOR];
                balance = imbalance(&c);
                kept = c.recorded;
                losses = 0;
            }
        }
        while (c.recorded > kept) {
            c.recorded--;
            side[s->record[2 * c.recorded]] = (signed char)s->record[2 * c.recorded + 1];
        }
        count_cut(&c);
        if (best == before)
            break;
    }
}

/* ---- coarser graphs ---- */

static void free_graph(cairn_context *context, graph *g) {
    cairn_free(context, g->start);
    *g = (graph){0};
}

/* One block of memory for all arrays. */
static cairn_status take_graph(cairn_context *context, int n, int edges, graph *g) {
    int *memory = cairn_alloc(context, 2 * (size_t)n + 1 + 2 * (size_t)edges, sizeof(int));
    if (memory == NULL)
        return CAIRN_ERROR_MEMORY;
    *g = (graph){.n = n, .start = memory, .weight = memory + n + 1, .adjacent = memory + 2 * (size_t)n + 1};
    g->strength = g->adjacent + edges;
    return CAIRN_OK;
}

/* map[v]: vertex of the coarser graph. Returns their number. */
static int match(const graph *g, int *map, int *order, uint64_t *random) {
    int coarse = 0, most = g->total / 30 + 1;
    for (int i = 0; i < g->n; i++) {
        int j = (int)(next_random(random) % (uint64_t)(i + 1));
        map[i] = -1;
        order[i] = order[j];
        order[j] = i;
    }
    for (int i = 0; i < g->n; i++) {
        int v = order[i], best = -1, strength = 0;
        if (map[v] >= 0)
            continue;
        for (int p = g->start[v]; p < g->start[v + 1]; p++) {
            int u = g->adjacent[p];
            if (map[u] < 0 && u != v && g->weight[u] + g->weight[v] <= most &&
                (g->strength[p] > strength || (g->strength[p] == strength && g->weight[u] < g->weight[best]))) {
                best = u;
                strength = g->strength[p];
            }
        }
        map[v] = coarse;
        if (best >= 0)
            map[best] = coarse;
        coarse++;
    }
    return coarse;
}

/* out: the graph of the merged vertices, edges between them joined */
static cairn_status coarsen(cairn_context *context, const graph *g, const int *map, int count, scratch *s, graph *out) {
    cairn_status status = take_graph(context, count, g->start[g->n], out);
    if (status != CAIRN_OK)
        return status;
    int *member = s->list, *partner = s->where, *mark = s->pull[0];
    for (int k = 0; k < count; k++)
        member[k] = mark[k] = -1;
    for (int v = 0; v < g->n; v++) {
        partner[v] = member[map[v]];
        member[map[v]] = v;
        out->weight[map[v]] += g->weight[v];
    }
    int used = 0;
    for (int k = 0; k < count; k++) {
        int begin = used;
        out->start[k] = used;
        for (int v = member[k]; v >= 0; v = partner[v])
            for (int p = g->start[v]; p < g->start[v + 1]; p++) {
                int u = map[g->adjacent[p]];
                if (u == k)
                    continue;
                if (mark[u] < begin) {
                    mark[u] = used;
                    out->adjacent[used] = u;
                    out->strength[used++] = 0;
                }
                out->strength[mark[u]] += g->strength[p];
            }
    }
    out->start[count] = used;
    out->total = g->total;
    return CAIRN_OK;
}

/* Side 0 grows from a vertex, by breadth, to half of the weight; its rim becomes the separator. */
static void grow(const graph *g, int seed, int *queue, signed char *side) {
    int head = 0, tail = 0, weight = 0, next = 0;
    memset(side, 1, (size_t)g->n);
    queue[tail++] = seed;
    side[seed] = 0;
    while (2 * weight < g->total) {
        if (head == tail) { /* another component */
            while (next < g->n && side[next] == 0)
                next++;
            if (next == g->n)
                break;
            side[next] = 0;
            queue[tail++] = next;
        }
        int v = queue[head++];
        weight += g->weight[v];
        for (int p = g->start[v]; p < g->start[v + 1]; p++)
            if (side[g->adjacent[p]] == 1) {
                side[g->adjacent[p]] = 0;
                queue[tail++] = g->adjacent[p];
            }
    }
    for (; head < tail; head++) /* reached, but not taken in */
        side[queue[head]] = SEPARATOR;
}

/* Small separators are good, and so are equal halves. */
static double badness(const graph *g, const signed char *side) {
    double weight[3] = {0.0};
    for (int v = 0; v < g->n; v++)
        weight[side[v]] += g->weight[v];
    double larger = weight[0] > weight[1] ? weight[0] : weight[1];
    return (weight[SEPARATOR] + 1.0) * (0.5 + larger / g->total);
}

static void first_cut(const graph *g, scratch *s, signed char *side, signed char *trial, uint64_t *random) {
    double least = 0.0;
    for (int k = 0; k < TRIES; k++) {
        grow(g, (int)(next_random(random) % (uint64_t)g->n), s->order, trial);
        improve(g, trial, s);
        double bad = badness(g, trial);
        if (k == 0 || bad < least) {
            least = bad;
            memcpy(side, trial, (size_t)g->n);
        }
    }
}

/* side: a cut of the graph. map, side, trial: room for 5 n, n, n */
static cairn_status separate(cairn_context *context, const graph *g, scratch *s, int *map, signed char *side,
                             signed char *trial, uint64_t *random) {
    graph level[LEVELS] = {*g};
    int *maps[LEVELS] = {map}, levels = 1;
    cairn_status status = CAIRN_OK;
    while (levels < LEVELS && level[levels - 1].n > COARSEST) {
        const graph *fine = &level[levels - 1];
        int count = match(fine, maps[levels - 1], s->order, random);
        if (count > fine->n - fine->n / 5) /* 1 + 4/5 + 16/25 + ... = 5 */
            break;
        status = coarsen(context, fine, maps[levels - 1], count, s, &level[levels]);
        if (status != CAIRN_OK)
            break;
        maps[levels] = maps[levels - 1] + fine->n;
        levels++;
    }
    if (status == CAIRN_OK)
        first_cut(&level[levels - 1], s, side, trial, random);
    for (int k = levels - 2; k >= 0 && status == CAIRN_OK; k--) {
        for (int v = 0; v < level[k].n; v++)
            trial[v] = side[maps[k][v]];
        memcpy(side, trial, (size_t)level[k].n);
        improve(&level[k], side, s);
    }
    for (int k = 1; k < levels; k++)
        free_graph(context, &level[k]);
    return status;
}

/* The best of so many cuts. */
static cairn_status best_cut(cairn_context *context, const graph *g, int cuts, scratch *s, int *map, signed char *side,
                             signed char *other, signed char *trial, uint64_t *random) {
    double least = 0.0;
    for (int k = 0; k < cuts; k++) {
        cairn_status status = separate(context, g, s, map, other, trial, random);
        if (status != CAIRN_OK)
            return status;
        double bad = badness(g, other);
        if (k == 0 || bad < least) {
            least = bad;
            memcpy(side, other, (size_t)g->n);
        }
    }
    return CAIRN_OK;
}

/* ---- the order ---- */

typedef struct dissection {
    cairn_context *context;
    const graph *g;
    int *local;  /* n: number of a vertex in the part, -1: not in it */
    int *part;   /* n: the order so far: vertices of g */
    int *buffer; /* n */
    int *map;    /* 5 n + LEVELS: maps between the levels */
    signed char *side, *other, *trial;
    scratch s;
    uint64_t random;
} dissection;

/* The part's graph: vertices part[begin .. end-1]. */
static cairn_status take_part(dissection *d, int begin, int end, graph *out) {
    int edges = 0, used = 0;
    for (int k = begin; k < end; k++) {
        d->local[d->part[k]] = k - begin;
        edges += d->g->start[d->part[k] + 1] - d->g->start[d->part[k]];
    }
    cairn_status status = take_graph(d->context, end - begin, edges, out);
    for (int k = begin; k < end && status == CAIRN_OK; k++) {
        int v = d->part[k];
        out->start[k - begin] = used;
        out->weight[k - begin] = d->g->weight[v];
        out->total += d->g->weight[v];
        for (int p = d->g->start[v]; p < d->g->start[v + 1]; p++)
            if (d->local[d->g->adjacent[p]] >= 0) {
                out->adjacent[used] = d->local[d->g->adjacent[p]];
                out->strength[used++] = 1;
            }
    }
    if (status == CAIRN_OK)
        out->start[end - begin] = used;
    for (int k = begin; k < end; k++)
        d->local[d->part[k]] = -1;
    return status;
}

static cairn_status order_leaf(dissection *d, const graph *g, int begin) {
    int n = g->n, used = g->start[n], room = used + used / 5 + n + 1;
    int *memory = cairn_alloc(d->context, 9 * (size_t)n + (size_t)room, sizeof(int));
    if (memory == NULL)
        return CAIRN_ERROR_MEMORY;
    int *length = memory, *size = memory + n, *next = memory + 2 * n, *last = memory + 3 * n, *head = memory + 4 * n;
    int *list = memory + 9 * (size_t)n, *first = memory + 8 * n;
    for (int v = 0; v < n; v++) {
        first[v] = g->start[v];
        length[v] = g->start[v + 1] - g->start[v];
    }
    memcpy(list, g->adjacent, (size_t)used * sizeof(int));
    amd_2(n, first, list, length, room, used, size, next, last, head, memory + 5 * n, memory + 6 * n, memory + 7 * n,
          NULL, NULL);
    for (int k = 0; k < n; k++)
        d->buffer[k] = d->part[begin + last[k]];
    memcpy(d->part + begin, d->buffer, (size_t)n * sizeof(int));
    cairn_free(d->context, memory);
    return CAIRN_OK;
}

/* Puts part[begin .. end-1] in order. Sides are at most LARGER_PART of the whole, so the depth
 * is bounded. */
static cairn_status dissect(dissection *d, int begin, int end) {
    graph g = {0};
    cairn_status status = take_part(d, begin, end, &g);
    int count[3] = {0}, n = end - begin;
    if (status == CAIRN_OK && n > LEAF)
        status = best_cut(d->context, &g, n > d->g->n / CUT_SHARE ? CUTS : 1, &d->s, d->map, d->side, d->other,
                          d->trial, &d->random);
    if (status == CAIRN_OK && n > LEAF) {
        for (int v = 0; v < n; v++)
            count[d->side[v]]++;
        int at[3] = {0, count[0], count[0] + count[1]};
        for (int v = 0; v < n; v++)
            d->buffer[at[d->side[v]]++] = d->part[begin + v];
    }
    bool halved = count[0] > 0 && count[1] > 0;
    if (halved)
        memcpy(d->part + begin, d->buffer, (size_t)n * sizeof(int));
    else if (status == CAIRN_OK && n > 0)
        status = order_leaf(d, &g, begin);
    free_graph(d->context, &g);
    if (halved)
        status = dissect(d, begin, begin + count[0]);
    if (halved && status == CAIRN_OK)
        status = dissect(d, begin + count[0], begin + count[0] + count[1]);
    return status;
}

static void lay_out(dissection *d, cairn_arena *arena, size_t n) {
    d->local = cairn_arena_take(arena, n, sizeof(int));
    d->buffer = cairn_arena_take(arena, n, sizeof(int));
    d->map = cairn_arena_take(arena, 5 * n + LEVELS, sizeof(int));
    d->side = cairn_arena_take(arena, n, 1);
    d->other = cairn_arena_take(arena, n, 1);
    d->trial = cairn_arena_take(arena, n, 1);
    d->s.pull[0] = cairn_arena_take(arena, n, sizeof(int));
    d->s.pull[1] = cairn_arena_take(arena, n, sizeof(int));
    d->s.list = cairn_arena_take(arena, n, sizeof(int));
    d->s.where = cairn_arena_take(arena, n, sizeof(int));
    d->s.moved = cairn_arena_take(arena, n, 1);
    d->s.record = cairn_arena_take(arena, 6 * n + 2, sizeof(int));
    d->s.order = cairn_arena_take(arena, n, sizeof(int));
}

cairn_status cairn_dissect(cairn_context *context, int n, const int *start, const int *adjacent, const int *weight,
                           int *order) {
    graph g = {0};
    dissection d = {.context = context, .part = order, .random = 1};
    cairn_arena arena = {0};
    cairn_status status = take_graph(context, n, start[n], &g);
    if (status != CAIRN_OK)
        return status;
    memcpy(g.start, start, ((size_t)n + 1) * sizeof(int));
    memcpy(g.adjacent, adjacent, (size_t)start[n] * sizeof(int));
    for (int v = 0; v < n; v++) {
        g.weight[v] = weight[v];
        g.total += weight[v];
    }
    lay_out(&d, &arena, (size_t)n);
    status = cairn_arena_reserve(context, &arena);
    if (status == CAIRN_OK) {
        lay_out(&d, &arena, (size_t)n);
        d.g = &g;
        for (int v = 0; v < n; v++) {
            d.local[v] = -1;
            order[v] = v;
        }
        status = dissect(&d, 0, n);
    }
    cairn_arena_free(context, &arena);
    free_graph(context, &g);
    return status;
}
