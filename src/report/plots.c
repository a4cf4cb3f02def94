/* Charts of metrics as files: what there is to see of posteriors, apart from a page. */
#include "base/words.h"
#include "charts/output.h"
#include "charts/posterior_charts.h"

#include <kelvin/report.h>

#include <ctype.h>
#include <string.h>

struct plots {
    FILE *list;
    const char *folder;
    kelvin_arena *arena;
    kelvin_status status;
    char sentence[KELVIN_RAW]; /* of the first that failed: the others are tried as well */
};

static void plot(struct plots *plots, const struct chart *chart)
{
    const kelvin_status status = kelvin_chart_files(plots->list, chart, plots->folder);
    if (!status || plots->status) return;
    plots->status = status;
    snprintf(plots->sentence, sizeof plots->sentence, "%s", kelvin_error_raw());
}

/* "confidence-2-warm": the number keeps names apart, whatever becomes of letters that a file had better not have. */
static const char *file_name(struct chart *chart, const char *name, size_t number)
{
    char plain[64];
    size_t n = 0;
    for (; *name && n + 1 < sizeof plain; name++)
        plain[n++] = isalnum((unsigned char)*name) || strchr("._", *name) ? *name : '-';
    plain[n] = '\0';
    return kelvin_chart_text(chart, "%s-%zu-%s", chart->name, number, plain);
}

static void plot_all(struct plots *plots, const struct charted *charted, size_t n)
{
    size_t by_size[KELVIN_METRICS];
    const size_t n_by_size = kelvin_metrics_shown(by_size, KELVIN_SHOWN_SIZES);
    struct chart chart;
    kelvin_chart_reliability(&chart, plots->arena, charted, n, false);
    plot(plots, &chart);
    for (size_t i = 0; i < n; i++) {
        kelvin_chart_confidence(&chart, plots->arena, &charted[i], kelvin_run_colour(i));
        if (n > 1) {
            chart.name = file_name(&chart, charted[i].name, i + 1);
            chart.title = kelvin_chart_text(&chart, "Confidence: %s", charted[i].name);
        }
        plot(plots, &chart);
    }
    if (kelvin_chart_size(&chart, plots->arena, by_size, n_by_size, charted, n)) plot(plots, &chart);
}

kelvin_status kelvin_plot_metrics(const char *folder, const char *const *names, const kelvin_metrics *const *metrics,
                                  size_t n, FILE *list)
{
    struct plots plots = {.list = list, .folder = folder};
    KELVIN_TRY(kelvin_arena_create(&plots.arena));
    struct charted *charted = kelvin_arena_alloc(plots.arena, n, sizeof *charted);
    for (size_t i = 0; i < n && charted; i++) charted[i] = (struct charted){names[i], metrics[i], NULL};
    if (charted)
        plot_all(&plots, charted, n);
    else
        plots.status = KELVIN_ENOMEM;
    kelvin_arena_destroy(plots.arena);
    return *plots.sentence ? kelvin_fail(plots.status, KELVIN_SAID, plots.sentence) : plots.status;
}

kelvin_status kelvin_plot_check(const char *folder)
{
    return kelvin_output_check_folder(folder);
}

/* "reliability.csv", "confidence-2-warm.png", also under the names that they have before they are whole. */
bool kelvin_plot_writes(const char *file)
{
    static const char *const names[] = {"reliability.", "confidence.", "confidence-", "posterior-size."};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) found |= strncmp(file, names[i], strlen(names[i])) == 0;
    return found;
}
