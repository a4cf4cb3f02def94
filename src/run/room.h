/* Inside of the run room: what a run holds that callers do not see, and the steps of making one. */
#ifndef RUN_ROOM_H
#define RUN_ROOM_H

#include "files/files.h"
#include "files/formats.h"

#include <kelvin/density.h>
#include <kelvin/run.h>

#include <string.h>

#define KELVIN_CONFIG_NAME  "run.json"
#define KELVIN_LABELS_TRAIN "labels_train.npy"

enum { KELVIN_CONFIG_MARK = 9 };

/* What kelvin_run.owned points to. */
struct kelvin_run_owned {
    kelvin_density density;
    kelvin_prior prior;
    bool has_prior;
    kelvin_augment augment; /* of sghmc, and so are the schedules */
    const kelvin_schedule *schedule, *temperature_schedule;
    bool complete;    /* every chain has been sampled, or all was read */
    double *accuracy; /* (chains, iterations), of the training data */
    double started;   /* kelvin_now() at the first iteration; 0 before */
    uint32_t threads;
    char cpu[64], isa[32];
    char warning[512];
    char mark[KELVIN_CONFIG_MARK]; /* of sghmc: kelvin_config_mark() */
};

static inline struct kelvin_run_owned *kelvin_run_inside(const kelvin_run *run)
{
    return run->owned;
}

/* Its results are kept in memory; those of the others in their folder. */
static inline bool kelvin_run_is_hmc(const kelvin_run *run)
{
    return strcmp(run->config.sampler, "hmc") == 0;
}

/* kelvin_run_create in two steps: check everything, then get memory for the results. */
KELVIN_MUST_CHECK kelvin_status kelvin_run_prepare(kelvin_run **run, const kelvin_run_config *config);
KELVIN_MUST_CHECK kelvin_status kelvin_run_allocate(kelvin_run *run);

/* The first step on data that are open already; they become the run's, or are closed if it fails. NULL: those of the
 * configuration. */
KELVIN_MUST_CHECK kelvin_status kelvin_run_prepare_on(kelvin_run **run, const kelvin_run_config *config,
                                                      kelvin_data *data);

/* A sampler: what a run by it is by default, and what must hold of one. */
struct kelvin_sampler_type {
    const char *name, *about;
    void (*defaults)(kelvin_run_config *config);
    kelvin_status (*check)(kelvin_run *run); /* before the data are opened; fills in what it parses */
    kelvin_status (*fit)(kelvin_run *run);   /* with the data and the model; fills in what follows from them */
};

KELVIN_MUST_CHECK kelvin_status kelvin_sampler_find(const struct kelvin_sampler_type **sampler, const char *name);

kelvin_hmc_options kelvin_run_hmc_options(const kelvin_run_config *config);

/* run.json in a folder. Read: the run that it describes is prepared, its data opened and their checksum compared. */
KELVIN_MUST_CHECK kelvin_status kelvin_config_write(const kelvin_run *run, const char *folder);
KELVIN_MUST_CHECK kelvin_status kelvin_config_read(kelvin_run **run, const char *folder);
/* The same without the rows of its data, which are not looked at where the folder describes them. */
KELVIN_MUST_CHECK kelvin_status kelvin_config_read_alone(kelvin_run **run, const char *folder);

/* Fills in the mark: a checksum of all that run.json says, but for the version. It goes into every file of a chain, by
 * which it is seen that run.json is no longer what it was. A run that was read has it. */
KELVIN_MUST_CHECK kelvin_status kelvin_config_mark(kelvin_run *run);

/* Floats of (iterations, n_params) and of the logits of one chain; KELVIN_ENOMEM if all chains' would overflow. */
KELVIN_MUST_CHECK kelvin_status kelvin_run_sizes(size_t *draws, size_t *logits, const kelvin_run *run);

/* How many of n observations have the label's logit as their largest; the first of equal ones counts as the largest. */
size_t kelvin_hits(const float *logits, const int32_t *y, size_t n, size_t classes);

/* history.csv of one chain by HMC: info and training accuracy of every iteration. */
enum { KELVIN_ITERATION_COLUMNS = 6 };
extern const struct kelvin_column kelvin_iteration_columns[KELVIN_ITERATION_COLUMNS];
KELVIN_MUST_CHECK kelvin_status kelvin_history_write(const char *path, const kelvin_hmc_info *info,
                                                     const double *accuracy, size_t iterations);
KELVIN_MUST_CHECK kelvin_status kelvin_history_read(kelvin_hmc_info *info, double *accuracy, const char *path,
                                                    size_t iterations);

/* As kelvin_samples_open, but also where there are none, for all chains have diverged. */
KELVIN_MUST_CHECK kelvin_status kelvin_samples_find(kelvin_samples **samples, const char *folder);

/* Of a chain that came to its end: that its history is missing or has been cut, and what brings it back; "" if it is
 * whole. */
enum { KELVIN_LOST = 1000 };
KELVIN_MUST_CHECK kelvin_status kelvin_history_lost(char out[KELVIN_LOST], const kelvin_samples *samples,
                                                    uint32_t chain);

/* KELVIN_EDIVERGED: why there are none, and what helps. */
KELVIN_MUST_CHECK kelvin_status kelvin_samples_none(const kelvin_samples *samples);

/* The draws of one chain, (iterations, n_params), as one tensor (iterations, ...) per tensor of the model. When read,
 * everything in the header must be as it would be written, but for the version. */
struct kelvin_draws {
    const kelvin_model *model;
    size_t iterations;
    uint64_t seed;
    uint32_t chain;
};

KELVIN_MUST_CHECK kelvin_status kelvin_safetensors_write(const char *path, const float *draws,
                                                         const struct kelvin_draws *about);
KELVIN_MUST_CHECK kelvin_status kelvin_safetensors_read(float *draws, const char *path,
                                                        const struct kelvin_draws *about);

#endif
