/*
 * mesh_primitives.c: boxes, cylinders and balls as grids of bricks; lines of beams.
 *
 * A disc comes from the square [-1, 1]^2, a ball from the cube: the shell |p|_max = r goes half way from itself (small r) to the circle or sphere (r = 1),
 *
 *     p -> p ((1 - r) + r |p|_max / |p|)         so that squares in the middle stay squares
 *
 * with directions spread evenly by their angles, tan(pi p / (4 r)). Points of the last shell lie on the circle or sphere, so the volume is a
 * little less than that of the round body. The cells at the edges of the square are the worst ones: their angle there is nearly flat.
 */
#include "fem/mesh/mesh_grid.h"

#include <math.h>

#define QUARTER    0.78539816339744830962 /* pi / 4 */
#define POINTS_MAX 1000000

static bool positive(double x) {
    return x > 0.0 && isfinite(x);
}

static cairn_vec3 box_map(const void *user, double u, double v, double w) {
    const cairn_vec3 *edge = user;
    return cairn_vec3_of(0.5 * edge->x * u, 0.5 * edge->y * v, 0.5 * edge->z * w);
}

static cairn_status make_box(cairn_context *context, cairn_element_kind kind, cairn_vec3 edge, const int cells[3],
                             int tetrahedra, cairn_fem_mesh **mesh) {
    if (context == NULL || cells == NULL || mesh == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "box mesh: an argument is NULL");
    if (!positive(edge.x) || !positive(edge.y) || !positive(edge.z))
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT,
                          "box mesh: edges are (%g, %g, %g); three positive, finite lengths are needed", edge.x, edge.y,
                          edge.z);
    return cairn_fem_mesh_grid(context, "box", kind, cells, tetrahedra, box_map, &edge, mesh);
}

cairn_status cairn_fem_mesh_box(cairn_context *context, cairn_element_kind kind, cairn_vec3 edge, const int cells[3],
                                cairn_fem_mesh **mesh) {
    return make_box(context, kind, edge, cells, 5, mesh);
}

cairn_status cairn_fem_mesh_box_of_six(cairn_context *context, cairn_element_kind kind, cairn_vec3 edge,
                                       const int cells[3], cairn_fem_mesh **mesh) {
    return make_box(context, kind, edge, cells, 6, mesh);
}

/* p (n = 2 or 3 numbers) of the cube to the ball of radius 1. */
static void round_off(int n, double *p) {
    double r = 0.0, length = 0.0;
    for (int i = 0; i < n; i++)
        r = fmax(r, fabs(p[i]));
    if (r == 0.0)
        return;
    double spread[3];
    for (int i = 0; i < n; i++) {
        spread[i] = r * tan(QUARTER * p[i] / r);
        length += spread[i] * spread[i];
    }
    length = sqrt(length);
    for (int i = 0; i < n; i++)
        p[i] = (1.0 - r) * p[i] + r * spread[i] * r / length;
}

static cairn_vec3 cylinder_map(const void *user, double u, double v, double w) {
    const double *size = user; /* radius, height */
    double p[2] = {u, v};
    round_off(2, p);
    return cairn_vec3_of(size[0] * p[0], size[0] * p[1], 0.5 * size[1] * w);
}

cairn_status cairn_fem_mesh_cylinder(cairn_context *context, cairn_element_kind kind, double radius, double height,
                                     int cells, int along, cairn_fem_mesh **mesh) {
    if (context == NULL || mesh == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "cairn_fem_mesh_cylinder: an argument is NULL");
    if (!positive(radius) || !positive(height))
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT,
                          "cylinder mesh: radius %g, height %g; two positive, finite lengths are needed", radius,
                          height);
    if (cells < 1 || cells > 400)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT,
                          "cylinder mesh: %d cells along the radius; 1 to 400 are needed", cells);
    double size[2] = {radius, height};
    return cairn_fem_mesh_grid(context, "cylinder", kind, (const int[]){2 * cells, 2 * cells, along}, 5, cylinder_map,
                               size, mesh);
}

static cairn_vec3 sphere_map(const void *user, double u, double v, double w) {
    double radius = *(const double *)user, p[3] = {u, v, w};
    round_off(3, p);
    return cairn_vec3_of(radius * p[0], radius * p[1], radius * p[2]);
}

cairn_status cairn_fem_mesh_sphere(cairn_context *context, cairn_element_kind kind, double radius, int cells,
                                   cairn_fem_mesh **mesh) {
    if (context == NULL || mesh == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "cairn_fem_mesh_sphere: an argument is NULL");
    if (!positive(radius))
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT,
                          "sphere mesh: radius is %g; a positive, finite length is needed", radius);
    if (cells < 1 || cells > 100)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "sphere mesh: %d cells along the radius; 1 to 100 are needed",
                          cells);
    return cairn_fem_mesh_grid(context, "sphere", kind, (const int[]){2 * cells, 2 * cells, 2 * cells}, 5, sphere_map,
                               &radius, mesh);
}

cairn_status cairn_fem_mesh_line(cairn_context *context, int points, const cairn_vec3 *point, cairn_fem_mesh **mesh) {
    if (context == NULL || point == NULL || mesh == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "cairn_fem_mesh_line: an argument is NULL");
    if (points < 2 || points > POINTS_MAX || point == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "line mesh: %d points; 2 to %d are needed", points,
                          POINTS_MAX);
    size_t beams = (size_t)points - 1;
    cairn_element_kind *kind = cairn_alloc(context, beams, sizeof *kind);
    int *start = cairn_alloc(context, beams + 1, sizeof *start);
    int *corner = cairn_alloc(context, 2 * beams, sizeof *corner);
    cairn_status status = CAIRN_ERROR_MEMORY;
    if (kind != NULL && start != NULL && corner != NULL) {
        for (int e = 0; e < points - 1; e++) {
            kind[e] = CAIRN_ELEMENT_BEAM2;
            corner[2 * e] = e;
            corner[2 * e + 1] = e + 1;
            start[e + 1] = 2 * (e + 1);
        }
        cairn_fem_mesh_def def = cairn_default_fem_mesh_def();
        def.nodes = points;
        def.node = point;
        def.elements = points - 1;
        def.kind = kind;
        def.start = start;
        def.corner = corner;
        status = cairn_fem_mesh_create(context, &def, mesh);
    }
    cairn_free(context, kind);
    cairn_free(context, start);
    cairn_free(context, corner);
    return status;
}
