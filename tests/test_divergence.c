/* Chains that leave for infinity: where and how is said, the last good state is kept, the others are as they would be
 * without them. And the settings of which it is known beforehand. */
#include "chains_helpers.h"

/* ---- which layer ---- */

static void scale_layer(const kelvin_model *model, float *theta, const char *name, float factor)
{
    for (size_t t = 0; t < model->n_tensors; t++) {
        const kelvin_tensor *tensor = &model->tensor[t];
        if (strncmp(tensor->name, name, strlen(name)) != 0 || tensor->name[strlen(name)] != '.') continue;
        for (size_t i = 0; i < kelvin_tensor_size(tensor); i++) theta[tensor->offset + i] *= factor;
    }
}

/* In every network, every layer that has parameters. */
static void a_layer_that_grew_is_named(void **state)
{
    (void)state;
    const struct {
        const char *spec;
        kelvin_shape shape;
        size_t named;
    } table[] = {{"mlp:3,5,4,4,4,4,4,4,4,4,4", {7, 1, 1}, 12}, {"cnn", {1, 28, 28}, 3}, {"resnet8", {3, 8, 8}, 9}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        kelvin_model *model;
        assert_ok(kelvin_model_create(&model, table[i].spec, table[i].shape, 10));
        float *theta = kelvin_alloc(model->n_params, sizeof *theta);
        size_t named = 0;
        for (size_t l = 1; l <= model->n_layers; l++) {
            const kelvin_layer *layer = &model->layer[l];
            if (layer->kind == KELVIN_LAYER_MEAN) continue;
            named++;
            kelvin_model_init(model, theta, 3, 0);
            scale_layer(model, theta, layer->name, 4);
            assert_string_equal(kelvin_diverging_layer(model, theta), layer->name);
            /* What is no number counts for more than what is large. */
            const kelvin_tensor *tensor = &model->tensor[model->layer[1].tensor];
            theta[model->n_params - 1] = NAN;
            assert_string_equal(kelvin_diverging_layer(model, theta), model->layer[model->n_layers].name);
            theta[tensor->offset + 1] = -INFINITY; /* and the first of them counts */
            assert_string_equal(kelvin_diverging_layer(model, theta), model->layer[1].name);
        }
        print_message("%s: %zu layers\n", table[i].spec, named);
        assert_true(named >= table[i].named);
        kelvin_free(theta);
        kelvin_model_destroy(model);
    }
}

/* ---- all of them ---- */

static bool all_finite(const float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

/* Its state is of numbers, at the end of an epoch before the divergence, and the history goes as far. */
static void good_state(const kelvin_run *run, const char *name, uint32_t number, uint32_t epochs)
{
    double rows[64 * KELVIN_EPOCH_COLUMNS];
    struct kelvin_chain chain = state_of(run, name, number);
    assert_true(all_finite(chain.good.theta, run->model->n_params) && all_finite(chain.good.v, run->model->n_params));
    assert_int_equal(chain.good.step, epochs * chain.steps_per_epoch);
    read_history(rows, name, number, epochs);
    kelvin_chain_destroy(&chain);
}

static void says(const char *sentence, const char *const *parts)
{
    assert_non_null(sentence);
    for (; *parts; parts++)
        if (!strstr(sentence, *parts)) fail_msg("\"%s\" does not say \"%s\"", sentence, *parts);
}

/* The layer of a mlp:8 that is larger after one step, which is fine by itself, than at the start: tensors 0 and 1, or 2
 * and 3, of which only the weights are not 0 there. */
static const char *larger_after_a_step(const kelvin_run *run, uint32_t number)
{
    struct kelvin_chain chain;
    assert_ok(kelvin_chain_create(&chain, run, number));
    assert_ok(kelvin_chain_threads(&chain, 1));
    assert_ok(kelvin_chain_begin(&chain));
    assert_ok(kelvin_chain_step(&chain));
    assert_int_equal(chain.step, 1);
    const float *theta = kelvin_sghmc_theta(chain.sampler);
    const kelvin_tensor *t = run->model->tensor;
    double now[2] = {0};
    for (size_t i = 0; i < run->model->n_params; i++) now[i >= t[2].offset] += pow((double)theta[i], 2);
    const double start[2] = {8 * 4 * pow(t[0].deviation, 2), 3 * 8 * pow(t[2].deviation, 2)};
    kelvin_chain_destroy(&chain);
    return now[0] / start[0] > now[1] / start[1] ? "is layer layers.0;" : "is layer layers.1;";
}

/* Steps so large that the first one leads out of all numbers: the start is what is kept. */
static void all_diverge(void **state)
{
    (void)state;
    kelvin_run_config config = tiny();
    config.lr = 1e30;
    kelvin_chains *chains = started(&config, "lost");
    const kelvin_chains_options options = {.threads = 2, .checkpoint = 0};
    assert_ok(kelvin_chains_run(chains, &options, NULL, NULL));
    assert_true(kelvin_chains_finished(chains));
    const kelvin_run *run = kelvin_chains_about(chains);
    char sentences[3][KELVIN_NOTE];
    for (uint32_t i = 0; i < 3; i++) {
        char who[64];
        snprintf(who, sizeof who, "chain %u diverged at step 1 (epoch 0): its ", i);
        says(kelvin_chains_diverged(chains, i),
             (const char *const[]){who, larger_after_a_step(run, i), "after 0 epochs is kept", NULL});
        snprintf(sentences[i], sizeof sentences[i], "%s", kelvin_chains_diverged(chains, i));
        print_message("%s\n", sentences[i]);
        struct kelvin_chain chain = state_of(run, "lost", i);
        float *start = kelvin_alloc(run->model->n_params, sizeof *start);
        kelvin_model_init(run->model, start, config.seed, i);
        assert_memory_equal(chain.good.theta, start, run->model->n_params * sizeof *start);
        kelvin_free(start);
        kelvin_chain_destroy(&chain);
        good_state(run, "lost", i, 0);
    }
    assert_false(exists(in_base("lost/logits_train.npy")));
    assert_false(exists(in_base("lost/chain-000/sample-000.safetensors")));
    kelvin_chains_close(chains);

    /* It stays so. */
    size_t before, after;
    char *bytes = slurp(in_base("lost/chain-001/state.safetensors"), &before);
    chains = opened("lost");
    assert_true(kelvin_chains_finished(chains));
    assert_ok(kelvin_chains_run(chains, &options, NULL, NULL));
    for (uint32_t i = 0; i < 3; i++) assert_string_equal(kelvin_chains_diverged(chains, i), sentences[i]);
    kelvin_chains_close(chains);
    char *again = slurp(in_base("lost/chain-001/state.safetensors"), &after);
    assert_int_equal(before, after);
    assert_memory_equal(bytes, again, after);
    kelvin_free(bytes);
    kelvin_free(again);
    remove_tree(in_base("lost"));
}

/* The last step of a run is seen by no other step: a sample must be looked at before it is one. */
static void the_last_step_diverges(void **state)
{
    (void)state;
    kelvin_run_config config = tiny();
    config.lr = 1e30;
    config.epochs = config.chains = config.samples = 1;
    config.batch = 60;
    kelvin_chains *chains = started(&config, "last");
    assert_ok(kelvin_chains_run(chains, &(kelvin_chains_options){.threads = 1}, NULL, NULL));
    says(kelvin_chains_diverged(chains, 0),
         (const char *const[]){"chain 0 diverged at step 1", "after 0 epochs", NULL});
    assert_false(exists(in_base("last/chain-000/sample-000.safetensors")));
    good_state(kelvin_chains_about(chains), "last", 0, 0);
    kelvin_chains_close(chains);
    remove_tree(in_base("last"));
}

/* ---- one of them ---- */

enum { EPOCHS = 50, CHAINS = 3 };

/* The widest logits of each chain, and a limit that the widest of all passes alone. */
static double limit_for_one(double rows[CHAINS][EPOCHS][KELVIN_EPOCH_COLUMNS], uint32_t *widest)
{
    double range[CHAINS] = {0}, second = 0;
    *widest = 0;
    for (uint32_t i = 0; i < CHAINS; i++) {
        read_history(rows[i][0], "free", i, EPOCHS);
        for (uint32_t e = 0; e < EPOCHS; e++) range[i] = fmax(range[i], rows[i][e][LOGIT_RANGE]);
        if (range[i] > range[*widest]) *widest = i;
    }
    for (uint32_t i = 0; i < CHAINS; i++)
        if (i != *widest) second = fmax(second, range[i]);
    print_message("widest logits %g, of the others %g\n", range[*widest], second);
    return 0.5 * (range[*widest] + second);
}

/* What a chain did, in two runs whose limits differ: files with parameters know the configuration, and differ. */
static void same_chains(const char *a, const char *b, uint32_t chain)
{
    kelvin_path x, y;
    assert_ok(kelvin_path_join(x, in_base(a), KELVIN_HISTORY_FILE, chain));
    assert_ok(kelvin_path_join(y, in_base(b), KELVIN_HISTORY_FILE, chain));
    same_bytes(x, y);
}

/* How and when files were written changes neither sentence nor history nor the state that is kept. */
static void same_divergence(const kelvin_run_config *config, const char *sentence, uint32_t lost)
{
    const struct {
        size_t threads;
        double checkpoint;
    } table[] = {{1, 1e9}, {2, 1e-9}, {3, 1e-9}};
    for (size_t i = 0; i < 3; i++) {
        kelvin_chains *chains = started(config, "again");
        const kelvin_chains_options options = {.threads = table[i].threads, .checkpoint = table[i].checkpoint};
        assert_ok(kelvin_chains_run(chains, &options, NULL, NULL));
        assert_string_equal(kelvin_chains_diverged(chains, lost), sentence);
        kelvin_chains_close(chains);
        for (size_t k = 0; k < 2; k++) {
            kelvin_path x, y, name;
            assert_true(snprintf(name, sizeof name, k ? KELVIN_STATE_FILE : KELVIN_HISTORY_FILE, lost) > 0);
            assert_ok(kelvin_path_join(x, in_base("again"), "%s", name));
            assert_ok(kelvin_path_join(y, in_base("one"), "%s", name));
            same_bytes(x, y);
        }
        same_bytes(in_base("again/logits_train.npy"), in_base("one/logits_train.npy"));
        remove_tree(in_base("again"));
    }
}

static void one_diverges(void **state)
{
    (void)state;
    static double rows[CHAINS][EPOCHS][KELVIN_EPOCH_COLUMNS], kept[EPOCHS][KELVIN_EPOCH_COLUMNS];
    kelvin_run_config config = tiny();
    uint32_t lost, last = 0;
    config.temperature = 20; /* chains that go far */
    config.schedule = config.temperature_schedule = "constant";
    whole_run(&config, "free", 2, 0);
    config.logit_limit = limit_for_one(rows, &lost);
    while (rows[lost][last][LOGIT_RANGE] <= config.logit_limit) last++;
    kelvin_chains *chains = started(&config, "one");
    assert_ok(kelvin_chains_run(chains, &(kelvin_chains_options){.threads = 2}, NULL, NULL));
    assert_true(kelvin_chains_finished(chains));
    const kelvin_run *run = kelvin_chains_about(chains);
    for (uint32_t i = 0; i < CHAINS; i++) {
        if (i == lost) continue;
        assert_null(kelvin_chains_diverged(chains, i));
        same_chains("one", "free", i);
    }
    char sentence[KELVIN_NOTE], who[64], step[128];
    snprintf(sentence, sizeof sentence, "%s", kelvin_chains_diverged(chains, lost));
    print_message("%s\n", sentence);
    snprintf(who, sizeof who, "chain %u diverged at step ", lost);
    snprintf(step, sizeof step, "(epoch %u): its logits ran away; what has grown most is layer layers.", last);
    says(sentence, (const char *const[]){who, step, NULL});
    good_state(run, "one", lost, last);
    read_history(kept[0], "one", lost, last); /* what it did before is what it did without a limit */
    assert_memory_equal(kept, rows[lost], last * sizeof *kept);
    const size_t shape[3] = {CHAINS - 1, run->data->train.n, run->data->classes};
    float *logits = kelvin_alloc(shape[0] * shape[1] * shape[2], sizeof *logits);
    assert_ok(kelvin_npy_read(logits, in_base("one/logits_train.npy"), shape));
    assert_true(all_finite(logits, shape[0] * shape[1] * shape[2]));
    kelvin_free(logits);
    kelvin_chains_close(chains);
    resumed("one", 1);
    same_divergence(&config, sentence, lost);
    remove_tree(in_base("one"));
    remove_tree(in_base("free"));
}

/* What a chain gave before it left is a sample like any other. */
static void earlier_samples_count(void **state)
{
    (void)state;
    static double rows[EPOCHS][KELVIN_EPOCH_COLUMNS];
    kelvin_run_config config = tiny();
    config.chains = 1;
    config.samples = 5; /* one after each ten epochs */
    config.lr = 1e-3;   /* so that it goes far, but slowly */
    config.temperature = 20;
    config.schedule = config.temperature_schedule = "constant";
    whole_run(&config, "free", 1, 0);
    read_history(rows[0], "free", 0, EPOCHS);
    uint32_t last = 0;
    config.logit_limit = 0;
    for (uint32_t e = 0; e < 25; e++) config.logit_limit = fmax(config.logit_limit, 1.02 * rows[e][LOGIT_RANGE]);
    while (last < EPOCHS && rows[last][LOGIT_RANGE] <= config.logit_limit) last++;
    assert_true(last < EPOCHS);
    kelvin_chains *chains = started(&config, "early");
    assert_ok(kelvin_chains_run(chains, &(kelvin_chains_options){.threads = 2}, NULL, NULL));
    assert_non_null(kelvin_chains_diverged(chains, 0));
    const kelvin_run *run = kelvin_chains_about(chains);
    const size_t samples = last / 10, shape[3] = {samples, run->data->train.n, run->data->classes};
    assert_true(samples >= 2);
    float *logits = kelvin_alloc(samples * shape[1] * shape[2], sizeof *logits);
    assert_ok(kelvin_npy_read(logits, in_base("early/logits_train.npy"), shape));
    kelvin_free(logits);
    const size_t n = run->model->n_params;
    float *a = kelvin_alloc(2 * n, sizeof *a), *b = a + n;
    assert_ok(kelvin_sample_read(a, in_base("early/chain-000/sample-001.safetensors"), run->model));
    assert_ok(kelvin_sample_read(b, in_base("free/chain-000/sample-001.safetensors"), run->model));
    assert_memory_equal(a, b, n * sizeof *a);
    kelvin_free(a);
    kelvin_chains_close(chains);
    remove_tree(in_base("early"));
    remove_tree(in_base("free"));
}

/* ---- warnings ---- */

/* A table with two rows of each class. */
static const char *table_of_classes(int classes)
{
    static char spec[KELVIN_PATH_MAX];
    const char *path = in_base("classes.csv");
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "a,b,label\n");
    for (int i = 0; i < 2 * classes; i++) fprintf(file, "%d,%d,c%d\n", i, i * i % 7, i % classes);
    fclose(file);
    snprintf(spec, sizeof spec, "csv:%s,label=label,split=0", path);
    return spec;
}

static void warnings_before_the_start(void **state)
{
    (void)state;
    const struct {
        int classes;
        const char *density, *init, *warning; /* NULL: none */
    } table[] = {
        {2, "dirichlet:0.001", "none", NULL}, /* (K - 2) / K = 0 */
        {2, "dirclip:0.001,-10", "none", NULL},
        {3, "dirichlet:0.33", "none", "0.333 of 3 classes"},
        {3, "dirichlet:0.34", "none", NULL},
        {10, "dirclip:0.79,-50", "none", "0.8 of 10 classes"},
        {10, "dirclip:0.8,-50", "none", NULL},
        {10, "dirclip:0.81,-50", "none", NULL},
        {10, "dirclip:0.79,-50", base, NULL},
        {10, "categorical", "none", NULL},
        {100, "dirclip:0.97,-50", "none", "0.98 of 100 classes"},
        {100, "dirclip:0.99,-50", "none", NULL},
        {100, "categorical", "none", NULL},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        kelvin_run_config config = tiny();
        kelvin_run *run;
        config.data = table_of_classes(table[i].classes);
        config.density = table[i].density;
        config.init = table[i].init;
        assert_ok(kelvin_run_create(&run, &config));
        assert_int_equal(run->data->classes, table[i].classes);
        const char *warning = kelvin_run_warning(run);
        if (!table[i].warning)
            assert_null(warning);
        else
            says(warning, (const char *const[]){table[i].warning, table[i].density, "--init RUN", NULL});
        kelvin_run_close(run);
    }
}

/* HMC looks at the whole density and refuses what is wrong: there is nothing to warn of. */
static void hmc_needs_no_warning(void **state)
{
    (void)state;
    kelvin_run_config config;
    kelvin_run *run;
    assert_ok(kelvin_run_defaults(&config, "hmc"));
    config.data = table_of_classes(10);
    config.model = "mlp:3";
    config.density = "dirclip:0.79,-50";
    config.iterations = 2;
    config.warmup = 0;
    assert_ok(kelvin_run_create(&run, &config));
    assert_null(kelvin_run_warning(run));
    kelvin_run_close(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_layer_that_grew_is_named), cmocka_unit_test(all_diverge),
        cmocka_unit_test(the_last_step_diverges),     cmocka_unit_test(one_diverges),
        cmocka_unit_test(earlier_samples_count),      cmocka_unit_test(warnings_before_the_start),
        cmocka_unit_test(hmc_needs_no_warning),
    };
    return cmocka_run_group_tests(tests, make_table, remove_base);
}
