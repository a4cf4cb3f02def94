/* The interval is halved until there is no number left inside. */
#include "figures/bisect.h"

double bisect(condition *holds, const void *context, double from, double to)
{
    for (;;) {
        const double middle = from + (to - from) / 2;
        if (middle == from || middle == to) return from;
        if (holds(middle, context))
            from = middle;
        else
            to = middle;
    }
}
