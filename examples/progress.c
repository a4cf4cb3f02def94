/* A watch: a bar that says how far the chains are, and that can stop them. A run that was stopped goes on later, also
 * in another process, from where its chains were, and ends in the same bits.
 *
 *     cc progress.c $(pkg-config --cflags --libs kelvin) -o progress
 *     ./progress
 *
 * The bar is drawn where standard error is a terminal. On standard output it prints:
 *
 *     stopped: progress-run holds everything up to now
 *     going on
 *     finished: 64 samples of 4 chains
 */
#include <kelvin/kelvin.h>

#include <stdio.h>
#include <unistd.h>

enum { WIDTH = 40, CHAINS = 4 };

struct bar {
    uint64_t step[CHAINS], steps; /* of each chain, done and to do */
    int stop;                     /* a real program would set this from a button or a signal */
};

/* Called from any thread, but never from two at once. Returning false stops all chains. */
static bool watch(void *context, const kelvin_run *run, const kelvin_chain_news *news)
{
    struct bar *bar = context;
    uint64_t done = 0;
    (void)run;
    if (news->phase == KELVIN_CHAIN_LOGITS || news->chain >= CHAINS) return true;
    bar->step[news->chain] = news->step;
    bar->steps = news->steps;
    for (int i = 0; i < CHAINS; i++) done += bar->step[i];
    const int filled = (int)(WIDTH * done / (CHAINS * bar->steps + 1));
    if (isatty(2))
        fprintf(stderr, "\r[%.*s%*s]", filled, "########################################", WIDTH - filled, "");
    return !(bar->stop && news->phase == KELVIN_CHAIN_SAMPLING);
}

/* What is not set, such as the prior and the size of steps, is chosen from the data. */
static kelvin_status start(kelvin_run **run, const char *folder)
{
    kelvin_config *config = NULL;
    kelvin_status status = kelvin_config_create(&config);
    if (!status) status = kelvin_config_set(config, "data", "digits");
    if (!status) status = kelvin_config_set(config, "model", "mlp:20");
    if (!status) status = kelvin_config_set(config, "chains", "4");
    if (!status) status = kelvin_config_set(config, "epochs", "40");
    if (!status) status = kelvin_run_start(run, config, folder);
    kelvin_config_destroy(config);
    return status;
}

int main(void)
{
    const char *folder = "progress-run"; /* must not be there yet */
    struct bar bar = {.stop = 1};
    kelvin_run *run = NULL;
    kelvin_status status = start(&run, folder);
    if (!status) status = kelvin_run_sample(&run, 1, NULL, watch, &bar);
    kelvin_run_close(run);
    run = NULL;
    if (status == KELVIN_ESTOP) {
        printf("stopped: %s holds everything up to now\ngoing on\n", folder);
        bar.stop = 0;
        status = kelvin_run_open(&run, folder);
        if (!status) status = kelvin_run_sample(&run, 1, NULL, watch, &bar);
    }
    if (status)
        fprintf(stderr, "%s\n", kelvin_error());
    else
        printf("finished: %zu samples of %u chains\n", kelvin_run_samples_asked_for(run), kelvin_run_chains(run));
    kelvin_run_close(run);
    return status != KELVIN_OK;
}
