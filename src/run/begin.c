/* The folder of a new run by SGHMC. It is made under another name and renamed when it is whole: a folder that has its
 * name is a run that can be gone on with. */
#include "run/chains.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define UNFINISHED "%s.tmp"

static kelvin_status make_folder(const char *folder)
{
    if (mkdir(folder, 0777) == 0 || errno == EEXIST) return KELVIN_OK;
    const bool wrong_path = errno == ENOENT || errno == ENOTDIR;
    return kelvin_fail(wrong_path ? KELVIN_EUSAGE : KELVIN_EIO, "%s: the folder cannot be made: %s", folder,
                       strerror(errno));
}

/* A chain that starts from a sample of another run has its first state written at once: that run may change. */
static kelvin_status first_state(const struct kelvin_chains *chains, const char *folder, uint32_t number)
{
    struct kelvin_chain chain = {0};
    kelvin_path path;
    kelvin_status status = kelvin_chain_create(&chain, chains->run, number);
    if (!status) status = kelvin_chain_threads(&chain, 1);
    if (!status) status = kelvin_chain_begin(&chain);
    if (!status) status = kelvin_path_join(path, folder, KELVIN_STATE_FILE, number);
    if (!status) status = kelvin_state_write(path, &chain, &chain.good);
    kelvin_chain_destroy(&chain);
    return status;
}

static kelvin_status fill(const struct kelvin_chains *chains, const char *folder)
{
    const kelvin_run_config *config = &chains->run->config;
    kelvin_path path;
    for (uint32_t i = 0; i < config->chains; i++) {
        KELVIN_TRY(kelvin_path_join(path, folder, KELVIN_CHAIN_FOLDER, i));
        KELVIN_TRY(make_folder(path));
        if (strcmp(config->init, "none") != 0) KELVIN_TRY(first_state(chains, folder, i));
    }
    return kelvin_config_write(chains->run, folder);
}

/* What fill() may have left, here or in a process that was killed over another run: states of that one, and more
 * chains. */
static void clear(const char *folder)
{
    static const char *const files[] = {"run.json", "run.json.tmp"};
    kelvin_path path;
    for (uint32_t i = 0; !kelvin_path_join(path, folder, KELVIN_CHAIN_FOLDER, i) && kelvin_is_folder(path); i++) {
        if (!kelvin_path_join(path, folder, KELVIN_STATE_FILE ".tmp", i)) unlink(path);
        if (!kelvin_path_join(path, folder, KELVIN_STATE_FILE, i)) unlink(path);
        if (!kelvin_path_join(path, folder, KELVIN_CHAIN_FOLDER, i)) rmdir(path);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!kelvin_path_join(path, folder, "%s", files[i])) unlink(path);
}

static void remove_folder(const char *folder)
{
    kelvin_path path;
    clear(folder);
    if (!kelvin_path_join(path, folder, "lock")) unlink(path);
    rmdir(folder);
}

static kelvin_status take_name(const char *temporary, const char *folder)
{
    kelvin_path parent;
    if (rename(temporary, folder))
        return kelvin_fail(KELVIN_EIO, "%s: the folder could not be given its name: %s", folder, strerror(errno));
    KELVIN_TRY(kelvin_path_join(parent, folder, ".."));
    return kelvin_folder_sync(parent);
}

kelvin_status kelvin_chains_folder(struct kelvin_chains *chains)
{
    char temporary[KELVIN_PATH_MAX + sizeof UNFINISHED];
    struct stat about;
    if (lstat(chains->folder, &about) == 0)
        return kelvin_fail(KELVIN_EUSAGE,
                           "%s already exists; choose another name, remove it, or go on with it: kelvin "
                           "resume %s",
                           chains->folder, chains->folder);
    snprintf(temporary, sizeof temporary, UNFINISHED, chains->folder);
    KELVIN_TRY(make_folder(temporary));
    KELVIN_TRY(kelvin_lock_take(&chains->lock, temporary));
    clear(temporary);
    kelvin_status status = fill(chains, temporary);
    if (!status) status = take_name(temporary, chains->folder);
    if (status) remove_folder(temporary);
    return status;
}
