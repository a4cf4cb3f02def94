#include "figures/simplex.h"
typedef int simplex_empty;
