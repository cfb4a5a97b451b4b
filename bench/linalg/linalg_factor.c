/*
 * linalg_factor.c: times analyze, numeric and solve of sparse factors on matrices like those of contact problems.
 *
 *     linalg_factor [--csv FILE] [--quick]
 *
 * All matrices are made here, the same on every machine: groups of rows (bodies, nodes, joints) and pairs of groups that
 * meet. Values are random and make the matrix diagonally dominant within each sign: only the pattern matters for time.
 * Every time is the best of several: CPU time with one thread, wall clock with two. Rates stand beside what this machine can do: multiply-adds of the kernel on blocks
 * that stay in the cache, and bytes of a copy that does not.
 */
#define _POSIX_C_SOURCE 200809L
#include "linalg/factor/factor_data.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct matrix {
    const char *name;
    int groups, pairs, room, n;
    int *rows;         /* groups: rows of each */
    signed char *mark; /* groups: +1 or -1 */
    int (*pair)[2];    /* pairs of groups that meet, in any order, some twice */
    int *start, *index, *group_start;
    double *value;
    signed char *sign;
} matrix;

static void *take(size_t count, size_t size) {
    void *memory = calloc(count + 1, size);
    if (memory == NULL) {
        fprintf(stderr, "linalg_factor: out of memory\n");
        exit(1);
    }
    return memory;
}

static uint64_t mix(uint64_t z) {
    z += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

static double unit(uint64_t *state) {
    *state += 1;
    return (double)(mix(*state) >> 11) * 0x1p-53;
}

static matrix begin_matrix(const char *name, int groups, int rows, int room) {
    matrix m = {.name = name, .groups = groups, .room = room};
    m.rows = take((size_t)groups, sizeof(int));
    m.mark = take((size_t)groups, 1);
    m.pair = take((size_t)room, sizeof *m.pair);
    for (int g = 0; g < groups; g++) {
        m.rows[g] = rows;
        m.mark[g] = 1;
    }
    return m;
}

static void meet(matrix *m, int a, int b) {
    if (m->pairs == m->room) {
        fprintf(stderr, "linalg_factor: too many pairs in %s\n", m->name);
        exit(1);
    }
    m->pair[m->pairs][0] = a;
    m->pair[m->pairs++][1] = b;
}

static int by_pair(const void *a, const void *b) {
    const int *p = a, *q = b;
    return p[0] != q[0] ? (p[0] > q[0]) - (p[0] < q[0]) : (p[1] > q[1]) - (p[1] < q[1]);
}

/* Values of the columns of group v, whose neighbours are the pairs begin .. end-1. */
static void fill_group(matrix *m, int v, int begin, int end, int *used) {
    for (int j = m->group_start[v]; j < m->group_start[v + 1]; j++) {
        double sum = 1.0;
        int diagonal = -1;
        m->start[j] = *used;
        for (int p = begin; p < end; p++) {
            int u = m->pair[p][1];
            for (int i = m->group_start[u]; i < m->group_start[u + 1]; i++) {
                uint64_t low = (uint64_t)(i < j ? i : j), high = (uint64_t)(i < j ? j : i);
                uint64_t state = mix(low * UINT64_C(0x100000001) + high);
                m->index[*used] = i;
                m->value[*used] = 2.0 * unit(&state) - 1.0;
                if (i == j)
                    diagonal = *used;
                else if (m->mark[u] == m->mark[v])
                    sum += fabs(m->value[*used]);
                (*used)++;
            }
        }
        m->value[diagonal] = m->mark[v] * sum;
        m->sign[j] = m->mark[v];
    }
}

/* Sorts the pairs, both ways and with every group meeting itself, and writes the columns. */
static void end_matrix(matrix *m) {
    int count = 2 * m->pairs + m->groups;
    int(*both)[2] = take((size_t)count, sizeof *both);
    for (int p = 0; p < m->pairs; p++) {
        both[2 * p][0] = both[2 * p + 1][1] = m->pair[p][0];
        both[2 * p][1] = both[2 * p + 1][0] = m->pair[p][1];
    }
    for (int g = 0; g < m->groups; g++)
        both[2 * m->pairs + g][0] = both[2 * m->pairs + g][1] = g;
    qsort(both, (size_t)count, sizeof *both, by_pair);
    free(m->pair);
    m->pair = both;
    m->pairs = 0;
    m->group_start = take((size_t)m->groups + 1, sizeof(int));
    for (int g = 0; g < m->groups; g++)
        m->group_start[g + 1] = m->group_start[g] + m->rows[g];
    m->n = m->group_start[m->groups];
    size_t entries = 0;
    for (int p = 0; p < count; p++)
        if (p == 0 || by_pair(both[p], both[m->pairs - 1]) != 0) {
            entries += (size_t)m->rows[both[p][0]] * (size_t)m->rows[both[p][1]];
            memmove(both[m->pairs++], both[p], sizeof *both);
        }
    m->start = take((size_t)m->n + 1, sizeof(int));
    m->sign = take((size_t)m->n, 1);
    m->index = take(entries, sizeof(int));
    m->value = take(entries, sizeof(double));
    int used = 0;
    for (int p = 0, end; p < m->pairs; p = end) {
        for (end = p; end < m->pairs && both[end][0] == both[p][0]; end++) {
        }
        fill_group(m, both[p][0], p, end, &used);
    }
    m->start[m->n] = used;
}

static void free_matrix(matrix *m) {
    void *owned[] = {m->rows, m->mark, m->pair, m->start, m->index, m->group_start, m->value, m->sign};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
}

/* ---- the matrices ----------------------------------------------------------------------------------------- */

/* Links of six rows, joints of five rows of sign -1 between neighbours: [H D; D' -T]. */
static matrix chain(const char *name, int links) {
    matrix m = begin_matrix(name, 2 * links - 1, 6, 2 * links);
    for (int j = 0; j < links - 1; j++) {
        m.rows[links + j] = 5;
        m.mark[links + j] = -1;
        meet(&m, links + j, j);
        meet(&m, links + j, j + 1);
    }
    end_matrix(&m);
    return m;
}

/* Walls of bricks: each meets its neighbours in the row and two in the row below. */
static matrix walls(const char *name, int count, int height, int length) {
    matrix m = begin_matrix(name, count * height * length, 6, 3 * count * height * length);
    for (int w = 0; w < count; w++)
        for (int r = 0; r < height; r++)
            for (int b = 0; b < length; b++) {
                int brick = (w * height + r) * length + b, other = b + (r % 2 == 0 ? -1 : 1);
                if (b > 0)
                    meet(&m, brick, brick - 1);
                if (r > 0)
                    meet(&m, brick, brick - length);
                if (r > 0 && other >= 0 && other < length)
                    meet(&m, brick, brick - length + other - b);
            }
    end_matrix(&m);
    return m;
}

/* Bars of tetrahedra in layers, each layer across the one below; groups are nodes of three rows. */
static matrix bars(const char *name, int layers, int contacts) {
    enum { X = 13, Y = 4, Z = 4, NODES = X * Y * Z, BESIDE = 3 };
    matrix m = begin_matrix(name, layers * BESIDE * NODES, 3, layers * BESIDE * NODES * 7 + contacts * 15);
    for (int v = 0; v < m.groups; v++) {
        int z = v % Z, y = v / Z % Y, x = v / Z / Y % X;
        for (int step = 1; step < 8; step++) { /* the six tetrahedra of a cell along its diagonal */
            int dx = step & 1, dy = step >> 1 & 1, dz = step >> 2;
            if (x + dx < X && y + dy < Y && z + dz < Z)
                meet(&m, v, v + (dx * Y + dy) * Z + dz);
        }
    }
    uint64_t state = 5;
    for (int k = 0; k < contacts; k++) { /* a face of the upper bar on a face of the lower one */
        int layer = 1 + (int)(unit(&state) * (layers - 1)), up = (int)(unit(&state) * BESIDE),
            down = (int)(unit(&state) * BESIDE);
        int corner[6];
        for (int side = 0; side < 2; side++) {
            int bar = side == 0 ? layer * BESIDE + up : (layer - 1) * BESIDE + down, across = side == 0 ? down : up;
            int x = 2 + 3 * across + (int)(unit(&state) * 2.0), y = (int)(unit(&state) * (Y - 1));
            int node = bar * NODES + (x * Y + y) * Z + (side == 0 ? 0 : Z - 1);
            corner[3 * side] = node;
            corner[3 * side + 1] = node + Y * Z;
            corner[3 * side + 2] = node + Y * Z + Z;
        }
        for (int i = 0; i < 6; i++)
            for (int j = 0; j < i; j++)
                meet(&m, corner[i], corner[j]);
    }
    end_matrix(&m);
    return m;
}

typedef struct near_pair {
    double distance;
    int a, b;
} near_pair;

static int by_distance(const void *a, const void *b) {
    const near_pair *p = a, *q = b;
    return p->distance != q->distance ? (p->distance > q->distance) - (p->distance < q->distance) : p->a - q->a;
}

/* A heap of spheres: places on a shaken lattice in random order, the nearest pairs touch, three contacts a sphere. */
static matrix pile(const char *name, int side) {
    int count = side * side * side, found = 0;
    matrix m = begin_matrix(name, count, 6, 3 * count);
    double(*place)[3] = take((size_t)count, sizeof *place);
    int *number = take((size_t)count, sizeof(int));
    near_pair *near = take(13 * (size_t)count, sizeof *near);
    uint64_t state = 11;
    for (int v = 0; v < count; v++) {
        int at[3] = {v % side, v / side % side, v / side / side}, swap = (int)(unit(&state) * (v + 1));
        number[v] = number[swap];
        number[swap] = v;
        for (int d = 0; d < 3; d++)
            place[v][d] = (d < 2 ? at[d] + 0.5 * (at[2] % 2) : 0.75 * at[2]) + 0.44 * (unit(&state) - 0.5);
    }
    for (int v = 0; v < count; v++)
        for (int step = 14; step < 27; step++) { /* half of the 26 around */
            int x = v % side + step % 3 - 1, y = v / side % side + step / 3 % 3 - 1, z = v / side / side + step / 9 - 1;
            if (x < 0 || y < 0 || x >= side || y >= side || z >= side)
                continue;
            int u = (z * side + y) * side + x;
            double d[3] = {place[v][0] - place[u][0], place[v][1] - place[u][1], place[v][2] - place[u][2]};
            near[found++] = (near_pair){d[0] * d[0] + d[1] * d[1] + d[2] * d[2], number[v], number[u]};
        }
    qsort(near, (size_t)found, sizeof *near, by_distance);
    for (int k = 0; k < found && k < 3 * count; k++)
        meet(&m, near[k].a, near[k].b);
    free(place);
    free(number);
    free(near);
    end_matrix(&m);
    return m;
}

/* ---- the machine ------------------------------------------------------------------------------------------ */

/* Multiply-adds a second of the kernel: 240 x 128 entries, 192 columns. */
static double peak_rate(const cairn_kernel *kernel) {
    enum { ROWS = 60, COLS = 32, K = CAIRN_BLOCK_WIDTH };
    double *x = take(4 * ROWS * K, sizeof(double)), *c = take(16 * ROWS * ROWS, sizeof(double)), best = 0.0;
    for (int trial = 0; trial < 200; trial++) {
        double t = cairn_cpu_now();
        kernel->update(K, x, x, COLS, ROWS, 0, COLS, c, 4 * ROWS, true);
        t = cairn_cpu_now() - t;
        best = fmax(best, 16.0 * (ROWS - COLS) * COLS * K / t);
    }
    free(x);
    free(c);
    return best;
}

/* Bytes a second read by a sum over more memory than the caches hold. */
static double read_rate(void) {
    size_t count = (size_t)1 << 24;
    double *x = take(count, sizeof(double)), best = 0.0;
    volatile double sink = 0.0;
    for (size_t i = 0; i < count; i++) /* pages never written are not memory */
        x[i] = 1.0;
    for (int trial = 0; trial < 8; trial++) {
        double t = cairn_cpu_now(), s[8] = {0.0};
        for (size_t i = 0; i < count; i += 8)
            for (int k = 0; k < 8; k++)
                s[k] += x[i + (size_t)k];
        t = cairn_cpu_now() - t;
        sink = sink + s[0] + s[1] + s[2] + s[3] + s[4] + s[5] + s[6] + s[7];
        best = fmax(best, 8.0 * (double)count / t);
    }
    free(x);
    return best;
}

/* ---- timing ----------------------------------------------------------------------------------------------- */

typedef struct timing {
    double analyze, numeric[2], solve[2], many;
    double madds, bytes; /* bytes of L (and U) */
    int64_t entries;
    int panels, tasks;
} timing;

static void check(cairn_context *context, cairn_status status) {
    if (status != CAIRN_OK) {
        fprintf(stderr, "linalg_factor: %s\n", cairn_error_message(context));
        exit(1);
    }
}

static double clock_of(int threads) {
    return threads == 1 ? cairn_cpu_now() : cairn_now();
}

static void time_threads(const matrix *m, int threads, double seconds, timing *t) {
    cairn_context_def def = cairn_default_context_def();
    cairn_context *context = NULL;
    cairn_factor *f = NULL;
    def.threads = threads;
    check(NULL, cairn_context_create(&def, &context));
    double began = clock_of(threads), *x = take(4 * (size_t)m->n, sizeof(double));
    check(context, cairn_factor_analyze(context, m->n, m->start, m->index, m->groups, m->group_start, true, &f));
    t->analyze = clock_of(threads) - began;
    t->madds = cairn_factor_flops(f);
    t->bytes = 8.0 * (double)f->panel_size;
    t->entries = cairn_factor_entries(f);
    t->panels = f->panels;
    t->tasks = f->tasks;
    double *numeric = &t->numeric[threads - 1], *solve = &t->solve[threads - 1];
    *numeric = *solve = t->many = INFINITY;
    began = cairn_now();
    for (int trial = 0; trial < 3 || cairn_now() - began < seconds; trial++) {
        double start = clock_of(threads);
        check(context, cairn_factor_numeric(f, m->value, m->sign));
        *numeric = fmin(*numeric, clock_of(threads) - start);
        for (int repeat = 0; repeat < 3; repeat++) {
            for (int i = 0; i < 4 * m->n; i++)
                x[i] = 1.0;
            start = clock_of(threads);
            cairn_factor_solve(f, x);
            *solve = fmin(*solve, clock_of(threads) - start);
            start = clock_of(threads);
            cairn_factor_solve_many(f, 4, x, m->n);
            t->many = fmin(t->many, clock_of(threads) - start);
        }
    }
    free(x);
    cairn_factor_destroy(f);
    cairn_context_destroy(context);
}

static void run(matrix m, double seconds, double peak, double memory, FILE *csv) {
    timing t;
    time_threads(&m, 2, seconds, &t);
    time_threads(&m, 1, seconds, &t);
    double rate = t.madds / t.numeric[0], read = 2.0 * t.bytes / t.solve[0]; /* L is read twice */
    printf("%-12s %6d %9lld %9.2f %5d %4d %9.2f %9.3f %8.3f %8.4f %8.4f %8.4f %6.1f %5.0f%% %6.1f %5.0f%%\n", m.name,
           m.n, (long long)t.entries, 1e-6 * t.madds, t.panels, t.tasks, 1e3 * t.analyze, 1e3 * t.numeric[0],
           1e3 * t.numeric[1], 1e3 * t.solve[0], 1e3 * t.solve[1], 250.0 * t.many, 2e-9 * rate, 100.0 * rate / peak,
           1e-9 * read, 100.0 * read / memory);
    fflush(stdout);
    if (csv != NULL)
        fprintf(csv, "%s,%d,%lld,%.0f,%d,%d,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.6g,%.6g\n", m.name, m.n,
                (long long)t.entries, t.madds, t.panels, t.tasks, t.analyze, t.numeric[0], t.numeric[1], t.solve[0],
                t.solve[1], t.many, rate, read);
    free_matrix(&m);
}

int main(int count, char **argument) {
    FILE *csv = NULL;
    bool quick = false;
    for (int i = 1; i < count; i++) {
        if (strcmp(argument[i], "--quick") == 0) {
            quick = true;
        } else if (strcmp(argument[i], "--csv") == 0 && i + 1 < count && csv == NULL) {
            csv = fopen(argument[++i], "w");
            if (csv == NULL) {
                fprintf(stderr, "linalg_factor: cannot write %s\n", argument[i]);
                return 1;
            }
        } else {
            fprintf(stderr, "usage: linalg_factor [--csv FILE] [--quick]\n");
            return 2;
        }
    }
    const cairn_kernel *kernel = cairn_kernel_best();
    double peak = peak_rate(kernel), memory = read_rate(), seconds = quick ? 0.05 : 1.0;
    printf("kernel %s: %.1f GF/s (portable %.1f), memory read %.1f GB/s\n", kernel->name, 2e-9 * peak,
           2e-9 * peak_rate(&cairn_kernel_portable), 1e-9 * memory);
    printf("%-12s %6s %9s %9s %5s %4s %9s %9s %8s %8s %8s %8s %6s %6s %6s %6s\n", "matrix", "n", "entries", "10^6 fma",
           "panel", "task", "analyze", "numeric", "2 thr", "solve", "2 thr", "of four", "GF/s", "peak", "GB/s", "read");
    if (csv != NULL)
        fprintf(csv, "matrix,n,entries,madds,panels,tasks,analyze_s,numeric_s,numeric2_s,solve_s,solve2_s,solve4_s,"
                     "madds_per_s,bytes_per_s\n");
    run(chain("robot", 20), seconds, peak, memory, csv);
    run(chain("chain", 400), seconds, peak, memory, csv);
    run(walls("boxes", 1, 9, 8), seconds, peak, memory, csv);
    run(walls("walls", 4, 10, 15), seconds, peak, memory, csv);
    run(bars("bars", 5, quick ? 400 : 1500), seconds, peak, memory, csv);
    run(pile("pile 1k", 10), seconds, peak, memory, csv);
    if (!quick) {
        run(pile("pile 4k", 16), seconds, peak, memory, csv);
        run(pile("pile 16k", 25), seconds, peak, memory, csv);
    }
    if (csv != NULL && fclose(csv) != 0)
        return 1;
    return 0;
}
