/* estimate: what a run will cost, as a table for people or as JSON for programs. */
#ifndef CLI_ESTIMATE_H
#define CLI_ESTIMATE_H

#include <kelvin/run.h>

#include <stdio.h>

/* Measures some steps of the run and prints. `warn` is called with the run first. Nothing is left on disk. */
KELVIN_MUST_CHECK kelvin_status estimate_report(FILE *out, const kelvin_run_config *config, size_t threads, bool json,
                                                void (*warn)(const kelvin_run *run));

#endif
