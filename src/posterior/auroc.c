/* The area under the ROC curve as Mann and Whitney have it: the share of pairs in which the second score is the larger,
 * equal ones as half. Both lists are sorted and walked through together. */
#include "posterior/stats.h"

#include <math.h>
#include <stdlib.h>

double kelvin_auroc(double *in, size_t n_in, double *out, size_t n_out)
{
    if (n_in == 0 || n_out == 0) return NAN;
    qsort(in, n_in, sizeof *in, kelvin_compare);
    qsort(out, n_out, sizeof *out, kelvin_compare);
    double pairs = 0;
    for (size_t i = 0, below = 0, through = 0; i < n_out; i++) {
        while (below < n_in && in[below] < out[i]) below++;
        while (through < n_in && in[through] <= out[i]) through++;
        pairs += 0.5 * ((double)below + (double)through);
    }
    return pairs / ((double)n_in * (double)n_out);
}
