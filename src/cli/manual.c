/* kelvin --man [COMMAND]: the manual pages kelvin(1) and kelvin-COMMAND(1) in roff, from the same tables as the help
 * texts. */
#include "cli/command.h"

#include <kelvin/family.h>

#include <ctype.h>
#include <string.h>

/* Sources of manual pages have lines of at most 80 letters; a last word may have some that are escaped. */
enum { FOLD = 72 };

/* Text with what roff would take for its own escaped, and lines that are folded where `fold` says so. */
static void put_text(FILE *out, const char *text, bool fold)
{
    size_t column = 0;
    for (; *text; text++, column++) {
        if (fold && *text == ' ' && column + 1 + strcspn(text + 1, " ") > FOLD) {
            fputc('\n', out);
            column = (size_t)-1;
            continue;
        }
        if (fold && column == 0 && (*text == '.' || *text == '\'')) fputs("\\&", out);
        column += *text == '-' || *text == '\\';
        if (*text == '[' && column > 0) fputs("\\:", out); /* a line may end here */
        if (*text == '-')
            fputs("\\-", out);
        else if (*text == '\\')
            fputs("\\e", out);
        else
            fputc(*text, out);
    }
}

static void put_line(FILE *out, const char *before, const char *text, const char *after)
{
    fputs(before, out);
    put_text(out, text, false);
    fputs(after, out);
}

static void put_folded(FILE *out, const char *text, const char *after)
{
    put_text(out, text, true);
    fputs(after, out);
}

/* Lines of `text` are paragraphs, after what stands there already. */
static void put_paragraphs(FILE *out, const char *text)
{
    for (size_t n; *text; text += n + (text[n] == '\n')) {
        char paragraph[2048];
        n = strcspn(text, "\n");
        snprintf(paragraph, sizeof paragraph, "%.*s", (int)n, text);
        fputs(".PP\n", out);
        put_folded(out, paragraph, "\n");
    }
}

static void put_item(FILE *out, const char *term, const char *text)
{
    put_line(out, ".TP\n.B ", term, "\n");
    put_folded(out, text, "\n");
}

static void put_items(FILE *out, const char *title, const struct example *items)
{
    fprintf(out, ".SH %s\n", title);
    for (; items->line; items++) put_item(out, items->line, items->about);
}

/* `name` as "kelvin" or "kelvin-sample". Ragged lines: formulas and file names would leave holes in others. */
static void put_head(FILE *out, const char *name, const char *about)
{
    char title[COMMAND_TITLE];
    size_t n = 0;
    for (; name[n] && n + 1 < sizeof title; n++) title[n] = (char)toupper((unsigned char)name[n]);
    title[n] = '\0';
    put_line(out, ".TH ", title, "");
    fprintf(out, " 1 %s \"kelvin %s\" \"User Commands\"\n.ad l\n.nr HY 0\n.SH NAME\n", RELEASED, kelvin_version());
    put_line(out, "", name, " \\-\n");
    put_folded(out, about, "\n");
}

static const struct example environment[] = {
    {"KELVIN_ISA",
     "Instruction set to use instead of the best one of this CPU; kelvin info lists those that there are. All of them "
     "that have fused multiply-adds give the same bits."},
    {"KELVIN_DATA", "Folder for data sets that are fetched, instead of $XDG_CACHE_HOME/kelvin or ~/.cache/kelvin."},
    {"https_proxy, http_proxy, no_proxy", "As curl has them, for fetching."},
    {NULL, NULL},
};

static const struct example statuses[] = {
    {"0", "Done."},
    {"1",
     "Failed or stopped: memory, broken or missing files, another program, or a signal; or all chains diverged. One "
     "sentence on standard error says why."},
    {"2", "Wrong use: an unknown name, a value out of its range, a folder that exists."},
    {"3", "Done, but some chains diverged. A sentence on standard error for each, and the report of the others."},
    {NULL, NULL},
};

static const struct example files[] = {
    {"RUN/run.json", "The whole configuration: enough to repeat the run."},
    {"RUN/data.json", "What the data are like: shape, names, normalisation."},
    {"RUN/manifest", "Size and checksum of each file that is finished; whoever reads one of them checks it."},
    {"RUN/chain-000/state.safetensors", "Where the chain stands; kelvin resume goes on from there."},
    {"RUN/chain-000/samples-000.safetensors, samples-001.safetensors, ...",
     "The draws of the chain as named tensors, (draws, ...), many in a file; warm-up is marked."},
    {"RUN/chain-000/history.csv", "One row per epoch or iteration."},
    {"RUN/logits_train.npy, RUN/logits_test.npy",
     "Logits of the data, (samples, observations, classes), warm-up left out."},
    {"RUN/labels_train.npy, RUN/labels_test.npy", "The labels of the same observations, as int64 from 0 on."},
    {"RUN/times.csv", "How long it took; nothing else depends on more than the configuration."},
    {"RUN/lock", "Held by the process that works there."},
    {NULL, NULL},
};

/* "kelvin(1), kelvin-sample(1), ..., kelvin(3)" without the page itself. */
static void put_see_also(FILE *out, const struct command *self)
{
    fputs(".SH SEE ALSO\n", out);
    if (self) fputs(".BR kelvin (1),\n", out);
    for (size_t i = 0; commands[i]; i++)
        if (commands[i] != self) put_line(out, ".BR kelvin\\-", commands[i]->name, " (1),\n");
    fputs(".BR kelvin (3)\n", out);
}

/* ---- kelvin-COMMAND(1) ---- */

static void put_option(FILE *out, const struct option *option, const char *with, const void *settings)
{
    const struct option_words words = option_words(option, settings);
    char text[512];
    snprintf(text, sizeof text, "%s%s%s%s%s.", option->help, *words.usual ? "; default: " : "", words.usual,
             with ? "; only with " : "", with ? with : "");
    put_item(out, words.usage, text);
}

static kelvin_status put_command(FILE *out, const struct command *command)
{
    char name[COMMAND_TITLE];
    const struct option_table *table = command_options(command);
    void *settings = command_settings(command);
    if (!settings) return KELVIN_ENOMEM;
    snprintf(name, sizeof name, "kelvin-%s", command->name);
    put_head(out, name, command->about);
    put_line(out, ".SH SYNOPSIS\n.B kelvin ", command->name, "\n");
    put_folded(out, command->synopsis, "\n.SH DESCRIPTION\n");
    put_folded(out, command->about, ".\n");
    if (command->details) put_paragraphs(out, command->details);
    fputs(".SH OPTIONS\n", out);
    for (size_t i = 0; i < table->n; i++) put_option(out, &table->options[i], option_with(table, i), settings);
    put_items(out, "EXIT STATUS", statuses);
    put_items(out, "EXAMPLES", command->examples);
    put_see_also(out, command);
    kelvin_free(settings);
    return KELVIN_OK;
}

/* ---- kelvin(1) ---- */

static void put_family(FILE *out, const kelvin_family *family)
{
    const char *note = kelvin_family_note(family);
    const kelvin_member *member;
    fprintf(out, ".SS %s\n", kelvin_family_title(family));
    if (note) put_folded(out, note, "\n");
    for (size_t i = 0; (member = kelvin_family_member(family, i)); i++) put_item(out, member->usage, member->about);
}

static void put_overview(FILE *out)
{
    put_head(out, "kelvin", "Bayesian neural networks on ordinary CPUs");
    fputs(".SH SYNOPSIS\n.B kelvin\n.I COMMAND\n[\\fIOPTION\\fR]...\n.br\n"
          ".B kelvin \\-\\-help\n.br\n.B kelvin \\-\\-version\n.SH DESCRIPTION\n",
          out);
    put_folded(out,
               "Samples the posteriors of Bayesian neural networks: cold ones, and those of confident priors "
               "that can replace them. Results go to standard output, everything else to standard error. The "
               "draws of a run depend on its configuration and seed alone.\n",
               "");
    fputs(".SH COMMANDS\n", out);
    for (size_t i = 0; commands[i]; i++) {
        put_line(out, ".TP\n.BR kelvin\\-", commands[i]->name, " (1)\n");
        put_folded(out, commands[i]->about, ".\n");
    }
    fputs(".SH WHAT THERE IS\n", out);
    for (size_t i = 0; i < kelvin_families(); i++) put_family(out, kelvin_family_at(i));
    put_items(out, "ENVIRONMENT", environment);
    put_items(out, "EXIT STATUS", statuses);
    put_items(out, "FILES", files);
    fputs(".SH EXAMPLES\n", out);
    for (size_t i = 0; commands[i]; i++) put_item(out, commands[i]->examples->line, commands[i]->examples->about);
    put_see_also(out, NULL);
}

kelvin_status manual_print(FILE *out, const char *name)
{
    const struct command *command = NULL;
    if (name) KELVIN_TRY(command_find(&command, name));
    if (command) return put_command(out, command);
    put_overview(out);
    return KELVIN_OK;
}
