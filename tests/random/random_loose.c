/*
 * random_loose.c: random scenes of bodies that nothing joins, see random_scene.h.
 */
#include "random_scene.h"

static void any_direction(random_maker *maker, double length, double vector[3]) {
    random_direction(&maker->bits, 3, vector);
    for (int k = 0; k < 3; k++)
        vector[k] *= length;
}

/* Speeds that fit the size, and now and then some that do not: up to half a length in a step. */
static double any_speed(random_maker *maker) {
    if (random_chance(&maker->bits, 30))
        return 0;
    if (random_chance(&maker->bits, 85))
        return maker->speed * random_scale(&maker->bits, 0.1, 10);
    return fmin(1000, 0.5 * maker->length / maker->step * random_scale(&maker->bits, 0.01, 1));
}

/* Four walls and a floor, inner edge 2 half. */
static void put_box(random_maker *maker, double half, const char *material) {
    double thick = 0.2 * half;
    random_shape slab[3] = {random_shape_of(SHAPE_BOX, 2 * half + 2 * thick, 2 * half + 2 * thick, thick),
                            random_shape_of(SHAPE_BOX, thick, 2 * half, 2 * half),
                            random_shape_of(SHAPE_BOX, 2 * half + 2 * thick, thick, 2 * half)};
    for (int i = 0; i < 5; i++) {
        double side = i % 2 == 1 ? 1 : -1, way = half + 0.5 * thick;
        random_state state = i == 0  ? random_at(0, 0, -0.5 * thick)
                             : i < 3 ? random_at(side * way, 0, half)
                                     : random_at(0, side * way, half);
        state.kind = "fixed";
        state.material = material;
        random_body(maker, &slab[(i + 1) / 2], &state);
    }
}

/* Bodies on a grid above the floor. spacing in diameters: below 1 they may overlap. */
static void put_grid(random_maker *maker, int count, double spacing, double ratio) {
    random_bits *bits = &maker->bits;
    double size = maker->length, speed = any_speed(maker), spin = any_speed(maker) / size;
    int edge = count <= 4 ? 1 : count <= 16 ? 2 : 3;
    for (int i = 0; i < count; i++) {
        random_shape shape = random_shape_any(maker, size * random_between(bits, 0.3, 1));
        double pitch = spacing * size * 1.75;
        random_state state = random_at(pitch * (i % edge - 0.5 * (edge - 1)) + 0.02 * size * random_unit(bits),
                                       pitch * (i / edge % edge - 0.5 * (edge - 1)), pitch * (i / (edge * edge) + 0.5));
        random_turn(maker, state.rotation);
        any_direction(maker, speed * random_unit(bits), state.velocity);
        any_direction(maker, spin * random_unit(bits), state.spin);
        state.density = random_scale(bits, 1000 / sqrt(ratio), 1000 * sqrt(ratio));
        state.material = random_chance(bits, 30) ? "other" : NULL;
        random_body(maker, &shape, &state);
    }
}

static void make_heap(random_maker *maker, double spacing) {
    random_bits *bits = &maker->bits;
    int count = 2 + random_below(bits, random_chance(bits, 70) ? 10 : 30);
    if (random_chance(bits, 60))
        random_floor(maker, random_chance(bits, 30) ? "other" : NULL);
    else
        put_box(maker, 1.8 * maker->length * (count > 16 ? 2 : 1.2), NULL);
    put_grid(maker, count, spacing, random_chance(bits, 70) ? 1 : random_scale(bits, 1, 1e6));
}

static void make_rows(random_maker *maker) {
    static const double gaps[3] = {0, 1e-4, 1e-2};
    random_bits *bits = &maker->bits;
    int count = 3 + random_below(bits, random_chance(bits, 70) ? 8 : 28);
    double size = maker->length, gap = gaps[random_below(bits, 3)], speed = random_scale(bits, 1, 1000);
    int kind = random_below(bits, 3);
    bool wall = random_chance(bits, 50), floor = random_chance(bits, 60);
    if (floor)
        random_floor(maker, NULL);
    random_shape shape = kind == 0   ? random_shape_of(SHAPE_SPHERE, 0.5 * size, 0, 0)
                         : kind == 1 ? random_shape_of(SHAPE_BOX, size, size, size)
                                     : random_shape_of(SHAPE_CYLINDER, 0.5 * size, size, 0);
    for (int i = 0; i < count; i++) {
        random_state state = random_at(i * (size + gap), 0, 0.5 * size);
        state.density = random_chance(bits, 90) ? 1000 : random_scale(bits, 10, 1e5);
        random_body(maker, &shape, &state);
    }
    double aside = 0.1 * size * random_unit(bits);
    random_state hitter = random_at(-(size + gap) - random_unit(bits) * size, aside, 0.5 * size);
    hitter.velocity[0] = speed;
    hitter.density = random_scale(bits, 100, 1e5);
    random_body(maker, &shape, &hitter);
    if (wall) {
        random_shape slab = random_shape_of(SHAPE_BOX, random_chance(bits, 50) ? 0.01 * size : size, 4 * size,
                                            4 * size);
        random_state state = random_at((count - 0.5) * (size + gap) + 0.5 * slab.size[0], 0, 0.5 * size);
        state.kind = "fixed";
        random_body(maker, &slab, &state);
    }
}

/* A tower of boxes and cylinders whose faces touch; densities rise or fall along it. */
static void make_tower(random_maker *maker) {
    random_bits *bits = &maker->bits;
    int count = 2 + random_below(bits, 9), order = random_below(bits, 3);
    double ratio = random_scale(bits, 1, 1e6), high = 0;
    random_floor(maker, NULL);
    for (int i = 0; i < count; i++) {
        double edge = maker->length * random_between(bits, 0.5, 1), tall = maker->length * random_between(bits, 0.1, 1);
        random_shape shape = random_chance(bits, 60) ? random_shape_of(SHAPE_BOX, edge, edge, tall)
                                                     : random_shape_of(SHAPE_CYLINDER, 0.5 * edge, tall, 0);
        double along = order == 0 ? (double)i / (count - 1) : order == 1 ? 1 - (double)i / (count - 1) : i % 2;
        random_state state = random_at(0.02 * edge * random_unit(bits), 0, high + 0.5 * tall);
        state.density = 100;
        for (int k = 0; k < 20; k++) /* 100 ratio^along, to a twentieth */
            state.density *= k < 20 * along ? sqrt(sqrt(sqrt(sqrt(ratio)))) : 1;
        state.density = fmin(state.density, 100 * ratio);
        random_body(maker, &shape, &state);
        high += tall;
    }
    if (random_chance(bits, 50)) {
        random_shape shape = random_shape_any(maker, 0.5 * maker->length);
        random_state state = random_at(-3 * maker->length, 0, high * random_unit(bits) + shape.radius);
        state.velocity[0] = maker->speed * random_scale(bits, 0.5, 20);
        state.density = 100 * random_scale(bits, 1, ratio);
        random_body(maker, &shape, &state);
    }
}

static void make_thin(random_maker *maker) {
    random_bits *bits = &maker->bits;
    double size = maker->length, thin = size * random_scale(bits, 1e-3, 0.05);
    int plates = 1 + random_below(bits, 2), count = 1 + random_below(bits, 5);
    for (int i = 0; i < plates; i++) {
        random_shape plate = random_chance(bits, 70) ? random_shape_of(SHAPE_BOX, 6 * size, 6 * size, thin)
                                                     : random_shape_of(SHAPE_CYLINDER, 3 * size, thin, 0);
        random_state state = random_at(0, 0, -1.5 * i * size);
        state.kind = i == 0 || random_chance(bits, 60) ? "fixed" : NULL;
        random_body(maker, &plate, &state);
    }
    for (int i = 0; i < count; i++) {
        bool blade = random_chance(bits, 50);
        double wide = blade ? size * random_between(bits, 0.05, 1) : 0;
        random_shape shape = blade ? random_shape_of(SHAPE_BOX, size * random_between(bits, 0.3, 1), wide, thin)
                                   : random_shape_any(maker, 0.8 * size);
        random_state state = random_at(0.5 * size * random_between(bits, -1, 1), 0, size * (1 + 1.2 * i));
        random_turn(maker, state.rotation);
        state.velocity[2] = -random_scale(bits, 1, 1000);
        state.velocity[0] = random_chance(bits, 50) ? 0.3 * state.velocity[2] * random_between(bits, -1, 1) : 0;
        if (random_chance(bits, 60))
            any_direction(maker, random_scale(bits, 1, 1e4), state.spin);
        random_body(maker, &shape, &state);
    }
}

static void make_spin(random_maker *maker) {
    random_bits *bits = &maker->bits;
    int count = 1 + random_below(bits, 4);
    if (random_chance(bits, 60))
        random_floor(maker, NULL);
    for (int i = 0; i < count; i++) {
        random_shape shape = random_shape_any(maker, maker->length);
        random_state state = random_at(2.5 * i * maker->length, 0, shape.radius * random_between(bits, 1, 1.5));
        if (random_chance(bits, 60))
            random_turn(maker, state.rotation);
        any_direction(maker, random_scale(bits, 1, 1e4), state.spin);
        if (random_chance(bits, 60)) /* what a step can follow */
            for (int k = 0; k < 3; k++)
                state.spin[k] *= fmin(1, 0.3 / maker->step /
                                             (fabs(state.spin[0]) + fabs(state.spin[1]) + fabs(state.spin[2])));
        any_direction(maker, any_speed(maker), state.velocity);
        random_body(maker, &shape, &state);
    }
}

static void make_meet(random_maker *maker) {
    random_bits *bits = &maker->bits;
    int count = 2 + random_below(bits, 5);
    double speed = maker->speed * random_scale(bits, 0.5, 100);
    for (int i = 0; i < count; i++) {
        random_shape shape = random_shape_any(maker, maker->length);
        double away[3];
        any_direction(maker, maker->length * (1 + 1.8 * i), away);
        random_state state = random_at(away[0], away[1], away[2] + 10 * maker->length);
        random_turn(maker, state.rotation);
        for (int k = 0; k < 3; k++)
            state.velocity[k] = -speed * away[k] / (maker->length * (1 + 1.8 * i));
        if (random_chance(bits, 60))
            any_direction(maker, speed / maker->length * random_unit(bits), state.spin);
        state.density = random_scale(bits, 100, 1e4);
        random_body(maker, &shape, &state);
    }
}

void random_make_loose(random_maker *maker) {
    switch (maker->scene->kind) {
    case RANDOM_ROWS:
        make_rows(maker);
        break;
    case RANDOM_RATIO:
        if (random_chance(&maker->bits, 70)) {
            make_tower(maker);
        } else {
            random_floor(maker, NULL);
            double ratio = random_scale(&maker->bits, 10, 1e6);
            put_grid(maker, 3 + random_below(&maker->bits, 10), 1, ratio);
        }
        break;
    case RANDOM_THIN:
        make_thin(maker);
        break;
    case RANDOM_SPIN:
        make_spin(maker);
        break;
    case RANDOM_MEET:
        make_meet(maker);
        break;
    case RANDOM_OVERLAP:
        make_heap(maker, random_between(&maker->bits, 0.25, 0.7));
        break;
    default:
        make_heap(maker, 1);
    }
}
