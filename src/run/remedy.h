/* remedy: what helps where a file of a run by SGHMC is damaged or gone. */
#ifndef RUN_REMEDY_H
#define RUN_REMEDY_H

#include <kelvin/base.h>

/* Adds to the sentence of a file that is damaged how it is made again: `what` is to be removed, "it" or a path. Says
 * nothing of files that could not be read, for those may be whole. */
kelvin_status kelvin_remedy(kelvin_status status, const char *folder, const char *what);

/* Fails: a sample is gone. past: its chain has gone on since, and has nothing left of it. */
kelvin_status kelvin_sample_missing(const char *folder, uint32_t chain, uint32_t index, bool past);

/* KELVIN_EIO where it cannot be told. */
KELVIN_MUST_CHECK kelvin_status kelvin_is_there(bool *there, const char *path);

#endif
