/* What is known of data sets that are fetched, without fetching them. */
#include "data/cache.h"

#include <kelvin/fetch.h>

#include <stdio.h>

bool kelvin_fetch_knows(const char *name)
{
    return kelvin_canonical_find(name);
}

bool kelvin_fetch_file(const char *name, size_t i, const char **file, uint64_t *bytes, const char **sha1)
{
    const struct canonical_set *set = kelvin_canonical_find(name);
    if (!set || i >= kelvin_canonical_count(set)) return false;
    *file = set->files[i].name;
    *bytes = set->files[i].bytes;
    *sha1 = set->files[i].sha1;
    return true;
}

bool kelvin_fetch_is_cached(const char *name)
{
    const struct canonical_set *set = kelvin_canonical_find(name);
    kelvin_path path;
    for (size_t i = 0; set && i < kelvin_canonical_count(set); i++)
        if (kelvin_cache_file(path, set, i)) return false;
    return set;
}

kelvin_status kelvin_fetch_folder(char *path, size_t size, const char *name)
{
    const struct canonical_set *set = kelvin_canonical_find(name);
    kelvin_path cache;
    if (!set) return kelvin_fail(KELVIN_EUSAGE, "%s is not a data set that is fetched", name);
    KELVIN_TRY(kelvin_cache_folder(cache));
    const int length = snprintf(path, size, "%s/%s", cache, set->name);
    if (length >= 0 && (size_t)length < size) return KELVIN_OK;
    return kelvin_fail(KELVIN_EUSAGE, "%s/%s: the path is longer than %zu bytes", cache, set->name, size);
}
