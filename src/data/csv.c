/* Tables of one's own: rows of numbers with a label each, in text files. csv.h says what such a file looks like. */
#include "data/csv.h"

#include "data/inputs.h"
#include "files/text.h"

#include <string.h>

/* ---- rows ---- */

struct table {
    struct data_loader *loader;
    const struct data_file *files; /* for training and for testing */
    struct csv_columns columns;
    struct label *labels; /* one per row, as loader->values */
};

static kelvin_status take_row(struct table *t, const struct csv_reader *r)
{
    const size_t columns = t->columns.n, label = t->columns.label;
    if (r->n_fields != columns)
        return kelvin_fail(KELVIN_EFORMAT, "%s: line %zu: %zu field%s; expected %zu as in line %zu", r->path,
                           r->row_line, r->n_fields, r->n_fields == 1 ? "" : "s", columns, r->first_line);
    double *value = t->loader->values + t->loader->n * (columns - 1);
    for (size_t j = 0; j < columns; j++) {
        if (j == label) continue;
        if (kelvin_text_number(value++, r->fields[j]) != TEXT_NUMBER)
            return kelvin_csv_no_number(&t->columns, r, j, t->loader->spec);
    }
    if (!*r->fields[label])
        return kelvin_fail(KELVIN_EFORMAT, "%s: line %zu, column %zu: the label is empty; expected text or a number",
                           r->path, r->row_line, label + 1);
    t->labels[t->loader->n++] = (struct label){r->fields[label], r->row_line};
    return KELVIN_OK;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Memory for all rows: no more of them than lines, and no more than there are bytes for, as a field needs one and one
 * to end it. */
static kelvin_status alloc_rows(struct table *t)
{
    const size_t inputs = t->columns.n - 1;
    size_t rows = 0, values = 0;
    for (const struct data_file *file = t->files; file < t->files + 2; file++) {
        size_t lines = 2, numbers; /* the last may have no end, and that of the first row is a 0 by now */
        for (size_t i = 0; i < file->size; i++) lines += file->bytes[i] == '\n';
        if (__builtin_mul_overflow(lines, inputs, &numbers)) numbers = SIZE_MAX;
        rows += smaller(lines, (file->size + 1) / 4);
        values += smaller(numbers, (file->size + 1) / 2);
    }
    t->loader->values = kelvin_alloc(values, sizeof *t->loader->values);
    t->labels = kelvin_alloc(rows, sizeof *t->labels);
    return t->loader->values && t->labels ? KELVIN_OK : KELVIN_ENOMEM;
}

/* ---- files ---- */

/* Whether the labels of all rows but the first are numbers. */
static bool others_are_numbers(const struct table *t)
{
    double value;
    for (size_t i = 1; i < t->loader->n; i++)
        if (kelvin_text_number(&value, t->labels[i].text) == TEXT_OTHER) return false;
    return t->loader->n > 1;
}

/* The first row, which was taken for one of numbers, has names. */
static kelvin_status drop_first(struct table *t, const char *const *names, const struct csv_reader *r)
{
    struct data_loader *l = t->loader;
    l->n--;
    memmove(l->values, l->values + l->data->inputs, l->n * l->data->inputs * sizeof *l->values);
    memmove(t->labels, t->labels + 1, l->n * sizeof *t->labels);
    return kelvin_csv_name_columns(&t->columns, names, r, l->data);
}

static kelvin_status read_rows(struct table *t, struct csv_reader *r)
{
    const bool training = t->columns.n == 0;
    const char *const *names = NULL;
    enum csv_header header;
    bool more;
    KELVIN_TRY(kelvin_csv_row(r, &more));
    if (!more) return kelvin_fail(KELVIN_EFORMAT, "%s: is empty; expected rows of numbers and a label", r->path);
    KELVIN_TRY(kelvin_csv_is_header(&header, &t->columns, r, t->loader->spec));
    KELVIN_TRY(training ? kelvin_csv_find_columns(&t->columns, &names, r, header, t->loader)
                        : kelvin_csv_same_columns(&t->columns, r, header == CSV_NAMES));
    if (training) KELVIN_TRY(alloc_rows(t));
    if (header == CSV_NAMES) KELVIN_TRY(kelvin_csv_row(r, &more));
    if (!more)
        return kelvin_fail(KELVIN_EFORMAT, "%s: line %zu names columns and no rows follow; expected at least 2",
                           r->path, r->first_line);
    while (more) {
        KELVIN_TRY(take_row(t, r));
        KELVIN_TRY(kelvin_csv_row(r, &more));
    }
    if (header == CSV_ROW_OR_NAMES && names && others_are_numbers(t)) return drop_first(t, names, r);
    return KELVIN_OK;
}

static kelvin_status read_file(struct table *t, const struct data_file *file)
{
    struct csv_reader reader = {.path = file->path, .line = 1};
    kelvin_status status = kelvin_csv_feed(&reader, file->bytes, file->size);
    if (!status) status = read_rows(t, &reader);
    kelvin_csv_end(&reader);
    return status;
}

kelvin_status kelvin_csv_load(struct data_loader *loader, const struct data_file files[2])
{
    struct table table = {.loader = loader, .files = files};
    kelvin_status status = read_file(&table, &files[0]);
    loader->n_train = loader->n;
    if (!status && files[1].bytes) status = read_file(&table, &files[1]);
    if (!status) status = kelvin_labels_to_classes(loader, table.labels, files[0].path, files[1].path);
    kelvin_free(table.labels);
    return status;
}

static kelvin_status open(struct data_loader *loader)
{
    const char *paths[] = {loader->spec->files[0], kelvin_data_spec_value(loader->spec, "test")};
    if (paths[1]) KELVIN_TRY(kelvin_data_spec_no_split(loader->spec, "test"));
    return kelvin_data_load_files(loader, paths, 2, kelvin_csv_load);
}

const struct data_type kelvin_data_csv = {
    .member = KELVIN_MEMBER(
        "csv", "csv:FILE[,label=COLUMN][,test=FILE][,header=yes|no][,split=SHARE][,seed=N]",
        "a table of numbers and a label per row, separated by commas, semicolons or tabs; COLUMN: name or number"),
    .files = {"FILE"},
    .keys = {"label", "test", "header", "split", "seed"},
    .open = open,
    .inputs = &kelvin_inputs_csv,
};
