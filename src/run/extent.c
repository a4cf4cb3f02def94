/* How long a run is: steps, rows and draws of a chain, and the columns of its history.
 *
 * A sampler that looks at batches takes many steps in a row, which is an epoch, and a draw at the end of each cycle of
 * its schedule, which may let it settle first. One that looks at all data takes one step in a row, which is an
 * iteration, and a draw after each. */
#include "run/room.h"

#include <math.h>

const char *kelvin_run_row_name(const kelvin_run *run)
{
    return run->sampler->batches ? "epoch" : "iteration";
}

uint32_t kelvin_run_rows(const kelvin_run *run)
{
    return run->sampler->batches ? run->config.epochs : run->config.iterations;
}

/* A rest smaller than a batch is dropped. */
uint32_t kelvin_run_row_steps(const kelvin_run *run)
{
    return run->sampler->batches ? (uint32_t)(run->data->train.n / run->config.batch) : 1;
}

uint32_t kelvin_run_steps(const kelvin_run *run)
{
    return kelvin_run_row_steps(run) * kelvin_run_rows(run);
}

uint32_t kelvin_run_draws(const kelvin_run *run)
{
    return run->sampler->batches ? run->config.samples / run->config.chains : run->config.iterations;
}

uint32_t kelvin_run_warmup(const kelvin_run *run)
{
    return run->sampler->batches ? 0 : run->config.warmup;
}

/* Both schedules must be where they are to be. */
uint32_t kelvin_run_settling(const kelvin_run *run)
{
    const struct kelvin_run_owned *inside = kelvin_run_inside(run);
    if (!run->sampler->batches) return 0;
    const uint32_t rate = kelvin_schedule_settling(inside->schedule, run->config.epochs);
    const uint32_t temperature = kelvin_schedule_settling(inside->temperature_schedule, run->config.epochs);
    return rate > temperature ? rate : temperature;
}

uint32_t kelvin_run_draw_row(const kelvin_run *run, uint32_t draw)
{
    const uint32_t first = kelvin_run_settling(run);
    return first + kelvin_cycle_begin(draw + 1, kelvin_run_draws(run), kelvin_run_rows(run) - first) - 1;
}

/* Cycle c ends with row floor(c rows / draws): the largest c for which that is at most `rows`. */
uint32_t kelvin_run_draws_by(const kelvin_run *run, uint32_t rows)
{
    const uint32_t first = kelvin_run_settling(run);
    const uint64_t draws = kelvin_run_draws(run), all = kelvin_run_rows(run) - first;
    if (rows < first) return 0;
    rows -= first;
    const uint64_t taken = (((uint64_t)rows + 1) * draws + all - 1) / all - 1;
    return (uint32_t)(taken < draws ? taken : draws);
}

/* Some MB of them: so many files that a folder can be looked at, so few bytes that a checkpoint can have them. */
uint32_t kelvin_run_bundle_draws(const kelvin_run *run)
{
    enum { FLOATS = 1 << 20, MOST = 1 << 12 };
    if (kelvin_run_inside(run)->kept) return kelvin_run_draws(run); /* there are no files */
    const size_t fit = FLOATS / run->model->n_params;
    return fit < 1 ? 1 : fit > MOST ? MOST : (uint32_t)fit;
}

/* ---- columns ---- */

enum { DIGITS = 9 }; /* for people; a checkpoint has all of them */

static const kelvin_statistic epoch = {"epoch", "epoch", NULL, 0, 0, UINT32_MAX, .whole = true};
static const kelvin_statistic iteration = {"iteration", "iteration", NULL, 0, 0, UINT32_MAX, .whole = true};
static const kelvin_statistic warmup = {"warmup", NULL, NULL, 0, 0, 1, .whole = true};

/* Of every run, after these. */
static const kelvin_statistic common[] = {
    {"temperature", "temperature", NULL, 0, 0, INFINITY, .digits = DIGITS},
    {"training_accuracy", NULL, "train %5.1f %%", 100, 0, 1, .digits = DIGITS},
    {"confidence", NULL, "confidence %5.1f %%", 100, 0, 1, .digits = DIGITS},
    {"log_posterior", "lp", "log-posterior %9.2e", 0, -INFINITY, INFINITY, .digits = 0},
    {"logit_range", NULL, "logits %5.1f", 0, -INFINITY, INFINITY, .digits = DIGITS},
};

size_t kelvin_run_list_columns(const kelvin_statistic *columns[KELVIN_COLUMNS], const kelvin_run *run)
{
    const kelvin_sampler_type *type = run->sampler;
    size_t n = 0;
    columns[n++] = type->batches ? &epoch : &iteration;
    if (!type->batches) columns[n++] = &warmup;
    for (size_t i = 0; i < sizeof common / sizeof *common; i++) columns[n++] = &common[i];
    for (size_t i = 0; i < kelvin_count_statistics(type); i++) columns[n++] = &type->statistic[i];
    return n;
}

size_t kelvin_run_width(const kelvin_run *run)
{
    const kelvin_statistic *columns[KELVIN_COLUMNS];
    return kelvin_run_list_columns(columns, run);
}

size_t kelvin_run_find_column(const kelvin_run *run, const char *name)
{
    const kelvin_statistic *columns[KELVIN_COLUMNS];
    const size_t n = kelvin_run_list_columns(columns, run);
    for (size_t i = 0; i < n; i++)
        if (strcmp(columns[i]->name, name) == 0) return i;
    return SIZE_MAX;
}
