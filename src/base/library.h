/* Libraries that are opened when they are needed, and not linked.
 *
 * libcurl, libarchive and libnetcdf bring some 60 other libraries, several MB of memory and 8 ms and more to the start
 * of a program that needs them once in its life. So they are known by their headers, and looked for when something is
 * fetched or exported; where one is missing, everything else still works. */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include <kelvin/base.h>

struct library_symbol {
    const char *name;
    size_t offset; /* of its pointer in the table */
};

struct library {
    const char *name, *package; /* "libcurl", and what brings it: "libcurl4" */
    const char *files[4];       /* the first that is there is taken */
    const struct library_symbol *symbols;
    size_t n;
};

/* In a struct of pointers, and in the table of their names: both from one list of functions. */
#define LIBRARY_POINTER(function) __typeof__(function) *function;
#define LIBRARY_SYMBOL(function)  {#function, offsetof(struct LIBRARY_TABLE, function)},

/* Fills a table of pointers to functions. The library stays open: it may have threads and handlers of its own. */
KELVIN_MUST_CHECK kelvin_status library_open(void *table, const struct library *library);

#endif
