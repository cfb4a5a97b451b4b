/*
 * spin.c: free flexible parts that turn for a second in worlds: boxes, balls and rods of beams, all elements and laws, E from 1e4 to 2e11 Pa, steps of 1 and 10 ms, 5 to 100 rad/s, steady and
 * tumbling. A table in Markdown: by step and spin the worst change of angular momentum and gain of energy, over what is allowed: 1e-6 where a step turns by less than 0.25 rad and 1e-2 beyond;
 * energy 1 + (h w)^2/2 of the start; then the cases beyond. Cases whose spin alone would strain them by more than a tenth are left out: rubber that flies apart. spin [cases [pace]]: no more of them; one of the six paces alone.
 */
#include "fem/part/part_data.h"
#include "world/flexible/flexible.h"

#include <cairn/cairn.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BOX_TET4, BOX_TET10, BOX_HEX8, BALL, ROD, BODIES };
static const char *const body_name[] = {"box of tet4", "box of tet10", "box of hex8", "ball of tet4", "rod of beam2"};
static const char *const law_name[] = {"corotational", "linear", "svk", "neo_hookean"};
#define TEARS 0.1 /* strain by the spin alone from which on a case is left out */

static void need(cairn_context *context, cairn_status status) {
    if (status != CAIRN_OK) {
        fprintf(stderr, "%s\n", cairn_error_message(context));
        exit(1);
    }
}

static cairn_fem_mesh *mesh_of(cairn_context *c, int body) {
    static const cairn_element_kind kind[] = {CAIRN_ELEMENT_TET4, CAIRN_ELEMENT_TET10, CAIRN_ELEMENT_HEX8};
    cairn_fem_mesh *mesh = NULL;
    cairn_vec3 point[7];
    for (int i = 0; i < 7; i++)
        point[i] = cairn_vec3_of(0.1 * i - 0.3, 0, 0);
    if (body == ROD)
        need(c, cairn_fem_mesh_line(c, 7, point, &mesh));
    else if (body == BALL)
        need(c, cairn_fem_mesh_sphere(c, CAIRN_ELEMENT_TET4, 0.3, 2, &mesh));
    else
        need(c, cairn_fem_mesh_box(c, kind[body], cairn_vec3_of(0.6, 0.4, 0.3), (const int[]){2, 1, 1}, &mesh));
    return mesh;
}

static cairn_vec3 momentum(const cairn_fem_part *p, double *Mv) {
    cairn_vec3 L = {0, 0, 0}, c = cairn_fem_part_center(p);
    cairn_fem_part_mass_times(p, cairn_fem_work_of(p)->mass, p->v, Mv);
    for (int i = 0; i < p->vectors; i++) {
        cairn_vec3 x = {p->x[3 * i], p->x[3 * i + 1], p->x[3 * i + 2]};
        x = p->lumped[i] > 0.0 ? cairn_vec3_sub(x, c) : x;
        L = cairn_vec3_add(L, cairn_vec3_cross(x, cairn_vec3_of(Mv[3 * i], Mv[3 * i + 1], Mv[3 * i + 2])));
    }
    return L;
}

typedef struct spin {
    double momentum, energy; /* largest change; largest sum of kinetic and elastic energy; relative */
    int uncertified;
} spin;

static spin turn(int body, cairn_fem_law law, double E, double h, cairn_vec3 w, double seconds) {
    cairn_context *c = NULL;
    cairn_world *world = NULL;
    cairn_world_def def = cairn_default_world_def();
    cairn_flexible_def part = cairn_default_flexible_def();
    cairn_fem_material m = cairn_default_fem_material();
    cairn_body id;
    spin found = {0};
    need(NULL, cairn_context_create(NULL, &c));
    def.step = h;
    def.gravity = cairn_vec3_of(0, 0, 0);
    need(c, cairn_world_create(c, &def, &world));
    m.law = law;
    m.E = E;
    m.density = E > 1e10 ? 7800.0 : 1000.0;
    m.radius = 0.02;
    part.mesh = mesh_of(c, body);
    part.elastics = 1;
    part.elastic = &m;
    need(c, cairn_world_add_flexible(world, &part, &id));
    need(c, cairn_world_set_velocity(world, id, cairn_vec3_of(0, 0, 0), w));
    const cairn_fem_part *p = cairn_flex_of(world, (int)id.slot)->part;
    double *room = calloc(3 * (size_t)p->vectors, sizeof *room), first = cairn_fem_part_kinetic(p);
    cairn_vec3 L = momentum(p, room);
    for (int i = 0; (i + 0.5) * h < seconds; i++) {
        cairn_step_report r;
        need(c, cairn_world_step(world, &r));
        cairn_vec3 lost = cairn_vec3_sub(momentum(p, room), L);
        found.momentum = fmax(found.momentum, cairn_vec3_length(lost) / cairn_vec3_length(L));
        found.energy = fmax(found.energy, (r.energy.kinetic + r.energy.elastic) / first);
        found.uncertified += !r.certified;
    }
    free(room);
    cairn_fem_mesh_release(part.mesh);
    cairn_world_destroy(world);
    cairn_context_destroy(c);
    return found;
}

/* All bodies, laws and moduli at one pace; worst shares of what is allowed. beyond: gets the cases that exceed it. */
static void pace(double h, double w, double seconds, int *most, FILE *beyond) {
    static const double moduli[] = {1e4, 1e6, 1e8, 1e10, 2e11};
    double hw = h * w, allowed = hw < 0.25 ? 1e-6 : 1e-2, momentum_most = 0.0, energy_most = 0.0;
    int cases = 0, missed = 0;
    for (int body = 0; body < BODIES; body++)
        for (int law = 0; law < (body == ROD ? 1 : 4); law++)
            for (int k = 0; k < 10 && *most > 0; k++) {
                double E = moduli[k / 2], density = E > 1e10 ? 7800.0 : 1000.0, radius = body == ROD ? 0.3 : 0.39;
                cairn_vec3 axis = k % 2 ? cairn_vec3_of(0.3, 0.2, 0.93) : cairn_vec3_of(0, 0, 1);
                if (law == CAIRN_FEM_LINEAR || density * w * w * radius * radius > TEARS * E)
                    continue; /* the law linear sees turns as strains */
                spin s = turn(body, (cairn_fem_law)law, E, h, cairn_vec3_scale(w, axis), seconds);
                double energy = (s.energy - 1.0) / (0.5 * hw * hw);
                momentum_most = fmax(momentum_most, s.momentum);
                energy_most = fmax(energy_most, energy);
                cases++;
                (*most)--;
                if (s.momentum <= allowed && energy <= 1.0 && s.uncertified == 0)
                    continue;
                missed++;
                fprintf(beyond,
                        "%s, %s, E %g, h %g, %g rad/s%s: momentum %.2g, energy 1 + %.2g of 1 + %.2g, %d steps not "
                        "certified\n",
                        body_name[body], law_name[law], E, h, w, k % 2 ? ", tumbling" : "", s.momentum, s.energy - 1.0,
                        0.5 * hw * hw, s.uncertified);
            }
    printf("| %g | %g | %.2g | %d | %.1e | %.0e | %.2f | %d |\n", h, w, hw, cases, momentum_most, allowed, energy_most,
           missed);
    fflush(stdout);
}

int main(int count, char **argument) {
    static const double spins[] = {5.0, 20.0, 100.0};
    int most = count > 1 ? atoi(argument[1]) : 100000, only = count > 2 ? atoi(argument[2]) : -1, c;
    FILE *beyond = tmpfile();
    if (beyond == NULL)
        return 1;
    printf("== spin: free parts that turn for a second\n\n| h, s | rad/s | rad a step | cases | change of angular "
           "momentum "
           "| allowed | gain of energy over (h w)²/2 | cases beyond |\n|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < 6; i++)
        if (only < 0 || only == i)
            pace(i < 3 ? 0.01 : 0.001, spins[i % 3], 1.0, &most, beyond);
    rewind(beyond);
    putchar('\n');
    while ((c = getc(beyond)) != EOF)
        putchar(c);
    fclose(beyond);
    return 0;
}
