/* Samplers that are told nothing: what they tune in their warm-up, alone and together, on Gaussians whose moments are
 * known; that chains can be cut in the middle of it; and what is said where nothing is accepted. */
#include "sampler_helpers.h"

enum { MOST = 50, WARMUP = 300 };

/* Deviations from 0.02 to 9,500, each coordinate correlated with the next (AR(1)); the means are not 0. */
struct badly_scaled {
    size_t n, calls;
    double r, deviation[MOST], mean[MOST];
};

static struct badly_scaled badly_scaled(size_t n, double r)
{
    struct badly_scaled g = {.n = n, .r = r};
    for (size_t i = 0; i < n; i++) {
        g.deviation[i] = 0.02 * pow(9500 / 0.02, (double)i / (double)(n - 1));
        g.mean[i] = g.deviation[i] * 2 * ((double)(i % 3) - 1);
    }
    return g;
}

static void gaussian_eval(void *context, double *logp, float *grad, const float *theta)
{
    struct badly_scaled *g = context;
    const double r = g->r, k = 1 / (1 - r * r);
    double z[MOST], sum = 0;
    g->calls++;
    for (size_t i = 0; i < g->n; i++) z[i] = ((double)theta[i] - g->mean[i]) / g->deviation[i];
    for (size_t i = 0; i < g->n; i++) {
        const double own = i == 0 || i + 1 == g->n ? 1 : 1 + r * r;
        const double slope = k * (own * z[i] - r * ((i > 0 ? z[i - 1] : 0) + (i + 1 < g->n ? z[i + 1] : 0)));
        sum += 0.5 * z[i] * slope;
        if (grad) grad[i] = (float)(-slope / g->deviation[i]);
    }
    if (logp) *logp = -sum;
}

static kelvin_sampler *untold(const char *name, const kelvin_target *target, uint32_t chain)
{
    kelvin_sampler *made;
    assert_ok(kelvin_sampler_create(&made, name, target, 7, chain));
    return made;
}

/* ---- moments ---- */

/* Effective draws of x, whose mean and variance are known (Geyer's initial positive sequence). */
static double effective(const double *x, size_t n, double mean, double variance)
{
    double time = 1;
    for (size_t lag = 1; lag + 1 < n; lag += 2) {
        double pair = 0;
        for (size_t i = 0; i + lag < n; i++) pair += (x[i] - mean) * (x[i + lag] - mean);
        for (size_t i = 0; i + lag + 1 < n; i++) pair += (x[i] - mean) * (x[i + lag + 1] - mean);
        if (pair < 0) break;
        time += 2 * pair / ((double)n * variance);
    }
    return fmin((double)n / time, (double)n);
}

enum { DRAWS = 3000 };
static double drawn[MOST][DRAWS];

/* How many standard errors the mean of x is off, and that there are enough draws to tell. */
static void check_mean(const char *what, size_t i, const double *x, double mean, double variance, double least)
{
    const double draws = effective(x, DRAWS, mean, variance);
    double sum = 0;
    for (size_t k = 0; k < DRAWS; k++) sum += (x[k] - mean) / DRAWS;
    const double off = sum / sqrt(variance / draws);
    if (!(fabs(off) < 4 && draws > least))
        fail_msg("%s of parameter %zu is off by %.1f standard errors of %.0f draws", what, i, off, draws);
}

static void check_moments(const char *name, size_t n, double r, float start, double least)
{
    struct badly_scaled g = badly_scaled(n, r);
    const kelvin_target target = {n, gaussian_eval, &g};
    float theta[MOST];
    for (size_t i = 0; i < n; i++) theta[i] = start;
    kelvin_sampler *chain = untold(name, &target, 0);
    kelvin_sampler_start(chain, theta);
    for (uint32_t i = 0; i < WARMUP + DRAWS; i++) {
        kelvin_sampler_step(chain, &(kelvin_moment){i, WARMUP, 1, 1});
        for (size_t k = 0; k < n && i >= WARMUP; k++)
            drawn[k][i - WARMUP] = ((double)kelvin_sampler_theta(chain)[k] - g.mean[k]) / g.deviation[k];
    }
    assert_ok(kelvin_sampler_check(chain));
    print_message("%s in %zu dimensions, r = %g, from %g: step size %.3g, %zu gradients\n", name, n, r, (double)start,
                  kelvin_sampler_get(chain, "step_size"), g.calls);
    for (size_t k = 0; k < n; k++) {
        check_mean("mean", k, drawn[k], 0, 1, least);
        for (size_t i = 0; i < DRAWS; i++) drawn[k][i] *= drawn[k][i];
        check_mean("variance", k, drawn[k], 1, 2, least);
    }
    kelvin_sampler_destroy(chain);
}

static void badly_scaled_moments(void **state)
{
    (void)state;
    static const char *const names[] = {"hmc", "mclmc"};
    for (int s = 0; s < 2; s++) {
        check_moments(names[s], 10, 0, 0, 300);
        check_moments(names[s], 10, 0.9, 1, 300);
        check_moments(names[s], 30, 0.5, 100, 200);
        check_moments(names[s], MOST, 0.9, 0, 100);
    }
}

/* ---- resonance ---- */

/* A round Gaussian, and trajectories of a whole period: without jitter each ends where it began. */
static double draws_of_period(double jitter)
{
    enum { STEPS = 64 };
    struct badly_scaled g = badly_scaled(10, 0);
    for (size_t i = 0; i < g.n; i++) g.deviation[i] = 1, g.mean[i] = 0;
    const kelvin_target target = {g.n, gaussian_eval, &g};
    const double setting[] = {2 * 3.14159265358979 / STEPS, STEPS, jitter};
    const float start[MOST] = {0.5f, -0.5f, 1};
    kelvin_sampler *chain = chain_of("hmc", &target, setting, 0, 3, 1);
    double accepted = 0;
    kelvin_sampler_start(chain, start);
    for (uint32_t i = 0; i < DRAWS; i++) {
        const kelvin_step_info info = move(chain, i, 1);
        accepted += told(chain, &info, "acceptance") / DRAWS;
        drawn[0][i] = (double)kelvin_sampler_theta(chain)[0];
    }
    assert_true(accepted > 0.95); /* nothing to be seen there */
    kelvin_sampler_destroy(chain);
    return effective(drawn[0], DRAWS, 0, 1);
}

static void jitter_breaks_resonance(void **state)
{
    (void)state;
    const double without = draws_of_period(0), with = draws_of_period(1);
    print_message("effective draws of %d: %.0f without jitter, %.0f with\n", DRAWS, without, with);
    assert_true(without < 0.05 * DRAWS && with > 0.3 * DRAWS);
}

/* ---- together ---- */

enum { CHAINS = 4, SMALL = 12, STEPS = 20 };

struct several {
    struct badly_scaled g[CHAINS];
    kelvin_target target[CHAINS];
    kelvin_sampler *chain[CHAINS];
};

static void make_several(struct several *s, const char *name)
{
    for (uint32_t c = 0; c < CHAINS; c++) {
        float start[SMALL];
        s->g[c] = badly_scaled(SMALL, 0.7);
        s->target[c] = (kelvin_target){SMALL, gaussian_eval, &s->g[c]};
        s->chain[c] = untold(name, &s->target[c], c);
        for (int i = 0; i < SMALL; i++) start[i] = (float)c - 1.5f;
        kelvin_sampler_start(s->chain[c], start);
    }
}

static void destroy_several(struct several *s)
{
    for (int c = 0; c < CHAINS; c++) kelvin_sampler_destroy(s->chain[c]);
}

/* The same kernel in all of them, whatever the number of threads, and the same draws. */
static void chains_are_tuned_together(void **state)
{
    (void)state;
    static const char *const names[] = {"hmc", "mclmc"};
    static const size_t threads[] = {1, 3, 4};
    for (int s = 0; s < 2; s++) {
        float after[3][CHAINS][SMALL];
        double size = 0;
        for (int t = 0; t < 3; t++) {
            struct several all;
            make_several(&all, names[s]);
            assert_ok(kelvin_sampler_tune(all.chain, CHAINS, 90, 1, threads[t]));
            if (t == 0) size = kelvin_sampler_get(all.chain[0], "step_size");
            for (int c = 0; c < CHAINS; c++) {
                assert_true(kelvin_sampler_get(all.chain[c], "step_size") == size && size > 0);
                assert_memory_equal(kelvin_sampler_scale(all.chain[c]), kelvin_sampler_scale(all.chain[0]),
                                    SMALL * sizeof(float));
                for (uint32_t i = 90; i < 90 + STEPS; i++) /* whatever is called warm-up: it is over */
                    kelvin_sampler_step(all.chain[c], &(kelvin_moment){i, 1000, 1, 1});
                assert_true(kelvin_sampler_get(all.chain[c], "step_size") == size);
                memcpy(after[t][c], kelvin_sampler_theta(all.chain[c]), sizeof after[t][c]);
            }
            for (int i = 0; i < SMALL; i++) { /* what is correlated is wider than its scale, not by more than 2 */
                const double scale = (double)kelvin_sampler_scale(all.chain[0])[i] / all.g[0].deviation[i];
                assert_true(scale > 0.4 && scale < 1.2);
            }
            destroy_several(&all);
        }
        assert_memory_equal(after[0], after[1], sizeof after[0]);
        assert_memory_equal(after[0], after[2], sizeof after[0]);
        assert_memory_not_equal(after[0][0], after[0][1], sizeof after[0][0]);
    }
}

static void only_what_fits_together(void **state)
{
    (void)state;
    struct several some, others;
    make_several(&some, "hmc");
    make_several(&others, "mclmc");
    kelvin_sampler *const mixed[] = {some.chain[0], others.chain[0]};
    assert_int_equal(kelvin_sampler_tune(mixed, 2, 10, 1, 1), KELVIN_EUSAGE);
    assert_non_null(strstr(kelvin_error(), "number 1 is by mclmc"));
    assert_int_equal(kelvin_sampler_tune(NULL, 2, 10, 1, 1), KELVIN_EUSAGE);
    assert_ok(kelvin_sampler_tune(mixed, 0, 10, 1, 1));
    destroy_several(&some);
    destroy_several(&others);
}

/* Parameters of a group have one scale. */
static void groups_share_a_scale(void **state)
{
    (void)state;
    static const size_t group_end[] = {3, 4, SMALL};
    static const char *const names[] = {"hmc", "mclmc"};
    struct badly_scaled g = badly_scaled(SMALL, 0);
    for (size_t i = 0; i < SMALL; i++) g.deviation[i] = i < 3 ? 0.01 : i < 4 ? 10 : 1;
    const kelvin_target target = {SMALL, gaussian_eval, &g};
    for (int s = 0; s < 2; s++) {
        const kelvin_sampler_type *type = sampler_named(names[s]);
        const kelvin_sampler_options options = {.seed = 1, .tune_scale = true, .group_end = group_end};
        const float zeros[SMALL] = {0};
        kelvin_sampler *chain;
        assert_ok(kelvin_sampler_make(&chain, type, &target, &options));
        kelvin_sampler_start(chain, zeros);
        for (uint32_t i = 0; i < 90; i++) kelvin_sampler_step(chain, &(kelvin_moment){i, 90, 1, 4});
        const float *scale = kelvin_sampler_scale(chain);
        for (size_t i = 0; i < SMALL; i++) /* at temperature 4 all widths are twice as large */
            assert_near((double)scale[i] / (2 * g.deviation[i]), 1, 0.01);
        assert_true(scale[0] == scale[2] && scale[4] == scale[SMALL - 1]);
        kelvin_sampler_destroy(chain);
    }
}

/* ---- cut ---- */

static void cut_in_the_middle(void **state)
{
    (void)state;
    static const char *const names[] = {"hmc", "mclmc"};
    struct badly_scaled g = badly_scaled(SMALL, 0.7);
    const kelvin_target target = {SMALL, gaussian_eval, &g};
    const float zeros[SMALL] = {0}, elsewhere[SMALL] = {3, 1};
    for (int s = 0; s < 2; s++)
        for (uint32_t cut = 0; cut <= 50; cut++) {
            float vectors[1 + KELVIN_STATE_VECTORS + KELVIN_SCALE_VECTORS][SMALL];
            double numbers[KELVIN_STATE_NUMBERS];
            kelvin_sampler *whole = untold(names[s], &target, 1), *part = untold(names[s], &target, 1);
            kelvin_sampler_start(whole, zeros);
            kelvin_sampler_start(part, elsewhere);
            kelvin_sampler_step(part, &(kelvin_moment){0, 45, 1, 1});
            for (uint32_t i = 0; i < cut; i++) kelvin_sampler_step(whole, &(kelvin_moment){i, 45, 1, 1});
            kelvin_sampler_save(whole, vectors[0], numbers);
            kelvin_sampler_load(part, vectors[0], numbers);
            for (uint32_t i = cut; i < 55; i++) {
                const kelvin_moment moment = {i, 45, 1, 1};
                assert_true(kelvin_sampler_step(whole, &moment) == kelvin_sampler_step(part, &moment));
            }
            assert_memory_equal(kelvin_sampler_theta(whole), kelvin_sampler_theta(part), sizeof zeros);
            assert_true(kelvin_sampler_get(whole, "step_size") == kelvin_sampler_get(part, "step_size"));
            kelvin_sampler_destroy(whole);
            kelvin_sampler_destroy(part);
        }
}

/* ---- a kernel that was tuned elsewhere ---- */

enum { N = 20 };

/* The farther away, the stiffer: -x^4 / 4. */
static void quartic_eval(void *context, double *logp, float *grad, const float *theta)
{
    double sum = 0;
    (void)context;
    for (int i = 0; i < N; i++) {
        sum -= 0.25 * pow((double)theta[i], 4);
        if (grad) grad[i] = -theta[i] * theta[i] * theta[i];
    }
    if (logp) *logp = sum;
}

/* From where steps that are right at home are 30 times too large: with jitter the chain gets home in its warm-up, and
 * then steps are what they were said to be; without, they are from the first one on, and all of them rejected. */
static void far_away_steps_are_cautious(void **state)
{
    (void)state;
    const kelvin_target target = {N, quartic_eval, NULL};
    float start[N];
    for (int i = 0; i < N; i++) start[i] = i % 2 ? 30 : -30;
    for (int jitter = 0; jitter < 2; jitter++) {
        kelvin_sampler *chain = chain_of("hmc", &target, (double[]){0.5, 4, jitter}, 0, 1, 0);
        double accepted = 0, logp = 0;
        kelvin_sampler_start(chain, start);
        for (uint32_t i = 0; i < WARMUP + 200; i++) {
            logp = kelvin_sampler_step(chain, &(kelvin_moment){i, WARMUP, 1, 1});
            if (i >= WARMUP) accepted += told(chain, &chain->last, "accepted") / 200;
        }
        assert_int_equal(kelvin_sampler_check(chain), jitter ? KELVIN_OK : KELVIN_EDIVERGED);
        assert_true(kelvin_sampler_get(chain, "step_size") == 0.5);
        if (jitter)
            assert_true(logp > -N && accepted > 0.5); /* on average it is -N / 4 */
        else
            assert_true(accepted == 0);
        kelvin_sampler_destroy(chain);
    }
}

/* ---- nothing ---- */

static void nothing_eval(void *context, double *logp, float *grad, const float *theta)
{
    (void)context;
    (void)theta;
    if (logp) *logp = (double)NAN;
    for (int i = 0; grad && i < SMALL; i++) grad[i] = NAN;
}

static void a_warmup_without_hope_ends(void **state)
{
    (void)state;
    static const char *const names[] = {"hmc", "mclmc"};
    const kelvin_target nothing = {SMALL, nothing_eval, NULL};
    const float zeros[SMALL] = {0};
    for (int s = 0; s < 2; s++) {
        kelvin_sampler *chain = untold(names[s], &nothing, 3);
        kelvin_sampler_start(chain, zeros);
        assert_int_equal(kelvin_sampler_tune(&chain, 1, 50, 1, 1), KELVIN_EDIVERGED);
        if (!strstr(kelvin_error(), "chain 3: no")) fail_msg("%s", kelvin_error());
        assert_int_equal(kelvin_sampler_check(chain), KELVIN_EDIVERGED);
        kelvin_sampler_destroy(chain);
    }
    /* steps of a hand-set size that is far too large; without a warm-up nobody looks */
    struct badly_scaled g = badly_scaled(SMALL, 0);
    const kelvin_target target = {SMALL, gaussian_eval, &g};
    for (uint32_t warmup = 0; warmup <= 20; warmup += 20) {
        kelvin_sampler *chain = untold("hmc", &target, 0);
        assert_ok(kelvin_sampler_set(chain, "step_size", 10));
        assert_ok(kelvin_sampler_set(chain, "steps", 5));
        kelvin_sampler_start(chain, zeros);
        for (uint32_t i = 0; i < 20; i++) {
            assert_ok(kelvin_sampler_check(chain));
            kelvin_sampler_step(chain, &(kelvin_moment){i, warmup, 1, 1});
        }
        assert_int_equal(kelvin_sampler_check(chain), warmup > 0 ? KELVIN_EDIVERGED : KELVIN_OK);
        if (warmup > 0) assert_non_null(strstr(kelvin_error(), "make step_size smaller"));
        kelvin_sampler_destroy(chain);
    }
}

static void what_settings_have_come_to(void **state)
{
    (void)state;
    struct badly_scaled g = badly_scaled(SMALL, 0);
    const kelvin_target target = {SMALL, gaussian_eval, &g};
    kelvin_sampler *chain = untold("sghmc", &target, 0);
    assert_ok(kelvin_sampler_set(chain, "lr", 0.25));
    assert_true(kelvin_sampler_get(chain, "lr") == 0.25);
    assert_true(isnan(kelvin_sampler_get(chain, "steepness")));
    assert_ok(kelvin_sampler_check(chain));
    kelvin_sampler_destroy(chain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(badly_scaled_moments),        cmocka_unit_test(jitter_breaks_resonance),
        cmocka_unit_test(chains_are_tuned_together),   cmocka_unit_test(only_what_fits_together),
        cmocka_unit_test(groups_share_a_scale),        cmocka_unit_test(cut_in_the_middle),
        cmocka_unit_test(far_away_steps_are_cautious), cmocka_unit_test(a_warmup_without_hope_ends),
        cmocka_unit_test(what_settings_have_come_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
