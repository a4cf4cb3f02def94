/* MCLMC: a step against plain loops in double, what its integrator and its tuning promise, and moments and ranks
 * against exact ones. (What holds for every sampler is the matter of test_samplers.c, networks that of
 * test_mclmc_posterior.c.) */
#include "averages.h"
#include "calibration.h"

#include "base/random.h"

enum { DIM = 10 };

static const uint64_t seed = 0x123456789abcdefu;
static const uint32_t chain_number = 5;

/* A double well in each coordinate, coupled. */
static void wells(double *logp, double grad[DIM], const double theta[DIM])
{
    *logp = 0;
    for (int i = 0; i < DIM; i++) {
        const double x = theta[i], next = theta[(i + 1) % DIM], before = theta[(i + DIM - 1) % DIM];
        *logp -= (x * x - 1) * (x * x - 1) + 0.3 * x * next;
        grad[i] = -4 * x * (x * x - 1) - 0.3 * (next + before);
    }
}

static size_t evaluations;

static void wells_eval(void *context, double *logp, float *grad, const float *theta)
{
    double x[DIM], slope[DIM], sum;
    (void)context;
    evaluations++;
    for (int i = 0; i < DIM; i++) x[i] = (double)theta[i];
    wells(&sum, slope, x);
    for (int i = 0; grad && i < DIM; i++) grad[i] = (float)slope[i];
    if (logp) *logp = sum;
}

static const kelvin_target wells_target = {DIM, wells_eval, NULL};

/* Step size and length are fixed, unless 0. */
static kelvin_sampler *make(const kelvin_target *target, double variance, double steps, double step_size, double length)
{
    return chain_of("mclmc", target, (double[]){variance, steps, step_size, length}, 0, seed, chain_number);
}

static void start_wells(float theta[DIM])
{
    for (int i = 0; i < DIM; i++) theta[i] = 0.8f + 0.1f * (float)i;
}

static const float *direction_of(const kelvin_sampler *chain)
{
    return chain->vector[0];
}

static const double forever = 1e30; /* a length after which nothing is left of a direction: no noise */

/* ---- one step, in double ---- */

struct plain {
    double x[DIM], u[DIM], logp, grad[DIM];
};

static void normalise(double u[DIM])
{
    double square = 0;
    for (int i = 0; i < DIM; i++) square += u[i] * u[i];
    for (int i = 0; i < DIM; i++) u[i] /= sqrt(square);
}

static void plain_turn(struct plain *p, double nu, kelvin_random where)
{
    for (int i = 0; i < DIM; i++) p->u[i] += nu * kelvin_normal(where, (uint64_t)i);
    normalise(p->u);
}

/* As it is derived (Ver Steeg and Galstyan 2021): u' = (u + e (sinh q + a (cosh q - 1))) / (cosh q + a sinh q), and the
 * kinetic energy, (d - 1) times the log of the speed, changes by (d - 1) ln(cosh q + a sinh q). */
static double plain_push(struct plain *p, double time, double temperature)
{
    double square = 0, a = 0;
    for (int i = 0; i < DIM; i++) square += p->grad[i] * p->grad[i];
    for (int i = 0; i < DIM; i++) a += p->u[i] * p->grad[i] / sqrt(square);
    const double q = time * sqrt(square) / temperature / (DIM - 1), along = sinh(q) + a * (cosh(q) - 1);
    for (int i = 0; i < DIM; i++) p->u[i] = (p->u[i] + along * p->grad[i] / sqrt(square)) / (cosh(q) + a * sinh(q));
    return (DIM - 1) * log(cosh(q) + a * sinh(q));
}

static void plain_drift(struct plain *p, double time)
{
    for (int i = 0; i < DIM; i++) p->x[i] += time * p->u[i];
    wells(&p->logp, p->grad, p->x);
}

/* Returns dE. */
static double plain_step(struct plain *p, double h, double length, double temperature, uint32_t step, uint32_t inner)
{
    const double b = 0.1931833275037836, nu = sqrt((exp(h / length) - 1) / DIM), before = p->logp;
    kelvin_random where = {seed, chain_number, step, (inner + 1) * 65536 + KELVIN_STREAM_TURN_BEFORE};
    plain_turn(p, nu, where);
    double change = plain_push(p, b * h, temperature);
    plain_drift(p, h / 2);
    change += plain_push(p, (1 - 2 * b) * h, temperature);
    plain_drift(p, h / 2);
    change += plain_push(p, b * h, temperature);
    where.stream = (inner + 1) * 65536 + KELVIN_STREAM_TURN_AFTER;
    plain_turn(p, nu, where);
    return change - (p->logp - before) / temperature;
}

static void begin_plain(struct plain *p, const float *theta)
{
    const kelvin_random where = {seed, chain_number, 0, KELVIN_STREAM_DIRECTION};
    for (int i = 0; i < DIM; i++) {
        p->x[i] = (double)theta[i];
        p->u[i] = kelvin_normal(where, (uint64_t)i);
    }
    normalise(p->u);
    wells(&p->logp, p->grad, p->x);
}

/* Two iterations of three steps; roundings of 6e-8 grow by a factor of 20 or so on the way. */
static void steps_are_those_of_plain_loops(void **state)
{
    (void)state;
    const double h = 0.31, length = 1.7, temperature = 0.6;
    double most = 0;
    float theta[DIM];
    struct plain p;
    start_wells(theta);
    begin_plain(&p, theta);
    kelvin_sampler *chain = make(&wells_target, 1, 3, h, length);
    kelvin_sampler_start(chain, theta);
    for (uint32_t step = 7; step < 9; step++) {
        const kelvin_step_info info = move(chain, step, temperature);
        double error = 0, variance = 0, pull = 0, size = 0;
        for (uint32_t inner = 0; inner < 3; inner++) {
            const double one = plain_step(&p, h, length, temperature, step, inner);
            error += one;
            variance += one * one / (3 * DIM);
        }
        for (int i = 0; i < DIM; i++) size += pow((double)direction_of(chain)[i], 2);
        for (int i = 0; i < DIM; i++) {
            pull -= p.x[i] * p.grad[i] / DIM;
            assert_near((double)kelvin_sampler_theta(chain)[i], p.x[i], 3e-6);
            assert_near((double)direction_of(chain)[i] / sqrt(size), p.u[i], 3e-6);
        }
        assert_near(info.logp, p.logp, 3e-5);
        most = fmax(most, variance);
        assert_near(told(chain, &info, "energy_error"), error, 3e-5);
        assert_near(told(chain, &info, "energy_variance"), variance, 1e-3 * variance + 1e-9);
        assert_near(told(chain, &info, "configurational_temperature"), pull, 3e-5);
        assert_near(told(chain, &info, "step_size"), h, 0);
        assert_near(told(chain, &info, "length"), length, 0);
    }
    assert_true(most > 5e-5); /* there is an error to see */
    kelvin_sampler_destroy(chain);
}

static void two_gradients_per_step(void **state)
{
    (void)state;
    float theta[DIM];
    start_wells(theta);
    kelvin_sampler *chain = make(&wells_target, 1, 37, 0.1, 1);
    evaluations = 0;
    kelvin_sampler_start(chain, theta);
    for (uint32_t i = 0; i < 5; i++) move(chain, i, 1);
    assert_int_equal(evaluations, 1 + 2 * 37 * 5);
    kelvin_sampler_destroy(chain);
}

/* ---- the integrator, without noise ---- */

/* There, about-turn, and back. In 120 steps roundings of 6e-8 grow to 1e-5. */
static void it_is_reversible(void **state)
{
    (void)state;
    float theta[DIM];
    struct {
        float theta[DIM], rest[KELVIN_STATE_VECTORS][DIM];
    } there;
    double numbers[KELVIN_STATE_NUMBERS], moved = 0;
    start_wells(theta);
    kelvin_sampler *chain = make(&wells_target, 1, 60, 0.05, forever);
    kelvin_sampler_start(chain, theta);
    move(chain, 0, 1);
    kelvin_sampler_save(chain, there.theta, numbers);
    for (int i = 0; i < DIM; i++) {
        moved = fmax(moved, fabs((double)there.theta[i] - (double)theta[i]));
        there.rest[0][i] = -there.rest[0][i];
    }
    assert_true(moved > 0.5);
    kelvin_sampler_load(chain, there.theta, numbers);
    move(chain, 1, 1);
    for (int i = 0; i < DIM; i++) assert_near((double)kelvin_sampler_theta(chain)[i], (double)theta[i], 1e-4);
    kelvin_sampler_destroy(chain);
}

/* The same way in steps of h, h/2 and h/4: energy is lost like h^2 on the whole, like h^3 in one step, which is what
 * tuning builds on. */
static void energy_error_is_second_order(void **state)
{
    (void)state;
    double whole[3], square[3];
    float theta[DIM];
    start_wells(theta);
    for (int k = 0; k < 3; k++) {
        kelvin_sampler *chain = make(&wells_target, 1, 12 << k, 0.2 / (1 << k), forever);
        kelvin_sampler_start(chain, theta);
        const kelvin_step_info info = move(chain, 0, 1);
        whole[k] = told(chain, &info, "energy_error");
        square[k] = told(chain, &info, "energy_variance");
        kelvin_sampler_destroy(chain);
    }
    assert_true(fabs(whole[2]) > 1e-4); /* well above the rounding of floats */
    assert_near(whole[0] / whole[1], 4, 1);
    assert_near(whole[1] / whole[2], 4, 0.5);
    assert_near(square[0] / square[1], 64, 16);
    assert_near(square[1] / square[2], 64, 8);
}

/* ---- flat, and not finite ---- */

static void flat_eval(void *context, double *logp, float *grad, const float *theta)
{
    (void)context;
    (void)theta;
    if (logp) *logp = 0;
    if (grad) memset(grad, 0, DIM * sizeof *grad);
}

/* Without a gradient it goes straight on, at speed 1. */
static void without_a_gradient_it_goes_straight_on(void **state)
{
    (void)state;
    const kelvin_target flat = {DIM, flat_eval, NULL};
    const float zeros[DIM] = {0};
    kelvin_sampler *chain = make(&flat, 1, 10, 0.25, forever);
    kelvin_sampler_start(chain, zeros);
    const kelvin_step_info info = move(chain, 0, 1);
    struct plain p;
    begin_plain(&p, zeros);
    for (int i = 0; i < DIM; i++) assert_near((double)kelvin_sampler_theta(chain)[i], 2.5 * p.u[i], 2e-6);
    assert_near(told(chain, &info, "energy_error"), 0, 0);
    kelvin_sampler_destroy(chain);
}

/* A Gaussian that is not a number beyond |x| = 6, where none of its mass is: only steps that are too large get there.
 */
static void cliff_eval(void *context, double *logp, float *grad, const float *theta)
{
    double sum = 0, square = 0;
    (void)context;
    for (int i = 0; i < DIM; i++) square += (double)theta[i] * (double)theta[i];
    for (int i = 0; i < DIM; i++) {
        sum -= 0.5 * (double)theta[i] * (double)theta[i];
        if (grad) grad[i] = square > 36 ? NAN : -theta[i];
    }
    if (logp) *logp = square > 36 ? (double)NAN : sum;
}

static const kelvin_target cliff = {DIM, cliff_eval, NULL};

static void steps_into_nothing_are_taken_back_in_warmup(void **state)
{
    (void)state;
    enum { WARMUP = 60 };
    const float zeros[DIM] = {0};
    kelvin_sampler *chain = make(&cliff, 1e9, 10, 0, 0); /* any energy is good enough: only the cliff limits h */
    kelvin_sampler_start(chain, zeros);
    double last = 0;
    for (uint32_t i = 0; i < WARMUP; i++) {
        const kelvin_step_info info = kelvin_sampler_advance(chain, &(kelvin_moment){i, WARMUP, 1, 1});
        double square = 0;
        for (int d = 0; d < DIM; d++) square += pow((double)kelvin_sampler_theta(chain)[d], 2);
        assert_true(square <= 36 && isfinite(info.logp) && isfinite(told(chain, &info, "energy_error")));
        last = told(chain, &info, "step_size");
    }
    assert_true(last > 1 && last < 12); /* twice as far as the cliff no step comes back from */
    kelvin_sampler_destroy(chain);
}

/* After warm-up, and where the size is not tuned, nothing is hidden. */
static void afterwards_they_are_told(void **state)
{
    (void)state;
    const float zeros[DIM] = {0};
    for (uint32_t warmup = 0; warmup <= 10; warmup += 10) {
        kelvin_sampler *chain = make(&cliff, 1, 1, 20, 1);
        kelvin_sampler_start(chain, zeros);
        for (uint32_t i = 0; i < 3; i++) {
            const kelvin_step_info info = kelvin_sampler_advance(chain, &(kelvin_moment){i, warmup, 1, 1});
            assert_true(!isfinite(info.logp) && !isfinite(told(chain, &info, "energy_error")));
        }
        kelvin_sampler_destroy(chain);
    }
}

/* With scales, which come with a size that was tuned elsewhere, they are taken back in the first parts of a warm-up. */
static void with_scales_they_are_taken_back_at_first(void **state)
{
    (void)state;
    enum { WARMUP = 90 };
    const float zeros[DIM] = {0};
    float scale[DIM];
    for (int i = 0; i < DIM; i++) scale[i] = 1;
    const kelvin_sampler_options options = {.setting = (double[]){1, 5, 20, 3}, .scale = scale};
    kelvin_sampler *chain;
    assert_ok(kelvin_sampler_make(&chain, sampler_named("mclmc"), &cliff, &options));
    kelvin_sampler_start(chain, zeros);
    for (uint32_t i = 0; i < WARMUP; i++) {
        const kelvin_step_info info = kelvin_sampler_advance(chain, &(kelvin_moment){i, WARMUP, 1, 1});
        assert_true(isfinite(info.logp) == (i < 2 * WARMUP / 3));
        assert_near(told(chain, &info, "step_size"), 20, 0);
    }
    kelvin_sampler_destroy(chain);
}

/* One dimension has no directions; that is told, too. */
static void line_eval(void *context, double *logp, float *grad, const float *theta)
{
    (void)context;
    if (logp) *logp = -0.5 * (double)theta[0] * (double)theta[0];
    if (grad) grad[0] = -theta[0];
}

static void one_dimension_is_too_few(void **state)
{
    (void)state;
    const float at = 0.5f;
    kelvin_sampler *chain = make(&(kelvin_target){1, line_eval, NULL}, 1, 1, 0.1, 1);
    kelvin_sampler_start(chain, &at);
    const kelvin_step_info info = move(chain, 0, 1);
    assert_true(!isfinite(told(chain, &info, "energy_error")));
    kelvin_sampler_destroy(chain);
}

/* ---- a Gaussian ---- */

/* Variances 0.1 .. 10, like 100^(i / 9); the mean is not 0. */
static double variance_of(int i)
{
    return 0.1 * pow(100, i / (DIM - 1.0));
}

static double mean_of(int i)
{
    return (i % 2 ? -1 : 1) * (i + 1) / 4.0;
}

static void gaussian_eval(void *context, double *logp, float *grad, const float *theta)
{
    const double *precision = context;
    double sum = 0;
    for (int i = 0; i < DIM; i++) {
        const double off = (double)theta[i] - mean_of(i);
        sum -= 0.5 * precision[i] * off * off;
        if (grad) grad[i] = (float)(-precision[i] * off);
    }
    if (logp) *logp = sum;
}

enum { WARMUP = 600 };

struct moments {
    struct average mean[DIM], variance[DIM], temperature, energy; /* in units of the exact deviations and variances */
    double step_size, length;
};

static void run_gaussian(struct moments *out, double variance, double steps, double temperature, uint32_t draws)
{
    double precision[DIM];
    for (int i = 0; i < DIM; i++) precision[i] = 1 / variance_of(i);
    const kelvin_target target = {DIM, gaussian_eval, precision};
    const float zeros[DIM] = {0};
    kelvin_sampler *chain = make(&target, variance, steps, 0, 0);
    kelvin_sampler_start(chain, zeros);
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < WARMUP + draws; i++) {
        const kelvin_step_info info = kelvin_sampler_advance(chain, &(kelvin_moment){i, WARMUP, 1, temperature});
        if (i < WARMUP) continue;
        const uint32_t draw = i - WARMUP;
        for (int d = 0; d < DIM; d++) {
            const double off =
                ((double)kelvin_sampler_theta(chain)[d] - mean_of(d)) / sqrt(temperature * variance_of(d));
            add(&out->mean[d], off, draw, draws);
            add(&out->variance[d], off * off, draw, draws);
        }
        add(&out->temperature, told(chain, &info, "configurational_temperature") / temperature, draw, draws);
        add(&out->energy, told(chain, &info, "energy_variance"), draw, draws);
        if (draw > 0) { /* tuning is over */
            assert_near(told(chain, &info, "step_size"), out->step_size, 0);
            assert_near(told(chain, &info, "length"), out->length, 0);
        }
        out->step_size = told(chain, &info, "step_size");
        out->length = told(chain, &info, "length");
    }
    kelvin_sampler_destroy(chain);
}

/* At V = 1e-7 what is left of the bias is below an error bar. */
static void gaussian_moments(void **state)
{
    (void)state;
    static const double temperatures[] = {1, 0.1};
    static struct moments found;
    for (int t = 0; t < 2; t++) {
        run_gaussian(&found, 1e-7, 20, temperatures[t], 40000);
        for (int d = 0; d < DIM; d++) {
            check("mean", estimate(&found.mean[d]), 0, 0.02);
            check("variance", estimate(&found.variance[d]), 1, 0.02);
        }
        check("configurational temperature", estimate(&found.temperature), 1, 0.02);
    }
}

/* h goes like V^(1/6), and the bias of a variance at least like h^2. It is largest where the density is narrowest,
 * whose variance comes out too small. */
static void bias_falls_with_the_energy_variance(void **state)
{
    (void)state;
    static const double V[] = {1e-2, 1e-3, 1e-4, 1e-5};
    static struct moments found;
    struct estimate bias[4], middle[4];
    double h[4];
    for (int k = 0; k < 4; k++) {
        run_gaussian(&found, V[k], 10, 1, 40000);
        bias[k] = estimate(&found.variance[0]);
        bias[k].mean = 1 - bias[k].mean;
        middle[k] = estimate(&found.variance[DIM / 2]);
        h[k] = found.step_size;
        const struct estimate energy = estimate(&found.energy);
        print_message("V %g: energy variance %.3g, h %.3f, L %.2f, bias %.4f +- %.4f (narrowest), %.4f (middle)\n",
                      V[k], energy.mean, h[k], found.length, bias[k].mean, bias[k].error, 1 - middle[k].mean);
        assert_near(energy.mean, V[k], 0.25 * V[k]);
        if (k == 0) continue;
        assert_near(h[k - 1] / h[k], pow(10, 1.0 / 6), 0.25); /* in the limit of small steps */
        const double less = pow(h[k] / h[k - 1], 2);
        assert_below(bias[k].mean, less * bias[k - 1].mean + 4 * hypot(bias[k].error, less * bias[k - 1].error));
    }
    assert_true(bias[0].mean > 0.2 && bias[1].mean > 5 * bias[1].error); /* there is a bias to fall */
    assert_near(middle[1].mean, 1, 0.03);
}

/* L: the root of the sum of variances; and at another temperature all lengths go with its root. */
static void lengths_are_those_of_the_density(void **state)
{
    (void)state;
    double sum = 0;
    static struct moments warm, cold;
    for (int i = 0; i < DIM; i++) sum += variance_of(i);
    run_gaussian(&warm, 5e-4, 10, 1, 100);
    run_gaussian(&cold, 5e-4, 10, 0.01, 100);
    assert_near(warm.length, sqrt(sum), 0.15 * sqrt(sum));
    assert_near(cold.length, 0.1 * sqrt(sum), 0.15 * 0.1 * sqrt(sum));
    assert_near(cold.step_size, 0.1 * warm.step_size, 0.1 * 0.1 * warm.step_size);
}

/* Without a warm-up: a size that keeps the energy of a first step without noise, where twice of it does not. */
static void without_warmup_the_first_size_stays(void **state)
{
    (void)state;
    const double V = 1e-3;
    float theta[DIM];
    start_wells(theta);
    kelvin_sampler *chain = make(&wells_target, V, 1, 0, forever);
    kelvin_sampler_start(chain, theta);
    kelvin_step_info info = move(chain, 0, 1);
    const double h = told(chain, &info, "step_size");
    assert_true(told(chain, &info, "energy_variance") <= V);
    for (uint32_t i = 1; i < 20; i++) {
        info = move(chain, i, 1);
        assert_near(told(chain, &info, "step_size"), h, 0);
    }
    kelvin_sampler_destroy(chain);
    chain = make(&wells_target, V, 1, 2 * h, forever);
    kelvin_sampler_start(chain, theta);
    info = move(chain, 0, 1);
    assert_true(told(chain, &info, "energy_variance") > V);
    kelvin_sampler_destroy(chain);
}

/* A schedule makes steps smaller, whatever they have been tuned to. */
static void the_rate_counts(void **state)
{
    (void)state;
    float theta[DIM], there[2][DIM];
    start_wells(theta);
    for (int k = 0; k < 2; k++) {
        kelvin_sampler *chain = make(&wells_target, 1, 3, k ? 0.2 : 0.1, 2);
        kelvin_sampler_start(chain, theta);
        const kelvin_step_info info = kelvin_sampler_advance(chain, &(kelvin_moment){0, 0, k ? 0.5 : 1, 1});
        assert_near(told(chain, &info, "step_size"), 0.1, 0);
        memcpy(there[k], kelvin_sampler_theta(chain), sizeof there[k]);
        kelvin_sampler_destroy(chain);
    }
    assert_memory_equal(there[0], there[1], sizeof theta);
}

/* ---- simulation-based calibration ---- */

static void ranks_are_uniform(void **state)
{
    (void)state;
    const struct calibration good = {"mclmc", {1e-6, 10}, .warmup = 90, .every = 3};
    const struct calibration bad = {"mclmc", {10, 10}, .warmup = 90, .every = 3};
    const double chi2 = calibrate(&good), off = calibrate(&bad);
    print_message("chi-square of ranks: %.1f at V = 1e-6, %.1f at V = 10\n", chi2, off);
    assert_below(chi2, CALIBRATED);
    assert_true(off > 2 * CALIBRATED); /* it would have been seen */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_are_those_of_plain_loops),
        cmocka_unit_test(two_gradients_per_step),
        cmocka_unit_test(it_is_reversible),
        cmocka_unit_test(energy_error_is_second_order),
        cmocka_unit_test(without_a_gradient_it_goes_straight_on),
        cmocka_unit_test(steps_into_nothing_are_taken_back_in_warmup),
        cmocka_unit_test(afterwards_they_are_told),
        cmocka_unit_test(with_scales_they_are_taken_back_at_first),
        cmocka_unit_test(one_dimension_is_too_few),
        cmocka_unit_test(gaussian_moments),
        cmocka_unit_test(bias_falls_with_the_energy_variance),
        cmocka_unit_test(lengths_are_those_of_the_density),
        cmocka_unit_test(without_warmup_the_first_size_stays),
        cmocka_unit_test(the_rate_counts),
        cmocka_unit_test(ranks_are_uniform),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
