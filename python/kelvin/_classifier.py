"""A classifier with scikit-learn's ways, for tables and images."""
from __future__ import annotations

import math
import numbers
import os
import warnings
from typing import Any, Dict, Optional

import numpy as np

from . import _tables
from ._data import has_numbers_alone, is_frame, weights_of
from ._library import DivergedError
from ._run import Run, Uncertainty
from ._sampling import sample
from ._sklearn import (BaseEstimator, ClassifierMixin, check_classification_targets, check_is_fitted, column_or_1d,
                       validate)

SMALLER_STEPS = 3  # tries with smaller steps, where chains have diverged
CHAINS = 4  # of samplers whose samples are counted chain by chain


class KelvinClassifier(ClassifierMixin, BaseEstimator):
    """A Bayesian neural network: its posterior is sampled, and predictions are means over the samples.

    What is "auto" is found from the training rows, in a second or so of trial runs.

    Parameters
    ----------
    density : str, default="categorical"
        Of predictions: "categorical" is the usual likelihood; "dirclip:0.85,-50" and others expect confidence, as clean
        labels do; "auto" lets held-out rows choose. ``kelvin.members("densities")`` has all.
    prior : str, default="auto"
        Of parameters: "sparse:8,0.4", "normal:1", "fan-in:1", ...
    temperature : float, default=1
        Below 1 the posterior is cooled.
    model : str, default="auto"
        "mlp:20,20"; for images "cnn", "resnet20", ...
    sampler : str, default="sghmc"
        "sghmc" looks at batches; "hmc" and "mclmc" at all rows in every step.
    n_samples : int, optional
        Of the posterior, of all chains together; by default found with the rest. Chains of sghmc do not get longer by
        it: more samples are closer to each other.
    random_state : int, RandomState, Generator or None, default=None
        The seed. None is the usual one, 0: the same data always give the same bits.
    n_jobs : int, optional
        Threads. -1: one per CPU; None: the same, or as many as $OMP_NUM_THREADS says, as in workers of joblib's. The bits
        do not depend on it.
    verbose : int, default=0
        1: shows how far it is.

    Attributes
    ----------
    classes_ : numpy.ndarray
        The classes, in the order of probabilities.
    n_features_in_ : int
        How many columns X had.
    feature_names_in_ : numpy.ndarray
        Their names, of a pandas frame.
    posterior_ : kelvin.Run
        Everything else: samples, diagnosis, report, export.

    Notes
    -----
    Rows need not be scaled, nor be in any order: their order does not count. A weight of 2 is a row that is there twice,
    to the bit. Frames of pandas may have texts, which become categories, and missing cells.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> model = kelvin.KelvinClassifier(random_state=0).fit(X, y)
    >>> model.predict(X[:2])
    array([0, 0])
    """

    def __init__(self, density: str = "categorical", prior: str = "auto", temperature: float = 1, model: str = "auto",
                 sampler: str = "sghmc", n_samples: Optional[int] = None, random_state: Any = None,
                 n_jobs: Optional[int] = None, verbose: int = 0) -> None:
        self.density = density
        self.prior = prior
        self.temperature = temperature
        self.model = model
        self.sampler = sampler
        self.n_samples = n_samples
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    # ---- fitting ----

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> "KelvinClassifier":
        """Samples the posterior of all rows.

        Parameters
        ----------
        X : array_like or DataFrame of shape (n_samples, n_features)
            As measured; or images of uint8, (rows, height, width) or (rows, channels, height, width).
        y : array_like of shape (n_samples,)
            Classes: numbers or texts.
        sample_weight : array_like of shape (n_samples,), optional
            How much each row counts.

        Returns
        -------
        KelvinClassifier
            Itself.
        """
        if y is None:
            raise ValueError("this KelvinClassifier requires y to be passed, but the target y is None")
        if is_frame(X) and not has_numbers_alone(X):
            validate(self, X, skip_check_array=True)
            y = column_or_1d(y, warn=True)
            if len(y) != len(X):
                raise ValueError(f"X has {len(X)} rows and y {len(y)}; expected a label for each row")
        else:
            X, y = validate(self, X, y, ensure_min_samples=2, **self._checks(X))
            y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        weights = None if sample_weight is None else self._weights(sample_weight, len(y))
        self.classes_, codes = np.unique(y, return_inverse=True)
        counted = np.unique(codes if weights is None else codes[weights > 0])
        if len(counted) < 2:
            raise ValueError(f"y has one class alone, '{self.classes_[counted[0]]}'; expected at least 2 classes")
        ask = self._sample_table if is_frame(X) else self._sample_arrays
        self.posterior_: Run = ask(X, codes, weights)
        return self

    @staticmethod
    def _checks(X: Any) -> Dict[str, Any]:
        """What X may be: a table of numbers, or images."""
        images = getattr(X, "dtype", None) == np.uint8 and getattr(X, "ndim", 2) > 2
        return {"dtype": np.uint8, "allow_nd": True} if images else {"dtype": [np.float64, np.float32]}

    @staticmethod
    def _weights(sample_weight: Any, rows: int) -> np.ndarray:
        weights = weights_of(sample_weight, rows)
        if not np.isfinite(weights).all() or (weights < 0).any():
            raise ValueError("sample_weight has numbers that are negative or not finite; expected weights from 0 on")
        if not weights.any():
            raise ValueError("sample_weight is zero for all rows; expected some that count")
        return weights

    def _settings(self) -> Dict[str, Any]:
        settings = {"density": self.density, "prior": self.prior, "temperature": self.temperature,
                    "model": self.model, "sampler": self.sampler, "seed": self._seed(), "threads": self._threads(),
                    "progress": bool(self.verbose)}
        if self.n_samples is not None:
            if not isinstance(self.n_samples, numbers.Integral) or self.n_samples < 1:
                raise ValueError(f"n_samples is {self.n_samples!r}; expected a whole number from 1 on")
            settings.update(self._length(int(self.n_samples)))
        return settings

    def _length(self, n: int) -> Dict[str, int]:
        if self.sampler == "sghmc":
            return {"samples": n}
        draws = math.ceil(n / CHAINS)
        warmup = math.ceil(draws * 3 / 7)
        return {"chains": CHAINS, "iterations": draws + warmup, "warmup": warmup}

    def _seed(self) -> Optional[int]:
        if self.random_state is None:
            return None
        if isinstance(self.random_state, numbers.Integral):
            return int(self.random_state)
        draw = getattr(self.random_state, "integers", None) or self.random_state.randint
        return int(draw(2**31 - 1))

    def _threads(self) -> int:
        if self.n_jobs is None or self.n_jobs == -1:
            limit = os.environ.get("OMP_NUM_THREADS", "")
            return int(limit) if limit.isdigit() and self.n_jobs is None else 0
        if not isinstance(self.n_jobs, numbers.Integral) or self.n_jobs == 0:
            raise ValueError(f"n_jobs is {self.n_jobs!r}; expected a whole number other than 0, or None")
        return int(self.n_jobs) if self.n_jobs > 0 else max(1, (os.cpu_count() or 1) + 1 + int(self.n_jobs))

    def _sampled(self, data: Any, **options: Any) -> Run:
        """A few rows that are easily told apart let networks grow without end, at steps that trial runs of a part of them
        took for small enough: then with smaller ones."""
        settings = self._settings()
        for _ in range(SMALLER_STEPS):
            try:
                with warnings.catch_warnings():
                    warnings.filterwarnings("ignore", ".*diverged", RuntimeWarning)
                    run = sample(data, split=0, **options, **settings)
                if not run.diverged:
                    return run
            except DivergedError as error:
                run = error.run
            config = run.config if run else {}
            if "lr" not in config:
                break
            settings.update({name: config[name] for name in ("model", "prior", "density")}, lr=config["lr"] / 8)
        return sample(data, split=0, **options, **settings)

    def _sample_arrays(self, X: np.ndarray, codes: np.ndarray, weights: Optional[np.ndarray]) -> Run:
        """Rows in an order of their own, so that the one in which they were given does not count."""
        order = row_order(X, codes)
        names = getattr(self, "feature_names_in_", None) if X.ndim == 2 else None
        return self._sampled((X[order], self.classes_[codes[order]]), columns=names,
                             weights=None if weights is None else weights[order])

    def _sample_table(self, X: Any, codes: np.ndarray, weights: Optional[np.ndarray]) -> Run:
        """A frame with texts or missing cells: the library's reader of tables makes inputs of them."""
        if weights is not None:
            raise ValueError("sample_weight is for numbers alone; this frame has texts or missing cells")
        label = _tables.free_name(_tables.LABEL, X.columns)
        order = _tables.row_order(X, codes)
        run = self._sampled(X.assign(**{label: self.classes_[codes]}).iloc[order], label=label)
        run._labels = self.classes_.tolist()
        return run

    # ---- asking ----

    def _judged(self, X: Any, ask: str) -> Any:
        check_is_fitted(self)
        if is_frame(X) and (self.posterior_._made_from_a_table() or not has_numbers_alone(X)):
            validate(self, X, reset=False, skip_check_array=True)
        else:
            X = validate(self, X, reset=False, **self._checks(X))
        return getattr(self.posterior_, ask)(X, threads=self._threads())

    def predict_proba(self, X: Any) -> np.ndarray:
        """The probability of each class.

        Parameters
        ----------
        X : array_like or DataFrame of shape (n_samples, n_features)
            As measured.

        Returns
        -------
        numpy.ndarray of shape (n_samples, n_classes)
            In the order of ``classes_``.
        """
        return self._judged(X, "predict")

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithm of the probability of each class.

        Parameters
        ----------
        X : array_like or DataFrame of shape (n_samples, n_features)
            As measured.

        Returns
        -------
        numpy.ndarray of shape (n_samples, n_classes)
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def predict(self, X: Any) -> np.ndarray:
        """The most likely class.

        Parameters
        ----------
        X : array_like or DataFrame of shape (n_samples, n_features)
            As measured.

        Returns
        -------
        numpy.ndarray of shape (n_samples,)
        """
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def predict_uncertainty(self, X: Any) -> Uncertainty:
        """How unsure the posterior is of each row, and which part of that is in the data.

        Parameters
        ----------
        X : array_like or DataFrame of shape (n_samples, n_features)
            As measured.

        Returns
        -------
        Uncertainty
            entropy, aleatoric and epistemic, each of shape (n_samples,), in nats.
        """
        return self._judged(X, "uncertainty")


def row_order(X: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """Rows by their first number, then their second, ..., then their class."""
    flat = X.reshape(len(X), -1)
    return np.lexsort((codes, *flat.T[::-1]))


