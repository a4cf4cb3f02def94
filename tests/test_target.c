/* target: the posterior of a network, and its gradient, against one in double that is put together from plain layers,
 * kelvin_density_eval and kelvin_prior_eval. */
#include "nets.h"

#include "data/dataset.h"
#include "density/density.h"
#include "target/outputs.h"

#include "target/target.h"

#include <math.h>
#include <stdio.h>

static const char *const densities[] = {"categorical",    "dirichlet:0.8",      "dirclip:1.4,-50",
                                        "dirclip:0.6,-2", "ndg-logits:0.01",    "ndg-logprobs:0.01",
                                        "ndg-prior:0.1",  "ndg-likelihood:0.1", "confidence:0.2"};
static const char *const priors[] = {"normal:1",     "fan-in:1.4",    "sparse:2,0.3",      "laplace:0.7",
                                     "logistic:0.4", "student-t:1,3", "mixture:0.3,2,0.4", NULL};
enum { DENSITIES = sizeof densities / sizeof *densities, PRIORS = sizeof priors / sizeof *priors };

static const struct row {
    const char *spec;
    kelvin_shape input;
    size_t classes, n;
    size_t densities; /* so many of them, from the last on */
    double tolerance; /* of the network's gradient, relative to the largest of a tensor: see test_nn.c */
} rows[] = {
    {"mlp:10,10,10,10,10", {2, 1, 1}, 2, 18, DENSITIES, 5e-6},
    {"mlp:9,7,leak=0.1", {5, 1, 1}, 3, 61, DENSITIES, 5e-6},
    {"mlp:9,7,leak=0.1", {5, 1, 1}, 3, 250, 3, 5e-6},
    {"mlp:6", {70, 1, 1}, 3, 20, DENSITIES, 5e-6},
    {"cnn:4,3,kernel=3,stride=2", {3, 9, 9}, 2, 10, DENSITIES, 5e-6},
    {"cnn", {1, 8, 8}, 4, 29, DENSITIES, 5e-6},
    {"cnn", {1, 28, 28}, 10, 250, 2, 5e-6},
    {"resnet8", {1, 8, 8}, 3, 9, DENSITIES, 3e-5},
    {"resnet8", {2, 6, 7}, 10, 75, 2, 3e-5},
};
enum { ROWS = sizeof rows / sizeof *rows };

/* Data, and the plain posterior of them. */
struct oracle {
    kelvin_model *model;
    struct plain_net *net;
    float *theta, *x;
    int32_t *y;
    double *theta_d, *grad, logp, size; /* size: the sum of the sizes of all terms of logp */
    kelvin_data data;
};

static void make(struct oracle *o, const struct row *row)
{
    assert_ok(kelvin_model_create(&o->model, row->spec, row->input, row->classes));
    o->net = plain_net_create(o->model);
    assert_non_null(o->net);
    o->theta = parameters(o->model, 5);
    o->theta_d = doubles_of(o->theta, o->model->n_params);
    o->grad = room(o->model->n_params, sizeof *o->grad);
    o->x = room(row->n * o->model->inputs, sizeof *o->x);
    o->y = room(row->n, sizeof *o->y);
    const size_t inputs = o->model->inputs;
    for (size_t i = 0, tried = 0; i < row->n; i++) {
        o->y[i] = (int32_t)(i * 7 % row->classes);
        do { /* without units that a rounding would push over a kink, as in test_nn.c */
            for (size_t j = 0; j < inputs; j++) o->x[i * inputs + j] = (float)normal_at(6, tried * inputs + j);
            plain_net_forward(o->net, o->theta_d, o->x + i * inputs);
            assert_true(++tried < 300);
        } while (o->net->margin < 2e-6);
    }
    o->data = (kelvin_data){
        .name = "made", .inputs = inputs, .classes = row->classes, .train = {.n = row->n, .x = o->x, .y = o->y}};
}

static void unmake(struct oracle *o)
{
    kelvin_free(o->theta);
    kelvin_free(o->theta_d);
    kelvin_free(o->grad);
    kelvin_free(o->x);
    kelvin_free(o->y);
    plain_net_destroy(o->net);
    kelvin_model_destroy(o->model);
}

/* What `sparse` adds for the weights of one input, by its formula. */
static double plain_group(double square, double m, double inputs, double t)
{
    return -(m + 1) / 2 * log1p(inputs * square / (t * t));
}

/* The first tensor has the weights of the inputs, (out, in, ...): all that have the same `in` belong together. Slopes
 * by finite differences. */
static double plain_groups(const struct oracle *o, double t, double *grad)
{
    const kelvin_tensor *tensor = kelvin_model_tensor(o->model, 0);
    const size_t n = kelvin_tensor_size(tensor), in = tensor->shape[1], taps = n / tensor->shape[0] / in;
    const double m = (double)(n / in), inputs = (double)(in * taps), h = 1e-5;
    double sum = 0;
    for (size_t c = 0; c < in; c++) {
        double square = 0;
        for (size_t i = 0; i < n; i++)
            if (i / taps % in == c) square += o->theta_d[i] * o->theta_d[i];
        sum += plain_group(square, m, inputs, t);
        for (size_t i = 0; i < n; i++) {
            if (i / taps % in != c) continue;
            const double w = o->theta_d[i], rest = square - w * w;
            grad[i] += (plain_group(rest + (w + h) * (w + h), m, inputs, t) -
                        plain_group(rest + (w - h) * (w - h), m, inputs, t)) /
                       (2 * h);
        }
    }
    return sum;
}

/* Of all parameters in double; fan-in by its formula: a weight (out, in, ...) has in x ... inputs. */
static double plain_prior(const struct oracle *o, const char *text, const kelvin_prior *prior, double *grad)
{
    double s, narrow = 0, sum = 0;
    if (sscanf(text, "sparse:%lf,%lf", &s, &narrow) != 2 && sscanf(text, "fan-in:%lf", &s) != 1)
        return kelvin_prior_eval(prior, grad, o->theta_d, o->model->n_params);
    for (size_t t = 0; t < kelvin_model_tensors(o->model); t++) {
        const kelvin_tensor *tensor = kelvin_model_tensor(o->model, t);
        const size_t n = kelvin_tensor_size(tensor), inputs = tensor->ndim > 1 ? n / tensor->shape[0] : 1;
        for (size_t i = tensor->offset; i < tensor->offset + n; i++) {
            grad[i] = -o->theta_d[i] * (double)inputs / (s * s);
            sum += 0.5 * o->theta_d[i] * grad[i];
        }
    }
    return narrow > 0 ? sum + plain_groups(o, narrow, grad) : sum;
}

/* logp and its gradient at theta. */
static void plain_posterior(struct oracle *o, const kelvin_density *density, const char *text,
                            const kelvin_prior *prior)
{
    const kelvin_model *model = o->model;
    double dz[16], *grad = room(model->n_params, sizeof *grad);
    assert_true(model->classes <= 16);
    memset(o->grad, 0, model->n_params * sizeof *o->grad);
    o->logp = prior ? plain_prior(o, text, prior, grad) : 0;
    o->size = fabs(o->logp);
    for (size_t i = 0; i < o->data.train.n; i++) {
        const double *z = plain_net_forward(o->net, o->theta_d, o->x + i * model->inputs);
        const double logp = kelvin_density_eval(density, dz, z, model->classes, (size_t)o->y[i]);
        o->logp += logp;
        o->size += fabs(logp) + 1;
        plain_net_backward(o->net, o->grad, o->theta_d, dz);
    }
    for (size_t i = 0; prior && i < model->n_params; i++) o->grad[i] += grad[i];
    kelvin_free(grad);
}

/* The density's slopes in float are good to a few 1e-6 of the largest, where those of the network are better. */
static void check(struct oracle *o, const kelvin_density *density, const char *text, const kelvin_prior *prior,
                  double tolerance)
{
    kelvin_posterior *posterior;
    assert_ok(kelvin_posterior_make(&posterior, o->model, density, prior, &o->data, NULL));
    const kelvin_target target = kelvin_posterior_target(posterior);
    assert_int_equal(target.n, o->model->n_params);
    float *grad = room(target.n, sizeof *grad), *alone = room(target.n, sizeof *alone);
    double logp, value;
    for (size_t i = 0; i < target.n; i++) grad[i] = alone[i] = NAN; /* whatever was there does not matter */
    target.eval(target.context, &logp, grad, o->theta);
    plain_posterior(o, density, text, prior);
    assert_near(logp, o->logp, 3e-6 * o->size);
    assert_gradient(o->model, grad, o->grad, tolerance);
    target.eval(target.context, &value, NULL, o->theta); /* either one alone is the same */
    assert_true(value == logp);
    target.eval(target.context, NULL, alone, o->theta);
    assert_bits(alone, grad, target.n, "the gradient alone");
    kelvin_free(grad);
    kelvin_free(alone);
    kelvin_posterior_destroy(posterior);
}

static void posteriors_are_as_plain_ones(void **state)
{
    (void)state;
    for (size_t r = 0; r < ROWS; r++) {
        struct oracle o;
        make(&o, &rows[r]);
        for (size_t d = DENSITIES - rows[r].densities; d < DENSITIES; d++) {
            kelvin_density density;
            kelvin_prior prior;
            const char *name = priors[(d + r) % PRIORS];
            assert_ok(kelvin_density_parse(&density, densities[d]));
            if (name) assert_ok(kelvin_prior_parse(&prior, name));
            check(&o, &density, name, name ? &prior : NULL, rows[r].tolerance);
        }
        unmake(&o);
    }
}

/* What programs call: of all data, by handles, on any number of threads. */
static void by_handles_the_same_target(void **state)
{
    (void)state;
    kelvin_data *data;
    kelvin_model *model;
    kelvin_density *density;
    kelvin_prior *prior;
    assert_ok(kelvin_data_open(&data, "toy"));
    assert_ok(kelvin_model_create(&model, "mlp:7", kelvin_data_shape(data), kelvin_data_classes(data)));
    assert_ok(kelvin_density_create(&density, "dirclip:0.9,-5"));
    assert_ok(kelvin_prior_create(&prior, "laplace:0.7"));
    const size_t n = kelvin_model_parameters(model);
    float *theta = room(n, sizeof *theta), *grad = room(n, sizeof *grad), *want = room(n, sizeof *want);
    kelvin_model_start(model, theta, 3, 1);
    for (size_t threads = 0; threads < 4; threads++) {
        kelvin_posterior *inside, *outside;
        double logp, expected;
        assert_ok(kelvin_posterior_make(&inside, model, density, prior, data, NULL));
        assert_ok(kelvin_posterior_create(&outside, model, density, prior, data, threads));
        kelvin_target a = kelvin_posterior_target(inside), b = kelvin_posterior_target(outside);
        assert_int_equal(b.n, n);
        a.eval(a.context, &expected, want, theta);
        b.eval(b.context, &logp, grad, theta);
        assert_true(logp == expected);
        assert_bits(grad, want, n, "the gradient");
        kelvin_posterior_destroy(inside);
        kelvin_posterior_destroy(outside);
    }
    kelvin_free(theta);
    kelvin_free(grad);
    kelvin_free(want);
    kelvin_prior_destroy(prior);
    kelvin_density_destroy(density);
    kelvin_model_destroy(model);
    kelvin_data_close(data);
}

/* ---- images, as bytes ---- */

/* A pixel is (byte / white - mean) / deviation. */
static void images_are_normalised(void **state)
{
    (void)state;
    kelvin_data *digits;
    kelvin_model *model;
    kelvin_density density;
    kelvin_posterior *posterior;
    assert_ok(kelvin_data_open(&digits, "digits"));
    const size_t n = digits->train.n, inputs = digits->inputs, K = digits->classes;
    const kelvin_shape shape = kelvin_data_shape(digits);
    assert_true(digits->train.bytes && inputs == 64);
    assert_ok(kelvin_model_create(&model, "cnn", shape, K));
    assert_ok(kelvin_density_parse(&density, "categorical"));
    assert_ok(kelvin_posterior_make(&posterior, model, &density, NULL, digits, NULL));
    float *theta = parameters(model, 1), *logits = room(n * K, sizeof *logits), x[64];
    double *theta_d = doubles_of(theta, model->n_params);
    struct plain_net *net = plain_net_create(model);
    kelvin_posterior_logits(posterior, logits, theta);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < inputs; j++)
            x[j] = (float)((digits->train.bytes[i * inputs + j] / (double)digits->white - digits->mean[0]) /
                           digits->deviation[0]);
        const double *z = plain_net_forward(net, theta_d, x);
        for (size_t k = 0; k < K; k++) assert_near((double)logits[i * K + k], z[k], 2e-6 * net->largest);
    }
    plain_net_destroy(net);
    kelvin_free(theta_d);
    kelvin_free(theta);
    kelvin_free(logits);
    kelvin_posterior_destroy(posterior);
    kelvin_model_destroy(model);
    kelvin_data_close(digits);
}

static void shapes_of_data(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        kelvin_shape shape;
    } known[] = {{"toy", {2, 1, 1}}, {"digits", {1, 8, 8}}};
    for (size_t i = 0; i < 2; i++) {
        kelvin_data *data;
        assert_ok(kelvin_data_open(&data, known[i].name));
        const kelvin_shape shape = kelvin_data_shape(data);
        assert_int_equal(shape.channels, known[i].shape.channels);
        assert_int_equal(shape.height, known[i].shape.height);
        assert_int_equal(shape.width, known[i].shape.width);
        kelvin_data_close(data);
    }
}

/* ---- what the network says ---- */

enum { MOST_CLASSES = 11 };

/* Of one observation, z (K). A row with a logit that is not a number has no largest one. */
static kelvin_outputs plain_outputs(const float *z, size_t K, int32_t y)
{
    double largest = -INFINITY, smallest = INFINITY, sum = 0;
    bool finite = true, numbers = true;
    size_t top = K;
    for (size_t k = K; k-- > 0;)
        if ((double)z[k] >= largest) largest = (double)z[top = k];
    for (size_t k = 0; k < K; k++) {
        smallest = fmin(smallest, (double)z[k]);
        finite &= isfinite(z[k]);
        numbers &= !isnan(z[k]);
        sum += exp((double)z[k] - largest);
    }
    return (kelvin_outputs){.n = 1,
                            .hits = numbers && top == (size_t)y,
                            .confidence = finite ? 1 / sum : NAN,
                            .range = finite ? (double)(float)(largest - smallest) : NAN};
}

/* logits (n, K) */
static kelvin_outputs plain_sum(const float *logits, const int32_t *y, size_t K, size_t n)
{
    kelvin_outputs sum = {0};
    bool finite = true;
    for (size_t i = 0; i < n; i++) {
        const kelvin_outputs one = plain_outputs(logits + i * K, K, y[i]);
        sum.n++;
        sum.hits += one.hits;
        sum.confidence += one.confidence;
        sum.range = fmax(sum.range, one.range);
        finite &= !isnan(one.range);
    }
    if (!finite) sum.range = NAN;
    return sum;
}

/* Eleven exponentials in float, added up: a rounding of 6e-8 each. */
static void assert_outputs(const kelvin_outputs *got, const kelvin_outputs *expected)
{
    assert_true(got->n == expected->n);
    assert_int_equal(got->hits, expected->hits);
    if (isnan(expected->range)) {
        assert_true(isnan(got->range) && isnan(got->confidence));
    } else {
        assert_near(got->confidence, expected->confidence, 1e-6 * expected->confidence);
        assert_true(got->range == expected->range);
    }
}

/* Small whole logits, of which many are equal, or normal ones; among those some that are not finite. */
static void make_logits(float *logits, size_t n, uint32_t stream)
{
    static const float odd[] = {NAN, INFINITY, -INFINITY, -NAN, 3e38f, -3e38f};
    for (size_t i = 0; i < n; i++) {
        const double z = 3 * normal_at(20, i + 1000 * stream), rare = normal_at(21, i + 1000 * stream);
        logits[i] = (float)(stream % 2 ? z : rint(z));
        if (stream % 4 == 3 && rare > 2) logits[i] = odd[(i + stream) % 6];
    }
}

/* Blocks of 1 to all observations, of 1 to 11 classes; what stands beyond the last one does not count. */
static void blocks_are_counted(void **state)
{
    (void)state;
    float logits[KELVIN_BLOCK * MOST_CLASSES], z[KELVIN_BLOCK * MOST_CLASSES];
    int32_t y[KELVIN_BLOCK];
    for (size_t isa = 0; use_isa(isa); isa++) {
        const struct kelvin_kernels *kernels;
        assert_ok(kelvin_kernels_get(&kernels));
        for (size_t K = 1; K <= MOST_CLASSES; K++)
            for (uint32_t stream = 0; stream < 2 * KELVIN_BLOCK; stream++) {
                const size_t n = stream % KELVIN_BLOCK + 1;
                make_logits(logits, n * K, stream);
                for (size_t i = 0; i < KELVIN_BLOCK; i++) {
                    if (i < n) y[i] = (int32_t)((i + stream) % K);
                    for (size_t k = 0; k < K; k++) z[k * KELVIN_BLOCK + i] = i < n ? logits[i * K + k] : NAN;
                }
                kelvin_outputs sum = {0};
                const kelvin_outputs expected = plain_sum(logits, y, K, n);
                kelvin_outputs_block(&sum, kernels, z, y, K, n);
                assert_outputs(&sum, &expected);
            }
    }
}

static void outputs_are_added(void **state)
{
    (void)state;
    kelvin_outputs a = {.n = 3, .hits = 1, .confidence = 1.25, .range = 2}, none = {0};
    kelvin_outputs_add(&a, &(kelvin_outputs){.n = 5, .hits = 4, .confidence = 3.5, .range = 1});
    kelvin_outputs_add(&a, &none);
    assert_outputs(&a, &(kelvin_outputs){.n = 8, .hits = 5, .confidence = 4.75, .range = 2});
    kelvin_outputs_add(&a, &(kelvin_outputs){.n = 1, .range = 7});
    assert_true(a.range == 7);
    kelvin_outputs_add(&a, &(kelvin_outputs){.n = 1, .range = NAN});
    kelvin_outputs_add(&a, &(kelvin_outputs){.n = 1, .range = 8});
    assert_true(isnan(a.range) && a.n == 11);
}

/* After each kind of evaluation, of the observations that it looked at; `expected` may be NULL. */
static void check_outputs(struct oracle *o, const float *theta, const kelvin_outputs *expected, size_t n)
{
    const kelvin_posterior_options options[] = {{.outputs = true}, {.batch = n, .outputs = true, .threads = 2}, {0}};
    kelvin_density density;
    float *grad = room(o->model->n_params, sizeof *grad), *logits = room(n * o->model->classes, sizeof *logits);
    double logp;
    o->data.train.n = n;
    assert_ok(kelvin_density_parse(&density, "categorical"));
    for (size_t i = 0; i < 3; i++) {
        kelvin_posterior *posterior;
        assert_ok(kelvin_posterior_make(&posterior, o->model, &density, NULL, &o->data, &options[i]));
        if (options[i].batch) assert_ok(kelvin_posterior_set_batch(posterior, o->x, o->y, n));
        const kelvin_target target = kelvin_posterior_target(posterior);
        kelvin_outputs seen[4];
        target.eval(target.context, NULL, grad, theta);
        seen[0] = kelvin_posterior_outputs(posterior);
        kelvin_posterior_logits(posterior, logits, theta);
        seen[1] = kelvin_posterior_outputs(posterior);
        target.eval(target.context, &logp, NULL, o->theta);
        target.eval(target.context, &logp, grad, theta); /* of the last evaluation alone */
        seen[2] = kelvin_posterior_outputs(posterior);
        seen[3] = plain_sum(logits, o->y, o->model->classes, n);
        for (size_t s = 0; s < 3; s++) {
            assert_outputs(&seen[s], options[i].outputs ? &seen[3] : &(kelvin_outputs){0});
            assert_memory_equal(&seen[s], &seen[0], sizeof seen[0]);
        }
        if (expected) assert_outputs(&seen[3], expected);
        kelvin_posterior_destroy(posterior);
    }
    kelvin_free(grad);
    kelvin_free(logits);
}

/* Parameters of 0: all logits are equal, and the first class is the largest. Large ones: nothing is finite. */
static void outputs_are_as_plain_ones(void **state)
{
    (void)state;
    static const size_t n[] = {1, 18, 25, 61};
    static const struct row more[] = {{"cnn", {1, 8, 8}, 4, 125, 0, 0}, {"resnet8", {1, 8, 8}, 3, 75, 0, 0}};
    for (size_t K = 2; K <= MOST_CLASSES + 2; K++) {
        const struct row small = {"mlp:9,leak=0.1", {5, 1, 1}, K, 61, 0, 0};
        const struct row *row = K <= MOST_CLASSES ? &small : &more[K - MOST_CLASSES - 1];
        struct oracle o;
        make(&o, row);
        float *theta = room(o.model->n_params, sizeof *theta);
        for (size_t s = 0; s < 4; s++) {
            kelvin_outputs ties = {.n = n[s], .confidence = (double)n[s] / (double)row->classes};
            for (size_t i = 0; i < n[s]; i++) ties.hits += o.y[i] == 0;
            check_outputs(&o, o.theta, NULL, n[s]);
            memset(theta, 0, o.model->n_params * sizeof *theta);
            check_outputs(&o, theta, &ties, n[s]);
        }
        for (size_t i = 0; i < o.model->n_params; i++) theta[i] = 1e30f * o.theta[i];
        check_outputs(&o, theta, NULL, row->n);
        kelvin_free(theta);
        unmake(&o);
    }
}

/* ---- what is refused ---- */

static void wrong_questions_get_a_sentence(void **state)
{
    (void)state;
    kelvin_data *toy;
    kelvin_model *model, *fits;
    kelvin_density density;
    kelvin_posterior *posterior;
    assert_ok(kelvin_data_open(&toy, "toy"));
    assert_ok(kelvin_model_create(&model, "mlp:4", (kelvin_shape){3, 1, 1}, 2));
    assert_ok(kelvin_model_create(&fits, "mlp:4", kelvin_data_shape(toy), toy->classes));
    assert_ok(kelvin_density_parse(&density, "categorical"));
    kelvin_data none = *toy, more = *toy;
    none.train.n = 0;
    more.classes = 3;
    const kelvin_posterior_options batch = {.batch = 5}, total = {.total = 5};
    const struct {
        const kelvin_model *model;
        const kelvin_data *data;
        const kelvin_posterior_options *options;
        const char *says;
    } wrong[] = {
        {model, toy, NULL, "the model takes 3 inputs and 2 classes, the data have 2 and 2"},
        {fits, &more, NULL, "the model takes 2 inputs and 2 classes, the data have 2 and 3"},
        {fits, &none, NULL, "at least one observation"},
        {fits, NULL, NULL, "needs the size of its batches and a total"},
        {fits, NULL, &batch, "needs the size of its batches and a total"},
        {fits, NULL, &total, "needs the size of its batches and a total"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(
            kelvin_posterior_make(&posterior, wrong[i].model, &density, NULL, wrong[i].data, wrong[i].options),
            KELVIN_EUSAGE);
        assert_null(posterior);
        if (!strstr(kelvin_error(), wrong[i].says)) fail_msg("number %zu says: %s", i, kelvin_error());
    }
    kelvin_model_destroy(model);
    kelvin_model_destroy(fits);
    kelvin_data_close(toy);
    assert_int_equal(kelvin_data_open(&toy, "toys"), KELVIN_EUSAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(posteriors_are_as_plain_ones),
        cmocka_unit_test(by_handles_the_same_target),
        cmocka_unit_test(images_are_normalised),
        cmocka_unit_test(shapes_of_data),
        cmocka_unit_test(wrong_questions_get_a_sentence),
        cmocka_unit_test(blocks_are_counted),
        cmocka_unit_test(outputs_are_added),
        cmocka_unit_test(outputs_are_as_plain_ones),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
