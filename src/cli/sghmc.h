/* sghmc: runs by SGHMC as the commands sample and resume do them: progress and warnings on standard error, the report
 * on standard output.
 *
 * A run that a signal stops is KELVIN_ESTOP with a sentence on how to go on; the third signal ends the program at once.
 * Chains that diverged get a sentence each; then it is KELVIN_EPARTLY after the report of the others, or
 * KELVIN_EDIVERGED if there are none.
 */
#ifndef CLI_SGHMC_H
#define CLI_SGHMC_H

#include <kelvin/run.h>

struct sghmc_settings {
    size_t threads;    /* 0: one per CPU */
    double checkpoint; /* seconds; 0: after each epoch */
    bool dry_run;      /* say what it would cost, and leave nothing behind */
    bool json;
};

/* Seconds between checkpoints, if nobody says otherwise. */
#define SGHMC_CHECKPOINT 60

/* More than any machine has use for: a slip of the hand should not fill the memory with stacks. */
#define SGHMC_MOST_THREADS 1024

/* Whether the settings are right; before anything is made. */
KELVIN_MUST_CHECK kelvin_status sghmc_check(const struct sghmc_settings *settings);

/* What a run would cost; makes nothing. */
KELVIN_MUST_CHECK kelvin_status sghmc_dry_run(const kelvin_run_config *config, const struct sghmc_settings *settings);

/* A run that was just started in a new folder; takes it over. */
KELVIN_MUST_CHECK kelvin_status sghmc_sample(kelvin_chains *chains, const char *folder,
                                             const struct sghmc_settings *settings);

/* In the folder of a run that was begun. If it has ended, says so and reports again. */
KELVIN_MUST_CHECK kelvin_status sghmc_resume(const char *folder, const struct sghmc_settings *settings);

#endif
