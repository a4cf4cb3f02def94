/* The charts of kelvin eval, as files. */
#include "cli/eval_table.h"
#include "cli/output_file.h"

#include <kelvin/report.h>

#include <dirent.h>

kelvin_status eval_plot_check(const char *folder, const struct output_reads *reads)
{
    enum { PATH = 8192 };                             /* longer ones cannot be opened */
    if (kelvin_plot_check(folder)) return KELVIN_EIO; /* the option is right */
    DIR *files = opendir(folder);
    kelvin_status status = KELVIN_OK;
    for (const struct dirent *file; !status && files && (file = readdir(files));) {
        char path[PATH];
        if (!kelvin_plot_writes(file->d_name)) continue;
        snprintf(path, sizeof path, "%s/%s", folder, file->d_name);
        status = output_check_read(path, reads);
    }
    if (files) closedir(files);
    return status;
}

kelvin_status eval_plot(FILE *list, const char *folder, const struct evaluated *runs, size_t n)
{
    kelvin_arena *arena;
    KELVIN_TRY(kelvin_arena_create(&arena));
    const char **names = kelvin_arena_alloc(arena, n, sizeof *names);
    const kelvin_metrics **metrics = kelvin_arena_alloc(arena, n, sizeof *metrics);
    kelvin_status status = names && metrics ? KELVIN_OK : KELVIN_ENOMEM;
    for (size_t i = 0; i < n && !status; i++) names[i] = runs[i].name, metrics[i] = runs[i].metrics;
    if (!status) status = kelvin_plot_metrics(folder, names, metrics, n, list);
    kelvin_arena_destroy(arena);
    return status == KELVIN_EUSAGE ? KELVIN_EIO : status; /* the option is right, the folder is not */
}
