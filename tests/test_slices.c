/* Curves of the figures distribution-slices and ndg-ridgeline against closed forms and long double, and against
 * what can be measured on the published pictures. */
#include "figures/ndg_ridgeline.c"
#include "figures/slices.h"

#include "check.h"

#include <float.h>
#include <string.h>

/* ---- distribution-slices ---- */

enum {
    DIRICHLET,
    DIRCLIP,
    NDG,
    CONFIDENCE,
    CATEG,
    COLD,
    NDG_LIKE,
    CATEG_2,
    CONF_CATEG,
    COLD_2,
    NDG_CATEG,
    NDG_NDG,
    DIR_CATEG
};
enum { POINTS = 1201 };

static const struct slice_numbers paper = {.alpha = 1e-6, .clip = -16, .T = {3e-7, 0.08}};

static struct slice slices[SLICES];

static void make_alpha(double alpha)
{
    struct slice_numbers numbers = paper;
    numbers.alpha = alpha;
    assert_ok(kelvin_slices_make(slices, &numbers));
}

/* The log-probabilities of both classes for a logit. */
static void log_probabilities(long double l[2], long double t)
{
    l[0] = -log1pl(expl(-t));
    l[1] = -log1pl(expl(t));
}

/* Slope in t of the NDG prior of two classes, from the paper's formulas, with `likes` times the likelihood of class 0.
 */
static long double ndg_slope(long double t, long double alpha, long double likes)
{
    long double l[2];
    const long double variance = log1pl(1 / alpha);
    const long double mean = logl(alpha / (alpha + 1)) + (log1pl(1 / (alpha + 1)) - variance) / 2;
    log_probabilities(l, t);
    return (likes - (l[0] - mean) / variance) * expl(l[1]) + (l[1] - mean) / variance * expl(l[0]);
}

static double ndg_maximum(long double a, long double b, long double alpha, long double likes)
{
    assert_true(ndg_slope(a, alpha, likes) > 0 && ndg_slope(b, alpha, likes) < 0);
    for (int i = 0; i < 200; i++) {
        const long double middle = (a + b) / 2;
        if (ndg_slope(middle, alpha, likes) > 0)
            a = middle;
        else
            b = middle;
    }
    return (double)a;
}

/* Maxima are bisected to 1e-13 (1 + |t|), at most 2.5e-12. The slope errs by a few units of rounding of |t|, 1e-14, and
 * falls by at least 0.03 per unit of t (1 / variance, for NDG): 4e-13 more. */
static const double maximum_error = 3e-12;

static void ndg_maxima_are_where_long_double_finds_them(void **state)
{
    (void)state;
    static const double alpha[] = {1e-8, 1e-6, 1e-4, 1e-3};
    for (size_t i = 0; i < sizeof alpha / sizeof *alpha; i++) {
        const double variance = log1p(1 / alpha[i]), mean = -1.5 * variance + log(2) / 2; /* up to alpha */
        make_alpha(alpha[i]);
        if (mean > log(1e-10)) {
            assert_int_equal(slices[NDG].n_maxima, 2);
            const double expected = ndg_maximum(mean - 1, mean + 1, alpha[i], 0);
            assert_near(expected, mean, 0.05); /* "near l = mu0" */
            assert_near(slices[NDG].maximum[0], expected, maximum_error);
            assert_near(slices[NDG].maximum[1], -expected, maximum_error);
            assert_near(slices[NDG_CATEG].maximum[slices[NDG_CATEG].n_maxima - 1],
                        ndg_maximum(-mean - 1, -mean + 1, alpha[i], 1), maximum_error);
        } else
            assert_int_equal(slices[NDG].n_maxima, 0); /* beyond the axis */
        if (alpha[i] < 1e-5) {
            const double expected = ndg_maximum(mean, mean + variance + 1, alpha[i], 1);
            assert_near(expected, mean + variance, 0.05);
            assert_near(slices[NDG_CATEG].maximum[0], expected, maximum_error);
        }
    }
}

/* log p + (1/T - 1) log(1 - p) has the slope (1 - p / T) (1 - p) in t. */
static void confidence_misleads_to_p_equal_to_T(void **state)
{
    (void)state;
    static const double T[] = {3e-7, 1e-3, 0.1, 0.4};
    for (size_t i = 0; i < sizeof T / sizeof *T; i++) {
        assert_ok(kelvin_slices_make(slices, &(struct slice_numbers){1e-6, -16, {T[i], 1}}));
        assert_int_equal(slices[CONF_CATEG].n_maxima, 1);
        assert_near(slices[CONF_CATEG].maximum[0], log(T[i]) - log1p(-T[i]), maximum_error);
    }
}

/* sum of (alpha - 1) l has its maximum at p = 1/2 for alpha > 1, and with l_y at p = alpha / (2 alpha - 1). */
static void a_dirichlet_above_1_has_one_maximum(void **state)
{
    (void)state;
    make_alpha(3);
    assert_int_equal(slices[DIRICHLET].n_maxima, 1);
    assert_int_equal(slices[DIRCLIP].n_maxima, 1);
    assert_int_equal(slices[DIR_CATEG].n_maxima, 1);
    assert_near(slices[DIRICHLET].maximum[0], 0, maximum_error);
    assert_near(slices[DIRCLIP].maximum[0], 0, maximum_error);
    assert_near(slices[DIR_CATEG].maximum[0], log(1.5), maximum_error);
}

static void what_is_flat_or_rises_has_no_maximum(void **state)
{
    (void)state;
    static const size_t without[] = {DIRICHLET, DIRCLIP, CONFIDENCE, CATEG, COLD, NDG_LIKE, CATEG_2, COLD_2, DIR_CATEG};
    for (int i = 0; i < 2; i++) {
        assert_ok(kelvin_slices_make(slices, &(struct slice_numbers){i ? 1 : 1e-6, -16, {i ? 1 : 3e-7, 0.08}}));
        for (size_t j = 0; j < sizeof without / sizeof *without; j++) assert_int_equal(slices[without[j]].n_maxima, 0);
    }
    assert_int_equal(slices[CONF_CATEG].n_maxima, 0); /* T = 1: the likelihood alone */
}

/* A value is a sum of two terms, each a product of a number near it and one that is rounded a few times. */
static double rounding(double value)
{
    return 8 * DBL_EPSILON * fabs(value);
}

static void priors_are_symmetric_and_the_others_are_not(void **state)
{
    (void)state;
    make_alpha(1e-6);
    for (size_t k = 0; k < SLICES; k++) {
        bool symmetric = true;
        for (size_t i = 0; i < POINTS; i++) {
            const double t = kelvin_slice_logit(i, POINTS), value = kelvin_slice_value(&slices[k], t);
            symmetric &= fabs(value - kelvin_slice_value(&slices[k], -t)) <= rounding(value);
        }
        assert_int_equal(symmetric, slices[k].panel == SLICE_PRIOR);
    }
}

static void confidence_is_a_cold_likelihood_where_the_label_is_on_top(void **state)
{
    (void)state;
    make_alpha(1e-6);
    for (size_t i = 0; i < POINTS; i++) {
        const double t = kelvin_slice_logit(i, POINTS), cold = kelvin_slice_value(&slices[COLD_2], t);
        long double l[2];
        log_probabilities(l, t);
        assert_near(cold, (double)(l[0] / 3e-7L), rounding(cold));
        assert_near(kelvin_slice_value(&slices[COLD], t), (double)(l[0] / 0.08L), rounding(cold));
        if (t >= 0)
            assert_near(kelvin_slice_value(&slices[CONF_CATEG], t), cold, rounding(cold));
        else
            assert_true(kelvin_slice_value(&slices[CONF_CATEG], t) > cold * 0.999);
    }
}

static void dirclip_leaves_dirichlet_at_the_clip(void **state)
{
    (void)state;
    make_alpha(0.3);
    for (size_t i = 0; i < POINTS; i++) {
        const double t = kelvin_slice_logit(i, POINTS), clipped = kelvin_slice_value(&slices[DIRCLIP], t);
        long double l[2];
        log_probabilities(l, t);
        if (l[0] > -16 && l[1] > -16)
            assert_true(clipped == kelvin_slice_value(&slices[DIRICHLET], t));
        else
            assert_near(clipped, (double)(-0.7L * (fmaxl(l[0], l[1]) - 16)), rounding(clipped));
    }
}

/* Heights measured on the published picture, at the middle of lines that are 5 pixels thick: 0.06 of log-density per
 * pixel in the first panel, 0.11 in the last and 0.83 in the one between. Lines and ticks are both told to a pixel, so
 * 1.5 are allowed. The left end of NDG's likelihood, cut off aslant, is told by the axis instead: from 19.85 to -416.4,
 * of which 5 % of what is drawn are free at both ends. */
static void curves_are_where_the_published_ones_are(void **state)
{
    (void)state;
    static const double pixel[] = {0.06, 0.83, 0.11};
    static const struct {
        size_t curve;
        double left, right; /* at p = 1e-10 and 1 - 1e-10; NAN: out of sight */
    } measured[] = {{DIRICHLET, 8.52, 8.5},     {DIRCLIP, 1.47, 1.47},      {NDG, -3.3, -3.28},
                    {CONFIDENCE, -4.98, -4.98}, {CATEG, -22.95, NAN},       {COLD, -287.6, -0.5},
                    {NDG_LIKE, -396.6, -0.1},   {NDG_CATEG, -28.33, -5.32}, {DIR_CATEG, -32.47, -9.45},
                    {CONF_CATEG, -23.03, 0},    {NDG_NDG, NAN, -5.21}};
    make_alpha(1e-6);
    for (size_t i = 0; i < sizeof measured / sizeof *measured; i++) {
        const struct slice *s = &slices[measured[i].curve];
        const double end = kelvin_slice_logit(1, 2), seen[] = {measured[i].left, measured[i].right};
        for (int side = 0; side < 2; side++)
            if (!isnan(seen[side]))
                assert_near(kelvin_slice_value(s, side ? end : -end) + s->shift, seen[side], 1.5 * pixel[s->panel]);
    }
}

/* The rule behind the shifts, for other numbers than the paper's. */
static void the_largest_value_is_put_at_a_level(void **state)
{
    (void)state;
    static const double level[SLICES] = {8.5, NAN, -3, -5, NAN, NAN, NAN, NAN, NAN, NAN, -5, -5, -9.5};
    static const double alpha[] = {1e-12, 1e-3, 0.7, 2};
    for (size_t i = 0; i < sizeof alpha / sizeof *alpha; i++) {
        make_alpha(alpha[i]);
        for (size_t k = 0; k < SLICES; k++) {
            double most = -INFINITY;
            for (size_t j = 0; j < POINTS; j++)
                most = fmax(most, kelvin_slice_value(&slices[k], kelvin_slice_logit(j, POINTS)) + slices[k].shift);
            /* between two points, 0.04 apart, a maximum with a curvature of at most 2 rises by 2 * 0.02^2 / 2 */
            if (!isnan(level[k]))
                assert_near(most, level[k], 4e-4);
            else
                assert_true(slices[k].shift == (k == DIRCLIP ? slices[DIRICHLET].shift : 0));
        }
    }
}

/* Ticks of the published picture in pixels of its first panel, at 1e-8, 1e-3, 1/2 and the like: the axis is 884 wide,
 * 5 % of what is drawn being left free at both ends. */
static void the_axis_is_the_published_one(void **state)
{
    (void)state;
    static const double p[] = {1e-8, 1e-3, 0.5}, tick[] = {260.5, 467.5, 578.5}, mirrored[] = {897.5, 690.5, 578.5};
    const double edge = 1.1 * kelvin_slice_axis(kelvin_slice_logit(1, 2));
    for (size_t i = 0; i < 3; i++) {
        const double t = log(p[i]) - log1p(-p[i]);
        assert_near(136.5 + 442 * (1 + kelvin_slice_axis(t) / edge), tick[i], 1);
        assert_near(136.5 + 442 * (1 + kelvin_slice_axis(-t) / edge), mirrored[i], 1);
        assert_near(kelvin_slice_axis(t), log(2 * p[i]), 1e-14);
        assert_near(kelvin_slice_probability(t) / p[i], 1, 1e-14); /* |t| < 20 is rounded by 4e-15 */
    }
    assert_near(kelvin_slice_probability(kelvin_slice_logit(0, 7)) * 1e10, 1, 1e-14);
    assert_near(kelvin_slice_probability(-kelvin_slice_logit(6, 7)) * 1e10, 1, 1e-14);
    assert_true(kelvin_slice_logit(3, 7) == 0 && kelvin_slice_logit(1, 7) == -kelvin_slice_logit(5, 7));
}

/* ---- ndg-ridgeline ---- */

static struct ridges ridges_of(double alpha, size_t classes, size_t label)
{
    struct ridges r = {.classes = classes, .label = label};
    char text[64];
    snprintf(text, sizeof text, "ndg-logits:%.17g", alpha);
    assert_ok(kelvin_density_parse(&r.density, text));
    find_normals(&r);
    return r;
}

/* Slopes (m - x) / s2 at 0 and 1 are rounded by a few units of (|m| + 1) / s2; their difference is 1 / s2. */
static double normal_rounding(double mean)
{
    return 8 * DBL_EPSILON * (2 * fabs(mean) + 2);
}

static const struct {
    double alpha;
    size_t classes, label;
} cases[] = {{0.1, 10, 3}, {1e-6, 2, 0}, {1e-14, 3, 2}, {1, 100, 99}, {50, 70, 64}, {1e6, 2, 1}};
enum { CASES = sizeof cases / sizeof *cases };

static void normals_have_the_closed_form(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        const struct ridges r = ridges_of(cases[i].alpha, cases[i].classes, cases[i].label);
        for (size_t k = 0; k < cases[i].classes; k++) {
            const long double a = (long double)cases[i].alpha + (k == cases[i].label);
            const double variance = (double)log1pl(1 / a), mean = (double)(logl(a) - log1pl(1 / a) / 2);
            assert_near(r.normal[k].variance / variance, 1, normal_rounding(mean));
            assert_near(r.normal[k].mean, mean, normal_rounding(mean) * (fabs(mean) + 1e-300));
        }
    }
}

/* The trapezoid rule with steps of a quarter of a standard deviation is exact to exp(-2 pi^2 16) for a normal; beyond
 * 12 of them there is nothing. Points are rounded by the unit of the mean, which is large where the normal is narrow.
 */
static void densities_integrate_to_1(void **state)
{
    (void)state;
    for (size_t i = 0; i < CASES; i++) {
        const struct ridges r = ridges_of(cases[i].alpha, cases[i].classes, cases[i].label);
        const size_t class[] = {wrong_class(&r), r.label};
        assert_true(class[0] != r.label && class[0] < r.classes);
        for (size_t j = 0; j < 2; j++) {
            const double mean = r.normal[class[j]].mean, sd = sqrt(r.normal[class[j]].variance);
            double sum = 0;
            for (int n = -48; n <= 48; n++) sum += density_at(&r, class[j], mean + (n + 0.3) * sd / 4) * sd / 4;
            assert_near(sum, 1, normal_rounding(mean) * (1 + 1 / sd));
        }
    }
}

static void the_range_is_the_published_one(void **state)
{
    (void)state;
    double low, high;
    const struct ridges r = ridges_of(0.1, 10, 3);
    find_range(&low, &high, &r);
    assert_near(low, -9, 1e-12);
    assert_near(high, 4, 1e-12);
    for (size_t i = 0; i < CASES; i++) {
        const struct ridges other = ridges_of(cases[i].alpha, cases[i].classes, cases[i].label);
        find_range(&low, &high, &other);
        for (size_t k = 0; k < other.classes; k++) {
            const double peak = density_at(&other, k, other.normal[k].mean);
            assert_below(density_at(&other, k, low), 0.01 * peak);
            assert_below(density_at(&other, k, high), 0.01 * peak);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ndg_maxima_are_where_long_double_finds_them),
        cmocka_unit_test(confidence_misleads_to_p_equal_to_T),
        cmocka_unit_test(a_dirichlet_above_1_has_one_maximum),
        cmocka_unit_test(what_is_flat_or_rises_has_no_maximum),
        cmocka_unit_test(priors_are_symmetric_and_the_others_are_not),
        cmocka_unit_test(confidence_is_a_cold_likelihood_where_the_label_is_on_top),
        cmocka_unit_test(dirclip_leaves_dirichlet_at_the_clip),
        cmocka_unit_test(curves_are_where_the_published_ones_are),
        cmocka_unit_test(the_largest_value_is_put_at_a_level),
        cmocka_unit_test(the_axis_is_the_published_one),
        cmocka_unit_test(normals_have_the_closed_form),
        cmocka_unit_test(densities_integrate_to_1),
        cmocka_unit_test(the_range_is_the_published_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
