"""What is on contact sheets of digits: python3 contact_sheet.py DIGITS_CSV PLAIN PAPER PAPER_FROM_EPOCH_3

Every tile of PLAIN is an image of its row's class. In PAPER the first tile of a row is, and the others are this image,
flipped or not and moved by at most 4, the rest filled with the mean. PAPER_FROM_EPOCH_3 goes on three epochs later.
"""
import struct
import sys
import zlib

SIDE, ZOOM, GAP, COLUMNS = 8, 8, 4, 10


def png(path):
    """Rows of a grey 8-bit PNG."""
    data = open(path, "rb").read()
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            assert depth == 8 and colour == 0
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    raw, rows, above = zlib.decompress(packed), [], bytes(width)
    for y in range(height):
        kind, line = raw[y * (width + 1)], bytearray(raw[y * (width + 1) + 1:(y + 1) * (width + 1)])
        for x in range(width):
            a, b, c = line[x - 1] if x else 0, above[x], above[x - 1] if x else 0
            nearest = min((abs(b - c), 0, a), (abs(a - c), 1, b), (abs(a + b - 2 * c), 2, c))[2]
            line[x] = (line[x] + (0, a, b, (a + b) // 2, nearest)[kind]) % 256
        rows.append(bytes(line))
        above = line
    return rows


def tile(rows, top, row, column):
    """8 x 8 pixels from 0 to 16; every one of them is a square of one grey."""
    y0, x0 = top + row * (SIDE * ZOOM + GAP), 20 + column * (SIDE * ZOOM + GAP)
    for y in range(SIDE * ZOOM):
        for x in range(SIDE * ZOOM):
            assert rows[y0 + y][x0 + x] == rows[y0 + y // ZOOM * ZOOM][x0 + x // ZOOM * ZOOM]
    return tuple(tuple(round(rows[y0 + y * ZOOM][x0 + x * ZOOM] * 16 / 255) for x in range(SIDE)) for y in range(SIDE))


def views(image, mean):
    """All that the paper's augmentation can make of an image."""
    for flip in False, True:
        source = [row[::-1] if flip else row for row in image]
        for dy in range(-4, 5):
            for dx in range(-4, 5):
                yield tuple(tuple(source[y + dy][x + dx] if 0 <= y + dy < SIDE and 0 <= x + dx < SIDE else mean
                                  for x in range(SIDE)) for y in range(SIDE))


known = {}
for line in open(sys.argv[1]):
    *values, label = map(int, line.split(","))
    known.setdefault(label, set()).add(tuple(tuple(values[8 * y:8 * y + 8]) for y in range(SIDE)))
plain, paper, later = map(png, sys.argv[2:])
different = 0
for row in range(10):
    tiles = [tile(plain, 4, row, c) for c in range(COLUMNS)]
    assert all(t in known[row] for t in tiles) and len(set(tiles)) > 5, row
    tiles = [tile(paper, 26, row, c) for c in range(COLUMNS)]
    assert tiles[0] in known[row], row
    can_be = set(views(tiles[0], 5))  # 16 times the mean of the training part, 0.30548
    assert all(t in can_be for t in tiles[1:]), row
    different += len(set(tiles))
    after = [tile(later, 26, row, c) for c in range(COLUMNS)]
    assert after[0] == tiles[0] and after[1:7] == tiles[4:10], row
assert different > 90, different
