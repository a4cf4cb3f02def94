/* Effective sample size of several chains (Vehtari et al., 2021, equations 10 to 13; as in Stan): the autocorrelation
 *     rho_t = 1 - (W - mean over chains of the autocovariance at lag t) / var+,   var+ = (N-1)/N W + V,
 * with W the variance within and V that of the chain means, is summed in pairs rho_2k + rho_2k+1 as long as they are
 * positive, none larger than the one before (Geyer's initial monotone sequence). A lag is computed when it is asked
 * for: chains that mix well need few. */
#include "posterior/stats.h"

#include <math.h>

struct series {
    const double *centred; /* (chains, n), each chain less its mean */
    size_t chains, n;
    double within, total; /* W and var+ */
};

static double autocovariance(const struct series *s, size_t lag)
{
    double sum = 0.0;
    for (size_t m = 0; m < s->chains; m++) {
        const double *x = s->centred + m * s->n;
        for (size_t i = 0; i + lag < s->n; i++) sum += x[i] * x[i + lag];
    }
    return sum / (double)(s->n * s->chains);
}

static double autocorrelation(const struct series *s, size_t lag)
{
    return 1.0 - (s->within - autocovariance(s, lag)) / s->total;
}

/* 1 + 2 sum of rho_t: how many draws are worth one. */
static double autocorrelation_time(const struct series *s)
{
    double tau = -1.0, largest = INFINITY, even = 1.0, odd = autocorrelation(s, 1);
    for (size_t lag = 2; lag + 2 < s->n && even + odd > 0.0; lag += 2) {
        largest = fmin(largest, even + odd);
        tau += 2.0 * largest;
        even = autocorrelation(s, lag);
        odd = autocorrelation(s, lag + 1);
    }
    /* The even half of the pair at which the sum stops, once: less noise where neighbours are anticorrelated. */
    return even > 0.0 || even + odd >= 0.0 ? tau + even : tau;
}

double kelvin_ess(const double *x, size_t chains, size_t n, double *scratch)
{
    struct series s = {.centred = scratch, .chains = chains, .n = n};
    kelvin_spread(&s.within, &s.total, x, chains, n);
    if (s.total == 0.0) return NAN;
    for (size_t m = 0; m < chains; m++) {
        const double mean = kelvin_mean(x + m * n, n);
        for (size_t i = m * n; i < (m + 1) * n; i++) scratch[i] = x[i] - mean;
    }
    /* The lower bound keeps anticorrelated chains from claiming more than S log10 S. */
    const double size = (double)(chains * n);
    return size / fmax(autocorrelation_time(&s), 1.0 / log10(size));
}
