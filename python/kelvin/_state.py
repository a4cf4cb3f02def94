"""State dicts: parameters by name, from and to files and other libraries."""
from __future__ import annotations

import json
import os
import struct
from typing import Any, Dict, Mapping

import numpy as np

from ._library import UsageError


def arrays_of(state: Any) -> Dict[str, np.ndarray]:
    """A state dict of arrays, whatever it comes as: a mapping of arrays or torch tensors, or a torch module."""
    if hasattr(state, "state_dict"):
        state = state.state_dict()
    if isinstance(state, Mapping) and isinstance(state.get("state_dict"), Mapping):  # of a checkpoint
        state = state["state_dict"]
    if not isinstance(state, Mapping):
        raise UsageError(f"init is a {type(state).__name__}; expected a folder of a run, a file, a state dict or a "
                         "torch module")
    return {str(name): array_of(tensor) for name, tensor in state.items()}


def array_of(tensor: Any) -> np.ndarray:
    """A tensor of torch's, NumPy's or JAX's as float32."""
    if hasattr(tensor, "detach"):
        tensor = tensor.detach().cpu().float().numpy()
    return np.ascontiguousarray(tensor, dtype=np.float32)


def write(path: str, arrays: Mapping[str, np.ndarray]) -> None:
    """A safetensors file."""
    header: Dict[str, Any] = {}
    offset = 0
    for name, array in arrays.items():
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [offset, offset + array.nbytes]}
        offset += array.nbytes
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        for array in arrays.values():
            out.write(array.tobytes())


def load(path: Any) -> Any:
    """What a file of torch's holds; safetensors are the library's to read."""
    import torch  # only who has such a file needs it

    try:
        return torch.load(os.fspath(path), map_location="cpu", weights_only=True)
    except OSError:
        raise
    except Exception as error:
        raise UsageError(f"{os.fspath(path)}: no state dict can be read from it; expected what "
                         "torch.save(module.state_dict(), FILE) writes") from error


def renamed(arrays: Dict[str, np.ndarray], tensors: Mapping[str, tuple]) -> Dict[str, np.ndarray]:
    """The same arrays under the names of a network's tensors.

    Where the names are others but the shapes are the same, one by one, as in a network that somebody wrote with names
    of their own, the order tells which is which.
    """
    if set(arrays) == set(tensors) or len(arrays) != len(tensors):
        return arrays
    if [array.shape for array in arrays.values()] != list(tensors.values()):
        return arrays
    return dict(zip(tensors, arrays.values()))
