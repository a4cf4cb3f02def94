/* wasserstein: how far the cold likelihood and the upper bound on confidence prior times likelihood are apart, over
 * temperature: W(T) = integral over z of |F_cold(z) - F_upper(z)|, by quadrature (confidence_cdf.c). Paper: appendix
 * "Proof that confidence prior converges to a cold likelihood". */
#include "base/words.h"
#include "figures/figure.h"
#include "figures/tempered.h"
#include "figures/wasserstein_gp.h"

#include <math.h>
#include <string.h>

/* Where between the two temperatures the distance is largest, by golden section; it has one peak at most. */
static double peak_between(double low, double high)
{
    const double golden = 0.6180339887498949;
    while (high - low > 1e-7 * high) {
        const double left = high - golden * (high - low), right = low + golden * (high - low);
        if (kelvin_cdf_distance(left) < kelvin_cdf_distance(right))
            low = left;
        else
            high = right;
    }
    return (low + high) / 2.0;
}

static kelvin_status run(const struct figure_options *options)
{
    struct temperatures list;
    struct output_file table;
    KELVIN_TRY(kelvin_temperatures_parse_n(&list, options->temperatures, 2, "the lowest, then the highest"));
    const double low = list.T[0], high = list.T[1];
    if (low >= high)
        return kelvin_fail(
            KELVIN_EUSAGE,
            KELVIN_REFER(OPTION, "temperatures") ": the lowest comes first and must be below the highest");
    KELVIN_TRY(kelvin_figure_table(&table, &kelvin_wasserstein_figure, options, ".csv", "temperature,distance", ""));
    for (size_t i = 0; i < options->grid; i++) { /* in equal ratios; both ends are met exactly */
        const double share = (double)i / (double)(options->grid - 1);
        const double T = i + 1 == options->grid ? high : low * pow(high / low, share);
        fprintf(table.file, "%.10g,%.10g\n", T, kelvin_cdf_distance(T));
    }
    const double peak = peak_between(low, high);
    fprintf(options->out, "largest distance: %.4g at T = %.4g%s\n", kelvin_cdf_distance(peak), peak,
            strcmp(options->temperatures, kelvin_wasserstein_figure.defaults.temperatures) == 0
                ? " (published: 0.088 at 0.21 in its picture, 0.1 in its text)"
                : "");
    return kelvin_output_close(&table, KELVIN_OK);
}

const struct figure kelvin_wasserstein_figure = {
    .member = KELVIN_PLAIN_MEMBER(
        "wasserstein", "distance between the cold likelihood and the confidence prior's bound, over temperature"),
    .options = {{"temperatures", 0, 0, "the lowest and the highest"},
                {"grid", 20, 5000, "temperatures, in equal ratios"}},
    .defaults = {.temperatures = "1e-5,1", .grid = 1000},
    .tables = {".csv"},
    .script = wasserstein_gp,
    .run = run,
};
