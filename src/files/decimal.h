/* decimal: numbers as text, for those who write many.
 *
 *     char text[KELVIN_DECIMAL];
 *     size_t length = kelvin_decimal(text, 0.25, 9);      // "0.25"
 */
#ifndef FILES_DECIMAL_H
#define FILES_DECIMAL_H

#include <kelvin/base.h>

enum { KELVIN_DECIMAL = 25 }; /* a sign, 17 digits, a point, e-308, and a 0 */

/* As printf's %.{digits}g in the C locale, which must be entered; 0 digits: the fewest that give x back. Returns how
 * long the text is. What is not a number is never "-nan". */
size_t kelvin_decimal(char out[KELVIN_DECIMAL], double x, int digits);

/* Digits (1 .. 17) after which a decimal number becomes this one again. */
int kelvin_digits(double x);

#endif
