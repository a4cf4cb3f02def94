/* safetensors, as files/tensors.c has it: one header, then the arrays without gaps. Those with the largest elements
 * come first, so that all of them are aligned. Texts are strings of the header, lists of them as JSON. The header is
 * written last, with the checksum; its length does not depend on that. */
#include "export/sheet.h"

#include <jansson.h>

#include <stdlib.h>
#include <string.h>

struct safetensors {
    struct flat flat;
    const char *path;
    struct kelvin_array *arrays; /* (n), as they lie in the file */
    struct kelvin_note *strings;
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
    struct kelvin_note *string = &file->strings[file->n_strings++];
    *string = (struct kelvin_note){.name = array->key, .text = array->text[0]};
    if (array->ndim == 0) return KELVIN_OK;
    char *list = json_list(array->text, export_count(array));
    if (!list)
        return kelvin_fail(KELVIN_EFORMAT, "%s: %s: a name is not UTF-8, or memory ran out", file->path, array->key);
    string->text = kelvin_arena_text(file->flat.arena, list, strlen(list));
    free(list);
    return string->text ? KELVIN_OK : KELVIN_ENOMEM;
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
    KELVIN_TRY(kelvin_flat_open(&file->flat, path, sheet));
    file->arrays = kelvin_arena_alloc(file->flat.arena, sheet->n, sizeof *file->arrays);
    file->strings = kelvin_arena_alloc(file->flat.arena, sheet->n, sizeof *file->strings);
    if (!file->arrays || !file->strings) return KELVIN_ENOMEM;
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
    return kelvin_flat_close(&file->flat, status ? status : finish(file));
}

const struct export_format kelvin_export_safetensors = {
    .member = KELVIN_PLAIN_MEMBER("safetensors", "named tensors without any code in them, for PyTorch, JAX and others"),
    .suffix = ".safetensors",
    .size = sizeof(struct safetensors),
    .begin = begin,
    .put = kelvin_flat_put,
    .end = end,
};
