/* kelvin predict: what a posterior says of new inputs, row after row, while they come in. */
#include "cli/bar.h"
#include "cli/command.h"
#include "cli/lines.h"
#include "cli/output_file.h"
#include "cli/predict_rows.h"
#include "cli/progress.h"
#include "cli/runs.h"

#include <kelvin/ranks.h>

#include <kelvin/files.h>

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

struct settings {
    const char *output, *keep;
    size_t threads;
    bool json, force;
};

static const struct option options[] = {
    {"output", 'o', "FILE", OPTION_STRING, AT(output), "write there instead; the file is there when it is complete",
     "standard output"},
    {"force", 0, NULL, OPTION_FLAG, AT(force), OUTPUT_FORCE, NULL},
    {"keep", 0, "COLUMNS", OPTION_STRING, AT(keep),
     "columns of a table to hand on, such as an id: names, or numbers from 1, with commas between them; a comma in a "
     "name is written \\,: 'length\\, cm'",
     "none"},
    {"threads", 0, "N", OPTION_SIZE, AT(threads), "threads; the numbers do not depend on it", "one per CPU"},
    {"json", 0, NULL, OPTION_FLAG, AT(json), "one JSON object per row instead of CSV", NULL},
};

/* ---- where rows go ---- */

struct output {
    struct predict_rows rows;
    kelvin_writer *file; /* NULL: standard output */
    bool begun;          /* the columns are named */
    bool watched;        /* someone sees progress */
    struct notes notes;  /* on the inputs, as far as they were said */
    size_t noted;
    double started, shown;
    size_t drawn;
};

/* What was guessed of the inputs, or is new in them: it may be found in any row. */
static void say_notes(struct output *out)
{
    const char *note;
    while ((note = kelvin_inputs_note(out->rows.inputs, out->noted))) {
        bars_clear(stderr, out->drawn);
        out->drawn = 0;
        notes_say(&out->notes, note);
        out->noted++;
    }
}

static kelvin_status hand_on(struct output *out)
{
    const size_t bytes = out->rows.used;
    out->rows.used = 0;
    if (out->file) return kelvin_writer_put(out->file, out->rows.text, bytes);
    if (fwrite(out->rows.text, 1, bytes, stdout) == bytes && fflush(stdout) == 0) return KELVIN_OK;
    return kelvin_fail(KELVIN_EIO, "standard output could not be written: %s", strerror(errno));
}

/* After a second, and ten times a second. */
static void show(struct output *out, size_t rows)
{
    const double now = kelvin_now();
    if (!out->watched || now - out->started < 1 || now - out->shown < 0.1) return;
    char screen[BAR_LINE];
    size_t columns, lines;
    struct bar bar = bar_named("predicting", -1, BAR_STATEMENTS);
    bar_say(&bar, "%zu rows", rows);
    bar_say(&bar, "%.0f/s", (double)rows / (now - out->started));
    progress_terminal(&columns, &lines);
    out->drawn = bars_draw(stderr, screen, &bar, 1, columns, out->drawn);
    out->shown = now;
}

static kelvin_status begin(struct output *out, bool files)
{
    if (out->begun) return KELVIN_OK;
    out->begun = true;
    return predict_rows_head(&out->rows, files);
}

static kelvin_status add(void *context, const kelvin_verdict *verdict)
{
    enum { ENOUGH = 1 << 16 };
    struct output *out = context;
    KELVIN_TRY(begin(out, verdict->name));
    KELVIN_TRY(predict_rows_add(&out->rows, verdict));
    if (!verdict->last && out->rows.used < ENOUGH) return KELVIN_OK;
    say_notes(out);
    show(out, verdict->index + 1);
    return hand_on(out);
}

/* ---- a file that nobody sees before it is complete ---- */

static char temporary[PATH_MAX]; /* its name until it is complete */

/* Reading from a terminal or a pipe may take forever: who asks to stop means now. */
static void remove_and_end(int signal_number)
{
    unlink(temporary);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static void catch_signals(const kelvin_writer *file)
{
    snprintf(temporary, sizeof temporary, "%s", kelvin_writer_temporary(file));
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction before, after = {.sa_handler = remove_and_end};
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            (void)sigaction(signals[i], &after, NULL);
    }
}

/* ---- the whole ---- */

static kelvin_status judge(struct output *out, kelvin_logits *logits)
{
    kelvin_status status = kelvin_judge(logits, add, out);
    bars_clear(stderr, out->drawn);
    if (!status) status = begin(out, false); /* no rows: names all the same */
    return status ? status : hand_on(out);
}

static kelvin_status write_rows(kelvin_logits *logits, const kelvin_data *data, const kelvin_inputs *inputs,
                                const struct settings *settings)
{
    struct output out = {.notes.command = "predict", .started = kelvin_now()};
    out.watched = isatty(STDERR_FILENO) && (settings->output || !isatty(STDOUT_FILENO));
    kelvin_status status = predict_rows_start(&out.rows, data, kelvin_inputs_labelled(inputs), settings->json);
    out.rows.inputs = inputs;
    say_notes(&out);
    if (!status && settings->output) status = kelvin_writer_create(&out.file, settings->output);
    if (out.file) catch_signals(out.file);
    if (!status) status = judge(&out, logits);
    status = kelvin_writer_finish(out.file, status);
    predict_rows_end(&out.rows);
    return status;
}

static kelvin_status predict(kelvin_samples *samples, const char *input, const struct settings *settings)
{
    kelvin_inputs *inputs;
    kelvin_logits *logits;
    KELVIN_TRY(kelvin_inputs_open(&inputs, input, kelvin_run_data(kelvin_samples_run(samples)), false));
    kelvin_status status = settings->keep ? kelvin_inputs_keep(inputs, settings->keep) : KELVIN_OK;
    if (status) kelvin_inputs_close(inputs);
    if (status) return status;
    KELVIN_TRY(kelvin_logits_computed(&logits, samples, inputs, settings->threads)); /* inputs are its own now */
    status = write_rows(logits, kelvin_run_data(kelvin_samples_run(samples)), inputs, settings);
    kelvin_logits_close(logits);
    return status;
}

static kelvin_status answer(void *data, const struct arguments *arguments)
{
    const struct settings *settings = data;
    if (arguments->n_operands < 2)
        return kelvin_fail(KELVIN_EUSAGE, "%s (see kelvin predict --help)",
                           arguments->operand ? "which inputs?" : "which run, and which inputs?");
    KELVIN_TRY(run_check_threads(settings->threads));
    const struct output_reads reads = {{arguments->operands[1]}, arguments->operands, 1};
    KELVIN_TRY(output_check(settings->output, settings->force, &reads));
    signal(SIGPIPE, SIG_DFL); /* who reads the first rows only means no harm */
    kelvin_samples *samples;
    KELVIN_TRY(open_samples(&samples, arguments->operands[0], true));
    const kelvin_status status = predict(samples, arguments->operands[1], settings);
    kelvin_samples_close(samples);
    return status;
}

/* Of several ranks the first reads and writes, and the others compute for it. */
static kelvin_status run(void *data, const struct arguments *arguments)
{
    KELVIN_TRY(kelvin_logits_together(((const struct settings *)data)->threads));
    const kelvin_status status = kelvin_rank() == 0 ? answer(data, arguments) : KELVIN_OK;
    kelvin_logits_apart();
    return status;
}

static const struct example examples[] = {
    {"kelvin predict run new.csv -o answers.csv", "Classes, probabilities and doubt of the rows of a table."},
    {"kelvin predict run - --json", "One JSON object per row of a table on standard input."},
    {NULL, NULL},
};

const struct command predict_command = {
    .name = "predict",
    .synopsis = "RUN INPUT [OPTION]...",
    .about = "Say what a run's posterior makes of new inputs: class probabilities and doubt, row by row",
    .details = "RUN is a folder that kelvin sample made; the data it was made from are not needed. INPUT is a "
               "picture (FILE.png, FILE.jpg), a table (FILE.csv), an array (FILE.npy), - for CSV on standard input, "
               "or a data set as for kelvin sample --data, where labels may be missing: npy:X, csv:FILE, "
               "images:FOLDER with pictures in it.\n"
               "Columns of a table are found by their names, in any order, where it was trained with names; without "
               "names they come in the order of training, and one more is taken for the label, which is said. Values "
               "that training did not have, and missing ones where it had none, are told with their line. "
               "Pictures are made as large and as colourful as those it was trained on. Of a data set with a test "
               "part: that part.\n"
               "Each row has its number or its file, its id where the run has one (csv:FILE,id=COLUMN), columns to "
               "--keep, its label where inputs have labels (empty, "
               "in JSON null, where it is missing or none of the network's classes), the most likely class, that "
               "class's probability, the entropy of all probabilities (in nats), how much of it is the samples' "
               "disagreement (mutual_information; the rest is doubt that is in the data), and the probability of "
               "each class, p_NAME.\n"
               "Rows come out while they go in, and memory does not grow with their number.",
    .ranks = true,
    .operands = 2,
    .runs = 1,
    .others = "FILE|DATA",
    .options = {options, sizeof options / sizeof *options, NULL},
    .settings_size = sizeof(struct settings),
    .examples = examples,
    .run = run,
};
