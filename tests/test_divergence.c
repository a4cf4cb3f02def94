/* Chains that leave for infinity: where and how is said, the last good state is kept, the others are as they would be
 * without them. And the settings of which it is known beforehand. */
#include "chains_helpers.h"
#include "npy_helpers.h"

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
            kelvin_model_start(model, theta, 3, 0);
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

/* Its state is of numbers, at the end of a row before the divergence, and the history goes as far. */
static void good_state(const kelvin_run *run, const char *name, uint32_t number, uint32_t rows)
{
    double column[64];
    struct kelvin_chain chain = state_of(run, name, number);
    assert_true(all_finite(chain.good.vectors, kelvin_sampler_vectors(run->sampler) * run->model->n_params));
    assert_int_equal(chain.good.step, rows * chain.row_steps);
    assert_true(rows <= 64);
    read_column(column, run, name, number, "logit_range", rows);
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
    const float *theta = kelvin_sampler_theta(chain.sampler);
    const kelvin_tensor *t = run->model->tensor;
    double now[2] = {0};
    for (size_t i = 0; i < run->model->n_params; i++) now[i >= t[2].offset] += pow((double)theta[i], 2);
    const double start[2] = {8 * 4 * pow(t[0].deviation, 2), 3 * 8 * pow(t[2].deviation, 2)};
    kelvin_chain_destroy(&chain);
    return now[0] / start[0] > now[1] / start[1] ? "is layer layers.0;" : "is layer layers.1;";
}

/* A configuration of which the first step leads out of all numbers, or out of the limit of its logits. */
static kelvin_run_config lost_by(const kelvin_sampler_type *type)
{
    kelvin_run_config config = tiny_by(type);
    if (type->batches)
        set(&config, "lr", 1e30);
    else
        config.logit_limit = 1e-3;
    return config;
}

static void keeps_the_start(const kelvin_run *run, const char *name, uint32_t number)
{
    struct kelvin_chain kept = state_of(run, name, number), fresh;
    assert_ok(kelvin_chain_create(&fresh, run, number));
    assert_ok(kelvin_chain_threads(&fresh, 1));
    assert_ok(kelvin_chain_begin(&fresh));
    assert_memory_equal(kept.good.vectors, fresh.good.vectors, run->model->n_params * sizeof(float));
    kelvin_chain_destroy(&kept);
    kelvin_chain_destroy(&fresh);
}

/* Steps so large that the first one leads out of all numbers: the start is what is kept. */
static void all_are_lost(const kelvin_sampler_type *type)
{
    const kelvin_run_config config = lost_by(type);
    kelvin_run *run = started(&config, "lost");
    assert_ok(sample(run, 2, 0));
    assert_true(kelvin_run_finished(run));
    char sentences[3][KELVIN_NOTE];
    for (uint32_t i = 0; i < 3; i++) {
        char who[64], kept[64];
        snprintf(who, sizeof who, "chain %u diverged at step %d (%s 0): its ", i, type->batches ? 1 : 0,
                 kelvin_run_row_name(run));
        snprintf(kept, sizeof kept, "after 0 %ss is kept", kelvin_run_row_name(run));
        says(kelvin_run_diverged(run, i),
             (const char *const[]){who, type->batches ? larger_after_a_step(run, i) : "is layer layers.", kept, NULL});
        snprintf(sentences[i], sizeof sentences[i], "%s", kelvin_run_diverged(run, i));
        print_message("%s\n", sentences[i]);
        keeps_the_start(run, "lost", i);
        good_state(run, "lost", i, 0);
    }
    assert_false(exists(in_base("lost/logits_train.npy")));
    assert_false(exists(in_base("lost/chain-000/samples-000.safetensors")));
    kelvin_run_close(run);
    kelvin_samples *samples;
    fails(kelvin_samples_open(&samples, in_base("lost")), KELVIN_EDIVERGED, "all chains diverged", sentences[0]);

    /* It stays so. */
    size_t before, after;
    char *bytes = slurp(in_base("lost/chain-001/state.safetensors"), &before);
    run = opened("lost");
    assert_true(kelvin_run_finished(run));
    assert_ok(sample(run, 2, 0));
    for (uint32_t i = 0; i < 3; i++) assert_string_equal(kelvin_run_diverged(run, i), sentences[i]);
    kelvin_run_close(run);
    char *again = slurp(in_base("lost/chain-001/state.safetensors"), &after);
    assert_int_equal(before, after);
    assert_memory_equal(bytes, again, after);
    kelvin_free(bytes);
    kelvin_free(again);
    remove_tree(in_base("lost"));
}

static void all_diverge(void **state)
{
    (void)state;
    for (size_t s = 0; s < samplers(); s++) all_are_lost(kelvin_sampler_info(s));
}

/* The last step of a run is seen by no other step: a sample must be looked at before it is one. */
static void the_last_step_diverges(void **state)
{
    (void)state;
    for (size_t s = 0; s < samplers(); s++) {
        kelvin_run_config config = lost_by(kelvin_sampler_info(s));
        config.epochs = config.iterations = config.chains = config.samples = 1;
        config.warmup = 0;
        config.batch = 60;
        kelvin_run *run = started(&config, "last");
        assert_ok(sample(run, 1, 0));
        char kept[64];
        snprintf(kept, sizeof kept, "after 0 %ss", kelvin_run_row_name(run));
        says(kelvin_run_diverged(run, 0), (const char *const[]){"chain 0 diverged at step ", kept, NULL});
        assert_false(exists(in_base("last/chain-000/samples-000.safetensors")));
        good_state(run, "last", 0, 0);
        kelvin_run_close(run);
        remove_tree(in_base("last"));
    }
}

/* Steps so large that nothing is left of the numbers: by a sampler that accepts or rejects, all are rejected, and by
 * one that tunes itself, they are made smaller. Where they were said, and count, the chain has diverged. */
static void huge_steps(void **state)
{
    (void)state;
    for (size_t s = 0; s < samplers(); s++) {
        const kelvin_sampler_type *type = kelvin_sampler_info(s);
        kelvin_run_config config = tiny_by(type);
        if (type->batches) continue;
        set(&config, "step_size", 1e30);
        config.warmup = 0;
        kelvin_run *run = started(&config, "huge");
        assert_ok(sample(run, 2, 0));
        for (uint32_t i = 0; i < 3; i++) {
            if (type->accepts)
                assert_null(kelvin_run_diverged(run, i));
            else
                says(kelvin_run_diverged(run, i),
                     (const char *const[]){"diverged at step 0 (iteration 0): its ", NULL});
        }
        kelvin_run_close(run);
        remove_tree(in_base("huge"));
    }
}

/* ---- one of them ---- */

enum { ROWS = 50, CHAINS = 3 };

/* The widest logits of each chain, and a limit that the widest of all passes alone. */
static double limit_for_one(double range[CHAINS][ROWS], const kelvin_run *run, uint32_t *widest)
{
    double widths[CHAINS] = {0}, second = 0;
    *widest = 0;
    for (uint32_t i = 0; i < CHAINS; i++) {
        read_column(range[i], run, "free", i, "logit_range", ROWS);
        for (uint32_t e = 0; e < ROWS; e++) widths[i] = fmax(widths[i], range[i][e]);
        if (widths[i] > widths[*widest]) *widest = i;
    }
    for (uint32_t i = 0; i < CHAINS; i++)
        if (i != *widest) second = fmax(second, widths[i]);
    print_message("%s: widest logits %g, of the others %g\n", run->sampler->member.name, widths[*widest], second);
    return 0.5 * (widths[*widest] + second);
}

/* What a chain did, in two runs whose limits differ: files with parameters know the configuration, and differ. */
static void same_chains(const char *a, const char *b, uint32_t chain)
{
    kelvin_path x, y;
    assert_ok(kelvin_path_join(x, in_base(a), KELVIN_HISTORY_FILE, chain));
    assert_ok(kelvin_path_join(y, in_base(b), KELVIN_HISTORY_FILE, chain));
    same_bytes(x, y);
}

/* What a chain did before it left is what it does without a limit: the file begins with all of the other. */
static void same_beginning(const char *whole, const char *cut, uint32_t chain)
{
    kelvin_path x, y;
    size_t n, m;
    assert_ok(kelvin_path_join(x, in_base(whole), KELVIN_HISTORY_FILE, chain));
    assert_ok(kelvin_path_join(y, in_base(cut), KELVIN_HISTORY_FILE, chain));
    char *all = slurp(x, &n), *part = slurp(y, &m);
    assert_true(m < n);
    assert_memory_equal(all, part, m);
    kelvin_free(all);
    kelvin_free(part);
}

/* How and when files were written changes neither a sentence nor a byte. */
static void same_divergence(const kelvin_run_config *config, const char *sentence, uint32_t lost)
{
    const struct {
        size_t threads;
        double checkpoint;
    } table[] = {{1, 1e9}, {2, 1e-9}, {3, 1e-9}};
    for (size_t i = 0; i < 3; i++) {
        kelvin_run *run = started(config, "again");
        assert_ok(sample(run, table[i].threads, table[i].checkpoint));
        assert_string_equal(kelvin_run_diverged(run, lost), sentence);
        kelvin_run_close(run);
        same_runs("again", "one");
        remove_tree(in_base("again"));
    }
}

/* Nor does a stop just before, in the middle of an epoch where there is one: what is kept is where that began. */
static void same_after_a_stop(const kelvin_run_config *config, const char *sentence, uint32_t lost)
{
    kelvin_run *run = started(config, "again");
    struct kelvin_chain chain;
    kelvin_path path;
    unsigned bad;
    assert_int_equal(sscanf(strstr(sentence, "at step "), "at step %u", &bad), 1);
    assert_ok(kelvin_chain_create(&chain, run, lost));
    assert_ok(kelvin_chain_threads(&chain, 1));
    assert_ok(kelvin_chain_begin(&chain));
    uint32_t last = bad > 0 ? bad - 1 : 0;
    while (last > 0 && chain.row_steps > 1 && last % chain.row_steps == 0) last--;
    while (chain.step < last) assert_ok(kelvin_chain_step(&chain));
    assert_ok(kelvin_snapshot_create(&chain.now, run));
    kelvin_chain_now(&chain.now, &chain);
    assert_true(run->sampler->batches == (chain.now.step > chain.good.step));
    assert_ok(kelvin_path_join(path, in_base("again"), KELVIN_STATE_FILE, lost));
    assert_ok(kelvin_state_write(path, &chain, &chain.now, &chain.good, &chain.bundle));
    kelvin_chain_destroy(&chain);
    kelvin_run_close(run);
    resumed("again", 2);
    same_runs("again", "one");
    remove_tree(in_base("again"));
}

static void right_logits(const kelvin_run *run, const char *path, size_t samples)
{
    const size_t shape[3] = {samples, run->data->train.n, run->data->classes};
    float *logits = kelvin_alloc(shape[0] * shape[1] * shape[2], sizeof *logits);
    assert_ok(read_logits(logits, path, shape));
    assert_true(all_finite(logits, shape[0] * shape[1] * shape[2]));
    kelvin_free(logits);
}

/* One chain of three leaves, after `left` draws that count. */
static void one_is_lost(kelvin_run_config *config)
{
    static double range[CHAINS][ROWS];
    uint32_t lost, last = 0;
    whole_run(config, "free", 2, 0);
    kelvin_run *run = run_of("free");
    config->logit_limit = limit_for_one(range, run, &lost);
    kelvin_run_close(run);
    while (range[lost][last] <= config->logit_limit) last++;
    run = started(config, "one");
    assert_ok(sample(run, 2, 0));
    assert_true(kelvin_run_finished(run));
    assert_ok(kelvin_run_verify(run));
    size_t samples = 0;
    for (uint32_t i = 0; i < CHAINS; i++) {
        const uint32_t draws = kelvin_run_draws_by(run, i == lost ? last : ROWS), warmup = kelvin_run_warmup(run);
        samples += draws > warmup ? draws - warmup : 0;
        if (i == lost) continue;
        assert_null(kelvin_run_diverged(run, i));
        same_chains("one", "free", i);
    }
    char sentence[KELVIN_NOTE], who[64], step[128];
    snprintf(sentence, sizeof sentence, "%s", kelvin_run_diverged(run, lost));
    print_message("%s\n", sentence);
    snprintf(who, sizeof who, "chain %u diverged at step ", lost);
    snprintf(step, sizeof step, "(%s %u): its logits ran away; what has grown most is layer layers.",
             kelvin_run_row_name(run), last);
    says(sentence, (const char *const[]){who, step, NULL});
    good_state(run, "one", lost, last);
    same_beginning("free", "one", lost);
    right_logits(run, in_base("one/logits_train.npy"), samples);
    kelvin_run_close(run);
    resumed("one", 1);
    same_divergence(config, sentence, lost);
    same_after_a_stop(config, sentence, lost);
    remove_tree(in_base("one"));
    remove_tree(in_base("free"));
}

static void one_diverges(void **state)
{
    (void)state;
    for (size_t s = 0; s < samplers(); s++) {
        kelvin_run_config config = tiny_by(kelvin_sampler_info(s));
        config.temperature = 20; /* chains that go far */
        config.schedule = config.temperature_schedule = "constant";
        one_is_lost(&config);
    }
}

/* A limit that a chain passes where its logits are wider than ever before, for the last time. */
static double limit_for_late(const double range[ROWS], uint32_t *last)
{
    double widest = range[0], limit = 0;
    *last = 0;
    for (uint32_t e = 1; e < ROWS; e++) {
        if (range[e] > widest) limit = 0.5 * (widest + range[ *last = e]);
        widest = fmax(widest, range[e]);
    }
    return limit;
}

/* What a chain gave before it left is a sample like any other. */
static void earlier_samples_count(void **state)
{
    (void)state;
    for (size_t s = 0; s < samplers(); s++) {
        const kelvin_sampler_type *type = kelvin_sampler_info(s);
        double range[ROWS];
        kelvin_run_config config = tiny_by(type);
        config.chains = 1;
        config.samples = 5; /* one after each ten epochs */
        config.temperature = 20;
        config.schedule = config.temperature_schedule = "constant";
        if (type->batches) set(&config, "lr", 1e-3); /* so that it goes far, but slowly */
        config.warmup = 0;
        whole_run(&config, "free", 1, 0);
        kelvin_run *free_run = run_of("free");
        read_column(range, free_run, "free", 0, "logit_range", ROWS);
        uint32_t last;
        config.logit_limit = limit_for_late(range, &last);
        kelvin_run *run = started(&config, "early");
        assert_ok(sample(run, 2, 0));
        assert_non_null(kelvin_run_diverged(run, 0));
        const size_t samples = kelvin_run_draws_by(run, last);
        assert_true(samples >= 2);
        right_logits(run, in_base("early/logits_train.npy"), samples);
        for (uint32_t i = 0; i < samples; i++) {
            float *a = draw_of(run, "early", 0, i), *b = draw_of(free_run, "free", 0, i);
            assert_memory_equal(a, b, run->model->n_params * sizeof *a);
            kelvin_free(a);
            kelvin_free(b);
        }
        kelvin_run_close(run);
        kelvin_run_close(free_run);
        remove_tree(in_base("early"));
        remove_tree(in_base("free"));
    }
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
        assert_ok(kelvin_run_begin(&run, &config, NULL));
        assert_int_equal(run->data->classes, table[i].classes);
        const char *warning = kelvin_run_warning(run);
        if (!table[i].warning)
            assert_null(warning);
        else
            says(warning, (const char *const[]){table[i].warning, table[i].density, "init = RUN", NULL});
        kelvin_run_close(run);
    }
}

/* Of all data the whole density is looked at, and what is wrong is refused: there is nothing to warn of. */
static void all_data_need_no_warning(void **state)
{
    (void)state;
    for (size_t s = 0; s < samplers(); s++) {
        kelvin_run_config config = tiny_by(kelvin_sampler_info(s));
        kelvin_run *run;
        if (kelvin_sampler_info(s)->batches) continue;
        config.data = table_of_classes(10);
        config.density = "dirclip:0.79,-50";
        assert_ok(kelvin_run_begin(&run, &config, NULL));
        assert_null(kelvin_run_warning(run));
        kelvin_run_close(run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_layer_that_grew_is_named),
        cmocka_unit_test(all_diverge),
        cmocka_unit_test(the_last_step_diverges),
        cmocka_unit_test(huge_steps),
        cmocka_unit_test(one_diverges),
        cmocka_unit_test(earlier_samples_count),
        cmocka_unit_test(warnings_before_the_start),
        cmocka_unit_test(all_data_need_no_warning),
    };
    return cmocka_run_group_tests(tests, make_table, remove_base);
}
