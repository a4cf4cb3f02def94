/* What histories say of the chains that came to their end: at which temperature a run really was (Wenzel et al. 2020,
 * "How good is the Bayes posterior in deep neural networks really?", appendix I), kinetic, of momenta that follow the
 * noise at once, and configurational, -theta . grad / n, of parameters that may need the whole run; and how often
 * proposals were accepted after the warm-up, and by how much energies were off. */
#include "posterior/advice.h"
#include "posterior/diagnosis.h"
#include "posterior/stats.h"

#include <math.h>

enum { SHARE = 20 }; /* one epoch of so many, at the end */

enum { SET, KINETIC, CONFIGURATIONAL, TEMPERATURES };
static const char *const columns[] = {"temperature", "kinetic_temperature", "configurational_temperature"};

struct look {
    size_t late, rows;         /* temperatures are of so many rows, from this one on */
    double mean[TEMPERATURES]; /* of one chain, over these; not a number where there is no such column */
    double *of[TEMPERATURES];  /* (chains), of those that came to their end */
    size_t warmup;
    size_t proposals, accepted; /* after it, of all chains */
    double *error;              /* (proposals); NULL: nothing is proposed */
};

/* Of batches a part at the end: the temperature comes up slowly, and where it comes and goes in cycles, it has been
 * what it should be for a part of the last one alone. Of all data, whatever is not warm-up. A sampler may tell both
 * temperatures, one or none, of which there are no rows. */
static size_t last_rows(const kelvin_run *run)
{
    const kelvin_schedule *schedule;
    size_t rows = kelvin_run_rows(run);
    if (kelvin_run_column(run, columns[KINETIC]) == SIZE_MAX &&
        kelvin_run_column(run, columns[CONFIGURATIONAL]) == SIZE_MAX)
        return 0;
    if (!run->sampler->batches) return rows - kelvin_run_warmup(run);
    if (run->config.temperature_schedule && !kelvin_schedule_parse(&schedule, run->config.temperature_schedule) &&
        schedule->repeats)
        rows /= kelvin_run_draws(run);
    return rows < SHARE ? 1 : rows / SHARE;
}

static void add_row(void *context, const kelvin_history *one, size_t row)
{
    struct look *look = context;
    const double *accepted = kelvin_history_at(one, 0, "accepted"), *error = kelvin_history_at(one, 0, "energy_error");
    for (size_t i = 0; i < TEMPERATURES && row >= look->late; i++) {
        const double *value = kelvin_history_at(one, 0, columns[i]);
        look->mean[i] += value ? *value / (double)look->rows : (double)NAN;
    }
    if (row < look->warmup || !accepted || !look->error) return;
    look->accepted += *accepted != 0;
    look->error[look->proposals++] = error ? *error : 0;
}

/* Nothing is looked at where the chain diverged or has lost its history: a note of the diagnosis says so. */
static kelvin_status read_chain(kelvin_temperatures *out, struct look *look, const kelvin_samples *samples,
                                uint32_t chain)
{
    char lost[KELVIN_LOST];
    if (samples->diverged[chain]) return KELVIN_OK;
    KELVIN_TRY(kelvin_history_lost(lost, samples, chain));
    if (*lost) return KELVIN_OK;
    for (size_t i = 0; i < TEMPERATURES; i++) look->mean[i] = 0;
    KELVIN_TRY(kelvin_history_each(samples, chain, add_row, look));
    if (look->rows == 0) return KELVIN_OK;
    for (size_t i = 0; i < TEMPERATURES; i++) look->of[i][out->chains] = look->mean[i];
    out->set =
        isnan(look->mean[SET]) ? samples->run->config.temperature : look->mean[SET]; /* the same for all chains */
    out->chains++;
    return KELVIN_OK;
}

/* The median of |energy error|, where one that is not a number is infinite. Changes the n > 0 errors. */
static double median_error(double *error, size_t n)
{
    for (size_t i = 0; i < n; i++) error[i] = isnan(error[i]) ? INFINITY : fabs(error[i]);
    kelvin_sort(error, n);
    return kelvin_quantile(error, n, 0.5);
}

static kelvin_status read_all(kelvin_diagnosis *out, struct look *look, const kelvin_samples *samples)
{
    const kelvin_run *run = samples->run;
    const size_t chains = run->config.chains, rows = kelvin_run_rows(run) - look->warmup;
    for (size_t i = 0; i < TEMPERATURES; i++)
        if (!(look->of[i] = kelvin_alloc(chains, sizeof *look->of[i]))) return KELVIN_ENOMEM;
    if (run->sampler->accepts && !(look->error = kelvin_alloc(chains * rows, sizeof *look->error)))
        return KELVIN_ENOMEM;
    for (uint32_t i = 0; i < chains; i++) KELVIN_TRY(read_chain(&out->temperatures, look, samples, i));
    out->temperatures.rows = look->rows;
    out->temperatures.kinetic = kelvin_averaged(look->of[KINETIC], out->temperatures.chains);
    out->temperatures.configurational = kelvin_averaged(look->of[CONFIGURATIONAL], out->temperatures.chains);
    if (look->proposals == 0) return KELVIN_OK;
    out->acceptance = (double)look->accepted / (double)look->proposals;
    if (kelvin_run_column(run, "energy_error") != SIZE_MAX)
        out->energy_error = median_error(look->error, look->proposals);
    return KELVIN_OK;
}

kelvin_status kelvin_histories_read(kelvin_diagnosis *out, const kelvin_samples *samples)
{
    struct look look = {.warmup = kelvin_run_warmup(samples->run), .rows = last_rows(samples->run)};
    if (look.rows == 0 && !samples->run->sampler->accepts) return KELVIN_OK;
    look.late = kelvin_run_rows(samples->run) - look.rows;
    const kelvin_status status = read_all(out, &look, samples);
    for (size_t i = 0; i < TEMPERATURES; i++) kelvin_free(look.of[i]);
    kelvin_free(look.error);
    return status;
}

kelvin_status kelvin_temperatures_read(kelvin_temperatures *out, const kelvin_samples *samples)
{
    kelvin_diagnosis found = kelvin_nothing_found();
    const kelvin_status status = kelvin_histories_read(&found, samples);
    *out = found.temperatures;
    return status;
}
