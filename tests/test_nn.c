/* nn: logits against plain loops in double; gradients against signed finite differences of those. */
#include "check.h"
#include "plain_mlp.h"

#include <kelvin/nn.h>

static const struct {
    const char *spec;
    size_t inputs, classes;
} shapes[] = {
    {"mlp:10,10,10,10,10", 2, 2},
    {"mlp:10,10,10,10,10,leak=0.01", 2, 2},
    {"mlp", 3, 2},
    {"mlp:1", 1, 2},
    {"mlp:7,13", 5, 3},
    {"mlp:20,20,20,leak=0.01", 64, 10},
    {"mlp:9,6,leak=0.3", 4, 5},
    {"mlp:33", 11, 7},
};
static const size_t counts[] = {1, 2, 7, 8, 9, 10, 11, 16, 17, 18, 19, 23, 24, 25, 34, 48, 61};
enum { SHAPES = sizeof shapes / sizeof *shapes, COUNTS = sizeof counts / sizeof *counts, MAX_N = 61 };

struct problem {
    kelvin_model *model;
    kelvin_weights *weights;
    kelvin_net *net;
    float *packed;
    float x[MAX_N * 64], theta[4000], grad[4000];
    double theta_d[4000];
    float weight[MAX_N][10]; /* the scalar is sum_ik weight_ik z_ik */
    size_t n;
};

static double normal_at(uint32_t stream, size_t i)
{
    return kelvin_normal((kelvin_random){77, 1, 2, stream}, i);
}

static struct problem *make(size_t shape, size_t n)
{
    struct problem *p = kelvin_alloc(1, sizeof *p);
    p->n = n;
    assert_ok(kelvin_model_create(&p->model, shapes[shape].spec, (kelvin_shape){shapes[shape].inputs, 1, 1},
                                  shapes[shape].classes));
    assert_true(p->model->n_params <= 4000);
    for (size_t i = 0; i < n * p->model->inputs; i++) p->x[i] = (float)normal_at(1, i);
    for (size_t i = 0; i < p->model->n_params; i++) {
        p->theta[i] = (float)(0.5 * normal_at(2, i));
        p->theta_d[i] = (double)p->theta[i];
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < p->model->classes; k++) p->weight[i][k] = (float)normal_at(3, i * 10 + k);
    p->packed = kelvin_alloc(kelvin_model_packed(p->model, n), sizeof *p->packed);
    kelvin_model_pack(p->model, p->packed, p->x, n);
    assert_ok(kelvin_weights_create(&p->weights, p->model));
    assert_ok(kelvin_net_create(&p->net, p->model));
    kelvin_weights_set(p->weights, p->theta, true);
    return p;
}

static void unmake(struct problem *p)
{
    kelvin_net_destroy(p->net);
    kelvin_weights_destroy(p->weights);
    kelvin_free(p->packed);
    kelvin_model_destroy(p->model);
    kelvin_free(p);
}

static double plain_scalar(const struct problem *p, const double *theta)
{
    struct plain_mlp plain;
    double sum = 0;
    const size_t L = p->model->n_layers;
    for (size_t i = 0; i < p->n; i++) {
        plain_forward(&plain, p->model, theta, p->x + i * p->model->inputs);
        for (size_t k = 0; k < p->model->classes; k++) sum += (double)p->weight[i][k] * plain.act[L][k];
    }
    return sum;
}

static void logits_match_plain_loops(void **state)
{
    (void)state;
    for (size_t s = 0; s < SHAPES; s++)
        for (size_t c = 0; c < COUNTS; c++) {
            struct problem *p = make(s, counts[c]);
            const size_t K = p->model->classes, L = p->model->n_layers;
            float *logits = kelvin_alloc(p->n * K, sizeof *logits);
            kelvin_net_logits(p->net, logits, p->weights, p->packed, p->n);
            for (size_t i = 0; i < p->n; i++) {
                struct plain_mlp plain;
                plain_forward(&plain, p->model, p->theta_d, p->x + i * p->model->inputs);
                double largest = 0; /* errors are relative to the largest number that went into the sums */
                for (size_t l = 0; l <= L; l++)
                    for (size_t j = 0; j < p->model->layer[l].to.channels; j++)
                        largest = fmax(largest, fabs(plain.act[l][j]));
                for (size_t k = 0; k < K; k++)
                    assert_near((double)logits[i * K + k], plain.act[L][k], 1e-6 * largest * (double)L);
            }
            kelvin_free(logits);
            unmake(p);
        }
}

static void gradient_of(struct problem *p)
{
    const size_t K = p->model->classes;
    float z[10 * KELVIN_BLOCK], dz[10 * KELVIN_BLOCK];
    for (size_t first = 0; first < p->n; first += p->model->block) {
        const kelvin_block block = kelvin_model_block(p->model, p->packed, p->n, first);
        kelvin_net_forward(p->net, z, p->weights, &block);
        memset(dz, 0, sizeof dz);
        for (size_t i = 0; i < block.n; i++)
            for (size_t k = 0; k < K; k++) dz[k * KELVIN_BLOCK + i] = p->weight[first + i][k];
        kelvin_net_backward(p->net, p->grad, p->weights, dz, &block);
    }
}

static void gradients_match_finite_differences(void **state)
{
    (void)state;
    const double h = 1e-6;
    for (size_t s = 0; s < SHAPES; s++)
        for (size_t c = 0; c < COUNTS; c++) {
            struct problem *p = make(s, counts[c]);
            gradient_of(p);
            float largest = 0;
            for (size_t i = 0; i < p->model->n_params; i++) largest = fmaxf(largest, fabsf(p->grad[i]));
            const size_t stride = p->model->n_params / 60 + 1; /* every parameter of small models, some of large ones */
            for (size_t i = (c * 7) % stride; i < p->model->n_params; i += stride) {
                const double keep = p->theta_d[i];
                p->theta_d[i] = keep + h;
                const double up = plain_scalar(p, p->theta_d);
                p->theta_d[i] = keep - h;
                const double down = plain_scalar(p, p->theta_d);
                p->theta_d[i] = keep;
                /* float sums: 1e-5 of the largest; the difference quotient itself is good to 1e-7 or so, because the
                 * network is piecewise linear in one parameter */
                assert_near((double)p->grad[i], (up - down) / (2 * h), 1e-5 * (double)largest + 1e-7);
            }
            unmake(p);
        }
}

/* Blocks of all sizes, one after the other, through one net and one that is fresh: the same bits. Shapes of panels
 * change in between, and weights are shared. */
static void nets_remember_nothing(void **state)
{
    (void)state;
    static const size_t order[] = {24, 16, 18, 7, 18, 9, 61, 8, 10, 16, 17, 1, 34, 2, 48, 26};
    static float expected[4000];
    for (size_t s = 0; s < SHAPES; s++) {
        struct problem *old = make(s, order[0]);
        for (size_t c = 0; c < sizeof order / sizeof *order; c++) {
            struct problem *fresh = make(s, order[c]);
            kelvin_net *own = fresh->net;
            gradient_of(fresh);
            memcpy(expected, fresh->grad, sizeof expected);
            fresh->net = old->net;
            memset(fresh->grad, 0xff, sizeof fresh->grad);
            gradient_of(fresh);
            assert_memory_equal(expected, fresh->grad, fresh->model->n_params * sizeof *fresh->grad);
            fresh->net = own;
            unmake(fresh);
        }
        assert_true(kelvin_net_bytes(old->net) > 0);
        unmake(old);
    }
}

/* Packed observations as blocks: none is left out, none comes twice, and kernels can load them. */
static void blocks_tile_the_observations(void **state)
{
    (void)state;
    for (size_t s = 0; s < SHAPES; s++)
        for (size_t c = 0; c < COUNTS; c++) {
            struct problem *p = make(s, counts[c]);
            const size_t size = kelvin_model_packed(p->model, p->n);
            size_t seen = 0, end = 0;
            for (size_t first = 0; first < p->n; first += p->model->block) {
                const kelvin_block block = kelvin_model_block(p->model, p->packed, p->n, first);
                const size_t at = (size_t)(block.x - p->packed);
                assert_true(block.first == (first == 0) && block.last == (first + block.n == p->n));
                assert_true(block.n > 0 && block.n <= p->model->block && (uintptr_t)block.x % 64 == 0);
                assert_true(at >= end);
                end = at + block.n * p->model->inputs;
                seen += block.n;
            }
            assert_true(seen == p->n && end <= size);
            unmake(p);
        }
}

/* theta is looked at when it is set, and again with each set. */
static void weights_follow_theta(void **state)
{
    (void)state;
    struct problem *p = make(4, 11);
    float before[33], after[33], again[33];
    kelvin_net_logits(p->net, before, p->weights, p->packed, p->n);
    float *other = kelvin_alloc(p->model->n_params, sizeof *other);
    kelvin_weights_set(p->weights, other, false);
    kelvin_net_logits(p->net, after, p->weights, p->packed, p->n);
    for (size_t i = 0; i < 33; i++) assert_true(after[i] == 0);
    kelvin_weights_set(p->weights, p->theta, false);
    kelvin_net_logits(p->net, again, p->weights, p->packed, p->n);
    assert_memory_equal(before, again, sizeof before);
    kelvin_free(other);
    unmake(p);
}

static kelvin_status weights_and_net(void *context)
{
    kelvin_weights *weights = NULL;
    kelvin_net *net = NULL;
    kelvin_status status = kelvin_weights_create(&weights, context);
    if (!status) status = kelvin_net_create(&net, context);
    kelvin_net_destroy(net);
    kelvin_weights_destroy(weights);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    kelvin_model *model;
    assert_ok(kelvin_model_create(&model, "mlp:300,300", (kelvin_shape){5, 1, 1}, 2));
    assert_true(without_memory(weights_and_net, model) > 4);
    kelvin_model_destroy(model);
}

static void tensors_tile_the_vector(void **state)
{
    (void)state;
    kelvin_model *model;
    assert_ok(kelvin_model_create(&model, "mlp:10,10,10,10,10", (kelvin_shape){2, 1, 1}, 2));
    assert_int_equal(model->n_params, 492);
    size_t at = 0;
    for (size_t t = 0; t < model->n_tensors; t++) {
        assert_int_equal(model->tensor[t].offset, at);
        at += model->tensor[t].shape[0] * (model->tensor[t].ndim == 2 ? model->tensor[t].shape[1] : 1);
    }
    assert_int_equal(at, 492);
    assert_string_equal(model->tensor[0].name, "layers.0.weight");
    assert_string_equal(model->tensor[11].name, "layers.5.bias");
    kelvin_model_destroy(model);
}

static void bad_models_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {"",
                                      "resnet20",
                                      "mlp:",
                                      "mlp:0",
                                      "mlp:-3",
                                      "mlp:10,",
                                      "mlp:ten",
                                      "mlpx:10",
                                      "mlp:10;10",
                                      "mlp:99999999999999999999",
                                      "mlp:5,leak=1",
                                      "mlp:leak=",
                                      "mlp:leak=-1",
                                      "mlp:leak=x",
                                      "mlp:5,leak=nan"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        kelvin_model *model = NULL;
        assert_int_equal(kelvin_model_create(&model, bad[i], (kelvin_shape){2, 1, 1}, 2), KELVIN_EUSAGE);
        assert_null(model);
        assert_non_null(strstr(kelvin_error(), "model"));
    }
    kelvin_model *model;
    assert_int_equal(kelvin_model_create(&model, "mlp:3", (kelvin_shape){0, 1, 1}, 2), KELVIN_EUSAGE);
    assert_int_equal(kelvin_model_create(&model, "mlp:3", (kelvin_shape){2, 1, 1}, 1), KELVIN_EUSAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(logits_match_plain_loops), cmocka_unit_test(gradients_match_finite_differences),
        cmocka_unit_test(nets_remember_nothing),    cmocka_unit_test(blocks_tile_the_observations),
        cmocka_unit_test(weights_follow_theta),     cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(tensors_tile_the_vector),  cmocka_unit_test(bad_models_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
