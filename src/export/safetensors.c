/* safetensors, as files/tensors.c has it: one header, then the arrays without gaps. Those with the largest elements
 * come first, so that all of them are aligned. Texts are strings of the header, lists of them as JSON. The header is
 * written last, with the checksum; its length does not depend on that. */
#include "export/flat.h"

#include <jansson.h>

#include <stdlib.h>
#include <string.h>

struct safetensors {
    struct flat flat;
    const char *path;
    struct kelvin_array *arrays; /* (n), as they lie in the file */
    struct kelvin_note *strings;
    char **lists; /* (n_strings): those of the strings that were made here; jansson's */
    size_t n, n_strings, header;
    uint64_t data; /* bytes of all arrays */
};

static char *json_list(const char *const *text, size_t n)
{
    json_t *list = json_array();
    int failed = list == NULL;
    for (size_t i = 0; i < n; i++) failed |= json_array_append_new(list, json_string(text[i]));
    char *out = failed ? NULL : json_dumps(list, JSON_COMPACT);
    json_decref(list);
    return out;
}

static kelvin_status add_text(struct safetensors *file, const struct export_array *array)
{
    const size_t i = file->n_strings++;
    if (array->ndim > 0 && !(file->lists[i] = json_list(array->text, export_count(array))))
        return kelvin_fail(KELVIN_EFORMAT, "%s: %s: a name is not UTF-8, or memory ran out", file->path, array->key);
    file->strings[i] = (struct kelvin_note){array->key, array->ndim > 0 ? file->lists[i] : array->text[0], ""};
    return KELVIN_OK;
}

static void add_array(struct safetensors *file, size_t i)
{
    const struct export_array *array = &file->flat.sheet->arrays[i];
    struct kelvin_array *to = &file->arrays[file->n++];
    memcpy(to->name, array->key, sizeof to->name);
    to->dtype = array->type;
    to->ndim = array->ndim;
    for (size_t j = 0; j < array->ndim; j++) to->shape[j] = array->axis[j]->n;
    file->flat.at[i] = file->data;
    file->data += export_count(array) * kelvin_dtypes[array->type].bytes;
}

static kelvin_status list_all(struct safetensors *file)
{
    const struct export_sheet *sheet = file->flat.sheet;
    for (size_t i = 0; i < sheet->n; i++)
        if (sheet->arrays[i].text) KELVIN_TRY(add_text(file, &sheet->arrays[i]));
    for (size_t bytes = sizeof(double); bytes > 0; bytes--)
        for (size_t i = 0; i < sheet->n; i++)
            if (!sheet->arrays[i].text && kelvin_dtypes[sheet->arrays[i].type].bytes == bytes) add_array(file, i);
    return KELVIN_OK;
}

static kelvin_status make_header(char **header, struct safetensors *file, uint32_t crc32)
{
    return kelvin_tensors_header(header, &file->header, file->path, file->arrays, file->n, file->strings,
                                 file->n_strings, crc32);
}

static kelvin_status begin(void *data, const char *path, const struct export_sheet *sheet)
{
    struct safetensors *file = data;
    char *header;
    file->path = path;
    KELVIN_TRY(flat_open(&file->flat, path, sheet));
    file->arrays = kelvin_alloc(sheet->n, sizeof *file->arrays);
    file->strings = kelvin_alloc(sheet->n, sizeof *file->strings);
    file->lists = kelvin_alloc(sheet->n, sizeof *file->lists);
    if (!file->arrays || !file->strings || !file->lists) return KELVIN_ENOMEM;
    KELVIN_TRY(list_all(file));
    KELVIN_TRY(make_header(&header, file, 0));
    kelvin_free(header);
    for (size_t i = 0; i < sheet->n; i++) file->flat.at[i] += file->header;
    return kelvin_writer_reserve(&file->flat.writer, file->header + file->data);
}

static kelvin_status finish(struct safetensors *file)
{
    uint32_t crc32;
    char *header;
    KELVIN_TRY(kelvin_file_crc32(&crc32, file->flat.writer.temporary, file->header, file->data));
    KELVIN_TRY(make_header(&header, file, crc32));
    const kelvin_status status = kelvin_writer_put_at(&file->flat.writer, header, file->header, 0);
    kelvin_free(header);
    return status;
}

static kelvin_status end(void *data, kelvin_status status)
{
    struct safetensors *file = data;
    if (!status) status = finish(file);
    for (size_t i = 0; file->lists && i < file->n_strings; i++) free(file->lists[i]);
    kelvin_free(file->lists);
    kelvin_free(file->strings);
    kelvin_free(file->arrays);
    return flat_close(&file->flat, status);
}

const struct export_format export_safetensors = {
    "safetensors",
    ".safetensors",
    "named tensors without any code in them, for PyTorch, JAX and others",
    sizeof(struct safetensors),
    begin,
    flat_put,
    end,
};
