/* nn, the network of convolutions: logits against plain loops in double; gradients against signed finite differences of
 * those; images of several sizes, blocks that are whole and not. */
#include "check.h"
#include "plain_layers.h"

#include <kelvin/nn.h>

static const kelvin_shape inputs[] = {{1, 28, 28}, {1, 8, 8}, {3, 32, 32}, {2, 5, 26}};
static const size_t counts[] = {1, 7, 10, 24, 29};
enum { INPUTS = sizeof inputs / sizeof *inputs, COUNTS = sizeof counts / sizeof *counts, MAX_N = 29, CLASSES = 10 };

struct problem {
    kelvin_model *model;
    kelvin_weights *weights;
    kelvin_net *net;
    size_t n;
    float *x, *packed, *theta, *grad;
    double *theta_d;
    float weight[MAX_N][CLASSES]; /* the scalar is sum_ik weight_ik z_ik */
};

static float normal_at(uint32_t stream, size_t i)
{
    return (float)kelvin_normal((kelvin_random){78, 1, 2, stream}, i);
}

static void make(struct problem *p, kelvin_shape input, size_t n)
{
    assert_ok(kelvin_model_create(&p->model, "cnn", input, CLASSES));
    p->n = n;
    p->x = kelvin_alloc(n * p->model->inputs, sizeof *p->x);
    p->packed = kelvin_alloc(kelvin_model_packed(p->model, n), sizeof *p->packed);
    p->theta = kelvin_alloc(p->model->n_params, sizeof *p->theta);
    p->theta_d = kelvin_alloc(p->model->n_params, sizeof *p->theta_d);
    p->grad = kelvin_alloc(p->model->n_params, sizeof *p->grad);
    for (size_t i = 0; i < n * p->model->inputs; i++) p->x[i] = normal_at(1, i);
    for (size_t i = 0; i < p->model->n_params; i++) p->theta_d[i] = (double)(p->theta[i] = 0.3f * normal_at(2, i));
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < CLASSES; k++) p->weight[i][k] = normal_at(3, i * CLASSES + k);
    kelvin_model_pack(p->model, p->packed, p->x, n);
    assert_ok(kelvin_weights_create(&p->weights, p->model));
    assert_ok(kelvin_net_create(&p->net, p->model));
    kelvin_weights_set(p->weights, p->theta, true);
}

static void unmake(struct problem *p)
{
    kelvin_net_destroy(p->net);
    kelvin_weights_destroy(p->weights);
    kelvin_free(p->x);
    kelvin_free(p->packed);
    kelvin_free(p->theta);
    kelvin_free(p->theta_d);
    kelvin_free(p->grad);
    kelvin_model_destroy(p->model);
}

/* z (CLASSES) of observation i; returns the largest number on the way. */
static double plain_logits(double *z, const struct problem *p, const double *theta, size_t i)
{
    enum { MOST = 3 * 32 * 32 };
    static double act[2][MOST];
    double largest = 0;
    for (size_t j = 0; j < p->model->inputs; j++) act[0][j] = (double)p->x[i * p->model->inputs + j];
    for (size_t l = 1; l <= p->model->n_layers; l++) {
        const kelvin_layer *layer = &p->model->layer[l];
        const double *w = theta + p->model->tensor[layer->tensor].offset;
        const double *b = theta + p->model->tensor[layer->tensor + 1].offset, *from = act[(l - 1) % 2];
        const size_t out = layer->to.channels * layer->to.height * layer->to.width;
        double *to = act[l % 2];
        if (layer->kind == KELVIN_LAYER_DENSE)
            plain_dense_forward(to, from, w, b, 1, layer->from.channels * layer->from.height * layer->from.width, out);
        else
            plain_conv_forward(to, from, w, b,
                               &(struct plain_conv){1, layer->from.channels, layer->to.channels, layer->from.height,
                                                    layer->from.width, layer->kernel, layer->stride});
        plain_leaky_forward(to, to, (double)layer->leak, out);
        for (size_t j = 0; j < out; j++) largest = fmax(largest, fabs(to[j]));
    }
    memcpy(z, act[p->model->n_layers % 2], CLASSES * sizeof *z);
    return largest;
}

static double plain_scalar(const struct problem *p)
{
    double sum = 0, z[CLASSES];
    for (size_t i = 0; i < p->n; i++) {
        plain_logits(z, p, p->theta_d, i);
        for (size_t k = 0; k < CLASSES; k++) sum += (double)p->weight[i][k] * z[k];
    }
    return sum;
}

static void logits_match_plain_loops(void **state)
{
    (void)state;
    for (size_t s = 0; s < INPUTS; s++)
        for (size_t c = 0; c < COUNTS; c++) {
            struct problem p;
            make(&p, inputs[s], counts[c]);
            float logits[MAX_N * CLASSES];
            kelvin_net_logits(p.net, logits, p.weights, p.packed, p.n);
            for (size_t i = 0; i < p.n; i++) {
                double z[CLASSES];
                const double largest = plain_logits(z, &p, p.theta_d, i);
                /* as for mlp: 1e-6 of the largest number that went into the sums, for each layer */
                for (size_t k = 0; k < CLASSES; k++) assert_near((double)logits[i * CLASSES + k], z[k], 4e-6 * largest);
            }
            unmake(&p);
        }
}

static void gradient_of(struct problem *p)
{
    float z[CLASSES * KELVIN_BLOCK], dz[CLASSES * KELVIN_BLOCK];
    for (size_t first = 0; first < p->n; first += p->model->block) {
        const kelvin_block block = kelvin_model_block(p->model, p->packed, p->n, first);
        kelvin_net_forward(p->net, z, p->weights, &block);
        for (size_t i = 0; i < sizeof z / sizeof *z; i++)
            if (i % KELVIN_BLOCK < (block.n + 7) / 8 * 8) assert_true(isfinite(z[i]));
        memset(dz, 0, sizeof dz);
        for (size_t i = 0; i < block.n; i++)
            for (size_t k = 0; k < CLASSES; k++) dz[k * KELVIN_BLOCK + i] = p->weight[first + i][k];
        kelvin_net_backward(p->net, p->grad, p->weights, dz, &block);
    }
}

/* Signed, in double, of the plain version: good to 1e-7 or so, because the network is piecewise linear in one
 * parameter. Of each tensor, the same number of parameters. */
static void gradients_match_finite_differences(void **state)
{
    (void)state;
    enum { EACH = 3 };
    const double h = 1e-6;
    for (size_t s = 0; s < INPUTS; s++)
        for (size_t c = 0; c < COUNTS; c++) {
            struct problem p;
            make(&p, inputs[s], counts[c]);
            gradient_of(&p);
            float largest = 0;
            for (size_t i = 0; i < p.model->n_params; i++) largest = fmaxf(largest, fabsf(p.grad[i]));
            for (size_t j = 0; j < p.model->n_tensors * EACH; j++) {
                const kelvin_tensor *tensor = &p.model->tensor[j / EACH];
                const size_t size = kelvin_tensor_size(tensor);
                const size_t i = tensor->offset + (j % EACH * size / EACH + c * 7) % size;
                const double keep = p.theta_d[i];
                p.theta_d[i] = keep + h;
                const double up = plain_scalar(&p);
                p.theta_d[i] = keep - h;
                const double down = plain_scalar(&p);
                p.theta_d[i] = keep;
                assert_near((double)p.grad[i], (up - down) / (2 * h), 1e-5 * (double)largest + 1e-7);
            }
            unmake(&p);
        }
}

/* The gradient of all observations is the sum of the gradients of each. */
static void blocks_do_not_matter(void **state)
{
    (void)state;
    struct problem p;
    make(&p, inputs[0], MAX_N);
    gradient_of(&p);
    float *sum = kelvin_alloc(p.model->n_params, sizeof *sum);
    for (size_t i = 0; i < p.n; i++) {
        struct problem one;
        make(&one, inputs[0], 1);
        kelvin_model_pack(one.model, one.packed, p.x + i * p.model->inputs, 1);
        memcpy(one.weight[0], p.weight[i], sizeof one.weight[0]);
        gradient_of(&one);
        for (size_t j = 0; j < p.model->n_params; j++) sum[j] += one.grad[j];
        unmake(&one);
    }
    float largest = 0;
    for (size_t j = 0; j < p.model->n_params; j++) largest = fmaxf(largest, fabsf(sum[j]));
    for (size_t j = 0; j < p.model->n_params; j++)
        assert_near((double)p.grad[j], (double)sum[j], 2e-6 * (double)largest);
    kelvin_free(sum);
    unmake(&p);
}

static void the_papers_has_4085_parameters(void **state)
{
    (void)state;
    kelvin_model *model;
    assert_ok(kelvin_model_create(&model, "cnn", inputs[0], CLASSES));
    assert_int_equal(model->n_params, 4085);
    assert_int_equal(model->layer[1].to.height, 6);
    assert_int_equal(model->layer[2].to.height, 2);
    assert_int_equal(model->layer[3].to.height, 1);
    kelvin_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logits_match_plain_loops),
        cmocka_unit_test(gradients_match_finite_differences),
        cmocka_unit_test(blocks_do_not_matter),
        cmocka_unit_test(the_papers_has_4085_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
