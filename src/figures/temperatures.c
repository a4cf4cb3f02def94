/* Reads lists of temperatures. Below 1e-12 nothing would be seen: 1 + T is 1 to nearly all digits of a double. */
#include "base/words.h"
#include "figures/tempered.h"

#include <stdlib.h>
#include <string.h>

static const double lowest = 1e-12, highest = 1;

/* A positive decimal number that starts at *text, which moves behind it. */
static bool read_number(double *value, const char **text)
{
    char *end;
    *value = strtod(*text, &end);
    const bool decimal = strspn(*text, "0123456789.eE+-") >= (size_t)(end - *text); /* not 0x1p-3, and no spaces */
    const bool taken = end > *text && decimal && *value > 0;
    *text = end;
    return taken;
}

static bool read_temperature(double *T, const char *text, size_t length)
{
    const char *at = text;
    double below = 1;
    if (!read_number(T, &at)) return false;
    if (*at == '/') {
        at++;
        if (!read_number(&below, &at)) return false;
    }
    *T /= below;
    return at == text + length && *T >= lowest && *T <= highest; /* also false for not-a-number */
}

kelvin_status kelvin_temperatures_parse(struct temperatures *list, const char *text)
{
    for (list->n = 0;; text++) {
        const size_t length = strcspn(text, ",");
        if (list->n == MOST_TEMPERATURES)
            return kelvin_fail(KELVIN_EUSAGE, KELVIN_REFER(OPTION, "temperatures") ": there may be at most %d of them",
                               MOST_TEMPERATURES);
        if (!read_temperature(&list->T[list->n], text, length))
            return kelvin_fail(
                KELVIN_EUSAGE,
                KELVIN_REFER(OPTION, "temperatures") ": '%.*s' is not a temperature; expected a number from %g to %g",
                (int)length, text, lowest, highest);
        list->n++;
        text += length;
        if (!*text) return KELVIN_OK;
    }
}

kelvin_status kelvin_temperatures_parse_n(struct temperatures *list, const char *text, size_t n, const char *what)
{
    KELVIN_TRY(kelvin_temperatures_parse(list, text));
    if (list->n == n) return KELVIN_OK;
    return kelvin_fail(KELVIN_EUSAGE, KELVIN_REFER(OPTION, "temperatures") ": there must be %zu of them (%s), not %zu",
                       n, what, list->n);
}
