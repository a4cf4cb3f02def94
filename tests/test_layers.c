/* Layers on maps: filter response normalisation with ReLU and a sum, means over pixels, planes into maps; every kernel
 * under every instruction set against plain loops in double. And the gradients of the plain loops themselves, those of
 * convolutions too, against signed finite differences. */
#include "maps_helpers.h"
#include "plain_layers.h"

#include "base/random.h"

#include <float.h>

/* ---- the plain loops against finite differences ---- */

/* A function of up to four arrays: y (n_y) from x[0], x[1], ...; and its way back, which adds to dx[0], dx[1], .... */
struct layer {
    const char *name;
    size_t n_y, n[4]; /* 0: no such array */
    void (*forward)(double *y, double *const x[4]);
    void (*backward)(double *const dx[4], const double *dy, double *const x[4]);
};

enum { N = 2, C = 3, P = 5, CLASSES = 4, H = 5, W = 4, MOST = 512 };
static const struct plain_conv some_conv = {N, 2, C, H, W, 3, 2};

static struct plain_frn some_frn(double *const x[4])
{
    return (struct plain_frn){N, C, P, x[1], x[2], x[3]};
}

static void conv_forward(double *y, double *const x[4])
{
    plain_conv_forward(y, x[0], x[1], x[2], &some_conv);
}

static void conv_backward(double *const dx[4], const double *dy, double *const x[4])
{
    plain_conv_backward(dx[0], dx[1], dx[2], dy, x[0], x[1], &some_conv);
}

static void frn_forward(double *y, double *const x[4])
{
    const struct plain_frn frn = some_frn(x);
    plain_frn_forward(y, x[0], &frn);
}

static void frn_backward(double *const dx[4], const double *dy, double *const x[4])
{
    const struct plain_frn frn = some_frn(x);
    plain_frn_backward(dx[0], dx[1], dx[2], dx[3], dy, x[0], &frn);
}

static void leaky_forward(double *y, double *const x[4])
{
    plain_leaky_forward(y, x[0], 0.01, N * P);
}

static void leaky_backward(double *const dx[4], const double *dy, double *const x[4])
{
    plain_leaky_backward(dx[0], dy, x[0], 0.01, N * P);
}

static void sum_forward(double *y, double *const x[4])
{
    plain_sum_forward(y, x[0], x[1], N * P);
}

static void sum_backward(double *const dx[4], const double *dy, double *const x[4])
{
    (void)x;
    plain_sum_backward(dx[0], dx[1], dy, N * P);
}

static void mean_forward(double *y, double *const x[4])
{
    plain_mean_forward(y, x[0], N * C, P);
}

static void mean_backward(double *const dx[4], const double *dy, double *const x[4])
{
    (void)x;
    plain_mean_backward(dx[0], dy, N * C, P);
}

static void dense_forward(double *y, double *const x[4])
{
    plain_dense_forward(y, x[0], x[1], x[2], N, P, CLASSES);
}

static void dense_backward(double *const dx[4], const double *dy, double *const x[4])
{
    plain_dense_backward(dx[0], dx[1], dx[2], dy, x[0], x[1], N, P, CLASSES);
}

static const struct layer layers[] = {
    {"conv", N *C * 3 * 2, {N * 2 * H * W, C * 2 * 3 * 3, C}, conv_forward, conv_backward},
    {"frn", N *C *P, {N * C * P, C, C, C}, frn_forward, frn_backward},
    {"leaky", N *P, {N * P}, leaky_forward, leaky_backward},
    {"sum", N *P, {N * P, N *P}, sum_forward, sum_backward},
    {"mean", N *C, {N * C * P}, mean_forward, mean_backward},
    {"dense", N *CLASSES, {N * P, CLASSES *P, CLASSES}, dense_forward, dense_backward},
};

static double value(const struct layer *layer, const double *dy, double *const x[4])
{
    double y[MOST], sum = 0;
    layer->forward(y, x);
    for (size_t i = 0; i < layer->n_y; i++) sum += dy[i] * y[i];
    return sum;
}

/* Central differences with a step of 1e-5: off by rounding (1e-16 / 1e-5) and by the third derivative (1e-10), so 1e-8
 * would be found out; no kink is as near as a step. Gradients are added to what is there: 0.5. */
static void plain_gradients(void **state)
{
    (void)state;
    for (size_t l = 0; l < sizeof layers / sizeof *layers; l++) {
        const struct layer *layer = &layers[l];
        static double store[4][MOST], gradient[4][MOST], dy[MOST];
        double *const x[4] = {store[0], store[1], store[2], store[3]};
        double *const dx[4] = {gradient[0], gradient[1], gradient[2], gradient[3]};
        for (size_t i = 0; i < MOST; i++) {
            for (uint32_t a = 0; a < 4; a++) x[a][i] = kelvin_normal((kelvin_random){1, 2, 3, a}, i), dx[a][i] = 0.5;
            dy[i] = kelvin_normal((kelvin_random){1, 2, 3, 4}, i);
        }
        layer->backward(dx, dy, x);
        for (size_t a = 0; a < 4; a++)
            for (size_t i = 0; i < layer->n[a]; i++) {
                const double h = 1e-5, here = x[a][i];
                x[a][i] = here + h;
                const double more = value(layer, dy, x);
                x[a][i] = here - h;
                const double less = value(layer, dy, x);
                x[a][i] = here;
                if (!(fabs((more - less) / (2 * h) - (dx[a][i] - 0.5)) < 1e-8))
                    fail_msg("%s, array %zu, element %zu: %.12g by differences, %.12g by the way back", layer->name, a,
                             i, (more - less) / (2 * h), dx[a][i] - 0.5);
            }
    }
}

/* ---- kernels ---- */

struct images {
    size_t n, channels, height, width;
};

static const struct images shapes[] = {{2, 16, 8, 8}, {1, 1, 1, 1},  {3, 17, 5, 7},  {1, 5, 13, 2},
                                       {2, 33, 1, 9}, {1, 64, 4, 4}, {1, 16, 32, 32}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static size_t pixels_of(const struct images *s)
{
    return s->height * s->width;
}

static size_t size_of(const struct images *s)
{
    return s->n * s->channels * pixels_of(s);
}

static struct map map_of(const struct images *s, size_t before, size_t after)
{
    return kelvin_map_make(s->channels, s->height, s->width, (struct frame){before, after});
}

/* A vector of the channels, zero in the lanes after them. */
static float *lanes_of(kelvin_arena *arena, const float *x, size_t channels)
{
    float *lanes = floats(arena, (channels + KELVIN_LANES - 1) / KELVIN_LANES * KELVIN_LANES, 0);
    memcpy(lanes, x, channels * sizeof *lanes);
    return lanes;
}

/* Means over pixels and thresholds around zero, so that each side of each kink is seen; channel 0 of 64 is all zeros,
 * as of a filter that answers nowhere. */
struct frn_case {
    struct images shape;
    float *x, *added, *da, *gamma, *beta, *tau;
    double *y, *y_added, *dx, *dgamma, *dbeta, *dtau, *dbias;
    double *squares;
};

static void frn_expect(struct frn_case *e, kelvin_arena *arena, const struct images *shape)
{
    const size_t n = size_of(shape), c = shape->channels, pixels = pixels_of(shape);
    *e = (struct frn_case){.shape = *shape, .x = floats(arena, n, 1), .added = floats(arena, n, 2)};
    e->da = floats(arena, n, 3), e->gamma = floats(arena, c, 4), e->beta = floats(arena, c, 5);
    e->tau = floats(arena, c, 6);
    for (size_t i = 0; i < n; i++)
        if (c == 64 && i / pixels % c == 0) e->x[i] = 0;
    const double *x = doubles(arena, n, e->x);
    const struct plain_frn frn = {
        shape->n, c, pixels, doubles(arena, c, e->gamma), doubles(arena, c, e->beta), doubles(arena, c, e->tau)};
    e->y = doubles(arena, n, NULL), e->y_added = doubles(arena, n, NULL), e->dx = doubles(arena, n, NULL);
    e->dgamma = doubles(arena, c, NULL), e->dbeta = doubles(arena, c, NULL), e->dtau = doubles(arena, c, NULL);
    e->dbias = doubles(arena, c, NULL), e->squares = doubles(arena, shape->n * c, NULL);
    plain_frn_forward(e->y, x, &frn);
    plain_sum_forward(e->y_added, e->y, doubles(arena, n, e->added), n);
    plain_frn_backward(e->dx, e->dgamma, e->dbeta, e->dtau, doubles(arena, n, e->da), x, &frn);
    for (size_t i = 0; i < n; i++) {
        e->squares[i / pixels] += x[i] * x[i];
        e->dbias[i / pixels % c] += e->dx[i];
    }
}

/* The gradient of a parameter: a sum of n x pixels terms, added to what was there. */
static void assert_total(const char *name, const float *total, const float *before, const double *expected,
                         const struct images *shape)
{
    const size_t c = shape->channels, terms = shape->n * pixels_of(shape);
    const double allowed = 4 * FLT_EPSILON * sqrt((double)terms) * (1 + largest(expected, c));
    for (size_t i = 0; i < c; i++)
        if (!(fabs((double)total[i] - (double)before[i] - expected[i]) <= allowed))
            fail_msg("gradient of %s, channel %zu: %.9g instead of %.9g, allowed %g", name, i,
                     (double)total[i] - (double)before[i], expected[i], allowed);
    for (size_t i = c; i % KELVIN_LANES; i++) assert_true(total[i] == 0);
}

static void check_frn(const struct kelvin_kernels *k, const struct frn_case *e, kelvin_arena *arena)
{
    const struct images *s = &e->shape;
    const size_t n = s->n, c = s->channels;
    const struct map x_map = map_of(s, 0, 1), out_map = map_of(s, 1, 1), added_map = map_of(s, 2, 0);
    const size_t lanes = x_map.blocks * KELVIN_LANES;
    const float *x = map_fill(arena, &x_map, e->x, n, k), *added = map_fill(arena, &added_map, e->added, n, k);
    const struct frn frn = {lanes_of(arena, e->gamma, c), lanes_of(arena, e->beta, c), lanes_of(arena, e->tau, c)};
    float *out = map_fill(arena, &out_map, e->da, n, k), *r = floats(arena, n * lanes, 7);
    float *squares = floats(arena, n * lanes, 0);
    for (size_t i = 0; i < n * c; i++) squares[i / c * lanes + i % c] = (float)e->squares[i];

    /* a handful of roundings of u, which is near |gamma| x r + |beta| */
    k->frn_forward(out, &out_map, r, x, &x_map, squares, NULL, NULL, &frn, n);
    assert_map(out, &out_map, e->y, n, 3 * FLT_EPSILON * (1 + largest(e->y, size_of(s))));
    assert_same_bits(k, out, n * out_map.size);
    k->frn_forward(out, &out_map, r, x, &x_map, squares, added, &added_map, &frn, n);
    assert_map(out, &out_map, e->y_added, n, 3 * FLT_EPSILON * (1 + largest(e->y_added, size_of(s))));
    assert_same_bits(k, out, n * out_map.size);

    /* back, into another map and in place */
    const struct map d_map = map_of(s, 1, 0);
    float *da = map_fill(arena, &d_map, e->da, n, k), *dx = map_fill(arena, &out_map, e->x, n, k);
    float *before = lanes_of(arena, e->gamma, c), *total[4];
    for (size_t i = 0; i < 4; i++) total[i] = lanes_of(arena, e->gamma, c);
    const struct frn_gradient gradient = {total[0], total[1], total[2], total[3]};
    const double allowed = FLT_EPSILON * sqrt((double)pixels_of(s)) * (1 + largest(e->dx, size_of(s)));
    k->frn_backward(dx, &out_map, &gradient, da, &d_map, x, &x_map, r, &frn, n);
    assert_map(dx, &out_map, e->dx, n, allowed);
    assert_same_bits(k, dx, n * out_map.size);
    const double *expected[] = {e->dgamma, e->dbeta, e->dtau, e->dbias};
    const char *names[] = {"gamma", "beta", "tau", "bias"};
    for (size_t i = 0; i < 4; i++) assert_total(names[i], total[i], before, expected[i], s);
    for (size_t i = 0; i < 4; i++) assert_same_bits(k, total[i], lanes);
    k->frn_backward(da, &d_map, &gradient, da, &d_map, x, &x_map, r, &frn, n);
    assert_map(da, &d_map, e->dx, n, allowed);
}

static void normalisation(void **state)
{
    (void)state;
    const struct kelvin_kernels *all[KELVIN_ISA_COUNT];
    const size_t n_tables = tables(all);
    for (size_t s = 0; s < SHAPES; s++) {
        kelvin_arena *arena;
        struct frn_case e;
        assert_ok(kelvin_arena_create(&arena));
        frn_expect(&e, arena, &shapes[s]);
        forget_bits();
        for (size_t t = 0; t < n_tables; t++) {
            next_table();
            check_frn(all[t], &e, arena);
        }
        kelvin_arena_destroy(arena);
    }
}

/* What is not a number must be seen by whoever looks at the end. */
static void not_a_number_stays(void **state)
{
    (void)state;
    const struct kelvin_kernels *all[KELVIN_ISA_COUNT];
    const size_t n_tables = tables(all);
    const struct map map = kelvin_map_make(1, 1, 1, (struct frame){0, 0});
    const float zeros[KELVIN_LANES] = {0}, ones[KELVIN_LANES] = {1}, x[KELVIN_LANES] = {NAN};
    const struct frn frn = {ones, zeros, zeros};
    for (size_t t = 0; t < n_tables; t++) {
        float out[KELVIN_LANES], r[KELVIN_LANES];
        all[t]->frn_forward(out, &map, r, x, &map, zeros, NULL, NULL, &frn, 1);
        assert_true(isnan(out[0]));
    }
}

static void check_mean(const struct kelvin_kernels *k, const struct images *s, kelvin_arena *arena)
{
    const struct map map = map_of(s, 1, 2);
    const size_t n = s->n, c = s->channels, lanes = map.blocks * KELVIN_LANES;
    const float *planes = floats(arena, size_of(s), 1), *dy = floats(arena, n * c, 2);
    float *x = map_fill(arena, &map, planes, n, k), *y = floats(arena, n * lanes, 3),
          *d_y = floats(arena, n * lanes, 0);
    double *expected = doubles(arena, n * c, NULL), *dx = doubles(arena, size_of(s), NULL);
    assert_map(x, &map, doubles(arena, size_of(s), planes), n, 0);

    plain_mean_forward(expected, doubles(arena, size_of(s), planes), n * c, pixels_of(s));
    k->mean_forward(y, x, &map, n);
    /* sums of a random walk, divided by the number of pixels */
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < lanes; j++)
            assert_near((double)y[i * lanes + j], j < c ? expected[i * c + j] : 0, j < c ? 2 * FLT_EPSILON : 0);
    assert_same_bits(k, y, n * lanes);

    plain_mean_backward(dx, doubles(arena, n * c, dy), n * c, pixels_of(s));
    for (size_t i = 0; i < n * c; i++) d_y[i / c * lanes + i % c] = dy[i];
    k->mean_backward(x, d_y, &map, n);
    assert_map(x, &map, dx, n, FLT_EPSILON * largest(dx, size_of(s)));
    assert_same_bits(k, x, n * map.size);
}

static void means_and_planes(void **state)
{
    (void)state;
    const struct kelvin_kernels *all[KELVIN_ISA_COUNT];
    const size_t n_tables = tables(all);
    for (size_t s = 0; s < SHAPES; s++) {
        kelvin_arena *arena;
        assert_ok(kelvin_arena_create(&arena));
        forget_bits();
        for (size_t t = 0; t < n_tables; t++) {
            next_table();
            check_mean(all[t], &shapes[s], arena);
        }
        kelvin_arena_destroy(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_gradients),
        cmocka_unit_test(normalisation),
        cmocka_unit_test(not_a_number_stays),
        cmocka_unit_test(means_and_planes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
