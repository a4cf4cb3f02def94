/* Convolutions: every method under every instruction set against plain loops in double, at awkward shapes; frames,
 * unused lanes and whatever else is not theirs left alone; the same bits under all instruction sets with FMA. The plain
 * loops against oneDNN, where it is installed. */
#include "check.h"
#include "maps_helpers.h"
#include "plain_layers.h"
#ifdef HAVE_ONEDNN
#include "onednn.h"
#endif

#include <float.h>

/* Sizes that are odd, smaller than the kernel, one; channels that leave lanes unused; the layers of resnet20 and cnn.
 */
static const struct plain_conv shapes[] = {
    /* n, in, out, height, width, kernel, stride */
    {2, 3, 16, 9, 8, 3, 1},   {1, 16, 16, 5, 7, 3, 1},   {3, 1, 10, 28, 28, 5, 5},  {2, 10, 10, 6, 6, 5, 5},
    {2, 10, 5, 2, 2, 5, 5},   {1, 16, 32, 32, 32, 3, 2}, {2, 32, 64, 16, 16, 3, 2}, {2, 16, 32, 12, 12, 1, 2},
    {1, 17, 33, 5, 7, 3, 2},  {3, 16, 5, 13, 2, 3, 2},   {1, 1, 1, 1, 1, 1, 1},     {2, 1, 1, 1, 1, 3, 2},
    {1, 5, 17, 7, 5, 2, 1},   {2, 2, 3, 7, 13, 2, 2},    {1, 4, 18, 11, 6, 2, 3},   {2, 19, 4, 10, 11, 3, 3},
    {1, 3, 7, 4, 9, 5, 2},    {1, 33, 16, 3, 3, 5, 1},   {1, 64, 64, 8, 8, 3, 1},   {1, 20, 20, 1, 23, 3, 1},
    {1, 6, 6, 14, 17, 1, 5},  {1, 6, 6, 14, 17, 1, 1},   {4, 32, 32, 6, 10, 3, 1},  {2, 16, 16, 1, 2, 5, 3},
    {1, 16, 16, 32, 32, 3, 1},
    {2, 40, 33, 9, 6, 3, 1}, /* three blocks of channels on both sides */
    /* 3x3, stride 2: tiles that are cut off at either end or both, some in each direction, several parts of them */
    {1, 16, 16, 9, 9, 3, 2},  {5, 3, 20, 21, 6, 3, 2},   {2, 48, 17, 7, 30, 3, 2},  {1, 16, 16, 1, 33, 3, 2},
    {3, 17, 16, 35, 34, 3, 2}, {7, 5, 3, 15, 16, 3, 2}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static struct conv conv_of(const struct plain_conv *shape, size_t wider)
{
    struct conv conv = {.kernel = shape->kernel, .stride = shape->stride};
    struct frame y, x, around;
    const size_t k = shape->kernel, s = shape->stride;
    const size_t height = kelvin_conv_same(&conv.pad_y, &y, shape->height, k, s);
    const size_t width = kelvin_conv_same(&conv.pad_x, &x, shape->width, k, s);
    around = frame_max(y, x);
    around.before += wider, around.after += wider;
    conv.in = kelvin_map_make(shape->in, shape->height, shape->width, around);
    around = frame_max(kelvin_conv_back_frame(shape->height, k, s), kelvin_conv_back_frame(shape->width, k, s));
    around.before += wider, around.after += wider;
    conv.out = kelvin_map_make(shape->out, height, width, around);
    return conv;
}

static void padding_is_tensorflows(void **state)
{
    (void)state;
    size_t before;
    struct frame frame;
    for (size_t size = 1; size < 40; size++)
        for (size_t kernel = 1; kernel < 8; kernel++)
            for (size_t stride = 1; stride < 8; stride++) {
                size_t pad;
                assert_int_equal(kelvin_conv_same(&before, &frame, size, kernel, stride),
                                 plain_same(&pad, size, kernel, stride));
                assert_int_equal(before, pad);
            }
    /* 3x3, stride 2, an even size: only below and to the right */
    assert_int_equal(kelvin_conv_same(&before, &frame, 32, 3, 2), 16);
    assert_true(before == 0 && frame.before == 0 && frame.after == 1);
    frame = kelvin_conv_back_frame(32, 3, 2);
    assert_true(frame.before == 1 && frame.after == 0);
    assert_int_equal(kelvin_conv_same(&before, &frame, 28, 5, 5), 6);
    assert_true(before == 1 && frame.before == 1 && frame.after == 1);
    frame = kelvin_conv_back_frame(28, 5, 5);
    assert_true(frame.before == 0 && frame.after == 0);
}

/* ---- against plain loops ---- */

/* Inputs, and what is expected, of one shape; all as planes. */
struct expected {
    struct plain_conv shape;
    size_t n_x, n_y, n_w;
    float *x, *w, *b, *dy;
    double *y, *dx, *dw, *db, *squares;
    struct behind_frn {
        float *z, *r, *gamma, *beta, *tau; /* what goes into an FRN, whose output has the gradient dy */
        double *dx, *dw;
    } frn;
};

/* Gradients where FRN lies behind the convolution. What goes into it is drawn, and not what the convolution gives: so
 * nothing is lost of the digits. */
static void expect_behind_frn(struct expected *e, kelvin_arena *arena, size_t pixels)
{
    const size_t n = e->shape.n, channels = e->shape.out;
    struct behind_frn *f = &e->frn;
    f->z = floats(arena, e->n_y, 8), f->r = floats(arena, n * channels, 0);
    f->gamma = floats(arena, channels, 9), f->beta = floats(arena, channels, 10), f->tau = floats(arena, channels, 11);
    f->dx = doubles(arena, e->n_x, NULL), f->dw = doubles(arena, e->n_w, NULL);
    const double *z = doubles(arena, e->n_y, f->z);
    const struct plain_frn frn = {n,
                                  channels,
                                  pixels,
                                  doubles(arena, channels, f->gamma),
                                  doubles(arena, channels, f->beta),
                                  doubles(arena, channels, f->tau)};
    double *dz = doubles(arena, e->n_y, NULL), *unused = doubles(arena, 4 * channels, NULL);
    for (size_t i = 0; i < n * channels; i++) {
        double sum = 0;
        for (size_t pixel = i * pixels; pixel < (i + 1) * pixels; pixel++) sum += z[pixel] * z[pixel];
        f->r[i] = (float)(1 / sqrt(sum / (double)pixels + 1e-6));
    }
    plain_frn_backward(dz, unused, unused + channels, unused + 2 * channels, doubles(arena, e->n_y, e->dy), z, &frn);
    plain_conv_backward(f->dx, f->dw, unused + 3 * channels, dz, doubles(arena, e->n_x, e->x),
                        doubles(arena, e->n_w, e->w), &e->shape);
}

static void expect(struct expected *e, kelvin_arena *arena, const struct plain_conv *shape)
{
    const struct conv conv = conv_of(shape, 0);
    const size_t pixels = conv.out.height * conv.out.width;
    e->shape = *shape;
    e->n_x = shape->n * shape->in * shape->height * shape->width;
    e->n_y = shape->n * shape->out * pixels;
    e->n_w = shape->out * shape->in * shape->kernel * shape->kernel;
    e->x = floats(arena, e->n_x, 1);
    e->w = floats(arena, e->n_w, 2);
    e->b = floats(arena, shape->out, 3);
    e->dy = floats(arena, e->n_y, 4);
    e->y = doubles(arena, e->n_y, NULL);
    e->dx = doubles(arena, e->n_x, NULL);
    e->dw = doubles(arena, e->n_w, NULL);
    e->db = doubles(arena, shape->out, NULL);
    e->squares = doubles(arena, shape->n * shape->out, NULL);
    const double *x = doubles(arena, e->n_x, e->x), *w = doubles(arena, e->n_w, e->w);
    plain_conv_forward(e->y, x, w, doubles(arena, shape->out, e->b), shape);
    plain_conv_backward(e->dx, e->dw, e->db, doubles(arena, e->n_y, e->dy), x, w, shape);
    for (size_t i = 0; i < e->n_y; i++) e->squares[i / pixels] += e->y[i] * e->y[i];
    expect_behind_frn(e, arena, pixels);
}

/* What a method may be off by, of the largest value: a chain of `terms` roundings of sums that grow like a random walk
 * is off by about FLT_EPSILON / 4 sqrt(terms) of the typical value, which is a fourth of the largest; Winograd's by what
 * docs/performance.md promises. */
static double tolerance(const struct conv_method *method, double terms)
{
    return strcmp(method->name, "direct") == 0 ? FLT_EPSILON * sqrt(terms + 1) : 2e-6;
}

static void check_forward(const struct kelvin_kernels *k, const struct conv_method *method, const struct conv *conv,
                          const struct expected *e, kelvin_arena *arena, float *packed, float *scratch)
{
    const size_t n = e->shape.n, lanes = conv->out.blocks * KELVIN_LANES;
    const double allowed = tolerance(method, (double)(e->n_w / e->shape.out));
    float *in = map_fill(arena, &conv->in, e->x, n, k), *out = map_fill(arena, &conv->out, e->dy, n, k);
    float *bias = floats(arena, lanes, 0), *squares = floats(arena, n * lanes, 5);
    memcpy(bias, e->b, e->shape.out * sizeof *bias);
    method->pack(packed, e->w, conv, false);
    method->forward(out, squares, in, packed, bias, conv, n, &(struct work){.scratch = scratch});
    assert_map(out, &conv->out, e->y, n, allowed * largest(e->y, e->n_y));
    const double most = largest(e->squares, n * e->shape.out);
    for (size_t i = 0; i < n; i++)
        for (size_t c = 0; c < lanes; c++)
            assert_near((double)squares[i * lanes + c], c < e->shape.out ? e->squares[i * e->shape.out + c] : 0,
                        (allowed + tolerance(method, (double)(conv->out.height * conv->out.width))) * most);
    assert_same_bits(k, out, n * conv->out.size);
    assert_same_bits(k, squares, n * lanes);

    /* without a bias and squares: one less of the bias */
    float *bare = map_fill(arena, &conv->out, e->dy, n, k);
    double *y = doubles(arena, e->n_y, NULL);
    const size_t pixels = conv->out.height * conv->out.width;
    method->forward(bare, NULL, in, packed, NULL, conv, n, &(struct work){.scratch = scratch});
    for (size_t i = 0; i < e->n_y; i++) y[i] = e->y[i] - (double)e->b[i / pixels % e->shape.out];
    assert_map(bare, &conv->out, y, n, allowed * largest(e->y, e->n_y));
}

static void check_backward(const struct kelvin_kernels *k, const struct conv_method *method, const struct conv *conv,
                           const struct expected *e, kelvin_arena *arena, float *packed, float *scratch)
{
    const size_t n = e->shape.n;
    const double allowed = tolerance(method, (double)(e->n_w / e->shape.in)) * largest(e->dx, e->n_x);
    float *d_in = map_fill(arena, &conv->in, e->x, n, k), *d_out = map_fill(arena, &conv->out, e->dy, n, k);
    double *both = doubles(arena, e->n_x, e->x);
    method->pack(packed, e->w, conv, true);
    method->backward(d_in, d_out, packed, conv, n, true, &(struct work){.scratch = scratch});
    for (size_t i = 0; i < e->n_x; i++) both[i] += e->dx[i];
    assert_map(d_in, &conv->in, both, n, tolerance(method, (double)(e->n_w / e->shape.in)) * largest(both, e->n_x));
    assert_same_bits(k, d_in, n * conv->in.size);
    method->backward(d_in, d_out, packed, conv, n, false, &(struct work){.scratch = scratch});
    assert_map(d_in, &conv->in, e->dx, n, allowed);
    assert_same_bits(k, d_in, n * conv->in.size);
}

/* In two calls: one sets, whatever was there, and one adds. */
static void check_gradient(const struct kelvin_kernels *k, const struct conv_method *method, const struct conv *conv,
                           const struct expected *e, kelvin_arena *arena, float *packed, float *scratch)
{
    const size_t n = e->shape.n, first = (n + 1) / 2, size = method->weights(conv);
    const double terms = (double)(n * conv->out.height * conv->out.width);
    const double allowed = tolerance(method, terms) * largest(e->dw, e->n_w);
    float *in = map_fill(arena, &conv->in, e->x, n, k), *d_out = map_fill(arena, &conv->out, e->dy, n, k);
    float *w = floats(arena, e->n_w, 5);
    memset(packed, 0xff, size * sizeof *packed);
    method->gradient(packed, in, d_out, conv, first, false, &(struct work){.scratch = scratch});
    method->gradient(packed, in + first * conv->in.size, d_out + first * conv->out.size, conv, n - first, true,
                     &(struct work){.scratch = scratch});
    method->unpack(w, packed, conv);
    for (size_t i = 0; i < e->n_w; i++) assert_near((double)w[i], e->dw[i], allowed);
    assert_same_bits(k, w, e->n_w);
}

/* (n, channels) as (n, 16 blocks): zeros in unused lanes. */
static float *in_lanes(kelvin_arena *arena, const float *x, size_t n, size_t channels, size_t lanes)
{
    float *out = floats(arena, n * lanes, 0);
    for (size_t i = 0; i < n; i++) memcpy(out + i * lanes, x + i * channels, channels * sizeof *out);
    return out;
}

/* Both ways back at once, behind an FRN: one call sets, whatever was there, and one adds. */
static void check_both(const struct kelvin_kernels *k, const struct conv_method *method, const struct conv *conv,
                       const struct expected *e, kelvin_arena *arena, float *packed, float *scratch)
{
    if (!method->both) return;
    const size_t n = e->shape.n, first = (n + 1) / 2, lanes = conv->out.blocks * KELVIN_LANES, c = e->shape.out;
    const struct behind_frn *f = &e->frn;
    const struct map bare = kelvin_map_make(c, conv->out.height, conv->out.width, (struct frame){0, 0});
    const double terms = (double)(n * conv->out.height * conv->out.width);
    const double allowed = tolerance(method, terms) * largest(f->dw, e->n_w);
    float *in = map_fill(arena, &conv->in, e->x, n, k), *d_in = map_fill(arena, &conv->in, e->x, n, k);
    const float *r = in_lanes(arena, f->r, n, c, lanes);
    float *d_packed = floats(arena, method->weights(conv), 5), *w = floats(arena, e->n_w, 5);
    float *scale = floats(arena, n * lanes, 5), *pull = floats(arena, n * lanes, 5);
    float *total = floats(arena, 4 * lanes, 0);
    const struct frn frn = {in_lanes(arena, f->gamma, 1, c, lanes), in_lanes(arena, f->beta, 1, c, lanes),
                            in_lanes(arena, f->tau, 1, c, lanes)};
    const struct frn_gradient gradient = {total, total + lanes, total + 2 * lanes, total + 3 * lanes};
    struct frn_slope slope = {.da = map_fill(arena, &conv->out, e->dy, n, k),
                              .x = map_fill(arena, &bare, f->z, n, k),
                              .da_map = &conv->out,
                              .x_map = &bare,
                              .scale = scale,
                              .pull = pull,
                              .beta = frn.beta,
                              .tau = frn.tau};
    double *both = doubles(arena, e->n_x, e->x);
    k->frn_slopes(scale, pull, &gradient, slope.da, slope.da_map, slope.x, slope.x_map, r, &frn, n);
    method->pack(packed, e->w, conv, true);
    memset(d_packed, 0xff, method->weights(conv) * sizeof *d_packed);
    method->both(d_in, true, d_packed, false, in, &slope, packed, conv, n, &(struct work){.scratch = scratch});
    for (size_t i = 0; i < e->n_x; i++) both[i] += f->dx[i];
    assert_map(d_in, &conv->in, both, n, tolerance(method, terms) * largest(both, e->n_x));
    assert_same_bits(k, d_in, n * conv->in.size);

    method->both(d_in, false, d_packed, false, in, &slope, packed, conv, first, &(struct work){.scratch = scratch});
    slope.da += first * conv->out.size, slope.x += first * bare.size;
    slope.scale += first * lanes, slope.pull += first * lanes;
    method->both(d_in + first * conv->in.size, false, d_packed, true, in + first * conv->in.size, &slope, packed, conv,
                 n - first, &(struct work){.scratch = scratch});
    assert_map(d_in, &conv->in, f->dx, n, tolerance(method, terms) * largest(f->dx, e->n_x));
    assert_same_bits(k, d_in, n * conv->in.size);
    method->unpack(w, d_packed, conv);
    for (size_t i = 0; i < e->n_w; i++) assert_near((double)w[i], f->dw[i], allowed);
    assert_same_bits(k, w, e->n_w);
}

static void check_method(const struct kelvin_kernels *k, const struct conv_method *method, const struct expected *e,
                         size_t wider, kelvin_arena *arena)
{
    const struct conv conv = conv_of(&e->shape, wider);
    if (!method->name || !method->fits(&conv)) return;
    const size_t size = method->weights(&conv), scratch_size = method->scratch(&conv);
    float *packed = floats(arena, size + 1, 6), *scratch = floats(arena, scratch_size + 1, 7);
    const float after = packed[size], after_scratch = scratch[scratch_size];
    check_forward(k, method, &conv, e, arena, packed, scratch);
    check_backward(k, method, &conv, e, arena, packed, scratch);
    check_gradient(k, method, &conv, e, arena, packed, scratch);
    check_both(k, method, &conv, e, arena, packed, scratch);
    assert_true(packed[size] == after && scratch[scratch_size] == after_scratch);
}

static void methods_against_plain_loops(void **state)
{
    (void)state;
    const struct kelvin_kernels *all[KELVIN_ISA_COUNT];
    const size_t n_tables = tables(all);
    for (size_t s = 0; s < SHAPES; s++) {
        kelvin_arena *arena;
        struct expected e;
        assert_ok(kelvin_arena_create(&arena));
        expect(&e, arena, &shapes[s]);
        forget_bits();
        for (size_t t = 0; t < n_tables; t++) {
            const struct conv_method *methods[] = {&all[t]->direct, &all[t]->winograd_2, &all[t]->winograd_4,
                                                   &all[t]->winograd_s2};
            next_table();
            for (size_t m = 0; m < sizeof methods / sizeof *methods; m++)
                check_method(all[t], methods[m], &e, s % 2, arena);
        }
        kelvin_arena_destroy(arena);
    }
}

/* ---- the plain loops against oneDNN ---- */

#ifdef HAVE_ONEDNN

/* The padding after: as far as the last tap of the last pixel reaches. */
static struct onednn_padding padding(size_t size, size_t out, size_t before, const struct plain_conv *shape)
{
    const size_t reach = (out - 1) * shape->stride + shape->kernel;
    return (struct onednn_padding){before, reach > size + before ? reach - size - before : 0};
}

static void assert_all_near(const float *found, const double *expected, size_t n, double terms)
{
    const double allowed = FLT_EPSILON * sqrt(terms + 1) * largest(expected, n);
    for (size_t i = 0; i < n; i++) assert_near((double)found[i], expected[i], allowed);
}

static void against_onednn(kelvin_arena *arena, const struct plain_conv *shape)
{
    struct expected e;
    const struct conv conv = conv_of(shape, 0);
    const size_t height = conv.out.height, width = conv.out.width;
    expect(&e, arena, shape);
    const struct onednn_conv c = {.n = shape->n,
                                  .in = shape->in,
                                  .out = shape->out,
                                  .height = shape->height,
                                  .width = shape->width,
                                  .out_height = height,
                                  .out_width = width,
                                  .kernel = shape->kernel,
                                  .stride = shape->stride,
                                  .down = padding(shape->height, height, conv.pad_y, shape),
                                  .across = padding(shape->width, width, conv.pad_x, shape),
                                  .x = e.x,
                                  .w = e.w,
                                  .b = e.b,
                                  .dy = e.dy,
                                  .y = floats(arena, e.n_y, 5),
                                  .dx = floats(arena, e.n_x, 5),
                                  .dw = floats(arena, e.n_w, 5),
                                  .db = floats(arena, shape->out, 5)};
    onednn_conv(&c);
    const double pixels = (double)(shape->n * height * width);
    assert_all_near(c.y, e.y, e.n_y, (double)(e.n_w / shape->out));
    assert_all_near(c.dx, e.dx, e.n_x, (double)(e.n_w / shape->in));
    assert_all_near(c.dw, e.dw, e.n_w, pixels);
    assert_all_near(c.db, e.db, shape->out, pixels);
}
#endif

static void plain_loops_against_onednn(void **state)
{
    (void)state;
#ifdef HAVE_ONEDNN
    for (size_t s = 0; s < SHAPES; s++) {
        kelvin_arena *arena;
        assert_ok(kelvin_arena_create(&arena));
        against_onednn(arena, &shapes[s]);
        kelvin_arena_destroy(arena);
    }
#else
    print_message("oneDNN (libdnnl-dev, version 2) is not installed: nothing to compare with\n");
    skip();
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(padding_is_tensorflows),
        cmocka_unit_test(methods_against_plain_loops),
        cmocka_unit_test(plain_loops_against_onednn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
