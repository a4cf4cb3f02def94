/* The table of options of kelvin sample, put together from the command's own and from the fields that the library
 * lists.
 */
#include "cli/sample_options.h"

#include "cli/words.h"

#include <string.h>

#define AT(field) offsetof(struct sample_settings, field)

static const struct option own[] = {
    {"output", 'o', "RUN", OPTION_STRING, AT(output), "folder to make for the run",
     "kelvin-run, or the first of kelvin-run-2, ... that is not there"},
    {"config", 0, "FILE", OPTION_STRING, AT(file),
     "take what FILE says, in JSON; any run, or its run.json, will do. Options count for more", NULL},
    {"checkpoint", 0, "S", OPTION_DOUBLE, AT(how.checkpoint), RUN_CHECKPOINT_HELP, NULL},
    {"threads", 0, "N", OPTION_SIZE, AT(how.threads), "threads; the draws do not depend on it", "one per CPU"},
    {"ranks-per-chain", 0, "N", OPTION_SIZE, AT(how.ranks_per_chain), RUN_RANKS_HELP, RUN_RANKS},
    {"dry-run", 0, NULL, OPTION_FLAG, AT(how.dry_run), "say what it would cost, from some steps, and make nothing",
     NULL},
    {"json", 0, NULL, OPTION_FLAG, AT(how.json), "print the summary as JSON", NULL},
};
enum { OWN = sizeof own / sizeof *own, FIRST = 2, TEXT = 192 }; /* the first stand before the fields */

enum text { NAME, WITH, SHOWN, ABOUT, TEXTS };

/* A table in the making: the texts that its rows point to are here as well. What does not fit is left out: samplers
 * would have to become many. */
struct room {
    struct option_table table;
    struct option option[OPTIONS];
    const char *with[OPTIONS];
    const kelvin_field_info *field[OPTIONS];
    char text[OPTIONS][TEXTS][TEXT];
};

static void add_own(struct room *room, const struct option *option)
{
    if (room->table.n < OPTIONS) room->option[room->table.n++] = *option;
}

/* An option is called as its field is, with - for _. `usual`: what it is for the one sampler that this is about; NULL:
 * it is about all. */
static void add_field(struct room *room, const kelvin_field_info *field, const char *usual)
{
    const size_t i = room->table.n;
    if (i == OPTIONS) return;
    char(*text)[TEXT] = room->text[i], name[OPTION_NAME];
    option_name(name, field->name);
    snprintf(text[NAME], TEXT, "%s", name + strlen("--"));
    snprintf(text[SHOWN], TEXT, "%s", usual && !field->rule ? usual : field->usual);
    snprintf(text[ABOUT], TEXT, "%s%s", field->about, field->family ? " (kelvin info)" : "");
    snprintf(text[WITH], TEXT, "--sampler %s", field->samplers ? field->samplers : "");
    room->option[i] = (struct option){text[NAME], 0, field->value, OPTION_KEPT, 0, text[ABOUT], text[SHOWN]};
    room->with[i] = usual || !field->samplers ? NULL : text[WITH];
    room->field[i] = field;
    room->table.n++;
}

static void begin(struct room *room)
{
    *room = (struct room){.table = {room->option, 0, room->with}};
    for (size_t i = 0; i < FIRST; i++) add_own(room, &own[i]);
}

/* Those that are for some samplers come after all that are for every one: so help texts want it. */
static const struct option_table *all(struct room *room)
{
    const kelvin_field_info *field;
    begin(room);
    for (size_t i = 0; (field = kelvin_config_field_at(i)); i++)
        if (!field->samplers) add_field(room, field, NULL);
    for (size_t i = FIRST; i < OWN; i++) add_own(room, &own[i]);
    for (size_t i = 0; (field = kelvin_config_field_at(i)); i++)
        if (field->samplers) add_field(room, field, NULL);
    return &room->table;
}

static struct room every;

const struct option_table *sample_options(void)
{
    return every.table.n ? &every.table : all(&every);
}

const kelvin_field_info *sample_option_field(size_t i)
{
    return i < sample_options()->n ? every.field[i] : NULL;
}

static kelvin_status build(struct room *room, const kelvin_config *config, const char *sampler)
{
    const kelvin_field_info *field;
    begin(room);
    for (size_t i = 0; (field = kelvin_config_field_at(i)); i++) {
        char usual[TEXT];
        if (!kelvin_field_is_for(field, sampler)) continue;
        KELVIN_TRY(kelvin_config_get(config, field->name, usual, sizeof usual));
        add_field(room, field, usual);
    }
    for (size_t i = FIRST; i < OWN; i++) add_own(room, &own[i]);
    return KELVIN_OK;
}

kelvin_status sample_options_of(const struct option_table **table, const char *sampler, const char *preset)
{
    static struct room some;
    kelvin_config *config;
    KELVIN_TRY(kelvin_config_create(&config));
    char usual[TEXT];
    kelvin_status status = kelvin_config_set(config, "sampler", sampler); /* NULL: the usual one */
    if (!status) status = kelvin_config_get(config, "sampler", usual, sizeof usual);
    if (!status && preset) status = kelvin_config_set(config, "preset", preset);
    if (!status) status = build(&some, config, usual);
    kelvin_config_destroy(config);
    *table = &some.table;
    return status;
}
