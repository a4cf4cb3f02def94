/* log, sin and cos for vectors of one kind: included once for each, with V and M its types, K what its comparisons
 * give, and V_(name) and M_(name) its vocabulary. Their errors are those that vmath.h tells of. */
/* x c[0]^(n-1) + ... by Horner */
INLINE V V_(poly)(V x, const float *c, int n)
{
    V r = V_(set)(c[0]);
    for (int i = 1; i < n; i++) r = V_(fma)(r, x, V_(set)(c[i]));
    return r;
}

/* log x for positive normal x */
INLINE V V_(log)(V x)
{
    static const float c[] = {7.0376836292e-2f,  -1.1514610310e-1f, 1.1676998740e-1f,
                              -1.2420140846e-1f, 1.4249322787e-1f,  -1.6668057665e-1f,
                              2.0000714765e-1f,  -2.4999993993e-1f, 3.3333331174e-1f};
    /* x = 2^e m with m in [sqrt(1/2), sqrt(2)) */
    const M offset = M_(sub)(V_(bits)(x), M_(set)(0x3f3504f3));
    const V e = M_(to_float)(M_(sar)(offset, 23));
    const V m = M_(floats)(M_(add)(M_(and)(offset, M_(set)(0x007fffff)), M_(set)(0x3f3504f3)));
    const V f = V_(sub)(m, V_(set)(1.0f)), f2 = V_(mul)(f, f);
    V y = V_(mul)(V_(mul)(V_(poly)(f, c, 9), f), f2);
    y = V_(fma)(e, V_(set)(-2.12194440e-4f), y);
    y = V_(fma)(f2, V_(set)(-0.5f), y);
    return V_(fma)(e, V_(set)(0.693359375f), V_(add)(f, y));
}

/* cos and sin of 2 pi u for u in [0, 1] */
INLINE void V_(sincos2pi)(V *cosine, V *sine, V u)
{
    static const float s[] = {-1.9515295891e-4f, 8.3321608736e-3f, -1.6666654611e-1f};
    static const float c[] = {2.443315711809948e-5f, -1.388731625493765e-3f, 4.166664568298827e-2f};
    const V magic = V_(set)(0x1.8p23f), turns = V_(mul)(u, V_(set)(4.0f));
    const V shifted = V_(add)(turns, magic), quarter = V_(sub)(shifted, magic);
    const V x = V_(mul)(V_(sub)(turns, quarter), V_(set)(1.5707963268f)), x2 = V_(mul)(x, x);
    const V sx = V_(fma)(V_(mul)(V_(poly)(x2, s, 3), x2), x, x);
    const V cx = V_(fma)(V_(mul)(V_(poly)(x2, c, 3), x2), x2, V_(fma)(x2, V_(set)(-0.5f), V_(set)(1.0f)));
    /* quarter turns: swap on odd ones, then set the signs */
    const M q = V_(bits)(shifted), sign = M_(set)(INT32_MIN);
    const K odd = M_(eq)(M_(and)(q, M_(set)(1)), M_(set)(1));
    const M flip_sin = M_(and)(M_(shl)(q, 30), sign), flip_cos = M_(and)(M_(shl)(M_(add)(q, M_(set)(1)), 30), sign);
    *sine = M_(floats)(M_(xor)(V_(bits)(V_(select)(odd, cx, sx)), flip_sin));
    *cosine = M_(floats)(M_(xor)(V_(bits)(V_(select)(odd, sx, cx)), flip_cos));
}
