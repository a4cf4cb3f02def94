/* Reading and writing "name:value,value" for every family of this room. */
#include "density/types.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Values are between these, and how that is told. The limits keep what is computed from the parameters (squares,
 * reciprocals) finite in float. */
static const struct range {
    double low, high;
    const char *words;
} ranges[] = {
    [SPEC_ANY] = {-1e30, 1e30, "a finite number (below 1e30 in size)"},
    [SPEC_NEGATIVE] = {-1e30, 0.0, "a number below 0 (and above -1e30)"},
    [SPEC_POSITIVE] = {1e-15, 1e15, "a number above 0 (between 1e-15 and 1e15)"},
    [SPEC_FRACTION] = {0.0, 1.0, "a number between 0 and 1"},
};

/* Appends to the text at `out` as much as fits. */
KELVIN_PRINTF(3, 4) static void append(char *out, size_t size, const char *format, ...)
{
    const size_t used = strlen(out);
    va_list args;
    va_start(args, format);
    vsnprintf(out + used, size - used, format, args);
    va_end(args);
}

/* How a row is written: "dirclip:alpha,clip". */
static const char *usage(char out[64], const struct spec *spec)
{
    out[0] = '\0';
    append(out, 64, "%s", spec->info.name);
    for (int i = 0; i < KELVIN_MAX_PARAMS && spec->info.param[i]; i++)
        append(out, 64, "%c%s", i ? ',' : ':', spec->info.param[i]);
    return out;
}

static kelvin_status find(size_t *row, const char *family, spec_at *at, const char *text, size_t length)
{
    char known[256] = "";
    for (size_t i = 0; at(i); i++) {
        const char *name = at(i)->info.name;
        *row = i;
        if (strlen(name) == length && strncmp(name, text, length) == 0) return KELVIN_OK;
        append(known, sizeof known, "%s%s", i ? ", " : "", name);
    }
    return kelvin_fail(KELVIN_EUSAGE, "unknown %s '%.*s'; known are %s", family, (int)length, text, known);
}

/* One value, `length` characters at `text`. */
static bool read_value(double *value, const struct range *range, const char *text, size_t length)
{
    if (length == 0 || isspace((unsigned char)*text)) return false;
    char *end;
    *value = strtod(text, &end);
    /* also false for not-a-number */
    return end == text + length && *value > range->low && *value < range->high;
}

kelvin_status kelvin_spec_parse(size_t *row, double param[KELVIN_MAX_PARAMS], const char *family, spec_at *at,
                                const char *text)
{
    char form[64];
    const size_t length = strcspn(text, ":");
    KELVIN_TRY(find(row, family, at, text, length));
    const struct spec *spec = at(*row);
    const char *rest = text + length; /* at the separator before the next value, or at the end */
    for (int i = 0; i < KELVIN_MAX_PARAMS; i++) {
        param[i] = 0.0;
        if (!spec->info.param[i]) continue;
        const size_t n = *rest ? strcspn(rest + 1, ",") : 0;
        if (n == 0)
            return kelvin_fail(KELVIN_EUSAGE, "%s '%s': the value of %s is missing; expected %s", family, text,
                               spec->info.param[i], usage(form, spec));
        const struct range *range = &ranges[spec->range[i]];
        if (!read_value(&param[i], range, rest + 1, n))
            return kelvin_fail(KELVIN_EUSAGE, "%s '%s': %s is '%.*s'; expected %s", family, text, spec->info.param[i],
                               (int)n, rest + 1, range->words);
        rest += 1 + n;
    }
    if (*rest)
        return kelvin_fail(KELVIN_EUSAGE, "%s '%s': '%s' is too much; expected %s", family, text, rest,
                           usage(form, spec));
    return KELVIN_OK;
}

void kelvin_spec_format(char *out, size_t size, const struct spec *spec, const double param[KELVIN_MAX_PARAMS])
{
    if (size == 0) return;
    out[0] = '\0';
    append(out, size, "%s", spec->info.name);
    for (int i = 0; i < KELVIN_MAX_PARAMS && spec->info.param[i]; i++) {
        char number[32];
        int digits = 15;
        do snprintf(number, sizeof number, "%.*g", digits, param[i]);
        while (strtod(number, NULL) != param[i] && ++digits <= 17);
        append(out, size, "%c%s", i ? ',' : ':', number);
    }
}
