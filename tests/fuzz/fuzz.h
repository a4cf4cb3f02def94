/* fuzz: one target per file format. The same program runs under libFuzzer (`make fuzz`) and, as one of the tests, over
 * the seeds alone. */
#ifndef FUZZ_H
#define FUZZ_H

#include <kelvin/base.h>

struct fuzz_target {
    /* Takes any bytes. Checks what it can of what comes out, and aborts where that is wrong. */
    void (*run)(const uint8_t *bytes, size_t size);
    /* All that it may allocate, freed or not: base + factor * size bytes. Looked after where the address sanitizer is.
     */
    size_t base, factor;
};

extern const struct fuzz_target fuzz_target;

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#endif
