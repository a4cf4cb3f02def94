/* One step of SGHMC and what a chain is made of: bit for bit what plain loops do, under every instruction set with FMA;
 * the same bits when a chain is cut into pieces; and what a step tells of itself. (Whether it samples what it should is
 * the matter of test_sghmc_moments.c.) */
#include "sampler_helpers.h"

#include "base/random.h"

enum { DIM = 77 }; /* two groups of the kernel, and a rest */

static const uint64_t seed = 0x123456789abcdefu;
static const uint32_t chain_number = 5;

/* A double well in each coordinate, coupled with the next one; tilted, so that no sign may be lost. */
static void wells_eval(void *context, double *logp, float *grad, const float *theta)
{
    const double *tilt = context;
    *logp = 0;
    for (int i = 0; i < DIM; i++) {
        const double x = (double)theta[i], next = (double)theta[(i + 1) % DIM];
        const double before = (double)theta[(i + DIM - 1) % DIM];
        *logp -= (x * x - 1) * (x * x - 1) + 0.3 * x * next - *tilt * x;
        grad[i] = (float)(-4 * x * (x * x - 1) - 0.3 * (next + before) + *tilt);
    }
}

static double tilt = 0.4, other_tilt = -0.2;
static const kelvin_target wells = {DIM, wells_eval, &tilt}, other_wells = {DIM, wells_eval, &other_tilt};

struct state {
    float theta[DIM], v[DIM], grad[DIM];
};

static void start(struct state *s)
{
    for (int i = 0; i < DIM; i++) {
        s->theta[i] = 0.8f - 0.03f * (float)i;
        s->v[i] = 0.9f - 0.017f * (float)i;
    }
}

/* With a learning rate of 1: that of a step is what the schedule says. */
static kelvin_sampler *make(const kelvin_target *target, double momentum, double observations)
{
    return chain_of("sghmc", target, (double[]){1, momentum}, observations, seed, chain_number);
}

static kelvin_step_info step_at(kelvin_sampler *chain, double rate, double temperature, uint32_t step)
{
    return kelvin_sampler_advance(chain, &(kelvin_moment){step, 0, rate, temperature});
}

static void put(kelvin_sampler *chain, const struct state *s)
{
    float vectors[2][DIM];
    double none[1] = {0};
    memcpy(vectors[0], s->theta, sizeof s->theta);
    memcpy(vectors[1], s->v, sizeof s->v);
    kelvin_sampler_load(chain, vectors[0], none);
}

static void keep(struct state *s, const kelvin_sampler *chain)
{
    float vectors[2][DIM];
    double none[1] = {0};
    assert_int_equal(kelvin_sampler_vectors(chain->type), 2);
    assert_int_equal(kelvin_sampler_numbers(chain->type), 0);
    kelvin_sampler_save(chain, vectors[0], none);
    memcpy(s->theta, vectors[0], sizeof s->theta);
    memcpy(s->v, vectors[1], sizeof s->v);
}

static bool at(const kelvin_sampler *chain, const struct state *s)
{
    struct state now;
    keep(&now, chain);
    return memcmp(kelvin_sampler_theta(chain), s->theta, sizeof s->theta) == 0 &&
           memcmp(now.theta, s->theta, sizeof s->theta) == 0 && memcmp(now.v, s->v, sizeof s->v) == 0;
}

static const float *momentum_of(const kelvin_sampler *chain)
{
    return chain->vector[0];
}

static const float *gradient_of(const kelvin_sampler *chain)
{
    return chain->work[0];
}

/* ---- bit for bit ---- */

/* v = m v + h g, theta += h v, in float, in the order of the kernel. */
static void plain_momentum_step(struct state *s, const kelvin_target *target, float m, float h)
{
    double logp;
    target->eval(target->context, &logp, s->grad, s->theta);
    for (int i = 0; i < DIM; i++) {
        s->v[i] = fmaf(h, s->grad[i], m * s->v[i]);
        s->theta[i] = fmaf(h, s->v[i], s->theta[i]);
    }
}

static void without_temperature_it_is_sgd_with_momentum(void **state)
{
    (void)state;
    const struct kelvin_kernels *k;
    int tried = 0;
    for (int isa = 0; (k = use_next(&isa));) {
        if (!k->fma) continue;
        struct state plain;
        start(&plain);
        kelvin_sampler *chain = make(&wells, 0.98, 500);
        put(chain, &plain);
        for (uint32_t i = 0; i < 200; i++) {
            const double rate = i < 100 ? 0.3 : 0.07;
            step_at(chain, rate, 0, i);
            plain_momentum_step(&plain, &wells, 0.98f, (float)sqrt(rate / 500));
            assert_true(at(chain, &plain));
            assert_memory_equal(gradient_of(chain), plain.grad, sizeof plain.grad);
        }
        kelvin_sampler_destroy(chain);
        tried++;
    }
    if (!tried) skip();
}

/* The same descent as it is usually written, in double: b = m b + grad, theta += (rate / N) b. In 60 steps, each with a
 * rounding of 6e-8 of numbers near 1, floats get away by 4e-6 at most: these orbits are not pulled apart. */
static void which_is_the_usual_one(void **state)
{
    (void)state;
    const double rate = 0.3, n = 500, h = sqrt(rate / n);
    struct state s;
    start(&s);
    double theta[DIM], buffer[DIM], worst = 0, moved = 0;
    for (int i = 0; i < DIM; i++) {
        theta[i] = (double)s.theta[i];
        buffer[i] = (double)s.v[i] / h;
    }
    kelvin_sampler *chain = make(&wells, 0.9, n);
    put(chain, &s);
    for (uint32_t step = 0; step < 60; step++) {
        step_at(chain, rate, 0, step);
        float near[DIM], grad[DIM];
        double logp;
        for (int i = 0; i < DIM; i++) near[i] = (float)theta[i];
        wells_eval(&tilt, &logp, grad, near);
        for (int i = 0; i < DIM; i++) {
            buffer[i] = 0.9 * buffer[i] + (double)grad[i];
            theta[i] += rate / n * buffer[i];
            worst = fmax(worst, fabs(theta[i] - (double)kelvin_sampler_theta(chain)[i]));
            moved = fmax(moved, fabs(theta[i] - (double)s.theta[i]));
        }
    }
    assert_below(worst, 4e-6);
    assert_true(moved > 0.3);
    kelvin_sampler_destroy(chain);
}

/* m = 0: theta' = theta + h (h g + sqrt(2 T) xi), with the numbers that the kernel `normals` makes. */
static void without_momentum_it_is_sgld(void **state)
{
    (void)state;
    const struct kelvin_kernels *k;
    const double temperature = 0.3, rate = 0.2, n = 500;
    const float h = (float)sqrt(rate / n), noise = (float)sqrt(2 * temperature);
    for (int isa = 0; (k = use_next(&isa));) {
        struct state s;
        start(&s);
        kelvin_sampler *chain = make(&wells, 0, n);
        kelvin_sampler_start(chain, s.theta); /* whatever v is: it is forgotten */
        for (uint32_t step = 10; step < 50; step++) {
            const kelvin_random where = {seed, chain_number, step, KELVIN_STREAM_NOISE};
            float xi[DIM];
            double logp;
            k->normals(xi, DIM, where);
            wells_eval(&tilt, &logp, s.grad, s.theta);
            step_at(chain, rate, temperature, step);
            for (int i = 0; i < DIM; i++) {
                const float *after = kelvin_sampler_theta(chain);
                const double push = rate / n * (double)s.grad[i], kick = sqrt(rate / n * 2 * temperature);
                const double x = (double)s.theta[i];
                /* four roundings of 6e-8; normals in float are good to 2e-6 */
                assert_near((double)after[i], x + push + kick * kelvin_normal(where, (uint64_t)i),
                            0x1p-22 * (fabs(x) + fabs(push) + kick) + 2e-6 * kick);
                if (k->fma) assert_true(after[i] == fmaf(h, fmaf(noise, xi[i], h * s.grad[i]), s.theta[i]));
                s.theta[i] = after[i];
            }
        }
        kelvin_sampler_destroy(chain);
    }
}

static void same_bits_with_every_fma(void **state)
{
    (void)state;
    struct state first;
    const struct kelvin_kernels *k;
    bool have = false;
    for (int isa = 0; (k = use_next(&isa));) {
        if (!k->fma) continue;
        struct state s;
        start(&s);
        kelvin_sampler *chain = make(&wells, 0.95, 500);
        kelvin_sampler_start(chain, s.theta);
        for (uint32_t i = 0; i < 300; i++) step_at(chain, 0.3, 0.5, i);
        if (have) assert_true(at(chain, &first));
        keep(&first, chain);
        have = true;
        kelvin_sampler_destroy(chain);
    }
}

/* ---- chains ---- */

/* 90 steps at once, and in three pieces, each of them a new chain that gets theta and v and nothing else. */
static void a_chain_can_be_cut_anywhere(void **state)
{
    (void)state;
    static const uint32_t cut[] = {0, 1, 38, 90};
    struct state s;
    start(&s);
    kelvin_sampler *whole = make(&wells, 0.95, 500);
    put(whole, &s);
    for (int piece = 0; piece < 3; piece++) {
        kelvin_sampler *part = make(&wells, 0.95, 500);
        put(part, &s);
        for (uint32_t i = cut[piece]; i < cut[piece + 1]; i++) {
            const kelvin_step_info a = step_at(whole, 0.3, 0.5, i), b = step_at(part, 0.3, 0.5, i);
            assert_memory_equal(&a, &b, sizeof a);
        }
        keep(&s, part);
        assert_true(at(whole, &s));
        kelvin_sampler_destroy(part);
    }
    kelvin_sampler_destroy(whole);
}

/* The seed, the chain and the step pick the noise, and nothing else does. */
static void noise_is_a_function_of_its_place(void **state)
{
    (void)state;
    static const struct {
        uint64_t seed;
        uint32_t chain, step;
    } places[] = {{1, 0, 3}, {1, 0, 3}, {1, 0, 4}, {1, 1, 3}, {2, 0, 3}};
    struct state s, first;
    start(&s);
    for (int i = 0; i < 5; i++) {
        kelvin_sampler *chain = chain_of("sghmc", &wells, (double[]){1, 0.9}, 500, places[i].seed, places[i].chain);
        put(chain, &s);
        step_at(chain, 0.3, 0.5, places[i].step);
        if (i > 0) assert_int_equal(at(chain, &first), i == 1);
        if (i == 0) keep(&first, chain);
        kelvin_sampler_destroy(chain);
    }
}

/* v begins as standard normals of their own: neither the noise of a step nor another chain's. */
static void momentum_begins_as_normals(void **state)
{
    (void)state;
    struct state s;
    start(&s);
    kelvin_sampler *chain = make(&wells, 0.9, 500);
    kelvin_sampler_start(chain, s.theta);
    assert_memory_equal(kelvin_sampler_theta(chain), s.theta, sizeof s.theta);
    const kelvin_random where = {seed, chain_number, 0, KELVIN_STREAM_MOMENTUM};
    for (int i = 0; i < DIM; i++) assert_near((double)momentum_of(chain)[i], kelvin_normal(where, (uint64_t)i), 2e-6);
    kelvin_sampler_destroy(chain);
}

static void another_target_takes_over(void **state)
{
    (void)state;
    const kelvin_target *const targets[] = {&wells, &other_wells, &wells};
    struct state s;
    start(&s);
    kelvin_sampler *chain = make(&wells, 0.9, 500);
    put(chain, &s);
    for (uint32_t i = 0; i < 3; i++) {
        double logp;
        targets[i]->eval(targets[i]->context, &logp, s.grad, kelvin_sampler_theta(chain));
        kelvin_sampler_retarget(chain, targets[i]);
        assert_true(step_at(chain, 0.3, 0.5, i).logp == logp);
        assert_memory_equal(gradient_of(chain), s.grad, sizeof s.grad);
    }
    kelvin_sampler_destroy(chain);
}

/* ---- what a step tells ---- */

static void info_is_that_of_plain_sums(void **state)
{
    (void)state;
    struct state s;
    start(&s);
    kelvin_sampler *chain = make(&wells, 0.9, 500);
    put(chain, &s);
    for (uint32_t step = 0; step < 20; step++) {
        double logp, square = 0, pull = 0, kinetic = 0;
        memcpy(s.theta, kelvin_sampler_theta(chain), sizeof s.theta);
        wells_eval(&tilt, &logp, s.grad, s.theta);
        const kelvin_step_info info = step_at(chain, 0.3, 0.5, step);
        for (int i = 0; i < DIM; i++) {
            const double g = (double)s.grad[i], v = (double)momentum_of(chain)[i];
            square += g * g;
            pull -= (double)s.theta[i] * g / DIM;
            kinetic += 0.95 * v * v / DIM;
        }
        assert_true(info.logp == logp);
        assert_near(told(chain, &info, "lr"), 0.3, 0);
        assert_near(told(chain, &info, "gradient_norm"), sqrt(square), 1e-13 * sqrt(square));
        assert_near(told(chain, &info, "configurational_temperature"), pull, 1e-13 * square);
        assert_near(told(chain, &info, "kinetic_temperature"), kinetic, 1e-13 * kinetic);
    }
    kelvin_sampler_destroy(chain);
}

/* One number of the gradient goes wrong, wherever it stands. */
struct broken {
    float value;
    int at;
};

static void broken_eval(void *context, double *logp, float *grad, const float *theta)
{
    const struct broken *b = context;
    *logp = 0;
    for (int i = 0; i < DIM; i++) grad[i] = i == b->at ? b->value : -theta[i];
}

static void nothing_broken_is_hidden(void **state)
{
    (void)state;
    static const float values[] = {NAN, INFINITY, -INFINITY};
    for (int i = 0; i < 3 * DIM; i++) {
        struct broken b = {values[i % 3], i / 3};
        struct state s;
        start(&s);
        s.theta[b.at] = 1; /* not 0, or 0 times infinity were a third case */
        kelvin_sampler *chain = make(&(kelvin_target){DIM, broken_eval, &b}, 0.9, 500);
        put(chain, &s);
        const kelvin_step_info info = step_at(chain, 0.3, 0.5, 0);
        const double gradient = told(chain, &info, "gradient_norm");
        assert_true(isnan(b.value) ? isnan(gradient) : gradient == INFINITY);
        assert_true(!isfinite(told(chain, &info, "configurational_temperature")));
        assert_true(!isfinite(told(chain, &info, "kinetic_temperature")));
        kelvin_sampler_destroy(chain);
    }
}

/* ---- options ---- */

static kelvin_status create(double lr, double momentum)
{
    const double setting[] = {lr, momentum};
    const kelvin_sampler_options options = {.setting = setting, .observations = 10};
    kelvin_sampler *chain;
    const kelvin_status status = kelvin_sampler_make(&chain, sampler_named("sghmc"), &wells, &options);
    assert_int_equal(chain == NULL, status != KELVIN_OK);
    kelvin_sampler_destroy(chain);
    return status;
}

static void bad_options_are_refused(void **state)
{
    (void)state;
    static const struct {
        double lr, momentum;
        const char *word;
    } bad[] = {{1, 1, "momentum"}, {1, -0.1, "momentum"},    {1, (double)NAN, "momentum"}, {0, 0.9, "lr"},
               {-3, 0.9, "lr"},    {(double)NAN, 0.9, "lr"}, {(double)INFINITY, 0.9, "lr"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(create(bad[i].lr, bad[i].momentum), KELVIN_EUSAGE);
        assert_non_null(strstr(kelvin_error(), bad[i].word));
    }
    assert_ok(create(1, 0));
    assert_ok(create(1e9, 0.999));
    kelvin_sampler_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_temperature_it_is_sgd_with_momentum),
        cmocka_unit_test(which_is_the_usual_one),
        cmocka_unit_test(without_momentum_it_is_sgld),
        cmocka_unit_test(same_bits_with_every_fma),
        cmocka_unit_test(a_chain_can_be_cut_anywhere),
        cmocka_unit_test(noise_is_a_function_of_its_place),
        cmocka_unit_test(momentum_begins_as_normals),
        cmocka_unit_test(another_target_takes_over),
        cmocka_unit_test(info_is_that_of_plain_sums),
        cmocka_unit_test(nothing_broken_is_hidden),
        cmocka_unit_test(bad_options_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
