/*
 * sample_stack.c: a column of spheres with one heavy sphere in it, at rest or lifted
 * [T21 TEST 1.A, TEST 1.B].
 *
 * From below: a sphere of mass base on the floor, then count spheres of which number place is the
 * heavy one. All have one radius and touch. Symbols: m_i masses from below (0 is the base), M_i =
 * sum of m_j over j >= i, p the heavy sphere, P = pull * m_p g the force that lifts it (0 in TEST
 * 1.A), h step, V the speed of sphere p and all above it.
 *
 * The answer is known: contact i is under sphere i, tangential parts are zero, and
 *     gamma_i = h (M_i g - P)      i <= p, P <= M_p g       everything rests, u = 0
 *     gamma_i = h (M_i - M_p) g    i < p,  P > M_p g        the lower part rests,
 *     V = h (P - M_p g) / M_p,  gamma_p = 0,  u_p = V       contact p opens,
 *     gamma_i = M_i (h g + V)      i > p                    and the upper part rises as one; V = 0 when nothing opens.
 */
#include "samples/sample.h"

cairn_status cairn_sample_stack(cairn_sample_scene *scene) {
    const cairn_sample_def *def = scene->def;
    if (def->place > def->count)
        return cairn_fail(scene->context, CAIRN_ERROR_ARGUMENT, "sample %s: place is %d, expected 1 to spheres = %d",
                          def->name, def->place, def->count);
    int spheres = def->count + 1;
    cairn_status status = cairn_sample_begin(scene, spheres, spheres, true);
    if (status != CAIRN_OK)
        return status;
    const double up[3] = {0.0, 0.0, 1.0};
    for (int i = 0; i < spheres; i++) {
        double mass = i == 0 ? def->base : i == def->place ? def->heavy : def->mass;
        double place[3] = {0.0, 0.0, (2 * i + 1) * def->size}, touch[3] = {0.0, 0.0, 2 * i * def->size};
        cairn_sample_sphere(scene, place, mass, def->size);
        cairn_sample_contact(scene, i - 1, i, touch, up, 0.0);
    }
    double force = def->pull * def->heavy * def->gravity;
    scene->body[def->place].force[2] = force;

    double lifted = 0.0; /* M_p */
    for (int i = def->place; i < spheres; i++)
        lifted += scene->body[i].mass;
    bool opens = force > lifted * def->gravity;
    double rise = opens ? def->step * (force - lifted * def->gravity) / lifted : 0.0;
    double above = 0.0; /* M_i */
    for (int i = spheres - 1; i >= 0; i--) {
        above += scene->body[i].mass;
        if (i > def->place)
            scene->gamma[3 * i] = above * (def->step * def->gravity + rise);
        else if (opens)
            scene->gamma[3 * i] = i == def->place ? 0.0 : def->step * (above - lifted) * def->gravity;
        else
            scene->gamma[3 * i] = def->step * (above * def->gravity - force);
    }
    scene->u[3 * def->place] = rise;
    return CAIRN_OK;
}
