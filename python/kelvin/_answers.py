"""What the samples of a run say: metrics, and whether to believe them."""
from __future__ import annotations

import ctypes
import math
import textwrap
from typing import Any, Dict, Iterator, List, Mapping, NamedTuple

import numpy as np

from . import _bindings as c
from ._library import Handle, library, listed, said, text


class Metric(NamedTuple):
    """One metric of a posterior.

    Attributes
    ----------
    ensemble : float
        Of the posterior predictive of all samples.
    single : float
        The mean over single samples.
    error : float
        The standard error of ``single`` over chains; nan of one chain.
    low, median, high : float
        10, 50 and 90 % of the ensembles of 8 random samples, as in the paper; nan of few samples.
    """

    ensemble: float
    single: float
    error: float
    low: float
    median: float
    high: float


class Metrics(Mapping):
    """Metrics by name: ``metrics["accuracy"]`` is a `Metric`, ``metrics.accuracy`` the number of the ensemble.

    Attributes
    ----------
    on : str
        What they are of: "test", "train", or a data set.
    observations, samples, chains, classes : int
        How many there are.
    bins : numpy.ndarray
        Reliability of the ensemble, bins of equal width: fields from, to, n, hits, confidence.
    """

    def __init__(self, handle: Handle, on: str) -> None:
        self.on = on
        self._metrics: Dict[str, Metric] = {}
        self._titles: Dict[str, str] = {}
        for i in range(library.kelvin_metrics_count()):
            info = library.kelvin_metric_at(i).contents
            name = text(info.member.name) or ""
            single = library.kelvin_metrics_single(handle, i)
            spread = library.kelvin_metrics_spread(handle, i)
            self._metrics[name] = Metric(library.kelvin_metrics_ensemble(handle, i), single.mean, single.error,
                                         spread.low, spread.median, spread.high)
            self._titles[name] = text(info.title) or ""
        self.observations = library.kelvin_metrics_observations(handle)
        self.samples = library.kelvin_metrics_samples(handle)
        self.chains = library.kelvin_metrics_chains(handle)
        self.classes = library.kelvin_metrics_classes(handle)
        n = ctypes.c_size_t()
        found = library.kelvin_metrics_bins(handle, False, ctypes.byref(n))
        self.bins = np.array([(b.__getattribute__("from"), b.to, b.n, b.hits, b.confidence) for b in found[:n.value]],
                             dtype=[("from", "f8"), ("to", "f8"), ("n", "i8"), ("hits", "i8"), ("confidence", "f8")])

    def __getitem__(self, name: str) -> Metric:
        return self._metrics[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._metrics)

    def __len__(self) -> int:
        return len(self._metrics)

    def __getattr__(self, name: str) -> float:
        try:
            return self.__dict__["_metrics"][name].ensemble
        except KeyError:
            raise AttributeError(f"there is no metric {name!r}") from None

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self._metrics]

    def __repr__(self) -> str:
        lines = [f"{self.samples} samples of {self.chains} chains on {self.on}, {self.observations} observations",
                 f"{'':30}{'ensemble':>12}{'single samples':>26}"]
        for name, metric in self._metrics.items():
            error = "" if math.isnan(metric.error) else f" +- {metric.error:.4f}"
            lines.append(f"{self._titles[name]:30}{metric.ensemble:12.4f}{f'{metric.single:.4f}{error}':>26}")
        return "\n".join(lines)


class Advice(NamedTuple):
    """What is off, or worth knowing.

    Attributes
    ----------
    code : str
        What it is about, for programs: "chains-disagree".
    grade : str
        What it takes away from a run: "sound", "usable with care" or "not to be used".
    text : str
        For people.
    """

    code: str
    grade: str
    text: str


class Convergence(NamedTuple):
    """R-hat and effective sample sizes of many quantities; nan where they cannot be told."""

    quantities: int
    chains: int
    draws: int
    rhat_mean: float
    rhat_max: float
    rank_rhat_median: float
    rank_rhat_max: float
    ess_bulk_median: float
    ess_bulk_min: float
    ess_tail_min: float


class Diagnosis:
    """Whether to believe a run.

    Attributes
    ----------
    grade : str
        "sound", "usable with care" or "not to be used".
    verdict : str
        The grade, and why, in one line.
    advice, notes : list of Advice
        What is off, and what to do about it, the gravest first; what to know where nothing is wrong.
    parameters, predictions : Convergence
        Of all parameters, and of probabilities at some observations.
    disagreement : numpy.ndarray
        (chains, chains): the share of observations for which two chains have another most likely class.
    kinetic_temperature, configurational_temperature : float
        At which temperature chains were; nan where the sampler does not measure it.
    temperature : float
        What it should have been.
    diverged : int
        How many chains left for infinity.
    numbers : dict
        By name: acceptance, training_accuracy, log_likelihood, linear_log_likelihood, beyond_linear,
        calibration_error, ...; nan where they are not known.
    """

    NUMBERS = ("acceptance", "energy_error", "energy_variance", "training_accuracy", "training_log_likelihood",
               "training_confidence", "log_likelihood", "linear_log_likelihood", "frequencies_log_likelihood",
               "beyond_linear", "beyond_linear_error", "beyond_frequencies", "beyond_frequencies_error",
               "calibration_error", "calibration_error_by_chance")

    def __init__(self, handle: Handle) -> None:
        self.verdict = text(library.kelvin_diagnosis_verdict(handle)) or ""
        self.grade = text(library.kelvin_grade_name(library.kelvin_diagnosis_grade(handle))) or ""
        self.advice = [self._advice(each) for each in listed("kelvin_diagnosis_advice", handle)]
        self.notes = [self._advice(each) for each in listed("kelvin_diagnosis_note", handle)]
        self.parameters = self._convergence(handle, c.KELVIN_PARAMETERS)
        self.predictions = self._convergence(handle, c.KELVIN_PREDICTIONS)
        agreement = library.kelvin_diagnosis_agreement(handle)
        chains = agreement.contents.chains if agreement else 0
        self.disagreement = np.zeros((chains, chains))
        if chains:
            ctypes.memmove(self.disagreement.ctypes.data, agreement.contents.disagreement, self.disagreement.nbytes)
        temperatures = library.kelvin_diagnosis_temperatures(handle).contents
        self.temperature = temperatures.set
        self.kinetic_temperature = temperatures.kinetic.mean
        self.configurational_temperature = temperatures.configurational.mean
        self.diverged = library.kelvin_diagnosis_diverged(handle)
        self.numbers = {name: library.kelvin_diagnosis_number(handle, name.encode()) for name in self.NUMBERS}

    @staticmethod
    def _advice(advice: Any) -> Advice:
        return Advice(text(advice.contents.code) or "", text(library.kelvin_grade_name(advice.contents.grade)) or "",
                      said(library.kelvin_advice_say, advice))

    @staticmethod
    def _convergence(handle: Handle, of: int) -> Convergence:
        found = library.kelvin_diagnosis_convergence(handle, of).contents
        return Convergence(*[getattr(found, name) for name in Convergence._fields])

    def __repr__(self) -> str:
        def wrapped(sentence: str, first: str) -> str:
            return textwrap.fill(sentence, 88, initial_indent=first, subsequent_indent="  ")

        lines = [wrapped("verdict: " + self.verdict, "")]
        for title, found in (("advice", self.advice), ("notes", self.notes)):
            if found:
                lines += ["", title] + [wrapped(each.text, "- ") for each in found]
        lines += ["", f"{'':12}{'R-hat, max':>12}{'bulk ESS, min':>16}{'tail ESS, min':>16}"]
        for name, of in (("parameters", self.parameters), ("predictions", self.predictions)):
            lines.append(f"{name:12}{of.rank_rhat_max:12.3f}{of.ess_bulk_min:16.0f}{of.ess_tail_min:16.0f}")
        return "\n".join(lines)


class Effect(NamedTuple):
    """What a column of a table does.

    Attributes
    ----------
    name : str
        Of the column.
    importance, error : float
        By how many nats the mean negative log-likelihood grows where its values are shuffled, and the standard error.
    """

    name: str
    importance: float
    error: float


def effects(handle: Handle) -> List[Effect]:
    return [Effect(text(each.contents.name) or "", each.contents.importance.mean, each.contents.importance.error)
            for each in listed("kelvin_effects_at", handle)]


