/* kelvin bench: how fast the hot loop is, and how much of what this CPU can do that is.
 *
 * A gradient of the 492-parameter network at 18 points counts two operations per multiply-add: 440 multiply-adds
 * forward, 420 back to the activations (the first layer's inputs need none) and 440 to the weights, per point. */
#include "cli/command.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cli/suggest.h"
#include "figures/toy_posteriors.h"
#include "kernels/kernels.h"

#include <kelvin/target.h>

#include <stdlib.h>
#include <string.h>

enum { REPETITIONS = 40, PEAK_REPETITIONS = 10 };

static const double repetition_seconds = 0.02; /* whatever the build: a sanitizer makes a gradient 30 times slower */

static const double flops_per_point = 2 * (440 + 420 + 440);

struct settings {
    size_t threads;
    bool quick, json;
};

#define AT(field) offsetof(struct settings, field)

static const struct option options[] = {
    {"quick", 0, NULL, OPTION_FLAG, AT(quick), "leave out the two posteriors in full", NULL},
    {"threads", 0, "N", OPTION_SIZE, AT(threads), "threads for the two posteriors", "one per CPU"},
    {"json", 0, NULL, OPTION_FLAG, AT(json), "print JSON instead of a table", NULL},
};

struct results {
    double fma_peak_gflops, us_per_gradient, us_per_gradient_median, gflops, share_of_peak;
    double us_per_leapfrog_step, gradients_per_step, both_posteriors_seconds;
};

/* What is being measured: a target that counts its calls, and room for one chain. */
struct bench {
    kelvin_data *data;
    kelvin_model *model;
    kelvin_posterior *posterior;
    kelvin_target inner; /* the posterior */
    size_t calls;
    uint32_t per_repetition; /* gradients that fill repetition_seconds */
    float *start, *theta, *momentum, *grad;
};

static void counted(void *context, double *logp, float *grad, const float *theta)
{
    struct bench *bench = context;
    bench->calls++;
    bench->inner.eval(bench->inner.context, logp, grad, theta);
}

static kelvin_status set_up(struct bench *b, const struct kelvin_kernels *kernels)
{
    const kelvin_random where = {.seed = 1, .stream = KELVIN_STREAM_INIT};
    kelvin_density density;
    kelvin_prior prior;
    KELVIN_TRY(kelvin_density_parse(&density, "dirclip:0.6,-50"));
    KELVIN_TRY(kelvin_prior_parse(&prior, "normal:1"));
    KELVIN_TRY(kelvin_data_open(&b->data, "toy"));
    KELVIN_TRY(kelvin_model_create(&b->model, "mlp:10,10,10,10,10", b->data->inputs, b->data->classes));
    KELVIN_TRY(kelvin_posterior_create(&b->posterior, b->model, &density, &prior, b->data));
    b->inner = kelvin_posterior_target(b->posterior);
    const size_t stride = (b->model->n_params + 15) / 16 * 16; /* each vector aligned, as in the sampler */
    b->start = kelvin_alloc(4 * stride, sizeof *b->start);
    if (!b->start) return KELVIN_ENOMEM;
    b->theta = b->start + stride;
    b->momentum = b->theta + stride;
    b->grad = b->momentum + stride;
    kernels->normals(b->start, b->model->n_params, where);
    return KELVIN_OK;
}

static void tear_down(struct bench *b)
{
    kelvin_free(b->start);
    kelvin_posterior_destroy(b->posterior);
    kelvin_model_destroy(b->model);
    kelvin_data_close(b->data);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The machine's multiply-adds per second: the best of a few bursts, for others may run beside us. */
static double measure_peak(const struct kelvin_kernels *kernels)
{
    size_t rounds = 1000;
    double best = 0;
    for (int i = 0; i < PEAK_REPETITIONS;) {
        const double start = kelvin_now();
        const double flops = kernels->fma_peak(rounds);
        const double seconds = kelvin_now() - start;
        if (seconds < 0.02) { /* too short to be timed */
            rounds *= 2;
            continue;
        }
        if (flops / seconds > best) best = flops / seconds;
        i++;
    }
    return best / 1e9;
}

static double gradient_seconds(const struct bench *b, size_t calls)
{
    const double start = kelvin_now();
    for (size_t i = 0; i < calls; i++) b->inner.eval(b->inner.context, NULL, b->grad, b->start);
    return kelvin_now() - start;
}

static void measure_gradient(struct results *r, struct bench *b)
{
    double microseconds[REPETITIONS];
    b->per_repetition = 1;
    while (gradient_seconds(b, b->per_repetition) < repetition_seconds) b->per_repetition *= 2;
    for (size_t i = 0; i < REPETITIONS; i++)
        microseconds[i] = gradient_seconds(b, b->per_repetition) / (double)b->per_repetition * 1e6;
    qsort(microseconds, REPETITIONS, sizeof *microseconds, ascending);
    r->us_per_gradient = microseconds[0];
    r->us_per_gradient_median = microseconds[REPETITIONS / 2];
    r->gflops = flops_per_point * (double)b->data->train.n / r->us_per_gradient / 1e3;
    r->share_of_peak = r->gflops / r->fma_peak_gflops;
}

/* Trajectories from the same place, with the same momentum. */
static kelvin_status leapfrog(struct bench *b, const kelvin_target *target, const struct kelvin_kernels *kernels)
{
    const kelvin_random where = {.seed = 1, .stream = KELVIN_STREAM_MOMENTUM};
    memcpy(b->theta, b->start, target->n * sizeof *b->theta);
    kernels->normals(b->momentum, target->n, where);
    b->inner.eval(b->inner.context, NULL, b->grad, b->theta);
    return kelvin_leapfrog(target, b->theta, b->momentum, b->grad, 5e-5f, 1, b->per_repetition);
}

static kelvin_status measure_leapfrog(struct results *r, struct bench *b, const struct kelvin_kernels *kernels)
{
    const kelvin_target counting = {b->inner.n, counted, b};
    KELVIN_TRY(leapfrog(b, &counting, kernels));
    r->gradients_per_step = (double)b->calls / (double)b->per_repetition;
    for (size_t i = 0; i < REPETITIONS; i++) {
        const double start = kelvin_now();
        KELVIN_TRY(leapfrog(b, &b->inner, kernels));
        const double microseconds = (kelvin_now() - start) / (double)b->per_repetition * 1e6;
        if (i == 0 || microseconds < r->us_per_leapfrog_step) r->us_per_leapfrog_step = microseconds;
    }
    return KELVIN_OK;
}

static kelvin_status measure_posteriors(struct results *r, size_t threads)
{
    struct progress progress;
    const struct figure_watch watch = progress_watch(&progress);
    const struct figure_options figure = {.scale = FIGURE_PAPER, .threads = threads, .watch = &watch};
    kelvin_run *runs[TOY_POSTERIORS];
    progress_catch_signals();
    const double start = kelvin_now();
    const kelvin_status status = toy_posteriors_sample(runs, &figure);
    r->both_posteriors_seconds = kelvin_now() - start;
    for (size_t i = 0; i < TOY_POSTERIORS; i++) kelvin_run_close(runs[i]);
    return status;
}

static kelvin_status measure(struct results *r, const struct settings *settings, const struct kelvin_kernels *kernels)
{
    struct bench bench = {0};
    kelvin_status status = set_up(&bench, kernels);
    if (!status) {
        r->fma_peak_gflops = measure_peak(kernels);
        measure_gradient(r, &bench);
        status = measure_leapfrog(r, &bench, kernels);
    }
    tear_down(&bench);
    if (!status && !settings->quick) status = measure_posteriors(r, settings->threads);
    return status;
}

static const struct {
    const char *key, *title, *unit;
    int digits;
    double factor;
    size_t offset;
} rows[] = {
#define ROW(key, ...)                                                                                                  \
    {                                                                                                                  \
#key, __VA_ARGS__, offsetof(struct results, key)                                                               \
    }
    ROW(fma_peak_gflops, "FMA peak of one core", "GFLOP/s", 1, 1),
    ROW(us_per_gradient, "gradient, best", "us", 4, 1),
    ROW(us_per_gradient_median, "gradient, median", "us", 4, 1),
    ROW(gflops, "gradient, speed", "GFLOP/s", 1, 1),
    ROW(share_of_peak, "gradient, share of the peak", "%", 1, 100),
    ROW(us_per_leapfrog_step, "leapfrog step, best", "us", 4, 1),
    ROW(gradients_per_step, "gradients per leapfrog step", "", 2, 1),
    ROW(both_posteriors_seconds, "both posteriors of figure 1", "s", 1, 1), /* the last: --quick leaves it out */
#undef ROW
};

static double value(const struct results *results, size_t row)
{
    return *(const double *)(const void *)((const char *)results + rows[row].offset);
}

static kelvin_status print(const struct results *results, const struct settings *settings, kelvin_isa isa)
{
    const size_t threads = settings->threads ? settings->threads : kelvin_cpu_count();
    const size_t n = sizeof rows / sizeof *rows - settings->quick;
    if (settings->json) {
        json_t *object = json_pack("{s:s, s:s, s:I}", "cpu", kelvin_cpu_name(), "isa", kelvin_isa_name(isa), "threads",
                                   (json_int_t)threads);
        for (size_t i = 0; i < n; i++) json_object_set_new(object, rows[i].key, json_number(value(results, i)));
        return print_json(stdout, object);
    }
    printf("%s, %s; gradients on one core, posteriors on %zu threads\n\n", kelvin_cpu_name(), kelvin_isa_name(isa),
           threads);
    for (size_t i = 0; i < n; i++)
        printf("%-28s %10.*f %s\n", rows[i].title, rows[i].digits, rows[i].factor * value(results, i), rows[i].unit);
    return KELVIN_OK;
}

static bool benchmark_name(char name[NAME_SIZE], const void *context, size_t i)
{
    (void)context;
    snprintf(name, NAME_SIZE, "hmc");
    return i == 0;
}

static kelvin_status run(void *data, const struct arguments *arguments)
{
    const struct settings *settings = data;
    const struct kelvin_kernels *kernels;
    struct results results = {0};
    if (arguments->operand && strcmp(arguments->operand, "hmc") != 0)
        return fail_unknown("benchmark", arguments->operand, benchmark_name, NULL);
    KELVIN_TRY(kelvin_kernels_get(&kernels));
    KELVIN_TRY(measure(&results, settings, kernels));
    return print(&results, settings, kernels->isa);
}

const struct command bench_command = {
    .name = "bench",
    .synopsis = "[hmc] [OPTION]...",
    .about = "Measure the speed of the sampler, also as a share of this CPU's measured peak",
    .details = "One gradient is that of the 492-parameter network of figure 1 at its 18 points, without the "
               "log-density itself. The two\n"
               "posteriors are those of figure 1 in full: 6 chains x 500 iterations x 10000 leapfrog steps.",
    .operand = "BENCHMARK",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .settings_size = sizeof(struct settings),
    .run = run,
};
