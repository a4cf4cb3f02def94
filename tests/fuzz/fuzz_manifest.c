/* Manifests of folders: any bytes, and the same with a last line that is right for them, since nobody guesses
 * checksums.
 */
#include "files/formats.h"
#include "files/manifest.h"
#include "fuzz/fuzz.h"
#include "fuzz/fuzz_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool leads_out(const char *name)
{
    const size_t n = strlen(name);
    return *name == '/' || strcmp(name, "..") == 0 || strncmp(name, "../", 3) == 0 || strstr(name, "/../") ||
           (n >= 3 && strcmp(name + n - 3, "/..") == 0) || strcmp(name, KELVIN_MANIFEST_FILE) == 0;
}

/* It has the names of all lines but the first and the last, and none of them leads out of the folder, in which there is
 * no other file. */
static void check(struct kelvin_manifest *manifest, char *text)
{
    enum { ENOUGH = 8 };
    size_t checked = 0;
    char *line = strchr(text, '\n') + 1;
    for (char *next; (next = strchr(line, '\n')) && next[1]; line = next + 1) {
        *next = '\0';
        const char *size = strchr(line, ' '), *name = size ? strchr(size + 1, ' ') : NULL;
        if (!name || leads_out(name + 1) || !kelvin_manifest_has(manifest, name + 1)) abort();
        if (checked++ < ENOUGH && (!kelvin_manifest_check(manifest, name + 1) || !*kelvin_error())) abort();
    }
    if (kelvin_manifest_has(manifest, "") || kelvin_manifest_has(manifest, KELVIN_MANIFEST_FILE)) abort();
}

static void look(char *text, size_t size)
{
    struct kelvin_manifest *manifest;
    fuzz_put(KELVIN_MANIFEST_FILE, text, size);
    const kelvin_status status = kelvin_manifest_read(&manifest, fuzz_folder);
    if (status && (status != KELVIN_EFORMAT || !*kelvin_error() || manifest)) abort();
    if (status) return;
    if (!manifest) abort(); /* it is there */
    check(manifest, text);
    kelvin_manifest_free(manifest);
}

static void run(const uint8_t *bytes, size_t size)
{
    enum { LAST = 32 };
    char *text = kelvin_alloc(size + LAST, 1);
    if (!text) abort();
    memcpy(text, bytes, size);
    look(text, size);
    memcpy(text, bytes, size);
    const int last = snprintf(text + size, LAST, "crc32 %08x\n", (unsigned)kelvin_crc32(bytes, size));
    look(text, size + (size_t)last);
    kelvin_free(text);
}

/* The text, twice more; and where a byte is a line, its entry (32), twice. */
const struct fuzz_target fuzz_target = {run, 1 << 14, 3 + 2 * 32};
