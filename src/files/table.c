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

/* ---- line by line ---- */

/* A window on a file, which may be long. */
struct lines {
    const char *path;
    size_t bytes, at; /* of the file; read of them */
    char *text;       /* WINDOW bytes at most, and a 0 */
    size_t used;
    const char *next; /* the line that comes next, in it */
};

/* More of the file behind what is left of the window. */
static kelvin_status read_on(struct lines *l)
{
    const size_t rest = l->used - (size_t)(l->next - l->text), room = WINDOW - rest, left = l->bytes - l->at;
    const size_t n = left < room ? left : room;
    memmove(l->text, l->next, rest);
    KELVIN_TRY(kelvin_file_read_part(l->text + rest, l->path, l->at, n));
    l->at += n;
    l->used = rest + n;
    l->text[l->used] = '\0';
    l->next = l->text;
    return memchr(l->text + rest, '\0', n) ? kelvin_fail(KELVIN_EFORMAT, "%s: has bytes that are no text", l->path)
                                           : KELVIN_OK;
}

/* All of the next line is in the window, up to the end of the file at most. */
static kelvin_status see_line(struct lines *l)
{
    if (strchr(l->next, '\n') || l->at == l->bytes) return KELVIN_OK;
    KELVIN_TRY(read_on(l));
    if (strchr(l->next, '\n') || l->at == l->bytes) return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT, "%s: has a line of more than %d bytes", l->path, (int)WINDOW);
}

static kelvin_status open_lines(struct lines *l, const char *path)
{
    *l = (struct lines){.path = path};
    KELVIN_TRY(kelvin_file_size(&l->bytes, path));
    l->next = l->text = kelvin_alloc(WINDOW + 1, 1);
    return l->text ? KELVIN_OK : KELVIN_ENOMEM;
}

static kelvin_status parse(double *row, size_t *which, size_t *found, struct lines *l,
                           const struct kelvin_column *columns, size_t n_columns, size_t n, kelvin_row_look *look,
                           void *context)
{
    KELVIN_TRY(see_line(l));
    KELVIN_TRY(parse_names(which, found, &l->next, l->path, columns, n_columns));
    for (size_t i = 0; i < n; i++) {
        KELVIN_TRY(see_line(l));
        if (!*l->next) return kelvin_fail(KELVIN_EFORMAT, "%s: ends after %zu rows, expected %zu", l->path, i, n);
        KELVIN_TRY(parse_row(row, &l->next, l->path, columns, which, *found, i));
        look(context, row, i);
    }
    KELVIN_TRY(see_line(l));
    return *l->next ? kelvin_fail(KELVIN_EFORMAT, "%s: has more than %zu rows", l->path, n) : KELVIN_OK;
}

kelvin_status kelvin_table_each(size_t *which, size_t *found, const char *path, const struct kelvin_column *columns,
                                size_t n_columns, size_t n, kelvin_row_look *look, void *context)
{
    struct lines l;
    double *row = kelvin_alloc(n_columns, sizeof *row);
    kelvin_status status = row ? open_lines(&l, path) : KELVIN_ENOMEM;
    if (!status) {
        locale_t c, before = enter_c_locale(&c);
        status = parse(row, which, found, &l, columns, n_columns, n, look, context);
        leave_c_locale(c, before);
        kelvin_free(l.text);
    }
    kelvin_free(row);
    return status;
}

/* ---- all at once ---- */

kelvin_status kelvin_table_rows(size_t *n, const char *path)
{
    struct lines l;
    size_t lines = 0;
    KELVIN_TRY(open_lines(&l, path));
    kelvin_status status = KELVIN_OK;
    while (l.at < l.bytes && !status) {
        const size_t piece = l.bytes - l.at < WINDOW ? l.bytes - l.at : WINDOW;
        status = kelvin_file_read_part(l.text, path, l.at, piece);
        for (size_t i = 0; i < piece && !status; i++) lines += l.text[i] == '\n';
        l.at += piece;
    }
    kelvin_free(l.text);
    *n = lines > 0 ? lines - 1 : 0; /* the first has names */
    return status;
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
