/* The table of samplers. */
#include "base/texts.h"
#include "sampler/sampler.h"

#include <string.h>

/* The first one is taken where nobody says which. */
static const kelvin_sampler_type *const samplers[] = {
    &kelvin_sghmc,
    &kelvin_hmc,
    &kelvin_mclmc,
};
enum { SAMPLERS = sizeof samplers / sizeof *samplers };

const kelvin_sampler_type *kelvin_sampler_info(size_t i)
{
    return i < SAMPLERS ? samplers[i] : NULL;
}

kelvin_status kelvin_sampler_find(const kelvin_sampler_type **type, const char *name)
{
    char known[128] = "";
    for (size_t i = 0; i < SAMPLERS; i++) {
        *type = samplers[i];
        if (name && strcmp(name, samplers[i]->name) == 0) return KELVIN_OK;
        kelvin_append_name(known, sizeof known, samplers[i]->name);
    }
    *type = NULL;
    return name ? kelvin_fail(KELVIN_EUSAGE, "sampler \"%s\" is not known; expected %s", name, known)
                : kelvin_fail(KELVIN_EUSAGE, "no sampler is given; expected %s", known);
}
