/* advice: what is off with a run, and what to do about it, in plain words, each piece with a code for programs.
 *
 *     struct kelvin_advice_list advice;
 *     kelvin_advise(&advice, &(struct kelvin_facts){.run = run, .found = &diagnosis, ...});     // advice.raw[0] ...
 */
#ifndef POSTERIOR_ADVICE_H
#define POSTERIOR_ADVICE_H

#include "base/words.h"
#include "posterior/diagnosis.h"
#include "run/room.h"

#include <kelvin/posterior.h>

enum { KELVIN_ADVICE = 14 }; /* pieces, at most */
struct kelvin_advice_list {
    size_t n;
    const char *code[KELVIN_ADVICE]; /* as in the table of advice_codes.c */
    kelvin_grade grade[KELVIN_ADVICE];
    char raw[KELVIN_ADVICE][KELVIN_RAW];
};

struct kelvin_facts {
    const kelvin_run *run;
    const kelvin_diagnosis *found; /* what was not looked at is not a number; kelvin_nothing_found() to begin with */
    size_t samples;
    const char *const *diverged; /* (chains), as in kelvin_samples; NULL: none did */
    const char *lost;            /* where a history was lost: which, and what brings it back; NULL: none was */
    size_t n_lost;               /* chains that have lost theirs */
    bool partly;                 /* the run has not ended, */
    uint32_t waiting;            /* for so many of its chains have not */
    bool no_training;            /* the logits of the training data are not in the folder any more */
};

kelvin_diagnosis kelvin_nothing_found(void);

void kelvin_advise(struct kelvin_advice_list *out, const struct kelvin_facts *facts); /* what there is to do */
void kelvin_annotate(struct kelvin_advice_list *out,
                     const struct kelvin_facts *facts); /* what to know where all is well */

/* ---- the parts ---- */

/* Of any run: samples that know next to nothing (then it returns false), or else chains that agree hardly more than by
 * chance. */
bool kelvin_advise_on_learning(struct kelvin_advice_list *out, const struct kelvin_facts *facts);

/* Of any run: whether its predictions are worth having. learnt: as it was returned above. */
void kelvin_advise_on_quality(struct kelvin_advice_list *out, const struct kelvin_facts *facts, bool learnt);

/* Whether a temperature is so far off that nothing else counts before that is mended. */
bool kelvin_is_unsettled(const struct kelvin_facts *facts);

/* "give them more epochs": what brings chains to their temperature, in the middle of a sentence. */
void kelvin_say_how_to_settle(char *text, const struct kelvin_facts *facts);

/* A sentence more: the likely cause, and the field to change. */
void kelvin_say_what_helps(char *text, const struct kelvin_facts *facts);

/* The verdict on a run of which this was found and advised: one line, in `text`. */
enum { KELVIN_VERDICT = 400 };
kelvin_grade kelvin_conclude_verdict(char text[KELVIN_VERDICT], const struct kelvin_facts *facts,
                                     const struct kelvin_advice_list *advice);

/* An R-hat above which chains are apart. */
static const double kelvin_apart = 1.1;

/* Predictions of chains are farther apart than samples of each are, where samples are enough to tell. */
bool kelvin_chains_apart(const struct kelvin_facts *facts);

/* Chains that look at all data, or their halves, disagree about the predictions. */
bool kelvin_chains_unmixed(const struct kelvin_facts *facts);

/* What a piece of advice, or a note, is about: a row of the table in advice_codes.c each. */
enum kelvin_advice_code {
    KELVIN_CHAINS_DIVERGED,
    KELVIN_ACCEPTANCE_LOW,
    KELVIN_ACCEPTANCE_HIGH,
    KELVIN_ENERGY_VARIANCE_HIGH,
    KELVIN_SCHEDULE_CUT_SHORT,
    KELVIN_KINETIC_TEMPERATURE_HIGH,
    KELVIN_KINETIC_TEMPERATURE_LOW,
    KELVIN_CONFIGURATIONAL_TEMPERATURE_OFF,
    KELVIN_CHAINS_DISAGREE,
    KELVIN_SAMPLES_ALIKE,
    KELVIN_EFFECTIVE_DRAWS_FEW,
    KELVIN_CHAINS_FEW,
    KELVIN_DRAWS_FEW,
    KELVIN_NOTHING_LEARNT,
    KELVIN_CHAINS_SCATTERED,
    KELVIN_ONE_CHAIN,
    KELVIN_HISTORY_LOST,
    KELVIN_TRAINING_LOGITS_MISSING,
    KELVIN_TRAINED_NOT_SAMPLED,
    KELVIN_ONE_SAMPLE_PER_CHAIN,
    KELVIN_SAMPLES_PER_CHAIN_FEW,
    KELVIN_PARAMETERS_DIFFER,
    KELVIN_SAMPLE_FILES_MISSING,
    KELVIN_CHAINS_UNEQUAL,
    KELVIN_NO_ERROR_BARS,
    KELVIN_NOT_ENDED,
    KELVIN_WORSE_THAN_LINEAR,
    KELVIN_WORSE_THAN_FREQUENCIES,
    KELVIN_NOT_BETTER_THAN_FREQUENCIES,
    KELVIN_CONFIDENCE_OFF,
    KELVIN_CHAINS_STAND_OUT,
    KELVIN_SAMPLES_FEW,
    KELVIN_NO_TEST_PART,
    KELVIN_NO_BASELINES,
    KELVIN_ADVICE_CODES
};

/* One more piece, in which nothing stands yet, or the last one if they are too many; and some words more in it, as by
 * kelvin_compose. */
char *kelvin_advice_new(struct kelvin_advice_list *advice, enum kelvin_advice_code code);
kelvin_grade kelvin_advice_usual_grade(enum kelvin_advice_code code);
void kelvin_advice_grade(struct kelvin_advice_list *advice, kelvin_grade grade); /* of the last piece, if another */
void kelvin_say(char *text, const char *format, ...) KELVIN_PRINTF(2, 3);

/* The field that makes a chain longer: "epochs". */
struct kelvin_rows_field {
    char name[KELVIN_FILE_NAME];
};
struct kelvin_rows_field kelvin_rows_field(const kelvin_run *run);

#endif
