/* Hamiltonian Monte Carlo with unit mass (paper, appendix "Hamiltonian Monte Carlo"; reference: Neal 2011).
 *
 *     v ~ N(0, I);   H = -logp(theta)/T + |v|^2 / 2
 *     steps x { v += e/2 g;  theta += e v;  v += e/2 g },  g = grad logp / T
 *     accept with probability min(1, exp(H(start) - H(end)))
 *
 * The last half kick of one step and the first of the next use the same gradient: they are one whole kick, so a step
 * costs one gradient. */
#include "sampler/state.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STEP_SIZE, STEPS };                                  /* settings */
enum { ACCEPTED, ACCEPTANCE, ENERGY_ERROR };                /* statistics */
enum { GRADIENT, NEW_THETA, NEW_GRADIENT, MOMENTUM, WORK }; /* vectors to work in */
enum { LOGP };                                              /* numbers */

/* Leaves the energy at the end in *logp unless NULL. */
static void leapfrog(const struct kelvin_kernels *kernels, const kelvin_target *target, double *logp, float *theta,
                     float *momentum, float *grad, float step_size, float inverse_temperature, uint32_t steps)
{
    const size_t n = target->n;
    const float whole = step_size * inverse_temperature, half = 0.5f * whole;
    for (uint32_t i = 0; i < steps; i++) {
        kernels->kick_drift(theta, momentum, grad, i == 0 ? half : whole, step_size, n);
        target->eval(target->context, i + 1 == steps ? logp : NULL, grad, theta);
    }
    if (steps > 0) kernels->axpy(momentum, half, grad, n);
}

kelvin_status kelvin_leapfrog(const kelvin_target *target, float *theta, float *momentum, float *grad, float step_size,
                              float inverse_temperature, uint32_t steps)
{
    const struct kelvin_kernels *kernels;
    KELVIN_TRY(kelvin_kernels_get(&kernels));
    leapfrog(kernels, target, NULL, theta, momentum, grad, step_size, inverse_temperature, steps);
    return KELVIN_OK;
}

static double kinetic(const float *v, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (double)v[i] * (double)v[i];
    return 0.5 * sum;
}

static void prepare(kelvin_sampler *s)
{
    kelvin_sampler_eval(s, &s->number[LOGP], s->work[GRADIENT], s->theta);
}

static void step(kelvin_sampler *s, kelvin_step_info *info, const kelvin_moment *moment)
{
    const size_t n = s->n;
    const double T = moment->temperature;
    float *theta = s->work[NEW_THETA], *grad = s->work[NEW_GRADIENT], *momentum = s->work[MOMENTUM];
    s->kernels->normals(momentum, n, kelvin_sampler_random(s, moment->step, KELVIN_STREAM_REFRESH));
    memcpy(theta, s->theta, n * sizeof *theta);
    memcpy(grad, s->work[GRADIENT], n * sizeof *grad);

    double logp;
    const double start = kinetic(momentum, n) - s->number[LOGP] / T;
    leapfrog(s->kernels, &s->target, &logp, theta, momentum, grad, (float)(moment->rate * s->setting[STEP_SIZE]),
             (float)(1 / T), (uint32_t)s->setting[STEPS]);
    const double error = kinetic(momentum, n) - logp / T - start;

    /* an energy that is not a number rejects */
    const double acceptance = isfinite(error) ? fmin(1.0, exp(-error)) : 0.0;
    const bool accepted = kelvin_uniform(kelvin_sampler_random(s, moment->step, KELVIN_STREAM_ACCEPT), 0) < acceptance;
    if (accepted) {
        kelvin_sampler_swap(&s->theta, &s->work[NEW_THETA]);
        kelvin_sampler_swap(&s->work[GRADIENT], &s->work[NEW_GRADIENT]);
        s->number[LOGP] = logp;
    }
    info->logp = s->number[LOGP];
    info->value[ACCEPTED] = accepted;
    info->value[ACCEPTANCE] = acceptance;
    info->value[ENERGY_ERROR] = error;
}

const kelvin_sampler_type kelvin_hmc = {
    .member =
        KELVIN_PLAIN_MEMBER("hmc", "Hamiltonian Monte Carlo: leapfrog steps on all the data, then accept or reject"),
    .title = "HMC",
    .accepts = true,
    .step_setting = "step_size",
    /* figure 1 of the paper with DirClip(1.4) */
    .usual = {"toy", "mlp:10,10,10,10,10", "dirclip:1.4,-50", "normal:1", 3, 500},
    .setting = {[STEP_SIZE] = {"step_size", "H", "size of a leapfrog step", 4e-4, 0, FLT_MAX, .above = true},
                [STEPS] = {"steps", "N", "leapfrog steps per iteration", 10000, 1, UINT32_MAX, .whole = true}},
    .statistic = {[ACCEPTED] = {"accepted", "accepted", NULL, 0, 0, 1, .whole = true},
                  [ACCEPTANCE] = {"acceptance", "acceptance_rate", "accepted %3.0f %%", 100, 0, 1, .whole = false},
                  [ENERGY_ERROR] = {"energy_error", "energy_error", NULL, 0, -INFINITY, INFINITY, .whole = false}},
    .number = {[LOGP] = "log_posterior"},
    .work = WORK,
    .prepare = prepare,
    .step = step,
};
