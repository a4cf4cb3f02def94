/* Files of a figure, and gnuplot to draw it. */
#include "figures/output.h"

#include "figures/prelude_gp.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { NOT_FOUND = 127 }; /* how a program ends that could not be started, where posix_spawn does not say so itself */

const char *const output_pictures[] = {".png", ".svg", ".pdf", ".gif", NULL};

kelvin_status output_folder(const char *folder)
{
    struct stat about;
    if (mkdir(folder, 0777) && errno != EEXIST)
        return kelvin_fail(KELVIN_EUSAGE, "the folder %s cannot be made: %s", folder, strerror(errno));
    if (stat(folder, &about) == 0 && !S_ISDIR(about.st_mode))
        return kelvin_fail(KELVIN_EUSAGE, "%s is a file, not a folder", folder);
    if (access(folder, W_OK | X_OK))
        return kelvin_fail(KELVIN_EUSAGE, "the folder %s cannot be written: %s", folder, strerror(errno));
    return KELVIN_OK;
}

/* FOLDER/FIGURE + suffix. */
static kelvin_status output_path(char path[OUTPUT_PATH], const char *folder, const char *figure, const char *suffix)
{
    if (snprintf(path, OUTPUT_PATH, "%s/%s%s", folder, figure, suffix) < OUTPUT_PATH) return KELVIN_OK;
    return kelvin_fail(KELVIN_EUSAGE, "the folder's name is too long: %.64s...", folder);
}

static kelvin_status output_open(struct output *output, const char *folder, const char *figure, const char *suffix)
{
    KELVIN_TRY(output_folder(folder));
    KELVIN_TRY(output_path(output->path, folder, figure, suffix));
    char hidden[128];
    snprintf(hidden, sizeof hidden, "%s.tmp", suffix);
    KELVIN_TRY(output_path(output->temporary, folder, figure, hidden));
    output->file = fopen(output->temporary, "w");
    if (output->file) return KELVIN_OK;
    return kelvin_fail(KELVIN_EIO, "%s cannot be written: %s", output->temporary, strerror(errno));
}

kelvin_status output_table(struct output *output, const struct figure *figure, const struct figure_options *options,
                           const char *suffix, const char *columns)
{
    KELVIN_TRY(output_open(output, options->folder, figure->name, suffix));
    fprintf(output->file, "# %s\n", columns);
    figure_write_parameters(output->file, "# ", figure, options);
    return KELVIN_OK;
}

kelvin_status output_close(struct output *output, kelvin_status status)
{
    const bool arrived = !ferror(output->file);
    if ((fclose(output->file) || !arrived) && !status)
        status = kelvin_fail(KELVIN_EIO, "%s could not be written whole: %s", output->path, strerror(errno));
    if (!status && rename(output->temporary, output->path))
        status = kelvin_fail(KELVIN_EIO, "%s could not get its name: %s", output->path, strerror(errno));
    if (status) unlink(output->temporary);
    return status;
}

kelvin_status output_script(const struct figure *figure, const struct figure_options *options)
{
    struct output script;
    KELVIN_TRY(output_open(&script, options->folder, figure->name, ".gp"));
    for (size_t i = 0; prelude_gp[i]; i++) fputs(prelude_gp[i], script.file);
    fputs("\n# ---- the parameters ----\n", script.file);
    figure_write_parameters(script.file, "", figure, options);
    fputs("\n# ---- the picture ----\n", script.file);
    for (size_t i = 0; figure->script[i]; i++) fputs(figure->script[i], script.file);
    return output_close(&script, KELVIN_OK);
}

/* Starts `gnuplot script` and waits for it; whatever it says goes to the file `log`. 0 if it is content, -1 if it could
 * not be started. */
static int gnuplot(char *script, const char *log)
{
    char name[] = "gnuplot";
    char *argv[] = {name, script, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child;
    int ended = -1;
    if (posix_spawn_file_actions_init(&actions)) return -1;
    if (posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0666) == 0 &&
        posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO) == 0 &&
        posix_spawnp(&child, name, &actions, NULL, argv, environ) == 0)
        while (waitpid(child, &ended, 0) < 0 && errno == EINTR) continue;
    posix_spawn_file_actions_destroy(&actions);
    return ended;
}

/* Does `act` to every picture of the figure; the number of those where it returned 0. */
static size_t each_picture(int (*act)(const char *path), const char *folder, const char *figure, bool moves)
{
    size_t n = 0;
    char path[OUTPUT_PATH];
    for (size_t i = 0; output_pictures[i]; i++)
        if ((moves || strcmp(output_pictures[i], ".gif") != 0) &&
            output_path(path, folder, figure, output_pictures[i]) == KELVIN_OK)
            n += act(path) == 0;
    return n;
}

static int find(const char *path)
{
    return access(path, R_OK);
}

kelvin_status output_draw(const char *folder, const char *figure, bool moves)
{
    char script[OUTPUT_PATH], log[OUTPUT_PATH];
    KELVIN_TRY(output_path(script, folder, figure, ".gp"));
    KELVIN_TRY(output_path(log, folder, figure, ".log"));
    each_picture(unlink, folder, figure, moves); /* an old picture must not pass for the new one */
    const int ended = gnuplot(script, log);
    if (ended == 0 && each_picture(find, folder, figure, moves) == (moves ? 4 : 3)) {
        unlink(log); /* it counts the frames of an animation, and warns of tables that are rightly empty */
        return KELVIN_OK;
    }
    if (ended != -1 && WIFEXITED(ended) && WEXITSTATUS(ended) != NOT_FOUND)
        return kelvin_fail(KELVIN_EIO,
                           "gnuplot failed, so there is no picture, but the numbers are kept: see what it said in %s, "
                           "then draw with: gnuplot %s",
                           log, script);
    unlink(log);
    return kelvin_fail(KELVIN_EIO,
                       "gnuplot is missing, so there is no picture, but the numbers are kept: install it "
                       "(apt-get install gnuplot-nox), then draw with: gnuplot %s",
                       script);
}
