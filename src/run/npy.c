/* Writes NumPy's array file, version 1.0, filled up with spaces so that the data start at a multiple of 64; data/npy.h
 * says what is in it, and reads it. */
#include "data/npy.h"
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

kelvin_status kelvin_npy_begin(struct kelvin_writer *file, const char *path, const size_t shape[3])
{
    char text[LONGEST], header[PREFIX + LONGEST + ALIGN];
    size_t bytes;
    file->fd = -1; /* for kelvin_writer_close, whatever happens */
    KELVIN_TRY(data_bytes(&bytes, path, shape));
    const size_t used = (size_t)literal(text, shape);
    const size_t total = (PREFIX + used + 1 + ALIGN - 1) / ALIGN * ALIGN;
    memset(header, ' ', total);
    memcpy(header, magic, sizeof magic);
    header[8] = (char)((total - PREFIX) & 0xff);
    header[9] = (char)((total - PREFIX) >> 8);
    memcpy(header + PREFIX, text, used);
    header[total - 1] = '\n';

    KELVIN_TRY(kelvin_writer_open(file, path));
    return kelvin_writer_put(file, header, total);
}

kelvin_status kelvin_npy_write(const char *path, const float *data, const size_t shape[3])
{
    struct kelvin_writer file;
    kelvin_status status = kelvin_npy_begin(&file, path, shape);
    if (!status) status = kelvin_writer_put(&file, data, shape[0] * shape[1] * shape[2] * sizeof *data);
    return kelvin_writer_close(&file, status);
}

/* What NumPy can read may still be another array than the one that was written here. */
static kelvin_status check_same(const struct npy *array, const char *path, const size_t shape[3])
{
    char wanted[LONGEST];
    literal(wanted, shape);
    if (array->kind == 'f' && array->item == sizeof(float) && !array->big_endian && !array->fortran &&
        array->axes == 3 && memcmp(array->shape, shape, 3 * sizeof *shape) == 0)
        return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT, "%s: holds {'descr': '%c%c%zu', 'fortran_order': %s, 'shape': %s}, expected %s",
                       path, array->big_endian ? '>' : '<', array->kind, array->item, array->fortran ? "True" : "False",
                       npy_shape_text(array).text, wanted);
}

kelvin_status kelvin_npy_read(float *data, const char *path, const size_t shape[3])
{
    struct npy array;
    size_t bytes, size;
    char *file;
    KELVIN_TRY(data_bytes(&bytes, path, shape));
    KELVIN_TRY(kelvin_file_read(&file, &size, path));
    kelvin_status status = npy_parse(&array, file, size, path);
    if (!status) status = check_same(&array, path, shape);
    if (!status) memcpy(data, array.data, bytes);
    kelvin_free(file);
    return status;
}
