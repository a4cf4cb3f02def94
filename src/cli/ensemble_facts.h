/* ensemble_facts: what the report of a run by SGHMC is made from, and the warnings that follow from it. */
#ifndef CLI_ENSEMBLE_FACTS_H
#define CLI_ENSEMBLE_FACTS_H

#include "run/chain.h"

#include <kelvin/posterior.h>

/* Of a chain that diverged: a sentence; "" of the others. */
struct chain_facts {
    uint32_t samples;
    char diverged[KELVIN_NOTE];
};

struct facts {
    const kelvin_run *run;
    struct chain_facts *chains; /* (chains) */
    uint32_t diverged;          /* so many of them */
    size_t samples;
    uint32_t *sample_chain;     /* (samples): which chain each is of */
    kelvin_metrics train, test; /* test.n is 0 if there is nothing to test with; both are if there are no samples */
    kelvin_temperatures temperatures;
};

enum { WARNINGS = 2, WARNING = 1024 };

/* Fills in what there is to warn of, in plain words with what to do; how many. */
size_t ensemble_warnings(char out[WARNINGS][WARNING], const struct facts *facts);

/* What helps against divergence. */
void ensemble_stable(char out[WARNING], const kelvin_run_config *config);

#endif
