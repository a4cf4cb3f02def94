/* Microcanonical Langevin Monte Carlo, unadjusted, on all data (Robnik, De Luca, Silverstein and Seljak 2023; Robnik
 * and Seljak 2024). A chain runs through parameters x at speed 1; u is its direction, |u| = 1, which gradients turn and
 * noise turns a little more. In d dimensions, with g = grad logp / T, e = g / |g|, a = u . e, q = c h |g| / (d - 1),
 * s = exp(-q):
 *
 *     B(c):  u <- (2 s u + (1 - s)(1 + s + a (1 - s)) e) / D,   D = 1 + a + (1 - a) s^2;   dK += (d - 1)(q + ln(D / 2))
 *     A(c):  x <- x + c h u, and a new g
 *     O(nu): u <- u + nu z, made a unit vector again;   z ~ N(0, I),  nu^2 = (exp(h / L) - 1) / d
 *     a step:  O  B(b) A(1/2) B(1 - 2b) A(1/2) B(b)  O,   b = 0.193...: two gradients
 *
 * where x is in units of scales, which may be 1. Nothing is rejected. The error of a step's energy, dE = dK - d(logp) /
 * T, tells by how much the draws are off, and h is what makes E[dE^2] / d the setting energy_variance. In warm-up h and
 * the length L, after which u has forgotten where it went, are tuned; afterwards they stay. In one dimension there is
 * no direction to turn: d must be 2 or more, or dE is not a number. */
#include "sampler/tune.h"

#include <math.h>
#include <string.h>

enum { ENERGY_VARIANCE, STEPS, STEP_SIZE, LENGTH };                          /* settings */
enum { ENERGY_ERROR, VARIANCE, SIZE, DECOHERENCE, CONFIGURATIONAL };         /* statistics */
enum { DIRECTION, MEAN };                                                    /* vectors to remember */
enum { LOGP, H, L, CAP, SUM, WEIGHT, COUNT, SPREAD, FIXED, STUCK, CAUTION }; /* numbers */
enum { GRADIENT, OLD_DIRECTION, OLD_GRADIENT, OLD_THETA, WORK };             /* vectors to work in */
enum { DIGITS = 9 };                                                         /* for people */
enum { MOST_STEPS = UINT16_MAX }; /* the number of a step within its iteration is half of a stream's name */

/* Of one step: when and how far. */
struct stride {
    const kelvin_moment *moment;
    uint32_t inner; /* which one of its iteration */
    double h, noise;
};

static kelvin_random place(const kelvin_sampler *s, const struct stride *to, uint32_t stream)
{
    return kelvin_sampler_random(s, to->moment->step, (to->inner + 1) << 16 | stream);
}

/* ---- one step ---- */

/* O, of a direction of any size; afterwards it is of any size again, which whoever comes next divides by. */
static void turn(kelvin_sampler *s, const struct stride *to)
{
    float *u = s->vector[DIRECTION];
    const double size = sqrt(s->kernels->dot(u, u, s->n));
    s->kernels->langevin(s->theta, u, s->work[GRADIENT], s->n, (float)(1 / size), 0, (float)to->noise, 0,
                         place(s, to, KELVIN_STREAM_TURN_BEFORE));
}

/* B(c), of a direction of any size; then A, if there is a drift, or O without making u a unit vector, if there is
 * noise: all in one pass. Returns dK. */
static double push(kelvin_sampler *s, const struct stride *to, double c, double drift, double noise)
{
    const struct kelvin_kernels *k = s->kernels;
    float *u = s->vector[DIRECTION], *g = s->work[GRADIENT];
    const double slope = sqrt(k->dot(g, g, s->n)), size = sqrt(k->dot(u, u, s->n)), others = (double)s->n - 1;
    double a = k->dot(u, g, s->n) / (slope * size);
    if (slope == 0) a = 0; /* no gradient, no turn */
    if (fabs(a) > 1) a = copysign(1, a);
    const double q = c * to->h * slope / (to->moment->temperature * others), off = -expm1(-q), left = 1 - off;
    const double D = 1 + a + (1 - a) * left * left, along = off * (1 + left + a * off);
    const float *scale = kelvin_sampler_scale(s), far = (float)(drift * to->h);
    k->langevin(s->theta, u, g, s->n, (float)(2 * left / (D * size)), slope > 0 ? (float)(along / (D * slope)) : 0,
                (float)noise, scale ? 0 : far, place(s, to, KELVIN_STREAM_TURN_AFTER));
    if (scale && drift > 0) k->axpy_by(s->theta, far, u, scale, s->n);
    return others * (q + log(D / 2));
}

/* Returns dE. */
static double take(kelvin_sampler *s, const struct stride *to)
{
    const double b = 0.1931833275037836, before = s->number[LOGP];
    turn(s, to);
    double change = push(s, to, b, 0.5, 0);
    kelvin_sampler_scaled_eval(s, NULL, s->work[GRADIENT], s->theta);
    change += push(s, to, 1 - 2 * b, 0.5, 0);
    kelvin_sampler_scaled_eval(s, &s->number[LOGP], s->work[GRADIENT], s->theta);
    change += push(s, to, b, 0, to->noise);
    return change - (s->number[LOGP] - before) / to->moment->temperature;
}

static double noise_of(const kelvin_sampler *s, double h)
{
    return sqrt(expm1(h / s->number[L]) / (double)s->n);
}

/* A step that can be taken back: by `take_back`, at once. */
static double attempt(kelvin_sampler *s, const struct stride *to)
{
    const size_t bytes = s->n * sizeof *s->theta;
    memcpy(s->work[OLD_THETA], s->theta, bytes);
    memcpy(s->work[OLD_DIRECTION], s->vector[DIRECTION], bytes);
    memcpy(s->work[OLD_GRADIENT], s->work[GRADIENT], bytes);
    return take(s, to);
}

static void take_back(kelvin_sampler *s, double logp)
{
    kelvin_sampler_swap(&s->theta, &s->work[OLD_THETA]);
    kelvin_sampler_swap(&s->vector[DIRECTION], &s->work[OLD_DIRECTION]);
    kelvin_sampler_swap(&s->work[GRADIENT], &s->work[OLD_GRADIENT]);
    s->number[LOGP] = logp;
}

/* ---- tuning: the size of a step ---- */

enum { MEMORY = 150 };

/* The square of the error that a step should have. On its way to its place a chain may gain so much that no step keeps
 * its energy by what floats can tell: while scales are looked for, a tenth of what was gained is good enough. */
static double allowed_error(const kelvin_sampler *s, double gained, bool finding)
{
    const double allowed = s->setting[ENERGY_VARIANCE] * (double)s->n;
    return finding && kelvin_scale_is_tuned(s) ? fmax(allowed, 0.01 * gained * gained) : allowed;
}

/* Before the first step, or where there is no warm-up: sqrt(d) / 4, halved until a step without noise would keep its
 * energy as well as it should. */
static void first_size(kelvin_sampler *s, const kelvin_moment *moment)
{
    enum { HALVINGS = 60 };
    const double logp = s->number[LOGP];
    struct stride to = {moment, 0, sqrt((double)s->n) / 4, 0};
    for (int i = 0; i < HALVINGS; i++, to.h /= 2) {
        const double error = attempt(s, &to), gained = (s->number[LOGP] - logp) / moment->temperature;
        take_back(s, logp);
        if (error * error <= allowed_error(s, gained, moment->step < moment->warmup)) break;
    }
    s->number[H] = to.h;
}

/* E[dE^2] goes with h^6: every step has an opinion of the right h, which counts the less the farther it is from the
 * truth. While the chain looks for its place the last 150 or so are asked; then all, as some regions are far stiffer
 * than others and h must not depend on which one the chain has just been to. */
static void tune_size(kelvin_sampler *s, double error, double gained, bool forget)
{
    const double trust = 9, decay = forget ? (MEMORY - 1.0) / (MEMORY + 1.0) : 1;
    const double x = error * error / allowed_error(s, gained, forget) + 1e-8;
    const double weight = exp(-0.5 * pow(log(x) / trust, 2));
    double *v = s->number;
    v[SUM] = decay * v[SUM] + weight * x / pow(v[H], 6);
    v[WEIGHT] = decay * v[WEIGHT] + weight;
    v[H] = pow(v[SUM] / v[WEIGHT], -1.0 / 6);
    if (v[CAP] > 0 && v[H] > v[CAP]) v[H] = v[CAP];
}

/* A step of the warm-up, and what follows from it. One that is not finite is taken back, and no later one is as large.
 * Returns dE, 0 if it was taken back. */
static double tuned_step(kelvin_sampler *s, const struct stride *to, bool forget)
{
    const double logp = s->number[LOGP], error = attempt(s, to);
    if (isfinite(error)) {
        tune_size(s, error, (s->number[LOGP] - logp) / to->moment->temperature, forget);
        return error;
    }
    take_back(s, logp);
    s->number[H] = s->number[CAP] = 0.8 * s->number[H];
    return 0;
}

/* A size that was tuned elsewhere, with scales, may be too bold where a chain begins: until the last part of the
 * warm-up a step that is not finite is taken back and the next one is half as long, up to one that is. */
static double cautious_step(kelvin_sampler *s, const struct stride *to)
{
    const double logp = s->number[LOGP], error = attempt(s, to);
    const bool good = isfinite(error);
    s->number[CAUTION] = good ? fmin(1, 2 * s->number[CAUTION]) : s->number[CAUTION] / 2;
    if (!good) take_back(s, logp);
    return good ? error : 0;
}

/* ---- tuning: the length ---- */

/* x / scale, in place. */
static void divide(float *x, const float *scale, size_t n)
{
    for (size_t i = 0; scale && i < n; i++) x[i] /= scale[i];
}

/* Running mean, and the sum of squares around it over all parameters (Welford 1962). */
static void measure_width(kelvin_sampler *s)
{
    double *v = s->number;
    float *off = s->work[OLD_THETA];
    v[COUNT]++;
    memcpy(off, s->theta, s->n * sizeof *off);
    s->kernels->axpy(off, -1, s->vector[MEAN], s->n);
    s->kernels->axpy(s->vector[MEAN], (float)(1 / v[COUNT]), off, s->n);
    divide(off, kelvin_sampler_scale(s), s->n);
    v[SPREAD] += (v[COUNT] - 1) / v[COUNT] * s->kernels->dot(off, off, s->n);
}

static bool tunes_size(const kelvin_sampler *s)
{
    return s->setting[STEP_SIZE] == 0 && s->number[FIXED] == 0;
}

/* In units of scales a Gaussian is round, and keeps its energy in steps that are as long as it is wide, which are
 * biased for all that: no step is more than a small part of L. */
static void limit_size(kelvin_sampler *const *chains, size_t n)
{
    const double part = 1.0 / 8;
    for (size_t c = 0; c < n; c++) {
        double *v = chains[c]->number;
        v[CAP] = v[CAP] > 0 ? fmin(v[CAP], part * v[L]) : part * v[L];
        v[H] = fmin(v[H], v[CAP]);
    }
}

/* A direction is to be kept as long as the density is wide: L is the root of the sum of variances. Other programs then
 * look for 0.4 h (steps / effective draws): on figure 1 that is 1.2 times as long, and not worth the draws to keep. */
static void tune_length(kelvin_sampler *const *chains, size_t n)
{
    double spread = 0;
    for (size_t c = 0; c < n; c++) spread += chains[c]->number[SPREAD] / (double)n;
    const double width = sqrt(spread / chains[0]->number[COUNT]);
    if (!(width > 0) || !isfinite(width)) return; /* too little was seen to tell */
    for (size_t c = 0; c < n; c++) chains[c]->number[L] = width;
    if (tunes_size(chains[0]) && kelvin_sampler_scale(chains[0])) limit_size(chains, n);
}

/* ---- tuning: when, and together ---- */

/* Chains that tune together have one opinion of h: the mean of theirs. */
static void pool_size(kelvin_sampler *const *chains, size_t n)
{
    double sum = 0, weight = 0, cap = 0;
    for (size_t c = 0; c < n; c++) {
        const double *v = chains[c]->number;
        sum += v[SUM] / (double)n;
        weight += v[WEIGHT] / (double)n;
        if (v[CAP] > 0 && (cap == 0 || v[CAP] < cap)) cap = v[CAP];
    }
    const double size = pow(sum / weight, -1.0 / 6);
    for (size_t c = 0; c < n && isfinite(size); c++) {
        double *v = chains[c]->number;
        v[SUM] = sum;
        v[WEIGHT] = weight;
        v[CAP] = cap;
        v[H] = cap > 0 && size > cap ? cap : size;
    }
}

/* What was learned of h so far counts no more than the first stage would have it. */
static void forget_size(kelvin_sampler *s)
{
    double *v = s->number;
    const double most = (MEMORY + 1) / 2.0;
    if (v[WEIGHT] > most) {
        v[SUM] *= most / v[WEIGHT];
        v[WEIGHT] = most;
    }
}

/* New scales: h and L begin anew, in their units. */
static void end_window(kelvin_sampler *const *chains, size_t n, const kelvin_moment *moment)
{
    kelvin_scale_learn(chains, n, moment->temperature);
    for (size_t c = 0; c < n; c++) {
        kelvin_sampler *s = chains[c];
        double *v = s->number;
        kelvin_window_begin(s, s->vector[MEAN], &v[COUNT]);
        s->type->prepare(s);
        v[H] = v[CAP] = v[SUM] = v[WEIGHT] = 0;
    }
}

static void learn(kelvin_sampler *const *chains, size_t n, const kelvin_moment *moment)
{
    const int stage = kelvin_stage(moment);
    const bool size = tunes_size(chains[0]), ends = kelvin_stage_ends(moment);
    if (chains[0]->number[FIXED] > 0) return;
    if (size && n > 1) pool_size(chains, n);
    if (size && stage == KELVIN_FIND && kelvin_scale_is_tuned(chains[0])) {
        for (size_t c = 0; c < n; c++)
            kelvin_window_add(chains[c], chains[c]->vector[MEAN], &chains[c]->number[COUNT], chains[c]->work[GRADIENT]);
        if (kelvin_window_ends(moment)) end_window(chains, n, moment);
    }
    if (ends && stage == KELVIN_MEASURE && chains[0]->setting[LENGTH] == 0) tune_length(chains, n);
    for (size_t c = 0; c < n && ends; c++) forget_size(chains[c]);
    for (size_t c = 0; c < n && ends && stage == KELVIN_SETTLE; c++) {
        chains[c]->number[FIXED] = 1;
        chains[c]->number[STUCK] = size && chains[c]->number[WEIGHT] == 0; /* not one step was finite */
    }
}

/* ---- a chain ---- */

static void start(kelvin_sampler *s)
{
    s->kernels->normals(s->vector[DIRECTION], s->n, kelvin_sampler_random(s, 0, KELVIN_STREAM_DIRECTION));
    s->number[H] = s->setting[STEP_SIZE];
    s->number[CAUTION] = 1;
    s->number[L] = s->setting[LENGTH] > 0 ? s->setting[LENGTH] : sqrt((double)s->n);
}

static void prepare(kelvin_sampler *s)
{
    kelvin_sampler_scaled_eval(s, &s->number[LOGP], s->work[GRADIENT], s->theta);
}

/* -theta . grad, of gradients in units of scales. */
static double pull(kelvin_sampler *s)
{
    const float *scale = kelvin_sampler_scale(s), *theta = s->theta;
    if (scale) {
        memcpy(s->work[OLD_THETA], s->theta, s->n * sizeof *s->theta);
        divide(s->work[OLD_THETA], scale, s->n);
        theta = s->work[OLD_THETA];
    }
    return -s->kernels->dot(theta, s->work[GRADIENT], s->n);
}

static void step(kelvin_sampler *s, kelvin_step_info *info, const kelvin_moment *moment)
{
    const uint32_t steps = (uint32_t)s->setting[STEPS];
    const int stage = s->number[FIXED] > 0 ? KELVIN_WARM : kelvin_stage(moment);
    const bool tuned = stage < KELVIN_WARM && tunes_size(s);
    const bool cautious = stage < KELVIN_SETTLE && !tuned && kelvin_sampler_scale(s);
    if (s->number[H] == 0) first_size(s, moment);
    for (uint32_t i = 0; i < steps; i++) {
        const double h = s->number[H] * moment->rate * (cautious ? s->number[CAUTION] : 1);
        const struct stride to = {moment, i, h, noise_of(s, h)};
        const double error = tuned      ? tuned_step(s, &to, stage == KELVIN_FIND)
                             : cautious ? cautious_step(s, &to)
                                        : take(s, &to);
        info->value[ENERGY_ERROR] += error;
        info->value[VARIANCE] += error * error / ((double)s->n * steps);
        if (stage == KELVIN_MEASURE) measure_width(s);
    }
    info->logp = s->number[LOGP];
    info->value[SIZE] = s->number[H] * moment->rate;
    info->value[DECOHERENCE] = s->number[L];
    info->value[CONFIGURATIONAL] = pull(s) / (double)s->n;
}

static double now(const kelvin_sampler *s, size_t i)
{
    return i == STEP_SIZE ? s->number[H] : i == LENGTH ? s->number[L] : s->setting[i];
}

static const char *wrong(const kelvin_sampler *s)
{
    return s->number[STUCK] > 0 ? "not one step of its warm-up was finite" : NULL;
}

const kelvin_sampler_type kelvin_mclmc = {
    .member = KELVIN_PLAIN_MEMBER(
        "mclmc", "microcanonical Langevin Monte Carlo: steps of a tuned size on all the data, none rejected"),
    .title = "MCLMC",
    .step_setting = "energy_variance",
    /* figure 1 of the paper with DirClip(1.4): 100 steps are about L there, after which draws are all but independent
     */
    .usual = {"toy", "mlp:10,10,10,10,10", "dirclip:1.4,-50", "normal:1", 4, 1000},
    .setting = {[ENERGY_VARIANCE] = {"energy_variance", "V",
                                     "what the squared error of a step's energy, per parameter, is tuned to", 5e-4, 0,
                                     INFINITY, .above = true},
                [STEPS] = {"steps", "N", "steps per iteration, two gradients each", 100, 1, MOST_STEPS, .whole = true},
                [STEP_SIZE] = {"step_size", "H", "size of a step", 0, 0, INFINITY, .zero = "tuned in warm-up"},
                [LENGTH] = {"length", "L", "way on which a direction is forgotten", 0, 0, INFINITY,
                            .zero = "tuned in warm-up"}},
    .statistic = {[ENERGY_ERROR] = {"energy_error", "energy_error", NULL, 0, -INFINITY, INFINITY, .digits = DIGITS,
                                    .infinite = "its energy is not finite"},
                  [VARIANCE] = {"energy_variance", "energy_variance", NULL, 0, -INFINITY, INFINITY, .digits = DIGITS},
                  [SIZE] = {"step_size", "step_size", "step %.2g", 0, 0, INFINITY, .last = true, .digits = DIGITS},
                  [DECOHERENCE] = {"length", "momentum_decoherence_length", NULL, 0, 0, INFINITY, .last = true,
                                   .digits = DIGITS},
                  [CONFIGURATIONAL] = {"configurational_temperature", "configurational_temperature", NULL, 0, -INFINITY,
                                       INFINITY, .digits = DIGITS}},
    .vector = {[DIRECTION] = "direction", [MEAN] = "mean"},
    .number = {[LOGP] = "log_posterior",
               [H] = "step_size",
               [L] = "length",
               [CAP] = "largest_step_size",
               [SUM] = "size_sum",
               [WEIGHT] = "size_weight",
               [COUNT] = "count",
               [SPREAD] = "spread",
               [FIXED] = "fixed",
               [STUCK] = "stuck",
               [CAUTION] = "caution"},
    .work = WORK,
    .start = start,
    .prepare = prepare,
    .step = step,
    .learn = learn,
    .now = now,
    .wrong = wrong,
};
