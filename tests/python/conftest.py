"""What the tests of the Python package share: small tables, and the command."""
import json
import os
import subprocess
import zlib

import numpy as np
import pytest


@pytest.fixture(scope="session")
def command():
    """Runs the command, in a folder; what it printed."""
    def run(*arguments, folder):
        done = subprocess.run([os.environ["KELVIN"], *map(str, arguments)], cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout
    return run


@pytest.fixture(scope="session")
def root():
    return os.environ["KELVIN_ROOT"]


@pytest.fixture(scope="session")
def table():
    """150 rows of 4 numbers and 3 classes, which overlap: like irises."""
    random = np.random.RandomState(7)
    y = np.repeat([0, 1, 2], 50)
    X = random.randn(150, 4) + np.array([[0, 0, 0, 0], [2, 1, 0, 0], [4, -1, 1, 0]])[y]
    return X, y


# Few and short chains: what is drawn does not matter, only that it is the same.
QUICK = dict(model="mlp:5", density="categorical", prior="normal:1", chains=2, samples=8, epochs=40, lr=0.01, batch=50)


@pytest.fixture(scope="session")
def quick():
    return dict(QUICK)


@pytest.fixture(scope="session")
def run(table, quick):
    """A small posterior with a test part."""
    import kelvin
    return kelvin.sample(table, seed=5, **quick)


def write_csv(path, X, y, names=None):
    """A table as people write it, with all digits."""
    names = names or [f"x{i}" for i in range(X.shape[1])]
    rows = [",".join([*names, "label"])]
    rows += [",".join([*(repr(float(v)) for v in row), str(label)]) for row, label in zip(X, y)]
    path.write_text("\n".join(rows) + "\n")


def tensors_of(path):
    """Arrays of a safetensors file, read by its description."""
    whole = path.read_bytes()
    length = int.from_bytes(whole[:8], "little")
    header, data = json.loads(whole[8:8 + length]), whole[8 + length:]
    header.pop("__metadata__", None)
    return {name: np.frombuffer(data[slice(*about["data_offsets"])], "<f4").reshape(about["shape"])
            for name, about in header.items() if about["dtype"] == "F32"}, zlib.crc32(data)
