/* Folders: made, walked through, removed, locked. */
#ifndef FETCH_FOLDERS_H
#define FETCH_FOLDERS_H

#include "files/files.h"
#include "fetch/room.h"

#include <sys/stat.h>

/* Called for every entry, with what lstat says; a folder comes after what is in it. */
typedef kelvin_status folder_visit(void *context, const char *path, const struct stat *about);

/* Folders inside are walked through `depth` - 1 levels deep; links to folders are not. What cannot be read is left
 * out. */
KELVIN_MUST_CHECK kelvin_status folder_walk(const char *folder, int depth, folder_visit *visit, void *context);

/* With the folders above it. */
KELVIN_MUST_CHECK kelvin_status folder_make(const char *folder);

/* Removes as much as can be removed; of a link, the link. */
void folder_remove(const char *folder);

/* Bytes of all files. */
uint64_t folder_bytes(const char *folder);

/* Waits until nobody else holds the lock; `what` is told meanwhile. */
KELVIN_MUST_CHECK kelvin_status folder_lock(int *lock, const char *path, struct fetch_watch *watch, const char *what);

/* Also removes the lock's file; fine on -1. */
void folder_unlock(int lock, const char *path);

#endif
