/* What a run has left in its folder: its configuration, its samples by the names of their tensors, how good they are on
 * the test data, and whether to believe them. The data set itself is not needed: the folder has what its answers need.
 *
 *     cc read_run.c $(pkg-config --cflags --libs kelvin) -lm -o read_run
 *     kelvin sample --sampler mclmc --model mlp:10 --chains 4 --iterations 500 -o read-run
 *     ./read_run read-run
 *
 * For that run it prints:
 *
 *     mlp:10 on toy by mclmc: 1400 samples of 4 chains
 *     layers.0.weight  20 numbers, in the root mean square 3
 *     layers.0.bias    10 numbers, in the root mean square 4
 *     layers.1.weight  20 numbers, in the root mean square 1
 *     layers.1.bias     2 numbers, in the root mean square 4
 *     accuracy on train: 0.9
 *     brier on train: 0.2
 *     advice: none
 */
#include <kelvin/kelvin.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Tensor by tensor: the root of the mean square over all samples. */
static kelvin_status print_tensors(kelvin_samples *samples)
{
    const kelvin_model *model = kelvin_run_model(kelvin_samples_run(samples));
    const size_t count = kelvin_samples_count(samples), n = kelvin_model_parameters(model);
    const size_t tensors = kelvin_model_tensors(model);
    float *theta = malloc(n * sizeof *theta);
    double *sum = calloc(tensors, sizeof *sum);
    kelvin_status status = theta && sum ? KELVIN_OK : kelvin_fail(KELVIN_ENOMEM, "memory is short");
    for (size_t i = 0; i < count && !status; i++) {
        status = kelvin_samples_read(samples, theta, i);
        for (size_t t = 0; t < tensors && !status; t++) {
            const kelvin_tensor *tensor = kelvin_model_tensor(model, t);
            for (size_t j = 0; j < kelvin_tensor_size(tensor); j++) sum[t] += pow(theta[tensor->offset + j], 2);
        }
    }
    for (size_t t = 0; t < tensors && !status; t++) {
        const kelvin_tensor *tensor = kelvin_model_tensor(model, t);
        printf("%-16s %2zu numbers, in the root mean square %.0f\n", tensor->name, kelvin_tensor_size(tensor),
               sqrt(sum[t] / (double)(count * kelvin_tensor_size(tensor))));
    }
    free(sum);
    free(theta);
    return status;
}

/* Some metrics of the ensemble; kelvin_metric_at() lists all. */
static kelvin_status print_metrics(kelvin_samples *samples)
{
    static const char *const names[] = {"accuracy", "brier"};
    const kelvin_evaluate_options options = {0};
    kelvin_logits *logits = NULL;
    kelvin_metrics *metrics = NULL;
    const char *on;
    kelvin_status status = kelvin_logits_on(&logits, &on, samples, NULL, 0); /* test data, or what else there is */
    if (!status) status = kelvin_evaluate(&metrics, logits, &options);
    for (size_t i = 0; !status && i < sizeof names / sizeof *names; i++)
        printf("%s on %s: %.1f\n", names[i], on, kelvin_metrics_ensemble(metrics, kelvin_metric_find(names[i])));
    kelvin_metrics_free(metrics);
    kelvin_logits_close(logits);
    return status;
}

/* Whether to believe it: the gravest advice, if there is any. Programs go by its code, people by its text. */
static kelvin_status print_advice(kelvin_samples *samples)
{
    kelvin_diagnosis *diagnosis = NULL;
    KELVIN_TRY(kelvin_diagnose(&diagnosis, samples, 0));
    const kelvin_advice *advice = kelvin_diagnosis_advice(diagnosis, 0);
    printf("advice: %s\n", advice ? advice->code : "none");
    kelvin_diagnosis_free(diagnosis);
    return KELVIN_OK;
}

int main(int argc, char **argv)
{
    kelvin_samples *samples = NULL;
    kelvin_status status = kelvin_samples_open(&samples, argc > 1 ? argv[1] : "read-run");
    if (!status) {
        const kelvin_run *run = kelvin_samples_run(samples);
        printf("%s on %s by %s: %zu samples of %u chains\n", kelvin_run_text(run, "model"),
               kelvin_run_text(run, "data"), kelvin_run_text(run, "sampler"), kelvin_samples_count(samples),
               kelvin_run_chains(run));
        status = print_tensors(samples);
    }
    if (!status) status = print_metrics(samples);
    if (!status) status = print_advice(samples);
    if (status) fprintf(stderr, "%s\n", kelvin_error());
    kelvin_samples_close(samples);
    return status != KELVIN_OK;
}
