/* What all tests share: cmocka, and assertions that say what was found. */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include "base/memory.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <kelvin/base.h>

#include <string.h>

#define assert_ok(call)                                                                                                \
    do {                                                                                                               \
        if (call) fail_msg("%s: %s", #call, kelvin_error());                                                           \
    } while (0)

/* |a - b| <= tolerance; false for NaN */
#define assert_near(a, b, tolerance)                                                                                   \
    do {                                                                                                               \
        const double near_a = (a), near_b = (b), near_t = (tolerance);                                                 \
        if (!(fabs(near_a - near_b) <= near_t))                                                                        \
            fail_msg("%s = %.17g, %s = %.17g: apart by %g, allowed %g", #a, near_a, #b, near_b, near_a - near_b,       \
                     near_t);                                                                                          \
    } while (0)

#define assert_below(a, bound)                                                                                         \
    do {                                                                                                               \
        const double below_a = (a), below_b = (bound);                                                                 \
        if (!(below_a < below_b)) fail_msg("%s = %g, must be below %g", #a, below_a, below_b);                         \
    } while (0)

/* Does the work with the n-th allocation failing, for n = 1, 2, ..., until it makes fewer than n; returns that n. Each
 * time before, the answer must be a status and a sentence. (The sanitizers look for leaks.) */
static inline size_t without_memory(kelvin_status (*work)(void *context), void *context)
{
    for (size_t n = 1;; n++) {
        kelvin_alloc_fail_at(n);
        const kelvin_status status = work(context);
        kelvin_alloc_fail_at(0);
        if (!status) return n;
        if (status != KELVIN_ENOMEM || !strstr(kelvin_error(), "out of memory"))
            fail_msg("without the %zu-th allocation: status %d, \"%s\"", n, (int)status, kelvin_error());
    }
}

#endif
