/* Winograd by tiles of 2x2 outputs: 4/9 of the direct method's products, and nearly its precision. Points: 0, +-1,
 * infinity. */
#define TILE             2
#define NAMED(function)  NAME(winograd_2_##function)
#define POINT_GROUPS(DO) DO(0, 1) DO(1, 2) DO(3, 1)
#define ROW_GROUPS(DO)   DO(0, 1)
#define BACK_GROUPS(DO)  DO(1, 2) DO(0, 3)

#include "kernels/wide.h"

INLINE void to_points(wide v[4], const wide d[4])
{
    v[0] = d[2] - d[0];
    v[1] = d[2] + d[1];
    v[2] = d[2] - d[1];
    v[3] = d[3] - d[1];
}

INLINE void points_back(wide d[4], const wide v[4])
{
    d[0] = -v[0];
    d[1] = (v[1] - v[2]) - v[3];
    d[2] = v[0] + (v[1] + v[2]);
    d[3] = v[3];
}

INLINE void from_points(wide y[2], const wide m[4])
{
    y[0] = m[0] + (m[1] + m[2]);
    y[1] = (m[1] - m[2]) + m[3];
}

INLINE void to_points_back(wide m[4], const wide y[2])
{
    m[0] = y[0];
    m[1] = y[0] + y[1];
    m[2] = y[0] - y[1];
    m[3] = y[1];
}

INLINE void weight_points(wide u[4], const wide g[3])
{
    const wide half = wide_set(0.5f), even = half * (g[0] + g[2]), odd = half * g[1];
    u[0] = -g[0];
    u[1] = even + odd;
    u[2] = even - odd;
    u[3] = g[2];
}

INLINE void weight_back(wide g[3], const wide u[4])
{
    const wide half = wide_set(0.5f), even = half * (u[1] + u[2]);
    g[0] = even - u[0];
    g[1] = half * (u[1] - u[2]);
    g[2] = even + u[3];
}

#include "kernels/winograd.h"
