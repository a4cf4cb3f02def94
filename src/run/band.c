/* Chains that advance together: the sampler takes a step of all of them, each looks at its own. */
#include "run/band.h"

static const kelvin_prior *prior_of(const kelvin_run *run)
{
    const struct kelvin_run_owned *inside = kelvin_run_inside(run);
    return inside->has_prior ? &inside->prior : NULL;
}

static size_t lanes_for(const kelvin_run *run, size_t chains)
{
    if (!run->sampler->step_all) return 0;
    return kelvin_posteriors_fit(run->model, prior_of(run), run->data->train.n, chains);
}

bool kelvin_band_suits(const kelvin_run *run, size_t chains)
{
    return lanes_for(run, chains) > 0;
}

void kelvin_band_free(struct kelvin_band *band)
{
    kelvin_posteriors_destroy(band->posteriors);
    kelvin_free(band->work);
    *band = (struct kelvin_band){.run = band->run};
}

/* What n chains are best served by. */
static kelvin_status fit(struct kelvin_band *band, size_t n)
{
    const kelvin_run *run = band->run;
    const size_t lanes = lanes_for(run, n);
    if (band->n == n) return KELVIN_OK;
    kelvin_band_free(band);
    if (lanes > 0) {
        KELVIN_TRY(kelvin_posteriors_make(&band->posteriors, run->model, &kelvin_run_inside(run)->density,
                                          prior_of(run), run->data, lanes));
        const kelvin_lanes target = kelvin_posteriors_lanes(band->posteriors);
        if (!(band->work = kelvin_alloc(kelvin_lanes_work(run->sampler, &target), sizeof *band->work)))
            return KELVIN_ENOMEM;
    }
    band->n = n;
    return KELVIN_OK;
}

kelvin_status kelvin_band_step(struct kelvin_band *band, struct kelvin_chain *const *chains, size_t n)
{
    kelvin_sampler *sampler[KELVIN_BAND];
    kelvin_moment moment[KELVIN_BAND];
    kelvin_step_info info[KELVIN_BAND];
    kelvin_lanes lanes;
    KELVIN_TRY(fit(band, n));
    for (size_t i = 0; i < n; i++) {
        sampler[i] = chains[i]->sampler;
        moment[i] = kelvin_chain_moment(chains[i]);
    }
    if (band->posteriors) lanes = kelvin_posteriors_lanes(band->posteriors);
    kelvin_sampler_advance_all(sampler, n, moment, info, band->posteriors ? &lanes : NULL, band->work);
    for (size_t i = 0; i < n; i++) KELVIN_TRY(kelvin_chain_settle(chains[i], &info[i]));
    return KELVIN_OK;
}
