/* Tables in text files. A form feed separates a training file from a test file; the options go by the size. */
#include "data/csv.h"
#include "fuzz/fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const specs[] = {"csv:a.csv,test=b.csv", "csv:a.csv,test=b.csv,label=1",
                                    "csv:a.csv,test=b.csv,header=no", "csv:a.csv,test=b.csv,label=label,header=yes"};

static void check(const struct data_loader *l)
{
    const kelvin_data *data = l->data;
    if (data->classes < 2 || data->inputs < 1 || l->n < 1 || l->n_train > l->n) abort();
    for (size_t i = 0; i < l->n; i++)
        if (l->y[i] < 0 || (size_t)l->y[i] >= data->classes) abort();
    for (size_t i = 0; i < l->n * data->inputs; i++)
        if (!isfinite(l->values[i])) abort();
    for (size_t i = 0; i < data->classes; i++)
        if (!*data->class_names[i] || (i > 0 && strcmp(data->class_names[i - 1], data->class_names[i]) == 0)) abort();
    for (size_t i = 0; data->column_names && i < data->inputs; i++)
        if (!data->column_names[i]) abort();
}

static void run(const uint8_t *bytes, size_t size)
{
    char *text = kelvin_alloc(size + 1, 1);
    struct data_spec spec;
    kelvin_data data = {0};
    struct data_loader loader = {.spec = &spec, .data = &data};
    if (!text || kelvin_arena_create(&loader.arena) || data_spec_parse(&spec, &data_csv, specs[size % 4])) abort();
    memcpy(text, bytes, size);
    struct csv_file train = {text, size, "a.csv"}, test = {.path = "b.csv"};
    char *border = memchr(text, '\f', size);
    if (border) {
        *border = '\0';
        train.bytes = (size_t)(border - text);
        test.text = border + 1;
        test.bytes = size - train.bytes - 1;
    }
    const kelvin_status status = csv_load(&loader, &train, &test);
    if (status && status != KELVIN_EFORMAT && status != KELVIN_EUSAGE) abort();
    if (status ? !*kelvin_error() : (check(&loader), false)) abort();
    data_spec_free(&spec);
    kelvin_arena_destroy(loader.arena);
    kelvin_free(loader.values);
    kelvin_free(loader.y);
    kelvin_free(text);
}

/* Of n bytes: the text itself; a pointer to a field, and one to its name, for every byte of the first row (at worst,
 * if all names are empty); a number for every second byte, and for every fourth a label (two words), its place among
 * the classes (two words) and its class. A first row of n / 3 separators and a second one of digits come near to that:
 * 1 + 8 / 3 + 9 / 3 + 4 and more. The rest is small: arena, classes, the name. */
const struct fuzz_target fuzz_target = {run, 1 << 18, 16};
