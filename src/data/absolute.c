/* The name of a data set as it can be used from any folder: files by their whole paths. */
#include "data/data.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* Puts a text, with its commas marked. */
static char *put(char *to, const char *text)
{
    for (; *text; *to++ = *text++)
        if (*text == ',') *to++ = '\\';
    return to;
}

/* Puts a path, from where we are if it does not begin at the root. */
static char *put_path(char *to, const char *here, const char *path)
{
    if (*path != '/') to = put(put(to, here), "/");
    return put(to, path);
}

/* The keys of all formats that name files begin alike. */
static bool is_file(const char *key)
{
    return strncmp(key, "test", 4) == 0;
}

kelvin_status kelvin_data_absolute(const char **name, kelvin_arena *arena, const struct data_spec *spec,
                                   const char *text)
{
    enum { KEY = 16 }; /* letters of a key, at most: values of a list get one each */
    kelvin_path here;
    if (!getcwd(here, sizeof here))
        return kelvin_fail(KELVIN_EIO, "the name of this folder could not be had: %s", strerror(errno));
    /* Every letter may be a comma; every field may need the folder's name. */
    char *to =
        kelvin_arena_alloc(arena, 2 * (strlen(text) + (DATA_FILES + spec->n_keys) * (strlen(here) + KEY)) + 1, 1);
    if (!to) return KELVIN_ENOMEM;
    *name = to;
    memcpy(to, text, strcspn(text, ":"));
    to += strcspn(text, ":");
    for (size_t i = 0; i < spec->n_files; i++) {
        *to++ = i == 0 ? ':' : ',';
        to = put_path(to, here, spec->files[i]);
    }
    for (size_t i = 0; i < spec->n_keys; i++) {
        *to++ = spec->n_files + i == 0 ? ':' : ',';
        to = put(put(to, spec->keys[i]), "=");
        to = is_file(spec->keys[i]) ? put_path(to, here, spec->values[i]) : put(to, spec->values[i]);
    }
    return KELVIN_OK;
}
