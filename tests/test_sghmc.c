/* One step of SGHMC and what a chain is made of: bit for bit what plain loops do, under every instruction set with FMA;
 * the same bits when a chain is cut into pieces; and what a step tells of itself. (Whether it samples what it should is
 * the matter of test_sghmc_moments.c.) */
#include "check.h"

#include "kernels/kernels.h"

#include <kelvin/sampler.h>

#include <stdlib.h>

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

static kelvin_sghmc *make(const kelvin_target *target, double momentum, double observations)
{
    const kelvin_sghmc_options options = {momentum, observations};
    kelvin_sghmc *chain;
    assert_ok(kelvin_sghmc_create(&chain, target, &options, seed, chain_number));
    return chain;
}

static void keep(struct state *s, const kelvin_sghmc *chain)
{
    memcpy(s->theta, kelvin_sghmc_theta(chain), sizeof s->theta);
    memcpy(s->v, kelvin_sghmc_momentum(chain), sizeof s->v);
}

static bool at(const kelvin_sghmc *chain, const struct state *s)
{
    return memcmp(kelvin_sghmc_theta(chain), s->theta, sizeof s->theta) == 0 &&
           memcmp(kelvin_sghmc_momentum(chain), s->v, sizeof s->v) == 0;
}

/* Makes the library use the next instruction set that this CPU has, from *isa on; NULL, and all as it was, after the
 * last. */
static const struct kelvin_kernels *use_next(int *isa)
{
    while (*isa < KELVIN_ISA_COUNT) {
        const kelvin_isa i = (kelvin_isa)(*isa)++;
        if (!kelvin_kernels_for(i) || !kelvin_isa_supported(i)) continue;
        setenv("KELVIN_ISA", kelvin_isa_name(i), 1);
        return kelvin_kernels_for(i);
    }
    unsetenv("KELVIN_ISA");
    return NULL;
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
        kelvin_sghmc *chain = make(&wells, 0.98, 500);
        kelvin_sghmc_init(chain, plain.theta, plain.v);
        for (uint32_t i = 0; i < 200; i++) {
            const double rate = i < 100 ? 0.3 : 0.07;
            kelvin_sghmc_step(chain, rate, 0, i);
            plain_momentum_step(&plain, &wells, 0.98f, (float)sqrt(rate / 500));
            assert_true(at(chain, &plain));
            assert_memory_equal(kelvin_sghmc_gradient(chain), plain.grad, sizeof plain.grad);
        }
        kelvin_sghmc_destroy(chain);
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
    kelvin_sghmc *chain = make(&wells, 0.9, n);
    kelvin_sghmc_init(chain, s.theta, s.v);
    for (uint32_t step = 0; step < 60; step++) {
        kelvin_sghmc_step(chain, rate, 0, step);
        float near[DIM], grad[DIM];
        double logp;
        for (int i = 0; i < DIM; i++) near[i] = (float)theta[i];
        wells_eval(&tilt, &logp, grad, near);
        for (int i = 0; i < DIM; i++) {
            buffer[i] = 0.9 * buffer[i] + (double)grad[i];
            theta[i] += rate / n * buffer[i];
            worst = fmax(worst, fabs(theta[i] - (double)kelvin_sghmc_theta(chain)[i]));
            moved = fmax(moved, fabs(theta[i] - (double)s.theta[i]));
        }
    }
    assert_below(worst, 4e-6);
    assert_true(moved > 0.3);
    kelvin_sghmc_destroy(chain);
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
        kelvin_sghmc *chain = make(&wells, 0, n);
        kelvin_sghmc_init(chain, s.theta, NULL); /* whatever v is: it is forgotten */
        for (uint32_t step = 10; step < 50; step++) {
            const kelvin_random where = {seed, chain_number, step, KELVIN_STREAM_NOISE};
            float xi[DIM];
            double logp;
            k->normals(xi, DIM, where);
            wells_eval(&tilt, &logp, s.grad, s.theta);
            kelvin_sghmc_step(chain, rate, temperature, step);
            for (int i = 0; i < DIM; i++) {
                const float *after = kelvin_sghmc_theta(chain);
                const double push = rate / n * (double)s.grad[i], kick = sqrt(rate / n * 2 * temperature);
                const double x = (double)s.theta[i];
                /* four roundings of 6e-8; normals in float are good to 2e-6 */
                assert_near((double)after[i], x + push + kick * kelvin_normal(where, (uint64_t)i),
                            0x1p-22 * (fabs(x) + fabs(push) + kick) + 2e-6 * kick);
                if (k->fma) assert_true(after[i] == fmaf(h, fmaf(noise, xi[i], h * s.grad[i]), s.theta[i]));
                s.theta[i] = after[i];
            }
        }
        kelvin_sghmc_destroy(chain);
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
        kelvin_sghmc *chain = make(&wells, 0.95, 500);
        kelvin_sghmc_init(chain, s.theta, NULL);
        for (uint32_t i = 0; i < 300; i++) kelvin_sghmc_step(chain, 0.3, 0.5, i);
        if (have) assert_true(at(chain, &first));
        keep(&first, chain);
        have = true;
        kelvin_sghmc_destroy(chain);
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
    kelvin_sghmc *whole = make(&wells, 0.95, 500);
    kelvin_sghmc_init(whole, s.theta, s.v);
    for (int piece = 0; piece < 3; piece++) {
        kelvin_sghmc *part = make(&wells, 0.95, 500);
        kelvin_sghmc_init(part, s.theta, s.v);
        for (uint32_t i = cut[piece]; i < cut[piece + 1]; i++) {
            const kelvin_sghmc_info a = kelvin_sghmc_step(whole, 0.3, 0.5, i), b = kelvin_sghmc_step(part, 0.3, 0.5, i);
            assert_true(a.logp == b.logp && a.gradient == b.gradient && a.kinetic == b.kinetic &&
                        a.configurational == b.configurational);
        }
        keep(&s, part);
        assert_true(at(whole, &s));
        kelvin_sghmc_destroy(part);
    }
    kelvin_sghmc_destroy(whole);
}

/* The seed, the chain and the step pick the noise, and nothing else does. */
static void noise_is_a_function_of_its_place(void **state)
{
    (void)state;
    static const struct {
        uint64_t seed;
        uint32_t chain, step;
    } places[] = {{1, 0, 3}, {1, 0, 3}, {1, 0, 4}, {1, 1, 3}, {2, 0, 3}};
    const kelvin_sghmc_options options = {0.9, 500};
    struct state s, first;
    start(&s);
    for (int i = 0; i < 5; i++) {
        kelvin_sghmc *chain;
        assert_ok(kelvin_sghmc_create(&chain, &wells, &options, places[i].seed, places[i].chain));
        kelvin_sghmc_init(chain, s.theta, s.v);
        kelvin_sghmc_step(chain, 0.3, 0.5, places[i].step);
        if (i > 0) assert_int_equal(at(chain, &first), i == 1);
        if (i == 0) keep(&first, chain);
        kelvin_sghmc_destroy(chain);
    }
}

/* v begins as standard normals of their own: neither the noise of a step nor another chain's. */
static void momentum_begins_as_normals(void **state)
{
    (void)state;
    struct state s;
    start(&s);
    kelvin_sghmc *chain = make(&wells, 0.9, 500);
    kelvin_sghmc_init(chain, s.theta, NULL);
    assert_memory_equal(kelvin_sghmc_theta(chain), s.theta, sizeof s.theta);
    const kelvin_random where = {seed, chain_number, 0, KELVIN_STREAM_MOMENTUM};
    for (int i = 0; i < DIM; i++)
        assert_near((double)kelvin_sghmc_momentum(chain)[i], kelvin_normal(where, (uint64_t)i), 2e-6);
    kelvin_sghmc_destroy(chain);
}

static void another_target_takes_over(void **state)
{
    (void)state;
    const kelvin_target *const targets[] = {&wells, &other_wells, &wells};
    struct state s;
    start(&s);
    kelvin_sghmc *chain = make(&wells, 0.9, 500);
    kelvin_sghmc_init(chain, s.theta, s.v);
    for (uint32_t i = 0; i < 3; i++) {
        double logp;
        targets[i]->eval(targets[i]->context, &logp, s.grad, kelvin_sghmc_theta(chain));
        kelvin_sghmc_retarget(chain, targets[i]);
        assert_true(kelvin_sghmc_step(chain, 0.3, 0.5, i).logp == logp);
        assert_memory_equal(kelvin_sghmc_gradient(chain), s.grad, sizeof s.grad);
    }
    kelvin_sghmc_destroy(chain);
}

/* ---- what a step tells ---- */

static void info_is_that_of_plain_sums(void **state)
{
    (void)state;
    struct state s;
    start(&s);
    kelvin_sghmc *chain = make(&wells, 0.9, 500);
    kelvin_sghmc_init(chain, s.theta, s.v);
    for (uint32_t step = 0; step < 20; step++) {
        double logp, square = 0, pull = 0, kinetic = 0;
        memcpy(s.theta, kelvin_sghmc_theta(chain), sizeof s.theta);
        wells_eval(&tilt, &logp, s.grad, s.theta);
        const kelvin_sghmc_info info = kelvin_sghmc_step(chain, 0.3, 0.5, step);
        for (int i = 0; i < DIM; i++) {
            const double g = (double)s.grad[i], v = (double)kelvin_sghmc_momentum(chain)[i];
            square += g * g;
            pull -= (double)s.theta[i] * g / DIM;
            kinetic += 0.95 * v * v / DIM;
        }
        assert_true(info.logp == logp);
        assert_near(info.gradient, sqrt(square), 1e-13 * sqrt(square));
        assert_near(info.configurational, pull, 1e-13 * square);
        assert_near(info.kinetic, kinetic, 1e-13 * kinetic);
    }
    kelvin_sghmc_destroy(chain);
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
        kelvin_sghmc *chain = make(&(kelvin_target){DIM, broken_eval, &b}, 0.9, 500);
        kelvin_sghmc_init(chain, s.theta, s.v);
        const kelvin_sghmc_info info = kelvin_sghmc_step(chain, 0.3, 0.5, 0);
        assert_true(isnan(b.value) ? isnan(info.gradient) : info.gradient == INFINITY);
        assert_true(!isfinite(info.configurational) && !isfinite(info.kinetic));
        kelvin_sghmc_destroy(chain);
    }
}

/* ---- options, memory ---- */

static void bad_options_are_refused(void **state)
{
    (void)state;
    static const struct {
        kelvin_sghmc_options options;
        const char *word;
    } bad[] = {{{1, 10}, "momentum"},
               {{-0.1, 10}, "momentum"},
               {{(double)NAN, 10}, "momentum"},
               {{0.9, 0}, "observations"},
               {{0.9, -3}, "observations"},
               {{0.9, (double)NAN}, "observations"},
               {{0.9, (double)INFINITY}, "observations"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        kelvin_sghmc *chain;
        assert_int_equal(kelvin_sghmc_check(&bad[i].options), KELVIN_EUSAGE);
        assert_int_equal(kelvin_sghmc_create(&chain, &wells, &bad[i].options, 1, 0), KELVIN_EUSAGE);
        assert_null(chain);
        assert_non_null(strstr(kelvin_error(), bad[i].word));
    }
    assert_ok(kelvin_sghmc_check(&(kelvin_sghmc_options){0, 1}));
    assert_ok(kelvin_sghmc_check(&(kelvin_sghmc_options){0.999, 1e9}));
    kelvin_sghmc_destroy(NULL);
}

static kelvin_status create(void *context)
{
    kelvin_sghmc *chain;
    KELVIN_TRY(kelvin_sghmc_create(&chain, &wells, context, 1, 0));
    kelvin_sghmc_destroy(chain);
    return KELVIN_OK;
}

static void memory_may_run_out(void **state)
{
    (void)state;
    kelvin_sghmc_options options = {0.9, 10};
    assert_true(without_memory(create, &options) > 4);
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
        cmocka_unit_test(memory_may_run_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
