/*
 * record_gather_flexible.c: rows of flexible parts: skin, beams and elements once, places and
 * velocities of the nodes in every frame, stresses when asked for.
 */
#include "world/flexible/flexible.h"
#include "io/record/record_writer.h"

#include <math.h>

cairn_status cairn_record_know_part(cairn_record *r, int body, int nodes) {
    cairn_status status = cairn_world_grow(r->context, &r->part, r->parts, &r->part_capacity, r->parts + 1,
                                           sizeof *r->part);
    if (status != CAIRN_OK)
        return status;
    r->part[r->parts++] = (cairn_known_part){body, r->nodes, nodes};
    r->nodes += nodes;
    return CAIRN_OK;
}

/* The part of a row, NULL: it is gone. */
static const cairn_flex *find(const cairn_record *r, const cairn_world *w, const cairn_known_part *p) {
    cairn_known body = r->body[p->body];
    bool there = body.slot < (uint32_t)w->slots && w->slot[body.slot].generation == body.generation;
    return there ? w->slot[body.slot].flex : NULL;
}

void cairn_record_count_parts(cairn_record *r, const cairn_world *w, int first, int64_t *count) {
    count[CAIRN_ROW_PART] = r->parts - first;
    for (int i = first; i < r->parts; i++) {
        const cairn_flex *f = find(r, w, &r->part[i]);
        r->held = r->held || f->holds > 0;
        count[CAIRN_ROW_FACE] += f->part->view.faces;
        count[CAIRN_ROW_LINE] += f->rods.count;
        count[CAIRN_ROW_ELEMENT] += f->part->view.elements;
    }
    count[CAIRN_ROW_FRAME_NODE] = r->nodes;
    count[CAIRN_ROW_FRAME_STRESS] = r->stress ? r->nodes : 0;
    count[CAIRN_ROW_FRAME_HELD] = r->held ? r->nodes : 0;
}

/* The beams of a part: numbers of nodes from those of vectors. */
static void fill_lines(const cairn_flex *f, int32_t *line, double *radius) {
    const cairn_fem_mesh_view *m = &f->part->view;
    int at = 0;
    for (int e = 0; e < m->elements; e++) {
        if (m->kind[e] != CAIRN_ELEMENT_BEAM2)
            continue;
        line[2 * at] = m->corner[m->start[e]];
        line[2 * at + 1] = m->corner[m->start[e] + 1];
        radius[at] = f->rods.radius[at];
        at++;
    }
}

/* Kinds and nodes of the elements. */
static void fill_elements(const cairn_fem_mesh_view *m, int32_t *kind, int32_t *node) {
    for (int e = 0; e < m->elements; e++) {
        kind[e] = (int32_t)m->kind[e];
        for (int k = 0; k < CAIRN_ELEMENT_NODES; k++)
            node[CAIRN_ELEMENT_NODES * e + k] = m->start[e] + k < m->start[e + 1] ? m->corner[m->start[e] + k] : -1;
    }
}

static void fill_new(cairn_record *r, const cairn_world *w, int first) {
    void **field = r->rows.field;
    int64_t face = 0, line = 0, element = 0;
    for (int i = first; i < r->parts; i++) {
        const cairn_flex *f = find(r, w, &r->part[i]);
        const cairn_fem_mesh_view *m = &f->part->view;
        int row = i - first;
        ((int32_t *)field[CAIRN_F_PART_BODY])[row] = r->part[i].body;
        ((int64_t *)field[CAIRN_F_PART_NODE_FIRST])[row] = r->part[i].first;
        ((int32_t *)field[CAIRN_F_PART_NODE_COUNT])[row] = r->part[i].nodes;
        ((int64_t *)field[CAIRN_F_PART_FACE_FIRST])[row] = r->total[CAIRN_ROW_FACE] + face;
        ((int32_t *)field[CAIRN_F_PART_FACE_COUNT])[row] = m->faces;
        ((int64_t *)field[CAIRN_F_PART_LINE_FIRST])[row] = r->total[CAIRN_ROW_LINE] + line;
        ((int32_t *)field[CAIRN_F_PART_LINE_COUNT])[row] = f->rods.count;
        for (int k = 0; k < 3 * m->faces; k++)
            ((int32_t *)field[CAIRN_F_FACE])[3 * face + k] = m->face[k];
        fill_lines(f, (int32_t *)field[CAIRN_F_LINE] + 2 * line, (double *)field[CAIRN_F_LINE_RADIUS] + line);
        ((int64_t *)field[CAIRN_F_PART_ELEMENT_FIRST])[row] = r->total[CAIRN_ROW_ELEMENT] + element;
        ((int32_t *)field[CAIRN_F_PART_ELEMENT_COUNT])[row] = m->elements;
        fill_elements(m, (int32_t *)field[CAIRN_F_ELEMENT_KIND] + element,
                      (int32_t *)field[CAIRN_F_ELEMENT_NODE] + CAIRN_ELEMENT_NODES * element);
        element += m->elements;
        face += m->faces;
        line += f->rods.count;
    }
}

/* What holds the nodes of a part; NAN: it is gone. */
static void fill_reaction(const cairn_flex *f, int nodes, double *reaction) {
    for (int k = 0; k < 3 * nodes; k++)
        reaction[k] = f == NULL ? NAN : f->holds > 0 ? f->reaction[3 * f->part->view.vector[k / 3] + k % 3] : 0.0;
}

void cairn_record_fill_parts(cairn_record *r, const cairn_world *w, int first) {
    fill_new(r, w, first);
    for (int i = 0; i < r->parts; i++) {
        const cairn_known_part *p = &r->part[i];
        const cairn_flex *f = find(r, w, p);
        double *position = (double *)r->rows.field[CAIRN_F_NODE_POSITION] + 3 * p->first;
        double *velocity = (double *)r->rows.field[CAIRN_F_NODE_VELOCITY] + 3 * p->first;
        double *mises = r->stress ? (double *)r->rows.field[CAIRN_F_NODE_MISES] + p->first : NULL;
        for (int k = 0; k < p->nodes; k++)
            for (int c = 0; c < 3; c++) {
                int at = f != NULL ? 3 * f->part->view.vector[k] + c : 0;
                position[3 * k + c] = f != NULL ? f->part->x[at] : NAN;
                velocity[3 * k + c] = f != NULL ? f->part->v[at] : NAN;
            }
        if (r->held)
            fill_reaction(f, p->nodes, (double *)r->rows.field[CAIRN_F_NODE_REACTION] + 3 * p->first);
        if (mises != NULL && f != NULL)
            cairn_flex_mises(f, mises);
        for (int k = 0; k < p->nodes && mises != NULL && f == NULL; k++)
            mises[k] = NAN;
    }
}
