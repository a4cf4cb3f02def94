/* Schedules of the learning rate and the temperature. Paper: figure "SGHMC learning rate and temperature schedule".
 *
 *     rate(x) = 1 up to x = 1/2, then sin(pi x);   temperature(x) = 3 x - 1, kept within 0 and 1 */
#include <kelvin/sampler.h>

#include <math.h>

kelvin_schedule kelvin_schedule_paper(double progress)
{
    const double pi = 3.14159265358979323846;
    return (kelvin_schedule){
        /* sin(pi x) by its distance from the end: 0 at x = 1, and not the 1e-16 that pi's rounding leaves */
        .rate = progress > 0.5 ? sin(pi * (1.0 - progress)) : 1.0,
        .temperature = fmin(fmax(3.0 * progress - 1.0, 0.0), 1.0),
    };
}
