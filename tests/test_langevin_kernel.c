/* langevin: one step under every instruction set that this CPU has, against plain loops in double; the noise is that of
 * `normals`; and the same bits under all instruction sets with FMA. dot: the same, and the same bits without FMA too.
 */
#include "check.h"

#include "kernels/kernels.h"

enum { MOST = 4085, BEYOND = 8 };

static const kelvin_random where = {0xfedcba9876543210u, 12, 345, KELVIN_STREAM_USER};
static const float guard = -3.25f;

struct vectors {
    float theta[MOST + BEYOND], v[MOST + BEYOND], g[MOST + BEYOND];
};

static void fill(struct vectors *x, size_t n)
{
    for (size_t i = 0; i < MOST + BEYOND; i++) {
        x->theta[i] = i < n ? (float)kelvin_normal((kelvin_random){3, 1, 4, 1}, i) : guard;
        x->v[i] = i < n ? (float)kelvin_normal((kelvin_random){3, 1, 4, 2}, i) : guard;
        x->g[i] = i < n ? 100 * (float)kelvin_normal((kelvin_random){3, 1, 4, 3}, i) : guard;
    }
}

/* The next table that this CPU can run, from `*isa` on; NULL after the last. */
static const struct kelvin_kernels *next(int *isa)
{
    while (*isa < KELVIN_ISA_COUNT) {
        const kelvin_isa i = (kelvin_isa)(*isa)++;
        if (kelvin_kernels_for(i) && kelvin_isa_supported(i)) return kelvin_kernels_for(i);
    }
    return NULL;
}

static const size_t sizes[] = {0, 1, 7, 31, 32, 33, 64, 95, 492, MOST};
enum { SIZES = sizeof sizes / sizeof *sizes };

static void a_step_is_that_of_plain_loops(void **state)
{
    (void)state;
    static struct vectors before, after;
    const double decay = (double)0.98f, kick = (double)0.0137f, drift = (double)0.31f;
    const struct kelvin_kernels *k;
    for (int isa = 0; (k = next(&isa));)
        for (size_t s = 0; s < 2 * SIZES; s++) {
            const size_t n = sizes[s / 2];
            const double noise = s % 2 ? (double)0.2f : 0;
            fill(&before, n);
            fill(&after, n);
            k->langevin(after.theta, after.v, after.g, n, 0.98f, 0.0137f, (float)noise, 0.31f, where);
            for (size_t i = 0; i < n; i++) {
                const double pulled = decay * (double)before.v[i], pushed = kick * (double)before.g[i];
                const double xi = noise * kelvin_normal(where, i), v = pulled + pushed + xi;
                const double theta = (double)before.theta[i] + drift * v;
                /* five roundings at most, of sums no larger than these; normals are good to 2e-6 */
                const double rounding = 0x1p-24 * 5 * (fabs(pulled) + fabs(pushed) + fabs(xi)) + 2e-6 * noise;
                assert_near((double)after.v[i], v, rounding);
                assert_near((double)after.theta[i], theta, drift * rounding + 0x1p-23 * (1 + fabs(theta)));
                assert_true(after.g[i] == before.g[i]);
            }
            for (size_t i = n; i < MOST + BEYOND; i++) assert_true(after.theta[i] == guard && after.v[i] == guard);
        }
}

static void the_noise_is_that_of_normals(void **state)
{
    (void)state;
    static float normals[MOST], theta[MOST], v[MOST], g[MOST];
    const struct kelvin_kernels *k;
    for (int isa = 0; (k = next(&isa));)
        for (size_t s = 0; s < SIZES; s++) {
            const size_t n = sizes[s];
            memset(theta, 0, sizeof theta);
            memset(v, 0, sizeof v);
            k->normals(normals, n, where);
            k->langevin(theta, v, g, n, 0.5f, 1, 1, 1, where);
            for (size_t i = 0; i < n; i++) assert_true(v[i] == normals[i] && theta[i] == normals[i]);
        }
}

static void without_noise_the_place_does_not_matter(void **state)
{
    (void)state;
    static struct vectors here, elsewhere;
    const struct kelvin_kernels *k;
    for (int isa = 0; (k = next(&isa));) {
        fill(&here, MOST);
        fill(&elsewhere, MOST);
        k->langevin(here.theta, here.v, here.g, MOST, 0.9f, 0.1f, 0, 0.2f, where);
        k->langevin(elsewhere.theta, elsewhere.v, elsewhere.g, MOST, 0.9f, 0.1f, 0, 0.2f, (kelvin_random){0});
        assert_memory_equal(&here, &elsewhere, sizeof here);
    }
}

static void same_bits_with_every_fma(void **state)
{
    (void)state;
    static struct vectors first, other;
    const struct kelvin_kernels *k;
    bool have = false;
    for (int isa = 0; (k = next(&isa));) {
        if (!k->fma) continue;
        struct vectors *x = have ? &other : &first;
        fill(x, MOST);
        for (uint32_t step = 0; step < 3; step++)
            k->langevin(x->theta, x->v, x->g, MOST, 0.98f, 0.0137f, 0.2f, 0.31f, (kelvin_random){1, 2, step, 3});
        if (have) assert_memory_equal(&first, &other, sizeof first);
        have = true;
    }
}

/* Products are exact in double, so the sums alone round: at most n times, by half a unit of the sum of sizes. */
static void dot_is_that_of_plain_loops(void **state)
{
    (void)state;
    static struct vectors x;
    fill(&x, MOST);
    for (size_t n = 0; n <= MOST; n = n < 70 ? n + 1 : n + 803) {
        long double sum = 0, size = 0;
        for (size_t i = 0; i < n; i++) {
            sum += (long double)x.theta[i] * (long double)x.g[i];
            size += fabsl((long double)x.theta[i] * (long double)x.g[i]);
        }
        const double first = kelvin_kernels_for(KELVIN_ISA_BASELINE)->dot(x.theta, x.g, n);
        assert_near(first, (double)sum, (double)n * 0x1p-53 * (double)size);
        const struct kelvin_kernels *k;
        for (int isa = 0; (k = next(&isa));) assert_true(k->dot(x.theta, x.g, n) == first);
    }
}

/* Squares that no float holds are seen as they are; what is not finite is not hidden, wherever it stands. */
static void dot_hides_nothing(void **state)
{
    (void)state;
    enum { N = 53 };
    const struct kelvin_kernels *k;
    for (int isa = 0; (k = next(&isa));)
        for (size_t at = 0; at < N; at++) {
            float x[N] = {0};
            x[at] = 3e38f;
            assert_near(k->dot(x, x, N), (double)3e38f * (double)3e38f, 0);
            x[at] = 1e-40f; /* below the normal floats */
            assert_near(k->dot(x, x, N), (double)1e-40f * (double)1e-40f, 0);
            x[at] = -INFINITY;
            assert_true(k->dot(x, x, N) == INFINITY);
            x[at] = NAN;
            assert_true(isnan(k->dot(x, x, N)));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_that_of_plain_loops),
        cmocka_unit_test(the_noise_is_that_of_normals),
        cmocka_unit_test(without_noise_the_place_does_not_matter),
        cmocka_unit_test(same_bits_with_every_fma),
        cmocka_unit_test(dot_is_that_of_plain_loops),
        cmocka_unit_test(dot_hides_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
