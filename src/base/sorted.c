#include "base/sorted.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

void kelvin_sort(double *x, size_t n)
{
    qsort(x, n, sizeof *x, compare);
}

double kelvin_quantile(const double *sorted, size_t n, double q)
{
    const double place = q * (double)(n - 1);
    const size_t below = (size_t)place;
    const double share = place - (double)below;
    if (share == 0.0 || sorted[below] == sorted[below + 1]) return sorted[below]; /* also where they are infinite */
    return sorted[below] + share * (sorted[below + 1] - sorted[below]);
}
