/* Tables of doubles: the same numbers as floats, the same data and answers; and what a posterior doubts. */
#include "folder_helpers.h"

#include "fit_helpers.h"
#include "nets.h"

static struct fit_table table;

/* The same numbers as doubles are the same data and get the same answers, to the bit; and doubt is what its definition
 * says of the logits. */
static void doubles_are_as_good(void **state)
{
    (void)state;
    enum { N = 20 };
    static double wide[FIT_ROWS][FIT_COLUMNS];
    kelvin_data *data, *same;
    kelvin_run *run;
    kelvin_samples *samples;
    double p[N][FIT_CLASSES], q[N][FIT_CLASSES], doubt[N][3];
    fit_fill(&table, 1);
    for (size_t i = 0; i < FIT_ROWS; i++)
        for (size_t j = 0; j < FIT_COLUMNS; j++) wide[i][j] = (double)table.x[i][j];
    kelvin_arrays arrays = fit_arrays(&table);
    assert_ok(kelvin_data_from_arrays(&data, &arrays));
    arrays.doubles = wide[0];
    assert_int_equal(kelvin_data_from_arrays(&same, &arrays), KELVIN_EUSAGE);
    assert_non_null(strstr(kelvin_error(), "x is given together with doubles; expected one of the two"));
    arrays.x = NULL;
    assert_ok(kelvin_data_from_arrays(&same, &arrays));
    const size_t rows = kelvin_data_rows(data, KELVIN_TRAIN);
    float *one = room(rows * FIT_COLUMNS, sizeof *one), *other = room(rows * FIT_COLUMNS, sizeof *other);
    kelvin_data_slice(data, KELVIN_TRAIN, one, 0, rows);
    kelvin_data_slice(same, KELVIN_TRAIN, other, 0, rows);
    assert_bits(one, other, rows * FIT_COLUMNS, "rows of doubles");
    wide[5][1] = INFINITY;
    kelvin_data *none;
    assert_int_equal(kelvin_data_from_arrays(&none, &arrays), KELVIN_EUSAGE);
    assert_non_null(strstr(kelvin_error(), "row 6, column 2 (from 1): inf; expected a finite number"));
    wide[5][1] = (double)table.x[5][1];

    assert_ok(fit_run(&run, fit_sghmc, same, NULL, NULL, 1));
    assert_ok(kelvin_samples_of(&samples, run));
    const size_t count = kelvin_samples_count(samples);
    float *z = room(count * N * FIT_CLASSES, sizeof *z);
    kelvin_new_rows asked = {.rows = N, .doubles = wide[40]};
    assert_ok(kelvin_predict(samples, p[0], table.x[40], N, 1));
    assert_ok(kelvin_predict_rows(samples, q[0], doubt[0], &asked, 2));
    assert_memory_equal(p, q, sizeof p);
    assert_ok(kelvin_predict_logits_rows(samples, z, &asked, 1));
    for (size_t i = 0; i < N; i++) {
        double entropy = 0, aleatoric = 0;
        for (size_t k = 0; k < FIT_CLASSES; k++) entropy -= q[i][k] * log(q[i][k]);
        for (size_t s = 0; s < count; s++) {
            double total = 0;
            const float *at = z + (s * N + i) * FIT_CLASSES;
            for (size_t k = 0; k < FIT_CLASSES; k++) total += exp((double)at[k]);
            for (size_t k = 0; k < FIT_CLASSES; k++)
                aleatoric -= exp((double)at[k]) / total * ((double)at[k] - log(total)) / (double)count;
        }
        assert_near(doubt[i][0], entropy, 1e-9);
        assert_near(doubt[i][1], aleatoric, 1e-9);
        assert_near(doubt[i][2], entropy - aleatoric, 1e-9);
    }
    asked.x = table.x[40];
    assert_int_equal(kelvin_predict_rows(samples, q[0], NULL, &asked, 1), KELVIN_EUSAGE);
    assert_string_equal(kelvin_error(), "x is given together with doubles; expected one of the two");
    kelvin_free(one);
    kelvin_free(other);
    kelvin_free(z);
    kelvin_samples_close(samples);
    kelvin_run_close(run);
    kelvin_data_close(data);
    kelvin_data_close(same);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(doubles_are_as_good)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
