/* Cones of the interior point method: scaling, targets, steps and gaps against their definitions; portable and vector code, bit by
 * bit. */
#include "support/support.h"

#include "base/core.h"
#include "solve/second_order/cone_algebra.h"

/* The same source once more, compiled for every processor of this kind. */
#undef CAIRN_CLONES
#define CAIRN_CLONES
#define cairn_cones_scale         portable_scale
#define cairn_cones_target        portable_target
#define cairn_cones_soften        portable_soften
#define cairn_cones_soften_target portable_soften_target
#define cairn_cones_respond       portable_respond
#define cairn_cones_direct        portable_direct
#define cairn_cones_mean_after    portable_mean_after
#define cairn_cones_move          portable_move
#define cairn_cones_residual      portable_residual
#define cairn_cones_mean          portable_mean
#define cairn_cones_impulse       portable_impulse
#define cairn_cones_weights       portable_weights
#define cairn_cones_set_gaps      portable_set_gaps
#define cairn_cones_raise         portable_raise
#include "solve/second_order/cone_algebra.c"
#undef cairn_cones_scale
#undef cairn_cones_target
#undef cairn_cones_soften
#undef cairn_cones_soften_target
#undef cairn_cones_respond
#undef cairn_cones_direct
#undef cairn_cones_mean_after
#undef cairn_cones_move
#undef cairn_cones_residual
#undef cairn_cones_mean
#undef cairn_cones_impulse
#undef cairn_cones_weights
#undef cairn_cones_set_gaps
#undef cairn_cones_raise

enum { COUNT = 19, TILES = 3, ROWS = 3 * COUNT };

typedef struct fixture {
    cairn_cone_tile tile[TILES];
    cairn_cones cones;
    double u[ROWS + 1], h[ROWS + 1], B[9 * COUNT];
} fixture;

/* Cones of all kinds: exact and associated law, short ones, compliance where asked. */
static void make(fixture *f, double compliance) {
    test_random random = {7};
    memset(f, 0, sizeof *f);
    f->cones = (cairn_cones){COUNT, TILES, f->tile};
    for (int c = 0; c < LANES * TILES; c++) {
        cairn_cone_tile *k = &f->tile[c / LANES];
        int l = c % LANES;
        bool live = c < COUNT, single = c % 5 == 4;
        k->live[l] = live ? 1.0 : 0.0;
        k->c[l] = live && !single && c % 3 != 0 ? (c % 2 ? 1.0 : 0.01) : 0.0;
        k->dim[l] = single ? 1 : 3;
        k->ld[l] = 3;
        k->weight[l] = 9 * c;
        for (int j = 0; j < 3; j++) {
            bool here = live && j < k->dim[l];
            k->row[j][l] = here ? 3 * c + j : ROWS;
            k->L[j][l] = here ? 0.5 + 0.25 * j + 0.01 * c : 0.0;
            k->E[j][l] = here ? compliance * (1.0 + j) : 0.0;
            k->y[j][l] = here && j > 0 ? test_random_signed(&random) : 0.0;
            k->z[j][l] = here && j > 0 ? test_random_signed(&random) : 0.0;
        }
        k->y[0][l] = (k->c[l] > 0.0 ? 0.0 : hypot(k->y[1][l], k->y[2][l])) + 0.3 + 0.1 * (c % 7);
        k->z[0][l] = hypot(k->z[1][l], k->z[2][l]) + 0.2 + 0.15 * (c % 4);
        k->y_gap[l] = k->z_gap[l] = 1.0;
    }
    for (int j = 0; j < ROWS; j++)
        f->u[j] = test_random_signed(&random);
    cairn_cones_set_gaps(&f->cones);
}

static void lane(const cairn_lanes *x, int l, double *to) {
    for (int j = 0; j < 3; j++)
        to[j] = x[j][l];
}

static void slack_of(double c, const double *y, double *s) {
    s[0] = c > 0.0 ? y[0] + sqrt(y[1] * y[1] + y[2] * y[2] + c * y[0] * y[0]) : y[0];
    s[1] = y[1];
    s[2] = y[2];
}

/* W x, or W^-1 x. */
static void apply(const cairn_cone_tile *k, int l, bool inverse, const double *x, double *out) {
    double sign = inverse ? -1.0 : 1.0, eta = inverse ? k->shrink[l] : 1.0 / k->shrink[l];
    double w0 = k->w[0][l], w[3] = {0.0, sign * k->w[1][l], sign * k->w[2][l]}, dot = w[1] * x[1] + w[2] * x[2];
    out[0] = eta * (w0 * x[0] + dot);
    for (int j = 1; j < 3; j++)
        out[j] = eta * (w[j] * x[0] + x[j] + w[j] * dot / (1.0 + w0));
}

static void jordan(const double *a, const double *b, double *out) {
    out[0] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    out[1] = a[0] * b[1] + b[0] * a[1];
    out[2] = a[0] * b[2] + b[0] * a[2];
}

TEST(scaling_takes_both_points_to_lambda) {
    static fixture f;
    make(&f, 0.0);
    cairn_cones_scale(&f.cones);
    for (int c = 0; c < COUNT; c++) {
        const cairn_cone_tile *k = &f.tile[c / LANES];
        int l = c % LANES;
        double y[3], z[3], s[3], from_s[3], from_z[3];
        lane(k->y, l, y);
        lane(k->z, l, z);
        slack_of(k->c[l], y, s);
        apply(k, l, true, s, from_s);
        apply(k, l, false, z, from_z);
        for (int j = 0; j < 3; j++) {
            CHECK_NEAR(from_s[j], k->lambda[j][l], 1e-13);
            CHECK_NEAR(from_z[j], k->lambda[j][l], 1e-13);
            CHECK(k->t[j][l] == -z[j]);
            /* column j of B = W^-2 ds/dy by differences */
            double up[3] = {y[0], y[1], y[2]}, down[3] = {y[0], y[1], y[2]}, su[3], sd[3], once[3], twice[3];
            up[j] += 1e-6;
            down[j] -= 1e-6;
            slack_of(k->c[l], up, su);
            slack_of(k->c[l], down, sd);
            for (int i = 0; i < 3; i++)
                su[i] = (su[i] - sd[i]) / 2e-6;
            apply(k, l, true, su, once);
            apply(k, l, true, once, twice);
            for (int i = 0; i < 3; i++)
                CHECK_NEAR(k->B[3 * i + j][l], twice[i], 1e-7 * (1.0 + fabs(twice[i])));
        }
        CHECK_NEAR(k->det[l],
                   k->lambda[0][l] * k->lambda[0][l] - k->lambda[1][l] * k->lambda[1][l] -
                       k->lambda[2][l] * k->lambda[2][l],
                   1e-12);
    }
}

TEST(target_solves_the_centring_equation) {
    static fixture f;
    make(&f, 0.0);
    cairn_cones_scale(&f.cones);
    cairn_cones_direct(&f.cones, f.u, 1);
    cairn_cones_target(&f.cones, 0.7, 0.6, 1);
    for (int c = 0; c < COUNT; c++) {
        const cairn_cone_tile *k = &f.tile[c / LANES];
        int l = c % LANES;
        double t[3], z[3], dy[3], dz[3], lambda[3], left[3], scaled[3], a[3], b[3], second[3];
        lane(k->t, l, t);
        lane(k->z, l, z);
        lane(k->way[1].dy, l, dy);
        lane(k->way[1].dz, l, dz);
        lane(k->lambda, l, lambda);
        for (int j = 0; j < 3; j++)
            t[j] += z[j];
        apply(k, l, false, t, scaled);
        jordan(lambda, scaled, left);
        double ds[3] = {k->G[0][l] * dy[0] + k->G[1][l] * dy[1] + k->G[2][l] * dy[2], dy[1], dy[2]};
        apply(k, l, true, ds, a);
        apply(k, l, false, dz, b);
        jordan(a, b, second);
        for (int j = 0; j < 3; j++)
            CHECK_NEAR(left[j], (j == 0 ? 0.7 : 0.0) - 0.6 * second[j], 1e-11 * (1.0 + fabs(second[j])));
    }
}

/* With compliance, too: dz = t - B x - B E dz, where t and B are those before softening. */
TEST(direction_solves_its_equations_and_stops_at_the_boundary) {
    for (int soft = 0; soft < 2; soft++) {
        static fixture f, before;
        make(&f, soft ? 0.8 : 0.0);
        double largest = 0.0, expected = 0.0, least = 0.0;
        cairn_cones_residual(&f.cones, f.u);
        double mean = cairn_cones_mean(&f.cones, &largest);
        cairn_cones_scale(&f.cones);
        before = f;
        if (soft) {
            cairn_cones_soften(&f.cones);
            cairn_cones_soften_target(&f.cones);
        }
        double a = cairn_cones_direct(&f.cones, f.u, 0);
        CHECK(a > 0.0 && a < 1e9);
        for (int c = 0; c < COUNT; c++) {
            const cairn_cone_tile *k = &f.tile[c / LANES], *old = &before.tile[c / LANES];
            int l = c % LANES;
            double y[3], z[3], s[3], dy[3], dz[3], x[3];
            lane(k->y, l, y);
            lane(k->z, l, z);
            lane(k->way[0].dy, l, dy);
            lane(k->way[0].dz, l, dz);
            slack_of(k->c[l], y, s);
            expected += s[0] * z[0] + s[1] * z[1] + s[2] * z[2];
            for (int j = 0; j < 3; j++) {
                double u = k->row[j][l] < ROWS ? f.u[k->row[j][l]] : 0.0;
                CHECK_NEAR(k->rp[j][l], k->L[j][l] * u - y[j], 1e-15);
                CHECK(fabs(k->rp[j][l]) <= largest);
                x[j] = k->rp[j][l] + k->L[j][l] * u + k->E[j][l] * dz[j];
                CHECK_NEAR(dy[j], x[j], 1e-13);
            }
            for (int i = 0; i < 3; i++)
                CHECK_NEAR(dz[i],
                           old->t[i][l] - old->B[3 * i][l] * x[0] - old->B[3 * i + 1][l] * x[1] -
                               old->B[3 * i + 2][l] * x[2],
                           1e-11 * (1.0 + fabs(dz[i])));
            double y_gap = y[0] + a * dy[0] - (k->c[l] > 0.0 ? 0.0 : hypot(y[1] + a * dy[1], y[2] + a * dy[2]));
            double z_gap = z[0] + a * dz[0] - hypot(z[1] + a * dz[1], z[2] + a * dz[2]);
            CHECK(y_gap > -1e-12 && z_gap > -1e-12);
            least = c == 0 ? fmin(y_gap, z_gap) : fmin(least, fmin(y_gap, z_gap));
        }
        CHECK_NEAR(least, 0.0, 1e-12);
        CHECK_NEAR(mean, expected / COUNT, 1e-13);
        CHECK_NEAR(cairn_cones_mean_after(&f.cones, 0.0, 0), mean, 1e-13);
    }
}

TEST(steps_on_the_axis_and_lanes_that_only_fill_up) {
    static fixture f;
    make(&f, 0.0);
    cairn_cones_scale(&f.cones);
    memset(f.u, 0, sizeof f.u);
    for (int c = 0; c < COUNT; c++) /* nothing moves but the cones that fill up: z goes to 0 there */
        for (int j = 0; j < 3; j++)
            f.tile[c / LANES].t[j][c % LANES] = 0.0;
    CHECK(cairn_cones_direct(&f.cones, f.u, 0) == 1e10);
    cairn_cone_tile *k = &f.tile[0];
    CHECK(k->dim[4] == 1 && k->z[1][4] == 0.0);
    k->t[0][4] = 2.0 * k->z_gap[4];
    CHECK(cairn_cones_direct(&f.cones, f.u, 0) == 1e10);
    k->t[0][4] = -2.0 * k->z_gap[4];
    CHECK_NEAR(cairn_cones_direct(&f.cones, f.u, 0), 0.5, 1e-15);
}

/* The gap of a point 1e-20 inside is known to 1e-10 of itself after a move along the boundary. */
TEST(gaps_keep_their_digits) {
    static fixture f;
    make(&f, 0.0);
    cairn_cone_tile *k = &f.tile[0];
    for (int l = 0; l < LANES; l++) {
        k->c[l] = 0.0;
        for (int j = 0; j < 3; j++) {
            k->z[j][l] = k->y[j][l] = j == 0 ? 5.0 : j == 1 ? 3.0 : 4.0;
            k->way[0].dy[j][l] = k->way[0].dz[j][l] = -0.5 * k->z[j][l];
        }
        k->z_gap[l] = k->y_gap[l] = 1e-20;
        k->way[0].dz[0][l] += 1e-20;
    }
    cairn_cones_move(&f.cones, 0.5, 0);
    for (int l = 0; l < LANES; l++) {
        CHECK_NEAR(k->z[1][l], 2.25, 0.0);
        CHECK(k->z_gap[l] >= 1e-30 && k->y_gap[l] >= 1e-30 && k->z_gap[l] < 1e-15);
    }
    make(&f, 0.0);
    cairn_cones_scale(&f.cones);
    double a = 0.9 * cairn_cones_direct(&f.cones, f.u, 0);
    cairn_cones_move(&f.cones, a, 0);
    static fixture again;
    again = f;
    again.cones.tile = again.tile;
    cairn_cones_set_gaps(&again.cones);
    for (int c = 0; c < COUNT; c++) {
        CHECK_NEAR(f.tile[c / LANES].y_gap[c % LANES], again.tile[c / LANES].y_gap[c % LANES], 1e-12);
        CHECK_NEAR(f.tile[c / LANES].z_gap[c % LANES], again.tile[c / LANES].z_gap[c % LANES], 1e-12);
    }
    cairn_cones_raise(&f.cones, 0.9);
    for (int c = 0; c < COUNT; c++) {
        CHECK(f.tile[c / LANES].z_gap[c % LANES] >= 0.9);
        CHECK(f.tile[c / LANES].y_gap[c % LANES] >= 0.9);
    }
}

/* One iteration of everything, both ways. */
TEST(vectors_and_scalars_give_the_same_bits) {
    for (int soft = 0; soft < 2; soft++) {
        static fixture f, g;
        double most_f = 0.0, most_g = 0.0;
        make(&f, soft ? 0.3 : 0.0);
        g = f;
        g.cones.tile = g.tile;
        cairn_cones_residual(&f.cones, f.u);
        portable_residual(&g.cones, g.u);
        CHECK(cairn_cones_mean(&f.cones, &most_f) == portable_mean(&g.cones, &most_g));
        CHECK(most_f == most_g);
        cairn_cones_scale(&f.cones);
        portable_scale(&g.cones);
        if (soft) {
            cairn_cones_soften(&f.cones);
            portable_soften(&g.cones);
        }
        cairn_cones_weights(&f.cones, f.B);
        portable_weights(&g.cones, g.B);
        CHECK(cairn_cones_direct(&f.cones, f.u, 0) == portable_direct(&g.cones, g.u, 0));
        CHECK(cairn_cones_mean_after(&f.cones, 0.3, 0) == portable_mean_after(&g.cones, 0.3, 0));
        cairn_cones_target(&f.cones, 0.1, 0.9, 0);
        portable_target(&g.cones, 0.1, 0.9, 0);
        cairn_cones_respond(&f.cones, f.h);
        portable_respond(&g.cones, g.h);
        CHECK(cairn_cones_direct(&f.cones, f.h, 1) == portable_direct(&g.cones, g.h, 1));
        double before = f.tile[0].rp[0][0];
        cairn_cones_move(&f.cones, 0.01, 1);
        CHECK(f.tile[0].rp[0][0] == before * (1.0 - 0.01));
        portable_move(&g.cones, 0.01, 1);
        cairn_cones_impulse(&f.cones, f.u);
        portable_impulse(&g.cones, g.u);
        g.cones.tile = f.tile;
        CHECK(memcmp(f.tile, g.tile, sizeof f.tile) == 0);
        CHECK(memcmp(f.u, g.u, sizeof f.u) == 0 && memcmp(f.h, g.h, sizeof f.h) == 0);
        CHECK(memcmp(f.B, g.B, sizeof f.B) == 0);
        CHECK(f.h[ROWS] == 0.0 && f.u[ROWS] == 0.0);
        CHECK(isfinite(f.tile[TILES - 1].z[0][LANES - 1]) && f.tile[TILES - 1].z[0][LANES - 1] > 0.0);
    }
}

int main(void) {
    RUN(scaling_takes_both_points_to_lambda);
    RUN(target_solves_the_centring_equation);
    RUN(direction_solves_its_equations_and_stops_at_the_boundary);
    RUN(steps_on_the_axis_and_lanes_that_only_fill_up);
    RUN(gaps_keep_their_digits);
    RUN(vectors_and_scalars_give_the_same_bits);
    return test_end();
}
