/* Writes NumPy's array file, version 1.0, filled up with spaces so that the data start at a multiple of 64; data/npy.h
 * says what is in it, and reads it. */
#include "files/files.h"
#include "files/formats.h"
#include "files/npy.h"

#include <stdio.h>
#include <string.h>

enum { PREFIX = 10, ALIGN = 64, LONGEST = 320, PIECE = 512 };
_Static_assert(PREFIX + LONGEST + ALIGN <= KELVIN_NPY_HEADER, "a header fits");
static const char magic[] = "\x93NUMPY\x01"; /* and a minor version 0: the string's own end */

static const struct {
    const char *descr;
    char kind;
    size_t bytes;
} types[] = {
    [KELVIN_NPY_F32] = {"<f4", 'f', sizeof(float)},    [KELVIN_NPY_I64] = {"<i8", 'i', sizeof(int64_t)},
    [KELVIN_NPY_F64] = {"<f8", 'f', sizeof(double)},   [KELVIN_NPY_BOOL] = {"|b1", 'b', sizeof(char)},
    [KELVIN_NPY_TEXT] = {"<U", 'U', sizeof(uint32_t)},
};

/* As Python writes a tuple: (5, 2, 3), (5,) and (). */
static void show_shape(char out[LONGEST / 2], const struct kelvin_npy *form)
{
    size_t used = (size_t)snprintf(out, LONGEST / 2, "(");
    for (size_t i = 0; i < form->axes; i++)
        used += (size_t)snprintf(out + used, LONGEST / 2 - used, i ? ", %zu" : "%zu", form->shape[i]);
    snprintf(out + used, LONGEST / 2 - used, form->axes == 1 ? ",)" : ")");
}

static int literal(char out[LONGEST], const struct kelvin_npy *form)
{
    char shape[LONGEST / 2], letters[24] = "";
    show_shape(shape, form);
    if (form->type == KELVIN_NPY_TEXT) snprintf(letters, sizeof letters, "%zu", form->shape[form->axes]);
    return snprintf(out, LONGEST, "{'descr': '%s%s', 'fortran_order': False, 'shape': %s, }", types[form->type].descr,
                    letters, shape);
}

static kelvin_status data_bytes(size_t *bytes, const char *path, const struct kelvin_npy *form)
{
    char shape[LONGEST / 2];
    *bytes = types[form->type].bytes;
    show_shape(shape, form);
    for (size_t i = 0; i < form->axes; i++)
        if (__builtin_mul_overflow(*bytes, form->shape[i], bytes))
            return kelvin_fail(KELVIN_ENOMEM, "%s: %s numbers are more than can be addressed", path, shape);
    return KELVIN_OK;
}

size_t kelvin_npy_header(char out[KELVIN_NPY_HEADER], const struct kelvin_npy *form)
{
    char text[LONGEST];
    const size_t used = (size_t)literal(text, form);
    const size_t total = (PREFIX + used + 1 + ALIGN - 1) / ALIGN * ALIGN;
    memset(out, ' ', total);
    memcpy(out, magic, sizeof magic);
    out[8] = (char)((total - PREFIX) & 0xff);
    out[9] = (char)((total - PREFIX) >> 8);
    memcpy(out + PREFIX, text, used);
    out[total - 1] = '\n';
    return total;
}

kelvin_status kelvin_npy_begin(struct kelvin_writer *file, const char *path, const struct kelvin_npy *form)
{
    char header[KELVIN_NPY_HEADER];
    size_t bytes;
    file->fd = -1; /* for kelvin_writer_close, whatever happens */
    KELVIN_TRY(data_bytes(&bytes, path, form));
    KELVIN_TRY(kelvin_writer_open(file, path));
    return kelvin_writer_put(file, header, kelvin_npy_header(header, form));
}

kelvin_status kelvin_labels_write(const char *path, const int32_t *y, size_t n)
{
    const struct kelvin_npy form = {KELVIN_NPY_I64, 1, {n}};
    struct kelvin_writer file;
    kelvin_status status = kelvin_npy_begin(&file, path, &form);
    for (size_t first = 0; first < n && !status; first += PIECE) {
        const size_t count = n - first < PIECE ? n - first : PIECE;
        int64_t piece[PIECE];
        for (size_t i = 0; i < count; i++) piece[i] = y[first + i];
        status = kelvin_writer_put(&file, piece, count * sizeof *piece);
    }
    return kelvin_writer_close(&file, status);
}
