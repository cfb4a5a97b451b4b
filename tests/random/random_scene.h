/*
 * random_scene.h: valid scenes from a number.
 *
 * random_scene_make(seed) writes the same scene on every machine: numbers come from integers by +, -, *, / and sqrt alone, which IEEE 754
 * rounds in one way, and are written with nine digits. seed % RANDOM_CLASSES is the class of the scene.
 *
 * A scene is a head, and items (bodies, flexible parts, joints) that can be dropped one by one: the reducer does so. A joint goes
 * with the bodies that it needs.
 */
#ifndef CAIRN_RANDOM_SCENE_H
#define CAIRN_RANDOM_SCENE_H

#include "random_text.h"

enum {
    RANDOM_ROWS,      /* rows of bodies with gaps of 0, 0.1 or 10 mm, hit at up to 1 km/s */
    RANDOM_HEAP,      /* all shapes thrown onto a floor or into a box */
    RANDOM_RATIO,     /* towers and heaps with mass ratios up to 1e6 */
    RANDOM_CHAIN,     /* bodies joined one to the next, with heavy ends and closed loops */
    RANDOM_THIN,      /* sheets and blades at up to 1 km/s and 1e4 rad/s against thin plates */
    RANDOM_SPIN,      /* bodies that turn fast, alone and on a floor */
    RANDOM_MESH,      /* bodies on uneven sheets of triangles and on closed meshes */
    RANDOM_FLEXIBLE,  /* a few flexible parts among rigid bodies */
    RANDOM_DRIVES,    /* kinematic bodies, motors and imposed motions among loose bodies */
    RANDOM_OVERLAP,   /* bodies that overlap or touch when the scene begins */
    RANDOM_JOINTS,    /* all kinds of joints with limits, springs, friction, motors, gears */
    RANDOM_MATERIALS, /* compliance, adhesion, pairs, the associated law */
    RANDOM_MEET,      /* two to six bodies that meet in flight */
    RANDOM_CLASSES
};

typedef struct random_item {
    size_t start, end; /* of its text */
    int needs[3];      /* items that it is joined to; -1: none */
    int section;       /* 0 body, 1 flexible part, 2 joint */
    bool dropped;
} random_item;

enum { RANDOM_ITEMS = 160 };

typedef struct random_scene {
    uint64_t seed;
    int kind;  /* RANDOM_... */
    int steps; /* to run */
    double step;
    size_t head; /* characters of the head at the beginning of text */
    random_text text;
    int items;
    random_item item[RANDOM_ITEMS];
    /* What the judge must know; written into the comment of the scene. */
    bool active;      /* motors, motions, kinematic bodies or loads may add energy */
    bool restitution; /* somewhere */
    bool stores;      /* springs and compliance store energy that kinetic energy does not show */
    bool soft;        /* overlaps are meant: compliance */
    bool jointed, flexible;
} random_scene;

const char *random_class_name(int kind);
int random_class_find(const char *name); /* -1: none */

/* NULL: no memory. */
random_scene *random_scene_make(uint64_t seed);
/* The same, but these bytes are the first random numbers. */
random_scene *random_scene_make_from(uint64_t seed, const unsigned char *byte, size_t bytes);
void random_scene_free(random_scene *scene);
/* The JSON of all items that are not dropped. text is cleared first; text->failed: no memory. */
void random_scene_print(const random_scene *scene, random_text *text);

/* What the files of the generator share: a scene in the making. */
typedef struct random_maker {
    random_scene *scene;
    random_bits bits;
    double length; /* of the scene, m */
    double step;
    double speed; /* sqrt(9.81 length) */
} random_maker;

/* A convex shape: sizes as scene files give them, and a radius about its origin that holds it. */
typedef struct random_shape {
    int kind; /* below */
    double size[3], radius;
    uint64_t points; /* a hull: where its points come from */
} random_shape;
enum {
    SHAPE_SPHERE,
    SHAPE_ELLIPSOID,
    SHAPE_CAPSULE,
    SHAPE_BOX,
    SHAPE_HULL,
    SHAPE_CYLINDER,
    SHAPE_CONE,
    SHAPE_COMPOUND,
    SHAPE_KINDS
};

typedef struct random_state {
    double position[3], rotation[4], velocity[3], spin[3];
    double density;
    const char *kind, *material; /* NULL: dynamic, default */
} random_state;

random_shape random_shape_any(random_maker *maker, double size);       /* of about that diameter */
random_shape random_shape_of(int kind, double x, double y, double z);  /* no hull, no compound */
void random_shape_print(const random_shape *shape, random_text *text); /* {"box": ...} */
void random_sheet_print(random_maker *maker, int cells, double edge, double rise, random_text *text);
void random_closed_print(const double half[3], random_text *text); /* a box of triangles */

random_state random_at(double x, double y, double z);
void random_turn(random_maker *maker, double rotation[4]); /* any orientation */
int random_body(random_maker *maker, const random_shape *shape, const random_state *state);
int random_floor(random_maker *maker, const char *material);

int random_begin(random_maker *maker, int section); /* an item; text follows */
void random_end(random_maker *maker);

/* One a class: writes the items. */
void random_make_loose(random_maker *maker); /* rows, heap, ratio, thin, spin, overlap, materials, meet */
void random_make_tied(random_maker *maker);  /* chain, joints, drives */
void random_make_other(random_maker *maker); /* mesh, flexible */
/* Joint between two items (-1: the world) at a place, of a kind that scene files name. */
void random_joint(random_maker *maker, int a, int b, const double place[3], const char *kind, bool driven);

#endif
