/* Tables in text files. A form feed separates a training file from a test file; the options go by the size. */
#include "data/csv.h"
#include "fuzz/fuzz.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const specs[] = {"csv:a.csv,test=b.csv",           "csv:a.csv,test=b.csv,label=1",
                                    "csv:a.csv,test=b.csv,header=no", "csv:a.csv,test=b.csv,label=label,header=yes",
                                    "csv:a.csv,test=b.csv,keep=*",    "csv:a.csv,test=b.csv,id=1,drop=2"};
enum { SPECS = sizeof specs / sizeof *specs };

static void check(const struct data_loader *l)
{
    const kelvin_data *data = l->data;
    if (data->classes < 2 || data->inputs < 1 || l->n < 1 || l->n_train > l->n) abort();
    for (size_t i = 0; i < l->n; i++)
        if (l->y[i] < 0 || (size_t)l->y[i] >= data->classes) abort();
    for (size_t i = 0; i < l->n * data->inputs; i++)
        if (isinf(l->values[i])) abort(); /* NaN is missing */
    for (size_t i = 0; l->weight && i < l->n; i++)
        if (!(l->weight[i] > 0 && l->weight[i] <= 1)) abort();
    for (size_t i = 0; l->id && i < l->n; i++)
        if (!l->id[i]) abort();
    size_t inputs = 0;
    for (size_t j = 0; j < data->features; j++) {
        const kelvin_feature *f = &data->feature[j];
        if (f->inputs > 0 && f->first != inputs) abort();
        inputs += f->inputs;
    }
    if (inputs != data->inputs) abort();
    for (size_t i = 0; i < data->classes; i++)
        if (!*data->class_names[i] || (i > 0 && strcmp(data->class_names[i - 1], data->class_names[i]) == 0)) abort();
    if (!data->column_names != !data->label_name) abort();
    for (size_t i = 0; data->column_names && i < data->inputs; i++)
        if (!data->column_names[i]) abort();
}

static void run(const uint8_t *bytes, size_t size)
{
    char *text = kelvin_alloc(size + 1, 1);
    struct data_spec spec;
    kelvin_data data = {0};
    struct data_loader loader = {.spec = &spec, .data = &data};
    if (!text || kelvin_arena_create(&loader.arena) ||
        kelvin_data_spec_parse(&spec, &kelvin_data_csv, specs[size % SPECS]))
        abort();
    spec.splits = false; /* as many classes have one row */
    memcpy(text, bytes, size);
    struct data_file files[] = {{"a.csv", text, size}, {.path = "b.csv"}};
    char *border = memchr(text, '\f', size);
    if (border) {
        *border = '\0';
        files[0].size = (size_t)(border - text);
        files[1].bytes = border + 1;
        files[1].size = size - files[0].size - 1;
    }
    const kelvin_status status = kelvin_csv_load(&loader, files);
    if (status && status != KELVIN_EFORMAT && status != KELVIN_EUSAGE) abort();
    if (status ? !*kelvin_error() : (check(&loader), false)) abort();
    kelvin_data_spec_free(&spec);
    kelvin_arena_destroy(loader.arena);
    kelvin_free(loader.values);
    kelvin_free(loader.y);
    kelvin_free(loader.weight);
    kelvin_free(text);
}

/* A field takes at least 2 bytes: of a category it becomes at most 64 numbers (256 per byte); a value of one has three
 * texts of a line of the cache, and an entry in a table of twice as many (128 per byte). In the first row a field is a
 * column: what is known of it, and a table of its values. The arena takes 64 kB at once, and its last chunk may be half
 * empty. */
const struct fuzz_target fuzz_target = {run, 1 << 22, 1024};
