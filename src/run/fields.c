/* The table of fields, in the order in which run.json has them. */
#include "run/fields.h"

#include "base/texts.h"
#include "base/words.h"
#include "data/data.h"
#include "nn/build.h"
#include "run/room.h"
#include "sampler/sampler.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

struct row {
    struct kelvin_field field; /* of struct kelvin_config_record; without a name: the sampler's settings come here */
    enum kelvin_whose whose;
    kelvin_setting range;             /* of numbers; without a name: anything */
    const char *value, *about, *rule; /* for people; without a value: not for them */
    const kelvin_family *family;      /* that its values are members of; NULL: none */
};

#define EVERY    KELVIN_OF_EVERY
#define BATCHES  KELVIN_OF_BATCHES
#define ALL_DATA KELVIN_OF_ALL_DATA

#define FIELD(member, kind)                                                                                            \
    {                                                                                                                  \
#member, &kelvin_field_##kind, offsetof(kelvin_run_config, member)                                             \
    }
#define COUNT(name, highest)                                                                                           \
    {                                                                                                                  \
        name, NULL, NULL, 0, 1, highest, .whole = true                                                                 \
    }
#define REAL(name, ...)                                                                                                \
    {                                                                                                                  \
        name, NULL, NULL, 0, 0, INFINITY, __VA_ARGS__                                                                  \
    }

#define SAY(what, sentence) .value = what, .about = sentence

static const struct row rows[] = {
    {{"kelvin", &kelvin_field_text, offsetof(struct kelvin_config_record, version)}, .whose = EVERY},
    {{"preset", &kelvin_field_maybe, offsetof(kelvin_run_config, source.preset)},
     EVERY,
     SAY("PRESET", "where unsaid settings come from: auto, the data; paper, the paper"),
     .rule = "auto"},
    {FIELD(sampler, text), EVERY, SAY("SAMPLER", "how to draw"), .family = &kelvin_sampler_family},
    {FIELD(data, text), EVERY, SAY("DATA", "data set: a name, FILE.csv, or csv:FILE and the like"),
     .family = &kelvin_data_family},
    {{"data_crc32", &kelvin_field_maybe, offsetof(kelvin_run_config, source.data_crc32)}, .whose = EVERY},
    {FIELD(model, text), EVERY, SAY("MODEL", "network: mlp:UNITS,UNITS, or for images cnn, resnet20"),
     .family = &kelvin_model_family},
    {FIELD(density, text), EVERY, SAY("DENSITY", "log-density of predictions, as name:value,value"),
     .family = &kelvin_density_family},
    {FIELD(prior, text), EVERY, SAY("PRIOR", "prior of parameters, as name:value, or none"),
     .family = &kelvin_prior_family},
    {FIELD(seed, seed), EVERY, SAY("N", "seed: same seed, same bits")},
    {FIELD(chains, count), EVERY, COUNT("chains", KELVIN_MOST_CHAINS), SAY("N", "number of chains")},
    {FIELD(iterations, count), ALL_DATA, COUNT("iterations", INFINITY),
     SAY("N", "iterations per chain, each of which is a draw")},
    {FIELD(warmup, count), ALL_DATA, SAY("N", "iterations that are kept, but left out of every answer"),
     .rule = "30 % of the iterations"},
    {FIELD(temperature, real), EVERY, REAL("temperature", .above = false), SAY("T", "sample exp(log-posterior / T)")},
    {FIELD(samples, count), BATCHES, COUNT("samples", INFINITY),
     SAY("N", "samples of all chains together; these or the chains alone say both"), .rule = "as many as chains"},
    {FIELD(epochs, count), BATCHES, COUNT("epochs", INFINITY), SAY("N", "how often a chain sees all the data")},
    {FIELD(batch, count), BATCHES, SAY("N", "observations per step"), .rule = "125, or all if there are fewer"},
    {.whose = EVERY},
    {FIELD(scale, text), ALL_DATA, SAY("S,S,...", "scales of tensors, in which their parameters are sampled")},
    {FIELD(schedule, text), BATCHES, SAY("SCHEDULE", "how the size of steps and the temperature change"),
     .family = &kelvin_schedule_family},
    {FIELD(temperature_schedule, text), BATCHES, SAY("SCHEDULE", "another one for the temperature"),
     .rule = "that of the size of steps", .family = &kelvin_schedule_family},
    {FIELD(augment, text), BATCHES, SAY("AUGMENTATION", "what an epoch does to images"),
     .family = &kelvin_augment_family},
    {FIELD(init, text), EVERY,
     SAY("RUN[/I]|FILE", "start from the samples of a run, or all chains from its I-th, or from a .safetensors FILE")},
    {{"init_crc32", &kelvin_field_maybe, offsetof(kelvin_run_config, source.init_crc32)}, .whose = EVERY},
    {FIELD(logit_limit, real), EVERY, REAL("logit_limit", .above = true),
     SAY("R", "a chain has diverged when the logits of one observation are farther apart")},
};
enum { ROWS = sizeof rows / sizeof *rows };
_Static_assert(ROWS + KELVIN_SETTINGS <= KELVIN_CONFIG_FIELDS, "all of them fit");

bool kelvin_config_doc(struct kelvin_field_doc *doc, size_t i)
{
    for (const struct row *row = rows; row < rows + ROWS; row++)
        if (row->value && i-- == 0) {
            *doc = (struct kelvin_field_doc){&row->field, row->whose, row->value, row->about, row->rule, row->family};
            return true;
        }
    return false;
}

static bool counts(const struct row *row, const kelvin_sampler_type *type)
{
    return row->whose == EVERY || (row->whose == BATCHES) == type->batches;
}

size_t kelvin_config_fields_of(struct kelvin_field fields[KELVIN_CONFIG_FIELDS], const kelvin_sampler_type *type)
{
    const size_t settings = offsetof(kelvin_run_config, setting);
    size_t n = 0;
    for (const struct row *row = rows; row < rows + ROWS; row++) {
        if (row->field.name && counts(row, type)) fields[n++] = row->field;
        for (size_t i = 0; !row->field.name && i < kelvin_count_settings(type); i++)
            fields[n++] = (struct kelvin_field){type->setting[i].name,
                                                type->setting[i].whole ? &kelvin_field_whole : &kelvin_field_real,
                                                settings + i * sizeof(double)};
    }
    return n;
}

const char **kelvin_config_text(kelvin_run_config *config, const struct kelvin_field *field)
{
    const bool text = field->kind == &kelvin_field_text && field->offset < sizeof *config;
    return text ? (const char **)(void *)((char *)config + field->offset) : NULL;
}

const struct kelvin_field *kelvin_config_find_field(struct kelvin_field fields[KELVIN_CONFIG_FIELDS],
                                                    const kelvin_sampler_type *type, const char *name)
{
    for (size_t i = 0, n = kelvin_config_fields_of(fields, type); i < n; i++)
        if (strcmp(fields[i].name, name) == 0) return &fields[i];
    return NULL;
}

void kelvin_config_samplers(char out[KELVIN_SAMPLER_NAMES], const char *field)
{
    const kelvin_sampler_type *type;
    struct kelvin_field fields[KELVIN_CONFIG_FIELDS];
    *out = '\0';
    for (size_t i = 0; (type = kelvin_sampler_info(i)); i++)
        if (kelvin_config_find_field(fields, type, field))
            kelvin_append_name(out, KELVIN_SAMPLER_NAMES, type->member.name);
}

/* ---- what values may be ---- */

kelvin_status kelvin_config_names(const kelvin_run_config *config, const kelvin_sampler_type *type, bool data)
{
    for (const struct row *row = rows; row < rows + ROWS; row++) {
        const kelvin_member *member;
        if (!row->family || !counts(row, type) || (!data && row->family == &kelvin_data_family)) continue;
        const char *text = *kelvin_config_text((kelvin_run_config *)config, &row->field);
        const kelvin_status status = row->family == &kelvin_data_family
                                         ? kelvin_data_check_name(text)
                                         : kelvin_family_find(&member, row->family, text);
        KELVIN_TRY(kelvin_config_blame(config, row->field.name, status));
    }
    return KELVIN_OK;
}

double kelvin_config_number(const kelvin_run_config *config, const struct kelvin_field *field)
{
    const void *at = (const char *)config + field->offset;
    if (field->offset >= sizeof *config || field->kind == &kelvin_field_text || field->kind == &kelvin_field_maybe)
        return NAN;
    if (field->kind == &kelvin_field_seed) return (double)*(const uint64_t *)at;
    return field->kind == &kelvin_field_count ? *(const uint32_t *)at : *(const double *)at;
}

kelvin_status kelvin_config_ranges(const kelvin_run_config *config, const kelvin_sampler_type *type)
{
    for (const struct row *row = rows; row < rows + ROWS; row++)
        if (row->range.name && counts(row, type))
            KELVIN_TRY(kelvin_config_blame(
                config, row->field.name, kelvin_setting_check(&row->range, kelvin_config_number(config, &row->field))));
    for (size_t i = 0; i < kelvin_count_settings(type); i++)
        KELVIN_TRY(kelvin_config_blame(config, type->setting[i].name,
                                       kelvin_setting_check(&type->setting[i], config->setting[i])));
    return KELVIN_OK;
}

kelvin_status kelvin_run_set(kelvin_run_config *config, const char *name, double value)
{
    const kelvin_sampler_type *type;
    KELVIN_TRY(kelvin_sampler_find(&type, config->sampler));
    for (size_t i = 0; i < kelvin_count_settings(type); i++)
        if (strcmp(type->setting[i].name, name) == 0) {
            config->setting[i] = value;
            return KELVIN_OK;
        }
    return kelvin_fail(KELVIN_EUSAGE, "the sampler %s has no setting \"%s\"", type->member.name, name);
}

/* ---- where fields come from ---- */

_Static_assert(KELVIN_CONFIG_FIELDS <= 64, "a bit for each field");

/* None, if the configuration's sampler has no such field. */
static uint64_t bit_of(const kelvin_run_config *config, const char *name)
{
    const kelvin_sampler_type *type;
    struct kelvin_field fields[KELVIN_CONFIG_FIELDS];
    if (kelvin_sampler_find(&type, config->sampler)) return 0;
    const struct kelvin_field *field = kelvin_config_find_field(fields, type, name);
    return field ? UINT64_C(1) << (field - fields) : 0;
}

bool kelvin_config_overruled(const kelvin_run_config *config, const char *field)
{
    return config->source.overruled & bit_of(config, field);
}

void kelvin_config_overrule(kelvin_run_config *config, const char *field, bool overruled)
{
    const uint64_t bit = bit_of(config, field);
    config->source.overruled = overruled ? config->source.overruled | bit : config->source.overruled & ~bit;
}

const char *kelvin_config_origin(const kelvin_run_config *config, const char *field)
{
    return config->source.path && !kelvin_config_overruled(config, field) ? config->source.path : field;
}

kelvin_status kelvin_config_blame(const kelvin_run_config *config, const char *field, kelvin_status status)
{
    if (status != KELVIN_EUSAGE) return status;
    if (!config->source.path || kelvin_config_overruled(config, field))
        return kelvin_fail(status, KELVIN_BLAME KELVIN_SAID, field, kelvin_error_raw());
    return kelvin_fail(KELVIN_EFORMAT, KELVIN_BLAME "%s: " KELVIN_SAID, field, config->source.path, kelvin_error_raw());
}

/* ---- fields that follow others ---- */

static bool follows(kelvin_run_config *config, const char *unsaid, const char *it, kelvin_config_said *said,
                    const void *context)
{
    if (!said(context, it) || said(context, unsaid)) return false;
    kelvin_config_overrule(config, unsaid, kelvin_config_overruled(config, it));
    return true;
}

static uint32_t usual_warmup(uint32_t iterations)
{
    return (uint32_t)((uint64_t)iterations * 3 / 10);
}

void kelvin_config_follow(kelvin_run_config *c, kelvin_config_said *said, const void *context)
{
    if (follows(c, "samples", "chains", said, context)) c->samples = c->chains;
    if (follows(c, "chains", "samples", said, context)) c->chains = c->samples;
    if (follows(c, "temperature_schedule", "schedule", said, context)) c->temperature_schedule = c->schedule;
    if (follows(c, "warmup", "iterations", said, context)) c->warmup = usual_warmup(c->iterations);
}

/* ---- defaults ---- */

kelvin_status kelvin_run_defaults(kelvin_run_config *config, const char *sampler)
{
    const kelvin_sampler_type *type;
    *config = (kelvin_run_config){0};
    KELVIN_TRY(kelvin_sampler_find(&type, sampler));
    const kelvin_usual_run *usual = &type->usual;
    *config = (kelvin_run_config){
        .sampler = type->member.name,
        .data = usual->data,
        .model = usual->model,
        .density = usual->density,
        .prior = usual->prior,
        .chains = usual->chains,
        .temperature = 1,
        .init = "none",
        .logit_limit = 1e5, /* DirClip(-50) makes some of 5,000 and comes back */
        .samples = usual->chains,
        .epochs = usual->rows,
        .schedule = "paper",
        .temperature_schedule = "paper",
        .augment = "none",
        .scale = "none",
        .iterations = usual->rows,
        .warmup = usual_warmup(usual->rows),
    };
    for (size_t i = 0; i < kelvin_count_settings(type); i++) config->setting[i] = type->setting[i].usual;
    return KELVIN_OK;
}
