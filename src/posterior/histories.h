/* histories: what histories say of the chains that came to their end. */
#ifndef POSTERIOR_HISTORIES_H
#define POSTERIOR_HISTORIES_H

#include "run/room.h"

/* The history of a chain. *whole is false, and nothing open, where the chain diverged or has lost its history: a note
 * of the diagnosis says so. */
KELVIN_MUST_CHECK kelvin_status kelvin_history_whole(kelvin_history *history, bool *whole,
                                                     const kelvin_samples *samples, uint32_t chain);

/* The first row after the warm-up. */
uint32_t kelvin_first_row(const kelvin_run *run);

#endif
