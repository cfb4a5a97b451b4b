/*
 * factor_symbolic.c: elimination tree, column counts, postorder and panels of L, before any number is known.
 *
 * parent[j] is the first row below the diagonal of column j of L. Row i of L has an entry in column k exactly when
 * k lies on the path in the tree from some neighbour j < i of i to i. References: J. Liu, SIAM J. Matrix Anal.
 * Appl. 11 (1990); for panels (supernodes) and their merging, C. Ashcraft and R. Grimes, ACM TOMS 15 (1989).
 *
 * Every function takes the renumbering in order and inverse and never builds the renumbered matrix.
 */
#include "factor_data.h"

/* Tree with shortcuts to the highest known ancestor, then the counts by walking every row's paths: O(entries of L). */
static void tree_and_counts(cairn_pattern *a, int *ancestor, int *mark) {
    for (int i = 0; i < a->n; i++) {
        a->parent[i] = ancestor[i] = -1;
        const int original = a->order[i];
        for (int p = a->start[original]; p < a->start[original + 1]; p++) {
            int k = a->inverse[a->index[p]];
            while (k >= 0 && k < i) {
                int up = ancestor[k];
                ancestor[k] = i;
                if (up < 0)
                    a->parent[k] = i;
                k = up;
            }
        }
    }
    for (int i = 0; i < a->n; i++) {
        a->count[i] = 1;
        mark[i] = i;
        const int original = a->order[i];
        for (int p = a->start[original]; p < a->start[original + 1]; p++)
            for (int k = a->inverse[a->index[p]]; k < i && mark[k] != i; k = a->parent[k]) {
                mark[k] = i;
                a->count[k]++;
            }
    }
}

/* post[k]: the k-th row in postorder. Among children the one with the fullest column comes last: it stands
 * next to its parent and can be merged with it. head, sibling, stack: n each. */
static void postorder(const cairn_pattern *a, int *post, int *head, int *sibling, int *stack) {
    for (int j = 0; j < a->n; j++)
        head[j] = sibling[j] = -1;
    for (int j = 0; j < a->n; j++) {
        int up = a->parent[j];
        if (up >= 0 && (head[up] < 0 || a->count[j] >= a->count[head[up]]))
            head[up] = j;
    }
    int *fullest = stack;
    for (int j = 0; j < a->n; j++)
        fullest[j] = head[j];
    for (int j = a->n - 1; j >= 0; j--) {
        int up = a->parent[j];
        if (up >= 0 && fullest[up] != j) {
            sibling[j] = head[up];
            head[up] = j;
        }
    }
    int k = 0;
    for (int root = 0; root < a->n; root++) {
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

void cairn_pattern_tree(cairn_pattern *a) {
    int n = a->n;
    int *post = a->work, *head = post + n, *sibling = head + n, *stack = sibling + n;
    tree_and_counts(a, head, sibling);
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

/* Merging a child of width w with its parent stores zeros; a panel may hold this share of them. Narrow panels
 * gain most from merging. The shares were chosen by timing stacks of boxes and an elastic block. */
static bool worth_merging(int width, int64_t zeros, int64_t stored) {
    double share = width <= 8 ? 0.5 : width <= 16 ? 0.25 : width <= 48 ? 0.1 : 0.05;
    return (double)zeros <= share * (double)stored;
}

/* Columns j, j+1 belong together when j+1 is the parent of j and has the same pattern below. Then a run is
 * merged with the run before it as long as that is its child and the zeros stay few. Fills first; returns the
 * number of runs. zeros: n. */
static int find_runs(cairn_pattern *a, int64_t *zeros) {
    int runs = 0;
    for (int begin = 0; begin < a->n;) {
        int end = begin + 1; /* one past the last column */
        while (end < a->n && a->parent[end - 1] == end && a->count[end - 1] == a->count[end] + 1)
            end++;
        int64_t held = 0;
        int first = begin;
        while (runs > 0) {
            int64_t parent = a->parent[first - 1];
            if (parent < first || parent >= end)
                break;
            int64_t child_width = first - a->first[runs - 1], width = end - a->first[runs - 1];
            int64_t below = a->count[end - 1] - 1;
            /* child rows below its own: count[first-1] - 1; the parent's height: (end - first) + below */
            int64_t added = child_width * ((end - first) + below - (a->count[first - 1] - 1));
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
    a->first[runs] = a->n;
    return runs;
}

/* The height of a panel counts the rows i whose paths pass through it. The tree of panels holds the elimination
 * tree: panel(parent[j]) is panel(j) or above it. */
void cairn_pattern_panels(cairn_pattern *a) {
    a->panels = find_runs(a, a->zeros);
    for (int s = 0; s < a->panels; s++) {
        for (int j = a->first[s]; j < a->first[s + 1]; j++)
            a->panel_of[j] = s;
        a->below[s] = 0;
    }
    int *mark = a->work;
    for (int s = 0; s < a->panels; s++) {
        int up = a->parent[a->first[s + 1] - 1];
        a->panel_parent[s] = up >= 0 ? a->panel_of[up] : -1;
        mark[s] = -1;
    }
    for (int i = 0; i < a->n; i++) {
        const int original = a->order[i], own = a->panel_of[i];
        for (int p = a->start[original]; p < a->start[original + 1]; p++) {
            int k = a->inverse[a->index[p]];
            if (k >= i)
                continue;
            for (int s = a->panel_of[k]; s != own && mark[s] != i; s = a->panel_parent[s]) {
                mark[s] = i;
                a->below[s]++;
            }
        }
    }
}
