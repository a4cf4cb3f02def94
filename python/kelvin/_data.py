"""Data of Python's for the library: arrays, pandas frames, and data sets by their names."""
from __future__ import annotations

import ctypes
from typing import Any, List, Optional, Sequence, Tuple

import numpy as np

from . import _bindings as c
from ._library import Handle, UsageError, raw, texts


def is_frame(x: Any) -> bool:
    """Whether it is a table with named columns, as pandas has them."""
    return hasattr(x, "columns") and hasattr(x, "iloc") and hasattr(x, "to_numpy")


def column_names(x: Any) -> Optional[List[str]]:
    """Names of a frame's columns, if all of them are texts."""
    names = list(x.columns) if is_frame(x) else []
    return names if names and all(isinstance(name, str) for name in names) else None


def has_numbers_alone(frame: Any) -> bool:
    """Whether each cell of a frame is a finite number."""
    try:
        values = frame.to_numpy(dtype=np.float64)
    except (TypeError, ValueError):
        return False
    return all(getattr(kind, "kind", "O") in "fiub" for kind in frame.dtypes) and bool(np.isfinite(values).all())


def in_order(frame: Any, names: List[str], what: str = "X") -> Any:
    """The columns of these names."""
    missing = [name for name in names if name not in list(frame.columns)]
    if missing:
        raise UsageError(f"{what} has no column {missing[0]!r}; expected: {', '.join(names[:20])}")
    return frame[names]


def is_images(x: np.ndarray) -> bool:
    return x.ndim > 2 and x.dtype == np.uint8


def inputs_of(x: Any, what: str = "X") -> np.ndarray:
    """A table of floats or doubles (rows, columns), or images of uint8 (rows, channels, height, width).

    Numbers are as measured: the library standardises them itself.
    """
    array = np.asarray(x)
    if is_images(array):
        if array.ndim > 4:
            raise UsageError(f"{what} has shape {array.shape}; expected images as "
                             "(rows, height, width) or (rows, channels, height, width)")
        return np.ascontiguousarray(array[:, None] if array.ndim == 3 else array)
    if array.ndim != 2:
        raise UsageError(f"{what} has shape {array.shape}; expected a table of numbers (rows, columns), "
                         "or images of uint8 (rows, channels, height, width)")
    if array.dtype.kind == "c":
        raise UsageError(f"{what} has complex numbers; expected real ones")
    # Objects may be numbers; of others this is a TypeError or ValueError.
    return np.ascontiguousarray(array, dtype=np.float32 if array.dtype == np.float32 else np.float64)


FIELD = {np.dtype(np.uint8): "bytes", np.dtype(np.float32): "x", np.dtype(np.float64): "doubles"}


def put(struct: Any, field: str, array: np.ndarray) -> None:
    """An array into a struct of C's, which keeps it as long as it lives."""
    setattr(struct, field, array.ctypes.data)
    struct.__dict__.setdefault("kept", []).append(array)


def new_rows(inputs: np.ndarray, labels: Optional[np.ndarray] = None) -> Any:
    """Rows to be predicted."""
    rows = c.kelvin_new_rows(rows=len(inputs))
    put(rows, FIELD[inputs.dtype], inputs)
    if labels is not None:
        put(rows, "labels", labels)
    return rows


def classes_of(y: Any, rows: int) -> Tuple[np.ndarray, np.ndarray]:
    """(the classes in their order, the number of each row's class)"""
    y = np.asarray(y)
    if y.ndim != 1 or len(y) != rows:
        raise UsageError(f"y has shape {y.shape}, X has {rows} rows; expected a label for each row ({rows},)")
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise UsageError("y has labels that are missing or infinite; expected a class for each row")
    try:
        classes, codes = np.unique(y, return_inverse=True)
    except TypeError:
        raise UsageError("y has labels that cannot be put in order, or are missing; expected numbers or texts alone") \
            from None
    return classes, codes.astype(np.int32)


def codes_of(y: Any, classes: Sequence, rows: int) -> np.ndarray:
    """The numbers of labels among classes that are known."""
    known = {each: i for i, each in enumerate(classes)}
    known.update({as_number(each): i for i, each in enumerate(classes) if as_number(each) is not None})
    y = np.asarray(y)
    if y.shape != (rows,):
        raise UsageError(f"y has shape {y.shape}, X has {rows} rows; expected a label for each row ({rows},)")
    codes = [known.get(label, known.get(str(label), known.get(as_number(label)))) for label in y.tolist()]
    for label, code in zip(y.tolist(), codes):
        if code is None:
            raise UsageError(f"y has the label {label!r}, which is no class of the training data; "
                             f"expected one of: {', '.join(map(str, list(classes)[:20]))}")
    return np.array(codes, dtype=np.int32)


def as_number(label: Any) -> Optional[float]:
    """What a label is as a number: those of a run that was opened are texts."""
    try:
        return float(label)
    except (TypeError, ValueError):
        return None


class Arrays:
    """A data set of the library's, made of arrays: it has copies of them.

    Parameters
    ----------
    x : array_like or DataFrame
        A table of numbers, as measured, or images of uint8.
    y : array_like
        A class for each row: numbers or texts.
    weights : array_like, optional
        How much each row counts: 2 is to the bit the row given twice.
    test : (X, y), optional
        A test part.
    split : float, optional
        The share of each class that is kept for testing, if there is no test part; 0: none.
    columns : sequence of str, optional
        Names of the columns; those of a frame are known.
    """

    def __init__(self, x: Any, y: Any, *, weights: Any = None, test: Optional[tuple] = None,
                 split: Optional[float] = None, columns: Optional[Sequence[str]] = None) -> None:
        self.columns = column_names(x) if columns is None else [str(name) for name in columns]
        inputs = inputs_of(x)
        if self.columns and inputs.ndim == 2 and len(self.columns) != inputs.shape[1]:
            raise UsageError(f"columns has {len(self.columns)} names, X {inputs.shape[1]} columns; "
                             "expected a name for each")
        self.classes, labels = classes_of(y, len(inputs))
        arrays = c.kelvin_arrays()
        arrays.rows, arrays.classes = len(inputs), len(self.classes)
        self._shape(arrays, inputs)
        put(arrays, FIELD[inputs.dtype], inputs)
        put(arrays, "labels", labels)
        arrays.class_names = texts([str(each) for each in self.classes.tolist()])
        if self.columns:
            arrays.column_names = texts(self.columns)
        if isinstance(getattr(y, "name", None), str) and y.name not in (self.columns or []):
            arrays.label_name = raw(y.name)
        if weights is not None:
            put(arrays, "weights", weights_of(weights, len(inputs)))
        if test is not None:
            test_x, test_y = test
            if self.columns and column_names(test_x):
                test_x = in_order(test_x, self.columns, "X of test")
            test_inputs = inputs_of(test_x, "X of test")
            if test_inputs.shape[1:] != inputs.shape[1:]:
                raise UsageError(f"X of test has rows of shape {test_inputs.shape[1:]}; "
                                 f"expected {inputs.shape[1:]}, as in training")
            arrays.test_rows = len(test_inputs)
            put(arrays, "test_" + FIELD[test_inputs.dtype], test_inputs)
            put(arrays, "test_labels", codes_of(test_y, self.classes.tolist(), len(test_inputs)))
        elif split is not None:
            if not 0 <= split < 1:
                raise UsageError(f"split is {split}; expected a share from 0 to less than 1")
            arrays.split = split or -1
        self.handle = Handle.make("kelvin_data_close", "kelvin_data_from_arrays", ctypes.byref(arrays))

    @staticmethod
    def _shape(arrays: Any, inputs: np.ndarray) -> None:
        if inputs.dtype == np.uint8:
            arrays.channels, arrays.height, arrays.width = inputs.shape[1:]
        else:
            arrays.columns = inputs.shape[1]


def weights_of(weights: Any, rows: int) -> np.ndarray:
    """A weight for each row, from a number for all of them or one for each."""
    weights = np.asarray(weights, dtype=np.float64)
    if weights.ndim == 0:
        weights = np.full(rows, float(weights))
    if weights.shape != (rows,):
        raise UsageError(f"the weights have shape {weights.shape}; expected one for each row ({rows},)")
    return np.ascontiguousarray(weights)
