"""Densities of one's own: Hamiltonian and microcanonical Monte Carlo for any function of a NumPy vector."""
from __future__ import annotations

import ctypes
import numbers
import sys
import time
from typing import Any, Callable, Dict, List, Optional, Tuple

import numpy as np

from . import _bindings as c
from ._library import DivergedError, Handle, UsageError, call, library, raw, text
from ._progress import Bar, wanted
from ._work import Work

Target = Callable[[np.ndarray], Tuple[Any, Any]]


class Draws:
    """What chains have drawn from a density.

    Attributes
    ----------
    x : numpy.ndarray
        (chains, draws, n), warm-up left out.
    logp : numpy.ndarray
        (chains, draws): the log-density at each of them.
    stats : dict
        What the sampler says of each step, (chains, draws): acceptance, energy_error, ...
    settings : dict
        What the sampler used, as it was tuned: step_size, ...
    seconds : float
        How long it took.
    calls : int
        How often the density was asked.
    """

    def __init__(self, x: np.ndarray, logp: np.ndarray, stats: Dict[str, np.ndarray], settings: Dict[str, float],
                 seconds: float, calls: int) -> None:
        self.x, self.logp, self.stats, self.settings = x, logp, stats, settings
        self.seconds, self.calls = seconds, calls

    def _diagnostics(self) -> np.ndarray:
        chains, draws, n = self.x.shape
        found = np.empty((n, 3))
        numbers = [ctypes.c_double() for _ in range(3)]
        for i in range(n):
            column = np.ascontiguousarray(self.x[:, :, i], dtype=np.float64)
            call("kelvin_rank_diagnostics", *map(ctypes.byref, numbers), column.ctypes.data, chains, draws)
            found[i] = [number.value for number in numbers]
        return found

    @property
    def rhat(self) -> np.ndarray:
        """R-hat of each parameter: rank-normalised, split, folded; near 1 where chains agree."""
        return self._diagnostics()[:, 0]

    @property
    def ess(self) -> np.ndarray:
        """Effective sample size of each parameter, of the bulk."""
        return self._diagnostics()[:, 1]

    @property
    def ess_tail(self) -> np.ndarray:
        """Effective sample size of each parameter, of the tails: the smaller one of the 5 % and the 95 % quantile."""
        return self._diagnostics()[:, 2]

    def to_arviz(self) -> Any:
        """The draws for ArviZ.

        Returns
        -------
        arviz.InferenceData or xarray.DataTree
            Groups posterior (x) and sample_stats.
        """
        from ._arviz import from_groups

        return from_groups({"posterior": {"x": self.x}, "sample_stats": {**self.stats, "lp": self.logp}}, {}, {},
                           {"inference_library": "kelvin"})

    def __repr__(self) -> str:
        chains, draws, n = self.x.shape
        found = self._diagnostics()
        lines = [f"{chains} chains x {draws} draws of {n} numbers, {self.seconds:.1f} s, {self.calls} calls",
                 f"{'':8}{'mean':>12}{'deviation':>12}{'R-hat':>10}{'ESS':>10}{'tail ESS':>10}"]
        for i in range(min(n, 10)):
            column = self.x[:, :, i]
            lines.append(f"{f'x[{i}]':8}{column.mean():12.4g}{column.std():12.4g}{found[i, 0]:10.3f}{found[i, 1]:10.0f}"
                         f"{found[i, 2]:10.0f}")
        return "\n".join(lines + ([f"... and {n - 10} more"] if n > 10 else []))


class _Density:
    """A function of the user's as the library calls it."""

    def __init__(self, function: Target, n: int) -> None:
        self.function, self.n = function, n
        self.work = Work()
        self.calls = 0
        self.eval = c.kelvin_eval(self._eval)
        self.target = c.kelvin_target(n, self.eval, None)

    def ask(self, x: np.ndarray) -> Tuple[float, np.ndarray]:
        found = self.function(x)
        try:
            logp, grad = found
        except (TypeError, ValueError):
            raise UsageError("the density returned no pair; expected (log-density, gradient)") from None
        logp, grad = (each.detach() if hasattr(each, "detach") else each for each in (logp, grad))  # of torch
        grad = np.asarray(grad, dtype=np.float32)
        if grad.shape != (self.n,):
            raise UsageError(f"the density returned a gradient of shape {grad.shape}; expected ({self.n},)")
        value = np.asarray(logp, dtype=np.float64)
        if value.size != 1:
            raise UsageError(f"the density returned a log-density of shape {value.shape}; expected one number")
        return float(value.reshape(())), grad

    def _eval(self, _context: Any, logp: Any, grad: Any, theta: Any) -> None:
        value, gradient = float("nan"), None
        if not self.work.stopped:
            try:
                self.calls += 1
                x = np.frombuffer(ctypes.string_at(theta, 4 * self.n), dtype=np.float32).astype(np.float64)
                value, gradient = self.ask(x)
            except BaseException as error:  # C cannot pass it on; the step is finished without asking again
                self.work.stop(error)
        if logp:
            ctypes.c_double.from_address(logp).value = value
        if grad:
            if gradient is None:
                ctypes.memset(grad, 0, 4 * self.n)
            else:
                ctypes.memmove(grad, np.ascontiguousarray(gradient).ctypes.data, 4 * self.n)

    def check(self) -> None:
        if self.work.error is not None:
            raise self.work.error


def _starts(x0: Any, chains: Optional[int]) -> np.ndarray:
    """(chains, n), float32"""
    x0 = np.asarray(x0, dtype=np.float64)
    if x0.ndim not in (1, 2) or x0.size == 0:
        raise UsageError(f"x0 has shape {x0.shape}; expected (n,), or (chains, n)")
    if x0.ndim == 1:
        x0 = np.tile(x0, (4 if chains is None else max(0, int(chains)), 1))
    elif chains is not None and len(x0) != chains:
        raise UsageError(f"x0 has {len(x0)} rows and chains is {chains}; expected a row for each chain")
    if not np.isfinite(x0).all():
        raise UsageError("x0 has numbers that are not finite")
    return np.ascontiguousarray(x0, dtype=np.float32)


def _sample(name: str, function: Target, x0: Any, draws: int, warmup: int, chains: Optional[int], seed: int,
            temperature: float, progress: Optional[bool], settings: Dict[str, float]) -> Draws:
    starts = _starts(x0, chains)
    for what, amount, least in (("draws", draws, 1), ("warmup", warmup, 0), ("seed", seed, 0), ("chains", len(starts), 1)):
        if not isinstance(amount, numbers.Integral) or not least <= amount < 2**32:
            raise UsageError(f"{what} is {amount!r}; expected a whole number from {least} on")
    if name == "mclmc" and starts.shape[1] < 2:
        raise UsageError("mclmc moves in a direction, and x0 has one number; expected at least 2, or kelvin.hmc")
    if not temperature > 0:
        raise UsageError(f"temperature is {temperature}; expected a number above 0")
    density = _Density(function, starts.shape[1])
    logp, grad = density.ask(starts[0].astype(np.float64))  # what is wrong with it is said before anything else
    if not np.isfinite(logp) or not np.isfinite(grad).all():
        raise UsageError("the log-density or its gradient is not finite at x0; expected a start inside its support")
    samplers: List[Handle] = []
    for chain, start in enumerate(starts):
        sampler = Handle.make("kelvin_sampler_destroy", "kelvin_sampler_create", raw(name),
                              ctypes.byref(density.target), seed, chain)
        for setting, value in settings.items():
            call("kelvin_sampler_set", sampler, raw(setting), value)
        library.kelvin_sampler_start(sampler, start.ctypes.data)
        density.check()
        samplers.append(sampler)
    begin = time.perf_counter()
    bar = Bar(name, draws * len(samplers), "draw") if wanted(progress) else None
    if bar:
        print("warming up ...", end="", file=sys.stderr, flush=True)
    with density.work.hearing_ctrl_c():
        _warm_up(density, samplers, warmup, temperature)
        found = _draw(density, samplers, draws, warmup, temperature, bar)
    used = {}
    for i in range(1000):
        setting = library.kelvin_sampler_setting(samplers[0], i)
        if not setting:
            break
        used[text(setting.contents.name) or ""] = library.kelvin_sampler_get(samplers[0], setting.contents.name)
    return Draws(*found, used, time.perf_counter() - begin, density.calls)


def _warm_up(density: _Density, samplers: List[Handle], warmup: int, temperature: float) -> None:
    if not warmup:
        return
    handles = (ctypes.c_void_p * len(samplers))(*[sampler._pointer.value for sampler in samplers])
    try:
        call("kelvin_sampler_tune", ctypes.cast(handles, ctypes.POINTER(ctypes.c_void_p)), len(samplers), warmup,
             temperature, 1)
    except Exception:
        density.check()  # what the user's function said comes first
        raise
    density.check()


def _draw(density: _Density, samplers: List[Handle], draws: int, warmup: int, temperature: float,
          bar: Optional[Bar]) -> Tuple[np.ndarray, np.ndarray, Dict[str, np.ndarray]]:
    names = _statistics(samplers[0])
    x = np.empty((len(samplers), draws, density.n), dtype=np.float32)
    logp = np.empty(x.shape[:2])
    stats = {name: np.empty(x.shape[:2]) for name in names}
    for chain, sampler in enumerate(samplers):
        for draw in range(draws):
            moment = c.kelvin_moment(warmup + draw, warmup, 1, temperature)
            logp[chain, draw] = library.kelvin_sampler_step(sampler, ctypes.byref(moment))
            density.check()
            x[chain, draw] = np.frombuffer(ctypes.string_at(library.kelvin_sampler_theta(sampler), 4 * density.n),
                                           np.float32)
            for i, name in enumerate(names):
                stats[name][chain, draw] = _statistic(sampler, i)[1]
            if bar:
                bar.update(chain * draws + draw + 1, len(samplers) * draws)
    if bar:
        bar.close()
    for sampler in samplers:
        call("kelvin_sampler_check", sampler)
    if not (np.abs(x) < 1e30).all():
        raise DivergedError("chains left for infinity; expected a density that falls towards it, and smaller steps if it "
                            "does")
    return x, logp, stats


def _statistic(sampler: Handle, i: int) -> Tuple[Optional[str], float]:
    """The i-th number that a sampler has of its last step, and its name; None after the last."""
    name = ctypes.c_char_p()
    value = library.kelvin_sampler_statistic(sampler, i,
                                             ctypes.cast(ctypes.byref(name), ctypes.POINTER(ctypes.c_char_p)))
    return text(name.value), value


def _statistics(sampler: Handle) -> List[str]:
    names: List[str] = []
    while (name := _statistic(sampler, len(names))[0]) is not None:
        names.append(name)
    return names


def hmc(logp_and_grad: Target, x0: Any, *, draws: int = 1000, warmup: int = 500, chains: Optional[int] = None,
        seed: int = 0, temperature: float = 1.0, progress: Optional[bool] = None, **settings: float) -> Draws:
    """Hamiltonian Monte Carlo of a density of your own.

    Parameters
    ----------
    logp_and_grad : callable
        Takes a vector (n,) of float64; returns the log-density, up to a constant, and its gradient (n,). A function of
        JAX's or torch's will do: what it returns is taken as NumPy takes it.
    x0 : array_like
        Where chains start: (n,) for all of them, or (chains, n).
    draws, warmup : int, optional
        Of each chain. In the warm-up chains find the size and number of their steps, and a scale of each parameter,
        together.
    chains : int, optional
        By default 4, or as many as x0 has rows.
    seed : int, optional
        The same seed gives the same draws.
    temperature : float, optional
        Samples exp(logp / temperature).
    progress : bool, optional
        Whether to show how far it is; by default in terminals and notebooks.
    **settings
        Of the sampler; what is set is not tuned: step_size, steps, jitter.

    Returns
    -------
    Draws

    Notes
    -----
    Positions are kept in single precision, so that a density should not need more.

    Examples
    --------
    >>> draws = kelvin.hmc(lambda x: (-0.5 * x @ x, -x), np.zeros(3))
    >>> draws.x.shape
    (4, 1000, 3)
    """
    return _sample("hmc", logp_and_grad, x0, draws, warmup, chains, seed, temperature, progress, settings)


def mclmc(logp_and_grad: Target, x0: Any, *, draws: int = 1000, warmup: int = 1000, chains: Optional[int] = None,
          steps: int = 10, seed: int = 0, temperature: float = 1.0, progress: Optional[bool] = None,
          **settings: float) -> Draws:
    """Microcanonical Langevin Monte Carlo of a density of your own: nothing is rejected, and gradients are few.

    Parameters
    ----------
    logp_and_grad, x0, draws, warmup, chains, seed, temperature, progress
        As for `kelvin.hmc`.
    steps : int, optional
        From one draw to the next; each asks for two gradients.
    **settings
        Of the sampler; what is set is not tuned: step_size, length, energy_variance.

    Returns
    -------
    Draws

    Notes
    -----
    It has a bias, which ``energy_variance`` bounds; `kelvin.hmc` has none.
    """
    return _sample("mclmc", logp_and_grad, x0, draws, warmup, chains, seed, temperature, progress,
                   {"steps": steps, **settings})
