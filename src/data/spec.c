/* Takes the name of a data set apart. */
#include "data/spec.h"
#include "base/texts.h"

#include "data/data.h"
#include "files/text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const double kelvin_data_usual_split = 0.2;

char *kelvin_data_next_field(char **rest)
{
    char *field = *rest, *to = field, *from = field;
    while (*from && *from != ',') {
        if (from[0] == '\\' && from[1] == ',') from++;
        *to++ = *from++;
    }
    *rest = *from ? from + 1 : NULL;
    *to = '\0';
    return field;
}

static bool is_in(const char *const *list, const char *name)
{
    for (; *list; list++)
        if (strcmp(*list, name) == 0) return true;
    return false;
}

static bool is_key(const struct data_type *type, const char *name)
{
    return is_in(type->keys, name);
}

static bool is_list(const struct data_type *type, const char *name)
{
    return is_in(type->lists, name);
}

static kelvin_status take_key(struct data_spec *spec, const char *key, const char *value)
{
    if (spec->n_keys == DATA_VALUES)
        return kelvin_fail(KELVIN_EUSAGE, "data '%s': more than %d options", spec->name, DATA_VALUES);
    if (kelvin_data_spec_value(spec, key) && !is_list(spec->type, key))
        return kelvin_fail(KELVIN_EUSAGE, "data '%s': %s is given twice", spec->name, key);
    if (!*value) return kelvin_fail(KELVIN_EUSAGE, "data '%s': the value of %s is missing", spec->name, key);
    spec->keys[spec->n_keys] = key;
    spec->values[spec->n_keys++] = value;
    return KELVIN_OK;
}

static kelvin_status unknown_key(const struct data_spec *spec, const char *key, size_t length)
{
    char list[256] = "";
    const char *const *keys = spec->type->keys;
    for (size_t i = 0; keys[i]; i++) kelvin_append_name(list, sizeof list, keys[i]);
    return kelvin_fail(KELVIN_EUSAGE, "data '%s': unknown option '%.*s'; expected %s", spec->name, (int)length, key,
                       list);
}

/* A field after all files that is not one of the keys. */
static kelvin_status one_too_many(const struct data_spec *spec, const char *field, bool last)
{
    const char *equals = strchr(field, '=');
    if (equals && spec->type->keys[0]) return unknown_key(spec, field, (size_t)(equals - field));
    if (*field || field[-1] == ':')
        return kelvin_fail(KELVIN_EUSAGE, "data '%s': '%s' is one too many; expected %s", spec->name, field,
                           spec->type->member.usage);
    return kelvin_fail(KELVIN_EUSAGE, "data '%s': nothing %s; expected %s", spec->name,
                       last ? "follows the last comma" : "stands between two commas", spec->type->member.usage);
}

static kelvin_status missing_file(const struct data_spec *spec)
{
    return kelvin_fail(KELVIN_EUSAGE, "data '%s': %s is missing; expected %s", spec->name,
                       spec->type->files[spec->n_files], spec->type->member.usage);
}

static kelvin_status take_field(struct data_spec *spec, char *field, bool last)
{
    char *equals = strchr(field, '=');
    if (equals) {
        *equals = '\0';
        if (is_key(spec->type, field)) return take_key(spec, field, equals + 1);
        *equals = '=';
    }
    const char *last_key = spec->n_keys > 0 ? spec->keys[spec->n_keys - 1] : NULL;
    if (!equals && *field && last_key && is_list(spec->type, last_key)) return take_key(spec, last_key, field);
    if (spec->n_files == DATA_FILES || !spec->type->files[spec->n_files]) return one_too_many(spec, field, last);
    if (!*field) return missing_file(spec);
    spec->files[spec->n_files++] = field;
    return KELVIN_OK;
}

static kelvin_status read_split(struct data_spec *spec)
{
    const char *split = kelvin_data_spec_value(spec, "split"), *seed = kelvin_data_spec_value(spec, "seed");
    spec->splits = is_key(spec->type, "split");
    spec->split = kelvin_data_usual_split;
    if (split && (kelvin_text_number(&spec->split, split) != TEXT_NUMBER || spec->split < 0 || spec->split >= 1))
        return kelvin_fail(KELVIN_EUSAGE, "data '%s': split is '%s'; expected a share from 0 to below 1", spec->name,
                           split);
    char *end = NULL;
    errno = 0;
    spec->seed = seed ? strtoull(seed, &end, 10) : 0;
    if (seed && (*seed < '0' || *seed > '9' || *end || errno))
        return kelvin_fail(KELVIN_EUSAGE, "data '%s': seed is '%s'; expected a whole number from 0 to 2^64 - 1",
                           spec->name, seed);
    return KELVIN_OK;
}

static kelvin_status read_options(struct data_spec *spec)
{
    bool draw_in = true;
    KELVIN_TRY(kelvin_data_spec_yes(&draw_in, spec, "tails"));
    spec->keep_tails = !draw_in;
    return read_split(spec);
}

kelvin_status kelvin_data_spec_parse(struct data_spec *spec, const struct data_type *type, const char *text)
{
    *spec = (struct data_spec){.type = type, .name = text, .text = kelvin_strdup(text)};
    if (!spec->text) return KELVIN_ENOMEM;
    char *rest = strchr(spec->text, ':');
    if (rest) rest++;
    while (rest) {
        char *field = kelvin_data_next_field(&rest);
        KELVIN_TRY(take_field(spec, field, !rest));
    }
    size_t needed = 0;
    while (needed < DATA_FILES && type->files[needed]) needed++;
    return spec->n_files < needed - type->optional ? missing_file(spec) : read_options(spec);
}

void kelvin_data_spec_free(struct data_spec *spec)
{
    kelvin_free(spec->text);
}

const char *kelvin_data_spec_value(const struct data_spec *spec, const char *key)
{
    for (size_t i = 0; i < spec->n_keys; i++)
        if (strcmp(spec->keys[i], key) == 0) return spec->values[i];
    return NULL;
}

kelvin_status kelvin_data_spec_yes(bool *yes, const struct data_spec *spec, const char *key)
{
    const char *said = kelvin_data_spec_value(spec, key);
    if (!said) return KELVIN_OK;
    *yes = strcmp(said, "yes") == 0;
    if (*yes || strcmp(said, "no") == 0) return KELVIN_OK;
    return kelvin_fail(KELVIN_EUSAGE, "data '%s': %s is '%s'; expected yes or no", spec->name, key, said);
}

const char *kelvin_data_spec_next(const struct data_spec *spec, const char *key, size_t *i)
{
    while (*i < spec->n_keys && strcmp(spec->keys[*i], key) != 0) ++*i;
    return *i < spec->n_keys ? spec->values[(*i)++] : NULL;
}

kelvin_status kelvin_data_spec_no_split(const struct data_spec *spec, const char *because)
{
    const char *key = kelvin_data_spec_value(spec, "split") ? "split" : "seed";
    if (!kelvin_data_spec_value(spec, key)) return KELVIN_OK;
    return kelvin_fail(KELVIN_EUSAGE, "data '%s': %s is given together with %s; expected one of the two", spec->name,
                       key, because);
}

kelvin_status kelvin_data_spec_test_pair(const struct data_spec *spec, const char *first, const char *second)
{
    const bool one = kelvin_data_spec_value(spec, first), other = kelvin_data_spec_value(spec, second);
    if (one != other)
        return kelvin_fail(KELVIN_EUSAGE, "data '%s': %s is given without %s", spec->name, one ? first : second,
                           one ? second : first);
    return one ? kelvin_data_spec_no_split(spec, first) : KELVIN_OK;
}
