/* histories: what histories say of the chains that came to their end. */
#ifndef POSTERIOR_HISTORIES_H
#define POSTERIOR_HISTORIES_H

#include "run/room.h"

/* Every row of the history of a chain. *whole is false, and nothing was looked at, where the chain diverged or has lost
 * its history: a note of the diagnosis says so. */
KELVIN_MUST_CHECK kelvin_status kelvin_history_whole(bool *whole, const kelvin_samples *samples, uint32_t chain,
                                                     kelvin_history_look *look, void *context);

/* The first row after the warm-up. */
uint32_t kelvin_first_row(const kelvin_run *run);

#endif
