/* temperatures: the list that a figure is drawn for, as the reader wrote it: "1,0.3,1/12".
 *
 *     struct temperatures list;
 *     KELVIN_TRY(temperatures_parse(&list, options->temperatures));
 *     for (size_t i = 0; i < list.n; i++) use(list.T[i]);
 */
#ifndef FIGURES_TEMPERATURES_H
#define FIGURES_TEMPERATURES_H

#include <kelvin/base.h>

enum { MOST_TEMPERATURES = 32 };

struct temperatures {
    size_t n;
    double T[MOST_TEMPERATURES];
};

/* Numbers or fractions of numbers in [1e-12, 1], separated by commas. KELVIN_EUSAGE with the item that is not. */
KELVIN_MUST_CHECK kelvin_status temperatures_parse(struct temperatures *list, const char *text);

/* The same where exactly n are wanted; `what` says which they are. */
KELVIN_MUST_CHECK kelvin_status temperatures_parse_n(struct temperatures *list, const char *text, size_t n,
                                                     const char *what);

#endif
