/* Contours: a circle whose equation is known, the two ways through a saddle, and a lattice of random numbers on which
 * every kind of cell occurs. */
#include "base/memory.h"
#include "base/random.h"
#include "figures/contour.c"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

enum { MOST = 4096 };

struct curves {
    size_t n, n_curves;
    double column[MOST], row[MOST];
    bool first[MOST];
};

static struct curves curves;

static void keep(void *context, double column, double row, bool first)
{
    struct curves *c = context;
    assert_true(c->n < MOST);
    c->column[c->n] = column;
    c->row[c->n] = row;
    c->first[c->n++] = first;
    c->n_curves += first;
}

static void trace(const double *f, size_t n, double level)
{
    curves = (struct curves){0};
    assert_int_equal(kelvin_contour_trace(keep, &curves, f, n, level), KELVIN_OK);
}

/* f = r^2 - |x - c|^2 has second derivatives of -2, so linear interpolation over an edge of length 1 errs by at most
 * 1/4. */
static void a_circle_is_one_closed_curve(void **state)
{
    (void)state;
    enum { N = 31 };
    const double r = 11.37, x = 14.62, y = 15.18;
    double f[N * N], length = 0;
    for (size_t i = 0; i < N * N; i++) {
        const double dx = (double)(i % N) - x, dy = (double)(i / N) - y;
        f[i] = r * r - dx * dx - dy * dy;
    }
    trace(f, N, 0);
    assert_int_equal(curves.n_curves, 1);
    for (size_t i = 0; i < curves.n; i++) {
        const double dx = curves.column[i] - x, dy = curves.row[i] - y;
        assert_true(fabs(dx * dx + dy * dy - r * r) <= 0.25);
        if (i) length += hypot(curves.column[i] - curves.column[i - 1], curves.row[i] - curves.row[i - 1]);
    }
    assert_true(curves.column[0] == curves.column[curves.n - 1] && curves.row[0] == curves.row[curves.n - 1]);
    /* Points are at most 1/4 / (2 r - 1) off the circle, so a chord is at most an arc and that; chords of at most
     * sqrt(2) lose less than 1/800 of their arc. */
    assert_true(length <= 6.283186 * r + (double)curves.n * 0.25 / (2 * r - 1));
    assert_true(length >= 6.283185 * sqrt(r * r - 0.25) * (1 - 1.0 / 800));
}

/* Are the crossings below and right of the only cell on one curve, as they are if the corner between them is cut off?
 */
static bool cuts_off_lower_right(const double f[4], double level)
{
    trace(f, 2, level);
    assert_int_equal(curves.n, 4);
    assert_int_equal(curves.n_curves, 2);
    for (size_t i = 0; i < 4; i += 2) {
        const bool below = curves.row[i] == 0 || curves.row[i + 1] == 0;
        const bool right = curves.column[i] == 1 || curves.column[i + 1] == 1;
        if (below) return right;
    }
    fail();
    return false;
}

static void the_middle_decides_a_saddle(void **state)
{
    (void)state;
    const double high[] = {0.91, 0.32, 0.27, 0.84}; /* corners (0,0), (1,0), (0,1), (1,1); their mean is 0.585 */
    assert_true(cuts_off_lower_right(high, 0.5));
    assert_false(cuts_off_lower_right(high, 0.7));
    const double turned[] = {0.32, 0.91, 0.84, 0.27};
    assert_false(cuts_off_lower_right(turned, 0.5));
    assert_true(cuts_off_lower_right(turned, 0.7));
}

static bool on_border(size_t i, size_t n)
{
    const double last = (double)(n - 1);
    return curves.column[i] == 0 || curves.row[i] == 0 || curves.column[i] == last || curves.row[i] == last;
}

static void random_lattices_are_crossed_everywhere_once(void **state)
{
    (void)state;
    enum { N = 23 };
    const double level = 0.47;
    double f[N * N];
    for (uint32_t step = 0; step < 20; step++) {
        const kelvin_random where = {.seed = 5, .step = step, .stream = KELVIN_STREAM_USER};
        size_t crossed = 0, met = 0, begin = 0;
        for (size_t i = 0; i < N * N; i++) f[i] = kelvin_uniform(where, i);
        for (size_t i = 0; i < N * N; i++) {
            if (i % N + 1 < N) crossed += (f[i] > level) != (f[i + 1] > level);
            if (i / N + 1 < N) crossed += (f[i] > level) != (f[i + N] > level);
        }
        trace(f, N, level);
        for (size_t i = 0; i < curves.n; i++) {
            const bool last = i + 1 == curves.n || curves.first[i + 1];
            const double u = floor(curves.column[i]), v = floor(curves.row[i]);
            assert_true(curves.column[i] == u || curves.row[i] == v); /* on an edge, between its ends */
            const size_t from = (size_t)v * N + (size_t)u, to = curves.row[i] == v ? from + 1 : from + N;
            assert_true((f[from] > level) != (f[to] > level));
            if (curves.first[i]) begin = i;
            if (!last) {
                assert_true(fabs(curves.column[i + 1] - curves.column[i]) <= 1);
                assert_true(fabs(curves.row[i + 1] - curves.row[i]) <= 1);
            }
            const bool closed = last && curves.column[i] == curves.column[begin] && curves.row[i] == curves.row[begin];
            if (last && !closed) assert_true(on_border(i, N) && on_border(begin, N));
            met += !closed;
        }
        assert_int_equal(met, crossed);
    }
}

static void a_lattice_without_the_level_has_no_curve(void **state)
{
    (void)state;
    const double f[9] = {0.1, 0.2, 0.3, 0.1, 0.2, 0.3, 0.1, 0.2, 0.3};
    trace(f, 3, 0.5);
    assert_int_equal(curves.n, 0);
}

static void no_memory_is_a_status(void **state)
{
    (void)state;
    const double f[4] = {0, 0, 1, 1};
    kelvin_alloc_fail_at(1);
    assert_int_equal(kelvin_contour_trace(keep, &curves, f, 2, 0.5), KELVIN_ENOMEM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_circle_is_one_closed_curve),
        cmocka_unit_test(the_middle_decides_a_saddle),
        cmocka_unit_test(random_lattices_are_crossed_everywhere_once),
        cmocka_unit_test(a_lattice_without_the_level_has_no_curve),
        cmocka_unit_test(no_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
