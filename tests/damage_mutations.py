"""Ways to damage the files of a run, for test_damage.py: bytes in, bytes out; and what makes a damaged file vouched for.

Each list gives (what was done, function of the file's bytes and a random.Random). A function may give None: it has nothing to
do in this file.
"""
import json
import re
import struct
import zlib

MANIFEST = "manifest"


# ---- any file ----

def flip(raw, rng):
    if not raw:
        return None
    at = rng.randrange(8 * len(raw))
    out = bytearray(raw)
    out[at // 8] ^= 1 << at % 8
    return bytes(out)


def overwrite(raw, rng, n, make):
    if not raw:
        return None
    n = min(n, len(raw))
    at = rng.randrange(len(raw) - n + 1)
    return raw[:at] + make(n) + raw[at + n:]


def duplicate_line(raw, rng):
    lines = raw.split(b"\n")
    at = rng.randrange(len(lines))
    return b"\n".join(lines[:at + 1] + lines[at:])


def drop_line(raw, rng):
    lines = raw.split(b"\n")
    del lines[rng.randrange(len(lines))]
    return b"\n".join(lines)


ANY = [
    ("cut", lambda raw, rng: raw[:rng.randrange(len(raw))] if raw else None),
    ("one byte less", lambda raw, rng: raw[:-1]),
    ("one byte more", lambda raw, rng: raw + b"\n"),
    ("longer by random bytes", lambda raw, rng: raw + rng.randbytes(rng.randrange(1, 5000))),
    ("empty", lambda raw, rng: b""),
    ("zeros in it", lambda raw, rng: overwrite(raw, rng, 64, bytes)),
    ("zeros at its end", lambda raw, rng: raw[:-64] + bytes(min(64, len(raw)))),
    ("random bytes in it", lambda raw, rng: overwrite(raw, rng, 16, rng.randbytes)),
    ("random bytes for it", lambda raw, rng: rng.randbytes(len(raw))),
    ("a flipped bit", flip),
    ("five flipped bits", lambda raw, rng: [raw := flip(raw, rng) for _ in range(5)][-1]),
    ("twice", lambda raw, rng: raw + raw),
    ("a line twice", duplicate_line),
    ("a line less", drop_line),
    ("digits changed", lambda raw, rng: re.sub(rb"\d", lambda d: b"%d" % rng.randrange(10), raw, count=40)),
]


# ---- JSON ----

NUMBERS = [0, 1, -1, 3, 99, 2000000, 4294967295, 4294967296, 10**18, 10**40, 0.5, 1e308, -1e-300]
OTHERS = [None, True, "", "none", "x", "x" * 70000, "\u0000", [], {}, [[]], [1] * 3, ["a"] * 100000]
SPECIAL = {
    "kelvin": ["0.6.0", "0.5.0", "0.0.0", "0.7.99", "9.0.0", "0.7", "seven", "-1.-1.-1"],
    "sampler": ["nuts", "HMC"],  # and all that there are
    "model": ["mlp:100000,100000", "mlp:1000000000", "mlp:1", "mlp:", "mlp:3,3,3,3,3,3,3,3,3,3,3", "cnn", "resnet20",
              "resnet99998", "mlp:3,leak=1e30"],
    "density": ["dirichlet:1e-30", "dirclip:1.4,-50", "ndg:1", "categorical:1"],
    "prior": ["normal:1e-30", "normal:1e30", "none", "student_t:1,1"],
    "schedule": ["paper", "cyclical"],
    "data": ["toy", "digits", "csv:", "csv:/dev/zero,label=1", "npy:/dev/null,/dev/null"],
    "init": [".", "/", "/dev/null", "/nowhere"],
    "data_crc32": ["00000000-00000000-00000000-00000000", "g"],
}


def dump(value):
    return json.dumps(value, indent=2).encode() + b"\n"


def places(value, path=()):
    """Paths to all values in a JSON document, of lists at most the first three."""
    yield path
    inside = value.items() if isinstance(value, dict) else enumerate(value[:3]) if isinstance(value, list) else []
    for key, each in inside:
        yield from places(each, path + (key,))


def put(value, path, new):
    if not path:
        return new
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = put(value[path[0]], path[1:], new)
    return copy


def get(value, path):
    for key in path:
        value = value[key]
    return value


def json_edits(raw, samplers):
    """Other values for each field, a field less, a field more: a list of (what, new bytes)."""
    value = json.loads(raw)
    for path in places(value):
        name = path[-1] if path else "all of it"
        old = get(value, path)
        special = SPECIAL.get(name, []) + (samplers if name == "sampler" else [])
        for new in special + NUMBERS + OTHERS:
            if new != old or type(new) is not type(old):
                yield f"{'.'.join(map(str, path))} = {str(new)[:30]}", dump(put(value, path, new))
        if isinstance(old, list) and len(old) > 1:
            yield f"{name} the other way round", dump(put(value, path, old[::-1]))
            yield f"{name} without its last", dump(put(value, path, old[:-1]))
        if isinstance(old, dict):
            yield f"a field more in {name}", dump(put(value, path, {**old, "surprise": 1}))
        if path and isinstance(get(value, path[:-1]), dict):
            yield f"without {name}", dump(put(value, path[:-1], {k: v for k, v in get(value, path[:-1]).items() if k != name}))
    yield "deep brackets", b"[" * 200000
    yield "deep objects", b'{"data":' * 50000
    yield "a field twice", raw.replace(b"{", b'{"seed": 5,', 1)
    yield "NaN", re.sub(rb": [0-9.]+", b": NaN", raw, count=1)
    yield "not UTF-8", raw.replace(b'"', b'"\xff', 3)


# ---- tensors ----

def sign(raw):
    """Puts the checksums right that a file of tensors has of itself, as far as it is one."""
    if len(raw) < 8:
        return raw
    size = struct.unpack("<Q", raw[:8])[0]
    if size > len(raw) - 8:
        return raw
    head, data = raw[:8 + size], raw[8 + size:]
    head = re.sub(rb'("crc32":")[0-9a-f]{8}', lambda m: m[1] + b"%08x" % zlib.crc32(data), head)
    head = re.sub(rb'("header_crc32":")[0-9a-f]{8}', rb"\g<1>00000000", head)
    return re.sub(rb'("header_crc32":")[0-9a-f]{8}', lambda m: m[1] + b"%08x" % zlib.crc32(head), head) + data


def join_tensors(head, data):
    text = json.dumps(head, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + data


def tensor_edits(raw):
    """Headers that say something else, and data that are no numbers."""
    size = struct.unpack("<Q", raw[:8])[0]
    head, data = json.loads(raw[8:8 + size]), raw[8 + size:]
    for path in places(head):
        old = get(head, path)
        if path[-1:] in [("crc32",), ("header_crc32",)]:
            continue
        news = ["0", "1", "999", "4294967296", "18446744073709551616", "-1", "x", ""] if isinstance(old, str) else \
            [0, 1, -1, 7, 2**31, 2**61, 2**63 - 1] if isinstance(old, int) else \
            [[], [0], [2**32, 2**32], [1] * 200, [2**62, 4], [old[0] + 1, *old[1:]] if old else [1]] if isinstance(old, list) else []
        if path[-1:] == ("dtype",):
            news = ["F32", "F64", "I64", "BOOL", "F16", "BF16", ""]
        for new in news + [None, {}, 0.5]:
            if new != old:
                yield f"{'.'.join(map(str, path))} = {str(new)[:30]}", join_tensors(put(head, path, new), data)
        if len(path) == 1:
            yield f"without {path[0]}", join_tensors({k: v for k, v in head.items() if k != path[0]}, data)
    for length in [0, 1, size - 8, size + 8, 2**31, 2**63, 2**64 - 8]:
        yield f"a header of {length} bytes", struct.pack("<Q", length) + raw[8:]
    yield "no data", raw[:8 + size]
    for what, four in [("NaN", b"\0\0\xc0\x7f"), ("infinite", b"\0\0\x80\x7f"), ("1e38", struct.pack("<f", 1e38))]:
        yield f"all {what}", raw[:8 + size] + four * (len(data) // 4)
        yield f"one {what}", raw[:8 + size] + four + data[4:]
        yield f"the last {what}", raw[:-4] + four


# ---- arrays ----

def npy_edits(raw):
    size = struct.unpack("<H", raw[8:10])[0]
    head, data = raw[10:10 + size].decode(), raw[10 + size:]
    shape = re.search(r"\(([^)]*)\)", head)[0]
    first = re.search(r"\d+", shape)[0]

    def with_head(text):
        text = text.rstrip("\n ")
        text += " " * (-(10 + len(text) + 1) % 64) + "\n"
        return raw[:8] + struct.pack("<H", len(text)) + text.encode() + data

    for new in ["0", "1", "1000000000", "4294967296", "18446744073709551615", "-1", str(int(first) + 1), "9" * 60]:
        yield f"shape with {new}", with_head(head.replace(shape, shape.replace(first, new, 1)))
    for new in ["()", "(1,)", "(1000000, 1000000, 1000000)", "(" + "1, " * 300 + ")", "(", "7"]:
        yield f"shape {new[:20]}", with_head(head.replace(shape, new))
    for new in ["<f8", ">f4", "<i8", "<f2", "|O", "|b1", ""]:
        yield f"type {new}", with_head(re.sub(r"'descr': '[^']*'", f"'descr': '{new}'", head))
    yield "Fortran's order", with_head(head.replace("False", "True"))
    yield "version 2", raw[:6] + b"\x02\x00" + struct.pack("<I", size) + head.encode() + data
    yield "version 9", raw[:6] + b"\x09\x00" + raw[8:]
    for length in [0, 1, 65535]:
        yield f"a header of {length} bytes", raw[:8] + struct.pack("<H", length) + raw[10:]
    for what, four in [("NaN", b"\0\0\xc0\x7f"), ("infinite", b"\0\0\x80\xff"), ("ones", b"\xff" * 4), ("zeros", bytes(4))]:
        yield f"all {what}", raw[:10 + size] + four * (len(data) // 4)
        yield f"one {what}", raw[:10 + size] + four + data[4:]


# ---- tables ----

def table_edits(raw, rng):
    lines = raw.decode().splitlines()

    def text(rows):
        return ("\n".join(rows) + "\n").encode()

    row = rng.randrange(1, len(lines))
    cells = lines[row].split(",")
    for column in range(len(cells)):
        for new in ["", "0", "-1", "nan", "inf", "1e999", "x", "9" * 400, "0x10", "1e-320", '"', "1;2"]:
            changed = cells[:column] + [new] + cells[column + 1:]
            yield f"row {row}, column {column} = {new[:9]}", text(lines[:row] + [",".join(changed)] + lines[row + 1:])
    yield "no header", text(lines[1:])
    yield "the header alone", text(lines[:1])
    yield "another header", text(["a" + lines[0]] + lines[1:])
    yield "a column less", text([line.rsplit(",", 1)[0] for line in lines])
    yield "a column more", text([line + ",1" for line in lines])
    yield "rows the other way round", text(lines[:1] + lines[:0:-1])
    yield "a long line", text(lines + ["1," * 100000])
    yield "many rows", text(lines + lines[1:] * 200)
    yield "Windows' ends of lines", raw.replace(b"\n", b"\r\n")


# ---- manifests ----

def manifest_edits(raw):
    lines = raw.decode().splitlines()[1:-1]
    first = lines[0].split(" ", 2)
    for line in ["", "x", f"{first[0]} {first[1]} ../{first[2]}", f"{first[0]} {first[1]} /etc/passwd", f"{first[0]} 99999999999999999999 a",
                 f"{first[0]} -1 a", f"{first[0]} 1 chain-000", f"{first[0]} 1 manifest", f"{first[0]} 1 " + "a/" * 3000,
                 lines[0], f"{first[0].upper()} 1 b", f"{first[0]} 1 ./a", f"{first[0]} 1 a\tb"]:
        yield f"a line more: {line[:40]}", manifest_text(lines + [line])
    for i, line in enumerate(lines):
        yield f"without {line}", manifest_text(lines[:i] + lines[i + 1:])
    yield "no lines", manifest_text([])
    yield "two lines", manifest_text(lines[:2])
    yield "of version 2", manifest_text(lines).replace(b"manifest 1", b"manifest 2")
    yield "many lines", manifest_text([f"00000000 1 f{i}" for i in range(100000)])


def manifest_text(lines):
    text = "kelvin manifest 1\n" + "".join(line + "\n" for line in lines)
    return text.encode() + b"crc32 %08x\n" % zlib.crc32(text.encode())


def edits(name, raw, rng, samplers):
    """Changes that fit the kind of a file; a list of (what, new bytes)."""
    if name.endswith(".json"):
        return list(json_edits(raw, samplers))
    if name.endswith(".safetensors"):
        return list(tensor_edits(raw))
    if name.endswith(".npy"):
        return list(npy_edits(raw))
    if name.endswith(".csv"):
        return list(table_edits(raw, rng))
    return list(manifest_edits(raw)) if name == MANIFEST else []
