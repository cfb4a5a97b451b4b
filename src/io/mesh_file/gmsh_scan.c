/*
 * gmsh_scan.c: the sections of a Gmsh file, versions 2.2 and 4.1, as text. Others than those below
 * are skipped up to their end.
 *
 *     $MeshFormat  $PhysicalNames  $Entities (4.1)  $Nodes  $Elements
 *
 * No count is believed before the text has room for it.
 */
#include "io/mesh_file/gmsh.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static const cairn_gmsh_type types[] = {
    {"", 0, 0, -2},
    {"2-node line", 1, 2, CAIRN_ELEMENT_BEAM2},
    {"3-node triangle", 2, 3, -1},
    {"4-node quadrangle", 2, 4, -1},
    {"4-node tetrahedron", 3, 4, CAIRN_ELEMENT_TET4},
    {"8-node hexahedron", 3, 8, CAIRN_ELEMENT_HEX8},
    {"6-node prism", 3, 6, -2},
    {"5-node pyramid", 3, 5, -2},
    {"3-node line", 1, 3, -1},
    {"6-node triangle", 2, 6, -1},
    {"9-node quadrangle", 2, 9, -1},
    {"10-node tetrahedron", 3, 10, CAIRN_ELEMENT_TET10},
    {"27-node hexahedron", 3, 27, -2},
    {"18-node prism", 3, 18, -2},
    {"14-node pyramid", 3, 14, -2},
    {"point", 0, 1, -1},
    {"8-node quadrangle", 2, 8, -1},
    {"20-node hexahedron", 3, 20, -2},
    {"15-node prism", 3, 15, -2},
    {"13-node pyramid", 3, 13, -2},
};

const cairn_gmsh_type *cairn_gmsh_type_of(int number) {
    return number >= 1 && number < (int)(sizeof types / sizeof types[0]) ? &types[number] : NULL;
}

cairn_status cairn_gmsh_push(cairn_context *context, cairn_gmsh_ints *list, int value) {
    if (list->count == list->room) {
        if (list->room > INT_MAX / 2)
            return cairn_fail(context, CAIRN_ERROR_MEMORY, "out of memory: a list of more than %d numbers", list->room);
        int room = list->room > 0 ? 2 * list->room : 256;
        int *larger = cairn_alloc_raw(context, (size_t)room, sizeof *larger);
        if (larger == NULL)
            return CAIRN_ERROR_MEMORY;
        if (list->count > 0)
            memcpy(larger, list->value, (size_t)list->count * sizeof *larger);
        cairn_free(context, list->value);
        list->value = larger;
        list->room = room;
    }
    list->value[list->count++] = value;
    return CAIRN_OK;
}

void cairn_gmsh_clear(cairn_gmsh *m) {
    cairn_free(m->context, m->node_tag);
    cairn_free(m->context, m->node);
    cairn_free(m->context, m->element);
    cairn_free(m->context, m->entity);
    cairn_free(m->context, m->name);
    cairn_free(m->context, m->list.value);
}

/* The next count whole numbers from low on go to the list. */
static cairn_status push_ints(cairn_gmsh *m, const char *what, int low, int count) {
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < count && status == CAIRN_OK; i++) {
        int value = 0;
        status = cairn_scan_int(&m->scan, what, low, INT_MAX, &value);
        if (status == CAIRN_OK)
            status = cairn_gmsh_push(m->context, &m->list, value < 0 ? -value : value);
    }
    return status;
}

static cairn_status count_of(cairn_gmsh *m, const char *what, int size, int *count) {
    cairn_status status = cairn_scan_int(&m->scan, what, 0, INT_MAX, count);
    return status == CAIRN_OK ? cairn_scan_room(&m->scan, what, *count, size) : status;
}

/* ---- sections ---- */

static cairn_status read_format(cairn_gmsh *m) {
    int kind = 0, size = 0;
    cairn_status status = cairn_scan_word(&m->scan);
    if (status != CAIRN_OK)
        return status;
    m->version4 = strcmp(m->scan.word, "4.1") == 0;
    if (!m->version4 && strcmp(m->scan.word, "2.2") != 0)
        return cairn_scan_bad(&m->scan, CAIRN_ERROR_UNSUPPORTED, "Gmsh format %.20s; 2.2 and 4.1 are read",
                              m->scan.word);
    status = cairn_scan_int(&m->scan, "kind of file", 0, 1, &kind);
    if (status == CAIRN_OK && kind == 1)
        return cairn_scan_bad(
            &m->scan, CAIRN_ERROR_UNSUPPORTED,
            "a binary Gmsh file; only text is read. Save it as text: gmsh -0 old.msh -format msh41 -o "
            "new.msh, or Mesh.Binary = 0");
    return status == CAIRN_OK ? cairn_scan_int(&m->scan, "size of a number", 1, 16, &size) : status;
}

/* "text" of a physical group: on the line of the tag. */
static cairn_status read_quoted(cairn_gmsh *m, char *text, size_t size) {
    cairn_scan *s = &m->scan;
    size_t length = 0;
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\t'))
        s->at++;
    if (s->at == s->end || *s->at != '"')
        return cairn_scan_bad(s, CAIRN_ERROR_PARSE, "name of a physical group: expected it in double quotes");
    for (s->at++; s->at < s->end && *s->at != '"'; s->at++) {
        if ((unsigned char)*s->at < ' ' || length + 1 == size)
            return cairn_scan_bad(s, CAIRN_ERROR_PARSE,
                                  "name of a physical group: expected at most %zu letters and a closing quote",
                                  size - 1);
        text[length++] = *s->at;
    }
    if (s->at == s->end)
        return cairn_scan_bad(s, CAIRN_ERROR_PARSE, "name of a physical group: the file ends inside it");
    s->at++;
    return CAIRN_OK;
}

static cairn_status read_names(cairn_gmsh *m) {
    int count = 0;
    cairn_status status = count_of(m, "number of physical names", 6, &count);
    if (status == CAIRN_OK && m->name != NULL)
        status = cairn_scan_bad(&m->scan, CAIRN_ERROR_PARSE, "a second $PhysicalNames");
    if (status != CAIRN_OK)
        return status;
    m->name = cairn_alloc(m->context, (size_t)count, sizeof *m->name);
    if (m->name == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < count && status == CAIRN_OK; i++) {
        cairn_gmsh_name *name = &m->name[i];
        status = cairn_scan_int(&m->scan, "dimension of a physical group", 0, 3, &name->dim);
        if (status == CAIRN_OK)
            status = cairn_scan_int(&m->scan, "number of a physical group", 0, INT_MAX, &name->tag);
        if (status == CAIRN_OK)
            status = read_quoted(m, name->text, sizeof name->text);
        m->names += status == CAIRN_OK;
    }
    return status;
}

static cairn_status read_entity(cairn_gmsh *m, int dim, cairn_gmsh_entity *e) {
    double skipped = 0.0;
    int bounds = 0;
    e->dim = dim;
    cairn_status status = cairn_scan_int(&m->scan, "tag of an entity", INT_MIN + 1, INT_MAX, &e->tag);
    for (int i = 0; i < (dim == 0 ? 3 : 6) && status == CAIRN_OK; i++)
        status = cairn_scan_real(&m->scan, "bounds of an entity", &skipped);
    if (status == CAIRN_OK)
        status = count_of(m, "number of physical groups", 2, &e->count);
    e->first = m->list.count;
    if (status == CAIRN_OK)
        status = push_ints(m, "physical group", INT_MIN + 1, e->count);
    if (dim == 0 || status != CAIRN_OK)
        return status;
    status = count_of(m, "number of bounding entities", 2, &bounds);
    for (int i = 0; i < bounds && status == CAIRN_OK; i++)
        status = cairn_scan_word(&m->scan);
    return status;
}

static cairn_status read_entities(cairn_gmsh *m) {
    int count[4] = {0, 0, 0, 0};
    int64_t all = 0;
    cairn_status status = CAIRN_OK;
    for (int dim = 0; dim < 4 && status == CAIRN_OK; dim++) {
        status = count_of(m, "number of entities", 10, &count[dim]);
        all += count[dim];
    }
    if (status == CAIRN_OK)
        status = cairn_scan_room(&m->scan, "entities", all, 10);
    if (status == CAIRN_OK && m->entity != NULL)
        status = cairn_scan_bad(&m->scan, CAIRN_ERROR_PARSE, "a second $Entities");
    if (status != CAIRN_OK)
        return status;
    m->entity = cairn_alloc(m->context, (size_t)all, sizeof *m->entity);
    if (m->entity == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int dim = 0; dim < 4; dim++)
        for (int i = 0; i < count[dim] && status == CAIRN_OK; i++) {
            status = read_entity(m, dim, &m->entity[m->entities]);
            m->entities += status == CAIRN_OK;
        }
    return status;
}

static cairn_status read_place(cairn_gmsh *m, int numbers, cairn_vec3 *place) {
    double x[6] = {0.0};
    cairn_status status = CAIRN_OK;
    for (int i = 0; i < numbers && status == CAIRN_OK; i++)
        status = cairn_scan_real(&m->scan, "place of a node", &x[i]);
    *place = cairn_vec3_of(x[0], x[1], x[2]);
    return status;
}

static cairn_status take_nodes(cairn_gmsh *m, int count) {
    if (m->node != NULL)
        return cairn_scan_bad(&m->scan, CAIRN_ERROR_PARSE, "a second $Nodes");
    m->node_tag = cairn_alloc(m->context, (size_t)count, sizeof *m->node_tag);
    m->node = cairn_alloc(m->context, (size_t)count, sizeof *m->node);
    return m->node_tag != NULL && m->node != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

static cairn_status read_nodes2(cairn_gmsh *m) {
    int count = 0;
    cairn_status status = count_of(m, "number of nodes", 8, &count);
    if (status == CAIRN_OK)
        status = take_nodes(m, count);
    for (int i = 0; i < count && status == CAIRN_OK; i++) {
        status = cairn_scan_int(&m->scan, "number of a node", 1, INT_MAX, &m->node_tag[i]);
        if (status == CAIRN_OK)
            status = read_place(m, 3, &m->node[i]);
        m->nodes += status == CAIRN_OK;
    }
    return status;
}

/* Heads of $Nodes and $Elements of 4.1: blocks, items, smallest and largest tag. */
static cairn_status read_head4(cairn_gmsh *m, const char *what, int size, int *blocks, int *count) {
    cairn_status status = count_of(m, "number of blocks", 2, blocks);
    if (status == CAIRN_OK)
        status = count_of(m, what, size, count);
    for (int i = 0; i < 2 && status == CAIRN_OK; i++)
        status = cairn_scan_word(&m->scan);
    return status;
}

static cairn_status read_nodes4(cairn_gmsh *m) {
    int blocks = 0, count = 0;
    cairn_status status = read_head4(m, "number of nodes", 8, &blocks, &count);
    if (status == CAIRN_OK)
        status = take_nodes(m, count);
    for (int b = 0; b < blocks && status == CAIRN_OK; b++) {
        int dim = 0, entity = 0, parametric = 0, mine = 0;
        status = cairn_scan_int(&m->scan, "dimension of a block", 0, 3, &dim);
        if (status == CAIRN_OK)
            status = cairn_scan_int(&m->scan, "entity of a block", INT_MIN, INT_MAX, &entity);
        if (status == CAIRN_OK)
            status = cairn_scan_int(&m->scan, "parametric", 0, 1, &parametric);
        if (status == CAIRN_OK)
            status = cairn_scan_int(&m->scan, "number of nodes of a block", 0, count - m->nodes, &mine);
        for (int i = 0; i < mine && status == CAIRN_OK; i++)
            status = cairn_scan_int(&m->scan, "number of a node", 1, INT_MAX, &m->node_tag[m->nodes + i]);
        for (int i = 0; i < mine && status == CAIRN_OK; i++)
            status = read_place(m, 3 + (parametric ? dim : 0), &m->node[m->nodes + i]);
        m->nodes += status == CAIRN_OK ? mine : 0;
    }
    if (status == CAIRN_OK && m->nodes != count)
        status = cairn_scan_bad(&m->scan, CAIRN_ERROR_PARSE, "%d nodes announced, %d are there", count, m->nodes);
    return status;
}

static cairn_status take_elements(cairn_gmsh *m, int count) {
    if (m->element != NULL)
        return cairn_scan_bad(&m->scan, CAIRN_ERROR_PARSE, "a second $Elements");
    m->element = cairn_alloc(m->context, (size_t)count, sizeof *m->element);
    return m->element != NULL ? CAIRN_OK : CAIRN_ERROR_MEMORY;
}

static cairn_status check_type(cairn_gmsh *m, int type) {
    const cairn_gmsh_type *known = cairn_gmsh_type_of(type);
    if (known == NULL)
        return cairn_scan_bad(
            &m->scan, CAIRN_ERROR_UNSUPPORTED,
            "element type %d of Gmsh is not known; tetrahedra (4, 11), hexahedra (5) and lines (1) are read", type);
    if (known->kind == -2)
        return cairn_scan_bad(
            &m->scan, CAIRN_ERROR_UNSUPPORTED,
            "a %s (element type %d of Gmsh); tetrahedra of 4 and 10 nodes, hexahedra of 8 and lines of 2 are read",
            known->name, type);
    return CAIRN_OK;
}

/* The nodes of an element; what it is has been set. */
static cairn_status read_corners(cairn_gmsh *m, cairn_gmsh_element *e) {
    e->line = m->scan.word_line;
    e->first = m->list.count;
    return push_ints(m, "node of an element", 1, cairn_gmsh_type_of(e->type)->nodes);
}

static cairn_status read_elements2(cairn_gmsh *m) {
    int count = 0;
    cairn_status status = count_of(m, "number of elements", 6, &count);
    if (status == CAIRN_OK)
        status = take_elements(m, count);
    for (int i = 0; i < count && status == CAIRN_OK; i++) {
        cairn_gmsh_element *e = &m->element[i];
        int tags = 0;
        status = cairn_scan_int(&m->scan, "number of an element", 0, INT_MAX, &e->tag);
        if (status == CAIRN_OK)
            status = cairn_scan_int(&m->scan, "type of an element", INT_MIN, INT_MAX, &e->type);
        if (status == CAIRN_OK)
            status = check_type(m, e->type);
        if (status == CAIRN_OK)
            status = count_of(m, "number of tags", 2, &tags);
        e->physical = m->list.count;
        if (status == CAIRN_OK)
            status = push_ints(m, "tag of an element", INT_MIN + 1, tags);
        if (status == CAIRN_OK) /* the first tag is the physical group, 0: none */
            e->count = tags > 0 && m->list.value[e->physical] != 0 ? 1 : 0;
        if (status == CAIRN_OK)
            status = read_corners(m, e);
        m->elements += status == CAIRN_OK;
    }
    return status;
}

static const cairn_gmsh_entity *entity_of(const cairn_gmsh *m, int dim, int tag) {
    for (int i = 0; i < m->entities; i++)
        if (m->entity[i].dim == dim && m->entity[i].tag == tag)
            return &m->entity[i];
    return NULL;
}

static cairn_status read_block4(cairn_gmsh *m, int count) {
    int dim = 0, tag = 0, type = 0, mine = 0;
    cairn_status status = cairn_scan_int(&m->scan, "dimension of a block", 0, 3, &dim);
    if (status == CAIRN_OK)
        status = cairn_scan_int(&m->scan, "entity of a block", INT_MIN, INT_MAX, &tag);
    if (status == CAIRN_OK)
        status = cairn_scan_int(&m->scan, "type of an element", INT_MIN, INT_MAX, &type);
    if (status == CAIRN_OK)
        status = check_type(m, type);
    if (status == CAIRN_OK)
        status = cairn_scan_int(&m->scan, "number of elements of a block", 0, count - m->elements, &mine);
    const cairn_gmsh_entity *entity = status == CAIRN_OK ? entity_of(m, dim, tag) : NULL;
    for (int i = 0; i < mine && status == CAIRN_OK; i++) {
        cairn_gmsh_element *e = &m->element[m->elements];
        e->type = type;
        e->physical = entity != NULL ? entity->first : 0;
        e->count = entity != NULL ? entity->count : 0;
        status = cairn_scan_int(&m->scan, "number of an element", 0, INT_MAX, &e->tag);
        if (status == CAIRN_OK)
            status = read_corners(m, e);
        m->elements += status == CAIRN_OK;
    }
    return status;
}

static cairn_status read_elements4(cairn_gmsh *m) {
    int blocks = 0, count = 0;
    cairn_status status = read_head4(m, "number of elements", 4, &blocks, &count);
    if (status == CAIRN_OK)
        status = take_elements(m, count);
    for (int b = 0; b < blocks && status == CAIRN_OK; b++)
        status = read_block4(m, count);
    if (status == CAIRN_OK && m->elements != count)
        status = cairn_scan_bad(&m->scan, CAIRN_ERROR_PARSE, "%d elements announced, %d are there", count, m->elements);
    return status;
}

/* ---- all of it ---- */

/* Reads on to $EndNAME. */
static cairn_status skip_section(cairn_gmsh *m, const char *name) {
    char end[80];
    int line = m->scan.word_line;
    snprintf(end, sizeof end, "$End%s", name + 1);
    for (;;) {
        cairn_scan *s = &m->scan;
        while (s->at < s->end && *s->at != '$') {
            s->line += *s->at == '\n';
            s->at++;
        }
        if (s->at == s->end)
            return cairn_scan_bad(s, CAIRN_ERROR_PARSE, "%.40s of line %d has no end", name, line);
        cairn_status status = cairn_scan_word(s);
        if (status != CAIRN_OK || strcmp(s->word, end) == 0)
            return status;
    }
}

cairn_status cairn_gmsh_scan(cairn_gmsh *m) {
    static const struct {
        const char *name, *end;
        cairn_status (*read[2])(cairn_gmsh *m); /* version 2.2, 4.1 */
    } sections[] = {{"$PhysicalNames", "$EndPhysicalNames", {read_names, read_names}},
                    {"$Entities", "$EndEntities", {NULL, read_entities}},
                    {"$Nodes", "$EndNodes", {read_nodes2, read_nodes4}},
                    {"$Elements", "$EndElements", {read_elements2, read_elements4}}};
    cairn_status status = cairn_scan_expect(&m->scan, "$MeshFormat");
    if (status != CAIRN_OK)
        return cairn_scan_bad(&m->scan, CAIRN_ERROR_PARSE, "found %.20s, expected $MeshFormat: this is no Gmsh mesh",
                              m->scan.word[0] != '\0' ? m->scan.word : "the end of the file");
    status = read_format(m);
    if (status == CAIRN_OK)
        status = cairn_scan_expect(&m->scan, "$EndMeshFormat");
    while (status == CAIRN_OK) {
        status = cairn_scan_word(&m->scan);
        if (status != CAIRN_OK || m->scan.word[0] == '\0')
            break;
        if (m->scan.word[0] != '$')
            return cairn_scan_bad(&m->scan, CAIRN_ERROR_PARSE, "found %.40s, expected a section such as $Nodes",
                                  m->scan.word);
        size_t i = 0, count = sizeof sections / sizeof sections[0];
        while (i < count && (strcmp(m->scan.word, sections[i].name) != 0 || sections[i].read[m->version4] == NULL))
            i++;
        if (i < count) {
            status = sections[i].read[m->version4](m);
            if (status == CAIRN_OK)
                status = cairn_scan_expect(&m->scan, sections[i].end);
        } else {
            char name[64];
            snprintf(name, sizeof name, "%s", m->scan.word);
            status = skip_section(m, name);
        }
    }
    return status;
}
