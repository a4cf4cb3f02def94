/* Where fetched data sets are kept, and what they consist of. */
#include "data/cache.h"
#include "base/words.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

const struct canonical_set kelvin_canonical_cifar10 = {
    "cifar10",
    {
        {"data_batch_1.bin", 30730000, "aadd24acce27caa71bf4b10992e9e7b2d74c2540"},
        {"data_batch_2.bin", 30730000, "c0ba65cce70568cd57b4e03e9ac8d2a5367c1795"},
        {"data_batch_3.bin", 30730000, "1dd00a74ab1d17a6e7d73e185b69dbf31242f295"},
        {"data_batch_4.bin", 30730000, "aab85764eb3584312d3c7f65fd2fd016e36a258e"},
        {"data_batch_5.bin", 30730000, "26e2849e66a845b7f1e4614ae70f4889ae604628"},
        {"test_batch.bin", 30730000, "67eb016db431130d61cd03c7ad570b013799c88c"},
    },
};

const struct canonical_set kelvin_canonical_mnist = {
    "mnist",
    {
        {"train-images-idx3-ubyte", 47040016, "c3557c10f29b266e19b3eeee1553c85e0ef4a8ea"},
        {"train-labels-idx1-ubyte", 60008, "adbf52269f5d842899f287c269e2883e40b4f6e2"},
        {"t10k-images-idx3-ubyte", 7840016, "65e11ec1fd220343092a5070b58418b5c2644e26"},
        {"t10k-labels-idx1-ubyte", 10008, "a6d52cc628797e845885543326e9f10abb8a6f89"},
    },
};

size_t kelvin_canonical_count(const struct canonical_set *set)
{
    size_t n = 0;
    while (set->files[n].name) n++;
    return n;
}

const struct canonical_set *kelvin_canonical_find(const char *name)
{
    static const struct canonical_set *const sets[] = {&kelvin_canonical_cifar10, &kelvin_canonical_mnist};
    const size_t length = strcspn(name, ":");
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        if (strlen(sets[i]->name) == length && strncmp(sets[i]->name, name, length) == 0) return sets[i];
    return NULL;
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

kelvin_status kelvin_cache_folder(kelvin_path path)
{
    const char *data = variable("KELVIN_DATA"), *cache = variable("XDG_CACHE_HOME"), *home = variable("HOME");
    if (data) {
        if (strlen(data) >= KELVIN_PATH_MAX)
            return kelvin_fail(KELVIN_EUSAGE, "KELVIN_DATA is longer than %d bytes", KELVIN_PATH_MAX - 1);
        strcpy(path, data);
        return KELVIN_OK;
    }
    if (cache) return kelvin_path_join(path, cache, "kelvin");
    if (home) return kelvin_path_join(path, home, ".cache/kelvin");
    return kelvin_fail(KELVIN_EUSAGE, "there is no place for data sets: set KELVIN_DATA to a folder");
}

kelvin_status kelvin_cache_file(kelvin_path path, const struct canonical_set *set, size_t file)
{
    const struct canonical_file *known = &set->files[file];
    kelvin_path folder;
    size_t bytes;
    KELVIN_TRY(kelvin_cache_folder(folder));
    KELVIN_TRY(kelvin_path_join(path, folder, "%s/%s", set->name, known->name));
    if (access(path, F_OK) != 0)
        return kelvin_fail(KELVIN_EIO, "%s is not there yet; " KELVIN_REFER(FETCH, "%s"), path, set->name);
    KELVIN_TRY(kelvin_file_size(&bytes, path));
    if (bytes != known->bytes)
        return kelvin_fail(KELVIN_EFORMAT, "%s: has %zu bytes, expected %zu; " KELVIN_REFER(FETCH_AGAIN, "%s"), path,
                           bytes, known->bytes, set->name);
    return KELVIN_OK;
}
