/*
 * setting.h: a scene of the race of engines in numbers that belong to no engine. Every engine is given these and nothing else.
 *
 * Units are SI, z is up. A body's frame is at its centre of mass, its axes are the principal ones.
 */
#ifndef CAIRN_ENGINES_SETTING_H
#define CAIRN_ENGINES_SETTING_H

#include <cairn/math.h>

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum setting_shape {
    SETTING_NONE = 0, /* touches nothing */
    SETTING_PLANE,    /* the half space z <= 0 of its frame; never moves */
    SETTING_BOX,
    SETTING_SPHERE,
    SETTING_HULL /* the setting's hull: all hulls of a setting are alike */
} setting_shape;

typedef struct setting_body {
    setting_shape shape;
    cairn_vec3 half; /* of a box; half.x is the radius of a sphere */
    double mass;     /* 0: fixed */
    cairn_vec3 inertia;
    cairn_pose pose;
} setting_body;

/* Holds a point of body a and one of body b together. */
typedef struct setting_joint {
    int a, b; /* a = -1: the world */
    cairn_vec3 point;
} setting_joint;

enum { HULL_POINTS = 8 };

typedef struct setting {
    const char *name;
    double step; /* s */
    int steps;
    double mu;
    double reach; /* no body that behaves well leaves this distance from the origin */
    int bodies, joints;
    setting_body *body;
    setting_joint *joint;
    bool hulls; /* there are bodies with the hull */
    cairn_vec3 hull[HULL_POINTS];
    int watched; /* the body that the scene is about */
} setting;

/* Scenes by name. number: bodies of granular, overlap of stack in m, friction of incline; others ignore it. step: 0 for the scene's own.
 * False: no memory. */
bool setting_make(setting *s, const char *name, double number, double step);
void setting_free(setting *s);

#ifdef __cplusplus
}
#endif
#endif
