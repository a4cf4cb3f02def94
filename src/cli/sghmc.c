/* Runs by SGHMC. Everything is kept in the folder as it comes, so that stopping, failing and being killed differ only
 * in the sentence. */
#include "cli/sghmc.h"

#include "cli/chains_progress.h"
#include "cli/estimate.h"
#include "cli/report_ensemble.h"

#include <inttypes.h>

kelvin_status sghmc_check(const struct sghmc_settings *settings)
{
    if (settings->threads > SGHMC_MOST_THREADS)
        return kelvin_fail(KELVIN_EUSAGE, "--threads is %zu; expected at most %d", settings->threads,
                           SGHMC_MOST_THREADS);
    if (settings->checkpoint < 0)
        return kelvin_fail(KELVIN_EUSAGE, "--checkpoint must not be negative, not '%g'", settings->checkpoint);
    return KELVIN_OK;
}

static void warn(const kelvin_run *run)
{
    const char *warning = kelvin_run_warning(run);
    if (warning) fprintf(stderr, "warning: %s\n", warning);
}

static kelvin_status work(kelvin_chains *chains, const char *folder, const struct sghmc_settings *settings)
{
    const kelvin_chains_options options = {.threads = settings->threads, .checkpoint = settings->checkpoint};
    struct chains_progress progress;
    kelvin_status status = chains_progress_start(&progress, kelvin_chains_about(chains)->config.chains);
    if (!status) status = kelvin_chains_run(chains, &options, chains_progress_watch, &progress);
    chains_progress_end(&progress);
    if (status == KELVIN_ESTOP)
        return kelvin_fail(status, "stopped; %s holds everything up to now. Go on with: kelvin resume %s", folder,
                           folder);
    if (status == KELVIN_EFORMAT || status == KELVIN_EUSAGE) return status; /* going on would end here again */
    if (status) return kelvin_fail(status, "%s; go on with: kelvin resume %s", kelvin_error(), folder);
    return KELVIN_OK;
}

static uint32_t tell_diverged(const kelvin_chains *chains)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < kelvin_chains_about(chains)->config.chains; i++) {
        const char *sentence = kelvin_chains_diverged(chains, i);
        if (sentence) fprintf(stderr, "%s\n", sentence);
        n += sentence != NULL;
    }
    return n;
}

static kelvin_status report(const kelvin_chains *chains, const char *folder, bool json)
{
    const kelvin_run *run = kelvin_chains_about(chains);
    const uint32_t n = run->config.chains, diverged = tell_diverged(chains);
    KELVIN_TRY(report_ensemble(stdout, run, folder, json));
    if (diverged == n) return kelvin_fail(KELVIN_EPARTLY, "all chains diverged; the report is of their samples before");
    if (diverged)
        return kelvin_fail(KELVIN_EPARTLY, "%" PRIu32 " of %" PRIu32 " chains diverged; the report is of the other%s",
                           diverged, n, n - diverged == 1 ? "" : "s");
    return KELVIN_OK;
}

/* The second half of both commands; takes the chains. */
static kelvin_status finish(kelvin_chains *chains, const char *folder, const struct sghmc_settings *settings)
{
    kelvin_status status = KELVIN_OK;
    if (!kelvin_chains_finished(chains))
        status = work(chains, folder, settings);
    else if (!(status = kelvin_chains_verify(chains)))
        fprintf(stderr, "%s has ended already: there is nothing left to do.\n", folder);
    if (!status) status = report(chains, folder, settings->json);
    kelvin_chains_close(chains);
    return status;
}

kelvin_status sghmc_dry_run(const kelvin_run_config *config, const struct sghmc_settings *settings)
{
    return estimate_report(stdout, config, settings->threads, settings->json, warn);
}

kelvin_status sghmc_sample(kelvin_chains *chains, const char *folder, const struct sghmc_settings *settings)
{
    warn(kelvin_chains_about(chains));
    return finish(chains, folder, settings);
}

kelvin_status sghmc_resume(const char *folder, const struct sghmc_settings *settings)
{
    kelvin_chains *chains;
    KELVIN_TRY(sghmc_check(settings));
    progress_catch_signals();
    KELVIN_TRY(kelvin_chains_open(&chains, folder));
    return finish(chains, folder, settings);
}
