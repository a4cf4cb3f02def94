/* Rows of kelvin predict: numbers as printf has them, fields that are read as they were meant. */
#include "check.h"

#include "base/random.h"
#include "cli/predict_rows.h"
#include "data/dataset.h"

#include <stdio.h>
#include <stdlib.h>

static void check_number(double value)
{
    char out[32], expected[32];
    out[predict_number(out, value)] = '\0';
    snprintf(expected, sizeof expected, "%.9g", value);
    if (strcmp(out, expected) == 0) return;
    /* Half a unit of the ninth digit, or as little more as the rounding of the product makes of it. */
    const double unit = pow(10, floor(log10(value)) - 8);
    if (!(fabs(strtod(out, NULL) - value) <= unit * (0.5 + 1e-6)))
        fail_msg("%.17g is printed as %s; expected %s", value, out, expected);
}

static void numbers(void **state)
{
    (void)state;
    static const double cases[] = {0,
                                   1,
                                   0.5,
                                   0.1,
                                   1.0 / 3,
                                   1e-4,
                                   1e-5,
                                   9.49,
                                   9.5,
                                   9.99999999,
                                   0.9999999996,
                                   1e-13,
                                   9.9999999996e-5,
                                   123456789.5,
                                   5e-324,
                                   1e-300,
                                   0.99999999949999999,
                                   2.5,
                                   1.0986122886681098};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_number(cases[i]);
    const kelvin_random where = {.seed = 5, .stream = KELVIN_STREAM_USER};
    for (uint64_t i = 0; i < 200000; i++) {
        const double u = kelvin_uniform(where, 2 * i);
        check_number(u);
        check_number(pow(10, -20 * kelvin_uniform(where, 2 * i + 1)) * u * 9);
        /* a float's digits come back */
        char out[32];
        out[predict_number(out, (double)(float)u)] = '\0';
        assert_true(strtof(out, NULL) == (float)u);
    }
}

static void rows(void **state)
{
    (void)state;
    const kelvin_data data = {.classes = 4, .class_names = (const char *[]){"a", "b,c", "say \"d\"", " e"}};
    const double p[] = {0.125, 0.5, 0.25, 0.125};
    kelvin_verdict verdict = {.index = 6,
                              .label = 2,
                              .predicted = 1,
                              .p = p,
                              .confidence = 0.5,
                              .entropy = 1.25,
                              .epistemic = 1e-7,
                              .name = "it's \"x\".png"};
    struct predict_rows out;
    assert_ok(predict_rows_start(&out, &data, true, false));
    assert_ok(predict_rows_head(&out, true));
    assert_ok(predict_rows_add(&out, &verdict));
    verdict.name = NULL;
    verdict.label = -1;
    assert_ok(predict_rows_add(&out, &verdict));
    static const char csv[] = "file,label,prediction,confidence,entropy,mutual_information,p_a,\"p_b,c\",\"p_say "
                              "\"\"d\"\"\",\"p_ e\"\n"
                              "\"it's \"\"x\"\".png\",\"say \"\"d\"\"\",\"b,c\",0.5,1.25,1e-07,0.125,0.5,0.25,0.125\n"
                              "7,,\"b,c\",0.5,1.25,1e-07,0.125,0.5,0.25,0.125\n";
    assert_int_equal(out.used, sizeof csv - 1);
    assert_memory_equal(out.text, csv, out.used);
    predict_rows_end(&out);

    assert_ok(predict_rows_start(&out, &data, true, true));
    assert_ok(predict_rows_head(&out, false));
    assert_ok(predict_rows_add(&out, &verdict));
    verdict.name = "\xff.png"; /* not UTF-8 */
    verdict.label = 0;
    assert_ok(predict_rows_add(&out, &verdict));
    static const char json[] =
        "{\"row\": 7, \"label\": null, \"prediction\": \"b,c\", \"confidence\": 0.5, \"entropy\": 1.25, "
        "\"mutual_information\": 1e-07, \"probabilities\": {\"a\": 0.125, \"b,c\": 0.5, \"say \\\"d\\\"\": 0.25, \" "
        "e\": 0.125}}\n"
        "{\"file\": \"\xc3\xbf.png\", \"label\": \"a\", \"prediction\": \"b,c\", \"confidence\": 0.5, \"entropy\": "
        "1.25, "
        "\"mutual_information\": 1e-07, \"probabilities\": {\"a\": 0.125, \"b,c\": 0.5, \"say \\\"d\\\"\": 0.25, \" "
        "e\": 0.125}}\n";
    assert_int_equal(out.used, sizeof json - 1);
    assert_memory_equal(out.text, json, out.used);
    predict_rows_end(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(rows)};
    return cmocka_run_group_tests_name("predict_rows", tests, NULL, NULL);
}
