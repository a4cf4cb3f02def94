/* The samplers, each in a file of its own. */
#ifndef SAMPLER_TYPES_H
#define SAMPLER_TYPES_H

#include <kelvin/sampler.h>

extern const kelvin_sampler_type kelvin_sghmc, kelvin_hmc, kelvin_mclmc;

#endif
