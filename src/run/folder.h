/* folder: the files of a run, what vouches for them, and what helps where one is damaged or gone. RUN/manifest says
 * what they were like when they were finished: run.json and data.json from the first moment, all others when the run
 * has ended. Whoever reads one of them asks first (kelvin_run_vouch). */
#ifndef RUN_FOLDER_H
#define RUN_FOLDER_H

#include "run/room.h"

/* `folder`/`name`, where the name is formatted, and whether it is there; KELVIN_EIO where that cannot be told. */
KELVIN_MUST_CHECK kelvin_status kelvin_find_file(kelvin_path path, bool *there, const char *folder, const char *name,
                                                 ...) KELVIN_PRINTF(4, 5);

/* ---- what helps ---- */

/* Adds to the sentence of a file that is damaged what helps: one that follows from others is made again by kelvin
 * resume. Says nothing of files that could not be read, for those may be whole. */
kelvin_status kelvin_remedy(kelvin_status status, const char *folder);

/* The same of a file that nothing follows from: its chain is sampled anew, to the same bits. A run by an earlier
 * version is not gone on with: there the whole run is. */
kelvin_status kelvin_remedy_chain(kelvin_status status, const kelvin_run *run, uint32_t chain);

/* Fails: a chain of a run by an earlier version has not ended. */
kelvin_status kelvin_remedy_begun(const kelvin_run *run, uint32_t chain);

/* ---- the manifest ---- */

/* That of a folder; *manifest NULL: there is none, and nothing is vouched for. */
KELVIN_MUST_CHECK kelvin_status kelvin_vouch_read(struct kelvin_manifest **manifest, const char *folder);

/* Whether run.json is as it was. A manifest of NULL vouches for everything. */
KELVIN_MUST_CHECK kelvin_status kelvin_vouch_config(struct kelvin_manifest *manifest, const char *folder);

/* Whether the run has a manifest that names this file. */
bool kelvin_run_lists(const kelvin_run *run, const char *name);

/* Writes it: of a run that has just begun, and of one that has ended. */
KELVIN_MUST_CHECK kelvin_status kelvin_vouch_begin(const char *folder);
KELVIN_MUST_CHECK kelvin_status kelvin_vouch_end(kelvin_run *run);

/* ---- all files ---- */

struct kelvin_run_file {
    char name[KELVIN_FILE_NAME];
    uint32_t chain; /* whose it is; UINT32_MAX: of no chain */
    bool follows;   /* it can be made again from others */
};

/* Calls `look` for each file of a run that has ended; stops at the first failure. */
typedef kelvin_status kelvin_file_look(const kelvin_run *run, const struct kelvin_run_file *file);
KELVIN_MUST_CHECK kelvin_status kelvin_files_each(const kelvin_run *run, kelvin_file_look *look);

/* ---- data.json, by which a run can be used without its data ---- */

KELVIN_MUST_CHECK kelvin_status kelvin_description_write(const kelvin_data *data, const char *folder);

/* A data set without rows, as the manifest has it, if there is one; NULL if there is no such file: earlier versions did
 * not write it. */
KELVIN_MUST_CHECK kelvin_status kelvin_description_read(kelvin_data **data, struct kelvin_manifest *manifest,
                                                        const char *folder);

#endif
