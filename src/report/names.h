/* names: what runs are called in tables and charts. */
#ifndef REPORT_NAMES_H
#define REPORT_NAMES_H

#include <kelvin/base.h>

/* A path without what does not change it: "./" in front, "/" at its end, "//" and "/./". NULL if memory is short. */
const char *clean_path(kelvin_arena *arena, const char *path);

/* Different names of at most `most` (12 or more) letters, in the arena: the last part of each path, or all of it where
 * another run has that, too; what is too long is shortened in its middle. A run that comes twice gets a number. */
KELVIN_MUST_CHECK kelvin_status run_names(const char **names, kelvin_arena *arena, const char *const *folders, size_t n,
                                          size_t most);

#endif
