/* block: how observations go through networks and densities. */
#ifndef BASE_BLOCK_H
#define BASE_BLOCK_H

/* This many at a time, side by side in memory: three vectors of eight. */
enum { KELVIN_BLOCK = 24 };

#endif
