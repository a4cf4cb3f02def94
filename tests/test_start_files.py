"""State dicts in safetensors files, by struct and json alone, and what runs that start from them have drawn.

    test_start_files.py make               writes the files that test_start_files.sh starts from, and those it refuses
    test_start_files.py sample RUN I FILE  writes sample I of a run, with the settings of `make`, to a file
    test_start_files.py near RUN FILE      whether all draws of a run are what the file has: to a millionth
    test_start_files.py equal RUN FILE     to the bit
"""
import glob
import json
import random
import struct
import sys

# mlp:5 on the toy data: two columns, two classes.
SHAPES = {"layers.0.weight": [5, 2], "layers.0.bias": [5], "layers.1.weight": [2, 5], "layers.1.bias": [2]}


def count(shape):
    return shape[0] * count(shape[1:]) if shape else 1


def to_brain(x):
    """The upper half of a float, cut."""
    return struct.pack("<f", x)[2:]


PACK = {
    "F32": lambda x: struct.pack("<f", x),
    "F64": lambda x: struct.pack("<d", x),
    "F16": lambda x: struct.pack("<e", x),
    "BF16": to_brain,
    "I64": lambda x: struct.pack("<q", int(x)),
    "U8": lambda x: struct.pack("B", int(x) & 255),
}
UNPACK = {
    "F32": lambda b: struct.unpack("<f", b)[0],
    "F64": lambda b: struct.unpack("<d", b)[0],
    "F16": lambda b: struct.unpack("<e", b)[0],
    "BF16": lambda b: struct.unpack("<f", b"\0\0" + b)[0],
}


def write(path, tensors, shuffled=False):
    """{name: (dtype, shape, values)}"""
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, (dtype, shape, values) in tensors.items():
        packed = b"".join(PACK[dtype](x) for x in values)
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(packed)]}
        data += packed
    if shuffled:
        header = dict(reversed(header.items()))
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


def read(path):
    """{name: (shape, values)} of those that are floats."""
    with open(path, "rb") as file:
        whole = file.read()
    length, = struct.unpack("<Q", whole[:8])
    found = {}
    for name, about in json.loads(whole[8:8 + length]).items():
        if about.get("dtype") not in UNPACK:
            continue
        begin, end = (8 + length + at for at in about["data_offsets"])
        step = len(PACK[about["dtype"]](0))
        values = [UNPACK[about["dtype"]](whole[at:at + step]) for at in range(begin, end, step)]
        found[name] = (about["shape"], values)
    return found


def single(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def draws(run):
    """[{name: values}] of all chains."""
    found = []
    for path in sorted(glob.glob(run + "/chain-*/samples-*.safetensors")):
        file = read(path)
        for i in range(file["layers.0.bias"][0][0]):
            found.append({name: file[name][1][i * count(shape):(i + 1) * count(shape)] for name, shape in SHAPES.items()})
    return found


def make():
    random.seed(2385)
    values = {name: [random.gauss(0, 1) for _ in range(count(shape))] for name, shape in SHAPES.items()}

    def put(path, dtype="F32", shuffled=False, **changes):
        tensors = {name: (dtype, SHAPES[name], values[name]) for name in SHAPES}
        for name, tensor in changes.items():
            tensors[name.replace("_", ".")] = tensor
        write(path, {name: tensor for name, tensor in tensors.items() if tensor}, shuffled)

    for dtype in ("F32", "F64", "F16", "BF16"):
        put(dtype + ".safetensors", dtype)
    put("shuffled.safetensors", shuffled=True)
    mixed = {"layers_0_bias": ("BF16", [5], values["layers.0.bias"]), "layers_1_bias": ("F64", [2], values["layers.1.bias"])}
    put("mixed.safetensors", "F16", **mixed)
    put("extra.safetensors", layers_2_bias=("F32", [2], [1, 2]))
    put("missing.safetensors", layers_1_bias=None)
    put("renamed.safetensors", layers_1_bias=None, layer_1_bias=("F32", [2], [1, 2]))
    put("column.safetensors", layers_1_bias=("F32", [2, 1], [1, 2]))
    put("turned.safetensors", layers_0_weight=("F32", [2, 5], values["layers.0.weight"]))
    put("nan.safetensors", layers_1_bias=("F32", [2], [1, float("nan")]))
    put("large.safetensors", layers_1_bias=("F64", [2], [1e39, 1]))
    put("whole.safetensors", layers_1_bias=("I64", [2], [1, 2]))
    put("bytes.safetensors", layers_1_bias=("U8", [2], [1, 2]))
    write("sequential.safetensors", {name[7:]: ("F32", shape, values[name]) for name, shape in SHAPES.items()})
    with open("F32.safetensors", "rb") as file:
        bytes_of = file.read()
    for name, part in {"cut": bytes_of[:-1], "header": bytes_of[:50], "short": bytes_of[:7], "empty": b"",
                       "zip": b"PK\3\4" + bytes(100), "text": b"weights and biases\n"}.items():
        with open(name + ".safetensors", "wb") as file:
            file.write(part)


def compare(run, path, tolerance):
    start, found = read(path), draws(run)
    if not found:
        sys.exit(f"{run} has no draws")
    for i, draw in enumerate(found):
        for name in SHAPES:
            for k, (is_, was) in enumerate(zip(draw[name], map(single, start[name][1]), strict=True)):
                if not abs(is_ - was) <= tolerance:
                    sys.exit(f"{run}: draw {i}, {name}[{k}] is {is_}, {path} has {was}")


def main(what, *arguments):
    if what == "make":
        make()
    elif what == "sample":
        run, i, path = arguments
        draw = draws(run)[int(i)]
        write(path, {name: ("F32", shape, draw[name]) for name, shape in SHAPES.items()})
    else:
        compare(*arguments, {"near": 1e-6, "equal": 0}[what])


main(*sys.argv[1:])
