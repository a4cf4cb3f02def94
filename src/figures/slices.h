/* slices: log-densities of a prediction for two classes, as curves over the predicted probability p of the true class.
 *
 *     struct slice slices[SLICES];
 *     KELVIN_TRY(kelvin_slices_make(slices, &(struct slice_numbers){.alpha = 1e-6, .clip = -16, .T = {3e-7, 0.08}}));
 *     const double t = kelvin_slice_logit(i, n);                    // i-th of n points along the axis
 *     const double value = kelvin_slice_value(&slices[0], t);       // value + slices[0].shift is drawn
 *
 * Everything is told by the logit t = log(p / (1 - p)), the logits being z = (t, 0): it keeps all digits of both p and
 * 1 - p, of which a double of the other would lose all.
 */
#ifndef FIGURES_SLICES_H
#define FIGURES_SLICES_H

#include "figures/tempered.h"

enum slice_panel { SLICE_PRIOR, SLICE_LIKELIHOOD, SLICE_POSTERIOR };

/* What curves of the paper's picture depend on. */
enum slice_number { SLICE_NONE, SLICE_ALPHA, SLICE_CLIP, SLICE_T_PRIOR, SLICE_T_LIKELIHOOD, SLICE_NUMBERS };

enum { SLICES = 13, SLICE_MOST_MAXIMA = 8, SLICE_MOST_NUMBERS = 2 };

/* The paper's numbers; temperatures in the order of `T` below. */
#define SLICE_PAPER_ALPHA        1e-6
#define SLICE_PAPER_CLIP         (-16)
#define SLICE_PAPER_TEMPERATURES "3e-7,0.08"

extern const char *const kelvin_slice_panels[]; /* their names */

struct slice_numbers {
    double alpha, clip;
    double T[2]; /* of the confidence prior and the posteriors; of the cold likelihood among the likelihoods */
};

struct slice {
    enum slice_panel panel;
    const char *name;
    enum slice_number number[SLICE_MOST_NUMBERS]; /* what it depends on; SLICE_NONE after the last */
    struct tempered tempered;                     /* its power is 1/T of a cold likelihood, else 1 */
    double shift;    /* log-densities have no zero; the picture puts them where they can be compared */
    double largest;  /* value on the axis: at a maximum, or at an end, or anywhere on a plateau */
    size_t n_maxima; /* the highest points inside the axis; not its ends, and no plateaus */
    double maximum[SLICE_MOST_MAXIMA]; /* logits, from left to right */
};

/* KELVIN_EUSAGE if a number is out of the range that a density allows. */
KELVIN_MUST_CHECK kelvin_status kelvin_slices_make(struct slice slices[SLICES], const struct slice_numbers *numbers);

double kelvin_slice_value(const struct slice *slice, double t);

/* Finds the largest value and the maxima of a slice whose `tempered` is set; kelvin_slices_make does it for its own. */
void kelvin_slice_survey(struct slice *slice);

/* The i-th of n logits, evenly spaced, from that of p = 1e-10 to that of 1 - p = 1e-10. */
double kelvin_slice_logit(size_t i, size_t n);

/* Where the picture puts it: log(2p) for p below 1/2, -log(2(1 - p)) above; the paper's axis, logarithmic towards both
 * ends. */
double kelvin_slice_axis(double t);

/* p itself; that of -t is 1 - p. */
double kelvin_slice_probability(double t);

#endif
