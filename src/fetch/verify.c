/* Which files of a data set are in the cache as they should be; and whoever watches. */
#include "base/threads.h"
#include "base/words.h"
#include "fetch/room.h"
#include "fetch/sha1.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

kelvin_status kelvin_fetch_tell(struct fetch_job *job, uint64_t done, uint64_t total, const char *next,
                                const char *format, ...)
{
    char what[160];
    va_list args;
    if (!job->progress) return KELVIN_OK;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    pthread_mutex_lock(&job->telling);
    const bool go_on = job->progress(job->context, what, done, total);
    pthread_mutex_unlock(&job->telling);
    return go_on ? KELVIN_OK : kelvin_fail(KELVIN_ESTOP, "stopped while %s; " KELVIN_SAID, what, next);
}

bool kelvin_fetch_is_complete(const struct fetch_job *job)
{
    for (size_t i = 0; i < job->n; i++)
        if (!job->right[i]) return false;
    return true;
}

size_t kelvin_fetch_name_wrong(char names[FETCH_NAMES], const struct fetch_job *job, bool only_there)
{
    size_t n = 0;
    *names = '\0';
    for (size_t i = 0; i < job->n; i++) {
        const char *name = job->set->canonical->files[i].name;
        const size_t used = strlen(names);
        kelvin_path path;
        struct stat about;
        if (job->right[i]) continue;
        if (only_there && (kelvin_path_join(path, job->folder, "%s", name) || stat(path, &about))) continue;
        snprintf(names + used, FETCH_NAMES - used, "%s%s", n++ ? ", " : "", name);
    }
    return n;
}

/* Whatever cannot be read is not right, and will be fetched. */
static kelvin_status check_file(void *context, size_t file)
{
    struct fetch_job *job = context;
    const struct canonical_file *known = &job->set->canonical->files[file];
    char piece[1 << 16], found[SHA1_HEX];
    kelvin_path path;
    size_t bytes;
    struct sha1 sha = kelvin_sha1_start();
    if (job->right[file] || kelvin_path_join(path, job->folder, "%s", known->name) || kelvin_file_size(&bytes, path) ||
        bytes != known->bytes)
        return KELVIN_OK;
    for (size_t at = 0, n; at < bytes; at += n) {
        n = bytes - at < sizeof piece ? bytes - at : sizeof piece;
        if (kelvin_file_read_part(piece, path, at, n)) return KELVIN_OK;
        kelvin_sha1_add(&sha, piece, n);
        const uint64_t done = atomic_fetch_add(&job->verified, n) + n;
        KELVIN_TRY(kelvin_fetch_tell(job, done, job->to_verify, FETCH_KEPT, "verifying %s", job->set->canonical->name));
    }
    kelvin_sha1_end(&sha, found);
    job->right[file] = strcmp(found, known->sha1) == 0;
    return KELVIN_OK;
}

kelvin_status kelvin_fetch_check_files(struct fetch_job *job)
{
    job->verified = job->to_verify = 0;
    for (size_t i = 0; i < job->n; i++)
        if (!job->right[i]) job->to_verify += job->set->canonical->files[i].bytes;
    return kelvin_pool_run(job->pool, check_file, job, job->n);
}
