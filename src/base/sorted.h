/* Sorted numbers. */
#ifndef BASE_SORTED_H
#define BASE_SORTED_H

#include <stddef.h>

/* Numbers in increasing order; none of them is NaN. */
void kelvin_sort(double *x, size_t n);

/* The q-quantile of n sorted numbers, linear between neighbours (type 7 of Hyndman and Fan); 0.5 is the median. */
double kelvin_quantile(const double *sorted, size_t n, double q);

#endif
