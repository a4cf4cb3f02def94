/* Takes the name of a data set apart. */
#include "data/spec.h"

#include "data/data.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const double default_split = 0.2;

/* The next field: up to a comma that has no backslash before it. Backslashes before commas are taken out. */
static char *next_field(char **rest)
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

static bool is_key(const struct data_type *type, const char *name)
{
    for (size_t i = 0; i < DATA_KEYS && type->keys[i]; i++)
        if (strcmp(type->keys[i], name) == 0) return true;
    return type->splits && (strcmp(name, "split") == 0 || strcmp(name, "seed") == 0);
}

static kelvin_status take_field(struct data_spec *spec, char *field, const char *text)
{
    const struct data_type *type = spec->type;
    char *equals = strchr(field, '=');
    if (equals) *equals = '\0';
    if (equals && is_key(type, field)) {
        if (data_spec_value(spec, field) || spec->n_keys == DATA_KEYS)
            return kelvin_fail(KELVIN_EUSAGE, "data '%s': %s is given twice", text, field);
        if (!equals[1]) return kelvin_fail(KELVIN_EUSAGE, "data '%s': the value of %s is missing", text, field);
        spec->keys[spec->n_keys] = field;
        spec->values[spec->n_keys++] = equals + 1;
        return KELVIN_OK;
    }
    if (equals) *equals = '=';
    if (spec->n_files == DATA_FILES || !type->files[spec->n_files])
        return kelvin_fail(KELVIN_EUSAGE, "data '%s': '%s' is one too many; expected %s", text, field, type->usage);
    if (!*field)
        return kelvin_fail(KELVIN_EUSAGE, "data '%s': %s is missing; expected %s", text, type->files[spec->n_files],
                           type->usage);
    spec->files[spec->n_files++] = field;
    return KELVIN_OK;
}

static kelvin_status read_split(struct data_spec *spec, const char *text)
{
    const char *split = data_spec_value(spec, "split"), *seed = data_spec_value(spec, "seed");
    char *end = NULL;
    spec->split = split ? strtod(split, &end) : default_split;
    if (split && (end == split || *end || !(spec->split >= 0 && spec->split < 1)))
        return kelvin_fail(KELVIN_EUSAGE, "data '%s': split is '%s'; expected a share from 0 to below 1", text, split);
    errno = 0;
    spec->seed = seed ? strtoull(seed, &end, 10) : 0;
    if (seed && (*seed < '0' || *seed > '9' || *end || errno))
        return kelvin_fail(KELVIN_EUSAGE, "data '%s': seed is '%s'; expected a whole number from 0 to 2^64 - 1", text,
                           seed);
    return KELVIN_OK;
}

kelvin_status data_spec_parse(struct data_spec *spec, const struct data_type *type, const char *text)
{
    *spec = (struct data_spec){.type = type, .text = kelvin_strdup(text)};
    if (!spec->text) return KELVIN_ENOMEM;
    char *rest = strchr(spec->text, ':');
    if (rest) rest++;
    while (rest) KELVIN_TRY(take_field(spec, next_field(&rest), text));
    if (type->files[spec->n_files])
        return kelvin_fail(KELVIN_EUSAGE, "data '%s': %s is missing; expected %s", text, type->files[spec->n_files],
                           type->usage);
    return read_split(spec, text);
}

void data_spec_free(struct data_spec *spec)
{
    kelvin_free(spec->text);
}

const char *data_spec_value(const struct data_spec *spec, const char *key)
{
    for (size_t i = 0; i < spec->n_keys; i++)
        if (strcmp(spec->keys[i], key) == 0) return spec->values[i];
    return NULL;
}

kelvin_status data_spec_no_split(const struct data_spec *spec, const char *because)
{
    static const char *const refused[] = {"split", "seed"};
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++)
        if (data_spec_value(spec, refused[i]))
            return kelvin_fail(KELVIN_EUSAGE, "data '%s': %s is given together with %s; expected one of the two",
                               spec->files[0], refused[i], because);
    return KELVIN_OK;
}
