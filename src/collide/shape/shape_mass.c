/*
 * shape_mass.c: volume, centre and inertia of solids.
 *
 * Round shapes by their formulas; hulls and closed meshes as a sum of tetrahedra from one point to
 * the triangles of the surface:
 *     V = sum det/6,  integral of x = sum det (a + b + c)/24,
 *         integral of x x' = sum det [ss' + aa' + bb' + cc']/120,  s = a + b + c
 */
#include "base/core.h"
#include "collide/shape/shape.h"

#include <math.h>

#define PI 3.14159265358979323846

typedef struct moments {
    double volume;
    cairn_vec3 first;    /* integral of x */
    double second[3][3]; /* integral of x x' */
} moments;

static void add_tetrahedron(moments *m, cairn_vec3 a, cairn_vec3 b, cairn_vec3 c) {
    double det = cairn_vec3_dot(a, cairn_vec3_cross(b, c));
    cairn_vec3 s = cairn_vec3_add(a, cairn_vec3_add(b, c));
    double x[4][3] = {{a.x, a.y, a.z}, {b.x, b.y, b.z}, {c.x, c.y, c.z}, {s.x, s.y, s.z}};
    m->volume += det / 6.0;
    m->first = cairn_vec3_add_scaled(m->first, det / 24.0, s);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 4; k++)
                m->second[i][j] += det / 120.0 * x[k][i] * x[k][j];
}

/* Inertia about the centre from the second moments P = integral of (x - c)(x - c)': trace(P) I -
 * P. */
static void finish(double density, double volume, cairn_vec3 center, double P[3][3], cairn_mass *mass) {
    double trace = P[0][0] + P[1][1] + P[2][2];
    mass->mass = density * volume;
    mass->center = center;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            mass->inertia.m[i][j] = density * ((i == j ? trace : 0.0) - 0.5 * (P[i][j] + P[j][i]));
}

static void finish_moments(double density, moments *m, cairn_vec3 origin, cairn_mass *mass) {
    cairn_vec3 c = cairn_vec3_scale(1.0 / m->volume, m->first);
    double x[3] = {c.x, c.y, c.z};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            m->second[i][j] -= m->volume * x[i] * x[j];
    finish(density, m->volume, cairn_vec3_add(origin, c), m->second, mass);
}

static void of_hull(const cairn_polytope *p, double density, cairn_mass *mass) {
    moments m = {0};
    cairn_vec3 o = p->vertex[0];
    for (int f = 0; f < p->faces; f++) {
        const int *loop = p->face_vertex + p->face_start[f];
        int corners = p->face_start[f + 1] - p->face_start[f];
        cairn_vec3 a = cairn_vec3_sub(p->vertex[loop[0]], o);
        for (int i = 1; i + 1 < corners; i++)
            add_tetrahedron(&m, a, cairn_vec3_sub(p->vertex[loop[i]], o), cairn_vec3_sub(p->vertex[loop[i + 1]], o));
    }
    finish_moments(density, &m, o, mass);
}

static cairn_status of_mesh(const cairn_shape *s, double density, cairn_mass *mass) {
    const cairn_mesh *g = &s->mesh;
    moments m = {0};
    cairn_vec3 o = g->point[0];
    if (!g->closed) {
        cairn_vec3 p = g->point[g->open[0]], q = g->point[g->open[1]];
        return cairn_fail(
            s->context, CAIRN_ERROR_ARGUMENT,
            "mesh: the surface is not closed, so it has no mass: no triangle, or more than one, fits on the "
            "other side of the edge from (%g, %g, %g) to (%g, %g, %g); give mass and inertia",
            p.x, p.y, p.z, q.x, q.y, q.z);
    }
    for (int f = 0; f < g->faces; f++) {
        const int *c = g->face + 3 * f;
        add_tetrahedron(&m, cairn_vec3_sub(g->point[c[0]], o), cairn_vec3_sub(g->point[c[1]], o),
                        cairn_vec3_sub(g->point[c[2]], o));
    }
    if (!(m.volume > 0.0))
        return cairn_fail(s->context, CAIRN_ERROR_ARGUMENT,
                          "mesh: its volume is %g; triangles must go round counter-clockwise seen from outside",
                          m.volume);
    finish_moments(density, &m, o, mass);
    return CAIRN_OK;
}

/* Bodies of revolution about z, centred: volume, integrals of x^2 (= of y^2) and of z^2. */
static void of_round(const cairn_shape *s, double density, cairn_mass *mass) {
    double r = s->radius, a = s->half, V, xx, zz;
    if (s->kind == CAIRN_SHAPE_SPHERE) {
        V = 4.0 / 3.0 * PI * r * r * r;
        xx = zz = V * r * r / 5.0;
    } else if (s->kind == CAIRN_SHAPE_CYLINDER) {
        V = 2.0 * PI * r * r * a;
        xx = V * r * r / 4.0;
        zz = V * a * a / 3.0;
    } else if (s->kind == CAIRN_SHAPE_CONE) {
        V = PI * r * r * s->height / 3.0;
        xx = V * 3.0 * r * r / 20.0;
        zz = V * 3.0 * s->height * s->height / 80.0;
    } else { /* capsule: cylinder and two half spheres, whose centres lie 3r/8 beyond the ends */
        double cylinder = 2.0 * PI * r * r * a, ball = 4.0 / 3.0 * PI * r * r * r;
        V = cylinder + ball;
        xx = cylinder * r * r / 4.0 + ball * r * r / 5.0;
        zz = cylinder * a * a / 3.0 + ball * (r * r / 5.0 + a * a + 0.75 * a * r);
    }
    double P[3][3] = {{xx, 0, 0}, {0, xx, 0}, {0, 0, zz}};
    finish(density, V, cairn_vec3_of(0, 0, 0), P, mass);
}

static void of_box(const cairn_shape *s, double density, cairn_mass *mass) {
    cairn_vec3 h = s->extent;
    double V = 8.0 * h.x * h.y * h.z;
    double P[3][3] = {{V * h.x * h.x / 3.0, 0, 0}, {0, V * h.y * h.y / 3.0, 0}, {0, 0, V * h.z * h.z / 3.0}};
    finish(density, V, cairn_vec3_of(0, 0, 0), P, mass);
}

static void of_ellipsoid(const cairn_shape *s, double density, cairn_mass *mass) {
    cairn_vec3 h = s->extent;
    double V = 4.0 / 3.0 * PI * h.x * h.y * h.z;
    double P[3][3] = {{V * h.x * h.x / 5.0, 0, 0}, {0, V * h.y * h.y / 5.0, 0}, {0, 0, V * h.z * h.z / 5.0}};
    finish(density, V, cairn_vec3_of(0, 0, 0), P, mass);
}

/* R A R' */
static cairn_mat3 turned(const cairn_mat3 *R, const cairn_mat3 *A) {
    cairn_mat3 RA = cairn_mat3_multiply(R, A), Rt = cairn_mat3_transpose(R);
    return cairn_mat3_multiply(&RA, &Rt);
}

static cairn_status of_compound(const cairn_shape *s, double density, cairn_mass *mass) {
    cairn_mass sum = {0}, part;
    for (int pass = 0; pass < 2; pass++) /* the centre first, then inertia about it */
        for (int i = 0; i < s->children; i++) {
            cairn_status status = cairn_shape_mass(s->child[i], density, &part);
            if (status != CAIRN_OK)
                return status;
            cairn_vec3 c = cairn_pose_apply(s->pose[i], part.center);
            if (pass == 0) {
                double total = sum.mass + part.mass;
                sum.center = cairn_vec3_add_scaled(sum.center, part.mass / total, cairn_vec3_sub(c, sum.center));
                sum.mass = total;
                continue;
            }
            cairn_mat3 R = cairn_quat_matrix(s->pose[i].rotation), J = turned(&R, &part.inertia);
            cairn_vec3 d = cairn_vec3_sub(c, sum.center);
            double x[3] = {d.x, d.y, d.z}, square = cairn_vec3_dot(d, d);
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++)
                    sum.inertia.m[a][b] += J.m[a][b] + part.mass * ((a == b ? square : 0.0) - x[a] * x[b]);
        }
    *mass = sum;
    return CAIRN_OK;
}

cairn_status cairn_shape_mass(const cairn_shape *shape, double density, cairn_mass *mass) {
    if (shape == NULL || mass == NULL)
        return cairn_fail(shape != NULL ? shape->context : NULL, CAIRN_ERROR_ARGUMENT,
                          "cairn_shape_mass: an argument is NULL");
    if (!(density >= CAIRN_DENSITY_MIN && density <= CAIRN_DENSITY_MAX))
        return cairn_fail(shape->context, CAIRN_ERROR_ARGUMENT,
                          "density is %g kg/m^3; it must be between %g and %g kg/m^3", density, CAIRN_DENSITY_MIN,
                          CAIRN_DENSITY_MAX);
    switch (shape->kind) {
    case CAIRN_SHAPE_BOX:
        of_box(shape, density, mass);
        return CAIRN_OK;
    case CAIRN_SHAPE_ELLIPSOID:
        of_ellipsoid(shape, density, mass);
        return CAIRN_OK;
    case CAIRN_SHAPE_HULL:
        of_hull(&shape->hull, density, mass);
        return CAIRN_OK;
    case CAIRN_SHAPE_MESH:
        return of_mesh(shape, density, mass);
    case CAIRN_SHAPE_COMPOUND:
        return of_compound(shape, density, mass);
    case CAIRN_SHAPE_PLANE:
        return cairn_fail(shape->context, CAIRN_ERROR_ARGUMENT,
                          "a plane has no mass; only fixed bodies can have that shape");
    default:
        of_round(shape, density, mass);
        return CAIRN_OK;
    }
}
