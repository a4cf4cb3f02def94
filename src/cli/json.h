/* json: values that commands tell programs have these in common. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

#include <kelvin/posterior.h>

#include <jansson.h>
#include <stdio.h>

/* A number, or null where JSON has none: NaN, infinity. */
json_t *json_number(double x);

/* A text, or null for none (NULL). JSON is UTF-8: a text that is not is taken for Latin-1. NULL if memory is short. */
json_t *json_text(const char *text);

/* Fields of a run's configuration, as run.json has them: those that are named, NULL after the last; or all (NULL). NULL
 * if memory is short. */
json_t *json_config(const kelvin_run *run, const char *const *fields);

json_t *json_average(const kelvin_average *average);
json_t *json_texts(const char *const *texts, size_t n);

/* Advice or notes, [{"code", "text"}]: kelvin_diagnosis_advice or kelvin_diagnosis_note. */
typedef const kelvin_advice *advice_at(const kelvin_diagnosis *found, size_t i);
json_t *json_verdict(const kelvin_diagnosis *found); /* "grade": sound, care or failed; "text" */
json_t *json_advice(const kelvin_diagnosis *found, advice_at *at);
json_t *json_counts(const uint32_t *counts, size_t n);
json_t *json_numbers(const double *numbers, size_t n);

/* Which chains diverged, and the sentence of each. */
json_t *json_diverged(const kelvin_samples *samples);

/* Which chain each sample is of; null where they are thousands. */
json_t *json_sample_chain(const kelvin_samples *samples);

/* Adds a value as "epochs" or "iterations", whichever the run has, with a suffix; returns the object. */
json_t *json_rows(json_t *object, const char *suffix, const kelvin_run *run, json_t *value);

json_t *json_temperatures(const kelvin_temperatures *temperatures,
                          const kelvin_run *run); /* null where there are none */
json_t *json_convergence(const kelvin_convergence *convergence);

enum { FEW_DIGITS = 7, ALL_DIGITS = 17 };

/* Prints a JSON object with a final newline, and frees it. KELVIN_ENOMEM if it could not be made (NULL). */
KELVIN_MUST_CHECK kelvin_status print_json(FILE *out, json_t *object, size_t digits);

#endif
