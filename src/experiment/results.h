/* results: what the samples of a cell say, in the numbers of the paper. */
#ifndef EXPERIMENT_RESULTS_H
#define EXPERIMENT_RESULTS_H

#include <kelvin/posterior.h>

struct kelvin_result {
    size_t samples;
    uint32_t diverged;                       /* chains */
    kelvin_average kinetic, configurational; /* temperatures at the end */
    kelvin_metrics *train, *test;            /* NULL: there is no such part, or no sample */
    double l1;                               /* mean of |parameter| */
};

/* Of a run that has ended; kelvin_result_free it. */
KELVIN_MUST_CHECK kelvin_status kelvin_result_read(struct kelvin_result *result, kelvin_samples *samples,
                                                   size_t threads);
void kelvin_result_free(struct kelvin_result *result);

#endif
