/*
 * test_linalg_order.c: nested dissection on grids, paths, stars, complete and scattered graphs: always an order, always the
 * same one, and on grids in space one that saves work; tasks cut from trees; refused memory.
 */
#include "support/test.h"
#include "support/refusing.h"
#include "linalg/factor/factor_data.h"

#include <stdbool.h>

#define MAX_VERTICES 3000
#define MAX_EDGES    400000

typedef struct sample {
    int n, edges;
    int start[MAX_VERTICES + 1], weight[MAX_VERTICES];
    int adjacent[MAX_EDGES];
} sample;

static sample G; /* too large for the stack */

/* Asks for every pair: quadratic, but simple. */
static void make_graph(int n, bool (*joined)(int a, int b), int (*weight)(int v)) {
    G.n = n;
    G.edges = 0;
    for (int a = 0; a < n; a++) {
        G.start[a] = G.edges;
        G.weight[a] = weight(a);
        for (int b = 0; b < n; b++)
            if (a != b && joined(a, b))
                G.adjacent[G.edges++] = b;
    }
    G.start[n] = G.edges;
}

static bool path(int a, int b) {
    return abs(a - b) == 1;
}
static bool star(int a, int b) {
    return a == 0 || b == 0;
}
static bool complete(int a, int b) {
    return a != b;
}
static bool scattered(int a, int b) {
    return a / 3 == b / 3;
}
static bool lonely(int a, int b) {
    return a < 0 && b < 0;
}
static bool grid(int a, int b) { /* 13 x 13 x 13 */
    int x = abs(a % 13 - b % 13), y = abs(a / 13 % 13 - b / 13 % 13), z = abs(a / 169 - b / 169);
    return x + y + z == 1;
}
static bool lattice(int a, int b) { /* the same with diagonals */
    int x = abs(a % 13 - b % 13), y = abs(a / 13 % 13 - b / 13 % 13), z = abs(a / 169 - b / 169);
    return x <= 1 && y <= 1 && z <= 1;
}
static int equal(int v) {
    (void)v;
    return 6;
}
static int uneven(int v) {
    return v % 50 == 7 ? 400 : 1 + v % 5;
}

static cairn_context *new_context(void) {
    cairn_context *context = NULL;
    CHECK(cairn_context_create(NULL, &context) == CAIRN_OK);
    return context;
}

static void check_order(void) {
    static int order[MAX_VERTICES], again[MAX_VERTICES];
    static bool met[MAX_VERTICES];
    cairn_context *context = new_context();
    CHECK(cairn_dissect(context, G.n, G.start, G.adjacent, G.weight, order) == CAIRN_OK);
    CHECK(cairn_dissect(context, G.n, G.start, G.adjacent, G.weight, again) == CAIRN_OK);
    CHECK(memcmp(order, again, (size_t)G.n * sizeof(int)) == 0);
    memset(met, 0, sizeof met);
    for (int k = 0; k < G.n; k++) {
        CHECK(order[k] >= 0 && order[k] < G.n && !met[order[k]]);
        if (order[k] >= 0 && order[k] < G.n)
            met[order[k]] = true;
    }
    cairn_context_destroy(context);
}

TEST(orders) {
    bool (*const joined[6])(int, int) = {path, star, scattered, lonely, grid, lattice};
    const int sizes[4] = {1, 119, 600, 2197};
    for (int j = 0; j < 6; j++)
        for (int s = 0; s < 4; s++) {
            make_graph(sizes[s], joined[j], equal);
            check_order();
            make_graph(sizes[s], joined[j], uneven);
            check_order();
        }
    make_graph(400, complete, uneven);
    check_order();
}

/* Three rows a vertex. */
TEST(saves_work_on_a_grid) {
    make_graph(2197, lattice, equal);
    cairn_context *context = new_context();
    static int start[MAX_VERTICES * 6 + 1], index[(MAX_EDGES + MAX_VERTICES) * 6], group_start[MAX_VERTICES + 1];
    const int rows = 3;
    int used = 0;
    for (int v = 0; v < G.n; v++)
        for (int r = 0; r < rows; r++) {
            start[v * rows + r] = used;
            bool own = false;
            for (int p = G.start[v]; p <= G.start[v + 1]; p++) {
                int u = p < G.start[v + 1] ? G.adjacent[p] : G.n;
                for (int c = 0; !own && u > v && c < rows; c++)
                    index[used++] = v * rows + c;
                own = own || u > v;
                for (int c = 0; u < G.n && c < rows; c++)
                    index[used++] = u * rows + c;
            }
        }
    start[G.n * rows] = used;
    for (int v = 0; v <= G.n; v++)
        group_start[v] = v * rows;
    cairn_factor *f = NULL;
    CHECK(cairn_factor_analyze(context, G.n * rows, start, index, G.n, group_start, true, &f) == CAIRN_OK);
    CHECK(f != NULL && cairn_factor_flops(f) < 5.5e8); /* AMD alone: 7.2e8 */
    CHECK(f != NULL && f->tasks > 4);
    cairn_factor_destroy(f);
    cairn_context_destroy(context);
}

/* ---- tasks ------------------------------------------------------------------------------------------------ */

/* Tasks cover whole subtrees, do not overlap, and none is larger than its share. */
static void check_tasks(int panels, const int *parent, const double *cost) {
    static double sum[MAX_VERTICES];
    static int low[MAX_VERTICES], owner[MAX_VERTICES];
    static cairn_task task[MAX_VERTICES];
    double total = 0.0;
    int count = cairn_cut_tasks(panels, parent, cost, sum, low, NULL);
    CHECK(cairn_cut_tasks(panels, parent, cost, sum, low, task) == count);
    for (int s = 0; s < panels; s++) {
        total += cost[s];
        owner[s] = -1;
    }
    for (int t = 0; t < count; t++) {
        double work = 0.0;
        CHECK(task[t].begin < task[t].end);
        for (int s = task[t].begin; s < task[t].end; s++) {
            CHECK(owner[s] == -1);
            owner[s] = t;
            work += cost[s];
        }
        CHECK_NEAR(work, task[t].cost, 1e-9 * total);
        CHECK(work <= total / 8.0);
    }
    for (int s = 0; s < panels; s++)
        if (parent[s] >= 0 && owner[parent[s]] >= 0)
            CHECK(owner[s] == owner[parent[s]]);
}

TEST(tasks) {
    static int parent[MAX_VERTICES], root[MAX_VERTICES];
    static double cost[MAX_VERTICES];
    test_random r = {3};
    for (int trial = 0; trial < 20; trial++) {
        int panels = 2 + (int)(test_random_unit(&r) * (MAX_VERTICES - 2)), roots = 0;
        for (int s = 0; s < panels; s++) { /* every panel takes the last few trees as its children */
            int children = (int)(test_random_unit(&r) * (2.0 + trial % 3));
            parent[s] = -1;
            for (; children > 0 && roots > 0; children--)
                parent[root[--roots]] = s;
            root[roots++] = s;
        }
        for (int s = 0; s < panels; s++)
            cost[s] = 1e6 * test_random_unit(&r);
        check_tasks(panels, parent, cost);
    }
    /* many leaves under one root */
    for (int s = 0; s < 1000; s++) {
        parent[s] = s < 999 ? 999 : -1;
        cost[s] = 1e5;
    }
    check_tasks(1000, parent, cost);
    CHECK(cairn_cut_tasks(0, parent, cost, cost, parent, NULL) == 0);
}

/* ---- memory ----------------------------------------------------------------------------------------------- */

TEST(refused_memory) {
    static int order[MAX_VERTICES];
    counter c = {0};
    cairn_context *context = counted_context(&c);
    CHECK(context != NULL);
    make_graph(800, grid, uneven);
    int live = c.live, refused = 0;
    for (bool done = false; !done; refused++) {
        c.calls = 0;
        c.refuse = refused + 1;
        cairn_status status = cairn_dissect(context, G.n, G.start, G.adjacent, G.weight, order);
        done = status == CAIRN_OK;
        CHECK(done || status == CAIRN_ERROR_MEMORY);
        CHECK(c.live == live);
    }
    CHECK(refused > 10);
    cairn_context_destroy(context);
    CHECK(c.live == 0);
}

int main(void) {
    RUN(orders);
    RUN(saves_work_on_a_grid);
    RUN(tasks);
    RUN(refused_memory);
    return test_end();
}
