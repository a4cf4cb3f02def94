/* Stochastic-gradient Hamiltonian Monte Carlo (paper, algorithm 1; Chen, Fox and Guestrin 2014). The target gives
 * estimates, without bias, of a log-density that is a sum over N observations:
 *
 *     h = sqrt(lr / N);   v <- m v + h grad + sqrt(2 T (1 - m)) xi;   theta <- theta + h v
 *
 * T = 0 is SGD with momentum, m = 0 is SGLD (Welling and Teh 2011). For a quadratic, logp = -p theta^2 / 2, the
 * stationary variances are known at every step size:
 *
 *     p <theta^2> = (1 + m) / 2 <v^2> = T / (1 - h^2 p / (2 (1 + m)))
 *
 * so the configurational temperature, -theta . grad / n, and the kinetic one, (1 + m) / 2 |v|^2 / n, are the same
 * number, and tell by how much a step is too large. v has just got its noise: its variance is 2 T / (1 + m), however
 * small the step is. */
#include "sampler/state.h"

#include <math.h>

enum { LR, MOMENTUM };                                  /* settings */
enum { RATE, GRADIENT_NORM, KINETIC, CONFIGURATIONAL }; /* statistics */
enum { V };                                             /* vectors to remember */
enum { GRADIENT, WORK };                                /* vectors to work in */
enum { DIGITS = 9 };                                    /* for people; a checkpoint has all of them */

static void start(kelvin_sampler *s)
{
    s->kernels->normals(s->vector[V], s->n, kelvin_sampler_random(s, 0, KELVIN_STREAM_MOMENTUM));
}

static void step(kelvin_sampler *s, kelvin_step_info *info, const kelvin_moment *moment)
{
    const struct kelvin_kernels *k = s->kernels;
    const size_t n = s->n;
    const double m = s->setting[MOMENTUM], rate = s->setting[LR] * moment->rate;
    const float h = (float)sqrt(rate / s->observations), noise = (float)sqrt(2 * moment->temperature * (1 - m));
    float *grad = s->work[GRADIENT], *v = s->vector[V];
    double along, square;
    kelvin_sampler_eval(s, &info->logp, grad, s->theta);
    info->value[RATE] = rate;
    k->dots(&along, &square, s->theta, grad, n);
    info->value[GRADIENT_NORM] = sqrt(square);
    info->value[CONFIGURATIONAL] = -along / (double)n;
    k->langevin(s->theta, v, grad, n, (float)m, h, noise, h,
                kelvin_sampler_random(s, moment->step, KELVIN_STREAM_NOISE));
    info->value[KINETIC] = 0.5 * (1 + m) * k->dot(v, v, n) / (double)n;
}

const kelvin_sampler_type kelvin_sghmc = {
    .member = KELVIN_PLAIN_MEMBER(
        "sghmc", "stochastic-gradient Hamiltonian Monte Carlo: steps with friction and noise on batches of the data"),
    .title = "SGHMC",
    .batches = true,
    .anneals = true,
    .step_setting = "lr",
    /* the paper's settings, but for fewer epochs, on a data set that needs no download */
    .usual = {"digits", "mlp:20,20,20,leak=0.01", "categorical", "normal:0.1", 8, 5000},
    .setting = {[LR] = {"lr", "L", "learning rate: steps are sqrt(L / observations) long", 1e-4, 0, INFINITY,
                        .above = true},
                [MOMENTUM] = {"momentum", "M", "share of the momentum that a step leaves", 0.98, 0, 1, .below = true}},
    .statistic = {[RATE] = {"lr", "lr", NULL, 0, 0, INFINITY, .last = true, .digits = DIGITS},
                  [GRADIENT_NORM] = {"gradient_norm", NULL, NULL, 0, -INFINITY, INFINITY, .digits = DIGITS,
                                     .infinite = "its gradient is not finite"},
                  [KINETIC] = {"kinetic_temperature", "kinetic_temperature", NULL, 0, -INFINITY, INFINITY,
                               .digits = DIGITS, .infinite = "its momentum is not finite"},
                  [CONFIGURATIONAL] = {"configurational_temperature", "configurational_temperature", NULL, 0, -INFINITY,
                                       INFINITY, .digits = DIGITS}},
    .vector = {[V] = "momentum"},
    .work = WORK,
    .start = start,
    .step = step,
};
