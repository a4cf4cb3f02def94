/* safetensors, any named arrays: 8 bytes of header length, a JSON header filled up with spaces to a multiple of eight,
 * the data. https://huggingface.co/docs/safetensors
 *
 *     {"__metadata__": {"kelvin": "0.6.0", ..., "crc32": "3d60d50a"},
 *      "w": {"dtype": "F32", "shape": [2, 1, 2], "data_offsets": [0, 16]}, ...}
 *
 * When read, the arrays must lie one behind the other from the first byte of the data to the last. */
#include "files/files.h"
#include "files/formats.h"

#include <jansson.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define METADATA "__metadata__"
#define CRC32    "crc32"
enum { PREFIX = 8, ALIGN = 8, CRC_TEXT = 9, SHOWN = 256 };

static const struct dtype {
    const char *name;
    size_t bytes;
} dtypes[] = {
    [KELVIN_F32] = {"F32", sizeof(float)},
    [KELVIN_F64] = {"F64", sizeof(double)},
    [KELVIN_I64] = {"I64", sizeof(int64_t)},
    [KELVIN_BOOL] = {"BOOL", sizeof(char)},
};
enum { N_DTYPES = sizeof dtypes / sizeof *dtypes };

/* False if there are more than can be addressed. */
static bool array_bytes(size_t *bytes, const struct kelvin_array *array)
{
    *bytes = dtypes[array->dtype].bytes;
    bool none = false, overflow = false;
    for (size_t i = 0; i < array->ndim; i++) {
        none |= array->shape[i] == 0;
        overflow |= __builtin_mul_overflow(*bytes, array->shape[i], bytes);
    }
    if (none) *bytes = 0;
    return none || !overflow;
}

/* As "F32 (2, 1, 2)". */
static void describe(char out[SHOWN], const struct kelvin_array *array)
{
    size_t used = (size_t)snprintf(out, SHOWN, "%s (", dtypes[array->dtype].name);
    for (size_t i = 0; i < array->ndim; i++)
        used += (size_t)snprintf(out + used, SHOWN - used, i ? ", %zu" : "%zu", array->shape[i]);
    snprintf(out + used, SHOWN - used, ")");
}

static void crc_text(char out[CRC_TEXT], uint32_t crc32)
{
    snprintf(out, CRC_TEXT, "%08" PRIx32, crc32);
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
    return json_pack("{s:s, s:o, s:[I, I]}", "dtype", dtypes[array->dtype].name, "shape", shape, "data_offsets",
                     (json_int_t)begin, (json_int_t)end);
}

static json_t *metadata_json(const struct kelvin_string *strings, size_t n, uint32_t crc32)
{
    char text[CRC_TEXT];
    crc_text(text, crc32);
    json_t *root = json_pack("{s:s}", "kelvin", KELVIN_VERSION);
    int failed = root == NULL;
    for (size_t i = 0; i < n; i++) failed |= json_object_set_new(root, strings[i].name, json_string(strings[i].text));
    failed |= json_object_set_new(root, CRC32, json_string(text));
    if (!failed) return root;
    json_decref(root);
    return NULL;
}

/* Takes over the metadata; NULL if the header cannot be made. */
static json_t *header_json(json_t *metadata, const struct kelvin_array *arrays, size_t n)
{
    json_t *root = json_object();
    int failed = json_object_set_new(root, METADATA, metadata);
    for (size_t i = 0, begin = 0, bytes; i < n; i++, begin += bytes) {
        failed |= !array_bytes(&bytes, &arrays[i]) || json_object_get(root, arrays[i].name);
        failed |= json_object_set_new(root, arrays[i].name, entry_json(&arrays[i], begin, begin + bytes));
    }
    if (!failed) return root;
    json_decref(root);
    return NULL;
}

/* The header as it stands in the file, its length before it. */
static kelvin_status header_bytes(char **out, size_t *bytes, const json_t *root, const char *path)
{
    const size_t text = root ? json_dumpb(root, NULL, 0, JSON_COMPACT) : 0;
    if (text == 0)
        return kelvin_fail(KELVIN_EUSAGE,
                           "%s: no header can be made: a name or note is not UTF-8, or there twice; or memory ran out",
                           path);
    const uint64_t padded = (text + ALIGN - 1) / ALIGN * ALIGN;
    *bytes = PREFIX + padded;
    if (!(*out = kelvin_alloc(*bytes, 1))) return KELVIN_ENOMEM;
    memcpy(*out, &padded, PREFIX);
    memset(*out + PREFIX, ' ', padded);
    json_dumpb(root, *out + PREFIX, padded, JSON_COMPACT);
    return KELVIN_OK;
}

static kelvin_status checksum(uint32_t *crc32, const struct kelvin_array *arrays, size_t n, const char *path)
{
    *crc32 = 0;
    for (size_t i = 0, all = 0, bytes; i < n; i++) {
        if (!array_bytes(&bytes, &arrays[i]) || __builtin_add_overflow(all, bytes, &all))
            return kelvin_fail(KELVIN_ENOMEM, "%s: array \"%s\" is larger than can be addressed", path, arrays[i].name);
        *crc32 = kelvin_crc32_more(*crc32, arrays[i].data, bytes);
    }
    return KELVIN_OK;
}

kelvin_status kelvin_tensors_header(char **out, size_t *bytes, const char *path, const struct kelvin_array *arrays,
                                    size_t n, const struct kelvin_string *strings, size_t n_strings, uint32_t crc32)
{
    *out = NULL;
    json_t *root = header_json(metadata_json(strings, n_strings, crc32), arrays, n);
    const kelvin_status status = header_bytes(out, bytes, root, path);
    json_decref(root);
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
        if (array_bytes(&bytes, &arrays[i])) status = kelvin_writer_put(&file, arrays[i].data, bytes);
    kelvin_free(header);
    return kelvin_writer_close(&file, status);
}

/* ---- reading ---- */

struct kelvin_tensors {
    char *path, *bytes; /* all of the file */
    json_t *header;
    struct kelvin_array *arrays; /* in the order of their data, which lie in `bytes` */
    size_t n;
};

/* *data gets the place of the data. */
static kelvin_status parse_header(struct kelvin_tensors *file, size_t *data, size_t size)
{
    uint64_t length;
    json_error_t error;
    if (size < PREFIX)
        return kelvin_fail(KELVIN_EFORMAT, "%s: is not a safetensors file: %zu bytes, expected at least %d", file->path,
                           size, PREFIX);
    memcpy(&length, file->bytes, PREFIX);
    if (length > size - PREFIX)
        return kelvin_fail(KELVIN_EFORMAT, "%s: ends within its header: %zu bytes, expected %" PRIu64, file->path,
                           size - PREFIX, length);
    file->header = json_loadb(file->bytes + PREFIX, (size_t)length, JSON_REJECT_DUPLICATES, &error);
    if (!file->header)
        return kelvin_fail(KELVIN_EFORMAT, "%s: header, line %d: %s", file->path, error.line, error.text);
    if (!json_is_object(file->header))
        return kelvin_fail(KELVIN_EFORMAT, "%s: the header is not an object", file->path);
    *data = PREFIX + (size_t)length;
    return KELVIN_OK;
}

/* A whole number from 0 on. */
static bool is_count(size_t *out, const json_t *value)
{
    *out = (size_t)json_integer_value(value);
    return json_is_integer(value) && json_integer_value(value) >= 0;
}

static bool parse_dtype(struct kelvin_array *array, const json_t *value)
{
    const char *name = json_string_value(value);
    size_t d = 0;
    while (name && d < N_DTYPES && strcmp(name, dtypes[d].name) != 0) d++;
    array->dtype = (enum kelvin_dtype)d;
    return name && d < N_DTYPES;
}

static bool parse_shape(struct kelvin_array *array, const json_t *value)
{
    array->ndim = json_array_size(value);
    bool good = json_is_array(value) && array->ndim <= KELVIN_ARRAY_AXES;
    for (size_t i = 0; good && i < array->ndim; i++) good = is_count(&array->shape[i], json_array_get(value, i));
    return good;
}

/* NULL, or what was expected of an entry whose data begin at `begin`. *end gets where they end. */
static const char *parse_entry(struct kelvin_array *array, size_t *end, const json_t *entry, size_t begin)
{
    size_t bytes, first;
    const json_t *offsets = json_object_get(entry, "data_offsets");
    if (json_object_size(entry) != 3) return "dtype, shape and data_offsets";
    if (!parse_dtype(array, json_object_get(entry, "dtype"))) return "dtype F32, F64, I64 or BOOL";
    if (!parse_shape(array, json_object_get(entry, "shape"))) return "a shape of at most 6 sizes";
    if (json_array_size(offsets) != 2 || !is_count(&first, json_array_get(offsets, 0)) ||
        !is_count(end, json_array_get(offsets, 1)))
        return "two data_offsets";
    if (first != begin) return "data_offsets that begin where the last array ended";
    if (!array_bytes(&bytes, array) || __builtin_add_overflow(first, bytes, &bytes) || bytes != *end)
        return "data_offsets as far apart as the shape says";
    return NULL;
}

static kelvin_status bad_entry(const char *path, const char *name, const json_t *entry, const char *expected)
{
    char is[SHOWN];
    const size_t n = json_dumpb(entry, is, SHOWN - 1, JSON_ENCODE_ANY);
    is[n < SHOWN ? n : SHOWN - 1] = '\0';
    return kelvin_fail(KELVIN_EFORMAT, "%s: tensor \"%.100s\" is %s, expected %s", path, name, is, expected);
}

/* *end gets the bytes of all arrays: that the file has them is not known yet. */
static kelvin_status parse_entries(struct kelvin_tensors *file, size_t *end)
{
    const char *name;
    json_t *entry;
    *end = 0;
    json_object_foreach(file->header, name, entry)
    {
        if (strcmp(name, METADATA) == 0) continue;
        struct kelvin_array *array = &file->arrays[file->n++];
        const size_t begin = *end, length = strlen(name);
        const char *expected = length < sizeof array->name ? parse_entry(array, end, entry, begin) : "a shorter name";
        if (expected) return bad_entry(file->path, name, entry, expected);
        memcpy(array->name, name, length + 1);
    }
    return KELVIN_OK;
}

static void place(struct kelvin_tensors *file, size_t data)
{
    for (size_t i = 0, bytes = 0; i < file->n; i++, data += bytes) {
        file->arrays[i].data = file->bytes + data;
        array_bytes(&bytes, &file->arrays[i]);
    }
}

static kelvin_status check_crc32(const struct kelvin_tensors *file, const void *data, size_t bytes)
{
    const char *text;
    char found[CRC_TEXT];
    KELVIN_TRY(kelvin_tensors_note(&text, file, CRC32));
    crc_text(found, kelvin_crc32(data, bytes));
    if (strcmp(text, found) == 0) return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT, "%s: the data have crc32 %s, the header says %.100s: the file is damaged",
                       file->path, found, text);
}

static kelvin_status parse(struct kelvin_tensors *file, size_t size)
{
    size_t data = 0, end = 0;
    KELVIN_TRY(parse_header(file, &data, size));
    file->arrays = kelvin_alloc(json_object_size(file->header), sizeof *file->arrays);
    if (!file->arrays) return KELVIN_ENOMEM;
    KELVIN_TRY(parse_entries(file, &end));
    if (end != size - data)
        return kelvin_fail(KELVIN_EFORMAT, "%s: holds %zu bytes of data, expected %zu", file->path, size - data, end);
    place(file, data);
    return check_crc32(file, file->bytes + data, end);
}

kelvin_status kelvin_tensors_parse(struct kelvin_tensors **file, char *bytes, size_t size, const char *path)
{
    struct kelvin_tensors *made = *file = kelvin_alloc(1, sizeof *made);
    if (!made) kelvin_free(bytes);
    if (!made) return KELVIN_ENOMEM;
    made->bytes = bytes;
    made->path = kelvin_strdup(path);
    const kelvin_status status = made->path ? parse(made, size) : KELVIN_ENOMEM;
    if (!status) return KELVIN_OK;
    kelvin_tensors_close(made);
    *file = NULL;
    return status;
}

kelvin_status kelvin_tensors_open(struct kelvin_tensors **file, const char *path)
{
    char *bytes;
    size_t size;
    *file = NULL;
    KELVIN_TRY(kelvin_file_read(&bytes, &size, path));
    return kelvin_tensors_parse(file, bytes, size, path);
}

void kelvin_tensors_close(struct kelvin_tensors *file)
{
    if (!file) return;
    json_decref(file->header);
    kelvin_free(file->arrays);
    kelvin_free(file->path);
    kelvin_free(file->bytes);
    kelvin_free(file);
}

kelvin_status kelvin_tensors_note(const char **text, const struct kelvin_tensors *file, const char *name)
{
    *text = json_string_value(json_object_get(json_object_get(file->header, METADATA), name));
    if (*text) return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT, "%s: " METADATA " has no string \"%s\"", file->path, name);
}

static kelvin_status find(const struct kelvin_array **found, const struct kelvin_tensors *file,
                          const struct kelvin_array *wanted)
{
    for (size_t i = 0; i < file->n; i++) {
        *found = &file->arrays[i];
        if (strcmp((*found)->name, wanted->name) == 0) return KELVIN_OK;
    }
    return kelvin_fail(KELVIN_EFORMAT, "%s: tensor \"%s\" is missing", file->path, wanted->name);
}

kelvin_status kelvin_tensors_shape(struct kelvin_array *array, const struct kelvin_tensors *file)
{
    const struct kelvin_array *found = NULL;
    KELVIN_TRY(find(&found, file, array));
    if (found->dtype == array->dtype && found->ndim == array->ndim) {
        memcpy(array->shape, found->shape, sizeof array->shape);
        array->data = found->data;
        return KELVIN_OK;
    }
    char is[SHOWN];
    describe(is, found);
    return kelvin_fail(KELVIN_EFORMAT, "%s: tensor \"%s\" is %s, expected %s with %zu axes", file->path, array->name,
                       is, dtypes[array->dtype].name, array->ndim);
}

static kelvin_status read_one(const struct kelvin_tensors *file, const struct kelvin_array *array, bool copy)
{
    const struct kelvin_array *found = NULL;
    char is[SHOWN], should[SHOWN];
    size_t bytes;
    KELVIN_TRY(find(&found, file, array));
    if (found->dtype != array->dtype || found->ndim != array->ndim ||
        memcmp(found->shape, array->shape, array->ndim * sizeof *array->shape) != 0) {
        describe(is, found);
        describe(should, array);
        return kelvin_fail(KELVIN_EFORMAT, "%s: tensor \"%s\" is %s, expected %s", file->path, array->name, is, should);
    }
    if (copy && array_bytes(&bytes, found)) memcpy(array->data, found->data, bytes);
    return KELVIN_OK;
}

kelvin_status kelvin_tensors_read(const struct kelvin_tensors *file, const struct kelvin_array *arrays, size_t n)
{
    if (file->n != n) return kelvin_fail(KELVIN_EFORMAT, "%s: holds %zu tensors, expected %zu", file->path, file->n, n);
    for (size_t i = 0; i < n; i++) KELVIN_TRY(read_one(file, &arrays[i], false));
    for (size_t i = 0; i < n; i++) KELVIN_TRY(read_one(file, &arrays[i], true));
    return KELVIN_OK;
}
