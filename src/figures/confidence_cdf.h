/* confidence_cdf: distributions of the predicted probability of the true class, z, that cold likelihoods and confidence
 * priors stand for. Paper: appendix "Proof that confidence prior converges to a cold likelihood".
 *
 *     double below_half = cdf_upper(0.5, 3e-7);       // 3e-7
 *     double apart = cdf_distance(0.2);               // 0.088
 */
#ifndef FIGURES_CONFIDENCE_CDF_H
#define FIGURES_CONFIDENCE_CDF_H

/* P(Z <= z), for z in [0, 1] and T in (0, 1], where Z has the density of the cold likelihood, z^(1/T), and of the upper
 * bound on confidence prior times likelihood, max(z, 1 - z)^(1/T - 1) z. */
double cdf_cold(double z, double T);
double cdf_upper(double z, double T);

/* The Wasserstein distance of the two: the integral of |cdf_cold - cdf_upper| over z. */
double cdf_distance(double T);

#endif
