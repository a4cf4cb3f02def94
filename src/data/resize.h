/* Pictures of another size. */
#ifndef DATA_RESIZE_H
#define DATA_RESIZE_H

#include <kelvin/base.h>

/* Makes one plane of bytes (height, width) out of another: a triangle filter, as wide as a pixel of the coarser of the
 * two is far from the next, along rows and then along columns. In whole numbers: the same on every machine; a plane of
 * one grey stays so, and one of the right size stays as it is. No size is 0; none is above 65535. */
KELVIN_MUST_CHECK kelvin_status resize_plane(uint8_t *to, size_t to_height, size_t to_width, const uint8_t *from,
                                             size_t from_height, size_t from_width);

#endif
