/*
 * scene_data.h: a scene, and the reader that builds it.
 *
 * The reader keeps its first failure in `status`; after it every function returns at once with a
 * harmless value, so that callers read many values and look once.
 */
#ifndef CAIRN_IO_SCENE_SCENE_DATA_H
#define CAIRN_IO_SCENE_SCENE_DATA_H

#include "io/text/expression.h"
#include "io/text/json.h"
#include "base/core.h"
#include "rigid/body.h"

#include <cairn/scene.h>

#define CAIRN_SCENE_FILES_MAX  32
#define CAIRN_SCENE_BODIES_MAX 1000000
#define CAIRN_SCENE_NAME_MAX   96   /* bytes with the NUL */
#define CAIRN_SCENE_PATH_MAX   1024 /* the same of a file */

/* An expression of the time t with all that it may name. */
typedef struct cairn_formula {
    const char *text;         /* NULL: the constant */
    cairn_variable *variable; /* owned; the last one is t */
    int count;
    double constant;
    const cairn_json *at; /* where it stands, for messages */
} cairn_formula;

/* Imposed motion of a joint: a formula, or keyframes with a smooth curve through them. */
typedef struct cairn_motion {
    cairn_formula formula;
    int keys; /* 0: the formula */
    double *time, *value, *slope;
} cairn_motion;

/* Displacement of held nodes: a motion along each axis; the scene's motions. */
typedef struct cairn_scene_path {
    cairn_motion *along[3];
} cairn_scene_path;

/* Loads or prescribed velocities of one body. */
typedef struct cairn_scene_drive {
    cairn_body body;
    bool moves;              /* velocities of a kinematic body, else force and torque */
    cairn_formula linear[3]; /* m/s or N */
    cairn_formula angular[3];
    int given;          /* slot of the body in the present step; 0: not yet, or it was removed */
    cairn_rigid before; /* the body before the step */
} cairn_scene_drive;

/* Loads of one flexible part (scene_load.c). */
typedef enum cairn_push_kind {
    CAIRN_PUSH_WHOLE = 0, /* a force, spread by mass */
    CAIRN_PUSH_GRAVITY,   /* instead of the world's */
    CAIRN_PUSH_NODES,     /* a force, spread by share */
    CAIRN_PUSH_PRESSURE   /* on the chosen faces */
} cairn_push_kind;
typedef struct cairn_scene_push {
    cairn_body body;
    cairn_push_kind kind;
    cairn_formula value[3]; /* N, m/s^2 or, the first alone, Pa */
    double *share;          /* nodes: in sum 1; of forces on nodes. Owned */
    unsigned char *chosen;  /* nodes; NULL: all. Owned */
} cairn_scene_push;

/* Names of bodies or joints, found by a hash table of places. */
typedef struct cairn_scene_names {
    char **name;
    uint32_t (*id)[2]; /* slot, generation */
    int count, capacity;
    int *place; /* table: number in name plus 1, 0: free */
    int places; /* a power of 2 */
} cairn_scene_names;

struct cairn_scene {
    cairn_context *context;
    cairn_world *world;
    cairn_world_def def;
    cairn_json_document *document[CAIRN_SCENE_FILES_MAX]; /* the file itself first */
    int documents;
    char *text;
    size_t text_size;
    const char *title, *comment;
    double until, start_energy;
    cairn_scene_names bodies, joints;
    cairn_scene_drive *load;
    int loads, load_capacity;
    cairn_scene_push *push;
    int pushes, push_capacity;
    cairn_motion **motion;
    int motions, motion_capacity;
    cairn_scene_path **path;
    int paths, path_capacity;
    cairn_variable *variable; /* parameters first, then the indices of repeats while they are read */
    int variables, variable_capacity, parameters;
};

typedef struct cairn_named_material {
    const char *name;
    cairn_material_def def;
    cairn_material material;
} cairn_named_material;

/* A rule for two materials, by their slots. */
typedef struct cairn_named_rule {
    uint32_t low, high;
    const cairn_json *at;
} cairn_named_rule;

typedef struct cairn_named_shape {
    const cairn_json *node;
    cairn_shape *shape; /* NULL: not built yet */
    bool building;
} cairn_named_shape;

typedef struct cairn_reader {
    cairn_context *context;
    cairn_scene *scene;
    cairn_status status;
    int depth; /* of shapes that name shapes */
    int used;  /* origins of variables that expressions read since it was cleared */
    cairn_named_material *material;
    int materials, material_capacity;
    cairn_named_rule *rule;
    int rules, rule_capacity;
    cairn_named_shape *shape;
    int shapes, shape_capacity;
    const cairn_scene_override *override;
    int overrides;
} cairn_reader;

/* ---- values (scene_value.c) ---- */

/* Fails with "file:line:column: path: message", unless something failed before. `_key`: at the
 * place of the key. */
void cairn_reader_fail(cairn_reader *r, const cairn_json *at, const char *format, ...) CAIRN_PRINTF(3, 4);
void cairn_reader_fail_key(cairn_reader *r, const cairn_json *at, const char *format, ...) CAIRN_PRINTF(3, 4);
/* A warning of the context with the same place: the scene is read as it stands, but may not be
 * what was meant. */
void cairn_reader_note(cairn_reader *r, const cairn_json *at, const char *format, ...) CAIRN_PRINTF(3, 4);
/* The context's last message, with the place put before it. */
void cairn_reader_fail_inside(cairn_reader *r, const cairn_json *at, cairn_status status);
/* The value must be an object with no keys but these. */
bool cairn_reader_keys(cairn_reader *r, const cairn_json *object, const char *const *known, int count);
bool cairn_reader_list(cairn_reader *r, const cairn_json *list, int least, int most, const char *what);

typedef enum cairn_range { CAIRN_RANGE_ANY = 0, CAIRN_RANGE_POSITIVE, CAIRN_RANGE_NOT_NEGATIVE } cairn_range;
double cairn_reader_number(cairn_reader *r, const cairn_json *v, cairn_range range);
/* The member of an object, or the fallback when it is absent. */
double cairn_reader_number_or(cairn_reader *r, const cairn_json *object, const char *key, cairn_range range,
                              double fallback);
int cairn_reader_count(cairn_reader *r, const cairn_json *v, int least, int most);
bool cairn_reader_bool(cairn_reader *r, const cairn_json *v);
cairn_vec3 cairn_reader_vec3(cairn_reader *r, const cairn_json *v, cairn_range range);
double cairn_reader_angle(cairn_reader *r, const cairn_json *v); /* rad; more than a turn is noted */
cairn_quat cairn_reader_rotation(cairn_reader *r, const cairn_json *v);
/* "position" and "rotation" or "axis" of an object. */
cairn_pose cairn_reader_pose(cairn_reader *r, const cairn_json *object);
const char *cairn_reader_text(cairn_reader *r, const cairn_json *v); /* "" after a failure */
int cairn_reader_choice(cairn_reader *r, const cairn_json *v, const char *const *word, int count);
/* A text in which {expression} stands for a whole number. */
void cairn_reader_name(cairn_reader *r, const cairn_json *v, char name[CAIRN_SCENE_NAME_MAX]);
/* Enters the name of v, the body or joint (what says which) in slot; number: which of a repeat,
 * -1: alone. Without a name its path in the file is one. */
void cairn_reader_enter(cairn_reader *r, const cairn_json *v, const char *what, cairn_scene_names *names, int number,
                        uint32_t slot, uint32_t generation);
/* The path of a file that the scene names: relative ones begin in the folder of the scene file.
 * False after a failure. */
bool cairn_reader_path(cairn_reader *r, const cairn_json *v, char path[CAIRN_SCENE_PATH_MAX]);
/* A number that may depend on t; three of them. */
void cairn_reader_formula(cairn_reader *r, const cairn_json *v, cairn_formula *formula);
void cairn_reader_vector_formula(cairn_reader *r, const cairn_json *v, cairn_formula formula[3]);

void cairn_reader_push(cairn_reader *r, const char *name, double value, int origin);
/* Room for one more item of size bytes in the array that the pointer at `array` owns. */
bool cairn_reader_grow(cairn_reader *r, void *array, int count, int *capacity, size_t size);

/* ---- parts ---- */

void cairn_reader_set(cairn_reader *r);                           /* overrides into the tree (scene_override.c) */
void cairn_reader_parameters(cairn_reader *r);                    /* scene_override.c */
void cairn_reader_materials(cairn_reader *r);                     /* scene_material.c */
void cairn_reader_pairs(cairn_reader *r, const cairn_json *list); /* scene_material.c */
const cairn_named_material *cairn_reader_material(cairn_reader *r, const cairn_json *name);
void cairn_reader_shapes(cairn_reader *r); /* scene_shape.c */
/* Shapes whose points and triangles may come from a file (scene_mesh_shape.c); *shape stays NULL
 * after a failure. */
cairn_status cairn_reader_hull(cairn_reader *r, const cairn_json *v, cairn_shape **shape);
cairn_status cairn_reader_mesh(cairn_reader *r, const cairn_json *v, cairn_shape **shape);
cairn_status cairn_reader_pieces(cairn_reader *r, const cairn_json *v, cairn_shape **shape);
/* The member that an object needs; NULL after a failure. */
const cairn_json *cairn_reader_need(cairn_reader *r, const cairn_json *object, const char *key);
/* The shape by name or as written; retained for the caller. NULL after a failure. */
cairn_shape *cairn_reader_shape(cairn_reader *r, const cairn_json *v);

/* Calls body(r, node, place, number, user) for every copy that node's "repeat" asks for, with
 * the indices known; number is -1 when there is no repeat (scene_repeat.c). */
typedef void (*cairn_reader_copy)(cairn_reader *r, const cairn_json *node, cairn_pose place, int number, void *user);
#define CAIRN_RESERVED_NAMES "t is the time, i, j, k are the indices and n the number of copies of a repeat"
bool cairn_reader_reserved(const char *name); /* names that are no parameters */
void cairn_reader_repeat(cairn_reader *r, const cairn_json *node, cairn_reader_copy copy, void *user);

void cairn_reader_bodies(cairn_reader *r, const cairn_json *list); /* scene_body.c */
void cairn_reader_joints(cairn_reader *r, const cairn_json *list); /* scene_joint.c */
/* A formula or keyframes, which the scene owns (scene_joint.c); NULL after a failure. */
cairn_motion *cairn_reader_motion(cairn_reader *r, const cairn_json *v);

/* Notes on a start that may not be meant (scene_warnings.c). */
void cairn_reader_doubts(cairn_reader *r);

/* Flexible parts (scene_flexible.c). */
void cairn_reader_flexible(cairn_reader *r, const cairn_json *list);
void cairn_reader_weld(cairn_reader *r, const cairn_json *v, cairn_body a, cairn_body b);
void cairn_reader_pushes(cairn_reader *r, const cairn_json *v, cairn_body body); /* scene_load.c */
/* Notes on a mesh and a material that may not be meant (scene_mesh_warnings.c). */
void cairn_reader_doubt_part(cairn_reader *r, const cairn_json *v, const cairn_flexible_def *def);
int *cairn_reader_nodes(cairn_reader *r, const cairn_json *v, const cairn_fem_mesh_view *mesh, int *count);

/* ---- names (scene_names.c) ---- */

/* False: no memory, or (with *duplicate) the name is taken. */
bool cairn_names_add(cairn_context *context, cairn_scene_names *names, const char *name, uint32_t slot,
                     uint32_t generation, bool *duplicate);
int cairn_names_find(const cairn_scene_names *names, const char *name); /* -1: none */
const char *cairn_names_nearest(const cairn_scene_names *names, const char *name);
void cairn_names_free(cairn_context *context, cairn_scene_names *names);

/* ---- while running (scene_drive.c) ---- */

double cairn_formula_at(const cairn_formula *formula, double t);
void cairn_formula_free(cairn_context *context, cairn_formula *formula);
cairn_status cairn_formula_check(cairn_scene *scene, const cairn_formula *formula, double t); /* its value is finite */
cairn_status cairn_scene_give_pushes(cairn_scene *scene, double t);                           /* scene_load.c */
void cairn_scene_free_pushes(cairn_scene *scene);
double cairn_motion_at(void *motion, double t);
void cairn_motion_free(cairn_context *context, cairn_motion *motion);

#endif
