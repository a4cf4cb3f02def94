/* kelvin_config: what someone has said of a run, field by field, and a file. What they come to is found when it is
 * asked for, since the sampler, which says what fields there are, may be said last. */
#include "base/needs.h"
#include "base/words.h"
#include "files/files.h"
#include "run/fields.h"
#include "run/room.h"

#include <stdio.h>
#include <string.h>

/* What was set, each field once. */
struct said {
    char *field, *text;
    struct said *next;
};

struct kelvin_config {
    struct said *set;
    char *path; /* of the file; NULL: there is none */
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
    kelvin_free(config);
}

/* Where what was set of a field is, or would be. */
static struct said **find(const kelvin_config *config, const char *field)
{
    struct said **at = (struct said **)&config->set;
    while (*at && strcmp((*at)->field, field) != 0) at = &(*at)->next;
    return at;
}

static bool is_set(const void *config, const char *field)
{
    return *find(config, field);
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

static kelvin_status resolve(struct kelvin_config_record *record, const kelvin_sampler_type **type,
                             const kelvin_config *config)
{
    *record = (struct kelvin_config_record){.version = KELVIN_VERSION};
    KELVIN_TRY(find_sampler(type, config));
    KELVIN_TRY(kelvin_run_defaults(&record->config, (*type)->member.name));
    if (config->file) KELVIN_TRY(kelvin_config_take(record, config->file, config->path, *type));
    return take_set(record, config, *type);
}

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

kelvin_status kelvin_config_get(const kelvin_config *config, const char *field, char *out, size_t size)
{
    KELVIN_NEEDS(config);
    KELVIN_NEEDS(field);
    KELVIN_NEEDS(out);
    struct kelvin_config_record record;
    const kelvin_sampler_type *type;
    KELVIN_TRY(resolve(&record, &type, config));
    return kelvin_config_print(out, size, &record, type, field);
}
