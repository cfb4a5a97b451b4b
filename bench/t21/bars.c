/*
 * bars.c: one step of layers of elastic bars on the floor, each layer across the one below; nodes of three rows, contacts between
 * faces of three nodes. For timing and profiles of problems whose H is a stiffness matrix.
 *
 *     bars [METHOD] [TOLERANCE] [CONTACTS] [REPEATS]
 *
 * H = M + h^2 K with springs along the edges of the six tetrahedra of a cell; the same problem at every call.
 */
#include <cairn/cairn.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    X = 13,
    Y = 4,
    Z = 4,
    NODES = X * Y * Z,
    BESIDE = 3,
    LAYERS = 5,
    COUNT = LAYERS * BESIDE * NODES,
    N = 3 * COUNT
};

typedef struct triplets {
    int *row, *col, entries, capacity;
    double *value;
} triplets;

static void put(triplets *t, int row, int col, double value) {
    if (t->entries == t->capacity) {
        t->capacity = t->capacity ? 2 * t->capacity : 1 << 16;
        t->row = realloc(t->row, (size_t)t->capacity * sizeof *t->row);
        t->col = realloc(t->col, (size_t)t->capacity * sizeof *t->col);
        t->value = realloc(t->value, (size_t)t->capacity * sizeof *t->value);
        if (t->row == NULL || t->col == NULL || t->value == NULL)
            exit(1);
    }
    t->row[t->entries] = row;
    t->col[t->entries] = col;
    t->value[t->entries++] = value;
}

static double unit(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

/* Spring between two nodes along direction e: stiffness e e'. */
static void spring(triplets *H, int a, int b, const double *e, double stiffness) {
    double square = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double value = stiffness * e[i] * e[j] / square;
            put(H, 3 * a + i, 3 * a + j, value);
            put(H, 3 * b + i, 3 * b + j, value);
            put(H, 3 * a + i, 3 * b + j, -value);
            put(H, 3 * b + i, 3 * a + j, -value);
        }
}

static void fill_H(triplets *H) {
    for (int v = 0; v < COUNT; v++) {
        int z = v % Z, y = v / Z % Y, x = v / Z / Y % X;
        for (int i = 0; i < 3; i++)
            put(H, 3 * v + i, 3 * v + i, 1.0);
        for (int step = 1; step < 8; step++) {
            int dx = step & 1, dy = step >> 1 & 1, dz = step >> 2;
            double e[3] = {dx, dy, dz};
            if (x + dx < X && y + dy < Y && z + dz < Z)
                spring(H, v, v + (dx * Y + dy) * Z + dz, e, 50.0);
        }
    }
}

/* A contact of nodes with weights; the normal is z. */
static void contact(triplets *D, int number, int nodes, const int *node, const double *weight) {
    static const int axis[3] = {2, 0, 1};
    for (int i = 0; i < nodes; i++)
        for (int r = 0; r < 3; r++)
            put(D, 3 * node[i] + axis[r], 3 * number + r, weight[i]);
}

static int fill_D(triplets *D, int between) {
    int contacts = 0;
    uint64_t state = 5;
    for (int v = 0; v < BESIDE * NODES; v++)
        if (v % Z == 0)
            contact(D, contacts++, 1, &v, (const double[]){1.0});
    for (int k = 0; k < between; k++) {
        int layer = 1 + k % (LAYERS - 1), up = (int)(unit(&state) * BESIDE), down = (int)(unit(&state) * BESIDE),
            node[6];
        double weight[6], a = unit(&state), b = unit(&state) * (1.0 - a);
        for (int side = 0; side < 2; side++) {
            int bar = side == 0 ? layer * BESIDE + up : (layer - 1) * BESIDE + down, across = side == 0 ? down : up;
            int x = 2 + 3 * across + (int)(unit(&state) * 2.0), y = (int)(unit(&state) * (Y - 1));
            int first = bar * NODES + (x * Y + y) * Z + (side == 0 ? 0 : Z - 1);
            const double part[3] = {a, b, 1.0 - a - b};
            for (int i = 0; i < 3; i++) {
                node[3 * side + i] = first + (i > 0 ? Y * Z : 0) + (i > 1 ? Z : 0);
                weight[3 * side + i] = side == 0 ? part[i] : -part[i];
            }
        }
        contact(D, contacts++, 6, node, weight);
    }
    return contacts;
}

int main(int argc, char **argv) {
    const char *method = argc > 1 ? argv[1] : "auto";
    double tolerance = argc > 2 ? atof(argv[2]) : 1e-8;
    int between = argc > 3 ? atoi(argv[3]) : 1500, repeats = argc > 4 ? atoi(argv[4]) : 1;
    triplets H = {0}, D = {0};
    fill_H(&H);
    int contacts = fill_D(&D, between);
    double *k = calloc(N, sizeof *k);
    cairn_block *block = calloc((size_t)contacts, sizeof *block);
    if (k == NULL || block == NULL)
        return 1;
    for (int v = 0; v < COUNT; v++)
        k[3 * v + 2] = -0.0981;
    for (int i = 0; i < contacts; i++)
        block[i] = (cairn_block){.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.4};
    cairn_problem_def def = cairn_default_problem_def();
    def.n = N;
    def.m = 3 * contacts;
    def.H = (cairn_sparse){.rows = N, .cols = N, .entries = H.entries, .row = H.row, .col = H.col, .value = H.value};
    def.D = (cairn_sparse){
        .rows = N, .cols = 3 * contacts, .entries = D.entries, .row = D.row, .col = D.col, .value = D.value};
    def.k = k;
    def.blocks = contacts;
    def.block = block;
    cairn_context *context = NULL;
    cairn_problem *problem = NULL;
    cairn_solver *solver = NULL;
    cairn_info info = {0};
    cairn_context_create(NULL, &context);
    cairn_settings settings = cairn_default_settings(method);
    settings.tolerance = tolerance;
    double best = INFINITY;
    if (cairn_problem_create(context, &def, &problem) != CAIRN_OK ||
        cairn_solver_create(context, &settings, &solver) != CAIRN_OK ||
        cairn_solver_load(solver, problem) != CAIRN_OK) {
        printf("%s\n", cairn_error_message(context));
        return 1;
    }
    for (int i = 0; i < repeats; i++) {
        if (cairn_solver_solve(solver, NULL, NULL, &info) != CAIRN_OK) {
            printf("%s\n", cairn_error_message(context));
            return 1;
        }
        best = fmin(best, info.cpu_seconds);
    }
    printf("bars: %d nodes, %d contacts, %s: %s, %d iterations, %d factorisations, %d solves, %.3f ms, load %.3f ms\n",
           COUNT, contacts, method, cairn_outcome_name(info.outcome), info.iterations, info.factorizations, info.solves,
           1e3 * best, 1e3 * info.load_cpu_seconds);
    cairn_solver_destroy(solver);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
    return info.outcome == CAIRN_SOLVED ? 0 : 1;
}
