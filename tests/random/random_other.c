/*
 * random_other.c: random scenes of triangle meshes and of flexible parts, see random_scene.h.
 */
#include "random_scene.h"

static void put_mesh(random_maker *maker) {
    random_bits *bits = &maker->bits;
    random_text *text = &maker->scene->text;
    double size = maker->length;
    int item = random_begin(maker, 0);
    bool sheet = random_chance(bits, 60), moving = random_chance(bits, 15);
    random_put(text, "{\"name\": \"b%d\", \"kind\": \"%s\", \"shape\": ", item, moving ? "kinematic" : "fixed");
    if (sheet) {
        int cells = 1 + random_below(bits, 8);
        random_sheet_print(maker, cells, 8 * size / cells, random_chance(bits, 40) ? 0 : 0.3 * size, text);
    } else {
        double half[3] = {4 * size, 4 * size, size * random_scale(bits, 1e-3, 1)};
        random_closed_print(half, text);
    }
    if (moving) {
        random_put(text, ", \"velocity\": [0, 0, %.9g]", maker->speed * random_between(bits, -0.5, 0.5));
        maker->scene->active = true;
    }
    random_put(text, "}");
    random_end(maker);
}

static void make_mesh(random_maker *maker) {
    random_bits *bits = &maker->bits;
    int count = 1 + random_below(bits, 8);
    double size = maker->length, fall = maker->speed * random_scale(bits, 0.1, 30);
    put_mesh(maker);
    for (int i = 0; i < count; i++) {
        random_shape shape = random_shape_any(maker, size);
        random_state state = random_at(1.8 * size * (i % 2 - 0.5), 1.8 * size * (i / 2 % 2 - 0.5),
                                       size * (2.3 + 1.8 * (i / 4)));
        random_turn(maker, state.rotation);
        state.velocity[0] = 0.5 * fall * random_between(bits, -1, 1);
        state.velocity[2] = -fall;
        if (random_chance(bits, 40))
            for (int k = 0; k < 3; k++)
                state.spin[k] = random_between(bits, -1, 1) * random_scale(bits, 0.1, 100);
        random_body(maker, &shape, &state);
    }
}

static void put_part_mesh(random_maker *maker, int form) {
    static const char *const element[] = {"tet4", "tet10", "hex8"};
    random_bits *bits = &maker->bits;
    random_text *text = &maker->scene->text;
    double size = maker->length;
    if (form == 0) {
        int kind = random_below(bits, 3), cells[3];
        double edge[3];
        for (int k = 2; k >= 0; k--)
            cells[k] = 1 + random_below(bits, k == 0 ? 4 : 2);
        for (int k = 2; k >= 0; k--)
            edge[k] = size * random_between(bits, k == 0 ? 0.5 : 0.3, k == 0 ? 1.5 : 1);
        random_put(text, "{\"box\": {\"edge\": [%.9g, %.9g, %.9g], \"cells\": [%d, %d, %d], \"element\": \"%s\"}}",
                   edge[0], edge[1], edge[2], cells[0], cells[1], cells[2], element[kind]);
    } else if (form == 1)
        random_put(text, "{\"sphere\": {\"radius\": %.9g, \"cells\": 2, \"element\": \"tet4\"}}", 0.5 * size);
    else if (form == 2)
        random_put(
            text,
            "{\"cylinder\": {\"radius\": %.9g, \"height\": %.9g, \"cells\": 2, \"along\": 2, \"element\": \"tet4\"}}",
            0.4 * size, size);
    else
        random_put(text, "{\"line\": {\"points\": [[%.9g, 0, 0], [%.9g, 0, 0]], \"cells\": %d}}", -size, size,
                   2 + random_below(bits, 8));
}

static void put_part(random_maker *maker, double x, double z) {
    random_bits *bits = &maker->bits;
    random_text *text = &maker->scene->text;
    double size = maker->length, rotation[4];
    int item = random_begin(maker, 1), form = random_below(bits, 4);
    random_put(text, "{\"name\": \"b%d\", \"mesh\": ", item);
    put_part_mesh(maker, form);
    double density = random_scale(bits, 300, 8000), nu = random_between(bits, 0, 0.45);
    random_put(text, ", \"elastic\": {\"E\": %.9g, \"nu\": %.9g, \"density\": %.9g",
               1000 * 9.81 * size * random_scale(bits, 30, 1e7), nu, density);
    if (random_chance(bits, 50))
        random_put(text, ", \"damping\": %.9g", maker->step * random_scale(bits, 0.01, 1));
    if (form == 3)
        random_put(text, ", \"radius\": %.9g", size * random_scale(bits, 0.02, 0.1));
    random_put(text, "}, \"position\": [%.9g, 0, %.9g], ", x, z);
    random_turn(maker, rotation);
    random_put_numbers(text, "rotation", 4, rotation);
    if (random_chance(bits, 50))
        random_put(text, ", \"velocity\": [0, 0, %.9g]", -maker->speed * random_scale(bits, 0.1, 5));
    if (random_chance(bits, 30))
        random_put(text, ", \"hold\": [{\"box\": [[%.9g, %.9g, %.9g], [%.9g, %.9g, %.9g]]}]", -2 * size, -2 * size,
                   -2 * size, -0.2 * size, 2 * size, 2 * size);
    random_put(text, "}");
    random_end(maker);
}

static void make_flexible(random_maker *maker) {
    random_bits *bits = &maker->bits;
    int parts = 1 + random_below(bits, 2), count = random_below(bits, 4);
    double size = maker->length;
    random_floor(maker, NULL);
    for (int i = 0; i < parts; i++)
        put_part(maker, 3 * size * i, 1.6 * size);
    for (int i = 0; i < count; i++) {
        random_shape shape = random_shape_any(maker, 0.7 * size);
        random_state state = random_at(1.5 * size * i, 0, 4.2 * size);
        random_turn(maker, state.rotation);
        state.velocity[2] = -maker->speed * random_unit(bits);
        random_body(maker, &shape, &state);
    }
}

void random_make_other(random_maker *maker) {
    if (maker->scene->kind == RANDOM_MESH)
        make_mesh(maker);
    else
        make_flexible(maker);
}
