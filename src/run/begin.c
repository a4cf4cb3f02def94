/* The folder of a new run. It is made under a name that nobody else has and renamed when it is whole: a folder
 * that has its name is a run that can be gone on with. */
#define _GNU_SOURCE /* renameat2 */

#include "base/words.h"
#include "run/folder.h"
#include "run/job.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* .RUN.kelvin-PROCESS-N, beside RUN; of a long RUN the beginning, since names have an end. */
#define UNFINISHED ".%.200s.kelvin-"
enum { MARK = 240, TRIES = 1000 };

struct place {
    kelvin_path parent;
    char mark[MARK];     /* how unfinished folders of this run begin */
    kelvin_path current; /* the one that is ours */
};

static kelvin_status cannot_make(const char *folder)
{
    const int reason = errno;
    const bool usage = reason == ENOENT || reason == ENOTDIR || reason == ENAMETOOLONG;
    return kelvin_fail(usage ? KELVIN_EUSAGE : KELVIN_EIO, "%s: the folder cannot be made: %s%s", folder,
                       strerror(reason), reason == ENOENT ? "; make the folder that it is to be in first" : "");
}

/* ---- what is in it ---- */

/* A chain that does not start at random has its first state written at once: what it starts from may change. */
static kelvin_status first_state(const kelvin_run *run, const char *folder, uint32_t number)
{
    struct kelvin_chain chain = {0};
    kelvin_path path;
    kelvin_status status = kelvin_chain_create(&chain, run, number);
    if (!status) status = kelvin_chain_threads(&chain, 1);
    if (!status) status = kelvin_chain_begin(&chain);
    if (!status) status = kelvin_path_join(path, folder, KELVIN_STATE_FILE, number);
    if (!status) status = kelvin_state_write(path, &chain, &chain.good, NULL, &chain.bundle);
    kelvin_chain_destroy(&chain);
    return status;
}

/* Where chains that do not start at random do so is written down, or is as a configuration has it. */
static kelvin_status note_starts(const kelvin_run *run)
{
    char mark[KELVIN_CONFIG_MARK], *known = kelvin_run_inside(run)->starts;
    if (strcmp(run->config.init, "none") == 0) return KELVIN_OK;
    KELVIN_TRY(kelvin_starts_mark(mark, run));
    if (*known && strcmp(known, mark) != 0)
        return kelvin_fail(KELVIN_EFORMAT,
                           "init: the %s of %s have changed since the configuration was written; leave the field "
                           "init_crc32 out of a copy of it to start from the new ones",
                           kelvin_start_is_file(run->config.init) ? "parameters" : "samples", run->config.init);
    memcpy(known, mark, sizeof mark);
    return KELVIN_OK;
}

static kelvin_status fill(const kelvin_run *run, const char *folder)
{
    const kelvin_run_config *config = &run->config;
    kelvin_path path;
    KELVIN_TRY(note_starts(run));
    for (uint32_t i = 0; i < config->chains; i++) {
        KELVIN_TRY(kelvin_path_join(path, folder, KELVIN_CHAIN_FOLDER, i));
        if (mkdir(path, 0777)) return cannot_make(path);
        if (strcmp(config->init, "none") != 0) KELVIN_TRY(first_state(run, folder, i));
    }
    KELVIN_TRY(kelvin_description_write(run->data, folder));
    KELVIN_TRY(kelvin_run_write(run, folder));
    return kelvin_vouch_begin(folder);
}

static void remove_file(const char *path)
{
    kelvin_writer_forget(path);
    unlink(path);
}

/* What fill() may have made, and nothing else. The lock goes last: who takes the name meanwhile finds all clear. */
static void remove_folder(const char *folder)
{
    static const char *const files[] = {KELVIN_MANIFEST_FILE, KELVIN_CONFIG_NAME, KELVIN_DESCRIPTION_NAME, "lock"};
    kelvin_path path;
    for (uint32_t i = 0; !kelvin_path_join(path, folder, KELVIN_CHAIN_FOLDER, i) && kelvin_is_folder(path); i++) {
        if (!kelvin_path_join(path, folder, KELVIN_STATE_FILE, i)) remove_file(path);
        if (!kelvin_path_join(path, folder, KELVIN_CHAIN_FOLDER, i)) rmdir(path);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!kelvin_path_join(path, folder, "%s", files[i])) remove_file(path);
    rmdir(folder);
}

/* ---- beside the run ---- */

static void find_place(struct place *place, const char *folder)
{
    const char *slash = strrchr(folder, '/');
    const size_t n = slash == folder ? 1 : slash ? (size_t)(slash - folder) : 0;
    memcpy(place->parent, slash ? folder : ".", n ? n : 1);
    place->parent[n ? n : 1] = '\0';
    snprintf(place->mark, sizeof place->mark, UNFINISHED, slash ? slash + 1 : folder);
}

/* A process that was killed has left it: nobody holds its lock. Without a lock there is nothing in it yet. */
static void remove_leftover(const char *folder)
{
    struct kelvin_lock lock;
    if (rmdir(folder) == 0 || !kelvin_lock_seize(&lock, folder)) return;
    remove_folder(folder);
    kelvin_lock_release(&lock);
}

static void remove_leftovers(const struct place *place)
{
    const size_t n = strlen(place->mark);
    const struct dirent *entry;
    kelvin_path path;
    DIR *parent = opendir(place->parent);
    while (parent && (entry = readdir(parent)))
        if (strncmp(entry->d_name, place->mark, n) == 0 &&
            strspn(entry->d_name + n, "0123456789-") == strlen(entry->d_name + n) &&
            !kelvin_path_join(path, place->parent, "%s", entry->d_name))
            remove_leftover(path);
    if (parent) closedir(parent);
}

/* Makes the folder and takes its lock. Between the two another process may have taken it for a leftover. */
static kelvin_status make_unfinished(struct place *place, struct kelvin_lock *lock, const char *folder)
{
    for (unsigned i = 0; i < TRIES; i++) {
        KELVIN_TRY(kelvin_path_join(place->current, place->parent, "%s%ld-%u", place->mark, (long)getpid(), i));
        if (mkdir(place->current, 0777)) {
            if (errno != EEXIST) return cannot_make(folder);
            continue;
        }
        const kelvin_status status = kelvin_lock_take(lock, place->current);
        if (!status && kelvin_lock_holds(lock, place->current)) return KELVIN_OK;
        const bool lost = !status || status == KELVIN_EUSAGE || !kelvin_is_folder(place->current);
        kelvin_lock_release(lock);
        if (lost) continue;
        rmdir(place->current);
        return status;
    }
    return kelvin_fail(KELVIN_EIO, "%s: the folder cannot be made: others use %s%ld-N", folder, place->mark,
                       (long)getpid());
}

/* ---- its name ---- */

/* Only a run can be gone on with. */
static kelvin_status taken(const char *folder)
{
    kelvin_path path;
    if (kelvin_path_join(path, folder, KELVIN_CONFIG_NAME) || access(path, F_OK) != 0)
        return kelvin_fail(KELVIN_EUSAGE, "%s already exists; choose another name, or remove it", folder);
    return kelvin_fail(KELVIN_EUSAGE,
                       "%s already exists; choose another name, remove it, or " KELVIN_REFER(GO_ON, "%s"), folder,
                       folder);
}

/* Never onto something: rename() alone would replace an empty folder. */
static int rename_to_new(const char *from, const char *to)
{
#ifdef RENAME_NOREPLACE
    const int failed = renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
    if (!failed || (errno != EINVAL && errno != ENOSYS)) return failed; /* the file system does not know how */
#endif
    struct stat about;
    if (lstat(to, &about)) return rename(from, to);
    errno = EEXIST;
    return -1;
}

static kelvin_status take_name(const struct place *place, const char *folder)
{
    kelvin_path parent;
    if (rename_to_new(place->current, folder)) {
        if (errno == EEXIST) return taken(folder);
        return kelvin_fail(KELVIN_EIO, "%s: the folder could not be given its name: %s", folder, strerror(errno));
    }
    KELVIN_TRY(kelvin_path_join(parent, folder, "..")); /* a sentence about it names the run */
    return kelvin_folder_sync(parent);
}

kelvin_status kelvin_folder_expect_none(const char *folder)
{
    struct stat about;
    return lstat(folder, &about) == 0 ? taken(folder) : KELVIN_OK;
}

kelvin_status kelvin_folder_begin(kelvin_run *run)
{
    struct kelvin_run_owned *inside = kelvin_run_inside(run);
    struct place place;
    KELVIN_TRY(kelvin_folder_expect_none(run->folder));
    find_place(&place, run->folder);
    remove_leftovers(&place);
    KELVIN_TRY(make_unfinished(&place, &inside->lock, run->folder));
    kelvin_status status = fill(run, place.current);
    if (!status) status = take_name(&place, run->folder);
    if (status) remove_folder(place.current);
    return status ? status : kelvin_vouch_read(&inside->manifest, run->folder);
}
