/* nn: logits and gradients of whole networks against plain layers in double (plain_net.h), under every instruction set
 * of this CPU; for blocks that are whole and not; and that nothing is left of what a net saw before. */
#include "nets.h"

enum { MOST_COUNTS = 18 };

static const struct row {
    const char *spec;
    kelvin_shape input;
    size_t classes;
    size_t counts[MOST_COUNTS]; /* of observations, growing; 0 after the last */
} rows[] = {
    {"mlp:10,10,10,10,10", {2, 1, 1}, 2, {1, 2, 7, 8, 9, 10, 11, 16, 17, 18, 19, 23, 24, 25, 34, 48, 61}},
    {"mlp:10,10,10,10,10,leak=0.01", {2, 1, 1}, 2, {1, 7, 18, 24, 61}},
    {"mlp", {3, 1, 1}, 2, {1, 2, 8, 10, 25}},
    {"mlp:1", {1, 1, 1}, 2, {1, 7, 18, 25}},
    {"mlp:7,13", {5, 1, 1}, 3, {1, 2, 7, 8, 9, 10, 11, 16, 17, 18, 19, 23, 24, 25, 34, 48, 61}},
    {"mlp:20,20,20,leak=0.01", {64, 1, 1}, 10, {1, 9, 18, 24, 61}},
    {"mlp:9,6,leak=0.3", {4, 1, 1}, 5, {1, 10, 19, 61}},
    {"mlp:33", {1, 3, 4}, 7, {1, 2, 8, 23, 34}},
    {"cnn", {1, 28, 28}, 10, {1, 2, 7, 8, 9, 10, 17, 24, 25, 34, 61}},
    {"cnn", {1, 8, 8}, 10, {1, 2, 7, 10, 24, 29}},
    {"cnn", {3, 32, 32}, 10, {1, 7, 10, 24, 29}},
    {"cnn", {2, 5, 26}, 4, {1, 3, 9, 24, 29}},
    {"cnn:8,16,32,kernel=3,stride=2", {1, 28, 28}, 10, {1, 7, 24, 29}},
    {"cnn:7,40,kernel=3,stride=2", {3, 9, 13}, 7, {1, 9, 25}},
    {"cnn:3,4,5,kernel=2,stride=3", {2, 20, 11}, 3, {2, 17, 24}}, /* pixels that nobody looks at */
    {"cnn:6,9,kernel=11,stride=1", {1, 6, 5}, 2, {1, 10, 25}},    /* a kernel that is larger than the image */
    {"resnet8", {3, 32, 32}, 10, {1, 6, 9}},
    {"resnet8", {1, 28, 28}, 10, {2, 9}},
    {"resnet8", {3, 9, 13}, 7, {1, 2, 7, 8, 9, 19}},
    {"resnet8", {1, 8, 8}, 2, {1, 5, 8, 17}},
    {"resnet8", {1, 3, 57}, 3, {3, 7}}, /* its last maps, too, go through in groups */
    {"resnet8", {2, 6, 11}, 3, {1, 9}}, /* smaller ones end in 2 or 3 pixels: a rounding there is 1e-5 of a gradient */
    {"resnet8", {17, 5, 6}, 24, {3, 8}},
    {"resnet14", {3, 9, 13}, 3, {2, 9}},
    {"resnet20", {3, 32, 32}, 10, {1}},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* What goes in, and what must come out. */
struct problem {
    const struct row *row;
    size_t n, layers;
    float *theta, *x, *weight; /* (n_params); (n, inputs); (n, classes): the scalar is sum_ik weight_ik z_ik */
    double *z, *largest;       /* (n, classes); (n): the largest number on the way */
    double *grad[MOST_COUNTS]; /* of the first counts[c] observations */
};

/* Unlikely things do not count: an observation with a unit that a rounding would push over its kink is replaced by the
 * next one. Roundings are a few 1e-7 of a layer's largest unit. */
static const double safe = 2e-6;

static const double *choose(struct problem *p, struct plain_net *net, const double *theta, size_t i, size_t *tried)
{
    const size_t inputs = net->model->inputs;
    float *x = p->x + i * inputs;
    for (;;) {
        for (size_t j = 0; j < inputs; j++) x[j] = (float)normal_at(1, *tried * inputs + j);
        assert_true(++*tried < 200);
        const double *z = plain_net_forward(net, theta, x);
        if (net->margin > safe) return z;
    }
}

/* What goes in. */
static void make_inputs(struct problem *p, const struct row *row)
{
    kelvin_model *model;
    assert_ok(kelvin_model_create(&model, row->spec, row->input, row->classes));
    *p = (struct problem){.row = row, .layers = model->n_layers, .theta = parameters(model, 2)};
    for (size_t c = 0; c < MOST_COUNTS && row->counts[c]; c++) p->n = row->counts[c];
    p->x = normals(p->n * model->inputs, 1);
    p->weight = normals(p->n * model->classes, 3);
    kelvin_model_destroy(model);
}

/* And what must come out. */
static void make(struct problem *p, const struct row *row)
{
    kelvin_model *model;
    make_inputs(p, row);
    assert_ok(kelvin_model_create(&model, row->spec, row->input, row->classes));
    struct plain_net *net = plain_net_create(model);
    assert_non_null(net);
    const size_t K = model->classes;
    p->z = room(p->n * K, sizeof *p->z);
    p->largest = room(p->n, sizeof *p->largest);
    double *theta = doubles_of(p->theta, model->n_params), *weight = doubles_of(p->weight, p->n * K);
    double *sum = room(model->n_params, sizeof *sum);
    for (size_t i = 0, c = 0, tried = 0; i < p->n; i++) {
        memcpy(p->z + i * K, choose(p, net, theta, i, &tried), K * sizeof *p->z);
        p->largest[i] = net->largest;
        plain_net_backward(net, sum, theta, weight + i * K);
        if (i + 1 < row->counts[c]) continue;
        p->grad[c] = room(model->n_params, sizeof **p->grad);
        memcpy(p->grad[c++], sum, model->n_params * sizeof *sum);
    }
    kelvin_free(sum);
    kelvin_free(theta);
    kelvin_free(weight);
    plain_net_destroy(net);
    kelvin_model_destroy(model);
}

static void unmake(struct problem *p)
{
    for (size_t c = 0; c < MOST_COUNTS; c++) kelvin_free(p->grad[c]);
    kelvin_free(p->theta);
    kelvin_free(p->x);
    kelvin_free(p->weight);
    kelvin_free(p->z);
    kelvin_free(p->largest);
}

/* ---- a model that runs ---- */

struct machine {
    kelvin_model *model;
    kelvin_weights *weights;
    kelvin_net *net;
    float *packed, *grad, *logits;
};

static void start(struct machine *m, const struct problem *p)
{
    assert_ok(kelvin_model_create(&m->model, p->row->spec, p->row->input, p->row->classes));
    assert_ok(kelvin_weights_create(&m->weights, m->model));
    assert_ok(kelvin_net_create(&m->net, m->model));
    m->packed = room(kelvin_model_packed(m->model, p->n), sizeof *m->packed);
    m->grad = room(m->model->n_params, sizeof *m->grad);
    m->logits = room(p->n * m->model->classes, sizeof *m->logits);
}

static void stop(struct machine *m)
{
    kelvin_free(m->packed);
    kelvin_free(m->grad);
    kelvin_free(m->logits);
    kelvin_net_destroy(m->net);
    kelvin_weights_destroy(m->weights);
    kelvin_model_destroy(m->model);
}

/* Logits and gradient of n observations. What was in `grad` before does not matter. */
static void run(struct machine *m, const float *theta, const float *x, const float *weight, size_t n)
{
    const size_t K = m->model->classes;
    float z[24 * KELVIN_BLOCK], dz[24 * KELVIN_BLOCK];
    assert_true(K <= 24);
    kelvin_weights_set(m->weights, theta, true);
    kelvin_model_pack(m->model, m->packed, x, n);
    for (size_t i = 0; i < m->model->n_params; i++) m->grad[i] = NAN;
    for (size_t first = 0; first < n; first += m->model->block) {
        const kelvin_block block = kelvin_model_block(m->model, m->packed, n, first);
        kelvin_net_forward(m->net, z, m->weights, &block);
        memset(dz, 0, sizeof dz);
        for (size_t i = 0; i < block.n; i++)
            for (size_t k = 0; k < K; k++) {
                dz[k * KELVIN_BLOCK + i] = weight[(first + i) * K + k];
                m->logits[(first + i) * K + k] = z[k * KELVIN_BLOCK + i];
            }
        kelvin_net_backward(m->net, m->grad, m->weights, dz, &block);
    }
}

/* Begins a sum over blocks, of what was packed last, that nobody ends. */
static void leave_open(struct machine *m)
{
    float z[24 * KELVIN_BLOCK], dz[24 * KELVIN_BLOCK] = {1};
    kelvin_block block = kelvin_model_block(m->model, m->packed, 1, 0);
    block.last = false;
    kelvin_net_forward(m->net, z, m->weights, &block);
    kelvin_net_backward(m->net, m->grad, m->weights, dz, &block);
}

/* ---- against plain layers ---- */

/* Sums of products in order are off by a few 1e-7 of the largest, a convolution by Winograd's method by about 1e-6;
 * what goes through several layers gathers the errors of each. On the way back as much again. */
static double tolerance_of(const struct problem *p)
{
    return (strncmp(p->row->spec, "resnet", 6) == 0 ? 1e-6 : 3e-7) * (double)p->layers;
}

static void check_logits(const struct problem *p, const float *logits, size_t n)
{
    const size_t K = p->row->classes;
    for (size_t i = 0; i < n * K; i++) assert_near((double)logits[i], p->z[i], tolerance_of(p) * p->largest[i / K]);
}

static void networks_are_as_plain_layers(void **state)
{
    (void)state;
    for (size_t r = 0; r < ROWS; r++) {
        struct problem p;
        make(&p, &rows[r]);
        for (size_t isa = 0; use_isa(isa); isa++) {
            struct machine m;
            start(&m, &p);
            for (size_t c = 0; c < MOST_COUNTS && rows[r].counts[c]; c++) {
                run(&m, p.theta, p.x, p.weight, rows[r].counts[c]);
                check_logits(&p, m.logits, rows[r].counts[c]);
                assert_gradient(m.model, m.grad, p.grad[c], 2 * tolerance_of(&p));
                kelvin_weights_set(m.weights, p.theta, false);
                kelvin_net_logits(m.net, m.logits, m.weights, m.packed, rows[r].counts[c]);
                check_logits(&p, m.logits, rows[r].counts[c]);
            }
            stop(&m);
        }
        unmake(&p);
    }
}

/* ---- nothing is left of what was before ---- */

/* One model of each kind of blocks. */
static const struct row some[] = {{"mlp:7,13", {5, 1, 1}, 3, {7, 61}},
                                  {"cnn", {2, 5, 26}, 4, {7, 61}},
                                  {"resnet8", {3, 9, 13}, 7, {3, 12}},
                                  {"resnet8", {3, 20, 20}, 2, {5, 8}}};
enum { SOME = sizeof some / sizeof *some };

/* The first observations by themselves, then all, then others, with other parameters, that are not numbers, the last
 * time without an end to the sum; then the first again, and all forward alone, and the first again, and with
 * instruction sets that have FMA: always the same bits. */
static void nets_remember_nothing(void **state)
{
    (void)state;
    for (size_t r = 0; r < SOME; r++) {
        struct problem p;
        make_inputs(&p, &some[r]);
        const size_t few = some[r].counts[0];
        float *fused = NULL;
        for (size_t isa = 0; use_isa(isa); isa++) {
            struct machine m;
            start(&m, &p);
            const size_t n_params = m.model->n_params, inputs = m.model->inputs, n_logits = few * m.model->classes;
            float *grad = room(n_params, sizeof *grad), *logits = room(n_logits, sizeof *logits);
            float *poison = room(p.n * inputs + n_params, sizeof *poison);
            for (size_t i = 0; i < p.n * inputs + n_params; i++) poison[i] = NAN;
            run(&m, p.theta, p.x, p.weight, few);
            memcpy(grad, m.grad, n_params * sizeof *grad);
            memcpy(logits, m.logits, n_logits * sizeof *logits);
            run(&m, p.theta, p.x, p.weight, p.n);
            run(&m, poison, poison, p.weight, p.n);
            leave_open(&m);
            run(&m, p.theta, p.x, p.weight, few);
            assert_bits(m.grad, grad, n_params, some[r].spec);
            assert_bits(m.logits, logits, n_logits, some[r].spec);
            kelvin_model_pack(m.model, m.packed, p.x, p.n);
            kelvin_net_logits(m.net, m.logits, m.weights, m.packed, p.n); /* forward alone */
            run(&m, p.theta, p.x, p.weight, few);
            assert_bits(m.grad, grad, n_params, some[r].spec);
            if (fused) assert_bits(grad, fused, n_params, some[r].spec);
            if (!fused && m.model->kernels->fma) {
                fused = room(n_params, sizeof *fused);
                memcpy(fused, grad, n_params * sizeof *fused);
            }
            kelvin_free(grad);
            kelvin_free(logits);
            kelvin_free(poison);
            stop(&m);
        }
        kelvin_free(fused);
        unmake(&p);
    }
}

/* Blocks of all sizes, one after the other, through one net and one that is fresh: the same bits. Shapes of panels
 * change in between. */
static void sizes_come_in_any_order(void **state)
{
    (void)state;
    static const size_t order[] = {24, 16, 18, 7, 18, 9, 61, 8, 10, 16, 17, 1, 34, 2, 48, 26, 3, 12, 5};
    for (size_t r = 0; r < SOME; r++) {
        struct problem p;
        struct machine old;
        make_inputs(&p, &some[r]);
        start(&old, &p);
        for (size_t c = 0; c < sizeof order / sizeof *order; c++) {
            if (order[c] > p.n) continue;
            struct machine fresh;
            start(&fresh, &p);
            run(&old, p.theta, p.x, p.weight, order[c]);
            run(&fresh, p.theta, p.x, p.weight, order[c]);
            assert_bits(old.grad, fresh.grad, fresh.model->n_params, some[r].spec);
            assert_bits(old.logits, fresh.logits, order[c] * fresh.model->classes, some[r].spec);
            assert_true(kelvin_net_bytes(old.net) == kelvin_net_bytes(fresh.net) && kelvin_net_bytes(old.net) > 0);
            stop(&fresh);
        }
        stop(&old);
        unmake(&p);
    }
}

/* theta is looked at when it is set, and again with each set. */
static void weights_follow_theta(void **state)
{
    (void)state;
    for (size_t r = 0; r < SOME; r++) {
        struct problem p;
        struct machine m;
        make_inputs(&p, &some[r]);
        start(&m, &p);
        const size_t n = p.n * m.model->classes;
        float *zeros = room(m.model->n_params, sizeof *zeros), *before = room(n, sizeof *before);
        run(&m, p.theta, p.x, p.weight, p.n);
        memcpy(before, m.logits, n * sizeof *before);
        kelvin_weights_set(m.weights, zeros, false);
        kelvin_net_logits(m.net, m.logits, m.weights, m.packed, p.n);
        for (size_t i = 0; i < n; i++) assert_true(m.logits[i] == 0);
        kelvin_weights_set(m.weights, p.theta, false);
        kelvin_net_logits(m.net, m.logits, m.weights, m.packed, p.n);
        assert_bits(m.logits, before, n, some[r].spec);
        kelvin_free(zeros);
        kelvin_free(before);
        stop(&m);
        unmake(&p);
    }
}

/* Packed observations as blocks: none is left out, none comes twice, and kernels that load vectors can. */
static void blocks_tile_the_observations(void **state)
{
    (void)state;
    for (size_t r = 0; r < ROWS; r++) {
        kelvin_model *model;
        assert_ok(kelvin_model_create(&model, rows[r].spec, rows[r].input, rows[r].classes));
        const bool vectors = strncmp(rows[r].spec, "resnet", 6) != 0;
        for (size_t n = 1; n < 60; n++) {
            float *packed = room(kelvin_model_packed(model, n), sizeof *packed);
            size_t seen = 0, end = 0;
            for (size_t first = 0; first < n; first += model->block) {
                const kelvin_block block = kelvin_model_block(model, packed, n, first);
                const size_t at = (size_t)(block.x - packed);
                assert_true(block.first == (first == 0) && block.last == (first + block.n == n));
                assert_true(block.n > 0 && block.n <= model->block && (!vectors || (uintptr_t)block.x % 64 == 0));
                assert_true(at >= end);
                end = at + block.n * model->inputs;
                seen += block.n;
            }
            assert_true(seen == n && end <= kelvin_model_packed(model, n));
            kelvin_free(packed);
        }
        kelvin_model_destroy(model);
    }
}

/* An image's logits do not depend on those beside it, nor on its place: to the bit where lanes are channels. */
static void images_do_not_see_each_other(void **state)
{
    (void)state;
    static const struct row row = {"resnet8", {3, 20, 20}, 5, {19}};
    struct problem p;
    struct machine m;
    make_inputs(&p, &row);
    start(&m, &p);
    float *logits = room(p.n * row.classes, sizeof *logits);
    run(&m, p.theta, p.x, p.weight, p.n);
    memcpy(logits, m.logits, p.n * row.classes * sizeof *logits);
    for (size_t i = 0; i < p.n; i++) {
        run(&m, p.theta, p.x + i * m.model->inputs, p.weight, 1);
        assert_bits(m.logits, logits + i * row.classes, row.classes, "one image");
    }
    kelvin_free(logits);
    stop(&m);
    unmake(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(networks_are_as_plain_layers), cmocka_unit_test(nets_remember_nothing),
        cmocka_unit_test(sizes_come_in_any_order),      cmocka_unit_test(weights_follow_theta),
        cmocka_unit_test(blocks_tile_the_observations), cmocka_unit_test(images_do_not_see_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
