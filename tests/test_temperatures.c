/* Temperatures from histories whose numbers are known. */
#include "folder_helpers.h"

#include <kelvin/kelvin.h>

#include "posterior/advice.h"
#include "posterior/diagnosis.h"
#include "run/chain.h"

#include <float.h>

static kelvin_status temperatures_of(kelvin_temperatures *out, const kelvin_samples *samples)
{
    kelvin_diagnosis found = kelvin_nothing_found();
    const kelvin_status status = kelvin_histories_read(&found, samples);
    *out = found.temperatures;
    return status;
}

/* Means of a few numbers of about 1 to 40. */
static void same(double is, double should)
{
    assert_near(is, should, 16 * DBL_EPSILON * fabs(should));
}

/* 45 / 20 epochs at the end; of iterations those after the warm-up. */
enum { CHAINS = 4, ROWS = 45, LAST = 2, WARMUP = 15 };
static const double set = 0.3; /* which 30 times a thirtieth of it is not */

static const char *diverged[CHAINS];
static bool waiting[CHAINS]; /* has not ended yet */

/* A run whose folder was made by hand: nothing in it is under a checksum. */
struct made {
    struct kelvin_run_owned owned;
    kelvin_run run;
    kelvin_samples samples;
};

static struct made *made_by(const char *sampler, const char *folder)
{
    static struct made made;
    made = (struct made){.owned = {.format = KELVIN_FORMAT}};
    made.run = (kelvin_run){.config = {.sampler = sampler,
                                       .chains = CHAINS,
                                       .samples = CHAINS,
                                       .epochs = ROWS,
                                       .iterations = ROWS,
                                       .warmup = WARMUP,
                                       .temperature = 0.5},
                            .folder = folder,
                            .owned = &made.owned};
    assert_ok(kelvin_sampler_find(&made.run.sampler, sampler));
    assert_ok(kelvin_schedule_parse(&made.owned.schedule, "paper"));
    made.owned.temperature_schedule = made.owned.schedule;
    made.samples = (kelvin_samples){.run = &made.run, .folder = folder, .diverged = diverged, .waiting = waiting};
    return &made;
}

/* The place of a column in a row; what the sampler does not measure goes behind the last. */
static size_t at(const kelvin_run *run, const char *column)
{
    const size_t i = kelvin_run_find_column(run, column);
    return i == SIZE_MAX ? KELVIN_COLUMNS : i;
}

/* Chain c was at kinetic c + 1 and configurational 10 (c + 1) in the mean of its last two rows, and far off before; one
 * that ended early would be missed if it counted. */
static void write_histories(const struct made *made, size_t last, size_t of_the_third)
{
    const kelvin_run *run = &made->run;
    const char *folder = made->samples.folder;
    struct kelvin_column columns[KELVIN_COLUMNS];
    const size_t n = kelvin_history_table(columns, run);
    mkdir(folder, 0777);
    for (uint32_t c = 0; c < CHAINS; c++) {
        double rows[ROWS * KELVIN_COLUMNS] = {0};
        kelvin_path path;
        for (size_t e = 0; e < ROWS; e++) {
            double row[KELVIN_COLUMNS + 1] = {(double)e};
            const bool settled = e >= ROWS - last;
            const int sign = e % 2 ? 1 : -1;
            row[at(run, "temperature")] = settled ? set : 100;
            row[at(run, "kinetic_temperature")] = settled ? c + 1 + sign * 0.5 : 1e6;
            row[at(run, "configurational_temperature")] = settled ? 10 * (c + 1.0) + sign * 3 : (double)NAN;
            memcpy(rows + e * n, row, n * sizeof *row);
        }
        assert_ok(kelvin_path_join(path, folder, KELVIN_CHAIN_FOLDER, c));
        mkdir(path, 0777);
        assert_ok(kelvin_path_join(path, folder, KELVIN_HISTORY_FILE, c));
        assert_ok(new_table(path, columns, n, rows, c == 2 ? of_the_third : ROWS));
    }
}

/* 1, 2, 4: mean 7/3, variance 7/3, standard error sqrt(7)/3. 1, 2, 3, 4: mean 5/2, variance 5/3. */
static void temperatures(void **state)
{
    (void)state;
    struct made *made = made_by("sghmc", in_base("histories"));
    kelvin_temperatures t;
    write_histories(made, LAST, ROWS);
    assert_ok(temperatures_of(&t, &made->samples));
    assert_true(t.chains == CHAINS && t.rows == LAST && t.set == set);
    same(t.kinetic.mean, 2.5);
    same(t.kinetic.error, sqrt(5 / 12.));
    same(t.configurational.mean, 25);
    same(t.configurational.error, 10 * sqrt(5 / 12.));
    write_histories(made, LAST, ROWS - 1);
    assert_ok(temperatures_of(&t, &made->samples));
    assert_int_equal(t.chains, CHAINS - 1);
    same(t.kinetic.mean, 7 / 3.);
    same(t.configurational.error, 10 * sqrt(7) / 3);
    write_histories(made, LAST, ROWS);
    diverged[2] = "in its last step";
    assert_ok(temperatures_of(&t, &made->samples));
    diverged[2] = NULL;
    assert_int_equal(t.chains, CHAINS - 1);
    same(t.kinetic.mean, 7 / 3.);
    waiting[2] = true;
    assert_ok(temperatures_of(&t, &made->samples));
    waiting[2] = false;
    assert_int_equal(t.chains, CHAINS - 1);
    same(t.kinetic.mean, 7 / 3.);
}

/* Three cycles of 15 epochs: a twentieth of one is none, so the last epoch alone counts. */
static void end_of_a_cycle(void **state)
{
    (void)state;
    struct made *made = made_by("sghmc", in_base("cycles"));
    made->run.config.samples = 3 * CHAINS;
    made->run.config.temperature_schedule = "cyclical";
    assert_ok(kelvin_schedule_parse(&made->owned.temperature_schedule, "cyclical"));
    kelvin_temperatures t;
    write_histories(made, LAST, ROWS);
    assert_ok(temperatures_of(&t, &made->samples));
    assert_true(t.rows == 1 && t.set == set);
    same(t.kinetic.mean, 2.5 + ((ROWS - 1) % 2 ? 0.5 : -0.5));
}

/* After two fifths of 45 epochs: 27 count, of which one more is even than odd. */
static void after_settling(void **state)
{
    (void)state;
    enum { SETTLED = ROWS - ROWS * 2 / 5 };
    struct made *made = made_by("sghmc", in_base("steady"));
    made->run.config.temperature_schedule = "steady";
    assert_ok(kelvin_schedule_parse(&made->owned.temperature_schedule, "steady"));
    kelvin_temperatures t;
    write_histories(made, SETTLED, ROWS);
    assert_ok(temperatures_of(&t, &made->samples));
    assert_true(t.rows == SETTLED && t.set == set);
    same(t.kinetic.mean, 2.5 - 0.5 / SETTLED);
}

/* What each sampler measures, and over which rows: of iterations all after the warm-up, of which there are as many odd
 * ones as even ones. */
static void by_every_sampler(void **state)
{
    (void)state;
    const kelvin_sampler_type *type;
    for (size_t i = 0; (type = kelvin_sampler_info(i)); i++) {
        struct made *made = made_by(type->member.name, in_base(type->member.name));
        const bool kinetic = at(&made->run, "kinetic_temperature") < KELVIN_COLUMNS;
        const bool configurational = at(&made->run, "configurational_temperature") < KELVIN_COLUMNS;
        const size_t last = type->batches ? LAST : ROWS - WARMUP;
        kelvin_temperatures t;
        write_histories(made, last, ROWS);
        assert_ok(temperatures_of(&t, &made->samples));
        assert_int_equal(t.rows, kinetic || configurational ? last : 0);
        assert_true(isnan(t.kinetic.mean) == !kinetic && isnan(t.configurational.mean) == !configurational);
        if (kinetic) same(t.kinetic.mean, 2.5);
        if (configurational) same(t.configurational.mean, 25);
        if (configurational) same(t.configurational.error, 10 * sqrt(5 / 12.));
        if (t.rows > 0) assert_true(t.set == set);
    }
}

static void damaged_histories(void **state)
{
    (void)state;
    const char *folder = in_base("damaged"), *history = in_base("damaged/chain-001/history.csv");
    struct made *made = made_by("sghmc", folder);
    kelvin_temperatures t;
    write_histories(made, LAST, 0);
    size_t bytes;
    char *text = slurp(history, &bytes);
    text[bytes - 3] = 'x';
    spill(history, text, bytes);
    kelvin_free(text);
    fails(temperatures_of(&t, &made->samples), KELVIN_EFORMAT, "chain-001/history.csv, line 46",
          "configurational_temperature");
    /* Nobody came to the end: nothing to say, and nothing to fail at. */
    remove_tree(folder);
    assert_ok(temperatures_of(&t, &made->samples));
    assert_true(t.chains == 0 && isnan(t.kinetic.mean) && isnan(t.configurational.mean) && isnan(t.set));
}

static kelvin_status read_temperatures(void *context)
{
    kelvin_temperatures t;
    const struct made *made = context;
    return temperatures_of(&t, &made->samples);
}

static void no_memory(void **state)
{
    (void)state;
    kelvin_path folder;
    strcpy(folder, in_base("histories"));
    struct made *made = made_by("sghmc", folder);
    write_histories(made, LAST, ROWS);
    assert_true(without_memory(read_temperatures, made) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(temperatures),     cmocka_unit_test(end_of_a_cycle),    cmocka_unit_test(after_settling),
        cmocka_unit_test(by_every_sampler), cmocka_unit_test(damaged_histories), cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, make_base, remove_base);
}
