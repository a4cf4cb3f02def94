/* All rows of a file as texts, and whether the first of them names the columns. */
#include "data/csv.h"

#include "data/inputs.h"
#include "data/values.h"

#include <string.h>

kelvin_status kelvin_csv_check_width(const struct csv_reader *r, size_t columns)
{
    if (r->n_fields == columns) return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT, "%s: line %zu: %zu field%s; expected %zu as in line %zu", r->path, r->row_line,
                       r->n_fields, r->n_fields == 1 ? "" : "s", columns, r->first_line);
}

/* ---- rows ---- */

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Memory for all rows: no more of them than lines, and no more fields than there are bytes: each has one that ends it,
 * but perhaps the last. */
static kelvin_status alloc(struct csv_cells *c, const struct data_file *file)
{
    size_t lines = 2, fields; /* the last may have no end, and that of the first row is a 0 by now */
    for (size_t i = 0; i < file->size; i++) lines += file->bytes[i] == '\n';
    if (__builtin_mul_overflow(lines, c->columns, &fields)) fields = SIZE_MAX;
    c->text = kelvin_alloc(smaller(fields, file->size + 1), sizeof *c->text);
    c->line = kelvin_alloc(smaller(lines, file->size / 2 + 2), sizeof *c->line);
    return c->text && c->line ? KELVIN_OK : KELVIN_ENOMEM;
}

static kelvin_status read_rows(struct csv_cells *c, struct csv_reader *r, const struct data_file *file)
{
    c->columns = r->n_fields;
    KELVIN_TRY(alloc(c, file));
    for (bool more = true; more;) {
        KELVIN_TRY(kelvin_csv_check_width(r, c->columns));
        memcpy(c->text + c->rows * c->columns, r->fields, c->columns * sizeof *c->text);
        c->line[c->rows++] = r->row_line;
        KELVIN_TRY(kelvin_csv_row(r, &more));
    }
    return KELVIN_OK;
}

/* ---- the first ---- */

static bool is_number(const char *text)
{
    double value;
    const enum value_kind kind = kelvin_value_look(&value, text);
    return kind == VALUE_NUMBER || kind == VALUE_NOT_FINITE;
}

/* Whether every field of the first row is there again in its column: names of columns are not. */
static bool is_like_others(const struct csv_cells *c)
{
    for (size_t j = 0; j < c->columns; j++) {
        size_t i = 1;
        while (i < c->rows && strcmp(c->text[i * c->columns + j], c->text[j]) != 0) i++;
        if (i >= c->rows) return false;
    }
    return true;
}

/* Whether the first field of a column is a word, and all others that are there are numbers. */
static bool is_over_numbers(const struct csv_cells *c, size_t j)
{
    double value;
    size_t numbers = 0;
    if (kelvin_value_look(&value, c->text[j]) < VALUE_YES_NO) return false;
    for (size_t i = 1; i < c->rows; i++) {
        const char *text = c->text[i * c->columns + j];
        if (is_number(text))
            numbers++;
        else if (kelvin_value_look(&value, text) != VALUE_MISSING)
            return false;
    }
    return numbers > 0;
}

/* Whether a first row with numbers in it names the columns (0,1,2,target, as pandas writes): its label is a word that
 * is no label of another row, and there is a word over a column of numbers. */
static bool names_numbers(const struct csv_cells *c, const struct data_spec *spec)
{
    const struct csv_line first = {c->path, c->line[0], c->columns, c->text};
    const char *said = kelvin_data_spec_value(spec, "label");
    size_t label = c->columns - 1;
    if (said && kelvin_csv_find_column(&label, &first, false, "label", said)) return false;
    if (is_number(c->text[label])) return false;
    for (size_t i = 1; i < c->rows; i++)
        if (strcmp(c->text[i * c->columns + label], c->text[label]) == 0) return false;
    for (size_t j = 0; j < c->columns; j++)
        if (is_over_numbers(c, j)) return true;
    return false;
}

static void find_header(struct csv_cells *c, enum csv_header header, const struct data_spec *spec)
{
    c->said = kelvin_data_spec_value(spec, "header");
    c->header = header == CSV_NAMES;
    if (c->said) return;
    if (header == CSV_NAMES && !kelvin_data_spec_value(spec, "label")) c->header = !is_like_others(c);
    if (header == CSV_ROW_OR_NAMES) c->header = c->numbered = names_numbers(c, spec);
}

/* ---- files ---- */

/* What is no text is called by its name. */
static kelvin_status check_kind(const struct data_file *file)
{
    bool picture;
    const char *kind = kelvin_inputs_kind(&picture, file->bytes, smaller(file->size, 16));
    if (!kind || strcmp(kind, "not text") == 0) return KELVIN_OK; /* the reader says where */
    return kelvin_fail(KELVIN_EFORMAT, "%s: is %s; expected a table as text in UTF-8%s", file->path, kind,
                       strstr(kind, "UTF-16") ? " (iconv -f utf-16 -t utf-8 makes it)"
                       : strstr(kind, "gzip") ? " (gunzip unpacks it)"
                                              : "");
}

static kelvin_status read_file(struct csv_cells *c, struct csv_reader *r, const struct data_file *file,
                               const struct data_spec *spec)
{
    enum csv_header header;
    bool more;
    KELVIN_TRY(check_kind(file));
    KELVIN_TRY(kelvin_csv_feed(r, file->bytes, file->size));
    KELVIN_TRY(kelvin_csv_row(r, &more));
    if (!more) return kelvin_fail(KELVIN_EFORMAT, "%s: is empty; expected rows of numbers and a label", r->path);
    KELVIN_TRY(kelvin_csv_is_header(&header, r, spec));
    if (r->n_fields < 2)
        return kelvin_fail(KELVIN_EFORMAT,
                           "%s: line %zu: one column; expected at least 2, a number and a label, separated by ',', "
                           "';' or tab",
                           r->path, r->row_line);
    KELVIN_TRY(read_rows(c, r, file));
    find_header(c, header, spec);
    if (c->rows > c->header) return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT, "%s: line %zu names columns and no rows follow; expected at least 2", r->path,
                       r->first_line);
}

kelvin_status kelvin_csv_cells_read(struct csv_cells *c, const struct data_file *file, const struct data_spec *spec)
{
    struct csv_reader reader = {.path = file->path, .line = 1};
    *c = (struct csv_cells){.path = file->path};
    const kelvin_status status = read_file(c, &reader, file, spec);
    kelvin_csv_end(&reader);
    return status;
}

void kelvin_csv_cells_free(struct csv_cells *c)
{
    kelvin_free(c->text);
    kelvin_free(c->line);
    kelvin_free(c->at);
}
