/* lineup: which samples are of which chain, and which of them can be compared draw by draw. */
#ifndef POSTERIOR_LINEUP_H
#define POSTERIOR_LINEUP_H

#include <kelvin/posterior.h>

/* A chain that has samples: n of them, from the `first` on. */
struct kelvin_members {
    uint32_t number;
    size_t first, n;
};

/* chain (n), in order: which one each sample is of. The members are the arena's. */
KELVIN_MUST_CHECK kelvin_status kelvin_members_find(struct kelvin_members **members, size_t *chains,
                                                    const uint32_t *chain, size_t n, kelvin_arena *arena);

/* The draws of the chains that have as many as any: the others diverged before. */
struct kelvin_lineup {
    size_t chains, draws;
    struct kelvin_members *chain; /* (chains) */
};

/* Which of all samples is the s-th of (chains, draws). */
static inline size_t kelvin_lineup_sample(const struct kelvin_lineup *lineup, size_t s)
{
    return lineup->chain[s / lineup->draws].first + s % lineup->draws;
}

KELVIN_MUST_CHECK kelvin_status kelvin_lineup_find(struct kelvin_lineup *lineup, const uint32_t *chain, size_t n,
                                                   kelvin_arena *arena);

#endif
