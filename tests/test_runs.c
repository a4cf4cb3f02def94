/* Runs by every sampler: the same draws in memory and in a folder, alone and together, on any number of threads, also
 * after a stop; what a watch is told; and no memory at any place. */
#include "run_helpers.h"

#include "base/memory.h"
#include "posterior/diagnosis.h"
#include "posterior/evaluate.h"

/* ---- in memory ---- */

/* What people ask of samples. */
static void same_answers(kelvin_samples *a, kelvin_samples *b)
{
    static kelvin_metrics m[2]; /* large */
    kelvin_samples *const both[2] = {a, b};
    kelvin_diagnosis *d[2];
    memset(m, 0, sizeof m);
    for (size_t i = 0; i < 2; i++) {
        kelvin_logits *logits;
        assert_ok(kelvin_logits_of_side(&logits, both[i], KELVIN_TRAIN, 1));
        assert_ok(kelvin_evaluate_into(&m[i], logits, &(kelvin_evaluate_options){.threads = 1}, NULL));
        kelvin_logits_close(logits);
        assert_ok(kelvin_diagnose(&d[i], both[i], 1));
    }
    assert_memory_equal(m[0].single, m[1].single, sizeof m[0].single);
    assert_memory_equal(m[0].ensemble, m[1].ensemble, sizeof m[0].ensemble);
    assert_memory_equal(&d[0]->parameters, &d[1]->parameters, sizeof d[0]->parameters);
    assert_memory_equal(&d[0]->predictions, &d[1]->predictions, sizeof d[0]->predictions);
    for (size_t i = 0; i < 2; i++) kelvin_diagnosis_free(d[i]);
}

static void memory_is_as_a_folder(void **state)
{
    (void)state;
    const kelvin_sampler_type *type;
    for (size_t i = 0; (type = kelvin_sampler_info(i)); i++) {
        const kelvin_run_config config = small_by(type->member.name);
        kelvin_run *folder = sampled_in(&config, "one", 1);
        kelvin_samples *a = samples_from(folder);
        assert_null(kelvin_samples_note(a));
        for (size_t threads = 1; threads <= 3; threads++) {
            kelvin_run *run = sampled(&config, threads);
            kelvin_samples *b = samples_from(run);
            assert_null(run->folder);
            assert_true(kelvin_run_finished(run) && run->seconds > 0);
            assert_ok(kelvin_run_verify(run)); /* nothing is written that could be damaged */
            for (uint32_t c = 0; c < config.chains; c++) assert_null(kelvin_run_diverged(run, c));
            assert_int_equal(b->n, 8);
            same_samples(a, b, true);
            same_answers(a, b);
            kelvin_samples_close(b);
            kelvin_run_close(run);
        }
        kelvin_samples_close(a);
        kelvin_run_close(folder);
        remove_tree(in_base("one"));
    }
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    static const char *const names[] = {"one", "two", "three"};
    const kelvin_sampler_type *type;
    for (size_t i = 0; (type = kelvin_sampler_info(i)); i++) {
        const kelvin_run_config config = small_by(type->member.name);
        for (size_t k = 0; k < 3; k++) sample_into(&config, names[k], k + 1);
        same_folders(in_base("one"), in_base("two"));
        same_folders(in_base("one"), in_base("three"));
        for (size_t k = 0; k < 3; k++) remove_tree(in_base(names[k]));
    }
}

/* A network so large that two draws fill a file: what is in them follows one after the other. */
static void several_files_of_draws(void **state)
{
    (void)state;
    const kelvin_sampler_type *type;
    for (size_t i = 0; (type = kelvin_sampler_info(i)); i++) {
        kelvin_run_config config = small_by(type->member.name);
        config.model = "mlp:600,600";
        config.chains = 2;
        config.iterations = config.warmup + 3;
        config.samples = 10;
        if (has_setting(type, "steps")) assert_ok(kelvin_run_set(&config, "steps", 2));
        kelvin_run *run = sampled(&config, 2), *folder = sampled_in(&config, "files", 1);
        assert_int_equal(kelvin_run_bundle_draws(folder), 2);
        assert_int_equal(kelvin_run_draws(run), 5);
        assert_true(exists(in_base("files/chain-001/samples-002.safetensors"))); /* two, two and one */
        assert_false(exists(in_base("files/chain-001/samples-003.safetensors")));
        same_draws(run, folder);
        assert_ok(kelvin_run_verify(folder));
        kelvin_run_close(run);
        kelvin_run_close(folder);
        kelvin_samples *samples = samples_in("files"); /* of nobody else's run */
        kelvin_samples_close(samples);
        remove_tree(in_base("files"));
    }
}

/* ---- together ---- */

enum { RUNS = 4 };

/* By all samplers, of several lengths and temperatures. */
static kelvin_run_config one_of_them(size_t i)
{
    static const char *const samplers[RUNS] = {"sghmc", "hmc", "mclmc", "hmc"};
    kelvin_run_config config = small_by(samplers[i]);
    config.seed += i;
    if (i == 3) {
        config.density = "categorical";
        config.prior = "none";
        config.chains = 3;
        config.temperature = 0.25;
    }
    return config;
}

static void runs_together_are_as_alone(void **state)
{
    (void)state;
    kelvin_run_config config[RUNS];
    kelvin_run *alone[RUNS], *runs[RUNS];
    for (size_t i = 0; i < RUNS; i++) config[i] = one_of_them(i);
    for (size_t i = 0; i < RUNS; i++) alone[i] = sampled(&config[i], 1);
    for (size_t threads = 1; threads <= 3; threads++) {
        static const char *const names[RUNS] = {NULL, NULL, "third", "fourth"};
        for (size_t i = 0; i < RUNS; i++) runs[i] = started_in(&config[i], names[i]);
        assert_ok(
            kelvin_run_sample(runs, RUNS, &(kelvin_run_options){.threads = threads, .checkpoint = 60}, NULL, NULL));
        for (size_t i = 0; i < RUNS; i++) {
            assert_true(kelvin_run_finished(runs[i]) && runs[i]->seconds > 0);
            same_draws(alone[i], runs[i]);
            kelvin_run_close(runs[i]);
            if (names[i]) remove_tree(in_base(names[i]));
        }
    }
    float a[492], b[492];
    draw_in_memory(a, alone[1], 0, 0);
    draw_in_memory(b, alone[3], 0, 0);
    assert_true(memcmp(a, b, sizeof a) != 0);
    for (size_t i = 0; i < RUNS; i++) kelvin_run_close(alone[i]);
}

/* ---- watches ---- */

struct watch {
    size_t stops, waiting, done, logits;
    struct {
        uint32_t row;
        bool at_work, done;
    } chain[2];
    bool all;           /* every chain was told of before the first of them went on */
    uint32_t stop_when; /* so many chains are done; 0: never */
};

static bool watcher(void *context, const kelvin_run *run, const kelvin_chain_news *news)
{
    struct watch *w = context;
    assert_int_equal(w->stops, 0); /* nobody is asked after the one who said stop */
    if (news->phase == KELVIN_CHAIN_LOGITS) {
        assert_int_equal(w->done, run->config.chains);
        assert_true(news->step < news->steps);
        w->logits++;
        return true;
    }
    assert_int_equal(news->rows, kelvin_run_rows(run));
    assert_int_equal(news->steps, kelvin_run_steps(run));
    assert_int_equal(news->row, news->step / kelvin_run_row_steps(run));
    assert_true(news->row <= news->rows && news->row >= w->chain[news->chain].row); /* it never goes back */
    w->chain[news->chain].row = news->row;
    w->waiting += news->phase == KELVIN_CHAIN_WAITING;
    if (news->phase == KELVIN_CHAIN_SAMPLING) w->chain[news->chain].at_work = true;
    if (news->phase == KELVIN_CHAIN_SAMPLING) w->all |= w->waiting == run->config.chains;
    if (news->phase != KELVIN_CHAIN_DONE) return true;
    assert_int_equal(news->row, news->rows);
    if (w->chain[news->chain].at_work) /* now, and not earlier */
        assert_true(news->values && news->values[0] == news->rows - 1);
    w->done += !w->chain[news->chain].done;
    w->chain[news->chain].done = true;
    w->stops += w->done == w->stop_when;
    return w->done != w->stop_when;
}

static void a_watch_is_told(void **state)
{
    (void)state;
    const kelvin_sampler_type *type;
    for (size_t i = 0; (type = kelvin_sampler_info(i)); i++)
        for (size_t threads = 1; threads <= 2; threads++)
            for (int folder = 0; folder < 2; folder++) {
                const kelvin_run_config config = small_by(type->member.name);
                kelvin_run *run = started_in(&config, folder ? "watched" : NULL);
                struct watch w = {0};
                assert_ok(kelvin_run_sample(&run, 1, &(kelvin_run_options){.threads = threads, .checkpoint = 60},
                                            watcher, &w));
                assert_true(w.all && w.waiting == 2 && w.done == 2);
                assert_int_equal(w.logits, folder ? 8 : 0); /* of the training part: there is no other */
                kelvin_run_close(run);
                remove_tree(in_base("watched"));
            }
}

/* When the first chain is done the second is not begun, and both kinds of run are gone on with. */
static void a_watch_that_stops(void **state)
{
    (void)state;
    const kelvin_sampler_type *type;
    const kelvin_run_options one = {.threads = 1, .checkpoint = 60};
    for (size_t i = 0; (type = kelvin_sampler_info(i)); i++)
        for (int folder = 0; folder < 2; folder++) {
            const kelvin_run_config config = small_by(type->member.name);
            kelvin_run *run = started_in(&config, folder ? "stopped" : NULL), *whole = sampled(&config, 1);
            kelvin_samples *samples;
            const kelvin_status expected = folder ? KELVIN_EFORMAT : KELVIN_EUSAGE;
            const char *const sentence = folder ? "has not ended" : "has not been sampled to its end";
            fails(kelvin_samples_of(&samples, run), expected, "", sentence);
            assert_null(samples);
            struct watch w = {.stop_when = 1};
            fails(kelvin_run_sample(&run, 1, &one, watcher, &w), KELVIN_ESTOP, "", "stopped");
            assert_true(w.stops == 1 && w.done == 1 && w.chain[1].row == 0 && w.logits == 0);
            assert_false(kelvin_run_finished(run));
            fails(kelvin_samples_of(&samples, run), expected, "", sentence);
            if (folder) {
                kelvin_run_close(run);
                assert_ok(kelvin_run_open(&run, in_base("stopped")));
            }
            w = (struct watch){0};
            assert_ok(kelvin_run_sample(&run, 1, &one, watcher, &w));
            assert_true(w.waiting == 1 && w.done == 2);
            assert_true(!w.chain[0].at_work && w.chain[1].at_work); /* the first stays as it is */
            assert_true(kelvin_run_finished(run));
            w = (struct watch){0};
            assert_ok(kelvin_run_sample(&run, 1, &one, watcher, &w)); /* nothing is left to do */
            assert_true(w.waiting == 0 && w.done == 2 && !w.chain[1].at_work);
            same_draws(run, whole);
            kelvin_run_close(run);
            kelvin_run_close(whole);
            remove_tree(in_base("stopped"));
        }
}

/* A chain that fails stops those after it. */
static void a_chain_that_fails(void **state)
{
    (void)state;
    const kelvin_run_config config = small();
    kelvin_run *run = started_in(&config, NULL);
    size_t failures = 0;
    for (size_t n = 1;; n++) {
        struct watch w = {0};
        kelvin_alloc_fail_at(n);
        const kelvin_status status =
            kelvin_run_sample(&run, 1, &(kelvin_run_options){.threads = 1, .checkpoint = 60}, watcher, &w);
        kelvin_alloc_fail_at(0);
        if (!status) break;
        fails(status, KELVIN_ENOMEM, "", "out of memory");
        if (!w.chain[0].done) assert_false(w.chain[1].at_work);
        assert_true(w.done < 2);
        assert_false(kelvin_run_finished(run));
        failures++;
    }
    assert_true(failures > 10);
    kelvin_run *whole = sampled(&config, 1);
    same_draws(run, whole);
    kelvin_run_close(whole);
    kelvin_run_close(run);
}

/* ---- memory ---- */

static const char *sampler; /* of whole_life() */

static kelvin_status whole_life(const char *folder)
{
    const kelvin_run_config config = small_by(sampler);
    const kelvin_run_options options = {.threads = 2, .checkpoint = 60};
    kelvin_run *run = NULL, *back = NULL;
    kelvin_samples *samples = NULL;
    kelvin_status status = kelvin_run_begin(&run, &config, folder);
    if (!status) status = kelvin_run_sample(&run, 1, &options, NULL, NULL);
    kelvin_run_close(run);
    if (!status) status = kelvin_run_open(&back, folder);
    if (!status) status = kelvin_run_sample(&back, 1, &options, NULL, NULL);
    if (!status) status = kelvin_run_verify(back);
    kelvin_run_close(back);
    if (!status) status = kelvin_samples_open(&samples, folder);
    kelvin_samples_close(samples);
    return status;
}

/* The n-th allocation fails, for every n: a status and a sentence, no crash, and (under a sanitizer) nothing lost. What
 * is in the folder by then can be gone on with. */
static void no_memory(void **state)
{
    (void)state;
    const kelvin_sampler_type *type;
    for (size_t i = 0; (type = kelvin_sampler_info(i)); i++) {
        size_t n = 0, begun = 0;
        sampler = type->member.name;
        const kelvin_run_config config = small_by(sampler);
        sample_into(&config, "whole", 1);
        for (kelvin_status status = KELVIN_ENOMEM; status; remove_tree(in_base("memory"))) {
            kelvin_alloc_fail_at(++n);
            status = whole_life(in_base("memory"));
            kelvin_alloc_fail_at(0);
            if (status) fails(status, KELVIN_ENOMEM, "", "out of memory");
            if (!status || !exists(in_base("memory")) || n % 5) continue;
            kelvin_run *run;
            assert_ok(kelvin_run_open(&run, in_base("memory")));
            assert_ok(kelvin_run_sample(&run, 1, NULL, NULL, NULL));
            kelvin_run_close(run);
            same_folders(in_base("whole"), in_base("memory"));
            begun++;
        }
        assert_true(n > 100 && begun > 10);
        remove_tree(in_base("whole"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_as_a_folder),  cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(several_files_of_draws), cmocka_unit_test(runs_together_are_as_alone),
        cmocka_unit_test(a_watch_is_told),        cmocka_unit_test(a_watch_that_stops),
        cmocka_unit_test(a_chain_that_fails),     cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, make_quick_base, remove_base);
}
