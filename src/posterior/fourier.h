/* fourier: the autocovariances of series at all lags at once, in n log n steps.
 *
 *     struct kelvin_fourier *fourier;
 *     kelvin_status st = kelvin_fourier_create(&fourier, n);
 *     double *work = kelvin_alloc(kelvin_fourier_room(n), sizeof *work);
 *     kelvin_autocovariances(fourier, work, x, chains);          // work[t] = sum over chains of x_i x_(i+t), t < n
 */
#ifndef POSTERIOR_FOURIER_H
#define POSTERIOR_FOURIER_H

#include <kelvin/base.h>

/* What transforms of series of one length share, also between threads. */
struct kelvin_fourier;
KELVIN_MUST_CHECK kelvin_status kelvin_fourier_create(struct kelvin_fourier **fourier, size_t n);
void kelvin_fourier_destroy(struct kelvin_fourier *fourier); /* NULL is fine */

/* Numbers that `work` must have room for; less than 6 n + 2. */
size_t kelvin_fourier_room(size_t n);

/* Of x (chains, n), as it is: whoever wants means to be taken off does so before. Good to some 1e-15 of that at lag 0.
 */
void kelvin_autocovariances(const struct kelvin_fourier *fourier, double *work, const double *x, size_t chains);

#endif
