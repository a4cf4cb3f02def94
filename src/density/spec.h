/* spec: the texts "name" and "name:value,value" by which densities and priors are asked for. */
#ifndef DENSITY_SPEC_H
#define DENSITY_SPEC_H

#include <kelvin/density.h>

/* The values that a parameter may have: from low to high, without these. */
struct spec_range {
    double low, high;
    const char *words; /* what is expected */
};

/* The limits keep what is computed from the parameters (squares, reciprocals) finite in float. */
#define SPEC_ANY                                                                                                       \
    {                                                                                                                  \
        -1e30, 1e30, "a finite number (below 1e30 in size)"                                                            \
    }
#define SPEC_NEGATIVE                                                                                                  \
    {                                                                                                                  \
        -1e30, 0.0, "a number below 0 (and above -1e30)"                                                               \
    }
#define SPEC_POSITIVE                                                                                                  \
    {                                                                                                                  \
        1e-15, 1e15, "a number above 0 (between 1e-15 and 1e15)"                                                       \
    }
#define SPEC_FRACTION                                                                                                  \
    {                                                                                                                  \
        0.0, 1.0, "a number between 0 and 1"                                                                           \
    }

/* The part of a table's row that texts are about. */
struct spec {
    kelvin_member_info info;
    struct spec_range range[KELVIN_MAX_PARAMS];
};

/* The i-th row of a table, NULL after the last. */
typedef const struct spec *spec_at(size_t i);

/* Finds the row that `text` names and reads its parameters; `family` is what the table's members are called. */
KELVIN_MUST_CHECK kelvin_status spec_parse(size_t *row, double param[KELVIN_MAX_PARAMS], const char *family,
                                           spec_at *at, const char *text);

/* The text again, with as many digits as it takes to read back the same numbers. */
void spec_format(char *out, size_t size, const struct spec *spec, const double param[KELVIN_MAX_PARAMS]);

#endif
