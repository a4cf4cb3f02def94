/* advice: what is off with a run, and what to do about it, in plain words.
 *
 *     char text[KELVIN_ADVICE][KELVIN_SENTENCES];
 *     const size_t n = kelvin_advise(text, &(struct kelvin_facts){.run = run, .found = &diagnosis, ...});
 */
#ifndef POSTERIOR_ADVICE_H
#define POSTERIOR_ADVICE_H

#include <kelvin/posterior.h>

enum { KELVIN_ADVICE = 8, KELVIN_SENTENCES = 1024 }; /* pieces of advice, and letters of each, at most */

struct kelvin_facts {
    const kelvin_run *run;
    const kelvin_diagnosis *found; /* what was not looked at is not a number; kelvin_nothing_found() to begin with */
    size_t samples;
    const char *const *diverged; /* (chains), as in kelvin_samples; NULL: none did */
    const char *lost;            /* where a history was lost: which, and what brings it back; NULL: none was */
    size_t n_lost;               /* chains that have lost theirs */
    size_t kept;                 /* samples of chains that diverged, from before */
};

kelvin_diagnosis kelvin_nothing_found(void);

/* What there is to do; how many pieces of it. */
size_t kelvin_advise(char out[KELVIN_ADVICE][KELVIN_SENTENCES], const struct kelvin_facts *facts);

/* What to know where nothing is wrong. */
size_t kelvin_annotate(char out[KELVIN_ADVICE][KELVIN_SENTENCES], const struct kelvin_facts *facts);

/* ---- the parts ---- */

typedef bool kelvin_adviser(char out[KELVIN_SENTENCES], const struct kelvin_facts *facts);

/* Of a run by SGHMC: divergence, temperatures, chains that are apart. */
size_t kelvin_advise_sghmc(char out[KELVIN_ADVICE][KELVIN_SENTENCES], const struct kelvin_facts *facts);

/* Of any run: samples that know next to nothing, or else chains that agree hardly more than by chance. others: other
 * advice comes before it. */
bool kelvin_advise_untaught(char out[KELVIN_SENTENCES], const struct kelvin_facts *facts, bool others);

/* Predictions of chains are farther apart than samples of each are, where samples are enough to tell. */
bool kelvin_chains_apart(const struct kelvin_facts *facts);

#endif
