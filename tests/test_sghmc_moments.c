/* SGHMC samples what it should: moments and temperatures on a Gaussian against the exact stationary values at that step
 * size. A tolerance is four standard errors, and nothing else. */
#include "averages.h"
#include "sampler_helpers.h"

#include "base/random.h"

/* ---- a correlated Gaussian ---- */

enum { DIM = 12 };

/* Precision Q diag(p) Q with the reflection Q = 1 - 2 w w': every direction of the space is mixed, the eigenvectors are
 * known. Precisions go from 0.5 to 50, like 100^(i / 11). */
struct gaussian {
    double mean[DIM], w[DIM], precision[DIM];
};

/* The mean goes with the width: theta . grad has a part mean . grad, which is 0 on average but noise all the same. */
static void make_gaussian(struct gaussian *g, double temperature)
{
    double length = 0;
    for (int i = 0; i < DIM; i++) {
        g->mean[i] = sqrt(temperature) * (i % 2 ? -1 : 1) * (i + 1) / 4.0;
        g->w[i] = kelvin_normal((kelvin_random){1, 2, 3, 4}, (uint64_t)i);
        g->precision[i] = 0.5 * pow(100, i / (DIM - 1.0));
        length += g->w[i] * g->w[i];
    }
    for (int i = 0; i < DIM; i++) g->w[i] /= sqrt(length);
}

/* Q x; out may be x. */
static void reflect(double out[DIM], const double x[DIM], const struct gaussian *g)
{
    double along = 0;
    for (int i = 0; i < DIM; i++) along += g->w[i] * x[i];
    for (int i = 0; i < DIM; i++) out[i] = x[i] - 2 * along * g->w[i];
}

/* Coordinates along the eigenvectors, 0 at the mean. */
static void along_eigenvectors(double out[DIM], const float *theta, const struct gaussian *g)
{
    double x[DIM];
    for (int i = 0; i < DIM; i++) x[i] = (double)theta[i] - g->mean[i];
    reflect(out, x, g);
}

static void gaussian_eval(void *context, double *logp, float *grad, const float *theta)
{
    const struct gaussian *g = context;
    double u[DIM], slope[DIM];
    along_eigenvectors(u, theta, g);
    *logp = 0;
    for (int i = 0; i < DIM; i++) {
        *logp -= 0.5 * g->precision[i] * u[i] * u[i];
        u[i] *= -g->precision[i];
    }
    reflect(slope, u, g);
    for (int i = 0; i < DIM; i++) grad[i] = (float)slope[i];
}

/* ---- the exact answer ---- */

/* The stationary covariance S = F S F' + s s' of (x, v) in one direction, where a step is
 *     v' = m v - h p x + n xi,  x' = x + h v',   that is   F = (1 - h^2 p, h m; -h p, m),  s = n (h, 1)
 * by doubling: S_2k = S_k + F^k S_k F^k', which converges whatever F is, as long as the chain does. */
struct covariance {
    double xx, xv, vv;
};

static struct covariance stationary(double p, double h, double m, double temperature)
{
    const double n2 = 2 * temperature * (1 - m);
    double f[2][2] = {{1 - h * h * p, h * m}, {-h * p, m}};
    double s[2][2] = {{n2 * h * h, n2 * h}, {n2 * h, n2}};
    for (int doubling = 0; doubling < 40; doubling++) {
        double fs[2][2], ff[2][2], next[2][2];
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++) {
                fs[i][j] = f[i][0] * s[0][j] + f[i][1] * s[1][j];
                ff[i][j] = f[i][0] * f[0][j] + f[i][1] * f[1][j];
            }
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++) next[i][j] = s[i][j] + fs[i][0] * f[j][0] + fs[i][1] * f[j][1];
        memcpy(s, next, sizeof s);
        memcpy(f, ff, sizeof f);
    }
    return (struct covariance){s[0][0], s[0][1], s[1][1]};
}

/* What the header promises of a small step, and sghmc.c of any: temperatures by a formula. */
static void the_exact_answer_has_a_formula(void **state)
{
    (void)state;
    const double p = 7.3, temperature = 0.4;
    for (double m = 0; m < 1; m += 0.245)
        for (double h = 0.001; h < 0.5; h *= 1.7) {
            const struct covariance s = stationary(p, h, m, temperature);
            const double hot = temperature / (1 - h * h * p / (2 * (1 + m)));
            assert_near(p * s.xx, hot, 1e-9 * hot);
            assert_near(0.5 * (1 + m) * s.vv, hot, 1e-9 * hot);
            assert_near(s.xv, 0.5 * h * s.vv, 1e-9 * h * hot);
        }
}

/* ---- chains ---- */

struct settings {
    double h, momentum, temperature;
    uint32_t steps, warm_up;
};

struct moments {
    struct average mean[DIM], variance[DIM], neighbours[DIM], across[DIM], kinetic, configurational, logp;
};

enum { THIN = 5 }; /* neighbours are too much alike to be worth the time */

static void add_moments(struct moments *out, const struct gaussian *g, const kelvin_sampler *chain, uint32_t draw,
                        uint32_t draws)
{
    double u[DIM], v[DIM];
    along_eigenvectors(u, kelvin_sampler_theta(chain), g);
    for (int d = 0; d < DIM; d++) v[d] = (double)chain->vector[0][d];
    reflect(v, v, g);
    for (int d = 0; d < DIM; d++) {
        add(&out->mean[d], u[d], draw, draws);
        add(&out->variance[d], u[d] * u[d], draw, draws);
        add(&out->neighbours[d], u[d] * u[(d + 1) % DIM], draw, draws);
        add(&out->across[d], u[d] * v[d], draw, draws);
    }
}

static void run_gaussian(struct moments *out, struct gaussian *g, struct settings s)
{
    const kelvin_target target = {DIM, gaussian_eval, g};
    const float start[DIM] = {0};
    kelvin_sampler *chain = chain_of("sghmc", &target, (double[]){s.h * s.h * 1000, s.momentum}, 1000, 11, 3);
    kelvin_sampler_start(chain, start);
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < s.warm_up + s.steps; i++) {
        const kelvin_step_info info = move(chain, i, s.temperature);
        if (i < s.warm_up) continue;
        const uint32_t draw = i - s.warm_up;
        add(&out->kinetic, told(chain, &info, "kinetic_temperature"), draw, s.steps);
        add(&out->configurational, told(chain, &info, "configurational_temperature"), draw, s.steps);
        add(&out->logp, info.logp, draw, s.steps);
        if (draw % THIN == 0) add_moments(out, g, chain, draw / THIN, s.steps / THIN);
    }
    kelvin_sampler_destroy(chain);
}

/* All moments of one chain against the exact ones. */
static void check_moments(struct settings s, double most)
{
    static struct moments found;
    struct gaussian g;
    make_gaussian(&g, s.temperature);
    run_gaussian(&found, &g, s);
    double kinetic = 0, configurational = 0;
    for (int d = 0; d < DIM; d++) {
        const struct covariance exact = stationary(g.precision[d], s.h, s.momentum, s.temperature);
        const struct covariance next = stationary(g.precision[(d + 1) % DIM], s.h, s.momentum, s.temperature);
        check("mean", estimate(&found.mean[d]), 0, most * sqrt(exact.xx));
        check("variance", estimate(&found.variance[d]), exact.xx, most * exact.xx);
        check("covariance of two directions", estimate(&found.neighbours[d]), 0, most * sqrt(exact.xx * next.xx));
        check("covariance of position and momentum", estimate(&found.across[d]), exact.xv,
              most * sqrt(exact.xx * exact.vv));
        kinetic += 0.5 * (1 + s.momentum) * exact.vv / DIM;
        configurational += g.precision[d] * exact.xx / DIM;
    }
    check("kinetic temperature", estimate(&found.kinetic), kinetic, most * s.temperature);
    check("configurational temperature", estimate(&found.configurational), configurational, most * s.temperature);
    check("log-density", estimate(&found.logp), -0.5 * DIM * configurational, most * DIM * s.temperature);
}

/* h^2 p goes up to 0.4: what the step adds to the variance, up to 12 %, is seen and belongs to the answer. */
static void gaussian_moments(void **state)
{
    (void)state;
    static const double temperatures[] = {1, 0.1, 0.01};
    for (int t = 0; t < 3; t++) check_moments((struct settings){0.09, 0.9, temperatures[t], 400000, 2000}, 0.03);
}

/* The paper's momentum, none at all, and a step that is nearly too large (the limit is h^2 p = 2 (1 + m)). */
static void gaussian_moments_of_other_momenta(void **state)
{
    (void)state;
    check_moments((struct settings){0.09, 0.98, 1, 400000, 5000}, 0.04);
    check_moments((struct settings){0.15, 0, 1, 400000, 5000}, 0.06);
    check_moments((struct settings){0.25, 0.8, 1, 400000, 1000}, 0.03);
}

/* At a step of 0.02 the exact temperatures are 0.13 % above T: less than a standard error, so that T itself is met. */
static void temperatures_are_the_temperature(void **state)
{
    (void)state;
    static struct moments found;
    struct gaussian g;
    for (int k = 0; k < 2; k++) {
        const double temperature = k ? 0.01 : 1;
        make_gaussian(&g, temperature);
        run_gaussian(&found, &g, (struct settings){0.02, 0.9, temperature, 400000, 5000});
        const struct estimate kinetic = estimate(&found.kinetic), place = estimate(&found.configurational);
        check("kinetic temperature", kinetic, temperature, 0.005 * temperature);
        check("configurational temperature", place, temperature, 0.03 * temperature);
    }
}

/* Half the step, a quarter of the error and less: T / (1 - h^2 p / (2 (1 + m))) - T. */
static void a_smaller_step_errs_less(void **state)
{
    (void)state;
    static struct moments found;
    struct gaussian g;
    make_gaussian(&g, 1);
    const int stiff = DIM - 1; /* p = 50 */
    struct estimate error[3];
    for (int k = 0; k < 3; k++) {
        const double h = 0.16 / (1 << k), p = g.precision[stiff];
        run_gaussian(&found, &g, (struct settings){h, 0.9, 1, 400000, 5000});
        error[k] = estimate(&found.variance[stiff]);
        error[k].mean = error[k].mean * p - 1;
        error[k].error *= p;
        check("error of the variance", error[k], stationary(p, h, 0.9, 1).xx * p - 1, 0.02);
        if (k == 0) continue;
        const double both = hypot(0.25 * error[k - 1].error, error[k].error);
        assert_below(error[k].mean, 0.25 * error[k - 1].mean + 4 * both);
        assert_true(error[k].mean < error[k - 1].mean - 4 * hypot(error[k].error, error[k - 1].error));
    }
    assert_true(error[0].mean > 20 * error[0].error); /* there is an error to shrink: 51 % at h = 0.16 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exact_answer_has_a_formula),    cmocka_unit_test(gaussian_moments),
        cmocka_unit_test(gaussian_moments_of_other_momenta), cmocka_unit_test(temperatures_are_the_temperature),
        cmocka_unit_test(a_smaller_step_errs_less),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
