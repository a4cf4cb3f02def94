/* wasserstein: how far the cold likelihood and the upper bound on confidence prior times likelihood are apart, over
 * temperature: W(T) = integral over z of |F_cold(z) - F_upper(z)|, by quadrature (confidence_cdf.c). Paper: appendix
 * "Proof that confidence prior converges to a cold likelihood". */
#include "figures/confidence_cdf.h"
#include "figures/figure.h"
#include "figures/output.h"
#include "figures/temperatures.h"
#include "figures/wasserstein_gp.h"

#include <math.h>
#include <string.h>

static const char *const paper_temperatures = "1e-5,1";

struct range {
    double low, high;
};

static kelvin_status read_range(struct range *range, const char *text)
{
    struct temperatures list;
    KELVIN_TRY(temperatures_parse_n(&list, text, 2, "the lowest, then the highest"));
    if (list.T[0] >= list.T[1])
        return kelvin_fail(KELVIN_EUSAGE, "--temperatures: the lowest comes first and must be below the highest");
    *range = (struct range){list.T[0], list.T[1]};
    return KELVIN_OK;
}

/* Point i of n in equal ratios; both ends are met exactly. */
static double temperature_at(const struct range *range, size_t i, size_t n)
{
    if (i + 1 == n) return range->high;
    return range->low * pow(range->high / range->low, (double)i / (double)(n - 1));
}

/* Where between the two temperatures the distance is largest, by golden section; it has one peak at most. */
static double peak_between(double low, double high)
{
    const double golden = 0.6180339887498949;
    while (high - low > 1e-7 * high) {
        const double left = high - golden * (high - low), right = low + golden * (high - low);
        if (cdf_distance(left) < cdf_distance(right))
            low = left;
        else
            high = right;
    }
    return (low + high) / 2.0;
}

static kelvin_status run(const struct figure *figure, const struct figure_options *options)
{
    struct range range = {0.0, 0.0};
    struct output table;
    KELVIN_TRY(read_range(&range, options->temperatures));
    KELVIN_TRY(output_table(&table, figure, options, ".csv", "temperature,distance"));
    for (size_t i = 0; i < options->grid; i++) {
        const double T = temperature_at(&range, i, options->grid);
        fprintf(table.file, "%.10g,%.10g\n", T, cdf_distance(T));
    }
    const double peak = peak_between(range.low, range.high);
    fprintf(options->out, "largest distance: %.4g at T = %.4g%s\n", cdf_distance(peak), peak,
            strcmp(options->temperatures, paper_temperatures) == 0
                ? " (published: 0.088 at 0.21 in its picture, 0.1 in its text)"
                : "");
    return output_close(&table, KELVIN_OK);
}

static void defaults(struct figure_options *options)
{
    options->temperatures = paper_temperatures;
    options->grid = 1000;
}

static const struct figure_detail details[] = {
    {"grid", 20, 5000, "temperatures, in equal ratios"},
    {"temperatures", 0, 0, "the lowest and the highest"},
    {NULL, 0, 0, NULL},
};

static const char *const heeded[] = {"temperatures", "grid", NULL};
static const char *const tables[] = {".csv", NULL};

extern const struct figure wasserstein_figure;
const struct figure wasserstein_figure = {
    .name = "wasserstein",
    .about = "distance between the cold likelihood and the confidence prior's bound, over temperature",
    .options = heeded,
    .details = details,
    .defaults = defaults,
    .tables = tables,
    .script = wasserstein_gp,
    .run = run,
};
