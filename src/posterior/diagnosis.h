/* diagnosis: parts of kelvin_diagnose for those who know the rest already. */
#ifndef POSTERIOR_DIAGNOSIS_H
#define POSTERIOR_DIAGNOSIS_H

#include <kelvin/posterior.h>

/* What can be told without looking at samples or logits: temperatures or acceptance, divergences, and the advice that
 * follows from these and from the mean accuracy of single samples on their training data (NaN: not known). */
KELVIN_MUST_CHECK kelvin_status kelvin_diagnose_briefly(kelvin_diagnosis **diagnosis, const kelvin_samples *samples,
                                                        double training_accuracy);

#endif
