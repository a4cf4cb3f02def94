/* Writes NumPy's array file, version 1.0, filled up with spaces so that the data start at a multiple of 64; npy.h says
 * what is in it, and reads it. */
#include "files/files.h"
#include "files/formats.h"
#include "files/npy.h"

#include <stdio.h>
#include <string.h>

enum { PREFIX = 10, ALIGN = 64, PIECE = 512 };
static const char magic[] = "\x93NUMPY\x01"; /* and a minor version 0: the string's own end */

static struct npy_shape_text shape_of(const struct kelvin_array *array)
{
    struct npy form = {.axes = array->ndim};
    memcpy(form.shape, array->shape, sizeof array->shape);
    return kelvin_npy_shape_text(&form);
}

size_t kelvin_npy_header(char out[KELVIN_NPY_HEADER], const struct kelvin_array *array)
{
    enum { LONGEST = KELVIN_NPY_HEADER - PREFIX - ALIGN };
    _Static_assert(sizeof(struct npy_shape_text) + 100 < LONGEST, "a header fits");
    char letters[24] = "";
    if (array->dtype == KELVIN_TEXT) snprintf(letters, sizeof letters, "%zu", array->shape[array->ndim]);
    const int text = snprintf(out + PREFIX, LONGEST, "{'descr': '%s%s', 'fortran_order': False, 'shape': %s, }",
                              kelvin_dtypes[array->dtype].npy, letters, shape_of(array).text);
    const size_t used = PREFIX + (size_t)text, total = (used + 1 + ALIGN - 1) / ALIGN * ALIGN;
    memset(out + used, ' ', total - used);
    memcpy(out, magic, sizeof magic);
    out[8] = (char)((total - PREFIX) & 0xff);
    out[9] = (char)((total - PREFIX) >> 8);
    out[total - 1] = '\n';
    return total;
}

kelvin_status kelvin_npy_begin(struct kelvin_writer *file, const char *path, const struct kelvin_array *array)
{
    char header[KELVIN_NPY_HEADER];
    size_t bytes;
    file->fd = -1; /* for kelvin_writer_close, whatever happens */
    if (!kelvin_array_bytes(&bytes, array))
        return kelvin_fail(KELVIN_ENOMEM, "%s: %s numbers are more than can be addressed", path, shape_of(array).text);
    KELVIN_TRY(kelvin_writer_open(file, path));
    return kelvin_writer_put(file, header, kelvin_npy_header(header, array));
}

kelvin_status kelvin_labels_write(const char *path, const int32_t *y, size_t n)
{
    const struct kelvin_array array = {.dtype = KELVIN_I64, .ndim = 1, .shape = {n}};
    struct kelvin_writer file;
    kelvin_status status = kelvin_npy_begin(&file, path, &array);
    for (size_t first = 0; first < n && !status; first += PIECE) {
        const size_t count = n - first < PIECE ? n - first : PIECE;
        int64_t piece[PIECE];
        for (size_t i = 0; i < count; i++) piece[i] = y[first + i];
        status = kelvin_writer_put(&file, piece, count * sizeof *piece);
    }
    return kelvin_writer_close(&file, status);
}
