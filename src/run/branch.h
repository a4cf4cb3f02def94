/* branch: the cold beginning that runs of several temperatures have in common; see kelvin_run_branch. */
#ifndef RUN_BRANCH_H
#define RUN_BRANCH_H

#include "run/chain.h"
#include "run/folder.h"

/* A chain that has not begun is put where a branch of its run begins, as if it had read its own state, if there is one.
 */
KELVIN_MUST_CHECK kelvin_status kelvin_branch_take(struct kelvin_chain *chain, bool *taken);

/* After each step: at the end of the cold rows the state is left for others, before any later one is written. */
KELVIN_MUST_CHECK kelvin_status kelvin_branch_leave(const struct kelvin_chain *chain);

#endif
