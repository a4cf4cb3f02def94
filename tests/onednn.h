/* Convolutions by oneDNN's C API (version 2), on planes: an oracle that was not written here. */
#ifndef TESTS_ONEDNN_H
#define TESTS_ONEDNN_H

#include "check.h"

#include <oneapi/dnnl/dnnl.h>

#define assert_dnnl(call) assert_int_equal((call), dnnl_success)

/* A tensor of up to four axes, row-major. */
struct onednn_tensor {
    dnnl_memory_desc_t md;
    float *x;
};

static inline struct onednn_tensor onednn_tensor(float *x, int ndim, size_t a, size_t b, size_t c, size_t d)
{
    struct onednn_tensor t = {.x = x};
    const dnnl_dims_t dims = {(dnnl_dim_t)a, (dnnl_dim_t)b, (dnnl_dim_t)c, (dnnl_dim_t)d};
    assert_dnnl(dnnl_memory_desc_init_by_tag(&t.md, ndim, dims, dnnl_f32, ndim == 1 ? dnnl_a : dnnl_abcd));
    return t;
}

/* Runs what is described by desc on three or four tensors, args[i] is what each is for. */
static inline void onednn_run(dnnl_engine_t engine, const dnnl_convolution_desc_t *desc, dnnl_primitive_desc_t forward,
                              const struct onednn_tensor *tensors, const int *args, size_t n)
{
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    dnnl_stream_t stream;
    dnnl_exec_arg_t exec[4];
    assert_dnnl(dnnl_primitive_desc_create(&pd, desc, NULL, engine, forward));
    assert_dnnl(dnnl_primitive_create(&primitive, pd));
    assert_dnnl(dnnl_stream_create(&stream, engine, dnnl_stream_default_flags));
    for (size_t i = 0; i < n; i++) {
        exec[i].arg = args[i];
        assert_dnnl(dnnl_memory_create(&exec[i].memory, &tensors[i].md, engine, tensors[i].x));
    }
    assert_dnnl(dnnl_primitive_execute(primitive, stream, (int)n, exec));
    assert_dnnl(dnnl_stream_wait(stream));
    for (size_t i = 0; i < n; i++) dnnl_memory_destroy(exec[i].memory);
    dnnl_stream_destroy(stream);
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(pd);
}

/* What is padded along one axis: before, and after. */
struct onednn_padding {
    size_t before, after;
};

/* y = w * x + b; then from dy to dx, dw, db. Direct method, float. x (n, in, height, width), y (n, out, out_height,
 * out_width), w (out, in, kernel, kernel). */
struct onednn_conv {
    size_t n, in, out, height, width, out_height, out_width, kernel, stride;
    struct onednn_padding down, across;
    float *x, *w, *b, *y, *dy, *dx, *dw, *db;
};

static inline void onednn_conv(const struct onednn_conv *c)
{
    const struct onednn_tensor x = onednn_tensor(c->x, 4, c->n, c->in, c->height, c->width),
                               w = onednn_tensor(c->w, 4, c->out, c->in, c->kernel, c->kernel),
                               b = onednn_tensor(c->b, 1, c->out, 0, 0, 0),
                               y = onednn_tensor(c->y, 4, c->n, c->out, c->out_height, c->out_width);
    struct onednn_tensor dx = x, dw = w, db = b, dy = y;
    dx.x = c->dx, dw.x = c->dw, db.x = c->db, dy.x = c->dy;
    const dnnl_dims_t strides = {(dnnl_dim_t)c->stride, (dnnl_dim_t)c->stride};
    const dnnl_dims_t before = {(dnnl_dim_t)c->down.before, (dnnl_dim_t)c->across.before};
    const dnnl_dims_t after = {(dnnl_dim_t)c->down.after, (dnnl_dim_t)c->across.after};
    const dnnl_alg_kind_t direct = dnnl_convolution_direct;
    dnnl_engine_t engine;
    dnnl_primitive_desc_t forward;
    dnnl_convolution_desc_t desc;
    assert_dnnl(dnnl_engine_create(&engine, dnnl_cpu, 0));

    assert_dnnl(dnnl_convolution_forward_desc_init(&desc, dnnl_forward_training, direct, &x.md, &w.md, &b.md, &y.md,
                                                   strides, before, after));
    assert_dnnl(dnnl_primitive_desc_create(&forward, &desc, NULL, engine, NULL));
    onednn_run(engine, &desc, NULL, (struct onednn_tensor[]){x, w, b, y},
               (int[]){DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_BIAS, DNNL_ARG_DST}, 4);

    assert_dnnl(dnnl_convolution_backward_data_desc_init(&desc, direct, &x.md, &w.md, &y.md, strides, before, after));
    onednn_run(engine, &desc, forward, (struct onednn_tensor[]){dy, w, dx},
               (int[]){DNNL_ARG_DIFF_DST, DNNL_ARG_WEIGHTS, DNNL_ARG_DIFF_SRC}, 3);

    assert_dnnl(
        dnnl_convolution_backward_weights_desc_init(&desc, direct, &x.md, &w.md, &b.md, &y.md, strides, before, after));
    onednn_run(engine, &desc, forward, (struct onednn_tensor[]){x, dy, dw, db},
               (int[]){DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_WEIGHTS, DNNL_ARG_DIFF_BIAS}, 4);
    dnnl_primitive_desc_destroy(forward);
    dnnl_engine_destroy(engine);
}

#endif
