/* band: chains of one run that one thread has, and that advance together where they can.
 *
 *     struct kelvin_band band = {.run = run};
 *     while (...) st = kelvin_band_step(&band, chains, n);       // one step of each; n may shrink
 *     kelvin_band_free(&band);
 *
 * No bit of a chain depends on whether it is in one, or on who else is.
 */
#ifndef RUN_BAND_H
#define RUN_BAND_H

#include "run/chain.h"

enum { KELVIN_BAND = KELVIN_MOST_LANES }; /* chains, at most */

struct kelvin_band {
    const kelvin_run *run;
    size_t n;                      /* chains that the rest is for; 0: it is not there yet */
    kelvin_posteriors *posteriors; /* NULL: so many are better off one by one */
    float *work;
};

/* Whether so many chains of a run are faster together than one by one. */
bool kelvin_band_suits(const kelvin_run *run, size_t chains);

/* One step of each of n <= KELVIN_BAND chains, none of which has ended. */
KELVIN_MUST_CHECK kelvin_status kelvin_band_step(struct kelvin_band *band, struct kelvin_chain *const *chains,
                                                 size_t n);
void kelvin_band_free(struct kelvin_band *band);

#endif
