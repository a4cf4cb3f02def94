#!/usr/bin/python3
"""What an augmented batch costs in NumPy, and in PyTorch where that is installed: the peer of `kelvin-bench data`.

    numpy_batch.py IMAGES CHANNELS HEIGHT WIDTH BATCH

Images of these numbers stay bytes; each is flipped or not, padded by 4, cropped at an offset of its own, and normalised.
The bytes are random: what they are does not matter to any of the programs. One thread. Prints JSON.
"""
import json
import sys
import time

import numpy as np

try:
    import torch
    torch.set_num_threads(1)
except ImportError:
    torch = None

PAD = 4
REPETITIONS = 60


def loop(images, index, flip, dy, dx, scale, offset):
    """What one would write first: one image after the other."""
    channels, height, width = images.shape[1:]
    out = np.empty((len(index), channels, height, width), np.float32)
    for i, image in enumerate(images[index]):
        image = image * scale[0] + offset[0]
        if flip[i]:
            image = image[:, :, ::-1]
        image = np.pad(image, ((0, 0), (PAD, PAD), (PAD, PAD)))
        out[i] = image[:, dy[i]:dy[i] + height, dx[i]:dx[i] + width]
    return out


def vectors(images, index, flip, dy, dx, scale, offset):
    """All images at once, crops by one look into windows."""
    count, (channels, height, width) = len(index), images.shape[1:]
    padded = np.zeros((count, channels, height + 2 * PAD, width + 2 * PAD), np.float32)
    inner = padded[:, :, PAD:-PAD, PAD:-PAD]
    np.multiply(images[index], scale, out=inner)
    inner += offset
    inner[flip] = inner[flip][..., ::-1]
    windows = np.lib.stride_tricks.sliding_window_view(padded, (height, width), axis=(2, 3))
    return windows[np.arange(count), :, dy, dx]


def torch_vectors(images, index, flip, dy, dx, scale, offset):
    """The same in PyTorch."""
    count, (channels, height, width) = len(index), images.shape[1:]
    x = images[index] * scale + offset
    x = torch.where(flip[:, None, None, None], x.flip(3), x)
    windows = torch.nn.functional.pad(x, 4 * [PAD]).unfold(2, height, 1).unfold(3, width, 1)
    return windows[torch.arange(count), :, dy, dx]


def main():
    n, channels, height, width, count = map(int, sys.argv[1:])
    random = np.random.default_rng(1)
    images = random.integers(0, 256, (n, channels, height, width), np.uint8)
    scale = random.uniform(0.01, 0.02, (1, channels, 1, 1)).astype(np.float32)
    offset = random.uniform(-3, -2, (1, channels, 1, 1)).astype(np.float32)
    variants = {"us_per_batch_loop": loop, "us_per_batch": vectors}
    if torch:
        variants["us_per_batch_torch"] = torch_vectors
    tensors = [torch.from_numpy(a) for a in (images, scale, offset)] if torch else None
    seconds = {key: [] for key in variants}
    for _ in range(REPETITIONS):
        index, flip = random.integers(0, n, count), random.integers(0, 2, count).astype(bool)
        dy, dx = random.integers(0, 2 * PAD + 1, (2, count))
        results = []
        for key, variant in variants.items():
            arguments = [images, index, flip, dy, dx, scale, offset]
            if variant is torch_vectors:
                arguments = [tensors[0], *map(torch.from_numpy, (index, flip, dy, dx)), *tensors[1:]]
            start = time.perf_counter()
            results.append(variant(*arguments))
            seconds[key].append(time.perf_counter() - start)
        for result in results[1:]:
            if not np.allclose(results[0], result, atol=1e-5):
                sys.exit("numpy_batch.py: the variants disagree")
    print(json.dumps({"numpy": np.__version__, "torch": torch and torch.__version__,
                      **{key: round(min(s) * 1e6, 1) for key, s in seconds.items()}}))


if __name__ == "__main__":
    main()
