/* ZIP (PKWARE's APPNOTE 6.3): a local header before each member, a directory of all of them at the end. Numbers that 32
 * bits (or 16, of members) cannot hold are all ones there, and stand in ZIP64 records beside. Times are the first that
 * the format has, so that equal arrays give equal bytes. */
#include "export/zip.h"

#include <stdbool.h>
#include <string.h>

enum {
    ALIGN = 64,
    LOCAL = 30,       /* bytes of a local header, name and extra fields aside */
    FIELD = 4,        /* of an extra field, its content aside */
    ZIP64 = 0x0001,   /* extra field: 64-bit sizes */
    PADDING = 0xd935, /* extra field: the alignment, and zeros up to it */
    VERSION = 20,
    VERSION_64 = 45,
    FIRST_DAY = 1 << 5 | 1, /* 1 January 1980 */
    FEW = UINT16_MAX,
};
#define SMALL (uint64_t) UINT32_MAX

/* Little-endian, `bytes` of them. */
static void put(char **out, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) *(*out)++ = (char)(value >> 8 * i & 0xff);
}

static bool large(uint64_t value)
{
    return value >= SMALL;
}

static uint64_t clipped(uint64_t value, uint64_t most)
{
    return value < most ? value : most;
}

/* Bytes of the extra field for what is large: of the directory's, also where a member is. */
static size_t large_field(const struct zip_member *m, bool place)
{
    const size_t content = (large(m->bytes) ? 16u : 0u) + (place && large(m->header) ? 8u : 0u);
    return content ? FIELD + content : 0;
}

static void put_large(char **out, const struct zip_member *m, bool place)
{
    const size_t field = large_field(m, place);
    if (field == 0) return;
    put(out, ZIP64, 2);
    put(out, field - FIELD, 2);
    for (size_t i = 0; i < 2 && large(m->bytes); i++) put(out, m->bytes, 8); /* compressed and not */
    if (place && large(m->header)) put(out, m->header, 8);
}

uint64_t kelvin_zip_place(struct zip_member *members, size_t n)
{
    uint64_t at = 0;
    for (size_t i = 0; i < n; i++) {
        struct zip_member *m = &members[i];
        m->header = at;
        const uint64_t least = at + LOCAL + strlen(m->name) + large_field(m, false) + FIELD + sizeof(uint16_t);
        m->data = (least + ALIGN - 1) / ALIGN * ALIGN;
        at = m->data + m->bytes;
    }
    return at;
}

/* What the two headers of a member have in common. */
static void put_common(char **out, const struct zip_member *m, bool zip64, size_t extra)
{
    put(out, zip64 ? VERSION_64 : VERSION, 2); /* needed to extract */
    put(out, 0, 2);                            /* flags */
    put(out, 0, 2);                            /* stored */
    put(out, 0, 2);                            /* time */
    put(out, FIRST_DAY, 2);
    put(out, m->crc32, 4);
    put(out, clipped(m->bytes, SMALL), 4); /* compressed */
    put(out, clipped(m->bytes, SMALL), 4);
    put(out, strlen(m->name), 2);
    put(out, extra, 2);
}

static void put_name(char **out, const struct zip_member *m)
{
    memcpy(*out, m->name, strlen(m->name));
    *out += strlen(m->name);
}

size_t kelvin_zip_local(char out[ZIP_RECORD], const struct zip_member *m)
{
    const size_t total = (size_t)(m->data - m->header), extra = total - LOCAL - strlen(m->name);
    char *at = out;
    put(&at, 0x04034b50, 4);
    put_common(&at, m, large(m->bytes), extra);
    put_name(&at, m);
    put_large(&at, m, false);
    put(&at, PADDING, 2);
    put(&at, extra - large_field(m, false) - FIELD, 2);
    put(&at, ALIGN, 2);
    memset(at, 0, total - (size_t)(at - out));
    return total;
}

size_t kelvin_zip_entry(char out[ZIP_RECORD], const struct zip_member *m)
{
    const size_t extra = large_field(m, true);
    char *at = out;
    put(&at, 0x02014b50, 4);
    put(&at, extra ? VERSION_64 : VERSION, 2); /* made by, on MS-DOS: no permissions */
    put_common(&at, m, extra, extra);
    put(&at, 0, 2); /* comment */
    put(&at, 0, 2); /* disk */
    put(&at, 0, 2); /* attributes */
    put(&at, 0, 4);
    put(&at, clipped(m->header, SMALL), 4);
    put_name(&at, m);
    put_large(&at, m, true);
    return (size_t)(at - out);
}

/* The end of the directory in 64 bits, and where that is. */
static void put_end_64(char **out, uint64_t members, uint64_t directory, uint64_t bytes)
{
    put(out, 0x06064b50, 4);
    put(out, 44, 8); /* what follows */
    put(out, VERSION_64, 2);
    put(out, VERSION_64, 2);
    put(out, 0, 4); /* disks */
    put(out, 0, 4);
    put(out, members, 8);
    put(out, members, 8);
    put(out, bytes, 8);
    put(out, directory, 8);
    put(out, 0x07064b50, 4);
    put(out, 0, 4);
    put(out, directory + bytes, 8);
    put(out, 1, 4);
}

size_t kelvin_zip_end(char out[ZIP_RECORD], uint64_t members, uint64_t directory, uint64_t bytes)
{
    char *at = out;
    if (members >= FEW || large(directory) || large(bytes)) put_end_64(&at, members, directory, bytes);
    put(&at, 0x06054b50, 4);
    put(&at, 0, 2); /* disks */
    put(&at, 0, 2);
    put(&at, clipped(members, FEW), 2);
    put(&at, clipped(members, FEW), 2);
    put(&at, clipped(bytes, SMALL), 4);
    put(&at, clipped(directory, SMALL), 4);
    put(&at, 0, 2); /* comment */
    return (size_t)(at - out);
}
