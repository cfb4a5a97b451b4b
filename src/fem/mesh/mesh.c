/*
 * mesh.c: making, sharing and reading meshes.
 */
#include "fem/mesh/mesh.h"

#include <string.h>

#define MESH_COOKIE 0x66656d31u

cairn_fem_mesh_def cairn_default_fem_mesh_def(void) {
    return (cairn_fem_mesh_def){.cookie = MESH_COOKIE};
}

static void *copy(cairn_context *context, const void *from, size_t count, size_t size) {
    void *to = cairn_alloc_raw(context, count, size);
    if (to != NULL && count > 0)
        memcpy(to, from, count * size);
    return to;
}

static void destroy(cairn_fem_mesh *m) {
    cairn_context *c = m->context;
    const cairn_fem_mesh_view *v = &m->view;
    const void *arrays[] = {v->node, v->kind, v->start,     v->corner,   v->group,    v->vector, v->face,
                            v->edge, v->skin, v->set_start, v->set_node, v->set_name, m->names};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cairn_free(c, (void *)(uintptr_t)arrays[i]);
    cairn_free(c, m);
}

/* Numbers of first vectors: two for a node of a beam, else one. */
static cairn_status number_vectors(cairn_fem_mesh *m) {
    cairn_fem_mesh_view *v = &m->view;
    int *vector = cairn_alloc(m->context, (size_t)v->nodes, sizeof *vector);
    if (vector == NULL)
        return CAIRN_ERROR_MEMORY;
    v->vector = vector;
    for (int e = 0; e < v->elements; e++)
        for (int p = v->start[e]; p < v->start[e + 1]; p++)
            vector[v->corner[p]] = cairn_fem_element_of(v->kind[e])->vectors;
    v->vectors = 0;
    for (int i = 0; i < v->nodes; i++) {
        int mine = vector[i];
        vector[i] = v->vectors;
        v->vectors += mine;
    }
    return CAIRN_OK;
}

/* Nodes of the sets, each set rising and without repetition; names. */
static cairn_status copy_sets(cairn_fem_mesh *m, const cairn_fem_mesh_def *def) {
    cairn_context *c = m->context;
    cairn_fem_mesh_view *v = &m->view;
    int sets = def->sets, total = sets > 0 ? def->set_start[sets] : 0, used = 0;
    size_t length = 0;
    for (int s = 0; s < sets; s++)
        length += strlen(def->set_name[s]) + 1;
    int *start = cairn_alloc(c, (size_t)sets + 1, sizeof *start);
    int *node = cairn_alloc(c, (size_t)total, sizeof *node);
    const char **name = cairn_alloc(c, (size_t)sets, sizeof *name);
    int *mark = cairn_alloc(c, (size_t)v->nodes, sizeof *mark);
    m->names = cairn_alloc(c, length, 1);
    v->set_start = start;
    v->set_node = node;
    v->set_name = name;
    if (start == NULL || node == NULL || name == NULL || mark == NULL || m->names == NULL) {
        cairn_free(c, mark);
        return CAIRN_ERROR_MEMORY;
    }
    char *text = m->names;
    for (int s = 0; s < sets; s++) {
        int low = v->nodes, high = -1;
        for (int p = def->set_start[s]; p < def->set_start[s + 1]; p++) {
            int i = def->set_node[p];
            mark[i] = s + 1;
            low = i < low ? i : low;
            high = i > high ? i : high;
        }
        for (int i = low; i <= high; i++)
            if (mark[i] == s + 1)
                node[used++] = i;
        start[s + 1] = used;
        size_t size = strlen(def->set_name[s]) + 1;
        memcpy(text, def->set_name[s], size);
        name[s] = text;
        text += size;
    }
    v->sets = sets;
    cairn_free(c, mark);
    return CAIRN_OK;
}

static cairn_status fill(cairn_fem_mesh *m, const cairn_fem_mesh_def *def) {
    cairn_context *c = m->context;
    cairn_fem_mesh_view *v = &m->view;
    size_t elements = (size_t)def->elements;
    v->nodes = def->nodes;
    v->elements = def->elements;
    v->node = copy(c, def->node, (size_t)def->nodes, sizeof *v->node);
    v->kind = copy(c, def->kind, elements, sizeof *v->kind);
    v->start = copy(c, def->start, elements + 1, sizeof *v->start);
    v->corner = copy(c, def->corner, (size_t)def->start[elements], sizeof *v->corner);
    v->group = def->group != NULL ? copy(c, def->group, elements, sizeof *v->group)
                                  : cairn_alloc(c, elements, sizeof *v->group);
    if (v->node == NULL || v->kind == NULL || v->start == NULL || v->corner == NULL || v->group == NULL)
        return CAIRN_ERROR_MEMORY;
    cairn_status status = number_vectors(m);
    if (status == CAIRN_OK)
        status = copy_sets(m, def);
    if (status == CAIRN_OK)
        status = cairn_fem_mesh_find_skin(c, v);
    if (status == CAIRN_OK)
        status = cairn_fem_mesh_find_doubts(c, v);
    return status;
}

cairn_status cairn_fem_mesh_create(cairn_context *context, const cairn_fem_mesh_def *def, cairn_fem_mesh **mesh) {
    if (context == NULL || def == NULL || mesh == NULL)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT, "cairn_fem_mesh_create: an argument is NULL");
    return cairn_fem_mesh_create_from(context, def, NULL, mesh);
}

cairn_status cairn_fem_mesh_create_from(cairn_context *context, const cairn_fem_mesh_def *def,
                                        const cairn_fem_origin *origin, cairn_fem_mesh **mesh) {
    if (def->cookie != MESH_COOKIE)
        return cairn_fail(context, CAIRN_ERROR_ARGUMENT,
                          "mesh: the definition does not come from cairn_default_fem_mesh_def");
    cairn_status status = cairn_fem_mesh_check(context, def, origin);
    if (status != CAIRN_OK)
        return status;
    cairn_fem_mesh *m = cairn_alloc(context, 1, sizeof *m);
    if (m == NULL)
        return CAIRN_ERROR_MEMORY;
    m->context = context;
    atomic_init(&m->references, 1);
    status = fill(m, def);
    if (status != CAIRN_OK) {
        destroy(m);
        return status;
    }
    *mesh = m;
    return CAIRN_OK;
}

void cairn_fem_mesh_retain(cairn_fem_mesh *mesh) {
    if (mesh != NULL)
        atomic_fetch_add(&mesh->references, 1);
}

void cairn_fem_mesh_release(cairn_fem_mesh *mesh) {
    if (mesh != NULL && atomic_fetch_sub(&mesh->references, 1) == 1)
        destroy(mesh);
}

cairn_fem_mesh_view cairn_fem_mesh_get(const cairn_fem_mesh *mesh) {
    if (mesh == NULL)
        return (cairn_fem_mesh_view){0};
    return mesh->view;
}

int cairn_fem_mesh_set(const cairn_fem_mesh *mesh, const char *name) {
    if (mesh == NULL || name == NULL)
        return -1;
    for (int s = 0; s < mesh->view.sets; s++)
        if (strcmp(mesh->view.set_name[s], name) == 0)
            return s;
    return -1;
}
