/* notes: what was guessed of inputs, and what is to be known of runs, on standard error: who reads the results must
 * know. */
#ifndef CLI_NOTES_H
#define CLI_NOTES_H

#include <kelvin/run.h>

struct notes {
    const char *command;
    char said[4096]; /* each sentence in a line, after an empty one */
    size_t used;
};

/* "kelvin COMMAND: sentence", once: several runs mostly guess the same. `notes` is a struct notes. */
void notes_say(void *notes, const char *sentence);

/* "note: sentence": what is to be known of a run's folder before its samples are believed, if there is something. */
void note_samples(const kelvin_samples *samples);

/* As kelvin_samples_open, with that note. */
KELVIN_MUST_CHECK kelvin_status open_samples(kelvin_samples **samples, const char *folder);

#endif
