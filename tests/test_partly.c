/* Runs that have not ended: the chains that have are what they will be when the run has, under checksums; and every
 * answer says that it is of these. */
#include "chains_helpers.h"

#include "base/memory.h"
#include "posterior/diagnosis.h"
#include "posterior/metric.h"
#include "report/page.h"

enum { ENDED = 2 };

static bool until_some_have_ended(void *context, const kelvin_run *run, const kelvin_chain_news *news)
{
    (void)run;
    size_t *done = context;
    if (news->phase == KELVIN_CHAIN_DONE) ++*done;
    return *done < ENDED;
}

/* Two chains of three have ended, the third has not begun. */
static void stop(const kelvin_run_config *config, const char *name)
{
    size_t done = 0;
    kelvin_run *run = started(config, name);
    assert_int_equal(
        kelvin_run_sample(&run, 1, &(kelvin_run_options){.threads = 1, .checkpoint = 0}, until_some_have_ended, &done),
        KELVIN_ESTOP);
    kelvin_run_close(run);
}

static kelvin_samples *open_partly(const char *name)
{
    kelvin_samples *samples;
    assert_ok(kelvin_samples_open_partly(&samples, in_base(name)));
    return samples;
}

static kelvin_run_config some_samples(const kelvin_sampler_type *type)
{
    kelvin_run_config config = tiny_by(type);
    config.schedule = config.temperature_schedule = "cyclical";
    config.samples = 12;
    config.prior = "sparse:8,0.4"; /* with which no chains go together: they end one after the other */
    return config;
}

/* ---- the same as later ---- */

static void same_samples(kelvin_samples *now, kelvin_samples *later)
{
    float a[1000], b[1000];
    assert_true(kelvin_samples_count(now) > 0 && kelvin_samples_count(now) < kelvin_samples_count(later));
    for (size_t i = 0; i < kelvin_samples_count(now); i++) {
        assert_true(kelvin_samples_chain(now, i) == kelvin_samples_chain(later, i) &&
                    kelvin_samples_draw(now, i) == kelvin_samples_draw(later, i));
        assert_ok(kelvin_samples_read(now, a, i));
        assert_ok(kelvin_samples_read(later, b, i));
        assert_memory_equal(a, b, now->run->model->n_params * sizeof *a);
    }
}

/* Numbers of a table have fewer digits than those of files of draws. */
static void same_histories(kelvin_samples *now, kelvin_samples *later)
{
    kelvin_history *a, *b;
    for (uint32_t chain = 0; chain < ENDED; chain++) {
        assert_ok(kelvin_history_open(&a, now, chain));
        assert_ok(kelvin_history_open(&b, later, chain));
        assert_int_equal(a->rows, b->rows);
        assert_int_equal(a->columns, b->columns);
        for (size_t i = 0; i < a->rows * a->columns; i++)
            if (!(isnan(a->values[i]) && isnan(b->values[i])))
                assert_near(a->values[i], b->values[i], 1e-5 * fmax(1, fabs(b->values[i])));
        kelvin_history_close(a);
        kelvin_history_close(b);
    }
    fails(kelvin_history_open(&a, now, ENDED), KELVIN_EFORMAT, "begun", "chain 2 has not ended");
}

/* Logits are computed by the same passes that will be kept. */
static void same_logits(kelvin_samples *now, kelvin_samples *later)
{
    for (int side = KELVIN_TRAIN; side <= KELVIN_TEST; side++) {
        kelvin_logits *a, *b;
        kelvin_piece x, y;
        assert_ok(kelvin_logits_of_side(&a, now, (kelvin_side)side, 1));
        assert_ok(kelvin_logits_saved(&b, later, (kelvin_side)side));
        assert_ok(kelvin_logits_next(a, &x));
        assert_ok(kelvin_logits_next(b, &y));
        assert_int_equal(x.n, y.n);
        assert_int_equal(x.samples, kelvin_samples_count(now));
        assert_memory_equal(x.z, y.z, x.samples * x.n * now->run->data->classes * sizeof *x.z);
        assert_memory_equal(x.y, y.y, x.n * sizeof *x.y);
        kelvin_logits_close(a);
        kelvin_logits_close(b);
    }
}

static const kelvin_advice *find_advice(const kelvin_diagnosis *d, const char *code)
{
    const kelvin_advice *advice;
    for (size_t i = 0; (advice = kelvin_diagnosis_advice(d, i)); i++)
        if (strcmp(advice->code, code) == 0) return advice;
    return NULL;
}

static void check_diagnosis(kelvin_samples *now)
{
    kelvin_diagnosis *d[2];
    assert_ok(kelvin_diagnose(&d[0], now, 1));
    assert_ok(kelvin_diagnose_briefly(&d[1], now, 1));
    for (size_t i = 0; i < 2; i++) {
        const kelvin_advice *advice = find_advice(d[i], "not-ended");
        assert_non_null(advice);
        assert_non_null(
            strstr(advice->text, "2 of 3 chains have ended, and all numbers are of these: go on by resuming "));
        assert_true(d[i]->training_accuracy > 0);
        kelvin_diagnosis_free(d[i]);
    }
}

static void as_it_will_be(void **state)
{
    (void)state;
    for (size_t i = 0; i < samplers(); i++) {
        const kelvin_run_config config = some_samples(kelvin_sampler_info(i));
        kelvin_samples *now, *later;
        stop(&config, "begun");
        fails(kelvin_samples_open(&now, in_base("begun")), KELVIN_EFORMAT, "begun", "the run has not ended: chain 2 ");
        now = open_partly("begun");
        assert_int_equal(kelvin_samples_waiting(now), 1);
        assert_non_null(
            strstr(kelvin_samples_note(now), "begun has not ended: this is of the 2 of its 3 chains that have"));
        check_diagnosis(now);
        kelvin_samples_close(now);
        assert_ok(kelvin_report_write(in_base("page.html"), (const char *const[]){in_base("begun")}, 1, NULL));

        whole_run(&config, "whole", 1, 60);
        now = open_partly("begun");
        later = open_partly("whole");
        assert_int_equal(kelvin_samples_waiting(later), 0);
        assert_null(kelvin_samples_note(later));
        same_samples(now, later);
        same_histories(now, later);
        same_logits(now, later);
        kelvin_samples_close(now);
        kelvin_samples_close(later);
        resumed("begun", 1); /* looking at it has changed nothing */
        same_runs("begun", "whole");
        remove_tree(in_base("whole"));
        remove_tree(in_base("begun"));
    }
}

/* ---- damage ---- */

static void flip(const char *name, size_t from_end)
{
    size_t bytes;
    char *data = slurp(in_base(name), &bytes);
    data[bytes - from_end] ^= 1;
    spill(in_base(name), data, bytes);
    kelvin_free(data);
}

static void damage(void **state)
{
    (void)state;
    const kelvin_run_config config = some_samples(sampler_named("sghmc"));
    kelvin_samples *samples;
    kelvin_history *history;
    float theta[1000];
    stop(&config, "hurt");
    flip("hurt/chain-001/samples-000.safetensors", 5);
    samples = open_partly("hurt");
    assert_ok(kelvin_samples_read(samples, theta, 0));
    fails(kelvin_samples_read(samples, theta, kelvin_samples_count(samples) - 1), KELVIN_EFORMAT, "chain-001",
          "and resuming ");
    fails(kelvin_history_open(&history, samples, 1), KELVIN_EFORMAT, "chain-001", "and resuming ");
    kelvin_samples_close(samples);
    flip("hurt/chain-001/samples-000.safetensors", 5);
    flip("hurt/chain-000/state.safetensors", 5);
    fails(kelvin_samples_open_partly(&samples, in_base("hurt")), KELVIN_EFORMAT, "chain-000", "and resuming ");
    assert_null(samples);
    flip("hurt/chain-000/state.safetensors", 5);
    kelvin_samples_close(open_partly("hurt"));
    remove_tree(in_base("hurt"));
}

/* ---- what cannot be looked at ---- */

static void none_has_ended(void **state)
{
    (void)state;
    const kelvin_run_config config = some_samples(sampler_named("sghmc"));
    kelvin_samples *samples;
    kelvin_run_close(started(&config, "early"));
    fails(kelvin_samples_open_partly(&samples, in_base("early")), KELVIN_EFORMAT, "early",
          "the run has not ended: chain 0 has 0 of 50 epochs; go on by resuming ");
    assert_null(samples);
    fails(kelvin_samples_open_partly(&samples, in_base("nowhere")), KELVIN_EIO, "nowhere", "cannot be read");
    remove_tree(in_base("early"));
}

static kelvin_status look(void *folder)
{
    kelvin_samples *samples;
    kelvin_diagnosis *diagnosis = NULL;
    kelvin_status status = kelvin_samples_open_partly(&samples, folder);
    if (!status) status = kelvin_diagnose(&diagnosis, samples, 1);
    kelvin_diagnosis_free(diagnosis);
    kelvin_samples_close(samples);
    return status;
}

static void memory(void **state)
{
    (void)state;
    const kelvin_run_config config = some_samples(sampler_named("sghmc"));
    char folder[KELVIN_PATH_MAX];
    stop(&config, "short");
    snprintf(folder, sizeof folder, "%s", in_base("short"));
    assert_true(without_memory(look, folder) > 50);
    remove_tree(in_base("short"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_it_will_be), cmocka_unit_test(damage),
                                       cmocka_unit_test(none_has_ended), cmocka_unit_test(memory)};
    return cmocka_run_group_tests(tests, make_table, remove_base);
}
