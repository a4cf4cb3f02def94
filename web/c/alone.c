/* What the library asks of several processes. A page is one, so that none of this is called. */
#include "ranks/ranks.h"

kelvin_status kelvin_group_exchange(struct kelvin_group *group, void *slots, size_t bytes)
{
    (void)group, (void)slots, (void)bytes;
    return kelvin_fail(KELVIN_EUSAGE, "a page has no ranks");
}

kelvin_status kelvin_group_sum(struct kelvin_group *group, float *sum, size_t n, kelvin_group_add *add, void *context)
{
    (void)sum, (void)n, (void)add, (void)context;
    return kelvin_group_exchange(group, NULL, 0);
}
