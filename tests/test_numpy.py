"""What kelvin writes, read by NumPy: names, shapes, bits; and the logits, computed once more from the samples.

    test_numpy.py KELVIN     (in an empty folder)
"""
import glob
import json
import os
import struct
import subprocess
import sys
import zlib

import numpy as np

TYPES = {"F32": "<f4", "F64": "<f8"}
CHAINS, SAMPLES, ROWS, BATCH, INPUTS, UNITS, CLASSES, LEAK = 2, 4, 20, 20, 4, 5, 3, 0.1
SHAPES = {"layers.0.weight": (UNITS, INPUTS), "layers.0.bias": (UNITS,),
          "layers.1.weight": (CLASSES, UNITS), "layers.1.bias": (CLASSES,)}
VECTORS = {"sghmc": ["momentum"], "hmc": [], "mclmc": ["direction", "mean"]}


def tensors(path):
    """A safetensors file by its description: length, JSON, data without gaps. Returns arrays and strings."""
    with open(path, "rb") as file:
        whole = file.read()
    length, = struct.unpack("<Q", whole[:8])
    assert length % 8 == 0, path
    header, data = json.loads(whole[8:8 + length]), whole[8 + length:]
    strings = header.pop("__metadata__")
    assert all(isinstance(s, str) for s in strings.values()), path
    assert strings["crc32"] == "%08x" % zlib.crc32(data), path
    unsigned = whole[:8 + length].replace(b'"header_crc32":"' + strings["header_crc32"].encode(), b'"header_crc32":"00000000')
    assert strings["header_crc32"] == "%08x" % zlib.crc32(unsigned), path
    arrays, end = {}, 0
    for name, about in header.items():
        assert set(about) == {"dtype", "shape", "data_offsets"} and about["data_offsets"][0] == end, (path, name)
        begin, end = about["data_offsets"]
        arrays[name] = np.frombuffer(data[begin:end], TYPES[about["dtype"]]).reshape(about["shape"])
    assert end == len(data), path
    return arrays, strings


def logits(sample, x):
    a = {name: array.astype(float) for name, array in sample.items()}
    h = x @ a["layers.0.weight"].T + a["layers.0.bias"]
    h = np.where(h > 0, h, LEAK * h)
    return h @ a["layers.1.weight"].T + a["layers.1.bias"]


def make_data():
    random = np.random.default_rng(2385)
    y = np.arange(80) % CLASSES
    x = random.normal(size=(80, INPUTS)) * [1, 2, 3, 4] + y[:, None]
    for name, rows in ("train", slice(60)), ("test", slice(60, 80)):
        np.save("x_%s.npy" % name, x[rows])
        np.save("y_%s.npy" % name, y[rows])
    mean, deviation = x[:60].mean(0), x[:60].std(0)
    return (x[:60] - mean) / deviation, (x[60:] - mean) / deviation


def sample(kelvin, sampler, folder):
    options = ["--data", "npy:x_train.npy,y_train.npy,test-x=x_test.npy,test-y=y_test.npy", "--model",
               "mlp:%d,leak=%g" % (UNITS, LEAK), "--density", "categorical", "--prior", "normal:1", "--chains", CHAINS,
               "--sampler", sampler, "--seed", 7, "-o", folder]
    if sampler == "sghmc":
        options += ["--samples", SAMPLES, "--epochs", ROWS, "--batch", BATCH, "--schedule", "cyclical"]
    else:
        options += ["--iterations", ROWS, "--warmup", ROWS - SAMPLES // CHAINS, "--steps", 20]
    if sampler == "hmc":
        options += ["--step-size", 0.01]
    done = subprocess.run([kelvin, "sample", "--preset", "paper", "--json"] + [str(o) for o in options], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return json.loads(done.stdout)


def table(folder, chain):
    with open("%s/chain-%03d/history.csv" % (folder, chain)) as file:
        names = file.readline().strip().split(",")
        return names, np.genfromtxt(file, delimiter=",")


def check_samples(folder, sampler):
    """All draws of a chain in one file, with the history of its rows; the warm-up is counted in a note."""
    samples = []
    warmup = 0 if sampler == "sghmc" else ROWS - SAMPLES // CHAINS
    for chain in range(CHAINS):
        paths = glob.glob("%s/chain-%03d/samples-*.safetensors" % (folder, chain))
        assert len(paths) == 1, paths
        arrays, strings = tensors(paths[0])
        history = arrays.pop("history")
        draws = warmup + SAMPLES // CHAINS
        assert {n: a.shape for n, a in arrays.items()} == {n: (draws,) + s for n, s in SHAPES.items()}, arrays
        assert all(a.dtype == np.float32 and np.isfinite(a).all() for a in arrays.values()), paths
        notes = {"seed": "7", "chain": str(chain), "number": "0", "warmup": str(warmup)}
        assert {n: strings[n] for n in notes} == notes, strings
        samples += [{n: a[i] for n, a in arrays.items()} for i in range(warmup, draws)]
        check_history(history, *table(folder, chain), sampler)
        check_state(folder, chain, samples[-1], sampler)
    if sampler != "hmc":  # which may reject
        assert len({s["layers.0.weight"].tobytes() for s in samples}) == SAMPLES  # no two are the same
    return samples


def check_history(history, names, written, sampler):
    assert history.dtype == np.float64 and history.shape == written.shape == (ROWS, len(names))
    assert np.allclose(written, history, rtol=1e-8, atol=0, equal_nan=True)  # nine digits
    column = dict(zip(names, written.T))
    assert list(column["epoch" if sampler == "sghmc" else "iteration"]) == list(range(ROWS))
    assert ((column["training_accuracy"] >= 0) & (column["training_accuracy"] <= 1)).all()
    if sampler != "sghmc":
        assert list(column["warmup"]) == [i < ROWS - SAMPLES // CHAINS for i in range(ROWS)]


def check_state(folder, chain, last, sampler):
    """The state at the end: the last sample's parameters, other vectors of the same shapes; draws and history are in
    their file already."""
    arrays, strings = tensors("%s/chain-%03d/state.safetensors" % (folder, chain))
    steps = ROWS * (60 // BATCH if sampler == "sghmc" else 1)
    assert strings["step"] == str(steps) and strings["diverged"] == "", strings
    for name, shape in SHAPES.items():
        assert arrays[name].tobytes() == last[name].tobytes(), name
        for vector in VECTORS[sampler]:
            assert arrays[vector + "." + name].shape == shape, name
    assert len(arrays.get("history", ())) == 0


def check_manifest(folder):
    """Every file but the times and the lock, with its size and checksum."""
    lines = open(folder + "/manifest").read().splitlines(keepends=True)
    assert lines[0] == "kelvin manifest 1\n" and lines[-1] == "crc32 %08x\n" % zlib.crc32("".join(lines[:-1]).encode())
    listed = {}
    for line in lines[1:-1]:
        crc32, size, name = line.rstrip("\n").split(" ", 2)
        whole = open(os.path.join(folder, name), "rb").read()
        assert (crc32, size) == ("%08x" % zlib.crc32(whole), str(len(whole))), name
        listed[name] = size
    found = {os.path.relpath(os.path.join(place, name), folder) for place, _, names in os.walk(folder) for name in names}
    assert set(listed) == found - {"manifest", "times.csv", "lock"}, found ^ set(listed)


def check_labels(folder, name, report):
    """The labels are those of the file, and with the logits they give what the report says of the ensemble."""
    labels, z = np.load("%s/labels_%s.npy" % (folder, name)), np.load("%s/logits_%s.npy" % (folder, name)).astype(float)
    assert labels.dtype == np.int64 and labels.flags.c_contiguous
    assert np.array_equal(labels, np.load("y_%s.npy" % name))
    p = np.exp(z - z.max(2, keepdims=True))
    p /= p.sum(2, keepdims=True)
    # The report has seven digits; one observation is a sixtieth.
    assert np.isclose((p.mean(0).argmax(1) == labels).mean(), report["ensemble"]["accuracy"], rtol=1e-6)
    assert np.isclose((z.argmax(2) == labels).mean(), report["single"]["accuracy"]["mean"], rtol=1e-6)


def check_logits(folder, name, samples, x):
    found = np.load("%s/logits_%s.npy" % (folder, name))
    assert found.dtype == np.float32 and found.shape == (SAMPLES, len(x), CLASSES), found.shape
    expected = np.stack([logits(s, x) for s in samples])
    # Inputs are rounded to float once, sums of at most six products a few times: 1e-6 of the largest term. Ten times
    # that is allowed.
    assert np.allclose(found, expected, rtol=1e-5, atol=1e-5), np.abs(found - expected).max()


train, test = make_data()
for sampler in VECTORS:
    report = sample(sys.argv[1], sampler, sampler)
    drawn = check_samples(sampler, sampler)
    check_logits(sampler, "train", drawn, train)
    check_logits(sampler, "test", drawn, test)
    check_labels(sampler, "train", report["training"])
    check_labels(sampler, "test", report["test"])
    check_manifest(sampler)
    with open(sampler + "/run.json") as config:
        assert json.load(config)["seed"] == 7
print("NumPy %s reads all of it" % np.__version__)
