/* What had to be guessed of inputs, said once. */
#include "cli/notes.h"

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
