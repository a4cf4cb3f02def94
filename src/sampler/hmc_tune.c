/* How HMC tunes itself in its warm-up, one chain alone or several together; afterwards the kernel stays as it is.
 *
 * The size of steps, h, by dual averaging (Hoffman and Gelman 2014) of log h towards an acceptance A; of several chains
 * a is the harmonic mean, so that none is left behind. After the t-th step
 *
 *     E += (A - a - E) / (t + 10);   log h = m - sqrt(t) / 0.05 E;   what stays is the mean of log h with weights
 * t^-0.75
 *
 * where m is log(10 h) of the first size. The length of trajectories, L, by ChEES (Hoffman, Radul and Sountsov 2021):
 * log L goes up the slope of E[(|x' - m|^2 - |x - m|^2)^2], weighted by acceptance, in steps of Adam; what stays is the
 * mean of log L over the last part of the warm-up. */
#include "sampler/hmc.h"

#include <math.h>
#include <string.h>

/* Whoever is told one of the two tunes the other. */
bool kelvin_hmc_tunes_size(const kelvin_sampler *s)
{
    return s->setting[KELVIN_HMC_STEP_SIZE] == 0 && s->number[KELVIN_HMC_FIXED] == 0;
}

bool kelvin_hmc_tunes_length(const kelvin_sampler *s)
{
    return s->setting[KELVIN_HMC_STEPS] == 0 && s->number[KELVIN_HMC_FIXED] == 0;
}

/* A quarter of the period of a Gaussian in units of its scales: there a trajectory has forgotten where it began. */
double kelvin_hmc_first_length(void)
{
    return 1.5707963267948966;
}

/* While scales are unknown this length may be out of reach. */
double kelvin_hmc_most_steps(const kelvin_moment *moment)
{
    enum { FINDING = 50, MOST = 500 };
    return kelvin_stage(moment) == KELVIN_FIND ? FINDING : MOST;
}

/* ---- the size of a step ---- */

/* Doubled, or halved, from 1 until the acceptance of one step crosses 0.8. */
double kelvin_hmc_first_size(kelvin_sampler *s, const kelvin_moment *moment)
{
    enum { TRIALS = 100 };
    const double bold = 0.8;
    double h = 1;
    const bool grows = kelvin_hmc_try(s, h, moment) > bold;
    for (int i = 0; i < TRIALS; i++) {
        const double next = grows ? 2 * h : h / 2;
        const bool good = kelvin_hmc_try(s, next, moment) > bold;
        if (grows && !good) break;
        h = next;
        if (!grows && good) break;
    }
    return h;
}

/* Anew, from the geometric mean of the sizes of all chains. */
static void begin_sizes(kelvin_sampler *const *chains, size_t n)
{
    double *v = chains[0]->number, sum = 0;
    for (size_t c = 0; c < n; c++) sum += log(chains[c]->number[KELVIN_HMC_SIZE]) / (double)n;
    v[KELVIN_HMC_SIZE] = exp(sum);
    v[KELVIN_HMC_ORIGIN] = log(10) + sum;
    v[KELVIN_HMC_SIZES] = v[KELVIN_HMC_ERROR] = v[KELVIN_HMC_MEAN_SIZE] = 0;
}

static void tune_size(kelvin_sampler *const *chains, size_t n)
{
    const double aim = 0.651, gain = 0.05, delay = 10, forgets = 0.75, least = 1e-10;
    double *v = chains[0]->number, inverse = 0;
    for (size_t c = 0; c < n; c++) inverse += 1 / fmax(chains[c]->number[KELVIN_HMC_ACCEPTANCE], least);
    const double t = ++v[KELVIN_HMC_SIZES], lacks = aim - (double)n / inverse;
    v[KELVIN_HMC_ERROR] += (lacks - v[KELVIN_HMC_ERROR]) / (t + delay);
    const double size = v[KELVIN_HMC_ORIGIN] - sqrt(t) / gain * v[KELVIN_HMC_ERROR];
    v[KELVIN_HMC_MEAN_SIZE] += pow(t, -forgets) * (size - v[KELVIN_HMC_MEAN_SIZE]);
    v[KELVIN_HMC_SIZE] = exp(size);
}

/* ---- the length of a trajectory ---- */

static void tune_length(kelvin_sampler *const *chains, size_t n, const kelvin_moment *moment)
{
    const double rate = 0.025, keeps = 0.95;
    double *v = chains[0]->number, sum = 0, weight = 0;
    for (size_t c = 0; c < n; c++) {
        const double acceptance = chains[c]->number[KELVIN_HMC_ACCEPTANCE], way = chains[c]->number[KELVIN_HMC_WAY];
        if (!isfinite(way)) continue;
        sum += acceptance * way;
        weight += acceptance;
    }
    const double slope = kelvin_hmc_jitter(1, moment->step) * v[KELVIN_HMC_LENGTH] * sum / weight;
    if (isfinite(slope) && slope != 0) {
        v[KELVIN_HMC_SQUARE] = keeps * v[KELVIN_HMC_SQUARE] + (1 - keeps) * slope * slope;
        const double square = v[KELVIN_HMC_SQUARE] / (1 - pow(keeps, ++v[KELVIN_HMC_LENGTHS]));
        v[KELVIN_HMC_LENGTH] *= exp(rate * slope / sqrt(square));
    }
    const double h = v[KELVIN_HMC_SIZE], most = kelvin_hmc_most_steps(moment) * h;
    v[KELVIN_HMC_LENGTH] = fmin(fmax(v[KELVIN_HMC_LENGTH], h), most);
    if (kelvin_stage(moment) < KELVIN_SETTLE) return;
    v[KELVIN_HMC_MEAN_LENGTH] += (log(v[KELVIN_HMC_LENGTH]) - v[KELVIN_HMC_MEAN_LENGTH]) / ++v[KELVIN_HMC_MEAN_LENGTHS];
}

/* ---- when ---- */

static void end_window(kelvin_sampler *const *chains, size_t n, const kelvin_moment *moment)
{
    kelvin_scale_learn(chains, n, moment->temperature);
    for (size_t c = 0; c < n; c++) {
        kelvin_sampler *s = chains[c];
        s->type->prepare(s);
        s->number[KELVIN_HMC_SIZE] = kelvin_hmc_first_size(s, moment);
    }
    begin_sizes(chains, n);
}

static void end_warmup(double *v, bool size, bool length)
{
    if (size) v[KELVIN_HMC_SIZE] = exp(v[KELVIN_HMC_MEAN_SIZE]);
    if (length && v[KELVIN_HMC_MEAN_LENGTHS] > 0) v[KELVIN_HMC_LENGTH] = exp(v[KELVIN_HMC_MEAN_LENGTH]);
    v[KELVIN_HMC_FIXED] = 1;
}

static void add_places(kelvin_sampler *const *chains, size_t n)
{
    for (size_t c = 0; c < n; c++) {
        kelvin_sampler *s = chains[c];
        kelvin_window_add(s, s->vector[KELVIN_HMC_MEAN], &s->number[KELVIN_HMC_COUNT], s->work[KELVIN_HMC_GRADIENT]);
    }
}

static void begin_window(kelvin_sampler *const *chains, size_t n)
{
    for (size_t c = 0; c < n; c++)
        kelvin_window_begin(chains[c], chains[c]->vector[KELVIN_HMC_MEAN], &chains[c]->number[KELVIN_HMC_COUNT]);
}

static void share(kelvin_sampler *const *chains, size_t n)
{
    for (size_t c = 1; c < n; c++)
        memcpy(chains[c]->number + KELVIN_HMC_SIZE, chains[0]->number + KELVIN_HMC_SIZE,
               (KELVIN_HMC_NUMBERS - KELVIN_HMC_SIZE) * sizeof *chains[c]->number);
}

void kelvin_hmc_learn(kelvin_sampler *const *chains, size_t n, const kelvin_moment *moment)
{
    kelvin_sampler *first = chains[0];
    const bool size = kelvin_hmc_tunes_size(first), length = kelvin_hmc_tunes_length(first);
    const bool finding = kelvin_stage(moment) == KELVIN_FIND, window = finding && kelvin_window_ends(moment);
    if (!size && !length) return;
    add_places(chains, n);
    if (size && first->number[KELVIN_HMC_SIZES] == 0) begin_sizes(chains, n);
    if (size) tune_size(chains, n);
    if (length && !finding) tune_length(chains, n, moment);
    if (window && size && kelvin_scale_is_tuned(first)) end_window(chains, n, moment);
    if (window) begin_window(chains, n);
    if (moment->step + 1 == moment->warmup) end_warmup(first->number, size, length);
    share(chains, n);
}
