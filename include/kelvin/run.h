/* run: chains over cores, and the folder in which they are kept.
 *
 *     kelvin_run_config config;
 *     kelvin_status st = kelvin_run_defaults(&config, "hmc");
 *     config.density = "dirclip:1.4,-50";
 *     kelvin_run *run;
 *     if (!st) st = kelvin_run_create(&run, &config);                 // checks everything, samples nothing
 *     if (!st) st = kelvin_run_sample(&run, 1, 0, NULL, NULL);        // several runs can share the cores
 *     if (!st) st = kelvin_run_write(run, "RUN");
 *     kelvin_run_close(run);
 *
 * The folder: run.json (the configuration: enough to repeat the run), chain-000/samples.safetensors (all draws, named
 * tensors of shape (iterations, ...)), chain-000/history.csv, logits_train.npy (samples, n, classes; warm-up left out),
 * labels_train.npy (n). That of a run by SGHMC is in docs/runs.md. The bytes depend on the configuration alone, except
 * for times.json.
 */
#ifndef KELVIN_RUN_H
#define KELVIN_RUN_H

#include <kelvin/base.h>
#include <kelvin/data.h>
#include <kelvin/nn.h>
#include <kelvin/sampler.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The file that a configuration was read from, for the sentences of what is wrong in it. */
typedef struct kelvin_run_source {
    const char *path;              /* NULL: none */
    uint64_t overruled;            /* fields that someone said after the file; see run/fields.h */
    const char *data, *data_crc32; /* this data set must have these checksums; NULL: any */
} kelvin_run_source;

typedef struct kelvin_run_config {
    const char *sampler;                        /* "sghmc" or "hmc" */
    const char *data, *model, *density, *prior; /* prior may be "none" */
    uint64_t seed;
    uint32_t chains;
    double temperature;

    /* sghmc */
    uint32_t samples; /* of all chains together: a multiple of chains */
    uint32_t epochs;
    uint32_t batch; /* observations per step; 0: the paper's 125, or all if there are fewer */
    double lr, momentum;
    const char *schedule, *temperature_schedule; /* of the learning rate; of the temperature */
    const char *augment;
    const char *init;   /* "none", or a run's folder (chain i starts from its sample i, round and round), or FOLDER/i */
    double logit_limit; /* a chain whose logits of one observation differ by more has diverged */

    /* hmc */
    uint32_t iterations;
    uint32_t warmup; /* iterations left out of every summary; they are kept in the samples file */
    uint32_t steps;  /* leapfrog steps per iteration */
    float step_size;

    kelvin_run_source source; /* filled in by kelvin_run_config_read; a run keeps none */
} kelvin_run_config;

typedef struct kelvin_run {
    kelvin_run_config config; /* texts are the run's own */
    kelvin_data *data;
    kelvin_model *model;
    float *draws;          /* (chains, iterations, n_params) */
    kelvin_hmc_info *info; /* (chains, iterations) */
    float *logits;         /* (chains, iterations - warmup, n, classes), of the training data */
    double seconds;        /* from the first to the last iteration of its chains */
    void *owned;
} kelvin_run;

/* Of all the runs sampled together: leapfrog iterations done and to do. Return false to stop: the runs are then
 * incomplete, and kelvin_run_sample returns KELVIN_ESTOP. Called from any thread, one at a time. */
typedef bool kelvin_run_progress(void *context, const kelvin_run *run, uint32_t chain, uint32_t iteration,
                                 const kelvin_hmc_info *info);

/* Name of the i-th sampler and one line about it; false after the last. */
bool kelvin_sampler_info(size_t i, const char **name, const char **about);

/* "hmc": figure 1 of the paper with DirClip(1.4); "sghmc": a small network on digits, with the paper's settings.
 * Fields that do not count for it are those of the other sampler. KELVIN_EUSAGE if there is no such sampler. */
KELVIN_MUST_CHECK kelvin_status kelvin_run_defaults(kelvin_run_config *config, const char *sampler);

/* Takes over the fields that a JSON file has, and leaves the others as they were; the run.json of any run will do.
 * Where one field is there and one that belongs to it is not, the second follows: samples and chains each other, the
 * temperature's schedule that of the learning rate, the warm-up is 30 % of the iterations. KELVIN_EFORMAT if a field is
 * not known, is one of another sampler than config->sampler (which the file may change), or is not what it must be.
 * Texts live until kelvin_run_config_free(*owner); the path must live as long. If the file has the checksums of its
 * data set (data_crc32) and that set has changed, kelvin_run_create fails with KELVIN_EFORMAT, and so it does for a
 * wrong value that is the file's. */
KELVIN_MUST_CHECK kelvin_status kelvin_run_config_read(kelvin_run_config *config, void **owner, const char *path);
void kelvin_run_config_free(void *owner);

KELVIN_MUST_CHECK kelvin_status kelvin_run_create(kelvin_run **run, const kelvin_run_config *config);

/* Samples all chains of n runs on `threads` threads (0: one per CPU). The draws do not depend on `threads`. */
KELVIN_MUST_CHECK kelvin_status kelvin_run_sample(kelvin_run **runs, size_t n, size_t threads,
                                                  kelvin_run_progress *progress, void *context);

/* Makes the folder (KELVIN_EUSAGE if it exists or cannot be made), so that a long run does not end at a closed door. */
KELVIN_MUST_CHECK kelvin_status kelvin_run_claim(const char *folder);
void kelvin_run_abandon(const char *folder); /* removes a folder that was claimed and never written */

KELVIN_MUST_CHECK kelvin_status kelvin_run_write(const kelvin_run *run, const char *folder);

/* A run by HMC with its results; one by SGHMC without: those stay in the folder (draws, info and logits are NULL). */
KELVIN_MUST_CHECK kelvin_status kelvin_run_read(kelvin_run **run, const char *folder);
void kelvin_run_close(kelvin_run *run);

/* ---- runs by SGHMC ----
 * They live in their folder: run.json is there from the first moment, each chain writes its state now and then, and a
 * run that was stopped or killed goes on from there to the same bytes.
 *
 *     kelvin_chains *chains;
 *     kelvin_status st = kelvin_chains_start(&chains, &config, "RUN");       // or kelvin_chains_open(&chains, "RUN")
 *     if (!st) st = kelvin_chains_run(chains, &(kelvin_chains_options){.threads = 2}, watch, context);
 *     kelvin_chains_close(chains);
 */
typedef struct kelvin_chains kelvin_chains;

typedef struct kelvin_chains_options {
    size_t threads;    /* 0: one per CPU. How many chains run at once, and on how many threads each, follows. */
    double checkpoint; /* seconds after which a chain's state is written again; 0: after each epoch */
} kelvin_chains_options;

typedef enum kelvin_chain_phase {
    KELVIN_CHAIN_WAITING,
    KELVIN_CHAIN_SAMPLING,
    KELVIN_CHAIN_DONE,
    KELVIN_CHAIN_DIVERGED, /* stopped; its last good state is kept */
    KELVIN_CHAIN_LOGITS,   /* all chains have ended; their samples' logits are being computed */
} kelvin_chain_phase;

/* What a chain does now. */
typedef struct kelvin_chain_news {
    kelvin_chain_phase phase;
    uint32_t chain;
    uint32_t epoch, epochs;                            /* whole ones done, and to do */
    uint64_t step, steps;                              /* the same in batches (of logits: samples) */
    double images_per_s;                               /* lately; 0: not known yet */
    double accuracy, confidence, log_posterior, range; /* of the epoch so far */
} kelvin_chain_news;

/* Called from any thread, one at a time: once for each chain before the first of them starts, so that a watch knows
 * what was done earlier; then some times per second and chain at work. Return false to stop: every chain writes its
 * state, and kelvin_chains_run returns KELVIN_ESTOP. */
typedef bool kelvin_chains_watch(void *context, const kelvin_run *run, const kelvin_chain_news *news);

/* In a new folder; KELVIN_EUSAGE if it is there already. The lock is held until kelvin_chains_close. */
KELVIN_MUST_CHECK kelvin_status kelvin_chains_start(kelvin_chains **chains, const kelvin_run_config *config,
                                                    const char *folder);

/* In the folder of a run that was begun; KELVIN_EUSAGE if another process works there. */
KELVIN_MUST_CHECK kelvin_status kelvin_chains_open(kelvin_chains **chains, const char *folder);

/* To the end of the run. A chain that diverges does not stop the others: see kelvin_chains_diverged. */
KELVIN_MUST_CHECK kelvin_status kelvin_chains_run(kelvin_chains *chains, const kelvin_chains_options *options,
                                                  kelvin_chains_watch *watch, void *context);

const kelvin_run *kelvin_chains_about(const kelvin_chains *chains);

/* Is there nothing left to do, not even logits? */
bool kelvin_chains_finished(const kelvin_chains *chains);

/* Reads what a run that has ended is made of, all samples and data.json: KELVIN_EFORMAT, with what helps, if one of
 * them is damaged. */
KELVIN_MUST_CHECK kelvin_status kelvin_chains_verify(const kelvin_chains *chains);

/* Of a chain that diverged: a sentence with its step and layer; NULL if it did not. */
const char *kelvin_chains_diverged(const kelvin_chains *chains, uint32_t chain);
void kelvin_chains_close(kelvin_chains *chains);

/* Where a run warns before it starts: a sentence, or NULL. A gradient below the critical alpha of (K - 2) / K leads
 * away from the labels where predictions are wrong. */
const char *kelvin_run_warning(const kelvin_run *run);

/* ---- what a run has left: its samples, by either sampler ----
 *
 *     kelvin_samples *samples;
 *     kelvin_status st = kelvin_samples_open(&samples, "RUN");
 *     for (size_t i = 0; i < samples->n && !st; i++) st = kelvin_samples_read(samples, theta, i);
 *     kelvin_samples_close(samples);
 *
 * The data set of the run is not needed for it: run->data has no rows (see kelvin_data_describe). */

/* A run as its folder tells it, without draws and without the rows of its data. KELVIN_EFORMAT with a sentence if the
 * folder is empty, is no run's, was written by a later version, or has been changed. */
KELVIN_MUST_CHECK kelvin_status kelvin_run_open(kelvin_run **run, const char *folder);

typedef struct kelvin_samples {
    kelvin_run *run;
    const char *folder;
    size_t n;                    /* samples, chain after chain, warm-up left out */
    const uint32_t *chain;       /* (n): which chain each is of */
    const uint32_t *draw;        /* (n): which of that chain's, from 0 */
    const char *const *diverged; /* (run->config.chains): a sentence of those that did, NULL of the others */
    void *owned;
} kelvin_samples;

/* KELVIN_EFORMAT if the run has not ended; KELVIN_EDIVERGED if it has and left no sample. */
KELVIN_MUST_CHECK kelvin_status kelvin_samples_open(kelvin_samples **samples, const char *folder);
void kelvin_samples_close(kelvin_samples *samples);

/* The parameters of the i-th sample (n_params). KELVIN_EFORMAT if one of them is not a finite number. Those that were
 * read are kept in memory as long as all of them take a few MB. One caller at a time. */
KELVIN_MUST_CHECK kelvin_status kelvin_samples_read(kelvin_samples *samples, float *theta, size_t i);

/* history.csv of a chain: one row per epoch or iteration, as far as the chain came. KELVIN_EFORMAT if the file is
 * missing or has been cut. */
typedef struct kelvin_history {
    size_t rows, columns;
    const char *const *names; /* (columns); the first counts rows */
    double *values;           /* (rows, columns) */
} kelvin_history;
KELVIN_MUST_CHECK kelvin_status kelvin_history_open(kelvin_history *history, const kelvin_samples *samples,
                                                    uint32_t chain);
void kelvin_history_close(kelvin_history *history);
const double *kelvin_history_at(const kelvin_history *history, size_t row, const char *name); /* NULL: no such column */

/* What a run will cost, from some steps of it. */
typedef struct kelvin_estimate {
    size_t parameters, chains_at_once, threads_per_chain;
    double memory, disk; /* bytes, at most */
    double epochs_per_s; /* of all chains together */
    double seconds;      /* to the end */
    double cpu_share; /* of the time, that the measured chains were given their CPUs; less than 1 on a busy machine */
} kelvin_estimate;

KELVIN_MUST_CHECK kelvin_status kelvin_run_estimate(kelvin_estimate *estimate, const kelvin_run_config *config,
                                                    size_t threads);

#ifdef __cplusplus
}
#endif
#endif
