/* Folders of pictures. Hidden names are passed over everywhere; beside the folders of classes any file is, and so is
 * any file in them that is not named as a picture. A folder inside the folder of a class is refused, and so is a
 * picture of a kind that is not read: they would be left out without a word. */
#include "data/listing.h"

#include "data/data.h"
#include "files/files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct names {
    const char **name;
    size_t n;
};

struct part {
    struct names classes, *pictures; /* paths for each class */
    size_t files;
};

/* ---- names ---- */

static int is_shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* All names in a folder but hidden ones, sorted by their bytes: the order in which a disk gives them is chance. Each
 * with `before` in front of it. */
static kelvin_status read_folder(struct names *names, kelvin_arena *arena, const char *folder, const char *before)
{
    struct dirent **entries;
    const int found = scandir(folder, &entries, is_shown, by_bytes);
    if (found < 0) return kelvin_fail(KELVIN_EIO, "%s: could not be read: %s", folder, strerror(errno));
    const size_t n = (size_t)found;
    size_t bytes = 0;
    for (size_t i = 0; i < n; i++) bytes += strlen(before) + strlen(entries[i]->d_name) + 1;
    *names = (struct names){kelvin_arena_alloc(arena, n, sizeof *names->name), n};
    char *text = kelvin_arena_alloc(arena, bytes, 1);
    const bool good = names->name && text;
    for (size_t i = 0; i < n; i++) {
        if (good) names->name[i] = text, text += sprintf(text, "%s%s", before, entries[i]->d_name) + 1;
        free(entries[i]);
    }
    free(entries);
    return good ? KELVIN_OK : KELVIN_ENOMEM;
}

static kelvin_status is_folder(bool *is, const char *folder, const char *name)
{
    kelvin_path path;
    KELVIN_TRY(kelvin_path_join(path, folder, "%s", name));
    *is = kelvin_is_folder(path);
    return KELVIN_OK;
}

static kelvin_status read_folders(struct names *names, kelvin_arena *arena, const char *folder)
{
    size_t kept = 0;
    bool is;
    KELVIN_TRY(read_folder(names, arena, folder, ""));
    for (size_t i = 0; i < names->n; i++) {
        KELVIN_TRY(is_folder(&is, folder, names->name[i]));
        if (is) names->name[kept++] = names->name[i];
    }
    names->n = kept;
    return KELVIN_OK;
}

static const char *const read_kinds[] = {".png", ".jpg", ".jpeg", NULL};
static const char *const other_kinds[] = {".gif", ".webp", ".bmp", ".tif", ".tiff", ".heic", ".avif", NULL};

static bool is_of(const char *const *kinds, const char *name)
{
    const char *dot = strrchr(name, '.');
    for (; dot && *kinds; kinds++)
        if (strcasecmp(dot, *kinds) == 0) return true;
    return false;
}

bool kelvin_listing_is_picture(const char *name)
{
    return is_of(read_kinds, name);
}

static kelvin_status check_other(const char *folder, const char *name)
{
    bool is;
    KELVIN_TRY(is_folder(&is, folder, name));
    if (is)
        return kelvin_fail(KELVIN_EFORMAT, "%s: holds the folder '%s'; expected only pictures in the folder of a class",
                           folder, name);
    if (is_of(other_kinds, name))
        return kelvin_fail(KELVIN_EFORMAT,
                           "%s/%s: is a picture of a kind that is not read; expected .png, .jpg or .jpeg: convert it "
                           "or take it away",
                           folder, name);
    return KELVIN_OK;
}

/* Their paths. */
static kelvin_status read_pictures(struct names *names, kelvin_arena *arena, const char *folder)
{
    size_t kept = 0;
    char before[KELVIN_PATH_MAX + 1];
    snprintf(before, sizeof before, "%s/", folder);
    KELVIN_TRY(read_folder(names, arena, folder, before));
    for (size_t i = 0; i < names->n; i++) {
        if (is_of(read_kinds, names->name[i]))
            names->name[kept++] = names->name[i];
        else
            KELVIN_TRY(check_other(folder, names->name[i] + strlen(before)));
    }
    names->n = kept;
    if (kept > 0) return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT, "%s: holds no pictures; expected files whose names end in .png, .jpg or .jpeg",
                       folder);
}

/* ---- parts ---- */

static kelvin_status read_part(struct part *part, kelvin_arena *arena, const char *folder)
{
    KELVIN_TRY(read_folders(&part->classes, arena, folder));
    if (part->classes.n == 0)
        return kelvin_fail(KELVIN_EFORMAT,
                           "%s: holds no folders; expected one for each class, with .png, .jpg or .jpeg files", folder);
    part->pictures = kelvin_arena_alloc(arena, part->classes.n, sizeof *part->pictures);
    if (!part->pictures) return KELVIN_ENOMEM;
    for (size_t c = 0; c < part->classes.n; c++) {
        kelvin_path path;
        KELVIN_TRY(kelvin_path_join(path, folder, "%s", part->classes.name[c]));
        KELVIN_TRY(read_pictures(&part->pictures[c], arena, path));
        part->files += part->pictures[c].n;
    }
    return KELVIN_OK;
}

static kelvin_status check_classes(const struct names *classes, const char *folder)
{
    if (classes->n < 2)
        return kelvin_fail(KELVIN_EFORMAT, "%s: holds one class, '%s'; expected at least 2", folder, classes->name[0]);
    if (classes->n > DATA_MAX_CLASSES)
        return kelvin_fail(KELVIN_EFORMAT, "%s: holds %zu classes; expected at most %d", folder, classes->n,
                           DATA_MAX_CLASSES);
    return KELVIN_OK;
}

/* Appends the files of a part, with the numbers that the listing has for their classes: both are sorted. */
static kelvin_status append(struct listing *l, struct listed *files, const struct part *part, const char *folder,
                            const char *train)
{
    size_t class = 0;
    for (size_t c = 0; c < part->classes.n; c++) {
        const char *name = part->classes.name[c];
        while (class < l->n_classes && strcmp(l->classes[class], name) < 0) class ++;
        if (class == l->n_classes || strcmp(l->classes[class], name) != 0)
            return kelvin_fail(KELVIN_EFORMAT, "%s: class '%s' is not known; expected one of the %zu folders of %s",
                               folder, name, l->n_classes, train);
        for (size_t i = 0; i < part->pictures[c].n; i++)
            files[l->n++] = (struct listed){part->pictures[c].name[i], (int32_t) class};
    }
    return KELVIN_OK;
}

/* `new`: for a network that knows its classes. */
static kelvin_status list_parts(struct listing *l, kelvin_arena *arena, const char *train, const char *test, bool new)
{
    struct part parts[2] = {0};
    KELVIN_TRY(read_part(&parts[0], arena, train));
    if (!new) KELVIN_TRY(check_classes(&parts[0].classes, train));
    if (test) KELVIN_TRY(read_part(&parts[1], arena, test));
    struct listed *files = kelvin_arena_alloc(arena, parts[0].files + parts[1].files, sizeof *files);
    if (!files) return KELVIN_ENOMEM;
    *l = (struct listing){.classes = parts[0].classes.name, .n_classes = parts[0].classes.n, .files = files};
    KELVIN_TRY(append(l, files, &parts[0], train, train));
    l->n_train = l->n;
    return test ? append(l, files, &parts[1], test, train) : KELVIN_OK;
}

/* The folder of the test part where a folder holds two, train and another; NULL if it does not. */
static const char *find_test(const struct names *folders)
{
    static const char *const tests[] = {"test", "val", "valid"};
    for (size_t i = 0; folders->n == 2 && i < sizeof tests / sizeof *tests; i++)
        for (size_t j = 0; j < 2; j++)
            if (strcmp(folders->name[j], tests[i]) == 0 && strcmp(folders->name[!j], "train") == 0) return tests[i];
    return NULL;
}

/* Which two of three parts are wanted cannot be known. The names are sorted. */
static kelvin_status check_three(const struct names *folders, const char *folder)
{
    const char *const *name = folders->name;
    if (folders->n != 3 || strcmp(name[0], "test") != 0 || strcmp(name[1], "train") != 0) return KELVIN_OK;
    if (strcmp(name[2], "val") != 0 && strcmp(name[2], "valid") != 0) return KELVIN_OK;
    return kelvin_fail(KELVIN_EFORMAT,
                       "%s: holds train, %s and test; expected two parts: name them, as images:%s/train,test=%s/test",
                       folder, name[2], folder, folder);
}

/* The folders of both parts of a folder that holds two; *test is NULL of one that does not, unless it was given. */
static kelvin_status find_parts(kelvin_path train_path, kelvin_path test_path, const char **train, const char **test,
                                kelvin_arena *arena)
{
    struct names folders;
    const char *folder = *train;
    KELVIN_TRY(read_folders(&folders, arena, folder));
    KELVIN_TRY(check_three(&folders, folder));
    const char *own = find_test(&folders);
    if (!own) return KELVIN_OK;
    if (*test)
        return kelvin_fail(KELVIN_EUSAGE, "%s: has a test part of its own, the folder '%s'; expected no test=%s",
                           folder, own, *test);
    KELVIN_TRY(kelvin_path_join(train_path, folder, "train"));
    KELVIN_TRY(kelvin_path_join(test_path, folder, "%s", own));
    *train = train_path;
    *test = test_path;
    return KELVIN_OK;
}

kelvin_status kelvin_listing_make(struct listing *listing, kelvin_arena *arena, const char *folder, const char *test)
{
    kelvin_path train_path, test_path;
    KELVIN_TRY(find_parts(train_path, test_path, &folder, &test, arena));
    return list_parts(listing, arena, folder, test, false);
}

/* ---- new inputs ---- */

static kelvin_status list_flat(struct listing *l, kelvin_arena *arena, const char *folder)
{
    struct names names;
    KELVIN_TRY(read_pictures(&names, arena, folder));
    struct listed *files = kelvin_arena_alloc(arena, names.n, sizeof *files);
    if (!files) return KELVIN_ENOMEM;
    for (size_t i = 0; i < names.n; i++) files[i] = (struct listed){names.name[i], -1};
    *l = (struct listing){.files = files, .n = names.n, .n_train = names.n};
    return KELVIN_OK;
}

kelvin_status kelvin_listing_inputs(struct listing *l, kelvin_arena *arena, const char *folder, const char *test)
{
    struct names folders, all;
    kelvin_path train_path, test_path;
    KELVIN_TRY(find_parts(train_path, test_path, &folder, &test, arena));
    if (test) folder = test;
    KELVIN_TRY(read_folders(&folders, arena, folder));
    KELVIN_TRY(read_folder(&all, arena, folder, ""));
    for (size_t i = 0; folders.n > 0 && i < all.n; i++) /* it would be left out without a word */
        if (is_of(read_kinds, all.name[i]))
            return kelvin_fail(KELVIN_EFORMAT, "%s: holds the picture '%s' beside folders; expected only one of both",
                               folder, all.name[i]);
    return folders.n > 0 ? list_parts(l, arena, folder, NULL, true) : list_flat(l, arena, folder);
}
