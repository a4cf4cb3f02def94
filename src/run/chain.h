/* chain: one chain of SGHMC, from its start or its last checkpoint to its samples.
 *
 *     struct kelvin_chain chain;
 *     kelvin_status st = kelvin_chain_create(&chain, run, number);
 *     if (!st) st = kelvin_chain_threads(&chain, 2);              // on how many threads; may change later
 *     if (!st) st = kelvin_chain_begin(&chain);                   // or kelvin_state_read(), take_up()
 *     while (!st && !kelvin_chain_ended(&chain)) st = kelvin_chain_step(&chain);
 *     kelvin_chain_destroy(&chain);
 *
 * Where it is in its run is one number, the step: epoch, batch, order, noise and schedule follow from it.
 */
#ifndef RUN_CHAIN_H
#define RUN_CHAIN_H

#include "files/files.h"
#include "files/formats.h"
#include "run/room.h"

#include <kelvin/target.h>

/* history.csv: one row per epoch. */
enum kelvin_epoch_column {
    EPOCH,
    RATE,
    TEMPERATURE,
    ACCURACY,
    CONFIDENCE,
    LOG_POSTERIOR,
    LOGIT_RANGE,
    GRADIENT_NORM,
    KINETIC,
    CONFIGURATIONAL,
    KELVIN_EPOCH_COLUMNS
};
extern const struct kelvin_column kelvin_epoch_columns[KELVIN_EPOCH_COLUMNS];

/* Sums over the steps of an epoch so far. Doubles alone, so that a checkpoint can keep them as one array. */
struct kelvin_epoch_sums {
    double steps, n, hits, confidence, range, logp, gradient, kinetic, configurational;
};
enum { KELVIN_EPOCH_SUMS = sizeof(struct kelvin_epoch_sums) / sizeof(double) };

/* All that a chain needs to go on, but for the history, of which it needs the rows of the epochs that have ended. */
struct kelvin_snapshot {
    uint32_t step; /* the next one to do */
    float *theta, *v;
    struct kelvin_epoch_sums sums;
    char diverged[KELVIN_NOTE]; /* where and how; "" if it did not */
};

struct kelvin_chain {
    const kelvin_run *run;
    uint32_t number;
    uint32_t steps_per_epoch, steps; /* of the whole chain */

    struct kelvin_snapshot good; /* the last state that was found good: at the end of an epoch, or where it began */
    double *history;             /* (epochs, KELVIN_EPOCH_COLUMNS); rows are never changed once they are there */

    uint32_t step;
    struct kelvin_epoch_sums sums;
    kelvin_sghmc *sampler;
    kelvin_posterior *posterior;
    size_t threads;
    uint32_t ordered; /* the epoch that `order` is of, + 1; 0: none yet */
    uint32_t *order;  /* (training observations) */
};

KELVIN_MUST_CHECK kelvin_status kelvin_chain_create(struct kelvin_chain *chain, const kelvin_run *run, uint32_t number);
void kelvin_chain_destroy(struct kelvin_chain *chain); /* fine on a zeroed one */

/* The chain goes on with this many threads. Nothing else changes. */
KELVIN_MUST_CHECK kelvin_status kelvin_chain_threads(struct kelvin_chain *chain, size_t threads);

/* At its random start, or at that of config.init. */
KELVIN_MUST_CHECK kelvin_status kelvin_chain_begin(struct kelvin_chain *chain);

/* At `good`, which was read from a file. */
void kelvin_chain_take_up(struct kelvin_chain *chain);

/* One step; at the end of an epoch also a row of history and a new `good` state. If the step was no good, good.diverged
 * says so afterwards, and the chain has ended. */
KELVIN_MUST_CHECK kelvin_status kelvin_chain_step(struct kelvin_chain *chain);

/* The state of now, which nobody has looked at yet. */
void kelvin_chain_now(struct kelvin_snapshot *state, const struct kelvin_chain *chain);

/* Makes it the good one. */
void kelvin_chain_keep(struct kelvin_chain *chain);

/* The row of an epoch from its sums. */
void kelvin_epoch_row(double row[KELVIN_EPOCH_COLUMNS], const struct kelvin_chain *chain, uint32_t epoch);

/* Writes history.csv up to a step. */
KELVIN_MUST_CHECK kelvin_status kelvin_chain_history(const struct kelvin_chain *chain, const char *folder,
                                                     uint32_t step);

/* Has the step before this one ended a cycle? If so its number goes to *cycle. */
bool kelvin_chain_ends_cycle(const struct kelvin_chain *chain, uint32_t *cycle);

static inline bool kelvin_chain_ended(const struct kelvin_chain *chain)
{
    return chain->step >= chain->steps || chain->good.diverged[0];
}

/* A rest smaller than a batch is dropped. */
static inline uint32_t kelvin_steps_per_epoch(const kelvin_run *run)
{
    return (uint32_t)(run->data->train.n / run->config.batch);
}

static inline uint32_t kelvin_cycles(const kelvin_run_config *config)
{
    return config->samples / config->chains;
}

/* Parameters at which a chain starts: drawn as the model says, or those of a sample of config.init. */
KELVIN_MUST_CHECK kelvin_status kelvin_start(float *theta, const kelvin_run *run, uint32_t chain);

/* ---- files of a chain ---- */

#define KELVIN_CHAIN_FOLDER "chain-%03u"
#define KELVIN_STATE_FILE   KELVIN_CHAIN_FOLDER "/state.safetensors"
#define KELVIN_HISTORY_FILE KELVIN_CHAIN_FOLDER "/history.csv"
#define KELVIN_TIMES_FILE   "times.csv" /* of all chains */
#define KELVIN_SAMPLE_FILE  KELVIN_CHAIN_FOLDER "/sample-%03u.safetensors"
#define KELVIN_DRAWS_FILE   KELVIN_CHAIN_FOLDER "/samples.safetensors" /* of HMC */

/* Writes a state with the history up to it, and reads one. */
KELVIN_MUST_CHECK kelvin_status kelvin_state_write(const char *path, const struct kelvin_chain *chain,
                                                   const struct kelvin_snapshot *state);
KELVIN_MUST_CHECK kelvin_status kelvin_state_read(struct kelvin_chain *chain, const char *path);

/* Where a state stands, without the state: its step, at most `steps`, and how it diverged. */
KELVIN_MUST_CHECK kelvin_status kelvin_state_peek(uint32_t *step, char diverged[KELVIN_NOTE], const char *path,
                                                  const kelvin_run *run, uint32_t chain, uint32_t steps);

/* Whether a state is of this chain of a run with this configuration. */
KELVIN_MUST_CHECK kelvin_status kelvin_state_check(const char *path, const kelvin_run *run, uint32_t chain);

/* A snapshot's memory for n parameters; kelvin_snapshot_free on a zeroed one is fine. */
KELVIN_MUST_CHECK kelvin_status kelvin_snapshot_create(struct kelvin_snapshot *snapshot, size_t n);
void kelvin_snapshot_free(struct kelvin_snapshot *snapshot);

/* One sample: the parameters alone, under the model's names. `index` counts those of its chain. */
KELVIN_MUST_CHECK kelvin_status kelvin_sample_write(const char *path, const kelvin_run *run, uint32_t chain,
                                                    uint32_t index, const float *theta);
KELVIN_MUST_CHECK kelvin_status kelvin_sample_read(float *theta, const char *path, const kelvin_model *model);
/* The same, which must be this one of this run. */
KELVIN_MUST_CHECK kelvin_status kelvin_sample_read_of(float *theta, const char *path, const kelvin_run *run,
                                                      uint32_t chain, uint32_t index);

/* The samples that a run folder holds, chain after chain: the path of the next one, from {0} on; false after the last.
 */
struct kelvin_sample_place {
    uint32_t chain, index;
};
bool kelvin_sample_next(kelvin_path path, struct kelvin_sample_place *place, const char *folder);

size_t kelvin_sample_count(const char *folder);

/* Which layer makes a chain diverge: the first with a parameter that is not finite, or else the one that has grown most
 * from the size that layers have when networks start. */
const char *kelvin_diverging_layer(const kelvin_model *model, const float *theta);

/* What helps against divergence: "make --lr smaller". */
void kelvin_advise_stable(char out[KELVIN_NOTE], const kelvin_run_config *config);

#endif
