/*
 * matrices.c: rigid bodies as matrices: wall, pile, robot, chain, and a box stack read from FCLIB.
 *
 * A contact at p with frame rows a_q (normal first) between bodies A and B has the columns
 *     d_q = [ -a_q, -(p - x_A) x a_q ; a_q, (p - x_B) x a_q ]        (velocity, angular velocity)
 * A body -1 is the ground. Every 6-row block of a column is stored in full, zeros included.
 */
#include "matrices.h"

#include <cairn/cairn.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

double random_uniform(bench_random *random) {
    uint64_t z = random->state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

/* Sum of twelve uniform numbers, near enough to normal. */
double random_normal(bench_random *random) {
    double sum = -6.0;
    for (int i = 0; i < 12; i++)
        sum += random_uniform(random);
    return sum;
}

/* What a scene of rigid bodies is collected in. */
typedef struct builder {
    int bodies, blocks, joints, rows;
    double (*x)[3]; /* centres */
    triplets H, D;
    int *block_start;
    bench_random random;
} builder;

static builder begin(int bodies, int blocks, uint64_t seed) {
    builder w = {.bodies = bodies, .random = {seed}};
    w.x = bench_need((size_t)bodies, sizeof *w.x);
    w.block_start = bench_need((size_t)blocks + 1, sizeof *w.block_start);
    return w;
}

static scene end(builder *w, const char *name) {
    int n = 6 * w->bodies;
    scene s = {.bodies = w->bodies, .blocks = w->blocks, .joints = w->joints, .block_start = w->block_start};
    snprintf(s.name, sizeof s.name, "%s", name);
    s.H = sparse_compress(&w->H, n, n);
    s.D = sparse_compress(&w->D, n, w->rows);
    s.body_start = bench_need((size_t)w->bodies + 1, sizeof *s.body_start);
    for (int i = 0; i <= w->bodies; i++)
        s.body_start[i] = 6 * i;
    free(w->x);
    return s;
}

static void cross(const double a[3], const double b[3], double c[3]) {
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

static void normalize(double a[3]) {
    double length = sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    for (int i = 0; i < 3; i++)
        a[i] /= length;
}

/* Rows: the unit normal and two tangents. */
static void make_frame(const double normal[3], double frame[3][3]) {
    memcpy(frame[0], normal, sizeof frame[0]);
    normalize(frame[0]);
    double help[3] = {fabs(frame[0][0]) < 0.9, fabs(frame[0][0]) >= 0.9, 0.0};
    cross(frame[0], help, frame[1]);
    normalize(frame[1]);
    cross(frame[0], frame[1], frame[2]);
}

/* Mass, and inertia diagonal in axes turned by small random angles: a full 3 x 3 block when turn > 0. */
static void add_body(builder *w, int body, double mass, const double inertia[3], double turn) {
    double axis[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    if (turn > 0.0) {
        double near[3] = {1.0, turn * random_normal(&w->random), turn * random_normal(&w->random)};
        make_frame(near, axis);
    }
    for (int i = 0; i < 3; i++) {
        triplets_add(&w->H, 6 * body + i, 6 * body + i, mass);
        for (int j = 0; j < 3; j++) {
            double sum = 0.0;
            for (int q = 0; q < 3; q++)
                sum += inertia[q] * axis[q][i] * axis[q][j];
            if (turn > 0.0 || i == j)
                triplets_add(&w->H, 6 * body + 3 + i, 6 * body + 3 + j, sum);
        }
    }
}

static void add_box(builder *w, int body, double mass, const double size[3], double turn) {
    double a = size[0] * size[0], b = size[1] * size[1], c = size[2] * size[2];
    double inertia[3] = {mass * (b + c) / 12.0, mass * (a + c) / 12.0, mass * (a + b) / 12.0};
    add_body(w, body, mass, inertia, turn);
}

/* One row: body's part is sign * (linear, arm x linear + angular). */
static void add_part(builder *w, int row, int body, double sign, const double arm[3], const double linear[3],
                     const double angular[3]) {
    if (body < 0)
        return;
    double moment[3];
    cross(arm, linear, moment);
    for (int i = 0; i < 3; i++) {
        triplets_add(&w->D, 6 * body + i, row, sign * linear[i]);
        triplets_add(&w->D, 6 * body + 3 + i, row, sign * (moment[i] + angular[i]));
    }
}

static void add_row(builder *w, int a, int b, const double p[3], const double linear[3], const double angular[3]) {
    for (int side = 0; side < 2; side++) {
        int body = side == 0 ? a : b;
        double arm[3] = {0, 0, 0};
        for (int i = 0; i < 3 && body >= 0; i++)
            arm[i] = p[i] - w->x[body][i];
        add_part(w, w->rows, body, side == 0 ? -1.0 : 1.0, arm, linear, angular);
    }
    w->rows++;
}

static void close_block(builder *w) {
    w->block_start[++w->blocks] = w->rows;
}

/* A contact near p with a normal near `normal`: both are moved by noise, so that no two contacts are alike. */
static void add_contact(builder *w, int a, int b, double px, double py, double pz, const double normal[3],
                        double noise) {
    static const double none[3] = {0, 0, 0};
    double p[3] = {px, py, pz}, near[3], frame[3][3];
    for (int i = 0; i < 3; i++) {
        p[i] += noise * random_normal(&w->random);
        near[i] = normal[i] + noise * random_normal(&w->random);
    }
    make_frame(near, frame);
    for (int q = 0; q < 3; q++)
        add_row(w, a, b, p, frame[q], none);
    close_block(w);
}

/* A joint: three translations, and rotations about the axes of the frame from the first_axis-th to the last. */
static void add_joint(builder *w, int a, int b, const double p[3], const double axis[3], int first_axis) {
    static const double none[3] = {0, 0, 0};
    double frame[3][3];
    make_frame(axis, frame);
    for (int q = 0; q < 3; q++)
        add_row(w, a, b, p, frame[q], none);
    for (int q = first_axis; q < 3; q++)
        add_row(w, a, b, p, none, frame[q]);
    close_block(w);
    w->joints++;
}

enum { WALLS = 4, LAYERS = 10, BRICKS = 15 };

static int brick(int wall, int layer, int place) {
    return (wall * LAYERS + layer) * BRICKS + place;
}

/* Contacts of one brick with what is under it and with its left neighbour. */
static void lay_brick(builder *w, int wall, int layer, int place, const double size[3]) {
    static const double up[3] = {0, 0, 1}, along[3] = {1, 0, 0};
    int self = brick(wall, layer, place);
    const double *x = w->x[self];
    double half = 0.5 * size[0];
    for (int below = layer == 0 ? -1 : 0; below < (layer == 0 ? 0 : BRICKS); below++) {
        int other = layer == 0 ? -1 : brick(wall, layer - 1, below);
        double centre = other < 0 ? x[0] : w->x[other][0];
        double left = fmax(x[0], centre) - half, right = fmin(x[0], centre) + half;
        if (right - left < 0.1)
            continue;
        for (int corner = 0; corner < 4; corner++)
            add_contact(w, other, self, corner & 1 ? right : left, x[1] + (corner & 2 ? 0.5 : -0.5) * size[1],
                        x[2] - 0.5 * size[2], up, 1e-3);
    }
    for (int corner = 0; place > 0 && corner < 4; corner++)
        add_contact(w, self - 1, self, 0.5 * (x[0] + w->x[self - 1][0]), x[1] + (corner & 2 ? 0.5 : -0.5) * size[1],
                    x[2] + (corner & 1 ? 0.5 : -0.5) * size[2], along, 1e-3);
}

/* [T21 TEST 2]: four walls of 10 x 15 bricks, each with 4 contacts on every touching face, and the ball on three of them. */
scene scene_wall(void) {
    static const double size[3] = {3.96, 4.0, 2.0}, front[3] = {0, 1, 0};
    int bricks = WALLS * LAYERS * BRICKS;
    builder w = begin(bricks + 1, 32 * bricks, 1);
    double mass = 100.0 * size[0] * size[1] * size[2], ball = 8000.0 * 256.0 / 3.0 * 3.14159265358979;
    double inertia[3] = {6.4 * ball, 6.4 * ball, 6.4 * ball};
    for (int i = 0; i < bricks; i++) {
        int layer = i / BRICKS % LAYERS;
        w.x[i][0] = 4.0 * (i % BRICKS + 0.5 * (layer % 2));
        w.x[i][1] = 14.0 * (i / (BRICKS * LAYERS));
        w.x[i][2] = size[2] * layer + 0.5 * size[2];
        add_box(&w, i, mass, size, 0.01);
    }
    memcpy(w.x[bricks], (double[3]){28.0, -6.0, 10.0}, sizeof w.x[bricks]);
    add_body(&w, bricks, ball, inertia, 0.0);
    for (int i = 0; i < bricks; i++)
        lay_brick(&w, i / (BRICKS * LAYERS), i / BRICKS % LAYERS, i % BRICKS, size);
    int hit[3] = {brick(0, 4, 7), brick(0, 5, 7), brick(0, 4, 6)};
    for (int i = 0; i < 3; i++)
        add_contact(&w, bricks, hit[i], w.x[hit[i]][0], -2.0, w.x[hit[i]][2], front, 1e-3);
    return end(&w, "wall");
}

typedef struct touching {
    int a, b;
    double distance;
} touching;

static int nearer(const void *a, const void *b) {
    const touching *x = a, *y = b;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a) : (x->b > y->b) - (x->b < y->b);
}

/* Pairs of places of the lattice that are near; at (side * side * layers) holds the body of each place, -1: none. */
static int near_pairs(const builder *w, int side, int layers, const int *at, touching *pair) {
    int count = 0, places = side * side * layers;
    for (int p = 0; p < places; p++)
        for (int other = 0; other < 125; other++) {
            int i = p % side + other % 5 - 2, j = p / side % side + other / 5 % 5 - 2,
                k = p / (side * side) + other / 25 - 2;
            if (i < 0 || j < 0 || k < 0 || i >= side || j >= side || k >= layers)
                continue;
            int q = (k * side + j) * side + i;
            if (q <= p || at[p] < 0 || at[q] < 0)
                continue;
            const double *x = w->x[at[p]], *y = w->x[at[q]];
            double d = sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) +
                            (x[2] - y[2]) * (x[2] - y[2]));
            if (d < 1.6)
                pair[count++] = (touching){at[p], at[q], d};
        }
    qsort(pair, (size_t)count, sizeof *pair, nearer);
    return count;
}

/* A heap of spheres: a shifted lattice with jitter, numbered at random; the nearest pairs and the floor touch, three contacts
 * a sphere. Lengths in units of 1 cm. */
scene scene_pile(int count) {
    static const double up[3] = {0, 0, 1};
    int side = (int)lround(cbrt(count)), layers = (count + side * side - 1) / (side * side), floors = 0;
    int places = side * side * layers;
    builder w = begin(count, 4 * count, 2);
    int *at = bench_need((size_t)places, sizeof *at), *body = bench_need((size_t)count, sizeof *body);
    touching *pair = bench_need((size_t)places * 62, sizeof *pair);
    for (int i = 0; i < count; i++)
        body[i] = i;
    for (int i = count - 1; i > 0; i--) {
        int j = (int)(random_uniform(&w.random) * (i + 1)), keep = body[i];
        body[i] = body[j];
        body[j] = keep;
    }
    for (int p = 0; p < places; p++) {
        at[p] = p < count ? body[p] : -1;
        if (at[p] < 0)
            continue;
        int k = p / (side * side);
        double lattice[3] = {p % side + 0.5 * (k % 2), p / side % side + 0.5 * (k % 2), 0.75 * k};
        for (int i = 0; i < 3; i++)
            w.x[at[p]][i] = lattice[i] + 0.44 * random_uniform(&w.random) - 0.22;
        double r = 0.4 + 0.1 * random_uniform(&w.random), mass = 2500e-6 * 4.18879 * r * r * r;
        double inertia[3] = {0.4 * mass * r * r, 0.4 * mass * r * r, 0.4 * mass * r * r};
        add_body(&w, at[p], mass, inertia, 0.0);
        floors += w.x[at[p]][2] < 0.12;
    }
    int found = near_pairs(&w, side, layers, at, pair), wanted = 3 * count - floors;
    for (int i = 0; i < (found < wanted ? found : wanted); i++) {
        const double *x = w.x[pair[i].a], *y = w.x[pair[i].b];
        double normal[3] = {y[0] - x[0], y[1] - x[1], y[2] - x[2]};
        add_contact(&w, pair[i].a, pair[i].b, 0.5 * (x[0] + y[0]), 0.5 * (x[1] + y[1]), 0.5 * (x[2] + y[2]), normal,
                    0.0);
    }
    for (int i = 0; i < count; i++)
        if (w.x[i][2] < 0.12)
            add_contact(&w, -1, i, w.x[i][0], w.x[i][1], w.x[i][2] - 0.5, up, 0.0);
    free(at);
    free(body);
    free(pair);
    char name[32];
    snprintf(name, sizeof name, "pile%dk", count / 1000);
    return end(&w, name);
}

/* Contacts of the robot's 15 boxes: five columns of three, four corners each, neighbours touching, the hand on one of them. */
static void stack_boxes(builder *w, int links) {
    static const double up[3] = {0, 0, 1}, along[3] = {1, 0, 0};
    for (int k = 0; k < 15; k++) {
        int self = links + k, below = k % 3 == 0 ? -1 : self - 1;
        const double *x = w->x[self];
        for (int corner = 0; corner < 4; corner++)
            add_contact(w, below, self, x[0] + (corner & 1 ? 0.2 : -0.2), x[1] + (corner & 2 ? 0.2 : -0.2), x[2] - 0.15,
                        up, 1e-3);
        for (int corner = 0; k >= 3 && k % 3 < 2 && corner < 2; corner++)
            add_contact(w, self - 3, self, x[0] - 0.25, x[1] + (corner ? 0.2 : -0.2), x[2] + 0.1, along, 1e-3);
    }
    const double *top = w->x[links + 2];
    for (int corner = 0; corner < 4; corner++)
        add_contact(w, links + 2, links - 1, top[0] + (corner & 1 ? 0.1 : -0.1), top[1] + (corner & 2 ? 0.1 : -0.1),
                    top[2] + 0.15, up, 1e-3);
}

/* [T21 TEST 3]: base and six links from 1000 to 1 kg, six revolutes, base and hand held or driven by six rows each, one
 * revolute twice (a redundant loop), 15 boxes. */
scene scene_robot(void) {
    enum { LINKS = 7 };
    static const double size[3] = {0.4, 0.4, 0.3}, up[3] = {0, 0, 1};
    static const double axis[6][3] = {{0, 0, 1}, {0, 1, 0}, {0, 1, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}};
    builder w = begin(LINKS + 15, 128, 4);
    for (int i = 0; i < LINKS + 15; i++) {
        int k = i - LINKS;
        double link[3] = {0.1 * i, 0.0, 0.3 * i}, box[3] = {1.0 + 0.5 * (k / 3), 0.0, 0.15 + 0.3 * (k % 3)};
        memcpy(w.x[i], i < LINKS ? link : box, sizeof w.x[i]);
        add_box(&w, i, i < LINKS ? pow(10.0, 3.0 - 0.5 * i) : 3.0, size, 0.3);
    }
    add_joint(&w, -1, 0, w.x[0], up, 0);
    for (int j = 0; j < 8; j++) {
        int from = j < 6 ? j : j == 6 ? -1 : 1, to = j < 6 ? j + 1 : j == 6 ? LINKS - 1 : 2;
        double middle[3];
        for (int i = 0; i < 3; i++)
            middle[i] = from < 0 ? w.x[to][i] : 0.5 * (w.x[from][i] + w.x[to][i]);
        add_joint(&w, from, to, middle, j < 6 ? axis[j] : j == 6 ? up : axis[1], j == 6 ? 0 : 1);
    }
    stack_boxes(&w, LINKS);
    return end(&w, "robot");
}

/* A long chain of revolutes with random axes, masses 1 and 1000 in turn, each link on two contacts with the ground. */
scene scene_chain(int links) {
    static const double up[3] = {0, 0, 1};
    builder w = begin(links, 3 * links, 5);
    for (int i = 0; i < links; i++) {
        double mass = i % 2 == 0 ? 1.0 : 1000.0, inertia[3] = {1e-3 * mass, 1e-3 * mass, 1e-3 * mass};
        w.x[i][0] = 0.1 * i;
        add_body(&w, i, mass, inertia, 0.0);
    }
    for (int i = 0; i < links; i++) {
        double axis[3] = {random_normal(&w.random), random_normal(&w.random), random_normal(&w.random)};
        double p[3] = {w.x[i][0] - 0.05, 0.0, 0.0};
        add_joint(&w, i - 1, i, p, axis, 1);
    }
    for (int i = 0; i < 2 * links; i++) {
        const double *x = w.x[i / 2];
        add_contact(&w, -1, i / 2, x[0] + 0.02 * random_normal(&w.random), x[1] + 0.02 * random_normal(&w.random),
                    x[2] - 0.02, up, 1e-3);
    }
    return end(&w, "chain");
}

static sparse copy_matrix(int rows, int cols, const int *start, const int *index, const double *value) {
    triplets list = {0};
    for (int j = 0; j < cols; j++)
        for (int k = start[j]; k < start[j + 1]; k++)
            triplets_add(&list, index[k], j, value[k]);
    return sparse_compress(&list, rows, cols);
}

/* A problem of rigid bodies from a file. */
static bool scene_read(const char *path, scene *s) {
    cairn_context *context;
    cairn_file file;
    if (cairn_context_create(NULL, &context) != CAIRN_OK)
        return false;
    bool read = cairn_file_read(context, path, &file) == CAIRN_OK;
    if (read) {
        cairn_problem_view view = cairn_problem_get(file.problem);
        *s = (scene){.name = "stack", .bodies = view.bodies, .blocks = view.blocks};
        s->H = copy_matrix(view.n, view.n, view.H_start, view.H_index, view.H_value);
        s->D = copy_matrix(view.n, view.m, view.D_start, view.D_index, view.D_value);
        s->body_start = bench_need((size_t)view.bodies + 1, sizeof(int));
        s->block_start = bench_need((size_t)view.blocks + 1, sizeof(int));
        memcpy(s->body_start, view.body_start, ((size_t)view.bodies + 1) * sizeof(int));
        memcpy(s->block_start, view.block_start, ((size_t)view.blocks + 1) * sizeof(int));
        cairn_file_clear(&file);
    }
    cairn_context_destroy(context);
    return read;
}

bool scene_make(const char *name, const char *fclib, scene *out) {
    if (strcmp(name, "stack") == 0)
        return scene_read(fclib, out);
    if (strcmp(name, "wall") == 0)
        *out = scene_wall();
    else if (strcmp(name, "pile4k") == 0)
        *out = scene_pile(4000);
    else if (strcmp(name, "pile16k") == 0)
        *out = scene_pile(16000);
    else if (strcmp(name, "bars") == 0)
        *out = scene_bars(2e11);
    else if (strcmp(name, "robot") == 0)
        *out = scene_robot();
    else if (strcmp(name, "chain") == 0)
        *out = scene_chain(400);
    else
        return false;
    return true;
}

void scene_clear(scene *s) {
    sparse_clear(&s->H);
    sparse_clear(&s->D);
    free(s->body_start);
    free(s->block_start);
    *s = (scene){.bodies = 0};
}
