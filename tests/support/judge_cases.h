/*
 * judge_cases.h: problems whose answers are known by construction, as dense numbers that can be turned into other units, other tangents, another order.
 *
 * Manufactured: impulses g and velocities u are chosen on the graphs of the laws, then b = u - (D'H^-1(k + D g) + C g). Rows of v whose `turns` is 1 are in rad/s, so that
 * their inertia has kg m^2 and their entries of D have m.
 */
#ifndef CAIRN_TEST_JUDGE_CASES_H
#define CAIRN_TEST_JUDGE_CASES_H

#include "judge_law.h"

#define CASE_ROWS   48
#define CASE_BLOCKS 48

typedef struct judge_case {
    char name[160];
    cairn_law law;
    bool local, coupled, manufactured, unsymmetric;
    int n, m, blocks, body;                                                              /* rows of a body */
    double H[CASE_ROWS * CASE_ROWS], D[CASE_ROWS * CASE_ROWS], N[CASE_ROWS * CASE_ROWS]; /* row by row */
    double k[CASE_ROWS], b[CASE_ROWS], C[CASE_ROWS];
    unsigned char angular[CASE_ROWS], turns[CASE_ROWS]; /* of rows of u, of v */
    bool has_angular;
    cairn_block block[CASE_BLOCKS];
    double gamma[CASE_ROWS], u[CASE_ROWS]; /* the known answer */
    double stress[CASE_ROWS];              /* impulses that move nothing, or 0 */
    double lambda;                         /* N is at least this times the identity; 0: not known */
    double least;                          /* no answer has an X below this: known in closed form */
} judge_case;

static inline int case_start(const judge_case *c, int block) {
    int first = 0;
    for (int i = 0; i < block; i++)
        first += c->block[i].dim;
    return first;
}

static inline cairn_problem *case_problem(cairn_context *context, const judge_case *c) {
    static int row[3][CASE_ROWS * CASE_ROWS], col[3][CASE_ROWS * CASE_ROWS];
    static double value[3][CASE_ROWS * CASE_ROWS];
    int count[3] = {0}, start[CASE_ROWS + 1];
    const double *from[3] = {c->H, c->D, c->N};
    int rows[3] = {c->n, c->n, c->m}, cols[3] = {c->n, c->m, c->m};
    cairn_sparse sparse[3];
    for (int a = 0; a < 3; a++) {
        for (int i = 0; i < rows[a]; i++)
            for (int j = 0; j < cols[a]; j++)
                if (from[a][i * CASE_ROWS + j] != 0.0) {
                    row[a][count[a]] = i;
                    col[a][count[a]] = j;
                    value[a][count[a]++] = from[a][i * CASE_ROWS + j];
                }
        sparse[a] = (cairn_sparse){
            .format = CAIRN_SPARSE_TRIPLET, .rows = rows[a], .cols = cols[a], .entries = count[a]};
        sparse[a].row = row[a], sparse[a].col = col[a], sparse[a].value = value[a];
    }
    cairn_problem_def def = cairn_default_problem_def();
    def.law = c->law;
    def.m = c->m;
    def.b = c->b;
    def.blocks = c->blocks;
    def.block = c->block;
    def.C = c->C;
    def.angular = c->has_angular ? c->angular : NULL;
    def.H_unsymmetric = def.N_unsymmetric = c->unsymmetric;
    if (c->local) {
        def.N = sparse[2];
    } else {
        def.n = c->n;
        def.H = sparse[0];
        def.D = sparse[1];
        def.k = c->k;
        for (int i = 0; i <= c->n / c->body; i++)
            start[i] = i * c->body;
        def.bodies = c->n / c->body;
        def.body_start = start;
    }
    cairn_problem *problem = NULL;
    if (cairn_problem_create(context, &def, &problem) != CAIRN_OK)
        printf("%s: %s\n", c->name, cairn_error_message(context));
    return problem;
}

/* ---- points on the graphs ------------------------------------------------------------------------------------------- */

static inline void case_direction(test_random *random, int dim, double *t) {
    double size = 0.0;
    while (size < 0.1) {
        size = 0.0;
        for (int i = 0; i < dim; i++) {
            t[i] = test_random_signed(random);
            size += t[i] * t[i];
        }
    }
    for (int i = 0; i < dim; i++)
        t[i] /= sqrt(size);
}

/* A point of a cone with slope mu, by state: 0 open, 1 inside, 2 sliding; push, speed: sizes. */
static inline void case_cone_point(const cairn_block *block, cairn_law law, test_random *random, int state, double *g,
                                   double *u) {
    double push = 0.2 + test_random_unit(random), speed = 0.2 + test_random_unit(random), mu = block->mu, t[2];
    bool free_motion = law == CAIRN_LAW_COULOMB && block->set == CAIRN_SET_CONE;
    int d = block->dim - 1;
    case_direction(random, d, t);
    double big = fmax(mu, 1.0); /* keeps impulses and velocities near 1 whatever mu is */
    if (state == 0) {
        u[0] = free_motion ? speed : speed * (mu / big + 0.1);
        for (int i = 0; i < d; i++)
            u[i + 1] = free_motion ? t[i] : 0.9 * speed / big * t[i];
    } else if (isinf(mu)) {
        g[0] = push;
        for (int i = 0; i < d; i++)
            g[i + 1] = t[i];
    } else {
        double share = state == 1 ? 0.7 * test_random_unit(random) : 1.0;
        g[0] = push / big;
        for (int i = 0; i < d; i++)
            g[i + 1] = share * mu * g[0] * t[i];
        if (state == 2) {
            u[0] = free_motion ? 0.0 : speed * mu / big;
            for (int i = 0; i < d; i++)
                u[i + 1] = -(free_motion ? speed : speed / big) * t[i];
        }
    }
}

static inline void case_point(const cairn_block *block, cairn_law law, test_random *random, double *g, double *u) {
    int state = (int)(test_random_bits(random) % 4), dim = block->dim;
    double t[CAIRN_BLOCK_DIM_MAX], speed = 0.2 + test_random_unit(random), corner = block->mu;
    state = state == 3 ? 2 : state;
    for (int i = 0; i < dim; i++)
        g[i] = u[i] = 0.0;
    case_direction(random, dim, t);
    switch (block->set) {
    case CAIRN_SET_BILATERAL:
        for (int i = 0; i < dim; i++)
            g[i] = test_random_signed(random);
        return;
    case CAIRN_SET_NONNEGATIVE:
        for (int i = 0; i < dim; i++)
            *(t[i] > 0.0 ? &g[i] : &u[i]) = fabs(t[i]);
        return;
    case CAIRN_SET_BOX:
        for (int i = 0; i < dim; i++) {
            g[i] = t[i] < -0.3 ? block->lo : t[i] > 0.3 ? block->hi : 0.5 * (block->lo + block->hi);
            u[i] = t[i] < -0.3 ? speed : t[i] > 0.3 ? -speed : 0.0;
        }
        return;
    case CAIRN_SET_BALL:
    case CAIRN_SET_CUSTOM: {
        double radius = block->set == CAIRN_SET_BALL ? block->radius : *(const double *)block->custom->user;
        for (int i = 0; i < dim; i++) {
            g[i] = (state == 1 ? 0.5 : 1.0) * radius * t[i];
            u[i] = state == 1 ? 0.0 : -speed * t[i];
        }
        return;
    }
    case CAIRN_SET_DUAL_CONE: { /* the cone with impulse and velocity exchanged, associated law */
        case_cone_point(block, CAIRN_LAW_ASSOCIATED, random, state, u, g);
        return;
    }
    case CAIRN_SET_POLY_CONE: /* at a corner, the first one: velocity along it, or with the normal that Coulomb's law leaves out */
        if (state == 0) {
            u[0] = speed;
        } else {
            g[0] = speed / fmax(1.0, corner);
            g[1] = (state == 1 ? 0.3 : 1.0) * corner * g[0];
            u[1] = state == 1 ? 0.0 : -speed;
            u[0] = state == 2 && law == CAIRN_LAW_ASSOCIATED ? corner * speed : 0.0;
        }
        return;
    case CAIRN_SET_CAPPED_CONE:
        if (state == 0) { /* at the lid */
            g[0] = block->cap;
            u[0] = -speed;
            return;
        }
        case_cone_point(block, law, random, state, g, u);
        for (int i = 0; i < dim; i++)
            g[i] *= 0.5 * block->cap;
        return;
    case CAIRN_SET_SHIFTED_CONE:
        case_cone_point(block, law, random, state, g, u);
        g[0] -= block->adhesion;
        return;
    default:
        case_cone_point(block, law, random, state, g, u);
    }
}

/* ---- makers ----------------------------------------------------------------------------------------------------------- */

static inline void case_project_disc(void *user, int dim, const double *x, double *p) {
    double size = 0.0, radius = *(double *)user;
    for (int i = 0; i < dim; i++)
        size += x[i] * x[i];
    size = sqrt(size);
    for (int i = 0; i < dim; i++)
        p[i] = size > radius ? x[i] / size * radius : x[i];
}

static double case_disc_radius = 0.75;
static const cairn_custom_set case_disc = {.project = case_project_disc, .user = &case_disc_radius};

/* mu: 0 .. 1e8, and infinite where accepted. */
static inline double case_friction(int i) {
    static const double mu[] = {0.0, 1e-8, 0.05, 0.3, 0.7, 1.0, 10.0, 1e3, 1e6, 1e8};
    return mu[i % 10];
}

static inline cairn_block case_block(test_random *random, cairn_set_kind set, double mu) {
    cairn_block block = {.set = set, .dim = 3, .mu = mu};
    bool cone = set >= CAIRN_SET_CONE && set <= CAIRN_SET_DUAL_CONE;
    if (set == CAIRN_SET_BILATERAL || set == CAIRN_SET_NONNEGATIVE || set == CAIRN_SET_BOX || set == CAIRN_SET_BALL)
        block.dim = 1 + (int)(test_random_bits(random) % 4);
    if (cone || set == CAIRN_SET_CAPPED_CONE || set == CAIRN_SET_SHIFTED_CONE)
        block.dim = 2 + (int)(test_random_bits(random) % 2);
    block.lo = -0.5;
    block.hi = 1.5;
    block.radius = 0.6;
    block.cap = 0.8;
    block.adhesion = 0.25;
    block.directions = 8;
    block.custom = set == CAIRN_SET_CUSTOM ? &case_disc : NULL;
    return block;
}

/* b from the known answer. */
static inline void case_finish(judge_case *c) {
    static wide G[CASE_ROWS * CASE_ROWS];
    wide x[CASE_ROWS], v[CASE_ROWS];
    int n = c->n;
    c->manufactured = true;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            G[i * n + j] = c->H[i * CASE_ROWS + j];
    wide_invert(n, G);
    for (int i = 0; i < n; i++) {
        x[i] = c->k[i];
        for (int r = 0; r < c->m; r++)
            x[i] += (wide)c->D[i * CASE_ROWS + r] * c->gamma[r];
    }
    for (int i = 0; i < n; i++) {
        v[i] = 0.0L;
        for (int j = 0; j < n; j++)
            v[i] += G[i * n + j] * x[j];
    }
    for (int r = 0; r < c->m; r++) {
        wide w = (wide)c->C[r] * c->gamma[r];
        for (int i = 0; i < n && !c->local; i++)
            w += c->D[i * CASE_ROWS + r] * v[i];
        for (int j = 0; j < c->m && c->local; j++)
            w += (wide)c->N[r * CASE_ROWS + j] * c->gamma[j];
        c->b[r] = (double)(c->u[r] - w);
    }
}

static inline void case_random_mass(judge_case *c, test_random *random, double ratio) {
    for (int body = 0; body < c->n / c->body; body++) {
        double mass = body % 2 == 0 ? 1.0 : ratio;
        for (int i = 0; i < c->body; i++)
            for (int j = 0; j <= i; j++) {
                int a = body * c->body + i, e = body * c->body + j;
                double x = i == j ? mass * (1.0 + test_random_unit(random)) : 0.1 * mass * test_random_signed(random);
                if (i != j && (i < 3) != (j < 3))
                    x = 0.0;
                c->H[a * CASE_ROWS + e] = c->H[e * CASE_ROWS + a] = x;
            }
        for (int i = 3; i < c->body; i++)
            c->turns[body * c->body + i] = 1;
    }
    for (int i = 0; i + c->body < c->n && c->coupled; i++) {
        int j = i + c->body;
        double x = -0.2 * fmin(c->H[i * CASE_ROWS + i], c->H[j * CASE_ROWS + j]);
        if (c->turns[i] == c->turns[j])
            c->H[i * CASE_ROWS + j] = c->H[j * CASE_ROWS + i] = x;
    }
}

/* A random problem of `blocks` blocks, whose sets go through all kinds from `first` on; step 0: cones alone. */
static inline void case_global(judge_case *c, test_random *random, cairn_law law, int blocks, int first, int step,
                               double mu, double ratio, bool coupled) {
    memset(c, 0, sizeof *c);
    snprintf(c->name, sizeof c->name, "global, %s, mu %g, masses 1 : %g%s", cairn_law_name(law), mu, ratio,
             coupled ? ", coupled" : "");
    c->law = law;
    c->coupled = coupled;
    c->body = 6;
    c->n = 18;
    case_random_mass(c, random, ratio);
    for (int i = 0; i < c->n; i++)
        c->k[i] = c->H[i * CASE_ROWS + i] * test_random_signed(random);
    for (int i = 0; i < blocks; i++) {
        cairn_set_kind set = step == 0 ? CAIRN_SET_CONE : (cairn_set_kind)((first + step * i) % (CAIRN_SET_CUSTOM + 1));
        c->block[c->blocks++] = case_block(random, set, mu);
        int dim = c->block[i].dim, a = (int)(test_random_bits(random) % 3), other = (a + 1) % 3;
        bool two = test_random_bits(random) % 2 == 0;
        for (int r = c->m; r < c->m + dim; r++)
            for (int j = 0; j < 6; j++) {
                c->D[(6 * a + j) * CASE_ROWS + r] = test_random_signed(random);
                c->D[(6 * other + j) * CASE_ROWS + r] = two ? test_random_signed(random) : 0.0;
            }
        double gamma[CAIRN_BLOCK_DIM_MAX];
        case_point(&c->block[i], law, random, gamma, c->u + c->m);
        memcpy(c->gamma + c->m, gamma, (size_t)dim * sizeof *gamma);
        c->m += dim;
    }
    case_finish(c);
}

/* N = A A' + lambda, A of `rank` columns. */
static inline void case_local(judge_case *c, test_random *random, cairn_law law, int blocks, int first, int step,
                              double mu, int rank, double lambda) {
    double A[CASE_ROWS][8];
    case_global(c, random, law, blocks, first, step, mu, 1.0, false);
    snprintf(c->name, sizeof c->name, "local, %s, mu %g, rank %d + %g", cairn_law_name(law), mu, rank, lambda);
    c->local = true;
    c->n = 0;
    c->lambda = lambda;
    for (int i = 0; i < c->m; i++)
        for (int j = 0; j < rank; j++)
            A[i][j] = test_random_signed(random);
    for (int i = 0; i < c->m; i++)
        for (int j = 0; j < c->m; j++) {
            double sum = i == j ? lambda : 0.0;
            for (int l = 0; l < rank; l++)
                sum += A[i][l] * A[j][l];
            c->N[i * CASE_ROWS + j] = sum;
        }
    case_finish(c);
}

/* K bodies of mass 1 on a line between two walls, which close in at this speed each. */
static inline void case_row(judge_case *c, int K, double closing, double mass, cairn_law law, bool cones) {
    memset(c, 0, sizeof *c);
    snprintf(c->name, sizeof c->name, "%d in a row, walls closing at %g m/s, mass %g", K, closing, mass);
    c->law = law;
    c->body = 1;
    c->n = K;
    c->blocks = K + 1;
    c->m = K + 1;
    for (int i = 0; i < K; i++) {
        c->H[i * CASE_ROWS + i] = mass;
        c->D[i * CASE_ROWS + i] = 1.0; /* contact i: body i moves away from what is left of it */
        c->D[i * CASE_ROWS + i + 1] = -1.0;
    }
    for (int i = 0; i <= K; i++) {
        c->block[i] = (cairn_block){.set = CAIRN_SET_NONNEGATIVE, .dim = 1};
        c->stress[i] = 1.0;
    }
    (void)cones;
    c->b[0] = c->b[K] = -closing;
    c->least = 2.0 * closing / (K + 1);
    c->manufactured = closing == 0.0;
}

/* A ball of this mass that meets a floor with velocity (normal, tangent): sticks, slides or leaves, by hand. */
static inline void case_ball(judge_case *c, double mass, double mu, double normal, double tangent) {
    memset(c, 0, sizeof *c);
    snprintf(c->name, sizeof c->name, "ball of %g kg, mu %g, meets a floor with (%g, %g) m/s", mass, mu, normal,
             tangent);
    c->body = c->n = c->m = 3;
    c->blocks = 1;
    c->block[0] = (cairn_block){.set = CAIRN_SET_CONE, .dim = 3, .mu = mu};
    c->lambda = 1.0 / mass;
    for (int i = 0; i < 3; i++) {
        c->H[i * CASE_ROWS + i] = mass;
        c->D[i * CASE_ROWS + i] = 1.0;
    }
    c->k[0] = mass * normal;
    c->k[1] = mass * tangent;
    c->u[0] = fmax(normal, 0.0);
    c->u[1] = tangent;
    if (normal < 0.0) {
        double stop = fmin(fabs(tangent), isinf(mu) ? INFINITY : mu * -normal);
        c->gamma[0] = mass * -normal;
        c->gamma[1] = -copysign(mass * stop, tangent);
        c->u[1] = copysign(fabs(tangent) - stop, tangent);
    }
    c->manufactured = true;
}

/* ---- the same problem, told otherwise ----------------------------------------------------------------------------------- */

/* Other units of mass, length and time: multiply every number by what it takes. Impulses in x (m) too. */
static inline void case_units(judge_case *c, double mass, double length, double time, double *x) {
    double impulse = mass * length / time;
    for (int i = 0; i < c->n; i++) {
        double a = c->turns[i] ? length : 1.0;
        c->k[i] *= a * impulse;
        for (int j = 0; j < c->n; j++)
            c->H[i * CASE_ROWS + j] *= mass * a * (c->turns[j] ? length : 1.0);
        for (int r = 0; r < c->m; r++)
            c->D[i * CASE_ROWS + r] *= a;
    }
    for (int r = 0; r < c->m; r++) {
        c->b[r] *= length / time;
        c->u[r] *= length / time;
        c->gamma[r] *= impulse;
        x[r] *= impulse;
        c->C[r] /= mass;
        for (int j = 0; j < c->m; j++)
            c->N[r * CASE_ROWS + j] /= mass;
    }
    for (int i = 0; i < c->blocks; i++) {
        c->block[i].lo *= impulse;
        c->block[i].hi *= impulse;
        c->block[i].radius *= impulse;
        c->block[i].cap *= impulse;
        c->block[i].adhesion *= impulse;
    }
    c->lambda /= mass;
    c->least *= length / time;
}

/* Row r of the new problem is row from[r] of the old one. */
static inline void case_take_rows(judge_case *c, const judge_case *old, const int *from, double *x) {
    double y[CASE_ROWS];
    memcpy(y, x, sizeof y);
    for (int r = 0; r < c->m; r++) {
        int f = from[r];
        c->b[r] = old->b[f], c->C[r] = old->C[f], c->gamma[r] = old->gamma[f], c->u[r] = old->u[f];
        c->angular[r] = old->angular[f], c->stress[r] = old->stress[f];
        x[r] = y[f];
        for (int i = 0; i < c->n; i++)
            c->D[i * CASE_ROWS + r] = old->D[i * CASE_ROWS + f];
        for (int j = 0; j < c->m; j++)
            c->N[r * CASE_ROWS + j] = old->N[f * CASE_ROWS + from[j]];
    }
}

/* The blocks from the last to the first. */
static inline void case_reverse(judge_case *c, double *x) {
    static judge_case old;
    int from[CASE_ROWS], at = 0;
    old = *c;
    for (int i = 0; i < c->blocks; i++) {
        int b = c->blocks - 1 - i, first = case_start(&old, b);
        c->block[i] = old.block[b];
        for (int r = 0; r < old.block[b].dim; r++)
            from[at++] = first + r;
    }
    case_take_rows(c, &old, from, x);
}

/* Tangents of round cones of three rows, turned by an angle. */
static inline void case_turn(judge_case *c, double angle, double *x) {
    double co = cos(angle), si = sin(angle);
    for (int i = 0; i < c->blocks; i++) {
        bool round = c->block[i].dim == 3 &&
                     (c->block[i].set == CAIRN_SET_CONE || c->block[i].set == CAIRN_SET_CAPPED_CONE ||
                      c->block[i].set == CAIRN_SET_SHIFTED_CONE || c->block[i].set == CAIRN_SET_DUAL_CONE);
        int s = case_start(c, i) + 1, t = s + 1;
        double *pair[] = {c->b, c->gamma, c->u, c->stress, x};
        for (int j = 0; j < 5 && round; j++) {
            double p = pair[j][s], q = pair[j][t];
            pair[j][s] = co * p + si * q;
            pair[j][t] = co * q - si * p;
        }
        for (int row = 0; row < CASE_ROWS && round; row++) {
            double *D = c->D + row * CASE_ROWS, *N = c->N + row * CASE_ROWS, p = D[s], q = D[t];
            D[s] = co * p + si * q;
            D[t] = co * q - si * p;
            p = N[s], q = N[t];
            N[s] = co * p + si * q;
            N[t] = co * q - si * p;
        }
        for (int row = 0; row < CASE_ROWS && round; row++) {
            double *N = c->N, p = N[s * CASE_ROWS + row], q = N[t * CASE_ROWS + row];
            N[s * CASE_ROWS + row] = co * p + si * q;
            N[t * CASE_ROWS + row] = co * q - si * p;
        }
    }
}

#endif
