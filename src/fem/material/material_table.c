/*
 * material_table.c: the laws by number, and the checks of a material.
 */
#include "fem/material/material.h"

#include <math.h>

#define MATERIAL_COOKIE 0x6665316du

static const cairn_fem_law_row table[] = {
    [CAIRN_FEM_COROTATIONAL] = {"corotational", cairn_fem_corotational, cairn_fem_corotational_principal,
                                cairn_fem_corotational_volume},
    [CAIRN_FEM_LINEAR] = {"linear", cairn_fem_linear, NULL, cairn_fem_linear_volume},
    [CAIRN_FEM_SVK] = {"svk", cairn_fem_svk, cairn_fem_svk_principal, cairn_fem_svk_volume},
    [CAIRN_FEM_NEO_HOOKEAN] = {"neo_hookean", cairn_fem_neo_hookean, cairn_fem_neo_hookean_principal,
                               cairn_fem_neo_hookean_volume},
};

const cairn_fem_law_row *cairn_fem_law_of(cairn_fem_law law) {
    return (size_t)law < sizeof table / sizeof table[0] ? &table[law] : NULL;
}

cairn_fem_material cairn_default_fem_material(void) {
    return (cairn_fem_material){.cookie = MATERIAL_COOKIE,
                                .law = CAIRN_FEM_COROTATIONAL,
                                .E = 1e6,
                                .nu = 0.3,
                                .density = 1000.0,
                                .radius = 0.01,
                                .project = true};
}

static bool positive(double x) {
    return x > 0.0 && isfinite(x);
}

static cairn_status refuse(cairn_context *context, int number, const char *what, double value, const char *wanted) {
    return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "elastic material %d: %s is %g; %s is needed", number, what, value,
                      wanted);
}

cairn_status cairn_fem_stuff_of(cairn_context *context, int number, const cairn_fem_material *m,
                                cairn_fem_stuff *stuff) {
    if (m->cookie != MATERIAL_COOKIE)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT,
                          "elastic material %d does not come from cairn_default_fem_material", number);
    const cairn_fem_law_row *law = cairn_fem_law_of(m->law);
    if (law == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "elastic material %d: there is no law %d", number,
                          (int)m->law);
    if (!positive(m->E))
        return refuse(context, number, "E", m->E, "a positive, finite modulus (Pa)");
    if (!(m->nu > -1.0 && m->nu < 0.5))
        return refuse(context, number, "nu", m->nu, "a number above -1 and below 0.5");
    if (!positive(m->density))
        return refuse(context, number, "density", m->density, "a positive, finite density (kg/m^3)");
    if (!(m->damping_mass >= 0.0) || !isfinite(m->damping_mass))
        return refuse(context, number, "damping_mass", m->damping_mass, "a finite number from 0 on (1/s)");
    if (!(m->damping_stiffness >= 0.0) || !isfinite(m->damping_stiffness))
        return refuse(context, number, "damping_stiffness", m->damping_stiffness, "a finite number from 0 on (s)");
    if (!positive(m->radius))
        return refuse(context, number, "radius", m->radius, "a positive, finite length (m)");
    if (!(m->yield >= 0.0) || !isfinite(m->yield))
        return refuse(context, number, "yield", m->yield, "a finite stress from 0 on (Pa; 0: it never flows)");
    if (!(m->hardening >= 0.0) || !isfinite(m->hardening) || (m->hardening > 0.0 && !(m->yield > 0.0)))
        return refuse(context, number, "hardening", m->hardening, "a finite modulus from 0 on (Pa), 0 without yield");
    *stuff = (cairn_fem_stuff){.law = law,
                               .lambda = m->E * m->nu / ((1.0 + m->nu) * (1.0 - 2.0 * m->nu)),
                               .mu = 0.5 * m->E / (1.0 + m->nu),
                               .E = m->E,
                               .density = m->density,
                               .radius = m->radius,
                               .damping_mass = m->damping_mass,
                               .damping_stiffness = m->damping_stiffness,
                               .consistent = m->consistent,
                               .project = m->project};
    stuff->local = fmin(stuff->lambda, CAIRN_FEM_LOCAL * stuff->mu);
    return CAIRN_OK;
}
