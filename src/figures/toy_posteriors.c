/* HMC on 18 points of the plane with a 2-10-10-10-10-10-2 network of ReLU units and the prior N(0, 1): DirClip with
 * alpha = 1.4 smooths the labels, alpha = 0.6 trusts them. Figure 1 of the paper and its appendix on HMC. */
#include "figures/toy_posteriors.h"

const struct toy_posterior kelvin_toy_posteriors[TOY_POSTERIORS] = {
    {"DirClip(1.4)", "p_dirclip_1.4", "1.4", "dirclip:1.4,-50", 4e-4, {0.963, 1.00, 1.00, 0.699, 204}},
    {"DirClip(0.6)", "p_dirclip_0.6", "0.6", "dirclip:0.6,-50", 5e-5, {0.915, 1.05, 1.00, 1.000, 204}},
};

static kelvin_status configure(kelvin_run_config *config, const struct toy_posterior *posterior,
                               const struct figure_options *options)
{
    KELVIN_TRY(kelvin_run_defaults(config, "hmc"));
    config->data = "toy";
    config->model = "mlp:10,10,10,10,10";
    config->density = posterior->density;
    config->prior = "normal:1";
    config->seed = options->seed;
    config->chains = (uint32_t)options->chains;
    config->iterations = (uint32_t)options->iterations;
    config->warmup = (uint32_t)((uint64_t)config->iterations * 3 / 10);
    config->temperature = 1;
    KELVIN_TRY(kelvin_run_set(config, "step_size", posterior->step_size));
    return kelvin_run_set(config, "steps", (double)options->steps);
}

kelvin_status kelvin_toy_posteriors_sample(kelvin_run *runs[TOY_POSTERIORS], const struct figure_options *options)
{
    const kelvin_figure_watch *watch = options->watch;
    const kelvin_run_options how = {.threads = options->threads};
    uint64_t total = 0;
    for (size_t i = 0; i < TOY_POSTERIORS; i++) runs[i] = NULL;
    for (size_t i = 0; i < TOY_POSTERIORS; i++) {
        kelvin_run_config config;
        KELVIN_TRY(configure(&config, &kelvin_toy_posteriors[i], options));
        KELVIN_TRY(kelvin_run_begin(&runs[i], &config, NULL));
        total += (uint64_t)config.chains * config.iterations;
    }
    watch->start(watch->context, "sampling", total);
    const kelvin_status status = kelvin_run_sample(runs, TOY_POSTERIORS, &how, watch->iteration, watch->context);
    watch->end(watch->context);
    return status == KELVIN_ESTOP ? kelvin_fail(status, "stopped by a signal") : status;
}
