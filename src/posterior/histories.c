/* Histories of the chains that came to their end. */
#include "posterior/histories.h"

kelvin_status kelvin_history_whole(bool *whole, const kelvin_samples *samples, uint32_t chain,
                                   kelvin_history_look *look, void *context)
{
    char lost[KELVIN_LOST];
    *whole = false;
    if (samples->diverged[chain]) return KELVIN_OK;
    KELVIN_TRY(kelvin_history_lost(lost, samples, chain));
    if (*lost) return KELVIN_OK;
    *whole = true;
    return kelvin_history_each(samples, chain, look, context);
}

uint32_t kelvin_first_row(const kelvin_run *run)
{
    const uint32_t warmup = kelvin_run_warmup(run);
    return warmup > 0 ? kelvin_run_draw_row(run, warmup - 1) + 1 : 0;
}
