/* Logits that a run has left: RUN/logits_test.npy, (samples, n, classes), float32, with RUN/labels_test.npy, (n),
 * int64, beside it; and the same of the training data. Both files are read a piece at a time, and opened once: some
 * observations of all samples, or where samples are so many that these would be few, a block of the samples. */
#include "base/needs.h"
#include "base/threads.h"
#include "files/files.h"
#include "files/npy.h"
#include "posterior/logits.h"
#include "run/folder.h"
#include "run/room.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum {
    HEAD = 4096, /* bytes in which a header must be; ours have 128 */
    PIECE_BYTES = 1 << 22,
    BLOCK_BYTES = 1 << 20,
    FEW = 64, /* observations: to read fewer of each sample takes longer to ask for than to read */
};

/* An array on disk, open, or all of its file in memory. */
struct array {
    kelvin_path path;
    int fd;           /* -1: not open */
    const char *file; /* NULL: on disk */
    size_t bytes;     /* of the file */
    struct npy about;
    size_t data_at;
};

struct saved {
    kelvin_logits base;
    struct array logits, labels;
    size_t n, done, most;       /* observations */
    size_t done_samples, block; /* of the observations at hand */
    float *z;                   /* (block, most, classes) */
    int32_t *y;                 /* (most) */
    int64_t *raw;               /* (most) */
};

/* ---- arrays on disk ---- */

static kelvin_status read_at(const struct array *a, void *data, size_t from, size_t bytes)
{
    char *to = data;
    if (a->file) {
        memcpy(to, a->file + from, bytes);
        return KELVIN_OK;
    }
    while (bytes > 0) {
        const ssize_t got = pread(a->fd, to, bytes, (off_t)from);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return kelvin_fail(KELVIN_EIO, "%s could not be read: %s", a->path, strerror(errno));
        if (got == 0) return kelvin_fail(KELVIN_EIO, "%s: ends while it is being read", a->path);
        to += got;
        from += (size_t)got;
        bytes -= (size_t)got;
    }
    return KELVIN_OK;
}

static kelvin_status open_file(struct array *a)
{
    KELVIN_TRY(kelvin_file_size(&a->bytes, a->path));
    if ((a->fd = kelvin_open_to_read(a->path)) >= 0) return KELVIN_OK;
    return kelvin_fail(KELVIN_EIO, "%s could not be read: %s", a->path, strerror(errno));
}

/* `what` are kept as `kind`: "logits", 'f', 4 bytes. */
static kelvin_status read_head(struct array *a, const char *what, char kind, size_t item)
{
    unsigned char head[HEAD];
    const struct npy *is = &a->about;
    const size_t used = a->bytes < HEAD ? a->bytes : HEAD;
    KELVIN_TRY(read_at(a, head, 0, used));
    KELVIN_TRY(kelvin_npy_parse_head(&a->about, &a->data_at, head, used, a->bytes, a->path));
    if (is->kind == kind && is->item == item && !is->big_endian && !is->fortran) return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT, "%s: holds %s%c%zu%s; expected %s as <%c%zu in C order", a->path,
                       is->big_endian ? ">" : "<", is->kind, is->item, is->fortran ? " in Fortran order" : "", what,
                       kind, item);
}

/* ---- both ---- */

static kelvin_status check_shapes(const struct saved *s, const struct kelvin_logits_form *form)
{
    const struct npy *z = &s->logits.about, *y = &s->labels.about;
    if (!form->classes && (z->axes != 3 || z->shape[0] > UINT32_MAX))
        return kelvin_fail(KELVIN_EFORMAT, "%s: shape is %s; expected (samples, observations, classes)", s->logits.path,
                           kelvin_npy_shape_text(z).text);
    if (form->classes && (z->axes != 3 || z->shape[2] != form->classes || (form->n && z->shape[1] != form->n) ||
                          z->shape[0] > UINT32_MAX))
        return kelvin_fail(
            KELVIN_EFORMAT, "%s: shape is %s; expected (samples, %zu, %zu) for %zu observations of %zu classes",
            s->logits.path, kelvin_npy_shape_text(z).text, form->n, form->classes, form->n, form->classes);
    if (form->samples && z->shape[0] != form->samples)
        return kelvin_fail(KELVIN_EFORMAT, "%s: holds %zu samples; expected %zu, as the chains have", s->logits.path,
                           z->shape[0], form->samples);
    if (y->axes != 1 || y->shape[0] != z->shape[1])
        return kelvin_fail(KELVIN_EFORMAT, "%s: shape is %s; expected (%zu,), as the logits beside it have",
                           s->labels.path, kelvin_npy_shape_text(y).text, z->shape[1]);
    return KELVIN_OK;
}

static kelvin_status read_labels(struct saved *s, size_t n)
{
    KELVIN_TRY(read_at(&s->labels, s->raw, s->labels.data_at + s->done * sizeof *s->raw, n * sizeof *s->raw));
    for (size_t i = 0; i < n; i++) {
        if ((uint64_t)s->raw[i] >= s->base.classes) /* those below 0 are very large then */
            return kelvin_fail(KELVIN_EFORMAT, "%s: label %zu is %lld; expected 0 .. %zu", s->labels.path, s->done + i,
                               (long long)s->raw[i], s->base.classes - 1);
        s->y[i] = (int32_t)s->raw[i];
    }
    return KELVIN_OK;
}

/* z (samples, n, classes), from an observation and a sample on; what lies in one piece in the file is read as one. */
static kelvin_status read_logits(const struct saved *s, float *z, size_t observation, size_t n, size_t sample,
                                 size_t samples)
{
    const size_t classes = s->base.classes, at_once = n == s->n ? samples : 1, row = at_once * n * classes;
    for (size_t i = 0; i < samples; i += at_once, z += row) {
        const size_t from = ((sample + i) * s->n + observation) * classes * sizeof *z;
        KELVIN_TRY(read_at(&s->logits, z, s->logits.data_at + from, row * sizeof *z));
    }
    return KELVIN_OK;
}

/* What threads read together: samples first .. first + samples - 1 at n observations. */
struct shares {
    const struct saved *s;
    size_t n, first, samples, shares;
};

static kelvin_status read_share(void *context, size_t i)
{
    const struct shares *all = context;
    const struct saved *s = all->s;
    const size_t begin = i * all->samples / all->shares, end = (i + 1) * all->samples / all->shares;
    return read_logits(s, s->z + begin * all->n * s->base.classes, s->done, all->n, all->first + begin, end - begin);
}

static kelvin_status next_saved(kelvin_logits *logits, kelvin_piece *piece)
{
    struct saved *s = (struct saved *)logits;
    const size_t left = s->n - s->done, n = left < s->most ? left : s->most, first = s->done_samples;
    const size_t rest = logits->samples - first, samples = rest < s->block ? rest : s->block;
    struct shares all = {s, n, first, samples, logits->pool ? kelvin_pool_threads(logits->pool) : 1};
    if (n == 0) return KELVIN_OK;
    KELVIN_TRY(all.shares > 1 ? kelvin_pool_run(logits->pool, read_share, &all, all.shares) : read_share(&all, 0));
    if (first == 0) KELVIN_TRY(read_labels(s, n));
    *piece = (kelvin_piece){.n = n, .first = s->done, .samples = samples, .first_sample = first, .z = s->z, .y = s->y};
    s->done_samples = samples < rest ? first + samples : 0;
    if (samples == rest) s->done += n;
    return KELVIN_OK;
}

static kelvin_status read_observation(const kelvin_logits *logits, float *z, size_t observation)
{
    return read_logits((const struct saved *)logits, z, observation, 1, 0, logits->samples);
}

static void close_saved(kelvin_logits *logits)
{
    struct saved *s = (struct saved *)logits;
    if (s->logits.fd >= 0) close(s->logits.fd);
    if (s->labels.fd >= 0) close(s->labels.fd);
    kelvin_free(s->z);
    kelvin_free(s->y);
    kelvin_free(s->raw);
    kelvin_free(s);
}

/* Pieces have all samples, unless these are so many that observations would be few. */
static void choose_block(struct saved *s)
{
    const size_t few = s->n < FEW ? s->n : FEW;
    s->block = s->base.samples;
    s->most = kelvin_logits_chunk(s->block, s->base.classes, PIECE_BYTES);
    if (s->most > s->n) s->most = s->n;
    if (s->most >= few) return;
    s->most = few;
    s->block = kelvin_logits_chunk(few, s->base.classes, BLOCK_BYTES);
    s->base.at = read_observation;
}

/* Both are open. */
static kelvin_status begin(struct saved *s, const struct kelvin_logits_form *form)
{
    KELVIN_TRY(read_head(&s->logits, "logits", 'f', sizeof *s->z));
    KELVIN_TRY(read_head(&s->labels, "labels", 'i', sizeof *s->raw));
    KELVIN_TRY(check_shapes(s, form));
    s->base.samples = s->logits.about.shape[0];
    s->base.classes = s->logits.about.shape[2];
    s->n = s->logits.about.shape[1];
    choose_block(s);
    if (!(s->z = kelvin_alloc(s->block * s->most * s->base.classes, sizeof *s->z)) ||
        !(s->y = kelvin_alloc(s->most, sizeof *s->y)) || !(s->raw = kelvin_alloc(s->most, sizeof *s->raw)))
        return KELVIN_ENOMEM;
    return KELVIN_OK;
}

static struct saved *create(const struct kelvin_logits_form *form)
{
    struct saved *s = kelvin_alloc(1, sizeof *s);
    if (!s) return NULL;
    s->base = (kelvin_logits){.chain = form->chain, .name = s->logits.path, .run = form->run};
    s->base.next = next_saved;
    s->base.close = close_saved;
    s->logits.fd = s->labels.fd = -1;
    snprintf(s->logits.path, sizeof s->logits.path, "%s", form->logits);
    snprintf(s->labels.path, sizeof s->labels.path, "%s", form->labels);
    return s;
}

/* What could not be made is closed again. */
static kelvin_status finish(kelvin_logits **logits, struct saved *s, kelvin_status status)
{
    if (s->base.run) status = kelvin_remedy(status, s->base.run);
    if (status)
        close_saved(&s->base);
    else
        *logits = &s->base;
    return status;
}

kelvin_status kelvin_logits_from_files(kelvin_logits **logits, const struct kelvin_logits_form *form)
{
    *logits = NULL;
    struct saved *s = create(form);
    if (!s) return KELVIN_ENOMEM;
    kelvin_status status = open_file(&s->logits);
    if (!status) status = open_file(&s->labels);
    if (!status) status = begin(s, form);
    return finish(logits, s, status);
}

kelvin_status kelvin_logits_from_bytes(kelvin_logits **logits, const struct kelvin_logits_form *form,
                                       struct kelvin_file_bytes z, struct kelvin_file_bytes y)
{
    *logits = NULL;
    struct saved *s = create(form);
    if (!s) return KELVIN_ENOMEM;
    s->logits.file = z.data;
    s->logits.bytes = z.n;
    s->labels.file = y.data;
    s->labels.bytes = y.n;
    return finish(logits, s, begin(s, form));
}

/* ---- of a run ---- */

kelvin_status kelvin_logits_are_kept(bool *kept, const kelvin_samples *samples, kelvin_side side)
{
    struct kelvin_logits_file files[KELVIN_PARTS];
    kelvin_path path;
    *kept = false;
    if (!samples->run->folder || kelvin_run_inside(samples->run)->partly) return KELVIN_OK; /* not of all samples */
    kelvin_logits_files(files, samples->run->data);
    return kelvin_find_file(path, kept, samples->folder, "%s", files[side].name);
}

/* A file that is there, and as the run left it. */
static kelvin_status find_file(kelvin_path path, const kelvin_samples *samples, const char *name)
{
    bool there;
    KELVIN_TRY(kelvin_find_file(path, &there, samples->folder, "%s", name));
    if (there) return kelvin_run_vouch(samples->run, name);
    return kelvin_remedy(kelvin_fail(KELVIN_EFORMAT, "%s: has no %s", samples->folder, name), samples->folder);
}

kelvin_status kelvin_logits_saved(kelvin_logits **logits, const kelvin_samples *samples, kelvin_side side)
{
    KELVIN_NEEDS(logits);
    *logits = NULL;
    KELVIN_NEEDS(samples);
    const kelvin_run *run = samples->run;
    struct kelvin_logits_file files[KELVIN_PARTS];
    kelvin_path z, y;
    if (!run->folder) return kelvin_fail(KELVIN_EFORMAT, "%s: is in memory, and keeps no logits", samples->folder);
    kelvin_logits_files(files, run->data);
    KELVIN_TRY(find_file(z, samples, files[side].name));
    KELVIN_TRY(find_file(y, samples, files[side].labels));
    const struct kelvin_logits_form form = {.logits = z,
                                            .labels = y,
                                            .run = kelvin_run_is_old(run) ? NULL : samples->folder,
                                            .chain = samples->chain,
                                            .samples = samples->n,
                                            .n = files[side].part->n,
                                            .classes = run->data->classes};
    return kelvin_logits_from_files(logits, &form);
}
