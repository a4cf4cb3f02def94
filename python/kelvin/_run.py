"""Runs: opened, asked, and handed on to others."""
from __future__ import annotations

import contextlib
import ctypes
import json
import os
import shutil
import sys
import tempfile
import threading
import warnings
import weakref
import zlib
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Mapping, NamedTuple, Optional, Tuple, Union

import numpy as np

from . import _bindings as c
from ._answers import Diagnosis, Effect, Metrics, effects
from . import _tables
from ._data import codes_of, column_names, has_numbers_alone, in_order, inputs_of, is_frame, new_rows
from ._library import FormatError, Handle, UsageError, call, library, listed, raw, text, texts, words
from ._samples import Samples, history_of
from ._work import Work

ROWS_AT_ONCE = 1 << 14  # of new inputs, so that Ctrl-C is heard between two pieces


class Uncertainty(NamedTuple):
    """How unsure a posterior is of each row, in nats: ``entropy = aleatoric + epistemic``.

    Attributes
    ----------
    entropy : numpy.ndarray
        Of the predicted probabilities.
    aleatoric : numpy.ndarray
        The part that is in the data: the mean entropy of single samples.
    epistemic : numpy.ndarray
        The part that more data would take away: how much the samples differ.
    """

    entropy: np.ndarray
    aleatoric: np.ndarray
    epistemic: np.ndarray


class Run:
    """A posterior: its samples, and what they say. Made by `kelvin.sample`, or `kelvin.open` from a folder.

    A run has a folder, as docs/runs.md describes it; one that was given none has a temporary one, which is removed when
    the run is no longer used. Runs can be pickled.

    Attributes
    ----------
    folder : str
        Where it is.
    config : dict
        What was sampled: the fields of run.json.
    classes : list of str
        Names of the classes, in the order of probabilities.
    """

    def __init__(self, folder: Union[str, os.PathLike], *, _data: Any = None, _home: Any = None,
                 _classes: Any = None) -> None:
        self.folder = os.path.abspath(os.fspath(folder))
        self._data = _data          # arrays that it was made from, while it may go on
        self._home = _home          # what removes its temporary folder
        self._labels = _classes     # of y, as the user has them; or None: texts alone
        self._forget()

    def _forget(self) -> None:
        self._handle: Optional[Handle] = None
        self._samples: Optional[Samples] = None
        self._page: Optional[str] = None
        self._lock = threading.RLock()
        self._process = os.getpid()

    # ---- handles ----

    def _opened(self) -> Handle:
        if self._process != os.getpid():  # after a fork: another thread of the parent may have had the lock
            self._forget()
        with self._lock:  # two threads that come first at once have one handle
            if self._handle is None:
                self._handle = Handle.make("kelvin_samples_close", "kelvin_samples_open", raw(self.folder))
            return self._handle

    @contextlib.contextmanager
    def _using(self) -> Iterator[Handle]:
        """The samples, for one thread at a time."""
        self._opened()
        with self._lock:
            yield self._opened()

    @contextlib.contextmanager
    def _with_rows(self) -> Iterator[Handle]:
        """The samples of a run that also has the arrays that it was made from, if it was made here."""
        with self._using() as handle:
            if self._data is None:
                yield handle
                return
            run = Handle.make("kelvin_run_close", "kelvin_run_open_with", raw(self.folder), self._data.handle)
            try:
                samples = Handle.make("kelvin_samples_close", "kelvin_samples_of", run)
                try:
                    yield samples
                finally:
                    samples.close()
            finally:
                run.close()

    def _looked_at(self) -> Any:
        return library.kelvin_samples_run(self._opened())

    # ---- what it is ----

    @property
    def config(self) -> Dict[str, Any]:
        return json.loads(Path(self.folder, "run.json").read_text(encoding="utf-8"))

    @property
    def finished(self) -> bool:
        """Whether there is nothing left to sample."""
        try:
            Handle.make("kelvin_samples_close", "kelvin_samples_find", raw(self.folder)).close()
        except FormatError:
            return False
        return True

    @property
    def classes(self) -> List[str]:
        data = library.kelvin_run_data(self._looked_at())
        return [text(library.kelvin_data_class_name(data, i)) or "" for i in range(library.kelvin_data_classes(data))]

    @property
    def chains(self) -> int:
        """How many chains it has."""
        return int(library.kelvin_run_chains(self._looked_at()))

    @property
    def diverged(self) -> List[str]:
        """A sentence for each chain that left for infinity; samples that it took before are kept."""
        handle = self._opened()
        found = [text(library.kelvin_samples_diverged(handle, i)) for i in range(self.chains)]
        return [each for each in found if each]

    # ---- what it has left ----

    @property
    def samples(self) -> Samples:
        """The samples, by name or number (`Samples`); nothing is read before it is asked for."""
        with self._using():
            if self._samples is None:
                self._samples = Samples(self)
            return self._samples

    @property
    def logits(self) -> "Logits":
        """What every sample says of every row: ``run.logits["test"]`` is (samples, rows, classes), float32."""
        return Logits(self)

    @property
    def labels(self) -> "Labels":
        """The true classes of its rows, as numbers: ``run.labels["test"]`` is (rows,), int64."""
        return Labels(self)

    @property
    def history(self) -> np.ndarray:
        """What was noted of every epoch or iteration: a structured array with a row for each of each chain."""
        with self._using() as handle:
            return history_of(handle, self.chains)

    # ---- questions ----

    def evaluate(self, on: Any = None, *, threads: int = 0) -> Metrics:
        """How good the posterior is, and how well calibrated.

        Parameters
        ----------
        on : str or (X, y), optional
            "test", "train", a data set with labels, or arrays; by default the test part, or the training part of a run
            that has no other.
        threads : int, optional
            0: one per CPU. The numbers do not depend on it.

        Returns
        -------
        Metrics
        """
        with self._using() as handle:
            logits, found = self._logits_on(handle, on, threads)
            options = c.kelvin_evaluate_options(threads=threads)
            metrics = Handle("kelvin_metrics_free")
            Work().run(call, "kelvin_evaluate", ctypes.byref(metrics._pointer), logits, ctypes.byref(options))
            logits.close()
            return Metrics(metrics, found)

    def _logits_on(self, handle: Handle, on: Any, threads: int) -> Tuple[Handle, str]:
        if isinstance(on, (tuple, list)) and len(on) == 2:
            if self._asked_by_table(on[0]):
                return self._logits_on_table(handle, on[0], on[1], threads)
            rows = self._rows(on[0])
            labels = codes_of(on[1], self._labels if self._labels is not None else self.classes, len(rows))
            given = new_rows(rows, labels)
            inputs = Handle.make("kelvin_inputs_close", "kelvin_inputs_from_rows", ctypes.byref(given),
                                 library.kelvin_run_data(self._looked_at()))
            logits = Handle("kelvin_logits_close")
            logits.given = given  # type: ignore[attr-defined]  # the arrays must stay
            call("kelvin_logits_computed", ctypes.byref(logits._pointer), handle, inputs.given_away(), threads)
            return logits, "arrays"
        if on is not None and not isinstance(on, (str, os.PathLike)):
            raise UsageError(f"on is a {type(on).__name__}; expected 'test', 'train', a data set, or (X, y)")
        found = ctypes.c_char_p()
        logits = Handle("kelvin_logits_close")
        call("kelvin_logits_on", ctypes.byref(logits._pointer), ctypes.cast(ctypes.byref(found), c.POINTER(c.c_char_p)),
             handle, None if on is None else raw(on), threads)
        return logits, text(found.value) or ""

    def _rows(self, x: Any) -> np.ndarray:
        """New inputs of the shape that the network was trained on."""
        data = library.kelvin_run_data(self._looked_at())
        names = column_names(x)
        own = self._columns(data)
        rows = inputs_of(in_order(x, own) if names and own else x)
        shape = library.kelvin_data_shape(data)
        expected = (shape.channels, shape.height, shape.width) if library.kelvin_data_is_images(data) \
            else (library.kelvin_data_inputs(data),)
        if rows.shape[1:] != expected:
            what = "features" if len(expected) == 1 else "channels, height, width"
            raise UsageError(f"X has rows of shape {rows.shape[1:]}; expected {expected} ({what}), as in training")
        return rows

    @staticmethod
    def _columns(data: Any) -> Optional[List[str]]:
        if library.kelvin_data_is_images(data) or not library.kelvin_data_column_name(data, 0):
            return None
        return [text(library.kelvin_data_column_name(data, i)) or "" for i in range(library.kelvin_data_inputs(data))]

    def _in_pieces(self, x: Any, ask: Callable[[Handle, np.ndarray, int, int], None],
                   begin: Callable[[int, int], None]) -> None:
        """Asks about some rows at a time. Rows are as measured: arrays, frames, or a data set by its name."""
        if self._made_from_a_table():
            raise UsageError("the run was made from a table with texts or missing cells: its logits are not asked for by "
                             "arrays; expected predict or uncertainty")
        x = x if is_frame(x) or isinstance(x, np.ndarray) else np.asarray(x)
        rows = len(x) if x.ndim else len(inputs_of(x))
        begin(rows, len(self.classes))
        with self._using() as handle:
            for first in range(0, rows, ROWS_AT_ONCE):
                last = min(first + ROWS_AT_ONCE, rows)
                ask(handle, self._rows(x[first:last] if not is_frame(x) else x.iloc[first:last]), first, last)
            if not rows:
                self._rows(x)

    def predict(self, X: Any, *, threads: int = 0) -> np.ndarray:
        """The probability of each class.

        Parameters
        ----------
        X : array_like, DataFrame or str
            New rows as measured (they are standardised as the training rows were), images of uint8, or a data set by
            its name, as "csv:new.csv".
        threads : int, optional
            0: one per CPU. The numbers do not depend on it.

        Returns
        -------
        numpy.ndarray
            (rows, classes): means over all samples.
        """
        return self._judged(X, threads)[0]

    def uncertainty(self, X: Any, *, threads: int = 0) -> Uncertainty:
        """How unsure the posterior is of new rows, and which part of that is in the data.

        Parameters
        ----------
        X : array_like, DataFrame or str
            As for `predict`.
        threads : int, optional
            0: one per CPU.

        Returns
        -------
        Uncertainty
        """
        doubt = self._judged(X, threads)[1]
        return Uncertainty(*(np.ascontiguousarray(doubt[:, i]) for i in range(3)))

    def _judged(self, x: Any, threads: int) -> Tuple[np.ndarray, np.ndarray]:
        if isinstance(x, (str, os.PathLike)):
            return self._judged_data(os.fspath(x), threads)
        if self._asked_by_table(x):
            with tempfile.TemporaryDirectory(prefix="kelvin-") as folder:
                path = os.path.join(folder, "new.csv")
                self._write_table(x, path)
                with _tables.shown_as("X", path):
                    return self._judged_data(_tables.spec(path), threads, path)
        out: List[np.ndarray] = []

        def begin(rows: int, classes: int) -> None:
            out.extend([np.empty((rows, classes)), np.empty((rows, 3))])

        def ask(handle: Handle, rows: np.ndarray, first: int, last: int) -> None:
            call("kelvin_predict_rows", handle, out[0][first:last].ctypes.data, out[1][first:last].ctypes.data,
                 ctypes.byref(new_rows(rows)), threads)

        self._in_pieces(x, ask, begin)
        return out[0], out[1]

    def _made_from_a_table(self) -> bool:
        """Whether the library has made other inputs than a number of each column: of texts, missing cells, and columns
        that it left out."""
        data = library.kelvin_run_data(self._looked_at())
        return not library.kelvin_data_is_images(data) and _tables.is_made_over(data)

    def _asked_by_table(self, x: Any) -> bool:
        """Whether the library should read these rows from a file: as it did before, or since cells of columns that it
        knows by their names are missing."""
        if self._made_from_a_table():
            return True
        names = self._columns(library.kelvin_run_data(self._looked_at()))
        return bool(column_names(x) and names and not has_numbers_alone(x))

    def _write_table(self, x: Any, path: str) -> None:
        """New rows as a file, for a run that was made from one."""
        names = _tables.columns_of(library.kelvin_run_data(self._looked_at()))
        if not is_frame(x):
            x = np.asarray(x)
            if x.ndim != 2 or x.shape[1] != len(names):
                raise UsageError(f"X has shape {x.shape}; expected (rows, {len(names)}), as in training")
        _tables.write(x, path, names)

    def _logits_on_table(self, handle: Handle, x: Any, y: Any, threads: int) -> Tuple[Handle, str]:
        names = _tables.columns_of(library.kelvin_run_data(self._looked_at()))
        label = _tables.free_name(_tables.LABEL, x.columns if is_frame(x) else names)
        y = np.asarray(y)
        if y.shape != (len(x),):
            raise UsageError(f"y has shape {y.shape}, X has {len(x)} rows; expected a label for each row ({len(x)},)")
        known = self._labels if self._labels is not None else self.classes
        named = np.array(self.classes, dtype=object)[codes_of(y, known, len(y))]
        with tempfile.TemporaryDirectory(prefix="kelvin-") as folder:
            path = os.path.join(folder, "new.csv")
            if is_frame(x):
                _tables.write(x.assign(**{label: named}), path)
            else:
                _tables.write(np.column_stack([np.asarray(x, dtype=object), named]), path, [*names, label])
            asked = _tables.spec(path, len(x.columns) if is_frame(x) else len(names))
            with _tables.shown_as("X", path):
                logits = Handle.make("kelvin_logits_close", "kelvin_logits_of_data", handle, raw(asked), True, threads)
        return logits, "arrays"

    def _judged_data(self, spec: str, threads: int, path: str = "") -> Tuple[np.ndarray, np.ndarray]:
        p: List[bytes] = []
        doubt: List[Tuple[float, float, float]] = []
        width = len(self.classes) * 8

        @c.kelvin_verdict_watch
        def keep(_context, verdict):
            verdict = verdict.contents
            p.append(ctypes.string_at(verdict.p, width))
            doubt.append((verdict.entropy, verdict.aleatoric, verdict.epistemic))
            return 0

        with self._using() as handle:
            logits = Handle.make("kelvin_logits_close", "kelvin_logits_of_data", handle, raw(spec), False, threads)
            Work().run(call, "kelvin_judge", logits, keep, None)
            for note in listed("kelvin_logits_note", logits):
                told = text(note) or ""
                warnings.warn(told.replace(path, "X") if path else told, RuntimeWarning, stacklevel=4)
            logits.close()
        return np.frombuffer(b"".join(p)).reshape(-1, len(self.classes)).copy(), np.array(doubt).reshape(-1, 3)

    def predict_logits(self, X: Any, *, threads: int = 0) -> np.ndarray:
        """What every sample says.

        Parameters
        ----------
        X : array_like or DataFrame
            As for `predict`.
        threads : int, optional
            0: one per CPU.

        Returns
        -------
        numpy.ndarray
            (samples, rows, classes), float32.
        """
        out: List[np.ndarray] = []
        samples = self.samples.n

        def begin(rows: int, classes: int) -> None:
            out.append(np.empty((samples, rows, classes), dtype=np.float32))

        def ask(handle: Handle, rows: np.ndarray, first: int, last: int) -> None:
            z = np.empty((samples, last - first, out[0].shape[2]), dtype=np.float32)
            call("kelvin_predict_logits_rows", handle, z.ctypes.data, ctypes.byref(new_rows(rows)), threads)
            out[0][:, first:last] = z

        self._in_pieces(X, ask, begin)
        return out[0]

    def diagnose(self, *, threads: int = 0) -> Diagnosis:
        """Whether to believe it: a verdict, what is off and what to do about it, convergence, temperatures.

        Parameters
        ----------
        threads : int, optional
            0: one per CPU.

        Returns
        -------
        Diagnosis
        """
        with self._using() as handle:
            diagnosis = Handle("kelvin_diagnosis_free")
            Work().run(call, "kelvin_diagnose", ctypes.byref(diagnosis._pointer), handle, threads)
            return Diagnosis(diagnosis)

    def effects(self, on: Optional[str] = None, *, threads: int = 0) -> List[Effect]:
        """Which columns of a table matter, the most important first.

        Parameters
        ----------
        on : str, optional
            As for `evaluate`.
        threads : int, optional
            0: one per CPU.

        Returns
        -------
        list of Effect
        """
        if on is not None and not isinstance(on, (str, os.PathLike)):
            raise UsageError(f"on is a {type(on).__name__}; expected 'test', 'train' or a data set")
        if on in (None, "train", "test") and self._data is None and self.config["data"] == "arrays":
            raise UsageError("effects needs the rows that the run was made from, which are gone with the run that "
                             "kelvin.sample returned; expected on='csv:FILE', a table with labels")
        with self._with_rows() as handle:
            found = Handle("kelvin_effects_free")
            Work().run(call, "kelvin_effects_find", ctypes.byref(found._pointer), handle,
                       None if on is None else raw(on), threads)
            return effects(found)

    # ---- for others ----

    def export(self, path: Union[str, os.PathLike], format: Optional[str] = None, *, replace: bool = False) -> str:
        """The run in one file, for other programs.

        Parameters
        ----------
        path : path
            The file.
        format : str, optional
            "npz", "safetensors" or "netcdf"; by default what the name ends in says.
        replace : bool, optional
            Replace a file that is there already.

        Returns
        -------
        str
            The path.
        """
        path = os.fspath(path)
        ends = {".npz": "npz", ".safetensors": "safetensors", ".nc": "netcdf"}
        format = format or ends.get(os.path.splitext(path)[1])
        if format is None:
            raise UsageError(f"{path}: the format is not known; expected a name that ends in {', '.join(ends)}, "
                             "or format=")
        options = c.kelvin_export_options(format=raw(format), replace=replace)
        with self._using() as handle:
            call("kelvin_export", ctypes.byref(c.kelvin_exported()), handle, raw(path), ctypes.byref(options))
        return path

    def to_arviz(self) -> Any:
        """The run for ArviZ: an InferenceData (a DataTree from ArviZ 1.0 on).

        Returns
        -------
        arviz.InferenceData or xarray.DataTree
            Groups posterior, sample_stats, log_likelihood (of the training rows), posterior_predictive, observed_data,
            and of runs with a test part predictions.
        """
        from ._arviz import from_run

        return from_run(self)

    def report(self, path: Union[str, os.PathLike] = "report.html", *, on: Optional[str] = None) -> str:
        """A page about the run, for people: HTML that needs no other file.

        Parameters
        ----------
        path : path, optional
            The file; one that is there is replaced.
        on : str, optional
            As for `evaluate`.

        Returns
        -------
        str
            The path.
        """
        options = c.kelvin_report_options(on=None if on is None else raw(on), words=words)
        Work().run(call, "kelvin_report_write", raw(path), texts([self.folder]), 1, ctypes.byref(options))
        return os.fspath(path)

    def save(self, folder: Union[str, os.PathLike]) -> "Run":
        """A copy of the run in a folder that stays.

        Parameters
        ----------
        folder : path
            A new one.

        Returns
        -------
        Run
            The run in that folder.
        """
        shutil.copytree(self.folder, folder)
        return Run(folder, _data=self._data, _classes=self._labels)

    def resume(self, data: Any = None, *, threads: int = 0, progress: Optional[bool] = None,
               callback: Optional[Callable] = None, **options: Any) -> "Run":
        """Goes on with a run that was stopped or killed, to the same bits as one that was left alone.

        Parameters
        ----------
        data : (X, y), optional
            Of a run that was made from arrays and opened from its folder: the same arrays.
        threads, progress, callback
            As for `kelvin.sample`.
        **options
            With data: weights, test, split, columns, as they were for `kelvin.sample`.

        Returns
        -------
        Run
            The same run.
        """
        from ._sampling import go_on

        return go_on(self, data, threads, progress, callback, options)

    # ---- looks ----

    def __repr__(self) -> str:
        try:
            config = self.config
        except OSError:
            return f"<kelvin.Run in {self.folder}: gone>"
        what = ", ".join(f"{name}={config[name]!r}" for name in ("model", "density", "prior", "temperature", "sampler")
                         if name in config)
        where = "in a temporary folder" if self._home else f"in {self.folder}"
        return f"<kelvin.Run {where}: {what}>"

    def _repr_html_(self) -> Optional[str]:
        from ._display import first_screen

        try:
            if self._page is None:
                self._page = first_screen(self)
            return self._page
        except Exception:  # a run that has not ended has no page; its text is shown
            return None

    # ---- pickles ----

    def __getstate__(self) -> Dict[str, Any]:
        files = {str(path.relative_to(self.folder)): zlib.compress(path.read_bytes(), 1)
                 for path in sorted(Path(self.folder).rglob("*")) if path.is_file() and path.name != "lock"}
        return {"files": files, "classes": self._labels}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        home, finalizer = temporary(self)
        for name, packed in state["files"].items():
            path = Path(home, "run", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(zlib.decompress(packed))
        self.__init__(os.path.join(home, "run"), _home=finalizer, _classes=state["classes"])  # type: ignore[misc]


class Logits(Mapping):
    """Logits of a run's own rows: ``logits["train"]``, ``logits["test"]`` where it has a test part."""

    def __init__(self, run: Run) -> None:
        self._run = run
        data = library.kelvin_run_data(run._looked_at())
        self.rows = {"train": library.kelvin_data_rows(data, c.KELVIN_TRAIN),
                     "test": library.kelvin_data_rows(data, c.KELVIN_TEST)}
        self._sides = [side for side, rows in self.rows.items() if rows]

    def _pieces(self, side: str) -> Iterator[Any]:
        """As they come from the library, which compares them with their checksums."""
        if side not in self._sides:
            raise KeyError(side)
        piece = c.kelvin_piece()
        with self._run._using() as handle:
            logits = Handle.make("kelvin_logits_close", "kelvin_logits_of_side", handle,
                                 c.KELVIN_TEST if side == "test" else c.KELVIN_TRAIN, 0)
            while True:
                call("kelvin_logits_next", logits, ctypes.byref(piece))
                if not piece.n:
                    break
                yield piece
            logits.close()

    def __getitem__(self, side: str) -> np.ndarray:
        z = np.empty((self._run.samples.n, self.rows.get(side, 0), len(self._run.classes)), dtype=np.float32)
        for piece in self._pieces(side):
            shape = (piece.samples, piece.n, z.shape[2])
            values = np.frombuffer(ctypes.string_at(piece.z, 4 * int(np.prod(shape))), dtype=np.float32)
            z[piece.first_sample:piece.first_sample + piece.samples,
              piece.first:piece.first + piece.n] = values.reshape(shape)
        return z

    def __iter__(self) -> Iterator[str]:
        return iter(self._sides)

    def __len__(self) -> int:
        return len(self._sides)


class Labels(Logits):
    """Classes of a run's own rows: ``labels["train"]``, ``labels["test"]`` where it has a test part."""

    def __getitem__(self, side: str) -> np.ndarray:
        y = np.empty(self.rows.get(side, 0), dtype=np.int64)
        for piece in self._pieces(side):
            y[piece.first:piece.first + piece.n] = np.frombuffer(ctypes.string_at(piece.y, 4 * piece.n), dtype=np.int32)
        return y


# ---- folders ----

def temporary(owner: Any) -> Tuple[str, Any]:
    """A folder that goes with its owner, and what removes it: once, and not in a child after a fork."""
    home = tempfile.mkdtemp(prefix="kelvin-")
    util = sys.modules.get("multiprocessing.util")
    if util:  # its workers end without the usual goodbyes
        util.Finalize(None, remove, (home, os.getpid()), exitpriority=0)
    return home, weakref.finalize(owner, remove, home, os.getpid())


def remove(home: str, process: int) -> None:
    if os.getpid() == process:
        shutil.rmtree(home, ignore_errors=True)


def open(folder: Union[str, os.PathLike]) -> Run:  # noqa: A001  # as one would say it: kelvin.open("RUN")
    """A run that is there.

    Parameters
    ----------
    folder : path
        Made by `kelvin.sample` or by the command.

    Returns
    -------
    Run
        It may not have ended yet: ``run.resume()`` goes on.
    """
    run = Handle.make("kelvin_run_close", "kelvin_run_read", raw(os.fspath(folder)))
    run.close()
    return Run(folder)
