/* Inside of the run room: what a run holds that callers do not see, and the steps of making one. */
#ifndef RUN_ROOM_H
#define RUN_ROOM_H

#include <kelvin/density.h>
#include <kelvin/run.h>

/* What kelvin_run.owned points to. */
struct kelvin_run_owned {
    kelvin_density density;
    kelvin_prior prior;
    bool has_prior;
    bool complete;    /* every chain has been sampled, or all was read */
    double *accuracy; /* (chains, iterations), of the training data */
    double started;   /* kelvin_now() at the first iteration; 0 before */
    uint32_t threads;
    char cpu[64], isa[32];
};

static inline struct kelvin_run_owned *kelvin_run_inside(const kelvin_run *run)
{
    return run->owned;
}

/* kelvin_run_create in two steps: check everything, then get memory for the results. */
KELVIN_MUST_CHECK kelvin_status kelvin_run_prepare(kelvin_run **run, const kelvin_run_config *config);
KELVIN_MUST_CHECK kelvin_status kelvin_run_allocate(kelvin_run *run);

kelvin_hmc_options kelvin_run_hmc_options(const kelvin_run_config *config);

/* Floats of (iterations, n_params) and of the logits of one chain; KELVIN_ENOMEM if all chains' would overflow. */
KELVIN_MUST_CHECK kelvin_status kelvin_run_sizes(size_t *draws, size_t *logits, const kelvin_run *run);

/* How many of n observations have the label's logit as their largest; the first of equal ones counts as the largest. */
size_t kelvin_hits(const float *logits, const int32_t *y, size_t n, size_t classes);

/* history.csv of one chain: info and training accuracy of every iteration. */
KELVIN_MUST_CHECK kelvin_status kelvin_history_write(const char *path, const kelvin_hmc_info *info,
                                                     const double *accuracy, size_t iterations);
KELVIN_MUST_CHECK kelvin_status kelvin_history_read(kelvin_hmc_info *info, double *accuracy, const char *path,
                                                    size_t iterations);

#endif
