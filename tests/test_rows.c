/* nn, target: networks on rows of a table where they lie. Logits and gradients against plain layers in double
 * (plain_net.h), for shapes with and without a half vector of units; posteriors against those of packed batches; and
 * that the bits depend neither on the instruction set nor on threads. */
#include "nets.h"

#include "base/memory.h"
#include "data/dataset.h"
#include "density/density.h"

#include "target/target.h"

enum { MOST = 150, ROOM = MOST + KELVIN_ROWS_BEYOND };

static const size_t counts[] = {1, 2, 4, 5, 7, 8, 23, 24, 25, 48, 53, 96, 97, 125, 126, 144, MOST};
enum { COUNTS = sizeof counts / sizeof *counts };

static const struct shape {
    const char *spec;
    size_t columns, classes;
} shapes[] = {
    {"mlp:20", 10, 2},       {"mlp:20", 30, 2},         {"mlp:20", 60, 3},          {"mlp:1", 1, 2},
    {"mlp:4", 2, 3},         {"mlp:5", 3, 2},           {"mlp:8", 4, 2},            {"mlp:9", 5, 12},
    {"mlp:10", 6, 5},        {"mlp:12,leak=0.2", 7, 3}, {"mlp:13", 8, 4},           {"mlp:16", 9, 2},
    {"mlp:17", 13, 6},       {"mlp:24", 17, 3},         {"mlp:28,leak=0.01", 4, 7}, {"mlp:32", 12, 2},
    {"mlp:33", 11, 10},      {"mlp:40", 1, 2},          {"mlp:50", 20, 3},          {"mlp:64", 70, 2},
    {"mlp:100", 21, 2},      {"mlp:130", 16, 11},       {"mlp:20,20,20", 12, 3},    {"mlp:7,13,leak=0.3", 5, 3},
    {"mlp:3,12,9,30", 6, 4}, {"mlp:44,5", 3, 8},        {"mlp:300", 33, 2},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

/* ---- networks ---- */

/* What goes in, and what must come out. */
struct problem {
    const struct shape *shape;
    float *theta, *x, *weight; /* (n_params); (MOST, columns); (MOST, classes): the scalar is sum_ik weight_ik z_ik */
    double *z, *largest;       /* (MOST, classes); (MOST): the largest number on the way */
    double *grad[COUNTS];      /* of the first counts[c] rows */
};

/* Rows with a unit that a rounding would push over its kink are replaced. */
static const double *choose(float *x, struct plain_net *net, const double *theta, size_t *tried)
{
    const size_t columns = net->model->inputs;
    for (;;) {
        for (size_t j = 0; j < columns; j++) x[j] = (float)normal_at(1, *tried * columns + j);
        assert_true(++*tried < 3 * MOST);
        const double *z = plain_net_forward(net, theta, x);
        if (net->margin > 2e-6) return z;
    }
}

static kelvin_model *model_of(const struct shape *shape)
{
    kelvin_model *model;
    assert_ok(kelvin_model_create(&model, shape->spec, (kelvin_shape){shape->columns, 1, 1}, shape->classes));
    return model;
}

static void make(struct problem *p, const struct shape *shape)
{
    kelvin_model *model = model_of(shape);
    struct plain_net *net = plain_net_create(model);
    const size_t K = model->classes, n_params = model->n_params;
    assert_non_null(net);
    *p = (struct problem){.shape = shape, .theta = parameters(model, 2), .weight = normals(MOST * K, 3)};
    p->x = room(MOST * model->inputs, sizeof *p->x);
    p->z = room(MOST * K, sizeof *p->z);
    p->largest = room(MOST, sizeof *p->largest);
    double *theta = doubles_of(p->theta, n_params), *weight = doubles_of(p->weight, MOST * K);
    double *sum = room(n_params, sizeof *sum);
    for (size_t i = 0, c = 0, tried = 0; i < MOST; i++) {
        memcpy(p->z + i * K, choose(p->x + i * model->inputs, net, theta, &tried), K * sizeof *p->z);
        p->largest[i] = net->largest;
        plain_net_backward(net, sum, theta, weight + i * K);
        if (i + 1 < counts[c]) continue;
        p->grad[c] = room(n_params, sizeof **p->grad);
        memcpy(p->grad[c++], sum, n_params * sizeof *sum);
    }
    kelvin_free(sum);
    kelvin_free(theta);
    kelvin_free(weight);
    plain_net_destroy(net);
    kelvin_model_destroy(model);
}

static void unmake(struct problem *p)
{
    for (size_t c = 0; c < COUNTS; c++) kelvin_free(p->grad[c]);
    kelvin_free(p->theta);
    kelvin_free(p->x);
    kelvin_free(p->weight);
    kelvin_free(p->z);
    kelvin_free(p->largest);
}

struct machine {
    kelvin_model *model;
    kelvin_weights *weights;
    kelvin_net *net;
    float *grad, *logits;
    const float *row[ROOM];
};

static void start(struct machine *m, const struct problem *p)
{
    m->model = model_of(p->shape);
    assert_true(kelvin_model_takes_rows(m->model));
    assert_ok(kelvin_weights_create_rows(&m->weights, m->model));
    assert_ok(kelvin_net_create_rows(&m->net, m->model));
    m->grad = room(m->model->n_params, sizeof *m->grad);
    m->logits = room(MOST * m->model->classes, sizeof *m->logits);
    for (size_t i = 0; i < ROOM; i++) m->row[i] = p->x + (i < MOST ? i : MOST - 1) * m->model->inputs;
}

static void stop(struct machine *m)
{
    kelvin_free(m->grad);
    kelvin_free(m->logits);
    kelvin_net_destroy(m->net);
    kelvin_weights_destroy(m->weights);
    kelvin_model_destroy(m->model);
}

/* Logits and gradient of the first n rows. */
static void run(struct machine *m, const struct problem *p, size_t n, float scale)
{
    const size_t K = m->model->classes;
    float *z = room(K * KELVIN_BLOCK, sizeof *z), *dz = room(K * KELVIN_BLOCK, sizeof *dz);
    for (size_t i = 0; i < m->model->n_params; i++) m->grad[i] = NAN;
    kelvin_weights_set(m->weights, p->theta, true);
    for (size_t first = 0; first < n; first += KELVIN_BLOCK) {
        const size_t left = n - first, some = left < KELVIN_BLOCK ? left : KELVIN_BLOCK;
        const kelvin_block block = {
            .row = m->row + first, .n = some, .first = first == 0, .last = some == left, .scale = scale};
        kelvin_net_forward(m->net, z, m->weights, &block);
        kelvin_block_logits(m->logits + first * K, z, K, some);
        for (size_t k = 0; k < K; k++)
            for (size_t i = 0; i < KELVIN_BLOCK; i++)
                dz[k * KELVIN_BLOCK + i] = i < some ? p->weight[(first + i) * K + k] : 0;
        kelvin_net_backward(m->net, m->grad, m->weights, dz, &block);
    }
    kelvin_free(z);
    kelvin_free(dz);
}

static void check_logits(const struct machine *m, const struct problem *p, size_t n)
{
    const size_t K = m->model->classes;
    for (size_t i = 0; i < n * K; i++) {
        const double allowed = 3e-6 * p->largest[i / K] * (double)m->model->n_layers;
        if (!(fabs((double)m->logits[i] - p->z[i]) <= allowed))
            fail_msg("%s, %zu rows: logit %zu is %.9g, not %.9g", p->shape->spec, n, i, (double)m->logits[i], p->z[i]);
    }
}

static void networks_are_those_of_plain_layers(void **state)
{
    (void)state;
    for (size_t s = 0; s < SHAPES; s++) {
        struct problem p;
        make(&p, &shapes[s]);
        float *fused = NULL, *fused_logits = NULL;
        for (size_t isa = 0; use_isa(isa); isa++) {
            struct machine m;
            start(&m, &p);
            for (size_t c = COUNTS; c-- > 0;) { /* from many to few: something is left of what was there before */
                run(&m, &p, counts[c], 1);
                check_logits(&m, &p, counts[c]);
                assert_gradient(m.model, m.grad, p.grad[c], 1e-5);
            }
            run(&m, &p, MOST, 0.75f);
            if (fused) {
                assert_bits(m.grad, fused, m.model->n_params, p.shape->spec);
                assert_bits(m.logits, fused_logits, MOST * m.model->classes, p.shape->spec);
            } else if (m.model->kernels->fma) {
                fused = m.grad, fused_logits = m.logits;
                m.grad = m.logits = NULL;
            }
            stop(&m);
        }
        kelvin_free(fused);
        kelvin_free(fused_logits);
        unmake(&p);
    }
}

static void a_gradient_is_scaled(void **state)
{
    (void)state;
    for (size_t s = 0; s < SHAPES; s += 5) {
        struct problem p;
        struct machine m;
        make(&p, &shapes[s]);
        start(&m, &p);
        run(&m, &p, 53, 1);
        float *once = room(m.model->n_params, sizeof *once);
        for (size_t i = 0; i < m.model->n_params; i++) once[i] = 3.7f * m.grad[i];
        run(&m, &p, 53, 3.7f);
        assert_bits(m.grad, once, m.model->n_params, p.shape->spec);
        kelvin_free(once);
        stop(&m);
        unmake(&p);
    }
}

static void others_do_not_take_rows(void **state)
{
    (void)state;
    static const struct {
        const char *spec;
        kelvin_shape input;
    } others[] = {{"mlp", {7, 1, 1}}, {"mlp:20", {1, 8, 8}}, {"cnn", {1, 8, 8}}, {"resnet8", {3, 8, 8}}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        kelvin_model *model;
        assert_ok(kelvin_model_create(&model, others[i].spec, others[i].input, 2));
        assert_false(kelvin_model_takes_rows(model));
        kelvin_model_destroy(model);
    }
}

/* ---- posteriors ---- */

enum { N = 300 };

/* The last ones are worth several shards. */
static const struct task {
    struct shape shape;
    size_t batch;
    bool weighted;
    const char *density;
} tasks[] = {
    {{"mlp:20", 10, 2}, 125, false, "categorical"},     {{"mlp:9,7,leak=0.1", 5, 3}, 61, true, "dirclip:0.9,-5"},
    {{"mlp:12", 7, 5}, 1, true, "categorical"},         {{"mlp:20,20", 30, 4}, 250, true, "categorical"},
    {{"mlp:100", 60, 3}, 125, false, "ndg-logits:0.1"}, {{"mlp:64,50", 21, 2}, 290, true, "categorical"},
};
enum { TASKS = sizeof tasks / sizeof *tasks };

struct setting {
    kelvin_model *model;
    kelvin_density density;
    kelvin_prior prior;
    float *theta, *x, *gathered, weight[N];
    int32_t y[N], batch_y[N];
    uint32_t index[N];
    kelvin_data data;
};

static void prepare(struct setting *s, const struct task *task)
{
    s->model = model_of(&task->shape);
    const size_t columns = s->model->inputs;
    assert_ok(kelvin_density_parse(&s->density, task->density));
    assert_ok(kelvin_prior_parse(&s->prior, "normal:1"));
    s->theta = parameters(s->model, 5);
    s->x = normals(N * columns, 6);
    s->gathered = room(N * columns, sizeof *s->gathered);
    for (size_t i = 0; i < N; i++) {
        s->y[i] = (int32_t)(i * 7 % s->model->classes);
        s->weight[i] = (float)(1 + i % 5) / 5;
        s->index[i] = (uint32_t)(i * 77 % N);
    }
    s->data = (kelvin_data){.name = "made",
                            .inputs = columns,
                            .classes = s->model->classes,
                            .train = {.n = N, .x = s->x, .y = s->y, .weight = task->weighted ? s->weight : NULL}};
    kelvin_data_gather(&s->data, &s->data.train, s->gathered, s->batch_y, s->index, task->batch, NULL);
}

static void clear(struct setting *s)
{
    kelvin_free(s->theta);
    kelvin_free(s->x);
    kelvin_free(s->gathered);
    kelvin_model_destroy(s->model);
}

struct answer {
    float *grad, *logits;
    double logp, again;
    kelvin_outputs outputs, looked;
};

/* Of a batch that has been set: with a gradient, without one, and logits, each after the others. */
static struct answer ask(const struct setting *s, kelvin_posterior *posterior, size_t n)
{
    const kelvin_target target = kelvin_posterior_target(posterior);
    struct answer a = {.grad = room(target.n, sizeof *a.grad),
                       .logits = room(n * s->model->classes, sizeof *a.logits)};
    for (size_t i = 0; i < target.n; i++) a.grad[i] = NAN;
    target.eval(target.context, &a.logp, a.grad, s->theta);
    a.outputs = kelvin_posterior_outputs(posterior);
    target.eval(target.context, &a.again, NULL, s->theta);
    kelvin_posterior_logits(posterior, a.logits, s->theta);
    a.looked = kelvin_posterior_look(posterior, s->theta);
    return a;
}

static void forget(struct answer *a)
{
    kelvin_free(a->grad);
    kelvin_free(a->logits);
}

static struct answer answer(const struct setting *s, size_t n, size_t threads, bool rows, bool part)
{
    const kelvin_posterior_options options = {.batch = n + 3, .threads = threads, .outputs = true, .rows = rows};
    kelvin_posterior *posterior;
    assert_ok(kelvin_posterior_make(&posterior, s->model, &s->density, &s->prior, &s->data, &options));
    if (part)
        assert_ok(kelvin_posterior_set_part(posterior, &s->data, &s->data.train, s->index, n, NULL));
    else
        assert_ok(kelvin_posterior_set_batch(posterior, s->gathered, s->batch_y, n));
    const struct answer a = ask(s, posterior, n);
    kelvin_posterior_destroy(posterior);
    return a;
}

static void assert_same(const struct setting *s, const struct answer *a, const struct answer *b, size_t n)
{
    assert_bits(a->grad, b->grad, s->model->n_params, s->model->spec);
    assert_bits(a->logits, b->logits, n * s->model->classes, s->model->spec);
    assert_true(a->logp == b->logp);
    assert_memory_equal(&a->outputs, &b->outputs, sizeof a->outputs);
    assert_memory_equal(&a->looked, &b->looked, sizeof a->looked);
}

static void posteriors_are_those_of_packed_batches(void **state)
{
    (void)state;
    for (size_t t = 0; t < TASKS; t++) {
        const size_t n = tasks[t].batch;
        struct setting s;
        prepare(&s, &tasks[t]);
        struct answer rows = answer(&s, n, 1, true, true), packed = answer(&s, n, 1, false, true);
        double *expected = doubles_of(packed.grad, s.model->n_params);
        assert_gradient(s.model, rows.grad, expected, 2e-5);
        assert_near(rows.logp, packed.logp, 1e-6 * fabs(packed.logp));
        assert_true(rows.again == rows.logp);
        assert_bits(rows.logits, packed.logits, n * s.model->classes, "logits");
        assert_true(rows.outputs.n == n && rows.outputs.hits == packed.outputs.hits);
        assert_near(rows.outputs.confidence, packed.outputs.confidence, 1e-6 * (double)n);
        assert_near(rows.outputs.range, packed.outputs.range, 1e-5 * packed.outputs.range);
        assert_memory_equal(&rows.looked, &rows.outputs, sizeof rows.looked);
        kelvin_free(expected);
        forget(&rows);
        forget(&packed);
        clear(&s);
    }
}

static void bits_depend_on_nothing_else(void **state)
{
    (void)state;
    static const size_t threads[] = {1, 2, 5};
    for (size_t t = 0; t < TASKS; t++) {
        const size_t n = tasks[t].batch;
        struct answer fused = {0};
        for (size_t isa = 0; use_isa(isa); isa++) {
            struct setting s;
            prepare(&s, &tasks[t]);
            struct answer first = answer(&s, n, 1, true, true);
            for (size_t k = 0; k < 3; k++) {
                struct answer a = answer(&s, n, threads[k], true, true);
                assert_same(&s, &a, &first, n);
                forget(&a);
                if (tasks[t].weighted) continue; /* what is gathered has no weights */
                struct answer b = answer(&s, n, threads[k], true, false);
                assert_same(&s, &b, &first, n);
                forget(&b);
            }
            if (fused.grad) assert_same(&s, &first, &fused, n);
            if (!fused.grad && s.model->kernels->fma)
                fused = first;
            else
                forget(&first);
            clear(&s);
        }
        forget(&fused);
    }
}

/* A batch is of other rows than the one before, and may have fewer. */
static void batches_follow_each_other(void **state)
{
    (void)state;
    for (size_t t = 0; t < TASKS; t++) {
        const size_t n = tasks[t].batch, few = (n + 1) / 2;
        struct setting s;
        prepare(&s, &tasks[t]);
        const kelvin_posterior_options options = {.batch = n + 3, .outputs = true, .rows = true};
        kelvin_posterior *posterior;
        assert_ok(kelvin_posterior_make(&posterior, s.model, &s.density, &s.prior, &s.data, &options));
        struct answer expected = answer(&s, few, 1, true, true);
        assert_ok(kelvin_posterior_set_part(posterior, &s.data, &s.data.train, s.index + 5, n - (n > 5 ? 5 : 0), NULL));
        struct answer other = ask(&s, posterior, n);
        kelvin_alloc_fail_at(1);
        assert_ok(kelvin_posterior_set_part(posterior, &s.data, &s.data.train, s.index, few, NULL));
        assert_null(kelvin_alloc(1, 1)); /* nothing was asked for */
        struct answer a = ask(&s, posterior, few);
        assert_same(&s, &a, &expected, few);
        forget(&a);
        forget(&other);
        forget(&expected);
        kelvin_posterior_destroy(posterior);
        clear(&s);
    }
}

/* The first few of a batch, which then stand for all data as a batch of so many would. */
static void batches_can_be_narrowed(void **state)
{
    (void)state;
    enum { FEW = 24 };
    for (size_t t = 0; t < TASKS; t++) {
        const size_t n = tasks[t].batch, few = n < FEW ? n : FEW;
        struct setting s;
        prepare(&s, &tasks[t]);
        struct answer expected = answer(&s, few, 1, true, true), packed = answer(&s, n, 1, false, true);
        for (int rows = 0; rows < 2; rows++) {
            const kelvin_posterior_options options = {.batch = n, .outputs = true, .rows = rows};
            kelvin_posterior *posterior;
            assert_ok(kelvin_posterior_make(&posterior, s.model, &s.density, &s.prior, &s.data, &options));
            assert_ok(kelvin_posterior_set_part(posterior, &s.data, &s.data.train, s.index, n, NULL));
            kelvin_posterior_narrow(posterior, FEW);
            struct answer a = ask(&s, posterior, n);
            assert_same(&s, &a, rows ? &expected : &packed, rows ? few : n);
            forget(&a);
            kelvin_posterior_destroy(posterior);
        }
        forget(&expected);
        forget(&packed);
        clear(&s);
    }
}

/* A logit that is no number is noticed: by the log-posterior, and by the range. Nor is one that is infinite, though the
 * log-density of all labels is 0 there. */
static void what_is_not_finite_is_told(void **state)
{
    (void)state;
    for (int counting = 0; counting < 2; counting++)
        for (int odd = 0; odd < 3; odd++) {
            struct setting s;
            prepare(&s, &tasks[0]);
            const kelvin_posterior_options options = {.batch = 125, .outputs = counting, .rows = true};
            kelvin_posterior *posterior;
            double logp;
            if (odd == 0) s.x[s.index[70] * s.model->inputs + 3] = (float)NAN;
            if (odd == 1) s.x[s.index[70] * s.model->inputs + 3] = 3e38f;
            for (size_t i = 0; i < s.model->n_params && odd == 1; i++) s.theta[i] *= 1e5f;
            if (odd == 2) s.theta[s.model->n_params - 1] = -INFINITY;
            if (odd == 2) memset(s.y, 0, sizeof s.y);
            assert_ok(kelvin_posterior_make(&posterior, s.model, &s.density, &s.prior, &s.data, &options));
            const kelvin_target target = kelvin_posterior_target(posterior);
            float *grad = room(target.n, sizeof *grad);
            assert_ok(kelvin_posterior_set_part(posterior, &s.data, &s.data.train, s.index, 125, NULL));
            target.eval(target.context, &logp, grad, s.theta);
            assert_true(isnan(logp));
            if (counting) assert_true(isnan(kelvin_posterior_outputs(posterior).range));
            kelvin_free(grad);
            kelvin_posterior_destroy(posterior);
            clear(&s);
        }
}

static void memory_is_counted(void **state)
{
    (void)state;
    struct setting s;
    prepare(&s, &tasks[0]);
    kelvin_posterior *with, *without;
    kelvin_weights *weights;
    kelvin_net *net;
    kelvin_posterior_options options = {.batch = 125};
    assert_ok(kelvin_posterior_make(&without, s.model, &s.density, &s.prior, &s.data, &options));
    options.rows = true;
    assert_ok(kelvin_posterior_make(&with, s.model, &s.density, &s.prior, &s.data, &options));
    assert_ok(kelvin_weights_create_rows(&weights, s.model));
    assert_ok(kelvin_net_create_rows(&net, s.model));
    assert_true(kelvin_posterior_bytes(with) == kelvin_posterior_bytes(without) + kelvin_weights_bytes(weights) +
                                                    kelvin_net_bytes(net) +
                                                    (125 + KELVIN_ROWS_BEYOND) * sizeof(const float *));
    kelvin_net_destroy(net);
    kelvin_weights_destroy(weights);
    kelvin_posterior_destroy(with);
    kelvin_posterior_destroy(without);
    clear(&s);
}

static kelvin_status make_posterior(void *context)
{
    const struct setting *s = context;
    const kelvin_posterior_options options = {.batch = 125, .threads = 2, .rows = true};
    kelvin_posterior *posterior;
    const kelvin_status status =
        kelvin_posterior_make(&posterior, s->model, &s->density, &s->prior, &s->data, &options);
    kelvin_posterior_destroy(posterior);
    return status;
}

static void memory_may_be_short(void **state)
{
    (void)state;
    struct setting s;
    prepare(&s, &tasks[3]);
    assert_true(without_memory(make_posterior, &s) > 20);
    clear(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(networks_are_those_of_plain_layers),
        cmocka_unit_test(a_gradient_is_scaled),
        cmocka_unit_test(others_do_not_take_rows),
        cmocka_unit_test(posteriors_are_those_of_packed_batches),
        cmocka_unit_test(bits_depend_on_nothing_else),
        cmocka_unit_test(batches_follow_each_other),
        cmocka_unit_test(batches_can_be_narrowed),
        cmocka_unit_test(what_is_not_finite_is_told),
        cmocka_unit_test(memory_is_counted),
        cmocka_unit_test(memory_may_be_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
