/* The list of all families: what `kelvin info`, the manual, completion and checks of options go through. */
#include "data/data.h"
#include "density/density.h"
#include "export/sheet.h"
#include "figures/figure.h"
#include "nn/build.h"
#include "posterior/metric.h"
#include "sampler/sampler.h"

#include <string.h>

static const kelvin_family *const families[] = {
    &kelvin_sampler_family, &kelvin_schedule_family, &kelvin_model_family,   &kelvin_density_family,
    &kelvin_prior_family,   &kelvin_data_family,     &kelvin_augment_family, &kelvin_metric_family,
    &kelvin_export_family,  &kelvin_figure_family,
};
enum { FAMILIES = sizeof families / sizeof *families };

size_t kelvin_families(void)
{
    return FAMILIES;
}

const kelvin_family *kelvin_family_at(size_t i)
{
    return i < FAMILIES ? families[i] : NULL;
}

const kelvin_family *kelvin_family_of(const char *key)
{
    for (size_t i = 0; i < FAMILIES; i++)
        if (strcmp(families[i]->key, key) == 0) return families[i];
    return NULL;
}
