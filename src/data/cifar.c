/* CIFAR-10 (A. Krizhevsky: Learning Multiple Layers of Features from Tiny Images, 2009) in its binary version. Files go
 * through a small buffer to their place: the pixels are in memory once. */
#include "data/cifar.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PIECE = 64 }; /* records at a time: 192 kB, which stay in the cache between reading and copying */

static const char *const class_names[CIFAR_CLASSES] = {"airplane", "automobile", "bird",  "cat",  "deer",
                                                       "dog",      "frog",       "horse", "ship", "truck"};

/* ---- files ---- */

kelvin_status kelvin_cifar_count(size_t *records, size_t size, const char *path)
{
    if (size == 0) return kelvin_fail(KELVIN_EFORMAT, "%s: is empty; expected records of %d bytes", path, CIFAR_RECORD);
    *records = size / CIFAR_RECORD;
    if (size % CIFAR_RECORD == 0) return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT, "%s: has %zu bytes; expected whole records of %d, as %zu or %zu bytes have",
                       path, size, CIFAR_RECORD, *records * CIFAR_RECORD, (*records + 1) * CIFAR_RECORD);
}

kelvin_status kelvin_cifar_records(uint8_t *images, int32_t *y, const uint8_t *records, size_t n, size_t first,
                                   const char *path)
{
    for (size_t i = 0; i < n; i++, records += CIFAR_RECORD) {
        if (records[0] >= CIFAR_CLASSES)
            return kelvin_fail(KELVIN_EFORMAT, "%s: record %zu: label %d; expected 0 to %d", path, first + i + 1,
                               records[0], CIFAR_CLASSES - 1);
        y[i] = records[0];
        memcpy(images + i * CIFAR_PIXELS, records + 1, CIFAR_PIXELS);
    }
    return KELVIN_OK;
}

static kelvin_status read_file(uint8_t *images, int32_t *y, const struct cifar_file *file)
{
    uint8_t *piece = kelvin_alloc(PIECE, CIFAR_RECORD);
    kelvin_status status = piece ? KELVIN_OK : KELVIN_ENOMEM;
    for (size_t i = 0; !status && i < file->records; i += PIECE) {
        const size_t n = file->records - i < PIECE ? file->records - i : PIECE;
        status = kelvin_file_read_part(piece, file->path, i * CIFAR_RECORD, n * CIFAR_RECORD);
        if (!status) status = kelvin_cifar_records(images + i * CIFAR_PIXELS, y + i, piece, n, i, file->path);
    }
    kelvin_free(piece);
    return status;
}

kelvin_status kelvin_cifar_load(struct data_loader *loader, struct cifar_file *files, size_t n, size_t n_train)
{
    kelvin_data *data = loader->data;
    size_t rows = 0, train_rows = 0;
    if (loader->like && n_train < n) { /* of new inputs nobody looks at the rest */
        files += n_train;
        n = n_train = n - n_train;
    }
    for (size_t i = 0, size; i < n; i++) {
        KELVIN_TRY(kelvin_file_size(&size, files[i].path));
        KELVIN_TRY(kelvin_cifar_count(&files[i].records, size, files[i].path));
        rows += files[i].records;
        if (i < n_train) train_rows = rows;
    }
    data->channels = 3;
    data->height = data->width = CIFAR_SIDE;
    data->classes = CIFAR_CLASSES;
    if (!data->class_names) data->class_names = class_names;
    KELVIN_TRY(kelvin_data_alloc_rows(loader, rows));
    loader->n_train = train_rows;
    for (size_t i = 0, at = 0; i < n; at += files[i++].records)
        KELVIN_TRY(read_file(loader->bytes + at * CIFAR_PIXELS, loader->y + at, &files[i]));
    return KELVIN_OK;
}

/* ---- class names ---- */

/* Length of a line without what is not seen at its end; KELVIN_EFORMAT if something else in it is not for printing. */
static kelvin_status trim(size_t *length, const char *line, size_t number, const char *path)
{
    while (*length > 0 && (line[*length - 1] == '\r' || line[*length - 1] == ' ')) --*length;
    for (size_t i = 0; i < *length; i++)
        if ((unsigned char)line[i] < ' ' || line[i] == 127)
            return kelvin_fail(KELVIN_EFORMAT, "%s: line %zu: has the byte \\x%02x; expected the name of a class", path,
                               number, (unsigned char)line[i]);
    return KELVIN_OK;
}

kelvin_status kelvin_cifar_names(struct data_loader *loader, const struct data_file *file)
{
    const char *text = file->bytes, *path = file->path;
    const char **names = kelvin_arena_alloc(loader->arena, CIFAR_CLASSES, sizeof *names);
    if (!names) return KELVIN_ENOMEM;
    size_t n = 0, line = 1;
    for (const char *end = text + file->size; text < end; line++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t length = (size_t)((stop ? stop : end) - text);
        KELVIN_TRY(trim(&length, text, line, path));
        if (length > 0 && n == CIFAR_CLASSES)
            return kelvin_fail(KELVIN_EFORMAT, "%s: line %zu: is one too many; expected %d names of classes", path,
                               line, CIFAR_CLASSES);
        if (length > 0 && !(names[n++] = kelvin_arena_text(loader->arena, text, length))) return KELVIN_ENOMEM;
        text = stop ? stop + 1 : end;
    }
    if (n < CIFAR_CLASSES)
        return kelvin_fail(KELVIN_EFORMAT, "%s: line %zu: ends after %zu names of classes; expected %d", path, line, n,
                           CIFAR_CLASSES);
    loader->data->class_names = names;
    return KELVIN_OK;
}

/* ---- the folder ---- */

static int is_batch(const struct dirent *entry)
{
    const char *name = entry->d_name, *last_dot = strrchr(name, '.');
    return strncmp(name, "data_batch", strlen("data_batch")) == 0 && last_dot && strcmp(last_dot, ".bin") == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* The files of the training part, with room for one more; in place of those of another folder. */
static kelvin_status list_batches(struct cifar_file **files, size_t *n, const char *folder)
{
    struct dirent **entries;
    const int found = scandir(folder, &entries, is_batch, by_name);
    if (found < 0) return kelvin_fail(KELVIN_EIO, "%s: could not be read as a folder: %s", folder, strerror(errno));
    *n = (size_t)found;
    kelvin_free(*files);
    *files = kelvin_alloc(*n + 1, sizeof **files);
    kelvin_status status = *files ? KELVIN_OK : KELVIN_ENOMEM;
    for (size_t i = 0; i < *n; i++) {
        if (!status) status = kelvin_path_join((*files)[i].path, folder, "%s", entries[i]->d_name);
        free(entries[i]);
    }
    free(entries);
    return status;
}

static kelvin_status read_names(struct data_loader *loader, const char *folder)
{
    kelvin_path path;
    KELVIN_TRY(kelvin_path_join(path, folder, "batches.meta.txt"));
    return access(path, F_OK) == 0 ? kelvin_data_load_files(loader, (const char *[]){path}, 1, kelvin_cifar_names)
                                   : KELVIN_OK;
}

static kelvin_status open_files(struct data_loader *loader, struct cifar_file *files, size_t batches,
                                const char *folder)
{
    KELVIN_TRY(kelvin_path_join(files[batches].path, folder, "test_batch.bin"));
    const bool test = access(files[batches].path, F_OK) == 0;
    if (test) KELVIN_TRY(kelvin_data_spec_no_split(loader->spec, "test_batch.bin"));
    KELVIN_TRY(read_names(loader, folder));
    return kelvin_cifar_load(loader, files, batches + test, batches);
}

/* From the folder that was named, or from the one that the archive makes in there. */
static kelvin_status open_folder(struct data_loader *loader)
{
    const char *named = loader->spec->files[0];
    kelvin_path inner;
    struct cifar_file *files = NULL;
    size_t batches = 0;
    kelvin_status status = list_batches(&files, &batches, named);
    const bool own = batches > 0;
    if (!status && !own) status = kelvin_path_join(inner, named, "cifar-10-batches-bin");
    if (!status && !own && access(inner, F_OK) == 0) status = list_batches(&files, &batches, inner);
    if (!status && batches == 0)
        status = kelvin_fail(KELVIN_EFORMAT,
                             "%s: has no files data_batch*.bin; expected those of CIFAR-10's binary version", named);
    if (!status) status = open_files(loader, files, batches, own ? named : inner);
    kelvin_free(files);
    return status;
}

const struct data_type kelvin_data_cifar = {
    .member = KELVIN_MEMBER("cifar", "cifar:FOLDER[,split=SHARE][,seed=N]",
                            "data_batch*.bin and test_batch.bin, the binary version of CIFAR-10"),
    .files = {"FOLDER"},
    .keys = {"split", "seed"},
    .open = open_folder,
};
