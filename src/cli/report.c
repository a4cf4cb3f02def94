/* The summary of a run. The warnings' limits: R-hat 1.01 and 100 effective draws per chain as in Vehtari et al. (2021);
 * an acceptance between 60 % and 99 % is where HMC is neither stuck nor wasting its steps. */
#include "cli/report.h"

#include "cli/options.h"

#include <inttypes.h>
#include <math.h>

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

/* ---- warnings ---- */

struct facts {
    kelvin_summary summary;
    const kelvin_run *run;
    uint32_t draws; /* kept per chain */
};

static bool stuck(const struct facts *f)
{
    return f->summary.acceptance < 0.6;
}

static bool timid(const struct facts *f)
{
    return f->summary.acceptance > 0.99;
}

static bool not_mixed(const struct facts *f)
{
    return f->summary.rank_rhat_function > 1.01;
}

static bool few_effective(const struct facts *f)
{
    return fmin(f->summary.ess_bulk_min, f->summary.ess_tail_min) < 100.0 * f->run->config.chains;
}

static bool few_chains(const struct facts *f)
{
    return f->run->config.chains < 4;
}

static bool few_draws(const struct facts *f)
{
    return isnan(f->summary.rank_rhat_function);
}

static const struct {
    bool (*applies)(const struct facts *facts);
    const char *text;
} warnings[] = {
    {stuck, "Fewer than 60 % of the proposals were accepted: make --step-size smaller."},
    {timid,
     "More than 99 % of the proposals were accepted: a larger --step-size would explore more for the same work."},
    {not_mixed, "The chains disagree about the predictions (rank-normalised R-hat above 1.01): run them longer."},
    {few_effective, "Fewer than 100 effective draws per chain in function space: means are rough, and tails more so."},
    {few_chains, "With fewer than four chains R-hat can miss a mode that no chain has found."},
    {few_draws, "R-hat and effective sample sizes need at least four draws after the warm-up, and draws that move."},
};

enum { WARNINGS = sizeof warnings / sizeof *warnings };

/* ---- for people ---- */

static void print_table(FILE *out, const struct facts *f)
{
    const kelvin_summary *s = &f->summary;
    const kelvin_run_config *c = &f->run->config;
    print_subject(out, f->run);
    fprintf(out,
            "%s: %" PRIu32 " chain%s x %" PRIu32 " draws after %" PRIu32 " of warm-up, %" PRIu32
            " leapfrog steps of %g, seed %" PRIu64 "\n\n",
            c->sampler, c->chains, c->chains == 1 ? "" : "s", f->draws, c->warmup, c->steps, c->step_size, c->seed);
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
    for (size_t i = 0, shown = 0; i < WARNINGS; i++)
        if (warnings[i].applies(f)) fprintf(out, "%s- %s\n", shown++ ? "" : "\nwarnings\n", warnings[i].text);
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
    for (size_t i = 0; i < WARNINGS; i++)
        if (warnings[i].applies(f)) json_array_append_new(list, json_string(warnings[i].text));
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
