/* What helps where a file of a run is damaged or gone: one that follows from others is made again, and a chain without
 * its folder is sampled anew, to the same bits. */
#include "run/remedy.h"

#include "run/room.h"

#include <errno.h>
#include <unistd.h>

kelvin_status kelvin_remedy(kelvin_status status, const char *folder)
{
    if (status != KELVIN_EFORMAT) return status;
    return kelvin_fail(status, "%s; kelvin resume %s makes it again", kelvin_error(), folder);
}

kelvin_status kelvin_remedy_chain(kelvin_status status, const kelvin_run *run, const char *folder, uint32_t chain)
{
    if (status != KELVIN_EFORMAT) return status;
    if (kelvin_run_is_old(run))
        return kelvin_fail(status, "%s; put it back, or sample the run anew with kelvin sample --config %s -o NEW",
                           kelvin_error(), folder);
    return kelvin_fail(status, "%s; remove %s/" KELVIN_CHAIN_FOLDER ", and kelvin resume %s samples that chain anew",
                       kelvin_error(), folder, chain, folder);
}

kelvin_status kelvin_remedy_begun(const kelvin_run *run, const char *folder, uint32_t chain)
{
    return kelvin_fail(KELVIN_EFORMAT,
                       "%s: was begun by kelvin %s, and chain %u has not ended: go on with that version, or sample it "
                       "anew with kelvin sample --config %s -o NEW",
                       folder, kelvin_run_inside(run)->version, chain, folder);
}

kelvin_status kelvin_is_there(bool *there, const char *path)
{
    *there = access(path, F_OK) == 0;
    if (*there || errno == ENOENT || errno == ENOTDIR) return KELVIN_OK;
    return kelvin_fail(KELVIN_EIO, "%s: could not be read: %s", path, strerror(errno));
}
