/* Which samples are of which chain. */
#include "posterior/lineup.h"

size_t kelvin_members_find(struct kelvin_members *out, const uint32_t *chain, size_t n)
{
    size_t chains = 0;
    for (size_t i = 0, end; i < n; i = end, chains++) {
        for (end = i + 1; end < n && chain[end] == chain[i];) end++;
        if (out) out[chains] = (struct kelvin_members){.number = chain[i], .first = i, .n = end - i};
    }
    return chains;
}

static void line_up(struct kelvin_lineup *out, const struct kelvin_members *members, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (members[i].n > out->draws) out->draws = members[i].n;
    for (size_t i = 0; i < n; i++)
        if (members[i].n == out->draws) out->first[out->chains++] = members[i].first;
}

kelvin_status kelvin_lineup_create(struct kelvin_lineup *out, const uint32_t *chain, size_t n)
{
    const size_t chains = kelvin_members_find(NULL, chain, n);
    struct kelvin_members *members = kelvin_alloc(chains, sizeof *members);
    *out = (struct kelvin_lineup){.first = members ? kelvin_alloc(chains, sizeof *out->first) : NULL};
    if (out->first) line_up(out, members, kelvin_members_find(members, chain, n));
    kelvin_free(members);
    return out->first ? KELVIN_OK : KELVIN_ENOMEM;
}

void kelvin_lineup_destroy(struct kelvin_lineup *lineup)
{
    kelvin_free(lineup->first);
    *lineup = (struct kelvin_lineup){0};
}
