/* A chain whose draws are known: the page runs it when it starts, and says whether a browser has the library's bits.
 * A relaxed multiply-add of WebAssembly is fused or not, as a browser likes; which one is seen from a product that
 * needs more digits than a float has. */
#include "web/c/explorer.h"

#include "data/dataset.h"
#include "files/formats.h"
#include "kernels/kernels.h"

enum { ITERATIONS = 20, STEPS = 100 };

static bool run(struct explorer_chain *chain, uint32_t *checksum)
{
    float x[2 * KELVIN_TOY_POINTS];
    int32_t y[KELVIN_TOY_POINTS];
    const struct explorer_posterior how = {.model = "mlp:10,10,10,10,10",
                                           .density = "dirclip:0.6,-50",
                                           .prior = "normal:1",
                                           .temperature = 1,
                                           .step_size = 2e-3,
                                           .steps = STEPS,
                                           .warmup = 5,
                                           .seed = 3};
    const size_t n = explorer_toy(x, y);
    if (!explorer_chain_begin(chain, &how, x, y, n, false)) return false;
    for (int i = 0; i < ITERATIONS; i++) {
        if (!explorer_chain_step(chain)) return false;
        *checksum =
            kelvin_crc32_more(*checksum, explorer_chain_theta(chain), explorer_chain_parameters(chain) * sizeof(float));
    }
    return true;
}

uint32_t explorer_known(void)
{
    struct explorer_chain *chain = explorer_chain_create();
    uint32_t checksum = 0;
    if (!chain || !run(chain, &checksum)) checksum = 0;
    explorer_chain_destroy(chain);
    return checksum;
}

bool explorer_fuses(void)
{
    const struct kelvin_kernels *kernels;
    const float a = 0x1.000002p0f; /* a a = 1 + 2^-22 + 2^-46, of which a float keeps the first two */
    float y = -0x1.000004p0f;
    if (kelvin_kernels_get(&kernels)) return false;
    kernels->axpy(&y, a, &a, 1);
    return y != 0;
}
