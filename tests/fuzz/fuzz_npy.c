/* Array files, one behind the other: X, Y, and those of a test part. A single one is both X and Y. */
#include "data/npy_data.h"
#include "files/npy.h"
#include "fuzz/fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void check(const struct data_loader *l)
{
    uint64_t sum = 0;
    const kelvin_data *data = l->data;
    if (data->classes < 2 || data->inputs < 1 || l->n < 1 || !l->bytes == !l->values) abort();
    if (l->bytes && data->inputs != data->channels * data->height * data->width) abort();
    for (size_t i = 0; i < l->n; i++)
        if (l->y[i] < 0 || (size_t)l->y[i] >= data->classes) abort();
    for (size_t i = 0; i < l->n * data->inputs; i++) {
        if (l->values && !isfinite(l->values[i])) abort();
        if (l->bytes) sum += l->bytes[i]; /* every byte can be read */
    }
    if (sum > 255 * (uint64_t)l->n * data->inputs) abort();
}

/* Where the next file begins; `size` if there is none. */
static size_t next_file(const char *bytes, size_t size)
{
    for (size_t i = 1; i + 6 <= size; i++)
        if (memcmp(bytes + i, "\x93NUMPY", 6) == 0) return i;
    return size;
}

static void find_files(struct data_file files[NPY_FILES], char *bytes, size_t size)
{
    static const char *const names[NPY_FILES] = {"x.npy", "y.npy", "test-x.npy", "test-y.npy"};
    size_t found = 0;
    for (size_t n; found < NPY_FILES && size > 0; bytes += n, size -= n) {
        n = next_file(bytes, size);
        files[found] = (struct data_file){names[found], bytes, n};
        found++;
    }
    if (found < 2) files[NPY_Y] = files[NPY_X];
    if (found < NPY_FILES) files[NPY_TEST_X] = (struct data_file){0};
}

static void run(const uint8_t *bytes, size_t size)
{
    char *copy = kelvin_alloc(size, 1);
    struct data_spec spec;
    kelvin_data data = {0};
    struct data_loader loader = {.spec = &spec, .data = &data};
    if (!copy || kelvin_arena_create(&loader.arena) ||
        kelvin_data_spec_parse(&spec, &kelvin_data_npy, "npy:x.npy,y.npy"))
        abort();
    memcpy(copy, bytes, size);
    struct data_file files[NPY_FILES] = {{"x.npy", copy, 0}};
    find_files(files, copy, size);
    const kelvin_status status = kelvin_npy_load(&loader, files);
    if (status && status != KELVIN_EFORMAT) abort();
    if (status ? !*kelvin_error() : (check(&loader), false)) abort();
    kelvin_data_spec_free(&spec);
    kelvin_arena_destroy(loader.arena);
    kelvin_free(loader.values);
    kelvin_free(loader.bytes);
    kelvin_free(loader.y);
    kelvin_free(copy);
}

/* A byte may be a number (a double), a label (4 bytes) and the copy of itself. Of up to 10,000 classes each has 16
 * bytes while they are collected, and a name of 32. */
const struct fuzz_target fuzz_target = {run, 1 << 20, 8 + 4 + 1};
