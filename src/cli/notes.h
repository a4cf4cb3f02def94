/* notes: what was guessed of inputs, on standard error: who reads the results must know. */
#ifndef CLI_NOTES_H
#define CLI_NOTES_H

#include <stddef.h>

struct notes {
    const char *command;
    char said[4096]; /* each sentence in a line, after an empty one */
    size_t used;
};

/* "kelvin COMMAND: sentence", once: several runs mostly guess the same. `notes` is a struct notes. */
void notes_say(void *notes, const char *sentence);

#endif
