"""Tables that the library reads itself, as CSV files: frames with texts and missing cells, and what is asked of runs that
were made from such."""
from __future__ import annotations

import contextlib
import csv
from typing import Any, Iterator, List, Optional, Sequence

import numpy as np

from . import _bindings as c
from ._data import is_frame
from ._library import Error, listed, text

LABEL = "label"


def write(table: Any, path: str, names: Optional[Sequence[str]] = None) -> None:
    """A frame of pandas', or an array with names for its columns, with all digits of its numbers."""
    if is_frame(table):
        table.to_csv(path, index=False, float_format="%.17g")
        return
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(names or [])
        out.writerows(np.asarray(table).tolist())


@contextlib.contextmanager
def shown_as(name: str, path: str) -> Iterator[None]:
    """Sentences about a file that nobody has seen call it otherwise."""
    try:
        yield
    except Error as error:
        error.args = (str(error).replace(path, name),)
        raise


def spec(path: str, label: Optional[int] = None, split: Optional[float] = None) -> str:
    """How the library is asked for it; the label is a column by its place, from 0, since names may be numbers."""
    escaped = path.replace(",", "\\,")
    return (f"csv:{escaped},header=yes" + ("" if label is None else f",label={label + 1}")
            + ("" if split is None else f",split={split}"))


def free_name(name: str, taken: Any) -> str:
    """A name that no column has."""
    while name in set(map(str, taken)):
        name += "_"
    return name


def columns_of(data: Any) -> List[str]:
    """Names of the columns of the table that a run was made from, without label, ids and weights."""
    looked_at = (c.KELVIN_FEATURE_NUMBER, c.KELVIN_FEATURE_YES_NO, c.KELVIN_FEATURE_CATEGORY,
                 c.KELVIN_FEATURE_LEFT_OUT)
    features = [each.contents for each in listed("kelvin_data_feature", data)]
    return [text(each.name) or "" for each in sorted(features, key=lambda each: each.place)
            if each.kind in looked_at]


def is_made_over(data: Any) -> bool:
    """Whether a row is more, or less, than a number for each column."""
    plain = (c.KELVIN_FEATURE_NUMBER, c.KELVIN_FEATURE_LABEL)
    return any(each.contents.kind not in plain or each.contents.indicated
               for each in listed("kelvin_data_feature", data))


def row_order(frame: Any, codes: np.ndarray) -> np.ndarray:
    """Rows by their first cell, then their second, ..., then their class: whatever the cells are, and those that are
    missing last."""
    keys = [codes]
    for i in reversed(range(frame.shape[1])):
        column = frame.iloc[:, i]
        if getattr(column.dtype, "kind", "O") in "fiub":
            keys.append(column.to_numpy())
        else:
            keys.append(np.unique(column.astype(str).to_numpy(dtype=str), return_inverse=True)[1])
    return np.lexsort(keys)
