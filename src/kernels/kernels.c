/* Which table of kernels to use. */
#include "kernels/kernels.h"

extern const struct kelvin_kernels kelvin_kernels_baseline;
#if defined(__x86_64__)
extern const struct kelvin_kernels kelvin_kernels_v3, kelvin_kernels_v4;
#endif

static const struct kelvin_kernels *const tables[KELVIN_ISA_COUNT] = {
    [KELVIN_ISA_BASELINE] = &kelvin_kernels_baseline,
#if defined(__x86_64__)
    [KELVIN_ISA_X86_64_V3] = &kelvin_kernels_v3,
    [KELVIN_ISA_X86_64_V4] = &kelvin_kernels_v4,
#endif
};

const struct kelvin_kernels *kelvin_kernels_for(kelvin_isa isa)
{
    return tables[isa];
}

kelvin_status kelvin_kernels_get(const struct kelvin_kernels **kernels)
{
    kelvin_isa isa;
    KELVIN_TRY(kelvin_isa_choose(&isa));
    *kernels = kelvin_kernels_for(isa);
    return KELVIN_OK;
}

struct panel_shape kelvin_panel_shape(size_t n)
{
    const size_t left = n % 8;
    if (n < 8 || left == 0 || left > 2) return (struct panel_shape){.wide = n < 8 ? 1 : (n + 7) / 8, .rest = false};
    return (struct panel_shape){.wide = n / 8, .rest = true};
}

size_t kelvin_chains_observation(const struct chains_method *method, struct panel_shape shape, size_t i)
{
    const size_t vector = i / 2, upper = i % 2; /* where they are halved */
    if (!method->halved || i >= 8 * shape.wide) return i;
    return vector / 4 * 8 + vector % 4 + 4 * upper;
}
