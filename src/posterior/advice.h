/* advice: what is off with a run, and what to do about it, in plain words.
 *
 *     char text[KELVIN_ADVICE][KELVIN_SENTENCES];
 *     const size_t n = kelvin_advise(text, &(struct kelvin_facts){.run = run, .found = &diagnosis, ...});
 */
#ifndef POSTERIOR_ADVICE_H
#define POSTERIOR_ADVICE_H

#include "run/room.h"

#include <kelvin/posterior.h>

enum { KELVIN_ADVICE = 10, KELVIN_SENTENCES = 1024 }; /* pieces of advice, and letters of each, at most */

struct kelvin_facts {
    const kelvin_run *run;
    const kelvin_diagnosis *found; /* what was not looked at is not a number; kelvin_nothing_found() to begin with */
    size_t samples;
    const char *const *diverged; /* (chains), as in kelvin_samples; NULL: none did */
    const char *lost;            /* where a history was lost: which, and what brings it back; NULL: none was */
    size_t n_lost;               /* chains that have lost theirs */
    bool no_training;            /* the logits of the training data are not in the folder any more */
    size_t kept;                 /* samples of chains that diverged, from before */
};

kelvin_diagnosis kelvin_nothing_found(void);

/* What there is to do; how many pieces of it. */
size_t kelvin_advise(char out[KELVIN_ADVICE][KELVIN_SENTENCES], const struct kelvin_facts *facts);

/* What to know where nothing is wrong. */
size_t kelvin_annotate(char out[KELVIN_ADVICE][KELVIN_SENTENCES], const struct kelvin_facts *facts);

/* ---- the parts ---- */

/* One thing that can be off. False where it is not, or cannot be with this run's sampler. */
typedef bool kelvin_adviser(char out[KELVIN_SENTENCES], const struct kelvin_facts *facts);

/* Of samplers that accept or reject: too few accepted; too many. */
kelvin_adviser kelvin_advise_stuck, kelvin_advise_timid;

/* Of samplers that look at all data, whose every iteration is a draw. */
kelvin_adviser kelvin_advise_unmixed, kelvin_advise_few_effective, kelvin_advise_few_chains, kelvin_advise_few_draws;

/* Of samplers whose histories have temperatures. */
kelvin_adviser kelvin_advise_hot, kelvin_advise_cold, kelvin_advise_unsettled;

/* Of samplers that look at batches: schedules that are cut short, chains that are apart, samples that are alike. */
kelvin_adviser kelvin_advise_cut_short, kelvin_advise_apart, kelvin_advise_alike;

/* Of any run: samples that know next to nothing, or else chains that agree hardly more than by chance. others: other
 * advice comes before it. */
bool kelvin_advise_untaught(char out[KELVIN_SENTENCES], const struct kelvin_facts *facts, bool others);

/* Predictions of chains are farther apart than samples of each are, where samples are enough to tell. */
bool kelvin_chains_apart(const struct kelvin_facts *facts);

/* The options that make a chain longer and its steps larger: "--epochs", "--step-size". */
enum { KELVIN_OPTION = KELVIN_FILE_NAME };
void kelvin_rows_option(char out[KELVIN_OPTION], const kelvin_run *run);
void kelvin_step_option(char out[KELVIN_OPTION], const kelvin_run *run);

/* Per cent by which a temperature may be off. */
enum { KELVIN_CLOSE = 10 };

#endif
