/* kelvin sample --dry-run. */
#include "cli/estimate.h"

#include "cli/amounts.h"
#include "cli/options.h"
#include "cli/report.h"

enum { LINE = 79 };
static const double busy = 0.7; /* of a CPU: with less, the time says more about other programs */

/* Numbers end in one column, whatever their units. */
static void row(FILE *out, const char *name, const char *value, const char *note)
{
    fprintf(out, "%-24s %12s%s%s\n", name, value, *note ? "   " : "", note);
}

/* Threads that are more than the CPUs wait for each other however idle the machine is. */
static void print_busy(FILE *out, const kelvin_estimate *e)
{
    const size_t threads = e->chains_at_once * e->threads_per_chain, cpus = kelvin_cpu_count();
    char text[AMOUNT], sentence[256];
    if (threads > cpus) {
        snprintf(sentence, sizeof sentence, "%zu threads share %zu CPU%s: --threads %zu would do.", threads, cpus,
                 cpus == 1 ? "" : "s", cpus);
    } else if (e->cpu_share < busy) {
        amount_seconds(text, e->seconds * e->cpu_share);
        snprintf(sentence, sizeof sentence,
                 "This machine is busy: the measured chains had %.0f %% of their CPUs; on an idle one it would take "
                 "about %s.",
                 100 * e->cpu_share, text);
    } else {
        return;
    }
    fputc('\n', out);
    print_wrapped(out, sentence, 0, LINE);
}

/* Rows are epochs or iterations; only of batches it says something that their images are many. */
static void print_speed(FILE *out, const kelvin_run *run, const kelvin_estimate *e)
{
    char text[AMOUNT], name[32];
    snprintf(name, sizeof name, "%ss per second", kelvin_run_row_name(run));
    amount_rate(text, e->rows_per_s);
    row(out, name, text, "of all chains together, measured");
    if (!run->sampler->batches) return;
    amount_grouped(text, e->rows_per_s * (double)run->data->train.n);
    row(out, "images per second", text, "");
}

static void print_table(FILE *out, const kelvin_run *run, const kelvin_estimate *e)
{
    char text[AMOUNT], note[64];
    print_subject(out, run);
    print_sampling(out, run, samples_asked_for(run));
    fputc('\n', out);
    amount_grouped(text, (double)e->parameters);
    row(out, "parameters", text, "");
    amount_grouped(text, (double)e->chains_at_once);
    snprintf(note, sizeof note, "on %zu thread%s each", e->threads_per_chain, e->threads_per_chain == 1 ? "" : "s");
    row(out, "chains at once", text, note);
    amount_bytes(text, e->memory);
    row(out, "memory", text, "at most");
    amount_bytes(text, e->disk);
    row(out, "disk", text, "at most");
    print_speed(out, run, e);
    amount_seconds(text, e->seconds);
    row(out, "time to the end", text, "");
    print_busy(out, e);
}

static json_t *estimate_json(const kelvin_run *run, const kelvin_estimate *e)
{
    const kelvin_run_config *c = &run->config;
    json_t *object = json_pack(
        "{s:s, s:s, s:s, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o}", "sampler", c->sampler, "data", c->data, "model",
        c->model, "chains", (json_int_t)c->chains, "samples", (json_int_t)samples_asked_for(run), "parameters",
        (json_int_t)e->parameters, "chains_at_once", (json_int_t)e->chains_at_once, "threads_per_chain",
        (json_int_t)e->threads_per_chain, "memory_bytes", json_number(e->memory), "disk_bytes", json_number(e->disk),
        "seconds", json_number(e->seconds), "cpu_share", json_number(e->cpu_share));
    json_rows(object, "", run, json_integer(kelvin_run_rows(run)));
    json_rows(object, "_per_s", run, json_number(e->rows_per_s));
    if (run->sampler->batches)
        json_object_set_new(object, "images_per_s", json_number(e->rows_per_s * (double)run->data->train.n));
    return object;
}

kelvin_status estimate_report(FILE *out, const kelvin_run_config *config, size_t threads, bool json,
                              void (*warn)(const kelvin_run *run))
{
    kelvin_run *run;
    kelvin_estimate estimate;
    KELVIN_TRY(kelvin_run_start(&run, config, NULL));
    warn(run);
    kelvin_status status = kelvin_run_estimate(&estimate, config, threads);
    if (!status && json) status = print_json(out, estimate_json(run, &estimate), FEW_DIGITS);
    if (!status && !json) print_table(out, run, &estimate);
    kelvin_run_close(run);
    return status;
}
