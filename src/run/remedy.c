/* What helps where a file of a run by SGHMC is damaged or gone: one that follows from others is made again when it is
 * not there, and a chain without its folder is sampled anew, to the same bits. */
#include "run/remedy.h"

#include "run/chain.h"

#include <errno.h>
#include <unistd.h>

kelvin_status kelvin_remedy(kelvin_status status, const char *folder, const char *what)
{
    if (status != KELVIN_EFORMAT) return status;
    return kelvin_fail(status, "%s; remove %s, then kelvin resume %s makes it again", kelvin_error(), what, folder);
}

kelvin_status kelvin_sample_missing(const char *folder, uint32_t chain, uint32_t index, bool past)
{
    if (past)
        return kelvin_fail(KELVIN_EFORMAT,
                           "%s/" KELVIN_SAMPLE_FILE " is missing, and its chain is past it; put it back, or remove "
                           "%s/" KELVIN_CHAIN_FOLDER " to sample it anew",
                           folder, chain, index, folder, chain);
    return kelvin_fail(KELVIN_EFORMAT, "%s/" KELVIN_SAMPLE_FILE " is missing; kelvin resume %s makes it again", folder,
                       chain, index, folder);
}

kelvin_status kelvin_is_there(bool *there, const char *path)
{
    *there = access(path, F_OK) == 0;
    if (*there || errno == ENOENT || errno == ENOTDIR) return KELVIN_OK;
    return kelvin_fail(KELVIN_EIO, "%s: could not be read: %s", path, strerror(errno));
}
