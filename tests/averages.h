/* Averages over a chain and their standard errors, from means over batches that are long against the correlation time.
 */
#ifndef TESTS_AVERAGES_H
#define TESTS_AVERAGES_H

#include "check.h"

enum { BATCHES = 100 };

struct average {
    double batch[BATCHES];
};

struct estimate {
    double mean, error;
};

static inline void add(struct average *a, double x, uint32_t draw, uint32_t draws)
{
    a->batch[draw / (draws / BATCHES)] += x / (draws / BATCHES);
}

static inline struct estimate estimate(const struct average *a)
{
    double mean = 0, square = 0;
    for (int b = 0; b < BATCHES; b++) mean += a->batch[b] / BATCHES;
    for (int b = 0; b < BATCHES; b++) square += (a->batch[b] - mean) * (a->batch[b] - mean);
    return (struct estimate){mean, sqrt(square / (BATCHES - 1) / BATCHES)};
}

/* Within four standard errors, where an error bar must be smaller than `most` to say something. */
static inline void check(const char *what, struct estimate found, double expected, double most)
{
    if (!(fabs(found.mean - expected) <= 4 * found.error && found.error < most))
        fail_msg("%s: %g +- %g, expected %g with an error below %g", what, found.mean, found.error, expected, most);
}

#endif
