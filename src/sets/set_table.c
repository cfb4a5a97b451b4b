/*
 * set_table.c: the table of sets, runs of blocks of one kind, and what holds for every set:
 * distance, names, checks.
 */
#include <float.h>

#include "base/core.h"
#include "sets/set_classes.h"

static const cairn_set_class *const table[] = {
    [CAIRN_SET_BILATERAL] = &cairn_set_class_bilateral,
    [CAIRN_SET_NONNEGATIVE] = &cairn_set_class_nonnegative,
    [CAIRN_SET_CONE] = &cairn_set_class_cone,
    [CAIRN_SET_DUAL_CONE] = &cairn_set_class_dual_cone,
    [CAIRN_SET_BOX] = &cairn_set_class_box,
    [CAIRN_SET_BALL] = &cairn_set_class_ball,
    [CAIRN_SET_CAPPED_CONE] = &cairn_set_class_capped_cone,
    [CAIRN_SET_SHIFTED_CONE] = &cairn_set_class_shifted_cone,
    [CAIRN_SET_POLY_CONE] = &cairn_set_class_poly_cone,
    [CAIRN_SET_CUSTOM] = &cairn_set_class_custom,
};

const cairn_set_class *cairn_set_get(cairn_set_kind kind) {
    size_t row = (size_t)kind; /* a negative value becomes a huge one */
    return row < sizeof table / sizeof table[0] ? table[row] : NULL;
}

const char *cairn_set_name(cairn_set_kind set) {
    const cairn_set_class *class = cairn_set_get(set);
    return class != NULL ? class->name : "unknown";
}

/* |x - P(x)|. The block must have passed check. */
double cairn_set_distance(const cairn_block *block, const double *x) {
    double rest[CAIRN_BLOCK_DIM_MAX];
    const cairn_set_class *class = cairn_set_get(block->set);
    CAIRN_ASSERT(class != NULL && block->dim <= CAIRN_BLOCK_DIM_MAX);
    class->project(block, x, rest);
    for (int i = 0; i < block->dim; i++)
        rest[i] = x[i] - rest[i];
    return cairn_set_norm(block->dim, rest);
}

int cairn_set_runs(int blocks, const cairn_block *block, cairn_set_run *runs, int capacity) {
    int count = 0, row = 0;
    for (int first = 0; first < blocks;) {
        int next = first + 1;
        while (next < blocks && block[next].set == block[first].set && block[next].dim == block[first].dim)
            next++;
        if (count < capacity)
            runs[count] = (cairn_set_run){
                .set = block[first].set, .dim = block[first].dim, .first = first, .count = next - first, .row = row};
        row += (next - first) * block[first].dim;
        count++;
        first = next;
    }
    return count;
}

void cairn_set_project_run(cairn_set_kind set, int dim, int count, const cairn_block *block, const double *x,
                           double *out) {
    if (set == CAIRN_SET_CONE && dim == 3) {
        cairn_cone_project_run(count, block, x, out);
        return;
    }
    const cairn_set_class *class = cairn_set_get(set);
    CAIRN_ASSERT(class != NULL);
    for (int i = 0; i < count; i++) {
        size_t row = (size_t)i * (size_t)dim;
        class->project(&block[i], x + row, out + row);
    }
}

const char *cairn_set_check_dim(const cairn_block *block) {
    _Static_assert(CAIRN_BLOCK_DIM_MAX == 16, "the text below names the limit");
    return block->dim >= 1 && block->dim <= CAIRN_BLOCK_DIM_MAX ? NULL : "dim must be 1 to 16";
}

const char *cairn_set_check_cone(const cairn_block *block) {
    if (block->dim != 2 && block->dim != 3)
        return "dim must be 2 or 3";
    return block->mu >= 0.0 && isfinite(block->mu) ? NULL : "mu must be finite and >= 0";
}

double cairn_set_norm_scaled(int dim, const double *x) {
    double largest = 0.0, sum = 0.0;
    for (int i = 0; i < dim; i++) {
        if (isnan(x[i]))
            return x[i];
        if (fabs(x[i]) > largest)
            largest = fabs(x[i]);
    }
    if (largest == 0.0 || largest > DBL_MAX)
        return largest;
    for (int i = 0; i < dim; i++) {
        double part = x[i] / largest;
        sum += part * part;
    }
    return largest * sqrt(sum);
}
