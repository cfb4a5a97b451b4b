/*
 * judge_sums.c: norms for the judge [theory 1].
 *
 * Each sum of squares is first taken as it is. With the range of an extended long double (x86) that is always good
 * for numbers that began as double. Where the sum lands so low or so high that a square may have been lost, the numbers
 * are brought to size 1 and summed again: slower, and right for every range.
 */
#include "judge_sums.h"

/* largest |x_i|, INFINITY when one is not finite */
static long double largest_of(int count, const long double *x) {
    long double largest = 0.0L;
    for (int i = 0; i < count; i++) {
        if (!isfinite(x[i]))
            return INFINITY;
        if (fabsl(x[i]) > largest)
            largest = fabsl(x[i]);
    }
    return largest;
}

long double cairn_judge_careful_norm(int dim, const long double *x) {
    long double largest = largest_of(dim, x), sum = 0.0L;
    if (largest == 0.0L || isinf(largest))
        return largest;
    for (int i = 0; i < dim; i++)
        sum += (x[i] / largest) * (x[i] / largest);
    return largest * sqrtl(sum);
}

/* The same as cairn_judge_block_norm in two passes. */
static long double careful_block_norm(int blocks, const int *start, const long double *weight, const long double *x) {
    long double largest = 0.0L, sum = 0.0L;
    for (int i = 0; i < blocks; i++) {
        long double size = largest_of(start[i + 1] - start[i], x + start[i]) * (weight ? weight[i] : 1.0L);
        if (!isfinite(size))
            return INFINITY;
        largest = size > largest ? size : largest;
    }
    for (int i = 0; i < blocks && largest > 0.0L; i++)
        for (int j = start[i]; j < start[i + 1]; j++) {
            long double part = x[j] * (weight ? weight[i] : 1.0L) / largest;
            sum += part * part;
        }
    return largest * sqrtl(sum);
}

long double cairn_judge_block_norm(int blocks, const int *start, const long double *weight, const long double *x) {
    long double sum = 0.0L;
    for (int i = 0, j = 0; i < blocks; i++) {
        long double part = 0.0L, w = weight ? weight[i] : 1.0L;
        for (; j < start[i + 1]; j++)
            part += x[j] * x[j];
        sum += w * w * part;
    }
    return cairn_judge_is_safe(sum) ? sqrtl(sum) : careful_block_norm(blocks, start, weight, x);
}

long double cairn_judge_energy_norm(int n, const long double *x, const long double *y) {
    long double sum = 0.0L;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    if (cairn_judge_is_safe(sum))
        return sqrtl(sum);
    long double x_size = largest_of(n, x), y_size = largest_of(n, y);
    if (x_size == 0.0L || y_size == 0.0L)
        return 0.0L;
    if (isinf(x_size) || isinf(y_size))
        return INFINITY;
    sum = 0.0L;
    for (int i = 0; i < n; i++)
        sum += (x[i] / x_size) * (y[i] / y_size);
    return sum > 0.0L ? sqrtl(sum) * sqrtl(x_size) * sqrtl(y_size) : 0.0L;
}

double cairn_judge_told(long double figure) {
    return isnan(figure) ? INFINITY : (double)figure;
}

double cairn_judge_quotient(long double above, long double below) {
    if (above == 0.0L && below >= 0.0L && isfinite(below))
        return 0.0;
    return isfinite(above) && isfinite(below) && below > 0.0L ? cairn_judge_told(above / below) : INFINITY;
}
