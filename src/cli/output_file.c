/* Files that commands write: looked at before the work begins, so that nothing that matters is replaced. */
#include "cli/output_file.h"

#include "cli/texts.h"

#include <kelvin/run.h>

#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A name with something behind it; false if it is longer than names can be. */
static bool join(char path[PATH_MAX], const char *name, const char *rest)
{
    const int length = snprintf(path, PATH_MAX, "%s%s", name, rest);
    return length >= 0 && length < PATH_MAX;
}

static bool has_run(const char *folder)
{
    char path[PATH_MAX];
    return join(path, folder, "/run.json") && access(path, F_OK) == 0;
}

/* In the folder of a run, or in that of one of its chains. */
static bool is_of_run(const char *path)
{
    char copy[PATH_MAX], up[PATH_MAX];
    if (!join(copy, path, "")) return false;
    const char *folder = dirname(copy);
    return has_run(folder) || (join(up, folder, "/..") && has_run(up));
}

/* ---- what is read ---- */

static bool comes_from(const char *input, const char *path)
{
    const bool part = !input || strcmp(input, "test") == 0 || strcmp(input, "train") == 0;
    return !part && kelvin_inputs_come_from(input, path);
}

/* Its data set is read again where the run has left no logits; and nobody wants to lose it. */
static kelvin_status check_data(const char *path, const char *folder)
{
    kelvin_run *run;
    KELVIN_TRY(kelvin_run_read(&run, folder));
    const bool found = kelvin_inputs_come_from(kelvin_run_text(run, "data"), path);
    kelvin_run_close(run);
    if (!found) return KELVIN_OK;
    return kelvin_fail(KELVIN_EIO, "%s: is of the data set that %s was made from; choose another name", path, folder);
}

kelvin_status output_check_read(const char *path, const struct output_reads *reads)
{
    if (access(path, F_OK)) return KELVIN_OK;
    for (size_t i = 0; i < sizeof reads->inputs / sizeof *reads->inputs; i++)
        if (comes_from(reads->inputs[i], path))
            return kelvin_fail(KELVIN_EIO, "%s: the input is read from it; choose another name", path);
    for (size_t i = 0; i < reads->n_runs; i++) KELVIN_TRY(check_data(path, reads->runs[i]));
    return KELVIN_OK;
}

/* ---- the whole ---- */

/* A file is written under another name first (kelvin_writer_open): what has that name is lost as well. */
static kelvin_status check_temporary(const char *path, const struct output_reads *reads)
{
    char temporary[PATH_MAX];
    return join(temporary, path, ".tmp") ? output_check_read(temporary, reads) : KELVIN_OK;
}

kelvin_status output_check(const char *path, bool force, const struct output_reads *reads)
{
    struct stat about;
    if (path && !*path) return kelvin_fail(KELVIN_EUSAGE, "-o: the name of the file is empty");
    if (path && strcmp(path, "-") == 0) return kelvin_fail(KELVIN_EUSAGE, "-o -: give the name of a file");
    if (path) KELVIN_TRY(check_temporary(path, reads));
    if (!path || lstat(path, &about)) return KELVIN_OK; /* what is wrong with its folder is said when it is opened */
    if (S_ISDIR(about.st_mode) || is_folder(path))
        return kelvin_fail(KELVIN_EIO, "%s: is a folder; expected the name of a file", path);
    if (!S_ISREG(about.st_mode) && !S_ISLNK(about.st_mode))
        return kelvin_fail(KELVIN_EIO, "%s: is a device or a pipe; expected the name of a file", path);
    KELVIN_TRY(output_check_read(path, reads));
    if (is_of_run(path))
        return kelvin_fail(KELVIN_EIO,
                           "%s: is there already, in the folder of a run, where nothing is replaced; "
                           "choose another name",
                           path);
    if (!force)
        return kelvin_fail(KELVIN_EIO, "%s: is there already; choose another name, or --force replaces it", path);
    return KELVIN_OK;
}
