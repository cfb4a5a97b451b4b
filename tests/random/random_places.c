/*
 * random_places.c: see random_places.h.
 *
 * Deep. Two convex pieces are deep when their depth exceeds 1 % of the least width of the thinner one, and the depth that they had when the scene
 * began. A finding is a certified step that makes a pair deep.
 *
 * Passed. The centre of a piece goes straight from frame to frame, as seen from another body; when that way leads through a piece of that
 * body by more than 5 % of its least width (through a triangle of a sheet), and both ends are outside, the step let it pass. Not
 * looked at where the other body turns by more than 0.2 rad, or the step had parts: then the way is not straight.
 */
#include "random_places.h"
#include "random_depth.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct piece {
    depth_shape shape; /* pose: in the frame of its body */
    int body;
    bool plane, sheet; /* no convex shape: looked at in other ways */
    int triangles;
    const int *triangle;
    double width, radius;
} piece;

struct random_places {
    cairn_recording *recording;
    const random_facts *facts;
    int bodies, pieces;
    piece *piece;
    bool *movable;           /* bodies: dynamic */
    bool *untouchable;       /* bodies x bodies: a joint keeps them from touching */
    double *before;          /* pieces x pieces: depth in the frame before, 0 unless deep */
    double *start;           /* the same at the start */
    cairn_pose *pose, *last; /* bodies: now, in the frame before */
    double sag;              /* g h^2, m */
    bool began;
};

void random_places_free(random_places *places) {
    if (places == NULL)
        return;
    free(places->piece);
    free(places->movable);
    free(places->untouchable);
    free(places->before);
    free(places->start);
    free(places->pose);
    free(places->last);
    free(places);
}

/* Every edge in two triangles, and no point in front of a triangle. */
static bool is_convex(const cairn_recorded_shape *mesh) {
    for (int t = 0; t < mesh->triangles; t++) {
        const int *c = &mesh->triangle[3 * t];
        cairn_vec3 p[3];
        for (int k = 0; k < 3; k++) {
            const double *x = &mesh->point[3 * c[k]];
            bool shared = false;
            p[k] = cairn_vec3_of(x[0], x[1], x[2]);
            for (int s = 0; s < 3 * mesh->triangles && !shared; s++)
                shared = mesh->triangle[s] == c[(k + 1) % 3] && mesh->triangle[s - s % 3 + (s + 1) % 3] == c[k];
            if (!shared)
                return false;
        }
        cairn_vec3 n = cairn_vec3_cross(cairn_vec3_sub(p[1], p[0]), cairn_vec3_sub(p[2], p[0]));
        for (int i = 0; i < mesh->points; i++) {
            const double *x = &mesh->point[3 * i];
            cairn_vec3 way = cairn_vec3_sub(cairn_vec3_of(x[0], x[1], x[2]), p[0]);
            if (cairn_vec3_dot(n, way) > 1e-9 * cairn_vec3_length(n) * cairn_vec3_length(way))
                return false;
        }
    }
    return true;
}

static void add_piece(random_places *places, int body, const cairn_recorded_shape *shape, cairn_pose pose) {
    piece *p = &places->piece[places->pieces++];
    *p = (piece){.body = body, .triangles = shape->triangles, .triangle = shape->triangle};
    p->shape = (depth_shape){.kind = shape->kind, .points = shape->points, .point = shape->point, .pose = pose};
    memcpy(p->shape.size, shape->size, sizeof p->shape.size);
    p->plane = shape->kind == CAIRN_SHAPE_PLANE;
    p->sheet = shape->kind == CAIRN_SHAPE_MESH && !is_convex(shape);
    p->width = p->plane || p->sheet ? INFINITY : depth_width(&p->shape);
    p->radius = p->plane ? INFINITY : depth_radius(&p->shape);
}

/* The pieces of all bodies; with places->piece NULL they are only counted. false: the recording cannot be read. */
static bool find_pieces(random_places *places, int *count) {
    *count = 0;
    for (int i = 0; i < places->bodies; i++) {
        cairn_recorded_body body;
        cairn_recorded_shape shape, child;
        if (cairn_recording_body(places->recording, i, &body) != CAIRN_OK)
            return false;
        if (body.shape < 0)
            continue;
        if (cairn_recording_shape(places->recording, body.shape, &shape) != CAIRN_OK)
            return false;
        int children = shape.kind == CAIRN_SHAPE_COMPOUND ? shape.children : 1;
        *count += children;
        if (places->piece == NULL)
            continue;
        places->movable[i] = body.mass > 0;
        if (shape.kind != CAIRN_SHAPE_COMPOUND)
            add_piece(places, i, &shape, cairn_pose_identity());
        for (int c = 0; c < shape.children; c++) {
            const double *q = &shape.child_pose[7 * c];
            cairn_pose pose = {{q[0], q[1], q[2]}, {q[3], q[4], q[5], q[6]}};
            if (cairn_recording_shape(places->recording, shape.child[c], &child) != CAIRN_OK)
                return false;
            add_piece(places, i, &child, pose);
        }
    }
    return true;
}

static void find_joined(random_places *places, int joints) {
    for (int i = 0; i < joints; i++) {
        cairn_recorded_joint joint;
        if (cairn_recording_joint(places->recording, i, &joint) != CAIRN_OK || joint.a < 0 || joint.b < 0)
            continue;
        places->untouchable[joint.a * places->bodies + joint.b] =
            places->untouchable[joint.b * places->bodies + joint.a] = true;
    }
}

random_places *random_places_create(cairn_recording *recording, const random_facts *facts) {
    random_places *places = calloc(1, sizeof *places);
    cairn_recording_info info = cairn_recording_get(recording);
    int count = 0;
    if (places == NULL)
        return NULL;
    places->recording = recording;
    places->facts = facts;
    places->bodies = info.bodies;
    const double *g = facts->gravity;
    places->sag = info.step * info.step * sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    size_t bodies = (size_t)info.bodies + 1;
    places->movable = calloc(bodies, sizeof *places->movable);
    places->untouchable = calloc(bodies * bodies, sizeof *places->untouchable);
    places->pose = calloc(bodies, sizeof *places->pose);
    places->last = calloc(bodies, sizeof *places->last);
    bool fine = find_pieces(places, &count) && places->movable && places->untouchable && places->pose && places->last;
    size_t pieces = (size_t)count + 1;
    places->piece = calloc(pieces, sizeof *places->piece);
    places->before = calloc(pieces * pieces, sizeof *places->before);
    places->start = calloc(pieces * pieces, sizeof *places->start);
    fine = fine && places->piece && places->before && places->start && find_pieces(places, &count);
    if (!fine) {
        random_places_free(places);
        return NULL;
    }
    find_joined(places, info.joints);
    return places;
}

static depth_shape placed(const piece *p, const cairn_pose *pose) {
    depth_shape shape = p->shape;
    shape.pose = cairn_pose_multiply(pose[p->body], p->shape.pose);
    return shape;
}

static double depth_now(const random_places *places, const piece *a, const piece *b, double limit) {
    depth_shape x = placed(a, places->pose), y = placed(b, places->pose);
    if (a->plane || b->plane) {
        double depth = depth_below(a->plane ? &y : &x, a->plane ? x.pose : y.pose);
        return depth > limit ? depth : 0;
    }
    return depth_above(&x, &y, limit);
}

/* Whether the segment crosses the triangle. */
static bool crosses(cairn_vec3 from, cairn_vec3 to, const cairn_vec3 corner[3]) {
    cairn_vec3 n = cairn_vec3_cross(cairn_vec3_sub(corner[1], corner[0]), cairn_vec3_sub(corner[2], corner[0]));
    double a = cairn_vec3_dot(n, cairn_vec3_sub(from, corner[0])), b = cairn_vec3_dot(n, cairn_vec3_sub(to, corner[0]));
    if (a * b >= 0)
        return false;
    cairn_vec3 at = cairn_vec3_add_scaled(from, a / (a - b), cairn_vec3_sub(to, from));
    for (int k = 0; k < 3; k++) {
        cairn_vec3 edge = cairn_vec3_sub(corner[(k + 1) % 3], corner[k]);
        if (cairn_vec3_dot(n, cairn_vec3_cross(edge, cairn_vec3_sub(at, corner[k]))) <= 0)
            return false;
    }
    return true;
}

/* The way of the centre of a, seen from the body of b, against b. The share of b's width that it went through; 0: it did not. */
static double passed(const random_places *places, const piece *a, const piece *b) {
    cairn_pose now = places->pose[b->body], last = places->last[b->body];
    cairn_quat turn = cairn_quat_multiply(now.rotation, cairn_quat_conjugate(last.rotation));
    if (fabs(turn.w) < 0.995) /* more than 0.2 rad */
        return 0;
    cairn_vec3 from = cairn_pose_apply_inverse(last, placed(a, places->last).pose.position);
    cairn_vec3 to = cairn_pose_apply_inverse(now, placed(a, places->pose).pose.position);
    if (b->sheet) {
        for (int t = 0; t < b->triangles; t++) {
            cairn_vec3 corner[3];
            for (int k = 0; k < 3; k++) {
                const double *x = &b->shape.point[3 * b->triangle[3 * t + k]];
                corner[k] = cairn_vec3_of(x[0], x[1], x[2]);
            }
            if (crosses(from, to, corner))
                return 1;
        }
        return 0;
    }
    depth_shape way = depth_segment(from, to), ends[2] = {depth_segment(from, from), depth_segment(to, to)};
    double share = depth_above(&way, &b->shape, 0.05 * b->width) / b->width;
    bool inside = share > 0 && (depth_above(&ends[0], &b->shape, 0) > 0 || depth_above(&ends[1], &b->shape, 0) > 0);
    return inside ? 0 : share;
}

static void name_pair(const random_places *places, const piece *a, const piece *b, random_result *result) {
    cairn_recorded_body x, y;
    if (cairn_recording_body(places->recording, a->body, &x) == CAIRN_OK &&
        cairn_recording_body(places->recording, b->body, &y) == CAIRN_OK)
        snprintf(result->text, sizeof result->text, "%.40s (%s) and %.40s (%s)", x.name,
                 cairn_shape_kind_name(a->shape.kind), y.name, cairn_shape_kind_name(b->shape.kind));
}

static void judge_pair(random_places *places, int i, int j, const cairn_frame *frame, bool straight,
                       random_result *result) {
    const piece *a = &places->piece[i], *b = &places->piece[j];
    double width = fmin(a->width, b->width), *before = &places->before[i * places->pieces + j];
    double *start = &places->start[i * places->pieces + j];
    if (!a->sheet && !b->sheet && !places->facts->soft) {
        double allowed = fmax(0.01 * width, 1.01 * *start), depth = depth_now(places, a, b, allowed);
        if (!places->began)
            *start = depth;
        else if (frame->certified && depth > 1.01 * *before && depth > 0) {
            if (depth / width > result->found[FOUND_DEEP].figure)
                name_pair(places, a, b, result);
            random_found_add(result, FOUND_DEEP, frame->step, depth / width);
            if (depth > 0.1 * width && depth > 0.5 * places->sag)
                random_found_add(result, FOUND_SUNK, frame->step, depth / width);
        }
        *before = depth;
    }
    for (int side = 0; side < 2 && places->began && straight && frame->certified; side++) {
        const piece *goes = side ? b : a, *stays = side ? a : b;
        if (goes->plane || goes->sheet || stays->plane || !places->movable[goes->body])
            continue;
        double share = passed(places, goes, stays);
        if (share > 0) {
            if (result->found[FOUND_PASSED].count == 0)
                name_pair(places, goes, stays, result);
            random_found_add(result, FOUND_PASSED, frame->step, share);
        }
    }
}

void random_places_judge(random_places *places, const cairn_frame *frame, int substeps, random_result *result) {
    for (int i = 0; i < places->bodies; i++) {
        const double *x = &frame->position[3 * i], *q = &frame->rotation[4 * i];
        places->pose[i] = (cairn_pose){{x[0], x[1], x[2]}, {q[0], q[1], q[2], q[3]}};
    }
    for (int i = 0; i < places->pieces; i++)
        for (int j = 0; j < i; j++) {
            int a = places->piece[i].body, b = places->piece[j].body;
            if (a != b && (places->movable[a] || places->movable[b]) && !places->untouchable[a * places->bodies + b])
                judge_pair(places, i, j, frame, substeps == 1, result);
        }
    memcpy(places->last, places->pose, (size_t)places->bodies * sizeof *places->pose);
    places->began = true;
}
