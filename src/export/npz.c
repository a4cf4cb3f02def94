/* NPZ: a ZIP archive of NPY files, one per array, as numpy.savez writes it. Everything is laid out at the beginning;
 * local headers and the directory, which have checksums, come last. */
#include "base/texts.h"
#include "export/sheet.h"
#include "export/zip.h"

#include <stdio.h>
#include <string.h>

struct npz {
    struct flat flat;
    struct zip_member *members; /* (sheet->n) */
    uint64_t directory;
};

/* The next code point of UTF-8; U+FFFD for a byte that belongs to none. */
static uint32_t next_letter(const char **text)
{
    uint32_t letter = 0xfffd;
    const size_t bytes = kelvin_utf8_letter(&letter, *text);
    *text += bytes ? bytes : 1;
    return letter;
}

static size_t letters_of(const char *text)
{
    size_t n = 0;
    for (; *text; n++) next_letter(&text);
    return n;
}

/* Letters of the longest text; 1 of numbers. */
static size_t width_of(const struct export_array *array)
{
    size_t width = 1;
    for (size_t i = 0; array->text && i < export_count(array); i++) {
        const size_t letters = letters_of(array->text[i]);
        if (letters > width) width = letters;
    }
    return width;
}

static size_t header_of(char header[KELVIN_NPY_HEADER], const struct export_array *array)
{
    struct kelvin_array form = {.dtype = array->type, .ndim = array->ndim};
    for (size_t i = 0; i < array->ndim; i++) form.shape[i] = array->axis[i]->n;
    if (array->text) form.shape[array->ndim] = width_of(array);
    return kelvin_npy_header(header, &form);
}

static kelvin_status put_texts(struct npz *npz, size_t i)
{
    const struct export_array *array = &npz->flat.sheet->arrays[i];
    const size_t n = export_count(array), letters = width_of(array);
    uint32_t *values = kelvin_alloc(n * letters, sizeof *values);
    if (!values) return KELVIN_ENOMEM;
    for (size_t j = 0; j < n; j++) {
        const char *text = array->text[j];
        for (uint32_t *to = values + j * letters; *text; to++) *to = next_letter(&text);
    }
    const kelvin_status status =
        kelvin_writer_put_at(&npz->flat.writer, values, n * letters * sizeof *values, npz->flat.at[i]);
    kelvin_free(values);
    return status;
}

static kelvin_status begin(void *file, const char *path, const struct export_sheet *sheet)
{
    struct npz *npz = file;
    char header[KELVIN_NPY_HEADER];
    KELVIN_TRY(kelvin_flat_open(&npz->flat, path, sheet));
    npz->members = kelvin_arena_alloc(npz->flat.arena, sheet->n, sizeof *npz->members);
    if (!npz->members) return KELVIN_ENOMEM;
    for (size_t i = 0; i < sheet->n; i++) {
        const struct export_array *array = &sheet->arrays[i];
        snprintf(npz->members[i].name, ZIP_NAME, "%s.npy", array->key);
        npz->members[i].bytes =
            header_of(header, array) + export_count(array) * width_of(array) * kelvin_dtypes[array->type].bytes;
    }
    npz->directory = kelvin_zip_place(npz->members, sheet->n);
    KELVIN_TRY(kelvin_writer_reserve(&npz->flat.writer, npz->directory));
    for (size_t i = 0; i < sheet->n; i++) {
        const size_t bytes = header_of(header, &sheet->arrays[i]);
        npz->flat.at[i] = npz->members[i].data + bytes;
        KELVIN_TRY(kelvin_writer_put_at(&npz->flat.writer, header, bytes, npz->members[i].data));
        if (sheet->arrays[i].text) KELVIN_TRY(put_texts(npz, i));
    }
    return KELVIN_OK;
}

static kelvin_status finish(struct npz *npz)
{
    const size_t n = npz->flat.sheet->n;
    char record[ZIP_RECORD];
    uint64_t at = npz->directory;
    for (size_t i = 0; i < n; i++) {
        struct zip_member *member = &npz->members[i];
        KELVIN_TRY(kelvin_file_crc32(&member->crc32, npz->flat.writer.temporary, member->data, member->bytes));
        size_t bytes = kelvin_zip_local(record, member);
        KELVIN_TRY(kelvin_writer_put_at(&npz->flat.writer, record, bytes, member->header));
        bytes = kelvin_zip_entry(record, member);
        KELVIN_TRY(kelvin_writer_put_at(&npz->flat.writer, record, bytes, at));
        at += bytes;
    }
    const size_t bytes = kelvin_zip_end(record, n, npz->directory, at - npz->directory);
    return kelvin_writer_put_at(&npz->flat.writer, record, bytes, at);
}

static kelvin_status end(void *file, kelvin_status status)
{
    struct npz *npz = file;
    return kelvin_flat_close(&npz->flat, status ? status : finish(npz));
}

const struct export_format kelvin_export_npz = {
    .member = KELVIN_PLAIN_MEMBER("npz", "NumPy's archive of arrays, for numpy.load"),
    .suffix = ".npz",
    .size = sizeof(struct npz),
    .begin = begin,
    .put = kelvin_flat_put,
    .end = end,
};
