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

/* How far a leapfrog step goes, and what a gradient adds to the momentum: in the first step half of that. */
struct pace {
    float drift, kick;
};

static float kick_of(struct pace pace, uint32_t step)
{
    return step == 0 ? 0.5f * pace.kick : pace.kick;
}

static struct pace pace_of(float step_size, float inverse_temperature)
{
    return (struct pace){step_size, step_size * inverse_temperature};
}

/* The gradient at the end of a leapfrog step, and the log-density unless NULL. */
static void look(const struct kelvin_kernels *kernels, const kelvin_target *target, const float *scale, double *logp,
                 const float *theta, float *grad)
{
    target->eval(target->context, logp, grad, theta);
    if (scale) kernels->multiply(grad, scale, target->n);
}

/* Leapfrog steps, without the gradient at the end of the last and the half kick that it gives. */
static void leapfrog(const struct kelvin_kernels *kernels, const kelvin_target *target, const float *scale,
                     float *theta, float *momentum, float *grad, struct pace pace, uint32_t steps)
{
    for (uint32_t i = 0; i < steps; i++) {
        if (i > 0) look(kernels, target, scale, NULL, theta, grad);
        kick_drift(kernels, theta, momentum, grad, kick_of(pace, i), pace.drift, scale, target->n);
    }
}

static void arrive(const struct kelvin_kernels *kernels, const kelvin_target *target, const float *scale, double *logp,
                   const float *theta, float *momentum, float *grad, struct pace pace)
{
    look(kernels, target, scale, logp, theta, grad);
    kernels->axpy(momentum, kick_of(pace, 0), grad, target->n);
}

kelvin_status kelvin_leapfrog(const kelvin_target *target, float *theta, float *momentum, float *grad, float step_size,
                              float inverse_temperature, uint32_t steps)
{
    const struct kelvin_kernels *kernels;
    const struct pace pace = pace_of(step_size, inverse_temperature);
    KELVIN_TRY(kelvin_kernels_get(&kernels));
    leapfrog(kernels, target, NULL, theta, momentum, grad, pace, steps);
    if (steps > 0) arrive(kernels, target, NULL, NULL, theta, momentum, grad, pace);
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

struct trip {
    struct pace pace;
    uint32_t steps;
    double temperature, before; /* before: the energy where it starts */
};

/* From where the chain is, with a fresh momentum. */
static struct trip depart(kelvin_sampler *s, double h, uint32_t steps, const kelvin_moment *moment)
{
    const size_t n = s->n;
    const double T = moment->temperature;
    float *momentum = s->work[KELVIN_HMC_MOMENTUM];
    s->kernels->normals(momentum, n, kelvin_sampler_random(s, moment->step, KELVIN_STREAM_REFRESH));
    memcpy(s->work[KELVIN_HMC_NEW_THETA], s->theta, n * sizeof *momentum);
    memcpy(s->work[KELVIN_HMC_NEW_GRADIENT], s->work[KELVIN_HMC_GRADIENT], n * sizeof *momentum);
    return (struct trip){.pace = pace_of((float)h, (float)(1 / T)),
                         .steps = steps,
                         .temperature = T,
                         .before = kinetic(momentum, n) - s->number[KELVIN_HMC_LOGP] / T};
}

/* To work[NEW_THETA]. */
static void travel(kelvin_sampler *s, const struct trip *trip)
{
    leapfrog(s->kernels, &s->target, kelvin_sampler_scale(s), s->work[KELVIN_HMC_NEW_THETA],
             s->work[KELVIN_HMC_MOMENTUM], s->work[KELVIN_HMC_NEW_GRADIENT], trip->pace, trip->steps);
}

static struct end end_of(kelvin_sampler *s, const struct trip *trip)
{
    struct end end;
    float *momentum = s->work[KELVIN_HMC_MOMENTUM];
    arrive(s->kernels, &s->target, kelvin_sampler_scale(s), &end.logp, s->work[KELVIN_HMC_NEW_THETA], momentum,
           s->work[KELVIN_HMC_NEW_GRADIENT], trip->pace);
    end.error = kinetic(momentum, s->n) - end.logp / trip->temperature - trip->before;
    return end;
}

/* An energy that is not a number rejects. */
static double acceptance_of(struct end end)
{
    return isfinite(end.error) ? fmin(1.0, exp(-end.error)) : 0.0;
}

double kelvin_hmc_try(kelvin_sampler *s, double h, const kelvin_moment *moment)
{
    const struct trip trip = depart(s, h, 1, moment);
    travel(s, &trip);
    return acceptance_of(end_of(s, &trip));
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

static struct trip begin(kelvin_sampler *s, const kelvin_moment *moment)
{
    double *v = s->number;
    if (v[KELVIN_HMC_SIZE] == 0) v[KELVIN_HMC_SIZE] = kelvin_hmc_first_size(s, moment);
    const double h = moment->rate * v[KELVIN_HMC_CAUTION] * v[KELVIN_HMC_SIZE];
    return depart(s, h, count_steps(s, moment), moment);
}

static void conclude(kelvin_sampler *s, kelvin_step_info *info, struct end end, const kelvin_moment *moment)
{
    double *v = s->number;
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

static void step(kelvin_sampler *s, kelvin_step_info *info, const kelvin_moment *moment)
{
    const struct trip trip = begin(s, moment);
    travel(s, &trip);
    conclude(s, info, end_of(s, &trip), moment);
}

/* ---- several chains at once ---- */

/* What all of them work in, (n, lanes) each, and how far and how hard each lane goes: of eight, so that of four lanes
 * each is there twice. */
enum { TOGETHER_THETA, TOGETHER_MOMENTUM, TOGETHER_GRADIENT, TOGETHER_SCALE, TOGETHER };

struct together {
    const struct kelvin_kernels *kernels;
    const kelvin_lanes *lanes;
    float *vector[TOGETHER];
    bool scaled;
    float drift[KELVIN_MOST_LANES], kick[KELVIN_MOST_LANES], half[KELVIN_MOST_LANES];
};

static void set_pace(struct together *t, size_t lane, struct pace pace)
{
    for (; lane < KELVIN_MOST_LANES; lane += t->lanes->lanes) {
        t->drift[lane] = pace.drift;
        t->kick[lane] = kick_of(pace, 1);
        t->half[lane] = kick_of(pace, 0);
    }
}

/* Without a scale: 1, which changes no bit. */
static void put_vector(const struct together *t, int vector, size_t lane, const float *from)
{
    float *to = t->vector[vector] + lane;
    for (size_t i = 0; i < t->lanes->n; i++) to[i * t->lanes->lanes] = from ? from[i] : 1;
}

static void take_vector(const struct together *t, int vector, size_t lane, float *to)
{
    const float *from = t->vector[vector] + lane;
    for (size_t i = 0; i < t->lanes->n; i++) to[i] = from[i * t->lanes->lanes];
}

static void join(struct together *t, size_t lane, const kelvin_sampler *s, const struct trip *trip)
{
    put_vector(t, TOGETHER_THETA, lane, s->work[KELVIN_HMC_NEW_THETA]);
    put_vector(t, TOGETHER_MOMENTUM, lane, s->work[KELVIN_HMC_MOMENTUM]);
    put_vector(t, TOGETHER_GRADIENT, lane, s->work[KELVIN_HMC_NEW_GRADIENT]);
    if (t->scaled) put_vector(t, TOGETHER_SCALE, lane, kelvin_sampler_scale(s));
    set_pace(t, lane, trip->pace);
}

/* Its lane stays where it is. */
static void leave(struct together *t, size_t lane, kelvin_sampler *s)
{
    take_vector(t, TOGETHER_THETA, lane, s->work[KELVIN_HMC_NEW_THETA]);
    take_vector(t, TOGETHER_MOMENTUM, lane, s->work[KELVIN_HMC_MOMENTUM]);
    set_pace(t, lane, (struct pace){0, 0});
}

/* A kick and a drift, after a look at where they are: where they start that is known. */
static void leapfrog_all(const struct together *t, bool first)
{
    const struct kelvin_kernels *kernels = t->kernels;
    const kelvin_lanes *lanes = t->lanes;
    float *theta = t->vector[TOGETHER_THETA], *momentum = t->vector[TOGETHER_MOMENTUM];
    float *grad = t->vector[TOGETHER_GRADIENT], *scale = t->vector[TOGETHER_SCALE];
    const float *kick = first ? t->half : t->kick;
    const size_t n = lanes->n * lanes->lanes;
    if (!first && !t->scaled && lanes->push) {
        lanes->push(lanes->context, theta, momentum, kick, t->drift);
        return;
    }
    if (!first) lanes->gradient(lanes->context, grad, theta);
    if (!t->scaled) {
        kernels->lanes_kick_drift(theta, momentum, grad, kick, t->drift, n);
        return;
    }
    if (!first) kernels->multiply(grad, scale, n);
    kernels->lanes_axpy(momentum, kick, grad, n);
    kernels->lanes_axpy_by(theta, t->drift, momentum, scale, n);
}

/* All leapfrog steps of each; a lane that is left over goes with the first. */
static void travel_all(kelvin_sampler *const *chains, size_t n, const struct trip *trip, struct together *t)
{
    uint32_t most = 0;
    for (size_t i = 0; i < t->lanes->lanes; i++) join(t, i, chains[i < n ? i : 0], &trip[i < n ? i : 0]);
    for (size_t i = 0; i < n; i++) most = trip[i].steps > most ? trip[i].steps : most;
    for (uint32_t done = 0; done < most;) {
        leapfrog_all(t, done++ == 0);
        for (size_t i = 0; i < n; i++)
            if (done == trip[i].steps) leave(t, i, chains[i]);
    }
}

static void step_all(kelvin_sampler *const *chains, size_t n, const kelvin_moment *moment, const kelvin_lanes *lanes,
                     float *work)
{
    struct together together = {.kernels = chains[0]->kernels, .lanes = lanes};
    struct trip trip[KELVIN_MOST_LANES];
    for (size_t i = 0; i < TOGETHER; i++) together.vector[i] = work + i * lanes->n * lanes->lanes;
    for (size_t i = 0; i < n; i++) {
        trip[i] = begin(chains[i], &moment[i]);
        together.scaled |= kelvin_sampler_scale(chains[i]) != NULL;
    }
    travel_all(chains, n, trip, &together);
    for (size_t i = 0; i < n; i++) /* log-densities are each chain's own */
        conclude(chains[i], &chains[i]->last, end_of(chains[i], &trip[i]), &moment[i]);
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
    .step_all = step_all,
    .lanes_work = TOGETHER,
    .learn = kelvin_hmc_learn,
    .now = now,
    .wrong = wrong,
};
