/* kelvin-bench tables: what a step of SGHMC costs for a small network on tables of three sizes, and the bare gradient
 * of a batch in it. One chain on one thread. */
#include "bench/bench.h"

#include <kelvin/data.h>

#include <stdio.h>

enum { SIZES = 3, CLASSES = 3 };

static const char model[] = "mlp:20";
static const struct {
    size_t rows, columns;
} sizes[SIZES] = {{500, 10}, {1000, 30}, {2000, 60}};

enum { GRADIENT, STEP, STEPS_PER_S, OVERHEAD, EACH, ROWS = SIZES * EACH };

#define SIZE(i, size)                                                                                                  \
    [(i)*EACH + GRADIENT] = {"gradient_us_" size, size ": gradient of a batch", "us", 2, 1, 0},                        \
               [(i)*EACH + STEP] = {"step_us_" size, "  step, with ends of epochs", "us", 2, 1, 0},                    \
               [(i)*EACH + STEPS_PER_S] = {"steps_per_s_" size, "  steps per second", "", 0, 1, 0},                    \
               [(i)*EACH + OVERHEAD] = {"sampling_overhead_" size, "  sampling over the gradient", "%", 1, 100, 0}

static const struct bench_row rows[ROWS] = {SIZE(0, "500x10"), SIZE(1, "1000x30"), SIZE(2, "2000x60")};

/* Noise, with labels that follow from it. */
static kelvin_status make_table(kelvin_data **data, size_t n, size_t columns)
{
    float *x = kelvin_alloc(n * columns, sizeof *x);
    int32_t *y = kelvin_alloc(n, sizeof *y);
    kelvin_status status = KELVIN_ENOMEM;
    for (size_t i = 0; x && i < n * columns; i++) x[i] = (float)kelvin_normal((kelvin_random){.seed = 1}, i);
    for (size_t i = 0; x && y && i < n; i++) y[i] = (x[i * columns] > 0) + (x[i * columns + 1] > 0);
    if (x && y)
        status = kelvin_data_from_arrays(
            data, &(kelvin_arrays){
                      .rows = n, .columns = columns, .x = x, .labels = y, .classes = CLASSES, .split = -1});
    kelvin_free(x);
    kelvin_free(y);
    return status;
}

static kelvin_status measure(struct bench_results *results, const struct bench_settings *settings,
                             const struct kelvin_kernels *kernels)
{
    (void)kernels;
    snprintf(results->about, sizeof results->about, "steps of SGHMC, %s on tables, one chain on one core", model);
    results->data = "noise";
    results->threads = 1;
    for (size_t i = 0; i < SIZES; i++) {
        double *value = results->value + i * EACH;
        struct bench_sampling s;
        kelvin_data *data = NULL;
        KELVIN_TRY(make_table(&data, sizes[i].rows, sizes[i].columns));
        KELVIN_TRY(bench_sampling_on(&s, model, data, settings->quick)); /* the run closes the data */
        value[GRADIENT] = 1e6 * s.gradient;
        value[STEP] = 1e6 * (s.step + s.epoch_end);
        value[STEPS_PER_S] = 1 / (s.step + s.epoch_end);
        value[OVERHEAD] = s.overhead;
    }
    return KELVIN_OK;
}

const struct benchmark tables_benchmark = {"tables", rows, ROWS, measure};
