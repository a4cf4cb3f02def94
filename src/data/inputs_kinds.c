/* What a file is, by its first bytes: files that are not read are called by their names. */
#include "data/inputs.h"

#include <string.h>

static const struct kind {
    size_t at;
    const char *bytes;
    size_t n;
    const char *name;
    bool picture;
} kinds[] = {
    {0, "\x93NUMPY", 6, "an array (.npy)", false},
    {0, "\x89PNG", 4, "a PNG picture", true},
    {0, "\xff\xd8\xff", 3, "a JPEG picture", true},
    {0, "GIF8", 4, "a GIF picture", true},
    {8, "WEBP", 4, "a WebP picture", true},
    {6, "\0\0\0\0", 4, "a BMP picture", true}, /* after "BM", see below */
    {0, "II*\0", 4, "a TIFF picture", true},
    {0, "MM\0*", 4, "a TIFF picture", true},
    {4, "ftypheic", 8, "a HEIC picture", true},
    {4, "ftypmif1", 8, "a HEIC picture", true},
    {4, "ftypavif", 8, "an AVIF picture", true},
    {4, "ftyp", 4, "an MP4 film", false},
    {0, "%PDF", 4, "a PDF document", false},
    {0, "PK\3\4", 4, "a ZIP archive (such as .npz and .xlsx)", false},
    {0, "\x1f\x8b", 2, "compressed by gzip", false},
    {0, "BZh", 3, "compressed by bzip2", false},
    {0, "\3757zXZ", 5, "compressed by xz", false},
    {0, "\x28\xb5\x2f\xfd", 4, "compressed by zstd", false},
    {0, "\x89HDF", 4, "an HDF5 file", false},
    {0, "PAR1", 4, "a Parquet file", false},
    {0, "SQLite format 3", 15, "an SQLite data base", false},
    {0, "\177ELF", 4, "a program", false},
    {0, "\xff\xfe", 2, "text in UTF-16, not UTF-8", false},
    {0, "\xfe\xff", 2, "text in UTF-16, not UTF-8", false},
};

/* Two letters may be those of a column's name, and three as well. */
static bool is_sure(const struct kind *kind, const char *head, size_t bytes)
{
    if (kind->at == 6) return memcmp(head, "BM", 2) == 0;
    if (strcmp(kind->bytes, "BZh") == 0) return bytes >= 8 && memcmp(head + 4, "1AY&", 4) == 0;
    return kind->at != 8 || memcmp(head, "RIFF", 4) == 0;
}

const char *kelvin_inputs_kind(bool *picture, const void *head, size_t bytes)
{
    *picture = false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const struct kind *kind = &kinds[i];
        if (kind->at + kind->n > bytes || memcmp((const char *)head + kind->at, kind->bytes, kind->n) != 0) continue;
        if (!is_sure(kind, head, bytes)) continue;
        *picture = kind->picture;
        return kind->name;
    }
    return memchr(head, '\0', bytes) ? "not text" : NULL;
}
