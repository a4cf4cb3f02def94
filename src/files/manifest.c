/* FOLDER/manifest, written and read. When read nothing is believed before the checksum of all lines is right; names are
 * looked at even then, since whoever can write files can write checksums. */
#include "files/manifest.h"
#include "files/files.h"
#include "files/formats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define HEAD    "kelvin manifest 1\n"
#define NUMBERS "%08" PRIx32 " %zu " /* checksum and size: a line begins with them */
enum {
    MOST_BYTES = 1 << 27,            /* of a manifest: some 2,000,000 files */
    END = sizeof "crc32 3d60d50a\n", /* the last line */
    LINE = KELVIN_PATH_MAX + 64,
};

struct entry {
    const char *name;
    size_t bytes;
    uint32_t crc32;
    bool right; /* as it was found when someone asked */
};

struct kelvin_manifest {
    kelvin_path folder;
    char *text;
    struct entry *entries; /* (n), by name */
    size_t n;
};

static void last_line(char out[END], uint32_t crc32)
{
    snprintf(out, END, "crc32 %08" PRIx32 "\n", crc32);
}

/* Is it a file below the folder, whatever links there are? */
static bool is_inside(const char *name)
{
    const size_t length = strlen(name);
    if (length == 0 || length >= KELVIN_PATH_MAX || strcmp(name, KELVIN_MANIFEST_FILE) == 0) return false;
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 127) return false;
    for (const char *part = name;; part++) {
        const size_t n = strcspn(part, "/");
        if (n == 0 || (n == 1 && part[0] == '.') || (n == 2 && part[0] == '.' && part[1] == '.')) return false;
        part += n;
        if (!*part) return true;
    }
}

/* ---- reading ---- */

/* The last line must be right for all before it, which it is cut off from. */
static kelvin_status check_text(char *text, size_t bytes, const char *path)
{
    char expected[END];
    const size_t end = END - 1, head = sizeof HEAD - 1;
    if (bytes < head + end || strlen(text) != bytes || text[bytes - end - 1] != '\n')
        return kelvin_fail(KELVIN_EFORMAT, "%s: is damaged: it ends early, or has bytes that are no text", path);
    last_line(expected, kelvin_crc32(text, bytes - end));
    if (memcmp(text + bytes - end, expected, end) != 0)
        return kelvin_fail(KELVIN_EFORMAT, "%s: is damaged: its last line is \"%.*s\", expected \"%.*s\"", path,
                           (int)end - 1, text + bytes - end, (int)end - 1, expected);
    text[bytes - end] = '\0';
    if (strncmp(text, HEAD, head) == 0) return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT, "%s: its first line is \"%.*s\", expected \"%.*s\"", path,
                       (int)(strcspn(text, "\n") < 40 ? strcspn(text, "\n") : 40), text, (int)head - 1, HEAD);
}

/* "3d60d50a 1234 NAME", its numbers as kelvin_manifest_write has them and in no other way. */
static bool read_line(struct entry *entry, const char *line)
{
    char again[64], *end;
    entry->crc32 = (uint32_t)strtoul(line, &end, 16);
    entry->bytes = (size_t)strtoumax(end, NULL, 10);
    const int n = snprintf(again, sizeof again, NUMBERS, entry->crc32, entry->bytes);
    if (strncmp(line, again, (size_t)n) != 0) return false;
    entry->name = line + n;
    return is_inside(entry->name);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

/* By name; returns one that is there twice, or NULL. */
static const char *sort(struct entry *entries, size_t n)
{
    qsort(entries, n, sizeof *entries, by_name);
    for (size_t i = 1; i < n; i++)
        if (by_name(&entries[i - 1], &entries[i]) == 0) return entries[i].name;
    return NULL;
}

static kelvin_status read_lines(struct kelvin_manifest *m, const char *path)
{
    size_t lines = 0;
    for (const char *c = m->text; *c; c++) lines += *c == '\n';
    if (!(m->entries = kelvin_alloc(lines, sizeof *m->entries))) return KELVIN_ENOMEM;
    for (char *line = m->text + sizeof HEAD - 1, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        *end = '\0';
        if (!read_line(&m->entries[m->n++], line))
            return kelvin_fail(KELVIN_EFORMAT,
                               "%s: line %zu is \"%.100s\", expected a checksum, a size and a file in the folder", path,
                               m->n + 1, line);
    }
    const char *twice = sort(m->entries, m->n);
    return twice ? kelvin_fail(KELVIN_EFORMAT, "%s: has \"%.100s\" twice", path, twice) : KELVIN_OK;
}

/* Its text becomes the manifest's, or is freed. */
static kelvin_status parse(struct kelvin_manifest **manifest, const char *folder, char *text, size_t bytes,
                           const char *path)
{
    struct kelvin_manifest *m = kelvin_alloc(1, sizeof *m);
    if (!m) {
        kelvin_free(text);
        return KELVIN_ENOMEM;
    }
    snprintf(m->folder, sizeof m->folder, "%s", folder);
    m->text = text;
    kelvin_status status = check_text(text, bytes, path);
    if (!status) status = read_lines(m, path);
    if (status)
        kelvin_manifest_free(m);
    else
        *manifest = m;
    return status;
}

kelvin_status kelvin_manifest_parse(struct kelvin_manifest **manifest, const char *folder, const char *text,
                                    size_t bytes)
{
    kelvin_path path;
    *manifest = NULL;
    snprintf(path, sizeof path, "%.4000s/" KELVIN_MANIFEST_FILE, folder);
    char *copy = kelvin_alloc(bytes + 1, 1);
    if (!copy) return KELVIN_ENOMEM;
    memcpy(copy, text, bytes);
    return parse(manifest, folder, copy, bytes, path);
}

kelvin_status kelvin_manifest_read(struct kelvin_manifest **manifest, const char *folder)
{
    kelvin_path path;
    struct stat about;
    *manifest = NULL;
    KELVIN_TRY(kelvin_path_join(path, folder, KELVIN_MANIFEST_FILE));
    if (lstat(path, &about) && errno == ENOENT) return KELVIN_OK;
    size_t bytes;
    char *text;
    KELVIN_TRY(kelvin_file_size(&bytes, path));
    if (bytes > MOST_BYTES)
        return kelvin_fail(KELVIN_EFORMAT, "%s: has %zu bytes, expected at most %d", path, bytes, (int)MOST_BYTES);
    KELVIN_TRY(kelvin_file_read(&text, &bytes, path));
    return parse(manifest, folder, text, bytes, path);
}

void kelvin_manifest_free(struct kelvin_manifest *manifest)
{
    if (!manifest) return;
    kelvin_free(manifest->entries);
    kelvin_free(manifest->text);
    kelvin_free(manifest);
}

static struct entry *find(const struct kelvin_manifest *m, const char *name)
{
    return bsearch(&(struct entry){.name = name}, m->entries, m->n, sizeof *m->entries, by_name);
}

bool kelvin_manifest_has(const struct kelvin_manifest *manifest, const char *name)
{
    return find(manifest, name) != NULL;
}

static kelvin_status not_named(const struct kelvin_manifest *m, const char *name)
{
    return kelvin_fail(KELVIN_EFORMAT,
                       "%s/%s: is not among the files that the run left: %s/" KELVIN_MANIFEST_FILE " does not name it",
                       m->folder, name, m->folder);
}

kelvin_status kelvin_manifest_compare(const struct kelvin_manifest *manifest, const char *name, size_t bytes,
                                      uint32_t crc32)
{
    const struct entry *entry = find(manifest, name);
    if (!entry) return not_named(manifest, name);
    if (bytes != entry->bytes)
        return kelvin_fail(KELVIN_EFORMAT, "%s/%s: is not as the run left it: it has %zu bytes, expected %zu",
                           manifest->folder, name, bytes, entry->bytes);
    if (crc32 != entry->crc32)
        return kelvin_fail(KELVIN_EFORMAT,
                           "%s/%s: is not as the run left it: it has crc32 %08" PRIx32 ", expected %08" PRIx32,
                           manifest->folder, name, crc32, entry->crc32);
    return KELVIN_OK;
}

kelvin_status kelvin_manifest_check(struct kelvin_manifest *manifest, const char *name)
{
    kelvin_path path;
    size_t bytes;
    uint32_t crc32;
    struct entry *entry = find(manifest, name);
    KELVIN_TRY(kelvin_path_join(path, manifest->folder, "%s", name));
    if (!entry) return not_named(manifest, name);
    if (entry->right) return KELVIN_OK;
    KELVIN_TRY(kelvin_file_size(&bytes, path));
    KELVIN_TRY(kelvin_file_crc32(&crc32, path, 0, bytes == entry->bytes ? bytes : 0)); /* that it can be read is seen */
    KELVIN_TRY(kelvin_manifest_compare(manifest, name, bytes, crc32));
    entry->right = true;
    return KELVIN_OK;
}

/* ---- writing ---- */

static kelvin_status check_names(const char *folder, const char *const *names, size_t n)
{
    struct entry *entries = kelvin_alloc(n, sizeof *entries);
    kelvin_status status = entries ? KELVIN_OK : KELVIN_ENOMEM;
    for (size_t i = 0; i < n && !status; i++) {
        entries[i].name = names[i];
        if (!is_inside(names[i]))
            status = kelvin_fail(KELVIN_EUSAGE, "%s: \"%.100s\" is not the name of a file in it", folder, names[i]);
    }
    const char *twice = status ? NULL : sort(entries, n);
    if (twice) status = kelvin_fail(KELVIN_EUSAGE, "%s: \"%.100s\" is there twice", folder, twice);
    kelvin_free(entries);
    return status;
}

struct lines {
    struct kelvin_writer file;
    uint32_t crc32;
    size_t bytes;
};

static kelvin_status put_line(struct lines *lines, const char *line)
{
    const size_t n = strlen(line);
    lines->crc32 = kelvin_crc32_more(lines->crc32, line, n);
    if ((lines->bytes += n) > MOST_BYTES)
        return kelvin_fail(KELVIN_EUSAGE, "%s: would have more than %d bytes", lines->file.path, (int)MOST_BYTES);
    return kelvin_writer_put(&lines->file, line, n);
}

static kelvin_status put_file(struct lines *lines, const char *folder, const char *name)
{
    kelvin_path path;
    char line[LINE];
    size_t bytes;
    uint32_t crc32;
    KELVIN_TRY(kelvin_path_join(path, folder, "%s", name));
    KELVIN_TRY(kelvin_file_size(&bytes, path));
    KELVIN_TRY(kelvin_file_crc32(&crc32, path, 0, bytes));
    snprintf(line, sizeof line, NUMBERS "%s\n", crc32, bytes, name);
    return put_line(lines, line);
}

kelvin_status kelvin_manifest_write(const char *folder, const char *const *names, size_t n)
{
    kelvin_path path;
    struct lines lines = {.file.fd = -1};
    char end[END];
    KELVIN_TRY(kelvin_path_join(path, folder, KELVIN_MANIFEST_FILE));
    KELVIN_TRY(check_names(folder, names, n));
    kelvin_status status = kelvin_writer_open(&lines.file, path);
    if (!status) status = put_line(&lines, HEAD);
    for (size_t i = 0; i < n && !status; i++) status = put_file(&lines, folder, names[i]);
    last_line(end, lines.crc32);
    if (!status) status = put_line(&lines, end);
    return kelvin_writer_close(&lines.file, status);
}
