/* What commands tell people about runs, in lines. */
#include "cli/lines.h"

#include "base/texts.h"
#include "cli/options.h"
#include "cli/words.h"
#include "files/files.h"
#include "run/room.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

size_t samples_asked_for(const kelvin_run *run)
{
    return (size_t)run->config.chains * (kelvin_run_draws(run) - kelvin_run_warmup(run));
}

void print_subject(FILE *out, const kelvin_run *run)
{
    const kelvin_run_config *c = &run->config;
    char text[4096 + 512];
    snprintf(text, sizeof text, "%s on %s, density %s, prior %s, temperature %g", c->model, c->data, c->density,
             c->prior, c->temperature);
    print_items(out, text, LINE);
    if (kelvin_data_rows(run->data, KELVIN_TEST) > 0)
        fprintf(out, "%zu observations, and %zu that are kept for testing\n", kelvin_data_rows(run->data, KELVIN_TRAIN),
                kelvin_data_rows(run->data, KELVIN_TEST));
}

const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

/* As people write it: "step size 0.0004", "10000 steps per iteration", "length tuned in warm-up". */
static void append_setting(char *text, size_t size, const kelvin_run *run, size_t i)
{
    const kelvin_setting *setting = &run->sampler->setting[i];
    const double value = run->config.setting[i];
    char name[64];
    snprintf(name, sizeof name, "%s", setting->name);
    for (char *at = name; (at = strchr(at, '_'));) *at = ' ';
    if (setting->zero && value == 0)
        kelvin_append(text, size, ", %s %s", name, setting->zero);
    else if (setting->whole)
        kelvin_append(text, size, ", %.10g %s per %s", value, name, kelvin_run_row_name(run));
    else
        kelvin_append(text, size, ", %s %.10g", name, value);
}

/* As a chain's start reads it: a folder that is there is one, whatever it is called. */
static void append_start(char *text, size_t size, const char *init)
{
    kelvin_path folder;
    size_t index;
    if (strcmp(init, "none") == 0) return;
    if (!kelvin_is_folder(init) && kelvin_start_split(folder, &index, init))
        kelvin_append(text, size, ", started from sample %zu of %s", index, folder);
    else
        kelvin_append(text, size, ", started from the samples of %s", init);
}

void print_sampling(FILE *out, const kelvin_run *run, size_t samples)
{
    const kelvin_run_config *c = &run->config;
    const uint32_t rows = kelvin_run_rows(run), warmup = kelvin_run_warmup(run);
    char text[KELVIN_PATH_MAX + 1024] = "";
    kelvin_append(text, sizeof text, "%s: %" PRIu32 " chain%s, %zu sample%s, %" PRIu32 " %s%s", c->sampler, c->chains,
                  plural(c->chains), samples, plural(samples), rows, kelvin_run_row_name(run), plural(rows));
    if (warmup > 0) kelvin_append(text, sizeof text, " (the first %" PRIu32 " of them warm-up)", warmup);
    if (run->sampler->batches)
        kelvin_append(text, sizeof text, ", batches of %" PRIu32 ", schedule %s", c->batch, c->schedule);
    for (size_t i = 0; i < kelvin_count_settings(run->sampler); i++) append_setting(text, sizeof text, run, i);
    kelvin_append(text, sizeof text, ", seed %" PRIu64, c->seed);
    append_start(text, sizeof text, c->init);
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

void print_list(FILE *out, const char *title, const char *const *texts, size_t n)
{
    if (n > 0) fprintf(out, "\n%s\n", title);
    for (size_t i = 0; i < n; i++)
        if (texts[i]) print_item(out, texts[i]);
}

void print_advice(FILE *out, const char *title, const kelvin_diagnosis *found,
                  const kelvin_advice *at(const kelvin_diagnosis *found, size_t i))
{
    if (at(found, 0)) fprintf(out, "\n%s\n", title);
    for (size_t i = 0; at(found, i); i++) {
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

kelvin_status open_samples(kelvin_samples **samples, const char *folder)
{
    KELVIN_TRY(kelvin_samples_open(samples, folder));
    note_samples(*samples);
    return KELVIN_OK;
}
