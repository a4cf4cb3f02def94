/* kelvin_config: what someone has said of a run, field by field, and a file. What they come to is found when it is
 * asked for, since the sampler, which says what fields there are, may be said last. */
#include "base/needs.h"
#include "base/words.h"
#include "files/files.h"
#include "run/choose.h"

#include <stdio.h>
#include <string.h>

/* What was set, each field once. */
struct said {
    char *field, *text;
    struct said *next;
};

struct kelvin_config {
    struct said *set;
    char *chosen; /* what was chosen and why; NULL: nothing was */
    char *path;   /* of the file; NULL: there is none */
    void *file;
    const kelvin_sampler_type *file_sampler; /* NULL: the file says none */
};

/* ---- saying ---- */

kelvin_status kelvin_config_create(kelvin_config **config)
{
    KELVIN_NEEDS(config);
    *config = NULL;
    *config = kelvin_alloc(1, sizeof **config);
    return *config ? KELVIN_OK : KELVIN_ENOMEM;
}

static void free_said(struct said *said)
{
    if (!said) return;
    kelvin_free(said->field);
    kelvin_free(said->text);
    kelvin_free(said);
}

void kelvin_config_destroy(kelvin_config *config)
{
    if (!config) return;
    for (struct said *next; config->set; config->set = next) {
        next = config->set->next;
        free_said(config->set);
    }
    kelvin_record_free(config->file);
    kelvin_free(config->path);
    kelvin_free(config->chosen);
    kelvin_free(config);
}

/* Where what was set of a field is, or would be. */
static struct said **find(const kelvin_config *config, const char *field)
{
    struct said **at = (struct said **)&config->set;
    while (*at && strcmp((*at)->field, field) != 0) at = &(*at)->next;
    return at;
}

static bool is_auto(const char *text)
{
    return strcmp(text, KELVIN_AUTO) == 0;
}

static bool is_set(const void *config, const char *field)
{
    const struct said *said = *find(config, field);
    return said && !(kelvin_is_choosable(field) && is_auto(said->text));
}

/* What a sentence calls a field. */
enum { WHAT = 2 * KELVIN_NAME_SIZE };

static kelvin_status parse(struct kelvin_config_record *record, const struct kelvin_field *field, const char *text)
{
    char what[WHAT];
    kelvin_compose(what, sizeof what, KELVIN_FIELD, field->name);
    return kelvin_field_parse(record, field, what, text);
}

/* Some sampler must have such a field, and take such a value. */
static kelvin_status check(const char *name, const char *text)
{
    const kelvin_sampler_type *type;
    struct kelvin_field fields[KELVIN_CONFIG_FIELDS];
    kelvin_status status = KELVIN_OK;
    bool known = false;
    for (size_t i = 0; (type = kelvin_sampler_info(i)); i++) {
        struct kelvin_config_record trial = {0};
        const struct kelvin_field *field = kelvin_config_find_field(fields, type, name);
        if (field && kelvin_is_choosable(name) && is_auto(text)) return KELVIN_OK;
        if (field && !(status = parse(&trial, field, text))) return KELVIN_OK;
        known |= field != NULL;
    }
    return known ? status : kelvin_config_unknown(name);
}

kelvin_status kelvin_config_set(kelvin_config *config, const char *field, const char *text)
{
    KELVIN_NEEDS(config);
    KELVIN_NEEDS(field);
    struct said **at = find(config, field), *old = *at;
    const kelvin_status wrong = check(field, text ? text : "0");
    if (wrong) return kelvin_fail(wrong, KELVIN_BLAME KELVIN_SAID, field, kelvin_error_raw());
    struct said *new = text ? kelvin_alloc(1, sizeof *new) : NULL;
    if (new) *new = (struct said){kelvin_strdup(field), kelvin_strdup(text), old ? old->next : NULL};
    if (text && !(new &&new->field &&new->text)) {
        free_said(new);
        return KELVIN_ENOMEM;
    }
    *at = new ? new : old ? old->next : NULL;
    free_said(old);
    return KELVIN_OK;
}

kelvin_status kelvin_config_read(kelvin_config *config, const char *path)
{
    KELVIN_NEEDS(config);
    KELVIN_NEEDS(path);
    kelvin_path inside;
    void *file;
    const kelvin_sampler_type *type;
    if (kelvin_is_folder(path)) {
        KELVIN_TRY(kelvin_path_join(inside, path, KELVIN_CONFIG_NAME));
        path = inside;
    }
    char *copy = kelvin_strdup(path);
    if (!copy) return KELVIN_ENOMEM;
    const kelvin_status status = kelvin_config_open(&file, &type, path);
    if (status) {
        kelvin_free(copy);
        return status;
    }
    kelvin_record_free(config->file);
    kelvin_free(config->path);
    config->file = file;
    config->path = copy;
    config->file_sampler = type;
    return KELVIN_OK;
}

/* ---- what it comes to ---- */

static kelvin_status find_sampler(const kelvin_sampler_type **type, const kelvin_config *config)
{
    const struct said *set = *find(config, "sampler");
    const kelvin_sampler_type *file = config->file_sampler;
    *type = file ? file : kelvin_sampler_info(0);
    if (!set) return KELVIN_OK;
    const kelvin_status status = kelvin_sampler_find(type, set->text);
    if (status) return kelvin_fail(status, KELVIN_SAID KELVIN_BLAME, kelvin_error_raw(), "sampler");
    if (!file || file == *type) return KELVIN_OK;
    return kelvin_fail(KELVIN_EUSAGE, "%s is for the sampler %s, but " KELVIN_FIELD " is %s" KELVIN_BLAME, config->path,
                       file->member.name, "sampler", set->text, "sampler");
}

static kelvin_status not_for(const char *field, const kelvin_sampler_type *type)
{
    char others[KELVIN_SAMPLER_NAMES];
    kelvin_config_samplers(others, field);
    if (!*others) return kelvin_config_unknown(field);
    return kelvin_fail(KELVIN_EUSAGE,
                       KELVIN_FIELD " is for " KELVIN_FIELD " %s; this is " KELVIN_FIELD " %s" KELVIN_BLAME, field,
                       "sampler", others, "sampler", type->member.name, field);
}

static kelvin_status take_set(struct kelvin_config_record *record, const kelvin_config *config,
                              const kelvin_sampler_type *type)
{
    kelvin_run_config *c = &record->config;
    struct kelvin_field fields[KELVIN_CONFIG_FIELDS];
    for (const struct said *said = config->set; said; said = said->next) {
        const struct kelvin_field *field = kelvin_config_find_field(fields, type, said->field);
        if (!field) return not_for(said->field, type);
        if (!is_set(config, said->field)) continue;
        KELVIN_TRY(parse(record, field, said->text));
        kelvin_config_overrule(c, said->field, true);
    }
    if (is_set(config, "data_crc32")) {
        if (kelvin_mark_check(c->source.data_crc32, "data_crc32"))
            return kelvin_fail(KELVIN_EUSAGE, KELVIN_SAID, kelvin_error_raw());
        c->source.data = c->data;
    }
    if (is_set(config, "init_crc32")) c->source.init = c->init;
    kelvin_config_follow(c, is_set, config);
    return KELVIN_OK;
}

static kelvin_status check_preset(const kelvin_run_config *c)
{
    if (!c->source.preset || is_auto(c->source.preset) || strcmp(c->source.preset, "paper") == 0) return KELVIN_OK;
    return kelvin_config_blame(
        c, "preset", kelvin_fail(KELVIN_EUSAGE, "preset is \"%s\"; expected auto or paper", c->source.preset));
}

static kelvin_status resolve(struct kelvin_config_record *record, const kelvin_sampler_type **type,
                             const kelvin_config *config)
{
    *record = (struct kelvin_config_record){.version = KELVIN_VERSION};
    KELVIN_TRY(find_sampler(type, config));
    KELVIN_TRY(kelvin_run_defaults(&record->config, (*type)->member.name));
    if (config->file) KELVIN_TRY(kelvin_config_take(record, config->file, config->path, *type));
    KELVIN_TRY(take_set(record, config, *type));
    return check_preset(&record->config);
}

/* ---- what is open ---- */

struct sayer {
    const kelvin_config *config;
    const kelvin_sampler_type *type;
    bool rest; /* nothing is open but what was set to auto */
};

/* Whether a field stays as it is. Those that the sampler does not have are nobody's. */
static bool stays(const void *context, const char *name)
{
    const struct sayer *s = context;
    struct kelvin_field fields[KELVIN_CONFIG_FIELDS];
    if (!kelvin_config_find_field(fields, s->type, name) || is_set(s->config, name)) return true;
    if (*find(s->config, name)) return false;
    return s->rest || (s->config->file && kelvin_record_has(s->config->file, name));
}

static struct sayer sayer_of(const kelvin_config *config, const kelvin_sampler_type *type, const kelvin_run_config *c)
{
    const bool paper = c->source.preset && strcmp(c->source.preset, "paper") == 0;
    const bool of_a_run = config->file && kelvin_record_has(config->file, "kelvin");
    return (struct sayer){config, type, paper || of_a_run};
}

static bool leaves_open(const struct sayer *sayer)
{
    for (size_t i = 0; kelvin_choosable(i); i++)
        if (!stays(sayer, kelvin_choosable(i))) return true;
    return false;
}

bool kelvin_config_is_open(const kelvin_config *config)
{
    struct kelvin_config_record record;
    const kelvin_sampler_type *type;
    if (!config || resolve(&record, &type, config)) return false;
    const struct sayer sayer = sayer_of(config, type, &record.config);
    return leaves_open(&sayer);
}

const char *kelvin_config_chosen(const kelvin_config *config)
{
    return config ? config->chosen : NULL;
}

/* Whatever can be seen to be wrong before the data are read is seen then. */
static kelvin_status choose(struct kelvin_choice *choice, kelvin_data **own, const kelvin_run_config *c,
                            struct kelvin_chooser *how, const kelvin_sampler_type *type)
{
    KELVIN_TRY(kelvin_config_names(c, type, !how->data));
    KELVIN_TRY(kelvin_config_ranges(c, type));
    if (!how->data) {
        KELVIN_TRY(kelvin_config_blame(c, "data", kelvin_data_open(own, c->data)));
        how->data = *own;
    }
    return kelvin_choose(choice, c, how);
}

kelvin_status kelvin_config_complete(struct kelvin_choice *choice, kelvin_data **own, const kelvin_config *config,
                                     const kelvin_data *data, size_t threads, kelvin_choose_watch *watch, void *context)
{
    struct kelvin_config_record record;
    const kelvin_sampler_type *type;
    *own = NULL;
    KELVIN_TRY(resolve(&record, &type, config));
    const struct sayer sayer = sayer_of(config, type, &record.config);
    struct kelvin_chooser how = {data, stays, &sayer, threads ? threads : kelvin_cpu_count(), watch, context};
    *choice = (struct kelvin_choice){.config = record.config};
    if (!leaves_open(&sayer)) return KELVIN_OK;
    const kelvin_status status = choose(choice, own, &record.config, &how, type);
    if (!status) return KELVIN_OK;
    kelvin_data_close(*own);
    *own = NULL;
    return status;
}

/* What was open is set, as if someone had. */
static kelvin_status keep_choice(kelvin_config *config, const struct kelvin_choice *choice)
{
    const struct kelvin_config_record record = {.config = choice->config};
    const kelvin_sampler_type *type;
    KELVIN_TRY(kelvin_sampler_find(&type, choice->config.sampler));
    const struct sayer sayer = sayer_of(config, type, &choice->config);
    bool open[KELVIN_CONFIG_FIELDS];
    for (size_t i = 0; kelvin_choosable(i); i++) open[i] = !stays(&sayer, kelvin_choosable(i));
    for (size_t i = 0; kelvin_choosable(i); i++) {
        char text[KELVIN_RAW];
        if (!open[i]) continue;
        KELVIN_TRY(kelvin_config_print(text, sizeof text, &record, type, kelvin_choosable(i)));
        KELVIN_TRY(kelvin_config_set(config, kelvin_choosable(i), text));
    }
    kelvin_free(config->chosen);
    config->chosen = kelvin_strdup(choice->said);
    return config->chosen ? KELVIN_OK : KELVIN_ENOMEM;
}

kelvin_status kelvin_config_choose(kelvin_config *config, const kelvin_data *data, size_t threads,
                                   kelvin_choose_watch *watch, void *context)
{
    KELVIN_NEEDS(config);
    kelvin_data *own;
    struct kelvin_choice choice;
    KELVIN_TRY(kelvin_config_complete(&choice, &own, config, data, threads, watch, context));
    const kelvin_status status = *choice.said ? keep_choice(config, &choice) : KELVIN_OK;
    kelvin_data_close(own);
    return status;
}

/* ---- asking ---- */

kelvin_status kelvin_config_resolve(kelvin_run_config *resolved, const kelvin_config *config)
{
    struct kelvin_config_record record;
    const kelvin_sampler_type *type;
    KELVIN_TRY(resolve(&record, &type, config));
    *resolved = record.config;
    return KELVIN_OK;
}

kelvin_status kelvin_config_print(char *out, size_t size, const struct kelvin_config_record *record,
                                  const kelvin_sampler_type *type, const char *name)
{
    struct kelvin_field fields[KELVIN_CONFIG_FIELDS];
    const struct kelvin_field *field = kelvin_config_find_field(fields, type, name);
    if (!field) return not_for(name, type);
    const size_t length = kelvin_field_print(out, size, field, record);
    if (length < size) return KELVIN_OK;
    return kelvin_fail(KELVIN_EUSAGE, "the value of " KELVIN_FIELD " has %zu bytes, and there is room for %zu", name,
                       length + 1, size);
}

static kelvin_status print_auto(char *out, size_t size)
{
    if ((size_t)snprintf(out, size, "%s", KELVIN_AUTO) < size) return KELVIN_OK;
    return kelvin_fail(KELVIN_EUSAGE, "the value \"" KELVIN_AUTO "\" does not fit into %zu bytes", size);
}

kelvin_status kelvin_config_get(const kelvin_config *config, const char *field, char *out, size_t size)
{
    KELVIN_NEEDS(config);
    KELVIN_NEEDS(field);
    KELVIN_NEEDS(out);
    struct kelvin_config_record record;
    const kelvin_sampler_type *type;
    KELVIN_TRY(resolve(&record, &type, config));
    const struct sayer sayer = sayer_of(config, type, &record.config);
    const bool open = kelvin_is_choosable(field) && !stays(&sayer, field);
    return open ? print_auto(out, size) : kelvin_config_print(out, size, &record, type, field);
}
