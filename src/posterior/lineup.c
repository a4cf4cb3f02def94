/* Which samples are of which chain. */
#include "posterior/lineup.h"

kelvin_status kelvin_members_find(struct kelvin_members **out, size_t *chains, const uint32_t *chain, size_t n,
                                  kelvin_arena *arena)
{
    *chains = 0;
    for (size_t i = 0; i < n; i++) *chains += i == 0 || chain[i] != chain[i - 1];
    struct kelvin_members *members = *out = kelvin_arena_alloc(arena, *chains, sizeof *members);
    if (!members) return KELVIN_ENOMEM;
    for (size_t i = 0, end; i < n; i = end, members++) {
        for (end = i + 1; end < n && chain[end] == chain[i];) end++;
        *members = (struct kelvin_members){.number = chain[i], .first = i, .n = end - i};
    }
    return KELVIN_OK;
}

kelvin_status kelvin_lineup_find(struct kelvin_lineup *out, const uint32_t *chain, size_t n, kelvin_arena *arena)
{
    size_t all;
    *out = (struct kelvin_lineup){0};
    KELVIN_TRY(kelvin_members_find(&out->chain, &all, chain, n, arena));
    for (size_t i = 0; i < all; i++)
        if (out->chain[i].n > out->draws) out->draws = out->chain[i].n;
    for (size_t i = 0; i < all; i++)
        if (out->chain[i].n == out->draws) out->chain[out->chains++] = out->chain[i];
    return KELVIN_OK;
}
