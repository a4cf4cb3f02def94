/* kelvin-bench: the table of benchmarks, and how their results are printed. */
#include "bench/bench.h"
#include "base/suggest.h"
#include "base/threads.h"
#include "cli/json.h"
#include "cli/program.h"

#include <kelvin/family.h>
#include <kelvin/ranks.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The first is the default. */
static const struct benchmark *const benchmarks[] = {&leapfrog_benchmark, &data_benchmark, &tables_benchmark};
enum { BENCHMARKS = sizeof benchmarks / sizeof *benchmarks, MOST_CHAINS = 1024 };

#define OF(field) offsetof(struct bench_settings, field)

static const struct option options[] = {
    {"quick", 0, NULL, OPTION_FLAG, OF(quick), "leapfrog: leave out the two posteriors in full; MODEL: measure briefly",
     NULL},
    {"threads", 0, "N", OPTION_SIZE, OF(threads), "leapfrog: for the two posteriors; MODEL: for a step", "one per CPU"},
    {"chains", 0, "N", OPTION_SIZE, OF(chains), "MODEL: also N independent chains at once, on one thread each", "none"},
    {"methods", 0, NULL, OPTION_FLAG, OF(methods), "MODEL: every convolution by every method, and its error", NULL},
    {"json", 0, NULL, OPTION_FLAG, OF(json), "print JSON instead of a table", NULL},
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

double bench_best(void (*work)(void *context), void *context, double seconds)
{
    const double burst = 1e-3; /* long enough to be timed */
    double best = HUGE_VAL, left = seconds;
    for (size_t calls = 1; left > 0;) {
        const double start = kelvin_now();
        for (size_t i = 0; i < calls; i++) work(context);
        const double took = kelvin_now() - start;
        left -= took;
        if (took < burst && left > 0)
            calls *= 2;
        else if (took / (double)calls < best)
            best = took / (double)calls;
    }
    return best;
}

struct peak {
    const struct kelvin_kernels *kernels;
    size_t rounds;
};

static kelvin_status multiply_and_add(void *context, size_t task)
{
    const struct peak *peak = context;
    (void)task;
    peak->kernels->fma_peak(peak->rounds);
    return KELVIN_OK;
}

kelvin_status bench_peak(double *gflops, const struct kelvin_kernels *kernels, size_t threads)
{
    enum { ROUNDS = 1000 };
    /* On a busy machine the scheduler cuts in every few milliseconds: a core's best needs bursts shorter than that.
     * Those of several threads must be long beside the time that it takes to wake them. */
    const double burst = threads == 1 ? 1e-3 : 4e-3;
    const int bursts = threads == 1 ? 200 : 50;
    const double flops_per_round = kernels->fma_peak(ROUNDS) / ROUNDS;
    struct peak peak = {kernels, ROUNDS};
    kelvin_pool *pool;
    kelvin_status status = kelvin_pool_create(&pool, threads);
    double best = 0;
    for (int i = 0; i < bursts && !status;) {
        const double start = kelvin_now();
        status = kelvin_pool_run(pool, multiply_and_add, &peak, threads);
        const double seconds = kelvin_now() - start;
        if (seconds < burst) { /* too short to be timed */
            peak.rounds *= 2;
            continue;
        }
        best = fmax(best, flops_per_round * (double)peak.rounds / seconds);
        i++;
    }
    kelvin_pool_destroy(pool);
    *gflops = best / 1e9;
    return status;
}

double bench_resident_mb(const char *name)
{
    char line[128], format[32];
    double kib = NAN;
    FILE *file = fopen("/proc/self/status", "r");
    snprintf(format, sizeof format, "%s: %%lf kB", name);
    while (file && fgets(line, sizeof line, file) && sscanf(line, format, &kib) != 1) continue;
    if (file) fclose(file);
    return kib * 1024 / 1e6;
}

static bool has_aim(const struct bench_results *results, const struct bench_row *row)
{
    return results->aims && row->aim > 0;
}

/* Counts with all their digits, measurements with few. */
static json_t *value_json(double x)
{
    return fabs(x) < 0x1p53 && floor(x) == x ? json_integer((json_int_t)x) : json_number(x);
}

static json_t *results_json(const struct benchmark *benchmark, const struct bench_results *results, kelvin_isa isa)
{
    json_t *object = json_pack("{s:s, s:s, s:s, s:I, s:s}", "kelvin", KELVIN_VERSION, "cpu", kelvin_cpu_name(), "isa",
                               kelvin_isa_name(isa), "threads", (json_int_t)results->threads, "data", results->data);
    json_t *aims = json_object();
    if (results->model) json_object_set_new(object, "model", json_string(results->model));
    for (size_t i = 0; i < benchmark->n_rows; i++) {
        const struct bench_row *row = &benchmark->rows[i];
        if (isnan(results->value[i])) continue;
        json_object_set_new(object, row->key, value_json(results->value[i]));
        if (has_aim(results, row))
            json_object_set_new(aims, row->key,
                                json_pack("{s:f, s:b}", "aim", row->aim, "met", results->value[i] <= row->aim));
    }
    if (json_object_size(aims) > 0) json_object_set(object, "aims", aims);
    if (results->layers) json_object_set(object, "layers", results->layers);
    json_decref(aims);
    return object;
}

static void print_row(const struct bench_results *results, const struct bench_row *row, double value)
{
    if (!row->title || isnan(value)) return;
    const double shown = row->factor * value;
    printf("%-28s %10.*f %s", row->title, shown < 1e4 ? row->digits : 0, shown, row->unit);
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
    if (results->layers) bench_layers_print(results->layers);
    return KELVIN_OK;
}

/* Benchmarks, then models; of a family such as resnetN the paper's. */
static bool benchmark_name(char name[KELVIN_NAME_SIZE], const void *context, size_t i)
{
    (void)context;
    if (i < BENCHMARKS) {
        snprintf(name, KELVIN_NAME_SIZE, "%s", benchmarks[i]->name);
        return true;
    }
    const kelvin_member *model = kelvin_family_member(kelvin_family_of("models"), i - BENCHMARKS);
    if (!model) return false;
    const size_t stem = strcspn(model->name, "N");
    snprintf(name, KELVIN_NAME_SIZE, "%.*s%s", (int)stem, model->name, model->name[stem] ? "20" : "");
    return true;
}

static const struct benchmark *find(const char *name)
{
    for (size_t i = 0; i < BENCHMARKS; i++)
        if (strcmp(benchmarks[i]->name, name) == 0) return benchmarks[i];
    return check_member("models", name) ? NULL : &network_benchmark;
}

static kelvin_status run(void *data, const struct arguments *arguments)
{
    struct bench_settings *settings = data;
    const struct kelvin_kernels *kernels;
    struct bench_results results = {0};
    settings->model = arguments->operand ? arguments->operand : benchmarks[0]->name;
    const struct benchmark *benchmark = find(settings->model);
    if (!benchmark) return kelvin_fail_unknown("benchmark", settings->model, benchmark_name, NULL);
    if (benchmark != &network_benchmark && (settings->chains || settings->methods))
        return kelvin_fail(KELVIN_EUSAGE, "--%s is for networks, as in: kelvin-bench resnet20 --%s; not for %s",
                           settings->methods ? "methods" : "chains", settings->methods ? "methods" : "chains 2",
                           benchmark->name);
    if (kelvin_rank_count() > 1 && benchmark != &network_benchmark)
        return kelvin_fail(KELVIN_EUSAGE, "several ranks are for networks, as in: mpirun -n 2 kelvin-bench resnet20");
    if (settings->chains > MOST_CHAINS)
        return kelvin_fail(KELVIN_EUSAGE, "--chains must be at most %d, not %zu", MOST_CHAINS, settings->chains);
    for (size_t i = 0; i < BENCH_ROWS; i++) results.value[i] = NAN;
    KELVIN_TRY(kelvin_kernels_get(&kernels));
    kelvin_status status = benchmark->measure(&results, settings, kernels);
    if (!status) status = print(benchmark, &results, settings->json, kernels->isa);
    json_decref(results.layers);
    return status;
}

static const struct command bench_command = {
    .name = "bench",
    .alone = true,
    .synopsis = "[leapfrog|data|MODEL] [OPTION]...",
    .about = "Measure the speed of the sampler, of a network, or of the data, also as a share of this CPU's measured "
             "peak",
    .details = "leapfrog (the default): one gradient is that of the 492-parameter network of figure 1 at its 18 "
               "points, without the log-density itself. The two posteriors are those of figure 1 in full: 6 chains x "
               "500 iterations x 10000 leapfrog steps.\n"
               "data: opening CIFAR-10 where it has been fetched, the built-in digits where not, and batches of 125 "
               "in random order, as they are and flipped and cropped as in the paper, on one core.\n"
               "MODEL (resnet20, cnn, mlp:20,20,20, ...): a step is the gradient of a batch of 125, fresh noise, and "
               "the update; forward is the log-density alone. Operations are counted as the direct method of "
               "convolution has them, so that a share of the peak can be above 100 %; the peak is one core's times "
               "the threads. Of residual networks, also each convolution on one core: direct, or Winograd's with "
               "tiles of 2 x 2 (winograd_2) or 4 x 4 pixels (winograd_4, with stride 2 winograd_s2).\n"
               "Sampling over the gradient is what a chain of kelvin sample takes beside the gradient of batches "
               "that are there: one chain on one thread, in CPU time, on as much noise as MNIST (cnn) or CIFAR-10 "
               "(resnetN, flipped and cropped) has, or the digits; with a checkpoint a minute, and the history of "
               "10000 epochs. Its parts are timed one by one.\n"
               "Under mpirun, MODEL measures steps whose batches all ranks share, --threads each, and what of them "
               "messages take.\n"
               "The best of many repetitions counts; on a busy machine, and with --quick, it still is a rough "
               "number.",
    .ranks = true,
    .operands = 1,
    .options = {options, sizeof options / sizeof *options, NULL},
    .settings_size = sizeof(struct bench_settings),
    .run = run,
};

static int run_alone(int argc, char **argv)
{
    return program_run_command(&bench_command, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    return program_main(run_alone, argc, argv);
}
