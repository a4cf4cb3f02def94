/* SHA-1 (FIPS 180-4): how files of known data sets are recognised. It keeps mistakes out, not enemies.
 *
 *     struct sha1 sha = kelvin_sha1_start();
 *     kelvin_sha1_add(&sha, data, bytes);                      // as often as needed
 *     char hex[SHA1_HEX];
 *     kelvin_sha1_end(&sha, hex);
 */
#ifndef FETCH_SHA1_H
#define FETCH_SHA1_H

#include <stddef.h>
#include <stdint.h>

enum { SHA1_BLOCK = 64, SHA1_HEX = 41 };

struct sha1 {
    uint32_t h[5];
    uint64_t bytes;
    unsigned char block[SHA1_BLOCK]; /* what has come since the last whole block */
};

struct sha1 kelvin_sha1_start(void);
void kelvin_sha1_add(struct sha1 *sha, const void *data, size_t bytes);

/* 40 hexadecimal digits and a 0. */
void kelvin_sha1_end(struct sha1 *sha, char hex[SHA1_HEX]);

#endif
