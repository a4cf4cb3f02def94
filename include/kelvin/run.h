/* run: chains over cores, by any sampler, and the folder in which they are kept.
 *
 *     kelvin_run_config config;
 *     kelvin_status st = kelvin_run_defaults(&config, "hmc");
 *     config.density = "dirclip:1.4,-50";
 *     kelvin_run *run;
 *     if (!st) st = kelvin_run_start(&run, &config, "RUN");           // or kelvin_run_open(&run, "RUN"), to go on
 *     if (!st) st = kelvin_run_sample(&run, 1, NULL, NULL, NULL);     // several runs can share the cores
 *     kelvin_run_close(run);
 *
 * A run lives in its folder: run.json is there from the first moment, draws are written as they come, each chain writes
 * its state now and then, and a run that was stopped or killed goes on from there to the same bytes. docs/runs.md says
 * what is in the folder. Without a folder (NULL) a run lives in memory, and is gone when it is closed. What is drawn
 * depends on the configuration alone.
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
    const char *init, *init_crc32; /* and the chains that start there this one of where they do */
} kelvin_run_source;

typedef struct kelvin_run_config {
    const char *sampler;
    const char *data, *model, *density, *prior; /* prior may be "none" */
    uint64_t seed;
    uint32_t chains;
    double temperature;
    const char *init; /* "none", or a run's folder (chain i starts from the last sample of its chain i), or FOLDER/i */
    double logit_limit; /* a chain whose logits of one observation differ by more has diverged */

    /* of samplers that look at batches */
    uint32_t samples; /* of all chains together: a multiple of chains */
    uint32_t epochs;
    uint32_t batch; /* observations per step; 0: the paper's 125, or all if there are fewer */
    const char *schedule, *temperature_schedule; /* of the size of steps; of the temperature */
    const char *augment;

    /* of samplers that look at all data: every iteration is a draw */
    uint32_t iterations;
    uint32_t warmup; /* iterations that are kept and marked, and left out of every answer */

    double setting[KELVIN_SETTINGS]; /* of the sampler, as it lists them */

    kelvin_run_source source; /* filled in by kelvin_run_config_read; a run keeps none */
} kelvin_run_config;

typedef struct kelvin_run {
    kelvin_run_config config; /* texts are the run's own */
    const kelvin_sampler_type *sampler;
    kelvin_data *data;
    kelvin_model *model;
    const char *folder; /* NULL: it lives in memory */
    double seconds;     /* that kelvin_run_sample took */
    void *owned;
} kelvin_run;

/* What a run by a sampler is if nobody says otherwise. KELVIN_EUSAGE if there is no such sampler. */
KELVIN_MUST_CHECK kelvin_status kelvin_run_defaults(kelvin_run_config *config, const char *sampler);

/* A setting of the configuration's sampler, by its name. KELVIN_EUSAGE if it has none of that name. */
KELVIN_MUST_CHECK kelvin_status kelvin_run_set(kelvin_run_config *config, const char *name, double value);

/* Takes over the fields that a JSON file has, and leaves the others as they were; the run.json of any run will do.
 * Where one field is there and one that belongs to it is not, the second follows: samples and chains each other, the
 * temperature's schedule that of the learning rate, the warm-up is 30 % of the iterations. KELVIN_EFORMAT if a field is
 * not known, is one of another sampler than config->sampler (which the file may change: then the others become what is
 * usual for that one), or is not what it must be. Texts live until kelvin_run_config_free(*owner); the path must live
 * as long. If the file has the checksums of its data set (data_crc32) and that set has changed, kelvin_run_start fails
 * with KELVIN_EFORMAT, and so it does if chains would start elsewhere (init_crc32), or for a wrong value that is the
 * file's. */
KELVIN_MUST_CHECK kelvin_status kelvin_run_config_read(kelvin_run_config *config, void **owner, const char *path);
void kelvin_run_config_free(void *owner);

/* A new run, in a new folder (KELVIN_EUSAGE if it is there already) or in memory (NULL). Everything is checked, and
 * nothing sampled yet. One process at a time works in a folder. */
KELVIN_MUST_CHECK kelvin_status kelvin_run_start(kelvin_run **run, const kelvin_run_config *config, const char *folder);

/* A run that was begun, to go on with it. What is lost or damaged and follows from other files will be made again.
 * KELVIN_EUSAGE if another process works there. */
KELVIN_MUST_CHECK kelvin_status kelvin_run_open(kelvin_run **run, const char *folder);

typedef struct kelvin_run_options {
    size_t threads;    /* 0: one per CPU. How many chains run at once, and on how many threads each, follows. */
    double checkpoint; /* seconds after which a chain's state is written again; 0: after each epoch or iteration */
} kelvin_run_options;

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
    uint32_t row, rows;   /* whole epochs or iterations done, and to do */
    uint64_t step, steps; /* the same in steps (of logits: samples) */
    double steps_per_s;   /* lately; 0: not known yet */
    const double *values; /* the row so far, as kelvin_run_columns() lists it; NULL: nothing yet */
} kelvin_chain_news;

/* Called from any thread, one at a time: once for each chain before the first of them starts, so that a watch knows
 * what was done earlier; then some times per second and chain at work. Return false to stop: every chain writes its
 * state, and kelvin_run_sample returns KELVIN_ESTOP. */
typedef bool kelvin_run_watch(void *context, const kelvin_run *run, const kelvin_chain_news *news);

/* All chains of n runs to their ends, then the logits of those that have a folder. options NULL: {0, 60}. A chain that
 * diverges does not stop the others: see kelvin_run_diverged. */
KELVIN_MUST_CHECK kelvin_status kelvin_run_sample(kelvin_run **runs, size_t n, const kelvin_run_options *options,
                                                  kelvin_run_watch *watch, void *context);
void kelvin_run_close(kelvin_run *run);

/* Is there nothing left to do, not even logits? */
bool kelvin_run_finished(const kelvin_run *run);

/* Reads all that a run that has ended is made of, and compares it with RUN/manifest: KELVIN_EFORMAT, with what helps,
 * if something is damaged. */
KELVIN_MUST_CHECK kelvin_status kelvin_run_verify(const kelvin_run *run);

/* Of a chain that diverged: a sentence with its step and layer; NULL if it did not. */
const char *kelvin_run_diverged(const kelvin_run *run, uint32_t chain);

/* Where a run warns before it starts: a sentence, or NULL. A gradient below the critical alpha of (K - 2) / K leads
 * away from the labels where predictions are wrong. */
const char *kelvin_run_warning(const kelvin_run *run);
/* The same in a client's words; false if there is none. */
bool kelvin_run_warning_say(const kelvin_run *run, char *out, size_t size, kelvin_words *words, void *context);

/* ---- how long a run is ----
 * A chain goes in rows: the epochs of a sampler that looks at batches, the iterations of one that looks at all data. */
const char *kelvin_run_row_name(const kelvin_run *run);             /* "epoch" or "iteration" */
uint32_t kelvin_run_rows(const kelvin_run *run);                    /* of each chain */
uint32_t kelvin_run_draws(const kelvin_run *run);                   /* of each chain, warm-up among them */
uint32_t kelvin_run_warmup(const kelvin_run *run);                  /* draws that are warm-up */
uint32_t kelvin_run_draw_row(const kelvin_run *run, uint32_t draw); /* at whose end a draw is taken */

/* The columns of history.csv, the first of which counts rows: those of every run, then those of its sampler. */
enum { KELVIN_COLUMNS = 8 + KELVIN_STATISTICS };
size_t kelvin_run_columns(const kelvin_statistic *columns[KELVIN_COLUMNS], const kelvin_run *run);

/* ---- what a run has left: its samples ----
 *
 *     kelvin_samples *samples;
 *     kelvin_status st = kelvin_samples_open(&samples, "RUN");
 *     for (size_t i = 0; i < samples->n && !st; i++) st = kelvin_samples_read(samples, theta, i);
 *     kelvin_samples_close(samples);
 *
 * The data set of the run is not needed for it: run->data has no rows (see kelvin_data_describe). */

typedef struct kelvin_samples {
    kelvin_run *run;
    const char *folder;          /* or what to call a run that has none */
    size_t n;                    /* samples, chain after chain, warm-up left out */
    const uint32_t *chain;       /* (n): which chain each is of */
    const uint32_t *draw;        /* (n): which of that chain's, from 0 */
    const char *const *diverged; /* (run->config.chains): a sentence of those that did, NULL of the others */
    void *owned;
} kelvin_samples;

/* KELVIN_EFORMAT if the run has not ended; KELVIN_EDIVERGED if it has and left no sample. */
KELVIN_MUST_CHECK kelvin_status kelvin_samples_open(kelvin_samples **samples, const char *folder);

/* Of a run that has been sampled to its end and is still open, which must outlive them. */
KELVIN_MUST_CHECK kelvin_status kelvin_samples_of(kelvin_samples **samples, kelvin_run *run);
void kelvin_samples_close(kelvin_samples *samples);

/* What to know of the folder before believing it: that it is of a version that kept no checksums; NULL: nothing. */
const char *kelvin_samples_note(const kelvin_samples *samples);

/* The parameters of the i-th sample (n_params). KELVIN_EFORMAT if one of them is not a finite number. Those that were
 * read are kept in memory as long as all of them take a few MB. One caller at a time. */
KELVIN_MUST_CHECK kelvin_status kelvin_samples_read(kelvin_samples *samples, float *theta, size_t i);

/* history.csv of a chain: one row per epoch or iteration, as far as the chain came. Files of earlier versions may have
 * fewer columns. KELVIN_EFORMAT if the file is missing or has been cut. */
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
    double rows_per_s;   /* epochs or iterations, of all chains together */
    double seconds;      /* to the end */
    double logits;       /* seconds of these, for the logits of all samples */
    double cpu_share; /* of the time, that the measured chains were given their CPUs; less than 1 on a busy machine */
} kelvin_estimate;

KELVIN_MUST_CHECK kelvin_status kelvin_run_estimate(kelvin_estimate *estimate, const kelvin_run_config *config,
                                                    size_t threads);

#ifdef __cplusplus
}
#endif
#endif
