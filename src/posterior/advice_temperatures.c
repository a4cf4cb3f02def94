/* What temperatures say of the samplers whose histories have them: a sampler may have both, one or none. */
#include "posterior/advice.h"

#include <math.h>
#include <stdio.h>

enum { ERRORS = 3 }; /* standard errors that a temperature may be off, whatever that is in per cent */

static bool is_off(const kelvin_average *is, double set)
{
    if (!(set > 0) || !(fabs(is->mean / set - 1) > KELVIN_CLOSE / 100.0)) return false;
    return isnan(is->error) || fabs(is->mean - set) > ERRORS * is->error;
}

bool kelvin_advise_hot(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    const kelvin_temperatures *t = &f->found->temperatures;
    const bool batches = f->run->sampler->batches;
    char step[KELVIN_OPTION];
    if (!is_off(&t->kinetic, t->set) || t->kinetic.mean < t->set) return false;
    kelvin_step_option(step, f->run);
    snprintf(out, KELVIN_SENTENCES,
             "The kinetic temperature is %.3g where %.3g was set: steps are too large%s. Make %s smaller%s.",
             t->kinetic.mean, t->set, batches ? ", or gradients too noisy" : "", step,
             batches ? " or --batch larger" : "");
    return true;
}

bool kelvin_advise_cold(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    const kelvin_temperatures *t = &f->found->temperatures;
    char rows[KELVIN_OPTION];
    if (!is_off(&t->kinetic, t->set)) return false;
    kelvin_rows_option(rows, f->run);
    snprintf(out, KELVIN_SENTENCES,
             "The kinetic temperature is %.3g where %.3g was set: the momenta have not warmed up. Give them more %s.",
             t->kinetic.mean, t->set, rows);
    return true;
}

/* Where there is a kinetic temperature it has been found right, and so steps are not too large. */
bool kelvin_advise_unsettled(char out[KELVIN_SENTENCES], const struct kelvin_facts *f)
{
    const kelvin_temperatures *t = &f->found->temperatures;
    const bool large = isnan(t->kinetic.mean) && !f->run->sampler->accepts;
    char rows[KELVIN_OPTION], step[KELVIN_OPTION];
    if (!is_off(&t->configurational, t->set)) return false;
    kelvin_rows_option(rows, f->run);
    kelvin_step_option(step, f->run);
    snprintf(out, KELVIN_SENTENCES,
             "The configurational temperature is %.3g where %.3g was set: the parameters have not settled%s. Give them "
             "more %s%s%s%s.",
             t->configurational.mean, t->set, large ? ", or steps are too large" : "", rows, large ? ", or make " : "",
             large ? step : "", large ? " smaller" : "");
    return true;
}
