/* Files of a chart or a figure, and gnuplot to draw it. */
#include "charts/output.h"
#include "base/words.h"

#include "base/process.h"
#include "charts/prelude_gp.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How a file of each kind ends if it is whole. */
static const struct picture {
    const char *suffix, *end;
    bool moves;
} pictures[] = {{".png", "IEND", false}, {".svg", "</svg>", false}, {".pdf", "%%EOF", false}, {".gif", ";", true}};

enum { PICTURES = sizeof pictures / sizeof *pictures };

void kelvin_output_print_files(FILE *out, const char *folder, const char *name, const char *const *tables, bool drawn,
                               bool moves)
{
    for (; *tables; tables++) fprintf(out, "%s/%s%s\n", folder, name, *tables);
    fprintf(out, "%s/%s.gp\n", folder, name);
    for (size_t i = 0; drawn && i < PICTURES; i++)
        if (moves || !pictures[i].moves) fprintf(out, "%s/%s%s\n", folder, name, pictures[i].suffix);
}

static kelvin_status check_writable(const char *folder, const char *named)
{
    struct stat about;
    if (stat(folder, &about))
        return kelvin_fail(KELVIN_EUSAGE, "the folder %s cannot be made: %s", named, strerror(errno));
    if (!S_ISDIR(about.st_mode)) return kelvin_fail(KELVIN_EUSAGE, "%s is a file, not a folder", folder);
    if (access(folder, W_OK | X_OK))
        return kelvin_fail(KELVIN_EUSAGE, "the folder %s cannot be written: %s", folder, strerror(errno));
    return KELVIN_OK;
}

kelvin_status kelvin_output_check_folder(const char *folder)
{
    struct stat about;
    if (stat(folder, &about) == 0 || errno != ENOENT) return check_writable(folder, folder);
    kelvin_path above; /* the folder that it would be made in */
    if (snprintf(above, sizeof above, "%s", folder) >= KELVIN_PATH_MAX)
        return kelvin_fail(KELVIN_EUSAGE, "the folder's name is too long: %.64s...", folder);
    size_t length = strlen(above);
    while (length > 1 && above[length - 1] == '/') length--;
    while (length > 0 && above[length - 1] != '/') length--;
    above[length] = '\0';
    return check_writable(length ? above : ".", folder);
}

/* FOLDER/NAME + suffix + more. */
static kelvin_status output_path(kelvin_path path, const char *folder, const char *name, const char *suffix,
                                 const char *more)
{
    if (snprintf(path, KELVIN_PATH_MAX, "%s/%s%s%s", folder, name, suffix, more) < KELVIN_PATH_MAX) return KELVIN_OK;
    return kelvin_fail(KELVIN_EUSAGE, "the folder's name is too long: %.64s...", folder);
}

kelvin_status kelvin_output_open(struct output_file *output, const char *folder, const char *name, const char *suffix)
{
    if (mkdir(folder, 0777) && errno != EEXIST)
        return kelvin_fail(KELVIN_EUSAGE, "the folder %s cannot be made: %s", folder, strerror(errno));
    KELVIN_TRY(output_path(output->path, folder, name, suffix, ""));
    KELVIN_TRY(output_path(output->temporary, folder, name, suffix, ".tmp"));
    const int fd = kelvin_open_new(output->temporary);
    output->file = fd < 0 ? NULL : fdopen(fd, "w");
    if (output->file) return KELVIN_OK;
    const int reason = errno;
    if (fd >= 0) close(fd);
    return kelvin_fail(KELVIN_EIO, "%s cannot be written: %s", output->temporary, strerror(reason));
}

kelvin_status kelvin_output_close(struct output_file *output, kelvin_status status)
{
    const bool arrived = !ferror(output->file);
    errno = 0; /* why an earlier write failed is no longer known */
    if ((fclose(output->file) || !arrived) && !status)
        status = kelvin_fail(KELVIN_EIO, "%s could not be written whole: %s", output->path,
                             errno ? strerror(errno) : "the disk may be full");
    if (!status && rename(output->temporary, output->path))
        status = kelvin_fail(KELVIN_EIO, "%s could not get its name: %s", output->path, strerror(errno));
    if (status) unlink(output->temporary);
    return status;
}

void kelvin_output_prelude(FILE *script)
{
    fputs(prelude_gp, script);
}

/* ---- gnuplot ---- */

struct drawing {
    const char *folder, *name;
    bool moves;
    kelvin_path script, log;
};

/* Pictures are drawn under another name, NAME.part.png, and get their own when all are whole. */
static char part[] = ".part";

static void remove_pictures(const struct drawing *d, const char *mark)
{
    kelvin_path path;
    for (size_t i = 0; i < PICTURES; i++)
        if (output_path(path, d->folder, d->name, mark, pictures[i].suffix) == KELVIN_OK) unlink(path);
}

/* What the last failure comes to, and what helps. */
static kelvin_status no_picture(const struct drawing *d, kelvin_status status, const char *first)
{
    return kelvin_fail(
        status, KELVIN_SAID ", so there is no picture, but the numbers are kept: " KELVIN_SAID "draw with: gnuplot %s",
        kelvin_error_raw(), first, d->script);
}

/* Does the file end as one of its kind must? gnuplot does not say so when the disk is full. */
static bool is_whole(const char *path, const char *end)
{
    char tail[32] = {0};
    FILE *file = fopen(path, "rb");
    if (!file) return false;
    const size_t size = fseek(file, -16, SEEK_END) ? 0 : fread(tail, 1, 16, file);
    bool found = false;
    for (size_t i = 0; i + strlen(end) <= size; i++) found |= memcmp(tail + i, end, strlen(end)) == 0;
    fclose(file);
    return found;
}

/* Gives the pictures their names if all are whole. */
static kelvin_status keep_pictures(const struct drawing *d)
{
    kelvin_path drawn, path;
    for (int rename_them = 0; rename_them <= 1; rename_them++)
        for (size_t i = 0; i < PICTURES; i++) {
            if (pictures[i].moves && !d->moves) continue;
            KELVIN_TRY(output_path(drawn, d->folder, d->name, part, pictures[i].suffix));
            KELVIN_TRY(output_path(path, d->folder, d->name, "", pictures[i].suffix));
            if (rename_them ? rename(drawn, path) != 0 : !is_whole(drawn, pictures[i].end))
                return no_picture(d, kelvin_fail(KELVIN_EIO, "%s could not be written whole (is the disk full?)", path),
                                  "");
        }
    return KELVIN_OK;
}

static kelvin_status judge(const struct drawing *d, int ended, bool stopped)
{
    const int reason = errno;
    char see[KELVIN_PATH_MAX + 64];
    kelvin_compose(see, sizeof see, "see what it said in %s, then ", d->log);
    if (stopped) return no_picture(d, kelvin_fail(KELVIN_ESTOP, "stopped by a signal"), "");
    if (ended == 0) return keep_pictures(d);
    if (ended != -1) return no_picture(d, kelvin_fail(KELVIN_EIO, "gnuplot failed"), see);
    if (reason != ENOENT)
        return no_picture(d, kelvin_fail(KELVIN_EIO, "gnuplot could not be started (%s)", strerror(reason)), "");
    return no_picture(d, kelvin_fail(KELVIN_EIO, "gnuplot is missing"),
                      "install it (" KELVIN_REFER(INSTALL, "gnuplot-nox") "), then ");
}

kelvin_status kelvin_output_draw(const char *folder, const char *name, bool moves, bool (*stopped)(void *context),
                                 void *context)
{
    struct drawing d = {.folder = folder, .name = name, .moves = moves};
    char gnuplot[] = "gnuplot", call[] = "-c", *argv[] = {gnuplot, call, d.script, part, NULL};
    KELVIN_TRY(output_path(d.script, folder, name, ".gp", ""));
    KELVIN_TRY(output_path(d.log, folder, name, ".log", ""));
    remove_pictures(&d, "");                                       /* an old picture must not pass for the new one */
    const int ended = kelvin_process_run(argv, d.log, NULL, NULL); /* whatever it says goes to the log */
    const kelvin_status status = judge(&d, ended, stopped && stopped(context));
    remove_pictures(&d, part);
    /* It counts the frames of an animation, and warns of tables that are rightly empty: of interest only if it failed.
     */
    if (ended == 0 || ended == -1 || status == KELVIN_ESTOP) unlink(d.log);
    return status;
}
