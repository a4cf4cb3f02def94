/* What the library says of the known chain on this machine, as JSON: with fused multiply-adds, and without. The page
 * holds what a browser says against it. An instruction set that is not here is not in it. */
#include "web/c/explorer.h"

#include <stdio.h>
#include <stdlib.h>

int main(void)
{
    const char *names[] = {"plain", "fused"};
    uint32_t found[2] = {0};
    bool any = false;
    for (int i = 0; i < KELVIN_ISA_COUNT; i++) {
        if (!kelvin_isa_supported((kelvin_isa)i)) continue;
        if (setenv("KELVIN_ISA", kelvin_isa_name((kelvin_isa)i), 1)) return 1;
        found[explorer_fuses()] = explorer_known();
    }
    putchar('{');
    for (int i = 0; i < 2; i++) {
        if (!found[i]) continue;
        printf("%s\"%s\": \"%08x\"", any ? ", " : "", names[i], (unsigned)found[i]);
        any = true;
    }
    puts("}");
    return 0;
}
