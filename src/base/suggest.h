/* suggest: what to say when a name is not known: the nearest one by edit distance, or all of them. */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

#include <kelvin/base.h>

enum { KELVIN_NAME_SIZE = 64, KELVIN_SUGGESTION = 640 };

/* Writes the i-th known name; false after the last. */
typedef bool kelvin_name_at(char name[KELVIN_NAME_SIZE], const void *context, size_t i);

/* "did you mean 'NAME'?", or "expected one of: NAME, NAME" where none is near. */
void kelvin_suggest(char out[KELVIN_SUGGESTION], const char *word, kelvin_name_at *at, const void *context);

/* Fails with KELVIN_EUSAGE and "unknown WHAT 'WORD'; ", and that. */
kelvin_status kelvin_fail_unknown(const char *what, const char *word, kelvin_name_at *at, const void *context);

#endif
