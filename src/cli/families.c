/* Every family tells about its members in its own way; here they all look the same. */
#include "cli/families.h"

#include "base/texts.h"
#include "figures/figure.h"

#include <kelvin/data.h>
#include <kelvin/density.h>
#include <kelvin/export.h>
#include <kelvin/nn.h>
#include <kelvin/posterior.h>
#include <kelvin/run.h>

#include <stdio.h>
#include <string.h>

/* `usage` is the name, or the name with a colon and what may follow. */
static bool plain(struct member *member, const char *usage, const char *about)
{
    member->about = about;
    snprintf(member->name, sizeof member->name, "%.*s", (int)strcspn(usage, ":"), usage);
    snprintf(member->usage, sizeof member->usage, "%s", usage);
    return true;
}

static bool with_parameters(struct member *member, const kelvin_member_info *info)
{
    if (!info) return false;
    plain(member, info->name, info->formula);
    for (size_t i = 0; i < KELVIN_MAX_PARAMS && info->param[i]; i++)
        kelvin_append(member->usage, sizeof member->usage, "%c%s", i ? ',' : ':', info->param[i]);
    return true;
}

static bool sampler(struct member *member, size_t i)
{
    const kelvin_sampler_type *type = kelvin_sampler_info(i);
    return type && plain(member, type->name, type->about);
}

static bool schedule(struct member *member, size_t i)
{
    const kelvin_schedule *s = kelvin_schedule_info(i);
    return s && plain(member, s->name, s->about);
}

static bool density(struct member *member, size_t i)
{
    return with_parameters(member, kelvin_density_info(i));
}

static bool prior(struct member *member, size_t i)
{
    if (i == 0) return plain(member, "none", "0: a flat prior");
    return with_parameters(member, kelvin_prior_info(i - 1));
}

static bool metric(struct member *member, size_t i)
{
    const kelvin_metric_info *info = kelvin_metric_at(i);
    return info && plain(member, info->name, info->title);
}

static bool format(struct member *member, size_t i)
{
    const char *name, *suffix, *about;
    return kelvin_export_info(i, &name, &suffix, &about) && plain(member, name, about);
}

static bool figure(struct member *member, size_t i)
{
    return kelvin_figures[i] && plain(member, kelvin_figures[i]->name, kelvin_figures[i]->about);
}

const struct family families[FAMILY_COUNT] = {
    [SAMPLERS] = {"samplers", "sampler", "samplers", NULL, .member = sampler},
    [SCHEDULES] = {"schedules", "schedule", "schedules",
                   "of samplers that look at batches: what step size and temperature are multiplied with",
                   .member = schedule},
    [MODELS] = {"models", "model", "models", NULL, .info = kelvin_model_info},
    [DENSITIES] = {"densities", "density", "densities",
                   "of one observation: z = logits, l = logsoftmax(z), y = label; those without y: plus l_y",
                   .member = density},
    [PRIORS] = {"priors", "prior", "priors", "summed over all parameters theta", .member = prior},
    [DATA_SETS] = {"data sets", "data set", "data_sets", NULL, .info = kelvin_data_info},
    [AUGMENTATIONS] = {"augmentations", "augmentation", "augmentations", "of training images",
                       .info = kelvin_augment_info},
    [METRICS] = {"metrics", "metric", "metrics", "of kelvin eval, as its JSON and CSV name them", .member = metric},
    [FORMATS] = {"formats", "format", "formats", "of kelvin export", .member = format},
    [FIGURES] = {"figures", "figure", "figures", NULL, .member = figure},
};

bool family_member(struct member *member, const struct family *family, size_t i)
{
    const char *usage, *about;
    if (family->member) return family->member(member, i);
    return family->info(i, &usage, &about) && plain(member, usage, about);
}

static bool member_name(char name[KELVIN_NAME_SIZE], const void *context, size_t i)
{
    const struct family *family = context;
    struct member member;
    const bool there = family_member(&member, family, i);
    if (there) memcpy(name, member.name, KELVIN_NAME_SIZE);
    return there;
}

/* A last N in a known name stands for a number: resnetN. */
static bool is_called(const char *name, const char *known)
{
    const size_t n = strlen(known);
    if (n == 0 || known[n - 1] != 'N') return strcmp(known, name) == 0;
    return strncmp(known, name, n - 1) == 0 && strspn(name + n - 1, "0123456789") == strlen(name) - (n - 1);
}

kelvin_status family_check(enum family_id id, const char *text)
{
    char name[KELVIN_NAME_SIZE], known[KELVIN_NAME_SIZE];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
    for (size_t i = 0; member_name(known, &families[id], i); i++)
        if (is_called(name, known)) return KELVIN_OK;
    return kelvin_fail_unknown(families[id].what, name, member_name, &families[id]);
}
