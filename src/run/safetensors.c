/* The draws of a chain as named tensors: 8 bytes of header length, a JSON header filled up with spaces to a multiple of
 * eight, the data. https://huggingface.co/docs/safetensors
 *
 * In memory a draw is one row of all parameters; in the file a tensor is one block of all iterations. */
#include "base/files.h"
#include "run/formats.h"

#include <jansson.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PREFIX = 8, ALIGN = 8, NUMBER = 24, SHOWN = 256 };

static kelvin_status no_memory(void)
{
    return kelvin_fail(KELVIN_ENOMEM, "out of memory: JSON could not be made");
}

static kelvin_status data_bytes(size_t *bytes, const struct kelvin_draws *about)
{
    if (__builtin_mul_overflow(about->iterations, about->model->n_params, bytes) ||
        __builtin_mul_overflow(*bytes, sizeof(float), bytes))
        return kelvin_fail(KELVIN_ENOMEM, "%zu draws of %zu parameters are more than can be addressed",
                           about->iterations, about->model->n_params);
    return KELVIN_OK;
}

enum direction { TO_FILE, TO_MEMORY };

/* Copies between the two orders: rows of all parameters in memory, tensor by tensor in the file. */
static void reorder(void *to, const void *from, const struct kelvin_draws *about, enum direction direction)
{
    size_t in_file = 0;
    for (size_t t = 0; t < about->model->n_tensors; t++) {
        const kelvin_tensor *tensor = &about->model->tensor[t];
        const size_t bytes = kelvin_tensor_size(tensor) * sizeof(float);
        for (size_t i = 0; i < about->iterations; i++, in_file += bytes) {
            const size_t in_memory = (i * about->model->n_params + tensor->offset) * sizeof(float);
            if (direction == TO_FILE)
                memcpy((char *)to + in_file, (const char *)from + in_memory, bytes);
            else
                memcpy((char *)to + in_memory, (const char *)from + in_file, bytes);
        }
    }
}

/* {"dtype": "F32", "shape": [iterations, ...], "data_offsets": [begin, end]} */
static json_t *tensor_json(const kelvin_tensor *tensor, size_t begin, size_t iterations)
{
    json_t *shape = json_array();
    int failed = json_array_append_new(shape, json_integer((json_int_t)iterations));
    for (size_t i = 0; i < tensor->ndim; i++)
        failed |= json_array_append_new(shape, json_integer((json_int_t)tensor->shape[i]));
    if (failed) {
        json_decref(shape);
        return NULL;
    }
    const size_t end = begin + kelvin_tensor_size(tensor) * iterations * sizeof(float);
    return json_pack("{s:s, s:o, s:[I, I]}", "dtype", "F32", "shape", shape, "data_offsets", (json_int_t)begin,
                     (json_int_t)end);
}

/* The strings of the metadata, for both directions. */
enum { SEED, CHAIN, CRC32, N_METADATA };
struct metadata {
    const char *name;
    char text[NUMBER];
};

static void metadata_of(struct metadata out[N_METADATA], const struct kelvin_draws *about, uint32_t crc32)
{
    out[SEED].name = "seed";
    snprintf(out[SEED].text, NUMBER, "%" PRIu64, about->seed);
    out[CHAIN].name = "chain";
    snprintf(out[CHAIN].text, NUMBER, "%" PRIu32, about->chain);
    out[CRC32].name = "crc32";
    snprintf(out[CRC32].text, NUMBER, "%08" PRIx32, crc32);
}

static json_t *header_json(const struct kelvin_draws *about, uint32_t crc32)
{
    struct metadata metadata[N_METADATA];
    metadata_of(metadata, about, crc32);
    json_t *root = json_pack("{s:{s:s}}", "__metadata__", "kelvin", KELVIN_VERSION);
    json_t *strings = json_object_get(root, "__metadata__");
    int failed = strings == NULL;
    for (int i = 0; i < N_METADATA; i++)
        failed |= json_object_set_new(strings, metadata[i].name, json_string(metadata[i].text));
    size_t begin = 0;
    for (size_t t = 0; t < about->model->n_tensors; t++) {
        const kelvin_tensor *tensor = &about->model->tensor[t];
        failed |= json_object_set_new(root, tensor->name, tensor_json(tensor, begin, about->iterations));
        begin += kelvin_tensor_size(tensor) * about->iterations * sizeof(float);
    }
    if (!failed) return root;
    json_decref(root);
    return NULL;
}

/* The header as it stands in the file, its length before it. */
static kelvin_status header_bytes(char **header, size_t *bytes, const struct kelvin_draws *about, uint32_t crc32)
{
    json_t *root = header_json(about, crc32);
    if (!root) return no_memory();
    const size_t text = json_dumpb(root, NULL, 0, JSON_COMPACT);
    const uint64_t padded = (text + ALIGN - 1) / ALIGN * ALIGN;
    *bytes = PREFIX + padded;
    *header = kelvin_alloc(*bytes, 1);
    kelvin_status status = *header ? KELVIN_OK : KELVIN_ENOMEM;
    if (!status) {
        memcpy(*header, &padded, PREFIX);
        memset(*header + PREFIX, ' ', padded);
        if (text == 0 || json_dumpb(root, *header + PREFIX, padded, JSON_COMPACT) != text) status = no_memory();
    }
    json_decref(root);
    return status;
}

kelvin_status kelvin_safetensors_write(const char *path, const float *draws, const struct kelvin_draws *about)
{
    struct kelvin_writer file = {.fd = -1};
    char *header = NULL;
    size_t bytes, header_size = 0;
    KELVIN_TRY(data_bytes(&bytes, about));
    void *data = kelvin_alloc(bytes, 1);
    kelvin_status status = data ? KELVIN_OK : KELVIN_ENOMEM;
    if (!status) {
        reorder(data, draws, about, TO_FILE);
        status = header_bytes(&header, &header_size, about, kelvin_crc32(data, bytes));
    }
    if (!status) status = kelvin_writer_open(&file, path);
    if (!status) status = kelvin_writer_put(&file, header, header_size);
    if (!status) status = kelvin_writer_put(&file, data, bytes);
    status = kelvin_writer_close(&file, status);
    kelvin_free(header);
    kelvin_free(data);
    return status;
}

/* ---- reading ---- */

static void show(char out[SHOWN], const json_t *value)
{
    const size_t n = json_dumpb(value, out, SHOWN - 1, JSON_ENCODE_ANY);
    out[n < SHOWN ? n : SHOWN - 1] = '\0';
}

static kelvin_status check_tensors(const json_t *found, const json_t *expected, const char *path)
{
    if (json_object_size(found) != json_object_size(expected))
        return kelvin_fail(KELVIN_EFORMAT, "%s: the header has %zu entries, expected %zu", path,
                           json_object_size(found), json_object_size(expected));
    const char *name;
    json_t *entry;
    json_object_foreach((json_t *)expected, name, entry)
    {
        const json_t *other = json_object_get(found, name);
        if (strcmp(name, "__metadata__") == 0 || json_equal(other, entry)) continue;
        char is[SHOWN], should[SHOWN];
        show(should, entry);
        if (!other) return kelvin_fail(KELVIN_EFORMAT, "%s: tensor \"%s\" is missing, expected %s", path, name, should);
        show(is, other);
        return kelvin_fail(KELVIN_EFORMAT, "%s: tensor \"%s\" is %s, expected %s", path, name, is, should);
    }
    return KELVIN_OK;
}

static kelvin_status check_metadata(const json_t *found, const struct kelvin_draws *about, uint32_t crc32,
                                    const char *path)
{
    struct metadata metadata[N_METADATA];
    metadata_of(metadata, about, crc32);
    const json_t *strings = json_object_get(found, "__metadata__");
    for (int i = 0; i < N_METADATA; i++) {
        const char *text = json_string_value(json_object_get(strings, metadata[i].name));
        if (!text) return kelvin_fail(KELVIN_EFORMAT, "%s: __metadata__ has no string \"%s\"", path, metadata[i].name);
        if (strcmp(text, metadata[i].text) != 0)
            return kelvin_fail(KELVIN_EFORMAT, "%s: %s is %s in the header, expected %s%s", path, metadata[i].name,
                               text, metadata[i].text, i == CRC32 ? " from the data: the file is damaged" : "");
    }
    return KELVIN_OK;
}

/* *root gets the header, *start the place of the data. */
static kelvin_status parse_header(json_t **root, size_t *start, const char *file, size_t size, const char *path)
{
    uint64_t length;
    if (size < PREFIX)
        return kelvin_fail(KELVIN_EFORMAT, "%s: is not a safetensors file: %zu bytes, expected at least %d", path, size,
                           PREFIX);
    memcpy(&length, file, PREFIX);
    if (length > size - PREFIX)
        return kelvin_fail(KELVIN_EFORMAT, "%s: ends within its header: %zu bytes, expected %" PRIu64, path,
                           size - PREFIX, length);
    json_error_t error;
    *root = json_loadb(file + PREFIX, (size_t)length, JSON_REJECT_DUPLICATES, &error);
    if (!*root) return kelvin_fail(KELVIN_EFORMAT, "%s: header, line %d: %s", path, error.line, error.text);
    if (!json_is_object(*root)) return kelvin_fail(KELVIN_EFORMAT, "%s: the header is not an object", path);
    *start = PREFIX + (size_t)length;
    return KELVIN_OK;
}

kelvin_status kelvin_safetensors_read(float *draws, const char *path, const struct kelvin_draws *about)
{
    json_t *found = NULL, *expected = NULL;
    char *file;
    size_t bytes, size, start = 0;
    KELVIN_TRY(data_bytes(&bytes, about));
    KELVIN_TRY(kelvin_file_read(&file, &size, path));
    kelvin_status status = parse_header(&found, &start, file, size, path);
    if (!status && !(expected = header_json(about, 0))) status = no_memory();
    if (!status) status = check_tensors(found, expected, path);
    if (!status && size - start != bytes)
        status = kelvin_fail(KELVIN_EFORMAT, "%s: holds %zu bytes of data, expected %zu", path, size - start, bytes);
    if (!status) status = check_metadata(found, about, kelvin_crc32(file + start, bytes), path);
    if (!status) reorder(draws, file + start, about, TO_MEMORY);
    kelvin_free(file);
    json_decref(expected);
    json_decref(found);
    return status;
}
