/* Which samples make an ensemble (reference.md, section 6). Error bars: where there are more than 8 samples, 100
 * subsets of 8 without replacement. Posterior sizes: 20 random orders of the samples, and the first m of each. Of very
 * many samples both are of those that are looked at one by one. All of them are the heads of permutations by Philox,
 * and always the same ones. */
#include "base/random.h"
#include "posterior/evaluate.h"

#include <string.h>

enum { FIRST_ORDER = 1000 }; /* the step of its permutation; those of subsets start at 0 */

static const size_t subset_stop = KELVIN_SUBSET;

/* 1, 2, 3, 4, 6, 8, 12, 16, 24, ..., and all. */
static size_t make_sizes(size_t size[KELVIN_MOST_SIZES], size_t samples)
{
    size_t n = 0;
    for (size_t m = 1; m < samples && n + 2 < KELVIN_MOST_SIZES; m *= 2) {
        size[n++] = m;
        if (m > 1 && m + m / 2 < samples) size[n++] = m + m / 2;
    }
    size[n++] = samples;
    return n;
}

static kelvin_status add_walk(struct kelvin_evaluation *e, const size_t *stop, size_t stops, uint32_t step)
{
    struct kelvin_walk *walk = &e->walk[e->walks++];
    *walk = (struct kelvin_walk){.stop = stop, .stops = stops, .score = e->scores};
    if (!(walk->order = kelvin_arena_alloc(e->arena, e->singles, sizeof *walk->order))) return KELVIN_ENOMEM;
    kelvin_permutation(walk->order, (uint32_t)e->singles, (kelvin_random){.step = step, .stream = KELVIN_STREAM_USER});
    e->scores += stops;
    return KELVIN_OK;
}

kelvin_status kelvin_choose_walks(struct kelvin_evaluation *e, bool sizes)
{
    if (e->labelled) e->singles = e->samples < KELVIN_MOST_SINGLES ? e->samples : KELVIN_MOST_SINGLES;
    e->walk[e->walks++] = (struct kelvin_walk){.stop = &e->samples, .stops = 1, .score = e->singles};
    if (!e->labelled) return KELVIN_OK;
    e->scores = e->singles + 1;
    e->subsets = e->singles > KELVIN_SUBSET ? KELVIN_SUBSETS : 0;
    e->sizes = sizes ? make_sizes(e->size, e->singles) : 0;
    for (uint32_t i = 0; i < KELVIN_ORDERS && sizes; i++) KELVIN_TRY(add_walk(e, e->size, e->sizes, FIRST_ORDER + i));
    for (uint32_t i = 0; i < e->subsets; i++) KELVIN_TRY(add_walk(e, &subset_stop, 1, i));
    return KELVIN_OK;
}
