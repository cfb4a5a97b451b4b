/*
 * scene.h: worlds from scene files.
 *
 * A scene is JSON with comments; docs/scenes.md describes it, scenes/schema.json checks it in an editor. Units are SI, angles radians.
 * A wrong scene gives CAIRN_ERROR_PARSE and a message that names file, line, column, the path of the value, what was found and what
 * is expected.
 */
#ifndef CAIRN_SCENE_H
#define CAIRN_SCENE_H

#include "world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cairn_scene cairn_scene;

/* Replaces a parameter ("size") or a value by its path ("step", "bodies[0].density", "materials.stone.friction"). A value that the
 * scene leaves out is added. */
typedef struct cairn_scene_override {
    const char *path;
    const char
        *value; /* a number, true, false, an expression after '=', or a text; for parameters always an expression */
} cairn_scene_override;

/* Reads a file and the files it includes, and builds its world. overrides may be NULL when count is 0. */
CAIRN_API cairn_status cairn_scene_load(cairn_context *context, const char *path, const cairn_scene_override *overrides,
                                        int count, cairn_scene **scene);
/* The same from memory. name is for messages; files that are included are looked for in its folder. */
CAIRN_API cairn_status cairn_scene_parse(cairn_context *context, const char *text, size_t size, const char *name,
                                         const cairn_scene_override *overrides, int count, cairn_scene **scene);
CAIRN_API void cairn_scene_destroy(cairn_scene *scene); /* and its world */

/* The scene's own; bodies and joints may be added and removed. */
CAIRN_API cairn_world *cairn_scene_world(const cairn_scene *scene);
/* Applies the loads and prescribed velocities of the scene at the present time, then cairn_world_step. report may be NULL. */
CAIRN_API cairn_status cairn_scene_step(cairn_scene *scene, cairn_step_report *report);

typedef struct cairn_scene_info {
    const char *title, *comment; /* "" when the scene has none */
    const char *text;            /* the file as it was read */
    size_t text_size;
    double until;              /* s: how long the scene wants to run; default 2 */
    double step;               /* s */
    const char *method;        /* of the solver */
    cairn_law law;             /* of friction */
    double tolerance;          /* what the method aims at first, relative */
    double tolerance_velocity; /* certificate asked of a step, m/s */
    int bodies, joints;        /* that the scene made */
    int parameters;            /* cairn_scene_parameter */
    double start_energy;       /* kinetic, potential and elastic when the scene was built, J */
} cairn_scene_info;
CAIRN_API cairn_scene_info cairn_scene_get(const cairn_scene *scene);

/* The i-th body, joint, parameter of the scene, in the order of the file. Names are never NULL. */
CAIRN_API cairn_status cairn_scene_body(const cairn_scene *scene, int index, cairn_body *body, const char **name);
CAIRN_API cairn_status cairn_scene_joint(const cairn_scene *scene, int index, cairn_joint *joint, const char **name);
CAIRN_API cairn_status cairn_scene_parameter(const cairn_scene *scene, int index, const char **name, double *value);
/* By name. CAIRN_ERROR_ARGUMENT, with the nearest name in the message: there is none. */
CAIRN_API cairn_status cairn_scene_find_body(const cairn_scene *scene, const char *name, cairn_body *body);
CAIRN_API cairn_status cairn_scene_find_joint(const cairn_scene *scene, const char *name, cairn_joint *joint);

/* A surface of triangles from a file. */
typedef struct cairn_surface {
    int points, triangles;
    cairn_vec3 *point; /* points */
    int *corner;       /* 3 a triangle: numbers of points */
    int groups;        /* objects or groups of an OBJ file, solids of an STL file; at least 1 */
    int *group;        /* triangles: which one it belongs to, not falling */
} cairn_surface;

/* Reads OBJ (faces of any number of corners; normals, textures and materials are left out) or STL, text or binary; lengths are multiplied by
 * scale. Anything else, also a file that is cut off, has numbers that are not finite, no triangle, or more than 2^30 bytes, gives a message
 * that names the file, the line or byte, and what was expected. */
CAIRN_API cairn_status cairn_surface_read(cairn_context *context, const char *path, double scale,
                                          cairn_surface *surface);
/* The same from memory; name is for messages. */
CAIRN_API cairn_status cairn_surface_parse(cairn_context *context, const void *bytes, size_t size, const char *name,
                                           double scale, cairn_surface *surface);
CAIRN_API void cairn_surface_clear(cairn_context *context, cairn_surface *surface);

#ifdef __cplusplus
}
#endif
#endif
