/* diagnosis: parts of kelvin_diagnose for those who know the rest already. */
#ifndef POSTERIOR_DIAGNOSIS_H
#define POSTERIOR_DIAGNOSIS_H

#include <kelvin/posterior.h>

/* What can be told without going through samples or predictions: temperatures, acceptance, divergences, what single
 * samples say of their training data, and the advice that follows. training: the metrics of these data, or NULL: from
 * the saved logits, where they are and are not so many that this would take long. */
KELVIN_MUST_CHECK kelvin_status kelvin_diagnose_briefly(kelvin_diagnosis **diagnosis, kelvin_samples *samples,
                                                        const kelvin_metrics *training);

/* Whether chains are still on their way when their first samples are taken: these come all along from a random start,
 * with no cycle that would bring a chain to its place first. */
bool kelvin_starts_cold(const kelvin_run *run);

/* Fills in temperatures, and what the sampler tells of acceptance and of its energies. Chains that diverged are left
 * out, and those that have lost their histories; they stay not a number where no chain is left. */
KELVIN_MUST_CHECK kelvin_status kelvin_histories_read(kelvin_diagnosis *out, const kelvin_samples *samples);

#endif
