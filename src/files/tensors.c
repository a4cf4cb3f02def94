/* safetensors, any named arrays: 8 bytes of header length, a JSON header filled up with spaces to a multiple of eight,
 * the data. https://huggingface.co/docs/safetensors
 *
 *     {"__metadata__": {"kelvin": "0.7.0", ..., "crc32": "3d60d50a", "header_crc32": "00c0ffee"},
 *      "w": {"dtype": "F32", "shape": [2, 1, 2], "data_offsets": [0, 16]}, ...}
 *
 * "crc32" is of the data, "header_crc32" of all before them, its own digits taken as zeros; files by kelvin before 0.7
 * do not have that. When read, the arrays must lie one behind the other from the first byte of the data to the last;
 * the header may have them in any order. */
#include "files/tensors.h"
#include "files/files.h"

#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = TENSORS_SHOWN };

void kelvin_tensors_describe(char out[TENSORS_SHOWN], const struct kelvin_array *array)
{
    size_t used = (size_t)snprintf(out, SHOWN, "%s (", kelvin_dtypes[array->dtype].tensors);
    for (size_t i = 0; i < array->ndim; i++)
        used += (size_t)snprintf(out + used, SHOWN - used, i ? ", %zu" : "%zu", array->shape[i]);
    snprintf(out + used, SHOWN - used, ")");
}

static kelvin_status parse_header(struct kelvin_tensors *file, size_t size)
{
    uint64_t length;
    json_error_t error;
    if (size < TENSORS_PREFIX)
        return kelvin_fail(KELVIN_EFORMAT, "%s: is not a safetensors file: %zu bytes, expected at least %d", file->path,
                           size, TENSORS_PREFIX);
    memcpy(&length, file->bytes, TENSORS_PREFIX);
    if (length > size - TENSORS_PREFIX && size > TENSORS_PREFIX && file->bytes[TENSORS_PREFIX] != '{')
        return kelvin_fail(KELVIN_EFORMAT, "%s: is not a safetensors file: no header begins at byte %d", file->path,
                           TENSORS_PREFIX);
    if (length > size - TENSORS_PREFIX)
        return kelvin_fail(KELVIN_EFORMAT, "%s: ends within its header: %zu bytes, expected %" PRIu64, file->path,
                           size - TENSORS_PREFIX, length);
    file->header = json_loadb(file->bytes + TENSORS_PREFIX, (size_t)length, JSON_REJECT_DUPLICATES, &error);
    if (!file->header)
        return kelvin_fail(KELVIN_EFORMAT, "%s: header, line %d: %s", file->path, error.line, error.text);
    if (!json_is_object(file->header))
        return kelvin_fail(KELVIN_EFORMAT, "%s: the header is not an object", file->path);
    file->data = TENSORS_PREFIX + (size_t)length;
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
    while (name && d <= KELVIN_BOOL && strcmp(name, kelvin_dtypes[d].tensors) != 0) d++;
    array->dtype = (enum kelvin_dtype)d;
    return name && d <= KELVIN_BOOL;
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
    if (!parse_dtype(array, json_object_get(entry, "dtype"))) return "dtype F32, F64, F16, BF16, I64 or BOOL";
    if (!parse_shape(array, json_object_get(entry, "shape"))) return "a shape of at most 6 sizes";
    if (json_array_size(offsets) != 2 || !is_count(&first, json_array_get(offsets, 0)) ||
        !is_count(end, json_array_get(offsets, 1)))
        return "two data_offsets";
    if (first != begin) return "data_offsets that begin where the last array ended";
    if (!kelvin_array_bytes(&bytes, array) || __builtin_add_overflow(first, bytes, &bytes) || bytes != *end)
        return "data_offsets as far apart as the shape says";
    return NULL;
}

static kelvin_status bad_entry(const char *path, const char *name, const json_t *entry, const char *expected)
{
    char *is = json_dumps(entry, JSON_ENCODE_ANY);
    const bool cut = is && strlen(is) >= SHOWN;
    kelvin_fail(KELVIN_EFORMAT, "%s: tensor \"%.100s\" is %.*s%s, expected %s", path, name, SHOWN - 1, is ? is : "",
                cut ? "..." : "", expected);
    free(is);
    return KELVIN_EFORMAT;
}

/* An entry of the header, and where it says that its data are; 0 if it does not. */
struct entry {
    const char *name;
    const json_t *is;
    size_t begin, end;
};

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
    return (x->end > y->end) - (x->end < y->end); /* those without data first */
}

/* As their data lie. Returns how many there are. */
static size_t list_entries(struct entry *entries, json_t *header)
{
    size_t n = 0;
    const char *name;
    json_t *is;
    json_object_foreach(header, name, is)
    {
        const json_t *offsets = json_object_get(is, "data_offsets");
        struct entry *entry = &entries[n];
        if (strcmp(name, TENSORS_METADATA) == 0) continue;
        *entry = (struct entry){name, is, 0, 0};
        if (!is_count(&entry->begin, json_array_get(offsets, 0))) entry->begin = 0;
        if (!is_count(&entry->end, json_array_get(offsets, 1))) entry->end = 0;
        n++;
    }
    qsort(entries, n, sizeof *entries, compare_entries);
    return n;
}

/* *end gets the bytes of all arrays: that the file has them is not known yet. */
static kelvin_status parse_entries(struct kelvin_tensors *file, size_t *end, const struct entry *entries, size_t n)
{
    *end = 0;
    for (size_t i = 0; i < n; i++) {
        const struct entry *entry = &entries[i];
        struct kelvin_array *array = &file->arrays[file->n++];
        const size_t begin = *end, length = strlen(entry->name);
        const char *expected =
            length < sizeof array->name ? parse_entry(array, end, entry->is, begin) : "a shorter name";
        if (expected) return bad_entry(file->path, entry->name, entry->is, expected);
        memcpy(array->name, entry->name, length + 1);
    }
    return KELVIN_OK;
}

static kelvin_status parse_arrays(struct kelvin_tensors *file, size_t *end)
{
    const size_t most = json_object_size(file->header);
    struct entry *entries = kelvin_alloc(most, sizeof *entries);
    file->arrays = kelvin_alloc(most, sizeof *file->arrays);
    const kelvin_status status = entries && file->arrays
                                     ? parse_entries(file, end, entries, list_entries(entries, file->header))
                                     : KELVIN_ENOMEM;
    kelvin_free(entries);
    return status;
}

static kelvin_status check_data(const struct kelvin_tensors *file, size_t bytes)
{
    const char *text;
    char found[TENSORS_CRC];
    KELVIN_TRY(kelvin_tensors_note(&text, file, TENSORS_CRC32));
    snprintf(found, sizeof found, TENSORS_HEX, kelvin_crc32(file->bytes + file->data, bytes));
    if (strcmp(text, found) == 0) return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT, "%s: the data have crc32 %s, the header says %.100s: the file is damaged",
                       file->path, found, text);
}

/* Did a kelvin write it whose headers have checksums? Those without were 0.1.0 to 0.6.0. */
static bool must_have_checksum(const json_t *metadata)
{
    const char *version = json_string_value(json_object_get(metadata, "kelvin"));
    if (!version) return false;
    return strncmp(version, "0.", 2) != 0 || version[2] < '1' || version[2] > '6' || version[3] != '.';
}

static kelvin_status check_header(const struct kelvin_tensors *file)
{
    const json_t *metadata = json_object_get(file->header, TENSORS_METADATA);
    const char *text;
    char found[TENSORS_CRC];
    if (!json_object_get(metadata, TENSORS_HEADER) && !must_have_checksum(metadata)) return KELVIN_OK;
    KELVIN_TRY(kelvin_tensors_note(&text, file, TENSORS_HEADER));
    if (!kelvin_tensors_header_crc32(found, file->bytes, file->data))
        return kelvin_fail(KELVIN_EFORMAT, "%s: \"" TENSORS_HEADER "\" is not in its place: the file is damaged",
                           file->path);
    if (strcmp(text, found) == 0) return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT, "%s: the header has crc32 %s and says %.100s: the file is damaged", file->path,
                       found, text);
}

static kelvin_status parse(struct kelvin_tensors *file, size_t size, bool checked)
{
    size_t end;
    KELVIN_TRY(parse_header(file, size));
    KELVIN_TRY(check_header(file));
    KELVIN_TRY(parse_arrays(file, &end));
    if (end != size - file->data)
        return kelvin_fail(KELVIN_EFORMAT, "%s: holds %zu bytes of data, expected %zu", file->path, size - file->data,
                           end);
    return checked ? check_data(file, end) : KELVIN_OK;
}

/* Of a file whose header alone is wanted: that, or all of it if there is no such header. *size is the file's. */
static kelvin_status read_header(char **bytes, size_t *size, const char *path)
{
    uint64_t length = 0;
    KELVIN_TRY(kelvin_file_size(size, path));
    if (*size >= TENSORS_PREFIX) KELVIN_TRY(kelvin_file_read_part(&length, path, 0, TENSORS_PREFIX));
    const size_t head = *size < TENSORS_PREFIX || length > *size - TENSORS_PREFIX ? *size : TENSORS_PREFIX + length;
    if (!(*bytes = kelvin_alloc(head + 1, 1))) return KELVIN_ENOMEM;
    return kelvin_file_read_part(*bytes, path, 0, head);
}

static kelvin_status open_file(struct kelvin_tensors **file, const char *path, bool whole, bool checked)
{
    struct kelvin_tensors *made = *file = kelvin_alloc(1, sizeof *made);
    size_t size = 0;
    if (!made) return KELVIN_ENOMEM;
    made->whole = whole;
    kelvin_status status = (made->path = kelvin_strdup(path)) ? KELVIN_OK : KELVIN_ENOMEM;
    if (!status) status = (whole ? kelvin_file_read : read_header)(&made->bytes, &size, path);
    if (!status) status = parse(made, size, checked);
    if (!status) return KELVIN_OK;
    kelvin_tensors_close(made);
    *file = NULL;
    return status;
}

kelvin_status kelvin_tensors_open(struct kelvin_tensors **file, const char *path)
{
    return open_file(file, path, true, true);
}

kelvin_status kelvin_tensors_open_any(struct kelvin_tensors **file, const char *path)
{
    return open_file(file, path, true, false);
}

kelvin_status kelvin_tensors_peek(struct kelvin_tensors **file, const char *path)
{
    return open_file(file, path, false, false);
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
    *text = json_string_value(json_object_get(json_object_get(file->header, TENSORS_METADATA), name));
    if (*text) return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT, "%s: " TENSORS_METADATA " has no string \"%s\"", file->path, name);
}

kelvin_status kelvin_tensors_find(const struct kelvin_array **found, size_t *at, const struct kelvin_tensors *file,
                                  const struct kelvin_array *wanted)
{
    *at = file->data;
    for (size_t i = 0, bytes = 0; i < file->n; i++, *at += bytes) {
        *found = &file->arrays[i];
        if (strcmp((*found)->name, wanted->name) == 0) return KELVIN_OK;
        kelvin_array_bytes(&bytes, *found);
    }
    return kelvin_fail(KELVIN_EFORMAT, "%s: tensor \"%s\" is missing", file->path, wanted->name);
}

kelvin_status kelvin_tensors_shape(struct kelvin_array *array, const struct kelvin_tensors *file)
{
    const struct kelvin_array *found = NULL;
    size_t at;
    KELVIN_TRY(kelvin_tensors_find(&found, &at, file, array));
    if (found->dtype == array->dtype && found->ndim == array->ndim) {
        memcpy(array->shape, found->shape, sizeof array->shape);
        array->data = file->whole ? file->bytes + at : NULL;
        return KELVIN_OK;
    }
    char is[SHOWN];
    kelvin_tensors_describe(is, found);
    return kelvin_fail(KELVIN_EFORMAT, "%s: tensor \"%s\" is %s, expected %s with %zu axes", file->path, array->name,
                       is, kelvin_dtypes[array->dtype].tensors, array->ndim);
}

kelvin_status kelvin_tensors_offset(size_t *from, const struct kelvin_tensors *file, const struct kelvin_array *array)
{
    const struct kelvin_array *found = NULL;
    return kelvin_tensors_find(&found, from, file, array);
}

static kelvin_status read_one(const struct kelvin_tensors *file, const struct kelvin_array *array, bool copy)
{
    const struct kelvin_array *found = NULL;
    char is[SHOWN], should[SHOWN];
    size_t bytes, at;
    KELVIN_TRY(kelvin_tensors_find(&found, &at, file, array));
    if (found->dtype != array->dtype || found->ndim != array->ndim ||
        memcmp(found->shape, array->shape, array->ndim * sizeof *array->shape) != 0) {
        kelvin_tensors_describe(is, found);
        kelvin_tensors_describe(should, array);
        return kelvin_fail(KELVIN_EFORMAT, "%s: tensor \"%s\" is %s, expected %s", file->path, array->name, is, should);
    }
    if (copy && kelvin_array_bytes(&bytes, found)) memcpy(array->data, file->bytes + at, bytes);
    return KELVIN_OK;
}

kelvin_status kelvin_tensors_read(const struct kelvin_tensors *file, const struct kelvin_array *arrays, size_t n)
{
    if (file->n != n) return kelvin_fail(KELVIN_EFORMAT, "%s: holds %zu tensors, expected %zu", file->path, file->n, n);
    for (size_t i = 0; i < n; i++) KELVIN_TRY(read_one(file, &arrays[i], false));
    for (size_t i = 0; i < n; i++) KELVIN_TRY(read_one(file, &arrays[i], true));
    return KELVIN_OK;
}
