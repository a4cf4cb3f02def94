/* Convolutions on panels, where lanes are observations: every kernel under every instruction set against plain loops in
 * double, at awkward shapes; the same bits under all instruction sets with FMA; packing is a copy. */
#include "maps_helpers.h"
#include "plain_layers.h"

#include <float.h>

/* The layers of cnn; sizes that are odd, smaller than the kernel, one; kernels from 1 to the largest, strides from 1 to
 * more than the kernel; dense layers; more channels, and more taps side by side, than are
 * summed at a time. */
static const struct plain_conv shapes[] = {
    /* n, in, out, height, width, kernel, stride */
    {0, 1, 10, 28, 28, 5, 5}, {0, 10, 10, 6, 6, 5, 5}, {0, 10, 5, 2, 2, 5, 5},   {0, 5, 10, 1, 1, 1, 1},
    {0, 3, 10, 32, 32, 5, 5}, {0, 1, 1, 1, 1, 1, 1},   {0, 1, 1, 1, 1, 3, 2},    {0, 2, 3, 5, 7, 3, 1},
    {0, 4, 7, 7, 5, 3, 2},    {0, 3, 2, 9, 4, 2, 1},   {0, 2, 6, 4, 9, 4, 1},    {0, 5, 13, 6, 3, 4, 3},
    {0, 1, 11, 8, 8, 5, 1},   {0, 3, 4, 11, 5, 5, 2},  {0, 2, 3, 7, 7, 1, 2},    {0, 3, 9, 6, 14, 1, 5},
    {0, 2, 2, 13, 11, 3, 5},  {0, 1, 2, 14, 17, 7, 2}, {0, 2, 3, 20, 19, 11, 3}, {0, 37, 29, 1, 1, 1, 1},
    {0, 9, 23, 3, 3, 5, 2},   {0, 60, 2, 2, 3, 2, 1},  {0, 2, 3, 3, 4, 11, 1},   {0, 2, 3, 14, 21, 7, 7}};
static const size_t counts[] = {1, 7, 8, 9, 10, 24};
static const float leaks[] = {0.0f, 0.01f, 1.0f};
enum {
    SHAPES = sizeof shapes / sizeof *shapes,
    COUNTS = sizeof counts / sizeof *counts,
    LEAKS = sizeof leaks / sizeof *leaks
};

/* One shape: what goes in, as planes, and what is expected. `bound` holds the same sums of absolute values. */
struct problem {
    struct plain_conv shape;
    struct conv conv;
    size_t n_x, n_y, n_w, wide; /* of one observation */
    float leak, *x, *theta, *dy;
    struct {
        double *y, *dx, *dtheta;
    } plain, bound;
};

static void plain_run(double **y, double **dx, double **dtheta, kelvin_arena *arena, const struct problem *p,
                      const double *x, const double *theta, const double *dy)
{
    const size_t n = p->shape.n;
    *y = doubles(arena, n * p->n_y, NULL);
    *dx = doubles(arena, n * p->n_x, NULL);
    *dtheta = doubles(arena, p->n_w + p->shape.out, NULL);
    plain_conv_forward(*y, x, theta, theta + p->n_w, &p->shape);
    plain_conv_backward(*dx, *dtheta, *dtheta + p->n_w, dy, x, theta, &p->shape);
}

static double *absolute(kelvin_arena *arena, const double *x, size_t n)
{
    double *a = doubles(arena, n, NULL);
    for (size_t i = 0; i < n; i++) a[i] = fabs(x[i]);
    return a;
}

static struct conv conv_of(const struct plain_conv *shape)
{
    struct conv conv = {.kernel = shape->kernel, .stride = shape->stride};
    const struct frame none = {0, 0};
    const size_t height = plain_same(&conv.pad_y, shape->height, shape->kernel, shape->stride);
    const size_t width = plain_same(&conv.pad_x, shape->width, shape->kernel, shape->stride);
    conv.in = kelvin_map_make(shape->in, shape->height, shape->width, none);
    conv.out = kelvin_map_make(shape->out, height, width, none);
    return conv;
}

static void make(struct problem *p, kelvin_arena *arena, size_t shape, size_t n, float leak)
{
    p->shape = shapes[shape];
    p->shape.n = n;
    p->conv = conv_of(&p->shape);
    p->leak = leak;
    p->wide = (n + 7) / 8;
    p->n_x = p->shape.in * p->shape.height * p->shape.width;
    p->n_y = p->shape.out * p->conv.out.height * p->conv.out.width;
    p->n_w = p->shape.out * p->shape.in * p->shape.kernel * p->shape.kernel;
    p->x = floats(arena, n * p->n_x, 1);
    p->theta = floats(arena, p->n_w + p->shape.out, 2);
    p->dy = floats(arena, n * p->n_y, 3);
    const double *x = doubles(arena, n * p->n_x, p->x), *dy = doubles(arena, n * p->n_y, p->dy);
    const double *theta = doubles(arena, p->n_w + p->shape.out, p->theta);
    plain_run(&p->plain.y, &p->plain.dx, &p->plain.dtheta, arena, p, x, theta, dy);
    plain_run(&p->bound.y, &p->bound.dx, &p->bound.dtheta, arena, p, absolute(arena, x, n * p->n_x),
              absolute(arena, theta, p->n_w + p->shape.out), absolute(arena, dy, n * p->n_y));
    for (size_t i = 0; i < n * p->n_y; i++)
        if (p->plain.y[i] < 0) p->plain.y[i] *= (double)leak;
    for (size_t i = 0; i < n * p->n_x; i++)
        if (x[i] <= 0) p->plain.dx[i] *= (double)leak;
}

/* Panels, gradients, and a float after the end of each that nobody may touch. */
struct result {
    float *x, *dy;
    float *values[3]; /* y, dx, dtheta, and how many */
    size_t n[3];
};

static void run(struct result *r, kelvin_arena *arena, const struct problem *p, const struct kelvin_kernels *k)
{
    const size_t row = 8 * p->wide;
    *r = (struct result){.n = {p->n_y * row, p->n_x * row, p->n_w + p->shape.out}};
    for (size_t i = 0; i < 3; i++) {
        r->values[i] = floats(arena, r->n[i] + 1, 4); /* what was there before must not count */
        r->values[i][r->n[i]] = AFTER_THE_END;
    }
    r->x = floats(arena, p->n_x * row, 0);
    r->dy = floats(arena, p->n_y * row, 0);
    k->panel_pack(r->x, p->x, p->shape.n, p->n_x, p->wide);
    k->panel_pack(r->dy, p->dy, p->shape.n, p->n_y, p->wide);
    k->panel_conv_forward(r->values[0], r->x, p->theta, &p->conv, p->leak, p->wide);
    k->panel_conv_backward(r->values[1], r->dy, r->x, p->theta, &p->conv, p->leak, p->wide);
    k->panel_conv_gradient(r->values[2], r->dy, r->x, &p->conv, p->wide, false);
    for (size_t i = 0; i < 3; i++) assert_true(r->values[i][r->n[i]] == AFTER_THE_END);
}

/* A sum of n products in floats, in any order, is off by at most (n + 1) 2^-24 times the sum of absolute values (to
 * first order; one more for the leak, one for what is beyond). */
static double tolerance(size_t n, double bound)
{
    return (double)(n + 3) * 0.5 * (double)FLT_EPSILON * bound;
}

static void assert_panel(const float *panel, const double *plain, const double *bound, const struct problem *p,
                         size_t units, size_t terms)
{
    for (size_t i = 0; i < p->shape.n; i++)
        for (size_t j = 0; j < units; j++)
            assert_near((double)panel[j * 8 * p->wide + i], plain[i * units + j],
                        tolerance(terms, bound[i * units + j]));
    for (size_t i = p->shape.n; i < 8 * p->wide; i++)
        for (size_t j = 0; j < units; j++) assert_true(isfinite(panel[j * 8 * p->wide + i]));
}

static void check(const struct result *r, const struct problem *p)
{
    const struct plain_conv *s = &p->shape;
    const size_t taps = s->kernel * s->kernel, pixels = p->conv.out.height * p->conv.out.width;
    assert_panel(r->values[0], p->plain.y, p->bound.y, p, p->n_y, s->in * taps);
    assert_panel(r->values[1], p->plain.dx, p->bound.dx, p, p->n_x, s->out * taps);
    for (size_t i = 0; i < r->n[2]; i++)
        assert_near((double)r->values[2][i], p->plain.dtheta[i], tolerance(s->n * pixels, p->bound.dtheta[i]));
}

static void convolutions_match_plain_loops(void **state)
{
    (void)state;
    const struct kelvin_kernels *k[KELVIN_ISA_COUNT];
    const size_t n = tables(k);
    for (size_t s = 0; s < SHAPES; s++)
        for (size_t c = 0; c < COUNTS; c++) {
            kelvin_arena *arena;
            assert_ok(kelvin_arena_create(&arena));
            struct problem p;
            make(&p, arena, s, counts[c], leaks[(s + c) % LEAKS]);
            forget_bits();
            for (size_t i = 0; i < n; i++) {
                struct result r;
                run(&r, arena, &p, k[i]);
                check(&r, &p);
                next_table();
                for (size_t v = 0; v < 3; v++) assert_same_bits(k[i], r.values[v], r.n[v]);
            }
            kelvin_arena_destroy(arena);
        }
}

static void gradients_are_added(void **state)
{
    (void)state;
    const struct kelvin_kernels *k[KELVIN_ISA_COUNT];
    const size_t n = tables(k);
    for (size_t s = 0; s < SHAPES; s++)
        for (size_t i = 0; i < n; i++) {
            kelvin_arena *arena;
            assert_ok(kelvin_arena_create(&arena));
            struct problem p;
            make(&p, arena, s, 10, 0);
            struct result r;
            run(&r, arena, &p, k[i]);
            float *sum = floats(arena, r.n[2], 5), *before = floats(arena, r.n[2], 5);
            k[i]->panel_conv_gradient(sum, r.dy, r.x, &p.conv, p.wide, true);
            for (size_t j = 0; j < r.n[2]; j++) assert_true(sum[j] == before[j] + r.values[2][j]);
            kelvin_arena_destroy(arena);
        }
}

static void packing_is_a_copy(void **state)
{
    (void)state;
    static const size_t inputs[] = {1, 2, 3, 4, 5, 7, 8, 30, 64, 784};
    const struct kelvin_kernels *k[KELVIN_ISA_COUNT];
    const size_t tables_n = tables(k);
    for (size_t t = 0; t < tables_n; t++)
        for (size_t s = 0; s < sizeof inputs / sizeof *inputs; s++)
            for (size_t n = 1; n <= KELVIN_BLOCK; n++) {
                kelvin_arena *arena;
                assert_ok(kelvin_arena_create(&arena));
                const size_t m = inputs[s], wide = (n + 7) / 8, row = 8 * wide;
                const float *x = floats(arena, n * m, 1);
                float *panel = floats(arena, m * row + 1, 2);
                panel[m * row] = AFTER_THE_END;
                k[t]->panel_pack(panel, x, n, m, wide);
                for (size_t j = 0; j < m; j++)
                    for (size_t i = 0; i < row; i++) assert_true(panel[j * row + i] == (i < n ? x[i * m + j] : 0.0f));
                assert_true(panel[m * row] == AFTER_THE_END);
                kelvin_arena_destroy(arena);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convolutions_match_plain_loops),
        cmocka_unit_test(gradients_are_added),
        cmocka_unit_test(packing_is_a_copy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
