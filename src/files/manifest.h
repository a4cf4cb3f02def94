/* manifest: what the files of a folder were like when they were last written, so that damage shows before they are
 * believed. FOLDER/manifest is text, one line per file and a last one that vouches for those before it:
 *
 *     kelvin manifest 1
 *     3d60d50a 1234 chain-000/history.csv
 *     crc32 00c0ffee
 *
 *     struct kelvin_manifest *manifest;
 *     KELVIN_TRY(kelvin_manifest_read(&manifest, "RUN"));                   // NULL: there is none
 *     if (manifest) st = kelvin_manifest_check(manifest, "chain-000/history.csv");
 *     kelvin_manifest_free(manifest);
 *
 * One caller at a time. */
#ifndef FILES_MANIFEST_H
#define FILES_MANIFEST_H

#include <kelvin/base.h>

#define KELVIN_MANIFEST_FILE "manifest"

struct kelvin_manifest;

/* *manifest = NULL and KELVIN_OK if there is none; KELVIN_EFORMAT if it is damaged, or names a file that is not in the
 * folder. */
KELVIN_MUST_CHECK kelvin_status kelvin_manifest_read(struct kelvin_manifest **manifest, const char *folder);
/* The same from its text, which is not needed afterwards; the folder is for sentences alone. */
KELVIN_MUST_CHECK kelvin_status kelvin_manifest_parse(struct kelvin_manifest **manifest, const char *folder,
                                                      const char *text, size_t bytes);
void kelvin_manifest_free(struct kelvin_manifest *manifest);

bool kelvin_manifest_has(const struct kelvin_manifest *manifest, const char *name);

/* Whether a file is as it was: KELVIN_EFORMAT if it is not, or is not in the manifest; KELVIN_EIO if it cannot be read.
 * A file that was right once is not read again. */
KELVIN_MUST_CHECK kelvin_status kelvin_manifest_check(struct kelvin_manifest *manifest, const char *name);

/* Whether a file of so many bytes with this checksum is as it was; of other bytes the checksum does not matter. */
KELVIN_MUST_CHECK kelvin_status kelvin_manifest_compare(const struct kelvin_manifest *manifest, const char *name,
                                                        size_t bytes, uint32_t crc32);

/* Of these files as they are now, in this order. Written whole or not at all. KELVIN_EUSAGE if a name is there twice or
 * leads out of the folder. */
KELVIN_MUST_CHECK kelvin_status kelvin_manifest_write(const char *folder, const char *const *names, size_t n);

#endif
