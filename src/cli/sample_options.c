/* The table of options of kelvin sample, put together from those of every run, those of samplers that look at batches
 * or at all data, and the settings of each sampler. */
#include "cli/sample_options.h"

#include "base/suggest.h"
#include "base/texts.h"
#include "cli/words.h"
#include "run/fields.h"
#include "run/room.h"

#include <inttypes.h>
#include <string.h>

#define AT(field) offsetof(struct sample_settings, field)

/* A name with _ for - is a field of the configuration. */
static const struct option of_every_run[] = {
    {"output", 'o', "RUN", OPTION_STRING, AT(output), "folder to make for the run",
     "kelvin-run, or the first of kelvin-run-2, ... that is not there"},
    {"sampler", 0, "SAMPLER", OPTION_STRING, AT(config.sampler), "how to draw (kelvin info)", NULL},
    {"config", 0, "FILE", OPTION_STRING, AT(file),
     "take what FILE says, in JSON; any run, or its run.json, will do. Options count for more", NULL},
    {"data", 0, "DATA", OPTION_STRING, AT(config.data),
     "data set: a name, or csv:FILE and the like (kelvin data --list)", NULL},
    {"model", 0, "MODEL", OPTION_STRING, AT(config.model), "network: mlp:UNITS,UNITS, or for images cnn, resnet20",
     NULL},
    {"density", 0, "DENSITY", OPTION_STRING, AT(config.density), "log-density of predictions, as name:value,value",
     NULL},
    {"prior", 0, "PRIOR", OPTION_STRING, AT(config.prior), "prior of parameters, as name:value, or none", NULL},
    {"temperature", 0, "T", OPTION_DOUBLE, AT(config.temperature), "sample exp(log-posterior / T)", NULL},
    {"chains", 0, "N", OPTION_UINT32, AT(config.chains), "number of chains", NULL},
    {"init", 0, "RUN[/I]", OPTION_STRING, AT(config.init),
     "start from the samples of a run, or all chains from its I-th", NULL},
    {"seed", 0, "N", OPTION_UINT64, AT(config.seed), "seed: same seed, same bits", NULL},
    {"logit-limit", 0, "R", OPTION_DOUBLE, AT(config.logit_limit),
     "a chain has diverged when the logits of one observation are farther apart", NULL},
    {"checkpoint", 0, "S", OPTION_DOUBLE, AT(how.checkpoint), RUN_CHECKPOINT_HELP, NULL},
    {"threads", 0, "N", OPTION_SIZE, AT(how.threads), "threads; the draws do not depend on it", "one per CPU"},
    {"dry-run", 0, NULL, OPTION_FLAG, AT(how.dry_run), "say what it would cost, from some steps, and make nothing",
     NULL},
    {"json", 0, NULL, OPTION_FLAG, AT(how.json), "print the summary as JSON", NULL},
};

static const struct option of_batches[] = {
    {"samples", 0, "N", OPTION_UINT32, AT(config.samples),
     "samples of all chains together; --samples or --chains alone says both", "as many as chains"},
    {"epochs", 0, "N", OPTION_UINT32, AT(config.epochs), "how often a chain sees all the data", NULL},
    {"batch", 0, "N", OPTION_UINT32, AT(config.batch), "observations per step", "125, or all if there are fewer"},
    {"schedule", 0, "SCHEDULE", OPTION_STRING, AT(config.schedule),
     "how the size of steps and the temperature change (kelvin info)", NULL},
    {"temperature-schedule", 0, "SCHEDULE", OPTION_STRING, AT(config.temperature_schedule),
     "another one for the temperature", "that of --schedule"},
    {"augment", 0, "AUGMENTATION", OPTION_STRING, AT(config.augment), "what an epoch does to images (kelvin info)",
     NULL},
};

static const struct option of_all_data[] = {
    {"iterations", 0, "N", OPTION_UINT32, AT(config.iterations), "iterations per chain, each of which is a draw", NULL},
    {"warmup", 0, "N", OPTION_UINT32, AT(config.warmup), "iterations that are kept, but left out of every answer",
     "30 % of the iterations"},
};

/* One for each kind of sampler. */
static const struct {
    bool batches;
    const struct option *options;
    size_t n;
    size_t rows; /* offset of how long a chain is, of which every sampler has its own idea */
} kinds[] = {
    {true, of_batches, sizeof of_batches / sizeof *of_batches, AT(config.epochs)},
    {false, of_all_data, sizeof of_all_data / sizeof *of_all_data, AT(config.iterations)},
};
enum { KINDS = sizeof kinds / sizeof *kinds, TEXT = 160 };

enum text { NAME, WITH, SHOWN, ABOUT, TEXTS };

/* A table in the making: the texts that its rows point to are here as well. One row more than there can be: what does
 * not fit into the table is written there, and not in it: samplers would have to become many. */
struct room {
    struct option_table table;
    struct option option[OPTIONS + 1];
    const char *with[OPTIONS + 1];
    char text[OPTIONS + 1][TEXTS][TEXT];
};

/* `with` is copied; NULL: it always counts. */
static void add(struct room *room, struct option option, const char *with)
{
    const size_t i = room->table.n;
    snprintf(room->text[i][WITH], TEXT, "--sampler %s", with ? with : "");
    room->with[i] = with ? room->text[i][WITH] : NULL;
    room->option[i] = option;
    if (i < OPTIONS) room->table.n++;
}

/* "500", or "500, by NAME 2000" where samplers of a kind differ. */
static void say_usual_rows(char out[TEXT], bool batches)
{
    const kelvin_sampler_type *type;
    uint32_t first = 0;
    for (size_t i = 0; (type = kelvin_sampler_info(i)); i++) {
        const uint32_t rows = type->usual.rows;
        if (type->batches != batches || rows == first) continue;
        if (first == 0)
            snprintf(out, TEXT, "%" PRIu32, first = rows);
        else
            kelvin_append(out, TEXT, ", by %s %" PRIu32, type->member.name, rows);
    }
}

static void add_kind(struct room *room, size_t kind, const kelvin_sampler_type *only)
{
    char names[KELVIN_SAMPLER_NAMES];
    kelvin_config_samplers(names, kinds[kind].options[0].name);
    for (size_t i = 0; i < kinds[kind].n; i++) {
        struct option option = kinds[kind].options[i];
        char *shown = room->text[room->table.n][SHOWN];
        if (!only && option.offset == kinds[kind].rows) {
            option.shown = shown;
            say_usual_rows(shown, kinds[kind].batches);
        }
        add(room, option, only ? NULL : names);
    }
}

/* Where it is not known yet whether it is meant, its value is kept as it was written. */
static void add_setting(struct room *room, const kelvin_sampler_type *type, size_t i, bool meant)
{
    const kelvin_setting *setting = &type->setting[i];
    char(*text)[TEXT] = room->text[room->table.n];
    char name[OPTION_NAME];
    option_name(name, setting->name);
    snprintf(text[NAME], TEXT, "%s", name + strlen("--"));
    snprintf(text[SHOWN], TEXT, "%g", setting->usual);
    snprintf(text[ABOUT], TEXT, "%s%s%s", setting->about, setting->zero ? "; 0: " : "",
             setting->zero ? setting->zero : "");
    struct option option = {text[NAME], 0, setting->value, OPTION_STRING, AT(unread), text[ABOUT], text[SHOWN]};
    if (meant) {
        option.kind = setting->whole ? OPTION_COUNT : OPTION_DOUBLE;
        option.offset = AT(config.setting) + i * sizeof(double);
        option.shown = NULL;
    }
    add(room, option, meant ? NULL : type->member.name);
}

/* only: those that count for this sampler; NULL: all. */
static const struct option_table *build(struct room *room, const kelvin_sampler_type *only)
{
    const kelvin_sampler_type *type;
    room->table = (struct option_table){room->option, 0, room->with};
    for (size_t i = 0; i < sizeof of_every_run / sizeof *of_every_run; i++) add(room, of_every_run[i], NULL);
    for (size_t kind = 0; kind < KINDS; kind++) {
        if (only && only->batches != kinds[kind].batches) continue;
        add_kind(room, kind, only);
        for (size_t i = 0; (type = kelvin_sampler_info(i)); i++)
            for (size_t k = 0; k < kelvin_count_settings(type); k++)
                if (type->batches == kinds[kind].batches && (!only || only == type))
                    add_setting(room, type, k, only != NULL);
    }
    return &room->table;
}

const struct option_table *sample_options(void)
{
    static struct room all;
    return build(&all, NULL);
}

const struct option_table *sample_options_of(const kelvin_sampler_type *type)
{
    static struct room some;
    return build(&some, type);
}

/* ---- options for others ---- */

kelvin_status sample_options_check(const struct arguments *arguments, const kelvin_sampler_type *type)
{
    const struct option_table *all = sample_options(), *ours = sample_options_of(type);
    for (size_t i = 0; i < all->n; i++) {
        char field[KELVIN_NAME_SIZE], names[KELVIN_SAMPLER_NAMES];
        if (!arguments->text[i] || option_find(ours, all->options[i].name) < ours->n) continue;
        snprintf(field, sizeof field, "%s", all->options[i].name);
        for (char *at = field; (at = strchr(at, '-'));) *at = '_';
        kelvin_config_samplers(names, field);
        return kelvin_fail(KELVIN_EUSAGE, "--%s is for --sampler %s; this is --sampler %s", all->options[i].name, names,
                           type->member.name);
    }
    return KELVIN_OK;
}
