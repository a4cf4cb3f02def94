/* Four chains at once: half a vector. */
#define CHAINS 4
#include "kernels/chains.h"

CHAINS_METHOD(chains_4);
