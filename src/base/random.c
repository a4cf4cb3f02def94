/* Counter-based random numbers: Philox 4x32-10.
 *
 * J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
 * The key is the seed; the counter is (block of the index, step, chain, stream). */
#include <kelvin/base.h>

#include "base/philox.h"
#include "base/random.h"

#include <math.h>

void kelvin_philox(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2])
{
    for (int i = 0; i < 4; i++) out[i] = counter[i];
    uint32_t k0 = key[0], k1 = key[1];
    for (int round = 0; round < PHILOX_ROUNDS; round++) {
        philox_round(&out[0], &out[1], &out[2], &out[3], k0, k1);
        k0 += PHILOX_KEY_0;
        k1 += PHILOX_KEY_1;
    }
}

uint32_t kelvin_random_bits(kelvin_random where, uint64_t index)
{
    const struct philox_place place = philox_place(index);
    const uint32_t counter[4] = {place.block, where.step, where.chain, where.stream};
    const uint32_t key[2] = {(uint32_t)where.seed, (uint32_t)(where.seed >> 32)};
    uint32_t out[4];
    kelvin_philox(out, counter, key);
    return out[place.word];
}

double kelvin_uniform(kelvin_random where, uint64_t index)
{
    return (kelvin_random_bits(where, index) + 0.5) * 0x1p-32;
}

double kelvin_normal(kelvin_random where, uint64_t index)
{
    /* Words 0 and 1 of a block make one pair, words 2 and 3 the other; they stand 8 indices apart. */
    const bool second = index / 8 % 2 == 1;
    const uint64_t first = second ? index - 8 : index;
    const double radius = sqrt(-2.0 * log(kelvin_uniform(where, first)));
    const double angle = 6.283185307179586 * kelvin_uniform(where, first + 8);
    return radius * (second ? sin(angle) : cos(angle));
}

/* Multiply and shift (Lemire 2019); a draw that falls into the short first interval is thrown away, and the next try
 * takes the same index of another stream. `bits` are those of the first try. */
static uint32_t uniform_int(uint32_t bits, kelvin_random where, uint64_t index, uint32_t bound)
{
    uint64_t m = (uint64_t)bits * bound;
    if ((uint32_t)m < bound) { /* else it is at least the threshold, too: that is below the bound */
        const uint32_t threshold = (0u - bound) % bound;
        while ((uint32_t)m < threshold) {
            where.stream += 1u << 16;
            m = (uint64_t)kelvin_random_bits(where, index) * bound;
        }
    }
    return (uint32_t)(m >> 32);
}

uint32_t kelvin_uniform_int(kelvin_random where, uint64_t index, uint32_t bound)
{
    return uniform_int(kelvin_random_bits(where, index), where, index, bound);
}

/* The bits of indices from a multiple of their number on: all words of some blocks, instead of one each of as many. */
static void group_bits(uint32_t bits[KELVIN_BITS], uint64_t first, kelvin_random where)
{
    const uint32_t key[2] = {(uint32_t)where.seed, (uint32_t)(where.seed >> 32)};
    for (uint32_t i = 0; i < KELVIN_BITS / 4; i++) {
        uint32_t words[4], *to = bits + i / 8 * 32 + i % 8;
        const uint32_t counter[4] = {philox_place(first).block + i, where.step, where.chain, where.stream};
        kelvin_philox(words, counter, key);
        for (uint32_t w = 0; w < 4; w++) to[8 * w] = words[w];
    }
}

/* uniform_int of indices first .. below bounds first + 1 .., all at once: only where one of them might be thrown away
 * (once in 2^32 / bound) one by one. */
static void places(uint32_t place[KELVIN_BITS], const uint32_t bits[KELVIN_BITS], kelvin_random where, uint32_t first)
{
    uint32_t doubtful = 0;
    for (uint32_t i = 0; i < KELVIN_BITS; i++) {
        const uint64_t m = (uint64_t)bits[i] * (first + i + 1);
        place[i] = (uint32_t)(m >> 32);
        doubtful |= (uint32_t)m < first + i + 1;
    }
    for (uint32_t i = 0; doubtful && i < KELVIN_BITS; i++)
        place[i] = uniform_int(bits[i], where, first + i, first + i + 1);
}

void kelvin_permutation_of(uint32_t *out, uint32_t n, kelvin_random where, kelvin_bits *some)
{
    uint32_t bits[KELVIN_BITS], place[KELVIN_BITS];
    for (uint32_t first = 0, count; first < n; first += count) { /* Fisher-Yates, inside out */
        count = n - first < KELVIN_BITS ? n - first : KELVIN_BITS;
        some(bits, first, where);
        places(place, bits, where, first);
        for (uint32_t i = 0; i < count; i++) {
            out[first + i] = out[place[i]];
            out[place[i]] = first + i;
        }
    }
}

void kelvin_permutation(uint32_t *out, uint32_t n, kelvin_random where)
{
    kelvin_permutation_of(out, n, where, group_bits);
}
