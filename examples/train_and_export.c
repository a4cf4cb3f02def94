/* A network that is trained and not sampled: at temperature 0, SGHMC is gradient descent with momentum, and its one
 * sample is the network. What is not set, such as the prior, which is its weight decay, is chosen from the data. The
 * network is written as safetensors, under the names that PyTorch's state dict would have.
 *
 *     cc train_and_export.c $(pkg-config --cflags --libs kelvin) -o train_and_export
 *     ./train_and_export
 *
 * It prints:
 *
 *     accuracy on 359 test images: 0.94
 *     network.safetensors: 9 arrays, 1 network
 */
#include <kelvin/kelvin.h>

#include <stdio.h>

static kelvin_status train(kelvin_run **run)
{
    static const char *const settings[][2] = {{"data", "digits"},     {"model", "mlp:50"}, {"sampler", "sghmc"},
                                              {"temperature", "0"},   {"chains", "1"},     {"epochs", "60"},
                                              {"schedule", "cosine"}, {"lr", "0.01"}};
    kelvin_config *config = NULL;
    kelvin_status status = kelvin_config_create(&config);
    for (size_t i = 0; !status && i < sizeof settings / sizeof *settings; i++)
        status = kelvin_config_set(config, settings[i][0], settings[i][1]);
    if (!status) status = kelvin_run_start(run, config, NULL); /* in memory */
    if (!status) status = kelvin_run_sample(run, 1, NULL, NULL, NULL);
    kelvin_config_destroy(config);
    return status;
}

static kelvin_status print_accuracy(kelvin_samples *samples)
{
    const kelvin_evaluate_options options = {0};
    kelvin_logits *logits = NULL;
    kelvin_metrics *metrics = NULL;
    kelvin_status status = kelvin_logits_of_side(&logits, samples, KELVIN_TEST, 0);
    if (!status) status = kelvin_evaluate(&metrics, logits, &options);
    if (!status)
        printf("accuracy on %zu test images: %.2f\n", kelvin_metrics_observations(metrics),
               kelvin_metrics_ensemble(metrics, kelvin_metric_find("accuracy")));
    kelvin_metrics_free(metrics);
    kelvin_logits_close(logits);
    return status;
}

int main(void)
{
    const kelvin_export_options options = {.format = "safetensors", .what = "posterior", .replace = true};
    kelvin_run *run = NULL;
    kelvin_samples *samples = NULL;
    kelvin_exported done;
    kelvin_status status = train(&run);
    if (!status) status = kelvin_samples_of(&samples, run);
    if (!status) status = print_accuracy(samples);
    if (!status) status = kelvin_export(&done, samples, "network.safetensors", &options);
    if (!status) printf("network.safetensors: %zu arrays, %zu network\n", done.arrays, done.chains * done.draws);
    if (status) fprintf(stderr, "%s\n", kelvin_error());
    kelvin_samples_close(samples);
    kelvin_run_close(run);
    return status != KELVIN_OK;
}
