/* memory: what tests do to it. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <kelvin/base.h>

/* The n-th allocation from now on fails (1 = the next one), once; 0 = never. */
void kelvin_alloc_fail_at(size_t n);

#endif
