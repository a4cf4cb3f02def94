/* Takes what is useful in a file, an archive or a folder. */
#include "fetch/room.h"

enum { SEARCH_DEPTH = 3 };

static kelvin_status take_file(struct fetch_job *job, const char *path, struct piece piece)
{
    char *data;
    size_t bytes;
    KELVIN_TRY(fetch_tell(job, 0, 0, FETCH_KEPT, "reading %.100s", fetch_base_name(path)));
    KELVIN_TRY(kelvin_file_size(&bytes, path));
    if (piece.kind == PIECE_ARCHIVE) return unpack_archive(job, path);
    if (piece.kind == PIECE_PLAIN && bytes != piece.most_bytes)
        return piece_place(job, piece.index, NULL, bytes, path); /* for its sentence */
    if (bytes > piece.most_bytes)
        return kelvin_fail(KELVIN_EFORMAT, "%s: has %zu bytes; expected at most %zu", path, bytes, piece.most_bytes);
    if (piece.kind == PIECE_PACKED) return unpack_file(job, path, piece);
    if (piece.kind == PIECE_PICTURE) return pictures_take(job, piece.index, path);
    KELVIN_TRY(kelvin_file_read(&data, &bytes, path));
    const kelvin_status status = piece.kind == PIECE_PLAIN ? piece_place(job, piece.index, data, bytes, path)
                                                           : pictures_take_labels(job, piece.index, data, bytes, path);
    kelvin_free(data);
    return status;
}

static kelvin_status visit(void *context, const char *path, const struct stat *about)
{
    struct fetch_job *job = context;
    if (!S_ISREG(about->st_mode) && !S_ISLNK(about->st_mode)) return KELVIN_OK;
    const struct piece piece = piece_recognise(job, fetch_base_name(path));
    if (piece.kind == PIECE_NONE) return KELVIN_OK;
    job->recognised++;
    return piece.needed ? piece_note(job, take_file(job, path, piece)) : KELVIN_OK;
}

static kelvin_status take_all(struct fetch_job *job, const char *path)
{
    const struct piece piece = piece_recognise(job, fetch_base_name(path));
    if (kelvin_is_folder(path)) return folder_walk(path, SEARCH_DEPTH, visit, job);
    if (piece.kind == PIECE_NONE) return piece_note(job, unpack_archive(job, path));
    job->recognised++;
    return piece_note(job, take_file(job, path, piece));
}

static kelvin_status judge(const struct fetch_job *job, const char *path)
{
    if (fetch_is_complete(job)) return KELVIN_OK;
    if (job->first) return kelvin_fail(job->first, "%s", job->sentence);
    if (job->recognised > 0) return KELVIN_OK;
    const struct canonical_set *known = job->set->canonical;
    return kelvin_fail(KELVIN_EFORMAT, "%s: has nothing of %s in it; expected %s, ..., %s, or an archive of them", path,
                       known->name, known->files[0].name, known->files[job->n - 1].name);
}

kelvin_status gather(struct fetch_job *job, const char *path)
{
    kelvin_path pieces;
    KELVIN_TRY(kelvin_path_join(pieces, job->work, "pieces"));
    folder_remove(pieces); /* of a fetch that was cut short; or a link to a folder that is none of ours */
    KELVIN_TRY(folder_make(pieces));
    job->recognised = 0;
    job->first = KELVIN_OK;
    kelvin_status status = take_all(job, path);
    if (!status) status = piece_note(job, pictures_convert(job));
    pictures_forget(job);
    folder_remove(pieces);
    return status ? status : judge(job, path);
}
