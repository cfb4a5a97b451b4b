/*
 * scene_mesh_warnings.c: what may not be meant in the mesh and the material of a flexible part:
 * pieces that are not joined, elements that lock.
 */
#include "io/scene/scene_data.h"

#include <math.h>

#define BENDS_LONG   4.0 /* length over width from which a part is seen as a beam or plate */
#define BENDS_ACROSS 3.5 /* linear tetrahedra across it that are too few */
#define TET4_LOCKS   0.45

/* Linear tetrahedra are too stiff in bending: a note where a long part has few of them across
 * its least width. How many there are is measured along that axis. */
static void note_bending(cairn_reader *r, const cairn_json *v, const cairn_fem_mesh *mesh) {
    cairn_fem_mesh_view m = cairn_fem_mesh_get(mesh);
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY}, mean[3] = {0.0};
    for (int e = 0; e < m.elements; e++) {
        const int *node = m.corner + m.start[e];
        if (m.kind[e] != CAIRN_ELEMENT_TET4)
            return;
        double least[3] = {INFINITY, INFINITY, INFINITY}, most[3] = {-INFINITY, -INFINITY, -INFINITY};
        for (int k = 0; k < 4; k++)
            for (int a = 0; a < 3; a++) {
                const cairn_vec3 p = m.node[node[k]];
                double x = a == 0 ? p.x : a == 1 ? p.y : p.z;
                least[a] = fmin(least[a], x);
                most[a] = fmax(most[a], x);
            }
        for (int a = 0; a < 3; a++) {
            low[a] = fmin(low[a], least[a]);
            high[a] = fmax(high[a], most[a]);
            mean[a] += (most[a] - least[a]) / m.elements;
        }
    }
    int thin = 0;
    double length = 0.0;
    for (int a = 0; a < 3; a++) {
        thin = high[a] - low[a] < high[thin] - low[thin] ? a : thin;
        length = fmax(length, high[a] - low[a]);
    }
    double width = high[thin] - low[thin], across = width / mean[thin];
    if (length > BENDS_LONG * width && across < BENDS_ACROSS)
        cairn_reader_note(r, v,
                          "about %.0f linear tetrahedra across a part %.2g times as long as thin: it bends too little "
                          "(two across: by a third); the elements hex8 and tet10 bend as they should",
                          across, length / width);
}

/* Pieces of one mesh are one part, whose surface does not touch itself: they pass through each
 * other. */
static void note_pieces(cairn_reader *r, const cairn_json *v, const cairn_fem_mesh_view *m) {
    if (m->twins > 0 && m->pieces > 1)
        cairn_reader_note(
            r, v,
            "the mesh has %d pieces that share no node, and %d nodes at the place of another: where they meet they are "
            "not "
            "joined, and pass through each other; merge these nodes (Gmsh: Coherence Mesh), or make each piece a "
            "part of its own",
            m->pieces, m->twins);
    else if (m->pieces > 1)
        cairn_reader_note(
            r, v,
            "the mesh has %d pieces that share no node: they move apart from each other, and pass through "
            "each other; make each a part of its own, or join them",
            m->pieces);
    else if (m->twins > 0)
        cairn_reader_note(r, v,
                          "%d nodes of the mesh lie at the place of another: there is a slit, whose sides pass through "
                          "each other; merge them if it is not meant (Gmsh: Coherence Mesh)",
                          m->twins);
}

/* Linear tetrahedra lock where the material hardly changes its volume; hex8 and tet10 have
 * pressures of their own there (fem/element/element_pressure.h). */
static void note_locking(cairn_reader *r, const cairn_json *v, const cairn_fem_mesh_view *m,
                         const cairn_flexible_def *def) {
    for (int e = 0; e < m->elements; e++) {
        double nu = def->elastic[m->group[e]].nu;
        if (m->kind[e] == CAIRN_ELEMENT_TET4 && def->elastic[m->group[e]].yield == 0.0 && nu > TET4_LOCKS) {
            cairn_reader_note(r, v,
                              "nu is %.4g: linear tetrahedra are too stiff where the volume hardly changes "
                              "(docs/which-element.md); take hex8 or tet10, or a nu of 0.45 at most",
                              nu);
            return;
        }
    }
}

void cairn_reader_doubt_part(cairn_reader *r, const cairn_json *v, const cairn_flexible_def *def) {
    cairn_fem_mesh_view m = cairn_fem_mesh_get(def->mesh);
    const cairn_json *mesh = cairn_json_member(v, "mesh"), *elastic = cairn_json_member(v, "elastic");
    note_bending(r, mesh, def->mesh);
    note_pieces(r, mesh, &m);
    note_locking(r, elastic != NULL ? elastic : v, &m, def);
}
