/* runs: runs as the commands sample and resume do them: progress and warnings on standard error, the summary on
 * standard output.
 *
 * A run that a signal stops is KELVIN_ESTOP with a sentence on how to go on; the third signal ends the program at once,
 * and so does the first after all is written, while the summary is made.
 * Chains that diverged get a sentence each; then it is KELVIN_EPARTLY after the summary of the samples that there are,
 * or KELVIN_EDIVERGED if there are none.
 */
#ifndef CLI_RUNS_H
#define CLI_RUNS_H

#include <kelvin/run.h>

#include <stdio.h>

struct run_settings {
    size_t threads;         /* 0: one per CPU */
    double checkpoint;      /* seconds; 0: after each epoch or iteration */
    size_t ranks_per_chain; /* 0: as many as there are for it */
    bool dry_run;           /* say what it would cost, and leave nothing behind */
    bool json;
};

/* Seconds between checkpoints, if nobody says otherwise. */
#define RUN_CHECKPOINT 60

#define RUN_CHECKPOINT_HELP "seconds after which a chain's state is written again; 0: after each epoch or iteration"

#define RUN_RANKS_HELP "ranks that share each chain, under mpirun or srun; the draws do not depend on it"
#define RUN_RANKS      "1, or more if there are fewer chains than ranks"

/* KELVIN_EUSAGE for more threads than any machine has use for: a slip of the hand should not fill the memory with
 * stacks. */
KELVIN_MUST_CHECK kelvin_status run_check_threads(size_t threads);

/* Whether the settings are right; before anything is made. */
KELVIN_MUST_CHECK kelvin_status run_check(const struct run_settings *settings);

/* What there is to warn of before a run starts, on standard error. */
void run_warn(const kelvin_run *run);

/* What a run would cost, by some steps of it, as a table or as JSON. Nothing is left on disk. */
KELVIN_MUST_CHECK kelvin_status run_dry(const kelvin_config *config, const struct run_settings *settings);

/* A run that was just started in a new folder; closes it. */
KELVIN_MUST_CHECK kelvin_status run_new(kelvin_run *run, const struct run_settings *settings);

/* In the folder of a run that was begun. If it has ended, says so and prints its summary again. */
KELVIN_MUST_CHECK kelvin_status run_resume(const char *folder, const struct run_settings *settings);

/* What the samples of a run that has ended say, one by one and together, and how it went, from what is in its folder.
 * KELVIN_EFORMAT if the run has not ended yet; KELVIN_EDIVERGED if no chain came to a sample, after the JSON, which
 * then has the chains and no metrics. *kept: samples of chains that diverged, from before. */
KELVIN_MUST_CHECK kelvin_status run_summary(FILE *out, size_t *kept, const kelvin_run *run, bool json);

#endif
