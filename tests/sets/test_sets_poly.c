/*
 * test_sets_poly.c: the polyhedral friction cone: between the round cones it lies between, its limit for many directions, the
 * resolvent and the slip of the exact law, and the nearest point against one found by bisection.
 */
#include "test_sets_samples.h"

static cairn_block poly(int directions, double mu) {
    return (cairn_block){
        .set = CAIRN_SET_POLY_CONE, .dim = directions == 2 ? 2 : 3, .mu = mu, .directions = directions};
}

static void project(const cairn_block *block, const double *x, double *z) {
    cairn_set_get(block->set)->project(block, x, z);
}

static const int count[] = {2, 4, 6, 8, 10, 14, 32, 128};
enum { COUNTS = sizeof count / sizeof count[0] };

static void corner(const cairn_block *block, int j, long double *d) {
    long double angle = 2.0L * acosl(-1.0L) * j / block->directions;
    d[0] = block->dim == 2 ? (j % 2 ? -1.0L : 1.0L) : cosl(angle);
    d[1] = block->dim == 2 ? 0.0L : sinl(angle);
}

/* max_j d_j'w over the corners d_j of P. */
static long double reach(const cairn_block *block, const long double *w) {
    long double most = -INFINITY, d[2];
    for (int j = 0; j < block->directions; j++) {
        corner(block, j, d);
        most = fmaxl(most, d[0] * w[0] + d[1] * w[1]);
    }
    return most;
}

/* q = the point of the polygon of radius r next to w: w itself inside all edges, else the nearest point of all edges. */
static void in_polygon(const cairn_block *block, long double r, const long double *w, long double *q) {
    long double least = INFINITY, half = acosl(-1.0L) / block->directions;
    bool inside = true;
    for (int j = 0; j < block->directions; j++) {
        long double a[2], b[2], share = 0.0L, length = 0.0L, square = 0.0L, at[2];
        corner(block, j, a);
        corner(block, j + 1, b);
        if (block->dim == 2)
            inside = inside && a[0] * w[0] <= r;
        else
            inside = inside && cosl((2 * j + 1) * half) * w[0] + sinl((2 * j + 1) * half) * w[1] <= r * cosl(half);
        for (int i = 0; i < 2; i++) {
            share += (w[i] - r * a[i]) * (b[i] - a[i]);
            length += r * (b[i] - a[i]) * (b[i] - a[i]);
        }
        share = length > 0.0L ? fminl(1.0L, fmaxl(0.0L, share / length)) : 0.0L;
        for (int i = 0; i < 2; i++) {
            at[i] = r * (a[i] + share * (b[i] - a[i]));
            square += (w[i] - at[i]) * (w[i] - at[i]);
        }
        if (square < least) {
            least = square;
            memcpy(q, at, sizeof at);
        }
    }
    if (inside)
        memcpy(q, w, 2 * sizeof *q);
}

/* Bisection on the normal part a: the slope of (a - x_N)^2/2 + dist(x_T, mu a P)^2/2 is a - x_N - mu reach(x_T - nearest). */
static void bisect(const cairn_block *block, const double *x, long double *p) {
    long double w[2] = {x[1], block->dim == 3 ? x[2] : 0.0}, low = 0.0L, rest[2];
    long double high = 4.0L * (fabsl((long double)x[0]) + fabsl(w[0]) + fabsl(w[1]));
    for (int step = 0; step < 100; step++) {
        p[0] = 0.5L * (low + high);
        in_polygon(block, block->mu * p[0], w, p + 1);
        rest[0] = w[0] - p[1];
        rest[1] = w[1] - p[2];
        if (p[0] - x[0] - block->mu * reach(block, rest) > 0.0L)
            high = p[0];
        else
            low = p[0];
    }
    p[0] = low;
    in_polygon(block, block->mu * low, w, p + 1);
}

/* Two ways that share nothing: sectors there, bisection here. */
TEST(nearest_points_are_those_of_bisection) {
    test_random r = {1};
    for (int round = 0; round < 4000; round++) {
        cairn_block block = poly(count[round % COUNTS],
                                 round % 11 ? 3.0 * test_random_unit(&r) * test_random_unit(&r) : 0.0);
        double x[3], z[3];
        long double to[3];
        random_point(&r, 3, x);
        project(&block, x, z);
        bisect(&block, x, to);
        for (int i = 0; i < block.dim; i++)
            CHECK_NEAR(z[i], (double)to[i], 2e-15 * norm(block.dim, x));
        const long double slip[2] = {x[1], block.dim == 3 ? x[2] : 0.0};
        CHECK_NEAR(cairn_poly_speed(&block, x), (double)reach(&block, slip), 1e-15 * norm(block.dim, x));
    }
}

/* Against the round cone: distances, and the slip of the law, differ by 1/N^2; nearest points by 1/N, because they snap to corners. */
TEST(many_directions) {
    test_random r = {2};
    double point[COUNTS] = {0}, distance[COUNTS] = {0}, speed[COUNTS] = {0};
    for (int round = 0; round < 4000; round++) {
        double x[3], z[3], w[3];
        random_point(&r, 3, x);
        for (int c = 1; c < COUNTS; c++) {
            cairn_block block = poly(count[c], 0.7), cone = {.set = CAIRN_SET_CONE, .dim = 3, .mu = 0.7};
            project(&block, x, z);
            project(&cone, x, w);
            double size = norm(3, x);
            point[c] = fmax(point[c], norm_difference(3, z, w) / size);
            distance[c] = fmax(distance[c], (norm_difference(3, x, z) - norm_difference(3, x, w)) / size);
            CHECK(norm_difference(3, x, z) >= norm_difference(3, x, w) - 1e-15 * size); /* inscribed */
            speed[c] = fmax(speed[c], (norm(2, x + 1) - cairn_poly_speed(&block, x)) / size);
        }
    }
    for (int c = 1; c < COUNTS; c++) {
        double n = count[c];
        CHECK(n * point[c] > 0.5 && n * point[c] < 2.0);
        CHECK(n * n * distance[c] > 1.0 && n * n * distance[c] < 3.5);
        CHECK(n * n * speed[c] > 4.0 && n * n * speed[c] < 5.0); /* 1 - cos(pi/N) */
    }
}

/* In the plane it is the round cone, to the last bit. */
TEST(dimension_two_is_the_round_cone) {
    test_random r = {3};
    for (int round = 0; round < 1000; round++) {
        cairn_block block = poly(2, 2.0 * test_random_unit(&r)), cone = block;
        double x[2], z[2], w[2], J[4], K[4];
        cone.set = CAIRN_SET_CONE;
        random_point(&r, 2, x);
        project(&block, x, z);
        project(&cone, x, w);
        CHECK(memcmp(z, w, sizeof z) == 0);
        cairn_poly_resolvent(&block, x, z);
        cairn_cone_resolvent(2, cone.mu, x, w);
        CHECK(memcmp(z, w, sizeof z) == 0);
        cairn_set_get(block.set)->derivative(&block, x, J);
        cairn_set_get(cone.set)->derivative(&cone, x, K);
        CHECK(memcmp(J, K, sizeof J) == 0);
        CHECK(cairn_poly_speed(&block, x) == fabs(x[1]));
    }
}

/* u = z - x with the resolvent's z obeys the law: u_N >= 0, z_N >= 0, u_N z_N = 0, and no corner of mu z_N P dissipates more. */
TEST(resolvent_is_the_exact_law) {
    test_random r = {4};
    for (int round = 0; round < 8000; round++) {
        cairn_block block = poly(count[1 + round % (COUNTS - 1)], round % 13 ? 1.5 * test_random_unit(&r) : 0.0);
        double x[3], z[3], u[3], dissipation = 0.0, most = -INFINITY;
        random_point(&r, 3, x);
        double size = norm(3, x);
        cairn_poly_resolvent(&block, x, z);
        CHECK(violation(&block, z) <= 4e-16 * size * (1.0 + block.mu));
        for (int i = 0; i < 3; i++)
            u[i] = z[i] - x[i];
        CHECK(u[0] >= 0.0 && z[0] >= 0.0 && u[0] * z[0] == 0.0);
        for (int i = 1; i < 3; i++)
            dissipation -= u[i] * z[i];
        for (int j = 0; j < block.directions; j++) {
            double angle = 2.0 * acos(-1.0) * j / block.directions;
            most = fmax(most, -block.mu * z[0] * (cos(angle) * u[1] + sin(angle) * u[2]));
        }
        CHECK_NEAR(dissipation, most, 4e-15 * size * size * (1.0 + block.mu));
        CHECK_NEAR(block.mu * z[0] * cairn_poly_speed(&block, u), most, 4e-15 * size * size * (1.0 + block.mu));
        cairn_poly_resolvent(&block, x, x);
        CHECK(memcmp(x, z, sizeof x) == 0);
    }
}

TEST(resolvent_derivative) {
    test_random r = {5};
    int smooth = 0;
    for (int round = 0; round < 3000; round++) {
        cairn_block block = poly(count[round % (COUNTS - 1)], 0.2 + test_random_unit(&r));
        int dim = block.dim;
        double x[3], J[9], other[9], ahead[3], back[3], h = 1e-6;
        for (int i = 0; i < dim; i++)
            x[i] = test_random_signed(&r);
        cairn_poly_resolvent_derivative(&block, x, J);
        bool kink = fabs(x[0]) < 1e-4;
        for (int k = 0; k < 2 * dim && !kink; k++) { /* a kink near by: the derivative jumps */
            double near[3] = {x[0], x[1], dim == 3 ? x[2] : 0.0};
            near[k / 2] += k % 2 ? 1e-4 : -1e-4;
            cairn_poly_resolvent_derivative(&block, near, other);
            for (int e = 0; e < dim * dim; e++)
                kink = kink || fabs(other[e] - J[e]) > 1e-3;
        }
        for (int j = 0; j < dim && !kink; j++) {
            for (int i = 0; i < dim; i++)
                ahead[i] = back[i] = x[i];
            ahead[j] += h;
            back[j] -= h;
            cairn_poly_resolvent(&block, ahead, ahead);
            cairn_poly_resolvent(&block, back, back);
            for (int i = 0; i < dim; i++)
                CHECK_NEAR((ahead[i] - back[i]) / (2.0 * h), J[i * dim + j], 1e-8);
        }
        smooth += !kink;
    }
    CHECK(smooth > 2000);
}

TEST(not_a_number_is_kept) {
    cairn_block block = poly(8, 0.5);
    for (int bad = 0; bad < 3; bad++)
        for (int n = 0; n < 2; n++) {
            double x[3] = {n ? 1.0 : -1.0, 0.3, 0.2}, z[3];
            x[bad] = NAN;
            cairn_poly_resolvent(&block, x, z);
            CHECK(isnan(z[0]) || isnan(z[1]) || isnan(z[2]) || (bad > 0 && n == 0));
        }
}

int main(void) {
    RUN(nearest_points_are_those_of_bisection);
    RUN(many_directions);
    RUN(dimension_two_is_the_round_cone);
    RUN(resolvent_is_the_exact_law);
    RUN(resolvent_derivative);
    RUN(not_a_number_is_kept);
    return test_end();
}
