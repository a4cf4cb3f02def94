/* rows_on: the rows that answers are about, once more: logits do not have them. */
#ifndef POSTERIOR_ROWS_ON_H
#define POSTERIOR_ROWS_ON_H

#include "run/run.h"

#include <kelvin/posterior.h>

/* Rows of `on`, which is "test", "train" or a data set, as kelvin_logits_on found it. A run's own data must be open as
 * long as these: *own, or NULL; close the inputs first. */
KELVIN_MUST_CHECK kelvin_status kelvin_rows_on(kelvin_inputs **inputs, kelvin_run **own, const kelvin_samples *samples,
                                               const char *on);

#endif
