/* Short runs in memory: whether they are at their temperature, and how well they predict rows that they have not seen.
 */
#include "run/choose.h"

#include <math.h>

/* ---- temperatures ---- */

/* Means over the epochs that samples are of, and over chains. */
static kelvin_status read_temperatures(struct kelvin_trial *trial, const kelvin_samples *samples)
{
    const kelvin_run *run = samples->run;
    const size_t first = kelvin_run_settling(run);
    double kinetic = 0, configurational = 0, n = 0;
    for (uint32_t chain = 0; chain < run->config.chains; chain++) {
        kelvin_history history;
        KELVIN_TRY(kelvin_history_read(&history, samples, chain));
        for (size_t row = first; row < history.rows; row++, n++) {
            kinetic += *kelvin_history_at(&history, row, "kinetic_temperature");
            configurational += *kelvin_history_at(&history, row, "configurational_temperature");
        }
        kelvin_history_free(&history);
    }
    trial->kinetic = kinetic / (n * run->config.temperature);
    trial->configurational = configurational / (n * run->config.temperature);
    return KELVIN_OK;
}

/* ---- predictions ---- */

/* log p of the label of each row, of so many rows. */
static void label_log_p(double *out, const float *logits, const int32_t *y, size_t n, size_t classes)
{
    for (size_t i = 0; i < n; i++) {
        const float *z = logits + i * classes;
        float top = z[0]; /* in float: over fmax of doubles from floats gcc 12 for ARM fails */
        double sum = 0;
        for (size_t k = 1; k < classes; k++) top = fmaxf(top, z[k]);
        for (size_t k = 0; k < classes; k++) sum += exp((double)z[k] - (double)top);
        out[i] = (double)z[y[i]] - (double)top - log(sum);
    }
}

/* The log of the mean over samples of p, as a running one: log_p is the log of the sum so far. */
static void add_sample(double *log_p, const double *more, size_t n, bool first)
{
    for (size_t i = 0; i < n; i++) {
        const double high = fmax(log_p[i], more[i]), low = fmin(log_p[i], more[i]);
        log_p[i] = first ? more[i] : high + log1p(exp(low - high));
    }
}

struct room {
    kelvin_posterior *pass;
    float *theta, *logits;
    double *log_p;
};

static kelvin_status make_room(struct room *room, const kelvin_run *run)
{
    KELVIN_TRY(kelvin_pass_create(&room->pass, run, 1));
    room->theta = kelvin_alloc(run->model->n_params, sizeof *room->theta);
    room->logits = kelvin_alloc(KELVIN_PASS * run->data->classes, sizeof *room->logits);
    room->log_p = kelvin_alloc(KELVIN_PASS, sizeof *room->log_p);
    return room->theta && room->logits && room->log_p ? KELVIN_OK : KELVIN_ENOMEM;
}

static void free_room(struct room *room)
{
    kelvin_posterior_destroy(room->pass);
    kelvin_free(room->theta);
    kelvin_free(room->logits);
    kelvin_free(room->log_p);
}

static kelvin_status predict_sample(struct kelvin_trial *trial, struct room *room, const kelvin_run *run, bool first)
{
    const struct kelvin_fold *fold = trial->fold;
    const size_t classes = run->data->classes;
    for (size_t at = 0, n; at < fold->held; at += n) {
        n = fold->held - at < KELVIN_PASS ? fold->held - at : KELVIN_PASS;
        KELVIN_TRY(kelvin_posterior_set_batch(room->pass, fold->x + at * run->data->inputs, kelvin_unlabelled, n));
        kelvin_posterior_logits(room->pass, room->logits, room->theta);
        label_log_p(room->log_p, room->logits, fold->y + at, n, classes);
        add_sample(trial->log_p + at, room->log_p, n, first);
    }
    return KELVIN_OK;
}

static kelvin_status predict(struct kelvin_trial *trial, kelvin_samples *samples, struct room *room)
{
    KELVIN_TRY(make_room(room, samples->run));
    for (size_t i = 0; i < samples->n; i++) {
        KELVIN_TRY(kelvin_samples_read(samples, room->theta, i));
        KELVIN_TRY(predict_sample(trial, room, samples->run, i == 0));
    }
    for (size_t i = 0; i < trial->fold->held; i++) trial->log_p[i] -= log((double)samples->n);
    return KELVIN_OK;
}

/* ---- all of them ---- */

static kelvin_status look(struct kelvin_trial *trial, kelvin_run *run)
{
    kelvin_samples *samples;
    struct room room = {0};
    trial->diverged = false;
    for (uint32_t i = 0; i < run->config.chains; i++) trial->diverged |= kelvin_run_diverged(run, i) != NULL;
    if (trial->diverged) return KELVIN_OK;
    KELVIN_TRY(kelvin_samples_of(&samples, run));
    kelvin_status status = read_temperatures(trial, samples);
    if (!status && trial->log_p) status = predict(trial, samples, &room);
    free_room(&room);
    kelvin_samples_close(samples);
    return status;
}

struct watcher {
    kelvin_choose_watch *tell;
    void *context;
};

static bool watch(void *context, const kelvin_run *run, const kelvin_chain_news *news)
{
    const struct watcher *watcher = context;
    (void)run, (void)news;
    return !watcher->tell || watcher->tell(watcher->context);
}

kelvin_status kelvin_trials_run(struct kelvin_trial *trials, size_t n, size_t threads, kelvin_choose_watch *tell,
                                void *context)
{
    struct watcher watcher = {tell, context};
    const kelvin_run_options options = {.threads = threads};
    kelvin_run **runs = kelvin_alloc(n, sizeof *runs);
    kelvin_status status = runs ? KELVIN_OK : KELVIN_ENOMEM;
    for (size_t i = 0; i < n && !status; i++)
        status = kelvin_run_begin_with(&runs[i], &trials[i].config, &trials[i].fold->data, NULL);
    if (!status) status = kelvin_run_sample(runs, n, &options, watch, &watcher);
    for (size_t i = 0; i < n && !status; i++) status = look(&trials[i], runs[i]);
    for (size_t i = 0; runs && i < n; i++) kelvin_run_close(runs[i]);
    kelvin_free(runs);
    return status;
}
