/* HMC on targets with known answers. Nothing here is a network: a sampler never sees one. */
#include "calibration.h"

#include "base/random.h"

enum { DIM = 10 };

/* Gaussian with mean (1, -2, 3, ...)/4 and precision A = M M' + I/2: correlated, condition number about 30. */
struct gaussian {
    double mean[DIM], precision[DIM][DIM], covariance[DIM][DIM];
    size_t calls;
};

static void invert(double out[DIM][DIM], double in[DIM][DIM])
{
    double a[DIM][2 * DIM];
    for (int i = 0; i < DIM; i++)
        for (int j = 0; j < DIM; j++) a[i][j] = in[i][j], a[i][DIM + j] = i == j;
    for (int p = 0; p < DIM; p++) /* Gauss-Jordan; the matrix is positive definite */
        for (int i = 0; i < DIM; i++) {
            if (i == p) continue;
            const double f = a[i][p] / a[p][p];
            for (int j = 0; j < 2 * DIM; j++) a[i][j] -= f * a[p][j];
        }
    for (int i = 0; i < DIM; i++)
        for (int j = 0; j < DIM; j++) out[i][j] = a[i][DIM + j] / a[i][i];
}

static void make_gaussian(struct gaussian *g)
{
    double m[DIM][DIM];
    for (int i = 0; i < DIM; i++) {
        g->mean[i] = (i % 2 ? -1 : 1) * (i + 1) / 4.0;
        for (int j = 0; j < DIM; j++)
            m[i][j] = 0.45 * kelvin_normal((kelvin_random){1, 2, 3, 4}, (uint64_t)(i * DIM + j));
    }
    for (int i = 0; i < DIM; i++)
        for (int j = 0; j < DIM; j++) {
            g->precision[i][j] = i == j ? 0.5 : 0;
            for (int k = 0; k < DIM; k++) g->precision[i][j] += m[i][k] * m[j][k];
        }
    invert(g->covariance, g->precision);
    g->calls = 0;
}

static void gaussian_eval(void *context, double *logp, float *grad, const float *theta)
{
    struct gaussian *g = context;
    double sum = 0;
    g->calls++;
    for (int i = 0; i < DIM; i++) {
        double slope = 0;
        for (int j = 0; j < DIM; j++) slope -= g->precision[i][j] * ((double)theta[j] - g->mean[j]);
        sum += 0.5 * slope * ((double)theta[i] - g->mean[i]);
        if (grad) grad[i] = (float)slope;
    }
    if (logp) *logp = sum;
}

static kelvin_sampler *make(const kelvin_target *target, double step_size, double steps, uint64_t seed, uint32_t chain)
{
    return chain_of("hmc", target, (double[]){step_size, steps, 0}, 0, seed, chain);
}

/* Standard errors of the mean and of second moments, from means over batches that are long against the correlation
 * time. */
enum { DRAWS = 40000, BATCHES = 100 };

static void batch_error(double *mean, double *error, double batch[BATCHES])
{
    double sum = 0, square = 0;
    for (int b = 0; b < BATCHES; b++) sum += batch[b] / BATCHES;
    for (int b = 0; b < BATCHES; b++) square += (batch[b] - sum) * (batch[b] - sum) / (BATCHES - 1);
    *mean = sum;
    *error = sqrt(square / BATCHES);
}

static void check_moments(double temperature)
{
    struct gaussian g;
    make_gaussian(&g);
    const kelvin_target target = {DIM, gaussian_eval, &g};
    /* Frequencies go from 0.7 to 3 (over sqrt T): a trajectory of 0.96 is less than half a period of each, so that none
     * is sent back to where it came from, up to the sign, again and again. */
    kelvin_sampler *hmc = make(&target, 0.24 * sqrt(temperature), 4, 11, 3);
    const float start[DIM] = {0};
    kelvin_sampler_start(hmc, start);
    static double first[DIM][BATCHES], second[DIM][DIM][BATCHES];
    memset(first, 0, sizeof first);
    memset(second, 0, sizeof second);
    double accepted = 0;
    for (uint32_t i = 0; i < 200 + DRAWS; i++) {
        const kelvin_step_info info = move(hmc, i, temperature);
        accepted += told(hmc, &info, "accepted");
        if (i < 200) continue;
        const float *theta = kelvin_sampler_theta(hmc);
        const int b = (int)((i - 200) / (DRAWS / BATCHES));
        for (int p = 0; p < DIM; p++) {
            first[p][b] += (double)theta[p] / (DRAWS / BATCHES);
            for (int q = 0; q <= p; q++)
                second[p][q][b] += ((double)theta[p] - g.mean[p]) * ((double)theta[q] - g.mean[q]) / (DRAWS / BATCHES);
        }
    }
    assert_true(accepted / (200 + DRAWS) > 0.8 && accepted < 200 + DRAWS);
    for (int p = 0; p < DIM; p++) {
        double mean, error;
        batch_error(&mean, &error, first[p]);
        assert_near(mean, g.mean[p], 4 * error);
        assert_below(error, 0.05 * sqrt(temperature)); /* an error bar that says something */
        for (int q = 0; q <= p; q++) {
            batch_error(&mean, &error, second[p][q]);
            assert_near(mean, temperature * g.covariance[p][q], 4 * error);
            assert_below(error, 0.05 * temperature);
        }
    }
    kelvin_sampler_destroy(hmc);
}

static void gaussian_moments(void **state)
{
    (void)state;
    check_moments(1.0);
}

static void cold_gaussian_moments(void **state)
{
    (void)state;
    check_moments(0.1);
}

/* A step of 1.7, close to the limit of 2: leapfrog orbits on a standard normal have a variance of 1 / (1 - 1.7^2 / 4)
 * = 3.6, and it is the accept step alone that brings it down to 1. */
static void bell_eval(void *context, double *logp, float *grad, const float *theta)
{
    (void)context;
    if (logp) *logp = -0.5 * (double)theta[0] * (double)theta[0];
    if (grad) grad[0] = -theta[0];
}

static void rejections_make_it_exact(void **state)
{
    (void)state;
    const kelvin_target target = {1, bell_eval, NULL};
    kelvin_sampler *hmc = make(&target, 1.7, 4, 21, 0);
    const float start = 0.3f;
    kelvin_sampler_start(hmc, &start);
    double batch[2][BATCHES] = {{0}}, accepted = 0;
    for (uint32_t i = 0; i < 5 * DRAWS; i++) {
        const kelvin_step_info info = move(hmc, i, 1);
        accepted += told(hmc, &info, "accepted");
        const double x = (double)*kelvin_sampler_theta(hmc);
        batch[0][i / (5 * DRAWS / BATCHES)] += x * x / (5 * DRAWS / BATCHES);
        batch[1][i / (5 * DRAWS / BATCHES)] += x * x * x * x / (5 * DRAWS / BATCHES);
    }
    assert_true(accepted / (5 * DRAWS) < 0.8);
    for (int k = 0; k < 2; k++) {
        double mean, error;
        batch_error(&mean, &error, batch[k]);
        assert_near(mean, k ? 3 : 1, 4 * error);
        assert_below(error, k ? 0.06 : 0.02);
    }
    kelvin_sampler_destroy(hmc);
}

/* A double well in each coordinate, coupled: no closed form for its orbits. */
static void wells_eval(void *context, double *logp, float *grad, const float *theta)
{
    (void)context;
    double sum = 0;
    for (int i = 0; i < DIM; i++) {
        const double x = (double)theta[i], next = (double)theta[(i + 1) % DIM];
        const double before = (double)theta[(i + DIM - 1) % DIM];
        sum -= (x * x - 1) * (x * x - 1) + 0.3 * x * next;
        if (grad) grad[i] = (float)(-4 * x * (x * x - 1) - 0.3 * (next + before));
    }
    if (logp) *logp = sum;
}

static const kelvin_target wells = {DIM, wells_eval, NULL};

static void start_wells(float *theta, float *momentum)
{
    for (int i = 0; i < DIM; i++) {
        theta[i] = 0.8f + 0.1f * (float)i;
        momentum[i] = 0.9f - 0.17f * (float)i;
    }
}

static double energy(const float *theta, const float *momentum)
{
    double logp, sum = 0;
    wells.eval(NULL, &logp, NULL, theta);
    for (int i = 0; i < DIM; i++) sum += 0.5 * (double)momentum[i] * (double)momentum[i];
    return sum - logp;
}

static void leapfrog_is_reversible(void **state)
{
    (void)state;
    float theta[DIM], momentum[DIM], grad[DIM], theta0[DIM], momentum0[DIM];
    start_wells(theta, momentum);
    memcpy(theta0, theta, sizeof theta);
    memcpy(momentum0, momentum, sizeof momentum);
    wells.eval(NULL, NULL, grad, theta);
    assert_ok(kelvin_leapfrog(&wells, theta, momentum, grad, 0.01f, 1.0f, 150));
    float moved = 0;
    for (int i = 0; i < DIM; i++) {
        moved = fmaxf(moved, fabsf(theta[i] - theta0[i]));
        momentum[i] = -momentum[i];
    }
    assert_true(moved > 0.5f);
    assert_ok(kelvin_leapfrog(&wells, theta, momentum, grad, 0.01f, 1.0f, 150));
    /* 300 steps, each with roundings of half a unit in the last place of numbers near 1 (6e-8); the orbits pull apart
     * by less than a factor of 30 over this time (measured: 4e-6 at the worst coordinate) */
    for (int i = 0; i < DIM; i++) {
        assert_near((double)theta[i], (double)theta0[i], 2e-5);
        assert_near((double)momentum[i], -(double)momentum0[i], 2e-5);
    }
}

static void energy_error_is_second_order(void **state)
{
    (void)state;
    double error[3];
    for (int k = 0; k < 3; k++) {
        float theta[DIM], momentum[DIM], grad[DIM];
        start_wells(theta, momentum);
        const double before = energy(theta, momentum);
        wells.eval(NULL, NULL, grad, theta);
        assert_ok(kelvin_leapfrog(&wells, theta, momentum, grad, 0.08f / (float)(1 << k), 1.0f, 15u << k));
        error[k] = energy(theta, momentum) - before;
    }
    assert_true(fabs(error[2]) > 1e-4); /* well above the rounding of floats */
    assert_near(error[0] / error[1], 4, 0.5);
    assert_near(error[1] / error[2], 4, 0.25);
}

static void one_gradient_per_step(void **state)
{
    (void)state;
    struct gaussian g;
    make_gaussian(&g);
    const kelvin_target target = {DIM, gaussian_eval, &g};
    kelvin_sampler *hmc = make(&target, 0.01, 37, 1, 1);
    const float start[DIM] = {0};
    kelvin_sampler_start(hmc, start);
    assert_int_equal(g.calls, 1);
    for (uint32_t i = 0; i < 10; i++) move(hmc, i, 1);
    assert_int_equal(g.calls, 1 + 37 * 10);
    kelvin_sampler_destroy(hmc);
}

/* The same (seed, chain, iteration) makes the same move, wherever the chain is taken up; another one makes another. */
static void moves_are_pure_functions(void **state)
{
    (void)state;
    float kept[DIM], start[DIM], momentum[DIM];
    start_wells(start, momentum);
    kelvin_sampler *hmc = make(&wells, 0.05, 12, 5, 2);
    kelvin_sampler_start(hmc, start);
    for (uint32_t i = 0; i < 6; i++) move(hmc, i, 1);
    memcpy(kept, kelvin_sampler_theta(hmc), sizeof kept);
    move(hmc, 6, 1);
    float after[DIM];
    memcpy(after, kelvin_sampler_theta(hmc), sizeof after);
    kelvin_sampler_destroy(hmc);
    for (uint32_t chain = 2; chain <= 3; chain++) {
        hmc = make(&wells, 0.05, 12, 5, chain);
        kelvin_sampler_start(hmc, kept);
        move(hmc, 6, 1);
        const int differs = memcmp(after, kelvin_sampler_theta(hmc), sizeof after) != 0;
        assert_int_equal(differs, chain == 3);
        kelvin_sampler_destroy(hmc);
    }
}

/* Flat up to |x| = 2, not a number beyond: an energy that is not a number must be turned down, and the state kept. */
static void cliff_eval(void *context, double *logp, float *grad, const float *theta)
{
    (void)context;
    const bool out = fabsf(theta[0]) > 2;
    if (logp) *logp = out ? NAN : 0;
    if (grad) grad[0] = out ? NAN : 0;
}

static void not_a_number_rejects(void **state)
{
    (void)state;
    const kelvin_target target = {1, cliff_eval, NULL};
    kelvin_sampler *hmc = make(&target, 0.5, 3, 1, 0);
    const float start = 0.5f;
    kelvin_sampler_start(hmc, &start);
    int rejected = 0;
    for (uint32_t i = 0; i < 500; i++) {
        const kelvin_step_info info = move(hmc, i, 1);
        assert_true(fabsf(*kelvin_sampler_theta(hmc)) <= 2 && info.logp == 0);
        if (isnan(told(hmc, &info, "energy_error"))) {
            assert_true(told(hmc, &info, "accepted") == 0 && told(hmc, &info, "acceptance") == 0);
            rejected++;
        }
    }
    assert_true(rejected > 20 && rejected < 480);
    kelvin_sampler_destroy(hmc);
}

/* Every fourth draw after 20: 15 draws all but independent. */
static void simulation_based_calibration(void **state)
{
    (void)state;
    const struct calibration hmc = {"hmc", {0.4, 3}, .warmup = 20, .every = 4};
    assert_below(calibrate(&hmc), CALIBRATED);
}

static void bad_options_are_refused(void **state)
{
    (void)state;
    static const struct {
        double setting[3];
        const char *word;
    } bad[] = {{{-1, 10}, "step_size"},
               {{(double)NAN, 10}, "step_size"},
               {{(double)INFINITY, 10}, "step_size"},
               {{0.1, -1}, "steps"},
               {{0.1, 10, -0.1}, "jitter"},
               {{0.1, 10, 1.5}, "jitter"},
               {{0.1, 10.5}, "steps"},
               {{0.1, 4294967296}, "steps"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const kelvin_sampler_options options = {.setting = bad[i].setting};
        kelvin_sampler *hmc;
        assert_int_equal(kelvin_sampler_make(&hmc, sampler_named("hmc"), &wells, &options), KELVIN_EUSAGE);
        assert_null(hmc);
        assert_non_null(strstr(kelvin_error(), bad[i].word));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaussian_moments),
        cmocka_unit_test(cold_gaussian_moments),
        cmocka_unit_test(rejections_make_it_exact),
        cmocka_unit_test(leapfrog_is_reversible),
        cmocka_unit_test(energy_error_is_second_order),
        cmocka_unit_test(one_gradient_per_step),
        cmocka_unit_test(moves_are_pure_functions),
        cmocka_unit_test(not_a_number_rejects),
        cmocka_unit_test(simulation_based_calibration),
        cmocka_unit_test(bad_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
