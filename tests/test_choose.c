/* Settings from the data: what is held out, what is chosen, on what it depends, and what it leaves alone. */
#include "run_helpers.h"

#include "fit_helpers.h"

#include "data/dataset.h"
#include "run/choose.h"

#include <math.h>

/* Two classes of 60 rows on a ring each, so that no line parts them; a third of the rows are for testing. */
enum { ROWS = 120, COLUMNS = 2 };

static void fill(float x[ROWS][COLUMNS], int32_t y[ROWS], double noise)
{
    uint32_t seed = 11;
    for (size_t i = 0; i < ROWS; i++) {
        const double angle = 6.283185307179586 * fit_uniform(&seed), r = i % 2 ? 2 : 0.7;
        x[i][0] = (float)(r * cos(angle) + 0.3 * (fit_uniform(&seed) - 0.5));
        x[i][1] = (float)(r * sin(angle) + 0.3 * (fit_uniform(&seed) - 0.5));
        y[i] = fit_uniform(&seed) < noise ? (int32_t)(2 * fit_uniform(&seed)) : (int32_t)(i % 2);
    }
}

static kelvin_data *rings(double noise)
{
    float x[ROWS][COLUMNS];
    int32_t y[ROWS];
    kelvin_data *data;
    fill(x, y, noise);
    const kelvin_arrays arrays = {.rows = ROWS, .columns = COLUMNS, .x = x[0], .labels = y, .split = 1.0 / 3};
    assert_ok(kelvin_data_from_arrays(&data, &arrays));
    return data;
}

static kelvin_config *with(const char *const *fields)
{
    kelvin_config *config;
    assert_ok(kelvin_config_create(&config));
    for (size_t i = 0; fields && fields[i]; i += 2) assert_ok(kelvin_config_set(config, fields[i], fields[i + 1]));
    return config;
}

static const char *get(const kelvin_config *config, const char *field)
{
    static char text[8][256];
    static size_t next;
    next = (next + 1) % 8;
    assert_ok(kelvin_config_get(config, field, text[next], sizeof text[next]));
    return text[next];
}

static kelvin_config *chosen(const kelvin_data *data, const char *const *fields, size_t threads)
{
    kelvin_config *config = with(fields);
    assert_true(kelvin_config_is_open(config));
    assert_null(kelvin_config_chosen(config));
    assert_ok(kelvin_config_choose(config, data, threads, NULL, NULL));
    assert_false(kelvin_config_is_open(config));
    assert_non_null(kelvin_config_chosen(config));
    return config;
}

static void same_choice(const kelvin_config *a, const kelvin_config *b)
{
    const kelvin_field_info *field;
    for (size_t i = 0; (field = kelvin_config_field_at(i)); i++)
        if (kelvin_field_is_for(field, get(a, "sampler")))
            assert_string_equal(get(a, field->name), get(b, field->name));
}

/* ---- what is held out ---- */

/* Every row is held out once in each dealing, each part has its share of every class, and what stays is the rest. */
static void every_row_is_held_out_once(void **state)
{
    (void)state;
    kelvin_data *data = rings(0.3);
    for (size_t dealing = 0; dealing < KELVIN_DEALS; dealing++) {
        size_t times[ROWS] = {0}, held = 0, of_class[2] = {0};
        for (size_t i = 0; i < data->train.n; i++) of_class[data->train.y[i]]++;
        for (size_t part = 0; part < KELVIN_FOLDS; part++) {
            struct kelvin_fold fold;
            size_t classes[2] = {0};
            assert_ok(kelvin_fold_create(&fold, data, dealing * KELVIN_FOLDS + part, 5));
            assert_int_equal(fold.held + fold.data.train.n, data->train.n);
            assert_int_equal(fold.data.test.n, 0);
            held += fold.held;
            for (size_t i = 0; i < fold.held; i++) {
                classes[fold.y[i]]++;
                for (size_t r = 0; r < data->train.n; r++) {
                    if (memcmp(data->train.x + r * COLUMNS, fold.x + i * COLUMNS, COLUMNS * sizeof(float)) != 0)
                        continue;
                    times[r]++;
                    assert_int_equal(data->train.y[r], fold.y[i]);
                }
                for (size_t r = 0; r < fold.data.train.n; r++)
                    assert_true(
                        memcmp(fold.data.train.x + r * COLUMNS, fold.x + i * COLUMNS, COLUMNS * sizeof(float)) != 0);
            }
            for (size_t k = 0; k < 2; k++) assert_true(fabs((double)classes[k] - (double)of_class[k] / 4) < 1);
            kelvin_fold_free(&fold);
        }
        assert_int_equal(held, data->train.n);
        for (size_t r = 0; r < data->train.n; r++) assert_int_equal(times[r], 1);
    }
    kelvin_data_close(data);
}

/* ---- what is chosen ---- */

/* A search among two scales of fan-in, or, if they are the same, of one. */
static struct kelvin_found search_between(const kelvin_data *data, double first, double second, uint64_t seed)
{
    struct kelvin_plan plan;
    struct kelvin_found found;
    struct kelvin_search search = {.data = data, .plan = &plan, .threads = 2};
    kelvin_plan_table(&plan, data, true);
    plan.candidates = first == second ? 1 : 2;
    plan.candidate[0] = (struct kelvin_candidate){1, first, 0};
    plan.candidate[1] = (struct kelvin_candidate){1, second, 0};
    assert_ok(kelvin_run_defaults(&search.config, "sghmc"));
    search.config.model = "mlp:10";
    search.config.chains = 2;
    search.config.samples = 16;
    search.config.epochs = 200;
    search.config.batch = plan.batch;
    search.config.seed = seed;
    search.config.schedule = search.config.temperature_schedule = "steady";
    assert_ok(kelvin_search_run(&found, &search));
    return found;
}

/* One that is better by less than a standard error does not count (of two that are alike, one in six is better by
 * more); one that is better does. */
static void the_first_stays_unless_another_is_better(void **state)
{
    (void)state;
    kelvin_data *data = rings(0.3);
    size_t lower = 0, kept = 0;
    for (uint64_t seed = 1; seed <= 6; seed++) {
        const struct kelvin_found alike = search_between(data, 2, 2.0001, seed);
        lower += alike.nll[1] < alike.nll[0];
        kept += alike.nll[1] < alike.nll[0] && alike.best == 0;
        assert_true(alike.best == 0 || alike.nll[1] < alike.nll[0]);
    }
    assert_true(kept > 0 && 2 * kept >= lower);
    kelvin_data_close(data);
    data = rings(0);
    assert_int_equal(search_between(data, 0.01, 2, 1).best, 1);
    assert_int_equal(search_between(data, 2, 0.01, 1).best, 0);
    kelvin_data_close(data);
}

/* Where there is nothing to choose, one part is enough to find a learning rate. */
static void one_candidate_is_tried_once(void **state)
{
    (void)state;
    kelvin_data *data = rings(0.3);
    assert_int_equal(search_between(data, 2, 2, 1).held, data->train.n / KELVIN_FOLDS);
    assert_int_equal(search_between(data, 2, 1, 1).held, KELVIN_DEALS * data->train.n);
    kelvin_data_close(data);
}

/* Clean rings can be learned, labels that are coins cannot: the better answer is not far from theirs. */
static void what_is_chosen_predicts(void **state)
{
    (void)state;
    static const double noise[] = {0, 1}, least[] = {-0.2, -0.75};
    for (size_t i = 0; i < 2; i++) {
        kelvin_data *data = rings(noise[i]);
        kelvin_config *config = chosen(data, NULL, 2);
        kelvin_run *run;
        kelvin_samples *samples;
        kelvin_logits *logits;
        kelvin_metrics *metrics;
        assert_ok(kelvin_run_start_with(&run, config, data, NULL));
        assert_ok(kelvin_run_sample(&run, 1, NULL, NULL, NULL));
        assert_ok(kelvin_samples_of(&samples, run));
        assert_ok(kelvin_logits_of_side(&logits, samples, KELVIN_TEST, 1));
        assert_ok(kelvin_evaluate(&metrics, logits, NULL));
        const double found = kelvin_metrics_ensemble(metrics, kelvin_metric_find("mean_log_likelihood"));
        if (!(found > least[i])) fail_msg("%s: %g", kelvin_config_chosen(config), found);
        assert_true(kelvin_samples_count(samples) > 8); /* error bars */
        kelvin_metrics_free(metrics);
        kelvin_logits_close(logits);
        kelvin_samples_close(samples);
        kelvin_run_close(run);
        kelvin_config_destroy(config);
        kelvin_data_close(data);
    }
}

/* ---- on what it depends ---- */

static void neither_threads_nor_test_rows_count(void **state)
{
    (void)state;
    kelvin_data *data = rings(0.1);
    kelvin_data other = *data;
    int32_t *y = kelvin_alloc(data->test.n, sizeof *y);
    float *x = kelvin_alloc(data->test.n * COLUMNS, sizeof *x); /* all zeros, as labels are */
    other.test.y = y;
    other.test.x = x;
    kelvin_config *one = chosen(data, NULL, 1), *many = chosen(data, NULL, 3), *blind = chosen(&other, NULL, 2);
    same_choice(one, many);
    same_choice(one, blind);
    kelvin_config_destroy(one);
    kelvin_config_destroy(many);
    kelvin_config_destroy(blind);
    kelvin_free(x);
    kelvin_free(y);
    kelvin_data_close(data);
}

/* run.json of a run that chose for itself is that of one whose choice was made before, and brings it back. */
static void a_run_repeats(void **state)
{
    (void)state;
    static const char *const fields[] = {"epochs", "30", "samples", "8", NULL};
    kelvin_data *data = rings(0.1);
    kelvin_config *open = with(fields), *made = chosen(data, fields, 2), *again;
    const kelvin_config *const configs[] = {open, made};
    static const char *const names[] = {"silent", "said", "again"};
    for (size_t i = 0; i < 2; i++) {
        kelvin_run *run;
        assert_ok(kelvin_run_start_with(&run, configs[i], data, in_base(names[i])));
        assert_ok(kelvin_run_sample(&run, 1, NULL, NULL, NULL));
        kelvin_run_close(run);
    }
    assert_ok(kelvin_config_create(&again));
    assert_ok(kelvin_config_read(again, in_base("said")));
    assert_false(kelvin_config_is_open(again));
    kelvin_run *run;
    assert_ok(kelvin_run_start_with(&run, again, data, in_base("again")));
    assert_ok(kelvin_run_sample(&run, 1, NULL, NULL, NULL));
    kelvin_run_close(run);
    same_folders(in_base("silent"), in_base("said"));
    same_folders(in_base("said"), in_base("again"));
    kelvin_config_destroy(open);
    kelvin_config_destroy(made);
    kelvin_config_destroy(again);
    kelvin_data_close(data);
}

/* ---- what was said stays ---- */

static void what_was_said_stays(void **state)
{
    (void)state;
    static const char *const tables[][12] = {
        {"model", "mlp:3", "prior", "normal:1", NULL},
        {"density", "dirclip:0.9,-50", "lr", "0.003", "batch", "16", NULL},
        {"samples", "12", "epochs", "40", "seed", "7", NULL},
        {"chains", "3", "schedule", "paper", NULL},
        {"sampler", "hmc", "chains", "2", "iterations", "30", "model", "mlp:3", NULL},
        {"sampler", "mclmc", "steps", "7", "model", "mlp:3", "iterations", "20", NULL},
    };
    kelvin_data *data = rings(0.1);
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        kelvin_run *run;
        kelvin_config *config = chosen(data, tables[t], 2);
        for (size_t i = 0; tables[t][i]; i += 2) assert_string_equal(get(config, tables[t][i]), tables[t][i + 1]);
        assert_ok(kelvin_run_start_with(&run, config, data, NULL)); /* all of it fits together */
        kelvin_run_close(run);
        kelvin_config_destroy(config);
    }
    kelvin_data_close(data);
}

static void few_rows(void **state)
{
    (void)state;
    static const float x[] = {0, 1, 2, 3, 4};
    static const int32_t y[] = {0, 1, 0, 1, 1};
    const kelvin_arrays arrays = {.rows = 5, .columns = 1, .x = x, .labels = y};
    kelvin_data *data;
    kelvin_run *run;
    assert_ok(kelvin_data_from_arrays(&data, &arrays));
    kelvin_config *config = chosen(data, NULL, 1);
    assert_ok(kelvin_run_start_with(&run, config, data, NULL));
    kelvin_run_close(run);
    kelvin_config_destroy(config);
    kelvin_data_close(data);
}

/* ---- what goes wrong ---- */

/* An epoch of many rows is long, and short runs have few: fewer than draws, at first. */
static void many_rows(void **state)
{
    (void)state;
    enum { MANY = 2000 };
    static const char *const fields[] = {"model", "mlp:2", "prior", "normal:1", "density", "categorical", NULL};
    static float x[MANY];
    static int32_t y[MANY];
    kelvin_data *data;
    for (size_t i = 0; i < MANY; i++) {
        x[i] = (float)(i * 37 % MANY) / MANY;
        y[i] = x[i] > 0.4F;
    }
    const kelvin_arrays arrays = {.rows = MANY, .columns = 1, .x = x, .labels = y};
    assert_ok(kelvin_data_from_arrays(&data, &arrays));
    kelvin_config_destroy(chosen(data, fields, 1));
    kelvin_data_close(data);
}

static bool never(void *context)
{
    ++*(int *)context;
    return false;
}

static void it_can_be_stopped(void **state)
{
    (void)state;
    int asked = 0;
    kelvin_data *data = rings(0.1);
    kelvin_config *config = with(NULL);
    fails(kelvin_config_choose(config, data, 2, never, &asked), KELVIN_ESTOP, "", "stopped");
    assert_true(asked > 0 && kelvin_config_is_open(config));
    kelvin_config_destroy(config);
    kelvin_data_close(data);
}

static void mistakes_are_seen_first(void **state)
{
    (void)state;
    static const char *const wrong[][3] = {{"density", "dirclop:1", "did you mean 'dirclip'?"},
                                           {"temperature", "-1", "temperature is -1"},
                                           {"data", "nowhere", "unknown data set"},
                                           {"model", "cnn", "looks at images"}};
    kelvin_data *data = rings(0.1);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        kelvin_config *config = with((const char *const[]){wrong[i][0], wrong[i][1], NULL});
        const kelvin_data *lent = strcmp(wrong[i][0], "data") == 0 ? NULL : data;
        fails(kelvin_config_choose(config, lent, 1, NULL, NULL), KELVIN_EUSAGE, "", wrong[i][2]);
        kelvin_config_destroy(config);
    }
    kelvin_data_close(data);
}

static kelvin_status choose_and_close(void *data)
{
    kelvin_config *config;
    static const char *const fields[] = {"model", "mlp:2", "prior", "normal:1", "lr", "0.01", NULL};
    KELVIN_TRY(kelvin_config_create(&config));
    kelvin_status status = KELVIN_OK;
    for (size_t i = 0; fields[i] && !status; i += 2) status = kelvin_config_set(config, fields[i], fields[i + 1]);
    if (!status) status = kelvin_config_choose(config, data, 1, NULL, NULL);
    kelvin_config_destroy(config);
    return status;
}

static void no_memory(void **state)
{
    (void)state;
    static const float x[] = {0, 1, 2, 3, 4, 5, 6, 7};
    static const int32_t y[] = {0, 1, 0, 1, 1, 0, 0, 1};
    const kelvin_arrays arrays = {.rows = 8, .columns = 1, .x = x, .labels = y, .split = 0};
    kelvin_data *data;
    assert_ok(kelvin_data_from_arrays(&data, &arrays));
    assert_true(without_memory(choose_and_close, data) > 20);
    kelvin_data_close(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_held_out_once),
        cmocka_unit_test(the_first_stays_unless_another_is_better),
        cmocka_unit_test(one_candidate_is_tried_once),
        cmocka_unit_test(what_is_chosen_predicts),
        cmocka_unit_test(neither_threads_nor_test_rows_count),
        cmocka_unit_test(a_run_repeats),
        cmocka_unit_test(what_was_said_stays),
        cmocka_unit_test(few_rows),
        cmocka_unit_test(many_rows),
        cmocka_unit_test(it_can_be_stopped),
        cmocka_unit_test(mistakes_are_seen_first),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, make_quick_base, remove_base);
}
