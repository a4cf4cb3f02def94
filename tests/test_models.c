/* nn: what models are made of. Counts against formulas and against the paper, layers against their rules, parameters at
 * the start against the exact distribution and against a program in Python. */
#include "check.h"

#include "base/random.h"
#include "nn/nn.h"

#include <stdio.h>
#include <stdlib.h>

static const kelvin_shape cifar = {3, 32, 32}, mnist = {1, 28, 28}, table = {4, 1, 1}, odd = {2, 29, 31};

static kelvin_model *make(const char *spec, kelvin_shape input, size_t classes)
{
    kelvin_model *model;
    assert_ok(kelvin_model_create(&model, spec, input, classes));
    return model;
}

/* Of everything there is. */
static const struct example {
    const char *spec;
    const kelvin_shape *input;
    size_t classes;
} examples[] = {
    {"mlp", &table, 3},
    {"mlp:7,13", &table, 3},
    {"mlp:20,20,20,leak=0.01", &mnist, 10},
    {"mlp:5", &odd, 2},
    {"cnn", &mnist, 10},
    {"cnn", &odd, 4},
    {"cnn:3,6,kernel=3,stride=2", &odd, 4},
    {"cnn:8,16,32,kernel=3,stride=2", &mnist, 10},
    {"resnet8", &mnist, 10},
    {"resnet20", &cifar, 10},
    {"resnet20", &odd, 7},
    {"resnet56", &odd, 2},
    {"resnet110", &cifar, 10},
};
enum { EXAMPLES = sizeof examples / sizeof *examples };

static size_t values(kelvin_shape s)
{
    return s.channels * s.height * s.width;
}

static bool same(kelvin_shape a, kelvin_shape b)
{
    return a.channels == b.channels && a.height == b.height && a.width == b.width;
}

static bool ends_with(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

/* ---- counts ---- */

static size_t count(const char *spec, kelvin_shape input, size_t classes)
{
    kelvin_model *model = make(spec, input, classes);
    const size_t n = model->n_params;
    kelvin_model_destroy(model);
    return n;
}

/* A convolution with FRN: weights, and bias, gamma, beta, tau. */
static size_t frn_layer(size_t in, size_t out, size_t kernel)
{
    return out * (in * kernel * kernel + 4);
}

static void parameters_are_counted(void **state)
{
    (void)state;
    assert_int_equal(count("resnet20", cifar, 10), 274042);
    assert_int_equal(count("cnn", mnist, 10), 4085);
    assert_int_equal(count("cnn:10,10,5", mnist, 10), 4085); /* said in full it is the same */
    assert_int_equal(count("cnn:stride=5,10,10,5,kernel=5", mnist, 10), 4085);
    assert_int_equal(count("cnn:8,16,32,kernel=3,stride=2", mnist, 10),
                     10 * 8 + (9 * 8 + 1) * 16 + (9 * 16 + 1) * 32 + (16 * 32 + 1) * 10);
    assert_int_equal(count("mlp:10,10,10,10,10", (kelvin_shape){2, 1, 1}, 2), 492);
    assert_int_equal(count("mlp:20,20,20,leak=0.01", mnist, 10), 785 * 20 + 21 * 20 + 21 * 20 + 21 * 10);
    for (size_t n = 1; n <= 18; n++) { /* blocks a stack */
        char spec[16];
        snprintf(spec, sizeof spec, "resnet%zu", 6 * n + 2);
        const size_t stem = frn_layer(3, 16, 3), first = 2 * n * frn_layer(16, 16, 3);
        const size_t second = frn_layer(16, 32, 3) + frn_layer(16, 32, 1) + (2 * n - 1) * frn_layer(32, 32, 3);
        const size_t third = frn_layer(32, 64, 3) + frn_layer(32, 64, 1) + (2 * n - 1) * frn_layer(64, 64, 3);
        assert_int_equal(count(spec, cifar, 10), stem + first + second + third + 65 * 10);
    }
}

/* The authors' comment says 273,754: it leaves out the FRN of the two shortcuts. */
static void authors_count(void **state)
{
    (void)state;
    kelvin_model *model = make("resnet20", cifar, 10);
    size_t n = 0;
    for (size_t t = 0; t < model->n_tensors; t++) {
        const kelvin_tensor *tensor = &model->tensor[t];
        const bool frn = !ends_with(tensor->name, "weight") && !ends_with(tensor->name, "bias");
        if (!(frn && strstr(tensor->name, "shortcut"))) n += kelvin_tensor_size(tensor);
    }
    assert_int_equal(n, 273754);
    kelvin_model_destroy(model);
}

static double flops(const char *spec, kelvin_shape input)
{
    kelvin_model *model = make(spec, input, 10);
    double sum = 0;
    for (size_t l = 1; l <= model->n_layers; l++) sum += kelvin_layer_flops(&model->layer[l]);
    kelvin_model_destroy(model);
    return sum;
}

static void operations_are_counted(void **state)
{
    (void)state;
    assert_true(flops("resnet20", cifar) == 2 * 40813184.0);
    assert_true(flops("cnn", mnist) == 2 * (36 * 250.0 + 4 * 2500.0 + 1250.0 + 50.0));
    assert_true(flops("cnn:8,16,kernel=3,stride=2", mnist) == 2 * (196 * 72.0 + 49 * 1152.0 + 784 * 10.0));
    assert_true(flops("mlp:30,20", mnist) == 2 * (784 * 30.0 + 30 * 20.0 + 20 * 10.0));
}

/* ---- tensors ---- */

static void check_tensors(const kelvin_model *model)
{
    size_t at = 0;
    for (size_t t = 0; t < model->n_tensors; t++) {
        const kelvin_tensor *tensor = &model->tensor[t];
        assert_int_equal(tensor->offset, at);
        assert_true(tensor->ndim >= 1 && tensor->ndim <= 4);
        for (size_t i = 0; i < 4; i++) assert_true((tensor->shape[i] > 0) == (i < tensor->ndim));
        size_t n = 1;
        for (size_t i = 0; i < tensor->ndim; i++) n *= tensor->shape[i];
        assert_int_equal(kelvin_tensor_size(tensor), n);
        at += n;
        for (size_t other = 0; other < t; other++) assert_string_not_equal(tensor->name, model->tensor[other].name);
    }
    assert_int_equal(model->n_params, at);
}

/* NAME.weight and the others, in their order, with the shapes and starts that belong to the layer. */
static size_t check_layer_tensors(const kelvin_model *model, const kelvin_layer *layer, size_t next)
{
    static const char *const what[] = {"weight", "bias", "gamma", "beta", "tau"};
    const size_t n = layer->kind == KELVIN_LAYER_MEAN ? 0 : layer->frn ? 5 : 2;
    assert_int_equal(layer->tensor, next);
    for (size_t i = 0; i < n; i++) {
        const kelvin_tensor *tensor = &model->tensor[next + i];
        char name[sizeof tensor->name];
        snprintf(name, sizeof name, "%s.%s", layer->name, what[i]);
        assert_string_equal(tensor->name, name);
        assert_int_equal(tensor->shape[0], layer->to.channels);
        assert_true(tensor->cut == (i == 0));
        if (i > 0) {
            assert_int_equal(tensor->ndim, 1);
            assert_true(tensor->start == (i == 2 ? 1 : 0) && tensor->deviation == 0);
            continue;
        }
        const bool dense = layer->kind == KELVIN_LAYER_DENSE;
        assert_int_equal(tensor->ndim, dense ? 2 : 4);
        assert_int_equal(tensor->shape[1], dense ? values(layer->from) : layer->from.channels);
        for (size_t axis = 2; axis < tensor->ndim; axis++) assert_int_equal(tensor->shape[axis], layer->kernel);
        const double fan_in = (double)kelvin_tensor_size(tensor) / (double)tensor->shape[0];
        const double gain = strncmp(model->spec, "mlp", 3) == 0 ? 1 : 2;
        assert_near(tensor->deviation * tensor->deviation * fan_in, gain, 1e-14);
    }
    return next + n;
}

static void tensors_tile_the_vector(void **state)
{
    (void)state;
    for (size_t e = 0; e < EXAMPLES; e++) {
        kelvin_model *model = make(examples[e].spec, *examples[e].input, examples[e].classes);
        check_tensors(model);
        size_t next = 0;
        for (size_t l = 1; l <= model->n_layers; l++) next = check_layer_tensors(model, &model->layer[l], next);
        assert_int_equal(next, model->n_tensors);
        kelvin_model_destroy(model);
    }
}

/* ---- layers ---- */

static void check_layer(const kelvin_model *model, size_t l)
{
    const kelvin_layer *layer = &model->layer[l];
    assert_true(layer->in < l && layer->add < l);
    assert_true(same(layer->from, model->layer[layer->in].to));
    if (layer->add) {
        /* the block's last ReLU may be left out only between layers that end in one */
        assert_true(same(layer->to, model->layer[layer->add].to));
        assert_true(layer->leak == 0 && model->layer[layer->add].leak == 0 && layer->frn);
    }
    if (layer->kind == KELVIN_LAYER_CONV) {
        assert_int_equal(layer->to.height, ceil((double)layer->from.height / (double)layer->stride));
        assert_int_equal(layer->to.width, ceil((double)layer->from.width / (double)layer->stride));
    } else {
        assert_true(layer->to.height == 1 && layer->to.width == 1);
    }
}

static void layers_read_what_is_there(void **state)
{
    (void)state;
    for (size_t e = 0; e < EXAMPLES; e++) {
        kelvin_model *model = make(examples[e].spec, *examples[e].input, examples[e].classes);
        bool used[130] = {false};
        assert_true(model->n_layers < 130);
        assert_string_equal(model->spec, examples[e].spec);
        assert_true(same(model->layer[0].to, *examples[e].input));
        assert_int_equal(model->inputs, values(*examples[e].input));
        assert_true(model->block > 0 && model->block <= KELVIN_BLOCK);
        for (size_t l = 1; l <= model->n_layers; l++) {
            check_layer(model, l);
            used[model->layer[l].in] = used[model->layer[l].add] = true;
        }
        for (size_t l = 0; l < model->n_layers; l++) assert_true(used[l]);
        const kelvin_layer *last = &model->layer[model->n_layers];
        assert_true(last->kind == KELVIN_LAYER_DENSE && last->leak == 1 && !last->frn);
        assert_int_equal(last->to.channels, examples[e].classes);
        kelvin_model_destroy(model);
    }
}

/* The paper's networks and others of their kind, line by line: kernel, stride, what comes out, which layers are read.
 */
static const struct line {
    const char *spec, *name;
    size_t number, in, add, kernel, stride;
    kelvin_shape to;
} lines[] = {
    {"cnn", "conv1", 1, 0, 0, 5, 5, {10, 6, 6}},
    {"cnn", "conv2", 2, 1, 0, 5, 5, {10, 2, 2}},
    {"cnn", "conv3", 3, 2, 0, 5, 5, {5, 1, 1}},
    {"cnn", "head", 4, 3, 0, 0, 0, {10, 1, 1}},
    {"cnn:8,16,32,kernel=3,stride=2", "conv1", 1, 0, 0, 3, 2, {8, 14, 14}},
    {"cnn:8,16,32,kernel=3,stride=2", "conv3", 3, 2, 0, 3, 2, {32, 4, 4}},
    {"cnn:8,16,32,kernel=3,stride=2", "head", 4, 3, 0, 0, 0, {10, 1, 1}},
    {"resnet8", "stem", 1, 0, 0, 3, 1, {16, 32, 32}},
    {"resnet8", "stack1.block1.layer1", 2, 1, 0, 3, 1, {16, 32, 32}},
    {"resnet8", "stack1.block1.layer2", 3, 2, 1, 3, 1, {16, 32, 32}},
    {"resnet8", "stack2.block1.shortcut", 4, 3, 0, 1, 2, {32, 16, 16}},
    {"resnet8", "stack2.block1.layer1", 5, 3, 0, 3, 2, {32, 16, 16}},
    {"resnet8", "stack2.block1.layer2", 6, 5, 4, 3, 1, {32, 16, 16}},
    {"resnet8", "stack3.block1.shortcut", 7, 6, 0, 1, 2, {64, 8, 8}},
    {"resnet8", "stack3.block1.layer1", 8, 6, 0, 3, 2, {64, 8, 8}},
    {"resnet8", "stack3.block1.layer2", 9, 8, 7, 3, 1, {64, 8, 8}},
    {"resnet8", "mean", 10, 9, 0, 0, 0, {64, 1, 1}},
    {"resnet8", "head", 11, 10, 0, 0, 0, {10, 1, 1}},
    {"resnet20", "stack1.block3.layer2", 7, 6, 5, 3, 1, {16, 32, 32}},
    {"resnet20", "stack2.block2.layer1", 11, 10, 0, 3, 1, {32, 16, 16}},
    {"resnet20", "stack2.block2.layer2", 12, 11, 10, 3, 1, {32, 16, 16}},
    {"resnet20", "head", 23, 22, 0, 0, 0, {10, 1, 1}},
    {"resnet110", "stack3.block18.layer2", 111, 110, 109, 3, 1, {64, 8, 8}},
};

static void the_papers_networks(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        const struct line *line = &lines[i];
        kelvin_model *model = make(line->spec, strncmp(line->spec, "cnn", 3) == 0 ? mnist : cifar, 10);
        assert_true(line->number <= model->n_layers);
        const kelvin_layer *layer = &model->layer[line->number];
        assert_string_equal(layer->name, line->name);
        assert_int_equal(layer->in, line->in);
        assert_int_equal(layer->add, line->add);
        assert_int_equal(layer->kernel, line->kernel);
        assert_int_equal(layer->stride, line->stride);
        assert_true(same(layer->to, line->to));
        assert_true(layer->frn == (line->kernel > 0 && strncmp(line->spec, "cnn", 3) != 0));
        assert_true(layer->leak == (line->kernel > 0 ? 0 : 1));
        kelvin_model_destroy(model);
    }
}

/* ---- the start ---- */

static int ascending(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* Moments of a normal cut at c = 2, by parts: m_k = (k - 1) m_(k - 2) - 2 c^(k - 1) phi(c) / Z. */
static void weights_are_cut_normals(void **state)
{
    (void)state;
    enum { N = 400 * 400 };
    kelvin_model *model = make("mlp:400", (kelvin_shape){400, 1, 1}, 2);
    float *theta = kelvin_alloc(model->n_params, sizeof *theta);
    kelvin_model_start(model, theta, 12345, 1);
    const double phi = exp(-2.0) / sqrt(2 * M_PI), Z = erf(sqrt(2)), part = 2 * phi / Z;
    double m[9] = {1}, sums[5] = {0};
    for (int k = 2; k <= 8; k += 2) m[k] = (k - 1) * m[k - 2] - part * pow(2, k - 1);
    const double sigma = sqrt(1 / 400.0) / sqrt(m[2]);
    qsort(theta, N, sizeof *theta, ascending);
    double apart = 0;
    for (size_t i = 0; i < N; i++) {
        const double x = (double)theta[i] / sigma, cdf = 0.5 + 0.5 * erf(x / sqrt(2)) / Z;
        assert_true(fabs(x) <= 2 * (1 + 1e-7));
        for (int k = 1; k <= 4; k++) sums[k] += pow(x, k) / N;
        apart = fmax(apart, fmax(fabs(cdf - (double)i / N), fabs(cdf - (double)(i + 1) / N)));
    }
    for (int k = 1; k <= 4; k++) { /* four deviations of a mean of x^k */
        const double mean = k % 2 ? 0 : m[k];
        assert_near(sums[k], mean, 4 * sqrt((m[2 * k] - mean * mean) / N));
    }
    assert_below(apart, 1.95 / sqrt(N)); /* Kolmogorov: beyond that once in a thousand times */
    assert_near(sums[2] * sigma * sigma * 400, 1, 4 * sqrt((m[4] / (m[2] * m[2]) - 1) / N));
    kelvin_free(theta);
    kelvin_model_destroy(model);
}

/* The same rejection with exp: so many decisions that a series which is off by 1e-4 anywhere would take one otherwise.
 */
static void rejection_is_exact(void **state)
{
    (void)state;
    enum { N = 400 * 400 };
    kelvin_model *model = make("mlp:400", (kelvin_shape){400, 1, 1}, 2);
    float *theta = kelvin_alloc(model->n_params, sizeof *theta);
    kelvin_model_start(model, theta, 12345, 1);
    const double spread = sqrt(1 - 4 * exp(-2.0) / sqrt(2 * M_PI) / erf(sqrt(2)));
    for (size_t i = 0; i < N; i++) {
        kelvin_random where = {.seed = 12345, .chain = 1, .stream = KELVIN_STREAM_INIT};
        double x = 4 * kelvin_uniform(where, 2 * i) - 2;
        while (kelvin_uniform(where, 2 * i + 1) >= exp(-x * x / 2)) {
            where.stream += 1u << 16;
            x = 4 * kelvin_uniform(where, 2 * i) - 2;
        }
        assert_near((double)theta[i], x / spread / 20, 1e-7 * fabs(x)); /* rounded to float */
    }
    kelvin_free(theta);
    kelvin_model_destroy(model);
}

static void every_tensor_starts_as_it_says(void **state)
{
    (void)state;
    kelvin_model *model = make("resnet20", cifar, 10);
    float *theta = kelvin_alloc(model->n_params, sizeof *theta);
    kelvin_model_start(model, theta, 3, 0);
    for (size_t t = 0; t < model->n_tensors; t++) {
        const kelvin_tensor *tensor = &model->tensor[t];
        const size_t n = kelvin_tensor_size(tensor);
        const float *value = theta + tensor->offset;
        double squares = 0;
        for (size_t i = 0; i < n; i++) {
            if (!tensor->cut) assert_true(value[i] == (ends_with(tensor->name, "gamma") ? 1.0f : 0.0f));
            squares += (double)value[i] * (double)value[i];
        }
        if (!tensor->cut) continue;
        /* of squares of cut normals the deviation is 1.17 of their mean, and 5 of them are allowed: 22 tensors */
        const double deviation = tensor->deviation;
        assert_near(squares / (double)n / (deviation * deviation), 1, 5 * 1.17 / sqrt((double)n));
    }
    kelvin_free(theta);
    kelvin_model_destroy(model);
}

/* Philox, rejection and all in Python, with math.exp: resnet20, seed 5 2^32 + 7, chain 2. */
static void the_start_is_the_same_everywhere(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t index;
        float value;
    } known[] = {
        {"stem.weight", 0, -0x1.d19988p-7f},   {"stem.weight", 1, 0x1.aa195ap-3f},
        {"stem.weight", 2, 0x1.31c004p-3f},    {"stem.weight", 3, 0x1.88fe8cp-3f},
        {"stem.weight", 4, 0x1.039d3ep-2f},    {"stem.weight", 5, -0x1.57612ap-6f},
        {"stem.weight", 431, -0x1.394f9ap-3f}, {"head.weight", 0, -0x1.960f32p-5f},
        {"head.weight", 639, 0x1.753448p-2f},
    };
    kelvin_model *model = make("resnet20", cifar, 10);
    float *theta = kelvin_alloc(model->n_params, sizeof *theta);
    kelvin_model_start(model, theta, (UINT64_C(5) << 32) + 7, 2);
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        size_t t = 0;
        while (strcmp(model->tensor[t].name, known[i].name) != 0) assert_true(++t < model->n_tensors);
        assert_true(theta[model->tensor[t].offset + known[i].index] == known[i].value);
    }
    kelvin_free(theta);
    kelvin_model_destroy(model);
}

/* Chains, seeds, tensors: no two have numbers in common, or are correlated. */
static void starts_are_independent(void **state)
{
    (void)state;
    enum { N = 100 * 100, STARTS = 3 };
    kelvin_model *model = make("mlp:100,100", (kelvin_shape){100, 1, 1}, 2);
    float *theta[STARTS];
    const float *x[STARTS + 1];
    for (size_t s = 0; s < STARTS; s++) {
        x[s] = theta[s] = kelvin_alloc(model->n_params, sizeof **theta);
        kelvin_model_start(model, theta[s], s == 2 ? 8 : 7, s == 1 ? 1 : 0);
    }
    x[STARTS] = theta[0] + model->tensor[2].offset; /* layers.1.weight */
    for (size_t a = 0; a <= STARTS; a++)
        for (size_t b = 0; b < a; b++) {
            double sum = 0;
            size_t equal = 0;
            for (size_t i = 0; i < N; i++) {
                sum += (double)x[a][i] * (double)x[b][i] * 100; /* variance 1/100 each */
                equal += x[a][i] == x[b][i];
            }
            assert_near(sum / N, 0, 4 / sqrt(N));
            assert_true(equal < 5);
        }
    for (size_t s = 0; s < STARTS; s++) kelvin_free(theta[s]);
    kelvin_model_destroy(model);
}

/* ---- what is refused ---- */

static const struct {
    const char *spec;
    const kelvin_shape *input;
    const char *says;
} refused[] = {
    {"", &table, "unknown model ''; expected one of: mlp, cnn, resnetN"},
    {"perceptron", &table, "unknown model 'perceptron'; expected one of: mlp, cnn"},
    {"MLP:10", &table, "unknown model 'MLP'"},
    {"mlpx", &table, "unknown model 'mlpx'; did you mean 'mlp'?"},
    {"resnets20", &cifar, "unknown model 'resnets20'; did you mean 'resnetN'?"},
    {"mlp10", &table, "unknown model 'mlp10'; did you mean 'mlp'?"},
    {"mlp:10,x", &table, "W is 'x'; expected a whole number of at least 1 and at most 65536"},
    {"mlp:65537", &table, "W is '65537'"},
    {"mlp:2.5", &table, "W is '2.5'; expected a whole number"},
    {"mlp:", &table, "the value of W is missing; expected mlp:W,W,...[,leak=S]"},
    {"mlp:0", &table, "W is '0'"},
    {"mlp:-3", &table, "W is '-3'"},
    {"mlp:10,", &table, "the value of W is missing"},
    {"mlp:10;10", &table, "W is '10;10'"},
    {"mlp:99999999999999999999", &table, "W is '99999999999999999999'"},
    {"mlp:5,leak=1", &table, "leak is '1'; expected a number of at least 0 and below 1"},
    {"mlp:leak=", &table, "the value of leak is missing"},
    {"mlp:leak=-1", &table, "leak is '-1'"},
    {"mlp:leak=x", &table, "leak is 'x'"},
    {"mlp:5,leak=nan", &table, "leak is 'nan'"},
    {"mlp:5,leak=2", &table, "leak is '2'"},
    {"mlp:leak=0.1,5,leak=0.2", &table, "leak is given twice"},
    {"mlp:5,slope=2", &table, "',slope=2' is too much"},
    {"cnn:x", &mnist, "model 'cnn:x': "},
    {"cnn:0", &mnist, "C is '0'; expected a whole number of at least 1 and at most 1024"},
    {"cnn:8,kernel=12", &mnist, "kernel is '12'; expected a whole number of at least 1 and at most 11"},
    {"cnn:8,stride=0", &mnist, "stride is '0'"},
    {"cnn:8,16,kernel=3", &table, "looks at images, but the data are a table of 4 columns; use mlp"},
    {"cnn2", &mnist, "unknown model 'cnn2'; did you mean 'cnn'?"},
    {"cnn", &table, "model 'cnn' looks at images, but the data are a table of 4 columns; use mlp"},
    {"resnet20", &table, "model 'resnet20' looks at images, but the data are a table of 4 columns"},
    {"resnet21", &cifar, "model 'resnet21': the depth of a resnet is 6n + 2, from 8 to 110"},
    {"resnet2", &cifar, "N is '2'; expected a whole number of at least 8 and at most 110"},
    {"resnet22", &cifar, "6n + 2"},
    {"resnet116", &cifar, "N is '116'"},
    {"resnet", &cifar, "the value of N is missing; expected resnetN"},
    {"resnet-20", &cifar, "unknown model 'resnet-20'; did you mean 'resnetN'?"},
    {"resnet20x", &cifar, "unknown model 'resnet20x'; did you mean 'resnetN'?"},
    {"resnet20:1", &cifar, "':1' is too much; expected resnetN"},
    {"resnet99999999999999999999", &cifar, "N is '99999999999999999999'"},
    {"resnet18446744073709551636", &cifar, "N is '18446744073709551636'"},
};

static void wrong_models_get_a_sentence(void **state)
{
    (void)state;
    kelvin_model *model;
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        assert_int_equal(kelvin_model_create(&model, refused[i].spec, *refused[i].input, 10), KELVIN_EUSAGE);
        assert_null(model);
        if (!strstr(kelvin_error(), refused[i].says)) fail_msg("'%s' says: %s", refused[i].spec, kelvin_error());
    }
    char text[200] = "mlp:1";
    for (size_t i = 0; i < 61; i++) strcat(text, ",1");
    kelvin_model_destroy(make(text, table, 2)); /* 127 letters: the longest there is */
    strcat(text, ",1");
    assert_int_equal(kelvin_model_create(&model, text, table, 2), KELVIN_EUSAGE);
    assert_non_null(strstr(kelvin_error(), "the text is too long"));
    const kelvin_shape none = {3, 0, 32}, huge = {SIZE_MAX / 2, 3, 1};
    assert_int_equal(kelvin_model_create(&model, "mlp:3", none, 2), KELVIN_EUSAGE);
    assert_non_null(strstr(kelvin_error(), "at least one input and two classes, not 0 and 2"));
    assert_int_equal(kelvin_model_create(&model, "mlp:3", huge, 2), KELVIN_EUSAGE);
    assert_non_null(strstr(kelvin_error(), "expected at most 1073741824"));
    assert_int_equal(kelvin_model_create(&model, "mlp:3", table, SIZE_MAX / 24 + 1), KELVIN_EUSAGE);
    assert_non_null(strstr(kelvin_error(), "expected at most 1073741824"));
    assert_int_equal(kelvin_model_create(&model, "resnet20", cifar, 1), KELVIN_EUSAGE);
}

static kelvin_status create(void *context)
{
    kelvin_model *model;
    const kelvin_status status = kelvin_model_create(&model, context, cifar, 10);
    if (status) assert_null(model);
    kelvin_model_destroy(model);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static char specs[][16] = {"mlp:10", "cnn", "resnet20"};
    for (size_t i = 0; i < 3; i++) assert_true(without_memory(create, specs[i]) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parameters_are_counted),         cmocka_unit_test(authors_count),
        cmocka_unit_test(operations_are_counted),         cmocka_unit_test(tensors_tile_the_vector),
        cmocka_unit_test(layers_read_what_is_there),      cmocka_unit_test(the_papers_networks),
        cmocka_unit_test(weights_are_cut_normals),        cmocka_unit_test(rejection_is_exact),
        cmocka_unit_test(every_tensor_starts_as_it_says), cmocka_unit_test(the_start_is_the_same_everywhere),
        cmocka_unit_test(starts_are_independent),         cmocka_unit_test(wrong_models_get_a_sentence),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
