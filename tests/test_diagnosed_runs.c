/* What a diagnosis says of whole runs, by every sampler: against numbers that were made up, by what it is made of, and
 * the same for a run in memory as for its like in a folder. */
#include "chains_helpers.h"

#include "posterior/diagnosis.h"
#include "posterior/evaluate.h"
#include "posterior/stats.h"

/* ---- made-up draws ---- */

/* Two chains of 2 + 12 iterations; the warm-up is full of nonsense that must not be seen. */
enum { CHAINS = 2, WARMUP = 2, KEPT = 12, ITERATIONS = WARMUP + KEPT, PARAMS = 7, POINTS = 18 };

/* A network of one unit by HMC, in memory. */
static kelvin_run *sampled_in_memory(void)
{
    kelvin_run_config config;
    kelvin_run *run;
    assert_ok(kelvin_run_defaults(&config, "hmc"));
    config.model = "mlp:1";
    config.chains = CHAINS;
    config.iterations = ITERATIONS;
    config.warmup = WARMUP;
    assert_ok(kelvin_run_set(&config, "steps", 1));
    assert_ok(kelvin_run_begin(&run, &config, NULL));
    assert_ok(kelvin_run_sample(&run, 1, &(kelvin_run_options){.threads = 1}, NULL, NULL));
    assert_int_equal(run->model->n_params, PARAMS);
    assert_int_equal(run->data->train.n, POINTS);
    return run;
}

static double *in_row(const kelvin_run *run, size_t chain, size_t row, const char *column)
{
    const kelvin_statistic *columns[KELVIN_COLUMNS];
    const size_t n = kelvin_run_list_columns(columns, run);
    return &kelvin_run_inside(run)->kept[chain].row[row * n + kelvin_run_find_column(run, column)];
}

static float *in_draw(const kelvin_run *run, size_t chain, size_t draw, size_t k)
{
    const kelvin_tensor *tensor = run->model->tensor;
    while (k >= tensor->offset + kelvin_tensor_size(tensor)) tensor++;
    return kelvin_bundle_at(&kelvin_run_inside(run)->kept[chain], tensor, draw) + k - tensor->offset;
}

/* Other draws, and other words about them, in place of the sampler's. */
static void fill(kelvin_run *run, double params[PARAMS][CHAINS * KEPT])
{
    for (size_t m = 0; m < CHAINS; m++)
        for (size_t i = 0; i < ITERATIONS; i++) {
            const bool warm = i < WARMUP;
            *in_row(run, m, i, "accepted") = warm || i % 4 != 0;
            *in_row(run, m, i, "energy_error") = warm ? 1e9 : -(double)i;
            for (size_t k = 0; k < PARAMS; k++) {
                const double row = (double)((m * ITERATIONS + i) * (k + 1));
                const double value = 0.5 * sin(1.3 * row) + 0.3 * (double)(m * (PARAMS - k)) / PARAMS;
                *in_draw(run, m, i, k) = warm ? NAN : (float)value;
                if (!warm) params[k][m * KEPT + i - WARMUP] = (double)(float)value;
            }
        }
    *in_row(run, 0, ITERATIONS - 1, "energy_error") = NAN;
}

/* Probabilities of the first class at each point, and the share of hits. */
static double predict(double p[POINTS][CHAINS * KEPT], kelvin_samples *samples)
{
    kelvin_logits *logits;
    kelvin_piece piece;
    size_t hits = 0, seen = 0;
    assert_ok(kelvin_logits_of_side(&logits, samples, KELVIN_TRAIN, 1));
    for (;; seen += piece.n) {
        assert_ok(kelvin_logits_next(logits, &piece));
        if (piece.n == 0) break;
        for (size_t s = 0; s < CHAINS * KEPT; s++)
            for (size_t i = 0; i < piece.n; i++) {
                const float *z = piece.z + (s * piece.n + i) * 2;
                p[seen + i][s] = exp((double)z[0] - kelvin_log_sum_exp(z, 2));
                hits += piece.y[i] == 0 ? z[0] >= z[1] : z[1] > z[0];
            }
    }
    kelvin_logits_close(logits);
    assert_int_equal(seen, POINTS);
    return (double)hits / (POINTS * CHAINS * KEPT);
}

/* Every quantity by itself, with public functions. */
static void by_itself(const kelvin_convergence *found, double (*x)[CHAINS * KEPT], size_t n)
{
    double mean = 0, max = 0, rank_max = 0, bulk_min = INFINITY, tail_min = INFINITY;
    for (size_t k = 0; k < n; k++) {
        const double r = kelvin_rhat(x[k], CHAINS, KEPT);
        double rank, bulk, tail;
        assert_ok(kelvin_rank_diagnostics(&rank, &bulk, &tail, x[k], CHAINS, KEPT));
        mean += r / (double)n;
        max = fmax(max, r);
        rank_max = fmax(rank_max, rank);
        bulk_min = fmin(bulk_min, bulk);
        tail_min = fmin(tail_min, tail);
    }
    assert_true(found->quantities == n && found->chains == CHAINS && found->draws == KEPT);
    assert_near(found->rhat_mean, mean, 1e-14 * mean);
    assert_near(found->rhat_max, max, 1e-14 * max);
    assert_near(found->rank_rhat_max, rank_max, 1e-12 * rank_max);
    assert_near(found->ess_bulk_min, bulk_min, 1e-12 * bulk_min);
    assert_near(found->ess_tail_min, tail_min, 1e-12 * tail_min);
}

static kelvin_diagnosis *diagnosed(kelvin_samples *samples)
{
    kelvin_diagnosis *d;
    assert_ok(kelvin_diagnose(&d, samples, 2));
    return d;
}

static kelvin_status diagnose_samples(void *context)
{
    kelvin_diagnosis *d = NULL;
    const kelvin_status status = kelvin_diagnose(&d, context, 1);
    assert_true((d == NULL) == (status != KELVIN_OK));
    kelvin_diagnosis_free(d);
    return status;
}

static void made_up(void **state)
{
    (void)state;
    double params[PARAMS][CHAINS * KEPT], p[POINTS][CHAINS * KEPT];
    kelvin_run *run = sampled_in_memory();
    kelvin_samples *samples;
    fill(run, params);
    assert_ok(kelvin_samples_of(&samples, run));
    assert_int_equal(samples->n, CHAINS * KEPT);
    const double hits = predict(p, samples);
    kelvin_diagnosis *d = diagnosed(samples);

    /* Rejected: iterations 4, 8 and 12 of each chain. |errors| 2..13 and 2..12, infinite: the median of 2 2 3 3 4 4 ...
     * 12 12 13 inf is (7 + 8) / 2. */
    assert_near(d->acceptance, 18 / 24., 1e-15);
    assert_near(d->energy_error, 7.5, 1e-14);
    by_itself(&d->parameters, params, PARAMS);
    by_itself(&d->predictions, p, POINTS);
    assert_true(d->side == KELVIN_TRAIN);
    assert_near(d->training_accuracy, hits, 1e-14);
    kelvin_diagnosis_free(d);
    assert_true(without_memory(diagnose_samples, samples) > 10);

    /* A parameter that stays put says nothing. */
    for (size_t i = 0; i < CHAINS * ITERATIONS; i++) *in_draw(run, i / ITERATIONS, i % ITERATIONS, 0) = 0.7f;
    d = diagnosed(samples);
    assert_true(isfinite(d->parameters.rhat_mean) && isfinite(d->parameters.rank_rhat_max));
    kelvin_diagnosis_free(d);
    for (size_t i = WARMUP; i < ITERATIONS; i++) *in_row(run, 0, i, "energy_error") = NAN;
    *in_row(run, 1, WARMUP, "energy_error") = NAN; /* of 24 kept, 13 diverged */
    d = diagnosed(samples);
    assert_true(isinf(d->energy_error));
    kelvin_diagnosis_free(d);
    /* One that is not a number is not a sample. */
    *in_draw(run, 0, WARMUP + 3, 1) = NAN;
    fails(diagnose_samples(samples), KELVIN_EFORMAT, "sample 3, observation 0, class 0", "expected a number");
    kelvin_samples_close(samples);
    kelvin_run_close(run);
}

/* ---- every sampler ---- */

static void same_convergence(const kelvin_convergence *a, const kelvin_convergence *b)
{
    assert_true(a->quantities == b->quantities && a->chains == b->chains && a->draws == b->draws);
    assert_memory_equal(&a->rhat_mean, &b->rhat_mean, sizeof *a - offsetof(kelvin_convergence, rhat_mean));
}

/* Both numbers, or neither; history.csv has nine digits of some columns. */
static void near_enough(double in_memory, double in_folder)
{
    if (isnan(in_memory) && isnan(in_folder)) return;
    assert_near(in_memory, in_folder, 1e-8 * fabs(in_folder));
}

static void same_diagnoses(const kelvin_diagnosis *a, const kelvin_diagnosis *b)
{
    same_convergence(&a->parameters, &b->parameters);
    same_convergence(&a->predictions, &b->predictions);
    assert_true(a->side == b->side && a->observations == b->observations && a->diverged == b->diverged);
    assert_true(a->agreement.chains == b->agreement.chains);
    assert_memory_equal(a->agreement.variation, b->agreement.variation, 9 * sizeof(double));
    assert_true(a->training_accuracy == b->training_accuracy);
    assert_true(a->training_log_likelihood == b->training_log_likelihood);
    assert_true(a->temperatures.rows == b->temperatures.rows && a->temperatures.chains == b->temperatures.chains);
    near_enough(a->temperatures.kinetic.mean, b->temperatures.kinetic.mean);
    near_enough(a->temperatures.configurational.mean, b->temperatures.configurational.mean);
    near_enough(a->acceptance, b->acceptance);
    near_enough(a->energy_error, b->energy_error);
    near_enough(a->energy_variance, b->energy_variance);
    assert_int_equal(a->n_advice, b->n_advice);
    for (size_t i = 0; i < a->n_advice; i++) assert_string_equal(a->advice[i].text, b->advice[i].text);
}

/* As many are above as below: of an even number, of which the two in the middle differ. */
static void is_median(double median, const double *x, size_t n)
{
    size_t below = 0, above = 0;
    for (size_t i = 0; i < n; i++) {
        below += x[i] < median;
        above += x[i] > median;
    }
    assert_true(below == n / 2 && above == n / 2);
}

/* What the sampler tells of its energies after the warm-up, by the files; else not a number. */
static void right_energies(const kelvin_diagnosis *d, const kelvin_run *run, const char *name)
{
    enum { CHAINS_OF_IT = 3, ROWS = 6, WARM = 2, AFTER = ROWS - WARM, ALL = CHAINS_OF_IT * AFTER };
    const char *const columns[] = {"energy_error", "energy_variance"};
    const double medians[] = {d->energy_error, d->energy_variance};
    for (size_t k = 0; k < 2; k++) {
        double x[ALL], rows[ROWS], sum = 0;
        const bool told = kelvin_run_find_column(run, columns[k]) != SIZE_MAX;
        assert_true(isnan(medians[k]) == !told);
        for (uint32_t c = 0; c < CHAINS_OF_IT && told; c++) {
            read_column(rows, run, name, c, columns[k], ROWS);
            for (size_t i = 0; i < AFTER; i++) sum += x[c * AFTER + i] = fabs(rows[WARM + i]);
        }
        if (told) is_median(medians[k], x, ALL);
        if (k == 1 && told) assert_near(d->energy_variance_mean, sum / ALL, 1e-14 * sum);
    }
}

/* Metrics and diagnosis in one pass are what they are in two, whichever logits they share; and what clients see. */
static void in_one_pass(const kelvin_diagnosis *should, kelvin_samples *samples)
{
    const char *const on[] = {"test", "train", table_spec};
    const kelvin_evaluate_options how = {.threads = 2, .sizes = true};
    for (size_t i = 0; i < 3; i++) {
        static kelvin_metrics alone;
        kelvin_metrics *metrics;
        kelvin_diagnosis *d;
        kelvin_logits *logits;
        const char *found;
        for (size_t again = 0; again < 2; again++) {
            assert_ok(kelvin_logits_on(&logits, &found, samples, on[i], 2));
            if (again)
                assert_ok(kelvin_review(&metrics, &d, samples, logits, found, &how));
            else
                assert_ok(kelvin_evaluate_into(&alone, logits, &how, NULL));
            kelvin_logits_close(logits);
        }
        assert_memory_equal(metrics, &alone, sizeof alone);
        same_diagnoses(d, should);
        assert_memory_equal(kelvin_diagnosis_convergence(d, KELVIN_PARAMETERS), &d->parameters, sizeof d->parameters);
        assert_ptr_equal(kelvin_diagnosis_convergence(d, KELVIN_PREDICTIONS), &d->predictions);
        assert_true(kelvin_diagnosis_number(d, "training_confidence") == d->training_confidence);
        assert_true(isnan(kelvin_diagnosis_number(d, "training")));
        assert_true(!kelvin_diagnosis_advice(d, d->n_advice) && !kelvin_diagnosis_note(d, d->n_notes));
        kelvin_diagnosis_free(d);
        kelvin_metrics_free(metrics);
    }
}

static void in_memory(const kelvin_diagnosis *should, const kelvin_run_config *config)
{
    kelvin_run *run;
    kelvin_samples *samples;
    assert_ok(kelvin_run_begin(&run, config, NULL));
    assert_ok(kelvin_run_sample(&run, 1, NULL, NULL, NULL));
    assert_ok(kelvin_samples_of(&samples, run));
    kelvin_diagnosis *d = diagnosed(samples);
    same_diagnoses(d, should);
    kelvin_diagnosis_free(d);
    kelvin_samples_close(samples);
    kelvin_run_close(run);
}

static kelvin_status diagnose_folder(void *context)
{
    kelvin_samples *samples;
    KELVIN_TRY(kelvin_samples_open(&samples, context));
    const kelvin_status status = diagnose_samples(samples);
    kelvin_samples_close(samples);
    return status;
}

static void a_run(const kelvin_sampler_type *type)
{
    kelvin_run_config config = tiny_by(type);
    config.samples = config.epochs = 12; /* four draws of each of three chains */
    config.schedule = config.temperature_schedule = "cyclical";
    config.iterations = 6;
    config.warmup = 2;
    kelvin_samples *samples;
    kelvin_path folder;
    whole_run(&config, type->member.name, 2, 60);
    strcpy(folder, in_base(type->member.name));
    assert_ok(kelvin_samples_open(&samples, folder));
    kelvin_diagnosis *d = diagnosed(samples);
    assert_true(d->parameters.chains == 3 && d->parameters.draws == 4);
    assert_int_equal(d->parameters.quantities, samples->run->model->n_params);
    assert_true(d->side == KELVIN_TEST && d->observations == 15 && d->agreement.observations == 15);
    assert_int_equal(d->predictions.quantities, 45);
    assert_true(isfinite(d->parameters.rhat_mean) && isfinite(d->predictions.rank_rhat_max));
    assert_true(d->agreement.chains == 3 && isnan(d->acceptance) == !type->accepts);
    const bool heat = kelvin_run_find_column(samples->run, "configurational_temperature") != SIZE_MAX;
    assert_int_equal(d->temperatures.chains, heat ? 3 : 0);
    right_energies(d, samples->run, type->member.name);
    in_memory(d, &config);
    in_one_pass(d, samples);
    kelvin_diagnosis_free(d);
    kelvin_diagnosis_free(NULL);
    kelvin_samples_close(samples);
    assert_true(without_memory(diagnose_folder, folder) > 20);
}

static void every_sampler(void **state)
{
    (void)state;
    for (size_t i = 0; i < samplers(); i++) a_run(kelvin_sampler_info(i));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(made_up), cmocka_unit_test(every_sampler)};
    return cmocka_run_group_tests(tests, make_table, remove_base);
}
