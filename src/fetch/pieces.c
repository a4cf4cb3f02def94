/* Pieces: files whose names say what they are good for, wherever they come from. */
#include "base/words.h"
#include "fetch/room.h"
#include "fetch/sha1.h"

#include <stdio.h>
#include <string.h>

const char *kelvin_fetch_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The name itself; or, as some have it, with a dot before idx. `length` of `name` counts. */
static bool is_name(const char *known, const char *name, size_t length)
{
    if (strlen(known) != length) return false;
    for (size_t i = 0; i < length; i++)
        if (name[i] != known[i] && !(name[i] == '.' && strncmp(known + i, "-idx", 4) == 0)) return false;
    return true;
}

static struct piece recognise_file(const struct fetch_job *job, size_t file, const char *name)
{
    const struct canonical_file *known = &job->set->canonical->files[file];
    const size_t length = strlen(name), packed = length > 3 && strcmp(name + length - 3, ".gz") == 0 ? length - 3 : 0;
    const size_t stem = strcspn(known->name, "."); /* its name without what follows the point */
    const size_t worst = 2 * known->bytes + 4096;  /* of what did not become smaller, with room to spare */
    struct piece piece = {PIECE_NONE, file, known->bytes, !job->right[file]};
    if (is_name(known->name, name, length)) {
        piece.kind = PIECE_PLAIN;
    } else if (packed && is_name(known->name, name, packed)) {
        piece.kind = PIECE_PACKED;
        piece.most_bytes = worst;
    } else if (job->set->labels[0].name && strncmp(name, known->name, stem) == 0 && strcmp(name + stem, ".png") == 0) {
        piece.kind = PIECE_PICTURE;
        piece.most_bytes = worst;
    }
    return piece;
}

static bool any_needed(const struct fetch_job *job, size_t first, size_t files)
{
    for (size_t i = first; i < first + files; i++)
        if (!job->right[i]) return true;
    return false;
}

struct piece kelvin_piece_recognise(const struct fetch_job *job, const char *name)
{
    for (size_t i = 0; i < job->n; i++) {
        const struct piece piece = recognise_file(job, i, name);
        if (piece.kind) return piece;
    }
    for (size_t i = 0; i < FETCH_LABELS; i++)
        if (job->set->labels[i].name && strcmp(job->set->labels[i].name, name) == 0)
            return (struct piece){PIECE_LABELS, i, LABELS_BYTES,
                                  any_needed(job, job->set->labels[i].first, job->set->labels[i].files)};
    for (size_t i = 0; job->set->local[i]; i++)
        if (strchr(job->set->local[i], '.') && strcmp(job->set->local[i], name) == 0)
            return (struct piece){PIECE_ARCHIVE, 0, 0, !kelvin_fetch_is_complete(job)};
    return (struct piece){PIECE_NONE, 0, 0, false};
}

static kelvin_status write_file(struct fetch_job *job, const char *name, const void *data, size_t bytes)
{
    kelvin_path path;
    struct kelvin_writer writer;
    KELVIN_TRY(kelvin_path_join(path, job->folder, "%s", name));
    kelvin_status status = kelvin_writer_open(&writer, path);
    if (!status) status = kelvin_writer_put(&writer, data, bytes);
    status = kelvin_writer_close(&writer, status);
    if (status) job->broken = true;
    return status;
}

kelvin_status kelvin_piece_place(struct fetch_job *job, size_t file, const void *data, size_t bytes, const char *where)
{
    const struct canonical_file *known = &job->set->canonical->files[file];
    char found[SHA1_HEX];
    if (bytes != known->bytes) /* one too many is where readers of archives leave off */
        return kelvin_fail(KELVIN_EFORMAT, "%s: has %zu bytes%s; expected %zu", where, bytes,
                           bytes == known->bytes + 1 ? " or more" : "", known->bytes);
    struct sha1 sha = kelvin_sha1_start();
    kelvin_sha1_add(&sha, data, bytes);
    kelvin_sha1_end(&sha, found);
    if (strcmp(found, known->sha1) != 0)
        return kelvin_fail(KELVIN_EFORMAT, "%s: has the SHA-1 %s; expected %s", where, found, known->sha1);
    KELVIN_TRY(write_file(job, known->name, data, bytes));
    job->right[file] = true;
    return KELVIN_OK;
}

bool kelvin_fetch_is_final(const struct fetch_job *job, kelvin_status status)
{
    return status == KELVIN_ESTOP || status == KELVIN_ENOMEM || (status && job->broken);
}

kelvin_status kelvin_piece_note(struct fetch_job *job, kelvin_status status)
{
    if (!status || kelvin_fetch_is_final(job, status)) return status;
    if (!job->first) {
        job->first = status;
        snprintf(job->sentence, sizeof job->sentence, "%s", kelvin_error_raw());
    }
    return KELVIN_OK;
}
