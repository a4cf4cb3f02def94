/* kelvin bench: the table of benchmarks, and how their results are printed. */
#include "cli/bench.h"
#include "cli/command.h"
#include "cli/report.h"
#include "cli/suggest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The first is the default. */
static const struct benchmark *const benchmarks[] = {&hmc_benchmark, &data_benchmark};
enum { BENCHMARKS = sizeof benchmarks / sizeof *benchmarks };

#define AT(field) offsetof(struct bench_settings, field)

static const struct option options[] = {
    {"quick", 0, NULL, OPTION_FLAG, AT(quick), "hmc: leave out the two posteriors in full", NULL},
    {"threads", 0, "N", OPTION_SIZE, AT(threads), "hmc: threads for the two posteriors", "one per CPU"},
    {"json", 0, NULL, OPTION_FLAG, AT(json), "print JSON instead of a table", NULL},
};

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

struct bench_times bench_times(double *seconds, size_t n)
{
    qsort(seconds, n, sizeof *seconds, ascending);
    return (struct bench_times){seconds[0], seconds[n / 2]};
}

static bool has_aim(const struct bench_results *results, const struct bench_row *row)
{
    return results->aims && row->aim > 0;
}

static json_t *results_json(const struct benchmark *benchmark, const struct bench_results *results, kelvin_isa isa)
{
    json_t *object = json_pack("{s:s, s:s, s:I, s:s}", "cpu", kelvin_cpu_name(), "isa", kelvin_isa_name(isa), "threads",
                               (json_int_t)results->threads, "data", results->data);
    json_t *aims = json_object();
    for (size_t i = 0; i < benchmark->n_rows; i++) {
        const struct bench_row *row = &benchmark->rows[i];
        if (isnan(results->value[i])) continue;
        json_object_set_new(object, row->key, json_number(results->value[i]));
        if (has_aim(results, row))
            json_object_set_new(aims, row->key,
                                json_pack("{s:f, s:b}", "aim", row->aim, "met", results->value[i] <= row->aim));
    }
    if (json_object_size(aims) > 0) json_object_set(object, "aims", aims);
    json_decref(aims);
    return object;
}

static void print_row(const struct bench_results *results, const struct bench_row *row, double value)
{
    if (!row->title || isnan(value)) return;
    printf("%-28s %10.*f %s", row->title, row->digits, row->factor * value, row->unit);
    if (has_aim(results, row))
        printf("   aim: at most %g %s, %s", row->factor * row->aim, row->unit, value <= row->aim ? "met" : "not met");
    putchar('\n');
}

static kelvin_status print(const struct benchmark *benchmark, const struct bench_results *results, bool json,
                           kelvin_isa isa)
{
    if (json) return print_json(stdout, results_json(benchmark, results, isa), FEW_DIGITS);
    printf("%s, %s; %s\n\n", kelvin_cpu_name(), kelvin_isa_name(isa), results->about);
    for (size_t i = 0; i < benchmark->n_rows; i++) print_row(results, &benchmark->rows[i], results->value[i]);
    return KELVIN_OK;
}

static bool benchmark_name(char name[NAME_SIZE], const void *context, size_t i)
{
    (void)context;
    if (i < BENCHMARKS) snprintf(name, NAME_SIZE, "%s", benchmarks[i]->name);
    return i < BENCHMARKS;
}

static kelvin_status run(void *data, const struct arguments *arguments)
{
    const struct bench_settings *settings = data;
    const char *name = arguments->operand ? arguments->operand : benchmarks[0]->name;
    const struct kelvin_kernels *kernels;
    struct bench_results results = {0};
    size_t i = 0;
    while (i < BENCHMARKS && strcmp(benchmarks[i]->name, name) != 0) i++;
    if (i == BENCHMARKS) return fail_unknown("benchmark", name, benchmark_name, NULL);
    for (size_t j = 0; j < BENCH_ROWS; j++) results.value[j] = NAN;
    KELVIN_TRY(kelvin_kernels_get(&kernels));
    KELVIN_TRY(benchmarks[i]->measure(&results, settings, kernels));
    return print(benchmarks[i], &results, settings->json, kernels->isa);
}

const struct command bench_command = {
    .name = "bench",
    .synopsis = "[hmc|data] [OPTION]...",
    .about = "Measure the speed of the sampler, also as a share of this CPU's measured peak, or that of the data",
    .details = "hmc (the default): one gradient is that of the 492-parameter network of figure 1 at its 18 points, "
               "without the\n"
               "log-density itself. The two posteriors are those of figure 1 in full: 6 chains x 500 iterations x "
               "10000 leapfrog steps.\n"
               "data: opening CIFAR-10 where it has been fetched, the built-in digits where not, and batches of 125 in "
               "random order,\n"
               "as they are and flipped and cropped as in the paper, on one core.",
    .operand = "BENCHMARK",
    .options = options,
    .n_options = sizeof options / sizeof *options,
    .settings_size = sizeof(struct bench_settings),
    .run = run,
};
