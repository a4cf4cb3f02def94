/* Numbers as text. printf is right about every number, and slow about all of them: a history has ten columns and may
 * have a hundred thousand rows. Most numbers are neither large nor small, and have few digits, x = n / 10^p: as a
 * product with a power of ten that is a double is wrong by half a unit at most, it is known which n is meant, unless x
 * is too near to the middle between two. Then, and for all others, it is printf. */
#include "files/decimal.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SAFE = 12, MOST_DIGITS = 17, LEAST_EXPONENT = -4, MOST_POWER = 22 };

/* All of them are doubles. */
static const double power[MOST_POWER + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                             1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static bool gives_back(char text[KELVIN_DECIMAL], int digits, double x)
{
    snprintf(text, KELVIN_DECIMAL, "%.*e", digits - 1, x);
    return strtod(text, NULL) == x;
}

/* No two numbers of 15 digits are the same double, unless it is so small that it has fewer digits: if fewer than 15
 * give x back, then they are the 15, and zeros. */
int kelvin_digits(double x)
{
    char text[KELVIN_DECIMAL];
    if (isinf(x)) return 1; /* a word */
    int digits = fabs(x) < DBL_MIN ? 1 : DBL_DIG;
    while (!gives_back(text, digits, x) && digits < MOST_DIGITS) digits++;
    for (const char *end = strchr(text, 'e'); digits > 1 && end && end[-1] == '0'; end--) digits--;
    return digits;
}

struct decimal {
    uint64_t n;
    int places;
};

/* x > 0 as n / 10^places, n of `digits` digits: the nearest one, if it can be told. */
static bool find(struct decimal *d, double x, int digits)
{
    const double edge = 1e-3; /* more than the product is wrong by, up to SAFE digits */
    int exponent = LEAST_EXPONENT;
    if (!(x >= 1e-4 && x < power[digits])) return false;
    while (exponent < digits && x >= (exponent < 0 ? 1 / power[-exponent - 1] : power[exponent + 1])) exponent++;
    const double scaled = x * power[digits - 1 - exponent], whole = floor(scaled), rest = scaled - whole;
    if (fabs(rest - 0.5) < edge) return false;
    *d = (struct decimal){(uint64_t)whole + (rest > 0.5), digits - 1 - exponent};
    return (double)d->n < power[digits]; /* else it was rounded up to one digit more */
}

/* The one that gives x back, if it has a digit right of the point, or just left of it: %g leaves no zeros there. */
static bool find_exact(struct decimal *d, double x)
{
    if (!find(d, x, DBL_DIG) || (double)d->n / power[d->places] != x) return false;
    for (; d->places > 0 && d->n % 10 == 0; d->places--) d->n /= 10;
    return d->n % 10 != 0;
}

static size_t put(char *out, struct decimal d)
{
    enum { MOST = 20 }; /* digits of any n */
    char text[MOST], *const end = text + MOST, *digit = end, *to = out;
    for (; d.places > 0 && d.n % 10 == 0; d.places--) d.n /= 10;
    for (; d.n > 0; d.n /= 10) *--digit = (char)('0' + d.n % 10);
    const ptrdiff_t before = end - digit - d.places; /* digits left of the point */
    if (before > 0) {
        memcpy(to, digit, (size_t)before);
        to += before;
        digit += before;
        if (digit < end) *to++ = '.';
    } else {
        memcpy(to, "0.000", 5);
        to += 2 - before;
    }
    memcpy(to, digit, (size_t)(end - digit));
    to += end - digit;
    *to = '\0';
    return (size_t)(to - out);
}

size_t kelvin_decimal(char out[KELVIN_DECIMAL], double x, int digits)
{
    struct decimal d;
    const size_t sign = x < 0;
    if (sign) *out = '-';
    const bool found = digits == 0 ? find_exact(&d, fabs(x)) : digits <= SAFE && find(&d, fabs(x), digits);
    if (found) return sign + put(out + sign, d);
    if (isnan(x)) x = (double)NAN;
    return (size_t)snprintf(out, KELVIN_DECIMAL, "%.*g", digits ? digits : kelvin_digits(x), x);
}
