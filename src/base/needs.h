/* needs: what a caller must hand in. A status that was not looked at is mostly how a NULL comes into a call: it gets a
 * sentence, and no crash. For functions that other programs call, at their very beginning. */
#ifndef BASE_NEEDS_H
#define BASE_NEEDS_H

#include <kelvin/base.h>

#define KELVIN_NEEDS(argument)                                                                                         \
    do {                                                                                                               \
        if (!(argument)) return kelvin_fail(KELVIN_EUSAGE, "%s: %s is NULL", __func__, #argument);                     \
    } while (0)

#endif
