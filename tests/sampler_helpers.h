/* Chains by name, for tests: made, moved and asked in one line each. */
#ifndef TESTS_SAMPLER_HELPERS_H
#define TESTS_SAMPLER_HELPERS_H

#include "check.h"

#include "kernels/kernels.h"
#include "sampler/state.h"

#include <stdlib.h>

static inline const kelvin_sampler_type *sampler_named(const char *name)
{
    const kelvin_sampler_type *type;
    assert_ok(kelvin_sampler_find(&type, name));
    return type;
}

/* With settings as the type lists them. */
static inline kelvin_sampler *chain_of(const char *name, const kelvin_target *target, const double *setting,
                                       double observations, uint64_t seed, uint32_t chain)
{
    const kelvin_sampler_options options = {
        .setting = setting, .observations = observations, .seed = seed, .chain = chain};
    kelvin_sampler *made;
    assert_ok(kelvin_sampler_make(&made, sampler_named(name), target, &options));
    return made;
}

/* After warm-up. */
static inline kelvin_step_info move(kelvin_sampler *chain, uint32_t step, double temperature)
{
    return kelvin_sampler_advance(chain, &(kelvin_moment){step, 0, 1, temperature});
}

/* What a step has told under a name. */
static inline double told(const kelvin_sampler *chain, const kelvin_step_info *info, const char *name)
{
    for (size_t i = 0; i < kelvin_count_statistics(chain->type); i++)
        if (strcmp(chain->type->statistic[i].name, name) == 0) return info->value[i];
    fail_msg("%s tells nothing of %s", chain->type->member.name, name);
    return 0;
}

/* Makes the library use the next instruction set that this CPU has, from *isa on; NULL, and all as it was, after the
 * last. */
static inline const struct kelvin_kernels *use_next(int *isa)
{
    while (*isa < KELVIN_ISA_COUNT) {
        const kelvin_isa i = (kelvin_isa)(*isa)++;
        if (!kelvin_kernels_for(i) || !kelvin_isa_supported(i)) continue;
        setenv("KELVIN_ISA", kelvin_isa_name(i), 1);
        return kelvin_kernels_for(i);
    }
    unsetenv("KELVIN_ISA");
    return NULL;
}

#endif
