/* The summary of a run. */
#include "cli/report.h"

#include "cli/options.h"
#include "posterior/advice.h"
#include "run/room.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { LINE = 79 };

json_t *json_number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

json_t *json_seed(uint64_t seed)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, seed);
    return seed <= UINT64_C(1) << 53 ? json_integer((json_int_t)seed) : json_string(text);
}

json_t *json_average(const kelvin_average *x)
{
    return json_pack("{s:o, s:o}", "mean", json_number(x->mean), "error", json_number(x->error));
}

json_t *json_texts(const char *const *texts, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(list, json_string(texts[i]));
    return list;
}

json_t *json_numbers(const uint32_t *numbers, size_t n)
{
    json_t *list = json_array();
    for (size_t i = 0; i < n; i++) json_array_append_new(list, json_integer(numbers[i]));
    return list;
}

json_t *json_diverged(const kelvin_samples *samples)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < samples->run->config.chains; i++)
        if (samples->diverged[i])
            json_array_append_new(list,
                                  json_pack("{s:I, s:s}", "chain", (json_int_t)i, "sentence", samples->diverged[i]));
    return list;
}

json_t *json_temperatures(const kelvin_temperatures *t)
{
    return json_pack("{s:I, s:I, s:o, s:o, s:o}", "epochs", (json_int_t)t->epochs, "chains", (json_int_t)t->chains,
                     "set", json_number(t->set), "kinetic", json_average(&t->kinetic), "configurational",
                     json_average(&t->configurational));
}

kelvin_status print_json(FILE *out, json_t *object, size_t digits)
{
    if (!object) return kelvin_fail(KELVIN_ENOMEM, "memory for the JSON output could not be had");
    json_dumpf(object, out, JSON_INDENT(2) | JSON_REAL_PRECISION(digits));
    fputc('\n', out);
    json_decref(object);
    return KELVIN_OK;
}

void print_subject(FILE *out, const kelvin_run *run)
{
    const kelvin_run_config *c = &run->config;
    char text[4096 + 512];
    snprintf(text, sizeof text, "%s on %s, density %s, prior %s, temperature %g", c->model, c->data, c->density,
             c->prior, c->temperature);
    print_wrapped(out, text, 0, 79);
    if (run->data->test.n > 0)
        fprintf(out, "%zu observations, and %zu that are kept for testing\n", run->data->train.n, run->data->test.n);
}

void print_sampling(FILE *out, const kelvin_run *run, size_t samples)
{
    const kelvin_run_config *c = &run->config;
    const char *chains = c->chains == 1 ? "" : "s";
    if (kelvin_run_is_hmc(run))
        print_lines(out,
                    "%s: %" PRIu32 " chain%s x %" PRIu32 " draws after %" PRIu32 " of warm-up, %" PRIu32
                    " leapfrog steps of %g, seed %" PRIu64,
                    c->sampler, c->chains, chains, c->iterations - c->warmup, c->warmup, c->steps, (double)c->step_size,
                    c->seed);
    else
        print_lines(out,
                    "%s: %" PRIu32 " chain%s, %zu sample%s, %" PRIu32 " epoch%s, batches of %" PRIu32
                    ", lr %g (%s), momentum %g, seed %" PRIu64,
                    c->sampler, c->chains, chains, samples, samples == 1 ? "" : "s", c->epochs,
                    c->epochs == 1 ? "" : "s", c->batch, c->lr, c->schedule, c->momentum, c->seed);
}

void print_lines(FILE *out, const char *format, ...)
{
    char text[2048];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    print_wrapped(out, text, 0, LINE);
}

void print_listed(FILE *out, const char *text)
{
    fputs("- ", out);
    print_wrapped(out, text, 2, LINE);
}

void print_list(FILE *out, const char *title, const char *const *texts, size_t n)
{
    if (n > 0) fprintf(out, "\n%s\n", title);
    for (size_t i = 0; i < n; i++) print_listed(out, texts[i]);
}

/* ---- warnings ---- */

struct facts {
    kelvin_summary summary;
    const kelvin_run *run;
    uint32_t draws; /* kept per chain */
};

static size_t warn(char out[KELVIN_ADVICE][KELVIN_SENTENCES], const struct facts *f)
{
    const kelvin_summary *s = &f->summary;
    kelvin_diagnosis found = kelvin_nothing_found();
    found.acceptance = s->acceptance;
    found.predictions.chains = f->run->config.chains;
    found.predictions.rank_rhat_max = s->rank_rhat_function;
    found.predictions.ess_bulk_min = s->ess_bulk_min;
    found.predictions.ess_tail_min = s->ess_tail_min;
    return kelvin_advise(out, &(struct kelvin_facts){.run = f->run, .found = &found});
}

/* ---- for people ---- */

static void print_table(FILE *out, const struct facts *f)
{
    const kelvin_summary *s = &f->summary;
    const kelvin_run_config *c = &f->run->config;
    print_subject(out, f->run);
    print_sampling(out, f->run, c->chains * f->draws);
    fputc('\n', out);
    fprintf(out, "acceptance                  %8.1f %%\n", 100 * s->acceptance);
    fprintf(out, "energy error, median        %8.4f\n", s->energy_error);
    fprintf(out, "training accuracy           %8.1f %%   mean of single draws\n", 100 * s->accuracy);
    fprintf(out, "R-hat, parameters           %8.3f     mean; largest %.3f, rank-normalised %.3f\n", s->rhat_params,
            s->rhat_params_max, s->rank_rhat_params);
    fprintf(out, "R-hat, function space       %8.3f     mean; largest %.3f, rank-normalised %.3f\n", s->rhat_function,
            s->rhat_function_max, s->rank_rhat_function);
    fprintf(out, "effective draws, bulk       %8.0f     smallest in function space, of %.0f\n", s->ess_bulk_min,
            (double)c->chains * f->draws);
    fprintf(out, "effective draws, tail       %8.0f     smallest in function space\n", s->ess_tail_min);
    if (f->run->seconds > 0) fprintf(out, "seconds                     %8.1f\n", f->run->seconds);
    char texts[KELVIN_ADVICE][KELVIN_SENTENCES];
    const size_t n = warn(texts, f);
    if (n > 0) fputs("\nwarnings\n", out);
    for (size_t i = 0; i < n; i++) print_listed(out, texts[i]);
}

/* ---- for programs ---- */

static const struct {
    const char *key;
    size_t offset;
} numbers[] = {
    {"acceptance", offsetof(kelvin_summary, acceptance)},
    {"energy_error", offsetof(kelvin_summary, energy_error)},
    {"accuracy", offsetof(kelvin_summary, accuracy)},
    {"rhat_params", offsetof(kelvin_summary, rhat_params)},
    {"rhat_params_max", offsetof(kelvin_summary, rhat_params_max)},
    {"rank_rhat_params", offsetof(kelvin_summary, rank_rhat_params)},
    {"rhat_function", offsetof(kelvin_summary, rhat_function)},
    {"rhat_function_max", offsetof(kelvin_summary, rhat_function_max)},
    {"rank_rhat_function", offsetof(kelvin_summary, rank_rhat_function)},
    {"ess_bulk_min", offsetof(kelvin_summary, ess_bulk_min)},
    {"ess_tail_min", offsetof(kelvin_summary, ess_tail_min)},
};

static json_t *summary_json(const struct facts *f)
{
    const kelvin_run_config *c = &f->run->config;
    json_t *object =
        json_pack("{s:s, s:s, s:s, s:s, s:s, s:f, s:I, s:f, s:I, s:I, s:I, s:o}", "sampler", c->sampler, "data",
                  c->data, "model", c->model, "density", c->density, "prior", c->prior, "temperature", c->temperature,
                  "steps", (json_int_t)c->steps, "step_size", (double)c->step_size, "chains", (json_int_t)c->chains,
                  "iterations", (json_int_t)c->iterations, "warmup", (json_int_t)c->warmup, "seed", json_seed(c->seed));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        const double *value = (const double *)(const void *)((const char *)&f->summary + numbers[i].offset);
        json_object_set_new(object, numbers[i].key, json_number(*value));
    }
    json_object_set_new(object, "train", json_integer((json_int_t)f->run->data->train.n));
    json_object_set_new(object, "test", json_integer((json_int_t)f->run->data->test.n));
    json_object_set_new(object, "seconds", json_number(f->run->seconds));
    json_t *list = json_array();
    char texts[KELVIN_ADVICE][KELVIN_SENTENCES];
    const size_t n = warn(texts, f);
    for (size_t i = 0; i < n; i++) json_array_append_new(list, json_string(texts[i]));
    json_object_set_new(object, "warnings", list);
    return object;
}

kelvin_status report_run(FILE *out, const kelvin_run *run, bool json)
{
    struct facts facts = {.run = run, .draws = run->config.iterations - run->config.warmup};
    KELVIN_TRY(kelvin_summarise(&facts.summary, run));
    if (json) return print_json(out, summary_json(&facts), FEW_DIGITS);
    print_table(out, &facts);
    return KELVIN_OK;
}
