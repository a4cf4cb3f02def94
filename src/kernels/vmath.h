/* exp, log, sin and cos of eight floats, with errors near one unit in the last place.
 *
 * Written here rather than called from SLEEF because they are a tenth of a leapfrog step: inlined, three vectors
 * overlap. The polynomials are those of Cephes (Moshier): exp and log on the usual reduced ranges, sin and cos on
 * [-pi/4, pi/4]. tests/test_kernels.c holds them against the C library in double. */
#ifndef KERNELS_VMATH_H
#define KERNELS_VMATH_H

#include "kernels/vec.h"

/* x c[0]^(n-1) + ... by Horner */
INLINE v8 v8_poly(v8 x, const float *c, int n)
{
    v8 r = v8_set(c[0]);
    for (int i = 1; i < n; i++) r = v8_fma(r, x, v8_set(c[i]));
    return r;
}

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

/* log x for positive normal x */
INLINE v8 v8_log(v8 x)
{
    static const float c[] = {7.0376836292e-2f,  -1.1514610310e-1f, 1.1676998740e-1f,
                              -1.2420140846e-1f, 1.4249322787e-1f,  -1.6668057665e-1f,
                              2.0000714765e-1f,  -2.4999993993e-1f, 3.3333331174e-1f};
    /* x = 2^e m with m in [sqrt(1/2), sqrt(2)) */
    const m8 offset = m8_sub(v8_bits(x), m8_set(0x3f3504f3));
    const v8 e = m8_to_float(m8_sar(offset, 23));
    const v8 m = m8_floats(m8_add(m8_and(offset, m8_set(0x007fffff)), m8_set(0x3f3504f3)));
    const v8 f = v8_sub(m, v8_set(1.0f)), f2 = v8_mul(f, f);
    v8 y = v8_mul(v8_mul(v8_poly(f, c, 9), f), f2);
    y = v8_fma(e, v8_set(-2.12194440e-4f), y);
    y = v8_fma(f2, v8_set(-0.5f), y);
    return v8_fma(e, v8_set(0.693359375f), v8_add(f, y));
}

/* log(1 + s) for s >= 0, accurate for small s: the rounding of 1 + s is put back. */
INLINE v8 v8_log1p(v8 s)
{
    const v8 one = v8_set(1.0f), u = v8_add(one, s);
    return v8_add(v8_log(u), v8_div(v8_sub(s, v8_sub(u, one)), u));
}

/* cos and sin of 2 pi u for u in [0, 1] */
INLINE void v8_sincos2pi(v8 *cosine, v8 *sine, v8 u)
{
    static const float s[] = {-1.9515295891e-4f, 8.3321608736e-3f, -1.6666654611e-1f};
    static const float c[] = {2.443315711809948e-5f, -1.388731625493765e-3f, 4.166664568298827e-2f};
    const v8 magic = v8_set(0x1.8p23f), turns = v8_mul(u, v8_set(4.0f));
    const v8 shifted = v8_add(turns, magic), quarter = v8_sub(shifted, magic);
    const v8 x = v8_mul(v8_sub(turns, quarter), v8_set(1.5707963268f)), x2 = v8_mul(x, x);
    const v8 sx = v8_fma(v8_mul(v8_poly(x2, s, 3), x2), x, x);
    const v8 cx = v8_fma(v8_mul(v8_poly(x2, c, 3), x2), x2, v8_fma(x2, v8_set(-0.5f), v8_set(1.0f)));
    /* quarter turns: swap on odd ones, then set the signs */
    const m8 q = v8_bits(shifted), sign = m8_set(INT32_MIN);
    const m8 odd = m8_eq(m8_and(q, m8_set(1)), m8_set(1));
    const m8 flip_sin = m8_and(m8_shl(q, 30), sign), flip_cos = m8_and(m8_shl(m8_add(q, m8_set(1)), 30), sign);
    *sine = m8_floats(m8_xor(v8_bits(v8_select(odd, cx, sx)), flip_sin));
    *cosine = m8_floats(m8_xor(v8_bits(v8_select(odd, sx, cx)), flip_cos));
}

#endif
