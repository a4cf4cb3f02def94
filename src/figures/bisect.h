/* bisect: where a condition ceases to hold.
 *
 *     static bool rises(double x, const void *curve) { ... }
 *     double peak = bisect(rises, &curve, 0, 1);
 */
#ifndef FIGURES_BISECT_H
#define FIGURES_BISECT_H

#include <stdbool.h>

typedef bool condition(double x, const void *context);

/* The last number at or above `from` for which the condition holds, if it does at `from`, does not at `to`, and changes
 * once in between. `to` may be the lower one. To the last bit. */
double bisect(condition *holds, const void *context, double from, double to);

#endif
