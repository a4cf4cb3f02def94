/* target: batches, shards and threads. What an estimate from a batch is; that bits depend neither on threads nor on
 * what was evaluated before; that nothing is allocated on the way. */
#include "nets.h"

#include "base/memory.h"
#include "data/dataset.h"
#include "density/density.h"

#include "target/target.h"

#include <stdio.h>

/* Whole shards of several blocks, and a last block that is not whole. */
static const struct row {
    const char *spec;
    kelvin_shape input;
    size_t classes, n;
} rows[] = {
    {"mlp:9,7,leak=0.1", {5, 1, 1}, 3, 250},
    {"cnn", {1, 8, 8}, 4, 250},
    {"resnet8", {3, 9, 13}, 3, 147},
    {"resnet8", {1, 18, 18}, 2, 26},
};
enum { ROWS = sizeof rows / sizeof *rows };

struct problem {
    kelvin_model *model;
    kelvin_density density;
    kelvin_prior prior;
    float *theta, *x;
    int32_t *y;
    kelvin_data data;
};

static void make(struct problem *p, const struct row *row)
{
    assert_ok(kelvin_model_create(&p->model, row->spec, row->input, row->classes));
    assert_ok(kelvin_density_parse(&p->density, "dirclip:0.9,-5"));
    assert_ok(kelvin_prior_parse(&p->prior, "normal:1"));
    p->theta = parameters(p->model, 5);
    p->x = normals(row->n * p->model->inputs, 6);
    p->y = room(row->n, sizeof *p->y);
    for (size_t i = 0; i < row->n; i++) p->y[i] = (int32_t)(i * 7 % row->classes);
    p->data = (kelvin_data){.name = "made",
                            .inputs = p->model->inputs,
                            .classes = row->classes,
                            .train = {.n = row->n, .x = p->x, .y = p->y}};
}

static void unmake(struct problem *p)
{
    kelvin_free(p->theta);
    kelvin_free(p->x);
    kelvin_free(p->y);
    kelvin_model_destroy(p->model);
}

static kelvin_posterior *posterior_of(const struct problem *p, bool with_prior, kelvin_posterior_options options)
{
    kelvin_posterior *posterior;
    options.outputs = true;
    assert_ok(
        kelvin_posterior_make(&posterior, p->model, &p->density, with_prior ? &p->prior : NULL, &p->data, &options));
    return posterior;
}

/* What an evaluation gives. */
struct answer {
    size_t n_params, n_logits;
    float *grad, *logits;
    double logp;
    kelvin_outputs outputs;
};

static struct answer answer_of(const struct problem *p, kelvin_posterior *posterior, size_t n)
{
    const kelvin_target target = kelvin_posterior_target(posterior);
    struct answer a = {.n_params = target.n, .n_logits = n * p->model->classes};
    a.grad = room(a.n_params, sizeof *a.grad);
    a.logits = room(a.n_logits, sizeof *a.logits);
    for (size_t i = 0; i < a.n_params; i++) a.grad[i] = NAN;
    target.eval(target.context, &a.logp, a.grad, p->theta);
    a.outputs = kelvin_posterior_outputs(posterior);
    assert_true(a.outputs.n == n);
    kelvin_posterior_logits(posterior, a.logits, p->theta);
    return a;
}

static void forget(struct answer *a)
{
    kelvin_free(a->grad);
    kelvin_free(a->logits);
}

static void assert_same(const struct answer *a, const struct answer *b, const char *what)
{
    assert_true(a->n_logits == b->n_logits);
    assert_bits(a->logits, b->logits, a->n_logits, what);
    assert_bits(a->grad, b->grad, a->n_params, what);
    assert_true(a->logp == b->logp);
    assert_memory_equal(&a->outputs, &b->outputs, sizeof a->outputs);
}

/* ---- threads, instruction sets ---- */

static void bits_do_not_depend_on_threads(void **state)
{
    (void)state;
    static const size_t threads[] = {1, 2, 3, 7};
    for (size_t r = 0; r < ROWS; r++) {
        struct answer fused = {0};
        for (size_t isa = 0; use_isa(isa); isa++) {
            struct problem p;
            make(&p, &rows[r]);
            struct answer first = {0};
            for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
                kelvin_posterior *all = posterior_of(&p, true, (kelvin_posterior_options){.threads = threads[t]});
                kelvin_posterior *batch = posterior_of(
                    &p, true,
                    (kelvin_posterior_options){.batch = rows[r].n, .threads = threads[t], .total = rows[r].n});
                assert_ok(kelvin_posterior_set_batch(batch, p.x, p.y, rows[r].n));
                struct answer a = answer_of(&p, all, rows[r].n), b = answer_of(&p, batch, rows[r].n);
                if (t == 0)
                    first = a;
                else
                    assert_same(&a, &first, rows[r].spec);
                assert_same(&b, &first, "as a batch");
                forget(&b);
                if (t > 0) forget(&a);
                kelvin_posterior_destroy(all);
                kelvin_posterior_destroy(batch);
            }
            if (fused.grad) assert_same(&first, &fused, "instruction sets with FMA");
            if (!fused.grad && p.model->kernels->fma)
                fused = first;
            else
                forget(&first);
            unmake(&p);
        }
        forget(&fused);
    }
}

/* ---- batches ---- */

/* Batches of one size, each observation in one of them: the mean of their estimates is the whole, and so is the mean of
 * their gradients. Sums of floats in another order: roundings of the largest. */
static void batches_estimate_without_bias(void **state)
{
    (void)state;
    static const size_t parts[] = {5, 10, 7, 13}; /* n / parts is whole */
    for (size_t r = 0; r < ROWS; r++)
        for (int prior = 0; prior < 2; prior++) {
            struct problem p;
            make(&p, &rows[r]);
            const size_t n = rows[r].n, size = n / parts[r], n_params = p.model->n_params;
            kelvin_posterior *all = posterior_of(&p, prior, (kelvin_posterior_options){0});
            kelvin_posterior *some = posterior_of(&p, prior, (kelvin_posterior_options){.batch = size, .threads = 2});
            struct answer whole = answer_of(&p, all, n);
            double *mean = room(n_params, sizeof *mean), logp = 0;
            for (size_t b = 0; b < parts[r]; b++) {
                assert_ok(kelvin_posterior_set_batch(some, p.x + b * size * p.model->inputs, p.y + b * size, size));
                struct answer a = answer_of(&p, some, size);
                logp += a.logp / (double)parts[r];
                for (size_t i = 0; i < n_params; i++) mean[i] += (double)a.grad[i] / (double)parts[r];
                forget(&a);
            }
            assert_near(logp, whole.logp, 1e-6 * fabs(whole.logp));
            assert_gradient(p.model, whole.grad, mean, 1e-5);
            forget(&whole);
            kelvin_free(mean);
            kelvin_posterior_destroy(all);
            kelvin_posterior_destroy(some);
            unmake(&p);
        }
}

/* With a flat prior a batch that stands for `total` counts total / n times; the prior counts once. */
static void batches_count_for_all(void **state)
{
    (void)state;
    for (size_t r = 0; r < ROWS; r++) {
        struct problem p;
        make(&p, &rows[r]);
        const size_t n = 11, n_params = p.model->n_params;
        struct answer a[4];
        for (size_t i = 0; i < 4; i++) {
            kelvin_posterior *posterior =
                posterior_of(&p, i & 1, (kelvin_posterior_options){.batch = 12, .total = i & 2 ? 3 * n : n});
            assert_ok(kelvin_posterior_set_batch(posterior, p.x, p.y, n));
            a[i] = answer_of(&p, posterior, n);
            kelvin_posterior_destroy(posterior);
        }
        assert_near(a[2].logp, 3 * a[0].logp, 1e-12 * fabs(a[2].logp));
        assert_near(a[3].logp - a[2].logp, a[1].logp - a[0].logp, 1e-9 * (fabs(a[3].logp) + fabs(a[2].logp)));
        double *thrice = room(n_params, sizeof *thrice);
        for (size_t i = 0; i < n_params; i++) thrice[i] = 3 * (double)a[0].grad[i];
        assert_gradient(p.model, a[2].grad, thrice, 1e-6);
        for (size_t i = 0; i < n_params; i++) thrice[i] += (double)a[1].grad[i] - (double)a[0].grad[i];
        assert_gradient(p.model, a[3].grad, thrice, 1e-6);
        kelvin_free(thrice);
        for (size_t i = 0; i < 4; i++) forget(&a[i]);
        unmake(&p);
    }
}

/* So do all data, of one shard or of more. */
static void data_count_for_more(void **state)
{
    (void)state;
    for (size_t r = 0; r < ROWS; r++)
        for (int few = 0; few < 2; few++) {
            struct problem p;
            make(&p, &rows[r]);
            const size_t n = p.data.train.n = few ? 5 : rows[r].n, n_params = p.model->n_params;
            kelvin_posterior *once = posterior_of(&p, false, (kelvin_posterior_options){0});
            kelvin_posterior *more = posterior_of(&p, false, (kelvin_posterior_options){.threads = 2, .total = 3 * n});
            struct answer a = answer_of(&p, once, n), b = answer_of(&p, more, n);
            double *thrice = room(n_params, sizeof *thrice);
            for (size_t i = 0; i < n_params; i++) thrice[i] = 3 * (double)a.grad[i];
            assert_near(b.logp, 3 * a.logp, 1e-12 * fabs(b.logp));
            assert_gradient(p.model, b.grad, thrice, 1e-6); /* sums in another order */
            kelvin_free(thrice);
            forget(&a);
            forget(&b);
            kelvin_posterior_destroy(once);
            kelvin_posterior_destroy(more);
            unmake(&p);
        }
}

static double logp_of(kelvin_posterior *posterior, const float *theta)
{
    const kelvin_target target = kelvin_posterior_target(posterior);
    double logp;
    target.eval(target.context, &logp, NULL, theta);
    return logp;
}

static void wrong_batches_get_a_sentence(void **state)
{
    (void)state;
    struct problem p;
    make(&p, &rows[0]);
    kelvin_posterior *all = posterior_of(&p, true, (kelvin_posterior_options){0});
    kelvin_posterior *some = posterior_of(&p, true, (kelvin_posterior_options){.batch = 30});
    assert_int_equal(kelvin_posterior_set_batch(all, p.x, p.y, 5), KELVIN_EUSAGE);
    assert_string_equal(kelvin_error(), "this posterior is of all training data; it takes no batches");
    assert_int_equal(kelvin_posterior_set_batch(some, p.x, p.y, 0), KELVIN_EUSAGE);
    assert_string_equal(kelvin_error(), "a batch of 0 observations; expected 1 to 30");
    assert_int_equal(kelvin_posterior_set_batch(some, p.x, p.y, 31), KELVIN_EUSAGE);
    assert_string_equal(kelvin_error(), "a batch of 31 observations; expected 1 to 30");
    assert_true(isnan(logp_of(some, p.theta))); /* there is nothing to see yet */
    assert_true(kelvin_posterior_outputs(some).n == 0);
    p.y[29] = 3;
    assert_int_equal(kelvin_posterior_set_batch(some, p.x, p.y, 30), KELVIN_EUSAGE);
    assert_string_equal(kelvin_error(), "observation 29 of a batch has label 3; expected 0 to 2");
    p.y[29] = -1;
    assert_int_equal(kelvin_posterior_set_batch(some, p.x, p.y, 30), KELVIN_EUSAGE);
    assert_ok(kelvin_posterior_set_batch(some, p.x, p.y, 29));
    assert_true(isfinite(logp_of(some, p.theta)));
    const uint32_t index[31] = {0};
    kelvin_data other = p.data;
    other.inputs++;
    assert_int_equal(kelvin_posterior_set_part(all, &p.data, &p.data.train, index, 5, NULL), KELVIN_EUSAGE);
    assert_int_equal(kelvin_posterior_set_part(some, &p.data, &p.data.train, index, 31, NULL), KELVIN_EUSAGE);
    assert_string_equal(kelvin_error(), "a batch of 31 observations; expected 1 to 30");
    assert_int_equal(kelvin_posterior_set_part(some, &other, &p.data.train, index, 5, NULL), KELVIN_EUSAGE);
    assert_string_equal(kelvin_error(), "the model takes 5 inputs and 3 classes, the data have 6 and 3");
    kelvin_posterior_destroy(all);
    kelvin_posterior_destroy(some);
    unmake(&p);
}

/* ---- what was before ---- */

/* A batch; a smaller one of other observations; one of numbers that are none; the first again: the same bits. The
 * logits first, then the gradient: whichever comes first sees the fresh batch. */
static void posteriors_remember_nothing(void **state)
{
    (void)state;
    for (size_t r = 0; r < ROWS; r++)
        for (size_t threads = 1; threads < 3; threads++) {
            struct problem p;
            make(&p, &rows[r]);
            const size_t n = rows[r].n, few = n / 3, inputs = p.model->inputs;
            float *nan = room(n * inputs, sizeof *nan), *logits = room(n * rows[r].classes, sizeof *logits);
            for (size_t i = 0; i < n * inputs; i++) nan[i] = NAN;
            kelvin_posterior *batch =
                posterior_of(&p, true, (kelvin_posterior_options){.batch = n, .threads = threads});
            assert_ok(kelvin_posterior_set_batch(batch, p.x, p.y, n));
            struct answer first = answer_of(&p, batch, n);
            assert_ok(kelvin_posterior_set_batch(batch, p.x + few * inputs, p.y + few, few));
            struct answer other = answer_of(&p, batch, few);
            assert_ok(kelvin_posterior_set_batch(batch, nan, p.y, n - 1));
            struct answer none = answer_of(&p, batch, n - 1);
            assert_true(isnan(none.logp) && isnan(none.outputs.range));
            assert_ok(kelvin_posterior_set_batch(batch, p.x, p.y, n));
            kelvin_posterior_logits(batch, logits, p.theta);
            assert_bits(logits, first.logits, first.n_logits, "logits first");
            struct answer again = answer_of(&p, batch, n);
            assert_same(&again, &first, rows[r].spec);
            assert_ok(kelvin_posterior_set_batch(batch, p.x + few * inputs, p.y + few, few));
            struct answer small = answer_of(&p, batch, few);
            assert_same(&small, &other, rows[r].spec);
            forget(&first);
            forget(&other);
            forget(&none);
            forget(&again);
            forget(&small);
            kelvin_free(nan);
            kelvin_free(logits);
            kelvin_posterior_destroy(batch);
            unmake(&p);
        }
}

/* With a flat prior, so that the network has to tell; afterwards all is as before. */
static void numbers_that_are_none_are_told(void **state)
{
    (void)state;
    for (size_t r = 0; r < ROWS; r++) {
        struct problem p;
        make(&p, &rows[r]);
        kelvin_posterior *all = posterior_of(&p, false, (kelvin_posterior_options){0});
        const double logp = logp_of(all, p.theta);
        float *theta = room(p.model->n_params, sizeof *theta);
        for (size_t t = 0; t < p.model->n_tensors; t++) {
            const kelvin_tensor *tensor = &p.model->tensor[t];
            memcpy(theta, p.theta, p.model->n_params * sizeof *theta);
            for (size_t i = 0; i < kelvin_tensor_size(tensor); i++) theta[tensor->offset + i] = NAN;
            if (!isnan(logp_of(all, theta))) fail_msg("%s: %s is lost", rows[r].spec, tensor->name);
            assert_true(logp_of(all, p.theta) == logp);
        }
        kelvin_free(theta);
        kelvin_posterior_destroy(all);
        unmake(&p);
    }
}

/* The first evaluation takes a batch in; after it, its memory may be used for the next one. */
static void batches_are_taken_in(void **state)
{
    (void)state;
    for (size_t r = 0; r < ROWS; r++) {
        struct problem p;
        make(&p, &rows[r]);
        const size_t n = rows[r].n;
        kelvin_posterior *all = posterior_of(&p, true, (kelvin_posterior_options){0});
        kelvin_posterior *batch = posterior_of(&p, true, (kelvin_posterior_options){.batch = n, .threads = 2});
        assert_ok(kelvin_posterior_set_batch(batch, p.x, p.y, n));
        memset(p.y, 0, n * sizeof *p.y); /* labels are taken in at once */
        struct answer whole = answer_of(&p, all, n), first = answer_of(&p, batch, n);
        for (size_t i = 0; i < n * p.model->inputs; i++) p.x[i] = NAN;
        struct answer again = answer_of(&p, batch, n);
        assert_same(&first, &whole, rows[r].spec);
        assert_same(&again, &whole, rows[r].spec);
        forget(&whole);
        forget(&first);
        forget(&again);
        kelvin_posterior_destroy(all);
        kelvin_posterior_destroy(batch);
        unmake(&p);
    }
}

/* Of images that are turned and moved, and of rows of a table: the bits of what is gathered first and then set. */
static void parts_are_gathered_batches(void **state)
{
    (void)state;
    static const char *const specs[][2] = {{"digits", "cnn"}, {"digits", "resnet8"}, {"toy", "mlp:9,7"}};
    enum { N = 61 };
    for (size_t s = 0; s < 3; s++)
        for (size_t threads = 1; threads < 4; threads += 2)
            for (int plain = 0; plain < 2; plain++) {
                kelvin_data *data;
                struct problem p = {0};
                int32_t y[N];
                uint32_t index[N];
                const kelvin_epoch epoch = {.seed = 3, .chain = 1, .epoch = 2, .augment = KELVIN_AUGMENT_PAPER};
                assert_ok(kelvin_data_open(&data, specs[s][0]));
                assert_ok(kelvin_model_create(&p.model, specs[s][1], kelvin_data_shape(data), data->classes));
                assert_ok(kelvin_density_parse(&p.density, "categorical"));
                p.data = *data;
                p.theta = parameters(p.model, 5);
                p.x = room(N * data->inputs, sizeof *p.x);
                for (uint32_t i = 0; i < N; i++) index[i] = 7 * i % (uint32_t)data->train.n;
                kelvin_data_gather(data, &data->train, p.x, y, index, N, plain ? NULL : &epoch);
                const kelvin_posterior_options options = {.batch = N + 3, .threads = threads};
                kelvin_posterior *batch = posterior_of(&p, false, options), *part = posterior_of(&p, false, options);
                assert_ok(kelvin_posterior_set_batch(batch, p.x, y, N));
                assert_ok(kelvin_posterior_set_part(part, data, &data->train, index, N, plain ? NULL : &epoch));
                struct answer a = answer_of(&p, batch, N), b = answer_of(&p, part, N);
                assert_same(&a, &b, specs[s][1]);
                memset(index, 0, sizeof index); /* taken in */
                struct answer again = answer_of(&p, part, N);
                assert_same(&a, &again, specs[s][1]);
                forget(&a);
                forget(&b);
                forget(&again);
                kelvin_posterior_destroy(batch);
                kelvin_posterior_destroy(part);
                unmake(&p);
                kelvin_data_close(data);
            }
}

/* A failing allocation would be asked for, and then not be waiting any more. */
static void nothing_is_allocated_on_the_way(void **state)
{
    (void)state;
    for (size_t r = 0; r < ROWS; r++) {
        struct problem p;
        make(&p, &rows[r]);
        kelvin_posterior *batch = posterior_of(&p, true, (kelvin_posterior_options){.batch = 40, .threads = 2});
        const kelvin_target target = kelvin_posterior_target(batch);
        float *grad = room(target.n, sizeof *grad), *logits = room(40 * rows[r].classes, sizeof *logits);
        const size_t n = rows[r].n < 40 ? rows[r].n : 40;
        const uint32_t index[40] = {0};
        double logp;
        kelvin_alloc_fail_at(1);
        assert_ok(kelvin_posterior_set_batch(batch, p.x, p.y, n));
        target.eval(target.context, &logp, grad, p.theta);
        assert_ok(kelvin_posterior_set_part(batch, &p.data, &p.data.train, index, n, NULL));
        kelvin_posterior_logits(batch, logits, p.theta);
        assert_null(kelvin_alloc(1, 1)); /* still waiting */
        kelvin_free(grad);
        kelvin_free(logits);
        kelvin_posterior_destroy(batch);
        unmake(&p);
    }
}

/* The batch, a gradient for each shard, the weights, and activations for each thread that has a shard to do. */
static void memory_is_counted(void **state)
{
    (void)state;
    static const size_t threads[] = {0, 1, 2, 5, 11};
    for (size_t r = 0; r < ROWS; r++)
        for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
            struct problem p;
            make(&p, &rows[r]);
            kelvin_weights *weights;
            kelvin_net *net;
            assert_ok(kelvin_weights_create(&weights, p.model));
            assert_ok(kelvin_net_create(&net, p.model));
            const size_t n = rows[r].n, blocks = (n + p.model->block - 1) / p.model->block;
            const size_t shards = blocks < 8 ? blocks : 8, wanted = threads[t] ? threads[t] : 1;
            const size_t nets = wanted < shards ? wanted : shards;
            kelvin_posterior *all = posterior_of(&p, true, (kelvin_posterior_options){.threads = threads[t]});
            assert_true(kelvin_net_bytes(net) > sizeof(float) * p.model->classes * KELVIN_BLOCK); /* logits, at least */
            assert_true(kelvin_posterior_bytes(all) ==
                        (kelvin_model_packed(p.model, n) + (nets > 1 ? shards : 1) * p.model->n_params) *
                                sizeof(float) +
                            kelvin_weights_bytes(weights) + nets * kelvin_net_bytes(net));
            kelvin_posterior_destroy(all);
            kelvin_net_destroy(net);
            kelvin_weights_destroy(weights);
            unmake(&p);
        }
}

/* Without data: only batches. */
static void data_are_not_needed(void **state)
{
    (void)state;
    struct problem p;
    make(&p, &rows[2]);
    const kelvin_posterior_options options = {.batch = 20, .total = rows[2].n, .outputs = true};
    kelvin_posterior *with = posterior_of(&p, true, options), *without;
    assert_ok(kelvin_posterior_make(&without, p.model, &p.density, &p.prior, NULL, &options));
    assert_ok(kelvin_posterior_set_batch(with, p.x, p.y, 20));
    assert_ok(kelvin_posterior_set_batch(without, p.x, p.y, 20));
    struct answer a = answer_of(&p, with, 20), b = answer_of(&p, without, 20);
    assert_same(&a, &b, "without data");
    assert_true(kelvin_posterior_bytes(with) == kelvin_posterior_bytes(without));
    forget(&a);
    forget(&b);
    kelvin_posterior_destroy(with);
    kelvin_posterior_destroy(without);
    unmake(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_do_not_depend_on_threads),
        cmocka_unit_test(batches_estimate_without_bias),
        cmocka_unit_test(batches_count_for_all),
        cmocka_unit_test(wrong_batches_get_a_sentence),
        cmocka_unit_test(posteriors_remember_nothing),
        cmocka_unit_test(nothing_is_allocated_on_the_way),
        cmocka_unit_test(data_are_not_needed),
        cmocka_unit_test(batches_are_taken_in),
        cmocka_unit_test(data_count_for_more),
        cmocka_unit_test(numbers_that_are_none_are_told),
        cmocka_unit_test(memory_is_counted),
        cmocka_unit_test(parts_are_gathered_batches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
