/* The plan for tables. Two layers of 10 to 40 units: with more rows and more classes there is more to learn. A short
 * run is as long as chains of such networks need to forget where they began: their slow directions are those that the
 * data say nothing of, which take as many epochs of batches of 125 whatever the number of rows is. */
#include "run/choose.h"

#include <math.h>
#include <stdio.h>

enum { BATCH = 125 };

static uint32_t between(double x, uint32_t least, uint32_t most)
{
    return x < least ? least : x > most ? most : (uint32_t)x;
}

/* Multiplications of one epoch, forward and back. */
static double work(const kelvin_data *data, double units)
{
    const double weights = (double)data->inputs * units + units * units + units * (double)data->classes;
    return 3 * weights * (double)data->train.n;
}

static void add(struct kelvin_plan *plan, double alpha, double scale, double narrow)
{
    plan->candidate[plan->candidates++] = (struct kelvin_candidate){alpha, scale, narrow};
}

/* The first one is taken where nothing can be tried, and where nothing else is clearly better: confident, and sparse,
 * so that columns count which the data ask for; many rows outweigh it, and settle sooner if it is narrower. One for
 * clean labels: alpha is halfway between that which prefers nothing and the one below which gradients mislead,
 * 1 - 2 / K. Of two classes a wide prior of parameters is as confident, and this one too much so. And a cautious one,
 * for few rows of few columns. */
static void list_sparse(struct kelvin_plan *plan, const kelvin_data *data, double confident)
{
    const size_t few = 500, many = 2000, per_column = 4;
    if (data->train.n < many)
        add(plan, 1, 8, 0.4);
    else
        add(plan, 1, 4, 0.2);
    if (data->classes > 2) add(plan, confident, 4, 0.2);
    if (data->train.n < few && data->train.n >= per_column * data->inputs) add(plan, 1, 2, 0);
}

/* Samplers that look at all data take steps of one size over long ways: heavy tails hold their chains up, and scales of
 * fan-in are tried instead. */
static void list_dense(struct kelvin_plan *plan, const kelvin_data *data, double confident)
{
    static const double scales[] = {2, 1, 0.5, 4};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++) add(plan, 1, scales[i], 0);
    if (data->classes > 2) add(plan, confident, 2, 0);
    if (data->classes > 2) add(plan, confident, 4, 0);
}

/* A part is held out until some hundred rows were: of few rows each one counts. */
static size_t folds(size_t rows)
{
    const size_t enough = 500, fewest = 8, most = KELVIN_DEALS * KELVIN_FOLDS;
    if (rows < fewest) return 0;
    const size_t n = (enough * KELVIN_FOLDS + rows - 1) / rows;
    return n > most ? most : n;
}

void kelvin_plan_table(struct kelvin_plan *plan, const kelvin_data *data, bool batches)
{
    const double rows = (double)data->train.n, affordable = 8e10 + 1.5e7 * rows, steps = 1200;
    const double wider = fmax(1, cbrt(rows / 500)) * (1 + ((double)data->classes - 2) / 3);
    const double units = between(5 * ceil(2 * wider - 1e-9), 10, 40);
    const uint32_t batch = data->train.n < BATCH ? (uint32_t)data->train.n : BATCH;
    *plan = (struct kelvin_plan){.schedule = "steady",
                                 .augment = "none",
                                 .batch = batch,
                                 .chains = 4,
                                 .draws = 32,
                                 .lr = 0.1,
                                 .folds = folds(data->train.n),
                                 .why = "for a table of its size"};
    snprintf(plan->model, sizeof plan->model, "mlp:%.0f,%.0f", units, units);
    (batches ? list_sparse : list_dense)(plan, data, 1 - 1 / (double)data->classes);
    const double epochs = between(steps / floor(rows / batch), 60, 400);
    plan->trial = between(fmin(epochs, affordable / 40 / work(data, units)), 20, 400);
    plan->epochs = between(4.0 * plan->trial, 40, 10000);
    plan->most_epochs = between(fmin(60.0 * plan->trial, affordable / plan->chains / work(data, units)), 80, 10000);
    if (plan->most_epochs < plan->epochs) plan->most_epochs = plan->epochs;
}
