/* exp, log, sin and cos of eight floats, with errors near one unit in the last place.
 *
 * Written here rather than called from SLEEF because they are a tenth of a leapfrog step: inlined, three vectors
 * overlap. The polynomials are those of Cephes (Moshier): exp and log on the usual reduced ranges, sin and cos on
 * [-pi/4, pi/4]. tests/test_kernels.c holds them against the C library in double. */
#ifndef KERNELS_VMATH_H
#define KERNELS_VMATH_H

#include "kernels/vec.h"

#define V        v8
#define M        m8
#define K        m8
#define V_(name) v8_##name
#define M_(name) m8_##name
#include "kernels/vmath_any.h"
#undef V
#undef M
#undef K
#undef V_
#undef M_

/* e^x for x <= 0; 0 where the result would be below the smallest normal number. */
INLINE v8 v8_exp(v8 x)
{
    static const float c[] = {1.9875691500e-4f, 1.3981999507e-3f, 8.3334519073e-3f,
                              4.1665795894e-2f, 1.6666665459e-1f, 5.0000001201e-1f};
    const v8 lowest = v8_set(-87.33654f), magic = v8_set(0x1.8p23f);
    const m8 normal = v8_gt(x, lowest);
    x = v8_max(x, lowest);
    /* x = n log 2 + r; adding the magic number rounds, and leaves n in the low bits */
    const v8 shifted = v8_fma(x, v8_set(0x1.715476p0f), magic), n = v8_sub(shifted, magic);
    const v8 r = v8_fma(n, v8_set(2.12194440e-4f), v8_fma(n, v8_set(-0.693359375f), x));
    const v8 y = v8_add(v8_fma(v8_poly(r, c, 6), v8_mul(r, r), r), v8_set(1.0f));
    const v8 scaled = m8_floats(m8_add(v8_bits(y), m8_shl(v8_bits(shifted), 23)));
    return m8_floats(m8_and(v8_bits(scaled), normal));
}

/* log(1 + s) for s >= 0, accurate for small s: the rounding of 1 + s is put back. */
INLINE v8 v8_log1p(v8 s)
{
    const v8 one = v8_set(1.0f), u = v8_add(one, s);
    return v8_add(v8_log(u), v8_div(v8_sub(s, v8_sub(u, one)), u));
}

#endif
