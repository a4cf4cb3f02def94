/* A target of one's own: any log-density with a gradient can be sampled. Here it is two normal numbers of deviation 1
 * and 2 with a correlation of 0.9, sampled by Hamiltonian Monte Carlo.
 *
 *     cc own_target.c $(pkg-config --cflags --libs kelvin) -lm -o own_target
 *     ./own_target
 *
 * It prints:
 *
 *     deviations 1.0 and 2.0, correlation 0.9
 */
#include <kelvin/kelvin.h>

#include <math.h>
#include <stdio.h>

enum { N = 2, WARMUP = 500, DRAWS = 20000 };

struct normals {
    double a, b, correlation; /* deviations, and how they go together */
};

/* log p = -(u^2 - 2 c u v + v^2) / (2 (1 - c^2)) with u = x / a, v = y / b; either result may not be asked for. */
static void log_density(void *context, double *logp, float *grad, const float *theta)
{
    const struct normals *normals = context;
    const double u = theta[0] / normals->a, v = theta[1] / normals->b, c = normals->correlation;
    const double scale = 1 / (1 - c * c);
    if (logp) *logp = -0.5 * scale * (u * u - 2 * c * u * v + v * v);
    if (grad) grad[0] = (float)(-scale * (u - c * v) / normals->a);
    if (grad) grad[1] = (float)(-scale * (v - c * u) / normals->b);
}

/* Means of the draws' products: (x x, x y, y y). */
static kelvin_status sample(double moments[3], struct normals *normals)
{
    const kelvin_target target = {N, log_density, normals};
    const float start[N] = {3, -3};
    kelvin_sampler *chain = NULL;
    KELVIN_TRY(kelvin_sampler_create(&chain, "hmc", &target, 1, 0)); /* chain 0 of seed 1 */
    kelvin_status status = kelvin_sampler_set(chain, "step_size", 0.3);
    if (!status) status = kelvin_sampler_set(chain, "steps", 10);
    if (!status) kelvin_sampler_start(chain, start);
    for (uint32_t i = 0; i < WARMUP + DRAWS && !status; i++) {
        const kelvin_moment moment = {i, WARMUP, 1, 1}; /* at temperature 1 */
        kelvin_sampler_step(chain, &moment);
        const float *theta = kelvin_sampler_theta(chain);
        if (i < WARMUP) continue;
        moments[0] += (double)theta[0] * theta[0] / DRAWS;
        moments[1] += (double)theta[0] * theta[1] / DRAWS;
        moments[2] += (double)theta[1] * theta[1] / DRAWS;
    }
    kelvin_sampler_destroy(chain);
    return status;
}

int main(void)
{
    struct normals normals = {1, 2, 0.9};
    double moments[3] = {0};
    if (sample(moments, &normals)) {
        fprintf(stderr, "%s\n", kelvin_error());
        return 1;
    }
    const double a = sqrt(moments[0]), b = sqrt(moments[2]);
    printf("deviations %.1f and %.1f, correlation %.1f\n", a, b, moments[1] / (a * b));
    return 0;
}
