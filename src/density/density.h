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
    size_t columns, taps; /* of weights (units, columns, taps) that read the network's inputs; 0 of all others */
};

/* Parameters that stand together, as a prior sees them: weights (units, columns, taps), or, with one column and one
 * tap, what is no weight. `outer`: columns are inputs of the network, or channels of them. */
struct kelvin_prior_place {
    size_t columns, taps;
    bool outer;
};

extern const kelvin_family kelvin_density_family, kelvin_prior_family;

/* As kelvin_density_create and kelvin_prior_create, into memory that is there. */
KELVIN_MUST_CHECK kelvin_status kelvin_density_parse(kelvin_density *density, const char *text);
KELVIN_MUST_CHECK kelvin_status kelvin_prior_parse(kelvin_prior *prior, const char *text);

/* The same text again, with 17 digits where needed; `size` bytes at `out` (96 are enough). */
void kelvin_density_format(char *out, size_t size, const kelvin_density *density);

/* The prior of what stands there. Most priors are the same for all parameters. */
kelvin_prior kelvin_prior_at(const kelvin_prior *prior, const struct kelvin_prior_place *place);
bool kelvin_prior_is_everywhere(const kelvin_prior *prior); /* whether this one is */

/* As kelvin_prior_draw; number i is a function of `where` and i. */
void kelvin_prior_draw_at(const kelvin_prior *prior, float *theta, size_t n, kelvin_random where);

#endif
