/*
 * part_pattern.c: which blocks H has, and who adds to each: made once for the life of a part.
 */
#include "fem/part/part_data.h"
#include "fem/mesh/mesh.h"

#include <limits.h>

/* pull: slots of every vector. */
static cairn_status list_pulls(cairn_fem_part *part) {
    cairn_fem_work *w = part->work;
    int elements = part->view.elements, slots = w->slot_start[elements];
    w->pull_start = cairn_alloc(part->context, (size_t)part->vectors + 2, sizeof *w->pull_start);
    w->pull = cairn_alloc(part->context, (size_t)slots, sizeof *w->pull);
    if (w->pull_start == NULL || w->pull == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int s = 0; s < slots; s++)
        w->pull_start[w->slot[s] + 2]++;
    for (int i = 0; i < part->vectors; i++)
        w->pull_start[i + 2] += w->pull_start[i + 1];
    for (int s = 0; s < slots; s++)
        w->pull[w->pull_start[w->slot[s] + 1]++] = s;
    return CAIRN_OK;
}

/* Neighbours of vector i into near (or only their number when NULL); mark (vectors) holds who saw each last; of (slots): element. */
static int find_near(const cairn_fem_work *w, const int *of, int i, int *mark, int *near) {
    int count = 0;
    for (int p = w->pull_start[i]; p < w->pull_start[i + 1]; p++) {
        int e = of[w->pull[p]];
        for (int s = w->slot_start[e]; s < w->slot_start[e + 1]; s++) {
            int j = w->slot[s];
            if (mark[j] == i + 1)
                continue;
            mark[j] = i + 1;
            if (near != NULL)
                near[count] = j;
            count++;
        }
    }
    if (near != NULL)
        cairn_fem_sort(count, near);
    return count;
}

static cairn_status list_neighbours(cairn_fem_part *part, const int *of, int *mark) {
    cairn_fem_work *w = part->work;
    w->near_start = cairn_alloc(part->context, (size_t)part->vectors + 1, sizeof *w->near_start);
    w->diagonal = cairn_alloc(part->context, (size_t)part->vectors, sizeof *w->diagonal);
    if (w->near_start == NULL || w->diagonal == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < part->vectors; i++) {
        int degree = find_near(w, of, i, mark, NULL);
        if (w->near_start[i] > INT_MAX / 9 - degree)
            return cairn_fail(part->context, CAIRN_ERROR_UNSUPPORTED,
                              "flexible part: its matrix has more entries than an int counts; use fewer elements");
        w->near_start[i + 1] = w->near_start[i] + degree;
    }
    size_t entries = (size_t)w->near_start[part->vectors];
    w->near = cairn_alloc(part->context, entries, sizeof *w->near);
    w->mirror = cairn_alloc(part->context, entries, sizeof *w->mirror);
    if (w->near == NULL || w->mirror == NULL)
        return CAIRN_ERROR_MEMORY;
    for (int i = 0; i < part->vectors; i++)
        mark[i] = 0;
    for (int i = 0; i < part->vectors; i++)
        find_near(w, of, i, mark, w->near + w->near_start[i]);
    for (int i = 0; i < part->vectors; i++) {
        w->diagonal[i] = cairn_fem_part_entry(w, i, i);
        for (int p = w->near_start[i]; p < w->near_start[i + 1]; p++)
            w->mirror[p] = cairn_fem_part_entry(w, w->near[p], i);
    }
    return CAIRN_OK;
}

int cairn_fem_part_entry(const cairn_fem_work *w, int i, int j) {
    int low = w->near_start[i], high = w->near_start[i + 1] - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (w->near[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Walks over all blocks of all elements in order; count, then fill. */
static void walk_blocks(const cairn_fem_part *part, int *count, int *gather) {
    const cairn_fem_work *w = part->work;
    for (int e = 0, block = 0; e < part->view.elements; e++)
        for (int a = w->slot_start[e]; a < w->slot_start[e + 1]; a++)
            for (int b = a; b < w->slot_start[e + 1]; b++, block++) {
                int i = w->slot[a], j = w->slot[b];
                int entry = i <= j ? cairn_fem_part_entry(w, i, j) : cairn_fem_part_entry(w, j, i);
                if (gather == NULL)
                    count[entry]++;
                else
                    gather[count[entry]++] = i <= j ? block : ~block;
            }
}

static cairn_status list_gathers(cairn_fem_part *part) {
    cairn_fem_work *w = part->work;
    int entries = w->near_start[part->vectors];
    w->gather_start = cairn_alloc(part->context, (size_t)entries + 2, sizeof *w->gather_start);
    w->gather = cairn_alloc(part->context, (size_t)w->block_start[part->view.elements], sizeof *w->gather);
    if (w->gather_start == NULL || w->gather == NULL)
        return CAIRN_ERROR_MEMORY;
    walk_blocks(part, w->gather_start + 2, NULL);
    for (int p = 0; p < entries; p++)
        w->gather_start[p + 2] += w->gather_start[p + 1];
    walk_blocks(part, w->gather_start + 1, w->gather);
    return CAIRN_OK;
}

static cairn_status write_pattern(cairn_fem_part *part) {
    cairn_fem_work *w = part->work;
    part->entries = 9 * w->near_start[part->vectors];
    part->H_start = cairn_alloc(part->context, 3 * (size_t)part->vectors + 1, sizeof *part->H_start);
    part->H_row = cairn_alloc(part->context, (size_t)part->entries, sizeof *part->H_row);
    if (part->H_start == NULL || part->H_row == NULL)
        return CAIRN_ERROR_MEMORY;
    int at = 0;
    for (int i = 0; i < part->vectors; i++)
        for (int c = 0; c < 3; c++) {
            for (int p = w->near_start[i]; p < w->near_start[i + 1]; p++)
                for (int r = 0; r < 3; r++)
                    part->H_row[at++] = 3 * w->near[p] + r;
            part->H_start[3 * i + c + 1] = at;
        }
    return CAIRN_OK;
}

cairn_status cairn_fem_part_pattern(cairn_fem_part *part) {
    cairn_fem_work *w = part->work;
    int slots = w->slot_start[part->view.elements];
    int *of = cairn_alloc(part->context, (size_t)slots, sizeof *of);
    int *mark = cairn_alloc(part->context, (size_t)part->vectors, sizeof *mark);
    cairn_status status = of == NULL || mark == NULL ? CAIRN_ERROR_MEMORY : list_pulls(part);
    if (status == CAIRN_OK) {
        for (int e = 0; e < part->view.elements; e++)
            for (int s = w->slot_start[e]; s < w->slot_start[e + 1]; s++)
                of[s] = e;
        status = list_neighbours(part, of, mark);
    }
    if (status == CAIRN_OK)
        status = list_gathers(part);
    if (status == CAIRN_OK)
        status = write_pattern(part);
    cairn_free(part->context, of);
    cairn_free(part->context, mark);
    return status;
}
