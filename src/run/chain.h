/* chain: one chain by any sampler, from its start or its last checkpoint to its last draw.
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

#include "run/bundle.h"

/* Sums over the steps of a row so far. Doubles alone, so that a checkpoint can keep them as one array. */
struct kelvin_row_sums {
    double steps, n, hits, confidence, range, logp, value[KELVIN_STATISTICS];
};
enum { KELVIN_ROW_SUMS = sizeof(struct kelvin_row_sums) / sizeof(double) };

/* Where a chain is: all that it needs to go on, but for what it has collected since its last file. */
struct kelvin_snapshot {
    uint32_t step;  /* the next one to do */
    float *vectors; /* (vectors, n_params): kelvin_sampler_save */
    double numbers[KELVIN_STATE_NUMBERS];
    struct kelvin_row_sums sums;
    char diverged[KELVIN_NOTE]; /* where and how; "" if it did not */
};

struct kelvin_chain {
    const kelvin_run *run;
    uint32_t number;
    uint32_t row_steps, steps; /* steps of a row, and of the whole chain */
    size_t columns;

    struct kelvin_snapshot good; /* the last state that was found good: where its row began */
    struct kelvin_snapshot now;  /* read from a file: where it was, until it is taken up; otherwise all zeros */
    struct kelvin_bundle bundle; /* what was collected up to `good` */
    double *last;                /* (columns): the last row that has ended; NULL before the first */
    double row[KELVIN_COLUMNS];  /* what `last` points to */

    uint32_t step;
    struct kelvin_row_sums sums;
    kelvin_sampler *sampler;
    kelvin_posterior *posterior;
    size_t threads;
    struct kelvin_group *group; /* ranks that share it, each with its own copy of all this; NULL: none */
    uint32_t ordered;           /* the epoch that `order` is of, + 1; 0: none yet */
    uint32_t *order;            /* (training observations), for batches */
};

KELVIN_MUST_CHECK kelvin_status kelvin_chain_create(struct kelvin_chain *chain, const kelvin_run *run, uint32_t number);
void kelvin_chain_destroy(struct kelvin_chain *chain); /* fine on a zeroed one */

/* The chain goes on with this many threads. Nothing else changes. */
KELVIN_MUST_CHECK kelvin_status kelvin_chain_threads(struct kelvin_chain *chain, size_t threads);

/* At its random start, or at that of config.init, which the first rank of a group alone looks for. */
KELVIN_MUST_CHECK kelvin_status kelvin_chain_begin(struct kelvin_chain *chain);

/* At a state of it, `now`, which was read from a file, or `good`. */
void kelvin_chain_take_up(struct kelvin_chain *chain, const struct kelvin_snapshot *state);

/* One step; at the end of a row also a row of history, perhaps a draw, and a new `good` state. If the step was no good,
 * good.diverged says so afterwards, and the chain has ended. */
KELVIN_MUST_CHECK kelvin_status kelvin_chain_step(struct kelvin_chain *chain);

/* The two halves of that, for those who let several chains advance at once (band.h): when the next step is, and what
 * comes after the sampler has taken it. */
kelvin_moment kelvin_chain_moment(const struct kelvin_chain *chain);
KELVIN_MUST_CHECK kelvin_status kelvin_chain_settle(struct kelvin_chain *chain, const kelvin_step_info *info);

/* The state of now, which nobody has looked at yet; once it was found good, for chain->good. */
void kelvin_chain_now(struct kelvin_snapshot *state, const struct kelvin_chain *chain);

/* The row so far, from its sums; the last one that has ended, if there is none. False if there is neither. */
bool kelvin_chain_row(double row[KELVIN_COLUMNS], const struct kelvin_chain *chain);

static inline bool kelvin_chain_ended(const struct kelvin_chain *chain)
{
    return chain->step >= chain->steps || chain->good.diverged[0];
}

static inline bool kelvin_chain_row_ended(const struct kelvin_chain *chain)
{
    return chain->step % chain->row_steps == 0;
}

/* Parameters at which a chain starts: drawn at random, or those of config.init: a sample of a run, or a file. */
KELVIN_MUST_CHECK kelvin_status kelvin_start(float *theta, const kelvin_run *run, uint32_t chain);

/* A checksum of where all chains start, of a run whose config.init is not "none". */
KELVIN_MUST_CHECK kelvin_status kelvin_starts_mark(char mark[KELVIN_CONFIG_MARK], const kelvin_run *run);

/* How many observations' logits are made in a second, measured. */
KELVIN_MUST_CHECK kelvin_status kelvin_logits_rate(double *per_s, const kelvin_run *run, size_t threads);

/* Bytes that its folder will have, at most. */
double kelvin_run_disk(const kelvin_run *run);

/* Which layer makes a chain diverge: the first with a parameter that is not finite, or else the one that has grown most
 * from the size that layers have when networks start. */
const char *kelvin_diverging_layer(const kelvin_model *model, const float *theta);

/* ---- states ---- */

/* Writes a state with what was collected up to it, and in the middle of a row where that began; reads one, into `now`,
 * `good` and the bundle. */
KELVIN_MUST_CHECK kelvin_status kelvin_state_write(const char *path, const struct kelvin_chain *chain,
                                                   const struct kelvin_snapshot *state,
                                                   const struct kelvin_snapshot *row,
                                                   const struct kelvin_bundle *bundle);
KELVIN_MUST_CHECK kelvin_status kelvin_state_read(struct kelvin_chain *chain, const char *path);

/* Where a chain of a run with a folder stands, from its state. */
KELVIN_MUST_CHECK kelvin_status kelvin_place_read(struct kelvin_place *place, const kelvin_run *run, uint32_t chain);

/* A snapshot's memory for a chain; kelvin_snapshot_free on a zeroed one is fine. */
KELVIN_MUST_CHECK kelvin_status kelvin_snapshot_create(struct kelvin_snapshot *snapshot, const kelvin_run *run);
void kelvin_snapshot_copy(struct kelvin_snapshot *to, const struct kelvin_snapshot *from, const kelvin_run *run);
void kelvin_snapshot_free(struct kelvin_snapshot *snapshot);

/* ---- history.csv ---- */

/* The columns of a run as a table has them; returns how many. */
size_t kelvin_history_table(struct kelvin_column columns[KELVIN_COLUMNS], const kelvin_run *run);

/* Writes rows of a chain behind the first `*bytes` bytes of its history.csv, which end with the row before them (0: the
 * file is made anew); *bytes is how long it is then. */
KELVIN_MUST_CHECK kelvin_status kelvin_history_put(const kelvin_run *run, uint32_t chain, uint64_t *bytes,
                                                   const double *rows, size_t n);

/* Makes it anew from the files of draws of a chain that has taken so many: all rows up to the last of them. */
KELVIN_MUST_CHECK kelvin_status kelvin_history_rebuild(const kelvin_run *run, uint32_t chain, uint32_t files,
                                                       uint64_t *bytes);

#endif
