/* random: numbers that are functions of their place.
 *
 *     const kelvin_random where = {seed, chain, step, KELVIN_STREAM_INIT};
 *     double u = kelvin_uniform(where, 0), z = kelvin_normal(where, 1);
 *
 * Philox 4x32-10 (Salmon et al., 2011). Every number is a pure function of (seed, chain, step, stream) and of
 * an index: no state, so the order in which threads ask does not matter. */
#ifndef BASE_RANDOM_H
#define BASE_RANDOM_H

#include <stdint.h>

typedef struct kelvin_random {
    uint64_t seed;
    uint32_t chain;
    uint32_t step;   /* of the chain: iteration, epoch, ... */
    uint32_t stream; /* what the numbers are for: one of enum kelvin_stream */
} kelvin_random;

enum kelvin_stream {
    KELVIN_STREAM_INIT = 1, /* starting parameters */
    KELVIN_STREAM_MOMENTUM, /* SGHMC: the first momentum */
    KELVIN_STREAM_ACCEPT,   /* HMC: accept or reject */
    KELVIN_STREAM_SPLIT,    /* which observations are for testing */
    KELVIN_STREAM_ORDER,    /* in which order they come in an epoch */
    KELVIN_STREAM_AUGMENT,  /* flips and crops */
    KELVIN_STREAM_NOISE,    /* SGHMC: the noise of a step */
    /* MCLMC, the last two with the number of the step in their upper 16 bits: the first direction; its turns */
    KELVIN_STREAM_DIRECTION,
    KELVIN_STREAM_TURN_BEFORE,
    KELVIN_STREAM_TURN_AFTER,
    KELVIN_STREAM_REFRESH,   /* HMC: fresh momenta */
    KELVIN_STREAM_LOOKED_AT, /* which rows columns are compared on */
    KELVIN_STREAM_SHUFFLE,   /* the values of a column among them */
    KELVIN_STREAM_FOLDS,     /* which training rows are held out when settings are chosen */
    KELVIN_STREAM_USER = 1000,
};

/* Ten rounds of Philox 4x32 on one counter. */
void kelvin_philox(uint32_t out[4], const uint32_t counter[4], const uint32_t key[2]);

/* The 32 random bits at `index`. Indices are spread so that eight neighbours are one word of eight
 * neighbouring counters: a vector unit makes 32 numbers at once without a shuffle. */
uint32_t kelvin_random_bits(kelvin_random where, uint64_t index);

/* Uniform in (0, 1), never 0 or 1. */
double kelvin_uniform(kelvin_random where, uint64_t index);

/* Uniform in 0 .. bound-1, without bias. */
uint32_t kelvin_uniform_int(kelvin_random where, uint64_t index, uint32_t bound);

/* Standard normal (Box-Muller, in double). kelvin_normals() of kernels makes the same numbers in float. */
double kelvin_normal(kelvin_random where, uint64_t index);

/* A uniformly random permutation of 0 .. n-1. */
void kelvin_permutation(uint32_t *out, uint32_t n, kelvin_random where);
/* The same one by bits of the caller's: `some` is kelvin_random_bits(where, first + 0 .. KELVIN_BITS - 1), as kernels
 * have it. */
enum { KELVIN_BITS = 64 };
typedef void kelvin_bits(uint32_t bits[KELVIN_BITS], uint64_t first, kelvin_random where);
void kelvin_permutation_of(uint32_t *out, uint32_t n, kelvin_random where, kelvin_bits *some);

#endif
