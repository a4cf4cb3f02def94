/* Temperatures from histories whose numbers are known. */
#include "run_helpers.h"

#include "run/chain.h"

#include <float.h>

/* Means of a few numbers of about 1 to 40. */
static void same(double is, double should)
{
    assert_near(is, should, 16 * DBL_EPSILON * fabs(should));
}

enum { CHAINS = 4, EPOCHS = 45, LAST = 2 }; /* 45 / 20 */

/* Chain c was at kinetic c + 1 and configurational 10 (c + 1) in the mean of its last two epochs, and far off before;
 * one that ended early would be missed if it counted. */
static void write_histories(const char *folder, size_t of_the_third)
{
    mkdir(folder, 0777);
    for (uint32_t c = 0; c < CHAINS; c++) {
        double rows[EPOCHS][KELVIN_EPOCH_COLUMNS] = {{0}};
        kelvin_path path;
        for (size_t e = 0; e < EPOCHS; e++) {
            const bool last = e >= EPOCHS - LAST;
            rows[e][EPOCH] = (double)e;
            rows[e][TEMPERATURE] = last ? 0.25 : 100;
            rows[e][KINETIC] = last ? c + 1 + (e % 2 ? 0.5 : -0.5) : 1e6;
            rows[e][CONFIGURATIONAL] = last ? 10 * (c + 1.0) + (e % 2 ? 3 : -3) : (double)NAN;
        }
        assert_ok(kelvin_path_join(path, folder, KELVIN_CHAIN_FOLDER, c));
        mkdir(path, 0777);
        assert_ok(kelvin_path_join(path, folder, KELVIN_HISTORY_FILE, c));
        assert_ok(kelvin_table_write(path, kelvin_epoch_columns, KELVIN_EPOCH_COLUMNS, rows[0],
                                     c == 2 ? of_the_third : EPOCHS));
    }
}

static const char *diverged[CHAINS];

static kelvin_status read_from(kelvin_temperatures *t, const char *folder)
{
    kelvin_run run = {.config = {.sampler = "sghmc", .chains = CHAINS, .epochs = EPOCHS}};
    return kelvin_temperatures_read(t, &(kelvin_samples){.run = &run, .folder = folder, .diverged = diverged});
}

/* 1, 2, 4: mean 7/3, variance 7/3, standard error sqrt(7)/3. 1, 2, 3, 4: mean 5/2, variance 5/3. */
static void temperatures(void **state)
{
    (void)state;
    const char *folder = in_base("histories");
    kelvin_temperatures t;
    write_histories(folder, EPOCHS);
    assert_ok(read_from(&t, folder));
    assert_true(t.chains == CHAINS && t.epochs == LAST && t.set == 0.25);
    same(t.kinetic.mean, 2.5);
    same(t.kinetic.error, sqrt(5 / 12.));
    same(t.configurational.mean, 25);
    same(t.configurational.error, 10 * sqrt(5 / 12.));
    write_histories(folder, EPOCHS - 1);
    assert_ok(read_from(&t, folder));
    assert_int_equal(t.chains, CHAINS - 1);
    same(t.kinetic.mean, 7 / 3.);
    same(t.configurational.error, 10 * sqrt(7) / 3);
    write_histories(folder, EPOCHS);
    diverged[2] = "in its last step";
    assert_ok(read_from(&t, folder));
    diverged[2] = NULL;
    assert_int_equal(t.chains, CHAINS - 1);
    same(t.kinetic.mean, 7 / 3.);
}

/* Three cycles of 15 epochs: a twentieth of one is none, so the last epoch alone counts. */
static void end_of_a_cycle(void **state)
{
    (void)state;
    kelvin_run run = {.config = {.sampler = "sghmc",
                                 .chains = CHAINS,
                                 .samples = 3 * CHAINS,
                                 .epochs = EPOCHS,
                                 .temperature_schedule = "cyclical"}};
    const char *folder = in_base("cycles");
    kelvin_temperatures t;
    write_histories(folder, EPOCHS);
    assert_ok(kelvin_temperatures_read(&t, &(kelvin_samples){.run = &run, .folder = folder, .diverged = diverged}));
    assert_true(t.epochs == 1 && t.set == 0.25);
    same(t.kinetic.mean, 2.5 + ((EPOCHS - 1) % 2 ? 0.5 : -0.5));
}

static void damaged_histories(void **state)
{
    (void)state;
    const char *folder = in_base("damaged"), *history = in_base("damaged/chain-001/history.csv");
    kelvin_temperatures t;
    write_histories(folder, 0);
    size_t bytes;
    char *text = slurp(history, &bytes);
    text[bytes - 3] = 'x';
    spill(history, text, bytes);
    kelvin_free(text);
    fails(read_from(&t, folder), KELVIN_EFORMAT, "chain-001/history.csv, line 46", "configurational_temperature");
    /* Nobody came to the end: nothing to say, and nothing to fail at. */
    remove_tree(folder);
    assert_ok(read_from(&t, folder));
    assert_true(t.chains == 0 && isnan(t.kinetic.mean) && isnan(t.configurational.mean) && isnan(t.set));
}

static kelvin_status read_temperatures(void *context)
{
    kelvin_temperatures t;
    return read_from(&t, context);
}

static void no_memory(void **state)
{
    (void)state;
    kelvin_path folder;
    strcpy(folder, in_base("histories"));
    write_histories(folder, EPOCHS);
    assert_true(without_memory(read_temperatures, folder) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(temperatures),
        cmocka_unit_test(end_of_a_cycle),
        cmocka_unit_test(damaged_histories),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
