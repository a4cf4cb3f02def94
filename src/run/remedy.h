/* remedy: what helps where a file of a run is damaged or gone. */
#ifndef RUN_REMEDY_H
#define RUN_REMEDY_H

#include <kelvin/run.h>

/* Adds to the sentence of a file that is damaged what helps: one that follows from others is made again by kelvin
 * resume. Says nothing of files that could not be read, for those may be whole. */
kelvin_status kelvin_remedy(kelvin_status status, const char *folder);

/* The same of a file that nothing follows from: its chain is sampled anew, to the same bits. A run by an earlier
 * version is not gone on with: there the whole run is. */
kelvin_status kelvin_remedy_chain(kelvin_status status, const kelvin_run *run, const char *folder, uint32_t chain);

/* Fails: a chain of a run by an earlier version has not ended. */
kelvin_status kelvin_remedy_begun(const kelvin_run *run, const char *folder, uint32_t chain);

/* KELVIN_EIO where it cannot be told. */
KELVIN_MUST_CHECK kelvin_status kelvin_is_there(bool *there, const char *path);

#endif
