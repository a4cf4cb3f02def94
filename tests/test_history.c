/* What a chain does and writes of it: the steps of the sampler one by one, from the start that the model says, and the
 * columns of history.csv against plain sums over the data. */
#include "chains_helpers.h"

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
    const kelvin_posterior_options options = {.batch = batch, .threads = 1};
    assert_ok(kelvin_posterior_create(&posterior, run->model, &density, &prior, run->data, &options));
    return posterior;
}

/* ---- steps ---- */

/* One epoch by hand; what the steps say is averaged into mean. */
static void epoch_by_hand(kelvin_sghmc *sghmc, kelvin_sghmc_info *mean, kelvin_posterior *posterior,
                          const kelvin_run *run, const kelvin_epoch *about)
{
    const kelvin_run_config *c = &run->config;
    const size_t n = run->data->train.n, batch = c->batch, steps = n / batch;
    uint32_t order[PART];
    float x[PART * 4];
    int32_t y[PART];
    *mean = (kelvin_sghmc_info){0};
    kelvin_data_order(order, n, about);
    for (size_t b = 0; b < steps; b++) {
        kelvin_data_gather(run->data, &run->data->train, x, y, order + b * batch, batch, about);
        assert_ok(kelvin_posterior_set_batch(posterior, x, y, batch));
        const kelvin_sghmc_info info =
            kelvin_sghmc_step(sghmc, c->lr, c->temperature, (uint32_t)(about->epoch * steps + b));
        mean->logp += info.logp / (double)steps;
        mean->gradient += info.gradient / (double)steps;
        mean->kinetic += info.kinetic / (double)steps;
        mean->configurational += info.configurational / (double)steps;
    }
}

/* One chain of the run by hand; its last parameters are the sample. */
static void chain_by_hand(const kelvin_run *run, const char *name, uint32_t chain)
{
    const kelvin_run_config *c = &run->config;
    float *theta = kelvin_alloc(run->model->n_params, sizeof *theta), *sample = sample_of(run, name, chain, 0);
    double *rows = kelvin_alloc(c->epochs * KELVIN_EPOCH_COLUMNS, sizeof *rows), *row = rows;
    assert_true(theta && rows);
    read_history(rows, name, chain, c->epochs);
    kelvin_posterior *posterior = posterior_of(run, c->batch);
    const kelvin_target target = kelvin_posterior_target(posterior);
    kelvin_sghmc *sghmc;
    const kelvin_sghmc_options options = {.momentum = c->momentum, .observations = (double)run->data->train.n};
    assert_ok(kelvin_sghmc_create(&sghmc, &target, &options, c->seed, chain));
    kelvin_model_init(run->model, theta, c->seed, chain);
    kelvin_sghmc_init(sghmc, theta, NULL);
    for (uint32_t epoch = 0; epoch < c->epochs; epoch++, row += KELVIN_EPOCH_COLUMNS) {
        kelvin_sghmc_info mean;
        epoch_by_hand(sghmc, &mean, posterior, run, &(kelvin_epoch){c->seed, chain, epoch, KELVIN_AUGMENT_NONE});
        assert_true(row[EPOCH] == epoch);
        same_digits(row[LOG_POSTERIOR], mean.logp, "log-posterior", epoch);
        same_digits(row[GRADIENT_NORM], mean.gradient, "gradient", epoch);
        same_digits(row[KINETIC], mean.kinetic, "kinetic temperature", epoch);
        same_digits(row[CONFIGURATIONAL], mean.configurational, "configurational temperature", epoch);
    }
    assert_memory_equal(kelvin_sghmc_theta(sghmc), sample, run->model->n_params * sizeof *theta);
    kelvin_sghmc_destroy(sghmc);
    kelvin_posterior_destroy(posterior);
    kelvin_free(theta);
    kelvin_free(sample);
    kelvin_free(rows);
}

/* One step of one epoch on all data; and batches that leave a rest over. Bit for bit. */
static void chains_by_hand(void **state)
{
    (void)state;
    kelvin_run_config config = tiny();
    config.schedule = config.temperature_schedule = "constant";
    config.temperature = 0.3;
    const uint32_t table[][2] = {{1, 60}, {1, 20}, {3, 25}, {5, 1}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        config.epochs = table[i][0];
        config.batch = table[i][1];
        whole_run(&config, "hand", 2, 0);
        kelvin_run *run = run_of("hand");
        assert_int_equal(run->data->train.n, 60);
        for (uint32_t chain = 0; chain < config.chains; chain++) chain_by_hand(run, "hand", chain);
        kelvin_run_close(run);
        remove_tree(in_base("hand"));
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
        double rows[15][KELVIN_EPOCH_COLUMNS];
        config.samples = table[i].samples;
        config.schedule = config.temperature_schedule = table[i].name;
        whole_run(&config, "schedule", 1, 0);
        read_history(rows[0], "schedule", 0, 15);
        for (uint32_t epoch = 0; epoch < 15; epoch++) {
            double factor[2];
            table[i].factor(factor, epoch, 15);
            same_digits(rows[epoch][RATE], config.lr * factor[0], "lr", epoch);
            /* 3 (k / 15) - 1 at k = 5 may be 0, or what the rounding of 1/3 leaves */
            assert_near(rows[epoch][TEMPERATURE], config.temperature * factor[1], 1e-9);
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

/* Four batches make up all the data, so that the mean of the estimates is the log-posterior itself. Without gradient
 * and noise v shrinks by m in each step. Floats have 24 bits: sums of some hundred terms are good to 1e-6. */
static void a_chain_that_stands_still(void **state)
{
    (void)state;
    kelvin_run_config config = tiny();
    config.model = "mlp:8,leak=0.01"; /* without dead units, whose ties 1e-17 would break */
    config.epochs = 3;
    config.batch = 15;
    config.lr = 1e-30;
    config.temperature = 0;
    config.momentum = 0.9;
    config.schedule = config.temperature_schedule = "constant";
    whole_run(&config, "still", 2, 0);
    kelvin_run *run = run_of("still");
    const size_t n = run->data->train.n, classes = run->data->classes;
    float *theta = kelvin_alloc(run->model->n_params, sizeof *theta);
    float *logits = kelvin_alloc(n * classes, sizeof *logits);
    kelvin_posterior *all = posterior_of(run, 0);
    for (uint32_t chain = 0; chain < config.chains; chain++) {
        double rows[3][KELVIN_EPOCH_COLUMNS];
        read_history(rows[0], "still", chain, 3);
        kelvin_model_init(run->model, theta, config.seed, chain);
        kelvin_posterior_logits(all, logits, theta);
        const struct plain sum = plain_sums(logits, run->data->train.y, n, classes);
        const double logp = sum.log_likelihood + log_prior(run, theta), v = first_kinetic(run, chain);
        for (uint32_t epoch = 0; epoch < 3; epoch++) {
            double kinetic = 0;
            for (uint32_t t = 4 * epoch + 1; t <= 4 * epoch + 4; t++) kinetic += pow(0.9, 2 * t) * v / 4;
            assert_near(rows[epoch][ACCURACY], sum.accuracy, 1e-8);
            assert_near(rows[epoch][CONFIDENCE], sum.confidence, 1e-6);
            assert_near(rows[epoch][LOGIT_RANGE], sum.range, 1e-6 * sum.range);
            assert_near(rows[epoch][LOG_POSTERIOR], logp, 1e-6 * fabs(logp));
            assert_near(rows[epoch][KINETIC], 0.5 * 1.9 * kinetic, 1e-6 * kinetic);
        }
    }
    kelvin_posterior_destroy(all);
    kelvin_free(theta);
    kelvin_free(logits);
    kelvin_run_close(run);
    remove_tree(in_base("still"));
}

/* ---- logits ---- */

/* Rows of a file in the order of chains and their samples. */
static void logits_are_of_the_samples(void **state)
{
    (void)state;
    kelvin_run_config config = tiny();
    config.chains = 2;
    config.samples = 6;
    config.schedule = config.temperature_schedule = "constant";
    whole_run(&config, "logits", 2, 0);
    kelvin_run *run = run_of("logits");
    const size_t classes = run->data->classes, n = run->data->train.n, shape[3] = {6, n, classes};
    float *file = kelvin_alloc(6 * n * classes, sizeof *file), *logits = kelvin_alloc(n * classes, sizeof *logits);
    assert_ok(kelvin_npy_read(file, in_base("logits/logits_train.npy"), shape));
    kelvin_posterior *all = posterior_of(run, 0);
    for (uint32_t i = 0; i < 6; i++) {
        float *theta = sample_of(run, "logits", i / 3, i % 3);
        kelvin_posterior_logits(all, logits, theta);
        assert_memory_equal(file + i * n * classes, logits, n * classes * sizeof *logits);
        kelvin_free(theta);
    }
    const size_t test_shape[3] = {6, run->data->test.n, classes};
    assert_int_equal(run->data->test.n, 15);
    assert_ok(kelvin_npy_read(file, in_base("logits/logits_test.npy"), test_shape));
    kelvin_posterior_destroy(all);
    kelvin_free(file);
    kelvin_free(logits);
    kelvin_run_close(run);
    remove_tree(in_base("logits"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chains_by_hand),
        cmocka_unit_test(schedules_are_kept),
        cmocka_unit_test(a_chain_that_stands_still),
        cmocka_unit_test(logits_are_of_the_samples),
    };
    return cmocka_run_group_tests(tests, make_table, remove_base);
}
