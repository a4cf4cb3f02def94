/* At which temperature a run really was, in its last epochs (Wenzel et al. 2020, "How good is the Bayes posterior in
 * deep neural networks really?", appendix I): kinetic, |v|^2 / n, of momenta that follow the noise at once, and
 * configurational, -theta . grad / n, of parameters that may need the whole run. */
#include <kelvin/posterior.h>

#include "posterior/stats.h"
#include "run/chain.h"

#include <math.h>

enum { SHARE = 20 }; /* one epoch of so many, at the end */

/* Where the temperature comes and goes in cycles, it has been what it should be for a part of the last one alone. */
static size_t last_epochs(const kelvin_run_config *config)
{
    const kelvin_schedule *schedule;
    size_t epochs = config->epochs;
    if (config->temperature_schedule && !kelvin_schedule_parse(&schedule, config->temperature_schedule) &&
        schedule->repeats)
        epochs /= kelvin_cycles(config);
    return epochs < SHARE ? 1 : epochs / SHARE;
}

/* Mean of a column over the last n rows. */
static double column_mean(const kelvin_history *history, size_t n, const char *column)
{
    double mean = 0;
    for (size_t i = history->rows - n; i < history->rows; i++)
        mean += *kelvin_history_at(history, i, column) / (double)n;
    return mean;
}

struct chains {
    double *kinetic, *configurational; /* (chains) */
};

static kelvin_status read_chain(kelvin_temperatures *out, struct chains *c, const kelvin_samples *samples,
                                uint32_t chain)
{
    kelvin_history history;
    char lost[KELVIN_LOST];
    if (samples->diverged[chain]) return KELVIN_OK;
    KELVIN_TRY(kelvin_history_lost(lost, samples, chain));
    if (*lost) return KELVIN_OK; /* a note of the diagnosis says so */
    KELVIN_TRY(kelvin_history_open(&history, samples, chain));
    out->set = column_mean(&history, out->epochs, "temperature"); /* the same for all chains */
    c->kinetic[out->chains] = column_mean(&history, out->epochs, "kinetic_temperature");
    c->configurational[out->chains] = column_mean(&history, out->epochs, "configurational_temperature");
    out->chains++;
    kelvin_history_close(&history);
    return KELVIN_OK;
}

kelvin_status kelvin_temperatures_read(kelvin_temperatures *out, const kelvin_samples *samples)
{
    const size_t chains = samples->run->config.chains;
    *out = (kelvin_temperatures){.set = (double)NAN, .epochs = last_epochs(&samples->run->config)};
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
