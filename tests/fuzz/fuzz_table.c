/* Tables as history.csv is one: what can be read is in its range, counts its rows, and is the same when it is written
 * and read again. */
#include "files/formats.h"
#include "fuzz/fuzz.h"
#include "fuzz/fuzz_folder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 5 };
static const struct kelvin_column columns[COLUMNS] = {{"iteration", 0, UINT32_MAX, true, 0},
                                                      {"warmup", 0, 1, true, 0},
                                                      {"confidence", 0, 1, false, 9},
                                                      {"log_posterior", -INFINITY, INFINITY, false, 0},
                                                      {"step_size", 0, INFINITY, false, 9}};

struct table {
    size_t rows, found, which[COLUMNS];
    double *values; /* (rows, found) */
};

static void check_value(const struct kelvin_column *column, double x)
{
    if (isinf(column->highest)) return; /* anything */
    if (!(x >= column->lowest && x <= column->highest) || (column->whole && x != floor(x))) abort();
}

static void check(const struct table *t)
{
    if (t->found < 1 || t->found > COLUMNS || t->which[0] != 0) abort();
    for (size_t i = 0; i < t->found; i++)
        for (size_t k = 0; k < i; k++)
            if (t->which[i] >= COLUMNS || t->which[i] == t->which[k]) abort();
    for (size_t row = 0; row < t->rows; row++) {
        if (t->values[row * t->found] != (double)row) abort();
        for (size_t i = 0; i < t->found; i++) check_value(&columns[t->which[i]], t->values[row * t->found + i]);
    }
}

static bool same(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

/* With every digit. */
static void check_again(const struct table *t)
{
    struct kelvin_column own[COLUMNS];
    size_t which[COLUMNS], found;
    uint64_t bytes = 0;
    double *values = kelvin_alloc((t->rows + 1) * COLUMNS, sizeof *values);
    for (size_t i = 0; i < t->found; i++) own[i] = columns[t->which[i]], own[i].digits = 0;
    if (!values || kelvin_table_put(fuzz_path, &bytes, own, t->found, t->values, t->rows)) abort();
    if (kelvin_table_read(values, which, &found, fuzz_path, own, t->found, t->rows) || found != t->found) abort();
    for (size_t i = 0; i < t->rows * found; i++)
        if (!same(values[i], t->values[i])) abort();
    kelvin_free(values);
}

static void run(const uint8_t *bytes, size_t size)
{
    struct table t;
    fuzz_put("history.csv", bytes, size);
    if (kelvin_table_rows(&t.rows, fuzz_path)) abort();
    if (!(t.values = kelvin_alloc((t.rows + 1) * COLUMNS, sizeof *t.values))) abort();
    const kelvin_status status = kelvin_table_read(t.values, t.which, &t.found, fuzz_path, columns, COLUMNS, t.rows);
    if (status && (status != KELVIN_EFORMAT || !*kelvin_error())) abort();
    if (!status) {
        if (bytes[size - 1] != '\n' || memchr(bytes, '\0', size)) abort(); /* all of it was looked at */
        check(&t);
        check_again(&t);
    }
    kelvin_free(t.values);
}

/* A byte may be an empty line, which has five doubles while it is not seen to be wrong (40); the text, twice (2). In
 * what is read, a row has four bytes at least, as many doubles (80), and as a text again up to 64 bytes per column.
 * Both times a window of 64 kB is read through. */
const struct fuzz_target fuzz_target = {run, (1 << 14) + 2 * (1 << 16), 2 + 40 + 20 + 128};
