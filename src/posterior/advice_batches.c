/* What is off with samples that were taken from batches of the data. */
#include "posterior/advice.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- schedules that are cut short ---- */

/* Of what is asked for: where samples are taken, at the coldest of them. */
static double reached(const kelvin_schedule *schedule, const kelvin_run *run)
{
    const uint32_t draws = kelvin_run_draws(run), epochs = kelvin_run_rows(run);
    double least = INFINITY;
    for (uint32_t draw = schedule->repeats ? 0 : draws - 1; draw < draws; draw++) {
        const uint32_t last = kelvin_run_draw_row(run, draw);
        least = fmin(least, schedule->temperature(kelvin_schedule_progress(schedule, last, epochs, draws)));
    }
    return least;
}

/* So many that the last two epochs of each cycle are at the temperature. */
static uint32_t enough_epochs(const kelvin_schedule *schedule, uint32_t cycles)
{
    enum { MOST = 1000 };
    uint32_t n = 2;
    while (n < MOST && schedule->temperature((n - 2.0) / n) < 1 - KELVIN_CLOSE / 100.0) n++;
    return schedule->repeats ? n * cycles : n;
}

bool kelvin_advise_cut_short(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    const kelvin_run_config *c = &f->run->config;
    const kelvin_schedule *schedule;
    if (!f->run->sampler->batches || !(c->temperature > 0)) return false;
    if (kelvin_schedule_parse(&schedule, c->temperature_schedule)) return false;
    const double share = reached(schedule, f->run);
    if (share >= 1 - KELVIN_CLOSE / 100.0) return false;
    snprintf(out, KELVIN_SENTENCES,
             "The schedule reached temperature %.3g of %g: use --epochs %" PRIu32 " or more, or --%s constant.",
             share * c->temperature, c->temperature, enough_epochs(schedule, kelvin_run_draws(f->run)),
             strcmp(c->schedule, c->temperature_schedule) == 0 ? "schedule" : "temperature-schedule");
    return true;
}

/* ---- chains and samples ---- */

enum { FEWEST = 4 }; /* draws per chain for an R-hat that means something */

static const double apart = 1.1, noticed = 1e-3; /* R-hat; total variation below which nobody cares */

bool kelvin_chains_apart(const struct kelvin_facts *f)
{
    const kelvin_convergence *p = &f->found->predictions;
    if (f->run->config.temperature == 0) return false; /* trained, not sampled */
    return p->draws >= FEWEST && p->rhat_mean > apart && !(f->found->agreement.variation_mean < noticed);
}

bool kelvin_advise_apart(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    const kelvin_run_config *c = &f->run->config;
    if (!f->run->sampler->batches || !kelvin_chains_apart(f)) return false;
    const bool cyclical = strcmp(c->schedule, "cyclical") == 0;
    const bool cold = strcmp(c->schedule, "constant") == 0 && strcmp(c->init, "none") == 0;
    snprintf(out, KELVIN_SENTENCES,
             "The chains have not found the same predictions: they are farther apart than the samples of each let one "
             "expect (R-hat %.2f on average; chains that mix have 1). Two of them have another most likely class at "
             "%.1f %% of the observations. Give %s more --epochs%s; until then, many --chains say more than many "
             "samples of each.",
             f->found->predictions.rhat_mean, 100 * f->found->agreement.disagreement_mean,
             cyclical ? "each cycle" : "them",
             cold ? ", and a warm start with --init: the first samples are from before they had settled" : "");
    return true;
}

bool kelvin_advise_alike(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    const kelvin_convergence *p = &f->found->predictions;
    const size_t all = p->chains * p->draws;
    if (!f->run->sampler->batches || f->run->config.temperature == 0) return false;
    if (!(p->ess_bulk_median < (double)all / 4)) return false;
    snprintf(out, KELVIN_SENTENCES,
             "The %zu samples are worth about %.0f independent ones (effective sample size, the median over "
             "predictions): neighbours in a chain are alike. Put more --epochs between them, or take fewer --samples.",
             all, p->ess_bulk_median);
    return true;
}
