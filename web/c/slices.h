/* slices: log-densities of a prediction for two classes, as curves over the probability p of the true class, for the
 * page (src/figures/slices.h has the axis and the paper's curves).
 *
 *     struct explorer_slices *slices = explorer_slices_create();
 *     bool ok = explorer_slices_density(slices, "dirclip:0.6,-16");   // as prior, and as posterior
 *     explorer_slice_values(slices, 0, value, n);                     // value + explorer_slice_shift(slices, 0) is
 * drawn
 *
 * Whatever makes slices forgets those that were there before; after a failure there are none.
 */
#ifndef EXPLORER_SLICES_H
#define EXPLORER_SLICES_H

#include "web/c/explorer.h"

#include "figures/slices.h"

EXPLORER struct explorer_slices *explorer_slices_create(void);
EXPLORER void explorer_slices_destroy(struct explorer_slices *slices);

/* The curves of the paper's figure. */
EXPLORER bool explorer_slices_paper(struct explorer_slices *slices, double alpha, double clip, double T_prior,
                                    double T_likelihood);

/* A density of the library's table, each curve moved so that its largest value is 0: a prior of predictions alone, and
 * with the likelihood as a posterior; what sees the label as a likelihood and as a posterior. */
EXPLORER bool explorer_slices_density(struct explorer_slices *slices, const char *density);

/* The likelihood to the power 1/T, as a likelihood and as a posterior, moved alike. */
EXPLORER bool explorer_slices_cold(struct explorer_slices *slices, double T);

/* The i-th of them. */
EXPLORER size_t explorer_slices_count(const struct explorer_slices *slices);
EXPLORER enum slice_panel explorer_slice_panel(const struct explorer_slices *slices, size_t i);
EXPLORER const char *explorer_slice_name(const struct explorer_slices *slices, size_t i); /* NULL: the paper has none */
EXPLORER size_t explorer_slice_member(const struct explorer_slices *slices, size_t i); /* which density of the table */
EXPLORER const char *explorer_slice_density(struct explorer_slices *slices, size_t i); /* good until the next call */
EXPLORER bool explorer_slice_has_likelihood(const struct explorer_slices *slices, size_t i); /* that is added to it */
EXPLORER double explorer_slice_power(const struct explorer_slices *slices, size_t i);
EXPLORER double explorer_slice_shift(const struct explorer_slices *slices, size_t i);
EXPLORER size_t explorer_slice_maxima(const struct explorer_slices *slices, size_t i);         /* how many, */
EXPLORER const double *explorer_slice_maximum(const struct explorer_slices *slices, size_t i); /* and their logits */
EXPLORER enum slice_number explorer_slice_number(const struct explorer_slices *slices, size_t i, size_t j);
EXPLORER double explorer_slice_value(const struct explorer_slices *slices, size_t i, double t);
EXPLORER void explorer_slice_values(const struct explorer_slices *slices, size_t i, double *value, size_t n);

/* The name of a panel, NULL after the last; the paper's number. */
EXPLORER const char *explorer_slices_panel(size_t panel);
EXPLORER double explorer_slices_paper_number(enum slice_number which);

/* The axis: the i-th of n logits; where a logit stands; its probability; the logit of a probability. */
EXPLORER double explorer_slice_logit(size_t i, size_t n);
EXPLORER double explorer_slice_axis(double t);
EXPLORER double explorer_slice_probability(double t);
EXPLORER double explorer_slice_logit_of(double p);

#endif
