/* Inside of the run room: what a run holds that callers do not see, and the steps of making one. */
#ifndef RUN_ROOM_H
#define RUN_ROOM_H

#include "base/words.h"
#include "data/dataset.h"
#include "files/files.h"
#include "files/formats.h"
#include "files/manifest.h"
#include "ranks/ranks.h"

#include "density/density.h"
#include "run/run.h"
#include "target/target.h"

#include <string.h>
#include <sys/types.h>

#define KELVIN_CONFIG_NAME      "run.json"
#define KELVIN_DESCRIPTION_NAME "data.json"
#define KELVIN_CHAIN_FOLDER     "chain-%03u"
#define KELVIN_STATE_FILE       KELVIN_CHAIN_FOLDER "/state.safetensors"
#define KELVIN_HISTORY_FILE     KELVIN_CHAIN_FOLDER "/history.csv"
#define KELVIN_TIMES_FILE       "times.csv" /* of all chains */

/* How folders are laid out: 2 since version 0.7, 1 before. */
enum { KELVIN_FORMAT = 2 };

enum { KELVIN_CONFIG_MARK = 9, KELVIN_FILE_NAME = 64, KELVIN_MOST_CHAINS = 1 << 16 };

/* One process at a time works in a run folder. The system lets go of the lock when its process ends, however it ends.
 */
struct kelvin_lock {
    int fd;    /* -1: not held */
    pid_t pid; /* of the process that took it: a child after fork has its file open too, and not the lock */
};

/* Where one chain is. */
struct kelvin_place {
    kelvin_chain_phase phase;
    uint32_t step; /* at which it was taken up, or left */
    char diverged[KELVIN_NOTE];
};

struct kelvin_bundle;
struct kelvin_baseline;

/* What kelvin_run.owned points to. */
struct kelvin_run_owned {
    kelvin_arena *arena; /* texts of the configuration, the folder and places */
    kelvin_data *data;   /* run->data, if they are the run's own; NULL: the caller's, who keeps them open */
    kelvin_density density;
    kelvin_prior prior;
    bool has_prior;
    kelvin_augment augment; /* of batches, and so are the schedules */
    const kelvin_schedule *schedule, *temperature_schedule;
    const float *scale; /* (n_params): of each parameter; NULL: 1 */
    char warning[KELVIN_RAW], warning_raw[KELVIN_RAW];
    char mark[KELVIN_CONFIG_MARK];   /* kelvin_config_mark() */
    char starts[KELVIN_CONFIG_MARK]; /* kelvin_starts_mark(), as run.json or a configuration has it; "": not known */

    unsigned format;                  /* of its folder: KELVIN_FORMAT, or less of an earlier version's */
    char version[24];                 /* that wrote run.json; "" of a new run */
    struct kelvin_manifest *manifest; /* NULL: there is none */

    /* of a run that is to be sampled */
    struct kelvin_lock lock;
    struct kelvin_place *place; /* (chains) */
    struct kelvin_team team;    /* the ranks that work on it; of size 0 or 1: this one alone */
    bool told_finished;         /* at others than the leader: what that found of it (kelvin_run_finished) */
    double started;             /* kelvin_now() when its first chain was; 0 before */
    struct kelvin_bundle *kept; /* (chains), of a run without a folder: its draws and histories */
    const char *branch;         /* where its cold beginning is shared with other runs; NULL: nowhere */
    uint32_t cold_rows;         /* how long that is; 0: there is none */

    bool partly; /* it is read before its end: what no manifest vouches for yet has checksums of its own */
    struct kelvin_baseline *baseline; /* as soon as somebody has asked for it */
};

static inline struct kelvin_run_owned *kelvin_run_inside(const kelvin_run *run)
{
    return run->owned;
}

/* Written by a version that kept no checksums, and other files. */
static inline bool kelvin_run_is_old(const kelvin_run *run)
{
    return kelvin_run_inside(run)->format < KELVIN_FORMAT;
}

/* ---- making one ---- */

/* Checks a configuration and makes the run that it describes, which has no folder yet. Its data are `own`, which become
 * the run's, or are closed if it fails; or `lent`, which stay the caller's; both NULL: those of the configuration are
 * opened. */
KELVIN_MUST_CHECK kelvin_status kelvin_run_prepare(kelvin_run **run, const kelvin_run_config *config, kelvin_data *own,
                                                   const kelvin_data *lent);

/* What must hold of a configuration: before the data are opened, and with them. */
KELVIN_MUST_CHECK kelvin_status kelvin_config_check(kelvin_run *run);
KELVIN_MUST_CHECK kelvin_status kelvin_config_fit(kelvin_run *run);

/* Observations per step: as many as were said, of which 0 is the paper's number, or all where they are fewer. */
uint32_t kelvin_batch_of(uint32_t said, const kelvin_data *data);

/* The scales that the configuration says. */
KELVIN_MUST_CHECK kelvin_status kelvin_scales_read(kelvin_run *run);

/* run.json in a folder. Read: the run that it describes is prepared, its data opened and their checksum compared;
 * alone: without the rows of its data, which are not looked at where the folder describes them. `lent`: the data, which
 * stay the caller's; NULL: those that it names. */
KELVIN_MUST_CHECK kelvin_status kelvin_run_write(const kelvin_run *run, const char *folder);
KELVIN_MUST_CHECK kelvin_status kelvin_run_load(kelvin_run **run, const char *folder, bool alone,
                                                const kelvin_data *lent);

/* Fills in the mark: a checksum of all that run.json says, but for the version and names of files. It goes into every
 * file of a chain, by which it is seen whose it is. A run that was read has it. */
KELVIN_MUST_CHECK kelvin_status kelvin_config_mark(kelvin_run *run);

/* Places for its chains, and the name of its folder, NULL if it has none. */
KELVIN_MUST_CHECK kelvin_status kelvin_run_get_ready(kelvin_run *run, const char *folder);

/* ---- how long it is ---- */

uint32_t kelvin_run_row_steps(const kelvin_run *run); /* steps of a row */
uint32_t kelvin_run_settling(const kelvin_run *run);  /* rows before those that draws are of, of batches */
uint32_t kelvin_run_steps(const kelvin_run *run);     /* of a chain */
uint32_t kelvin_run_draws_by(const kelvin_run *run, uint32_t rows);     /* draws taken when so many rows have ended */
uint32_t kelvin_run_bundle_draws(const kelvin_run *run);                /* draws of a bundle */
size_t kelvin_run_width(const kelvin_run *run);                         /* columns of its history */
size_t kelvin_run_find_column(const kelvin_run *run, const char *name); /* its number; SIZE_MAX: there is none */

/* ---- its files ---- */

/* KELVIN_EUSAGE, with the number of the process that has it, if another one does. */
KELVIN_MUST_CHECK kelvin_status kelvin_lock_take(struct kelvin_lock *lock, const char *folder);

/* Takes a lock that is there and that nobody holds, and says nothing of it. */
bool kelvin_lock_seize(struct kelvin_lock *lock, const char *folder);

/* For one of several ranks: as long as one of them holds it, nobody else can take it. One that is held becomes such a
 * one; fd -1: it is not held yet. */
KELVIN_MUST_CHECK kelvin_status kelvin_lock_share(struct kelvin_lock *lock, const char *folder);

/* Is the lock that is held still the one in the folder? */
bool kelvin_lock_holds(const struct kelvin_lock *lock, const char *folder);
void kelvin_lock_release(struct kelvin_lock *lock);

/* The names of the files of logits and labels, and which of the data they are of. */
enum { KELVIN_PARTS = 2 };
struct kelvin_logits_file {
    const char *name, *labels;
    const kelvin_part *part;
};
void kelvin_logits_files(struct kelvin_logits_file files[KELVIN_PARTS], const kelvin_data *data);

/* Whether a file is as the run left it: KELVIN_EFORMAT, with what helps, if it is not. Fine where there is no manifest.
 * Whoever reads a file of a run asks first; a file is looked at once per open run. */
KELVIN_MUST_CHECK kelvin_status kelvin_run_vouch(const kelvin_run *run, const char *name);

/* KELVIN_EUSAGE if the run was only read: nobody has seen where its chains are, and its data may have no rows. */
KELVIN_MUST_CHECK kelvin_status kelvin_run_expect_open(const kelvin_run *run);

/* Whether all chains have ended. */
bool kelvin_run_chains_ended(const kelvin_run *run);

/* ---- its network ---- */

/* Forward over plain inputs, whatever their labels, on so many threads, on which the bits do not depend:
 *
 *     kelvin_posterior *pass;
 *     kelvin_status st = kelvin_pass_create(&pass, run, threads);
 *     if (!st) st = kelvin_posterior_set_batch(pass, x, kelvin_unlabelled, n);       // at most KELVIN_PASS inputs
 *     if (!st) kelvin_posterior_logits(pass, logits, theta);                         // for each theta */
enum { KELVIN_PASS = 504 }; /* whole blocks of 24 and of 8 observations, some for each of many threads */
extern const int32_t kelvin_unlabelled[KELVIN_PASS];
KELVIN_MUST_CHECK kelvin_status kelvin_pass_create(kelvin_posterior **pass, const kelvin_run *run, size_t threads);

/* ---- its samples ---- */

/* FOLDER/i, as config.init may be: FOLDER, and which i; false if it does not end so. */
bool kelvin_start_split(kelvin_path folder, size_t *index, const char *init);
/* FILE.safetensors, as config.init may be too, whether it is there or not; a folder of such a name is none. */
bool kelvin_start_is_file(const char *init);

/* Parameters first .. first + n - 1 of `draws` samples of one chain, from number `sample` on: those of the d-th to
 * x[d], x[stride + d], ... They alone are read and seen to be finite. Whoever goes through all parameters begins with
 * the first: with these, what vouches for files is looked at. */
KELVIN_MUST_CHECK kelvin_status kelvin_samples_columns(const kelvin_samples *samples, double *x, size_t stride,
                                                       size_t sample, size_t draws, size_t first, size_t n);

/* Whether the files of all samples are there: some people take them away, since their logits say enough. */
KELVIN_MUST_CHECK kelvin_status kelvin_samples_are_there(bool *there, const kelvin_samples *samples);

/* Of a chain that came to its end: that its history is missing or has been cut, and what brings it back; "" if it is
 * whole. A raw text. */
enum { KELVIN_LOST = KELVIN_RAW };
KELVIN_MUST_CHECK kelvin_status kelvin_history_lost(char out[KELVIN_LOST], const kelvin_samples *samples,
                                                    uint32_t chain);

/* What kelvin_history_open reads, row by row, for those who need not have all of them in memory: `one` has the i-th
 * alone. */
typedef void kelvin_history_look(void *context, const kelvin_history *one, size_t i);
KELVIN_MUST_CHECK kelvin_status kelvin_history_each(const kelvin_samples *samples, uint32_t chain,
                                                    kelvin_history_look *look, void *context);

/* What helps against divergence, as a raw text: "make lr smaller". */
void kelvin_advise_stable(char out[KELVIN_NOTE], const kelvin_run *run);

/* The setting that makes steps of this run larger and smaller. */
const char *kelvin_run_step_setting(const kelvin_run *run);

#endif
