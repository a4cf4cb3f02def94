/* words: what commands call the things that sentences of the library refer to (kelvin/base.h): options, and lines that
 * a shell takes. */
#ifndef CLI_WORDS_H
#define CLI_WORDS_H

#include <kelvin/base.h>

/* For functions of the library that take a client's words. The context is not looked at. */
void command_words(void *context, char *out, size_t size, kelvin_word word, const char *of);

/* The last failure of this thread, in these words; it stays until the next call. */
const char *command_error(void);

/* A field of a configuration as an option: "--step-size". */
enum { OPTION_NAME = 64 };
void option_name(char out[OPTION_NAME], const char *field);

/* A text as one word of a shell, in quotes where it has letters that mean something else there. */
void shell_word(char *out, size_t size, const char *text);

#endif
