/*
 * gmsh_build.c: from what a Gmsh file says to a mesh.
 *
 * Solids (tetrahedra, hexahedra) become elements; in a file without them lines become beams. Nodes
 * that none of these has are left out. Groups: the physical groups of the elements by rising number
 * are groups 0, 1, ...; elements of none count as physical group 0. Every physical group of any
 * dimension gives a set of nodes by its name, or "volume 3", "surface 3", "curve 3", "point 3"
 * where it has none.
 */
#include "io/mesh_file/gmsh.h"

#include "fem/mesh/mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct tagged {
    int tag, index;
} tagged;

typedef struct building {
    cairn_gmsh *m;
    int dim;         /* of what becomes elements: 3, or 1 for beams */
    tagged *by_tag;  /* nodes, by rising tag */
    int *number;     /* nodes: number in the mesh, -1: left out */
    int *origin_tag; /* nodes of the mesh: tag */
    cairn_vec3 *node;
    int *kind, *start, *corner, *group, *tag, *line; /* of the elements of the mesh */
    int nodes, elements;
    cairn_gmsh_ints set_key[2]; /* sets: dimension; physical number */
    cairn_gmsh_ints entry[2];   /* set; node of the mesh */
    int *set_start, *set_node;
    char (*text)[128];
    const char **set_name;
} building;

static int by_tag(const void *a, const void *b) {
    const tagged *x = a, *y = b;
    return x->tag != y->tag ? (x->tag > y->tag) - (x->tag < y->tag) : (x->index > y->index) - (x->index < y->index);
}

static cairn_status sort_nodes(building *b, const char *file) {
    cairn_gmsh *m = b->m;
    b->by_tag = cairn_alloc(m->context, (size_t)m->nodes, sizeof *b->by_tag);
    b->number = cairn_alloc(m->context, (size_t)m->nodes, sizeof *b->number);
    if (b->by_tag == NULL || b->number == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < m->nodes; i++) {
        b->by_tag[i] = (tagged){m->node_tag[i], i};
        b->number[i] = -1;
    }
    qsort(b->by_tag, (size_t)m->nodes, sizeof *b->by_tag, by_tag);
    for (int i = 1; i < m->nodes; i++)
        if (b->by_tag[i].tag == b->by_tag[i - 1].tag)
            return cairn_fail(m->context, CAIRN_ERROR_PARSE, "%s: there are two nodes %d", file, b->by_tag[i].tag);
    return CAIRN_OK;
}

/* Index of the node of that tag, -1: none. */
static int find_node(const building *b, int tag) {
    int low = 0, high = b->m->nodes - 1;
    while (low <= high) {
        int middle = low + (high - low) / 2;
        if (b->by_tag[middle].tag == tag)
            return b->by_tag[middle].index;
        if (b->by_tag[middle].tag < tag)
            low = middle + 1;
        else
            high = middle - 1;
    }
    return -1;
}

/* Tags in list become indices of nodes; counts what becomes elements. */
static cairn_status resolve(building *b, const char *file, int count[4]) {
    cairn_gmsh *m = b->m;
    for (int i = 0; i < m->elements; i++) {
        const cairn_gmsh_element *e = &m->element[i];
        const cairn_gmsh_type *type = cairn_gmsh_type_of(e->type);
        count[type->dim]++;
        for (int a = 0; a < type->nodes; a++) {
            int *tag = &m->list.value[e->first + a], index = find_node(b, *tag);
            if (index < 0)
                return cairn_fail(m->context, CAIRN_ERROR_PARSE,
                                  "%s: line %d: element %d has node %d, which there is not", file, e->line, e->tag,
                                  *tag);
            *tag = index;
        }
    }
    if (count[3] == 0 && count[2] > 0)
        return cairn_fail(m->context, CAIRN_ERROR_PARSE,
                          "%s: elements of surfaces, but no volumes: mesh it in three dimensions (gmsh -3)", file);
    if (count[3] == 0 && count[1] == 0)
        return cairn_fail(m->context, CAIRN_ERROR_PARSE,
                          "%s: no elements; expected tetrahedra, hexahedra or lines in $Elements", file);
    b->dim = count[3] > 0 ? 3 : 1;
    return CAIRN_OK;
}

static int smallest_group(const cairn_gmsh *m, const cairn_gmsh_element *e) {
    int least = 0;
    for (int p = 0; p < e->count; p++)
        if (p == 0 || m->list.value[e->physical + p] < least)
            least = m->list.value[e->physical + p];
    return least;
}

static bool chosen(const building *b, const cairn_gmsh_element *e) {
    const cairn_gmsh_type *type = cairn_gmsh_type_of(e->type);
    return type->dim == b->dim && type->kind >= 0;
}

static cairn_status take_elements(building *b, const char *file) {
    cairn_gmsh *m = b->m;
    size_t room = (size_t)m->elements, corners = 0;
    for (int i = 0; i < m->elements; i++) {
        const cairn_gmsh_element *e = &m->element[i];
        const cairn_gmsh_type *type = cairn_gmsh_type_of(e->type);
        if (type->dim == b->dim && type->kind < 0)
            return cairn_fail(m->context, CAIRN_ERROR_UNSUPPORTED,
                              "%s: line %d: element %d is a %s; beams are lines of 2 nodes", file, e->line, e->tag,
                              type->name);
        corners += chosen(b, e) ? (size_t)type->nodes : 0;
    }
    cairn_context *c = m->context;
    b->kind = cairn_alloc(c, room, sizeof *b->kind);
    b->start = cairn_alloc(c, room + 1, sizeof *b->start);
    b->corner = cairn_alloc(c, corners, sizeof *b->corner);
    b->group = cairn_alloc(c, room, sizeof *b->group);
    b->tag = cairn_alloc(c, room, sizeof *b->tag);
    b->line = cairn_alloc(c, room, sizeof *b->line);
    b->node = cairn_alloc(c, (size_t)m->nodes, sizeof *b->node);
    b->origin_tag = cairn_alloc(c, (size_t)m->nodes, sizeof *b->origin_tag);
    return b->kind != NULL && b->start != NULL && b->corner != NULL && b->group != NULL && b->tag != NULL &&
                   b->line != NULL && b->node != NULL && b->origin_tag != NULL
               ? CAIRN_OK
               : CAIRN_ERROR_MEMORY;
}

/* Elements and nodes of the mesh, nodes in the order of the file. group: physical number for
 * now. */
static void fill_elements(building *b, double scale) {
    static const unsigned char tet10[10] = {0, 1, 2, 3, 4,
                                            5, 6, 7, 9, 8}; /* Gmsh: edges 23 and 13 the other way round */
    cairn_gmsh *m = b->m;
    for (int i = 0; i < m->elements; i++) {
        const cairn_gmsh_element *e = &m->element[i];
        for (int a = 0; chosen(b, e) && a < cairn_gmsh_type_of(e->type)->nodes; a++)
            b->number[m->list.value[e->first + a]] = 0;
    }
    for (int i = 0; i < m->nodes; i++)
        if (b->number[i] == 0) {
            b->origin_tag[b->nodes] = m->node_tag[i];
            b->node[b->nodes] = cairn_vec3_scale(scale, m->node[i]);
            b->number[i] = b->nodes++;
        }
    for (int i = 0; i < m->elements; i++) {
        const cairn_gmsh_element *e = &m->element[i];
        const cairn_gmsh_type *type = cairn_gmsh_type_of(e->type);
        if (!chosen(b, e))
            continue;
        int n = b->elements++, *to = b->corner + b->start[n];
        b->kind[n] = type->kind;
        b->start[n + 1] = b->start[n] + type->nodes;
        b->group[n] = smallest_group(m, e);
        b->tag[n] = e->tag;
        b->line[n] = e->line;
        for (int a = 0; a < type->nodes; a++) {
            int from = type->kind == CAIRN_ELEMENT_TET10 ? tet10[a] : a;
            to[a] = b->number[m->list.value[e->first + from]];
        }
    }
}

/* Number of the set of that physical group, made when new; -1: no memory or too many. */
static cairn_status set_of(building *b, const char *file, int dim, int tag, int *set) {
    for (int s = 0; s < b->set_key[0].count; s++)
        if (b->set_key[0].value[s] == dim && b->set_key[1].value[s] == tag) {
            *set = s;
            return CAIRN_OK;
        }
    *set = b->set_key[0].count;
    if (*set == CAIRN_GMSH_GROUPS_MAX)
        return cairn_fail(b->m->context, CAIRN_ERROR_UNSUPPORTED, "%s: more than %d physical groups", file,
                          CAIRN_GMSH_GROUPS_MAX);
    cairn_status status = cairn_gmsh_push(b->m->context, &b->set_key[0], dim);
    return status == CAIRN_OK ? cairn_gmsh_push(b->m->context, &b->set_key[1], tag) : status;
}

/* Pairs (set, node) of all elements of physical groups. */
static cairn_status collect_sets(building *b, const char *file) {
    cairn_gmsh *m = b->m;
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < m->elements && status == CAIRN_OK; i++) {
        const cairn_gmsh_element *e = &m->element[i];
        const cairn_gmsh_type *type = cairn_gmsh_type_of(e->type);
        for (int p = 0; p < e->count && status == CAIRN_OK; p++) {
            int set = 0;
            status = set_of(b, file, type->dim, m->list.value[e->physical + p], &set);
            for (int a = 0; a < type->nodes && status == CAIRN_OK; a++) {
                int node = b->number[m->list.value[e->first + a]];
                if (node < 0)
                    continue;
                status = cairn_gmsh_push(m->context, &b->entry[0], set);
                if (status == CAIRN_OK)
                    status = cairn_gmsh_push(m->context, &b->entry[1], node);
            }
        }
    }
    return status;
}

static cairn_status name_sets(building *b) {
    static const char *const word[] = {"point", "curve", "surface", "volume"};
    cairn_gmsh *m = b->m;
    int sets = b->set_key[0].count;
    b->set_start = cairn_alloc(m->context, (size_t)sets + 2, sizeof *b->set_start);
    b->set_node = cairn_alloc(m->context, (size_t)b->entry[0].count, sizeof *b->set_node);
    b->text = cairn_alloc(m->context, (size_t)sets, sizeof *b->text);
    b->set_name = cairn_alloc(m->context, (size_t)sets, sizeof *b->set_name);
    if (b->set_start == NULL || b->set_node == NULL || b->text == NULL || b->set_name == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < b->entry[0].count; i++)
        b->set_start[b->entry[0].value[i] + 2]++;
    for (int s = 0; s < sets; s++)
        b->set_start[s + 2] += b->set_start[s + 1];
    for (int i = 0; i < b->entry[0].count; i++)
        b->set_node[b->set_start[b->entry[0].value[i] + 1]++] = b->entry[1].value[i];
    for (int s = 0; s < sets; s++) {
        int dim = b->set_key[0].value[s], tag = b->set_key[1].value[s];
        snprintf(b->text[s], sizeof b->text[s], "%s %d", word[dim], tag);
        for (int i = 0; i < m->names; i++)
            if (m->name[i].dim == dim && m->name[i].tag == tag)
                memcpy(b->text[s], m->name[i].text, sizeof b->text[s]);
        b->set_name[s] = b->text[s];
    }
    return CAIRN_OK;
}

/* group: from physical numbers to 0, 1, ... */
static void number_groups(building *b) {
    int seen[CAIRN_GMSH_GROUPS_MAX + 1], count = 0;
    for (int e = 0; e < b->elements; e++) {
        int g = 0;
        while (g < count && seen[g] != b->group[e])
            g++;
        if (g == count) /* there are no more than sets, and none */
            seen[count++] = b->group[e];
    }
    cairn_fem_sort(count, seen);
    for (int e = 0; e < b->elements; e++) {
        int g = 0;
        while (seen[g] != b->group[e])
            g++;
        b->group[e] = g;
    }
}

static cairn_status make(building *b, const char *file, cairn_fem_mesh **mesh) {
    cairn_gmsh *m = b->m;
    cairn_element_kind *kind = cairn_alloc(m->context, (size_t)b->elements, sizeof *kind);
    if (kind == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int e = 0; e < b->elements; e++)
        kind[e] = (cairn_element_kind)b->kind[e];
    cairn_fem_mesh_def def = cairn_default_fem_mesh_def();
    def.nodes = b->nodes;
    def.node = b->node;
    def.elements = b->elements;
    def.kind = kind;
    def.start = b->start;
    def.corner = b->corner;
    def.group = b->group;
    def.sets = b->set_key[0].count;
    def.set_name = b->set_name;
    def.set_start = b->set_start;
    def.set_node = b->set_node;
    cairn_fem_origin origin = {file, b->tag, b->line, b->origin_tag};
    cairn_status status = cairn_fem_mesh_create_from(m->context, &def, &origin, mesh);
    cairn_free(m->context, kind);
    return status == CAIRN_ERROR_ARGUMENT ? CAIRN_ERROR_PARSE : status;
}

cairn_status cairn_gmsh_build(cairn_gmsh *m, const char *file, double scale, cairn_fem_mesh **mesh) {
    building b = {.m = m};
    int count[4] = {0, 0, 0, 0};
    cairn_status status = sort_nodes(&b, file);
    if (status == CAIRN_OK)
        status = resolve(&b, file, count);
    if (status == CAIRN_OK)
        status = take_elements(&b, file);
    if (status == CAIRN_OK) {
        fill_elements(&b, scale);
        status = collect_sets(&b, file);
    }
    if (status == CAIRN_OK)
        status = name_sets(&b);
    if (status == CAIRN_OK) {
        number_groups(&b);
        status = make(&b, file, mesh);
    }
    void *arrays[] = {b.by_tag,
                      b.number,
                      b.origin_tag,
                      b.node,
                      b.kind,
                      b.start,
                      b.corner,
                      b.group,
                      b.tag,
                      b.line,
                      b.set_start,
                      b.set_node,
                      b.text,
                      (void *)b.set_name,
                      b.set_key[0].value,
                      b.set_key[1].value,
                      b.entry[0].value,
                      b.entry[1].value};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        cairn_free(m->context, arrays[i]);
    return status;
}
