/* hmc: a chain by HMC as its two files see it: hmc.c moves it, hmc_tune.c tunes it. */
#ifndef SAMPLER_HMC_H
#define SAMPLER_HMC_H

#include "sampler/tune.h"

/* settings */
enum { KELVIN_HMC_STEP_SIZE, KELVIN_HMC_STEPS, KELVIN_HMC_JITTER };
/* vectors to remember */
enum { KELVIN_HMC_MEAN };
/* vectors to work in */
enum { KELVIN_HMC_GRADIENT, KELVIN_HMC_NEW_THETA, KELVIN_HMC_NEW_GRADIENT, KELVIN_HMC_MOMENTUM, KELVIN_HMC_WORK };
/* numbers; those from SIZE on are the same in chains that are tuned together */
enum {
    KELVIN_HMC_LOGP,
    KELVIN_HMC_ACCEPTANCE, /* of the last step */
    KELVIN_HMC_WAY,        /* of the last step: what the square of its way gains by a longer trajectory */
    KELVIN_HMC_HOPE,       /* the sum of acceptances of the first steps; */
    KELVIN_HMC_STUCK,      /* it was next to nothing */
    KELVIN_HMC_CAUTION,    /* what steps of the warm-up are multiplied with */
    KELVIN_HMC_SIZE,
    KELVIN_HMC_LENGTH, /* of a trajectory, on average */
    KELVIN_HMC_SIZES,  /* dual averaging: how many opinions, where it starts, */
    KELVIN_HMC_ORIGIN,
    KELVIN_HMC_ERROR,     /* the mean of what acceptances lack */
    KELVIN_HMC_MEAN_SIZE, /* and of the logarithms of sizes */
    KELVIN_HMC_LENGTHS,   /* the length: how many opinions, the mean of their squares, */
    KELVIN_HMC_SQUARE,
    KELVIN_HMC_MEAN_LENGTH, /* the mean of logarithms of lengths, of so many */
    KELVIN_HMC_MEAN_LENGTHS,
    KELVIN_HMC_COUNT, /* places in the running mean */
    KELVIN_HMC_FIXED, /* tuning is over */
    KELVIN_HMC_NUMBERS,
};

/* One leapfrog step of size h, for its acceptance; the chain stays where it is. */
double kelvin_hmc_try(kelvin_sampler *sampler, double h, const kelvin_moment *moment);

/* What the number of leapfrog steps of an iteration is multiplied with: the same for all chains. */
double kelvin_hmc_jitter(double jitter, uint32_t step);

/* Whether there is something to tune in this step. */
bool kelvin_hmc_tunes_size(const kelvin_sampler *sampler);
bool kelvin_hmc_tunes_length(const kelvin_sampler *sampler);

/* How long a trajectory is before anything is known, and leapfrog steps at most. */
double kelvin_hmc_first_length(void);
double kelvin_hmc_most_steps(const kelvin_moment *moment);

/* A size for the first step, from where the chain is. */
double kelvin_hmc_first_size(kelvin_sampler *sampler, const kelvin_moment *moment);

void kelvin_hmc_learn(kelvin_sampler *const *chains, size_t n, const kelvin_moment *moment);

#endif
