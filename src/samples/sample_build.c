/*
 * sample_build.c: rigid bodies, contacts and spherical joints become the arrays of a problem
 * [theory 1 (1)-(2), 7].
 *
 *     H = diag(m I, J) a body             J principal moments, body frame
 *     k = H v0 + h (f - m g e_z)
 *     rows of a contact or joint with direction e at point p: + (e, R'((p - x_b) x e)) for b, - the same for a
 *     b_N = max(gap, 0) / h               penetration is not removed by velocity
 *
 * Bodies start without spin, so there is no gyroscopic term. Not checked: that bodies do not
 * overlap.
 */
#include "samples/sample.h"

#include <math.h>
#include <string.h>

uint64_t cairn_sample_random(uint64_t *state) {
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

double cairn_sample_unit(uint64_t *state) {
    return (double)(cairn_sample_random(state) >> 11) * 0x1p-53;
}

double cairn_sample_signed(uint64_t *state) {
    return 2.0 * cairn_sample_unit(state) - 1.0;
}

cairn_status cairn_sample_begin(cairn_sample_scene *scene, int bodies, int links, bool known) {
    scene->most_bodies = bodies;
    scene->most_links = links;
    scene->body = cairn_alloc(scene->context, (size_t)bodies, sizeof *scene->body);
    scene->link = cairn_alloc(scene->context, (size_t)links, sizeof *scene->link);
    if (known) {
        scene->gamma = cairn_alloc(scene->context, 3 * (size_t)links, sizeof *scene->gamma);
        scene->u = cairn_alloc(scene->context, 3 * (size_t)links, sizeof *scene->u);
    }
    bool short_of = scene->body == NULL || scene->link == NULL || (known && (scene->gamma == NULL || scene->u == NULL));
    return short_of ? CAIRN_ERROR_MEMORY : CAIRN_OK;
}

void cairn_sample_end(cairn_sample_scene *scene) {
    cairn_free(scene->context, scene->body);
    cairn_free(scene->context, scene->link);
    cairn_free(scene->context, scene->gamma);
    cairn_free(scene->context, scene->u);
}

static int add_body(cairn_sample_scene *scene, const cairn_sample_body *body) {
    CAIRN_ASSERT(scene->bodies < scene->most_bodies);
    scene->body[scene->bodies] = *body;
    return scene->bodies++;
}

int cairn_sample_sphere(cairn_sample_scene *scene, const double place[3], double mass, double radius) {
    double inertia = 0.4 * mass * radius * radius;
    cairn_sample_body body = {.mass = mass, .inertia = {inertia, inertia, inertia}};
    memcpy(body.place, place, sizeof body.place);
    return add_body(scene, &body);
}

int cairn_sample_box(cairn_sample_scene *scene, const double place[3], double turn, double mass, const double size[3]) {
    double xx = size[0] * size[0], yy = size[1] * size[1], zz = size[2] * size[2];
    cairn_sample_body body = {
        .turn = turn, .mass = mass, .inertia = {mass * (yy + zz) / 12, mass * (xx + zz) / 12, mass * (xx + yy) / 12}};
    memcpy(body.place, place, sizeof body.place);
    return add_body(scene, &body);
}

static void add_link(cairn_sample_scene *scene, const cairn_sample_link *link) {
    CAIRN_ASSERT(scene->links < scene->most_links);
    CAIRN_ASSERT(link->joint || scene->links == 0 || !scene->link[scene->links - 1].joint);
    scene->link[scene->links++] = *link;
}

void cairn_sample_contact(cairn_sample_scene *scene, int a, int b, const double point[3], const double normal[3],
                          double gap) {
    cairn_sample_link link = {.a = a, .b = b, .gap = gap};
    memcpy(link.point, point, sizeof link.point);
    memcpy(link.normal, normal, sizeof link.normal);
    add_link(scene, &link);
}

void cairn_sample_face(cairn_sample_scene *scene, int a, int b, const double x[2], const double y[2], double z) {
    const double up[3] = {0.0, 0.0, 1.0};
    for (int corner = 0; corner < 4; corner++) {
        double point[3] = {x[corner & 1], y[corner >> 1], z};
        cairn_sample_contact(scene, a, b, point, up, 0.0);
    }
}

void cairn_sample_joint(cairn_sample_scene *scene, int a, int b, const double point[3]) {
    cairn_sample_link link = {.joint = true, .a = a, .b = b, .normal = {1.0, 0.0, 0.0}};
    memcpy(link.point, point, sizeof link.point);
    add_link(scene, &link);
}

static void cross(const double a[3], const double b[3], double out[3]) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* frame[0] = normal, and two tangents; for normal z they are x and y. */
static void make_frame(const double normal[3], double frame[3][3]) {
    int least = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(normal[i]) < fabs(normal[least]))
            least = i;
    memcpy(frame[0], normal, sizeof frame[0]);
    double length = 0.0;
    for (int i = 0; i < 3; i++) {
        frame[1][i] = (i == least ? 1.0 : 0.0) - normal[least] * normal[i];
        length += frame[1][i] * frame[1][i];
    }
    for (int i = 0; i < 3; i++)
        frame[1][i] /= sqrt(length);
    cross(frame[0], frame[1], frame[2]);
}

typedef struct triplets {
    int count;
    int *row, *col;
    double *value;
} triplets;

static void put(triplets *t, int row, int col, double value) {
    if (value == 0.0)
        return;
    t->row[t->count] = row;
    t->col[t->count] = col;
    t->value[t->count++] = value;
}

/* Column col of D: direction e at point, seen by one body; sign -1 for a, +1 for b. At most six
 * entries. */
static void put_direction(triplets *D, const cairn_sample_scene *scene, int index, int col, double sign,
                          const double point[3], const double e[3]) {
    if (index == CAIRN_GROUND)
        return;
    const cairn_sample_body *body = &scene->body[index];
    double arm[3], torque[3], c = cos(body->turn), s = sin(body->turn);
    for (int i = 0; i < 3; i++) {
        arm[i] = point[i] - body->place[i];
        put(D, 6 * index + i, col, sign * e[i]);
    }
    cross(arm, e, torque);
    put(D, 6 * index + 3, col, sign * (c * torque[0] + s * torque[1]));
    put(D, 6 * index + 4, col, sign * (c * torque[1] - s * torque[0]));
    put(D, 6 * index + 5, col, sign * torque[2]);
}

static void put_link(triplets *D, const cairn_sample_scene *scene, int index, cairn_block *block, double *b) {
    const cairn_sample_link *link = &scene->link[index];
    double frame[3][3];
    make_frame(link->normal, frame);
    for (int i = 0; i < 3; i++) {
        put_direction(D, scene, link->a, 3 * index + i, -1.0, link->point, frame[i]);
        put_direction(D, scene, link->b, 3 * index + i, 1.0, link->point, frame[i]);
    }
    if (!link->joint && link->gap > 0.0)
        b[3 * index] = link->gap / scene->def->step;
    *block = link->joint ? (cairn_block){.set = CAIRN_SET_BILATERAL, .dim = 3}
                         : (cairn_block){.set = CAIRN_SET_CONE, .dim = 3, .mu = scene->def->mu};
}

static void put_body(triplets *H, const cairn_sample_scene *scene, int index, double *k) {
    const cairn_sample_body *body = &scene->body[index];
    double h = scene->def->step, weight = body->mass * scene->def->gravity;
    for (int i = 0; i < 3; i++) {
        put(H, 6 * index + i, 6 * index + i, body->mass);
        put(H, 6 * index + 3 + i, 6 * index + 3 + i, body->inertia[i]);
        k[6 * index + i] = body->mass * body->velocity[i] + h * (body->force[i] - (i == 2 ? weight : 0.0));
    }
}

cairn_status cairn_sample_problem(const cairn_sample_scene *scene, cairn_problem **problem) {
    int n = 6 * scene->bodies, m = 3 * scene->links;
    size_t entries = (size_t)n + 12 * (size_t)m; /* D has at most two bodies of six rows per column */
    cairn_arena arena = {0};
    triplets H = {0}, D = {0};
    cairn_block *block = NULL;
    double *k = NULL, *b = NULL;
    int *body_start = NULL;
    for (int pass = 0; pass < 2; pass++) {
        H.row = cairn_arena_take(&arena, entries, sizeof *H.row);
        H.col = cairn_arena_take(&arena, entries, sizeof *H.col);
        H.value = cairn_arena_take(&arena, entries, sizeof *H.value);
        block = cairn_arena_take(&arena, (size_t)scene->links, sizeof *block);
        body_start = cairn_arena_take(&arena, (size_t)scene->bodies + 1, sizeof *body_start);
        k = cairn_arena_take(&arena, (size_t)n, sizeof *k);
        b = cairn_arena_take(&arena, (size_t)m, sizeof *b);
        if (pass == 0 && cairn_arena_reserve(scene->context, &arena) != CAIRN_OK)
            return CAIRN_ERROR_MEMORY;
    }
    D = (triplets){.row = H.row + n, .col = H.col + n, .value = H.value + n};
    for (int i = 0; i < scene->bodies; i++) {
        put_body(&H, scene, i, k);
        body_start[i + 1] = 6 * (i + 1);
    }
    for (int i = 0; i < scene->links; i++)
        put_link(&D, scene, i, &block[i], b);

    cairn_problem_def def = cairn_default_problem_def();
    def.law = scene->def->law;
    def.n = n;
    def.m = m;
    def.H = (cairn_sparse){.rows = n, .cols = n, .entries = H.count, .row = H.row, .col = H.col, .value = H.value};
    def.D = (cairn_sparse){.rows = n, .cols = m, .entries = D.count, .row = D.row, .col = D.col, .value = D.value};
    def.k = k;
    def.b = b;
    def.blocks = scene->links;
    def.block = block;
    def.bodies = scene->bodies;
    def.body_start = body_start;
    cairn_status status = cairn_problem_create(scene->context, &def, problem);
    cairn_arena_free(scene->context, &arena);
    return status;
}
