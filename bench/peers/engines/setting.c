/*
 * setting.c: the scenes of the race, each written once.
 *
 *     stack      a cube of 10 000 kg on one of 10 kg, both of 1 m, on the floor; h = .01, 5 s
 *     tower      the same on ten cubes of 10 kg
 *     wall       four walls of 10 rows of 15 bricks, 3.96 m long, 2 m high, 4 m deep, 100 kg/m^3, exactly in touch; h = .02, 2 s
 *     granular   balls r = .05 m, 2000 kg/m^3, from a lattice of .11 m with 4 mm jitter into a box; h = .005, 2 s
 *     incline    a cube of .2 m, 1 kg on a slope of 30 degrees; h = .01, 3 s
 *     arch       25 stones, mean radius 5 m, 1 m thick and deep, 2500 kg/m^3, mu = .7; h = .01, 10 s
 *     chain      19 rods of .5 m, 1 kg, and a block of 1000 kg, ball joints, released level; h = .01, 5 s
 */
#include "setting.h"

#include <cairn/collide.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static cairn_pose at(double x, double y, double z) {
    return (cairn_pose){cairn_vec3_of(x, y, z), cairn_quat_identity()};
}

static setting_body *add(setting *s, setting_shape shape, double mass, cairn_pose pose) {
    setting_body *b = &s->body[s->bodies++];
    *b = (setting_body){.shape = shape, .mass = mass, .pose = pose};
    return b;
}

static setting_body *add_box(setting *s, cairn_vec3 size, double mass, cairn_pose pose) {
    setting_body *b = add(s, SETTING_BOX, mass, pose);
    b->half = cairn_vec3_scale(0.5, size);
    b->inertia = cairn_vec3_of(mass * (size.y * size.y + size.z * size.z) / 12.0,
                               mass * (size.x * size.x + size.z * size.z) / 12.0,
                               mass * (size.x * size.x + size.y * size.y) / 12.0);
    return b;
}

static void make_stack(setting *s, int light, double overlap) {
    add(s, SETTING_PLANE, 0.0, at(0, 0, 0));
    for (int i = 0; i <= light; i++)
        add_box(s, cairn_vec3_of(1, 1, 1), i < light ? 10.0 : 1e4, at(0, 0, i + 0.5 - (i + 1) * overlap));
    s->steps = 500;
    s->mu = 0.5;
    s->reach = 20.0;
    s->watched = light + 1;
}

/* Odd rows are shifted by 1.9 m: at 2.0 the end brick of the top row has its centre outside its support. */
static void make_wall(setting *s) {
    cairn_vec3 size = cairn_vec3_of(3.96, 4, 2);
    add(s, SETTING_PLANE, 0.0, at(0, 0, 0));
    for (int row = 0; row < 10; row++)
        for (int wall = 0; wall < 4; wall++)
            for (int i = 0; i < 15; i++)
                add_box(s, size, 100.0 * size.x * size.y * size.z,
                        at(4.0 * i + 1.9 * (row % 2), 9.0 * wall, 1.0 + 2.0 * row));
    s->step = 0.02;
    s->steps = 100;
    s->mu = 0.4;
    s->reach = 200.0;
}

/* A number in [-1/2, 1/2) from three counters: a mixer of integers, the same everywhere. */
static double jitter(int i, int j, int k) {
    uint64_t x = (uint64_t)(i + 1) * 0x9E3779B97F4A7C15u + (uint64_t)(j + 1) * 0xC2B2AE3D27D4EB4Fu + (uint64_t)k;
    for (int t = 0; t < 3; t++) {
        x ^= x >> 31;
        x *= 0xD6E8FEB86659FD93u;
    }
    x ^= x >> 32;
    return (double)(x >> 11) / 9007199254740992.0 - 0.5;
}

static void make_granular(setting *s, int count) {
    double side = cbrt(count / 1000.0), lattice = 0.11, r = 0.05, mass = 2000.0 * 4.0 / 3.0 * pi * r * r * r;
    int across = (int)floor(side / lattice);
    add(s, SETTING_PLANE, 0.0, at(0, 0, 0));
    for (int i = 0; i < 4; i++) {
        cairn_vec3 out = cairn_vec3_of(i == 0 ? 1 : i == 2 ? -1 : 0, i == 1 ? 1 : i == 3 ? -1 : 0, 0);
        cairn_quat q = cairn_quat_turn(cairn_vec3_of(-out.y, out.x, 0), -0.5 * pi); /* z to -out */
        add(s, SETTING_PLANE, 0.0, (cairn_pose){cairn_vec3_scale(0.5 * side, out), q});
    }
    for (int n = 0; n < count; n++) {
        int i = n % across, j = n / across % across, k = n / across / across;
        double place[3] = {lattice * (i - 0.5 * (across - 1)), lattice * (j - 0.5 * (across - 1)), 0.06 + lattice * k};
        for (int c = 0; c < 3; c++)
            place[c] += 0.008 * jitter(n, c, 1);
        setting_body *b = add(s, SETTING_SPHERE, mass, at(place[0], place[1], place[2]));
        b->half.x = r;
        b->inertia = cairn_vec3_of(0.4 * mass * r * r, 0.4 * mass * r * r, 0.4 * mass * r * r);
    }
    s->step = 0.005;
    s->steps = 400;
    s->mu = 0.5;
    s->reach = 10.0;
}

static void make_incline(setting *s, double mu) {
    cairn_quat slope = cairn_quat_turn(cairn_vec3_of(0, 1, 0), pi / 6.0);
    add(s, SETTING_PLANE, 0.0, (cairn_pose){cairn_vec3_of(0, 0, 0), slope});
    cairn_vec3 centre = cairn_quat_rotate(slope, cairn_vec3_of(0, 0, 0.1));
    add_box(s, cairn_vec3_of(0.2, 0.2, 0.2), 1.0, (cairn_pose){centre, slope});
    s->steps = 300;
    s->mu = mu;
    s->reach = 10.0;
    s->watched = 1;
}

/* One stone about the x axis, seen from the arch's centre; then its mass, and the points about its centre of mass. */
static bool make_stone(setting *s, double part, cairn_mass *mass) {
    double inner = 4.5, outer = 5.5, c = cos(0.5 * part), d = sin(0.5 * part);
    for (int i = 0; i < HULL_POINTS; i++) {
        double r = i < 4 ? inner : outer;
        s->hull[i] = cairn_vec3_of(r * c, i % 2 == 0 ? -0.5 : 0.5, i / 2 % 2 == 0 ? r * d : -r * d);
    }
    cairn_context_def def = cairn_default_context_def();
    cairn_context *context;
    cairn_shape *shape;
    if (cairn_context_create(&def, &context) != CAIRN_OK)
        return false;
    bool good = cairn_shape_hull(context, HULL_POINTS, s->hull, &shape) == CAIRN_OK;
    if (good) {
        good = cairn_shape_mass(shape, 2500.0, mass) == CAIRN_OK;
        cairn_shape_release(shape);
    }
    cairn_context_destroy(context);
    for (int i = 0; i < HULL_POINTS; i++)
        s->hull[i] = cairn_vec3_sub(s->hull[i], mass->center);
    return good;
}

static bool make_arch(setting *s) {
    enum { STONES = 25 };
    cairn_mass mass;
    double part = pi / STONES;
    if (!make_stone(s, part, &mass))
        return false;
    add(s, SETTING_PLANE, 0.0, at(0, 0, 0));
    for (int i = 0; i < STONES; i++) {
        cairn_quat q = cairn_quat_turn(cairn_vec3_of(0, 1, 0), -(i + 0.5) * part);
        setting_body *b = add(s, SETTING_HULL, mass.mass, (cairn_pose){cairn_quat_rotate(q, mass.center), q});
        b->inertia = cairn_vec3_of(mass.inertia.m[0][0], mass.inertia.m[1][1], mass.inertia.m[2][2]);
    }
    s->hulls = true;
    s->steps = 1000;
    s->mu = 0.7;
    s->reach = 40.0;
    s->watched = 1 + STONES / 2;
    return true;
}

static void make_chain(setting *s) {
    enum { RODS = 19 };
    double length = 0.5, block = 0.5;
    for (int i = 0; i < RODS; i++) {
        setting_body *b = add(s, SETTING_NONE, 1.0, at(length * (i + 0.5), 0, 0));
        b->inertia = cairn_vec3_of(0.001, length * length / 12.0, length * length / 12.0);
    }
    add_box(s, cairn_vec3_of(block, block, block), 1000.0, at(length * RODS + 0.3, 0, 0))->shape = SETTING_NONE;
    for (int i = 0; i <= RODS; i++)
        s->joint[s->joints++] = (setting_joint){i - 1, i, cairn_vec3_of(length * i, 0, 0)};
    s->steps = 500;
    s->reach = 20.0;
    s->watched = RODS;
}

bool setting_make(setting *s, const char *name, double number, double step) {
    int most = strcmp(name, "granular") == 0 ? (int)number + 8 : 608;
    *s = (setting){.name = name, .step = 0.01};
    s->body = calloc((size_t)most, sizeof *s->body);
    s->joint = calloc(32, sizeof *s->joint);
    bool good = s->body != NULL && s->joint != NULL;
    if (good && strcmp(name, "stack") == 0)
        make_stack(s, 1, number);
    else if (good && strcmp(name, "tower") == 0)
        make_stack(s, 10, number);
    else if (good && strcmp(name, "wall") == 0)
        make_wall(s);
    else if (good && strcmp(name, "granular") == 0)
        make_granular(s, (int)number);
    else if (good && strcmp(name, "incline") == 0)
        make_incline(s, number);
    else if (good && strcmp(name, "arch") == 0)
        good = make_arch(s);
    else if (good && strcmp(name, "chain") == 0)
        make_chain(s);
    else
        good = false;
    if (good && step > 0.0) {
        s->steps = (int)lround(s->steps * s->step / step);
        s->step = step;
    }
    if (!good)
        setting_free(s);
    return good;
}

void setting_free(setting *s) {
    free(s->body);
    free(s->joint);
    *s = (setting){0};
}
