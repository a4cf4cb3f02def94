/* Fields as people are told of them: by help texts, manual pages, completion and other programs. */
#include "base/suggest.h"
#include "base/texts.h"
#include "run/choose.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 96, TEXT = 160 };

/* What is listed: made once, when someone asks first. */
static struct entry {
    kelvin_field_info info;
    char usual[TEXT], about[TEXT], samplers[KELVIN_SAMPLER_NAMES];
    enum kelvin_whose whose;
    const kelvin_sampler_type *only; /* a setting of this one; NULL: a field of all of a kind */
} entries[MOST];
static size_t n_entries;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static bool is_for(const struct entry *entry, const kelvin_sampler_type *type)
{
    if (entry->only) return entry->only == type;
    return entry->whose == KELVIN_OF_EVERY || (entry->whose == KELVIN_OF_BATCHES) == type->batches;
}

/* "500", or "500, by NAME 2000" where samplers of a kind differ. Of the fields of all of them it is what the first has:
 * it would be too much to say. */
static void say_usual(struct entry *entry, const struct kelvin_field *field)
{
    const kelvin_sampler_type *type;
    char first[TEXT] = "";
    for (size_t i = 0; (type = kelvin_sampler_info(i)); i++) {
        struct kelvin_config_record record = {0};
        char value[TEXT];
        if (!is_for(entry, type) || kelvin_run_defaults(&record.config, type->member.name)) continue;
        kelvin_field_print(value, sizeof value, field, &record);
        if (!*entry->usual) {
            memcpy(first, value, sizeof first);
            kelvin_append(entry->usual, TEXT, "%s", value);
        } else if (entry->whose != KELVIN_OF_EVERY && strcmp(value, first) != 0) {
            kelvin_append(entry->usual, TEXT, ", by %s %s", type->member.name, value);
        }
    }
}

static kelvin_value_kind kind_of(const struct kelvin_field *field)
{
    if (field->kind == &kelvin_field_text || field->kind == &kelvin_field_maybe) return KELVIN_VALUE_TEXT;
    return field->kind == &kelvin_field_real ? KELVIN_VALUE_REAL : KELVIN_VALUE_WHOLE;
}

/* What does not fit is not listed: samplers would have to become many. */
static struct entry *add(enum kelvin_whose whose, const kelvin_sampler_type *only, const char *name)
{
    if (n_entries == MOST) return NULL;
    struct entry *entry = &entries[n_entries++];
    *entry = (struct entry){.whose = whose, .only = only, .info.name = name};
    if (only)
        snprintf(entry->samplers, sizeof entry->samplers, "%s", only->member.name);
    else
        kelvin_config_samplers(entry->samplers, name);
    if (only || whose != KELVIN_OF_EVERY) entry->info.samplers = entry->samplers;
    entry->info.usual = entry->usual;
    entry->info.about = entry->about;
    return entry;
}

static void add_field(const struct kelvin_field_doc *doc)
{
    struct entry *entry = add(doc->whose, NULL, doc->field->name);
    if (!entry) return;
    entry->info.value = doc->value;
    entry->info.family = doc->family ? kelvin_family_key(doc->family) : NULL;
    entry->info.kind = kind_of(doc->field);
    entry->info.rule = doc->rule && !kelvin_is_choosable(doc->field->name);
    snprintf(entry->about, sizeof entry->about, "%s", doc->about);
    if (kelvin_is_choosable(doc->field->name))
        snprintf(entry->usual, sizeof entry->usual, "%s", KELVIN_AUTO);
    else if (doc->rule)
        snprintf(entry->usual, sizeof entry->usual, "%s", doc->rule);
    else
        say_usual(entry, doc->field);
}

static void add_setting(const kelvin_sampler_type *type, const kelvin_setting *setting)
{
    struct entry *entry = add(type->batches ? KELVIN_OF_BATCHES : KELVIN_OF_ALL_DATA, type, setting->name);
    if (!entry) return;
    entry->info.value = setting->value;
    entry->info.kind = setting->whole ? KELVIN_VALUE_WHOLE : KELVIN_VALUE_REAL;
    if (kelvin_is_choosable(setting->name))
        snprintf(entry->usual, sizeof entry->usual, "%s", KELVIN_AUTO);
    else
        snprintf(entry->usual, sizeof entry->usual, "%.10g", setting->usual);
    snprintf(entry->about, sizeof entry->about, "%s%s%s", setting->about, setting->zero ? "; 0: " : "",
             setting->zero ? setting->zero : "");
}

/* Those of every run; then, for each kind of sampler, those of all of the kind, and the settings of each. */
static void list(void)
{
    static const enum kelvin_whose kinds[] = {KELVIN_OF_EVERY, KELVIN_OF_BATCHES, KELVIN_OF_ALL_DATA};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        const kelvin_sampler_type *type;
        struct kelvin_field_doc doc;
        for (size_t i = 0; kelvin_config_doc(&doc, i); i++)
            if (doc.whose == kinds[k]) add_field(&doc);
        for (size_t i = 0; kinds[k] != KELVIN_OF_EVERY && (type = kelvin_sampler_info(i)); i++)
            for (size_t s = 0; type->batches == (kinds[k] == KELVIN_OF_BATCHES) && s < kelvin_count_settings(type); s++)
                add_setting(type, &type->setting[s]);
    }
}

const kelvin_field_info *kelvin_config_field_at(size_t i)
{
    pthread_once(&once, list);
    return i < n_entries ? &entries[i].info : NULL;
}

bool kelvin_field_is_for(const kelvin_field_info *field, const char *sampler)
{
    for (size_t i = 0; i < n_entries; i++) {
        const kelvin_sampler_type *type;
        if (&entries[i].info != field) continue;
        for (size_t k = 0; (type = kelvin_sampler_info(k)); k++)
            if (strcmp(type->member.name, sampler) == 0) return is_for(&entries[i], type);
    }
    return false;
}

static bool field_name(char name[KELVIN_NAME_SIZE], const void *context, size_t i)
{
    (void)context;
    const kelvin_field_info *field = kelvin_config_field_at(i);
    if (field) snprintf(name, KELVIN_NAME_SIZE, "%s", field->name);
    return field;
}

kelvin_status kelvin_config_unknown(const char *name)
{
    return kelvin_fail_unknown("field", name, field_name, NULL);
}
