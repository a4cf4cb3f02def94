/* manifest: size and checksum of each file of a folder, by which whoever reads one of them sees that it is whole.
 *
 *     struct kelvin_manifest *manifest;
 *     kelvin_status st = kelvin_manifest_read(&manifest, "RUN");
 *     if (!st && manifest) st = kelvin_manifest_check(manifest, "logits_test.npy");
 *     kelvin_manifest_free(manifest);
 */
#ifndef FILES_MANIFEST_H
#define FILES_MANIFEST_H

#include <kelvin/base.h>

#define KELVIN_MANIFEST_NAME "manifest"

struct kelvin_manifest;

KELVIN_MUST_CHECK kelvin_status kelvin_manifest_read(struct kelvin_manifest **manifest, const char *folder);
void kelvin_manifest_free(struct kelvin_manifest *manifest);
bool kelvin_manifest_has(const struct kelvin_manifest *manifest, const char *name);
KELVIN_MUST_CHECK kelvin_status kelvin_manifest_check(struct kelvin_manifest *manifest, const char *name);
KELVIN_MUST_CHECK kelvin_status kelvin_manifest_write(const char *folder, const char *const *names, size_t n);

#endif
