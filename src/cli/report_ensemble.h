/* report_ensemble: what the samples of a finished SGHMC run say, one by one and together. */
#ifndef CLI_REPORT_ENSEMBLE_H
#define CLI_REPORT_ENSEMBLE_H

#include <kelvin/run.h>

#include <stdio.h>

/* Evaluates what is in the run's folder and prints it. KELVIN_EFORMAT if the run has not ended yet;
 * KELVIN_EDIVERGED if no chain came to a sample, after the JSON, which then has the chains and no metrics. */
KELVIN_MUST_CHECK kelvin_status report_ensemble(FILE *out, const kelvin_run *run, const char *folder, bool json);

#endif
