/* density, from within: densities and priors by value. */
#ifndef DENSITY_DENSITY_H
#define DENSITY_DENSITY_H

#include "base/family.h"
#include "base/random.h"

#include <kelvin/density.h>

typedef struct kelvin_density_type kelvin_density_type;
typedef struct kelvin_prior_type kelvin_prior_type;

struct kelvin_density {
    const kelvin_density_type *type;
    double param[KELVIN_MAX_PARAMETERS];
    bool likelihood; /* add the categorical likelihood; true after parsing a density that does not see the label */
};

struct kelvin_prior {
    const kelvin_prior_type *type;
    double param[KELVIN_MAX_PARAMETERS];
};

extern const kelvin_family kelvin_density_family, kelvin_prior_family;

/* As kelvin_density_create and kelvin_prior_create, into memory that is there. */
KELVIN_MUST_CHECK kelvin_status kelvin_density_parse(kelvin_density *density, const char *text);
KELVIN_MUST_CHECK kelvin_status kelvin_prior_parse(kelvin_prior *prior, const char *text);

/* The same text again, with 17 digits where needed; `size` bytes at `out` (96 are enough). */
void kelvin_density_format(char *out, size_t size, const kelvin_density *density);

/* The prior of the weights of units with so many inputs; biases, and all that is no weight, have 1. Most priors are the
 * same for all. */
kelvin_prior kelvin_prior_for_inputs(const kelvin_prior *prior, size_t inputs);
bool kelvin_prior_by_fan_in(const kelvin_prior *prior); /* whether it is not */

/* As kelvin_prior_draw; number i is a function of `where` and i. */
void kelvin_prior_draw_at(const kelvin_prior *prior, float *theta, size_t n, kelvin_random where);

#endif
