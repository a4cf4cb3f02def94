/* The cache of data sets that are fetched, and the files that belong there, known to the byte. */
#ifndef DATA_CACHE_H
#define DATA_CACHE_H

#include "files/files.h"

enum { CANONICAL_FILES = 6 };

struct canonical_file {
    const char *name;
    size_t bytes;
    const char *sha1; /* 40 hexadecimal digits */
};

struct canonical_set {
    const char *name; /* of the data set, and of its folder in the cache */
    struct canonical_file files[CANONICAL_FILES + 1];
};

extern const struct canonical_set kelvin_canonical_cifar10, kelvin_canonical_mnist;

/* How many files it has. */
size_t kelvin_canonical_count(const struct canonical_set *set);

/* By name, of which what follows a colon is not looked at; NULL if no such data set is fetched. */
const struct canonical_set *kelvin_canonical_find(const char *name);

/* $KELVIN_DATA, else $XDG_CACHE_HOME/kelvin, else $HOME/.cache/kelvin. KELVIN_EUSAGE if there is none of these. */
KELVIN_MUST_CHECK kelvin_status kelvin_cache_folder(kelvin_path path);

/* A file of the cache. Looks whether it is there with the right number of bytes; KELVIN_EIO or
 * KELVIN_EFORMAT with what to do if not. */
KELVIN_MUST_CHECK kelvin_status kelvin_cache_file(kelvin_path path, const struct canonical_set *set, size_t file);

#endif
