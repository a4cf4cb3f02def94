/* Runs, by any sampler. Everything is kept in the folder as it comes, so that stopping, failing and being killed differ
 * only in the sentence. */
#include "cli/runs.h"

#include "cli/chains_progress.h"
#include "cli/lines.h"
#include "cli/words.h"

#include <kelvin/ranks.h>

#include <inttypes.h>

kelvin_status run_check_threads(size_t threads)
{
    enum { MOST = 1024 };
    if (threads <= MOST) return KELVIN_OK;
    return kelvin_fail(KELVIN_EUSAGE, "--threads is %zu; expected at most %d", threads, MOST);
}

kelvin_status run_check(const struct run_settings *settings)
{
    KELVIN_TRY(kelvin_run_check_options(&(kelvin_run_options){.ranks_per_chain = settings->ranks_per_chain}));
    KELVIN_TRY(run_check_threads(settings->threads));
    if (settings->checkpoint < 0)
        return kelvin_fail(KELVIN_EUSAGE, "--checkpoint must not be negative, not '%g'", settings->checkpoint);
    return KELVIN_OK;
}

void run_warn(const kelvin_run *run)
{
    char warning[2048];
    const char *note;
    for (size_t i = 0; (note = kelvin_data_note(kelvin_run_data(run), i)); i++) fprintf(stderr, "note: %s\n", note);
    if (kelvin_run_warning_say(run, warning, sizeof warning, command_words, NULL))
        fprintf(stderr, "warning: %s\n", warning);
}

struct watching {
    struct chains_progress progress;
    const char *go_on;
    bool told;
};

/* Where ranks are many, one may not answer, and a launcher ends them all before the last word. */
static bool watch(void *context, const kelvin_run *run, const kelvin_chain_news *news)
{
    struct watching *w = context;
    if (chains_progress_watch(&w->progress, run, news)) return true;
    if (kelvin_rank_count() > 1 && !w->told)
        fprintf(stderr, "stopping: %zu ranks write their chains' states; whatever becomes of them, go on with: %s\n",
                kelvin_rank_count(), w->go_on);
    w->told = true;
    return false;
}

static kelvin_status work(kelvin_run *run, const struct run_settings *settings)
{
    const kelvin_run_options options = {
        .threads = settings->threads, .checkpoint = settings->checkpoint, .ranks_per_chain = settings->ranks_per_chain};
    const char *folder = kelvin_run_folder(run);
    char go_on[4096];
    struct watching watching = {.go_on = go_on};
    command_words(NULL, go_on, sizeof go_on, KELVIN_WORD_RESUME, folder);
    kelvin_status status = chains_progress_start(&watching.progress, run);
    if (!status) status = kelvin_run_sample(&run, 1, &options, watch, &watching);
    chains_progress_end(&watching.progress);
    if (status == KELVIN_ESTOP)
        return kelvin_fail(status, "stopped; %s holds everything up to now. Go on with: %s", folder, go_on);
    if (status == KELVIN_EFORMAT || status == KELVIN_EUSAGE) return status; /* going on would end here again */
    if (status) return kelvin_fail(status, "%s; go on with: %s", command_error(), go_on);
    return KELVIN_OK;
}

static uint32_t tell_diverged(const kelvin_run *run)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < kelvin_run_chains(run); i++) {
        const char *sentence = kelvin_run_diverged(run, i);
        if (sentence) fprintf(stderr, "%s\n", sentence);
        n += sentence != NULL;
    }
    return n;
}

static kelvin_status summarise(const kelvin_run *run, bool json)
{
    const uint32_t n = kelvin_run_chains(run), diverged = tell_diverged(run), others = n - diverged;
    size_t kept;
    char before[64] = "";
    KELVIN_TRY(run_summary(stdout, &kept, run, json));
    if (diverged == 0) return KELVIN_OK;
    if (kept > 0)
        snprintf(before, sizeof before, "%s%zu sample%s from before", others ? ", and of " : "", kept, plural(kept));
    if (others == 0) return kelvin_fail(KELVIN_EPARTLY, "all chains diverged; the report is of their %s", before);
    return kelvin_fail(KELVIN_EPARTLY, "%" PRIu32 " of %" PRIu32 " chains diverged; the report is of the other%s%s",
                       diverged, n, plural(others), before);
}

/* The second half of both commands; takes the run. */
static kelvin_status finish(kelvin_run *run, const struct run_settings *settings)
{
    kelvin_status status = KELVIN_OK;
    if (!kelvin_run_finished(run))
        status = work(run, settings);
    else if (kelvin_rank() == 0 && !(status = kelvin_run_verify(run)))
        fprintf(stderr, "%s has ended already%s: there is nothing left to do.\n", kelvin_run_folder(run),
                kelvin_run_has_checksums(run) ? ", and its files are whole" : "");
    progress_release_signals();
    if (!status && kelvin_rank() == 0) status = summarise(run, settings->json);
    kelvin_run_close(run);
    return status;
}

kelvin_status run_new(kelvin_run *run, const struct run_settings *settings)
{
    run_warn(run);
    return finish(run, settings);
}

kelvin_status run_resume(const char *folder, const struct run_settings *settings)
{
    kelvin_run *run;
    KELVIN_TRY(run_check(settings));
    progress_catch_signals();
    KELVIN_TRY(kelvin_run_open(&run, folder));
    return finish(run, settings);
}
