/* What the convolutions of resnet20 cost in oneDNN: the peer of the layers in `kelvin-bench resnet20`.
 *
 *     onednn_layers [THREADS [BATCH]]
 *
 * Each layer forward (as for training), backward to the data and backward to the weights, by oneDNN's direct method, by
 * Winograd's and by what it chooses itself. oneDNN may lay out memory as it likes; bringing data into that form is not
 * counted. Prints JSON; a method that oneDNN does not have on this CPU is null there. Written for oneDNN 2. */
#include <dnnl.h>
#include <jansson.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double seconds_each = 0.15;

struct layer {
    const char *name;
    int in_network; /* how many there are */
    int in, out, size, kernel, stride;
};

static const struct layer layers[] = {
    {"stem", 1, 3, 16, 32, 3, 1},        {"stack 1", 6, 16, 16, 32, 3, 1}, {"stack 2, first", 1, 16, 32, 32, 3, 2},
    {"shortcut 2", 1, 16, 32, 32, 1, 2}, {"stack 2", 5, 32, 32, 16, 3, 1}, {"stack 3, first", 1, 32, 64, 16, 3, 2},
    {"shortcut 3", 1, 32, 64, 16, 1, 2}, {"stack 3", 5, 64, 64, 8, 3, 1},
};
enum { LAYERS = sizeof layers / sizeof *layers, METHODS = 3 };

static const struct method {
    const char *name;
    dnnl_alg_kind_t kind;
} methods[METHODS] = {
    {"direct", dnnl_convolution_direct},
    {"winograd", dnnl_convolution_winograd},
    {"auto", dnnl_convolution_auto},
};

enum pass { FORWARD, BACKWARD_DATA, BACKWARD_WEIGHTS, PASSES };
static const char *const pass_names[PASSES] = {"forward", "backward_data", "backward_weights"};

/* The arguments of a pass: what they are, and how to ask its description for their layout. */
static const struct argument {
    int index;
    dnnl_query_t query;
} arguments[PASSES][4] = {
    [FORWARD] = {{DNNL_ARG_SRC, dnnl_query_src_md},
                 {DNNL_ARG_WEIGHTS, dnnl_query_weights_md},
                 {DNNL_ARG_DST, dnnl_query_dst_md}},
    [BACKWARD_DATA] = {{DNNL_ARG_DIFF_SRC, dnnl_query_diff_src_md},
                       {DNNL_ARG_WEIGHTS, dnnl_query_weights_md},
                       {DNNL_ARG_DIFF_DST, dnnl_query_diff_dst_md}},
    [BACKWARD_WEIGHTS] = {{DNNL_ARG_SRC, dnnl_query_src_md},
                          {DNNL_ARG_DIFF_WEIGHTS, dnnl_query_diff_weights_md},
                          {DNNL_ARG_DIFF_DST, dnnl_query_diff_dst_md}},
};
enum { ARGUMENTS = 3 };

static void must(dnnl_status_t status, const char *what)
{
    if (status == dnnl_success) return;
    fprintf(stderr, "onednn_layers: %s: status %d\n", what, (int)status);
    exit(1);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int outputs(const struct layer *l)
{
    return (l->size + l->stride - 1) / l->stride;
}

static dnnl_memory_desc_t any_layout(const dnnl_dims_t dims)
{
    dnnl_memory_desc_t md;
    must(dnnl_memory_desc_init_by_tag(&md, 4, dims, dnnl_f32, dnnl_format_tag_any), "a layout");
    return md;
}

static dnnl_status_t describe(dnnl_convolution_desc_t *desc, enum pass pass, const struct layer *l, int batch,
                              dnnl_alg_kind_t kind)
{
    const int out = outputs(l), all = (out - 1) * l->stride + l->kernel - l->size, total = all > 0 ? all : 0;
    const dnnl_memory_desc_t src = any_layout((dnnl_dims_t){batch, l->in, l->size, l->size}),
                             weights = any_layout((dnnl_dims_t){l->out, l->in, l->kernel, l->kernel}),
                             dst = any_layout((dnnl_dims_t){batch, l->out, out, out});
    const dnnl_dims_t strides = {l->stride, l->stride}, before = {total / 2, total / 2},
                      after = {total - total / 2, total - total / 2};
    switch (pass) {
    case FORWARD:
        return dnnl_convolution_forward_desc_init(desc, dnnl_forward_training, kind, &src, &weights, NULL, &dst,
                                                  strides, before, after);
    case BACKWARD_DATA:
        return dnnl_convolution_backward_data_desc_init(desc, kind, &src, &weights, &dst, strides, before, after);
    default:
        return dnnl_convolution_backward_weights_desc_init(desc, kind, &src, &weights, NULL, &dst, strides, before,
                                                           after);
    }
}

/* NULL if oneDNN has no such thing. */
static dnnl_primitive_desc_t find(enum pass pass, const struct layer *l, int batch, dnnl_alg_kind_t kind,
                                  dnnl_engine_t engine)
{
    dnnl_convolution_desc_t desc;
    dnnl_primitive_desc_t hint = NULL, found = NULL;
    if (pass != FORWARD && !(hint = find(FORWARD, l, batch, kind, engine)))
        hint = find(FORWARD, l, batch, dnnl_convolution_auto, engine);
    if (describe(&desc, pass, l, batch, kind) != dnnl_success ||
        dnnl_primitive_desc_create(&found, &desc, NULL, engine, hint) != dnnl_success)
        found = NULL;
    if (hint) dnnl_primitive_desc_destroy(hint);
    return found;
}

static dnnl_memory_t filled(const dnnl_memory_desc_t *md, dnnl_engine_t engine)
{
    dnnl_memory_t memory;
    void *data;
    must(dnnl_memory_create(&memory, md, engine, DNNL_MEMORY_ALLOCATE), "memory");
    must(dnnl_memory_get_data_handle(memory, &data), "memory");
    for (size_t i = 0; i < dnnl_memory_desc_get_size(md) / sizeof(float); i++)
        ((float *)data)[i] = 0.01f * (float)((i * 2654435761u >> 7) % 201) - 1;
    return memory;
}

static double best_seconds(dnnl_primitive_desc_t description, enum pass pass, dnnl_engine_t engine)
{
    dnnl_primitive_t primitive;
    dnnl_stream_t stream;
    dnnl_exec_arg_t given[ARGUMENTS];
    must(dnnl_primitive_create(&primitive, description), "a primitive");
    must(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags), "a stream");
    for (int i = 0; i < ARGUMENTS; i++) {
        const struct argument *a = &arguments[pass][i];
        given[i] = (dnnl_exec_arg_t){a->index, filled(dnnl_primitive_desc_query_md(description, a->query, 0), engine)};
    }
    double best = 1e9;
    for (double first = now(), start = first; start - first < seconds_each; start = now()) {
        must(dnnl_primitive_execute(primitive, stream, ARGUMENTS, given), "a run");
        must(dnnl_stream_wait(stream), "a run");
        const double seconds = now() - start;
        if (seconds < best) best = seconds;
    }
    for (int i = 0; i < ARGUMENTS; i++) dnnl_memory_destroy(given[i].memory);
    dnnl_stream_destroy(stream);
    dnnl_primitive_destroy(primitive);
    return best;
}

static json_t *measure(enum pass pass, const struct layer *l, int batch, dnnl_alg_kind_t kind, dnnl_engine_t engine)
{
    const double flops = 2.0 * l->in * l->out * outputs(l) * outputs(l) * l->kernel * l->kernel;
    const dnnl_primitive_desc_t description = find(pass, l, batch, kind, engine);
    const char *implementation = "";
    if (!description) return json_null();
    must(dnnl_primitive_desc_query(description, dnnl_query_impl_info_str, 0, &implementation), "a name");
    const double seconds = best_seconds(description, pass, engine);
    json_t *result = json_pack("{s:f, s:f, s:s}", "images_per_s", batch / seconds, "gflops",
                               flops * batch / seconds / 1e9, "implementation", implementation);
    dnnl_primitive_desc_destroy(description);
    return result;
}

static json_t *measure_layer(const struct layer *l, int batch, dnnl_engine_t engine)
{
    char shape[64];
    snprintf(shape, sizeof shape, "%dx%dx%d -> %dx%dx%d", l->in, l->size, l->size, l->out, outputs(l), outputs(l));
    json_t *object = json_pack("{s:s, s:s, s:i, s:i, s:i}", "name", l->name, "shape", shape, "kernel", l->kernel,
                               "stride", l->stride, "in_network", l->in_network);
    for (int pass = 0; pass < PASSES; pass++) {
        if (pass == BACKWARD_DATA && l == layers) continue; /* nobody asks for the gradient in the images */
        json_t *by_method = json_object();
        for (int m = 0; m < METHODS; m++)
            json_object_set_new(by_method, methods[m].name,
                                measure((enum pass)pass, l, batch, methods[m].kind, engine));
        json_object_set_new(object, pass_names[pass], by_method);
    }
    return object;
}

/* OpenMP reads its environment before main. */
static void set_threads(const char *threads, char **argv)
{
    const char *set = getenv("OMP_NUM_THREADS");
    if (set && strcmp(set, threads) == 0) return;
    setenv("OMP_NUM_THREADS", threads, 1);
    execv("/proc/self/exe", argv);
    perror("onednn_layers: cannot set the number of threads");
    exit(1);
}

int main(int argc, char **argv)
{
    const int threads = argc > 1 ? atoi(argv[1]) : 1, batch = argc > 2 ? atoi(argv[2]) : 125;
    if (argc > 3 || threads < 1 || batch < 1) {
        fprintf(stderr, "usage: onednn_layers [THREADS [BATCH]]\n");
        return 2;
    }
    set_threads(argc > 1 ? argv[1] : "1", argv);
    dnnl_engine_t engine;
    must(dnnl_engine_create(&engine, dnnl_cpu, 0), "the CPU");
    const dnnl_version_t *v = dnnl_version();
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", v->major, v->minor, v->patch);
    json_t *all = json_array();
    for (int i = 0; i < LAYERS; i++) json_array_append_new(all, measure_layer(&layers[i], batch, engine));
    json_t *results =
        json_pack("{s:s, s:i, s:i, s:o}", "onednn", version, "threads", threads, "batch", batch, "layers", all);
    json_dumpf(results, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    putchar('\n');
    json_decref(results);
    dnnl_engine_destroy(engine);
    return 0;
}
