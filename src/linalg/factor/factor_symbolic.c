/*
 * factor_symbolic.c: elimination tree, column counts, postorder and panels of L, before any number
 * is known.
 *
 * parent[j] is the first row below the diagonal of column j of L. Row i of L has an entry in column
 * k exactly when k lies on the path in the tree from some neighbour j < i of i to i. References: J.
 * Liu, SIAM J. Matrix Anal. Appl. 11 (1990); for panels (supernodes) and their merging, C. Ashcraft
 * and R. Grimes, ACM TOMS 15 (1989).
 *
 * All of it on vertices (factor_order.c) that count as dense blocks: a vertex of w rows has columns
 * of count, count-1, ... entries. Every function takes the renumbering in order and inverse and
 * never builds the renumbered graph.
 */
#include "linalg/factor/factor_data.h"

double cairn_pattern_tree(cairn_pattern *a) {
    int v = a->vertices, *ancestor = a->work, *mark = ancestor + v;
    a->begin[0] = 0;
    for (int k = 0; k < v; k++) {
        a->inverse[a->order[k]] = k;
        a->begin[k + 1] = a->begin[k] + a->vertex_start[a->order[k] + 1] - a->vertex_start[a->order[k]];
    }
    for (int i = 0; i < v; i++) { /* with shortcuts to the highest known ancestor */
        a->parent[i] = ancestor[i] = -1;
        const int original = a->order[i];
        for (int p = a->edge_start[original]; p < a->edge_start[original + 1]; p++) {
            int k = a->inverse[a->edge[p]];
            while (k >= 0 && k < i) {
                int up = ancestor[k];
                ancestor[k] = i;
                if (up < 0)
                    a->parent[k] = i;
                k = up;
            }
        }
    }
    for (int i = 0; i < v; i++) { /* the counts by walking every row's paths: O(blocks of L) */
        int rows = cairn_vertex_rows(a, i);
        a->count[i] = rows;
        mark[i] = i;
        const int original = a->order[i];
        for (int p = a->edge_start[original]; p < a->edge_start[original + 1]; p++)
            for (int k = a->inverse[a->edge[p]]; k < i && mark[k] != i; k = a->parent[k]) {
                mark[k] = i;
                a->count[k] += rows;
            }
    }
    double cost = 0.0;
    for (int k = 0; k < v; k++)
        cost += 0.5 * cairn_vertex_rows(a, k) * (double)a->count[k] * a->count[k];
    return cost;
}

/* post[k]: the k-th vertex in postorder. Among children the one with the fullest column comes
 * last: it stands next to its parent and can be merged with it. head, sibling, stack: one entry
 * a vertex. */
static void postorder(const cairn_pattern *a, int *post, int *head, int *sibling, int *stack) {
    for (int j = 0; j < a->vertices; j++)
        head[j] = sibling[j] = -1;
    for (int j = 0; j < a->vertices; j++) {
        int up = a->parent[j];
        if (up >= 0 && (head[up] < 0 || a->count[j] >= a->count[head[up]]))
            head[up] = j;
    }
    int *fullest = stack;
    for (int j = 0; j < a->vertices; j++)
        fullest[j] = head[j];
    for (int j = a->vertices - 1; j >= 0; j--) {
        int up = a->parent[j];
        if (up >= 0 && fullest[up] != j) {
            sibling[j] = head[up];
            head[up] = j;
        }
    }
    int k = 0;
    for (int root = 0; root < a->vertices; root++) {
        if (a->parent[root] >= 0)
            continue;
        int depth = 0;
        stack[depth++] = root;
        while (depth > 0) {
            int j = stack[depth - 1];
            if (head[j] < 0) {
                post[k++] = j;
                depth--;
            } else {
                stack[depth++] = head[j];
                head[j] = sibling[head[j]];
            }
        }
    }
}

void cairn_pattern_postorder(cairn_pattern *a) {
    int n = a->vertices;
    int *post = a->work, *head = post + n, *sibling = head + n, *stack = sibling + n;
    postorder(a, post, head, sibling, stack);

    /* renumber: head is now the inverse of post */
    int *inverse = head, *old = sibling;
    for (int k = 0; k < n; k++)
        inverse[post[k]] = k;
    for (int k = 0; k < n; k++)
        old[k] = a->order[post[k]];
    for (int k = 0; k < n; k++) {
        a->order[k] = old[k];
        a->inverse[old[k]] = k;
        a->begin[k + 1] = a->begin[k] + a->vertex_start[old[k] + 1] - a->vertex_start[old[k]];
    }
    for (int k = 0; k < n; k++)
        old[k] = a->parent[post[k]];
    for (int k = 0; k < n; k++)
        a->parent[k] = old[k] < 0 ? -1 : inverse[old[k]];
    for (int k = 0; k < n; k++)
        old[k] = a->count[post[k]];
    for (int k = 0; k < n; k++)
        a->count[k] = old[k];
}

/* Merging a child of width w with its parent stores zeros; a panel may hold this share of them.
 * Narrow panels gain most from merging. The shares were chosen by timing stacks of boxes and an
 * elastic block. */
static bool worth_merging(int width, int64_t zeros, int64_t stored) {
    double share = width <= 8 ? 0.5 : width <= 16 ? 0.25 : width <= 48 ? 0.1 : 0.05;
    return (double)zeros <= share * (double)stored;
}

/* Both vertices are kept, or none. */
static inline bool alike(const cairn_pattern *a, int j, int k) {
    return a->keep == NULL || a->keep[j] == a->keep[k];
}

/* Vertices k, k+1 belong together when k+1 is the parent of k and has the same pattern below.
 * Then a run is merged with the run before it as long as that is its child and the zeros stay
 * few. Fills first; returns the number of runs. zeros: vertices. */
static int find_runs(cairn_pattern *a, int64_t *zeros) {
    int runs = 0;
    for (int begin = 0; begin < a->vertices;) {
        int end = begin + 1; /* one past the last vertex */
        while (end < a->vertices && a->parent[end - 1] == end && alike(a, end - 1, end) &&
               a->count[end - 1] == a->count[end] + cairn_vertex_rows(a, end - 1))
            end++;
        int64_t held = 0, below = a->count[end - 1] - cairn_vertex_rows(a, end - 1);
        int first = begin;
        while (runs > 0) {
            int parent = a->parent[first - 1];
            if (parent < first || parent >= end || !alike(a, first - 1, first))
                break;
            int64_t child_width = a->begin[first] - a->begin[a->first[runs - 1]];
            int64_t width = a->begin[end] - a->begin[a->first[runs - 1]];
            int64_t child_below = a->count[first - 1] - cairn_vertex_rows(a, first - 1);
            int64_t added = child_width * (a->begin[end] - a->begin[first] + below - child_below);
            int64_t total = zeros[runs - 1] + held + added;
            if (!worth_merging((int)width, total, width * (width + 1) / 2 + width * below))
                break;
            held = total;
            first = a->first[--runs];
        }
        a->first[runs] = first;
        zeros[runs++] = held;
        begin = end;
    }
    a->first[runs] = a->vertices;
    return runs;
}

/* The height of a panel counts the rows whose paths pass through it. The tree of panels holds
 * the elimination tree: panel(parent[k]) is panel(k) or above it. */
void cairn_pattern_panels(cairn_pattern *a) {
    a->panels = find_runs(a, a->zeros);
    for (int s = 0; s < a->panels; s++) {
        for (int k = a->first[s]; k < a->first[s + 1]; k++)
            a->panel_of[k] = s;
        a->below[s] = 0;
    }
    int *mark = a->work;
    for (int s = 0; s < a->panels; s++) {
        int up = a->parent[a->first[s + 1] - 1];
        a->panel_parent[s] = up >= 0 ? a->panel_of[up] : -1;
        mark[s] = -1;
    }
    for (int i = 0; i < a->vertices; i++) {
        const int original = a->order[i], own = a->panel_of[i];
        for (int p = a->edge_start[original]; p < a->edge_start[original + 1]; p++) {
            int k = a->inverse[a->edge[p]];
            if (k >= i)
                continue;
            for (int s = a->panel_of[k]; s != own && mark[s] != i; s = a->panel_parent[s]) {
                mark[s] = i;
                a->below[s] += cairn_vertex_rows(a, i);
            }
        }
    }
}
