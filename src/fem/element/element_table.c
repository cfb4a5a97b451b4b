/*
 * element_table.c: the elements by number, and the rules of integration that they use.
 */
#include "fem/element/element.h"

#include <math.h>

static const cairn_fem_element *const table[] = {
    [CAIRN_ELEMENT_TET4] = &cairn_fem_tet4,
    [CAIRN_ELEMENT_TET10] = &cairn_fem_tet10,
    [CAIRN_ELEMENT_HEX8] = &cairn_fem_hex8,
    [CAIRN_ELEMENT_BEAM2] = &cairn_fem_beam2,
};

const cairn_fem_element *cairn_fem_element_of(cairn_element_kind kind) {
    return (size_t)kind < sizeof table / sizeof table[0] ? table[kind] : NULL;
}

static void put(cairn_fem_rule *rule, double r, double s, double t, double weight) {
    int p = rule->points++;
    rule->xi[p][0] = r;
    rule->xi[p][1] = s;
    rule->xi[p][2] = t;
    rule->weight[p] = weight;
}

void cairn_fem_rule_tet1(cairn_fem_rule *rule) {
    rule->points = 0;
    put(rule, 0.25, 0.25, 0.25, 1.0 / 6.0);
}

/* Exact to degree 2: barycentric (b, a, a, a) and its turns, a = (5 - sqrt 5)/20. */
void cairn_fem_rule_tet4(cairn_fem_rule *rule) {
    double a = (5.0 - sqrt(5.0)) / 20.0, b = 1.0 - 3.0 * a;
    rule->points = 0;
    put(rule, a, a, a, 1.0 / 24.0);
    put(rule, b, a, a, 1.0 / 24.0);
    put(rule, a, b, a, 1.0 / 24.0);
    put(rule, a, a, b, 1.0 / 24.0);
}

/* Points and weights of Gauss on [-1, 1], n = 2, 3, 4. */
static void gauss(int n, double *x, double *w) {
    if (n == 2) {
        x[1] = 1.0 / sqrt(3.0);
        w[1] = 1.0;
    } else if (n == 3) {
        x[1] = 0.0;
        w[1] = 8.0 / 9.0;
        x[2] = sqrt(0.6);
        w[2] = 5.0 / 9.0;
    } else {
        double root = 2.0 / 7.0 * sqrt(1.2);
        x[2] = sqrt(3.0 / 7.0 - root);
        x[3] = sqrt(3.0 / 7.0 + root);
        w[2] = (18.0 + sqrt(30.0)) / 36.0;
        w[3] = (18.0 - sqrt(30.0)) / 36.0;
    }
    for (int i = 0; i < n / 2; i++) {
        x[i] = -x[n - 1 - i];
        w[i] = w[n - 1 - i];
    }
}

/* The cube [0, 1]^3 collapsed onto the tetrahedron: r = u, s = v (1 - u), t = w (1 - u)(1 - v). */
void cairn_fem_rule_tet64(cairn_fem_rule *rule) {
    double x[4], w[4];
    gauss(4, x, w);
    rule->points = 0;
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int k = 0; k < 4; k++) {
                double u = 0.5 * (1.0 + x[i]), v = 0.5 * (1.0 + x[j]), z = 0.5 * (1.0 + x[k]);
                put(rule, u, v * (1.0 - u), z * (1.0 - u) * (1.0 - v),
                    0.125 * w[i] * w[j] * w[k] * (1.0 - u) * (1.0 - u) * (1.0 - v));
            }
}

static void brick(cairn_fem_rule *rule, int n) {
    double x[4], w[4];
    gauss(n, x, w);
    rule->points = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                put(rule, x[i], x[j], x[k], w[i] * w[j] * w[k]);
}

void cairn_fem_rule_hex8(cairn_fem_rule *rule) {
    brick(rule, 2);
}

void cairn_fem_rule_hex27(cairn_fem_rule *rule) {
    brick(rule, 3);
}
