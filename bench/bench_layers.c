/* The convolutions of a residual network, pass by pass: how fast each is as it runs there, and, if asked, by every
 * method that fits it, with the error of each beside a plain loop in double. Layers of one shape are measured once. */
#include "base/random.h"
#include "bench/bench.h"
#include "nn/maps_plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ERROR_IMAGES = 2, METHODS = 4 };

/* What a convolution is made of; each pass makes one of them from the two others. */
enum { IN, WEIGHTS, OUT, PARTS };

static const struct {
    const char *key, *title;
    int makes;
} passes[PASSES] = {
    [PASS_FORWARD] = {"forward", "forward", OUT},
    [PASS_BACKWARD] = {"backward_data", "backward data", IN},
    [PASS_GRADIENT] = {"backward_weights", "backward weights", WEIGHTS},
};

/* A convolution, and memory for its passes: what goes in and what comes out as maps, and weights as planes. */
struct bench_conv {
    const struct kelvin_kernels *kernels;
    const struct conv_method *method;
    int pass;
    struct conv conv;
    size_t images;           /* that are taken at a time */
    float *value[PARTS];     /* maps (MAPS_BLOCK, size), and weights (out, in, kernel, kernel) */
    float *made[PARTS];      /* what passes make, laid out the same */
    float *packed, *scratch; /* as the method wants them */
    float *squares;
    double *exact[PARTS]; /* value, in double, of the first ERROR_IMAGES */
};

static size_t weights_of(const struct conv *conv)
{
    return conv->out.channels * conv->in.channels * conv->kernel * conv->kernel;
}

/* Floats of a part of so many images. */
static size_t floats_of(const struct conv *conv, int part, size_t images)
{
    return part == WEIGHTS ? weights_of(conv) : images * (part == IN ? conv->in.size : conv->out.size);
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t methods_of(const struct conv_method *fitting[METHODS], const struct kelvin_kernels *kernels,
                         const struct conv *conv)
{
    const struct conv_method *all[METHODS] = {&kernels->direct, &kernels->winograd_2, &kernels->winograd_4,
                                                &kernels->winograd_s2};
    size_t n = 0;
    for (size_t i = 0; i < METHODS; i++)
        if (all[i]->fits(conv)) fitting[n++] = all[i];
    return n;
}

/* Normals where there are pixels; frames, and lanes that are no channel's, stay zero. */
static void fill_map(float *out, const struct map *map, size_t images, kelvin_random where)
{
    size_t i = 0;
    for (size_t image = 0; image < images; image++)
        for (size_t channel = 0; channel < map->channels; channel++)
            for (size_t y = 0; y < map->height; y++)
                for (size_t x = 0; x < map->width; x++)
                    out[image * map->size + map_at(map, channel, y, x)] = (float)kelvin_normal(where, i++);
}

static kelvin_status set_up(struct bench_conv *b, kelvin_arena *arena, const struct kelvin_kernels *kernels,
                            const struct conv *conv, size_t images)
{
    const struct conv_method *fitting[METHODS];
    const size_t n = methods_of(fitting, kernels, conv);
    size_t packed = 1, scratch = 1;
    for (size_t i = 0; i < n; i++) {
        packed = larger(packed, fitting[i]->weights(conv));
        scratch = larger(scratch, fitting[i]->scratch(conv));
    }
    *b = (struct bench_conv){.kernels = kernels, .conv = *conv, .images = images};
    for (int part = 0; part < PARTS; part++) {
        b->value[part] = kelvin_arena_alloc(arena, floats_of(conv, part, MAPS_BLOCK), sizeof(float));
        b->made[part] = kelvin_arena_alloc(arena, floats_of(conv, part, MAPS_BLOCK), sizeof(float));
        b->exact[part] = kelvin_arena_alloc(arena, floats_of(conv, part, ERROR_IMAGES), sizeof(double));
        if (!b->value[part] || !b->made[part] || !b->exact[part]) return KELVIN_ENOMEM;
    }
    b->packed = kelvin_arena_alloc(arena, packed, sizeof *b->packed);
    b->scratch = kelvin_arena_alloc(arena, scratch, sizeof *b->scratch);
    b->squares = kelvin_arena_alloc(arena, MAPS_BLOCK * KELVIN_LANES * conv->out.blocks, sizeof *b->squares);
    if (!b->packed || !b->scratch || !b->squares) return KELVIN_ENOMEM;
    fill_map(b->value[IN], &conv->in, MAPS_BLOCK, (kelvin_random){1, 0, 0, KELVIN_STREAM_USER});
    fill_map(b->value[OUT], &conv->out, MAPS_BLOCK, (kelvin_random){1, 0, 1, KELVIN_STREAM_USER});
    kernels->normals(b->value[WEIGHTS], weights_of(conv), (kelvin_random){1, 0, 2, KELVIN_STREAM_USER});
    return KELVIN_OK;
}

/* ---- speed ---- */

static void run_pass(const struct bench_conv *b, size_t first, size_t n)
{
    const struct conv *conv = &b->conv;
    const size_t in = first * conv->in.size, out = first * conv->out.size;
    if (b->pass == PASS_FORWARD)
        b->method->forward(b->made[OUT] + out, b->squares, b->value[IN] + in, b->packed, NULL, conv, n,
                           &(struct work){.scratch = b->scratch});
    else if (b->pass == PASS_BACKWARD)
        b->method->backward(b->made[IN] + in, b->value[OUT] + out, b->packed, conv, n, false,
                            &(struct work){.scratch = b->scratch});
    else
        b->method->gradient(b->packed, b->value[IN] + in, b->value[OUT] + out, conv, n, true,
                            &(struct work){.scratch = b->scratch});
}

static void run_block(void *context)
{
    const struct bench_conv *b = context;
    for (size_t first = 0; first < MAPS_BLOCK; first += b->images) {
        const size_t left = MAPS_BLOCK - first;
        run_pass(b, first, left < b->images ? left : b->images);
    }
}

static void choose(struct bench_conv *b, int pass, const struct conv_method *method)
{
    b->pass = pass;
    b->method = method;
    if (pass == PASS_GRADIENT)
        memset(b->packed, 0, method->weights(&b->conv) * sizeof *b->packed);
    else
        method->pack(b->packed, b->value[WEIGHTS], &b->conv, pass == PASS_BACKWARD);
}

/* ---- error ---- */

/* The part that a pass makes: each product of a tap and a pixel, in double. */
static void plain_loops(const struct bench_conv *b, int makes)
{
    const struct conv *c = &b->conv;
    double *const made = b->exact[makes], *const p = b->exact[(makes + 1) % PARTS],
                  *const q = b->exact[(makes + 2) % PARTS];
    memset(made, 0, floats_of(c, makes, ERROR_IMAGES) * sizeof *made);
    const size_t taps = c->kernel * c->kernel, rows = c->out.height * c->out.width;
    for (size_t image = 0; image < ERROR_IMAGES; image++)
        for (size_t o = 0; o < c->out.channels; o++)
            for (size_t i = 0; i < c->in.channels; i++)
                for (size_t at = 0; at < rows * taps; at++) {
                    const size_t pixel = at / taps, y = pixel / c->out.width, x = pixel % c->out.width;
                    const size_t tap = at % taps, from_y = c->stride * y + tap / c->kernel - c->pad_y,
                                 from_x = c->stride * x + tap % c->kernel - c->pad_x;
                    if (from_y >= c->in.height || from_x >= c->in.width) continue; /* also where it would be negative */
                    const size_t place[PARTS] = {image * c->in.size + map_at(&c->in, i, from_y, from_x),
                                                 (o * c->in.channels + i) * taps + tap,
                                                 image * c->out.size + map_at(&c->out, o, y, x)};
                    made[place[makes]] += p[place[(makes + 1) % PARTS]] * q[place[(makes + 2) % PARTS]];
                }
}

/* The largest difference beside the plain loops, as a share of the largest value. */
static double error_of(struct bench_conv *b)
{
    const int makes = passes[b->pass].makes;
    const size_t n = floats_of(&b->conv, makes, ERROR_IMAGES);
    double most = 0, off = 0;
    choose(b, b->pass, b->method);
    run_pass(b, 0, ERROR_IMAGES);
    if (makes == WEIGHTS) b->method->unpack(b->made[WEIGHTS], b->packed, &b->conv);
    for (size_t i = 0; i < n; i++) {
        const double size = fabs(b->exact[makes][i]), here = fabs(b->exact[makes][i] - (double)b->made[makes][i]);
        most = size > most ? size : most; /* gcc 12 cannot compile this as fmax() for ARM */
        off = here > off ? here : off;
    }
    return off / most;
}

static void make_exact(struct bench_conv *b, int makes)
{
    for (int part = 0; part < PARTS; part++)
        for (size_t i = 0; i < floats_of(&b->conv, part, ERROR_IMAGES); i++)
            b->exact[part][i] = (double)b->value[part][i];
    plain_loops(b, makes);
}

/* ---- tables ---- */

struct scale {
    double flops, peak, seconds; /* per image; GFLOP/s; to measure for */
};

static json_t *measure(struct bench_conv *b, double *seconds, const struct scale *scale)
{
    *seconds = bench_best(run_block, b, scale->seconds) / MAPS_BLOCK;
    const double gflops = scale->flops / *seconds / 1e9;
    return json_pack("{s:s, s:f, s:f, s:f}", "method", b->method->name, "images_per_s", 1 / *seconds, "gflops", gflops,
                     "share_of_peak", gflops / scale->peak);
}

static json_t *measure_methods(struct bench_conv *b, const struct scale *scale)
{
    const struct conv_method *fitting[METHODS];
    const size_t n = methods_of(fitting, b->kernels, &b->conv);
    json_t *all = json_array();
    make_exact(b, passes[b->pass].makes);
    for (size_t i = 0; i < n; i++) {
        double seconds;
        choose(b, b->pass, fitting[i]);
        json_t *one = measure(b, &seconds, scale);
        json_object_set_new(one, "error", json_real(error_of(b)));
        json_array_append_new(all, one);
    }
    return all;
}

static kelvin_status measure_layer(json_t *object, double *seconds, kelvin_arena *arena, const kelvin_layer *layer,
                                   const struct step *step, const struct kelvin_kernels *kernels, bool methods,
                                   const struct scale *scale)
{
    struct bench_conv bench;
    *seconds = 0;
    for (int pass = 0; pass < PASSES; pass++) {
        double some;
        if (pass == PASS_BACKWARD && layer->in == 0) continue; /* nobody asks for the gradient in the images */
        const struct conv *conv = pass == PASS_FORWARD ? &step->forward : &step->back;
        KELVIN_TRY(set_up(&bench, arena, kernels, conv, step->images));
        choose(&bench, pass, step->method[pass]);
        json_t *one = measure(&bench, &some, scale);
        if (methods) json_object_set_new(one, "methods", measure_methods(&bench, scale));
        json_object_set_new(object, passes[pass].key, one);
        *seconds += some;
    }
    return KELVIN_OK;
}

static bool same_shape(const kelvin_layer *a, const kelvin_layer *b)
{
    return a->kind == b->kind && a->kernel == b->kernel && a->stride == b->stride &&
           memcmp(&a->from, &b->from, sizeof a->from) == 0 && memcmp(&a->to, &b->to, sizeof a->to) == 0;
}

/* Measures the layers that look like number `first`, unless an earlier one did. */
static kelvin_status add_layer(json_t *layers, double *seconds, const struct plan *plan, const kelvin_model *model,
                               size_t first, const struct kelvin_kernels *kernels,
                               const struct bench_settings *settings, double peak)
{
    const kelvin_layer *layer = &model->layer[first];
    const struct step *step = &plan->step[first];
    const struct scale scale = {kelvin_layer_flops(layer), peak, settings->quick ? 0.004 : 0.1};
    char shape[96];
    size_t like = 0;
    double each;
    if (layer->kind != KELVIN_LAYER_CONV) return KELVIN_OK;
    for (size_t l = 1; l <= model->n_layers; l++) {
        if (!same_shape(&model->layer[l], layer)) continue;
        if (l < first) return KELVIN_OK;
        like++;
    }
    snprintf(shape, sizeof shape, "%zux%zux%zu -> %zux%zux%zu", layer->from.channels, layer->from.height,
             layer->from.width, layer->to.channels, layer->to.height, layer->to.width);
    json_t *object = json_pack("{s:s, s:s, s:I, s:I, s:I, s:s}", "name", layer->name, "shape", shape, "kernel",
                               (json_int_t)layer->kernel, "stride", (json_int_t)layer->stride, "in_network",
                               (json_int_t)like, "method", step->method[PASS_FORWARD]->name);
    json_array_append_new(layers, object);
    kelvin_arena *arena;
    KELVIN_TRY(kelvin_arena_create(&arena));
    const kelvin_status status = measure_layer(object, &each, arena, layer, step, kernels, settings->methods, &scale);
    if (!status) *seconds += (double)like * each;
    kelvin_arena_destroy(arena);
    return status;
}

kelvin_status bench_layers(json_t **layers, double *seconds_per_image, const kelvin_model *model,
                           const struct kelvin_kernels *kernels, const struct bench_settings *settings, double peak)
{
    struct plan plan;
    kelvin_arena *arena;
    *layers = NULL;
    *seconds_per_image = 0;
    if (model->type != &kelvin_net_maps) return KELVIN_OK;
    KELVIN_TRY(kelvin_arena_create(&arena));
    kelvin_status status = kelvin_plan_make(&plan, arena, model, kernels);
    *layers = json_array();
    for (size_t l = 1; l <= model->n_layers && !status; l++)
        status = add_layer(*layers, seconds_per_image, &plan, model, l, kernels, settings, peak);
    kelvin_arena_destroy(arena);
    return status;
}

/* ---- */

static double number(const json_t *object, const char *key)
{
    return json_number_value(json_object_get(object, key));
}

static const char *text(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

static void print_methods(const json_t *layer)
{
    for (int pass = 0; pass < PASSES; pass++) {
        size_t i;
        const json_t *one;
        json_array_foreach(json_object_get(json_object_get(layer, passes[pass].key), "methods"), i, one)
            printf("    %-16s  %-11s %7.1f GFLOP/s %4.0f %%   error %.1e\n", passes[pass].title, text(one, "method"),
                   number(one, "gflops"), 100 * number(one, "share_of_peak"), number(one, "error"));
    }
}

void bench_layers_print(const json_t *layers)
{
    size_t i;
    const json_t *layer;
    printf("\nconvolutions on one core: method, GFLOP/s counted as direct, share of the peak\n");
    printf("%-22s %-20s  %-9s %5s", "first of its shape", "shape", "kernel", "times");
    for (int pass = 0; pass < PASSES; pass++) printf(pass < PASSES - 1 ? "  %-25s" : "  %s\n", passes[pass].title);
    json_array_foreach(layers, i, layer)
    {
        const int kernel = (int)number(layer, "kernel"), stride = (int)number(layer, "stride");
        printf("%-22s %-20s  %dx%d, /%d %7.0f", text(layer, "name"), text(layer, "shape"), kernel, kernel, stride,
               number(layer, "in_network"));
        for (int pass = 0; pass < PASSES; pass++) {
            const json_t *one = json_object_get(layer, passes[pass].key);
            if (one)
                printf("  %-11s %6.1f %4.0f %%", text(one, "method"), number(one, "gflops"),
                       100 * number(one, "share_of_peak"));
            else
                printf("  %-25s", "");
        }
        putchar('\n');
        print_methods(layer);
    }
}
