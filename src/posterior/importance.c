/* Permutation importance (Breiman 2001, "Random Forests", section 10): what a column tells is lost where its values are
 * shuffled among rows. By how much is the mean of
 *
 *     log p(y_i | x_i) - log p(y_i | x_i with the column of row pi(i))
 *
 * over rows i and some permutations pi. The error is over rows, of their means over permutations. */
#include "posterior/effects.h"

#include "posterior/stats.h"

#include <string.h>

/* All inputs of the column move together. */
static void shuffle(const struct kelvin_effects_work *w, struct kelvin_effects_bench *b, const kelvin_feature *f,
                    uint32_t permutation)
{
    const kelvin_random where = {
        .seed = w->run->config.seed, .chain = permutation, .step = (uint32_t)f->place, .stream = KELVIN_STREAM_SHUFFLE};
    kelvin_permutation(b->order, (uint32_t)w->rows, where);
    for (size_t i = 0; i < w->rows; i++)
        memcpy(b->x + i * w->inputs + f->first, w->x + b->order[i] * w->inputs + f->first, f->inputs * sizeof *b->x);
}

static kelvin_status measure(const struct kelvin_effects_work *w, struct kelvin_effects_bench *b, kelvin_effect *effect)
{
    memcpy(b->x, w->x, w->rows * w->inputs * sizeof *b->x);
    memset(b->change, 0, w->rows * sizeof *b->change);
    for (uint32_t r = 0; r < w->permutations; r++) {
        shuffle(w, b, effect->feature, r);
        KELVIN_TRY(kelvin_effects_log_p(w, b));
        for (size_t i = 0; i < w->rows; i++) b->change[i] += (w->plain[i] - b->log_p[i]) / (double)w->permutations;
    }
    effect->importance = kelvin_averaged(b->change, w->rows);
    return KELVIN_OK;
}

/* As many tasks as threads. */
static kelvin_status task(void *context, size_t thread)
{
    struct kelvin_effects_work *w = context;
    for (size_t i; (i = atomic_fetch_add(&w->next, 1)) < w->out->n;)
        KELVIN_TRY(measure(w, &w->bench[thread], &w->out->list[i]));
    return KELVIN_OK;
}

kelvin_status kelvin_effects_importance(struct kelvin_effects_work *w)
{
    struct kelvin_effects_bench *b = w->bench;
    memcpy(b->x, w->x, w->rows * w->inputs * sizeof *b->x);
    KELVIN_TRY(kelvin_effects_log_p(w, b));
    memcpy(w->plain, b->log_p, w->rows * sizeof *w->plain);
    w->next = 0;
    return kelvin_pool_run(w->pool, task, w, kelvin_pool_threads(w->pool));
}
