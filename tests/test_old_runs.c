/* Runs by earlier versions are read as those read them. tests/data has three that kelvin 0.6.0 wrote,
 *
 *     kelvin sample --data toy --model mlp:2 --epochs 20 --batch 5 --samples 6 --chains 2 --schedule cyclical --lr 0.01
 *                   --seed 2385 -o run-0.6-sghmc
 *     kelvin sample --sampler hmc --data toy --model mlp:2 --chains 2 --iterations 8 --warmup 3 --steps 30
 *                   --step-size 0.01 --seed 2385 -o run-0.6-hmc
 *     kelvin sample --data toy --model mlp:2 --epochs 12 --batch 5 --samples 6 --chains 2 --schedule constant --lr 0.5
 *                   --seed 5 --logit-limit 30 -o run-0.6-diverged
 *
 * without their locks and times. What it said of them, by eval, diagnose and predict (of the three points below), is in
 * the table. Folders of 0.5 had no data.json, those before 0.5 no labels, and those before 0.3 no checksum of the data.
 */
#include "run_helpers.h"

#include "columns_helpers.h"

#include "posterior/diagnosis.h"
#include "posterior/evaluate.h"

#include <kelvin/export.h>

/* What 0.6.0 said, with the metrics that it had. */
static const char *const metric_names[] = {"accuracy",  "log_likelihood", "mean_log_likelihood", "brier",
                                           "ece",       "ece_mass",       "confidence",          "entropy",
                                           "aleatoric", "epistemic"};
enum { PARAMS = 12, N = 18, CONVERGENCE = 7, METRICS = sizeof metric_names / sizeof *metric_names };

static const struct {
    const char *name;
    double single[METRICS], ensemble[METRICS];
    double parameters[CONVERGENCE], predictions[CONVERGENCE];
    double agreement[4];      /* disagreement and variation: of two chains, and within one */
    double of_the_sampler[4]; /* kinetic, configurational temperature; acceptance, energy error */
    double predicted[3];      /* probability of the first class */
    size_t samples, diverged;
} answers[] = {
    {"run-0.6-sghmc",
     {0.5648148148148148, -12.199827035397295, -0.6777681686331831, 0.48508340875456635, 0.09406762877281594,
      0.39469593351761567, 0.5490198796208168, 0.6830804855000261, 0.6830804855000261, 0.0},
     {0.5, -12.08525558193239, -0.6714030878851328, 0.47838515284381106, 0.31400560275320605, 0.43791832782272777,
      0.5363534710019633, 0.6899171572711954, 0.6830804855000261, 0.006836671771169305},
     {0.8716493266226725, 1.1073842988061786, NAN, NAN, NAN, NAN, NAN},
     {1.500020060063541, 2.214148619651202, NAN, NAN, NAN, NAN, NAN},
     {0.9444444444444444, 0.5972222222222222, 0.07667971443731433, 0.06611440514785938},
     {5.20464401, 8.65879828, NAN, NAN},
     {0.465456576, 0.61633483, 0.494857474},
     6,
     0},
    {"run-0.6-hmc",
     {0.5555555555555556, -12.174919526351426, -0.6763844181306348, 0.48459416913141146, 0.1930512884449647,
      0.3917981572246798, 0.5990018682634725, 0.6597844386129578, 0.6597844386129578, 0.0},
     {0.6111111111111112, -11.687304082857807, -0.6492946712698782, 0.45638282427752763, 0.2557225284841298,
      0.37449676163055, 0.5369849886552253, 0.6891501360621657, 0.6597844386129579, 0.029365697449207792},
     {2.1199616680601805, 4.368194457991436, 1.9535180732661575, 3.711039066112102, NAN, NAN, NAN},
     {1.086086447027996, 1.6068063730803601, 1.194063946717947, 1.693268778666195, NAN, NAN, NAN},
     {0.5555555555555556, 0.5370370370370371, 0.0858166785288545, 0.15610481421533584},
     {NAN, NAN, 1.0, 0.0020251208729273884},
     {0.485416299, 0.591759881, 0.547035917},
     10,
     0},
    {"run-0.6-diverged",
     {0.4777777777777778, -51.954654304344956, -2.8863696835747197, 0.7693018139047354, 0.3587087027132876,
      0.4742822220523715, 0.8121587156374306, 0.3526985753348857, 0.3526985753348857, 0.0},
     {0.5, -17.058190169999854, -0.9476772316666585, 0.6995115785673346, 0.3338364258752189, 0.48192705957901505,
      0.8111283957816187, 0.48449837671515694, 0.3526985753348857, 0.13179980138027136},
     {NAN, NAN, NAN, NAN, NAN, NAN, NAN},
     {NAN, NAN, NAN, NAN, NAN, NAN, NAN},
     {0.0, 0.07407407407407407, 0.30194647025934696, 0.12326691564404625},
     {43.3638591, 40.5660574, NAN, NAN},
     {0.806897182, 0.664739375, 0.781915152},
     5,
     1},
};
enum { RUNS = sizeof answers / sizeof *answers };

/* The folders, where they can be changed. */
static int copy_entry(const char *path, const struct stat *about, int type, struct FTW *place)
{
    (void)about, (void)place;
    const char *to = in_base(path + strlen(SOURCE_ROOT "/tests/data/"));
    if (type == FTW_D) return mkdir(to, 0777);
    size_t bytes;
    char *data = slurp(path, &bytes);
    spill(to, data, bytes);
    kelvin_free(data);
    return 0;
}

static void copy(const char *name)
{
    kelvin_path path;
    remove_tree(in_base(name));
    assert_ok(kelvin_path_join(path, SOURCE_ROOT "/tests/data", "%s", name));
    assert_int_equal(nftw(path, copy_entry, 16, FTW_PHYS), 0);
}

static int copy_all(void **state)
{
    if (make_quick_base(state)) return -1;
    for (size_t i = 0; i < RUNS; i++) copy(answers[i].name);
    return 0;
}

/* The last digits are up to the machine's logarithms. */
static void same_number(double a, double b, const char *run, const char *what)
{
    if (!(isnan(a) && isnan(b)) && !(fabs(a - b) <= 1e-12 * (1 + fabs(b))))
        fail_msg("%s: %s is %.17g, and was %.17g", run, what, a, b);
}

/* ---- answers ---- */

static void metrics_are_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < RUNS; i++) {
        static kelvin_metrics metrics; /* large */
        kelvin_samples *samples = samples_in(answers[i].name);
        kelvin_logits *logits;
        const char *on;
        assert_non_null(strstr(kelvin_samples_note(samples), "was written by kelvin 0.6.0, which kept no checksums"));
        assert_int_equal(samples->n, answers[i].samples);
        assert_ok(kelvin_logits_on(&logits, &on, samples, NULL, 1));
        assert_string_equal(on, "train");
        assert_ok(kelvin_evaluate_into(&metrics, logits, &(kelvin_evaluate_options){.threads = 1}, NULL));
        for (size_t m = 0; m < METRICS; m++) {
            const size_t at = kelvin_metric_find(metric_names[m]);
            assert_true(at < KELVIN_METRICS);
            same_number(metrics.single[at].mean, answers[i].single[m], answers[i].name, metric_names[m]);
            same_number(metrics.ensemble[at], answers[i].ensemble[m], answers[i].name, metric_names[m]);
        }
        kelvin_logits_close(logits);
        kelvin_samples_close(samples);
    }
}

static void same_convergence(const kelvin_convergence *c, const double *expected, const char *run)
{
    const double found[CONVERGENCE] = {c->rhat_mean,       c->rhat_max,     c->rank_rhat_median, c->rank_rhat_max,
                                       c->ess_bulk_median, c->ess_bulk_min, c->ess_tail_min};
    for (size_t k = 0; k < CONVERGENCE; k++) same_number(found[k], expected[k], run, "a measure of convergence");
}

static void diagnoses_are_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < RUNS; i++) {
        kelvin_samples *samples = samples_in(answers[i].name);
        kelvin_diagnosis *d;
        assert_ok(kelvin_diagnose(&d, samples, 1));
        same_convergence(&d->parameters, answers[i].parameters, answers[i].name);
        same_convergence(&d->predictions, answers[i].predictions, answers[i].name);
        const double *a = answers[i].agreement, *t = answers[i].of_the_sampler;
        same_number(d->agreement.disagreement_mean, a[0], answers[i].name, "disagreement");
        same_number(d->agreement.within_disagreement, a[1], answers[i].name, "disagreement within a chain");
        same_number(d->agreement.variation_mean, a[2], answers[i].name, "variation");
        same_number(d->agreement.within_variation, a[3], answers[i].name, "variation within a chain");
        same_number(d->temperatures.kinetic.mean, t[0], answers[i].name, "the kinetic temperature");
        same_number(d->temperatures.configurational.mean, t[1], answers[i].name, "the configurational temperature");
        same_number(d->acceptance, t[2], answers[i].name, "the acceptance");
        same_number(d->energy_error, t[3], answers[i].name, "the energy error");
        assert_int_equal(d->diverged, answers[i].diverged);
        kelvin_diagnosis_free(d);
        kelvin_samples_close(samples);
    }
}

static kelvin_status predicted(void *context, const kelvin_verdict *verdict)
{
    const double *expected = context;
    assert_near(verdict->p[0], expected[verdict->index], 0.5001e-9); /* it was written with nine digits */
    return KELVIN_OK;
}

static void predictions_are_the_same(void **state)
{
    (void)state;
    const char *const points = "0.15,-0.39\n-1.5,2\n0,0\n";
    spill(in_base("points.csv"), points, strlen(points));
    for (size_t i = 0; i < RUNS; i++) {
        kelvin_samples *samples = samples_in(answers[i].name);
        kelvin_inputs *inputs;
        kelvin_logits *logits;
        assert_ok(kelvin_inputs_open(&inputs, in_base("points.csv"), samples->run->data, false));
        assert_ok(kelvin_logits_computed(&logits, samples, inputs, 1));
        assert_ok(kelvin_judge(logits, predicted, (void *)answers[i].predicted));
        kelvin_logits_close(logits);
        kelvin_samples_close(samples);
    }
}

/* ---- what is in the files ---- */

/* Floats of a file as it lies there, by plain bytes. */
static void floats_of(float *out, const char *path, size_t from, size_t n)
{
    size_t bytes;
    uint64_t header;
    char *file = slurp(path, &bytes);
    memcpy(&header, file, sizeof header);
    assert_true(bytes >= 8 + header + (from + n) * sizeof *out);
    memcpy(out, file + 8 + header + from * sizeof *out, n * sizeof *out);
    kelvin_free(file);
}

/* Of HMC all draws of a tensor lie together, of SGHMC a sample is a file. */
static void samples_are_as_they_were(void **state)
{
    (void)state;
    static const size_t sizes[] = {4, 2, 4, 2}; /* of tensors */
    for (size_t i = 0; i < RUNS; i++) {
        kelvin_samples *samples = samples_in(answers[i].name);
        const bool batches = samples->run->sampler->batches;
        assert_int_equal(samples->run->model->n_params, PARAMS);
        for (size_t k = 0; k < samples->n; k++) {
            float found[PARAMS], expected[PARAMS];
            kelvin_path path;
            assert_ok(kelvin_samples_read(samples, found, k));
            if (batches)
                assert_ok(kelvin_path_join(path, in_base(answers[i].name), "chain-%03u/sample-%03u.safetensors",
                                           samples->chain[k], samples->draw[k]));
            else
                assert_ok(kelvin_path_join(path, in_base(answers[i].name), "chain-%03u/samples.safetensors",
                                           samples->chain[k]));
            for (size_t t = 0, at = 0, block = 0; t < 4; at += sizes[t], block += 8 * sizes[t], t++)
                floats_of(expected + at, path, batches ? at : block + (3 + samples->draw[k]) * sizes[t], sizes[t]);
            assert_memory_equal(found, expected, sizeof found);
        }
        for (size_t n = 1; n <= PARAMS; n++) same_columns(samples, n % 3, n);
        kelvin_samples_close(samples);
    }
}

/* Histories had fewer columns, in another order. */
static void histories_of_earlier_versions(void **state)
{
    (void)state;
    static const struct {
        const char *run;
        size_t rows, columns;
        const char *name;
        double first; /* of chain 0, as it stands in the file */
    } known[] = {
        {"run-0.6-hmc", 8, 6, "energy_error", -0.03959702281564148},
        {"run-0.6-hmc", 8, 6, "log_posterior", -24.89916729396869},
        {"run-0.6-hmc", 8, 6, "training_accuracy", 0.4444444444444444},
        {"run-0.6-sghmc", 20, 10, "gradient_norm", 249.891536},
        {"run-0.6-sghmc", 20, 10, "configurational_temperature", 51.7805809},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        kelvin_samples *samples = samples_in(known[i].run);
        kelvin_history history;
        assert_ok(kelvin_history_read(&history, samples, 0));
        assert_true(history.rows == known[i].rows && history.columns == known[i].columns);
        assert_true(*kelvin_history_at(&history, 0, known[i].name) == known[i].first);
        assert_null(kelvin_history_at(&history, 0, "warmup"));
        kelvin_history_free(&history);
        kelvin_samples_close(samples);
    }
}

static void chains_that_diverged(void **state)
{
    (void)state;
    kelvin_samples *samples = samples_in("run-0.6-diverged");
    kelvin_history history;
    assert_string_equal(samples->diverged[0],
                        "chain 0 diverged at step 30 (epoch 9): its logits ran away; what has grown "
                        "most is layer layers.0; its state after 9 epochs is kept");
    assert_null(samples->diverged[1]);
    assert_ok(kelvin_history_read(&history, samples, 0));
    assert_int_equal(history.rows, 9);
    kelvin_history_free(&history);
    kelvin_samples_close(samples);
}

static void exports(void **state)
{
    (void)state;
    for (size_t i = 0; i < RUNS; i++) {
        kelvin_samples *samples = samples_in(answers[i].name);
        kelvin_exported done;
        const kelvin_export_options options = {.format = "safetensors", .replace = true, .threads = 1};
        assert_ok(kelvin_export(&done, samples, in_base("export"), &options));
        assert_int_equal(done.chains + done.left_out, 2);
        assert_int_equal(done.left_out, answers[i].diverged);
        kelvin_samples_close(samples);
    }
}

/* ---- going on ---- */

/* A run that has ended stays as it is, and what follows from its samples is made again, to the same bytes. */
static void lost_files_come_back(void **state)
{
    (void)state;
    static const char *const names[] = {"logits_train.npy", "labels_train.npy", "data.json"};
    for (size_t i = 0; i < RUNS; i++) {
        kelvin_run *run;
        kelvin_path path, away;
        snprintf(away, sizeof away, "%s", in_base("away"));
        for (size_t k = 0; k < 3; k++) {
            assert_ok(kelvin_path_join(path, in_base(answers[i].name), "%s", names[k]));
            assert_int_equal(rename(path, away), 0);
            kelvin_samples_close(samples_in(answers[i].name));
            assert_ok(kelvin_run_open(&run, in_base(answers[i].name)));
            assert_true(kelvin_run_finished(run) == (k == 2)); /* that one is there again when a run is opened */
            assert_ok(kelvin_run_sample(&run, 1, NULL, NULL, NULL));
            assert_true(kelvin_run_finished(run));
            assert_true(run->seconds >= 0 && run->seconds < 1e6);
            for (uint32_t c = 0; c < 2; c++)
                assert_true(!kelvin_run_diverged(run, c) == !(answers[i].diverged && c == 0));
            kelvin_run_close(run);
            same_bytes(path, away);
            assert_false(exists(in_base("run-0.6-hmc/manifest"))); /* nothing vouches for what was not checked */
        }
    }
}

/* The samples of SGHMC are the same today, but for roundings: rows of a batch are added up in another order since 0.15.
 * A chain can start from those of any run. */
static void sampled_anew(void **state)
{
    (void)state;
    kelvin_run_config config;
    kelvin_config *owner;
    assert_ok(kelvin_config_create(&owner));
    assert_ok(kelvin_config_read(owner, in_base("run-0.6-sghmc")));
    assert_ok(kelvin_config_resolve(&config, owner));
    kelvin_run *run = sampled(&config, 2);
    kelvin_samples *a = samples_from(run), *b = samples_in("run-0.6-sghmc");
    assert_int_equal(a->n, b->n);
    for (size_t i = 0; i < a->n; i++) {
        float x[PARAMS], y[PARAMS];
        assert_ok(kelvin_samples_read(a, x, i));
        assert_ok(kelvin_samples_read(b, y, i));
        for (size_t k = 0; k < PARAMS; k++) assert_near((double)x[k], (double)y[k], 1e-5);
    }
    kelvin_samples_close(a);
    kelvin_samples_close(b);
    kelvin_run_close(run);
    assert_ok(kelvin_run_set(&config, "lr", 1e-30)); /* it stays where it starts */
    for (size_t i = 0; i < RUNS; i++) {
        config.init = in_base(answers[i].name);
        run = sampled(&config, 1);
        a = samples_from(run);
        b = samples_in(answers[i].name);
        for (uint32_t chain = 0; chain < 2; chain++) {
            float x[PARAMS], y[PARAMS];
            assert_ok(kelvin_samples_read(a, x, chain * 3));
            size_t last = 0;
            for (size_t k = 0; k < b->n; k++)
                if (b->chain[k] == chain) last = k;
            assert_ok(kelvin_samples_read(b, y, last));
            for (size_t k = 0; k < PARAMS; k++) assert_near((double)x[k], (double)y[k], 1e-12);
        }
        kelvin_samples_close(a);
        kelvin_samples_close(b);
        kelvin_run_close(run);
    }
    kelvin_config_destroy(owner);
}

/* One that has not ended is for the version that began it. */
static void runs_that_have_not_ended(void **state)
{
    (void)state;
    kelvin_run *run;
    kelvin_samples *samples;
    copy("run-0.6-sghmc");
    assert_int_equal(unlink(in_base("run-0.6-sghmc/chain-001/sample-002.safetensors")), 0);
    assert_int_equal(unlink(in_base("run-0.6-sghmc/chain-001/state.safetensors")), 0);
    fails(kelvin_run_open(&run, in_base("run-0.6-sghmc")), KELVIN_EFORMAT, "run-0.6-sghmc",
          "was begun by kelvin 0.6.0, and chain 1 has not ended: go on with that version, or sample it anew with the "
          "configuration of ");
    fails(kelvin_samples_open(&samples, in_base("run-0.6-sghmc")), KELVIN_EFORMAT, "run-0.6-sghmc",
          "chain 1 has not ended: go on with that version");
    assert_null(strstr(kelvin_error(), "resuming"));
    copy("run-0.6-sghmc");
}

/* ---- damage ---- */

/* Where a file has a checksum of its own it is looked at; no sentence says that going on with the run would help. */
static void damage(void **state)
{
    (void)state;
    static const struct {
        const char *run, *file, *sentence;
    } table[] = {
        {"run-0.6-sghmc", "chain-001/sample-001.safetensors", "the file is damaged"},
        {"run-0.6-hmc", "chain-001/samples.safetensors", "the file is damaged"},
        {"run-0.6-hmc", "chain-001/history.csv", "ends after 7 of 8 iterations"},
        {"run-0.6-sghmc", "chain-001/history.csv", "ends after 19 of 20 epochs"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        for (int gone = 0; gone < 2; gone++) {
            kelvin_path path;
            size_t bytes;
            float theta[PARAMS];
            kelvin_history history;
            assert_ok(kelvin_path_join(path, in_base(table[i].run), "%s", table[i].file));
            char *data = slurp(path, &bytes);
            kelvin_samples *samples = samples_in(table[i].run);
            data[bytes - 1] ^= 1; /* of a table the end of its last line */
            if (gone)
                assert_int_equal(unlink(path), 0);
            else
                spill(path, data, bytes);
            kelvin_status status = KELVIN_OK;
            size_t second = 0; /* chain */
            double x[PARAMS * 16];
            while (samples->chain[second] == 0) second++;
            if (strstr(path, ".safetensors")) {
                status = kelvin_samples_columns(samples, x, 16, second, samples->n - second, 0, PARAMS);
                fails(status, KELVIN_EFORMAT, path, gone ? "is missing" : table[i].sentence);
                status = KELVIN_OK;
            }
            for (size_t k = 0; k < samples->n && !status; k++) status = kelvin_samples_read(samples, theta, k);
            if (!status) status = kelvin_history_read(&history, samples, 1);
            fails(status, KELVIN_EFORMAT, path, gone ? "is missing" : table[i].sentence);
            assert_null(strstr(kelvin_error(), "resuming"));
            assert_null(strstr(kelvin_error(), "remove"));
            kelvin_samples_close(samples);
            data[bytes - 1] ^= 1;
            spill(path, data, bytes);
            kelvin_free(data);
        }
}

/* ---- before 0.6 ---- */

static void go_on(const char *name)
{
    kelvin_run *run;
    assert_ok(kelvin_run_open(&run, in_base(name)));
    assert_ok(kelvin_run_sample(&run, 1, NULL, NULL, NULL));
    kelvin_run_close(run);
}

static void older_ones(void **state)
{
    (void)state;
    static const char *const versions[] = {"0.5.0", "0.4.0", "0.2.0", "0.1.0"};
    for (size_t i = 0; i < 2; i++)
        for (size_t v = 0; v < (i ? 4 : 1); v++) { /* SGHMC came with 0.5 */
            const char *name = i ? "run-0.6-hmc" : "run-0.6-sghmc";
            char now[32];
            kelvin_path path;
            copy(name);
            assert_ok(kelvin_path_join(path, in_base(name), "data.json"));
            assert_int_equal(unlink(path), 0);
            assert_ok(kelvin_path_join(path, in_base(name), "labels_train.npy"));
            if (v > 0) assert_int_equal(unlink(path), 0);
            assert_ok(kelvin_path_join(path, in_base(name), "run.json"));
            snprintf(now, sizeof now, "\"kelvin\": \"%s\"", versions[v]);
            edit(path, "\"kelvin\": \"0.6.0\"", now);
            if (v > 1) edit(path, "  \"data_crc32\": \"7cc91241-cf447314-00000000-00000000\",\n", "");
            kelvin_samples *samples = samples_in(name);
            assert_non_null(strstr(kelvin_samples_note(samples), versions[v]));
            assert_true(samples->run->data->train.n == N && !samples->run->data->train.x);
            static kelvin_metrics metrics;
            kelvin_logits *logits;
            if (v > 0) {
                fails(kelvin_logits_of_side(&logits, samples, KELVIN_TRAIN, 1), KELVIN_EFORMAT, name,
                      "has no labels_train.npy; resuming ");
                go_on(name);
            }
            assert_ok(kelvin_logits_of_side(&logits, samples, KELVIN_TRAIN, 1));
            assert_ok(kelvin_evaluate_into(&metrics, logits, &(kelvin_evaluate_options){.threads = 1}, NULL));
            for (size_t m = 0; m < METRICS; m++)
                same_number(metrics.ensemble[kelvin_metric_find(metric_names[m])], answers[i].ensemble[m], versions[v],
                            metric_names[m]);
            kelvin_logits_close(logits);
            kelvin_samples_close(samples);
            copy(name);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(metrics_are_the_same),
        cmocka_unit_test(diagnoses_are_the_same),
        cmocka_unit_test(predictions_are_the_same),
        cmocka_unit_test(samples_are_as_they_were),
        cmocka_unit_test(histories_of_earlier_versions),
        cmocka_unit_test(chains_that_diverged),
        cmocka_unit_test(exports),
        cmocka_unit_test(lost_files_come_back),
        cmocka_unit_test(sampled_anew),
        cmocka_unit_test(runs_that_have_not_ended),
        cmocka_unit_test(damage),
        cmocka_unit_test(older_ones),
    };
    return cmocka_run_group_tests(tests, copy_all, remove_base);
}
