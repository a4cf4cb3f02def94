/* Eight chains at once: half a vector with AVX-512. */
#define CHAINS 8
#include "kernels/chains.h"

CHAINS_METHOD(chains_8);
