/* Which files inputs come from, so that nobody writes over them. */
#include "data/inputs.h"

#include "data/listing.h"
#include "files/files.h"

#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Is the file `place`, or a picture in that folder or in a folder in it? */
static bool is_in(const char *path, const char *place)
{
    kelvin_path at;
    struct stat wanted, about;
    if (!place || stat(place, &wanted) || stat(path, &about)) return false;
    if (same(&wanted, &about)) return true;
    if (!kelvin_listing_is_picture(path) || snprintf(at, sizeof at, "%s", path) >= (int)sizeof at) return false;
    const char *folder = dirname(at);
    for (size_t i = 0; i < 2; i++) {
        kelvin_path up;
        if (stat(folder, &about) == 0 && same(&wanted, &about)) return true;
        if (snprintf(up, sizeof up, "%s/..", folder) >= (int)sizeof up) return false;
        folder = strcpy(at, up);
    }
    return false;
}

static bool is_standard_input(const char *path)
{
    struct stat file, about;
    return fstat(STDIN_FILENO, &file) == 0 && stat(path, &about) == 0 && same(&file, &about);
}

static bool is_named(const struct data_spec *spec, const char *path)
{
    bool found = false;
    for (size_t i = 0; i < spec->n_files; i++) found |= is_in(path, spec->files[i]);
    for (size_t i = 0; i < spec->n_keys; i++)
        if (strncmp(spec->keys[i], "test", 4) == 0) found |= is_in(path, spec->values[i]);
    return found;
}

static bool come_from(const char *text, const char *path)
{
    const struct data_type *type = kelvin_data_find_type(text);
    struct data_spec spec = {0};
    if (!type) return strcmp(text, "-") == 0 ? is_standard_input(path) : is_in(path, text);
    if (type->inputs) type = type->inputs->spec;
    const bool found = !kelvin_data_spec_parse(&spec, type, text) && is_named(&spec, path);
    kelvin_data_spec_free(&spec);
    return found;
}

bool kelvin_inputs_come_from(const char *spec, const char *path)
{
    char *text;
    if (!strchr(spec, ',') || kelvin_data_spell(&text, spec)) return come_from(spec, path);
    const bool found = come_from(text, path);
    kelvin_free(text);
    return found;
}
