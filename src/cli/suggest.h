/* suggest: what to say when a name is not known: the nearest one by edit distance, or all of them. */
#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

#include <kelvin/base.h>

enum { NAME_SIZE = 64 };

/* Writes the i-th known name; false after the last. */
typedef bool name_at(char name[NAME_SIZE], const void *context, size_t i);

/* Insertions, deletions and replacements that turn a into b. */
size_t edit_distance(const char *a, const char *b);

/* Fails with "unknown WHAT 'WORD'; did you mean 'NAME'?", or with the list of names where none is near. */
kelvin_status fail_unknown(const char *what, const char *word, name_at *at, const void *context);

#endif
