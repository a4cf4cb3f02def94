/* The table of samplers. */
#include "sampler/state.h"

/* One row each. The first one is taken where nobody says which. */
#define TABLE(ROW)                                                                                                     \
    ROW(sghmc)                                                                                                         \
    ROW(hmc)                                                                                                           \
    ROW(mclmc)

#define DECLARE(id) extern const kelvin_sampler_type kelvin_##id;
#define ADDRESS(id) &kelvin_##id,

TABLE(DECLARE)
static const kelvin_sampler_type *const samplers[] = {TABLE(ADDRESS)};
enum { SAMPLERS = sizeof samplers / sizeof *samplers };

const kelvin_sampler_type *kelvin_sampler_info(size_t i)
{
    return i < SAMPLERS ? samplers[i] : NULL;
}

static const kelvin_member *at(size_t i)
{
    return i < SAMPLERS ? &samplers[i]->member : NULL;
}

const kelvin_family kelvin_sampler_family = {"samplers", "sampler", "samplers", NULL, at};

kelvin_status kelvin_sampler_find(const kelvin_sampler_type **type, const char *name)
{
    const kelvin_member *member;
    const kelvin_status status = kelvin_family_find(&member, &kelvin_sampler_family, name ? name : "");
    *type = (const kelvin_sampler_type *)member;
    return status;
}
