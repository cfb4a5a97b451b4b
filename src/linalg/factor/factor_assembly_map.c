/*
 * factor_assembly_map.c: which blocks of A go to which panel, and to which places of its front.
 *
 * Entry (i, j) of A belongs to the panel of the earlier of its two rows. When that is j it goes
 * down column j of the front; else the front holds it transposed, in the second side when A is
 * unsymmetric. Symmetric: of (i, j) and (j, i) the one in A's lower triangle is read. Where all
 * columns of a vertex are alike, a piece is the whole block of two vertices; else it is a stretch
 * of one column. A block on the diagonal is copied whole: what falls above the diagonal of the
 * front is never read.
 */
#include "linalg/factor/factor_data.h"

typedef struct walk {
    cairn_factor *f;
    const cairn_pattern *a;
    int *at;     /* panels: number of pieces, or the next free one */
    int *column; /* of each piece, renumbered; NULL: only count */
} walk;

/* A piece: entry (i, j) of it belongs at row + i, col + j of P A P', or at row + j, col + i when
 * turned. */
static inline void put(walk *w, int panel, cairn_piece piece, int row, int col, bool turned) {
    int at = w->at[panel]++;
    if (w->column == NULL)
        return;
    piece.target = turned && !w->f->symmetric ? ~row : row;
    piece.cols = turned ? -piece.cols : piece.cols;
    w->f->piece[at] = piece;
    w->column[at] = col;
}

static void scan(walk *w, cairn_piece piece, int original_row) {
    if (w->column == NULL || w->f->symmetric)
        return;
    piece.target = original_row;
    w->f->scan[w->f->scans++] = piece;
}

/* The block of vertices u (rows) and v (columns), original numbers; it begins at source. */
static inline void put_block(walk *w, int u, int v, int source, int stride) {
    const cairn_pattern *a = w->a;
    int row = a->inverse[u], col = a->inverse[v];
    cairn_piece piece = {source, 0, cairn_vertex_rows(a, row), cairn_vertex_rows(a, col), stride};
    scan(w, piece, a->vertex_start[u]);
    if (w->f->symmetric && u < v)
        return;
    if (row >= col)
        put(w, a->panel_of[col], piece, a->begin[row], a->begin[col], false);
    if (row < col || (row == col && !w->f->symmetric))
        put(w, a->panel_of[row], piece, a->begin[col], a->begin[row], true);
}

static void walk_blocks(walk *w) {
    const cairn_pattern *a = w->a;
    for (int v = 0; v < a->vertices; v++) {
        int first = a->vertex_start[v], source = a->start[first], stride = a->start[first + 1] - source;
        bool met = false; /* v itself, which is not among its neighbours */
        for (int e = a->edge_start[v]; e < a->edge_start[v + 1] || !met;) {
            bool own = !met && (e == a->edge_start[v + 1] || a->edge[e] > v);
            int u = own ? v : a->edge[e++];
            met = met || own;
            put_block(w, u, v, source, stride);
            source += a->vertex_start[u + 1] - a->vertex_start[u];
        }
    }
}

/* One column: stretches, cut at the diagonal. */
static void walk_column(walk *w, int j) {
    const cairn_pattern *a = w->a;
    int v = a->vertex_of[j], col = a->inverse[v], new_col = a->begin[col] + j - a->vertex_start[v];
    for (int p = a->start[j], end = a->start[j + 1]; p < end;) {
        cairn_stretch s = cairn_pattern_stretch(a, p, end);
        int i = a->index[p], row = a->inverse[s.vertex], new_row = a->begin[row] + i - a->vertex_start[s.vertex];
        if (i < j && j - i < s.length)
            s.length = j - i;
        cairn_piece piece = {p, 0, s.length, 1, 0};
        p += s.length;
        scan(w, piece, i);
        if (w->f->symmetric && i < j)
            continue;
        if (new_row >= new_col)
            put(w, a->panel_of[col], piece, new_row, new_col, false);
        else
            put(w, a->panel_of[row], piece, new_col, new_row, true);
    }
}

static void walk_all(walk *w) {
    if (w->a->uniform)
        walk_blocks(w);
    for (int j = 0; j < w->a->n && !w->a->uniform; j++)
        walk_column(w, j);
}

size_t cairn_count_pieces(cairn_factor *f, const cairn_pattern *a, int *count) {
    walk w = {f, a, count, NULL};
    size_t total = 0;
    for (int s = 0; s < a->panels; s++)
        count[s] = 0;
    walk_all(&w);
    for (int s = 0; s < a->panels; s++)
        total += (size_t)count[s];
    return total;
}

void cairn_fill_pieces(cairn_factor *f, const cairn_pattern *a, const int *count, int *column) {
    walk w = {f, a, f->gather_start + 1, column};
    for (int s = 0, next = 0; s < a->panels; next += count[s], s++)
        f->gather_start[s + 1] = next; /* where panel s begins; filling moves it to where it ends */
    walk_all(&w);
}

void cairn_place_pieces(cairn_factor *f, int s, const int *place, const int *column) {
    int width = cairn_panel_width(f, s), ld = 4 * (cairn_quads(width) + cairn_quads(cairn_panel_below(f, s)));
    for (int q = f->gather_start[s]; q < f->gather_start[s + 1]; q++) {
        int row = f->piece[q].target, offset = (column[q] - f->first[s]) * ld;
        f->piece[q].target = row < 0 ? ~(place[~row] + offset) : place[row] + offset;
    }
}
