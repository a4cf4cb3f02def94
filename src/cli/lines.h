/* lines: what commands print about runs, for people, has these in common. */
#ifndef CLI_LINES_H
#define CLI_LINES_H

#include <kelvin/posterior.h>

#include <stdio.h>

/* What was sampled, on what data: two lines. */
void print_subject(FILE *out, const kelvin_run *run);

/* By which sampler, and how: chains, epochs or iterations, settings. */
void print_sampling(FILE *out, const kelvin_run *run, size_t samples);

/* Of when temperatures are; nothing where there are none. */
void print_temperatures_legend(FILE *out, const kelvin_temperatures *temperatures, const kelvin_run *run);

/* "", or "s" of more than one. */
const char *plural(size_t n);

/* As printf, in lines of at most LINE letters, up to 5,000 in all; after the first they are indented by so many. */
enum { LINE = 79 };
void print_lines(FILE *out, int indent, const char *format, ...) KELVIN_PRINTF(3, 4);

/* Sentences, each after "- ", under a title; nothing if there are none. */
void print_diverged(FILE *out, const char *title, const kelvin_samples *samples); /* of each chain that did */
/* The same of advice or notes, kelvin_diagnosis_advice or kelvin_diagnosis_note, of so grave a kind or graver. */
void print_advice(FILE *out, const char *title, const kelvin_diagnosis *found,
                  const kelvin_advice *at(const kelvin_diagnosis *found, size_t i), kelvin_grade least);
void print_verdict(FILE *out, const kelvin_diagnosis *found);

/* ---- diagnose_table.c ---- */

/* R-hat and effective sample sizes; nothing where there are too few draws for them. */
void diagnose_print_convergence(FILE *out, const kelvin_diagnosis *found, const kelvin_samples *samples);

void diagnose_print(FILE *out, const kelvin_diagnosis *found, const kelvin_samples *samples);

/* ---- notes: what was guessed of inputs, and what is to be known of runs, on standard error: who reads the results
 * must know ---- */

struct notes {
    const char *command;
    char said[4096]; /* each sentence in a line, after an empty one */
};

/* "kelvin COMMAND: sentence", once: several runs mostly guess the same. `notes` is a struct notes. */
void notes_say(void *notes, const char *sentence);

/* "note: sentence": what is to be known of a run's folder before its samples are believed, if there is something. */
void note_samples(const kelvin_samples *samples);

/* As kelvin_samples_open, or kelvin_samples_open_partly, with that note. */
KELVIN_MUST_CHECK kelvin_status open_samples(kelvin_samples **samples, const char *folder, bool partly);

#endif
