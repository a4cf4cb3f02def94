/* posterior: what the samples of a run say, how good that is, and whether to believe it.
 *
 *     kelvin_samples *samples;
 *     kelvin_logits *logits = NULL;
 *     kelvin_metrics *metrics = NULL;
 *     kelvin_diagnosis *diagnosis = NULL;
 *     const char *found;
 *     kelvin_status st = kelvin_samples_open(&samples, "RUN");
 *     if (!st) st = kelvin_logits_on(&logits, &found, samples, "test", 0);
 *     if (!st) st = kelvin_evaluate(&metrics, logits, NULL);
 *     if (!st) printf("%g\n", kelvin_metrics_ensemble(metrics, kelvin_metric_find("accuracy")));
 *     if (!st) st = kelvin_diagnose(&diagnosis, samples, 0);
 *     for (size_t i = 0; !st && kelvin_diagnosis_advice(diagnosis, i); i++)
 *         puts(kelvin_diagnosis_advice(diagnosis, i)->text);
 */
#ifndef KELVIN_POSTERIOR_H
#define KELVIN_POSTERIOR_H

#include <kelvin/base.h>
#include <kelvin/family.h>
#include <kelvin/run.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- of one quantity: draws are (chains, draws) in row-major order, warm-up left out ---- */

/* R-hat as in the paper: W = mean within-chain variance, B/N = variance of the chain means,
 * R = sqrt(((N-1)/N W + B/N) / W). NaN for fewer than 2 chains or draws; for draws that never move, 1 if the chains
 * agree and infinity if not. */
KELVIN_API double kelvin_rhat(const double *x, size_t chains, size_t draws);

/* Vehtari, Gelman, Simpson, Carpenter, Buerkner (2021), "Rank-normalization, folding, and localization":
 * the larger of rank-normalised split R-hat of x and of |x - median|; effective sample sizes for the bulk and for the
 * tails (the smaller one of the 5 % and the 95 % quantile), unless NULL: for long chains that mix badly they are most
 * of the work. NaN for fewer than 4 draws (effective sample sizes: 10) or if all draws are equal. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_rank_diagnostics(double *rhat, double *ess_bulk, double *ess_tail,
                                                                   const double *x, size_t chains, size_t draws);

/* ---- logits: what every sample says of every observation, some of them at a time ----
 *
 *     kelvin_logits *logits;
 *     kelvin_piece piece;
 *     kelvin_status st = kelvin_logits_saved(&logits, samples, KELVIN_TEST);       // from RUN/logits_test.npy; or
 *     st = kelvin_logits_computed(&logits, samples, inputs, threads);              // by the network
 *     while (!st && !(st = kelvin_logits_next(logits, &piece)) && piece.n > 0) ... piece.z ...
 *     kelvin_logits_close(logits);
 *
 * Memory is some MB, however many samples and observations there are. */
typedef struct kelvin_logits kelvin_logits;

typedef struct kelvin_piece {
    size_t n, first; /* so many observations, and how many came before them */
    /* So many samples, and how many came before them: all, or a part where they are too many; the next pieces are then
     * the other samples at the same observations. */
    size_t samples, first_sample;
    const float *z;          /* (samples, n, classes), finite */
    const int32_t *y;        /* (n), labels; -1: none */
    const char *const *name; /* (n), as in kelvin_rows; or NULL */
} kelvin_piece;

/* KELVIN_EFORMAT if the files are not there, have been damaged, or are not those of these samples. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_logits_saved(kelvin_logits **logits, const kelvin_samples *samples,
                                                               kelvin_side side);
/* `inputs` become the logits' own, also if it fails. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_logits_computed(kelvin_logits **logits, kelvin_samples *samples,
                                                                  kelvin_inputs *inputs, size_t threads);
/* The saved ones; where they are missing, those of the run's own data, computed: the data set is opened then. A run in
 * memory has its data and no saved ones. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_logits_of_side(kelvin_logits **logits, kelvin_samples *samples,
                                                                 kelvin_side side, size_t threads);
/* Of another data set, as in kelvin_inputs_open. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_logits_of_data(kelvin_logits **logits, kelvin_samples *samples,
                                                                 const char *spec, bool labels, size_t threads);
/* Of several ranks (kelvin/ranks.h), the first computes logits of new inputs; the others help it, from together(),
 * which does nothing more at the first, until the first calls apart(): only then they return. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_logits_together(size_t threads);
KELVIN_API void kelvin_logits_apart(void);

/* `on` is "test", "train" or a data set with labels, as people ask for it; NULL: test, or train where a run has nothing
 * to test with. *found is what it was. KELVIN_EFORMAT if test is asked for and is not there. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_logits_on(kelvin_logits **logits, const char **found,
                                                            kelvin_samples *samples, const char *on, size_t threads);
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_logits_next(kelvin_logits *logits, kelvin_piece *piece);
/* What was guessed of the inputs, as kelvin_inputs_note; NULL after the last. */
KELVIN_API const char *kelvin_logits_note(const kelvin_logits *logits, size_t i);
KELVIN_API double kelvin_logits_seconds(const kelvin_logits *logits); /* spent in the network so far; 0 of saved ones */
KELVIN_API void kelvin_logits_close(kelvin_logits *logits);

/* ---- predictions for arrays ----
 *
 *     st = kelvin_predict(samples, p, x, n, 0);                // p (n, classes): the mean over all samples
 *
 * Inputs are as measured and are normalised as the training data were: x (n, columns) of a network that was trained on
 * a table; of one that was trained on images, bytes (n, channels, height, width). `threads` 0: one per CPU; the numbers
 * do not depend on it. They are those of kelvin_logits_computed and kelvin_judge. */

/* p (n, classes): the probabilities that the posterior gives to each class. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_predict(kelvin_samples *samples, double *p, const float *x, size_t n,
                                                          size_t threads);
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_predict_images(kelvin_samples *samples, double *p,
                                                                 const uint8_t *bytes, size_t n, size_t threads);

/* The same of any rows in memory; and doubt (n, 3), unless NULL, in nats: the entropy of p, the mean entropy of single
 * samples (aleatoric), and their difference (epistemic). */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_predict_rows(kelvin_samples *samples, double *p, double *doubt,
                                                               const kelvin_new_rows *rows, size_t threads);

/* z (samples, n, classes): the logits of every sample. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_predict_logits_rows(kelvin_samples *samples, float *z,
                                                                      const kelvin_new_rows *rows, size_t threads);
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_predict_logits(kelvin_samples *samples, float *z, const float *x,
                                                                 size_t n, size_t threads);
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_predict_logits_images(kelvin_samples *samples, float *z,
                                                                        const uint8_t *bytes, size_t n, size_t threads);

/* ---- metrics: what the samples say one by one and together, and whether they are right ---- */

typedef struct kelvin_average {
    double mean, error; /* the standard error of the mean; not a number where there is one value alone */
} kelvin_average;

typedef struct kelvin_percentiles {
    double low, median, high; /* 10 %, 50 %, 90 % */
} kelvin_percentiles;

/* A member of the family of metrics; they stand in the order of tables. */
typedef struct kelvin_metric_info {
    kelvin_member member; /* "ece_mass", for programs; what it is */
    const char *title;    /* "calibration error, by mass", for people */
    const char *unit;     /* "%", "nats" or "" */
    double scale;         /* a value times this is in that unit */
    int digits;           /* after the point, in a table */
    int better;           /* 1: more is, -1: less is, 0: neither */
    double least, most;   /* what a value can be; infinite where there is no bound */
    bool together;        /* it is about several samples: one alone has none of it */
    unsigned shown;       /* where else than in tables: the sum of some kelvin_shown */
} kelvin_metric_info;

/* Where a metric is shown apart from tables, JSON and CSV, which have them all. */
enum kelvin_shown {
    KELVIN_SHOWN_FIRST = 1,     /* among the numbers at the top of a page */
    KELVIN_SHOWN_CHART = 2,     /* a chart of its own on a page */
    KELVIN_SHOWN_SIZES = 4,     /* a curve over posterior sizes */
    KELVIN_SHOWN_SINGLE = 8,    /* in the summary of a run that has just ended: of single samples, */
    KELVIN_SHOWN_ENSEMBLE = 16, /* of the ensemble of all, */
    KELVIN_SHOWN_SUBSETS = 32   /* and of ensembles of 8 */
};

KELVIN_API size_t kelvin_metrics_count(void);
KELVIN_API const kelvin_metric_info *kelvin_metric_at(size_t i); /* NULL after the last */
KELVIN_API size_t kelvin_metric_find(const char *name);          /* which one it is; kelvin_metrics_count() if none */

enum { KELVIN_BINS = 15, KELVIN_MOST_BINS = 100 }; /* of calibration errors: usually, and at most */

typedef struct kelvin_bin {
    double from, to; /* confidence; of equal mass: the least and the largest in it */
    size_t n, hits;
    double confidence; /* mean; not a number if n is 0 */
} kelvin_bin;

/* Of posteriors of some size: mean, 10th and 90th percentile over random orders of the samples. */
typedef struct kelvin_by_size {
    double mean, low, high;
} kelvin_by_size;

/* What was found of the samples of a run on some observations. */
typedef struct kelvin_metrics kelvin_metrics;

/* What the ensemble says of one observation. */
typedef struct kelvin_verdict {
    size_t index;
    int32_t label;     /* -1: none */
    int32_t predicted; /* the most likely class; of equal ones the first */
    const double *p;   /* (classes) */
    double confidence, entropy, aleatoric, epistemic;
    const char *name; /* NULL: it has none */
    bool last;        /* of those that were there: the next one may take a while */
} kelvin_verdict;

/* Called once for each observation, in their order, from one thread. A failure ends the evaluation. */
typedef kelvin_status kelvin_verdict_watch(void *context, const kelvin_verdict *verdict);

typedef struct kelvin_evaluate_options {
    size_t bins;    /* 0: KELVIN_BINS */
    size_t threads; /* 0: one per CPU; the bits do not depend on it */
    bool sizes;     /* also the curve over posterior sizes: 20 random orders */
    kelvin_verdict_watch *watch;
    void *context;
} kelvin_evaluate_options;

/* Reads the logits to their end. Probabilities that doubles cannot hold keep their logarithms: a log-likelihood of
 * finite logits is finite. Where there are more than 8 samples, error bars are as in the paper: 100 subsets of 8
 * without replacement, always the same ones. KELVIN_EFORMAT if an observation has no label. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_evaluate(kelvin_metrics **metrics, kelvin_logits *logits,
                                                           const kelvin_evaluate_options *options);
KELVIN_API void kelvin_metrics_free(kelvin_metrics *metrics); /* NULL is fine */

/* Metric i of each sample alone, averaged; the error is over chains. */
KELVIN_API kelvin_average kelvin_metrics_single(const kelvin_metrics *metrics, size_t i);
/* Of the posterior predictive of all samples. */
KELVIN_API double kelvin_metrics_ensemble(const kelvin_metrics *metrics, size_t i);
/* Of the ensembles of subsets; not a number where there are none. */
KELVIN_API kelvin_percentiles kelvin_metrics_spread(const kelvin_metrics *metrics, size_t i);
/* The same of the means over the samples of a subset, one by one: the paper's error bars of training accuracy. */
KELVIN_API kelvin_percentiles kelvin_metrics_single_spread(const kelvin_metrics *metrics, size_t i);

KELVIN_API size_t kelvin_metrics_samples(const kelvin_metrics *metrics);
KELVIN_API size_t kelvin_metrics_chains(const kelvin_metrics *metrics);
KELVIN_API size_t kelvin_metrics_observations(const kelvin_metrics *metrics);
KELVIN_API size_t kelvin_metrics_classes(const kelvin_metrics *metrics);
/* Samples that were looked at one by one: all, or 1,000 of them at equal distances. */
KELVIN_API size_t kelvin_metrics_singles(const kelvin_metrics *metrics);
/* Error bars are over so many random subsets (0: too few samples for that) of so many samples. */
KELVIN_API size_t kelvin_metrics_subsets(const kelvin_metrics *metrics);
KELVIN_API size_t kelvin_metrics_subset(const kelvin_metrics *metrics);

/* Reliability of the ensemble: bins of equal width or of equal mass, and how many there are. */
KELVIN_API const kelvin_bin *kelvin_metrics_bins(const kelvin_metrics *metrics, bool mass, size_t *n);

/* The curve over posterior sizes: how many there are (0 unless they were asked for), how many samples the k-th has, and
 * its metric i. */
KELVIN_API size_t kelvin_metrics_sizes(const kelvin_metrics *metrics);
KELVIN_API size_t kelvin_metrics_size(const kelvin_metrics *metrics, size_t k);
KELVIN_API kelvin_by_size kelvin_metrics_by_size(const kelvin_metrics *metrics, size_t k, size_t i);

/* The verdicts alone; labels are not needed. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_judge(kelvin_logits *logits, kelvin_verdict_watch *watch,
                                                        void *context);

/* The share of pairs (one of each) in which the second has the larger score; equal ones count half. NaN if either has
 * none. Sorts both. */
KELVIN_API double kelvin_auroc(double *in, size_t n_in, double *out, size_t n_out);

/* ---- by class: what is taken for what, and how well each class is told from the others ----
 *
 *     kelvin_confusion *confusion;
 *     kelvin_status st = kelvin_confusion_create(&confusion, classes);
 *     const kelvin_evaluate_options how = {.watch = kelvin_confusion_add, .context = confusion};
 *     if (!st) st = kelvin_evaluate(&metrics, logits, &how);
 *     if (!st) st = kelvin_confusion_conclude(confusion);
 *     if (!st) printf("%g\n", kelvin_confusion_auc(confusion, 0));
 *     kelvin_confusion_free(confusion);
 *
 * Memory: 8 bytes for each observation and class. */
typedef struct kelvin_confusion kelvin_confusion;

enum { KELVIN_CONFUSION_CLASSES = 1000 }; /* at most: there is a count for each two of them */

KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_confusion_create(kelvin_confusion **confusion, size_t classes);
/* One observation more: a kelvin_verdict_watch, whose context is a kelvin_confusion. What has no label is left out. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_confusion_add(void *confusion, const kelvin_verdict *verdict);
/* Once, after the last: what follows is known then. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_confusion_conclude(kelvin_confusion *confusion);
KELVIN_API void kelvin_confusion_free(kelvin_confusion *confusion); /* NULL is fine */

KELVIN_API size_t kelvin_confusion_classes(const kelvin_confusion *confusion);
/* Observations of a class for which another, or the same, is the most likely. */
KELVIN_API size_t kelvin_confusion_count(const kelvin_confusion *confusion, size_t label, size_t predicted);
KELVIN_API size_t kelvin_confusion_observations(const kelvin_confusion *confusion, size_t label); /* of a class */
/* The share of a class that is found, and the share of what is taken for it that is of it; not a number where there is
 * none. */
KELVIN_API double kelvin_confusion_recall(const kelvin_confusion *confusion, size_t label);
KELVIN_API double kelvin_confusion_precision(const kelvin_confusion *confusion, size_t predicted);
/* One class against the rest: the chance that an observation of it has a larger probability of it than one of another
 * class; equal ones count half. Not a number where either has none. The mean is over the classes that have one. */
KELVIN_API double kelvin_confusion_auc(const kelvin_confusion *confusion, size_t label);
KELVIN_API double kelvin_confusion_auc_mean(const kelvin_confusion *confusion);

/* The ROC curve of one class against the rest, from (0, 0) to (1, 1): the shares of the others and of the class itself
 * whose probability of it is at least some threshold, which falls from point to point. Of more points than can be told
 * apart in a picture (1/128 of either), the last ones. n 0: it has none. */
typedef struct kelvin_roc_point {
    double others, own;
} kelvin_roc_point;
KELVIN_API const kelvin_roc_point *kelvin_confusion_roc(const kelvin_confusion *confusion, size_t label, size_t *n);

/* ---- baselines: what the plainest models make of the same rows ----
 *
 *     st = kelvin_baseline_metrics(&metrics, samples, KELVIN_LINEAR, "test", NULL);
 *     if (!st && metrics) printf("%g\n", kelvin_metrics_ensemble(metrics, kelvin_metric_find("accuracy")));
 *
 * A posterior that predicts worse than they do is not worth its time. They are fitted to the training part of a run
 * when it ends (at most some 16 million numbers of it, rows at equal distances), with the weights of its rows, and are
 * in its folder. The linear model is softmax regression, its weights held by strength / 2 |W|^2 as in scikit-learn's
 * LogisticRegression(C=1/strength), with the strength (1, 10, ... 10^4) that is best at rows of the training part that
 * were left out; the test part is not looked at. */
typedef enum kelvin_baseline_kind { KELVIN_FREQUENCIES, KELVIN_LINEAR } kelvin_baseline_kind;

typedef struct kelvin_baseline_info {
    const char *name;  /* "linear", for programs */
    const char *title; /* "linear model", for people */
    const char *about;
} kelvin_baseline_info;
KELVIN_API const kelvin_baseline_info *kelvin_baseline_at(size_t i); /* by its kind; NULL after the last */

/* On "test", "train" or a data set with labels, as kelvin_logits_on says what was found: logits of one sample. Where a
 * folder has no baselines, they are fitted again, and the data are opened for it; *logits is NULL if those are gone,
 * and for what can be read only once ("-"). */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_baseline_on(kelvin_logits **logits, kelvin_samples *samples,
                                                              kelvin_baseline_kind kind, const char *on,
                                                              size_t threads);
/* The same, evaluated: the numbers are those of the ensemble. Of the options bins and threads count. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_baseline_metrics(kelvin_metrics **metrics, kelvin_samples *samples,
                                                                   kelvin_baseline_kind kind, const char *on,
                                                                   const kelvin_evaluate_options *options);

/* ---- what matters: the columns of a table ----
 *
 *     kelvin_effects *effects;
 *     const kelvin_effect *effect;
 *     kelvin_status st = kelvin_effects_find(&effects, samples, NULL, 0);
 *     for (size_t i = 0; !st && (effect = kelvin_effects_at(effects, i)); i++)
 *         printf("%s %g\n", effect->name, effect->importance.mean);
 *     kelvin_effects_free(effects);
 *
 * Of the posterior predictive of the samples, or of some of them, on rows that it was not trained on, where there are
 * some. Columns are those of the file: the inputs of a category, and the one that says what is missing, go together. */
typedef struct kelvin_effects kelvin_effects;

typedef struct kelvin_effect_spread {
    double mean, low, high; /* of samples: 10 % and 90 % of them */
} kelvin_effect_spread;

/* Partial dependence at one value of a column: the mean probability of each class over rows that all have this value.
 */
typedef struct kelvin_effect_point {
    double value;                  /* in the column's own units; of a category its number, from 0 */
    const char *name;              /* of a category's value, "yes" or "no"; NULL: it is a number */
    const kelvin_effect_spread *p; /* (classes) */
} kelvin_effect_point;

typedef struct kelvin_effect {
    const char *name;              /* of the column; "column 3" where it has none */
    const kelvin_feature *feature; /* lives as long as the samples */
    /* By how much the mean negative log-likelihood of a row grows where the column's values are shuffled among the
     * rows, in nats: the mean of some permutations, and its standard error over rows. */
    kelvin_average importance;
    size_t n; /* points of partial dependence; 0: other columns are more important */
    const kelvin_effect_point *point;
} kelvin_effect;

/* `on` as for kelvin_logits_on. The same whatever the number of threads. Takes some seconds at most: of many rows and
 * samples, some. KELVIN_EUSAGE if the inputs are images, or columns too many. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_effects_find(kelvin_effects **effects, kelvin_samples *samples,
                                                               const char *on, size_t threads);
KELVIN_API void kelvin_effects_free(kelvin_effects *effects); /* NULL is fine */
/* The i-th column by importance, the largest first; NULL after the last. */
KELVIN_API const kelvin_effect *kelvin_effects_at(const kelvin_effects *effects, size_t i);
KELVIN_API size_t kelvin_effects_rows(const kelvin_effects *effects);    /* that were looked at */
KELVIN_API size_t kelvin_effects_samples(const kelvin_effects *effects); /* of the posterior */
KELVIN_API size_t kelvin_effects_permutations(const kelvin_effects *effects);

/* ---- diagnosis: whether to believe it ---- */

/* R-hat and effective sample sizes of many quantities. Of chains with equally many draws: those that have fewer than
 * the longest are left out. What cannot be told is not a number: R-hat of one chain or one draw, rank-normalised R-hat
 * of fewer than 4 draws, effective sample sizes of fewer than 10. */
typedef struct kelvin_convergence {
    size_t quantities, chains, draws;       /* draws per chain */
    double rhat_mean, rhat_max;             /* as in the paper */
    double rank_rhat_median, rank_rhat_max; /* rank-normalised, split, folded */
    double ess_bulk_median, ess_bulk_min, ess_tail_min;
} kelvin_convergence;

/* How far chains are apart: the ensembles of each two of them, over all observations. Of more than 64 chains, 64 at
 * equal distances are compared. */
typedef struct kelvin_agreement {
    size_t observations, chains;
    uint32_t *number;     /* (chains) */
    double *disagreement; /* (chains, chains): share of observations with another most likely class */
    double *variation;    /* (chains, chains): mean of sum over classes of |p - q| / 2 */
    double disagreement_mean, disagreement_max, variation_mean, variation_max; /* over pairs; NaN of one chain */
    /* Mean over pairs of samples of one chain, half of it apart (at most 50 of each chain); NaN if none has two. */
    double within_disagreement, within_variation;
} kelvin_agreement;

/* At which temperature chains were: of batches in their last epochs, a twentieth of them, or of a cycle's, at least
 * one; of all data in all iterations after the warm-up. Averages are over the chains that came so far. What a sampler
 * does not measure is not a number. */
typedef struct kelvin_temperatures {
    size_t rows, chains; /* rows: epochs or iterations; 0 of a sampler that measures neither */
    double set;          /* what it should have been */
    kelvin_average kinetic, configurational;
} kelvin_temperatures;

/* What is to be made of a run, and how much a piece of advice takes away from it. */
typedef enum kelvin_grade {
    KELVIN_SOUND,  /* all that was looked at is as it should be; advice may still say what could be better */
    KELVIN_CARE,   /* usable, with care */
    KELVIN_FAILED, /* not to be used */
} kelvin_grade;
KELVIN_API const char *kelvin_grade_name(kelvin_grade grade); /* "sound", "usable with care", "not to be used" */

/* A piece of advice, or a note. */
typedef struct kelvin_advice {
    const char *code; /* what it is about, for programs: "chains-disagree". It stays when its words change */
    const char *text; /* for people, in the library's own words */
    const char *raw;  /* for kelvin_advice_say */
    kelvin_grade grade;
} kelvin_advice;

/* A piece of advice, or a note, in a client's words. */
KELVIN_API void kelvin_advice_say(const kelvin_advice *advice, char *out, size_t size, kelvin_words *words,
                                  void *context);

/* All codes that there are, and what each is about; NULL after the last. */
typedef struct kelvin_advice_info {
    const char *code, *about;
} kelvin_advice_info;
KELVIN_API const kelvin_advice_info *kelvin_advice_about(size_t i);

typedef struct kelvin_diagnosis kelvin_diagnosis;

/* All of it: one pass over the samples, and one over the logits of each side. Where a run has a test part, it is judged
 * by that, else by the rows that it was fitted to. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_diagnose(kelvin_diagnosis **diagnosis, kelvin_samples *samples,
                                                           size_t threads);
/* The same without the convergence of parameters, which may be many: the verdict is the same. KELVIN_EIO if files are
 * missing that the run can make again. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_diagnose_briefly(kelvin_diagnosis **diagnosis,
                                                                   kelvin_samples *samples, size_t threads);
KELVIN_API void kelvin_diagnosis_free(kelvin_diagnosis *diagnosis); /* NULL is fine */

/* The verdict: a grade, and one line for people: "sound: better than a linear model, ...", with what was looked at, or
 * "not to be used: worse than a linear model", with what was found. It is sound only where predictions are not worse
 * than those of a linear model and better than class frequencies, confidence fits accuracy, chains are alike and have
 * settled, and samples are enough. */
KELVIN_API kelvin_grade kelvin_diagnosis_grade(const kelvin_diagnosis *diagnosis);
KELVIN_API const char *kelvin_diagnosis_verdict(const kelvin_diagnosis *diagnosis);

/* What is off, and what to do about it, the gravest first; NULL after the last. Those of grade KELVIN_SOUND say what
 * could be better in a run with which nothing is wrong. */
KELVIN_API const kelvin_advice *kelvin_diagnosis_advice(const kelvin_diagnosis *diagnosis, size_t i);
/* What to know of these numbers, where nothing is wrong; NULL after the last. */
KELVIN_API const kelvin_advice *kelvin_diagnosis_note(const kelvin_diagnosis *diagnosis, size_t i);

/* Convergence of all parameters, or of predictions: the probabilities of all classes (of two: of the first) at some
 * observations. */
typedef enum kelvin_quantities { KELVIN_PARAMETERS, KELVIN_PREDICTIONS } kelvin_quantities;
KELVIN_API const kelvin_convergence *kelvin_diagnosis_convergence(const kelvin_diagnosis *diagnosis,
                                                                  kelvin_quantities of);
/* At which data: test, where there is a test part; else training, or if that part is gone. */
KELVIN_API kelvin_side kelvin_diagnosis_side(const kelvin_diagnosis *diagnosis);
/* At how many of them, at equal distances: all, or 1,000; fewer of very many draws. */
KELVIN_API size_t kelvin_diagnosis_observations(const kelvin_diagnosis *diagnosis);
KELVIN_API const kelvin_agreement *kelvin_diagnosis_agreement(const kelvin_diagnosis *diagnosis); /* at all of them */
KELVIN_API const kelvin_temperatures *kelvin_diagnosis_temperatures(const kelvin_diagnosis *diagnosis);
/* A number by its name; not a number where it is not known, or there is none of that name. After the warm-up:
 *     acceptance              share of accepted proposals
 *     energy_error            median of |energy error|
 *     energy_variance         median of the squared error of a step's energy, per parameter
 *     energy_variance_mean    its mean: a few steps in stiff regions can make it thousands of medians
 * Means of single samples on training data:
 *     training_accuracy, training_log_likelihood (log p of the label by observation), training_confidence
 * Of the ensemble at kelvin_diagnosis_side, by observation:
 *     log_likelihood, linear_log_likelihood, frequencies_log_likelihood    its own, and those of the baselines
 *     beyond_linear, beyond_linear_error                how much more it is than the baseline's, and the standard error
 *     beyond_frequencies, beyond_frequencies_error
 *     calibration_error, calibration_error_by_chance    and what a calibrated model would have on average */
KELVIN_API double kelvin_diagnosis_number(const kelvin_diagnosis *diagnosis, const char *name);
KELVIN_API uint32_t kelvin_diagnosis_diverged(const kelvin_diagnosis *diagnosis); /* so many chains */
/* Samples of theirs, from before they diverged, which are in every answer. */
KELVIN_API size_t kelvin_diagnosis_kept(const kelvin_diagnosis *diagnosis);
/* Chains are still on their way when their first samples are taken: these come all along from a random start, with no
 * cycle that would bring a chain to its place first. */
KELVIN_API bool kelvin_diagnosis_starts_cold(const kelvin_diagnosis *diagnosis);

#ifdef __cplusplus
}
#endif
#endif
