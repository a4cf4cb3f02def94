/* A folder for what can only be read by its name: in memory where there is such a place, and gone at the end. */
#ifndef FUZZ_FOLDER_H
#define FUZZ_FOLDER_H

#include "files/files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static kelvin_path fuzz_folder, fuzz_path;

static void fuzz_folder_remove(void)
{
    (void)unlink(fuzz_path);
    (void)rmdir(fuzz_folder);
}

/* Writes the file of this name, always the same one, whose path is fuzz_path. */
static void fuzz_put(const char *name, const void *bytes, size_t size)
{
    if (!*fuzz_folder) {
        const char *parent = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
        if (kelvin_path_join(fuzz_folder, parent, "kelvin-fuzz-XXXXXX") || !mkdtemp(fuzz_folder)) abort();
        if (kelvin_path_join(fuzz_path, fuzz_folder, "%s", name) || atexit(fuzz_folder_remove)) abort();
    }
    const int fd = open(fuzz_path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd < 0 || write(fd, bytes, size) != (ssize_t)size || close(fd)) abort();
}

#endif
