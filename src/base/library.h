/* Libraries that are opened when they are needed, and not linked.
 *
 * libcurl, libarchive and libnetcdf bring some 60 other libraries, several MB of memory and 8 ms and more to the start
 * of a program that needs them once in its life. So they are known by their headers, and looked for when something is
 * fetched or exported; where one is missing, everything else still works. */
#ifndef BASE_LIBRARY_H
#define BASE_LIBRARY_H

#include <kelvin/base.h>

struct library {
    const char *name, *package;   /* "libcurl", and what brings it: "libcurl4" */
    const char *files[4];         /* the first that is there is taken */
    const char *const *functions; /* up to NULL */
};

/* In a struct of pointers, and in the list of their names: both from one list of functions. */
#define LIBRARY_POINTER(function) __typeof__(function) *function;
#define LIBRARY_NAME(function)    #function,

/* Fills a struct of pointers to the functions, in their order. The library stays open: it may have threads and handlers
 * of its own. */
KELVIN_MUST_CHECK kelvin_status kelvin_library_open(void *pointers, const struct library *library);

#endif
