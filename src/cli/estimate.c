/* kelvin sample --dry-run. */
#include "cli/amounts.h"
#include "cli/chains_progress.h"
#include "cli/json.h"
#include "cli/lines.h"
#include "cli/runs.h"

/* Threads that are more than the CPUs wait for each other however idle the machine is. */
static void print_busy(const kelvin_estimate *e)
{
    const size_t threads = e->chains_at_once * e->threads_per_chain, cpus = kelvin_cpu_count();
    char sentence[256];
    if (threads > cpus) {
        snprintf(sentence, sizeof sentence, "%zu threads share %zu CPU%s: --threads %zu would do.", threads, cpus,
                 plural(cpus), cpus);
        putchar('\n');
        print_lines(stdout, 0, "%s", sentence);
    } else {
        amount_busy(e->cpu_share, e->seconds);
    }
}

/* Rows are epochs or iterations; only of batches it says something that their observations are many. */
static void print_speed(const kelvin_run *run, const kelvin_estimate *e)
{
    char name[48];
    snprintf(name, sizeof name, "%ss per second", kelvin_run_row_name(run));
    amount_row(name, amount_rate, e->rows_per_s, "of all chains together, measured");
    if (!kelvin_run_looks_at_batches(run)) return;
    snprintf(name, sizeof name, "%s per second", observations_name(run));
    amount_row(name, amount_grouped, e->rows_per_s * (double)kelvin_data_rows(kelvin_run_data(run), KELVIN_TRAIN), "");
}

static void print_table(const kelvin_run *run, const kelvin_estimate *e)
{
    char note[64];
    print_subject(stdout, run);
    print_sampling(stdout, run, kelvin_run_samples_asked_for(run));
    putchar('\n');
    amount_row("parameters", amount_grouped, (double)e->parameters, "");
    snprintf(note, sizeof note, "on %zu thread%s each", e->threads_per_chain, plural(e->threads_per_chain));
    amount_row("chains at once", amount_grouped, (double)e->chains_at_once, note);
    amount_row("memory", amount_bytes, e->memory, "at most, beside the program itself");
    amount_row("disk", amount_bytes, e->disk, "at most");
    print_speed(run, e);
    amount_row("time to the end", amount_seconds, e->seconds, "");
    amount_row("  of it for logits", amount_seconds, e->logits, "of all samples, at the end");
    print_busy(e);
}

static json_t *estimate_json(const kelvin_run *run, const kelvin_estimate *e)
{
    static const char *const fields[] = {"sampler", "data", "model", "chains", NULL};
    const struct {
        const char *name;
        size_t count;
    } counts[] = {{"samples", kelvin_run_samples_asked_for(run)},
                  {"parameters", e->parameters},
                  {"chains_at_once", e->chains_at_once},
                  {"threads_per_chain", e->threads_per_chain}};
    const struct {
        const char *name;
        double number;
    } numbers[] = {{"memory_bytes", e->memory},
                   {"disk_bytes", e->disk},
                   {"seconds", e->seconds},
                   {"logits_seconds", e->logits},
                   {"cpu_share", e->cpu_share}};
    json_t *object = json_config(run, fields);
    if (!object) return NULL;
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        json_object_set_new(object, counts[i].name, json_integer((json_int_t)counts[i].count));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        json_object_set_new(object, numbers[i].name, json_number(numbers[i].number));
    json_rows(object, "", run, json_integer(kelvin_run_rows(run)));
    json_rows(object, "_per_s", run, json_number(e->rows_per_s));
    if (!kelvin_run_looks_at_batches(run)) return object;
    char name[48];
    snprintf(name, sizeof name, "%s_per_s", observations_name(run));
    json_object_set_new(object, name,
                        json_number(e->rows_per_s * (double)kelvin_data_rows(kelvin_run_data(run), KELVIN_TRAIN)));
    return object;
}

kelvin_status run_dry(const kelvin_config *config, const struct run_settings *settings)
{
    kelvin_run *run;
    kelvin_estimate estimate;
    KELVIN_TRY(kelvin_run_start(&run, config, NULL));
    run_warn(run);
    amount_of_one_rank();
    kelvin_status status = kelvin_run_estimate(&estimate, run, settings->threads);
    if (!status && settings->json) status = print_json(stdout, estimate_json(run, &estimate), FEW_DIGITS);
    if (!status && !settings->json) print_table(run, &estimate);
    kelvin_run_close(run);
    return status;
}
