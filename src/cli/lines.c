/* What commands tell people about runs, in lines. */
#include "cli/lines.h"

#include "cli/options.h"
#include "cli/texts.h"
#include "cli/words.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

void print_subject(FILE *out, const kelvin_run *run)
{
    const kelvin_data *data = kelvin_run_data(run);
    char text[4096 + 512];
    snprintf(text, sizeof text, "%s on %s, density %s, prior %s, temperature %g", kelvin_run_text(run, "model"),
             kelvin_run_text(run, "data"), kelvin_run_text(run, "density"), kelvin_run_text(run, "prior"),
             kelvin_run_number(run, "temperature"));
    print_items(out, text, LINE);
    if (kelvin_data_rows(data, KELVIN_TEST) > 0)
        fprintf(out, "%zu observations, and %zu that are kept for testing\n", kelvin_data_rows(data, KELVIN_TRAIN),
                kelvin_data_rows(data, KELVIN_TEST));
}

const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

/* As people write it: "step size 0.0004", "10000 steps per iteration", "length tuned in warm-up". */
static void append_setting(char *text, size_t size, const kelvin_run *run, const kelvin_setting *setting)
{
    const double value = kelvin_run_number(run, setting->name);
    char name[64];
    snprintf(name, sizeof name, "%s", setting->name);
    for (char *at = name; (at = strchr(at, '_'));) *at = ' ';
    if (setting->zero && value == 0)
        text_append(text, size, ", %s %s", name, setting->zero);
    else if (setting->whole)
        text_append(text, size, ", %.10g %s per %s", value, name, kelvin_run_row_name(run));
    else
        text_append(text, size, ", %s %.10g", name, value);
}

static void append_start(char *text, size_t size, const kelvin_run *run)
{
    char folder[4096];
    size_t sample;
    if (!kelvin_run_starts_from(run, folder, sizeof folder, &sample)) return;
    if (kelvin_run_starts_at_file(run))
        text_append(text, size, ", started from %s", folder);
    else if (sample != SIZE_MAX)
        text_append(text, size, ", started from sample %zu of %s", sample, folder);
    else
        text_append(text, size, ", started from the samples of %s", folder);
}

void print_sampling(FILE *out, const kelvin_run *run, size_t samples)
{
    const uint32_t rows = kelvin_run_rows(run), warmup = kelvin_run_warmup(run), chains = kelvin_run_chains(run);
    const kelvin_setting *setting;
    char text[4096 + 1024] = "", seed[32] = "";
    text_append(text, sizeof text, "%s: %" PRIu32 " chain%s, %zu sample%s, %" PRIu32 " %s%s",
                kelvin_run_text(run, "sampler"), chains, plural(chains), samples, plural(samples), rows,
                kelvin_run_row_name(run), plural(rows));
    if (warmup > 0) text_append(text, sizeof text, " (the first %" PRIu32 " of them warm-up)", warmup);
    if (kelvin_run_looks_at_batches(run))
        text_append(text, sizeof text, ", batches of %.0f, schedule %s", kelvin_run_number(run, "batch"),
                    kelvin_run_text(run, "schedule"));
    for (size_t i = 0; (setting = kelvin_run_setting(run, i)); i++) append_setting(text, sizeof text, run, setting);
    if (!kelvin_run_get(run, "seed", seed, sizeof seed)) text_append(text, sizeof text, ", seed %s", seed);
    append_start(text, sizeof text, run);
    print_items(out, text, LINE);
}

void print_temperatures_legend(FILE *out, const kelvin_temperatures *t, const kelvin_run *run)
{
    if (t->chains > 0)
        print_lines(out, 0, "Temperatures: of the last %zu %s%s of %zu chain%s.", t->rows, kelvin_run_row_name(run),
                    plural(t->rows), t->chains, plural(t->chains));
}

void print_lines(FILE *out, int indent, const char *format, ...)
{
    char text[4096 + 1024];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    print_wrapped(out, text, indent, LINE);
}

static void print_item(FILE *out, const char *text)
{
    fputs("- ", out);
    print_wrapped(out, text, 2, LINE);
}

void print_diverged(FILE *out, const char *title, const kelvin_samples *samples)
{
    fprintf(out, "\n%s\n", title);
    for (uint32_t i = 0; i < kelvin_run_chains(kelvin_samples_run(samples)); i++)
        if (kelvin_samples_diverged(samples, i)) print_item(out, kelvin_samples_diverged(samples, i));
}

void print_verdict(FILE *out, const kelvin_diagnosis *found)
{
    print_lines(out, 2, "verdict: %s", kelvin_diagnosis_verdict(found));
}

void print_advice(FILE *out, const char *title, const kelvin_diagnosis *found,
                  const kelvin_advice *at(const kelvin_diagnosis *found, size_t i), kelvin_grade least)
{
    if (at(found, 0) && at(found, 0)->grade >= least) fprintf(out, "\n%s\n", title);
    for (size_t i = 0; at(found, i) && at(found, i)->grade >= least; i++) {
        char text[2048];
        kelvin_advice_say(at(found, i), text, sizeof text, command_words, NULL);
        print_item(out, text);
    }
}

/* ---- notes ---- */

void notes_say(void *context, const char *sentence)
{
    struct notes *notes = context;
    char line[sizeof notes->said];
    snprintf(line, sizeof line, "\n%s\n", sentence);
    if (strstr(notes->said, line)) return;
    fprintf(stderr, "kelvin %s: %s\n", notes->command, sentence);
    if (strlen(notes->said) + strlen(line) < sizeof line) strcat(notes->said, line); /* else it is said again */
}

void note_samples(const kelvin_samples *samples)
{
    const char *note = kelvin_samples_note(samples);
    if (note) fprintf(stderr, "note: %s\n", note);
}

kelvin_status open_samples(kelvin_samples **samples, const char *folder, bool partly)
{
    KELVIN_TRY((partly ? kelvin_samples_open_partly : kelvin_samples_open)(samples, folder));
    note_samples(*samples);
    return KELVIN_OK;
}
