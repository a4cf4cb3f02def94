/* Logits by the network: for a batch of inputs every sample is read and goes through it. A batch is so large that
 * reading all samples again costs next to nothing beside the pass: 500 images of CIFAR-10 take ResNet20 a hundred times
 * as long as its parameters take to be read. */
#include "base/needs.h"
#include "base/words.h"
#include "posterior/helpers.h"
#include "posterior/logits.h"
#include "run/room.h"

#include <string.h>

enum { INPUT_BYTES = 4 << 20, LOGIT_BYTES = 4 << 20 }; /* what is larger, the system has to find first */

struct computed {
    kelvin_logits base;
    kelvin_samples *samples;
    kelvin_inputs *inputs;
    kelvin_run *run; /* of one's own: its data are where the inputs come from. NULL: they come from elsewhere */
    kelvin_posterior *pass;
    size_t most;      /* observations at a time */
    size_t room;      /* numbers in z */
    float *theta, *z; /* (n_params), (samples, n, classes) */
};

/* Every sample over n inputs, which the network takes in once: from row `first` of a chunk of `of` rows on. */
static kelvin_status compute_batch(struct computed *c, const float *x, size_t n, size_t first, size_t of)
{
    const size_t classes = c->base.classes;
    KELVIN_TRY(kelvin_posterior_set_batch(c->pass, x, kelvin_unlabelled, n));
    for (size_t s = 0; s < c->base.samples; s++) {
        KELVIN_TRY(kelvin_samples_read(c->samples, c->theta, s));
        const double begin = kelvin_now();
        kelvin_posterior_logits(c->pass, c->z + (s * of + first) * classes, c->theta);
        c->base.seconds += kelvin_now() - begin;
    }
    return KELVIN_OK;
}

/* The first n of `of` inputs, which are all those that logits are asked for. */
static kelvin_status compute(struct computed *c, const float *x, size_t n, size_t of)
{
    const size_t inputs = c->samples->run->model->inputs, most = KELVIN_PASS;
    for (size_t first = 0; first < n; first += most)
        KELVIN_TRY(compute_batch(c, x + first * inputs, n - first < most ? n - first : most, first, of));
    return KELVIN_OK;
}

/* One picture does not need the memory of thousands. */
static kelvin_status make_room(struct computed *c, size_t n)
{
    c->z = kelvin_logits_room(c->z, &c->room, c->base.samples * n * c->base.classes, sizeof *c->z);
    return c->z ? KELVIN_OK : KELVIN_ENOMEM;
}

/* ---- by several ranks: each has as many rows as go at once, the first rank the first of them ---- */

static size_t share_of(const struct computed *c, size_t rank, size_t n)
{
    const size_t first = rank * c->most;
    return first >= n ? 0 : n - first < c->most ? n - first : c->most;
}

/* What rank `rank` has computed goes to where its rows are. */
static kelvin_status gather(struct computed *c, size_t rank, size_t n)
{
    const size_t share = share_of(c, rank, n), classes = c->base.classes, row = share * classes;
    float *z = kelvin_alloc(c->base.samples * row, sizeof *z);
    if (!z) return KELVIN_ENOMEM;
    const kelvin_status status = kelvin_helper_get(z, rank, c->samples, share);
    for (size_t s = 0; s < c->base.samples && !status; s++)
        memcpy(c->z + (s * n + rank * c->most) * classes, z + s * row, row * sizeof *z);
    kelvin_free(z);
    return status;
}

static kelvin_status compute_together(struct computed *c, const kelvin_rows *rows)
{
    const size_t inputs = c->samples->run->model->inputs, ranks = kelvin_helpers_count(c->samples), n = rows->n;
    for (size_t r = 1; r < ranks && share_of(c, r, n) > 0; r++)
        KELVIN_TRY(kelvin_helper_ask(r, c->samples, rows->x + r * c->most * inputs, share_of(c, r, n)));
    KELVIN_TRY(compute(c, rows->x, share_of(c, 0, n), n));
    for (size_t r = 1; r < ranks && share_of(c, r, n) > 0; r++) KELVIN_TRY(gather(c, r, n));
    return KELVIN_OK;
}

static kelvin_status next_computed(kelvin_logits *logits, kelvin_piece *piece)
{
    struct computed *c = (struct computed *)logits;
    kelvin_rows rows;
    KELVIN_TRY(kelvin_inputs_next(c->inputs, &rows, c->most * kelvin_helpers_count(c->samples)));
    if (rows.n == 0) return KELVIN_OK;
    KELVIN_TRY(make_room(c, rows.n));
    KELVIN_TRY(compute_together(c, &rows));
    *piece = (kelvin_piece){
        .n = rows.n, .first = rows.first, .samples = logits->samples, .z = c->z, .y = rows.y, .name = rows.name};
    return KELVIN_OK;
}

static const char *note_computed(const kelvin_logits *logits, size_t i)
{
    return kelvin_inputs_note(((const struct computed *)logits)->inputs, i);
}

static void close_computed(kelvin_logits *logits)
{
    struct computed *c = (struct computed *)logits;
    kelvin_inputs_close(c->inputs);
    kelvin_run_close(c->run);
    kelvin_posterior_destroy(c->pass);
    kelvin_free(c->theta);
    kelvin_free(c->z);
    kelvin_free(c);
}

static kelvin_status make(struct computed *c, size_t threads)
{
    const kelvin_model *model = c->samples->run->model;
    const size_t by_inputs = INPUT_BYTES / sizeof(float) / model->inputs;
    c->most = kelvin_logits_chunk(c->base.samples, model->classes, LOGIT_BYTES);
    if (c->most > by_inputs) c->most = by_inputs > 0 ? by_inputs : 1;
    if (!(c->theta = kelvin_alloc(model->n_params, sizeof *c->theta))) return KELVIN_ENOMEM;
    KELVIN_TRY(kelvin_samples_read(c->samples, c->theta, 0)); /* is it of this network? Only then memory is asked for */
    KELVIN_TRY(kelvin_pass_create(&c->pass, c->samples->run, threads ? threads : kelvin_cpu_count()));
    if (c->most > KELVIN_PASS) c->most -= c->most % KELVIN_PASS;
    return KELVIN_OK;
}

kelvin_status kelvin_logits_computed(kelvin_logits **logits, kelvin_samples *samples, kelvin_inputs *inputs,
                                     size_t threads)
{
    *logits = NULL;
    struct computed *c = kelvin_alloc(1, sizeof *c);
    if (!c) {
        kelvin_inputs_close(inputs);
        return KELVIN_ENOMEM;
    }
    c->base = (kelvin_logits){.samples = samples->n,
                              .classes = samples->run->model->classes,
                              .chain = samples->chain,
                              .name = samples->folder,
                              .next = next_computed,
                              .note = note_computed,
                              .close = close_computed};
    c->samples = samples;
    c->inputs = inputs;
    const kelvin_status status = make(c, threads);
    if (status)
        close_computed(&c->base);
    else
        *logits = &c->base;
    return status;
}

kelvin_status kelvin_logits_without_inputs(kelvin_logits **logits, kelvin_samples *samples, size_t threads)
{
    return kelvin_logits_computed(logits, samples, NULL, threads);
}

kelvin_status kelvin_logits_at_inputs(kelvin_logits *logits, const float **z, const float *x, size_t n)
{
    struct computed *c = (struct computed *)logits;
    KELVIN_TRY(make_room(c, n));
    *z = c->z;
    return compute(c, x, n, n);
}

/* ---- of the run's own data ---- */

static kelvin_status of_data(kelvin_logits **logits, kelvin_samples *samples, const kelvin_data *data, kelvin_side side,
                             size_t threads)
{
    const kelvin_part *part = side == KELVIN_TRAIN ? &data->train : &data->test;
    kelvin_inputs *inputs;
    if (part->n == 0)
        return kelvin_fail(KELVIN_EFORMAT, "%s: its data set %s has no part for testing", samples->folder, data->name);
    KELVIN_TRY(kelvin_inputs_of(&inputs, data, part));
    return kelvin_logits_computed(logits, samples, inputs, threads);
}

/* The data are opened, and their checksums compared. */
static kelvin_status of_folder(kelvin_logits **logits, kelvin_samples *samples, kelvin_side side, size_t threads)
{
    struct kelvin_logits_file files[KELVIN_PARTS];
    kelvin_run *run;
    kelvin_logits_files(files, samples->run->data);
    const kelvin_status status = kelvin_run_load(&run, samples->folder, false, NULL);
    if (status)
        return kelvin_fail(status, "%s: has no %s, and they cannot be computed: " KELVIN_SAID, samples->folder,
                           files[side].name, kelvin_error_raw());
    const kelvin_status made = of_data(logits, samples, run->data, side, threads);
    if (made)
        kelvin_run_close(run);
    else
        ((struct computed *)*logits)->run = run;
    return made;
}

kelvin_status kelvin_logits_of_side(kelvin_logits **logits, kelvin_samples *samples, kelvin_side side, size_t threads)
{
    KELVIN_NEEDS(logits);
    *logits = NULL;
    KELVIN_NEEDS(samples);
    bool kept;
    const bool open = !samples->run->folder || kelvin_run_inside(samples->run)->partly;
    if (open) return of_data(logits, samples, samples->run->data, side, threads);
    KELVIN_TRY(kelvin_logits_are_kept(&kept, samples, side));
    return kept ? kelvin_logits_saved(logits, samples, side) : of_folder(logits, samples, side, threads);
}

kelvin_status kelvin_logits_of_data(kelvin_logits **logits, kelvin_samples *samples, const char *spec, bool labels,
                                    size_t threads)
{
    KELVIN_NEEDS(logits);
    *logits = NULL;
    KELVIN_NEEDS(samples);
    KELVIN_NEEDS(spec);
    kelvin_inputs *inputs;
    KELVIN_TRY(kelvin_inputs_open(&inputs, spec, samples->run->data, labels));
    return kelvin_logits_computed(logits, samples, inputs, threads);
}

kelvin_status kelvin_logits_on(kelvin_logits **logits, const char **found, kelvin_samples *samples, const char *on,
                               size_t threads)
{
    KELVIN_NEEDS(logits);
    *logits = NULL;
    KELVIN_NEEDS(found);
    KELVIN_NEEDS(samples);
    const bool tests = samples->run->data->test.n > 0;
    *found = on ? on : tests ? "test" : "train";
    if (strcmp(*found, "train") == 0) return kelvin_logits_of_side(logits, samples, KELVIN_TRAIN, threads);
    if (strcmp(*found, "test") != 0) return kelvin_logits_of_data(logits, samples, *found, true, threads);
    if (!tests)
        return kelvin_fail(
            KELVIN_EFORMAT,
            "%s: its data set %s has no test part; use " KELVIN_REFER(PART, "train") ", or another data set",
            samples->folder, samples->run->config.data);
    return kelvin_logits_of_side(logits, samples, KELVIN_TEST, threads);
}
