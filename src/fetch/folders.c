/* Folders: made, walked through, removed, locked. */
#include "fetch/room.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

enum { DEEPEST = 64 };

kelvin_status kelvin_folder_walk(const char *folder, int depth, folder_visit *visit, void *context)
{
    DIR *entries = depth > 0 ? opendir(folder) : NULL;
    kelvin_status status = KELVIN_OK;
    const struct dirent *entry;
    while (entries && !status && (entry = readdir(entries))) {
        kelvin_path path;
        struct stat about;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        if (kelvin_path_join(path, folder, "%s", entry->d_name) || lstat(path, &about)) continue;
        if (S_ISDIR(about.st_mode)) status = kelvin_folder_walk(path, depth - 1, visit, context);
        if (!status) status = visit(context, path, &about);
    }
    if (entries) closedir(entries);
    return status;
}

/* `part` of the path of a folder that is to be made. */
static kelvin_status make_one(const char *part, const char *folder)
{
    if (mkdir(part, 0777) == 0) return KELVIN_OK;
    const int why = errno == EEXIST ? ENOTDIR : errno;
    if (kelvin_is_folder(part)) return KELVIN_OK;
    return kelvin_fail(KELVIN_EIO, "the folder %s cannot be made: %s: %s", folder, part, strerror(why));
}

kelvin_status kelvin_folder_make(const char *folder)
{
    kelvin_path above;
    if (kelvin_is_folder(folder)) return KELVIN_OK;
    if (strlen(folder) >= KELVIN_PATH_MAX)
        return kelvin_fail(KELVIN_EUSAGE, "%.200s...: the path is longer than %d bytes", folder, KELVIN_PATH_MAX - 1);
    strcpy(above, folder);
    for (char *slash = above; (slash = strchr(slash + 1, '/'));) {
        *slash = '\0';
        KELVIN_TRY(make_one(above, folder));
        *slash = '/';
    }
    return make_one(folder, folder);
}

static kelvin_status remove_entry(void *context, const char *path, const struct stat *about)
{
    (void)context, (void)about;
    remove(path);
    return KELVIN_OK;
}

/* A link to a folder goes; what it leads to is someone else's. */
void kelvin_folder_remove(const char *folder)
{
    struct stat about;
    const bool is_folder = lstat(folder, &about) == 0 && S_ISDIR(about.st_mode);
    if (!is_folder || kelvin_folder_walk(folder, DEEPEST, remove_entry, NULL) == KELVIN_OK) remove(folder);
}

static kelvin_status add_bytes(void *context, const char *path, const struct stat *about)
{
    (void)path;
    if (S_ISREG(about->st_mode)) *(uint64_t *)context += (uint64_t)about->st_size;
    return KELVIN_OK;
}

uint64_t kelvin_folder_bytes(const char *folder)
{
    uint64_t bytes = 0;
    return kelvin_folder_walk(folder, DEEPEST, add_bytes, &bytes) == KELVIN_OK ? bytes : 0;
}

/* ---- the lock ---- */

kelvin_status kelvin_folder_lock(int *lock, const char *path, struct fetch_job *job)
{
    for (;;) {
        KELVIN_TRY(kelvin_open_regular(lock, path, O_RDWR | O_CREAT));
        const int failed = flock(*lock, LOCK_EX | LOCK_NB) ? errno : 0;
        /* The one who held the lock before may have removed the file: then a lock on it means nothing. */
        if (!failed && kelvin_has_name(*lock, path)) return KELVIN_OK;
        close(*lock);
        *lock = -1;
        if (!failed || failed == EINTR) continue;
        if (failed != EWOULDBLOCK)
            return kelvin_fail(KELVIN_EIO, "%s: could not be locked: %s", path, strerror(failed));
        KELVIN_TRY(
            kelvin_fetch_tell(job, 0, 0, FETCH_KEPT, "waiting for another fetch of %s", job->set->canonical->name));
        nanosleep(&(struct timespec){0, 100 * 1000 * 1000}, NULL);
    }
}

void kelvin_folder_unlock(int lock, const char *path)
{
    if (lock < 0) return;
    unlink(path);
    close(lock);
}
