/*
 * scene_names.c: names of bodies and joints, found by hashing with open addressing.
 */
#include "io/scene/scene_data.h"

#include <stdio.h>
#include <string.h>

static uint32_t hash(const char *name) { /* FNV-1a */
    uint32_t h = 2166136261u;
    for (; *name != '\0'; name++)
        h = (h ^ (unsigned char)*name) * 16777619u;
    return h;
}

/* The place of the name, or the free one where it belongs. */
static uint32_t place_of(const cairn_scene_names *n, const char *name) {
    uint32_t mask = (uint32_t)n->places - 1, at = hash(name) & mask;
    while (n->place[at] != 0 && strcmp(n->name[n->place[at] - 1], name) != 0)
        at = (at + 1) & mask;
    return at;
}

static bool grow(cairn_context *context, cairn_scene_names *n) {
    int capacity = 2 * n->capacity + 16, places = 2 * n->places;
    while (places < 2 * capacity)
        places = places > 0 ? 2 * places : 64;
    char **name = cairn_alloc(context, (size_t)capacity, sizeof *name);
    uint32_t(*id)[2] = cairn_alloc(context, (size_t)capacity, sizeof *id);
    int *place = cairn_alloc(context, (size_t)places, sizeof *place);
    if (name == NULL || id == NULL || place == NULL) {
        cairn_free(context, name);
        cairn_free(context, id);
        cairn_free(context, place);
        return false;
    }
    for (int i = 0; i < n->count; i++) {
        name[i] = n->name[i];
        id[i][0] = n->id[i][0];
        id[i][1] = n->id[i][1];
    }
    cairn_free(context, n->name);
    cairn_free(context, n->id);
    cairn_free(context, n->place);
    n->name = name;
    n->id = id;
    n->place = place;
    n->capacity = capacity;
    n->places = places;
    for (int i = 0; i < n->count; i++)
        place[place_of(n, name[i])] = i + 1;
    return true;
}

bool cairn_names_add(cairn_context *context, cairn_scene_names *n, const char *name, uint32_t slot, uint32_t generation,
                     bool *duplicate) {
    *duplicate = false;
    if (n->count == n->capacity && !grow(context, n))
        return false;
    uint32_t at = place_of(n, name);
    if (n->place[at] != 0) {
        *duplicate = true;
        return false;
    }
    size_t length = strlen(name) + 1;
    char *copy = cairn_alloc(context, length, 1);
    if (copy == NULL)
        return false;
    memcpy(copy, name, length);
    n->name[n->count] = copy;
    n->id[n->count][0] = slot;
    n->id[n->count][1] = generation;
    n->place[at] = ++n->count;
    return true;
}

int cairn_names_find(const cairn_scene_names *n, const char *name) {
    return n->count > 0 ? n->place[place_of(n, name)] - 1 : -1;
}

const char *cairn_names_nearest(const cairn_scene_names *n, const char *name) {
    return cairn_nearest(name, (const char *const *)n->name, n->count);
}

void cairn_names_free(cairn_context *context, cairn_scene_names *n) {
    for (int i = 0; i < n->count; i++)
        cairn_free(context, n->name[i]);
    cairn_free(context, n->name);
    cairn_free(context, n->id);
    cairn_free(context, n->place);
    *n = (cairn_scene_names){0};
}

void cairn_reader_enter(cairn_reader *r, const cairn_json *v, const char *what, cairn_scene_names *names, int number,
                        uint32_t slot, uint32_t generation) {
    char name[CAIRN_SCENE_NAME_MAX + 16];
    const cairn_json *given = cairn_json_member(v, "name");
    bool duplicate;
    if (given != NULL)
        cairn_reader_name(r, given, name);
    else
        cairn_json_path(v, name, CAIRN_SCENE_NAME_MAX);
    if (r->status != CAIRN_OK)
        return;
    if (number >= 0 && (given == NULL || strchr(given->text, '{') == NULL))
        snprintf(name + strlen(name), 16, "[%d]", number);
    if (cairn_names_add(r->context, names, name, slot, generation, &duplicate))
        return;
    if (duplicate)
        cairn_reader_fail(r, given != NULL ? given : v, "there is already a %s of the name '%.60s'", what, name);
    else
        r->status = CAIRN_ERROR_MEMORY;
}
