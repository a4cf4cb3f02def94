/* One round of Philox 4x32, and where an index lives: shared by base/random.c and the vector kernels. */
#ifndef BASE_PHILOX_H
#define BASE_PHILOX_H

#include <stdint.h>

#define PHILOX_ROUNDS   10
#define PHILOX_KEY_0    0x9E3779B9u
#define PHILOX_KEY_1    0xBB67AE85u
#define PHILOX_FACTOR_0 0xD2511F53u
#define PHILOX_FACTOR_2 0xCD9E8D57u

static inline void philox_round(uint32_t *c0, uint32_t *c1, uint32_t *c2, uint32_t *c3, uint32_t k0, uint32_t k1)
{
    const uint64_t a = (uint64_t)PHILOX_FACTOR_0 * *c0, b = (uint64_t)PHILOX_FACTOR_2 * *c2;
    *c0 = (uint32_t)(b >> 32) ^ *c1 ^ k0;
    *c1 = (uint32_t)b;
    *c2 = (uint32_t)(a >> 32) ^ *c3 ^ k1;
    *c3 = (uint32_t)a;
}

/* Index i is word i/8 mod 4 of block 8 (i/32) + i mod 8. */
struct philox_place {
    uint32_t block, word;
};

static inline struct philox_place philox_place(uint64_t index)
{
    return (struct philox_place){(uint32_t)(index / 32 * 8 + index % 8), (uint32_t)(index / 8 % 4)};
}

#endif
