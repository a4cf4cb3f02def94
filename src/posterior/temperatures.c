/* At which temperature a run really was (Wenzel et al. 2020, "How good is the Bayes posterior in deep neural networks
 * really?", appendix I): kinetic, of momenta that follow the noise at once, and configurational, -theta . grad / n, of
 * parameters that may need the whole run. */
#include "posterior/histories.h"
#include "posterior/stats.h"

#include <math.h>

enum { SHARE = 20 }; /* one epoch of so many, at the end */

/* Of batches a part at the end: the temperature comes up slowly, and where it comes and goes in cycles, it has been
 * what it should be for a part of the last one alone. Of all data, whatever is not warm-up. */
static size_t last_rows(const kelvin_run *run)
{
    const kelvin_schedule *schedule;
    size_t rows = kelvin_run_rows(run);
    if (!run->sampler->batches) return rows - kelvin_first_row(run);
    if (run->config.temperature_schedule && !kelvin_schedule_parse(&schedule, run->config.temperature_schedule) &&
        schedule->repeats)
        rows /= kelvin_run_draws(run);
    return rows < SHARE ? 1 : rows / SHARE;
}

/* A sampler may tell both temperatures, one or none. */
static bool is_measured(const kelvin_run *run)
{
    return kelvin_run_column(run, "kinetic_temperature") != SIZE_MAX ||
           kelvin_run_column(run, "configurational_temperature") != SIZE_MAX;
}

struct chains {
    double *kinetic, *configurational; /* (chains) */
};

/* Means of columns over n rows, from the first on that counts; not a number where there is no such column. */
struct means {
    size_t first, n;
    double set, kinetic, configurational;
};

static void add_row(void *context, const kelvin_history *one, size_t row)
{
    struct means *m = context;
    const struct {
        const char *name;
        double *mean;
    } columns[] = {{"temperature", &m->set},
                   {"kinetic_temperature", &m->kinetic},
                   {"configurational_temperature", &m->configurational}};
    for (size_t i = 0; i < sizeof columns / sizeof *columns && row >= m->first; i++) {
        const double *value = kelvin_history_at(one, 0, columns[i].name);
        *columns[i].mean += value ? *value / (double)m->n : (double)NAN;
    }
}

static kelvin_status read_chain(kelvin_temperatures *out, struct chains *c, const kelvin_samples *samples,
                                uint32_t chain)
{
    struct means means = {.first = kelvin_run_rows(samples->run) - out->rows, .n = out->rows};
    bool whole;
    KELVIN_TRY(kelvin_history_whole(&whole, samples, chain, add_row, &means));
    if (!whole) return KELVIN_OK;
    out->set = isnan(means.set) ? samples->run->config.temperature : means.set; /* the same for all chains */
    c->kinetic[out->chains] = means.kinetic;
    c->configurational[out->chains] = means.configurational;
    out->chains++;
    return KELVIN_OK;
}

kelvin_status kelvin_temperatures_read(kelvin_temperatures *out, const kelvin_samples *samples)
{
    const kelvin_run *run = samples->run;
    const kelvin_average unknown = {(double)NAN, (double)NAN};
    const size_t chains = run->config.chains;
    *out = (kelvin_temperatures){.set = (double)NAN, .kinetic = unknown, .configurational = unknown};
    if (!is_measured(run)) return KELVIN_OK;
    out->rows = last_rows(run);
    struct chains c = {.kinetic = kelvin_alloc(chains, sizeof *c.kinetic),
                       .configurational = kelvin_alloc(chains, sizeof *c.configurational)};
    kelvin_status status = c.kinetic && c.configurational ? KELVIN_OK : KELVIN_ENOMEM;
    for (uint32_t i = 0; i < chains && !status; i++) status = read_chain(out, &c, samples, i);
    if (!status) {
        out->kinetic = kelvin_averaged(c.kinetic, out->chains);
        out->configurational = kelvin_averaged(c.configurational, out->chains);
    }
    kelvin_free(c.kinetic);
    kelvin_free(c.configurational);
    return status;
}
