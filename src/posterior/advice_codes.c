/* The codes of advice and notes: programs know a piece by its code, which stays the same when its sentence is put in
 * other words. Rows may be added, and none changes its code. */
#include "base/words.h"
#include "posterior/advice.h"

static const kelvin_advice_info table[KELVIN_ADVICE_CODES] = {
    [KELVIN_CHAINS_DIVERGED] = {"chains-diverged", "chains ended early: their numbers left every bound"},
    [KELVIN_ACCEPTANCE_LOW] = {"acceptance-low", "most proposals are rejected: steps are too large"},
    [KELVIN_ACCEPTANCE_HIGH] = {"acceptance-high", "nearly all proposals are accepted: steps could be larger"},
    [KELVIN_ENERGY_VARIANCE_HIGH] = {"energy-variance-high",
                                     "energies are off by more than was asked for: the draws are biased"},
    [KELVIN_SCHEDULE_CUT_SHORT] = {"schedule-cut-short", "the schedule ended before it came to the temperature"},
    [KELVIN_KINETIC_TEMPERATURE_HIGH] = {"kinetic-temperature-high",
                                         "momenta are hotter than was set: steps are too large"},
    [KELVIN_KINETIC_TEMPERATURE_LOW] = {"kinetic-temperature-low", "momenta are colder than was set: too few steps"},
    [KELVIN_CONFIGURATIONAL_TEMPERATURE_OFF] = {"configurational-temperature-off",
                                                "not settled: parameters are not at their temperature"},
    [KELVIN_CHAINS_DISAGREE] = {"chains-disagree", "chains have not found the same predictions (R-hat)"},
    [KELVIN_SAMPLES_ALIKE] = {"samples-alike", "neighbouring samples of a chain tell nearly the same"},
    [KELVIN_EFFECTIVE_DRAWS_FEW] = {"effective-draws-few", "fewer than 100 effective draws per chain"},
    [KELVIN_CHAINS_FEW] = {"chains-few", "two or three chains: R-hat can miss a mode"},
    [KELVIN_DRAWS_FEW] = {"draws-few", "too few draws after the warm-up for R-hat, or draws that never move"},
    [KELVIN_NOTHING_LEARNT] = {"nothing-learnt", "nothing learnt: samples hardly know their own training data"},
    [KELVIN_CHAINS_SCATTERED] = {"chains-scattered", "chains agree hardly more than by chance"},
    [KELVIN_ONE_CHAIN] = {"one-chain", "a single chain has nothing to be compared with"},
    [KELVIN_HISTORY_LOST] = {"history-lost", "a history is not whole: nothing is told from histories"},
    [KELVIN_TRAINING_LOGITS_MISSING] = {"training-logits-missing", "the training logits are not in the folder"},
    [KELVIN_TRAINED_NOT_SAMPLED] = {"trained-not-sampled", "temperature 0: chains are optima, not samples"},
    [KELVIN_ONE_SAMPLE_PER_CHAIN] = {"one-sample-per-chain", "R-hat and effective sample sizes are not defined"},
    [KELVIN_SAMPLES_PER_CHAIN_FEW] = {"samples-per-chain-few", "some of R-hat and effective sample sizes need more"},
    [KELVIN_PARAMETERS_DIFFER] = {"parameters-differ", "parameters differ while predictions agree, as is expected"},
    [KELVIN_SAMPLE_FILES_MISSING] = {"sample-files-missing", "files of samples are not in the folder"},
    [KELVIN_CHAINS_UNEQUAL] = {"chains-unequal", "R-hat leaves out chains that have fewer samples"},
    [KELVIN_NO_ERROR_BARS] = {"no-error-bars", "error bars of ensembles need more than 8 samples"},
    [KELVIN_NOT_ENDED] = {"not-ended", "the run goes on, or was stopped: numbers are of the chains that have ended"},
    [KELVIN_WORSE_THAN_LINEAR] = {"worse-than-linear", "worse than a linear model"},
    [KELVIN_WORSE_THAN_FREQUENCIES] = {"worse-than-frequencies", "worse than class frequencies"},
    [KELVIN_NOT_BETTER_THAN_FREQUENCIES] = {"not-better-than-frequencies",
                                            "cannot be told from guessing by class frequencies"},
    [KELVIN_CONFIDENCE_OFF] = {"confidence-off", "confidence is far from accuracy"},
    [KELVIN_CHAINS_STAND_OUT] = {"chains-stand-out", "some chains know far less than the others"},
    [KELVIN_SAMPLES_FEW] = {"samples-few", "fewer than 8 samples"},
    [KELVIN_NO_TEST_PART] = {"no-test-part", "judged by the rows that it was fitted to"},
    [KELVIN_NO_BASELINES] = {"no-baselines", "there is no linear model to compare with: the data are gone"},
};

/* What takes nothing away from a run is left out. */
static const kelvin_grade grades[KELVIN_ADVICE_CODES] = {
    [KELVIN_CHAINS_DIVERGED] = KELVIN_CARE,
    [KELVIN_ACCEPTANCE_LOW] = KELVIN_CARE,
    [KELVIN_ENERGY_VARIANCE_HIGH] = KELVIN_CARE,
    [KELVIN_SCHEDULE_CUT_SHORT] = KELVIN_CARE,
    [KELVIN_KINETIC_TEMPERATURE_HIGH] = KELVIN_CARE,
    [KELVIN_KINETIC_TEMPERATURE_LOW] = KELVIN_CARE,
    [KELVIN_CONFIGURATIONAL_TEMPERATURE_OFF] = KELVIN_CARE,
    [KELVIN_CHAINS_DISAGREE] = KELVIN_CARE,
    [KELVIN_SAMPLES_ALIKE] = KELVIN_CARE,
    [KELVIN_EFFECTIVE_DRAWS_FEW] = KELVIN_CARE,
    [KELVIN_DRAWS_FEW] = KELVIN_CARE,
    [KELVIN_NOTHING_LEARNT] = KELVIN_FAILED,
    [KELVIN_CHAINS_SCATTERED] = KELVIN_CARE,
    [KELVIN_ONE_CHAIN] = KELVIN_CARE,
    [KELVIN_WORSE_THAN_LINEAR] = KELVIN_FAILED,
    [KELVIN_WORSE_THAN_FREQUENCIES] = KELVIN_FAILED,
    [KELVIN_NOT_BETTER_THAN_FREQUENCIES] = KELVIN_CARE,
    [KELVIN_CONFIDENCE_OFF] = KELVIN_CARE,
    [KELVIN_CHAINS_STAND_OUT] = KELVIN_CARE,
    [KELVIN_SAMPLES_FEW] = KELVIN_CARE,
    [KELVIN_NO_BASELINES] = KELVIN_CARE,
    [KELVIN_NOT_ENDED] = KELVIN_CARE,
};

kelvin_grade kelvin_advice_usual_grade(enum kelvin_advice_code code)
{
    return grades[code];
}

const char *kelvin_grade_name(kelvin_grade grade)
{
    static const char *const names[] = {
        [KELVIN_SOUND] = "sound", [KELVIN_CARE] = "usable with care", [KELVIN_FAILED] = "not to be used"};
    return names[grade];
}

void kelvin_advice_say(const kelvin_advice *advice, char *out, size_t size, kelvin_words *words, void *context)
{
    kelvin_words_say(out, size, advice->raw, words, context);
}

const kelvin_advice_info *kelvin_advice_about(size_t i)
{
    return i < KELVIN_ADVICE_CODES ? &table[i] : NULL;
}
