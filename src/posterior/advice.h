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
    size_t kept;                 /* samples of chains that diverged, from before */
};

kelvin_diagnosis kelvin_nothing_found(void);

/* What there is to do; how many pieces of it. */
size_t kelvin_advise(char out[KELVIN_ADVICE][KELVIN_SENTENCES], const struct kelvin_facts *facts);

/* What to know where nothing is wrong. */
size_t kelvin_annotate(char out[KELVIN_ADVICE][KELVIN_SENTENCES], const struct kelvin_facts *facts);

/* What helps against divergence: "make --lr smaller". */
void kelvin_advise_stable(char out[KELVIN_SENTENCES], const kelvin_run_config *config);

/* ---- the parts ---- */

typedef bool kelvin_adviser(char out[KELVIN_SENTENCES], const struct kelvin_facts *facts);

/* Of a run by SGHMC. Causes hide each other: a chain that diverges is at no temperature, and where the schedule never
 * came to the temperature nothing has settled there. So of the causes only the first is told: what helps against the
 * others may be the opposite. */
bool kelvin_advise_cause(char out[KELVIN_SENTENCES], const struct kelvin_facts *facts);
bool kelvin_advise_untaught(char out[KELVIN_SENTENCES], const struct kelvin_facts *facts, bool has_cause);

/* Chains that disagree, or samples that are alike. */
bool kelvin_advise_apart(char out[KELVIN_SENTENCES], const struct kelvin_facts *facts);

#endif
