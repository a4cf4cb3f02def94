/* ranks: processes that work on one thing together, on one machine or many, as mpirun or srun starts them.
 *
 *     kelvin_status st = kelvin_ranks_join();                            // before anything else
 *     if (!st) st = kelvin_run_start(&run, config, "RUN");               // the same calls on every rank
 *     if (!st) st = kelvin_run_sample(&run, 1, NULL, NULL, NULL);        // chains are dealt to ranks
 *     if (st && kelvin_rank() == 0) fprintf(stderr, "%s\n", kelvin_error());  // it has what failed at others, too
 *     if (!st && kelvin_rank() == 0) ...                                 // what one of them is enough for
 *     kelvin_ranks_leave(st, st != KELVIN_OK);                           // at the end
 *
 * A process that no launcher has started, or whose launcher has started it alone, is rank 0 of 1, and nothing is done.
 * Otherwise runs with a folder, experiments, and logits of new inputs are work of all ranks: each must make the same
 * calls in the same order. The folders must be on a file system that all ranks share. What comes out is the same bytes
 * as from one process.
 */
#ifndef KELVIN_RANKS_H
#define KELVIN_RANKS_H

#include <kelvin/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Finds the others. KELVIN_EUSAGE under a launcher if MPI is not built in: copies that do not know of each other would
 * write over each other's files. */
KELVIN_API KELVIN_MUST_CHECK kelvin_status kelvin_ranks_join(void);

/* Says goodbye, with how it went here: others learn of a failure, with kelvin_error(). Rank 0 comes last: the others
 * wait for it. Where a rank is gone, the process ends here, with `code` after a word to the launcher: the others can
 * not be waited for. */
KELVIN_API void kelvin_ranks_leave(kelvin_status status, int code);

KELVIN_API size_t kelvin_rank(void);       /* 0 .. kelvin_rank_count() - 1 */
KELVIN_API size_t kelvin_rank_count(void); /* 1: alone */

/* How many processes a launcher has started, by what it has left in the environment; 1: none has. */
KELVIN_API size_t kelvin_ranks_launched(void);

/* Rank 0 is gone: nobody else will say so. */
KELVIN_API bool kelvin_ranks_lost_first(void);

/* A failure that is another rank's: it has been said there, or by rank 0. */
KELVIN_API bool kelvin_ranks_failed_elsewhere(void);

#ifdef __cplusplus
}
#endif
#endif
