/* The charts of kelvin eval, as files. */
#include "charts/posterior_charts.h"
#include "cli/eval_table.h"
#include "cli/output_file.h"
#include "cli/words.h"
#include "files/files.h"

#include <ctype.h>
#include <dirent.h>
#include <string.h>

struct plots {
    FILE *list;
    const char *folder;
    kelvin_arena *arena;
    kelvin_status status;
    char sentence[1024]; /* of the first that failed: the others are tried as well */
};

static void plot(struct plots *plots, const struct chart *chart)
{
    const kelvin_status status = kelvin_chart_files(plots->list, chart, plots->folder);
    if (status && !plots->status) {
        plots->status = status == KELVIN_EUSAGE ? KELVIN_EIO : status; /* the option is right, the folder is not */
        snprintf(plots->sentence, sizeof plots->sentence, "%s", command_error());
    }
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

/* "reliability.csv", "confidence-2-warm.png", also under the names that they have before they are whole. */
static bool is_ours(const char *file)
{
    static const char *const names[] = {"reliability.", "confidence.", "confidence-", "posterior-size."};
    bool found = false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) found |= strncmp(file, names[i], strlen(names[i])) == 0;
    return found;
}

kelvin_status eval_plot_check(const char *folder, const struct output_reads *reads)
{
    DIR *files = opendir(folder);
    kelvin_status status = KELVIN_OK;
    for (const struct dirent *file; !status && files && (file = readdir(files));) {
        kelvin_path path;
        if (!is_ours(file->d_name)) continue;
        status = kelvin_path_join(path, folder, "%s", file->d_name);
        if (!status) status = output_check_read(path, reads);
    }
    if (files) closedir(files);
    return status;
}

kelvin_status eval_plot(FILE *list, const char *folder, const struct evaluated *runs, size_t n)
{
    struct plots plots = {.list = list, .folder = folder};
    KELVIN_TRY(kelvin_arena_create(&plots.arena));
    struct charted *charted = kelvin_arena_alloc(plots.arena, n, sizeof *charted);
    for (size_t i = 0; i < n && charted; i++) charted[i] = (struct charted){runs[i].name, runs[i].metrics, NULL};
    if (charted)
        plot_all(&plots, charted, n);
    else
        plots.status = KELVIN_ENOMEM;
    kelvin_arena_destroy(plots.arena);
    return plots.status && *plots.sentence ? kelvin_fail(plots.status, "%s", plots.sentence) : plots.status;
}
