/* Whatever allocation fails, the answer is a status with a sentence, and nothing is lost (the sanitizers look for
 * leaks). */
#include "run_helpers.h"

#include "density/density.h"

/* What a run says: its metrics, and whether to believe them. */
static kelvin_status conclude(kelvin_run *run)
{
    kelvin_metrics *metrics = NULL;
    kelvin_samples *samples = NULL;
    kelvin_logits *logits = NULL;
    kelvin_diagnosis *diagnosis = NULL;
    kelvin_history history = {0};
    kelvin_status st = kelvin_samples_of(&samples, run);
    if (!st) st = kelvin_logits_of_side(&logits, samples, KELVIN_TRAIN, 2);
    if (!st) st = kelvin_evaluate(&metrics, logits, &(kelvin_evaluate_options){.threads = 2});
    if (!st) st = kelvin_diagnose(&diagnosis, samples, 2);
    if (!st) st = kelvin_history_read(&history, samples, 1);
    assert_true(st == KELVIN_OK || !metrics || !diagnosis || !history.values); /* what failed is not handed out */
    kelvin_history_free(&history);
    kelvin_diagnosis_free(diagnosis);
    kelvin_metrics_free(metrics);
    kelvin_logits_close(logits);
    kelvin_samples_close(samples);
    return st;
}

/* A whole small run: made, sampled, concluded from. */
static kelvin_status whole_run(void *context)
{
    const kelvin_run_config config = small_by(context);
    kelvin_run *run = NULL;
    kelvin_status st = kelvin_run_begin(&run, &config, NULL);
    assert_true(st == KELVIN_OK || run == NULL);
    if (!st) st = kelvin_run_sample(&run, 1, &(kelvin_run_options){.threads = 2, .checkpoint = 60}, NULL, NULL);
    if (!st) st = conclude(run);
    kelvin_run_close(run);
    return st;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    const kelvin_sampler_type *type;
    for (size_t i = 0; (type = kelvin_sampler_info(i)); i++)
        assert_true(without_memory(whole_run, (void *)type->member.name) > 30);
}

/* A network by itself, and one whose batches are shared by threads. */
static kelvin_status whole_posterior(void *context)
{
    kelvin_model *model = NULL;
    kelvin_weights *weights = NULL;
    kelvin_net *net = NULL;
    kelvin_posterior *posterior = NULL;
    kelvin_density density;
    kelvin_status st = kelvin_density_parse(&density, "categorical");
    if (!st) st = kelvin_model_create(&model, context, (kelvin_shape){1, 8, 8}, 3);
    if (!st) st = kelvin_weights_create(&weights, model);
    if (!st) st = kelvin_net_create(&net, model);
    const kelvin_posterior_options options = {.batch = 50, .threads = 3, .total = 100};
    if (!st) st = kelvin_posterior_make(&posterior, model, &density, NULL, NULL, &options);
    assert_true(st == KELVIN_OK || posterior == NULL); /* what failed is not handed out */
    kelvin_posterior_destroy(posterior);
    kelvin_net_destroy(net);
    kelvin_weights_destroy(weights);
    kelvin_model_destroy(model);
    return st;
}

static void networks_may_find_no_memory(void **state)
{
    (void)state;
    static char mlp[] = "mlp:300,300", cnn[] = "cnn", resnet[] = "resnet8";
    char *const specs[] = {mlp, cnn, resnet};
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++)
        assert_true(without_memory(whole_posterior, specs[i]) > 30);
}

static kelvin_status posterior_of_data(void *context)
{
    kelvin_posterior *posterior = NULL;
    kelvin_density density;
    kelvin_data *data = NULL;
    kelvin_model *model = NULL;
    kelvin_status st = kelvin_density_parse(&density, "categorical");
    if (!st) st = kelvin_data_open(&data, "digits");
    if (!st) st = kelvin_model_create(&model, context, kelvin_data_shape(data), data->classes);
    if (!st) st = kelvin_posterior_make(&posterior, model, &density, NULL, data, NULL);
    assert_true(st == KELVIN_OK || posterior == NULL);
    kelvin_posterior_destroy(posterior);
    kelvin_model_destroy(model);
    kelvin_data_close(data);
    return st;
}

static void data_may_find_no_memory(void **state)
{
    (void)state;
    static char resnet[] = "resnet8";
    assert_true(without_memory(posterior_of_data, resnet) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail),
                                       cmocka_unit_test(networks_may_find_no_memory),
                                       cmocka_unit_test(data_may_find_no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
