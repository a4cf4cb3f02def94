#!/usr/bin/env python3
"""Writes the table of src/files/crc32.c as a C header: table[k][b] is what byte b does to a CRC-32 when k more bytes
follow it.

    crc32_table.py crc32_table.h
"""
import pathlib
import sys

POLYNOMIAL, SLICES = 0xEDB88320, 16


def main(target):
    rows = [list(range(256))]
    for _ in range(8):
        rows[0] = [crc >> 1 ^ (POLYNOMIAL if crc & 1 else 0) for crc in rows[0]]
    while len(rows) < SLICES:
        rows.append([crc >> 8 ^ rows[0][crc & 255] for crc in rows[-1]])
    text = "".join("    {" + ",".join(f"{crc:#x}" for crc in row) + "},\n" for row in rows)
    pathlib.Path(target).write_text(
        f"/* Made by tools/crc32_table.py. */\nenum {{ SLICES = {SLICES} }};\n"
        f"static const uint32_t table[SLICES][256] = {{\n{text}}};\n"
    )


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: crc32_table.py TARGET.h")
    main(sys.argv[1])
