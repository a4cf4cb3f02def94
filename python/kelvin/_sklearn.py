"""What the classifier needs of scikit-learn: its own where it is installed, of any version from 1.0 on; or as much as the
classifier works with by itself."""
from __future__ import annotations

from typing import Any

import numpy as np

try:
    from sklearn.base import BaseEstimator, ClassifierMixin
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_is_fitted, column_or_1d

    try:
        from sklearn.utils.validation import validate_data as validate
    except ImportError:  # before 1.6 it was a method
        def validate(estimator: Any, X: Any, y: Any = "no_validation", reset: bool = True,
                     skip_check_array: bool = False, **checks: Any) -> Any:
            if skip_check_array:
                estimator._check_feature_names(X, reset=reset)
                estimator._check_n_features(X, reset=reset)
                return X
            return estimator._validate_data(X, y, reset=reset, **checks)

except ImportError:
    import inspect

    class NotFittedError(ValueError, AttributeError):
        """An estimator was asked before it was fitted."""

    class BaseEstimator:  # type: ignore[no-redef]
        """Parameters by their names."""

        @classmethod
        def _names(cls) -> list:
            return [name for name in inspect.signature(cls.__init__).parameters if name != "self"]

        def get_params(self, deep: bool = True) -> dict:
            return {name: getattr(self, name) for name in self._names()}

        def set_params(self, **params: Any) -> Any:
            for name, value in params.items():
                if name not in self._names():
                    raise ValueError(f"unknown parameter {name!r}; expected one of: {', '.join(self._names())}")
                setattr(self, name, value)
            return self

        def __repr__(self) -> str:
            usual = {name: each.default for name, each in inspect.signature(type(self).__init__).parameters.items()}
            changed = [f"{name}={value!r}" for name, value in self.get_params().items()
                       if value is not usual[name] and value != usual[name]]
            return f"{type(self).__name__}({', '.join(changed)})"

    class ClassifierMixin:  # type: ignore[no-redef]
        """The share of right answers."""

        def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
            return float(np.average(np.asarray(y) == self.predict(X), weights=sample_weight))  # type: ignore

    def check_is_fitted(estimator: Any) -> None:
        if not any(name.endswith("_") and not name.startswith("_") for name in vars(estimator)):
            raise NotFittedError(f"this {type(estimator).__name__} has not been fitted; call fit first")

    def column_or_1d(y: Any, **_: Any) -> np.ndarray:
        y = np.asarray(y)
        if y.ndim == 2 and y.shape[1] == 1:
            y = y[:, 0]
        if y.ndim != 1:
            raise ValueError(f"y has shape {y.shape}; expected a label for each row")
        return y

    def check_classification_targets(y: np.ndarray) -> None:
        if y.dtype.kind == "f" and (y != np.floor(y)).any():
            raise ValueError("y has numbers that are not whole; expected classes")

    def validate(estimator: Any, X: Any, y: Any = "no_validation", reset: bool = True, skip_check_array: bool = False,
                 **_: Any) -> Any:
        from ._data import column_names, inputs_of

        names = column_names(X)
        if not skip_check_array:
            X = inputs_of(X)
            if not np.isfinite(X).all():
                raise ValueError("X has numbers that are missing or infinite")
        columns = int(np.prod(np.shape(X)[1:]))
        if reset:
            estimator.n_features_in_ = columns
            if names:
                estimator.feature_names_in_ = np.array(names, dtype=object)
        elif columns != estimator.n_features_in_:
            raise ValueError(f"X has {columns} features, but {type(estimator).__name__} is expecting "
                             f"{estimator.n_features_in_} features as input")
        if isinstance(y, str):
            return X
        y = column_or_1d(y)
        if len(y) != len(X):
            raise ValueError(f"X has {len(X)} rows and y {len(y)}; expected a label for each row")
        return X, y


__all__ = ["BaseEstimator", "ClassifierMixin", "check_classification_targets", "check_is_fitted", "column_or_1d",
           "validate"]
