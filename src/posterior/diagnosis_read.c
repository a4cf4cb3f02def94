/* What others may know of a diagnosis. */
#include "posterior/diagnosis.h"

#include <math.h>
#include <string.h>

const kelvin_advice *kelvin_diagnosis_advice(const kelvin_diagnosis *d, size_t i)
{
    return i < d->n_advice ? &d->advice[i] : NULL;
}

const kelvin_advice *kelvin_diagnosis_note(const kelvin_diagnosis *d, size_t i)
{
    return i < d->n_notes ? &d->notes[i] : NULL;
}

kelvin_grade kelvin_diagnosis_grade(const kelvin_diagnosis *d)
{
    return d->grade;
}

const char *kelvin_diagnosis_verdict(const kelvin_diagnosis *d)
{
    return d->verdict;
}

const kelvin_convergence *kelvin_diagnosis_convergence(const kelvin_diagnosis *d, kelvin_quantities of)
{
    return of == KELVIN_PARAMETERS ? &d->parameters : &d->predictions;
}

kelvin_side kelvin_diagnosis_side(const kelvin_diagnosis *d)
{
    return d->side;
}

size_t kelvin_diagnosis_observations(const kelvin_diagnosis *d)
{
    return d->observations;
}

const kelvin_agreement *kelvin_diagnosis_agreement(const kelvin_diagnosis *d)
{
    return &d->agreement;
}

const kelvin_temperatures *kelvin_diagnosis_temperatures(const kelvin_diagnosis *d)
{
    return &d->temperatures;
}

double kelvin_diagnosis_number(const kelvin_diagnosis *d, const char *name)
{
    const struct {
        const char *name;
        double value;
    } numbers[] = {
        {"acceptance", d->acceptance},
        {"energy_error", d->energy_error},
        {"energy_variance", d->energy_variance},
        {"energy_variance_mean", d->energy_variance_mean},
        {"training_accuracy", d->training_accuracy},
        {"training_log_likelihood", d->training_log_likelihood},
        {"training_confidence", d->training_confidence},
        {"log_likelihood", d->quality.log_likelihood},
        {"linear_log_likelihood", d->quality.baseline[KELVIN_LINEAR]},
        {"frequencies_log_likelihood", d->quality.baseline[KELVIN_FREQUENCIES]},
        {"beyond_linear", d->quality.beyond[KELVIN_LINEAR].mean},
        {"beyond_linear_error", d->quality.beyond[KELVIN_LINEAR].error},
        {"beyond_frequencies", d->quality.beyond[KELVIN_FREQUENCIES].mean},
        {"beyond_frequencies_error", d->quality.beyond[KELVIN_FREQUENCIES].error},
        {"calibration_error", d->quality.ece},
        {"calibration_error_by_chance", d->quality.ece_by_chance},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(numbers[i].name, name) == 0) return numbers[i].value;
    return NAN;
}

uint32_t kelvin_diagnosis_diverged(const kelvin_diagnosis *d)
{
    return d->diverged;
}

size_t kelvin_diagnosis_kept(const kelvin_diagnosis *d)
{
    return d->kept;
}

bool kelvin_diagnosis_starts_cold(const kelvin_diagnosis *d)
{
    return d->starts_cold;
}
