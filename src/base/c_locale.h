/* Decimal points are points between these two calls, in this thread, whatever the host program's locale says.
 *
 *     locale_t c, before = enter_c_locale(&c);
 *     ... strtod, snprintf ...
 *     leave_c_locale(c, before);
 */
#ifndef BASE_C_LOCALE_H
#define BASE_C_LOCALE_H

#include <locale.h>

static inline locale_t enter_c_locale(locale_t *c)
{
    *c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    return *c ? uselocale(*c) : (locale_t)0;
}

static inline void leave_c_locale(locale_t c, locale_t before)
{
    if (!c) return;
    uselocale(before);
    freelocale(c);
}

#endif
