/* The simplex of three classes: where its points are drawn, where gradients lead, how many particles go astray, and how
 * much of the posterior lies below. Compared with closed forms, plain loops, exact moments, and the incomplete beta
 * function in long double. */
#include "check.h"

#include "figures/simplex.h"

#include <stdatomic.h>
#include <stdio.h>

static atomic_size_t started, pieces, ended;

static void start(void *context, const char *what, uint64_t total)
{
    (void)context, (void)what;
    started = (size_t)total;
    pieces = 0;
}

static bool piece(void *context)
{
    pieces++;
    return context == NULL;
}

static void end(void *context)
{
    (void)context;
    ended++;
}

static const kelvin_figure_watch watch = {.start = start, .piece = piece, .end = end};

static kelvin_density dirichlet(double alpha, bool likelihood)
{
    kelvin_density density;
    char text[64];
    snprintf(text, sizeof text, "dirichlet:%.17g", alpha);
    assert_ok(kelvin_density_parse(&density, text));
    density.likelihood = likelihood;
    return density;
}

static kelvin_density categorical(void)
{
    kelvin_density density;
    assert_ok(kelvin_density_parse(&density, "categorical"));
    return density;
}

/* ---- the plane ---- */

static void corners_are_where_they_must_be(void **state)
{
    (void)state;
    const double height = sqrt(0.75);
    const struct {
        double p[SIMPLEX], x, y;
    } known[] = {{{1, 0, 0}, 0.5, height},
                 {{0, 1, 0}, 0, 0},
                 {{0, 0, 1}, 1, 0},
                 {{1 / 3.0, 1 / 3.0, 1 / 3.0}, 0.5, height / 3},
                 {{0.5, 0.5, 0}, 0.25, height / 2}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double p[SIMPLEX];
        const struct place at = kelvin_simplex_place(known[i].p);
        assert_near(at.x, known[i].x, 1e-15);
        assert_near(at.y, known[i].y, 1e-15);
        kelvin_simplex_prediction(p, at);
        for (int k = 0; k < SIMPLEX; k++) assert_near(p[k], known[i].p[k], 1e-15);
    }
}

/* Against all of a fine lattice of predictions: none that is allowed is nearer, by more than the lattice is wide. */
static void confined_is_the_nearest_that_is_allowed(void **state)
{
    (void)state;
    enum { N = 300 };
    const double least = 0.05, wide = 1.0 / N;
    for (int i = 0; i < 49; i++) {
        const struct place at = {-0.3 + 1.6 * (i % 7) / 6.0, -0.3 + 1.5 * (i / 7) / 6.0};
        double p[SIMPLEX], nearest = INFINITY;
        kelvin_simplex_prediction(p, at);
        kelvin_simplex_confine(p, least);
        const struct place to = kelvin_simplex_place(p);
        assert_near(p[0] + p[1] + p[2], 1, 1e-14);
        assert_true(fmin(p[0], fmin(p[1], p[2])) >= least - 1e-15);
        for (int a = 15; a <= N; a++)
            for (int b = 15; a + b <= N - 15; b++) {
                const struct place other = kelvin_simplex_place((double[]){a * wide, b * wide, (N - a - b) * wide});
                nearest = fmin(nearest, hypot(other.x - at.x, other.y - at.y));
            }
        const double distance = hypot(to.x - at.x, to.y - at.y);
        assert_true(distance <= nearest + 1e-14 && distance >= nearest - wide);
    }
}

/* A step of the logits by epsilon = 1e-6 moves the place by epsilon * kelvin_simplex_move; differences over both sides
 * leave an error of epsilon^2 and one of rounding, 1e-16 / epsilon = 1e-10. */
static void moves_are_where_small_steps_lead(void **state)
{
    (void)state;
    const kelvin_density densities[] = {categorical(), dirichlet(0.01, false), dirichlet(0.01, true),
                                        dirichlet(3, true)};
    const double epsilon = 1e-6;
    for (size_t d = 0; d < sizeof densities / sizeof *densities; d++)
        for (uint64_t i = 0; i < 50; i++) {
            double p[SIMPLEX], z[SIMPLEX], grad[SIMPLEX];
            struct place at[2];
            kelvin_simplex_uniform(p, 3, i);
            kelvin_simplex_logits(z, p);
            kelvin_density_eval(&densities[d], grad, z, SIMPLEX, SIMPLEX_LABEL);
            for (int side = 0; side < 2; side++) {
                double moved[SIMPLEX];
                for (int k = 0; k < SIMPLEX; k++) moved[k] = z[k] + (side ? epsilon : -epsilon) * grad[k];
                kelvin_simplex_probabilities(p, moved);
                at[side] = kelvin_simplex_place(p);
            }
            const struct place move = kelvin_simplex_move(&densities[d], z);
            assert_near(move.x, (at[1].x - at[0].x) / (2 * epsilon), 1e-9);
            assert_near(move.y, (at[1].y - at[0].y) / (2 * epsilon), 1e-9);
        }
}

/* Dirichlet(1, 1, 1): mean 1/3, variance 1/18, covariance -1/36. The fourth central moment of a p is 1/135, so the
 * standard error of a variance is sqrt((1/135 - 1/18^2) / n); that of a covariance is no larger. */
static void uniform_starts_have_the_right_moments(void **state)
{
    (void)state;
    enum { N = 100000 };
    double mean[SIMPLEX] = {0}, second[SIMPLEX][SIMPLEX] = {{0}};
    double before[SIMPLEX] = {1 / 3.0, 1 / 3.0, 1 / 3.0}, lag[SIMPLEX] = {0};
    size_t below = 0;
    for (uint64_t i = 0; i < N; i++) {
        double p[SIMPLEX];
        kelvin_simplex_uniform(p, 8, i);
        for (int k = 0; k < SIMPLEX; k++) { /* one start and the one before share no number */
            lag[k] += (p[k] - 1 / 3.0) * (before[(k + 1) % SIMPLEX] - 1 / 3.0) / N;
        }
        for (int k = 0; k < SIMPLEX; k++) before[k] = p[k];
        assert_near(p[0] + p[1] + p[2], 1, 1e-15 * 4);
        assert_true(fmin(p[0], fmin(p[1], p[2])) > 0);
        below += p[0] < 0.5;
        for (int k = 0; k < SIMPLEX; k++) {
            mean[k] += p[k] / N;
            for (int j = 0; j < SIMPLEX; j++) second[k][j] += (p[k] - 1 / 3.0) * (p[j] - 1 / 3.0) / N;
        }
    }
    for (int k = 0; k < SIMPLEX; k++) {
        assert_near(mean[k], 1 / 3.0, 5 * sqrt(1 / 18.0 / N));
        assert_near(lag[k], 0, 5 * sqrt(1 / 324.0 / N));
        for (int j = 0; j < SIMPLEX; j++)
            assert_near(second[k][j], k == j ? 1 / 18.0 : -1 / 36.0, 5 * sqrt((1 / 135.0 - 1 / 324.0) / N));
    }
    assert_near((double)below / N, 0.75, 5 * sqrt(0.75 * 0.25 / N)); /* the upper small triangle is a quarter */
}

/* ---- particles ---- */

/* d/dz of log Dir(p; alpha) + log p_0, written out. */
static void plain_step(double z[SIMPLEX], double alpha, double rate)
{
    double p[SIMPLEX], total = 0;
    for (int k = 0; k < SIMPLEX; k++) total += p[k] = exp(z[k]);
    for (int k = 0; k < SIMPLEX; k++) p[k] /= total;
    for (int k = 0; k < SIMPLEX; k++) z[k] += rate * ((alpha - 1) * (1 - SIMPLEX * p[k]) + (k == 0) - p[k]);
}

/* Logits stay below 10, gradients below 4: rounding of a step is below 1e-15 * rate + 2e-15. */
static void a_step_is_a_plain_loop(void **state)
{
    (void)state;
    const kelvin_density posterior = dirichlet(0.01, true);
    const struct ascent ascent = {&posterior, 0.05, 1};
    for (uint64_t i = 0; i < 200; i++) {
        double p[SIMPLEX], z[SIMPLEX], plain[SIMPLEX];
        kelvin_simplex_uniform(p, 4, i);
        kelvin_simplex_logits(z, p);
        kelvin_simplex_logits(plain, p);
        kelvin_ascent_step(&ascent, z);
        plain_step(plain, 0.01, 0.05);
        for (int k = 0; k < SIMPLEX; k++) assert_near(z[k], plain[k], 1e-14);
    }
}

struct stays {
    size_t n, next;
    struct place last;
};

static void keep(void *context, struct place at, size_t from, size_t until)
{
    struct stays *stays = context;
    assert_int_equal(from, stays->next); /* no step is left out */
    assert_true(until >= from);
    stays->next = until + 1;
    stays->last = at;
    stays->n++;
}

static void a_way_covers_all_steps(void **state)
{
    (void)state;
    const kelvin_density posterior = dirichlet(0.01, true);
    const size_t lengths[] = {1, 2, 60, 1000};
    for (size_t i = 0; i < 4; i++)
        for (uint64_t start_at = 0; start_at < 20; start_at++) {
            const struct ascent ascent = {&posterior, 0.05, lengths[i]};
            struct stays stays = {0};
            double p[SIMPLEX], z[SIMPLEX];
            kelvin_simplex_uniform(p, 4, start_at);
            kelvin_ascent_follow(&ascent, p, keep, &stays);
            assert_int_equal(stays.next, lengths[i] + 1);
            kelvin_simplex_logits(z, p);
            for (size_t step = 0; step < lengths[i]; step++) plain_step(z, 0.01, 0.05);
            kelvin_simplex_probabilities(p, z);
            /* the differences of the steps above, which the unstable middle lets grow */
            assert_near(stays.last.x, kelvin_simplex_place(p).x, 1e-9);
            assert_near(stays.last.y, kelvin_simplex_place(p).y, 1e-9);
        }
}

/* Steps of 50 throw a particle from corner to corner: its way is cut short, its last place is not. */
static void a_way_without_end_is_cut(void **state)
{
    (void)state;
    const kelvin_density peaked = dirichlet(100, true);
    const struct ascent ascent = {&peaked, 50, 1000};
    const double p[SIMPLEX] = {0.2, 0.3, 0.5};
    struct stays stays = {0};
    double z[SIMPLEX], q[SIMPLEX];
    kelvin_ascent_follow(&ascent, p, keep, &stays);
    assert_int_equal(stays.next, 1001);
    assert_true(stays.n >= 5 && stays.n <= 270); /* jumps of at most 1; stays 0.015 apart or further; the last */
    kelvin_simplex_logits(z, p);
    for (size_t step = 0; step < 1000; step++) kelvin_ascent_step(&ascent, z);
    kelvin_simplex_probabilities(q, z);
    assert_true(stays.last.x == kelvin_simplex_place(q).x && stays.last.y == kelvin_simplex_place(q).y);
}

static double wrong_share(const kelvin_density *density, uint64_t seed, size_t draws, size_t threads)
{
    double share = NAN;
    const struct ascent ascent = {density, 0.05, 1000};
    ended = 0;
    const struct figure_options options = {.seed = seed, .draws = draws, .threads = threads, .watch = &watch};
    assert_ok(kelvin_ascent_wrong_share(&share, &ascent, &options));
    assert_int_equal(pieces, started);
    assert_int_equal(ended, 1);
    return share;
}

/* The reference has 30.8 %; the standard error of 10,000 draws is 0.46 points. */
static void three_of_ten_particles_go_astray(void **state)
{
    (void)state;
    const kelvin_density posterior = dirichlet(0.01, true);
    assert_near(wrong_share(&posterior, 0, 10000, 0), 0.308, 0.015);
    assert_near(wrong_share(&posterior, 1, 10000, 0), 0.308, 0.015);
}

static void threads_change_nothing(void **state)
{
    (void)state;
    const kelvin_density posterior = dirichlet(0.01, true);
    size_t wrong = 0;
    for (uint64_t i = 0; i < 1003; i++) { /* not a multiple of what a task takes */
        double p[SIMPLEX], z[SIMPLEX];
        kelvin_simplex_uniform(p, 5, i);
        kelvin_simplex_logits(z, p);
        for (int step = 0; step < 1000; step++) plain_step(z, 0.01, 0.05);
        wrong += z[1] > z[0] || z[2] > z[0];
    }
    for (size_t threads = 1; threads <= 3; threads++)
        assert_true(wrong_share(&posterior, 5, 1003, threads) == (double)wrong / 1003);
}

static void the_likelihood_leads_to_the_true_class(void **state)
{
    (void)state;
    const kelvin_density likelihood = categorical();
    assert_true(wrong_share(&likelihood, 6, 1000, 0) == 0);
}

/* The prior does not know the true class: by symmetry two thirds end at another. */
static void the_prior_leads_anywhere(void **state)
{
    (void)state;
    const kelvin_density prior = dirichlet(0.01, false);
    assert_near(wrong_share(&prior, 7, 2000, 0), 2 / 3.0, 5 * sqrt(2 / 9.0 / 2000));
}

static void a_signal_stops_it(void **state)
{
    (void)state;
    int stop = 1;
    const kelvin_figure_watch stopped = {.context = &stop, .start = start, .piece = piece, .end = end};
    const kelvin_density posterior = dirichlet(0.01, true);
    const struct ascent ascent = {&posterior, 0.05, 1000};
    double share;
    ended = 0;
    const struct figure_options options = {.draws = 1000, .threads = 2, .watch = &stopped};
    assert_int_equal(kelvin_ascent_wrong_share(&share, &ascent, &options), KELVIN_ESTOP);
    assert_int_equal(ended, 1);
}

/* ---- mass ---- */

/* The regularised incomplete beta function I_x(a, b) by its continued fraction (Abramowitz and Stegun 26.5.8, evaluated
 * by Lentz's method), which converges fast for x < (a + 1) / (a + b + 2). */
static long double beta_share(long double x, long double a, long double b)
{
    if (x > (a + 1) / (a + b + 2)) return 1 - beta_share(1 - x, b, a);
    long double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), f = d;
    for (int m = 1; m < 500; m++) {
        const long double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        const long double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / (1 + even * d);
        c = 1 + even / c;
        f *= c * d;
        d = 1 / (1 + odd * d);
        c = 1 + odd / c;
        f *= c * d;
    }
    return f * expl(a * logl(x) + b * log1pl(-x) + lgammal(a + b) - lgammal(a) - lgammal(b)) / a;
}

/* p_0 of Dirichlet(alpha + 1, alpha, alpha) is Beta(alpha + 1, 2 alpha). */
static void mass_is_an_incomplete_beta_function(void **state)
{
    (void)state;
    const double alphas[] = {1e-3, 3e-3, 0.01, 0.03, 0.1, 0.5, 1, 2.5, 10, 100};
    assert_near((double)beta_share(0.5L, 2, 2), 0.5, 1e-17);   /* the oracle's own check: symmetric, */
    assert_near((double)beta_share(0.5L, 2, 1), 0.25, 1e-17);  /* x^2, */
    assert_near((double)beta_share(0.3L, 1, 3), 0.657, 1e-16); /* 1 - (1 - x)^3 */
    for (size_t i = 0; i < sizeof alphas / sizeof *alphas; i++) {
        const double alpha = alphas[i],
                     expected = (double)beta_share(0.5L, (long double)alpha + 1, 2 * (long double)alpha);
        const kelvin_density posterior = dirichlet(alpha, true), prior = dirichlet(alpha, false);
        assert_near(kelvin_mass_below_half(&posterior, alpha) / expected, 1, 1e-10);
        const double of_prior = (double)beta_share(0.5L, (long double)alpha, 2 * (long double)alpha);
        assert_near(kelvin_mass_below_half(&prior, alpha) / of_prior, 1, 1e-10);
    }
}

static void mass_of_the_paper(void **state)
{
    (void)state;
    const kelvin_density posterior = dirichlet(0.01, true);
    assert_near(kelvin_mass_below_half(&posterior, 0.01), 0.0136, 0.00005);
}

/* Rounding of log-densities of 160 / alpha and less is 2e-14 / alpha. */
static void mass_of_a_very_small_alpha(void **state)
{
    (void)state;
    const double alphas[] = {1e-9, 1e-6};
    for (size_t i = 0; i < 2; i++) {
        const kelvin_density posterior = dirichlet(alphas[i], true);
        const long double a = (long double)alphas[i];
        assert_near(kelvin_mass_below_half(&posterior, alphas[i]) / (double)beta_share(0.5L, a + 1, 2 * a), 1,
                    1e-13 / alphas[i]);
    }
}

static void no_mass_without_an_integral(void **state)
{
    (void)state;
    const double alphas[] = {0, -0.5, -1e6, 1e-12, 1e6, NAN};
    for (size_t i = 0; i < sizeof alphas / sizeof *alphas; i++) {
        const kelvin_density posterior = dirichlet(isnan(alphas[i]) ? 1 : alphas[i], true);
        assert_true(isnan(kelvin_mass_below_half(&posterior, alphas[i])));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(corners_are_where_they_must_be),
        cmocka_unit_test(confined_is_the_nearest_that_is_allowed),
        cmocka_unit_test(moves_are_where_small_steps_lead),
        cmocka_unit_test(uniform_starts_have_the_right_moments),
        cmocka_unit_test(a_step_is_a_plain_loop),
        cmocka_unit_test(a_way_covers_all_steps),
        cmocka_unit_test(a_way_without_end_is_cut),
        cmocka_unit_test(three_of_ten_particles_go_astray),
        cmocka_unit_test(threads_change_nothing),
        cmocka_unit_test(the_likelihood_leads_to_the_true_class),
        cmocka_unit_test(the_prior_leads_anywhere),
        cmocka_unit_test(a_signal_stops_it),
        cmocka_unit_test(mass_is_an_incomplete_beta_function),
        cmocka_unit_test(mass_of_the_paper),
        cmocka_unit_test(mass_of_a_very_small_alpha),
        cmocka_unit_test(no_mass_without_an_integral),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
