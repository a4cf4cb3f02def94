/* safetensors, written: tensors.c says what they are like. */
#include "files/files.h"
#include "files/tensors.h"

#include <jansson.h>

#include <stdio.h>
#include <string.h>

enum { ALIGN = 8 };

char *kelvin_tensors_header_crc32(char out[TENSORS_CRC], char *header, size_t bytes)
{
    static const char before[] = "\"" TENSORS_HEADER "\":\"", zeros[] = "00000000";
    const size_t n = sizeof before - 1, digits = TENSORS_CRC - 1;
    size_t found = 0;
    for (size_t at = TENSORS_PREFIX; at + n + TENSORS_CRC <= bytes; at++) {
        if (memcmp(header + at, before, n) != 0) continue;
        if (found) return NULL;
        found = at + n;
    }
    if (!found) return NULL;
    uint32_t crc32 = kelvin_crc32(header, found);
    crc32 = kelvin_crc32_more(crc32, zeros, digits);
    crc32 = kelvin_crc32_more(crc32, header + found + digits, bytes - found - digits);
    snprintf(out, TENSORS_CRC, TENSORS_HEX, crc32);
    return header + found;
}

/* ---- writing ---- */

/* As jansson has it: 0, or a failure. */
static int add_entry(json_t *root, const struct kelvin_array *array, size_t begin, size_t end)
{
    json_t *entry = json_pack("{s:s, s:[], s:[I, I]}", "dtype", kelvin_dtypes[array->dtype].tensors, "shape",
                              "data_offsets", (json_int_t)begin, (json_int_t)end);
    int failed = json_object_get(root, array->name) ? -1 : 0;
    for (size_t i = 0; i < array->ndim; i++)
        failed |= json_array_append_new(json_object_get(entry, "shape"), json_integer((json_int_t)array->shape[i]));
    return json_object_set_new(root, array->name, entry) | failed;
}

/* NULL if the header cannot be made. */
static json_t *header_json(const struct kelvin_array *arrays, size_t n, const struct kelvin_note *notes, size_t n_notes,
                           uint32_t crc32)
{
    json_t *root = json_pack("{s:{s:s}}", TENSORS_METADATA, "kelvin", KELVIN_VERSION);
    json_t *metadata = json_object_get(root, TENSORS_METADATA);
    int failed = 0; /* also if there is no object: then nothing can be added to it */
    for (size_t i = 0; i < n_notes; i++)
        failed |=
            json_object_set_new(metadata, notes[i].name, json_string(notes[i].text ? notes[i].text : notes[i].number));
    failed |= json_object_set_new(metadata, TENSORS_CRC32, json_sprintf(TENSORS_HEX, crc32));
    failed |= json_object_set_new(metadata, TENSORS_HEADER, json_sprintf(TENSORS_HEX, 0));
    for (size_t i = 0, begin = 0, bytes; i < n; i++, begin += bytes)
        failed |= !kelvin_array_bytes(&bytes, &arrays[i]) || add_entry(root, &arrays[i], begin, begin + bytes);
    if (!failed) return root;
    json_decref(root);
    return NULL;
}

static kelvin_status no_header(const char *path)
{
    return kelvin_fail(KELVIN_EUSAGE,
                       "%s: no header can be made: a name or note is not UTF-8, or there twice; or memory ran out",
                       path);
}

/* The header as it stands in the file, its length before it. */
static kelvin_status header_bytes(char **out, size_t *bytes, const json_t *root, const char *path)
{
    char crc32[TENSORS_CRC];
    const size_t text = root ? json_dumpb(root, NULL, 0, JSON_COMPACT) : 0;
    if (text == 0) return no_header(path);
    const uint64_t padded = (text + ALIGN - 1) / ALIGN * ALIGN;
    *bytes = TENSORS_PREFIX + padded;
    if (!(*out = kelvin_alloc(*bytes, 1))) return KELVIN_ENOMEM;
    memcpy(*out, &padded, TENSORS_PREFIX);
    memset(*out + TENSORS_PREFIX, ' ', padded);
    json_dumpb(root, *out + TENSORS_PREFIX, padded, JSON_COMPACT);
    char *digits = kelvin_tensors_header_crc32(crc32, *out, *bytes); /* zeros until now */
    if (!digits) return no_header(path);
    memcpy(digits, crc32, TENSORS_CRC - 1);
    return KELVIN_OK;
}

static kelvin_status checksum(uint32_t *crc32, const struct kelvin_array *arrays, size_t n, const char *path)
{
    *crc32 = 0;
    for (size_t i = 0, all = 0, bytes; i < n; i++) {
        if (!kelvin_array_bytes(&bytes, &arrays[i]) || __builtin_add_overflow(all, bytes, &all))
            return kelvin_fail(KELVIN_ENOMEM, "%s: array \"%s\" is larger than can be addressed", path, arrays[i].name);
        *crc32 = kelvin_crc32_more(*crc32, arrays[i].data, bytes);
    }
    return KELVIN_OK;
}

kelvin_status kelvin_tensors_header(char **out, size_t *bytes, const char *path, const struct kelvin_array *arrays,
                                    size_t n, const struct kelvin_note *notes, size_t n_notes, uint32_t crc32)
{
    *out = NULL;
    json_t *root = header_json(arrays, n, notes, n_notes, crc32);
    const kelvin_status status = header_bytes(out, bytes, root, path);
    json_decref(root);
    if (!status) return KELVIN_OK;
    kelvin_free(*out);
    *out = NULL;
    return status;
}

kelvin_status kelvin_tensors_write(const char *path, const struct kelvin_array *arrays, size_t n,
                                   const struct kelvin_note *notes, size_t n_notes)
{
    struct kelvin_writer file = {.fd = -1};
    char *header = NULL;
    size_t bytes = 0;
    uint32_t crc32;
    KELVIN_TRY(checksum(&crc32, arrays, n, path));
    kelvin_status status = kelvin_tensors_header(&header, &bytes, path, arrays, n, notes, n_notes, crc32);
    if (!status) status = kelvin_writer_open(&file, path);
    if (!status) status = kelvin_writer_put(&file, header, bytes);
    for (size_t i = 0; i < n && !status; i++)
        if (kelvin_array_bytes(&bytes, &arrays[i])) status = kelvin_writer_put(&file, arrays[i].data, bytes);
    kelvin_free(header);
    return kelvin_writer_close(&file, status);
}
