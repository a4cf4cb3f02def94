/* files: numbers as text. The same text as printf's, and the fewest digits by trying all of them. */
#include "check.h"

#include "files/decimal.h"

#include "base/random.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

static int fewest(double x)
{
    for (int digits = 1;; digits++) {
        char text[64];
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x || digits == 17) return digits;
    }
}

static void check(double x, int digits)
{
    char expected[64], text[KELVIN_DECIMAL];
    snprintf(expected, sizeof expected, "%.*g", digits ? digits : fewest(x), isnan(x) ? (double)NAN : x);
    assert_true(strlen(expected) < KELVIN_DECIMAL);
    const size_t length = kelvin_decimal(text, x, digits);
    if (strcmp(text, expected) != 0 || length != strlen(expected))
        fail_msg("%a with %d digits: \"%s\" of %zu, not \"%s\"", x, digits, text, length, expected);
}

static double uniform(uint64_t i)
{
    return kelvin_uniform((kelvin_random){.seed = 5, .stream = KELVIN_STREAM_USER}, i);
}

/* Numbers of histories, and any others; those just between two texts, and next to them. */
static double number(uint64_t i)
{
    const double u = uniform(4 * i), v = uniform(4 * i + 1), w = uniform(4 * i + 2);
    const uint64_t bits = (uint64_t)(v * 0x1p32) << 32 | (uint64_t)(w * 0x1p32);
    double x = u;
    switch (i % 8) {
    case 0: memcpy(&x, &bits, sizeof x); break;
    case 1: x = u * pow(10, floor(14 * v) - 5); break;
    case 2: x = floor(1e5 * u) / (1 + floor(5000 * v)); break;
    case 3: x = floor(2e6 * u); break;
    case 4: x = -3000 * u; break;
    case 5: x = (double)(float)u; break;
    case 6: x = floor(1e6 * u) / pow(10, floor(9 * v)); break;
    default: x = (floor(1e9 * u) + 0.5) / pow(10, floor(13 * v));
    }
    return i % 16 < 8 ? x : nextafter(x, w < 0.5 ? -INFINITY : INFINITY);
}

static void numbers_are_what_printf_says(void **state)
{
    (void)state;
    static const int digits[] = {9, 10, 1, 5, 12, 13, 15, 17};
    for (uint64_t i = 0; i < 200000; i++) check(number(i), digits[(size_t)(8 * uniform(4 * i + 3))]);
    for (uint64_t i = 0; i < 20000; i++) check(number(i), 0);
}

static void odd_numbers_too(void **state)
{
    (void)state;
    static const double odd[] = {0,    -0.0,  INFINITY,    -INFINITY,    (double)NAN,     5e-324, DBL_MIN,
                                 1e-4, 1e-5,  0.1,         0.001,        9.9999999999e-5, 1,      10,
                                 1500, 1e9,   999999999.5, 999999999.4,  1e15,            1e16,   123456789012345,
                                 1e22, 1e300, -1e-300,     0.0009999999, 99999.99999999,  4000,   1.5e17};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++)
        for (int digits = 0; digits <= 17; digits++) {
            check(odd[i], digits);
            check(nextafter(odd[i], 0), digits);
        }
}

static void digits_are_the_fewest(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 20000; i++)
        if (isfinite(number(i))) assert_int_equal(kelvin_digits(number(i)), fewest(number(i)));
    assert_int_equal(kelvin_digits(0), 1);
    assert_int_equal(kelvin_digits(5e-324), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_what_printf_says),
        cmocka_unit_test(odd_numbers_too),
        cmocka_unit_test(digits_are_the_fewest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
