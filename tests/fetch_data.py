"""Makes small stand-ins of the data sets that are fetched, in all the forms in which they come: fetch_data.py FOLDER

tiny is like cifar10 (three files of 100 records), mini like mnist. Everything is made by Python's own libraries."""
import gzip
import hashlib
import io
import json
import pathlib
import random
import struct
import sys
import tarfile
import zipfile
import zlib

out = pathlib.Path(sys.argv[1])
noise = random.Random(2385)


def write(path, data):
    path = out / path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def tar(path, files, mode):
    (out / path).parent.mkdir(parents=True, exist_ok=True)
    with tarfile.open(out / path, mode) as archive:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            archive.addfile(entry, io.BytesIO(data))


def png(width, height, rgb, colour=2):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    row = width * (3 if colour == 2 else 1)
    rows = b"".join(b"\0" + rgb[i * row:(i + 1) * row] for i in range(height))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))


# ---- tiny: records of a label, 1024 reds, 1024 greens, 1024 blues ----
tiny, package, labels = {}, {}, []
for name in "data_batch_1", "data_batch_2", "test_batch":
    record, rows = b"", b""
    for i in range(100):
        label = noise.randrange(10)
        red, green, blue = (noise.randbytes(1024) for _ in range(3))
        labels.append(label)
        record += bytes([label]) + red + green + blue
        rows += bytes(v for pixel in zip(red, green, blue) for v in pixel)
    tiny[name + ".bin"] = record
    package[name + ".png"] = png(1024, 100, rows)
train, test = labels[:200], labels[200:]
package["train_lables.json"] = json.dumps(train).encode()
package["test_lables.json"] = json.dumps(test).encode()

mini = {"train-images-idx3-ubyte": noise.randbytes(40000), "train-labels-idx1-ubyte": noise.randbytes(1000),
        "t10k-images-idx3-ubyte": bytes(5000), "t10k-labels-idx1-ubyte": noise.randbytes(77)}

for set_name, files in ("tiny", tiny), ("mini", mini):
    sums = "".join(f"{n} {len(d)} {hashlib.sha1(d).hexdigest()}\n" for n, d in files.items())
    write(f"{set_name}.sums", sums.encode())
    for name, data in files.items():
        write(f"{set_name}/{name}", data)
        write(f"{set_name}-gz/a/b/{name}.gz", gzip.compress(data))

# ---- good ones ----
inside = {"cifar-10-batches-bin/readme.html": b"hello", **{"cifar-10-batches-bin/" + n: d for n, d in tiny.items()}}
tar("tiny.tar.gz", inside, "w:gz")
tar("tiny.tar.xz", inside, "w:xz")
tar("tiny.tar.bz2", inside, "w:bz2")
tar("tiny.tar", inside, "w")
with zipfile.ZipFile(out / "tiny.zip", "w", zipfile.ZIP_DEFLATED) as archive:
    for name, data in inside.items():
        archive.writestr(name, data)
with zipfile.ZipFile(out / "mini-gz.zip", "w") as archive:
    for name, data in mini.items():
        archive.writestr(name + ".gz", gzip.compress(data))
tar("tiny-1.0.0.tgz", {"package/" + n: d for n, d in package.items()}, "w:gz")
for name, data in package.items():
    write(f"tiny-png/{name}", data)
for name, data in mini.items():
    write(f"mini-dots/{name.replace('-idx', '.idx')}", data)
tar("evil.tar", {"../../escaped": b"no", "/tmp/escaped": b"no", **inside}, "w")
write("nested/one/tiny.tar.gz", (out / "tiny.tar.gz").read_bytes())
write("deep/1/2/3/data_batch_1.bin", tiny["data_batch_1.bin"])

# ---- broken ones ----
whole = (out / "tiny.tar.gz").read_bytes()
write("cut.tar.gz", whole[:len(whole) // 2])
write("flipped.tar.gz", whole[:500000] + bytes([whole[500000] ^ 1]) + whole[500001:])
changed = dict(inside)
changed["cifar-10-batches-bin/data_batch_2.bin"] = b"\1" + tiny["data_batch_2.bin"][1:]
tar("changed.tar.gz", changed, "w:gz")
changed["cifar-10-batches-bin/data_batch_2.bin"] = tiny["data_batch_2.bin"] + bytes(100000)
tar("long.tar.gz", changed, "w:gz")
changed["cifar-10-batches-bin/data_batch_2.bin"] = tiny["data_batch_2.bin"][:-1]
tar("short.tar.gz", changed, "w:gz")
del changed["cifar-10-batches-bin/data_batch_2.bin"]
tar("lacking.tar.gz", changed, "w:gz")
tar("other.tar.gz", {"readme": b"nothing of use"}, "w:gz")
write("text.txt", b"this is not an archive\n")
write("empty.tgz", b"")
tar("itself.tar", {"tiny.tar.gz": b"an archive in an archive is not opened"}, "w")
tar("link.tar", {n: d for n, d in tiny.items() if n != "data_batch_1.bin"}, "w")
with tarfile.open(out / "link.tar", "a") as archive:
    link = tarfile.TarInfo("data_batch_1.bin")
    link.type, link.linkname = tarfile.SYMTYPE, str(out / "tiny/data_batch_1.bin")
    archive.addfile(link)
names = "data_batch_1.bin", "data_batch_1.bin.gz", "data_batch_1.png", "train_lables.json"
tar("many.tar.gz", {f"{i}/{name}": b"not right" for name in names for i in range(5000)}, "w:gz")
write("program.lrz", b"LRZI\0\6" + bytes(100))
largest = 2 * len(tiny["data_batch_1.bin"]) + 4096  # of a picture
for folder, size in ("png-most", largest), ("png-over", largest + 1):
    for name, data in {**package, "data_batch_1.png": bytes(size)}.items():
        write(f"{folder}/{name}", data)
with_error = {
    "count": {"train_lables.json": json.dumps(train[1:]).encode()},
    "range": {"test_lables.json": json.dumps(test[:7] + [10] + test[8:]).encode()},
    "real": {"test_lables.json": json.dumps([1.5] + test[1:]).encode()},
    "json": {"test_lables.json": b"[1, 2,\n oops"},
    "size": {"data_batch_1.png": png(1024, 99, bytes(3 * 1024 * 99))},
    "huge": {"data_batch_1.png": package["data_batch_1.png"][:16] + struct.pack(">II", 2**30, 2**30) +
             package["data_batch_1.png"][24:]},
    "grey": {"data_batch_1.png": png(1024, 100, bytes(1024 * 100), 0)},
    "pixels": {"data_batch_1.png": png(1024, 100, bytes(3 * 1024 * 100))},
    "text": {"data_batch_1.png": b"text"},
    "over": {"data_batch_1.png": bytes(largest + 1)},
    "crc": {"data_batch_1.png": package["data_batch_1.png"][:5000] + b"?" + package["data_batch_1.png"][5001:]},
}
for name, error in with_error.items():
    tar(f"png-{name}.tgz", {**package, **error}, "w:gz")
tar("png-alone.tgz", {n: d for n, d in package.items() if n.endswith("png")}, "w:gz")
tar("png-much.tgz", {**package, "train_lables.json": b" " * (1 << 20) + package["train_lables.json"]}, "w:gz")

# ---- the first 131 lengths of a message 0, 1, 2, ... ----
write("lengths", "".join(hashlib.sha1(bytes(range(n))).hexdigest() + "\n" for n in range(131)).encode())
