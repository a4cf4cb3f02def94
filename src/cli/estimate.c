/* kelvin sample --dry-run. */
#include "cli/estimate.h"

#include "cli/amounts.h"
#include "cli/report.h"

#include <inttypes.h>

/* Numbers end in one column, whatever their units. */
static void row(FILE *out, const char *name, const char *value, const char *note)
{
    fprintf(out, "%-24s %12s%s%s\n", name, value, *note ? "   " : "", note);
}

static void print_table(FILE *out, const kelvin_run *run, const kelvin_estimate *e)
{
    const kelvin_run_config *c = &run->config;
    char text[AMOUNT], note[64];
    amount_grouped(text, (double)run->data->train.n);
    fprintf(out, "%s on %s, density %s, prior %s, temperature %g\n", c->model, c->data, c->density, c->prior,
            c->temperature);
    fprintf(out,
            "%s: %" PRIu32 " chain%s, %" PRIu32 " samples, %" PRIu32 " epochs of %s observations in batches of %" PRIu32
            "\n\n",
            c->sampler, c->chains, c->chains == 1 ? "" : "s", c->samples, c->epochs, text, c->batch);
    amount_grouped(text, (double)e->parameters);
    row(out, "parameters", text, "");
    amount_grouped(text, (double)e->chains_at_once);
    snprintf(note, sizeof note, "on %zu thread%s each", e->threads_per_chain, e->threads_per_chain == 1 ? "" : "s");
    row(out, "chains at once", text, note);
    amount_bytes(text, e->memory);
    row(out, "memory", text, "at most");
    amount_bytes(text, e->disk);
    row(out, "disk", text, "at most");
    snprintf(text, sizeof text, "%.3g", e->epochs_per_s);
    row(out, "epochs per second", text, "of all chains together, measured");
    amount_grouped(text, e->epochs_per_s * (double)run->data->train.n);
    row(out, "images per second", text, "");
    amount_seconds(text, e->seconds);
    row(out, "time to the end", text, "");
}

static json_t *estimate_json(const kelvin_run *run, const kelvin_estimate *e)
{
    const kelvin_run_config *c = &run->config;
    return json_pack("{s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "sampler", c->sampler,
                     "data", c->data, "model", c->model, "chains", (json_int_t)c->chains, "samples",
                     (json_int_t)c->samples, "epochs", (json_int_t)c->epochs, "parameters", (json_int_t)e->parameters,
                     "chains_at_once", (json_int_t)e->chains_at_once, "threads_per_chain",
                     (json_int_t)e->threads_per_chain, "memory_bytes", json_number(e->memory), "disk_bytes",
                     json_number(e->disk), "epochs_per_s", json_number(e->epochs_per_s), "images_per_s",
                     json_number(e->epochs_per_s * (double)run->data->train.n), "seconds", json_number(e->seconds));
}

kelvin_status estimate_report(FILE *out, const kelvin_run_config *config, size_t threads, bool json,
                              void (*warn)(const kelvin_run *run))
{
    kelvin_run *run;
    kelvin_estimate estimate;
    KELVIN_TRY(kelvin_run_create(&run, config));
    warn(run);
    kelvin_status status = kelvin_run_estimate(&estimate, config, threads);
    if (!status && json) status = print_json(out, estimate_json(run, &estimate), FEW_DIGITS);
    if (!status && !json) print_table(out, run, &estimate);
    kelvin_run_close(run);
    return status;
}
