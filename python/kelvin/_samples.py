"""What a run has left, as arrays: samples by name, logits, histories."""
from __future__ import annotations

from typing import Any, Dict, Iterator, Mapping, Tuple, Union

import numpy as np

from ._library import Handle, call, library, text

KEPT = 256 << 20  # bytes of samples that are kept in memory, once they have been read


def tensors_of(model: Any) -> Dict[str, Tuple[int, tuple]]:
    """{name: (where it begins in the flat vector, shape)} of a network."""
    found = {}
    for i in range(library.kelvin_model_tensors(model)):
        tensor = library.kelvin_model_tensor(model, i).contents
        found[text(tensor.name) or ""] = (tensor.offset, tuple(tensor.shape[:tensor.ndim]))
    return found


class Samples(Mapping):
    """The samples of a run: ``samples["layers.0.weight"]`` is an array (samples, ...) of all of them, ``samples[3]`` the
    state dict of the fourth, ready for a torch module.

    Nothing is read before it is asked for; what is read is compared with its checksums.

    Attributes
    ----------
    n : int
        How many samples there are.
    chain, draw : numpy.ndarray
        Of which chain each sample is, and which of that chain's.
    shapes : dict
        The shape of each tensor.
    """

    def __init__(self, run: Any) -> None:
        self._run = run
        handle = run._opened()
        self._tensors = tensors_of(library.kelvin_run_model(library.kelvin_samples_run(handle)))
        self.n = library.kelvin_samples_count(handle)
        self._size = sum(int(np.prod(shape)) for _, shape in self._tensors.values())
        self._all: Union[np.ndarray, None] = None
        self.shapes = {name: shape for name, (_, shape) in self._tensors.items()}
        self.chain = np.array([library.kelvin_samples_chain(handle, i) for i in range(self.n)], dtype=np.int64)
        self.draw = np.array([library.kelvin_samples_draw(handle, i) for i in range(self.n)], dtype=np.int64)

    def vector(self, i: int) -> np.ndarray:
        """All parameters of the i-th sample, one behind the other."""
        if not -self.n <= i < self.n:
            raise IndexError(f"there is no sample {i}; expected -{self.n} to {self.n - 1}")
        i %= self.n
        if self._all is not None:
            return self._all[i].copy()
        theta = np.empty(self._size, dtype=np.float32)
        with self._run._using() as handle:
            call("kelvin_samples_read", handle, theta.ctypes.data, i)
        return theta

    def matrix(self) -> np.ndarray:
        """All parameters of all samples (samples, parameters)."""
        if self._all is not None:
            return self._all
        found = np.empty((self.n, self._size), dtype=np.float32)
        for i in range(self.n):
            found[i] = self.vector(i)
        if found.nbytes <= KEPT:
            found.flags.writeable = False
            self._all = found
        return found

    def __getitem__(self, key: Union[str, int]) -> Any:
        if isinstance(key, (int, np.integer)):
            theta = self.vector(int(key))
            return {name: theta[first:first + int(np.prod(shape))].reshape(shape)
                    for name, (first, shape) in self._tensors.items()}
        first, shape = self._tensors[key]
        last = first + int(np.prod(shape))
        if self._all is not None or self.n * self._size * 4 <= KEPT:
            return self.matrix()[:, first:last].reshape(self.n, *shape)
        found = np.empty((self.n, *shape), dtype=np.float32)
        for i in range(self.n):
            found[i] = self.vector(i)[first:last].reshape(shape)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._tensors)

    def __len__(self) -> int:
        return len(self._tensors)

    def __contains__(self, name: object) -> bool:
        return name in self._tensors

    def keys(self):
        """Names of the tensors."""
        return self._tensors.keys()

    def __repr__(self) -> str:
        lines = [f"{self.n} samples of {self._size} parameters, {len(set(self.chain.tolist()))} chains"]
        return "\n".join(lines + [f"  {name}: {shape}" for name, shape in self.shapes.items()])


def history_of(handle: Handle, chains: int) -> np.ndarray:
    """The histories of all chains as one structured array, with the chain's number in front."""
    parts = []
    names = None
    for chain in range(chains):
        history = Handle.make("kelvin_history_close", "kelvin_history_open", handle, chain)
        columns = library.kelvin_history_columns(history)
        names = names or [text(library.kelvin_history_name(history, i)) or "" for i in range(columns)]
        rows = library.kelvin_history_rows(history)
        value = library.kelvin_history_value
        part = np.array([[value(history, row, i) for i in range(columns)] for row in range(rows)]).reshape(rows, columns)
        parts.append(np.column_stack([np.full(rows, float(chain)), part]))
        history.close()
    table = np.concatenate(parts)
    kinds = [("chain", "i8")] + [(name, "i8" if i == 0 else "f8") for i, name in enumerate(names or [])]
    found = np.empty(len(table), dtype=kinds)
    for i, (name, _) in enumerate(kinds):
        found[name] = table[:, i]
    return found
