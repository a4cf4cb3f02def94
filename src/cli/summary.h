/* summary: what the samples of a run that has ended say, one by one and together, and how it went. */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include <kelvin/run.h>

#include <stdio.h>

/* Evaluates what is in the run's folder and prints it. KELVIN_EFORMAT if the run has not ended yet;
 * KELVIN_EDIVERGED if no chain came to a sample, after the JSON, which then has the chains and no metrics. */
KELVIN_MUST_CHECK kelvin_status summary_print(FILE *out, const kelvin_run *run, bool json);

#endif
