/* Runs the target, and holds it to the memory that the input justifies. */
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>

static bool counting;
static size_t allocated;

/* Called by the address sanitizer after every allocation. */
void __sanitizer_malloc_hook(const volatile void *p, size_t size);
void __sanitizer_malloc_hook(const volatile void *p, size_t size)
{
    (void)p;
    if (counting) allocated += size;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const size_t limit = fuzz_target.base + fuzz_target.factor * size;
    allocated = 0;
    counting = true;
    fuzz_target.run(bytes, size);
    counting = false;
    if (allocated > limit) {
        fprintf(stderr, "%zu bytes of input: %zu bytes allocated, at most %zu may be\n", size, allocated, limit);
        abort();
    }
    return 0;
}
