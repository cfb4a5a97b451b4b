/*
 * bars_drop.c: fifteen elastic bars of tetrahedra fall in five layers of three onto the floor and come to rest [T21 6.4], TEST 4.
 *
 *     bars_drop [key=value ...]     E=1e6 method=auto tol=1e-6 steps=20 seed=1 cells=12 h=0.05 mu=0.3 warm=1 out=
 *
 * For each step: contacts, outcome, iterations, factorisations, solves, certificate and times; at the end the medians. H = M + (h^2 + a h) K of
 * small displacements, a = 0.01; contacts of the nodes of one face with the triangles of the other, normals upwards. Impulses are carried
 * over by contact. out=PREFIX writes every step's problem as PREFIX<step>.hdf5 with the guess in it.
 *
 * What it is not: large rotations, contacts at the sides of bars.
 */
#include <cairn/cairn.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { Y = 4, Z = 4, BARS = 15, BESIDE = 3, MOST_X = 200 };

static const double length = 0.6, side = 0.06, density = 1000.0, damping = 0.01, poisson = 0.3;

typedef struct options {
    double E, tolerance, h, mu;
    int steps, cells, warm, seed;
    const char *method, *out;
} options;

typedef struct triplets {
    int *row, *col, entries, capacity;
    double *value;
} triplets;

typedef struct contact {
    int key; /* bar of the node, node, other bar: what the contact is called in the next step */
    int nodes, node[4];
    double weight[4], gap, gamma[3];
} contact;

typedef struct drop {
    options o;
    int X, per_bar, nodes, n;
    double *place; /* n: where the nodes began */
    double *mass;  /* nodes */
    double *q, *v; /* n: displacement, velocity */
    double yaw[BARS], centre[BARS][3];
    triplets H, K; /* K: without the factor h^2 + a h */
    contact *now, *before;
    int contacts, old_contacts, capacity;
} drop;

static void *need(void *memory) {
    if (memory == NULL)
        exit(1);
    return memory;
}

static void put(triplets *t, int row, int col, double value) {
    if (t->entries == t->capacity) {
        t->capacity = t->capacity ? 2 * t->capacity : 1 << 16;
        t->row = need(realloc(t->row, (size_t)t->capacity * sizeof *t->row));
        t->col = need(realloc(t->col, (size_t)t->capacity * sizeof *t->col));
        t->value = need(realloc(t->value, (size_t)t->capacity * sizeof *t->value));
    }
    t->row[t->entries] = row;
    t->col[t->entries] = col;
    t->value[t->entries++] = value;
}

static double unit(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) / 9007199254740992.0;
}

static int node_at(const drop *s, int bar, int x, int y, int z) {
    return bar * s->per_bar + (x * Y + y) * Z + z;
}

static void cross(const double *a, const double *b, double *c) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

/* Linear tetrahedron: K_ab = V (lambda g_a g_b' + G (g_b g_a' + g_a.g_b I)), g the gradients of the corners' functions. */
static void add_element(drop *s, const int *node) {
    double e[3][3], g[4][3] = {{0}}, normal[3];
    for (int i = 0; i < 3; i++)
        for (int c = 0; c < 3; c++)
            e[i][c] = s->place[3 * node[i + 1] + c] - s->place[3 * node[0] + c];
    cross(e[1], e[2], normal);
    double six = e[0][0] * normal[0] + e[0][1] * normal[1] + e[0][2] * normal[2], volume = fabs(six) / 6.0;
    for (int i = 0; i < 3; i++) {
        cross(e[(i + 1) % 3], e[(i + 2) % 3], g[i + 1]);
        for (int c = 0; c < 3; c++) {
            g[i + 1][c] /= six;
            g[0][c] -= g[i + 1][c];
        }
    }
    double E = s->o.E, lame = E * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson)), G = E / (2.0 * (1.0 + poisson));
    for (int a = 0; a < 4; a++) {
        s->mass[node[a]] += 0.25 * density * volume;
        for (int b = 0; b < 4; b++)
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    double dot = i == j ? g[a][0] * g[b][0] + g[a][1] * g[b][1] + g[a][2] * g[b][2] : 0.0;
                    put(&s->K, 3 * node[a] + i, 3 * node[b] + j,
                        volume * (lame * g[a][i] * g[b][j] + G * (g[a][j] * g[b][i] + dot)));
                }
    }
}

static void build(drop *s) {
    static const int corner[6][4] = {{0, 1, 3, 7}, {0, 1, 7, 5}, {0, 5, 7, 4},
                                     {0, 3, 2, 7}, {0, 6, 4, 7}, {0, 2, 6, 7}};
    uint64_t state = (uint64_t)s->o.seed;
    s->X = s->o.cells + 1;
    s->per_bar = s->X * Y * Z;
    s->nodes = BARS * s->per_bar;
    s->n = 3 * s->nodes;
    s->place = need(calloc((size_t)s->n, sizeof(double)));
    s->mass = need(calloc((size_t)s->nodes, sizeof(double)));
    s->q = need(calloc((size_t)s->n, sizeof(double)));
    s->v = need(calloc((size_t)s->n, sizeof(double)));
    for (int i = 0; i < 10; i++)
        unit(&state);
    for (int bar = 0; bar < BARS; bar++) {
        int layer = bar / BESIDE;
        double turn = layer * 1.3 + 0.4 * (unit(&state) - 0.5), off = 0.12 * (bar % BESIDE - 1);
        s->yaw[bar] = turn;
        s->centre[bar][0] = -sin(layer * 1.3) * off;
        s->centre[bar][1] = cos(layer * 1.3) * off;
        s->centre[bar][2] = 0.1 * (layer + 1) + 0.5 * side;
        for (int x = 0; x < s->X; x++)
            for (int y = 0; y < Y; y++)
                for (int z = 0; z < Z; z++) {
                    double a = length * (x / (double)s->o.cells - 0.5), b = side * (y / (Y - 1.0) - 0.5);
                    double *to = s->place + 3 * node_at(s, bar, x, y, z);
                    to[0] = s->centre[bar][0] + cos(turn) * a - sin(turn) * b;
                    to[1] = s->centre[bar][1] + sin(turn) * a + cos(turn) * b;
                    to[2] = s->centre[bar][2] + side * (z / (Z - 1.0) - 0.5);
                }
        for (int x = 0; x + 1 < s->X; x++)
            for (int y = 0; y + 1 < Y; y++)
                for (int z = 0; z + 1 < Z; z++)
                    for (int t = 0; t < 6; t++) {
                        int node[4];
                        for (int i = 0; i < 4; i++) {
                            int c = corner[t][i];
                            node[i] = node_at(s, bar, x + (c >> 2), y + (c >> 1 & 1), z + (c & 1));
                        }
                        add_element(s, node);
                    }
    }
    for (int e = 0; e < s->K.entries; e++)
        put(&s->H, s->K.row[e], s->K.col[e], s->K.value[e] * (s->o.h * s->o.h + damping * s->o.h));
    for (int v = 0; v < s->n; v++)
        put(&s->H, v, v, s->mass[v / 3]);
}

static contact *new_contact(drop *s, int key) {
    if (s->contacts == s->capacity) {
        s->capacity = s->capacity ? 2 * s->capacity : 4096;
        s->now = need(realloc(s->now, (size_t)s->capacity * sizeof *s->now));
        s->before = need(realloc(s->before, (size_t)s->capacity * sizeof *s->before));
    }
    contact *c = &s->now[s->contacts];
    memset(c, 0, sizeof *c);
    c->key = key;
    return c;
}

static double height(const drop *s, int node) {
    return s->place[3 * node + 2] + s->q[3 * node + 2];
}

/* Contact of a node with the triangle of the other bar's face z that it stands over, if any; up: the node is above. */
static void meet(drop *s, int node, int other, int z, int up) {
    double x = s->place[3 * node] + s->q[3 * node] - s->centre[other][0],
           y = s->place[3 * node + 1] + s->q[3 * node + 1] - s->centre[other][1];
    double a = (cos(s->yaw[other]) * x + sin(s->yaw[other]) * y) / length + 0.5,
           b = (cos(s->yaw[other]) * y - sin(s->yaw[other]) * x) / side + 0.5;
    if (a < 0.0 || a > 1.0 || b < 0.0 || b > 1.0)
        return;
    int i = (int)fmin(a * s->o.cells, s->o.cells - 1.0), j = (int)fmin(b * (Y - 1), Y - 2.0);
    double p = a * s->o.cells - i, r = b * (Y - 1) - j;
    contact *c = new_contact(s, node * BARS + other);
    c->nodes = 4;
    c->node[0] = node;
    c->weight[0] = up ? 1.0 : -1.0;
    c->node[1] = node_at(s, other, i, j, z);
    c->node[2] = node_at(s, other, i + 1, j + 1, z);
    c->node[3] = p > r ? node_at(s, other, i + 1, j, z) : node_at(s, other, i, j + 1, z);
    double w[3] = {p > r ? 1.0 - p : 1.0 - r, p > r ? r : p, p > r ? p - r : r - p};
    c->gap = height(s, node);
    for (int k = 0; k < 3; k++) {
        c->weight[k + 1] = up ? -w[k] : w[k];
        c->gap -= w[k] * height(s, c->node[k + 1]);
    }
    c->gap *= up ? 1.0 : -1.0;
    if (c->gap < 0.03)
        s->contacts++;
}

static void find_contacts(drop *s) {
    contact *swap = s->now;
    s->now = s->before;
    s->before = swap;
    s->old_contacts = s->contacts;
    s->contacts = 0;
    for (int bar = 0; bar < BARS; bar++)
        for (int x = 0; x < s->X; x++)
            for (int y = 0; y < Y; y++) {
                int low = node_at(s, bar, x, y, 0), high = node_at(s, bar, x, y, Z - 1);
                if (height(s, low) < 0.1) {
                    contact *c = new_contact(s, low * BARS + bar);
                    c->nodes = 1;
                    c->node[0] = low;
                    c->weight[0] = 1.0;
                    c->gap = height(s, low);
                    s->contacts++;
                }
                for (int other = 0; other < BARS; other++) {
                    if (other / BESIDE < bar / BESIDE)
                        meet(s, low, other, Z - 1, 1);
                    if (other / BESIDE > bar / BESIDE)
                        meet(s, high, other, 0, 0);
                }
            }
    for (int i = 0, j = 0; i < s->contacts; i++) { /* both are sorted by node; keys of a node in any order */
        while (j < s->old_contacts && s->before[j].key / BARS < s->now[i].key / BARS)
            j++;
        for (int l = j; l < s->old_contacts && s->before[l].key / BARS == s->now[i].key / BARS; l++)
            if (s->before[l].key == s->now[i].key)
                memcpy(s->now[i].gamma, s->before[l].gamma, sizeof s->now[i].gamma);
    }
}

typedef struct tally {
    int factorizations[1000], solves[1000], count, failures, most_solves, most_factorizations;
    double seconds;
} tally;

static int by_size(const void *a, const void *b) {
    return *(const int *)a - *(const int *)b;
}

/* Loads, b and D of this step; the guess is what the contacts carried before. */
static cairn_problem *make_problem(drop *s, cairn_context *context, double *k, double *guess, int *parts) {
    triplets D = {0};
    static const int axis[3] = {2, 0, 1};
    int m = 3 * s->contacts;
    double *b = need(calloc((size_t)m + 1, sizeof *b));
    cairn_block *block = need(calloc((size_t)s->contacts + 1, sizeof *block));
    for (int i = 0; i < s->contacts; i++) {
        const contact *c = &s->now[i];
        for (int l = 0; l < c->nodes; l++)
            for (int r = 0; r < 3; r++)
                put(&D, 3 * c->node[l] + axis[r], 3 * i + r, c->weight[l]);
        b[3 * i] = c->gap > 0.0 ? c->gap / s->o.h : 0.0;
        memcpy(guess + 3 * i, c->gamma, sizeof c->gamma);
        block[i] = (cairn_block){.set = CAIRN_SET_CONE, .dim = 3, .mu = s->o.mu};
    }
    for (int i = 0; i < s->n; i++)
        k[i] = s->mass[i / 3] * (s->v[i] - (i % 3 == 2 ? 9.81 * s->o.h : 0.0));
    for (int e = 0; e < s->K.entries; e++)
        k[s->K.row[e]] -= s->o.h * s->K.value[e] * s->q[s->K.col[e]];
    cairn_problem_def def = cairn_default_problem_def();
    def.n = s->n;
    def.m = m;
    def.H = (cairn_sparse){
        .rows = s->n, .cols = s->n, .entries = s->H.entries, .row = s->H.row, .col = s->H.col, .value = s->H.value};
    def.D = (cairn_sparse){.rows = s->n, .cols = m, .entries = D.entries, .row = D.row, .col = D.col, .value = D.value};
    def.k = k;
    def.b = b;
    def.blocks = s->contacts;
    def.block = block;
    def.bodies = s->nodes;
    def.body_start = parts;
    cairn_problem *problem = NULL;
    if (cairn_problem_create(context, &def, &problem) != CAIRN_OK) {
        printf("%s\n", cairn_error_message(context));
        exit(1);
    }
    free(b);
    free(block);
    free(D.row);
    free(D.col);
    free(D.value);
    return problem;
}

static void write_out(const drop *s, cairn_context *context, const cairn_problem *problem, const double *guess,
                      int step) {
    char path[512];
    snprintf(path, sizeof path, "%s%03d.hdf5", s->o.out, step);
    cairn_vectors first = {.r = (double *)guess};
    cairn_file file = {.problem = (cairn_problem *)problem, .guesses = 1, .guess = &first};
    if (cairn_file_write(context, path, &file) != CAIRN_OK)
        printf("%s\n", cairn_error_message(context));
}

static void step(drop *s, cairn_context *context, cairn_solver *solver, double *k, int *parts, int number,
                 cairn_problem **last, tally *t) {
    find_contacts(s);
    double *guess = need(calloc(3 * (size_t)s->contacts + 1, sizeof *guess));
    cairn_problem *problem = make_problem(s, context, k, guess, parts);
    if (s->o.out != NULL)
        write_out(s, context, problem, guess, number);
    cairn_info info = {0};
    cairn_answer answer = {0};
    cairn_guess warm = {.gamma = guess};
    if (cairn_solver_load(solver, problem) != CAIRN_OK ||
        cairn_solver_solve(solver, s->o.warm ? &warm : NULL, &answer, &info) != CAIRN_OK) {
        printf("%s\n", cairn_error_message(context));
        exit(1);
    }
    for (int i = 0; i < s->contacts; i++)
        memcpy(s->now[i].gamma, answer.gamma + 3 * i, sizeof s->now[i].gamma);
    for (int i = 0; i < s->n; i++) {
        s->v[i] = answer.v[i];
        s->q[i] += s->o.h * answer.v[i];
    }
    t->factorizations[t->count] = info.factorizations;
    t->solves[t->count++] = info.solves;
    t->failures += info.outcome != CAIRN_SOLVED;
    t->seconds += info.cpu_seconds + info.load_cpu_seconds;
    printf("step %2d: %4d contacts, %s, %d iterations, %d factorisations, %d solves, relative %.1e, error %.1e m/s, "
           "%.0f + "
           "%.0f ms; %s\n",
           number, s->contacts, cairn_outcome_name(info.outcome), info.iterations, info.factorizations, info.solves,
           info.certificate.relative, info.certificate.error, 1e3 * info.load_cpu_seconds, 1e3 * info.cpu_seconds,
           info.note);
    fflush(stdout);
    free(guess);
    cairn_problem_destroy(*last); /* the solver has let go of it */
    *last = problem;
}

static void read_options(int count, char **text, options *o) {
    for (int i = 1; i < count; i++) {
        char *value = strchr(text[i], '=');
        if (value == NULL) {
            printf("expected key=value, not %s\n", text[i]);
            exit(2);
        }
        *value++ = '\0';
        struct {
            const char *key;
            double *real;
            int *whole;
            const char **word;
        } table[] = {{"E", &o->E, NULL, NULL},           {"tol", &o->tolerance, NULL, NULL},
                     {"h", &o->h, NULL, NULL},           {"mu", &o->mu, NULL, NULL},
                     {"steps", NULL, &o->steps, NULL},   {"cells", NULL, &o->cells, NULL},
                     {"warm", NULL, &o->warm, NULL},     {"seed", NULL, &o->seed, NULL},
                     {"method", NULL, NULL, &o->method}, {"out", NULL, NULL, &o->out}};
        for (size_t j = 0; j < sizeof table / sizeof *table; j++) {
            if (strcmp(text[i], table[j].key) != 0)
                continue;
            if (table[j].real != NULL)
                *table[j].real = atof(value);
            else if (table[j].whole != NULL)
                *table[j].whole = atoi(value);
            else
                *table[j].word = value;
        }
    }
}

int main(int argc, char **argv) {
    drop s = {.o = {.E = 1e6,
                    .tolerance = 1e-6,
                    .h = 0.05,
                    .mu = 0.3,
                    .steps = 20,
                    .cells = 12,

                    .warm = 1,
                    .seed = 1,
                    .method = "auto"}};
    read_options(argc, argv, &s.o);
    build(&s);
    cairn_context *context = NULL;
    cairn_solver *solver = NULL;
    cairn_problem *problem = NULL;
    tally t = {0};
    double *k = need(calloc((size_t)s.n, sizeof *k));
    int *parts = need(calloc((size_t)s.nodes + 1, sizeof *parts));
    for (int i = 0; i <= s.nodes; i++)
        parts[i] = 3 * i;
    cairn_context_create(NULL, &context);
    cairn_settings settings = cairn_default_settings(s.o.method);
    settings.tolerance = s.o.tolerance;
    settings.tolerance_plain = 0.0;
    if (cairn_solver_create(context, &settings, &solver) != CAIRN_OK) {
        printf("%s\n", cairn_error_message(context));
        return 1;
    }
    for (int i = 0; i < s.o.steps; i++)
        step(&s, context, solver, k, parts, i, &problem, &t);
    qsort(t.factorizations, (size_t)t.count, sizeof(int), by_size);
    qsort(t.solves, (size_t)t.count, sizeof(int), by_size);
    printf("bars_drop: E %g, %s, %d steps, %d not solved; factorisations median %d most %d; solves median %d most %d; "
           "%.3f s\n",
           s.o.E, s.o.method, t.count, t.failures, t.factorizations[t.count / 2], t.factorizations[t.count - 1],
           t.solves[t.count / 2], t.solves[t.count - 1], t.seconds);
    cairn_solver_destroy(solver);
    cairn_problem_destroy(problem);
    cairn_context_destroy(context);
    return t.failures == 0 ? 0 : 1;
}
