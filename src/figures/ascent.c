/* Gradient ascent on a log-density f in logit space, z <- z + rate * df/dz, from z = log p.
 * Paper: section "Training stability", where around 30 % of uniformly drawn particles end at a wrong class. */
#include "figures/simplex.h"

#include <math.h>
#include <stdatomic.h>

enum { PIECE = 16 }; /* particles of a task: few, so that a signal is soon heard */

static const double apart = 0.015;

/* A way that leads somewhere is shorter; a particle whose steps are too long jumps to and fro forever. */
static const double longest = 4.0;

struct job {
    const struct ascent *ascent;
    const struct figure_options *options;
    atomic_size_t wrong; /* whole numbers: the order in which they are added does not matter */
};

void kelvin_ascent_step(const struct ascent *ascent, double z[SIMPLEX])
{
    double grad[SIMPLEX];
    (void)kelvin_density_eval(ascent->density, grad, z, SIMPLEX, SIMPLEX_LABEL);
    for (int k = 0; k < SIMPLEX; k++) z[k] += ascent->rate * grad[k];
}

bool kelvin_ascent_is_wrong(const double z[SIMPLEX])
{
    bool wrong = false;
    for (int k = 0; k < SIMPLEX; k++) wrong |= k != SIMPLEX_LABEL && z[k] >= z[SIMPLEX_LABEL];
    return wrong;
}

bool kelvin_ascent_ends_wrong(const struct ascent *ascent, const double p[SIMPLEX])
{
    double z[SIMPLEX];
    kelvin_simplex_logits(z, p);
    for (size_t step = 0; step < ascent->steps; step++) kelvin_ascent_step(ascent, z);
    return kelvin_ascent_is_wrong(z);
}

void kelvin_ascent_follow(const struct ascent *ascent, const double p[SIMPLEX], ascent_stay *stay, void *context)
{
    double z[SIMPLEX], now[SIMPLEX], length = 0.0;
    struct place last = kelvin_simplex_place(p);
    size_t from = 0;
    kelvin_simplex_logits(z, p);
    for (size_t step = 1; step <= ascent->steps; step++) {
        kelvin_ascent_step(ascent, z);
        kelvin_simplex_probabilities(now, z);
        const struct place at = kelvin_simplex_place(now);
        const double moved = hypot(at.x - last.x, at.y - last.y);
        if (step < ascent->steps && (moved < apart || length > longest)) continue;
        stay(context, last, from, step - 1);
        length += moved;
        last = at;
        from = step;
    }
    stay(context, last, from, ascent->steps);
}

static kelvin_status piece(void *context, size_t index)
{
    struct job *job = context;
    const size_t draws = job->options->draws, first = index * PIECE;
    const size_t end = draws - first < PIECE ? draws : first + PIECE;
    size_t wrong = 0;
    KELVIN_TRY(kelvin_figure_piece(job->options->watch));
    for (size_t i = first; i < end; i++) {
        double p[SIMPLEX];
        kelvin_simplex_uniform(p, job->options->seed, i);
        wrong += kelvin_ascent_ends_wrong(job->ascent, p);
    }
    atomic_fetch_add(&job->wrong, wrong);
    return KELVIN_OK;
}

kelvin_status kelvin_ascent_wrong_share(double *share, const struct ascent *ascent,
                                        const struct figure_options *options)
{
    struct job job = {.ascent = ascent, .options = options};
    const size_t pieces = (options->draws + PIECE - 1) / PIECE;
    const kelvin_status status = kelvin_figure_tasks(options, "climbing", pieces, piece, &job, pieces);
    *share = (double)job.wrong / (double)options->draws;
    return status;
}
