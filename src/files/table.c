/* Tables as text, CSV: one line of names, one line per row. Numbers have as many digits as their column
 * says, or the fewest that give them back. */
#include "base/c_locale.h"
#include "files/decimal.h"
#include "files/files.h"
#include "files/formats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELD = 64, SHOWN = 40, WINDOW = 1 << 16 };

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

static int digits_of(const struct kelvin_column *column)
{
    enum { WHOLE = 10 };
    return column->whole ? WHOLE : column->digits;
}

/* A text of names, unless there are some already, and rows; kelvin_free it. */
static kelvin_status make_text(char **out, size_t *bytes, const struct kelvin_column *columns, size_t n_columns,
                               const double *rows, size_t n, bool names)
{
    char *text = *out = kelvin_alloc(n_columns, (names ? FIELD : 0) + n * KELVIN_DECIMAL);
    *bytes = 0;
    if (!text) return KELVIN_ENOMEM;
    locale_t c, before = enter_c_locale(&c);
    for (size_t k = 0; k < n_columns && names; k++)
        *bytes += (size_t)snprintf(text + *bytes, FIELD, "%s%s", columns[k].name, after(k, n_columns));
    for (size_t i = 0; i < n * n_columns; i++) {
        const size_t k = i % n_columns;
        *bytes += kelvin_decimal(text + *bytes, rows[i], digits_of(&columns[k]));
        text[(*bytes)++] = *after(k, n_columns);
    }
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

/* A table of which a window is in memory: it may be long. */
struct reader {
    const char *path;
    const struct kelvin_column *columns;
    size_t n_columns, *which, *found; /* as in kelvin_table_read */
    size_t bytes, at;                 /* of the file; read of them */
    char *text;                       /* WINDOW bytes at most, and a 0 */
    size_t used;
    const char *next; /* the line that comes next, in it */
};

/* More of the file behind what is left of the window. */
static kelvin_status read_on(struct reader *r)
{
    const size_t rest = r->used - (size_t)(r->next - r->text), room = WINDOW - rest, left = r->bytes - r->at;
    const size_t n = left < room ? left : room;
    memmove(r->text, r->next, rest);
    KELVIN_TRY(kelvin_file_read_part(r->text + rest, r->path, r->at, n));
    r->at += n;
    r->used = rest + n;
    r->text[r->used] = '\0';
    r->next = r->text;
    return memchr(r->text + rest, '\0', n) ? kelvin_fail(KELVIN_EFORMAT, "%s: has bytes that are no text", r->path)
                                           : KELVIN_OK;
}

/* All of the next line is in the window, up to the end of the file at most. */
static kelvin_status see_line(struct reader *r)
{
    if (strchr(r->next, '\n') || r->at == r->bytes) return KELVIN_OK;
    KELVIN_TRY(read_on(r));
    if (strchr(r->next, '\n') || r->at == r->bytes) return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT, "%s: has a line of more than %d bytes", r->path, (int)WINDOW);
}

/* The characters of a field that are worth showing. */
static int shown(const char *text)
{
    const size_t length = strcspn(text, ",\n");
    return length < SHOWN ? (int)length : SHOWN;
}

static kelvin_status bad_field(const struct reader *r, size_t row, const struct kelvin_column *column)
{
    char expected[FIELD] = "a number";
    if (!isinf(column->highest))
        snprintf(expected, sizeof expected, "a %snumber from %.10g to %.10g", column->whole ? "whole " : "",
                 column->lowest, column->highest);
    return kelvin_fail(KELVIN_EFORMAT, "%s, line %zu: %s is \"%.*s\", expected %s", r->path, row + 2, column->name,
                       shown(r->next), r->next, expected);
}

/* The line of names, each of a column and none twice. */
static kelvin_status parse_names(struct reader *r)
{
    size_t found = 0;
    KELVIN_TRY(see_line(r));
    for (bool ended = false; !ended; found++) {
        const size_t length = strcspn(r->next, ",\n");
        size_t k = 0;
        while (k < r->n_columns &&
               (strlen(r->columns[k].name) != length || strncmp(r->next, r->columns[k].name, length) != 0))
            k++;
        for (size_t i = 0; i < found; i++)
            if (r->which[i] == k) k = r->n_columns;
        if (k == r->n_columns || (found == 0) != (k == 0) || !r->next[length])
            return kelvin_fail(KELVIN_EFORMAT, "%s, line 1: column %zu is \"%.*s\", expected %s%s", r->path, found + 1,
                               shown(r->next), r->next, r->columns[found < r->n_columns ? found : 0].name,
                               found == 0 ? "" : ", or another that is known, once");
        r->which[found] = k;
        ended = r->next[length] == '\n';
        r->next += length + 1;
    }
    *r->found = found;
    return KELVIN_OK;
}

static kelvin_status parse_row(double *value, struct reader *r, size_t row)
{
    for (size_t k = 0; k < *r->found; k++) {
        const struct kelvin_column *column = &r->columns[r->which[k]];
        char *end;
        value[k] = strtod(r->next, &end);
        const bool blank = end == r->next || strchr(" \t\r\n\v\f", *r->next); /* strtod would skip them */
        if (blank || (*end != ',' && *end != '\n') || !in_range(column, value[k])) return bad_field(r, row, column);
        if (*end != *after(k, *r->found))
            return kelvin_fail(KELVIN_EFORMAT, "%s, line %zu: expected %zu values", r->path, row + 2, *r->found);
        r->next = end + 1;
    }
    if (value[0] != (double)row)
        return kelvin_fail(KELVIN_EFORMAT, "%s, line %zu: %s is %.0f, expected %zu", r->path, row + 2,
                           r->columns[0].name, value[0], row);
    return KELVIN_OK;
}

static kelvin_status parse(double *row, struct reader *r, size_t n, kelvin_row_look *look, void *context)
{
    KELVIN_TRY(parse_names(r));
    for (size_t i = 0; i < n; i++) {
        KELVIN_TRY(see_line(r));
        if (!*r->next) return kelvin_fail(KELVIN_EFORMAT, "%s: ends after %zu rows, expected %zu", r->path, i, n);
        KELVIN_TRY(parse_row(row, r, i));
        look(context, row, i);
    }
    KELVIN_TRY(see_line(r));
    return *r->next ? kelvin_fail(KELVIN_EFORMAT, "%s: has more than %zu rows", r->path, n) : KELVIN_OK;
}

kelvin_status kelvin_table_each(size_t *which, size_t *found, const char *path, const struct kelvin_column *columns,
                                size_t n_columns, size_t n, kelvin_row_look *look, void *context)
{
    struct reader r = {.path = path, .columns = columns, .n_columns = n_columns, .which = which, .found = found};
    KELVIN_TRY(kelvin_file_size(&r.bytes, path));
    double *row = kelvin_alloc(n_columns, sizeof *row);
    r.next = r.text = kelvin_alloc(WINDOW + 1, 1);
    locale_t c, before = enter_c_locale(&c);
    const kelvin_status status = row && r.text ? parse(row, &r, n, look, context) : KELVIN_ENOMEM;
    leave_c_locale(c, before);
    kelvin_free(r.text);
    kelvin_free(row);
    return status;
}

/* ---- all at once ---- */

kelvin_status kelvin_table_rows(size_t *n, const char *path)
{
    char text[WINDOW];
    size_t bytes, lines = 0;
    KELVIN_TRY(kelvin_file_size(&bytes, path));
    for (size_t at = 0, some; at < bytes; at += some) {
        some = bytes - at < WINDOW ? bytes - at : WINDOW;
        KELVIN_TRY(kelvin_file_read_part(text, path, at, some));
        for (size_t i = 0; i < some; i++) lines += text[i] == '\n';
    }
    *n = lines > 0 ? lines - 1 : 0; /* the first has names */
    return KELVIN_OK;
}

struct copy {
    double *rows;
    const size_t *found;
};

static void keep(void *context, const double *row, size_t i)
{
    const struct copy *copy = context;
    memcpy(copy->rows + i * *copy->found, row, *copy->found * sizeof *row);
}

kelvin_status kelvin_table_read(double *rows, size_t *which, size_t *found, const char *path,
                                const struct kelvin_column *columns, size_t n_columns, size_t n)
{
    return kelvin_table_each(which, found, path, columns, n_columns, n, keep, &(struct copy){rows, found});
}
