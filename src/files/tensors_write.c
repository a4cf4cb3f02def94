/* safetensors, written: tensors.c says what they are like. */
#include "files/files.h"
#include "files/tensors.h"

#include <jansson.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { ALIGN = 8 };

const struct tensors_dtype tensors_dtypes[TENSORS_DTYPES] = {
    [KELVIN_F32] = {"F32", sizeof(float)},
    [KELVIN_F64] = {"F64", sizeof(double)},
    [KELVIN_I64] = {"I64", sizeof(int64_t)},
    [KELVIN_BOOL] = {"BOOL", sizeof(char)},
};

bool tensors_bytes(size_t *bytes, const struct kelvin_array *array)
{
    *bytes = tensors_dtypes[array->dtype].bytes;
    bool none = false, overflow = false;
    for (size_t i = 0; i < array->ndim; i++) {
        none |= array->shape[i] == 0;
        overflow |= __builtin_mul_overflow(*bytes, array->shape[i], bytes);
    }
    if (none) *bytes = 0;
    return none || !overflow;
}

void tensors_crc_text(char out[TENSORS_CRC], uint32_t crc32)
{
    snprintf(out, TENSORS_CRC, "%08" PRIx32, crc32);
}

/* ---- the header's own checksum ---- */

char *tensors_digits(char *header, size_t bytes)
{
    static const char before[] = "\"" TENSORS_HEADER "\":\"";
    const size_t n = sizeof before - 1;
    char *found = NULL;
    for (size_t at = TENSORS_PREFIX; at + n + TENSORS_CRC <= bytes; at++) {
        if (memcmp(header + at, before, n) != 0) continue;
        if (found) return NULL;
        found = header + at + n;
    }
    return found;
}

void tensors_header_crc32(char out[TENSORS_CRC], const char *header, size_t bytes, const char *digits)
{
    const size_t first = (size_t)(digits - header), skipped = TENSORS_CRC - 1;
    uint32_t crc32 = kelvin_crc32(header, first);
    crc32 = kelvin_crc32_more(crc32, TENSORS_ZEROS, skipped);
    tensors_crc_text(out, kelvin_crc32_more(crc32, digits + skipped, bytes - first - skipped));
}

/* ---- writing ---- */

static json_t *entry_json(const struct kelvin_array *array, size_t begin, size_t end)
{
    json_t *shape = json_array();
    int failed = shape == NULL;
    for (size_t i = 0; i < array->ndim; i++)
        failed |= json_array_append_new(shape, json_integer((json_int_t)array->shape[i]));
    if (failed) {
        json_decref(shape);
        return NULL;
    }
    return json_pack("{s:s, s:o, s:[I, I]}", "dtype", tensors_dtypes[array->dtype].name, "shape", shape, "data_offsets",
                     (json_int_t)begin, (json_int_t)end);
}

static json_t *metadata_json(const struct kelvin_string *strings, size_t n, uint32_t crc32)
{
    char text[TENSORS_CRC];
    tensors_crc_text(text, crc32);
    json_t *root = json_pack("{s:s}", "kelvin", KELVIN_VERSION);
    int failed = root == NULL;
    for (size_t i = 0; i < n; i++) failed |= json_object_set_new(root, strings[i].name, json_string(strings[i].text));
    failed |= json_object_set_new(root, TENSORS_CRC32, json_string(text));
    failed |= json_object_set_new(root, TENSORS_HEADER, json_string(TENSORS_ZEROS));
    if (!failed) return root;
    json_decref(root);
    return NULL;
}

/* Takes over the metadata; NULL if the header cannot be made. */
static json_t *header_json(json_t *metadata, const struct kelvin_array *arrays, size_t n)
{
    json_t *root = json_object();
    int failed = json_object_set_new(root, TENSORS_METADATA, metadata);
    for (size_t i = 0, begin = 0, bytes; i < n; i++, begin += bytes) {
        failed |= !tensors_bytes(&bytes, &arrays[i]) || json_object_get(root, arrays[i].name);
        failed |= json_object_set_new(root, arrays[i].name, entry_json(&arrays[i], begin, begin + bytes));
    }
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

/* The header as it stands in the file, its length before it, its checksum still zeros. */
static kelvin_status header_bytes(char **out, size_t *bytes, const json_t *root, const char *path)
{
    const size_t text = root ? json_dumpb(root, NULL, 0, JSON_COMPACT) : 0;
    if (text == 0) return no_header(path);
    const uint64_t padded = (text + ALIGN - 1) / ALIGN * ALIGN;
    *bytes = TENSORS_PREFIX + padded;
    if (!(*out = kelvin_alloc(*bytes, 1))) return KELVIN_ENOMEM;
    memcpy(*out, &padded, TENSORS_PREFIX);
    memset(*out + TENSORS_PREFIX, ' ', padded);
    json_dumpb(root, *out + TENSORS_PREFIX, padded, JSON_COMPACT);
    return KELVIN_OK;
}

static kelvin_status checksum(uint32_t *crc32, const struct kelvin_array *arrays, size_t n, const char *path)
{
    *crc32 = 0;
    for (size_t i = 0, all = 0, bytes; i < n; i++) {
        if (!tensors_bytes(&bytes, &arrays[i]) || __builtin_add_overflow(all, bytes, &all))
            return kelvin_fail(KELVIN_ENOMEM, "%s: array \"%s\" is larger than can be addressed", path, arrays[i].name);
        *crc32 = kelvin_crc32_more(*crc32, arrays[i].data, bytes);
    }
    return KELVIN_OK;
}

static kelvin_status sign_header(char *header, size_t bytes, const char *path)
{
    char text[TENSORS_CRC], *digits = tensors_digits(header, bytes);
    if (!digits) return no_header(path);
    tensors_header_crc32(text, header, bytes, digits);
    memcpy(digits, text, TENSORS_CRC - 1);
    return KELVIN_OK;
}

kelvin_status kelvin_tensors_header(char **out, size_t *bytes, const char *path, const struct kelvin_array *arrays,
                                    size_t n, const struct kelvin_string *strings, size_t n_strings, uint32_t crc32)
{
    *out = NULL;
    json_t *root = header_json(metadata_json(strings, n_strings, crc32), arrays, n);
    kelvin_status status = header_bytes(out, bytes, root, path);
    json_decref(root);
    if (!status) status = sign_header(*out, *bytes, path);
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
    struct kelvin_string *strings = kelvin_alloc(n_notes, sizeof *strings);
    if (!strings) return KELVIN_ENOMEM;
    for (size_t i = 0; i < n_notes; i++) strings[i] = (struct kelvin_string){notes[i].name, notes[i].text};
    kelvin_status status = kelvin_tensors_header(&header, &bytes, path, arrays, n, strings, n_notes, crc32);
    kelvin_free(strings);
    if (!status) status = kelvin_writer_open(&file, path);
    if (!status) status = kelvin_writer_put(&file, header, bytes);
    for (size_t i = 0; i < n && !status; i++)
        if (tensors_bytes(&bytes, &arrays[i])) status = kelvin_writer_put(&file, arrays[i].data, bytes);
    kelvin_free(header);
    return kelvin_writer_close(&file, status);
}
