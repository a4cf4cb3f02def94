/* What histories say of the chains that came to their end: at which temperature a run really was (Wenzel et al. 2020,
 * "How good is the Bayes posterior in deep neural networks really?", appendix I), kinetic, of momenta that follow the
 * noise at once, and configurational, -theta . grad / n, of parameters that may need the whole run; and after the
 * warm-up how often proposals were accepted, and by how much energies were off. */
#include "posterior/advice.h"
#include "posterior/diagnosis.h"
#include "posterior/stats.h"

#include <math.h>

enum { SHARE = 20 }; /* one epoch of so many, at the end */

enum { SET, KINETIC, CONFIGURATIONAL, TEMPERATURES };
static const char *const columns[] = {"temperature", "kinetic_temperature", "configurational_temperature"};

/* What is told of each row after the warm-up, where a sampler has such a column. */
enum { ACCEPTED, ERROR, VARIANCE, TOLD };
static const char *const told[] = {"accepted", "energy_error", "energy_variance"};

/* Their mean is of all; for the median, of very many, some at equal distances are kept. */
enum { MOST_KEPT = 1 << 16 };
struct list {
    size_t n, kept;
    double sum, *value; /* (kept); NULL: there is no such column */
};

struct look {
    size_t late, rows;         /* temperatures are of so many rows, from this one on */
    double mean[TEMPERATURES]; /* of one chain, over these; not a number where there is no such column */
    double *of[TEMPERATURES];  /* (chains), of those that came to their end */
    size_t warmup, every;      /* one row of so many is kept */
    struct list told[TOLD];    /* of all chains */
    bool lost;                 /* a history is: what is told would be of the others alone, and nobody could see it */
};

static bool is_told(const kelvin_run *run, const char *column)
{
    return kelvin_run_find_column(run, column) != SIZE_MAX;
}

/* Of batches a part at the end: the temperature comes up slowly, and where it comes and goes in cycles, it has been
 * what it should be for a part of the last one alone. Of all data, whatever is not warm-up. A sampler may tell both
 * temperatures, one or none, of which there are no rows. */
static size_t last_rows(const kelvin_run *run)
{
    const kelvin_schedule *schedule;
    size_t rows = kelvin_run_rows(run);
    if (!is_told(run, columns[KINETIC]) && !is_told(run, columns[CONFIGURATIONAL])) return 0;
    if (!run->sampler->batches) return rows - kelvin_run_warmup(run);
    if (kelvin_run_settling(run) > 0) return rows - kelvin_run_settling(run);
    if (run->config.temperature_schedule && !kelvin_schedule_parse(&schedule, run->config.temperature_schedule) &&
        schedule->repeats)
        rows /= kelvin_run_draws(run);
    return rows < SHARE ? 1 : rows / SHARE;
}

static void add_row(void *context, const kelvin_history *one, size_t row)
{
    struct look *look = context;
    for (size_t i = 0; i < TEMPERATURES && row >= look->late; i++) { /* the mean of equal numbers is exactly that */
        const double *value = kelvin_history_at(one, 0, columns[i]);
        look->mean[i] += ((value ? *value : (double)NAN) - look->mean[i]) / (double)(row - look->late + 1);
    }
    for (size_t i = 0; i < TOLD && row >= look->warmup; i++) {
        const double *value = kelvin_history_at(one, 0, told[i]);
        struct list *list = &look->told[i];
        if (!value || !list->value) continue;
        list->sum += *value;
        if (list->n++ % look->every == 0) list->value[list->kept++] = *value;
    }
}

/* Nothing is looked at where the chain diverged or has lost its history: a note of the diagnosis says so. Temperatures
 * say of how many chains they are. */
static kelvin_status read_chain(kelvin_temperatures *out, struct look *look, const kelvin_samples *samples,
                                uint32_t chain)
{
    char lost[KELVIN_LOST];
    if (samples->diverged[chain] || samples->waiting[chain]) return KELVIN_OK;
    KELVIN_TRY(kelvin_history_lost(lost, samples, chain));
    look->lost |= *lost != '\0';
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

static double mean_of(const struct list *list)
{
    return list->n > 0 ? list->sum / (double)list->n : (double)NAN;
}

/* Of absolute values, where one that is not a number is infinite. Changes the list. */
static double median_of(struct list *list)
{
    const size_t n = list->kept;
    if (n == 0) return NAN;
    for (size_t i = 0; i < n; i++) list->value[i] = isnan(list->value[i]) ? INFINITY : fabs(list->value[i]);
    kelvin_sort(list->value, n);
    return kelvin_quantile(list->value, n, 0.5);
}

static kelvin_status read_all(kelvin_diagnosis *out, struct look *look, const kelvin_samples *samples)
{
    const kelvin_run *run = samples->run;
    const size_t chains = run->config.chains, all = chains * (kelvin_run_rows(run) - look->warmup);
    look->every = 1 + all / MOST_KEPT;
    for (size_t i = 0; i < TEMPERATURES; i++)
        if (!(look->of[i] = kelvin_alloc(chains, sizeof *look->of[i]))) return KELVIN_ENOMEM;
    for (size_t i = 0; i < TOLD; i++)
        if (is_told(run, told[i]) && !(look->told[i].value = kelvin_alloc(1 + all / look->every, sizeof(double))))
            return KELVIN_ENOMEM;
    for (uint32_t i = 0; i < chains; i++) KELVIN_TRY(read_chain(&out->temperatures, look, samples, i));
    out->temperatures.rows = look->rows;
    out->temperatures.kinetic = kelvin_averaged(look->of[KINETIC], out->temperatures.chains);
    out->temperatures.configurational = kelvin_averaged(look->of[CONFIGURATIONAL], out->temperatures.chains);
    if (look->lost) return KELVIN_OK;
    out->acceptance = mean_of(&look->told[ACCEPTED]);
    out->energy_error = median_of(&look->told[ERROR]);
    out->energy_variance_mean = mean_of(&look->told[VARIANCE]);
    out->energy_variance = median_of(&look->told[VARIANCE]);
    return KELVIN_OK;
}

kelvin_status kelvin_histories_read(kelvin_diagnosis *out, const kelvin_samples *samples)
{
    struct look look = {.warmup = kelvin_run_warmup(samples->run), .rows = last_rows(samples->run)};
    bool needed = look.rows > 0;
    for (size_t i = 0; i < TOLD; i++) needed |= is_told(samples->run, told[i]);
    if (!needed) return KELVIN_OK;
    look.late = kelvin_run_rows(samples->run) - look.rows;
    const kelvin_status status = read_all(out, &look, samples);
    for (size_t i = 0; i < TEMPERATURES; i++) kelvin_free(look.of[i]);
    for (size_t i = 0; i < TOLD; i++) kelvin_free(look.told[i].value);
    return status;
}
