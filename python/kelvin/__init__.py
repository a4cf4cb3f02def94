"""kelvin: Bayesian neural networks on ordinary CPUs.

    import kelvin
    model = kelvin.KelvinClassifier().fit(X, y)          # scikit-learn's ways
    model.predict_proba(X_new)

    run = kelvin.sample("digits", density="dirclip:0.85,-50")
    run.diagnose(), run.evaluate(), run.samples["layers.0.weight"]

    draws = kelvin.hmc(logp_and_grad, x0)                # any log-density of yours

docs/python.md is the manual.
"""
from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

# Where each name lives. A module is imported when one of its names is first used: `import kelvin` itself is quick, and
# scikit-learn, ArviZ and torch are imported by who uses what needs them.
_HOMES = {
    "_run": ("Run", "Uncertainty", "open"),
    "_sampling": ("Progress", "resume", "sample"),
    "_answers": ("Advice", "Convergence", "Diagnosis", "Effect", "Metric", "Metrics"),
    "_samples": ("Samples",),
    "_classifier": ("KelvinClassifier",),
    "_targets": ("Draws", "hmc", "mclmc"),
    "_lists": ("describe", "fetch", "fields", "members"),
    "_library": ("DivergedError", "Error", "FileError", "FormatError", "OutOfMemory", "Stopped", "StoppedByWatch",
                 "UsageError"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [*_HOME, "__version__"]  # noqa: PLE0604

if TYPE_CHECKING:
    from ._answers import Advice as Advice
    from ._answers import Convergence as Convergence
    from ._answers import Diagnosis as Diagnosis
    from ._answers import Effect as Effect
    from ._answers import Metric as Metric
    from ._answers import Metrics as Metrics
    from ._classifier import KelvinClassifier as KelvinClassifier
    from ._library import DivergedError as DivergedError
    from ._library import Error as Error
    from ._library import FileError as FileError
    from ._library import FormatError as FormatError
    from ._library import OutOfMemory as OutOfMemory
    from ._library import Stopped as Stopped
    from ._library import StoppedByWatch as StoppedByWatch
    from ._library import UsageError as UsageError
    from ._lists import describe as describe
    from ._lists import fetch as fetch
    from ._lists import fields as fields
    from ._lists import members as members
    from ._run import Run as Run
    from ._run import Uncertainty as Uncertainty
    from ._run import open as open
    from ._samples import Samples as Samples
    from ._sampling import Progress as Progress
    from ._sampling import resume as resume
    from ._sampling import sample as sample
    from ._targets import Draws as Draws
    from ._targets import hmc as hmc
    from ._targets import mclmc as mclmc

    __version__: str


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from ._library import library, text

        value: Any = text(library.kelvin_version())
    elif name in _HOME:
        value = getattr(importlib.import_module("." + _HOME[name], __name__), name)
    elif name == "torch":
        value = importlib.import_module(".torch", __name__)
    else:
        raise AttributeError(f"module 'kelvin' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "torch"])
