/* Weights of observations: against rows that are given as often, against sums and finite differences in double that are
 * made of the rows and the weights as they were given. */
#include "nets.h"

#include "data/dataset.h"
#include "density/density.h"
#include "run/fields.h"

#include "target/target.h"

enum { ROWS = 60, COLUMNS = 5, CLASSES = 3, MOST = 4 };
static const char model_spec[] = "mlp:9,7,leak=0.1";

/* Rows as they were measured, far from 0 and of different sizes. */
struct table {
    float x[MOST * ROWS][COLUMNS];
    int32_t y[MOST * ROWS];
    double weight[MOST * ROWS];
    size_t n;
};

static void measure(struct table *t)
{
    *t = (struct table){.n = ROWS};
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < COLUMNS; j++)
            t->x[i][j] = (float)(10.3 + (double)(j + 1) * normal_at(3, i * COLUMNS + j));
        t->y[i] = (int32_t)(i * 7 % CLASSES);
        t->weight[i] = 1;
    }
}

static kelvin_data *data_of(const struct table *t, double split)
{
    const kelvin_arrays arrays = {.rows = t->n,
                                  .columns = COLUMNS,
                                  .x = t->x[0],
                                  .labels = t->y,
                                  .classes = CLASSES,
                                  .weights = t->weight,
                                  .split = split,
                                  .split_seed = 5};
    kelvin_data *data;
    assert_ok(kelvin_data_from_arrays(&data, &arrays));
    return data;
}

/* ---- whole weights ---- */

static void assert_same_part(const kelvin_part *a, const kelvin_part *b)
{
    assert_int_equal(a->n, b->n);
    assert_null(a->weight);
    assert_null(b->weight);
    assert_bits(a->x, b->x, a->n * COLUMNS, "rows");
    assert_memory_equal(a->y, b->y, a->n * sizeof *a->y);
}

/* Each row is there as often as its weight says, next to itself, before anything else is done. */
static void whole_weights_are_repetition(void **state)
{
    (void)state;
    static const double splits[] = {-1, 0, 0.37};
    struct table weighted, repeated = {0};
    measure(&weighted);
    for (size_t i = 0; i < ROWS; i++) {
        weighted.weight[i] = (double)(i * 5 % MOST); /* 0 among them */
        for (size_t k = 0; k < i * 5 % MOST; k++) {
            memcpy(repeated.x[repeated.n], weighted.x[i], sizeof weighted.x[i]);
            repeated.weight[repeated.n] = 1;
            repeated.y[repeated.n++] = weighted.y[i];
        }
    }
    for (size_t s = 0; s < sizeof splits / sizeof *splits; s++) {
        kelvin_data *a = data_of(&weighted, splits[s]), *b = data_of(&repeated, splits[s]);
        char mark_a[KELVIN_DATA_MARK], mark_b[KELVIN_DATA_MARK];
        assert_int_equal(a->test.n > 0, splits[s] >= 0);
        assert_same_part(&a->train, &b->train);
        assert_same_part(&a->test, &b->test);
        assert_memory_equal(a->mean, b->mean, COLUMNS * sizeof *a->mean);
        assert_memory_equal(a->deviation, b->deviation, COLUMNS * sizeof *a->deviation);
        kelvin_data_mark(mark_a, a);
        kelvin_data_mark(mark_b, b);
        assert_string_equal(mark_a, mark_b);
        kelvin_data_close(a);
        kelvin_data_close(b);
    }
}

/* ---- fractions ---- */

static void weigh(struct table *t)
{
    static const double weights[] = {0.3, 2.5, 1, 0, 3.7, 0.01, 2, 1e-3};
    for (size_t i = 0; i < t->n; i++) t->weight[i] = weights[i % (sizeof weights / sizeof *weights)];
}

struct problem {
    struct table table;
    kelvin_data *data;
    kelvin_model *model;
    kelvin_density density;
    kelvin_prior prior;
    float *theta;
    double *theta_d;
};

static void make(struct problem *p, void (*prepare)(struct table *))
{
    measure(&p->table);
    prepare(&p->table);
    p->data = data_of(&p->table, -1);
    assert_ok(kelvin_model_create(&p->model, model_spec, kelvin_data_shape(p->data), CLASSES));
    assert_ok(kelvin_density_parse(&p->density, "dirclip:1.4,-50"));
    assert_ok(kelvin_prior_parse(&p->prior, "normal:1"));
    p->theta = parameters(p->model, 5);
    p->theta_d = doubles_of(p->theta, p->model->n_params);
}

static void unmake(struct problem *p)
{
    kelvin_free(p->theta);
    kelvin_free(p->theta_d);
    kelvin_model_destroy(p->model);
    kelvin_data_close(p->data);
}

/* Of a table as it was given: sum w x / sum w, and the same of squares. */
static void plain_statistics(double mean[COLUMNS], double deviation[COLUMNS], const struct table *t)
{
    double total = 0;
    for (size_t i = 0; i < t->n; i++) total += t->weight[i];
    for (size_t j = 0; j < COLUMNS; j++) {
        double squares = 0;
        mean[j] = 0;
        for (size_t i = 0; i < t->n; i++) mean[j] += t->weight[i] * (double)t->x[i][j] / total;
        for (size_t i = 0; i < t->n; i++) squares += t->weight[i] * pow((double)t->x[i][j] - mean[j], 2);
        deviation[j] = sqrt(squares / total);
    }
}

/* sum of w log-density + log-prior, from the table as it was given. */
static double plain_posterior(struct plain_net *net, const struct problem *p, const double *theta)
{
    const struct table *t = &p->table;
    double mean[COLUMNS], deviation[COLUMNS], sum = kelvin_prior_eval(&p->prior, NULL, theta, p->model->n_params);
    plain_statistics(mean, deviation, t);
    for (size_t i = 0; i < t->n; i++) {
        float x[COLUMNS];
        for (size_t j = 0; j < COLUMNS; j++) x[j] = (float)(((double)t->x[i][j] - mean[j]) / deviation[j]);
        const double *z = plain_net_forward(net, theta, x);
        sum += t->weight[i] * kelvin_density_eval(&p->density, NULL, z, CLASSES, (size_t)t->y[i]);
    }
    return sum;
}

/* Central differences of a sum of about 300 in double: rounding is 300 x 2e-16 / 1e-5 = 6e-9, the third derivative's
 * part (1e-5)^2 of gradients of some 10. */
static void gradients_are_differences(void **state)
{
    (void)state;
    const double h = 1e-5;
    struct problem p;
    make(&p, weigh);
    const size_t n = p.model->n_params;
    struct plain_net *net = plain_net_create(p.model);
    double *expected = room(n, sizeof *expected), logp;
    float *grad = room(n, sizeof *grad);
    for (size_t i = 0; i < n; i++) {
        const double at = p.theta_d[i];
        p.theta_d[i] = at + h;
        const double above = plain_posterior(net, &p, p.theta_d);
        p.theta_d[i] = at - h;
        expected[i] = (above - plain_posterior(net, &p, p.theta_d)) / (2 * h);
        p.theta_d[i] = at;
    }
    for (size_t threads = 1; threads < 4; threads += 2) {
        const kelvin_posterior_options options = {.threads = threads};
        kelvin_posterior *posterior;
        assert_ok(kelvin_posterior_make(&posterior, p.model, &p.density, &p.prior, p.data, &options));
        const kelvin_target target = kelvin_posterior_target(posterior);
        target.eval(target.context, &logp, grad, p.theta);
        assert_near(logp, plain_posterior(net, &p, p.theta_d), 1e-4); /* 3e-6 of the sum of its terms' sizes */
        assert_gradient(p.model, grad, expected, 5e-6);
        kelvin_posterior_destroy(posterior);
    }
    kelvin_free(expected);
    kelvin_free(grad);
    plain_net_destroy(net);
    unmake(&p);
}

static void statistics_are_weighted(void **state)
{
    (void)state;
    struct problem p;
    double mean[COLUMNS], deviation[COLUMNS], again[COLUMNS], one[COLUMNS];
    make(&p, weigh);
    plain_statistics(mean, deviation, &p.table);
    kelvin_data_statistics(p.data, KELVIN_TRAIN, again, one);
    for (size_t j = 0; j < COLUMNS; j++) { /* weights of copies are rounded to floats */
        assert_near(kelvin_data_mean(p.data, j), mean[j], 1e-6);
        assert_near(kelvin_data_deviation(p.data, j), deviation[j], 1e-6);
        assert_near(again[j], 0, 1e-6);
        assert_near(one[j], 1, 1e-6);
    }
    unmake(&p);
}

/* The mean over all batches of an epoch is the sum over all data, whatever their weights: batches have different sums
 * of these. */
static void batches_have_no_bias(void **state)
{
    (void)state;
    enum { BATCH = 12 };
    struct problem p;
    make(&p, weigh);
    const size_t n = p.model->n_params, rows = p.data->train.n, batches = rows / BATCH;
    assert_int_equal(rows % BATCH, 0);
    float *all = room(n, sizeof *all), *grad = room(n, sizeof *grad);
    double *mean = room(n, sizeof *mean), logp_all, logp, logp_mean = 0;
    uint32_t *order = room(rows, sizeof *order);
    kelvin_posterior *whole, *part;
    assert_ok(kelvin_posterior_make(&whole, p.model, &p.density, NULL, p.data, NULL));
    kelvin_target target = kelvin_posterior_target(whole);
    target.eval(target.context, &logp_all, all, p.theta);
    const kelvin_posterior_options options = {.batch = BATCH};
    assert_ok(kelvin_posterior_make(&part, p.model, &p.density, NULL, p.data, &options));
    target = kelvin_posterior_target(part);
    kelvin_data_order(order, rows, &(kelvin_epoch){.seed = 1});
    for (size_t b = 0; b < batches; b++) {
        assert_ok(kelvin_posterior_set_part(part, p.data, &p.data->train, order + b * BATCH, BATCH, NULL));
        target.eval(target.context, &logp, grad, p.theta);
        logp_mean += logp / (double)batches;
        for (size_t i = 0; i < n; i++) mean[i] += (double)grad[i] / (double)batches;
    }
    assert_near(logp_mean, logp_all, 1e-4);
    double *expected = doubles_of(all, n);
    float *rounded = room(n, sizeof *rounded);
    for (size_t i = 0; i < n; i++) rounded[i] = (float)mean[i];
    assert_gradient(p.model, rounded, expected, 5e-6);
    kelvin_free(expected);
    kelvin_free(rounded);
    kelvin_free(all);
    kelvin_free(grad);
    kelvin_free(mean);
    kelvin_free(order);
    kelvin_posterior_destroy(whole);
    kelvin_posterior_destroy(part);
    unmake(&p);
}

static void as_it_is(struct table *t)
{
    (void)t;
}

/* Each row twice, by halves. */
static void halve(struct table *t)
{
    for (size_t i = t->n; i-- > 0;)
        for (size_t k = 2; k-- > 0;) {
            memmove(t->x[2 * i + k], t->x[i], sizeof t->x[i]);
            t->y[2 * i + k] = t->y[i];
            t->weight[2 * i + k] = 0.5;
        }
    t->n *= 2;
}

static void halves_are_wholes(void **state)
{
    (void)state;
    struct problem p[2];
    double logp[2];
    float *grad[2];
    for (int i = 0; i < 2; i++) {
        kelvin_posterior *posterior;
        make(&p[i], i ? halve : as_it_is);
        grad[i] = room(p[i].model->n_params, sizeof *grad[i]);
        assert_ok(kelvin_posterior_make(&posterior, p[i].model, &p[i].density, &p[i].prior, p[i].data, NULL));
        const kelvin_target target = kelvin_posterior_target(posterior);
        target.eval(target.context, &logp[i], grad[i], p[i].theta);
        kelvin_posterior_destroy(posterior);
    }
    assert_int_equal(p[1].data->train.n, 2 * p[0].data->train.n);
    assert_null(p[0].data->train.weight);
    assert_true(kelvin_part_total(&p[1].data->train) == (double)ROWS);
    assert_near(logp[1], logp[0], 1e-4);
    double *expected = doubles_of(grad[0], p[0].model->n_params);
    assert_gradient(p[0].model, grad[1], expected, 5e-6);
    kelvin_free(expected);
    for (int i = 0; i < 2; i++) {
        kelvin_free(grad[i]);
        unmake(&p[i]);
    }
}

/* A row that is split off takes its weight with it. The first column says which row it was. */
static void splits_keep_weights(void **state)
{
    (void)state;
    struct table t;
    measure(&t);
    for (size_t i = 0; i < ROWS; i++) {
        t.x[i][0] = (float)i;
        t.weight[i] = (double)(i + 1) / (2 * ROWS);
    }
    kelvin_data *data = data_of(&t, 0.4);
    assert_int_equal(data->train.n + data->test.n, ROWS);
    for (kelvin_side side = KELVIN_TRAIN; side <= KELVIN_TEST; side++) {
        const kelvin_part *part = kelvin_data_part(data, side);
        assert_true(part->n > ROWS / 5);
        for (size_t i = 0; i < part->n; i++) {
            const long row = lrint((double)part->x[i * COLUMNS] * data->deviation[0] + data->mean[0]);
            assert_true(kelvin_data_weights(data, side)[i] == (float)t.weight[row]);
            assert_int_equal(part->y[i], t.y[row]);
        }
    }
    kelvin_data_close(data);
}

/* ---- what vouches for them ---- */

static void marks_cover_weights(void **state)
{
    (void)state;
    struct table t;
    char marks[2][KELVIN_DATA_MARK];
    for (int i = 0; i < 2; i++) {
        measure(&t);
        weigh(&t);
        kelvin_data *data = data_of(&t, -1);
        float *weight = (float *)(uintptr_t)data->train.weight; /* nothing else changes */
        weight[7] = i ? nextafterf(weight[7], 0) : weight[7];
        kelvin_data_mark(marks[i], data);
        kelvin_data_close(data);
    }
    assert_string_not_equal(marks[0], marks[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_weights_are_repetition),
        cmocka_unit_test(gradients_are_differences),
        cmocka_unit_test(statistics_are_weighted),
        cmocka_unit_test(batches_have_no_bias),
        cmocka_unit_test(halves_are_wholes),
        cmocka_unit_test(marks_cover_weights),
        cmocka_unit_test(splits_keep_weights),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
