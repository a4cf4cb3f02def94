/* suggest: fails because a name is not known. */
#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

#include "base/suggest.h"

enum { NAME_SIZE = KELVIN_NAME_SIZE };
typedef kelvin_name_at name_at;

/* Fails with "unknown WHAT 'WORD'; did you mean 'NAME'?", or with the list of names where none is near. */
kelvin_status fail_unknown(const char *what, const char *word, name_at *at, const void *context);

#endif
