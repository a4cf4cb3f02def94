/* One step of a sampler with friction and noise, in one pass over the parameters:
 *
 *     v = decay v + kick g + noise xi,   theta += drift v
 *
 * The noise is used up as it is made: it never goes to memory. */
#include "base/random.h"
#include "kernels/local.h"
#include "kernels/normals.h"

enum { GROUP = 32 };

struct step {
    float decay, kick, noise, drift;
};

INLINE void step_group(float *theta, float *v, const float *g, const float *xi, struct step s)
{
    const v8 decay = v8_set(s.decay), kick = v8_set(s.kick), noise = v8_set(s.noise), drift = v8_set(s.drift);
    for (int i = 0; i < GROUP; i += 8) {
        const v8 pushed = v8_fma(kick, v8_load(g + i), v8_mul(decay, v8_load(v + i)));
        const v8 moved = v8_fma(noise, v8_load(xi + i), pushed);
        v8_store(v + i, moved);
        v8_store(theta + i, v8_fma(drift, moved, v8_load(theta + i)));
    }
}

/* The last n < GROUP parameters, by way of a whole group. */
static void step_rest(float *theta, float *v, const float *g, size_t n, const float *xi, struct step s)
{
    float group_theta[GROUP] = {0}, group_v[GROUP] = {0}, group_g[GROUP] = {0};
    memcpy(group_theta, theta, n * sizeof *theta);
    memcpy(group_v, v, n * sizeof *v);
    memcpy(group_g, g, n * sizeof *g);
    step_group(group_theta, group_v, group_g, xi, s);
    memcpy(theta, group_theta, n * sizeof *theta);
    memcpy(v, group_v, n * sizeof *v);
}

void NAME(langevin)(float *theta, float *v, const float *g, size_t n, float decay, float kick, float noise, float drift,
                    kelvin_random where)
{
    const struct step step = {decay, kick, noise, drift};
    const struct philox_keys keys = philox_keys(where);
    float xi[GROUP] = {0};
    for (size_t i = 0; i < n; i += GROUP) {
        if (noise != 0) normals_32(xi, i, &where, &keys);
        if (n - i >= GROUP)
            step_group(theta + i, v + i, g + i, xi, step);
        else
            step_rest(theta + i, v + i, g + i, n - i, xi, step);
    }
}
