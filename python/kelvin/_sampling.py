"""Sampling: from data and settings to a run, with news of how far it is, and to the end of one that was stopped."""
from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import textwrap
import warnings
import weakref
from typing import Any, Callable, Dict, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import _bindings as c
from . import _state, _tables
from ._data import Arrays, has_numbers_alone, is_frame
from ._library import DivergedError, Handle, Stopped, StoppedByWatch, UsageError, call, library, raw, text, words
from ._progress import Bar, wanted
from ._run import Run, open, remove, temporary
from ._samples import tensors_of
from ._work import Work


class Progress(NamedTuple):
    """What a callback is told, some times per second.

    Attributes
    ----------
    chain : int
        Whose news it is.
    row, rows : int
        Epochs or iterations that the chain has done, and has to do.
    done, total : int
        Steps of all chains.
    steps_per_s : float
        Of this chain, lately; 0: not known yet.
    values : dict
        The row so far, by the names of ``Run.history``; nothing before a chain's first step.
    """

    chain: int
    row: int
    rows: int
    done: int
    total: int
    steps_per_s: float
    values: Dict[str, float]


_last: Optional[Run] = None  # that was stopped here


class _News:
    """Adds up what chains tell, for a line and for a callback."""

    def __init__(self, run: Handle, bar: Optional[Bar], callback: Optional[Callable[[Progress], Any]]) -> None:
        self.bar, self.callback = bar, callback
        self.step: Dict[int, int] = {}
        self.chains = library.kelvin_run_chains(run)
        self.columns = listed_columns(run)

    def __call__(self, news: Any) -> Any:
        if news.phase == c.KELVIN_CHAIN_LOGITS:
            if self.bar and self.bar.title != "logits":
                self.bar.begin_anew("logits")
            if self.bar:
                self.bar.update(news.step, news.steps)
            return True
        self.step[news.chain] = news.step
        done, total = sum(self.step.values()), news.steps * self.chains
        values = {}
        if news.values:
            values = dict(zip(self.columns, (ctypes.c_double * len(self.columns)).from_address(news.values)))
        if self.bar:
            self.bar.update(done, total)
        if self.callback:
            return self.callback(Progress(news.chain, news.row, news.rows, done, total, news.steps_per_s, values))
        return True


def listed_columns(run: Handle) -> List[str]:
    """Names of the columns of its history."""
    return [text(library.kelvin_run_column(run, i).contents.name) or ""
            for i in range(library.kelvin_run_columns(run))]


def _sample(run: Run, handle: Handle, threads: int, progress: Optional[bool],
            callback: Optional[Callable[[Progress], Any]]) -> None:
    """All chains to their ends. The handle is closed, whatever happens."""
    global _last
    work = Work()
    bar = Bar("sampling", 0, "step") if wanted(progress) else None
    news = _News(handle, bar, callback)

    @c.kelvin_run_watch
    def watch(_context, _run, told):
        return work.guard(news, told.contents)

    options = c.kelvin_run_options(threads=threads, checkpoint=60)
    runs = ctypes.cast((ctypes.c_void_p * 1)(handle._pointer), ctypes.POINTER(ctypes.c_void_p))
    finished = False
    try:
        work.run(call, "kelvin_run_sample", runs, 1, ctypes.byref(options), watch, None)
        finished = True
    except StoppedByWatch as error:
        error.run = _last = run
        raise
    except KeyboardInterrupt as error:
        _last = run
        where = "kelvin.resume()" if run._home else f"kelvin.resume({run.folder!r})"
        stopped = Stopped(f"stopped; what was drawn is kept: go on with {where}")
        stopped.run = run
        raise stopped from error
    finally:
        if bar:
            bar.close(finished)
        handle.close()
    try:
        run._opened()
    except DivergedError as error:  # with what helps
        error.run = run
        raise
    if run.diverged:
        warnings.warn("; ".join(run.diverged), RuntimeWarning, stacklevel=3)


def _configuration(settings: Mapping[str, Any], config: Any) -> Handle:
    handle = Handle.make("kelvin_config_destroy", "kelvin_config_create")
    if config is not None:
        call("kelvin_config_read", handle, raw(config))
    for field, value in settings.items():
        if value is not None:
            call("kelvin_config_set", handle, raw(field), raw(value))
    return handle


def _choose(config: Handle, data: Optional[Handle], threads: int) -> Optional[str]:
    """Finds what is open from the data; what was chosen, and why."""
    if not library.kelvin_config_is_open(config):
        return None
    work = Work()

    @c.kelvin_choose_watch
    def watch(_context):
        return not work.stopped

    work.run(call, "kelvin_config_choose", config, data, threads, watch, None)
    return text(library.kelvin_config_chosen(config))


def sample(data: Any = None, *, model: Optional[str] = None, density: Optional[str] = None,
           prior: Optional[str] = None, temperature: Union[float, str, None] = None, sampler: Optional[str] = None,
           seed: Optional[int] = None, chains: Optional[int] = None, samples: Optional[int] = None, init: Any = None,
           folder: Union[str, os.PathLike, None] = None, label: Optional[str] = None, weights: Any = None,
           test: Optional[tuple] = None, split: Optional[float] = None, columns: Optional[Sequence[str]] = None,
           config: Any = None, threads: int = 0,
           progress: Optional[bool] = None, callback: Optional[Callable[[Progress], Any]] = None,
           **settings: Any) -> Run:
    """Samples a posterior. What nobody says is found from the data.

    Parameters
    ----------
    data : str, (X, y) or DataFrame
        A data set by its name or place, as the command takes it ("digits", "mnist", "table.csv", "images:FOLDER"); or
        arrays, numbers (rows, columns) as measured or images of uint8 (rows, channels, height, width), and a class for
        each row; or a frame with ``label``, in which texts become categories and cells may be missing.
    model : str, optional
        "mlp:20,20", "cnn", "resnet20", ...: ``kelvin.members("models")`` has all.
    density : str, optional
        Of predictions: "categorical", "dirclip:0.85,-50", ...
    prior : str, optional
        Of parameters: "normal:1", "sparse:8,0.4", ...
    temperature : float, optional
        Samples p(parameters | data) to the power of 1 / temperature.
    sampler : str, optional
        "sghmc", "hmc" or "mclmc".
    seed : int, optional
        The same seed gives the same bits, here and by the command.
    chains, samples : int, optional
        How many chains there are, and how many samples of all of them together (of sghmc).
    init : str, path, mapping or torch.nn.Module, optional
        Where chains start: samples of another run ("RUN", "RUN/3"), a state dict of the same architecture (arrays or
        torch tensors by name), a file of one (FILE.safetensors, FILE.pt), or a module.
    folder : path, optional
        A new folder for the run. By default it has a temporary one, and ``Run.save`` keeps it.
    label : str, optional
        The column of a frame that holds the classes.
    weights : array_like, optional
        Of the rows of arrays: 2 is to the bit the row given twice.
    test : (X, y), optional
        A test part for arrays.
    split : float, optional
        Of arrays without a test part: the share that is kept for testing. 0: none; by default a fifth.
    columns : sequence of str, optional
        Names of the columns of X; those of a frame are known.
    config : path, optional
        A JSON file with settings, or the folder of another run whose settings are taken.
    threads : int, optional
        0: one per CPU. The bits do not depend on it.
    progress : bool, optional
        Whether to show how far it is; by default in terminals and notebooks.
    callback : callable, optional
        Called with a `Progress` some times per second, from any thread. False stops the run, an exception too, which is
        raised again here.
    **settings
        Any other field of run.json: epochs, batch, lr, schedule, iterations, warmup, step_size, preset="paper", ...
        ``kelvin.fields()`` lists them.

    Returns
    -------
    Run

    Raises
    ------
    kelvin.UsageError
        A ValueError: something makes no sense; the sentence says what.
    kelvin.DivergedError
        All chains left for infinity.
    kelvin.Stopped
        A KeyboardInterrupt: Ctrl-C, with ``run`` to go on with.

    Examples
    --------
    >>> run = kelvin.sample("digits", density="dirclip:0.85,-50", seed=1)
    >>> run.evaluate().accuracy                                         # doctest: +SKIP
    0.97
    """
    global _last
    _last = None
    said_settings = dict(settings, model=model, density=density, prior=prior, temperature=temperature,
                         sampler=sampler, seed=seed, chains=chains, samples=samples)
    place = _Place(folder)
    try:
        with _tables.shown_as("the frame", place.file("data.csv")):
            started, arrays = _start(place, data, label, {"weights": weights, "test": test, "split": split,
                                                          "columns": columns}, init, said_settings, config, threads,
                                     wanted(progress))
    except BaseException:
        place.clear()
        raise
    run = place.run(arrays)
    warning = ctypes.create_string_buffer(8192)
    if library.kelvin_run_warning_say(started, warning, len(warning), words, None):
        warnings.warn(text(warning.value) or "", RuntimeWarning, stacklevel=2)
    _sample(run, started, threads, progress, callback)
    return run


def _start(place: "_Place", data: Any, label: Optional[str], options: Dict[str, Any], init: Any,
           settings: Dict[str, Any], config: Any, threads: int, tell: bool) -> Tuple[Handle, Optional[Arrays]]:
    """A run that has not drawn anything yet."""
    arrays, spec = _data_of(data, place, label, options)
    if spec is not None:
        settings["data"] = spec
    if init is not None:
        settings["init"] = _init_of(init, place, settings["model"], arrays, spec)
    configuration = _configuration(settings, config)
    if tell and library.kelvin_config_is_open(configuration):
        print("looking for settings ...", end="\r", file=sys.stderr, flush=True)
    chosen = _choose(configuration, arrays.handle if arrays else None, threads)
    if chosen and tell:
        print(textwrap.fill(f"settings from the data: {chosen}", 88, subsequent_indent="  "), file=sys.stderr)
    if arrays:
        return Handle.make("kelvin_run_close", "kelvin_run_start_with", configuration, arrays.handle,
                           raw(place.folder)), arrays
    return Handle.make("kelvin_run_close", "kelvin_run_start", configuration, raw(place.folder)), None


class _Place:
    """Where a run goes: a folder that somebody named, or a temporary one."""

    def __init__(self, folder: Union[str, os.PathLike, None]) -> None:
        self.made: List[str] = []
        self.finalizer: Any = None
        self.home: Optional[str] = None
        if folder is None:
            self.home, self.finalizer = temporary(self)
            folder = os.path.join(self.home, "run")
        self.folder = os.fspath(folder)

    def beside(self, name: str) -> str:
        """A path for a file that the run needs while it is made."""
        path = self.file(name)
        if os.path.exists(path):
            raise UsageError(f"{path} already exists; expected a free name for what the run is made from")
        self.made.append(path)
        return path

    def file(self, name: str) -> str:
        return os.path.join(self.home, name) if self.home else f"{self.folder}-{name}"

    def clear(self) -> None:
        """Nothing is left of a run that could not be started."""
        for path in self.made:
            with contextlib.suppress(OSError):
                os.remove(path)

    def run(self, arrays: Optional[Arrays]) -> Run:
        run = Run(self.folder, _data=arrays, _classes=arrays.classes.tolist() if arrays else None)
        if self.home:
            self.finalizer.detach()
            run._home = weakref.finalize(run, remove, self.home, os.getpid())
        return run


def _data_of(data: Any, place: _Place, label: Optional[str],
             options: Dict[str, Any]) -> Tuple[Optional[Arrays], Optional[str]]:
    """(arrays of the library's, or None, a data set by its name, or None)"""
    if isinstance(data, (str, os.PathLike)) or data is None:
        given = [name for name, value in {"label": label, **options}.items() if value is not None]
        if given:
            raise UsageError(f"{given[0]} is for arrays; of a data set it is said in its name, as 'csv:FILE,label=NAME'")
        return None, None if data is None else os.fspath(data)
    if is_frame(data):
        if label is None or label not in data.columns:
            raise UsageError(f"label is {label!r}; expected the column of the frame that holds the classes, one of: "
                             f"{', '.join(map(str, list(data.columns)[:20]))}")
        x, y = data.drop(columns=[label]), data[label]
        if has_numbers_alone(x):
            return Arrays(x, y, **options), None
        split = options.pop("split")
        if any(value is not None for value in options.values()):
            raise UsageError("weights, test and columns are for numbers alone; this frame has texts or missing cells")
        path = place.beside("data.csv")
        _tables.write(data, path)
        return None, _tables.spec(path, list(data.columns).index(label), split)
    if isinstance(data, (tuple, list)) and len(data) == 2:
        if is_frame(data[0]) and not has_numbers_alone(data[0]):
            raise UsageError("X is a frame with texts or missing cells; expected numbers alone, or one frame with the "
                             "classes in it, as kelvin.sample(frame, label='name')")
        return Arrays(data[0], data[1], **options), None
    raise UsageError(f"data is a {type(data).__name__}; expected (X, y), a frame with label=, or the name of a data set")


def _init_of(init: Any, place: _Place, model: Optional[str], arrays: Optional[Arrays], spec: Optional[str]) -> str:
    """Where chains start, as the library takes it."""
    if isinstance(init, (str, os.PathLike)):
        init = os.fspath(init)
        if not init.endswith((".pt", ".pth", ".bin")):
            return init
        init = _state.load(init)
    state = _state.arrays_of(init)
    if model is None:
        raise UsageError("init is a state dict and model is not said; expected the network that it is of, "
                         "as model='mlp:20,20'")
    data = arrays.handle if arrays else Handle.make("kelvin_data_close", "kelvin_data_open", raw(spec or "digits"))
    network = Handle.make("kelvin_model_destroy", "kelvin_model_create", raw(model), library.kelvin_data_shape(data),
                          library.kelvin_data_classes(data))
    state = _state.renamed(state, {name: shape for name, (_, shape) in tensors_of(network).items()})
    path = place.beside("init.safetensors")
    _state.write(path, state)
    return path


def go_on(run: Run, data: Any, threads: int, progress: Optional[bool],
          callback: Optional[Callable[[Progress], Any]], options: Dict[str, Any]) -> Run:
    """What ``Run.resume`` does."""
    if isinstance(data, (tuple, list)) and len(data) == 2:
        data = Arrays(*data, **options)
    elif data is not None:
        raise UsageError(f"data is a {type(data).__name__}; expected (X, y), as they were for kelvin.sample")
    data = data if data is not None else run._data
    run._forget()
    handle = Handle.make("kelvin_run_close", "kelvin_run_open_with", raw(run.folder), data.handle) if data else \
        Handle.make("kelvin_run_close", "kelvin_run_open", raw(run.folder))
    run._data = data
    _sample(run, handle, threads, progress, callback)
    return run


def resume(run: Union[Run, str, os.PathLike, None] = None, data: Any = None, **options: Any) -> Run:
    """Goes on with a run that was stopped or killed, to the same bits as one that was left alone.

    Parameters
    ----------
    run : Run or path, optional
        By default the one that Ctrl-C, or a callback, has stopped last in this process.
    data : (X, y), optional
        Of a run that was made from arrays and opened from its folder: the same arrays.
    **options
        threads, progress, callback; with data weights, test, split, columns: as for `kelvin.sample`.

    Returns
    -------
    Run
    """
    if run is None:
        if _last is None:
            raise UsageError("no run was stopped here; expected a run or its folder, as kelvin.resume('RUN')")
        run = _last
    return (run if isinstance(run, Run) else open(run)).resume(data, **options)
