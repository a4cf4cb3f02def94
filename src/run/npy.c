/* NumPy's array file, version 1.0: magic, version, the header's length (2 bytes), the header (a Python literal, filled
 * up with spaces so that the data start at a multiple of 64), the data.
 * https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html */
#include "base/files.h"
#include "run/formats.h"

#include <stdio.h>
#include <string.h>

enum { PREFIX = 10, ALIGN = 64, LONGEST = 256 };
static const char magic[] = "\x93NUMPY\x01"; /* and a minor version 0: the string's own end */

static int literal(char out[LONGEST], const size_t shape[3])
{
    return snprintf(out, LONGEST, "{'descr': '<f4', 'fortran_order': False, 'shape': (%zu, %zu, %zu), }", shape[0],
                    shape[1], shape[2]);
}

static kelvin_status data_bytes(size_t *bytes, const char *path, const size_t shape[3])
{
    *bytes = sizeof(float);
    for (int i = 0; i < 3; i++)
        if (__builtin_mul_overflow(*bytes, shape[i], bytes))
            return kelvin_fail(KELVIN_ENOMEM, "%s: (%zu, %zu, %zu) numbers are more than can be addressed", path,
                               shape[0], shape[1], shape[2]);
    return KELVIN_OK;
}

kelvin_status kelvin_npy_write(const char *path, const float *data, const size_t shape[3])
{
    char text[LONGEST], header[PREFIX + LONGEST + ALIGN];
    size_t bytes;
    KELVIN_TRY(data_bytes(&bytes, path, shape));
    const size_t used = (size_t)literal(text, shape);
    const size_t total = (PREFIX + used + 1 + ALIGN - 1) / ALIGN * ALIGN;
    memset(header, ' ', total);
    memcpy(header, magic, sizeof magic);
    header[8] = (char)((total - PREFIX) & 0xff);
    header[9] = (char)((total - PREFIX) >> 8);
    memcpy(header + PREFIX, text, used);
    header[total - 1] = '\n';

    struct kelvin_writer file;
    kelvin_status status = kelvin_writer_open(&file, path);
    if (!status) status = kelvin_writer_put(&file, header, total);
    if (!status) status = kelvin_writer_put(&file, data, bytes);
    return kelvin_writer_close(&file, status);
}

/* The header of the file against the one that is expected; *start gets the place of the data. */
static kelvin_status check_header(size_t *start, const char *file, size_t size, const char *path, const size_t shape[3])
{
    if (size < PREFIX || memcmp(file, magic, sizeof magic) != 0)
        return kelvin_fail(KELVIN_EFORMAT, "%s: is not an NPY file of version 1.0", path);
    const size_t length = (size_t)(unsigned char)file[8] | (size_t)(unsigned char)file[9] << 8;
    if (length > size - PREFIX)
        return kelvin_fail(KELVIN_EFORMAT, "%s: ends within its header: %zu bytes, expected %zu", path, size - PREFIX,
                           length);
    char expected[LONGEST];
    const size_t used = (size_t)literal(expected, shape);
    const char *found = file + PREFIX;
    size_t n = length;
    while (n > 0 && (found[n - 1] == ' ' || found[n - 1] == '\n')) n--;
    if (n != used || memcmp(found, expected, n) != 0)
        return kelvin_fail(KELVIN_EFORMAT, "%s: the header is \"%.*s\", expected \"%s\"", path,
                           n < LONGEST ? (int)n : LONGEST, found, expected);
    *start = PREFIX + length;
    return KELVIN_OK;
}

kelvin_status kelvin_npy_read(float *data, const char *path, const size_t shape[3])
{
    size_t bytes, size, start = 0;
    char *file;
    KELVIN_TRY(data_bytes(&bytes, path, shape));
    KELVIN_TRY(kelvin_file_read(&file, &size, path));
    kelvin_status status = check_header(&start, file, size, path, shape);
    if (!status && size - start != bytes)
        status = kelvin_fail(KELVIN_EFORMAT, "%s: holds %zu bytes of data, expected %zu", path, size - start, bytes);
    if (!status) memcpy(data, file + start, bytes);
    kelvin_free(file);
    return status;
}
