/* One step of a sampler with friction and noise, in one pass over the parameters:
 *
 *     v = decay v + kick g + noise xi,   theta += drift v
 *
 * The noise is used up as it is made: it never goes to memory. */
#include "base/random.h"
#include "kernels/local.h"
#include "kernels/normals.h"
#include "kernels/wide.h"

enum { GROUP = NORMALS };

struct step {
    float decay, kick, noise, drift;
};

INLINE void step_group(float *theta, float *v, const float *g, const float *xi, struct step s)
{
    const wide decay = wide_set(s.decay), kick = wide_set(s.kick), noise = wide_set(s.noise), drift = wide_set(s.drift);
    for (int i = 0; i < GROUP; i += WIDE) {
        const wide pushed = wide_fma(kick, wide_load(g + i), decay * wide_load(v + i));
        const wide moved = wide_fma(noise, wide_load(xi + i), pushed);
        wide_store(v + i, moved);
        wide_store(theta + i, wide_fma(drift, moved, wide_load(theta + i)));
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
    M words[4];
    philox(words, 0, &where, &keys);
    for (size_t i = 0; i < n; i += GROUP) {
        if (noise != 0) normals_and_next(xi, words, philox_place(i + GROUP).block, &where, &keys);
        if (n - i >= GROUP)
            step_group(theta + i, v + i, g + i, xi, step);
        else
            step_rest(theta + i, v + i, g + i, n - i, xi, step);
    }
}
