/* Names that are not known, with the nearest one. */
#include "cli/suggest.h"

kelvin_status fail_unknown(const char *what, const char *word, name_at *at, const void *context)
{
    char suggestion[KELVIN_SUGGESTION];
    kelvin_suggest(suggestion, word, at, context);
    return kelvin_fail(KELVIN_EUSAGE, "unknown %s '%s'; %s", what, word, suggestion);
}
