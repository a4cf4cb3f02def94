/* Standard normals in a row: kelvin_normal(where, 0 .. n-1); and the bits that they are made of. */
#include "kernels/normals.h"
#include "base/random.h"
#include "kernels/local.h"

void NAME(normals)(float *out, size_t n, kelvin_random where)
{
    const struct philox_keys keys = philox_keys(where);
    M words[4];
    philox(words, 0, &where, &keys);
    for (size_t i = 0; i < n; i += NORMALS) {
        float some[NORMALS];
        normals_and_next(some, words, philox_place(i + NORMALS).block, &where, &keys);
        memcpy(out + i, some, (n - i < NORMALS ? n - i : NORMALS) * sizeof *out);
    }
}

void NAME(random_bits)(uint32_t bits[KELVIN_BITS], uint64_t first, kelvin_random where)
{
    const struct philox_keys keys = philox_keys(where);
    for (size_t i = 0; i < KELVIN_BITS; i += NORMALS) {
        uint32_t lane[4][BLOCKS];
        M words[4];
        philox(words, philox_place(first + i).block, &where, &keys);
        UNROLLED(w, 4) memcpy(lane[w], &words[w], sizeof lane[w]);
        for (size_t b = 0; b < BLOCKS; b += 8)
            UNROLLED(w, 4) memcpy(bits + i + 4 * b + 8 * (size_t)w, lane[w] + b, 8 * sizeof *bits);
    }
}
