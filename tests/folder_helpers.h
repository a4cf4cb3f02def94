/* Folders for tests: a place of their own, bytes in and out of files. Included once per test program, before anything
 * else. */
#ifndef FOLDER_HELPERS_H
#define FOLDER_HELPERS_H

#define _XOPEN_SOURCE 700 /* nftw */

#include "check.h"
#include "files/files.h"
#include "files/formats.h"

#include "sampler/sampler.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char base[64] = "/tmp/kelvin-test-run-XXXXXX";

static inline const char *in_base(const char *name)
{
    static char paths[4][KELVIN_PATH_MAX];
    static size_t next;
    char *path = paths[next++ % 4];
    snprintf(path, KELVIN_PATH_MAX, "%s/%s", base, name);
    return path;
}

static inline void fails(kelvin_status status, kelvin_status expected, const char *place, const char *sentence)
{
    if (status != expected || !strstr(kelvin_error(), place) || !strstr(kelvin_error(), sentence))
        fail_msg("status %d, \"%s\"; expected %d, \"%s ... %s\"", (int)status, kelvin_error(), (int)expected, place,
                 sentence);
}

static inline char *slurp(const char *path, size_t *bytes)
{
    char *data;
    assert_ok(kelvin_file_read(&data, bytes, path));
    return data;
}

static inline void spill(const char *path, const void *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, bytes, file), bytes);
    assert_int_equal(fclose(file), 0);
}

/* Other words in place of the first like these in a file of text. */
static inline void edit(const char *path, const char *was, const char *is)
{
    size_t n;
    char *text, edited[1 << 16];
    assert_ok(kelvin_file_read(&text, &n, path));
    const char *at = strstr(text, was);
    assert_non_null(at);
    const int used = snprintf(edited, sizeof edited, "%.*s%s%s", (int)(at - text), text, is, at + strlen(was));
    spill(path, edited, (size_t)used);
    kelvin_free(text);
}

/* Gives the header of a safetensors file in memory, which a test has changed, the right checksum again. */
static inline void sign_header(char *file, size_t bytes)
{
    static const char before[] = "\"header_crc32\":\"";
    uint64_t length;
    char digits[9];
    memcpy(&length, file, 8);
    for (size_t at = 8; length < bytes && at + sizeof before + 8 <= 8 + length; at++) {
        if (memcmp(file + at, before, sizeof before - 1) != 0) continue;
        memcpy(file + at + sizeof before - 1, "00000000", 8);
        snprintf(digits, sizeof digits, "%08x", (unsigned)kelvin_crc32(file, 8 + (size_t)length));
        memcpy(file + at + sizeof before - 1, digits, 8);
    }
}

static inline bool exists(const char *path)
{
    struct stat about;
    return lstat(path, &about) == 0;
}

static inline int remove_entry(const char *path, const struct stat *about, int type, struct FTW *place)
{
    (void)about, (void)type, (void)place;
    return remove(path);
}

static inline void remove_tree(const char *path)
{
    nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

static inline void same_bytes(const char *a, const char *b)
{
    size_t na, nb;
    char *x = slurp(a, &na), *y = slurp(b, &nb);
    assert_int_equal(na, nb);
    assert_memory_equal(x, y, na);
    kelvin_free(x);
    kelvin_free(y);
}

static inline int make_base(void **state)
{
    (void)state;
    return mkdtemp(base) ? 0 : -1;
}

/* The same where files are in memory, if there is such a place: every file of a run is synced, which takes no time
 * then.
 */
static inline int make_quick_base(void **state)
{
    if (access("/dev/shm", W_OK) == 0) snprintf(base, sizeof base, "/dev/shm/kelvin-test-run-XXXXXX");
    return make_base(state);
}

static inline int remove_base(void **state)
{
    (void)state;
    remove_tree(base);
    return 0;
}

/* Runs a Python program with a folder as its argument. It ends with 77 where it misses a module: the test is skipped.
 */
static inline void run_python(const char *program, const char *folder)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        execl("/usr/bin/python3", "/usr/bin/python3", "-c", program, folder, (char *)NULL);
        _exit(77);
    }
    int result;
    assert_true(waitpid(child, &result, 0) == child);
    assert_true(WIFEXITED(result));
    if (WEXITSTATUS(result) == 77) {
        print_message("python3, or a module of it, is not installed: nothing to compare with\n");
        skip();
    }
    assert_int_equal(WEXITSTATUS(result), 0);
}

/* A table of rows (n, columns) in a file of its own. */
static inline kelvin_status new_table(const char *path, const struct kelvin_column *columns, size_t n_columns,
                                      const double *rows, size_t n)
{
    uint64_t bytes = 0;
    return kelvin_table_put(path, &bytes, columns, n_columns, rows, n);
}

static inline bool has_setting(const kelvin_sampler_type *type, const char *name)
{
    for (size_t i = 0; i < kelvin_count_settings(type); i++)
        if (strcmp(type->setting[i].name, name) == 0) return true;
    return false;
}

#endif
