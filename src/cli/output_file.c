#include "cli/output_file.h"

#include "base/files.h"

#include <kelvin/data.h>

#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool has_run(const char *folder)
{
    kelvin_path path;
    return !kelvin_path_join(path, folder, "run.json") && access(path, F_OK) == 0;
}

/* In the folder of a run, or in that of one of its chains. */
static bool is_of_run(const char *path)
{
    kelvin_path copy, up;
    if (snprintf(copy, sizeof copy, "%s", path) >= (int)sizeof copy) return false;
    const char *folder = dirname(copy);
    return has_run(folder) || (!kelvin_path_join(up, folder, "..") && has_run(up));
}

kelvin_status output_check(const char *path, bool force, const char *input)
{
    struct stat about;
    if (!path || lstat(path, &about)) return KELVIN_OK; /* what is wrong with its folder is said when it is opened */
    if (S_ISDIR(about.st_mode) || kelvin_is_folder(path))
        return kelvin_fail(KELVIN_EIO, "%s: is a folder; expected the name of a file", path);
    if (!S_ISREG(about.st_mode) && !S_ISLNK(about.st_mode))
        return kelvin_fail(KELVIN_EIO, "%s: is a device or a pipe; expected the name of a file", path);
    if (input && kelvin_inputs_come_from(input, path))
        return kelvin_fail(KELVIN_EIO, "%s: the input is read from it; choose another name", path);
    if (is_of_run(path))
        return kelvin_fail(KELVIN_EIO,
                           "%s: is there already, in the folder of a run, where nothing is replaced; "
                           "choose another name",
                           path);
    if (!force)
        return kelvin_fail(KELVIN_EIO, "%s: is there already; choose another name, or --force replaces it", path);
    return KELVIN_OK;
}
