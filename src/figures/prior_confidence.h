/* prior_confidence: how sure networks are whose parameters are drawn from N(0, scale^2).
 *
 *     struct prior_confidence of[] = {{.scale = 0.1}, {.scale = 1}};
 *     status = kelvin_prior_confidence(of, 2, 1600, &images, options);    // 1,600 networks each
 */
#ifndef FIGURES_PRIOR_CONFIDENCE_H
#define FIGURES_PRIOR_CONFIDENCE_H

#include "base/random.h"
#include "figures/figure.h"
#include "figures/looked_at.h"

/* Parameter p of network d at the s-th scale is number p of this stream, with s as chain and d as step. */
enum { PRIOR_CONFIDENCE_STREAM = KELVIN_STREAM_USER + 41 };

/* Of a network: the mean over images of its largest probability. Of networks: the mean, and a standard error less and
 * more. (Their own spread says little: most are quite sure, and a few, whose two largest logits happen to be near each
 * other, are not at all.) */
struct prior_confidence {
    double scale; /* filled in by the caller; 0 is none */
    double low, mean, high;
};

/* draws: 2 or more. Of the options seed, threads and watch count; the numbers are the same bits for any number of
 * threads. */
KELVIN_MUST_CHECK kelvin_status kelvin_prior_confidence(struct prior_confidence *of, size_t n, size_t draws,
                                                        const struct looked_at *images,
                                                        const struct figure_options *options);

#endif
