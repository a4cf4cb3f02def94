/* What had to be guessed of inputs, and what is to be known of runs, said once. */
#include "cli/report.h"

#include <stdio.h>
#include <string.h>

void notes_say(void *context, const char *sentence)
{
    struct notes *notes = context;
    char line[sizeof notes->said];
    const int n = snprintf(line, sizeof line, "\n%s\n", sentence);
    if (strstr(notes->said, line)) return;
    fprintf(stderr, "kelvin %s: %s\n", notes->command, sentence);
    if (n < 0 || (size_t)n >= sizeof notes->said - notes->used) return; /* it is said again then */
    memcpy(notes->said + notes->used, line, (size_t)n + 1);
    notes->used += (size_t)n;
}

void note_samples(const kelvin_samples *samples)
{
    const char *note = kelvin_samples_note(samples);
    if (note) fprintf(stderr, "note: %s\n", note);
}

kelvin_status open_samples(kelvin_samples **samples, const char *folder)
{
    KELVIN_TRY(kelvin_samples_open(samples, folder));
    note_samples(*samples);
    return KELVIN_OK;
}
