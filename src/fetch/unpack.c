/* Archives and compressed files, by libarchive. Nothing in them is believed: entries are known by the last part of
 * their names, read up to the size that they can have, and never written where they want to be. */
#include "base/library.h"
#include "fetch/room.h"
#include "files/text.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define FUNCTIONS(X)                                                                                                   \
    X(archive_read_new)                                                                                                \
    X(archive_read_support_filter_gzip)                                                                                \
    X(archive_read_support_filter_bzip2)                                                                               \
    X(archive_read_support_filter_xz)                                                                                  \
    X(archive_read_support_filter_zstd)                                                                                \
    X(archive_read_support_format_tar)                                                                                 \
    X(archive_read_support_format_zip)                                                                                 \
    X(archive_read_support_format_7zip)                                                                                \
    X(archive_read_support_format_cpio)                                                                                \
    X(archive_read_support_format_raw)                                                                                 \
    X(archive_read_open_filename)                                                                                      \
    X(archive_read_next_header)                                                                                        \
    X(archive_entry_pathname)                                                                                          \
    X(archive_entry_filetype)                                                                                          \
    X(archive_read_data)                                                                                               \
    X(archive_filter_bytes)                                                                                            \
    X(archive_error_string)                                                                                            \
    X(archive_read_free)

struct unpack_library {
    FUNCTIONS(LIBRARY_POINTER)
};

static const char *const functions[] = {FUNCTIONS(LIBRARY_NAME) NULL};
static const struct library libarchive = {
    "libarchive", "libarchive13", {"libarchive.so.13", "libarchive.so", "libarchive.13.dylib"}, functions};

struct unpack {
    struct fetch_job *job;
    const char *path;
    struct unpack_library lib;
    struct archive *archive;
    uint64_t total; /* bytes of the file */
    bool taken[PIECE_ARCHIVE][CANONICAL_FILES];
};

enum { STEP = 1 << 20 };
_Static_assert((int)FETCH_LABELS <= (int)CANONICAL_FILES, "taken[] has room for labels");

static const char not_archive[] = "is not an archive, or a broken one";

static kelvin_status tell(struct unpack *u)
{
    const la_int64_t done = u->lib.archive_filter_bytes(u->archive, -1);
    return kelvin_fetch_tell(u->job, done > 0 ? (uint64_t)done : 0, u->total, FETCH_KEPT, "unpacking %.100s",
                             kelvin_fetch_base_name(u->path));
}

static kelvin_status broken(struct unpack *u, const char *problem)
{
    const char *reason = u->lib.archive_error_string(u->archive);
    char plain[160];
    kelvin_text_plain(plain, sizeof plain, reason ? reason : "no reason given");
    return kelvin_fail(KELVIN_EFORMAT, "%s: %s: %s", u->path, problem, plain);
}

static kelvin_status open_file(struct unpack *u, const char *path, bool raw)
{
    size_t bytes;
    u->path = path;
    KELVIN_TRY(kelvin_file_size(&bytes, path));
    u->total = bytes;
    KELVIN_TRY(kelvin_library_open(&u->lib, &libarchive));
    if (!(u->archive = u->lib.archive_read_new())) return kelvin_fail(KELVIN_ENOMEM, "%s: out of memory", path);
    /* Those that the library reads by itself: for others it would start programs. What is not compressed needs none. */
    u->lib.archive_read_support_filter_gzip(u->archive);
    u->lib.archive_read_support_filter_bzip2(u->archive);
    u->lib.archive_read_support_filter_xz(u->archive);
    u->lib.archive_read_support_filter_zstd(u->archive);
    if (raw) {
        u->lib.archive_read_support_format_raw(u->archive);
    } else {
        u->lib.archive_read_support_format_tar(u->archive);
        u->lib.archive_read_support_format_zip(u->archive);
        u->lib.archive_read_support_format_7zip(u->archive);
        u->lib.archive_read_support_format_cpio(u->archive);
    }
    if (u->lib.archive_read_open_filename(u->archive, path, 1 << 16)) return broken(u, not_archive);
    return KELVIN_OK;
}

/* The next entry; *more is false after the last. */
static kelvin_status next_entry(struct unpack *u, struct archive_entry **entry, bool *more)
{
    KELVIN_TRY(tell(u));
    const int found = u->lib.archive_read_next_header(u->archive, entry);
    *more = found == ARCHIVE_OK || found == ARCHIVE_WARN;
    return *more || found == ARCHIVE_EOF ? KELVIN_OK : broken(u, not_archive);
}

/* Up to `most` + 1 bytes of an entry: one more than it can have shows that it has too many. */
static kelvin_status read_entry(struct unpack *u, char **data, size_t *bytes, size_t most)
{
    kelvin_status status = KELVIN_OK;
    *bytes = 0;
    *data = kelvin_alloc(most + 1, 1);
    if (!*data) return KELVIN_ENOMEM;
    while (!status && *bytes <= most) {
        const size_t space = most + 1 - *bytes;
        const la_ssize_t got = u->lib.archive_read_data(u->archive, *data + *bytes, space < STEP ? space : STEP);
        if (got == 0) break;
        status = got < 0 ? broken(u, "is broken") : tell(u);
        if (got > 0) *bytes += (size_t)got;
    }
    if (status) {
        kelvin_free(*data);
        *data = NULL;
    }
    return status;
}

/* A piece that is needed as a file. No fsync: after a power cut it is unpacked again. */
static kelvin_status spill(struct fetch_job *job, const char *path, const char *data, size_t bytes)
{
    const int fd = kelvin_open_new(path);
    const bool written = fd >= 0 && kelvin_write_all(fd, data, bytes);
    const kelvin_status status = written ? KELVIN_OK : kelvin_cannot_write(path);
    if (fd >= 0) close(fd);
    if (status) job->broken = true;
    return status;
}

static kelvin_status take_as_file(struct fetch_job *job, struct piece piece, const char *name, const char *data,
                                  size_t bytes, const char *where)
{
    kelvin_path path;
    if (bytes > piece.most_bytes)
        return kelvin_fail(KELVIN_EFORMAT, "%s: has %zu bytes or more; expected at most %zu", where, bytes,
                           piece.most_bytes);
    KELVIN_TRY(kelvin_path_join(path, job->work, "pieces/%s", name));
    KELVIN_TRY(spill(job, path, data, bytes));
    if (piece.kind == PIECE_PACKED) return kelvin_unpack_file(job, path, piece);
    return kelvin_pictures_take(job, piece.index, path);
}

static kelvin_status take_entry(struct unpack *u, struct piece piece, const char *name)
{
    char *data, where[FETCH_SENTENCE];
    size_t bytes;
    KELVIN_TRY(read_entry(u, &data, &bytes, piece.most_bytes));
    snprintf(where, sizeof where, "%.700s: %s", u->path, name);
    kelvin_status status;
    if (piece.kind == PIECE_PLAIN)
        status = kelvin_piece_place(u->job, piece.index, data, bytes, where);
    else if (piece.kind == PIECE_LABELS)
        status = kelvin_pictures_take_labels(u->job, piece.index, data, bytes, where);
    else
        status = take_as_file(u->job, piece, name, data, bytes, where);
    kelvin_free(data);
    return status;
}

/* Only the first entry for each piece is looked at: thousands of one name cost no more than one. */
static bool is_first(struct unpack *u, struct piece piece)
{
    bool *taken = &u->taken[piece.kind][piece.index];
    const bool first = !*taken;
    *taken = true;
    return first;
}

static kelvin_status take_entries(struct unpack *u)
{
    for (;;) {
        struct archive_entry *entry;
        bool more;
        KELVIN_TRY(next_entry(u, &entry, &more));
        if (!more) return KELVIN_OK;
        const char *path = u->lib.archive_entry_pathname(entry), *name = path ? kelvin_fetch_base_name(path) : "";
        if (u->lib.archive_entry_filetype(entry) != AE_IFREG) continue;
        const struct piece piece = kelvin_piece_recognise(u->job, name);
        if (piece.kind == PIECE_NONE || piece.kind == PIECE_ARCHIVE) continue;
        u->job->recognised++;
        if (piece.needed && is_first(u, piece)) KELVIN_TRY(kelvin_piece_note(u->job, take_entry(u, piece, name)));
    }
}

kelvin_status kelvin_unpack_check(void)
{
    struct unpack_library lib;
    return kelvin_library_open(&lib, &libarchive);
}

kelvin_status kelvin_unpack_archive(struct fetch_job *job, const char *path)
{
    struct unpack u = {.job = job};
    kelvin_status status = open_file(&u, path, false);
    if (!status) status = take_entries(&u);
    if (u.archive) u.lib.archive_read_free(u.archive);
    return status;
}

kelvin_status kelvin_unpack_file(struct fetch_job *job, const char *path, struct piece piece)
{
    struct unpack u = {.job = job};
    struct archive_entry *entry;
    char *data = NULL;
    size_t bytes = 0;
    bool more = false;
    kelvin_status status = open_file(&u, path, true);
    if (!status) status = next_entry(&u, &entry, &more);
    if (!status && more) status = read_entry(&u, &data, &bytes, job->set->canonical->files[piece.index].bytes);
    if (!status) status = kelvin_piece_place(job, piece.index, data, bytes, path);
    kelvin_free(data);
    if (u.archive) u.lib.archive_read_free(u.archive);
    return status;
}
