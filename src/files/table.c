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

static size_t show(char out[FIELD], const struct kelvin_column *column, double x, const char *end)
{
    const int n = isnan(x) ? snprintf(out, FIELD, "nan%s", end) /* never "-nan" */
                           : snprintf(out, FIELD, "%.*g%s", digits_of(column, x), x, end);
    return (size_t)n;
}

/* A text of names, unless there are some already, and rows; kelvin_free it. */
static kelvin_status make_text(char **out, size_t *bytes, const struct kelvin_column *columns, size_t n_columns,
                               const double *rows, size_t n, bool names)
{
    char *text = *out = kelvin_alloc((n + names) * n_columns, FIELD);
    *bytes = 0;
    if (!text) return KELVIN_ENOMEM;
    locale_t c, before = enter_c_locale(&c);
    for (size_t k = 0; k < n_columns && names; k++)
        *bytes += (size_t)snprintf(text + *bytes, FIELD, "%s%s", columns[k].name, after(k, n_columns));
    for (size_t i = 0; i < n * n_columns; i++)
        *bytes += show(text + *bytes, &columns[i % n_columns], rows[i], after(i % n_columns, n_columns));
    leave_c_locale(c, before);
    return KELVIN_OK;
}

kelvin_status kelvin_table_put(const char *path, uint64_t *at, const struct kelvin_column *columns, size_t n_columns,
                               const double *rows, size_t n)
{
    char *text;
    size_t bytes;
    KELVIN_TRY(make_text(&text, &bytes, columns, n_columns, rows, n, *at == 0));
    const kelvin_status status = kelvin_file_put(path, text, bytes, *at);
    kelvin_free(text);
    if (!status) *at += bytes;
    return status;
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

static bool is_called(const struct kelvin_column *column, const char *text, size_t length)
{
    return strlen(column->name) == length && strncmp(text, column->name, length) == 0;
}

/* The line of names, each of a column and none twice; *text moves to the next line. */
static kelvin_status parse_names(size_t *which, size_t *found, const char **text, const char *path,
                                 const struct kelvin_column *columns, size_t n_columns)
{
    bool ended = false;
    for (*found = 0; !ended; ++*found) {
        const size_t length = strcspn(*text, ",\n");
        size_t k = 0;
        while (k < n_columns && !is_called(&columns[k], *text, length)) k++;
        for (size_t i = 0; i < *found; i++)
            if (which[i] == k) k = n_columns;
        if (k == n_columns || (*found == 0) != (k == 0) || !(*text)[length])
            return kelvin_fail(KELVIN_EFORMAT, "%s, line 1: column %zu is \"%.*s\", expected %s%s", path, *found + 1,
                               shown(*text), *text, columns[*found < n_columns ? *found : 0].name,
                               *found == 0 ? "" : ", or another that is known, once");
        which[*found] = k;
        ended = (*text)[length] == '\n';
        *text += length + 1;
    }
    return KELVIN_OK;
}

/* One line; *text moves to the next one. */
static kelvin_status parse_row(double *value, const char **text, const char *path, const struct kelvin_column *columns,
                               const size_t *which, size_t found, size_t row)
{
    for (size_t k = 0; k < found; k++) {
        const struct kelvin_column *column = &columns[which[k]];
        const char *start = *text;
        char *end;
        value[k] = strtod(start, &end);
        const bool blank = end == start || strchr(" \t\r\n\v\f", *start); /* strtod would skip them */
        if (blank || (*end != ',' && *end != '\n') || !in_range(column, value[k]))
            return bad_field(path, row, column, start);
        if (*end != *after(k, found))
            return kelvin_fail(KELVIN_EFORMAT, "%s, line %zu: expected %zu values", path, row + 2, found);
        *text = end + 1;
    }
    if (value[0] != (double)row)
        return kelvin_fail(KELVIN_EFORMAT, "%s, line %zu: %s is %.0f, expected %zu", path, row + 2, columns[0].name,
                           value[0], row);
    return KELVIN_OK;
}

static kelvin_status parse(double *rows, size_t *which, size_t *found, const char *text, const char *path,
                           const struct kelvin_column *columns, size_t n_columns, size_t n)
{
    KELVIN_TRY(parse_names(which, found, &text, path, columns, n_columns));
    for (size_t i = 0; i < n; i++) {
        if (!*text) return kelvin_fail(KELVIN_EFORMAT, "%s: ends after %zu rows, expected %zu", path, i, n);
        KELVIN_TRY(parse_row(rows + i * *found, &text, path, columns, which, *found, i));
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

kelvin_status kelvin_table_read(double *rows, size_t *which, size_t *found, const char *path,
                                const struct kelvin_column *columns, size_t n_columns, size_t n)
{
    char *text;
    size_t bytes;
    KELVIN_TRY(kelvin_file_read(&text, &bytes, path));
    locale_t c, before = enter_c_locale(&c);
    const kelvin_status status = strlen(text) == bytes
                                     ? parse(rows, which, found, text, path, columns, n_columns, n)
                                     : kelvin_fail(KELVIN_EFORMAT, "%s: has bytes that are no text", path);
    leave_c_locale(c, before);
    kelvin_free(text);
    return status;
}
