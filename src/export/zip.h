/* The records of a ZIP archive whose members are stored as they are. Every member begins at a multiple of 64 bytes, for
 * those who map files into memory.
 *
 *     struct zip_member member[] = {{"a.npy", 128}, {"b.npy", 64}};
 *     uint64_t directory = kelvin_zip_place(member, 2);          // the data of member i are at member[i].data
 *     ... crc32 of each ...
 *     kelvin_zip_local(record, &member[i])                       // at member[i].header
 *     kelvin_zip_entry(record, &member[i])                       // all of them from `directory` on,
 *     kelvin_zip_end(record, 2, directory, bytes)                // and this behind them
 *
 * Each returns how many bytes its record has. */
#ifndef EXPORT_ZIP_H
#define EXPORT_ZIP_H

#include <stddef.h>
#include <stdint.h>

enum { ZIP_NAME = 80, ZIP_RECORD = 256 };

struct zip_member {
    char name[ZIP_NAME];
    uint64_t bytes;
    uint32_t crc32;
    uint64_t header, data; /* filled in by kelvin_zip_place */
};

uint64_t kelvin_zip_place(struct zip_member *members, size_t n);
size_t kelvin_zip_local(char out[ZIP_RECORD], const struct zip_member *member);
size_t kelvin_zip_entry(char out[ZIP_RECORD], const struct zip_member *member);
size_t kelvin_zip_end(char out[ZIP_RECORD], uint64_t members, uint64_t directory, uint64_t bytes);

#endif
