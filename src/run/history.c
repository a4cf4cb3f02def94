/* history.csv: what a person wants to know of every iteration of one chain. Numbers have the fewest digits that give
 * them back. */
#include "run/room.h"

#include "base/c_locale.h"
#include "base/files.h"
#include "run/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ITERATION, ACCEPTED, ACCEPTANCE, ENERGY_ERROR, LOG_POSTERIOR, ACCURACY, N_COLUMNS };
enum { SHOWN = 40 };

static const struct column {
    const char *name;
    double lowest, highest;
    bool whole;
} columns[N_COLUMNS] = {
    [ITERATION] = {"iteration", 0, UINT32_MAX, true},
    [ACCEPTED] = {"accepted", 0, 1, true},
    [ACCEPTANCE] = {"acceptance", 0, 1, false},
    [ENERGY_ERROR] = {"energy_error", -INFINITY, INFINITY, false},
    [LOG_POSTERIOR] = {"log_posterior", -INFINITY, INFINITY, false},
    [ACCURACY] = {"training_accuracy", 0, 1, false},
};

/* A column without bounds may hold anything: a diverged trajectory has no energy. */
static bool in_range(const struct column *column, double x)
{
    if (isinf(column->highest)) return true;
    return x >= column->lowest && x <= column->highest && (!column->whole || x == floor(x));
}

static size_t header_text(char *out, size_t size)
{
    size_t used = 0;
    for (int c = 0; c < N_COLUMNS; c++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", columns[c].name, c + 1 < N_COLUMNS ? "," : "\n");
    return used;
}

static size_t row_text(char *out, size_t size, const double value[N_COLUMNS])
{
    size_t used = 0;
    for (int c = 0; c < N_COLUMNS; c++) {
        const char *end = c + 1 < N_COLUMNS ? "," : "\n";
        if (isnan(value[c]))
            used += (size_t)snprintf(out + used, size - used, "nan%s", end); /* never "-nan" */
        else
            used += (size_t)snprintf(out + used, size - used, "%.*g%s", columns[c].whole ? 10 : kelvin_digits(value[c]),
                                     value[c], end);
    }
    return used;
}

kelvin_status kelvin_history_write(const char *path, const kelvin_hmc_info *info, const double *accuracy,
                                   size_t iterations)
{
    char text[256];
    struct kelvin_writer file;
    locale_t c, before = enter_c_locale(&c);
    kelvin_status status = kelvin_writer_open(&file, path);
    if (!status) status = kelvin_writer_put(&file, text, header_text(text, sizeof text));
    for (size_t i = 0; i < iterations && !status; i++) {
        const double value[N_COLUMNS] = {[ITERATION] = (double)i,           [ACCEPTED] = info[i].accepted,
                                         [ACCEPTANCE] = info[i].acceptance, [ENERGY_ERROR] = info[i].energy_error,
                                         [LOG_POSTERIOR] = info[i].logp,    [ACCURACY] = accuracy[i]};
        status = kelvin_writer_put(&file, text, row_text(text, sizeof text, value));
    }
    leave_c_locale(c, before);
    return kelvin_writer_close(&file, status);
}

/* ---- reading ---- */

static kelvin_status bad_field(const char *path, size_t row, const struct column *column, const char *text)
{
    const int length = (int)strcspn(text, ",\n");
    return kelvin_fail(KELVIN_EFORMAT, "%s, line %zu: %s is \"%.*s\", expected %s", path, row + 2, column->name,
                       length < SHOWN ? length : SHOWN, text,
                       column->whole            ? "a whole number in its range"
                       : isinf(column->highest) ? "a number"
                                                : "a number from 0 to 1");
}

/* One line; *text moves to the next one. */
static kelvin_status parse_row(double value[N_COLUMNS], const char **text, const char *path, size_t row)
{
    for (int c = 0; c < N_COLUMNS; c++) {
        const char *start = *text;
        char *end;
        value[c] = strtod(start, &end);
        const bool blank = end == start || strchr(" \t\r\n\v\f", *start); /* strtod would skip them */
        if (blank || (*end != ',' && *end != '\n') || !in_range(&columns[c], value[c]))
            return bad_field(path, row, &columns[c], start);
        if ((*end == '\n') != (c + 1 == N_COLUMNS))
            return kelvin_fail(KELVIN_EFORMAT, "%s, line %zu: expected %d values", path, row + 2, N_COLUMNS);
        *text = end + 1;
    }
    if (value[ITERATION] != (double)row)
        return kelvin_fail(KELVIN_EFORMAT, "%s, line %zu: iteration is %.0f, expected %zu", path, row + 2,
                           value[ITERATION], row);
    return KELVIN_OK;
}

static kelvin_status parse_rows(kelvin_hmc_info *info, double *accuracy, const char *text, const char *path,
                                size_t iterations)
{
    char header[256];
    const size_t length = header_text(header, sizeof header);
    if (strncmp(text, header, length) != 0)
        return kelvin_fail(KELVIN_EFORMAT, "%s, line 1: expected %.*s", path, (int)length - 1, header);
    text += length;
    for (size_t i = 0; i < iterations; i++) {
        if (!*text) return kelvin_fail(KELVIN_EFORMAT, "%s: ends after %zu rows, expected %zu", path, i, iterations);
        double value[N_COLUMNS];
        KELVIN_TRY(parse_row(value, &text, path, i));
        info[i] = (kelvin_hmc_info){.accepted = value[ACCEPTED] != 0,
                                    .acceptance = value[ACCEPTANCE],
                                    .energy_error = value[ENERGY_ERROR],
                                    .logp = value[LOG_POSTERIOR]};
        accuracy[i] = value[ACCURACY];
    }
    if (*text) return kelvin_fail(KELVIN_EFORMAT, "%s: has more than %zu rows", path, iterations);
    return KELVIN_OK;
}

kelvin_status kelvin_history_read(kelvin_hmc_info *info, double *accuracy, const char *path, size_t iterations)
{
    char *text;
    size_t bytes;
    KELVIN_TRY(kelvin_file_read(&text, &bytes, path));
    locale_t c, before = enter_c_locale(&c);
    const kelvin_status status = parse_rows(info, accuracy, text, path, iterations);
    leave_c_locale(c, before);
    kelvin_free(text);
    return status;
}
