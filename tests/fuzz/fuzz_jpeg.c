/* JPEG pictures. */
#include "fuzz/fuzz_picture.h"

/* A byte is at most 8 blocks of 64 pixels, in three colours: as pixels, and as 16-bit coefficients (all of them are
 * kept where there is more than one scan; a block may be padded to four). libjpeg has tables and rows of its own. */
const struct fuzz_target fuzz_target = {fuzz_picture, 1 << 16, 3 * 8 * 64 * (1 + 4 * 2)};
