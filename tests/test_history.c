/* What a chain does and writes of it: the steps of every sampler one by one, from the right start, and the columns of
 * history.csv against plain sums over the data. */
#include "chains_helpers.h"
#include "npy_helpers.h"

#include "density/density.h"
#include "kernels/kernels.h"

static const double pi = 3.14159265358979323846;

enum { PART = 1 << 7 };

/* The file has nine digits. */
static void same_digits(double file, double x, const char *what, uint32_t epoch)
{
    if (!(fabs(file - x) <= 1e-8 * fabs(x))) fail_msg("%s of epoch %u: %.17g, expected %.17g", what, epoch, file, x);
}

static kelvin_posterior *posterior_of(const kelvin_run *run, size_t batch)
{
    kelvin_posterior *posterior;
    kelvin_density density;
    kelvin_prior prior;
    assert_ok(kelvin_density_parse(&density, run->config.density));
    assert_ok(kelvin_prior_parse(&prior, run->config.prior));
    const kelvin_posterior_options options = {.batch = batch, .threads = 1, .rows = true};
    assert_ok(kelvin_posterior_make(&posterior, run->model, &density, &prior, run->data, &options));
    return posterior;
}

/* Where a chain starts: as the model says, or, of all data of a table, at normal numbers. */
static void start_of(float *theta, const kelvin_run *run, uint32_t chain)
{
    const kelvin_random where = {.seed = run->config.seed, .chain = chain, .stream = KELVIN_STREAM_INIT};
    const struct kelvin_kernels *kernels;
    assert_ok(kelvin_kernels_get(&kernels));
    if (run->sampler->batches)
        kelvin_model_start(run->model, theta, run->config.seed, chain);
    else
        kernels->normals(theta, run->model->n_params, where);
}

/* ---- steps ---- */

/* What the steps of a row say, averaged: as the row must have it. */
struct told {
    double logp, value[KELVIN_STATISTICS];
};

static void add_step(struct told *mean, const kelvin_step_info *info, const kelvin_sampler_type *type, size_t steps)
{
    mean->logp += info->logp / (double)steps;
    for (size_t i = 0; i < kelvin_count_statistics(type); i++)
        mean->value[i] = type->statistic[i].last ? info->value[i] : mean->value[i] + info->value[i] / (double)steps;
}

/* One epoch of a sampler that looks at batches, by hand. */
static struct told epoch_by_hand(kelvin_sampler *sampler, kelvin_posterior *posterior, const kelvin_run *run,
                                 const kelvin_epoch *about)
{
    const kelvin_run_config *c = &run->config;
    const size_t n = run->data->train.n, batch = c->batch, steps = n / batch;
    struct told mean = {0};
    uint32_t order[PART];
    float x[PART * 4];
    int32_t y[PART];
    kelvin_data_order(order, n, about);
    for (size_t b = 0; b < steps; b++) {
        kelvin_data_gather(run->data, &run->data->train, x, y, order + b * batch, batch, about);
        assert_ok(kelvin_posterior_set_batch(posterior, x, y, batch));
        const kelvin_step_info info = kelvin_sampler_advance(
            sampler, &(kelvin_moment){(uint32_t)(about->epoch * steps + b), 0, 1, c->temperature});
        add_step(&mean, &info, run->sampler, steps);
    }
    return mean;
}

/* One iteration of a sampler that looks at all data. */
static struct told iteration_by_hand(kelvin_sampler *sampler, const kelvin_run *run, uint32_t iteration)
{
    const kelvin_run_config *c = &run->config;
    struct told told = {0};
    const kelvin_step_info info =
        kelvin_sampler_advance(sampler, &(kelvin_moment){iteration, c->warmup, 1, c->temperature});
    add_step(&told, &info, run->sampler, 1);
    return told;
}

/* The columns of a chain's history that its sampler tells. */
static void same_history(const struct told *told, const kelvin_run *run, const char *name, uint32_t chain)
{
    const kelvin_sampler_type *type = run->sampler;
    const uint32_t rows = kelvin_run_rows(run);
    double *column = kelvin_alloc(rows, sizeof *column);
    assert_non_null(column);
    read_column(column, run, name, chain, kelvin_run_row_name(run), rows);
    for (uint32_t i = 0; i < rows; i++) assert_true(column[i] == i);
    read_column(column, run, name, chain, "log_posterior", rows);
    for (uint32_t i = 0; i < rows; i++) same_digits(column[i], told[i].logp, "log-posterior", i);
    for (size_t k = 0; k < kelvin_count_statistics(type); k++) {
        read_column(column, run, name, chain, type->statistic[k].name, rows);
        for (uint32_t i = 0; i < rows; i++) same_digits(column[i], told[i].value[k], type->statistic[k].name, i);
    }
    kelvin_free(column);
}

/* One chain of the run by hand, from the start that the model says; its draws are the run's. */
static void chain_by_hand(const kelvin_run *run, const char *name, uint32_t chain)
{
    const kelvin_run_config *c = &run->config;
    const bool batches = run->sampler->batches;
    const uint32_t rows = kelvin_run_rows(run);
    float *theta = kelvin_alloc(run->model->n_params, sizeof *theta);
    struct told *told = kelvin_alloc(rows, sizeof *told);
    kelvin_posterior *posterior = posterior_of(run, batches ? c->batch : 0);
    const kelvin_target target = kelvin_posterior_target(posterior);
    const kelvin_sampler_options options = {
        .setting = c->setting, .observations = (double)run->data->train.n, .seed = c->seed, .chain = chain};
    kelvin_sampler *sampler;
    uint32_t draws = 0;
    assert_true(theta && told);
    assert_ok(kelvin_sampler_make(&sampler, run->sampler, &target, &options));
    start_of(theta, run, chain);
    kelvin_sampler_start(sampler, theta);
    for (uint32_t row = 0; row < rows; row++) {
        told[row] =
            batches ? epoch_by_hand(sampler, posterior, run, &(kelvin_epoch){c->seed, chain, row, KELVIN_AUGMENT_NONE})
                    : iteration_by_hand(sampler, run, row);
        if (row != kelvin_run_draw_row(run, draws)) continue;
        float *draw = draw_of(run, name, chain, draws++);
        assert_memory_equal(kelvin_sampler_theta(sampler), draw, run->model->n_params * sizeof *draw);
        kelvin_free(draw);
    }
    assert_int_equal(draws, kelvin_run_draws(run));
    same_history(told, run, name, chain);
    kelvin_sampler_destroy(sampler);
    kelvin_posterior_destroy(posterior);
    kelvin_free(theta);
    kelvin_free(told);
}

static void run_by_hand(const kelvin_run_config *config)
{
    whole_run(config, "hand", 2, 0);
    kelvin_run *run = run_of("hand");
    assert_int_equal(run->data->train.n, 60);
    for (uint32_t chain = 0; chain < config->chains; chain++) chain_by_hand(run, "hand", chain);
    kelvin_run_close(run);
    remove_tree(in_base("hand"));
}

/* One step of one epoch on all data; and batches that leave a rest over. Bit for bit. */
static void chains_by_hand(void **state)
{
    (void)state;
    const uint32_t table[][2] = {{1, 60}, {1, 20}, {3, 25}, {5, 1}};
    for (size_t s = 0; s < samplers(); s++) {
        const kelvin_sampler_type *type = kelvin_sampler_info(s);
        kelvin_run_config config = tiny_by(type);
        config.schedule = config.temperature_schedule = "constant";
        config.temperature = 0.3;
        for (size_t i = 0; i < (type->batches ? sizeof table / sizeof *table : 0); i++) {
            config.epochs = table[i][0];
            config.batch = table[i][1];
            run_by_hand(&config);
        }
        if (!type->batches) run_by_hand(&config);
        config.iterations = 1;
        config.warmup = 0;
        if (!type->batches) run_by_hand(&config);
    }
}

/* Warm-up is marked, and its draws are kept. */
static void warmup_is_marked(void **state)
{
    (void)state;
    for (size_t s = 0; s < samplers(); s++) {
        kelvin_run_config config = tiny_by(kelvin_sampler_info(s));
        double marks[50], temperature[50];
        if (kelvin_sampler_info(s)->batches) continue;
        config.temperature = 0.3;
        whole_run(&config, "warm", 2, 0);
        kelvin_run *run = run_of("warm");
        read_column(marks, run, "warm", 2, "warmup", 50);
        read_column(temperature, run, "warm", 2, "temperature", 50);
        for (uint32_t i = 0; i < 50; i++) assert_true(marks[i] == (i < config.warmup));
        for (uint32_t i = 0; i < 50; i++) assert_true(temperature[i] == config.temperature);
        const struct kelvin_draw_place place = kelvin_draw_place(run, 2, 0);
        struct kelvin_bundle_file file;
        run->folder = in_base("warm");
        assert_ok(kelvin_bundle_open(&file, run, &place, false));
        assert_int_equal(file.draws, 50);
        kelvin_bundle_close(&file);
        kelvin_run_close(run);
        remove_tree(in_base("warm"));
    }
}

/* ---- schedules ---- */

static double limited(double x)
{
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

static void paper(double factor[2], uint32_t epoch, uint32_t epochs)
{
    const double x = (double)epoch / epochs;
    factor[0] = x <= 0.5 ? 1 : sin(pi * x);
    factor[1] = limited(3 * x - 1);
}

/* Three cycles of five epochs. */
static void cyclical(double factor[2], uint32_t epoch, uint32_t epochs)
{
    assert_int_equal(epochs, 15);
    const double x = epoch % 5 / 5.0;
    factor[0] = 0.5 * (1 + cos(pi * x));
    factor[1] = limited(3 * x - 1);
}

static void schedules_are_kept(void **state)
{
    (void)state;
    const struct {
        const char *name;
        uint32_t samples;
        void (*factor)(double factor[2], uint32_t epoch, uint32_t epochs);
    } table[] = {{"paper", 1, paper}, {"cyclical", 3, cyclical}};
    kelvin_run_config config = tiny();
    config.chains = 1;
    config.epochs = 15;
    config.temperature = 0.7;
    for (size_t i = 0; i < 2; i++) {
        double rate[15], temperature[15];
        config.samples = table[i].samples;
        config.schedule = config.temperature_schedule = table[i].name;
        whole_run(&config, "schedule", 1, 0);
        kelvin_run *run = run_of("schedule");
        read_column(rate, run, "schedule", 0, "lr", 15);
        read_column(temperature, run, "schedule", 0, "temperature", 15);
        kelvin_run_close(run);
        for (uint32_t epoch = 0; epoch < 15; epoch++) {
            double factor[2];
            table[i].factor(factor, epoch, 15);
            same_digits(rate[epoch], 0.01 * factor[0], "lr", epoch);
            /* 3 (k / 15) - 1 at k = 5 may be 0, or what the rounding of 1/3 leaves */
            assert_near(temperature[epoch], config.temperature * factor[1], 1e-9);
        }
        remove_tree(in_base("schedule"));
    }
}

/* ---- a chain that does not move ---- */

/* What a network says of the training data, in double from its logits. */
struct plain {
    double accuracy, confidence, range, log_likelihood;
};

static struct plain plain_sums(const float *logits, const int32_t *y, size_t n, size_t classes)
{
    struct plain sum = {0};
    for (size_t i = 0; i < n; i++, logits += classes) {
        size_t first = 0;
        double highest = -INFINITY, lowest = INFINITY, total = 0;
        for (size_t k = 0; k < classes; k++) {
            if ((double)logits[k] > highest) first = k;
            highest = fmax(highest, (double)logits[k]);
            lowest = fmin(lowest, (double)logits[k]);
        }
        for (size_t k = 0; k < classes; k++) total += exp((double)logits[k] - highest);
        sum.accuracy += (first == (size_t)y[i]) / (double)n;
        sum.confidence += 1 / total / (double)n;
        sum.range = fmax(sum.range, highest - lowest);
        sum.log_likelihood += (double)logits[y[i]] - highest - log(total);
    }
    return sum;
}

static double log_prior(const kelvin_run *run, const float *theta)
{
    kelvin_prior prior;
    const size_t n = run->model->n_params;
    double *wide = kelvin_alloc(n, sizeof *wide);
    assert_non_null(wide);
    assert_ok(kelvin_prior_parse(&prior, run->config.prior));
    for (size_t i = 0; i < n; i++) wide[i] = (double)theta[i];
    const double logp = kelvin_prior_eval(&prior, NULL, wide, n);
    kelvin_free(wide);
    return logp;
}

/* |v|^2 / n of the momenta at the start. */
static double first_kinetic(const kelvin_run *run, uint32_t chain)
{
    const size_t n = run->model->n_params;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        const kelvin_random where = {run->config.seed, chain, 0, KELVIN_STREAM_MOMENTUM};
        const double v = kelvin_normal(where, i);
        sum += v * v / (double)n;
    }
    return sum;
}

/* What is told of the network at theta, which is where every row of a chain is. */
static void same_network(const kelvin_run *run, const char *name, uint32_t chain, const float *theta,
                         const float *logits)
{
    enum { ROWS = 3 };
    const struct plain sum = plain_sums(logits, run->data->train.y, run->data->train.n, run->data->classes);
    const double logp = sum.log_likelihood + log_prior(run, theta);
    double accuracy[ROWS], confidence[ROWS], range[ROWS], log_posterior[ROWS];
    read_column(accuracy, run, name, chain, "training_accuracy", ROWS);
    read_column(confidence, run, name, chain, "confidence", ROWS);
    read_column(range, run, name, chain, "logit_range", ROWS);
    read_column(log_posterior, run, name, chain, "log_posterior", ROWS);
    for (uint32_t row = 0; row < ROWS; row++) {
        assert_near(accuracy[row], sum.accuracy, 1e-8);
        assert_near(confidence[row], sum.confidence, 1e-6);
        assert_near(range[row], sum.range, 1e-6 * sum.range);
        assert_near(log_posterior[row], logp, 1e-6 * fabs(logp));
    }
}

/* Without gradient and noise v shrinks by m = 0.9 in each of the four steps of an epoch. */
static void shrinking_momentum(const kelvin_run *run, uint32_t chain)
{
    const double v = first_kinetic(run, chain);
    double column[3];
    read_column(column, run, "still", chain, "kinetic_temperature", 3);
    for (uint32_t epoch = 0; epoch < 3; epoch++) {
        double kinetic = 0;
        for (uint32_t t = 4 * epoch + 1; t <= 4 * epoch + 4; t++) kinetic += pow(0.9, 2 * t) * v / 4;
        assert_near(column[epoch], 0.5 * 1.9 * kinetic, 1e-6 * kinetic);
    }
}

/* Four batches make up all the data, so that the mean of the estimates is the log-posterior itself; of all data every
 * iteration tells it. Floats have 24 bits: sums of some hundred terms are good to 1e-6. */
static void a_chain_that_stands_still(void **state)
{
    (void)state;
    for (size_t s = 0; s < samplers(); s++) {
        const kelvin_sampler_type *type = kelvin_sampler_info(s);
        kelvin_run_config config = tiny_by(type);
        config.model = "mlp:8,leak=0.01"; /* without dead units, whose ties 1e-17 would break */
        config.density = "categorical";
        config.epochs = config.iterations = 3;
        config.warmup = 1;
        config.batch = 15;
        config.schedule = config.temperature_schedule = "constant";
        if (type->anneals) config.temperature = 0;
        set(&config, type->batches ? "lr" : "step_size", 1e-30);
        if (type->batches) set(&config, "momentum", 0.9);
        whole_run(&config, "still", 2, 0);
        kelvin_run *run = run_of("still");
        const size_t n = run->data->train.n, classes = run->data->classes;
        float *theta = kelvin_alloc(run->model->n_params, sizeof *theta);
        float *logits = kelvin_alloc(n * classes, sizeof *logits);
        kelvin_posterior *all = posterior_of(run, 0);
        for (uint32_t chain = 0; chain < config.chains; chain++) {
            start_of(theta, run, chain);
            kelvin_posterior_logits(all, logits, theta);
            same_network(run, "still", chain, theta, logits);
            if (type->batches) shrinking_momentum(run, chain);
        }
        kelvin_posterior_destroy(all);
        kelvin_free(theta);
        kelvin_free(logits);
        kelvin_run_close(run);
        remove_tree(in_base("still"));
    }
}

/* ---- logits ---- */

/* Rows of a file in the order of chains and their samples, warm-up left out. */
static void right_logits(const kelvin_run_config *config)
{
    whole_run(config, "logits", 2, 0);
    kelvin_run *run = run_of("logits");
    const size_t classes = run->data->classes, n = run->data->train.n, shape[3] = {6, n, classes};
    const uint32_t warmup = kelvin_run_warmup(run);
    float *file = kelvin_alloc(6 * n * classes, sizeof *file), *logits = kelvin_alloc(n * classes, sizeof *logits);
    assert_ok(read_logits(file, in_base("logits/logits_train.npy"), shape));
    kelvin_posterior *all = posterior_of(run, 0);
    for (uint32_t i = 0; i < 6; i++) {
        float *theta = draw_of(run, "logits", i / 3, warmup + i % 3);
        kelvin_posterior_logits(all, logits, theta);
        assert_memory_equal(file + i * n * classes, logits, n * classes * sizeof *logits);
        kelvin_free(theta);
    }
    const size_t test_shape[3] = {6, run->data->test.n, classes};
    assert_int_equal(run->data->test.n, 15);
    assert_ok(read_logits(file, in_base("logits/logits_test.npy"), test_shape));
    kelvin_posterior_destroy(all);
    kelvin_free(file);
    kelvin_free(logits);
    kelvin_run_close(run);
    remove_tree(in_base("logits"));
}

static void logits_are_of_the_samples(void **state)
{
    (void)state;
    for (size_t s = 0; s < samplers(); s++) {
        kelvin_run_config config = tiny_by(kelvin_sampler_info(s));
        config.chains = 2;
        config.samples = 6;
        config.schedule = config.temperature_schedule = "constant";
        config.iterations = 5;
        config.warmup = 2;
        right_logits(&config);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_by_hand),
        cmocka_unit_test(warmup_is_marked),
        cmocka_unit_test(schedules_are_kept),
        cmocka_unit_test(a_chain_that_stands_still),
        cmocka_unit_test(logits_are_of_the_samples),
    };
    return cmocka_run_group_tests(tests, make_table, remove_base);
}
