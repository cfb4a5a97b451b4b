/*
 * scene_query.c: what a scene tells about itself.
 */
#include "world/model/world_data.h"
#include "io/scene/scene_data.h"

cairn_world *cairn_scene_world(const cairn_scene *scene) {
    if (scene == NULL)
        return NULL;
    return scene->world;
}

cairn_scene_info cairn_scene_get(const cairn_scene *s) {
    if (s == NULL)
        return (cairn_scene_info){0};
    return (cairn_scene_info){.title = s->title,
                              .comment = s->comment,
                              .text = s->text,
                              .text_size = s->text_size,
                              .until = s->until,
                              .step = s->def.step,
                              .method = s->def.solver.method,
                              .law = s->def.law,
                              .tolerance = s->def.solver.tolerance,
                              .tolerance_velocity = s->world->def.tolerance_velocity,
                              .bodies = s->bodies.count,
                              .joints = s->joints.count,
                              .parameters = s->parameters,
                              .start_energy = s->start_energy};
}

static cairn_status out_of_range(const cairn_scene *s, const char *what, int index, int count) {
    return cairn_fail(s->context, CAIRN_ERROR_ARGUMENT, "there is no %s %d; the scene has %d", what, index, count);
}

cairn_status cairn_scene_body(const cairn_scene *s, int index, cairn_body *body, const char **name) {
    if (s == NULL || body == NULL || name == NULL)
        return cairn_fail(s != NULL ? s->context : NULL, CAIRN_ERROR_ARGUMENT, "cairn_scene_body: an argument is NULL");
    if (index < 0 || index >= s->bodies.count)
        return out_of_range(s, "body", index, s->bodies.count);
    *body = (cairn_body){s->bodies.id[index][0], s->bodies.id[index][1]};
    *name = s->bodies.name[index];
    return CAIRN_OK;
}

cairn_status cairn_scene_joint(const cairn_scene *s, int index, cairn_joint *joint, const char **name) {
    if (s == NULL || joint == NULL || name == NULL)
        return cairn_fail(s != NULL ? s->context : NULL, CAIRN_ERROR_ARGUMENT,
                          "cairn_scene_joint: an argument is NULL");
    if (index < 0 || index >= s->joints.count)
        return out_of_range(s, "joint", index, s->joints.count);
    *joint = (cairn_joint){s->joints.id[index][0], s->joints.id[index][1]};
    *name = s->joints.name[index];
    return CAIRN_OK;
}

cairn_status cairn_scene_parameter(const cairn_scene *s, int index, const char **name, double *value) {
    if (s == NULL || name == NULL || value == NULL)
        return cairn_fail(s != NULL ? s->context : NULL, CAIRN_ERROR_ARGUMENT,
                          "cairn_scene_parameter: an argument is NULL");
    if (index < 0 || index >= s->parameters)
        return out_of_range(s, "parameter", index, s->parameters);
    *name = s->variable[index].name;
    *value = s->variable[index].value;
    return CAIRN_OK;
}

static int find(const cairn_scene *s, const cairn_scene_names *names, const char *what, const char *name) {
    int found = cairn_names_find(names, name);
    if (found >= 0)
        return found;
    const char *meant = cairn_names_nearest(names, name);
    cairn_fail(s->context, CAIRN_ERROR_ARGUMENT, "the scene has no %s '%.60s'%s%.60s%s", what, name,
               meant != NULL ? "; did you mean '" : "", meant != NULL ? meant : "", meant != NULL ? "'?" : "");
    return -1;
}

cairn_status cairn_scene_find_body(const cairn_scene *s, const char *name, cairn_body *body) {
    if (s == NULL || name == NULL || body == NULL)
        return cairn_fail(s != NULL ? s->context : NULL, CAIRN_ERROR_ARGUMENT,
                          "cairn_scene_find_body: an argument is NULL");
    int found = find(s, &s->bodies, "body", name);
    if (found < 0)
        return CAIRN_ERROR_ARGUMENT;
    *body = (cairn_body){s->bodies.id[found][0], s->bodies.id[found][1]};
    return CAIRN_OK;
}

cairn_status cairn_scene_find_joint(const cairn_scene *s, const char *name, cairn_joint *joint) {
    if (s == NULL || name == NULL || joint == NULL)
        return cairn_fail(s != NULL ? s->context : NULL, CAIRN_ERROR_ARGUMENT,
                          "cairn_scene_find_joint: an argument is NULL");
    int found = find(s, &s->joints, "joint", name);
    if (found < 0)
        return CAIRN_ERROR_ARGUMENT;
    *joint = (cairn_joint){s->joints.id[found][0], s->joints.id[found][1]};
    return CAIRN_OK;
}
