/* Downloads, by libcurl. What has arrived stays in PATH.part, so that the next attempt asks for the rest only. A server
 * that sends everything all the same (200 instead of 206) is taken at its word; a rest that does not fit shows when the
 * files' checksums are wrong, and then the caller starts afresh. */
#define CURL_DISABLE_TYPECHECK /* its macros take the names of our pointers */

#include "base/library.h"
#include "base/words.h"
#include "fetch/room.h"
#include "files/text.h"

#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FUNCTIONS(X)                                                                                                   \
    X(curl_global_init)                                                                                                \
    X(curl_easy_init)                                                                                                  \
    X(curl_easy_setopt)                                                                                                \
    X(curl_easy_perform)                                                                                               \
    X(curl_easy_getinfo)                                                                                               \
    X(curl_easy_strerror)                                                                                              \
    X(curl_easy_cleanup)

struct http_library {
    FUNCTIONS(LIBRARY_POINTER)
};

static const char *const functions[] = {FUNCTIONS(LIBRARY_NAME) NULL};
static const struct library libcurl = {
    "libcurl", "libcurl4", {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl.4.dylib"}, functions};

enum { ATTEMPTS = 5, CONNECT_SECONDS = 15, SLOW_SECONDS = 60, SLOW_BYTES = 1000 };

struct http {
    struct fetch_job *job;
    const char *url, *name; /* where it is; what it is called here */
    kelvin_path part;
    struct http_library lib;
    CURL *curl;
    int fd;
    uint64_t offset, bytes, most_bytes; /* what was there before; what is there now; more is refused */
    uint64_t whole;                     /* what there is to be had, if the server says so */
    kelvin_status status;               /* why a callback ended it */
    char error[CURL_ERROR_SIZE];
};

static kelvin_status cannot_write(struct http *h)
{
    h->job->broken = true;
    return kelvin_cannot_write(h->part);
}

static kelvin_status start_afresh(struct http *h)
{
    h->offset = h->bytes = 0;
    return ftruncate(h->fd, 0) ? cannot_write(h) : KELVIN_OK; /* what is written is added to it */
}

/* The code of the server's answer. */
static long answer(struct http *h)
{
    long code = 0;
    h->lib.curl_easy_getinfo(h->curl, CURLINFO_RESPONSE_CODE, &code);
    return code;
}

/* ---- callbacks: each returns what ends the transfer once h->status is set ---- */

static kelvin_status store(struct http *h, const char *data, size_t bytes)
{
    if (h->offset > 0 && answer(h) != 206) KELVIN_TRY(start_afresh(h)); /* all of it comes again */
    if (bytes > h->most_bytes - h->bytes)
        return kelvin_fail(KELVIN_EFORMAT, "sends more than %llu bytes, which cannot be right",
                           (unsigned long long)h->most_bytes);
    if (!kelvin_write_all(h->fd, data, bytes)) return cannot_write(h);
    h->bytes += bytes;
    return KELVIN_OK;
}

static size_t on_data(char *data, size_t size, size_t n, void *context)
{
    struct http *h = context;
    h->status = store(h, data, size * n);
    return h->status ? 0 : size * n;
}

/* A server that has no such rest says what the file has. */
static size_t on_header(char *line, size_t size, size_t n, void *context)
{
    static const char name[] = "Content-Range: bytes */";
    struct http *h = context;
    const size_t bytes = size * n, before = sizeof name - 1;
    if (bytes > before && strncasecmp(line, name, before) == 0) {
        char number[24];
        snprintf(number, sizeof number, "%.*s", (int)(bytes - before), line + before);
        h->whole = strtoull(number, NULL, 10);
    }
    return bytes;
}

static int on_progress(void *context, curl_off_t total, curl_off_t now, curl_off_t up_total, curl_off_t up_now)
{
    (void)up_total, (void)up_now, (void)now;
    struct http *h = context;
    if (h->status) return 1; /* it may be called once more after the end */
    h->status =
        kelvin_fetch_tell(h->job, h->bytes, total > 0 ? h->offset + (uint64_t)total : 0,
                          "the same " KELVIN_REFER(CALL, "") " goes on from there", "downloading %.100s", h->name);
    return h->status != KELVIN_OK;
}

/* ---- one attempt ---- */

#define SET(option, value)                                                                                             \
    do {                                                                                                               \
        const CURLcode set_code = h->lib.curl_easy_setopt(h->curl, option, value);                                     \
        if (set_code) return set_code;                                                                                 \
    } while (0)

/* https never leads back to http. */
static CURLcode set_protocols(struct http *h)
{
    const bool secure = strncasecmp(h->url, "https:", 6) == 0;
#if LIBCURL_VERSION_NUM >= 0x075500
    SET(CURLOPT_PROTOCOLS_STR, "http,https");
    SET(CURLOPT_REDIR_PROTOCOLS_STR, secure ? "https" : "http,https");
#else
    SET(CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
    SET(CURLOPT_REDIR_PROTOCOLS, (long)(secure ? CURLPROTO_HTTPS : CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
    return CURLE_OK;
}

static CURLcode set_options(struct http *h)
{
    SET(CURLOPT_URL, h->url);
    SET(CURLOPT_USERAGENT, "kelvin/" KELVIN_VERSION);
    SET(CURLOPT_NOSIGNAL, 1L);
    SET(CURLOPT_FAILONERROR, 1L);
    SET(CURLOPT_FOLLOWLOCATION, 1L);
    SET(CURLOPT_MAXREDIRS, 10L);
    SET(CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
    SET(CURLOPT_LOW_SPEED_LIMIT, (long)SLOW_BYTES);
    SET(CURLOPT_LOW_SPEED_TIME, (long)SLOW_SECONDS);
    SET(CURLOPT_ERRORBUFFER, h->error);
    SET(CURLOPT_WRITEFUNCTION, on_data);
    SET(CURLOPT_WRITEDATA, h);
    SET(CURLOPT_HEADERFUNCTION, on_header);
    SET(CURLOPT_HEADERDATA, h);
    SET(CURLOPT_XFERINFOFUNCTION, on_progress);
    SET(CURLOPT_XFERINFODATA, h);
    SET(CURLOPT_NOPROGRESS, 0L);
    return set_protocols(h);
}

/* Without signals libcurl leaves SIGPIPE to us: a server that hangs up must not end the program. */
static CURLcode perform(struct http *h)
{
    sigset_t pipe_signal, before;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    const CURLcode code = h->lib.curl_easy_perform(h->curl);
    if (!sigismember(&before, SIGPIPE))
        while (sigtimedwait(&pipe_signal, NULL, &(struct timespec){0, 0}) == SIGPIPE) continue;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return code;
}

static CURLcode attempt(struct http *h)
{
    char range[32];
    snprintf(range, sizeof range, "%llu-", (unsigned long long)h->bytes);
    h->offset = h->bytes;
    h->whole = 0;
    SET(CURLOPT_RANGE, h->bytes > 0 ? range : NULL);
    return perform(h);
}

/* ---- all of it ---- */

static kelvin_status describe(struct http *h, CURLcode code)
{
    char plain[200];
    if (h->status) return h->status;
    if (code == CURLE_HTTP_RETURNED_ERROR) return kelvin_fail(KELVIN_EIO, "HTTP %ld", answer(h));
    kelvin_text_plain(plain, sizeof plain, *h->error ? h->error : h->lib.curl_easy_strerror(code));
    return kelvin_fail(KELVIN_EIO, "%s", plain);
}

/* Connections that break after something has arrived are taken up again. */
static kelvin_status transfer(struct http *h, bool *resumed)
{
    CURLcode code = set_options(h);
    for (int i = 0; !code && i < ATTEMPTS; i++) {
        const uint64_t before = h->bytes;
        code = attempt(h);
        if (h->offset > 0) *resumed = true;
        if (!code) return KELVIN_OK;
        if (code == CURLE_HTTP_RETURNED_ERROR && answer(h) == 416 && before > 0) {
            if (h->whole == before) return KELVIN_OK; /* there is no rest: we have it all, or another file */
            KELVIN_TRY(start_afresh(h));
        } else if (h->status || h->bytes <= before) {
            break;
        }
        if (i + 1 < ATTEMPTS) code = CURLE_OK;
    }
    return describe(h, code);
}

/* Something of that name that is no file cannot be ours to go on with. */
static kelvin_status open_part(struct http *h)
{
    struct stat about;
    if (lstat(h->part, &about) == 0 && !S_ISREG(about.st_mode)) unlink(h->part);
    const kelvin_status status = kelvin_open_regular(&h->fd, h->part, O_WRONLY | O_CREAT | O_APPEND);
    if (status) h->job->broken = true;
    if (status) return status;
    const off_t end = lseek(h->fd, 0, SEEK_END);
    if (end < 0) return cannot_write(h);
    h->bytes = (uint64_t)end;
    return h->bytes < h->most_bytes ? KELVIN_OK : start_afresh(h);
}

static pthread_mutex_t starting = PTHREAD_MUTEX_INITIALIZER;

static void hold(void)
{
    pthread_mutex_lock(&starting);
}

static void let_go(void)
{
    pthread_mutex_unlock(&starting);
}

/* A child must not get a mutex that is held by a thread which it does not have. */
static pthread_once_t watching = PTHREAD_ONCE_INIT;

static void watch_forks(void)
{
    pthread_atfork(hold, let_go, let_go);
}

static kelvin_status open_library(struct http *h)
{
    pthread_once(&watching, watch_forks);
    pthread_mutex_lock(&starting); /* old versions must not be started twice at once */
    kelvin_status status = kelvin_library_open(&h->lib, &libcurl);
    if (!status && h->lib.curl_global_init(CURL_GLOBAL_DEFAULT))
        status = kelvin_fail(KELVIN_EIO, "libcurl could not be started");
    pthread_mutex_unlock(&starting);
    if (status) return status;
    h->curl = h->lib.curl_easy_init();
    return h->curl ? KELVIN_OK : kelvin_fail(KELVIN_ENOMEM, "libcurl could not be started");
}

kelvin_status kelvin_http_download(struct fetch_job *job, const char *url, const char *path, uint64_t most_bytes,
                                   bool *resumed)
{
    struct http h = {.job = job, .url = url, .name = kelvin_fetch_base_name(path), .fd = -1, .most_bytes = most_bytes};
    kelvin_status status = kelvin_path_join(h.part, job->downloads, "%s.part", h.name);
    if (!status) status = open_library(&h);
    if (!status) status = open_part(&h);
    if (!status) status = transfer(&h, resumed);
    if (h.curl) h.lib.curl_easy_cleanup(h.curl);
    const bool opened = h.fd >= 0;
    if (opened && close(h.fd) && !status) status = cannot_write(&h);
    if (!status && rename(h.part, path)) status = cannot_write(&h);
    if (opened && (status == KELVIN_EFORMAT || h.bytes == 0)) unlink(h.part);
    return status;
}
