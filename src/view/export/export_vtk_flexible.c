/*
 * export_vtk_flexible.c: flexible parts as VTK sees them: elements as cells, displacements since
 * the beginning.
 *
 * The nodes of VTK_TETRA (10), VTK_QUADRATIC_TETRA (24), VTK_HEXAHEDRON (12) and VTK_LINE (3) stand
 * in the order of fem.h.
 */
#include "view/export/export_vtk.h"

#include <math.h>

/* By cairn_element_kind. */
static const struct {
    unsigned char type, nodes;
} cell[] = {[CAIRN_ELEMENT_TET4] = {10, 4},
            [CAIRN_ELEMENT_TET10] = {24, 10},
            [CAIRN_ELEMENT_HEX8] = {12, 8},
            [CAIRN_ELEMENT_BEAM2] = {CAIRN_VTK_LINE, 2}};

static void add_cell(cairn_part_cells *c, unsigned char type, int nodes, const int *node, double radius) {
    for (int k = 0; k < nodes; k++) {
        int64_t corner = node[k];
        cairn_bytes_add(&c->corner, &corner, sizeof corner);
    }
    int64_t end = (int64_t)(c->corner.size / sizeof(int64_t));
    cairn_bytes_add(&c->end, &end, sizeof end);
    cairn_bytes_add(&c->type, &type, 1);
    cairn_bytes_add(&c->radius, &radius, sizeof radius);
}

/* false: an element that VTK does not have. */
static bool add_cells(cairn_part_cells *c, const cairn_recorded_part *part) {
    int line = 0;
    for (int e = 0; e < part->elements; e++) {
        if ((size_t)part->kind[e] >= sizeof cell / sizeof *cell)
            return false;
        double radius = part->kind[e] == CAIRN_ELEMENT_BEAM2 && line < part->lines ? part->radius[line++] : 0.0;
        add_cell(c, cell[part->kind[e]].type, cell[part->kind[e]].nodes,
                 part->element + (ptrdiff_t)CAIRN_ELEMENT_NODES * e, radius);
    }
    for (int i = 0; part->elements == 0 && i < part->faces; i++)
        add_cell(c, CAIRN_VTK_TRIANGLE, 3, part->face + (ptrdiff_t)3 * i, 0.0);
    for (int i = 0; part->elements == 0 && i < part->lines; i++)
        add_cell(c, CAIRN_VTK_LINE, 2, part->line + (ptrdiff_t)2 * i, part->radius[i]);
    return true;
}

/* Places of nodes in the first frame that has them. Looks no further than it must. */
static cairn_status find_starts(cairn_recording *recording, int nodes, cairn_parts *parts) {
    int missing = nodes;
    int64_t frames = cairn_recording_get(recording).frames;
    for (int i = 0; i < 3 * nodes; i++)
        parts->start[i] = NAN;
    for (int64_t k = 0; k < frames && (missing > 0 || k == 0); k++) {
        cairn_frame f;
        cairn_status status = cairn_recording_frame(recording, k, &f);
        if (status != CAIRN_OK)
            return status;
        parts->stress = parts->stress || f.node_mises != NULL;
        for (int i = 0; i < f.nodes && i < nodes; i++) {
            if (!isnan(parts->start[3 * i]) || isnan(f.node_position[3 * i]))
                continue;
            for (int c = 0; c < 3; c++)
                parts->start[3 * i + c] = f.node_position[3 * i + c];
            missing--;
        }
    }
    return CAIRN_OK;
}

cairn_status cairn_parts_make(cairn_recording *recording, cairn_parts *parts) {
    cairn_recording_info info = cairn_recording_get(recording);
    int64_t nodes = 0;
    *parts = (cairn_parts){.context = cairn_recording_context(recording)};
    if (info.parts == 0)
        return CAIRN_OK;
    parts->item = cairn_alloc(parts->context, (size_t)info.parts, sizeof *parts->item);
    if (parts->item == NULL)
        return CAIRN_ERROR_MEMORY;
    parts->count = info.parts;
    for (int i = 0; i < info.parts; i++) {
        cairn_recorded_part part;
        cairn_part_cells *c = &parts->item[i];
        cairn_status status = cairn_recording_part(recording, i, &part);
        if (status != CAIRN_OK)
            return status;
        c->corner.context = c->end.context = c->type.context = c->radius.context = parts->context;
        if (!add_cells(c, &part))
            return cairn_fail(parts->context, CAIRN_ERROR_UNSUPPORTED,
                              "flexible part %d has elements that VTK does not have", i);
        if (c->corner.failed || c->end.failed || c->type.failed || c->radius.failed)
            return CAIRN_ERROR_MEMORY;
        nodes = part.first + part.nodes;
    }
    parts->start = cairn_alloc(parts->context, 3 * (size_t)nodes, sizeof *parts->start);
    return parts->start != NULL ? find_starts(recording, (int)nodes, parts) : CAIRN_ERROR_MEMORY;
}

void cairn_parts_free(cairn_parts *parts) {
    for (int i = 0; i < parts->count; i++) {
        cairn_bytes_free(&parts->item[i].corner);
        cairn_bytes_free(&parts->item[i].end);
        cairn_bytes_free(&parts->item[i].type);
        cairn_bytes_free(&parts->item[i].radius);
    }
    cairn_free(parts->context, parts->item);
    cairn_free(parts->context, parts->start);
    *parts = (cairn_parts){0};
}

bool cairn_part_present(const cairn_frame *f, const cairn_recorded_part *part) {
    return part->nodes > 0 && part->first + part->nodes <= f->nodes && !isnan(f->node_position[3 * part->first]);
}

void cairn_part_displacement(const cairn_parts *parts, const cairn_frame *f, const cairn_recorded_part *part,
                             cairn_bytes *out) {
    out->size = 0;
    for (int64_t i = 3 * part->first; i < 3 * (part->first + part->nodes); i++) {
        double way = f->node_position[i] - parts->start[i];
        cairn_bytes_add(out, &way, sizeof way);
    }
}

void cairn_part_speed(const cairn_frame *f, const cairn_recorded_part *part, cairn_bytes *out) {
    out->size = 0;
    for (int64_t i = part->first; i < part->first + part->nodes; i++) {
        const double *v = f->node_velocity + 3 * i;
        double speed = hypot(hypot(v[0], v[1]), v[2]);
        cairn_bytes_add(out, &speed, sizeof speed);
    }
}
