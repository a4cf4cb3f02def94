/* Numbers that people write: taken whole, or refused with a sentence. */
#include "base/c_locale.h"
#include "base/words.h"

#include <ctype.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

enum whole { WHOLE, NOT_WHOLE, TOO_LARGE };

/* DIGITS[.DIGITS][e[+]DIGITS], as 1e3 or 2.5e4, without rounding. */
static enum whole parse_whole(uint64_t *value, const char *text)
{
    long shift = 0;
    bool point = false, large = false;
    if (!isdigit((unsigned char)*text)) return NOT_WHOLE;
    for (*value = 0; isdigit((unsigned char)*text) || (*text == '.' && !point); text++) {
        point |= *text == '.';
        if (*text == '.') continue;
        large |= __builtin_mul_overflow(*value, 10, value) || __builtin_add_overflow(*value, *text - '0', value);
        shift -= point;
    }
    if (*text == 'e' || *text == 'E') {
        char *end;
        text += text[1] == '+' ? 2 : 1;
        if (!isdigit((unsigned char)*text)) return NOT_WHOLE;
        const long exponent = strtol(text, &end, 10);
        shift += exponent < LONG_MAX / 2 ? exponent : LONG_MAX / 2;
        text = end;
    }
    if (*text || (large && shift < 0)) return NOT_WHOLE;
    for (; shift < 0 && !large; shift++, *value /= 10)
        if (*value % 10) return NOT_WHOLE;
    for (; shift > 0 && *value > 0 && !large; shift--) large = __builtin_mul_overflow(*value, 10, value);
    return large ? TOO_LARGE : WHOLE;
}

kelvin_status kelvin_parse_whole(uint64_t *value, const char *what, const char *text, uint64_t most)
{
    if (*text == '-') return kelvin_fail(KELVIN_EUSAGE, KELVIN_SAID " must not be negative, not '%s'", what, text);
    const enum whole whole = parse_whole(value, text);
    if (whole == NOT_WHOLE)
        return kelvin_fail(KELVIN_EUSAGE, KELVIN_SAID " must be a whole number, not '%s'", what, text);
    if (whole == TOO_LARGE || *value > most)
        return kelvin_fail(KELVIN_EUSAGE, KELVIN_SAID " must be at most %llu, not '%s'", what, (unsigned long long)most,
                           text);
    return KELVIN_OK;
}

kelvin_status kelvin_parse_real(double *value, const char *what, const char *text)
{
    char *end;
    locale_t c, before = enter_c_locale(&c);
    *value = strtod(text, &end);
    leave_c_locale(c, before);
    if (end == text || *end || isspace((unsigned char)*text) || isnan(*value))
        return kelvin_fail(KELVIN_EUSAGE, KELVIN_SAID " must be a number, not '%s'", what, text);
    if (fabs(*value) > DBL_MAX) return kelvin_fail(KELVIN_EUSAGE, KELVIN_SAID " is out of range: '%s'", what, text);
    return KELVIN_OK;
}
