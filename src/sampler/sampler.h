/* sampler, from within: schedules, and what a sampler is. */
#ifndef SAMPLER_SAMPLER_H
#define SAMPLER_SAMPLER_H

#include "base/family.h"

#include <kelvin/sampler.h>

extern const kelvin_family kelvin_sampler_family, kelvin_schedule_family;

#endif
