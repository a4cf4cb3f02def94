/* run: what to sample (a configuration), chains over cores by any sampler, and what they leave: a folder, or memory.
 *
 *     kelvin_config *config = NULL;
 *     kelvin_run *run = NULL;
 *     kelvin_status st = kelvin_config_create(&config);
 *     if (!st) st = kelvin_config_set(config, "density", "dirclip:1.4,-50");
 *     if (!st) st = kelvin_run_start(&run, config, "RUN");             // or kelvin_run_open(&run, "RUN"), to go on
 *     if (!st) st = kelvin_run_sample(&run, 1, NULL, NULL, NULL);      // several runs can share the cores
 *     if (st) fprintf(stderr, "%s\n", kelvin_error());
 *     kelvin_run_close(run);
 *     kelvin_config_destroy(config);
 *
 * A run lives in its folder: run.json is there from the first moment, draws are written as they come, each chain writes
 * its state now and then, and a run that was stopped or killed goes on from there to the same bytes. docs/runs.md says
 * what is in the folder. Without a folder (NULL) a run lives in memory, and is gone when it is closed: nothing is
 * written. What is drawn depends on the configuration and the data alone.
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

/* ---- configurations ----
 * What has been said of a run: field by field, each by its name in run.json, with its value as text. What was set
 * counts for more than what a file says, and that for more than what is usual for the sampler, whatever came first. The
 * sampler is the one that was set, or that of the file, or the first of all. Where one field is said and one that
 * belongs to it is not, the second follows: samples and chains each other, the temperature's schedule that of the step
 * size, the warm-up is 30 % of the iterations.
 *
 * What nobody has said of model, density, prior, sizes of steps, and how long a run is, is chosen: it is found from the
 * data, by short runs on a part of the training rows, when a run is started. Such a field can also be set to "auto".
 * The field "preset" says otherwise: with "paper" all that nobody has said is as in the paper, but for fewer epochs.
 * The run.json of a run has what was chosen, and leaves nothing open.
 *
 * A value that makes no sense is KELVIN_EUSAGE, or KELVIN_EFORMAT with the file's name if it is the file's. Numbers are
 * seen when they are set; whether the whole makes sense, when a run is started. */

typedef struct kelvin_config kelvin_config;

KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_config_create(kelvin_config **config);
KELVIN_API void kelvin_config_destroy(kelvin_config *config);

/* One field: set(config, "sampler", "hmc"), set(config, "iterations", "1e3"), set(config, "step_size", "0.1"). Text
 * NULL: as if it had never been set. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_config_set(kelvin_config *config, const char *field,
                                                             const char *text);

/* Takes what a JSON file says: some fields, or the run.json of any run, whose folder will do too. It is read once,
 * here; another one takes its place. If it has the checksums of its data (data_crc32) and those have changed, no run is
 * started with them; and so if chains would start elsewhere (init_crc32). */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_config_read(kelvin_config *config, const char *path);

/* Chooses what is open, and sets it. data NULL: those of the field "data". threads 0: one per CPU; the choice does not
 * depend on it. The watch, unless NULL, is called now and then from any thread, and returns false to stop:
 * KELVIN_ESTOP. Who does not call this has it done, without a word, by kelvin_run_start. */
typedef bool kelvin_choose_watch(void *context);
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_config_choose(kelvin_config *config, const kelvin_data *data,
                                                                size_t threads, kelvin_choose_watch *watch,
                                                                void *context);

/* Whether anything is open; what was chosen and why, in some words, NULL if nothing was. */
KELVIN_API bool kelvin_config_is_open(const kelvin_config *config);
KELVIN_API const char *kelvin_config_chosen(const kelvin_config *config);

/* A field as a run would use it, "auto" while it is open. A batch of 0 is 125 observations, or all if there are fewer.
 * KELVIN_EUSAGE if the sampler has no such field, or the text does not fit. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_config_get(const kelvin_config *config, const char *field, char *out,
                                                             size_t size);

typedef enum kelvin_value_kind {
    KELVIN_VALUE_TEXT,
    KELVIN_VALUE_WHOLE, /* a whole number from 0 on */
    KELVIN_VALUE_REAL,
} kelvin_value_kind;

/* What there is to be said of a field. Settings of samplers are fields, too: two samplers may have one of the same
 * name, and it is listed for each of them. */
typedef struct kelvin_field_info {
    const char *name;     /* "step_size" */
    const char *value;    /* "H": what its value is called in texts like this one */
    const char *about;    /* one line */
    const char *usual;    /* its value if nobody says otherwise, as "500, by mclmc 1000"; or a rule, in words */
    bool rule;            /* it is a rule: there is no one value */
    const char *samplers; /* "hmc or mclmc": those that it is for; NULL: it is for all */
    const char *family;   /* the key of the family that its values are members of, "densities"; NULL: of none */
    kelvin_value_kind kind;
} kelvin_field_info;

/* The i-th of all fields that people set: those of every run, then those of some; NULL after the last. */
KELVIN_API const kelvin_field_info *kelvin_config_field_at(size_t i);

/* Whether it is for this sampler. */
KELVIN_API bool kelvin_field_is_for(const kelvin_field_info *field, const char *sampler);

/* ---- runs ---- */

typedef struct kelvin_run kelvin_run;

/* A new run, in a new folder (KELVIN_EUSAGE if it is there already) or in memory (NULL). Everything is checked, and
 * nothing sampled yet. One process at a time works in a folder. The configuration is not needed any more. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_run_start(kelvin_run **run, const kelvin_config *config,
                                                            const char *folder);

/* The same in the first of NAME, NAME-2, NAME-3, ... that is not there: kelvin_run_folder() says which it is. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_run_start_free(kelvin_run **run, const kelvin_config *config,
                                                                 const char *name);

/* The same with data that the caller has open, whatever the field "data" says, as those of kelvin_data_from_arrays().
 * They stay the caller's, several runs may share them, and they must outlive the run. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_run_start_with(kelvin_run **run, const kelvin_config *config,
                                                                 const kelvin_data *data, const char *folder);

/* A run that was begun, to go on with it. What is lost or damaged and follows from other files will be made again.
 * KELVIN_EUSAGE if another process works there; or if its data were in the memory of a program: then they must be given
 * again, and their checksums compared. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_run_open(kelvin_run **run, const char *folder);
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_run_open_with(kelvin_run **run, const char *folder,
                                                                const kelvin_data *data);

/* A run to be looked at: what it is, and what its data are like, without their rows. Others may work there. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_run_read(kelvin_run **run, const char *folder);

typedef struct kelvin_run_options {
    size_t threads;         /* 0: one per CPU. How many chains run at once, and on how many threads each, follows. */
    double checkpoint;      /* seconds after which a chain's state is written again; 0: after each epoch or iteration */
    size_t ranks_per_chain; /* of several ranks (kelvin/ranks.h): so many share each chain, at most 8, and must divide
                               how many there are; 0: one, or more if there are fewer chains than ranks */
    size_t
        ranks_per_cell; /* of experiments (kelvin/experiment.h): so many take each cell, and deal its chains; a multiple
                           of ranks_per_chain; 0: as many as share a chain, or more if there are fewer cells */
    uint32_t rows;      /* of runs with a folder: chains stop after so many epochs, and can go on; 0: at their ends */
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
    const double *values; /* the row so far, as kelvin_run_column() lists it; NULL: nothing yet */
} kelvin_chain_news;

/* Called from any thread, one at a time: once for each chain before the first of them starts, so that a watch knows
 * what was done earlier; then some times per second and chain at work. Return false to stop: every chain writes its
 * state, and kelvin_run_sample returns KELVIN_ESTOP. */
typedef bool kelvin_run_watch(void *context, const kelvin_run *run, const kelvin_chain_news *news);

enum { KELVIN_MOST_RANKS_PER_CHAIN = 8 };

/* KELVIN_EUSAGE if they do not fit the ranks that there are: kelvin_run_sample says the same, when all have begun. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_run_check_options(const kelvin_run_options *options);

/* All chains of n runs to their ends, then the logits of those that have a folder. options NULL: {0, 60}. A chain that
 * diverges does not stop the others: see kelvin_run_diverged. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_run_sample(kelvin_run **runs, size_t n,
                                                             const kelvin_run_options *options, kelvin_run_watch *watch,
                                                             void *context);
KELVIN_API void kelvin_run_close(kelvin_run *run);

/* Is there nothing left to do, not even logits? */
KELVIN_API bool kelvin_run_finished(const kelvin_run *run);

/* Reads all that a run that has ended is made of, and compares it with RUN/manifest: KELVIN_EFORMAT, with what helps,
 * if something is damaged. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_run_verify(const kelvin_run *run);

/* ---- runs that share their beginning ----
 * While its schedule keeps the temperature at 0, as that of the paper does for a third of the epochs, a run does not
 * depend on its temperature: runs that differ in nothing else have these rows in common. `folder`, which must be there
 * and is theirs alone, is where the first of them leaves its chains' states, and where chains of the others begin. What
 * they draw, and all that is in their folders, is the same as without.
 *
 *     for (size_t i = 0; i < n; i++) st = kelvin_run_branch(run[i], "TRUNK");
 *     st = kelvin_run_sample(run, 1, &(kelvin_run_options){.rows = kelvin_run_cold_rows(run[0])}, NULL, NULL);
 *     st = kelvin_run_sample(run, n, NULL, NULL, NULL); */
KELVIN_API uint32_t kelvin_run_cold_rows(const kelvin_run *run); /* 0: there are none */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_run_branch(kelvin_run *run, const char *folder);
/* Whether the states of all chains are there. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_run_branched(bool *there, const kelvin_run *run);

/* Of a chain that diverged: a sentence with its step and layer; NULL if it did not. */
KELVIN_API const char *kelvin_run_diverged(const kelvin_run *run, uint32_t chain);

/* Where a run warns before it starts: a sentence, or NULL. A gradient below the critical alpha of (K - 2) / K leads
 * away from the labels where predictions are wrong. */
KELVIN_API const char *kelvin_run_warning(const kelvin_run *run);
/* The same in a client's words; false if there is none. */
KELVIN_API bool kelvin_run_warning_say(const kelvin_run *run, char *out, size_t size, kelvin_words *words,
                                       void *context);

/* ---- how long a run is ----
 * A chain goes in rows: the epochs of a sampler that looks at batches, the iterations of one that looks at all data. */
KELVIN_API const char *kelvin_run_row_name(const kelvin_run *run);             /* "epoch" or "iteration" */
KELVIN_API uint32_t kelvin_run_rows(const kelvin_run *run);                    /* of each chain */
KELVIN_API uint32_t kelvin_run_draws(const kelvin_run *run);                   /* of each chain, warm-up among them */
KELVIN_API uint32_t kelvin_run_warmup(const kelvin_run *run);                  /* draws that are warm-up */
KELVIN_API uint32_t kelvin_run_draw_row(const kelvin_run *run, uint32_t draw); /* at whose end a draw is taken */

/* The columns of history.csv, the first of which counts rows: those of every run, then those of its sampler. */
KELVIN_API size_t kelvin_run_columns(const kelvin_run *run);
KELVIN_API size_t kelvin_run_own_columns(const kelvin_run *run);                       /* of these, its sampler's */
KELVIN_API const kelvin_statistic *kelvin_run_column(const kelvin_run *run, size_t i); /* NULL after the last */

/* ---- what a run is ---- */

KELVIN_API const char *kelvin_run_folder(const kelvin_run *run); /* NULL: it lives in memory */
KELVIN_API const kelvin_data *kelvin_run_data(const kelvin_run *run);
KELVIN_API const kelvin_model *kelvin_run_model(const kelvin_run *run);
KELVIN_API uint32_t kelvin_run_chains(const kelvin_run *run);
KELVIN_API double kelvin_run_seconds(const kelvin_run *run); /* that kelvin_run_sample took; 0: it did nothing */

/* Of all chains together, warm-up left out: so many there are if none diverges. */
KELVIN_API size_t kelvin_run_samples_asked_for(const kelvin_run *run);

/* Its sampler looks at batches of the data, one after the other; otherwise at all data in every step. */
KELVIN_API bool kelvin_run_looks_at_batches(const kelvin_run *run);

/* A field of its configuration, by name: the text of one that is a text, NULL if there is none; the number of one that
 * is a number, not a number if there is none. */
KELVIN_API const char *kelvin_run_text(const kelvin_run *run, const char *field);
KELVIN_API double kelvin_run_number(const kelvin_run *run, const char *field);

/* Any field as one would type it, as kelvin_config_get. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_run_get(const kelvin_run *run, const char *field, char *out,
                                                          size_t size);

/* All fields that count for its sampler, as a JSON object; kelvin_free it. NULL if memory is short. */
KELVIN_API char *kelvin_run_json(const kelvin_run *run);

/* The i-th setting of its sampler; kelvin_run_number has its value. NULL after the last. */
KELVIN_API const kelvin_setting *kelvin_run_setting(const kelvin_run *run, size_t i);

/* Whether someone has said how large steps are: then nothing tunes them. */
KELVIN_API bool kelvin_run_step_is_given(const kelvin_run *run);

/* Whether chains do not begin at random, but at samples of another run: its folder, which fits into 4096 bytes, and the
 * one sample that all of them begin at, SIZE_MAX if each has its own. If kelvin_run_starts_at_file(), all of them begin
 * at the parameters that a file (FILE.safetensors) had: the folder is that file, and the sample 0. */
KELVIN_API bool kelvin_run_starts_from(const kelvin_run *run, char *folder, size_t size, size_t *sample);
KELVIN_API bool kelvin_run_starts_at_file(const kelvin_run *run);

/* Whether its files have checksums: earlier versions kept none. */
KELVIN_API bool kelvin_run_has_checksums(const kelvin_run *run);

/* ---- what a run has left: its samples ----
 *
 *     kelvin_samples *samples;
 *     kelvin_status st = kelvin_samples_open(&samples, "RUN");
 *     for (size_t i = 0; !st && i < kelvin_samples_count(samples); i++) st = kelvin_samples_read(samples, theta, i);
 *     kelvin_samples_close(samples);
 *
 * The data set of the run is not needed for it: kelvin_run_data() has no rows then, but says how many there were. */

typedef struct kelvin_samples kelvin_samples;

/* KELVIN_EFORMAT if the run has not ended; KELVIN_EDIVERGED if it has and left no sample. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_samples_open(kelvin_samples **samples, const char *folder);

/* The same, but also where there are none, for all chains have diverged; kelvin_samples_none() is KELVIN_EDIVERGED with
 * the reason then, and what helps. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_samples_find(kelvin_samples **samples, const char *folder);
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_samples_none(const kelvin_samples *samples);

/* The same of a run that has not ended, because it goes on or was stopped: the samples of the chains that have, as if
 * there were no others. Its data are opened, since nothing of what it says of them has been kept yet. KELVIN_EFORMAT if
 * no chain has come to a sample and to its end. kelvin_samples_note() says what is missing, and so does the advice. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_samples_open_partly(kelvin_samples **samples, const char *folder);
/* Chains that have not ended; 0 of a run that has. */
KELVIN_API uint32_t kelvin_samples_waiting(const kelvin_samples *samples);

/* Of a run that has been sampled to its end and is still open, which must outlive them. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_samples_of(kelvin_samples **samples, kelvin_run *run);
KELVIN_API void kelvin_samples_close(kelvin_samples *samples);

KELVIN_API size_t kelvin_samples_count(const kelvin_samples *samples); /* chain after chain, warm-up left out */
KELVIN_API uint32_t kelvin_samples_chain(const kelvin_samples *samples, size_t i); /* which chain the i-th is of */
KELVIN_API uint32_t kelvin_samples_draw(const kelvin_samples *samples, size_t i);  /* which of that chain's, from 0 */
KELVIN_API const kelvin_run *kelvin_samples_run(const kelvin_samples *samples);
KELVIN_API const char *kelvin_samples_folder(const kelvin_samples *samples); /* or what to call a run that has none */

/* Of a chain that diverged: a sentence with its step and layer; NULL if it did not. */
KELVIN_API const char *kelvin_samples_diverged(const kelvin_samples *samples, uint32_t chain);

/* What to know of the folder before believing it: that it is of a version that kept no checksums, or of a run that has
 * not ended; NULL: nothing. */
KELVIN_API const char *kelvin_samples_note(const kelvin_samples *samples);

/* The parameters of the i-th sample (n_params). KELVIN_EFORMAT if one of them is not a finite number. Those that were
 * read are kept in memory as long as all of them take a few MB. One caller at a time. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_samples_read(kelvin_samples *samples, float *theta, size_t i);

/* history.csv of a chain: one row per epoch or iteration, as far as the chain came. Files of earlier versions may have
 * fewer columns. KELVIN_EFORMAT if the file is missing or has been cut. */
typedef struct kelvin_history kelvin_history;

KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_history_open(kelvin_history **history, const kelvin_samples *samples,
                                                               uint32_t chain);
KELVIN_API void kelvin_history_close(kelvin_history *history);
KELVIN_API size_t kelvin_history_rows(const kelvin_history *history);
KELVIN_API size_t kelvin_history_columns(const kelvin_history *history);
KELVIN_API const char *kelvin_history_name(const kelvin_history *history, size_t column); /* the first counts rows */
KELVIN_API double kelvin_history_value(const kelvin_history *history, size_t row, size_t column);

/* The value by its column's name; NULL: no such column. */
KELVIN_API const double *kelvin_history_at(const kelvin_history *history, size_t row, const char *name);

/* What a run will cost, from some steps of it. */
typedef struct kelvin_estimate {
    size_t parameters, chains_at_once, threads_per_chain;
    double memory, disk; /* bytes, at most */
    double rows_per_s;   /* epochs or iterations, of all chains together */
    double seconds;      /* to the end */
    double logits;       /* seconds of these, for the logits of all samples */
    double cpu_share; /* of the time, that the measured chains were given their CPUs; less than 1 on a busy machine */
} kelvin_estimate;

/* Of a run that was started and not sampled yet, as if it had a folder. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_run_estimate(kelvin_estimate *estimate, const kelvin_run *run,
                                                               size_t threads);

#ifdef __cplusplus
}
#endif
#endif
