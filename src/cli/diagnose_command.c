/* kelvin diagnose: reads a run's folder and says whether to believe it. */
#include "cli/command.h"
#include "cli/json.h"
#include "cli/lines.h"

#include <inttypes.h>

struct settings {
    bool json;
    size_t threads;
};

static const struct option options[] = {
    {"json", 0, NULL, OPTION_FLAG, AT(json), "print JSON instead of a table", NULL},
    {"threads", 0, "N", OPTION_SIZE, AT(threads), "on so many threads", "one per CPU"},
};

/* ---- for programs ---- */

static json_t *matrix_json(const double *matrix, size_t n)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(rows, json_numbers(matrix + i * n, n));
    return rows;
}

static json_t *gap_json(double mean, double max, double within, const double *matrix, size_t n)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "mean", json_number(mean), "max", json_number(max), "within",
                     json_number(within), "matrix", matrix_json(matrix, n));
}

static json_t *agreement_json(const kelvin_agreement *a)
{
    return json_pack(
        "{s:I, s:o, s:o, s:o}", "observations", (json_int_t)a->observations, "chains",
        json_counts(a->number, a->chains), "disagreement",
        gap_json(a->disagreement_mean, a->disagreement_max, a->within_disagreement, a->disagreement, a->chains),
        "variation", gap_json(a->variation_mean, a->variation_max, a->within_variation, a->variation, a->chains));
}

/* Everything, with the matrices. What is not a number is null. */
static json_t *diagnose_json(const kelvin_diagnosis *d, const kelvin_samples *samples)
{
    static const char *const numbers[] = {
        "acceptance",
        "energy_error",
        "energy_variance",
        "energy_variance_mean",
        "training_accuracy",
        "training_log_likelihood",
        "training_confidence",
        "log_likelihood",
        "linear_log_likelihood",
        "frequencies_log_likelihood",
        "beyond_linear",
        "beyond_linear_error",
        "beyond_frequencies",
        "beyond_frequencies_error",
        "calibration_error",
        "calibration_error_by_chance",
    };
    static const char *const fields[] = {"sampler",     "data", "model",  "density", "prior",
                                         "temperature", "seed", "chains", NULL};
    const kelvin_run *run = kelvin_samples_run(samples);
    json_t *object = json_config(run, fields);
    if (!object) return NULL;
    json_object_set_new(object, "samples", json_integer((json_int_t)kelvin_samples_count(samples)));
    json_object_set_new(object, "sample_chain", json_sample_chain(samples));
    json_object_set_new(object, "side", json_string(kelvin_diagnosis_side(d) == KELVIN_TEST ? "test" : "train"));
    json_object_set_new(object, "observations", json_integer((json_int_t)kelvin_diagnosis_observations(d)));
    json_object_set_new(object, "parameters", json_convergence(kelvin_diagnosis_convergence(d, KELVIN_PARAMETERS)));
    json_object_set_new(object, "predictions", json_convergence(kelvin_diagnosis_convergence(d, KELVIN_PREDICTIONS)));
    json_object_set_new(object, "agreement", agreement_json(kelvin_diagnosis_agreement(d)));
    json_object_set_new(object, "temperatures", json_temperatures(kelvin_diagnosis_temperatures(d), run));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_object_set_new(object, numbers[i], json_number(kelvin_diagnosis_number(d, numbers[i])));
    json_object_set_new(object, "diverged", json_diverged(samples));
    json_object_set_new(object, "verdict", json_verdict(d));
    json_object_set_new(object, "notes", json_advice(d, kelvin_diagnosis_note));
    json_object_set_new(object, "advice", json_advice(d, kelvin_diagnosis_advice));
    return object;
}

/* ---- the command ---- */

static kelvin_status tell(kelvin_samples *samples, const struct settings *settings)
{
    kelvin_diagnosis *found;
    KELVIN_TRY(kelvin_diagnose(&found, samples, settings->threads));
    kelvin_status status = KELVIN_OK;
    if (settings->json)
        status = print_json(stdout, diagnose_json(found, samples), ALL_DIGITS);
    else
        diagnose_print(stdout, found, samples);
    kelvin_diagnosis_free(found);
    return status;
}

static kelvin_status run(void *data, const struct arguments *arguments)
{
    const struct settings *settings = data;
    kelvin_samples *samples;
    if (!arguments->operand) return kelvin_fail(KELVIN_EUSAGE, "which run? (see kelvin diagnose --help)");
    KELVIN_TRY(open_samples(&samples, arguments->operand, true));
    const kelvin_status status = tell(samples, settings);
    kelvin_samples_close(samples);
    return status;
}

static const struct example examples[] = {
    {"kelvin diagnose run", "Say whether to believe it."},
    {NULL, NULL},
};

const struct command diagnose_command = {
    .name = "diagnose",
    .synopsis = "RUN [--json] [--threads N]",
    .about = "Say whether to believe a run: a verdict, R-hat, agreement, temperatures, advice",
    .details = "RUN is a folder that kelvin sample made.\n"
               "The verdict comes first: sound, usable with care, or not to be used. It is sound where predictions "
               "are no worse than those of a linear model and better than class frequencies, confidence fits "
               "accuracy, no chain stands out, chains have settled and samples are enough.\n"
               "Convergence: R-hat as in the paper and rank-normalised (1 is what chains that mix have), and "
               "effective sample sizes, of all parameters and of the predicted probabilities. They need several "
               "samples per chain.\n"
               "Agreement: how often the ensembles of two chains have another most likely class, and their total "
               "variation, which is half of the sum over classes of |p - q|; samples within a chain are the "
               "yardstick.\n"
               "Also what the sampler says of itself: the kinetic and the configurational temperature at the end, "
               "which should be the one that was set, or the share of accepted proposals, and by how much "
               "energies were off. "
               "Predictions are those at the test data, or at the training data where there are no others; R-hat is "
               "of 1,000 of them at equal distances where there are more, of fewer where draws are very many.\n"
               "Accuracy, calibration and the like are kelvin eval's.",
    .operands = 1,
    .runs = 1,
    .options = {options, sizeof options / sizeof *options, NULL},
    .settings_size = sizeof(struct settings),
    .examples = examples,
    .run = run,
};
