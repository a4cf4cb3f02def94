/* Short names of runs. */
#include "report/page.h"

#include "charts/markup.h"

#include <string.h>

const char *kelvin_clean_path(kelvin_arena *arena, const char *path)
{
    char *out = kelvin_arena_alloc(arena, strlen(path) + 2, 1);
    size_t n = 0;
    if (!out) return NULL;
    if (*path == '/') out[n++] = '/';
    for (const char *part = path; *part;) {
        const size_t length = strcspn(part, "/");
        if (length && !(length == 1 && *part == '.')) {
            if (n && out[n - 1] != '/') out[n++] = '/';
            memcpy(out + n, part, length);
            n += length;
        }
        part += length + (part[length] == '/');
    }
    if (n == 0) out[n++] = '.';
    out[n] = '\0';
    return out;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

static bool is_taken(const char *const *names, size_t n, const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

/* The last part is enough if no other path ends with it; the same path need not be longer to be told apart. */
static const char *choose(const char *const *paths, size_t n, size_t i)
{
    for (size_t k = 0; k < n; k++)
        if (strcmp(last_part(paths[k]), last_part(paths[i])) == 0 && strcmp(paths[k], paths[i]) != 0) return paths[i];
    return last_part(paths[i]);
}

static kelvin_status set_name(const char **names, kelvin_arena *arena, const char *name, size_t i, size_t most)
{
    if (!(names[i] = kelvin_markup_shorten(arena, name, most))) return KELVIN_ENOMEM;
    for (size_t number = 2; is_taken(names, i, names[i]); number++) {
        char end[32];
        const int length = snprintf(end, sizeof end, " (%zu)", number);
        const char *start = kelvin_markup_shorten(arena, name, most - (size_t)length);
        char *numbered = start ? kelvin_arena_alloc(arena, strlen(start) + sizeof end, 1) : NULL;
        if (!numbered) return KELVIN_ENOMEM;
        snprintf(numbered, strlen(start) + sizeof end, "%s%s", start, end);
        names[i] = numbered;
    }
    return KELVIN_OK;
}

kelvin_status kelvin_short_names(const char **names, kelvin_arena *arena, const char *const *folders, size_t n,
                                 size_t most)
{
    const char **paths = kelvin_arena_alloc(arena, n, sizeof *paths);
    if (!paths) return KELVIN_ENOMEM;
    for (size_t i = 0; i < n; i++)
        if (!(paths[i] = kelvin_clean_path(arena, folders[i]))) return KELVIN_ENOMEM;
    for (size_t i = 0; i < n; i++) KELVIN_TRY(set_name(names, arena, choose(paths, n, i), i, most));
    return KELVIN_OK;
}
