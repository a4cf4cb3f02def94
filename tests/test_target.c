/* target: the posterior of a network, and its gradient, against a double-precision posterior that is put together from
 * plain loops, kelvin_density_eval and kelvin_prior_eval. */
#include "check.h"
#include "plain_mlp.h"

#include <kelvin/target.h>

static const char *const densities[] = {"categorical",    "dirichlet:0.8",      "dirclip:1.4,-50",
                                        "dirclip:0.6,-2", "ndg-logits:0.01",    "ndg-logprobs:0.01",
                                        "ndg-prior:0.1",  "ndg-likelihood:0.1", "confidence:0.2"};
static const char *const priors[] = {"normal:1",      "laplace:0.7",       "logistic:0.4",
                                     "student-t:1,3", "mixture:0.3,2,0.4", NULL};

struct oracle {
    kelvin_model *model;
    kelvin_density density;
    kelvin_prior prior;
    bool has_prior;
    const kelvin_data *data;
};

static double oracle_logp(const struct oracle *o, const double *theta)
{
    struct plain_mlp plain;
    double sum = o->has_prior ? kelvin_prior_eval(&o->prior, NULL, theta, o->model->n_params) : 0;
    for (size_t i = 0; i < o->data->train.n; i++) {
        plain_forward(&plain, o->model, theta, o->data->train.x + i * o->data->inputs);
        sum += kelvin_density_eval(&o->density, NULL, plain.act[o->model->n_layers], o->data->classes,
                                   (size_t)o->data->train.y[i]);
    }
    return sum;
}

static void check(const struct oracle *o)
{
    kelvin_posterior *posterior;
    assert_ok(kelvin_posterior_create(&posterior, o->model, &o->density, o->has_prior ? &o->prior : NULL, o->data, NULL));
    const kelvin_target target = kelvin_posterior_target(posterior);
    assert_int_equal(target.n, o->model->n_params);
    float *theta = kelvin_alloc(target.n, sizeof *theta), *grad = kelvin_alloc(target.n, sizeof *grad);
    double *theta_d = kelvin_alloc(target.n, sizeof *theta_d), logp, again;
    for (size_t i = 0; i < target.n; i++)
        theta_d[i] = (double)(theta[i] = (float)(0.6 * kelvin_normal((kelvin_random){5, 6, 7, 8}, i)));
    target.eval(target.context, &logp, grad, theta);
    const double expected = oracle_logp(o, theta_d);
    assert_near(logp, expected, 3e-6 * (fabs(expected) + 100));
    target.eval(target.context, &again, NULL, theta); /* the value alone is the same value */
    assert_true(again == logp);
    float largest = 0;
    for (size_t i = 0; i < target.n; i++) largest = fmaxf(largest, fabsf(grad[i]));
    for (size_t i = 0; i < target.n; i += 3) {
        const double h = 1e-6, keep = theta_d[i];
        theta_d[i] = keep + h;
        const double up = oracle_logp(o, theta_d);
        theta_d[i] = keep - h;
        const double down = oracle_logp(o, theta_d);
        theta_d[i] = keep;
        /* the quotient loses 16 digits less those of logp and h: 1e-16 |logp| / h */
        assert_near((double)grad[i], (up - down) / (2 * h), 2e-5 * (double)largest + 1e-9 * (fabs(expected) + 100));
    }
    kelvin_free(theta_d);
    kelvin_free(theta);
    kelvin_free(grad);
    kelvin_posterior_destroy(posterior);
}

/* 18 points, one block; and 61 observations of 3 classes, three blocks. */
static void posterior_gradients(void **state)
{
    (void)state;
    kelvin_data *toy;
    assert_ok(kelvin_data_open(&toy, "toy"));
    static float x[61 * 5];
    static int32_t y[61];
    for (size_t i = 0; i < 61 * 5; i++) x[i] = (float)kelvin_normal((kelvin_random){1, 2, 3, 4}, i);
    for (int i = 0; i < 61; i++) y[i] = i * 7 % 3;
    const kelvin_data wide = {.name = "wide", .inputs = 5, .classes = 3, .train = {.n = 61, .x = x, .y = y}};
    struct oracle o = {0};
    for (int which = 0; which < 2; which++) {
        o.data = which ? &wide : toy;
        assert_ok(kelvin_model_create(&o.model, which ? "mlp:9,7,leak=0.1" : "mlp:10,10,10,10,10",
                                      kelvin_data_shape(o.data), o.data->classes));
        for (size_t d = 0; d < sizeof densities / sizeof *densities; d++) {
            const char *prior = priors[d % 6];
            o.has_prior = prior != NULL;
            assert_ok(kelvin_density_parse(&o.density, densities[d]));
            if (prior) assert_ok(kelvin_prior_parse(&o.prior, prior));
            check(&o);
        }
        kelvin_model_destroy(o.model);
    }
    kelvin_data_close(toy);
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

static void shapes_must_agree(void **state)
{
    (void)state;
    kelvin_data *toy;
    kelvin_model *model;
    kelvin_density density;
    kelvin_posterior *posterior;
    assert_ok(kelvin_data_open(&toy, "toy"));
    assert_ok(kelvin_model_create(&model, "mlp:4", (kelvin_shape){3, 1, 1}, 2));
    assert_ok(kelvin_density_parse(&density, "categorical"));
    assert_int_equal(kelvin_posterior_create(&posterior, model, &density, NULL, toy, NULL), KELVIN_EUSAGE);
    kelvin_model_destroy(model);
    assert_ok(kelvin_model_create(&model, "mlp:4", kelvin_data_shape(toy), 2));
    kelvin_data empty = *toy;
    empty.train.n = 0;
    assert_int_equal(kelvin_posterior_create(&posterior, model, &density, NULL, &empty, NULL), KELVIN_EUSAGE);
    assert_non_null(strstr(kelvin_error(), "at least one observation"));
    kelvin_model_destroy(model);
    kelvin_data_close(toy);
    assert_int_equal(kelvin_data_open(&toy, "toys"), KELVIN_EUSAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(posterior_gradients),
        cmocka_unit_test(shapes_of_data),
        cmocka_unit_test(shapes_must_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
