/* kelvin --man: the manual page kelvin(1) in roff, from the same tables as the help texts. */
#include "cli/command.h"
#include "cli/families.h"

/* Text with what roff would take for its own escaped, between what is put as it is. */
static void put(FILE *out, const char *before, const char *text, const char *after)
{
    fputs(before, out);
    for (bool line_start = true; *text; text++) {
        if (line_start && (*text == '.' || *text == '\'')) fputs("\\&", out);
        line_start = *text == '\n';
        if (*text == '-')
            fputs("\\-", out);
        else if (*text == '\\')
            fputs("\\e", out);
        else
            fputc(*text, out);
    }
    fputs(after, out);
}

static void put_item(FILE *out, const char *term, const char *text)
{
    put(out, ".TP\n.B ", term, "\n");
    put(out, "", text, "\n");
}

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
    const struct option_table *table = command_options(command);
    void *settings = command_settings(command);
    if (!settings) return KELVIN_ENOMEM;
    put(out, ".SS kelvin ", command->name, " ");
    put(out, "", command->synopsis, "\n");
    put(out, "", command->about, ".\n");
    put(out, "", command->details, "\n");
    for (size_t i = 0; i < table->n; i++) put_option(out, &table->options[i], option_with(table, i), settings);
    kelvin_free(settings);
    return KELVIN_OK;
}

static void put_family(FILE *out, const struct family *family)
{
    fprintf(out, ".SS %s\n", family->title);
    if (family->note) put(out, "", family->note, "\n");
    struct member member;
    for (size_t i = 0; family_member(&member, family, i); i++) put_item(out, member.usage, member.about);
}

struct entry {
    const char *term, *text;
};

static void put_section(FILE *out, const char *title, const struct entry *entries)
{
    fprintf(out, ".SH %s\n", title);
    for (; entries->term; entries++) put_item(out, entries->term, entries->text);
}

static const struct entry environment[] = {
    {"KELVIN_ISA",
     "Instruction set to use instead of the best one of this CPU; kelvin info lists those that there are. All of them "
     "that have fused multiply-adds give the same bits."},
    {"KELVIN_DATA", "Folder for data sets that are fetched, instead of $XDG_CACHE_HOME/kelvin or ~/.cache/kelvin."},
    {"https_proxy, http_proxy, no_proxy", "As curl has them, for fetching."},
    {NULL, NULL},
};

static const struct entry statuses[] = {
    {"0", "Done."},
    {"1",
     "Failed or stopped: memory, broken or missing files, another program, or a signal; or all chains diverged. One "
     "sentence on standard error says why."},
    {"2", "Wrong use: an unknown name, a value out of its range, a folder that exists."},
    {"3", "Done, but some chains diverged. A sentence on standard error for each, and the report of the others."},
    {NULL, NULL},
};

static const struct entry files[] = {
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

static const struct entry examples[] = {
    {"kelvin sample -o run", "Draw a posterior of a small network on the built-in digits."},
    {"kelvin sample --model cnn --data mnist --temperature 0.1 --epochs 100 --lr 1e-3 -o run",
     "Another network, other data, a cold posterior."},
    {"kelvin sample --config run/run.json --seed 1 -o again", "The same with another seed."},
    {"kelvin sample --sampler hmc --density dirclip:0.6,-50 --step-size 5e-5 -o run",
     "Draw a posterior as in figure 1 of the paper."},
    {"kelvin sample --sampler mclmc --data csv:table.csv,label=species --model mlp:20 -o run",
     "Draw a posterior of a table of one's own, with steps that are tuned in warm-up."},
    {"kelvin resume run", "Go on with a run that was stopped or killed, by any sampler; it ends in the same bits."},
    {"kelvin diagnose run", "Say whether to believe it."},
    {"kelvin figure decision-boundary -o figures", "Compute and draw figure 1 of the paper."},
    {"kelvin figure phase-diagram --classes 100 -o figures", "Another figure, for 100 classes instead of 10."},
    {"kelvin figure all -o figures", "All figures that need no sampling."},
    {"kelvin data cifar10", "Fetch CIFAR-10 into the cache, and verify it."},
    {"kelvin data csv:table.csv,label=species", "Say what is in a table of one's own."},
    {"kelvin data images:photos,size=32 --show sheet.png", "Look at pictures of one's own, one folder per class."},
    {NULL, NULL},
};

kelvin_status manual_print(FILE *out)
{
    fprintf(out, ".TH KELVIN 1 \"\" \"kelvin %s\" \"User Commands\"\n", KELVIN_VERSION);
    fputs(".SH NAME\nkelvin \\- Bayesian neural networks on ordinary CPUs\n"
          ".SH SYNOPSIS\n.B kelvin\n.I COMMAND\n[\\fIOPTION\\fR]...\n.br\n.B kelvin \\-\\-help\n.br\n.B kelvin "
          "\\-\\-version\n"
          ".SH DESCRIPTION\nSamples the posteriors of Bayesian neural networks: cold ones, and those of confident "
          "priors that can\n"
          "replace them. Results go to standard output, everything else to standard error.\n"
          "The draws of a run depend on its configuration and seed alone.\n.SH COMMANDS\n",
          out);
    for (size_t i = 0; commands[i]; i++) KELVIN_TRY(put_command(out, commands[i]));
    fputs(".SH WHAT THERE IS\n", out);
    for (size_t i = 0; i < FAMILY_COUNT; i++) put_family(out, &families[i]);
    put_section(out, "ENVIRONMENT", environment);
    put_section(out, "EXIT STATUS", statuses);
    put_section(out, "FILES", files);
    put_section(out, "EXAMPLES", examples);
    return KELVIN_OK;
}
