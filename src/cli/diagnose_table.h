/* diagnose_table: what kelvin diagnose found, for people and for programs. */
#ifndef CLI_DIAGNOSE_TABLE_H
#define CLI_DIAGNOSE_TABLE_H

#include <kelvin/posterior.h>

#include <jansson.h>
#include <stdio.h>

/* R-hat and effective sample sizes; nothing where there are too few draws for them. */
void diagnose_print_convergence(FILE *out, const kelvin_diagnosis *found, const kelvin_samples *samples);

void diagnose_print(FILE *out, const kelvin_diagnosis *found, const kelvin_samples *samples);

/* Everything, with the matrices. NULL if memory is short. */
json_t *diagnose_json(const kelvin_diagnosis *found, const kelvin_samples *samples);

#endif
