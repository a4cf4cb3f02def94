/* Tables as text, CSV: one line of names, one line per row. Numbers have as many digits as their column
 * says, or the fewest that give them back. */
#include "base/c_locale.h"
#include "files/files.h"
#include "files/formats.h"
#include "files/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELD = 64, SHOWN = 40 };

/* A column without bounds may hold anything: a diverged trajectory has no energy. */
static bool in_range(const struct kelvin_column *column, double x)
{
    if (isinf(column->highest)) return true;
    return x >= column->lowest && x <= column->highest && (!column->whole || x == floor(x));
}

static const char *after(size_t column, size_t n_columns)
{
    return column + 1 < n_columns ? "," : "\n";
}

static int digits_of(const struct kelvin_column *column, double x)
{
    enum { WHOLE = 10 };
    return column->whole ? WHOLE : column->digits ? column->digits : kelvin_digits(x);
}

static kelvin_status put_value(struct kelvin_writer *file, const struct kelvin_column *column, double x,
                               const char *end)
{
    char text[FIELD];
    int n;
    if (isnan(x))
        n = snprintf(text, FIELD, "nan%s", end); /* never "-nan" */
    else
        n = snprintf(text, FIELD, "%.*g%s", digits_of(column, x), x, end);
    return kelvin_writer_put(file, text, (size_t)n);
}

static kelvin_status put_name(struct kelvin_writer *file, const char *name, const char *end)
{
    KELVIN_TRY(kelvin_writer_put(file, name, strlen(name)));
    return kelvin_writer_put(file, end, 1);
}

kelvin_status kelvin_table_write(const char *path, const struct kelvin_column *columns, size_t n_columns,
                                 const double *rows, size_t n)
{
    struct kelvin_writer file;
    locale_t c, before = enter_c_locale(&c);
    kelvin_status status = kelvin_writer_open(&file, path);
    for (size_t k = 0; k < n_columns && !status; k++) status = put_name(&file, columns[k].name, after(k, n_columns));
    for (size_t i = 0; i < n * n_columns && !status; i++)
        status = put_value(&file, &columns[i % n_columns], rows[i], after(i % n_columns, n_columns));
    leave_c_locale(c, before);
    return kelvin_writer_close(&file, status);
}

/* ---- reading ---- */

/* The characters of a field that are worth showing. */
static int shown(const char *text)
{
    const size_t length = strcspn(text, ",\n");
    return length < SHOWN ? (int)length : SHOWN;
}

static kelvin_status bad_field(const char *path, size_t row, const struct kelvin_column *column, const char *text)
{
    char expected[FIELD] = "a number";
    if (!isinf(column->highest))
        snprintf(expected, sizeof expected, "a %snumber from %.10g to %.10g", column->whole ? "whole " : "",
                 column->lowest, column->highest);
    return kelvin_fail(KELVIN_EFORMAT, "%s, line %zu: %s is \"%.*s\", expected %s", path, row + 2, column->name,
                       shown(text), text, expected);
}

/* The line of names; *text moves to the next one. */
static kelvin_status parse_names(const char **text, const char *path, const struct kelvin_column *columns,
                                 size_t n_columns)
{
    for (size_t k = 0; k < n_columns; k++) {
        const size_t length = strcspn(*text, ",\n");
        const bool same = strlen(columns[k].name) == length && strncmp(*text, columns[k].name, length) == 0;
        if (!same || (*text)[length] != *after(k, n_columns))
            return kelvin_fail(KELVIN_EFORMAT, "%s, line 1: column %zu is \"%.*s\", expected %s%s", path, k + 1,
                               shown(*text), *text, columns[k].name,
                               !same                ? ""
                               : k + 1 == n_columns ? " and no column after it"
                                                    : " and a column after it");
        *text += length + 1;
    }
    return KELVIN_OK;
}

/* One line; *text moves to the next one. */
static kelvin_status parse_row(double *value, const char **text, const char *path, const struct kelvin_column *columns,
                               size_t n_columns, size_t row)
{
    for (size_t k = 0; k < n_columns; k++) {
        const char *start = *text;
        char *end;
        value[k] = strtod(start, &end);
        const bool blank = end == start || strchr(" \t\r\n\v\f", *start); /* strtod would skip them */
        if (blank || (*end != ',' && *end != '\n') || !in_range(&columns[k], value[k]))
            return bad_field(path, row, &columns[k], start);
        if (*end != *after(k, n_columns))
            return kelvin_fail(KELVIN_EFORMAT, "%s, line %zu: expected %zu values", path, row + 2, n_columns);
        *text = end + 1;
    }
    if (value[0] != (double)row)
        return kelvin_fail(KELVIN_EFORMAT, "%s, line %zu: %s is %.0f, expected %zu", path, row + 2, columns[0].name,
                           value[0], row);
    return KELVIN_OK;
}

static kelvin_status parse(double *rows, const char *text, const char *path, const struct kelvin_column *columns,
                           size_t n_columns, size_t n)
{
    KELVIN_TRY(parse_names(&text, path, columns, n_columns));
    for (size_t i = 0; i < n; i++) {
        if (!*text) return kelvin_fail(KELVIN_EFORMAT, "%s: ends after %zu rows, expected %zu", path, i, n);
        KELVIN_TRY(parse_row(rows + i * n_columns, &text, path, columns, n_columns, i));
    }
    return *text ? kelvin_fail(KELVIN_EFORMAT, "%s: has more than %zu rows", path, n) : KELVIN_OK;
}

kelvin_status kelvin_table_rows(size_t *n, const char *path)
{
    char *text;
    size_t bytes, lines = 0;
    KELVIN_TRY(kelvin_file_read(&text, &bytes, path));
    for (size_t i = 0; i < bytes; i++) lines += text[i] == '\n';
    kelvin_free(text);
    *n = lines > 0 ? lines - 1 : 0; /* the first has names */
    return KELVIN_OK;
}

kelvin_status kelvin_table_read(double *rows, const char *path, const struct kelvin_column *columns, size_t n_columns,
                                size_t n)
{
    char *text;
    size_t bytes;
    KELVIN_TRY(kelvin_file_read(&text, &bytes, path));
    locale_t c, before = enter_c_locale(&c);
    const kelvin_status status = parse(rows, text, path, columns, n_columns, n);
    leave_c_locale(c, before);
    kelvin_free(text);
    return status;
}
