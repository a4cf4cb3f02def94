/* suggest: what to say when a name is not known: the nearest one by edit distance, or all of them. */
#ifndef BASE_SUGGEST_H
#define BASE_SUGGEST_H

#include <kelvin/family.h>

enum { KELVIN_SUGGESTION = 640 };

/* "did you mean 'NAME'?", or "expected one of: NAME, NAME" where none is near. */
void kelvin_suggest(char out[KELVIN_SUGGESTION], const char *word, kelvin_name_at *at, const void *context);

#endif
