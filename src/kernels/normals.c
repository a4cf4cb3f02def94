/* Standard normals in a row: kelvin_normal(where, 0 .. n-1); and the bits that they are made of. */
#include "kernels/normals.h"
#include "base/random.h"
#include "kernels/local.h"

void NAME(normals)(float *out, size_t n, kelvin_random where)
{
    const struct philox_keys keys = philox_keys(where);
    for (size_t i = 0; i < n; i += 32) {
        float some[32];
        normals_32(some, i, &where, &keys);
        memcpy(out + i, some, (n - i < 32 ? n - i : 32) * sizeof *out);
    }
}

void NAME(random_bits)(uint32_t bits[32], uint64_t first, kelvin_random where)
{
    const struct philox_keys keys = philox_keys(where);
    uint32_t words[4][8];
    philox_8(words, philox_place(first).block, &where, &keys);
    memcpy(bits, words, sizeof words);
}
