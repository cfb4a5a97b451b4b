/*
 * random_tied.c: random scenes of joints and drives, see random_scene.h.
 */
#include "random_scene.h"

static const char *const joint_kind[] = {"revolute",  "spherical", "fixed",         "prismatic",      "cylindrical",
                                         "universal", "distance",  "point_on_line", "point_on_plane", "free"};

/* Which coordinate a joint of this kind has; NULL: none that a drive may use here. */
static const char *coordinate_of(const char *kind) {
    if (strcmp(kind, "revolute") == 0)
        return "turn";
    if (strcmp(kind, "prismatic") == 0)
        return "slide";
    if (strcmp(kind, "cylindrical") == 0)
        return "slide";
    return strcmp(kind, "free") == 0 ? "distance" : NULL;
}

/* Limits, spring, damping, friction, motor, motion: sized by the weight of a body of this length, and its turning moment. */
static void put_drive(random_maker *maker, const char *coordinate, double rest, bool driven) {
    random_bits *bits = &maker->bits;
    random_text *text = &maker->scene->text;
    double length = maker->length, weight = 1000 * length * length * length * 9.81;
    bool turn = strcmp(coordinate, "turn") == 0, distance = strcmp(coordinate, "distance") == 0;
    double unit = turn ? 1 : length, force = turn ? weight * length : weight;
    random_put(text, ", \"coordinate\": \"%s\"", coordinate);
    if (!distance && random_chance(bits, 40)) {
        double high = unit * random_between(bits, 0, 1);
        random_put(text, ", \"limits\": [%.9g, %.9g]", -unit * random_between(bits, 0, 1), high);
    }
    if (random_chance(bits, 30) || distance) {
        double damping = random_chance(bits, 50) ? 0 : force / unit * maker->step * random_scale(bits, 0.1, 100);
        random_put(text, ", \"spring\": {\"stiffness\": %.9g, \"damping\": %.9g",
                   force / unit * random_scale(bits, 0.1, 100), damping);
        random_put(text, ", \"rest\": %.9g}", rest);
        maker->scene->stores = true;
    }
    if (random_chance(bits, 30))
        random_put(text, ", \"friction\": %.9g", force * random_scale(bits, 0.01, 1));
    if (driven && random_chance(bits, 60)) {
        double limit = force * random_scale(bits, 0.1, 100);
        random_put(text, ", \"motor\": {\"speed\": %.9g, \"limit\": %.9g}", unit * random_between(bits, -5, 5), limit);
        maker->scene->active = true;
    } else if (driven && !distance) {
        double rate = random_scale(bits, 0.1, 20);
        random_put(text, ", \"motion\": \"=%.9g*sin(%.9g*t)\"", unit * random_between(bits, -0.5, 0.5), rate);
        maker->scene->active = true;
    }
}

static void put_joint_head(random_maker *maker, int a, int b) {
    random_text *text = &maker->scene->text;
    int item = random_begin(maker, 2);
    maker->scene->item[item].needs[0] = a;
    maker->scene->item[item].needs[1] = b;
    random_put(text, "{\"name\": \"j%d\", ", item);
    if (a >= 0)
        random_put(text, "\"a\": \"b%d\", ", a);
    if (b >= 0)
        random_put(text, "\"b\": \"b%d\", ", b);
}

void random_joint(random_maker *maker, int a, int b, const double place[3], const char *kind, bool driven) {
    random_bits *bits = &maker->bits;
    random_text *text = &maker->scene->text;
    bool apart = strcmp(kind, "distance") == 0 || strcmp(kind, "free") == 0;
    const char *coordinate = coordinate_of(kind);
    double gap = maker->length * random_between(bits, 0.2, 1);
    put_joint_head(maker, a, b);
    random_put(text, "\"kind\": \"%s\", ", kind);
    random_put_numbers(text, "position", 3, place);
    if (apart) {
        double other[3] = {place[0] + gap, place[1], place[2]};
        random_put(text, ", \"frame_b\": {");
        random_put_numbers(text, "position", 3, other);
        random_put(text, "}");
    } else {
        double axis[3];
        random_direction(bits, 3, axis);
        random_put(text, ", ");
        random_put_numbers(text, "axis", 3, axis);
    }
    bool free_joint = strcmp(kind, "free") == 0; /* a free joint without a drive is refused */
    if (coordinate != NULL && (driven || free_joint || random_chance(bits, 50)))
        put_drive(maker, coordinate, free_joint ? gap : 0, driven);
    else if (random_chance(bits, 5)) {
        random_put(text, ", \"compliance\": %.9g", random_scale(bits, 1e-8, 1e-5) * maker->length);
        maker->scene->stores = true;
    }
    if (random_chance(bits, 5) && !apart)
        random_put(text, ", \"collide\": true");
    random_put(text, "}");
    random_end(maker);
}

static const char *any_kind(random_maker *maker, bool plain) {
    return joint_kind[random_below(&maker->bits, plain ? 2 : (int)(sizeof joint_kind / sizeof joint_kind[0]))];
}

static void make_chain(random_maker *maker) {
    random_bits *bits = &maker->bits;
    int links = 2 + random_below(bits, random_chance(bits, 80) ? 10 : 25), last = -1, first = -1;
    double size = maker->length, ratio = random_chance(bits, 50) ? 1 : random_scale(bits, 1, 1e5);
    double high = size * (links + 2);
    bool hold = random_chance(bits, 85), plain = random_chance(bits, 60);
    if (random_chance(bits, 50))
        random_floor(maker, NULL);
    for (int i = 0; i < links; i++) {
        bool end = i + 1 == links;
        random_shape shape = random_chance(bits, 70) ? random_shape_of(SHAPE_BOX, 0.8 * size, 0.1 * size, 0.1 * size)
                                                     : random_shape_of(SHAPE_SPHERE, 0.3 * size, 0, 0);
        random_state state = random_at(i * size, 0, high);
        state.density = end ? 1000 * ratio : 1000;
        if (end && random_chance(bits, 50))
            random_direction(bits, 3, state.velocity);
        int body = random_body(maker, &shape, &state);
        double place[3] = {(i - 0.5) * size, 0, high};
        if (i > 0 || hold)
            random_joint(maker, last, body, place, any_kind(maker, plain), false);
        first = i == 0 ? body : first;
        last = body;
    }
    if (random_chance(bits, 25)) { /* closed, by the world or by its own beginning */
        double place[3] = {(links - 0.5) * size, 0, high};
        const char *kind = any_kind(maker, true);
        random_joint(maker, random_chance(bits, 50) || links <= 2 ? -1 : first, last, place, kind, false);
    }
}

/* Two wheels on axes of their own, and the gear between them. */
static void put_gear(random_maker *maker, double x) {
    random_bits *bits = &maker->bits;
    random_text *text = &maker->scene->text;
    double radius[2] = {maker->length * random_between(bits, 0.2, 0.5), maker->length * random_between(bits, 0.2, 0.5)};
    double place[2][3];
    int wheel[2];
    for (int i = 0; i < 2; i++) {
        random_shape shape = random_shape_of(SHAPE_CYLINDER, radius[i], 0.2 * maker->length, 0);
        random_state state = random_at(x + (i == 0 ? 0 : radius[0] + radius[1]), 0, 10 * maker->length);
        state.spin[2] = i == 0 ? random_between(bits, -3, 3) : 0;
        wheel[i] = random_body(maker, &shape, &state);
        memcpy(place[i], state.position, sizeof place[i]);
    }
    for (int i = 0; i < 2; i++) {
        put_joint_head(maker, -1, wheel[i]);
        random_put(text, "\"kind\": \"revolute\", ");
        random_put_numbers(text, "position", 3, place[i]);
        if (i == 1 && random_chance(bits, 50))
            put_drive(maker, "turn", 0, random_chance(bits, 50));
        random_put(text, "}");
        random_end(maker);
    }
    put_joint_head(maker, wheel[0], wheel[1]);
    random_put(text, "\"kind\": \"gear\", \"ratio\": %.9g, ", radius[1] / radius[0]);
    random_put_numbers(text, "position", 3, place[0]);
    random_put(text, ", \"frame_b\": {");
    random_put_numbers(text, "position", 3, place[1]);
    random_put(text, "}}");
    random_end(maker);
}

static void make_joints(random_maker *maker) {
    random_bits *bits = &maker->bits;
    int count = 2 + random_below(bits, 8), body[RANDOM_ITEMS];
    double size = maker->length;
    bool drive = random_chance(bits, 40);
    if (random_chance(bits, 50))
        random_floor(maker, NULL);
    for (int i = 0; i < count; i++) {
        random_shape shape = random_shape_any(maker, 0.8 * size);
        random_state state = random_at(1.6 * size * i, 0, 3 * size);
        random_turn(maker, state.rotation);
        state.density = random_chance(bits, 70) ? 1000 : random_scale(bits, 10, 1e5);
        for (int k = 0; k < 3; k++)
            state.velocity[k] = random_chance(bits, 50) ? maker->speed * random_between(bits, -1, 1) : 0;
        body[i] = random_body(maker, &shape, &state);
    }
    for (int i = 0; i < count; i++) {
        double place[3] = {1.6 * size * (i - 0.5), 0.2 * size * random_between(bits, -1, 1), 3 * size};
        int other = i == 0 || random_chance(bits, 20) ? -1
                                                      : body[random_chance(bits, 85) ? i - 1 : random_below(bits, i)];
        bool driven = drive && random_chance(bits, 40);
        random_joint(maker, other, body[i], place, any_kind(maker, false), driven);
    }
    if (random_chance(bits, 30))
        put_gear(maker, -3 * size);
}

/* A kinematic body whose velocity depends on the time. */
static void put_mover(random_maker *maker, double x, double y, double z) {
    random_bits *bits = &maker->bits;
    random_text *text = &maker->scene->text;
    double size = maker->length;
    int item = random_begin(maker, 0);
    double tall = size * random_between(bits, 0.1, 1), wide = size * random_between(bits, 0.5, 2);
    random_shape shape = random_shape_of(SHAPE_BOX, size * random_between(bits, 0.5, 2), wide, tall);
    random_put(text, "{\"name\": \"b%d\", \"kind\": \"kinematic\", \"shape\": ", item);
    random_shape_print(&shape, text);
    double across = maker->speed * random_between(bits, -0.3, 0.3), rate = random_scale(bits, 1, 30);
    random_put(text, ", \"position\": [%.9g, %.9g, %.9g], \"velocity\": [\"=%.9g*cos(%.9g*t)\", %.9g, 0]", x, y, z,
               maker->speed * random_between(bits, -1, 1), rate, across);
    if (random_chance(bits, 50))
        random_put(text, ", \"angular_velocity\": [0, 0, %.9g]", random_between(bits, -5, 5));
    random_put(text, "}");
    random_end(maker);
    maker->scene->active = true;
}

static void make_drives(random_maker *maker) {
    random_bits *bits = &maker->bits;
    int count = 2 + random_below(bits, 10);
    double size = maker->length;
    random_floor(maker, NULL);
    put_mover(maker, 0, 0, 0.6 * size);
    if (random_chance(bits, 50))
        put_mover(maker, 4 * size, 0, 0.6 * size);
    for (int i = 0; i < count; i++) {
        random_shape shape = random_shape_any(maker, size);
        random_state state = random_at(1.75 * size * (i % 3 - 1), 1.75 * size * (i / 3 % 3 - 1),
                                       size * (2.5 + 1.75 * (i / 9)));
        random_turn(maker, state.rotation);
        random_body(maker, &shape, &state);
    }
    int arms = 1 + random_below(bits, 2);
    for (int i = 0; i < arms; i++) {
        random_shape shape = random_shape_of(SHAPE_BOX, 1.5 * size, 0.2 * size, 0.2 * size);
        random_state state = random_at(0, (i == 0 ? -5 : 5) * size, 2 * size);
        int body = random_body(maker, &shape, &state);
        double place[3] = {-0.75 * size, state.position[1], 2 * size};
        random_joint(maker, -1, body, place, random_chance(bits, 50) ? "revolute" : "prismatic", true);
    }
}

void random_make_tied(random_maker *maker) {
    switch (maker->scene->kind) {
    case RANDOM_CHAIN:
        make_chain(maker);
        break;
    case RANDOM_JOINTS:
        make_joints(maker);
        break;
    default:
        make_drives(maker);
    }
}
