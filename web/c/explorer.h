/* explorer: what the page in the browser asks of the library. Compiled to WebAssembly for the page, and for this
 * machine by the tests, which hold the two against each other.
 *
 *     struct explorer_chain *chain = explorer_chain_create();
 *     bool ok = explorer_chain_begin(chain, &posterior, x, y, n, false);     // explorer_error() says why not
 *     ok = explorer_chain_lattice(chain, 96, box);
 *     while (ok) ok = explorer_chain_step(chain);                            // a draw, added to the map
 *
 * Texts and numbers go one by one, since JavaScript knows no structs. A function that can fail returns false, and
 * explorer_error() has the sentence.
 */
#ifndef EXPLORER_H
#define EXPLORER_H

#include <kelvin/base.h>

/* What the page may call, by its own name. */
#if defined(__wasm__)
#define EXPLORER __attribute__((used, visibility("default")))
#else
#define EXPLORER
#endif

EXPLORER const char *explorer_error(void);
EXPLORER const char *explorer_version(void);

/* Memory for what JavaScript writes; NULL: there is no more. */
EXPLORER void *explorer_alloc(size_t bytes);
EXPLORER void explorer_free(void *p);

/* ---- tables.c: densities and priors, as the library lists them ---- */

enum explorer_family { EXPLORER_DENSITIES, EXPLORER_PRIORS };
enum explorer_text { EXPLORER_NAME, EXPLORER_USAGE, EXPLORER_ABOUT };
enum explorer_number {
    EXPLORER_LEAST,
    EXPLORER_MOST,
    EXPLORER_ABOVE, /* `least`, or `most`, is itself out of the range */
    EXPLORER_BELOW,
    EXPLORER_WHOLE,
    EXPLORER_OPTIONAL,
    EXPLORER_USUAL,
};

EXPLORER size_t explorer_members(enum explorer_family family);
EXPLORER const char *explorer_member_text(enum explorer_family family, size_t i, enum explorer_text which);
EXPLORER size_t explorer_parameters(enum explorer_family family, size_t i);
EXPLORER const char *explorer_parameter_name(enum explorer_family family, size_t i, size_t j);
EXPLORER double explorer_parameter_number(enum explorer_family family, size_t i, size_t j, enum explorer_number which);
/* Of density i: whether it looks at the label (others are priors of predictions, to which the likelihood is added), and
 * whether its first parameter has a critical value. */
EXPLORER bool explorer_density_sees_label(size_t i);
EXPLORER bool explorer_density_has_critical(size_t i);
/* Whether prior i can be drawn from: chains need no draws, but a flat prior is none. */
EXPLORER bool explorer_prior_is_proper(size_t i);

/* The posteriors of figure 1: what they are called, their density, the size of their steps; NULL after the last. */
EXPLORER const char *explorer_paper_label(size_t i);
EXPLORER const char *explorer_paper_density(size_t i);
EXPLORER double explorer_paper_step_size(size_t i);

/* The points of figure 1: how many; x (n, 2), y (n). */
EXPLORER size_t explorer_toy(float *x, int32_t *y);

/* ---- chain.c: one chain by HMC, and the map that its draws make ---- */

struct explorer_posterior {
    const char *model, *density, *prior;
    double temperature;
    double step_size; /* of the leapfrog; 0: tuned in warm-up */
    double steps;     /* of a trajectory */
    double warmup;    /* iterations that are left out */
    double seed, chain;
};

EXPLORER struct explorer_chain *explorer_chain_create(void);
EXPLORER void explorer_chain_destroy(struct explorer_chain *chain);

/* A chain at its first step, of n points x (n, 2) with labels y, each 0 or 1; what was drawn before is forgotten. With
 * `stay` it begins where the last one is, if that had the same network, otherwise at random as a run of the library.
 * (The fields are given one by one: explorer_chain_begin_with.) */
bool explorer_chain_begin(struct explorer_chain *chain, const struct explorer_posterior *posterior, const float *x,
                          const int32_t *y, size_t n, bool stay);
EXPLORER bool explorer_chain_begin_with(struct explorer_chain *chain, const char *model, const char *density,
                                        const char *prior, double temperature, double step_size, double steps,
                                        double warmup, double seed, double number, const float *x, const int32_t *y,
                                        size_t n, bool stay);

/* The lattice on which predictions are summed up: side x side points from (box[0], box[1]) to (box[2], box[3]), row by
 * row of the second coordinate. What was summed up is forgotten. */
EXPLORER bool explorer_chain_lattice(struct explorer_chain *chain, size_t side, const double *box);

/* One iteration. False if the chain cannot go on. */
EXPLORER bool explorer_chain_step(struct explorer_chain *chain);

EXPLORER size_t explorer_chain_iteration(const struct explorer_chain *chain); /* iterations so far */
EXPLORER size_t explorer_chain_draws(const struct explorer_chain *chain);     /* those after the warm-up */
EXPLORER size_t explorer_chain_summed(const struct explorer_chain *chain);    /* those that the map is made of */
/* Sums over these of the probability of class 0 and of the entropy, (side, side). While a chain warms up they are of
 * the latter half, or more, of its iterations. */
EXPLORER const double *explorer_chain_map(const struct explorer_chain *chain);
EXPLORER const double *explorer_chain_entropy(const struct explorer_chain *chain);
/* Of the last draw: the probability of class 0 at each point (n); all parameters, and how many; its log-posterior. */
EXPLORER const double *explorer_chain_predictions(const struct explorer_chain *chain);
EXPLORER const float *explorer_chain_theta(const struct explorer_chain *chain);
/* And its logits at the points, z (n, 2). */
EXPLORER void explorer_chain_logits(const struct explorer_chain *chain, float *z);
EXPLORER size_t explorer_chain_parameters(const struct explorer_chain *chain);
EXPLORER double explorer_chain_log_posterior(const struct explorer_chain *chain);
/* Means since the warm-up or, in it, of what the map is made of: the share of points that a draw gets right, and
 * acceptance. */
EXPLORER double explorer_chain_accuracy(const struct explorer_chain *chain);
EXPLORER double explorer_chain_acceptance(const struct explorer_chain *chain);
EXPLORER double explorer_chain_step_size(const struct explorer_chain *chain); /* what it has come to */
EXPLORER double explorer_chain_gradients(const struct explorer_chain *chain); /* evaluated since it began */

/* ---- pictures.c ---- */

/* Where f (side, side) has the value `level`: points (column, row, 1 where a new curve begins), how many there are; at
 * most `most` are written. */
EXPLORER size_t explorer_contour(double *points, size_t most, const double *f, size_t side, double level);

/* As the paper has it: x (chains, draws). */
EXPLORER double explorer_rhat(const double *x, size_t chains, size_t draws);

/* ---- known.c ---- */

/* The checksum of the draws of a known chain: 20 iterations of a posterior of figure 1. The library gets two, with and
 * without fused multiply-adds. */
EXPLORER uint32_t explorer_known(void);
/* Whether multiply-adds are fused here. */
EXPLORER bool explorer_fuses(void);

#endif
