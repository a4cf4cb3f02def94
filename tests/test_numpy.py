"""What kelvin writes, read by NumPy: names, shapes, bits; and the logits, computed once more from the samples.

    test_numpy.py KELVIN     (in an empty folder)
"""
import glob
import json
import struct
import subprocess
import sys
import zlib

import numpy as np

TYPES = {"F32": "<f4", "F64": "<f8"}
CHAINS, SAMPLES, EPOCHS, BATCH, INPUTS, UNITS, CLASSES, LEAK = 2, 4, 20, 20, 4, 5, 3, 0.1
SHAPES = {"layers.0.weight": (UNITS, INPUTS), "layers.0.bias": (UNITS,),
          "layers.1.weight": (CLASSES, UNITS), "layers.1.bias": (CLASSES,)}


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


def sample(kelvin):
    options = ["--data", "npy:x_train.npy,y_train.npy,test-x=x_test.npy,test-y=y_test.npy", "--model",
               "mlp:%d,leak=%g" % (UNITS, LEAK), "--density", "categorical", "--chains", CHAINS, "--samples", SAMPLES,
               "--epochs", EPOCHS, "--batch", BATCH, "--schedule", "cyclical", "--seed", 7, "-o", "RUN"]
    done = subprocess.run([kelvin, "sample", "--json"] + [str(o) for o in options], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    return json.loads(done.stdout)


def check_samples():
    samples = []
    for chain in range(CHAINS):
        paths = sorted(glob.glob("RUN/chain-%03d/sample-*.safetensors" % chain))
        assert len(paths) == SAMPLES // CHAINS, paths
        for index, path in enumerate(paths):
            arrays, strings = tensors(path)
            assert {n: a.shape for n, a in arrays.items()} == SHAPES, arrays
            assert all(a.dtype == np.float32 and np.isfinite(a).all() for a in arrays.values()), path
            assert (strings["seed"], strings["chain"], strings["sample"]) == ("7", str(chain), str(index)), strings
            samples.append(arrays)
    assert len({s["layers.0.weight"].tobytes() for s in samples}) == SAMPLES  # no two are the same
    return samples


def check_state(chain, last):
    """The state at the end: the last sample's parameters, momenta of the same shapes, and the history in full."""
    arrays, strings = tensors("RUN/chain-%03d/state.safetensors" % chain)
    assert strings["step"] == str(EPOCHS * 60 // BATCH) and strings["diverged"] == "", strings
    for name, shape in SHAPES.items():
        assert arrays[name].tobytes() == last[name].tobytes(), name
        assert arrays["momentum." + name].shape == shape, name
    table = np.genfromtxt("RUN/chain-%03d/history.csv" % chain, delimiter=",", names=True)
    assert list(table["epoch"]) == list(range(EPOCHS))
    assert ((table["training_accuracy"] >= 0) & (table["training_accuracy"] <= 1)).all()
    written = np.array(table.tolist())
    assert arrays["history"].dtype == np.float64 and arrays["history"].shape == written.shape
    assert np.allclose(written, arrays["history"], rtol=1e-8, atol=0)  # nine digits


def check_labels(name, report):
    """The labels are those of the file, and with the logits they give what the report says of the ensemble."""
    labels, z = np.load("RUN/labels_%s.npy" % name), np.load("RUN/logits_%s.npy" % name).astype(float)
    assert labels.dtype == np.int64 and labels.flags.c_contiguous
    assert np.array_equal(labels, np.load("y_%s.npy" % name))
    p = np.exp(z - z.max(2, keepdims=True))
    p /= p.sum(2, keepdims=True)
    # The report has seven digits; one observation is a sixtieth.
    assert np.isclose((p.mean(0).argmax(1) == labels).mean(), report["ensemble"]["accuracy"], rtol=1e-6)
    assert np.isclose((z.argmax(2) == labels).mean(), report["single"]["accuracy"]["mean"], rtol=1e-6)


def check_logits(name, samples, x):
    found = np.load("RUN/logits_%s.npy" % name)
    assert found.dtype == np.float32 and found.shape == (SAMPLES, len(x), CLASSES), found.shape
    expected = np.stack([logits(s, x) for s in samples])
    # Inputs are rounded to float once, sums of at most six products a few times: 1e-6 of the largest term. Ten times
    # that is allowed.
    assert np.allclose(found, expected, rtol=1e-5, atol=1e-5), np.abs(found - expected).max()


train, test = make_data()
report = sample(sys.argv[1])
drawn = check_samples()
for c in range(CHAINS):
    check_state(c, drawn[(c + 1) * SAMPLES // CHAINS - 1])
check_logits("train", drawn, train)
check_logits("test", drawn, test)
check_labels("train", report["training"])
check_labels("test", report["test"])
with open("RUN/run.json") as config:
    assert json.load(config)["seed"] == 7
print("NumPy %s reads all of it" % np.__version__)
