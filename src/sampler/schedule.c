/* Schedules of the learning rate and the temperature, and the cycles that they run over.
 *
 *     paper      rate(x) = 1 up to x = 1/2, then sin(pi x);   temperature(x) = 3 x - 1, kept within 0 and 1
 *     cosine     rate(x) = (1 + cos(pi x)) / 2,               temperature(x) = (1 - cos(pi x)) / 2
 *     cyclical   the rate of cosine and the temperature of paper, from the beginning in each cycle
 *     steady     rate(x) = 1,                                 temperature(x) = 8 x - 1, kept within 0 and 1
 *
 * Paper: figure "SGHMC learning rate and temperature schedule". Cyclical: Zhang et al. 2020, "Cyclical stochastic
 * gradient MCMC": the cold beginning of a cycle finds a mode, its hot end samples there. */
#include "sampler/sampler.h"

#include <math.h>

static const double pi = 3.14159265358979323846;

static double always_1(double progress)
{
    (void)progress;
    return 1.0;
}

static double paper_rate(double progress)
{
    /* sin(pi x) by its distance from the end: 0 at x = 1, and not the 1e-16 that pi's rounding leaves */
    return progress > 0.5 ? sin(pi * (1.0 - progress)) : 1.0;
}

static double paper_temperature(double progress)
{
    return fmin(fmax(3.0 * progress - 1.0, 0.0), 1.0);
}

/* (1 - cos(pi x)) / 2 as a square, which does not cancel near 0. */
static double cosine_temperature(double progress)
{
    const double root = sin(0.5 * pi * progress);
    return root * root;
}

static double cosine_rate(double progress)
{
    return cosine_temperature(1.0 - progress);
}

/* Trained for an eighth, then warmed up: at its temperature from a quarter on. */
static double steady_temperature(double progress)
{
    return fmin(fmax(8.0 * progress - 1.0, 0.0), 1.0);
}

static const kelvin_schedule table[] = {
    {KELVIN_PLAIN_MEMBER("paper", "rate 1, from the half on a sine down to 0; temperature up from 1/3 to 2/3"),
     paper_rate, paper_temperature, .repeats = false, .samples_on_the_way = false},
    {KELVIN_PLAIN_MEMBER("constant", "rate and temperature 1"), always_1, always_1, .repeats = false,
     .samples_on_the_way = true},
    {KELVIN_PLAIN_MEMBER("cosine", "half a cosine: rate down from 1 to 0, temperature up from 0 to 1"), cosine_rate,
     cosine_temperature, .repeats = false, .samples_on_the_way = false},
    {KELVIN_PLAIN_MEMBER("cyclical", "in every cycle: rate half a cosine down, temperature as in paper"), cosine_rate,
     paper_temperature, .repeats = true, .samples_on_the_way = true},
    {KELVIN_PLAIN_MEMBER("steady", "rate 1; temperature up from 1/8 to 1/4, samples from 2/5 on"), always_1,
     steady_temperature, .repeats = false, .samples_on_the_way = true, .settles = 0.4},
};
enum { SCHEDULES = sizeof table / sizeof *table };

const kelvin_schedule *kelvin_schedule_info(size_t i)
{
    return i < SCHEDULES ? &table[i] : NULL;
}

static const kelvin_member *at(size_t i)
{
    return i < SCHEDULES ? &table[i].member : NULL;
}

const kelvin_family kelvin_schedule_family = {
    "schedules", "schedule", "schedules",
    "of samplers that look at batches: what step size and temperature are multiplied with", at};

kelvin_status kelvin_schedule_parse(const kelvin_schedule **schedule, const char *name)
{
    const kelvin_member *member;
    const kelvin_status status = kelvin_family_find(&member, &kelvin_schedule_family, name);
    *schedule = (const kelvin_schedule *)member;
    return status;
}

uint32_t kelvin_schedule_settling(const kelvin_schedule *schedule, uint32_t epochs)
{
    return (uint32_t)(schedule->settles * epochs);
}

uint32_t kelvin_cycle_begin(uint32_t cycle, uint32_t cycles, uint32_t epochs)
{
    return (uint32_t)((uint64_t)cycle * epochs / cycles);
}

/* The last cycle that begins at this epoch or before: c epochs / cycles < epoch + 1. */
static uint32_t cycle_of(uint32_t epoch, uint32_t epochs, uint32_t cycles)
{
    return (uint32_t)((((uint64_t)epoch + 1) * cycles - 1) / epochs);
}

double kelvin_schedule_progress(const kelvin_schedule *schedule, uint32_t epoch, uint32_t epochs, uint32_t cycles)
{
    if (!schedule->repeats) return (double)epoch / epochs;
    const uint32_t cycle = cycle_of(epoch, epochs, cycles);
    const uint32_t begin = kelvin_cycle_begin(cycle, cycles, epochs);
    return (double)(epoch - begin) / (kelvin_cycle_begin(cycle + 1, cycles, epochs) - begin);
}
