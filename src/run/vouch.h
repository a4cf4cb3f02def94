/* vouch: RUN/manifest says what the files of a run were like when they were finished: run.json and data.json from the
 * first moment, all others when the run has ended. Whoever reads one of them asks first. */
#ifndef RUN_VOUCH_H
#define RUN_VOUCH_H

#include "run/room.h"

/* The manifest of a folder; *manifest NULL: there is none, and nothing is vouched for. */
KELVIN_MUST_CHECK kelvin_status kelvin_vouch_read(struct kelvin_manifest **manifest, const char *folder);

/* Whether run.json, or data.json if it is there, is as it was. A manifest of NULL vouches for everything. */
KELVIN_MUST_CHECK kelvin_status kelvin_vouch_config(struct kelvin_manifest *manifest, const char *folder);
KELVIN_MUST_CHECK kelvin_status kelvin_vouch_description(struct kelvin_manifest *manifest, const char *folder);

/* Fails: there is none, where there should be. */
kelvin_status kelvin_vouch_missing(const char *folder);

/* Writes it: of a run that has just begun, and of one that has ended. */
KELVIN_MUST_CHECK kelvin_status kelvin_vouch_begin(const char *folder);
KELVIN_MUST_CHECK kelvin_status kelvin_vouch_end(kelvin_run *run);

/* Calls `look` for each file of a run that has ended, with its name; stops at the first failure. follows: it can be
 * made again from others. */
typedef kelvin_status kelvin_file_look(void *context, const kelvin_run *run, const char *name, bool follows,
                                       uint32_t chain);
KELVIN_MUST_CHECK kelvin_status kelvin_vouch_each(const kelvin_run *run, kelvin_file_look *look, void *context);

#endif
