/* SGHMC with the gradients of mini-batches against HMC with those of all data: means and variances of the posterior of
 * a small logistic regression, within four standard errors of both. */
#include "averages.h"
#include "sampler_helpers.h"

#include "base/random.h"

enum { POINTS = 60, BATCH = 15, WEIGHTS = 4 };

struct regression {
    double x[POINTS][WEIGHTS], y[POINTS]; /* the last input is 1; y is 0 or 1 */
    uint32_t order[POINTS];
    uint32_t first, n; /* which ones of them count, in that order */
};

static void make_regression(struct regression *r)
{
    static const double truth[WEIGHTS] = {1.2, -0.7, 0.3, -0.4};
    const kelvin_random where = {5, 0, 0, KELVIN_STREAM_USER};
    for (uint32_t i = 0; i < POINTS; i++) {
        double z = 0;
        for (uint32_t d = 0; d < WEIGHTS; d++) {
            r->x[i][d] = d + 1 == WEIGHTS ? 1 : kelvin_normal(where, WEIGHTS * i + d);
            z += truth[d] * r->x[i][d];
        }
        r->y[i] = kelvin_uniform(where, 10000 + i) < 1 / (1 + exp(-z));
        r->order[i] = i;
    }
    r->first = 0;
    r->n = POINTS;
}

/* y - p of one point. Its likelihood is exp(*exponent) / *divisor, up to what is there already. */
static double rest(double *exponent, double *divisor, const struct regression *r, uint32_t i, const float *theta)
{
    double z = 0;
    for (int d = 0; d < WEIGHTS; d++) z += (double)theta[d] * r->x[i][d];
    const double e = exp(-fabs(z)), p = (z > 0 ? 1 : e) / (1 + e);
    *exponent += r->y[i] * z - fmax(z, 0);
    *divisor *= 1 + e; /* at most 2^POINTS */
    return r->y[i] - p;
}

/* Prior N(0, 1); the points of a batch count POINTS / n times. */
static void regression_eval(void *context, double *logp, float *grad, const float *theta)
{
    const struct regression *r = context;
    double sum = 0, divisor = 1, slope[WEIGHTS] = {0};
    const double times = (double)POINTS / r->n;
    for (uint32_t k = r->first; k < r->first + r->n; k++) {
        const uint32_t i = r->order[k];
        const double off = rest(&sum, &divisor, r, i, theta);
        for (int d = 0; d < WEIGHTS; d++) slope[d] += off * r->x[i][d];
    }
    sum = times * (sum - log(divisor));
    for (int d = 0; d < WEIGHTS; d++) {
        sum -= 0.5 * (double)theta[d] * (double)theta[d];
        if (grad) grad[d] = (float)(times * slope[d] - (double)theta[d]);
    }
    if (logp) *logp = sum;
}

struct marginals {
    struct average mean[WEIGHTS], variance[WEIGHTS]; /* the latter around `centre` */
};

static void add_draw(struct marginals *m, const float *theta, const double *centre, uint32_t draw, uint32_t draws)
{
    for (int d = 0; d < WEIGHTS; d++) {
        const double off = (double)theta[d] - centre[d];
        add(&m->mean[d], (double)theta[d], draw, draws);
        add(&m->variance[d], off * off, draw, draws);
    }
}

static void hmc_marginals(struct marginals *out, struct regression *r, const double *centre)
{
    enum { DRAWS = 20000, WARM_UP = 200 };
    const kelvin_target target = {WEIGHTS, regression_eval, r};
    const float start[WEIGHTS] = {0};
    kelvin_sampler *hmc = chain_of("hmc", &target, (double[]){0.11, 5, 0}, 0, 1, 0);
    kelvin_sampler_start(hmc, start);
    for (uint32_t i = 0; i < WARM_UP + DRAWS; i++) {
        move(hmc, i, 1);
        if (i >= WARM_UP) add_draw(out, kelvin_sampler_theta(hmc), centre, i - WARM_UP, DRAWS);
    }
    kelvin_sampler_destroy(hmc);
}

enum { BATCH_STEPS = 1000000 };
static const double batch_momentum = 0.9, batch_rate = 0.008;

static void sghmc_marginals(struct marginals *out, struct regression *r, const double *centre)
{
    enum { WARM_UP = 10000, PER_EPOCH = POINTS / BATCH };
    const kelvin_target target = {WEIGHTS, regression_eval, r};
    const float start[WEIGHTS] = {0};
    kelvin_sampler *chain = chain_of("sghmc", &target, (double[]){batch_rate, batch_momentum}, POINTS, 2, 0);
    kelvin_sampler_start(chain, start);
    r->n = BATCH;
    for (uint32_t i = 0; i < WARM_UP + BATCH_STEPS; i++) {
        r->first = i % PER_EPOCH * BATCH;
        if (r->first == 0)
            kelvin_permutation(r->order, POINTS, (kelvin_random){2, 0, i / PER_EPOCH, KELVIN_STREAM_ORDER});
        move(chain, i, 1);
        if (i >= WARM_UP) add_draw(out, kelvin_sampler_theta(chain), centre, i - WARM_UP, BATCH_STEPS);
    }
    kelvin_sampler_destroy(chain);
}

/* What independent batches would add to the temperature: h^2 <noise^2> / (2 (1 - m)) in the worst direction. Batches of
 * one epoch are not independent, their noises add up to 0, so that it is less. */
static double heat_of_batches(const struct regression *r, const double *centre)
{
    double worst = 0, unused[2] = {0, 1};
    float theta[WEIGHTS];
    for (int d = 0; d < WEIGHTS; d++) theta[d] = (float)centre[d];
    for (int d = 0; d < WEIGHTS; d++) {
        double square = 0;
        for (uint32_t i = 0; i < POINTS; i++)
            square += pow(rest(&unused[0], &unused[1], r, i, theta) * r->x[i][d], 2) / POINTS;
        worst = fmax(worst, square * POINTS * POINTS / BATCH * (1 - (double)BATCH / POINTS));
    }
    return batch_rate / POINTS * worst / (2 * (1 - batch_momentum));
}

/* The mode, by the gradient: variances taken around it have small error bars. */
static void find_mode(double centre[WEIGHTS], struct regression *r)
{
    float theta[WEIGHTS] = {0}, grad[WEIGHTS];
    for (int i = 0; i < 1000; i++) {
        regression_eval(r, NULL, grad, theta);
        for (int d = 0; d < WEIGHTS; d++) theta[d] += 0.02f * grad[d];
    }
    for (int d = 0; d < WEIGHTS; d++) centre[d] = (double)theta[d];
}

static void batches_agree_with_hmc(void **state)
{
    (void)state;
    static struct regression r;
    static struct marginals hmc, sghmc;
    double centre[WEIGHTS];
    make_regression(&r);
    find_mode(centre, &r);
    hmc_marginals(&hmc, &r, centre);
    sghmc_marginals(&sghmc, &r, centre);
    assert_below(heat_of_batches(&r, centre), 0.02); /* no more than the error bars below */
    for (int d = 0; d < WEIGHTS; d++) {
        const struct estimate mean[2] = {estimate(&hmc.mean[d]), estimate(&sghmc.mean[d])};
        const struct estimate square[2] = {estimate(&hmc.variance[d]), estimate(&sghmc.variance[d])};
        double variance[2];
        for (int k = 0; k < 2; k++) variance[k] = square[k].mean - pow(mean[k].mean - centre[d], 2);
        const double error = hypot(square[0].error, square[1].error);
        assert_near(mean[1].mean, mean[0].mean, 4 * hypot(mean[0].error, mean[1].error));
        assert_below(hypot(mean[0].error, mean[1].error), 0.03 * sqrt(variance[0]));
        assert_near(variance[1], variance[0], 4 * error);
        assert_below(error, 0.03 * variance[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_agree_with_hmc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
