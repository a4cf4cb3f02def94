/* Logits as NumPy's arrays: written through the library's header, read with its parser. */
#ifndef TESTS_NPY_HELPERS_H
#define TESTS_NPY_HELPERS_H

#include "files/files.h"
#include "files/formats.h"
#include "files/npy.h"

#include <string.h>

static inline kelvin_status write_logits(const char *path, const float *data, const size_t shape[3])
{
    struct kelvin_writer file;
    kelvin_status st =
        kelvin_npy_begin(&file, path, &(struct kelvin_array){"", KELVIN_F32, 3, {shape[0], shape[1], shape[2]}, NULL});
    if (!st) st = kelvin_writer_put(&file, data, shape[0] * shape[1] * shape[2] * sizeof *data);
    return kelvin_writer_close(&file, st);
}

/* The file must hold float32 of this shape. */
static inline kelvin_status read_logits(float *data, const char *path, const size_t shape[3])
{
    struct npy array;
    size_t size;
    char *file;
    KELVIN_TRY(kelvin_file_read(&file, &size, path));
    kelvin_status st = kelvin_npy_parse(&array, file, size, path);
    if (!st && (array.kind != 'f' || array.item != sizeof *data || array.fortran || array.axes != 3 ||
                memcmp(array.shape, shape, 3 * sizeof *shape) != 0))
        st = kelvin_fail(KELVIN_EFORMAT, "%s: is another array", path);
    if (!st) memcpy(data, array.data, array.count * sizeof *data);
    kelvin_free(file);
    return st;
}

#endif
