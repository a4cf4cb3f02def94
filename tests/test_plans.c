/* run: plans for pictures: what is chosen for shapes that people have, and what must hold of all shapes. Work is
 * counted here by the sizes of layers that the text of a network says. */
#include "run_helpers.h"

#include "data/dataset.h"
#include "run/choose.h"

#include <math.h>

static kelvin_data pictures(size_t channels, size_t height, size_t width, size_t rows, size_t classes)
{
    return (kelvin_data){.name = "pictures",
                         .inputs = channels * height * width,
                         .classes = classes,
                         .channels = channels,
                         .height = height,
                         .width = width,
                         .train.n = rows};
}

/* ---- what people have ---- */

static const struct row {
    size_t channels, height, width, rows, classes;
    const char *model, *schedule, *augment;
    bool searches;
} rows[] = {
    {1, 8, 8, 1438, 10, "cnn:16,32,kernel=3,stride=2", "steady", "none", true},      /* digits */
    {1, 28, 28, 60000, 10, "cnn:8,16,32,kernel=3,stride=2", "paper", "none", false}, /* MNIST */
    {1, 28, 28, 4000, 10, "cnn:8,16,32,kernel=3,stride=2", "steady", "none", true},  /* some of it */
    {3, 32, 32, 50000, 10, "resnet20", "paper", "paper", false},                     /* CIFAR-10 */
    {3, 32, 32, 10000, 10, "resnet8", "paper", "paper", false},                      /* one of its files */
    {3, 32, 32, 500, 10, "cnn:8,16,32,kernel=3,stride=2", "steady", "none", true},   /* a folder */
    {3, 224, 224, 1000, 5, "cnn:8,16,32,kernel=5,stride=4", "paper", "none", false},
    {3, 224, 224, 100000, 5, "cnn:8,16,32,kernel=5,stride=4", "paper", "none", false},
    {3, 64, 64, 50000, 200, "resnet8", "paper", "paper", false},
    {1, 17, 40, 100, 2, "cnn:8,16,32,kernel=3,stride=2", "steady", "none", true},
    {3, 32, 32, 16, 2, "cnn:8,16,32,kernel=3,stride=2", "steady", "none", true}, /* twenty, four of them for testing */
    {1, 8, 8, 4, 2, "cnn:16,32,kernel=3,stride=2", "paper", "none", false},      /* too few to hold any out */
};

static void plans_for_what_people_have(void **state)
{
    (void)state;
    for (const struct row *r = rows; r < rows + sizeof rows / sizeof *rows; r++) {
        const kelvin_data data = pictures(r->channels, r->height, r->width, r->rows, r->classes);
        struct kelvin_plan plan;
        assert_ok(kelvin_plan_pictures(&plan, &data, true));
        assert_string_equal(plan.model, r->model);
        assert_string_equal(plan.schedule, r->schedule);
        assert_string_equal(plan.augment, r->augment);
        assert_int_equal(plan.folds > 0, r->searches);
    }
}

/* Pixels of a side below which there is nothing to convolve. */
static void tiny_pictures_are_tables(void **state)
{
    (void)state;
    static const size_t sides[][2] = {{1, 1}, {4, 4}, {5, 100}, {100, 5}};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; i++) {
        const kelvin_data data = pictures(1, sides[i][0], sides[i][1], 300, 3);
        struct kelvin_plan plan, table;
        assert_ok(kelvin_plan_pictures(&plan, &data, true));
        kelvin_plan_table(&table, &data, true);
        assert_string_equal(plan.model, table.model);
        assert_int_equal(strncmp(plan.model, "mlp:", 4), 0);
        assert_int_equal(plan.epochs, table.epochs);
    }
}

/* ---- whatever they have ---- */

/* Multiply-adds of "cnn:C,C,...,kernel=K,stride=S" on one picture, forward. */
static double multiply_adds(const char *model, const kelvin_data *data)
{
    double sum = 0;
    size_t in = data->channels, height = data->height, width = data->width;
    const size_t k = strtoul(strstr(model, "kernel=") + 7, NULL, 10),
                 by = strtoul(strstr(model, "stride=") + 7, NULL, 10);
    for (const char *at = strchr(model, ':'); at[1] != 'k'; at = strchr(at + 1, ',')) {
        const size_t out = strtoul(at + 1, NULL, 10);
        height = (height + by - 1) / by;
        width = (width + by - 1) / by;
        sum += (double)(k * k * in * out * height * width);
        in = out;
    }
    return sum + (double)(in * height * width * data->classes);
}

static void check_plan(const kelvin_data *data)
{
    struct kelvin_plan plan;
    kelvin_model *model;
    const kelvin_schedule *schedule;
    kelvin_augment augment;
    assert_ok(kelvin_plan_pictures(&plan, data, true));
    assert_ok(kelvin_model_create(&model, plan.model, kelvin_data_shape(data), data->classes));
    kelvin_model_destroy(model);
    assert_ok(kelvin_schedule_parse(&schedule, plan.schedule));
    assert_ok(kelvin_augment_parse(&augment, plan.augment));
    assert_true(plan.batch >= 1 && plan.batch <= data->train.n && plan.batch <= 125);
    assert_true(plan.epochs >= 12 && plan.epochs <= plan.most_epochs);
    assert_true(plan.candidates >= 1 && plan.candidates <= KELVIN_CANDIDATES);
    assert_true(plan.folds <= KELVIN_FOLDS && (plan.folds == 0 || plan.candidates > 1));
    assert_true(schedule->samples_on_the_way == (plan.folds > 0));
    assert_true(plan.trial >= 1 && plan.trial <= plan.epochs && plan.lr > 0);
    assert_true(*plan.why);
    const double samples = plan.folds ? plan.chains * plan.draws : 2 * plan.chains;
    assert_true(samples > 8); /* error bars */
    if (strncmp(plan.model, "cnn:", 4) != 0) return;
    /* minutes, or as short as it can be: 3,000 steps of a chain that is trained, 5 short runs of others */
    const double work = 6 * multiply_adds(plan.model, data) * (double)data->train.n;
    const double steps = floor((double)data->train.n / plan.batch);
    const double chains = plan.folds ? plan.chains : 2 * plan.chains;
    const double shortest = plan.folds ? 5 * plan.trial : fmax(12, ceil(3000 / steps));
    assert_true(plan.most_epochs * chains * work <= fmax(1.5e13, shortest * chains * work));
    if (plan.folds) assert_true(2.0 * (double)(plan.candidates * plan.folds + 6) * plan.trial * work <= 7.5e12);
}

static void plans_hold_for_all_shapes(void **state)
{
    (void)state;
    static const size_t sides[] = {6, 7, 8, 12, 16, 17, 28, 32, 33, 64, 96, 224, 512, 4096};
    static const size_t counts[] = {2, 7, 8, 20, 100, 999, 1000, 5000, 20000, 60000, 1000000};
    enum { SIDES = sizeof sides / sizeof *sides, COUNTS = sizeof counts / sizeof *counts };
    for (size_t h = 0; h < SIDES; h++)
        for (size_t w = 0; w < SIDES; w += 3)
            for (size_t n = 0; n < COUNTS; n++)
                for (size_t channels = 1; channels <= 3; channels += 2) {
                    const kelvin_data few = pictures(channels, sides[h], sides[w], counts[n], 2);
                    const kelvin_data many = pictures(channels, sides[h], sides[w], counts[n], 1000);
                    check_plan(&few);
                    check_plan(&many);
                }
}

/* ---- tables ---- */

static void check_candidate(const struct kelvin_candidate *candidate)
{
    char density_text[KELVIN_PLAN_TEXT], prior_text[KELVIN_PLAN_TEXT];
    kelvin_density density;
    kelvin_prior prior;
    kelvin_candidate_texts(density_text, prior_text, candidate);
    assert_ok(kelvin_density_parse(&density, density_text));
    assert_ok(kelvin_prior_parse(&prior, prior_text));
}

static void check_table(size_t n, size_t columns, size_t classes)
{
    kelvin_data data = {.name = "csv:x", .inputs = columns, .classes = classes, .train.n = n};
    struct kelvin_plan plan;
    kelvin_model *model;
    kelvin_plan_table(&plan, &data, true);
    assert_ok(kelvin_model_create(&model, plan.model, (kelvin_shape){columns, 1, 1}, classes));
    const double work = 3.0 * (double)kelvin_model_parameters(model) * (double)n; /* of an epoch, biases too */
    kelvin_model_destroy(model);
    assert_true(plan.batch >= 1 && plan.batch <= n && plan.batch <= 125);
    assert_true(plan.trial >= 1 && plan.trial <= plan.epochs && plan.epochs <= plan.most_epochs);
    assert_true(plan.folds <= KELVIN_DEALS * KELVIN_FOLDS && (plan.folds > 0) == (n >= 8));
    assert_true(plan.candidates >= 1 && plan.candidates <= 3);
    for (size_t i = 0; i < plan.candidates; i++) check_candidate(&plan.candidate[i]);
    /* Minutes at most, or as short as it can be. */
    assert_true(plan.most_epochs == 80 || plan.most_epochs == plan.epochs ||
                plan.most_epochs * plan.chains * work <= 1.3 * (8e10 + 1.5e7 * (double)n));
    /* A confident prior of predictions needs a third class. */
    bool confident = false;
    for (size_t i = 0; i < plan.candidates; i++) confident |= plan.candidate[i].alpha < 1;
    assert_true(confident == (classes > 2));
    assert_true(plan.candidate[0].alpha == 1 && plan.candidate[0].narrow > 0);
    /* Samplers that look at all data have no sparse ones, and all else is the same. */
    struct kelvin_plan other;
    kelvin_plan_table(&other, &data, false);
    assert_true(other.candidates == (classes > 2 ? 6 : 4));
    for (size_t i = 0; i < other.candidates; i++) assert_true(other.candidate[i].narrow == 0);
    assert_string_equal(other.model, plan.model);
    assert_true(other.trial == plan.trial && other.folds == plan.folds && other.batch == plan.batch);
}

static void plans_hold_for_all_tables(void **state)
{
    (void)state;
    static const size_t counts[] = {2, 7, 8, 50, 125, 499, 500, 5000, 100000, 3000000};
    static const size_t columns[] = {1, 4, 30, 400, 20000}, classes[] = {2, 3, 10, 300};
    for (size_t r = 0; r < sizeof counts / sizeof *counts; r++)
        for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
            for (size_t k = 0; k < sizeof classes / sizeof *classes; k++)
                check_table(counts[r], columns[c], classes[k]);
}

/* 192 x 256 pixels: 2,615,040 multiply-adds, 32 x 32: 207,872. */
static void the_reason_is_said(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t channels, height, width, rows;
        const char *why;
    } said[] = {
        {"mnist", 1, 28, 28, 60000, "for 60000 grey pictures of 28 x 28"},
        {"cifar10", 3, 32, 32, 50000, "for 50000 colour pictures of 32 x 32, flipped and shifted at random"},
        {"images:/f", 3, 192, 256, 100, "for 100 colour pictures of 256 x 192 (with size=32: 1/13 of the work)"},
        {"npy:/x,/y", 3, 192, 256, 100, "for 100 colour pictures of 256 x 192"},
        {"images:/f", 1, 4, 5, 100, "for 100 grey pictures of 5 x 4"},
    };
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        kelvin_data data = pictures(said[i].channels, said[i].height, said[i].width, said[i].rows, 10);
        struct kelvin_plan plan;
        data.name = said[i].name;
        assert_ok(kelvin_plan_pictures(&plan, &data, true));
        assert_string_equal(plan.why, said[i].why);
    }
}

/* What a run on 60,000 pictures of 28x28 costs is known from such runs; CIFAR-10 is to be hours, not days. */
static void known_sizes(void **state)
{
    (void)state;
    const kelvin_data mnist = pictures(1, 28, 28, 60000, 10), cifar = pictures(3, 32, 32, 50000, 10);
    struct kelvin_plan plan;
    assert_ok(kelvin_plan_pictures(&plan, &mnist, true));
    assert_int_equal(plan.chains, 8);
    assert_int_equal(plan.epochs, (uint32_t)(1.5e13 / 16 / (6.0 * 60000 * (14112 + 56448 + 73728 + 5120))));
    assert_ok(kelvin_plan_pictures(&plan, &cifar, true));
    assert_int_equal(plan.chains, 5);
    assert_int_equal(plan.epochs, (uint32_t)(1.2e11 / 10 / (6 * 40813184.0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plans_for_what_people_have), cmocka_unit_test(tiny_pictures_are_tables),
        cmocka_unit_test(plans_hold_for_all_shapes),  cmocka_unit_test(plans_hold_for_all_tables),
        cmocka_unit_test(the_reason_is_said),         cmocka_unit_test(known_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
