"""Runs and draws for ArviZ."""
from __future__ import annotations

import os
import tempfile
from typing import Any, Dict, Mapping

import numpy as np

OTHERS = ("log_likelihood", "logits_train", "labels_train", "logits_test", "labels_test")  # that are no statistics


def from_groups(groups: Mapping[str, Mapping[str, np.ndarray]], dims: Mapping[str, list], coords: Mapping[str, Any],
                attributes: Mapping[str, str]) -> Any:
    """An InferenceData of ArviZ's; from its version 1.0 on that is xarray's DataTree."""
    try:
        import arviz
    except ImportError:
        raise ImportError("to_arviz needs ArviZ: pip install arviz") from None
    groups = {name: dict(group) for name, group in groups.items() if group}
    about = {"dims": dict(dims), "coords": dict(coords), "pred_dims": dict(dims), "pred_coords": dict(coords)}
    if int(arviz.__version__.split(".")[0]) >= 1:
        return arviz.from_dict(groups, attrs={"/": dict(attributes)}, **about)
    return arviz.from_dict(**groups, attrs=dict(attributes), **about)


def from_run(run: Any) -> Any:
    """Of a run: from its export as npz, so that it is what ``kelvin export --format netcdf`` has."""
    with tempfile.TemporaryDirectory(prefix="kelvin-") as folder:
        path = run.export(os.path.join(folder, "run.npz"))
        with np.load(path) as file:
            arrays: Dict[str, np.ndarray] = {name: file[name] for name in file.files}
    parameters = {name: arrays[name] for name in run.samples}
    groups: Dict[str, Dict[str, np.ndarray]] = {
        "posterior": parameters,
        "log_likelihood": _taken(arrays, {"y": "log_likelihood"}),
        "posterior_predictive": _taken(arrays, {"logits": "logits_train"}),
        "observed_data": _taken(arrays, {"y": "labels_train"}),
        "predictions": _taken(arrays, {"logits": "logits_test"}),
        "predictions_constant_data": _taken(arrays, {"y": "labels_test"}),
        "sample_stats": {name: array for name, array in arrays.items()
                         if name not in {*parameters, *OTHERS} and array.ndim == 2},
    }
    dims = {"y": ["obs"], "logits": ["obs", "class"]}
    coords = {"class": [str(each) for each in arrays["class_names"]], "chain": arrays["chain"],
              "draw": arrays["draw"]}
    attributes: Dict[str, str] = {name: str(arrays[name]) for name in ("kelvin_run", "inference_library", "inference_library_version")
                  if name in arrays}
    return from_groups(groups, dims, coords, attributes)


def _taken(arrays: Mapping[str, np.ndarray], names: Mapping[str, str]) -> Dict[str, np.ndarray]:
    return {name: arrays[source] for name, source in names.items() if source in arrays}
