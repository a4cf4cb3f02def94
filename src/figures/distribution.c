/* Each sample has counts of its own: first of what is between two neighbouring points, which are summed when all of its
 * values have been seen. What is below the first point counts from there on. */
#include "figures/distribution.h"
#include "base/sorted.h"
#include "posterior/logits.h"
#include "posterior/stats.h"

#include <math.h>

static const double low = 0.1, high = 0.9; /* percentiles */

double kelvin_distribution_point(const struct distribution_kind *kind, size_t i)
{
    return kind->lowest * (1 - (double)i / DISTRIBUTION_BINS);
}

/* The first point that is not below a log-probability. */
static size_t point_of(const struct distribution_kind *kind, double log_p)
{
    const double place = ceil((1 - log_p / kind->lowest) * DISTRIBUTION_BINS);
    size_t i = place > 0 ? (size_t)place : 0;
    if (i > DISTRIBUTION_BINS) i = DISTRIBUTION_BINS;
    /* Where it is a rounding away from a point, the points themselves decide. */
    while (i > 0 && log_p <= kelvin_distribution_point(kind, i - 1)) i--;
    while (i < DISTRIBUTION_BINS && log_p > kelvin_distribution_point(kind, i)) i++;
    return i;
}

static void count_value(struct distribution *of, uint64_t *count, double log_p)
{
    count[point_of(of->kind, log_p)]++;
    of->below += log_p < of->kind->bound;
}

static void count_piece(struct distribution *of, const kelvin_piece *piece, size_t K)
{
    for (size_t s = 0; s < piece->samples; s++) {
        uint64_t *count = of->count + (piece->first_sample + s) * DISTRIBUTION_POINTS;
        for (size_t i = 0; i < piece->n; i++) {
            const float *z = piece->z + (s * piece->n + i) * K;
            const double all = kelvin_log_sum_exp(z, K);
            const size_t first = of->kind->label ? (size_t)piece->y[i] : 0, end = of->kind->label ? first + 1 : K;
            for (size_t k = first; k < end; k++) count_value(of, count, (double)z[k] - all);
        }
    }
}

static void add_up(struct distribution *of)
{
    for (size_t s = 0; s < of->samples; s++)
        for (size_t i = 1; i < DISTRIBUTION_POINTS; i++)
            of->count[s * DISTRIBUTION_POINTS + i] += of->count[s * DISTRIBUTION_POINTS + i - 1];
    of->values = of->count[DISTRIBUTION_BINS];
}

kelvin_status kelvin_distribution_count(struct distribution *of, kelvin_logits *logits)
{
    kelvin_piece piece;
    kelvin_status status;
    of->samples = logits->samples;
    of->count = kelvin_alloc(of->samples * DISTRIBUTION_POINTS, sizeof *of->count);
    of->of_point = kelvin_alloc(of->samples, sizeof *of->of_point);
    if (!of->count || !of->of_point) return KELVIN_ENOMEM;
    while (!(status = kelvin_logits_next(logits, &piece)) && piece.n > 0) count_piece(of, &piece, logits->classes);
    add_up(of);
    return status;
}

void kelvin_distribution_free(struct distribution *of)
{
    kelvin_free(of->of_point);
    kelvin_free(of->count);
}

struct distribution_share kelvin_distribution_at(const struct distribution *of, size_t i)
{
    if (of->samples == 0) return (struct distribution_share){NAN, NAN, NAN};
    double sum = 0;
    for (size_t s = 0; s < of->samples; s++)
        sum += of->of_point[s] = (double)of->count[s * DISTRIBUTION_POINTS + i] / (double)of->values;
    kelvin_sort(of->of_point, of->samples);
    return (struct distribution_share){kelvin_quantile(of->of_point, of->samples, low), sum / (double)of->samples,
                                       kelvin_quantile(of->of_point, of->samples, high)};
}

double kelvin_distribution_below(const struct distribution *of)
{
    return of->samples > 0 ? (double)of->below / ((double)of->samples * (double)of->values) : NAN;
}

double kelvin_distribution_median(const struct distribution *of)
{
    size_t i = 0;
    if (of->samples == 0) return NAN;
    while (i < DISTRIBUTION_BINS && kelvin_distribution_at(of, i).mean < 0.5) i++;
    return kelvin_distribution_point(of->kind, i);
}
