/* log_sum: a sum of exponentials that neither overflows nor vanishes.
 *
 *     struct log_sum total = log_sum_zero;
 *     for (size_t i = 0; i < n; i++) log_sum_add(&total, log_term[i], weight[i]);
 *     double result = total.max + log(total.sum);
 */
#ifndef FIGURES_LOG_SUM_H
#define FIGURES_LOG_SUM_H

#include <math.h>

/* sum * exp(max) */
struct log_sum {
    double max, sum;
};

static const struct log_sum log_sum_zero = {-INFINITY, 0.0};

/* Adds weight * exp(log_term). */
static inline void log_sum_add(struct log_sum *total, double log_term, double weight)
{
    if (log_term > total->max) {
        total->sum *= exp(total->max - log_term);
        total->max = log_term;
    }
    total->sum += weight * exp(log_term - total->max);
}

#endif
