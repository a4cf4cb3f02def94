/* Hamiltonian Monte Carlo (paper, appendix "Hamiltonian Monte Carlo"; reference: Neal 2011). In units of scales s,
 * which are 1 in the paper, x = theta / s:
 *
 *     v ~ N(0, I);   H = -logp(theta)/T + |v|^2 / 2
 *     steps x { v += e/2 g;  x += e v;  v += e/2 g },  g = grad_x logp / T = s grad_theta logp / T
 *     accept with probability min(1, exp(H(start) - H(end)))
 *
 * The last half kick of one step and the first of the next use the same gradient: they are one whole kick, so a step
 * costs one gradient. With jitter the number of steps differs from iteration to iteration, whatever the chain: a
 * trajectory that is always as long as the period of a direction would come back to where it began. */
#include "sampler/hmc.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { ACCEPTED, ACCEPTANCE, ENERGY_ERROR }; /* statistics */

/* theta += h s v, v += e g before it; `grad` is in units of scales. */
static void kick_drift(const struct kelvin_kernels *kernels, float *theta, float *momentum, const float *grad, float e,
                       float h, const float *scale, size_t n)
{
    if (!scale) {
        kernels->kick_drift(theta, momentum, grad, e, h, n);
    } else {
        kernels->axpy(momentum, e, grad, n);
        kernels->axpy_by(theta, h, momentum, scale, n);
    }
}

/* Leaves the energy at the end in *logp unless NULL. */
static void leapfrog(const struct kelvin_kernels *kernels, const kelvin_target *target, const float *scale,
                     double *logp, float *theta, float *momentum, float *grad, float step_size,
                     float inverse_temperature, uint32_t steps)
{
    const size_t n = target->n;
    const float whole = step_size * inverse_temperature, half = 0.5f * whole;
    for (uint32_t i = 0; i < steps; i++) {
        kick_drift(kernels, theta, momentum, grad, i == 0 ? half : whole, step_size, scale, n);
        target->eval(target->context, i + 1 == steps ? logp : NULL, grad, theta);
        if (scale) kernels->multiply(grad, scale, n);
    }
    if (steps > 0) kernels->axpy(momentum, half, grad, n);
}

kelvin_status kelvin_leapfrog(const kelvin_target *target, float *theta, float *momentum, float *grad, float step_size,
                              float inverse_temperature, uint32_t steps)
{
    const struct kelvin_kernels *kernels;
    KELVIN_TRY(kelvin_kernels_get(&kernels));
    leapfrog(kernels, target, NULL, NULL, theta, momentum, grad, step_size, inverse_temperature, steps);
    return KELVIN_OK;
}

static double kinetic(const float *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)v[i] * (double)v[i];
    return 0.5 * sum;
}

static void start(kelvin_sampler *s)
{
    s->number[KELVIN_HMC_SIZE] = s->setting[KELVIN_HMC_STEP_SIZE];
    s->number[KELVIN_HMC_LENGTH] = kelvin_hmc_first_length();
    s->number[KELVIN_HMC_CAUTION] = 1;
}

static void prepare(kelvin_sampler *s)
{
    kelvin_sampler_scaled_eval(s, &s->number[KELVIN_HMC_LOGP], s->work[KELVIN_HMC_GRADIENT], s->theta);
}

/* ---- a trajectory ---- */

struct end {
    double logp, error; /* of the energy */
};

/* From where the chain is to work[NEW_THETA], with a fresh momentum. */
static struct end travel(kelvin_sampler *s, double h, uint32_t steps, const kelvin_moment *moment)
{
    const size_t n = s->n;
    const double T = moment->temperature;
    float *theta = s->work[KELVIN_HMC_NEW_THETA], *grad = s->work[KELVIN_HMC_NEW_GRADIENT];
    float *momentum = s->work[KELVIN_HMC_MOMENTUM];
    s->kernels->normals(momentum, n, kelvin_sampler_random(s, moment->step, KELVIN_STREAM_REFRESH));
    memcpy(theta, s->theta, n * sizeof *theta);
    memcpy(grad, s->work[KELVIN_HMC_GRADIENT], n * sizeof *grad);

    struct end end;
    const double before = kinetic(momentum, n) - s->number[KELVIN_HMC_LOGP] / T;
    leapfrog(s->kernels, &s->target, kelvin_sampler_scale(s), &end.logp, theta, momentum, grad, (float)h,
             (float)(1 / T), steps);
    end.error = kinetic(momentum, n) - end.logp / T - before;
    return end;
}

/* An energy that is not a number rejects. */
static double acceptance_of(struct end end)
{
    return isfinite(end.error) ? fmin(1.0, exp(-end.error)) : 0.0;
}

double kelvin_hmc_try(kelvin_sampler *s, double h, const kelvin_moment *moment)
{
    return acceptance_of(travel(s, h, 1, moment));
}

/* Half the slope, along the length of the trajectory, of the square of | |x' - m|^2 - |x - m|^2 |, m being the mean so
 * far (ChEES): x' moves with v'. */
static double way_of(const kelvin_sampler *s)
{
    const float *scale = kelvin_sampler_scale(s), *mean = s->vector[KELVIN_HMC_MEAN];
    const float *theta = s->work[KELVIN_HMC_NEW_THETA], *v = s->work[KELVIN_HMC_MOMENTUM];
    double gain = 0, along = 0;
    for (size_t i = 0; i < s->n; i++) {
        const double unit = scale ? (double)scale[i] : 1;
        const double from = ((double)s->theta[i] - (double)mean[i]) / unit;
        const double to = ((double)theta[i] - (double)mean[i]) / unit;
        gain += (to - from) * (to + from);
        along += to * (double)v[i];
    }
    return gain * along;
}

/* ---- how far ---- */

/* The radical inverse of step + 1 to the base 2, of Halton's sequence: evenly spread whatever part of it is used. */
static double halton(uint32_t step)
{
    double sum = 0, digit = 0.5;
    for (uint64_t i = (uint64_t)step + 1; i > 0; i >>= 1, digit /= 2) sum += (double)(i & 1) * digit;
    return sum;
}

double kelvin_hmc_jitter(double jitter, uint32_t step)
{
    return 1 + jitter * (2 * halton(step) - 1);
}

/* Where their number is tuned it is jittered by all of it. */
static uint32_t count_steps(const kelvin_sampler *s, const kelvin_moment *moment)
{
    const double *v = s->number, given = s->setting[KELVIN_HMC_STEPS];
    if (given > 0) {
        const double steps = ceil(given * kelvin_hmc_jitter(s->setting[KELVIN_HMC_JITTER], moment->step));
        return (uint32_t)fmin(fmax(steps, 1), UINT32_MAX);
    }
    const double steps = fmin(v[KELVIN_HMC_LENGTH] / v[KELVIN_HMC_SIZE], kelvin_hmc_most_steps(moment));
    return (uint32_t)fmax(ceil(steps * kelvin_hmc_jitter(1, moment->step)), 1);
}

/* A kernel that was tuned elsewhere may be too bold where a chain begins, far from where it was tuned: until the last
 * part of the warm-up steps are halved when one is rejected, and doubled back when one is accepted. Without jitter a
 * kernel is what it was said to be, from the first step on. */
static void be_cautious(kelvin_sampler *s, bool accepted, const kelvin_moment *moment)
{
    const double least = 0x1p-30;
    double *caution = &s->number[KELVIN_HMC_CAUTION];
    if (s->setting[KELVIN_HMC_JITTER] == 0 || kelvin_hmc_tunes_size(s)) return;
    const int stage = kelvin_stage(moment);
    if (stage >= KELVIN_SETTLE || (stage == KELVIN_MEASURE && kelvin_stage_ends(moment)))
        *caution = 1;
    else
        *caution = accepted ? fmin(1, 2 * *caution) : fmax(least, *caution / 2);
}

/* ---- a step ---- */

/* A chain that accepts nothing at first will not get anywhere; less than a dozen steps do not tell. */
static void count_hope(kelvin_sampler *s, double acceptance, const kelvin_moment *moment)
{
    enum { PATIENCE = 100, DOZEN = 12 };
    const double least = 1e-3;
    const uint32_t patience = moment->warmup < PATIENCE ? moment->warmup : PATIENCE;
    if (moment->step >= patience || patience < DOZEN) return;
    s->number[KELVIN_HMC_HOPE] += acceptance;
    if (moment->step + 1 == patience) s->number[KELVIN_HMC_STUCK] = s->number[KELVIN_HMC_HOPE] < least;
}

static void step(kelvin_sampler *s, kelvin_step_info *info, const kelvin_moment *moment)
{
    double *v = s->number;
    if (v[KELVIN_HMC_SIZE] == 0) v[KELVIN_HMC_SIZE] = kelvin_hmc_first_size(s, moment);
    const double h = moment->rate * v[KELVIN_HMC_CAUTION] * v[KELVIN_HMC_SIZE];
    const struct end end = travel(s, h, count_steps(s, moment), moment);
    const double acceptance = acceptance_of(end);
    const bool accepted = kelvin_uniform(kelvin_sampler_random(s, moment->step, KELVIN_STREAM_ACCEPT), 0) < acceptance;
    if (kelvin_hmc_tunes_length(s) && moment->step < moment->warmup) v[KELVIN_HMC_WAY] = way_of(s);
    if (accepted) {
        kelvin_sampler_swap(&s->theta, &s->work[KELVIN_HMC_NEW_THETA]);
        kelvin_sampler_swap(&s->work[KELVIN_HMC_GRADIENT], &s->work[KELVIN_HMC_NEW_GRADIENT]);
        v[KELVIN_HMC_LOGP] = end.logp;
    }
    v[KELVIN_HMC_ACCEPTANCE] = acceptance;
    count_hope(s, acceptance, moment);
    be_cautious(s, accepted, moment);
    info->logp = v[KELVIN_HMC_LOGP];
    info->value[ACCEPTED] = accepted;
    info->value[ACCEPTANCE] = acceptance;
    info->value[ENERGY_ERROR] = end.error;
}

static double now(const kelvin_sampler *s, size_t i)
{
    const double *v = s->number;
    if (i == KELVIN_HMC_STEP_SIZE) return v[KELVIN_HMC_SIZE];
    if (s->setting[KELVIN_HMC_STEPS] > 0) return s->setting[i];
    return i == KELVIN_HMC_JITTER ? 1 : fmax(1, round(v[KELVIN_HMC_LENGTH] / v[KELVIN_HMC_SIZE]));
}

static const char *wrong(const kelvin_sampler *s)
{
    return s->number[KELVIN_HMC_STUCK] > 0 ? "nothing was accepted in its warm-up" : NULL;
}

const kelvin_sampler_type kelvin_hmc = {
    .member =
        KELVIN_PLAIN_MEMBER("hmc", "Hamiltonian Monte Carlo: leapfrog steps on all the data, then accept or reject"),
    .title = "HMC",
    .accepts = true,
    .step_setting = "step_size",
    /* figure 1 of the paper with DirClip(1.4) */
    .usual = {"toy", "mlp:10,10,10,10,10", "dirclip:1.4,-50", "normal:1", 3, 500},
    .setting = {[KELVIN_HMC_STEP_SIZE] = {"step_size", "H", "size of a leapfrog step", 4e-4, 0, FLT_MAX,
                                          .zero = "tuned in warm-up"},
                [KELVIN_HMC_STEPS] = {"steps", "N", "leapfrog steps per iteration", 10000, 0, UINT32_MAX, .whole = true,
                                      .zero = "tuned in warm-up"},
                [KELVIN_HMC_JITTER] = {"jitter", "J", "share of them by which their number varies", 0, 0, 1,
                                       .whole = false}},
    .statistic = {[ACCEPTED] = {"accepted", "accepted", NULL, 0, 0, 1, .whole = true},
                  [ACCEPTANCE] = {"acceptance", "acceptance_rate", "accepted %3.0f %%", 100, 0, 1, .whole = false},
                  [ENERGY_ERROR] = {"energy_error", "energy_error", NULL, 0, -INFINITY, INFINITY, .whole = false}},
    .vector = {[KELVIN_HMC_MEAN] = "mean"},
    .number = {[KELVIN_HMC_LOGP] = "log_posterior",
               [KELVIN_HMC_ACCEPTANCE] = "acceptance",
               [KELVIN_HMC_WAY] = "way",
               [KELVIN_HMC_HOPE] = "hope",
               [KELVIN_HMC_STUCK] = "stuck",
               [KELVIN_HMC_CAUTION] = "caution",
               [KELVIN_HMC_SIZE] = "step_size",
               [KELVIN_HMC_LENGTH] = "length",
               [KELVIN_HMC_SIZES] = "sizes",
               [KELVIN_HMC_ORIGIN] = "origin",
               [KELVIN_HMC_ERROR] = "error",
               [KELVIN_HMC_MEAN_SIZE] = "mean_size",
               [KELVIN_HMC_LENGTHS] = "lengths",
               [KELVIN_HMC_SQUARE] = "square",
               [KELVIN_HMC_MEAN_LENGTH] = "mean_length",
               [KELVIN_HMC_MEAN_LENGTHS] = "mean_lengths",
               [KELVIN_HMC_COUNT] = "count",
               [KELVIN_HMC_FIXED] = "fixed"},
    .work = KELVIN_HMC_WORK,
    .start = start,
    .prepare = prepare,
    .step = step,
    .learn = kelvin_hmc_learn,
    .now = now,
    .wrong = wrong,
};
