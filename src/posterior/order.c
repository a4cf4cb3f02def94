/* The order of doubles, by the bytes of keys that sort as the numbers do, the lowest byte first. Keys are made again
 * whenever they are needed: what moves is 4 bytes per number. Bytes that are the same in all keys cost nothing, as the
 * lower half of a double that was a float. */
#include "posterior/stats.h"

#include <string.h>

enum { BITS = 8, VALUES = 1 << BITS, BYTES = 64 / BITS, FEW = 32 };

/* Bits of numbers that are not negative are in the order of the numbers; of others, they are turned round. */
static uint64_t key_of(double x)
{
    const uint64_t sign = UINT64_C(1) << 63;
    const double plain = x + 0.0; /* -0 becomes 0 */
    uint64_t bits;
    memcpy(&bits, &plain, sizeof bits);
    return bits & sign ? ~bits : bits | sign;
}

static size_t byte_of(double x, size_t byte)
{
    return (size_t)(key_of(x) >> (byte * BITS)) & (VALUES - 1);
}

static void insert(uint32_t *order, const double *x, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        size_t at = i;
        for (; at > 0 && x[order[at - 1]] > x[i]; at--) order[at] = order[at - 1];
        order[at] = (uint32_t)i;
    }
}

/* How many keys have which value in which byte. */
static void count(uint32_t counts[BYTES][VALUES], const double *x, size_t n)
{
    memset(counts, 0, BYTES * sizeof *counts);
    for (size_t i = 0; i < n; i++) {
        const uint64_t key = key_of(x[i]);
        for (size_t b = 0; b < BYTES; b++) counts[b][key >> (b * BITS) & (VALUES - 1)]++;
    }
}

/* From the order by all bytes below that by this one as well. */
static void deal(uint32_t *to, const uint32_t *from, uint32_t at[VALUES], const double *x, size_t n, size_t byte)
{
    for (uint32_t v = 0, sum = 0; v < VALUES; v++) {
        const uint32_t here = at[v];
        at[v] = sum;
        sum += here;
    }
    for (size_t i = 0; i < n; i++) to[at[byte_of(x[from[i]], byte)]++] = from[i];
}

void kelvin_sort_order(uint32_t *order, uint32_t *scratch, const double *x, size_t n)
{
    uint32_t counts[BYTES][VALUES], *from = order, *to = scratch;
    for (size_t i = 0; i < n; i++) order[i] = (uint32_t)i;
    if (n <= FEW) {
        insert(order, x, n);
        return;
    }
    count(counts, x, n);
    for (size_t b = 0; b < BYTES; b++) {
        if (counts[b][byte_of(x[0], b)] == n) continue;
        deal(to, from, counts[b], x, n, b);
        uint32_t *const swap = from;
        from = to;
        to = swap;
    }
    if (from != order) memcpy(order, from, n * sizeof *order);
}
