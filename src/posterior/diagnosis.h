/* diagnosis: what is found about a run, and parts of kelvin_diagnose for those who know the rest already. */
#ifndef POSTERIOR_DIAGNOSIS_H
#define POSTERIOR_DIAGNOSIS_H

#include <kelvin/posterior.h>

/* Single samples of a chain, on average. */
struct kelvin_chain_score {
    uint32_t number;
    size_t n; /* samples x observations */
    double accuracy, log_likelihood, confidence;
};

/* What predictions of one part of the data are worth: quality.c says how. */
struct kelvin_quality {
    size_t n;                                    /* observations; 0: nobody has looked */
    double accuracy, confidence, log_likelihood; /* of the ensemble, means */
    double gap_by_chance;                        /* the standard deviation of accuracy - confidence, if calibrated */
    double ece, ece_by_chance, ece_error;        /* calibration error; if calibrated: its mean, and deviation */
    kelvin_average beyond[KELVIN_LINEAR + 1];    /* log p less that of a baseline; not a number: it is not known */
    double baseline[KELVIN_LINEAR + 1];          /* its mean log p */
    double majority;                             /* the largest share of a class in the training part */
    size_t chains;
    const struct kelvin_chain_score *chain; /* (chains) */
    struct kelvin_chain_score single;       /* all chains together */
};
struct kelvin_quality kelvin_quality_unknown(void);

struct kelvin_diagnosis {
    kelvin_convergence parameters, predictions;
    kelvin_side side;
    size_t observations;
    kelvin_agreement agreement;
    kelvin_temperatures temperatures;
    double acceptance, energy_error, energy_variance, energy_variance_mean;
    double training_accuracy, training_log_likelihood, training_confidence;
    struct kelvin_quality quality, training; /* of `side`; of the training part */
    uint32_t diverged;
    size_t kept;
    bool starts_cold;
    size_t n_advice, n_notes;
    const kelvin_advice *advice; /* (n_advice) */
    const kelvin_advice *notes;  /* (n_notes) */
    kelvin_grade grade;
    const char *verdict;
    kelvin_arena *owned;
};

/* kelvin_evaluate and kelvin_diagnose in one: the logits, which are of `on` as kelvin_logits_on has found it, are read
 * to their end once, and so are those of the other side, if they are needed. options: not NULL. */
KELVIN_MUST_CHECK kelvin_status kelvin_review(kelvin_metrics **metrics, kelvin_diagnosis **diagnosis,
                                              kelvin_samples *samples, kelvin_logits *logits, const char *on,
                                              const kelvin_evaluate_options *options);

/* Whether chains are still on their way when their first samples are taken: these come all along from a random start,
 * with no cycle that would bring a chain to its place first. */
bool kelvin_starts_cold(const kelvin_run *run);

/* Fills in temperatures, and what the sampler tells of acceptance and of its energies. Chains that diverged are left
 * out, and those that have lost their histories; they stay not a number where no chain is left. */
KELVIN_MUST_CHECK kelvin_status kelvin_histories_read(kelvin_diagnosis *out, const kelvin_samples *samples);

#endif
