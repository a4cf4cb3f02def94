/* Winograd by tiles of 4x4 outputs: a quarter of the direct method's products.
 *
 * Points: 0, +-sqrt(1/2), +-sqrt(2), infinity. The usual 0, +-1, +-2 lose three to four times as many digits; these are
 * each other's inverses, so that values neither grow nor shrink much, and their squares are exact. The factors that
 * make the three transforms fit each other are all in the weights'. */
#define TILE             4
#define NAMED(function)  NAME(winograd_4_##function)
#define POINT_GROUPS(DO) DO(0, 1) DO(1, 2) DO(3, 2) DO(5, 1)
#define ROW_GROUPS(DO)   DO(0, 2) DO(1, 3)
#define BACK_GROUPS(DO)  DO(2, 4) DO(1, 3) DO(0, 5)

#include "kernels/wide.h"

static const float root_half = 0x1.6a09e6p-1f, root_two = 0x1.6a09e6p+0f;

/* d times the polynomials that vanish at all points but one, (x^2 - 1/2) (x^2 - 2) and so on */
INLINE void to_points(wide v[6], const wide d[6])
{
    const wide a = wide_set(root_half), b = wide_set(root_two), middle = wide_set(-2.5f);
    const wide even_a = wide_fma(wide_set(-2.0f), d[2], d[4]), odd_a = wide_fma(wide_set(-2.0f), d[1], d[3]);
    const wide even_b = wide_fma(wide_set(-0.5f), d[2], d[4]), odd_b = wide_fma(wide_set(-0.5f), d[1], d[3]);
    v[0] = wide_fma(middle, d[2], d[0] + d[4]);
    const wide by_a = a * odd_a, by_b = b * odd_b;
    v[1] = even_a + by_a;
    v[2] = even_a - by_a;
    v[3] = even_b + by_b;
    v[4] = even_b - by_b;
    v[5] = wide_fma(middle, d[3], d[1] + d[5]);
}

INLINE void points_back(wide d[6], const wide v[6])
{
    const wide sum_a = v[1] + v[2], sum_b = v[3] + v[4];
    const wide odd_a = v[1] - v[2], odd_b = v[3] - v[4];
    const wide a = wide_set(root_half), b = wide_set(root_two), middle = wide_set(-2.5f);
    d[0] = v[0];
    d[1] = v[5] - wide_fma(b, odd_a, a * odd_b); /* b = 2 a */
    d[2] = wide_fma(wide_set(-2.0f), sum_a, wide_fma(wide_set(-0.5f), sum_b, middle * v[0]));
    d[3] = wide_fma(a, odd_a, wide_fma(b, odd_b, middle * v[5]));
    d[4] = v[0] + (sum_a + sum_b);
    d[5] = v[5];
}

/* y[j] = sum over points of point^j m */
INLINE void from_points(wide y[4], const wide m[6])
{
    const wide sum_a = m[1] + m[2], sum_b = m[3] + m[4];
    const wide odd_a = m[1] - m[2], odd_b = m[3] - m[4];
    const wide a = wide_set(root_half);
    y[0] = m[0] + (sum_a + sum_b);
    y[1] = a * wide_fma(wide_set(2.0f), odd_b, odd_a);
    y[2] = wide_fma(wide_set(2.0f), sum_b, wide_set(0.5f) * sum_a);
    y[3] = wide_fma(a, wide_fma(wide_set(4.0f), odd_b, wide_set(0.5f) * odd_a), m[5]);
}

INLINE void to_points_back(wide m[6], const wide y[4])
{
    const wide a = wide_set(root_half), b = wide_set(root_two);
    const wide even_a = wide_fma(wide_set(0.5f), y[2], y[0]), odd_a = wide_fma(wide_set(0.5f), y[3], y[1]);
    const wide even_b = wide_fma(wide_set(2.0f), y[2], y[0]), odd_b = wide_fma(wide_set(2.0f), y[3], y[1]);
    m[0] = y[0];
    const wide by_a = a * odd_a, by_b = b * odd_b;
    m[1] = even_a + by_a;
    m[2] = even_a - by_a;
    m[3] = even_b + by_b;
    m[4] = even_b - by_b;
    m[5] = y[3];
}

/* The weights' polynomial at each point, over the product of the distances to the other points: 1 at 0, -3/2 at
 * +-sqrt(1/2), 6 at +-sqrt(2). */
static const float at_a = -2.0f / 3.0f, at_b = 1.0f / 6.0f;

INLINE void weight_points(wide u[6], const wide g[3])
{
    const wide even_a = wide_set(at_a) * wide_fma(wide_set(0.5f), g[2], g[0]);
    const wide even_b = wide_set(at_b) * wide_fma(wide_set(2.0f), g[2], g[0]);
    const wide odd_a = wide_set(at_a * root_half) * g[1], odd_b = wide_set(at_b * root_two) * g[1];
    u[0] = g[0];
    u[1] = even_a + odd_a;
    u[2] = even_a - odd_a;
    u[3] = even_b + odd_b;
    u[4] = even_b - odd_b;
    u[5] = g[2];
}

INLINE void weight_back(wide g[3], const wide u[6])
{
    const wide sum_a = wide_set(at_a) * (u[1] + u[2]), sum_b = wide_set(at_b) * (u[3] + u[4]);
    g[0] = u[0] + (sum_a + sum_b);
    g[1] = wide_fma(wide_set(at_a * root_half), u[1] - u[2], wide_set(at_b * root_two) * (u[3] - u[4]));
    g[2] = wide_fma(wide_set(0.5f), sum_a, wide_fma(wide_set(2.0f), sum_b, u[5]));
}

#include "kernels/winograd.h"
