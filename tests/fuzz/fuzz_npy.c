/* Array files. A second one behind the first holds the labels; otherwise the first is both. */
#include "data/npy.h"
#include "data/npy_data.h"
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

static char *second_file(char *bytes, size_t size)
{
    for (size_t i = 1; i + 6 <= size; i++)
        if (memcmp(bytes + i, "\x93NUMPY", 6) == 0) return bytes + i;
    return NULL;
}

static void run(const uint8_t *bytes, size_t size)
{
    char *copy = kelvin_alloc(size, 1);
    struct data_spec spec;
    kelvin_data data = {0};
    struct data_loader loader = {.spec = &spec, .data = &data};
    if (!copy || kelvin_arena_create(&loader.arena) || data_spec_parse(&spec, &data_npy, "npy:x.npy,y.npy")) abort();
    memcpy(copy, bytes, size);
    struct npy_file files[NPY_FILES] = {{copy, size, "x.npy"}, {copy, size, "y.npy"}};
    char *second = second_file(copy, size);
    if (second) {
        files[NPY_X].size = (size_t)(second - copy);
        files[NPY_Y] = (struct npy_file){second, size - files[NPY_X].size, "y.npy"};
    }
    const kelvin_status status = npy_load(&loader, files);
    if (status && status != KELVIN_EFORMAT) abort();
    if (status ? !*kelvin_error() : (check(&loader), false)) abort();
    data_spec_free(&spec);
    kelvin_arena_destroy(loader.arena);
    kelvin_free(loader.values);
    kelvin_free(loader.bytes);
    kelvin_free(loader.y);
    kelvin_free(copy);
}

/* A byte may be a number (a double), a label (a double and a class) and the copy of itself. Up to 10,000 classes have
 * their names, of 32 bytes each. */
const struct fuzz_target fuzz_target = {run, 1 << 20, 8 + 12 + 1};
