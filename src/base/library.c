/* dlopen and dlsym, with sentences. */
#include "base/library.h"
#include "base/words.h"

#include <dlfcn.h>
#include <string.h>

kelvin_status kelvin_library_open(void *pointers, const struct library *library)
{
    void *handle = NULL;
    for (size_t i = 0; !handle && library->files[i]; i++) handle = dlopen(library->files[i], RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return kelvin_fail(KELVIN_EIO, "%s is not installed (" KELVIN_REFER(INSTALL, "%s") ")", library->name,
                           library->package);
    for (size_t i = 0; library->functions[i]; i++) {
        void *found = dlsym(handle, library->functions[i]);
        if (!found) return kelvin_fail(KELVIN_EIO, "%s is too old: it has no %s", library->name, library->functions[i]);
        memcpy((char *)pointers + i * sizeof found, &found, sizeof found);
    }
    return KELVIN_OK;
}
