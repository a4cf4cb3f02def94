/* Takes what is useful in a file, an archive or a folder. */
#include "base/words.h"
#include "fetch/room.h"

enum { SEARCH_DEPTH = 3 };

static kelvin_status take_file(struct fetch_job *job, const char *path, struct piece piece)
{
    char *data;
    size_t bytes;
    KELVIN_TRY(kelvin_fetch_tell(job, 0, 0, FETCH_KEPT, "reading %.100s", kelvin_fetch_base_name(path)));
    KELVIN_TRY(kelvin_file_size(&bytes, path));
    if (piece.kind == PIECE_ARCHIVE) return kelvin_unpack_archive(job, path);
    if (piece.kind == PIECE_PLAIN && bytes != piece.most_bytes)
        return kelvin_piece_place(job, piece.index, NULL, bytes, path); /* for its sentence */
    if (bytes > piece.most_bytes)
        return kelvin_fail(KELVIN_EFORMAT, "%s: has %zu bytes; expected at most %zu", path, bytes, piece.most_bytes);
    if (piece.kind == PIECE_PACKED) return kelvin_unpack_file(job, path, piece);
    if (piece.kind == PIECE_PICTURE) return kelvin_pictures_take(job, piece.index, path);
    KELVIN_TRY(kelvin_file_read(&data, &bytes, path));
    const kelvin_status status = piece.kind == PIECE_PLAIN
                                     ? kelvin_piece_place(job, piece.index, data, bytes, path)
                                     : kelvin_pictures_take_labels(job, piece.index, data, bytes, path);
    kelvin_free(data);
    return status;
}

static kelvin_status visit(void *context, const char *path, const struct stat *about)
{
    struct fetch_job *job = context;
    if (!S_ISREG(about->st_mode) && !S_ISLNK(about->st_mode)) return KELVIN_OK;
    const struct piece piece = kelvin_piece_recognise(job, kelvin_fetch_base_name(path));
    if (piece.kind == PIECE_NONE) return KELVIN_OK;
    job->recognised++;
    return piece.needed ? kelvin_piece_note(job, take_file(job, path, piece)) : KELVIN_OK;
}

static kelvin_status take_all(struct fetch_job *job, const char *path)
{
    const struct piece piece = kelvin_piece_recognise(job, kelvin_fetch_base_name(path));
    if (kelvin_is_folder(path)) return kelvin_folder_walk(path, SEARCH_DEPTH, visit, job);
    if (piece.kind == PIECE_NONE) return kelvin_piece_note(job, kelvin_unpack_archive(job, path));
    job->recognised++;
    return kelvin_piece_note(job, take_file(job, path, piece));
}

static kelvin_status judge(const struct fetch_job *job, const char *path)
{
    if (kelvin_fetch_is_complete(job)) return KELVIN_OK;
    if (job->first) return kelvin_fail(job->first, KELVIN_SAID, job->sentence);
    if (job->recognised > 0) return KELVIN_OK;
    const struct canonical_set *known = job->set->canonical;
    return kelvin_fail(KELVIN_EFORMAT, "%s: has nothing of %s in it; expected %s, ..., %s, or an archive of them", path,
                       known->name, known->files[0].name, known->files[job->n - 1].name);
}

kelvin_status kelvin_fetch_gather(struct fetch_job *job, const char *path)
{
    kelvin_path pieces;
    KELVIN_TRY(kelvin_path_join(pieces, job->work, "pieces"));
    kelvin_folder_remove(pieces); /* of a fetch that was cut short; or a link to a folder that is none of ours */
    KELVIN_TRY(kelvin_folder_make(pieces));
    job->recognised = 0;
    job->first = KELVIN_OK;
    kelvin_status status = take_all(job, path);
    if (!status) status = kelvin_piece_note(job, kelvin_pictures_convert(job));
    kelvin_pictures_forget(job);
    kelvin_folder_remove(pieces);
    return status ? status : judge(job, path);
}
