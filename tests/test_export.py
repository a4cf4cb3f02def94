"""A run's files against what kelvin export made of them, in all formats.

    test_export.py RUN [diverged]     (RUN.npz is there; RUN.safetensors and RUN.nc may be)
"""
import csv
import glob
import json
import os
import struct
import sys
import zipfile
import zlib

import numpy as np
from scipy.special import log_softmax

RUN = sys.argv[1]
KINDS = {"F32": "<f4", "F64": "<f8", "I64": "<i8", "BOOL": "?"}
TEXTS = {"inference_library", "inference_library_version", "kelvin_run", "class_names"}
ALL = {"lp": "log_posterior", "temperature": "temperature"}
STATS = {"sghmc": {**ALL, "lr": "lr", "epoch": "epoch", "kinetic_temperature": "kinetic_temperature",
                   "configurational_temperature": "configurational_temperature"},
         "hmc": {**ALL, "acceptance_rate": "acceptance", "accepted": "accepted", "energy_error": "energy_error",
                 "iteration": "iteration"},
         "mclmc": {**ALL, "energy_error": "energy_error", "energy_variance": "energy_variance", "step_size": "step_size",
                   "momentum_decoherence_length": "length", "iteration": "iteration",
                   "configurational_temperature": "configurational_temperature"}}
WHOLE = {"epoch": "int64", "iteration": "int64", "accepted": "bool"}


def tensors(path):
    with open(path, "rb") as file:
        raw = file.read()
    length, = struct.unpack("<Q", raw[:8])
    head, data = json.loads(raw[8:8 + length]), raw[8 + length:]
    strings = head.pop("__metadata__")
    assert length % 8 == 0 and strings["crc32"] == "%08x" % zlib.crc32(data), path
    unsigned = raw[:8 + length].replace(b'"header_crc32":"' + strings["header_crc32"].encode(), b'"header_crc32":"00000000')
    assert strings["header_crc32"] == "%08x" % zlib.crc32(unsigned), path
    assert sum(b - a for a, b in (t["data_offsets"] for t in head.values())) == len(data), path
    return {name: np.frombuffer(data[slice(*t["data_offsets"])], KINDS[t["dtype"]]).reshape(t["shape"])
            for name, t in head.items()}, strings


def same(name, got, want):
    assert got.dtype == want.dtype and got.shape == want.shape, (name, got.dtype, got.shape, want.dtype, want.shape)
    assert np.array_equal(got, want), name


with open(RUN + "/run.json") as file:
    TEXT = file.read()
config = json.loads(TEXT)
sampler, epochs, warmup = config["sampler"], config.get("epochs"), config.get("warmup", 0)


def chain_parameters(chain):
    """All draws of a chain by name, warm-up left out, over all of its files; None if there are none."""
    files = [tensors(p) for p in sorted(glob.glob(RUN + "/chain-%03d/samples-*.safetensors" % chain))]
    assert [strings["number"] for _, strings in files] == [str(i) for i in range(len(files))]
    assert sum(int(strings["warmup"]) for _, strings in files) <= warmup
    drawn = {k: np.concatenate([arrays[k] for arrays, _ in files])[warmup:] for k in (files[0][0] if files else ())
             if k != "history"}
    return drawn if any(map(len, drawn.values())) else None


def chain_history(chain, draws):
    """The rows of history.csv that end with a draw."""
    with open(RUN + "/chain-%03d/history.csv" % chain) as file:
        rows = list(csv.DictReader(file))
    if not epochs:
        assert [int(r["warmup"]) for r in rows] == [1] * warmup + [0] * (len(rows) - warmup)
        return rows[warmup:]
    return [rows[(d + 1) * epochs // draws - 1] for d in range(draws)]


def expected():
    """Everything under its flat name, and the chains' numbers."""
    drawn = {c: chain_parameters(c) for c in range(config["chains"])}
    drawn = {c: d for c, d in drawn.items() if d}
    most = max(len(next(iter(d.values()))) for d in drawn.values())
    samples, keep = [c for c, d in drawn.items() for _ in next(iter(d.values()))], []
    for c, d in drawn.items():
        if len(next(iter(d.values()))) == most:
            keep.append(c)
    want = {k: np.stack([drawn[c][k] for c in keep]) for k in drawn[keep[0]]}
    rows = [chain_history(c, most) for c in keep]
    for name, column in STATS[sampler].items():
        values = np.array([[float(r[column]) for r in chain] for chain in rows])
        want[name] = values.astype(WHOLE.get(name, "float64"))
    kept = np.isin(samples, keep)
    for side in "train", "test":
        if not os.path.exists(RUN + "/logits_%s.npy" % side):
            continue
        z, y = np.load(RUN + "/logits_%s.npy" % side)[kept], np.load(RUN + "/labels_%s.npy" % side)
        want["logits_" + side] = z.reshape((len(keep), most) + z.shape[1:])
        want["labels_" + side] = y
    want["chain"], want["draw"] = np.array(keep), np.arange(most)
    return want


def check_likelihood(got, want):
    z, y = want["logits_train"].astype(float), want["labels_train"]
    exact = np.take_along_axis(log_softmax(z, 3), y[None, None, :, None], 3)[..., 0]
    assert got.dtype == np.float64 and got.shape == exact.shape, got.shape
    # Both are doubles, rounded a few times at the size of the logits, from which they are differences.
    scale = np.abs(z).max(3)
    assert (np.abs(got - exact) <= 1e-12 * np.maximum(scale, np.abs(exact))).all(), np.abs(got - exact).max()


def check_flat(arrays, want):
    assert set(arrays) == set(want) | {"log_likelihood"}, set(arrays) ^ set(want)
    for name, array in want.items():
        same(name, arrays[name], array)
    check_likelihood(arrays["log_likelihood"], want)


def check_npz(want):
    assert zipfile.ZipFile(RUN + ".npz").testzip() is None
    with np.load(RUN + ".npz", allow_pickle=False) as file:
        arrays = dict(file)
    texts = {name: arrays.pop(name).tolist() for name in TEXTS}
    assert texts["kelvin_run"] == TEXT and texts["inference_library"] == "kelvin"
    assert texts["inference_library_version"] == config["kelvin"]
    check_flat(arrays, want)
    return texts["class_names"]


def check_safetensors(want, names):
    arrays, strings = tensors(RUN + ".safetensors")
    assert TEXTS <= set(strings) and strings["kelvin_run"] == TEXT and json.loads(strings["class_names"]) == names
    check_flat(arrays, want)


def check_netcdf(want, names):
    """The layout of https://python.arviz.org/en/stable/schema/schema.html, as xarray sees it."""
    import netCDF4
    import xarray
    groups = {"posterior": {n: n for n in want if "." in n}, "sample_stats": {n: n for n in STATS[sampler]},
              "log_likelihood": {"y": "log_likelihood"}, "posterior_predictive": {"logits": "logits_train"},
              "observed_data": {"y": "labels_train"}}
    if "logits_test" in want:
        groups.update({"predictions": {"logits": "logits_test"}, "predictions_constant_data": {"y": "labels_test"}})
    with netCDF4.Dataset(RUN + ".nc") as file:
        assert set(file.groups) == set(groups) and not file.variables, file.groups
        assert file.kelvin_run == TEXT and file.inference_library == "kelvin"
    for group, variables in groups.items():
        with xarray.open_dataset(RUN + ".nc", group=group) as data:
            assert set(data.data_vars) == set(variables), (group, data)
            assert data.attrs["inference_library"] == "kelvin"
            assert set(data.coords) == set(data.dims), (group, data)  # every dimension has coordinates
            for name, key in variables.items():
                check_variable(group, data[name], key, want, names)


def check_variable(group, variable, key, want, names):
    drawn = [] if group.endswith("_data") else ["chain", "draw"]
    rest = {"logits": ["obs", "class"], "y": ["obs"]}.get(variable.name)
    if rest is None:
        rest = ["%s_dim_%d" % (variable.name, i) for i in range(variable.ndim - 2)]
    assert list(variable.dims) == drawn + rest, variable
    if drawn:
        assert variable.chain.values.tolist() == want["chain"].tolist()
        assert variable.draw.values.tolist() == want["draw"].tolist()
    if "class" in rest:
        assert variable["class"].values.tolist() == names
    for dim in rest:
        assert dim == "class" or variable[dim].values.tolist() == list(range(variable.sizes[dim])), dim
    if key == "log_likelihood":
        check_likelihood(variable.values, want)
    else:
        same(group + "/" + key, variable.values, want[key])


want = expected()
class_names = check_npz(want)
assert len(class_names) == want["logits_train"].shape[3]
if RUN == "few":
    assert sorted(class_names) == ["a, b", "na\u00efve"], class_names
if sys.argv[2:] == ["diverged"]:
    assert 0 < len(want["chain"]) < config["chains"] and want["chain"].tolist() != list(range(len(want["chain"])))
if os.path.exists(RUN + ".safetensors"):
    check_safetensors(want, class_names)
if os.path.exists(RUN + ".nc"):
    try:
        check_netcdf(want, class_names)
    except ImportError as missing:
        print("skipped: %s: nothing to read netCDF with" % missing)
