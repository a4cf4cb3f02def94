"""libkelvin by ctypes: how it is found and called, and what its failures are in Python.

Every call of a C function goes through ``call``, which turns a status into an exception with the library's sentence, in
words of Python. ctypes lets go of the interpreter's lock while the library works.
"""
from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Any, Callable, Dict, Optional

from . import _bindings as c


class Error(Exception):
    """What went wrong, in one sentence of the library's.

    Attributes
    ----------
    field : str
        The setting to blame, or "" if none is.
    """

    field = ""


class UsageError(Error, ValueError):
    """Something was asked for that makes no sense."""


class FormatError(Error, ValueError):
    """A file is not what it should be."""


class FileError(Error, OSError):
    """The file system or another program said no."""


class OutOfMemory(Error, MemoryError):
    """Memory could not be had."""


class DivergedError(Error, ArithmeticError):
    """Chains left for infinity: there is no result.

    Attributes
    ----------
    run : kelvin.Run or None
        What was sampled: ``run.config`` has its settings.
    """

    run: Any = None


class Stopped(KeyboardInterrupt):
    """Ctrl-C, while a run was being sampled. What was drawn is kept.

    Attributes
    ----------
    run : kelvin.Run
        The run, as far as it came: ``run.resume()`` goes on with it.
    """

    run: Any = None


class StoppedByWatch(Error):
    """A callback asked to stop. What was drawn is kept.

    Attributes
    ----------
    run : kelvin.Run
        The run, as far as it came: ``run.resume()`` goes on with it.
    """

    run: Any = None


for _each in (Error, UsageError, FormatError, FileError, OutOfMemory, DivergedError, Stopped, StoppedByWatch):
    _each.__module__ = "kelvin"  # where people find them

EXCEPTIONS = {
    c.KELVIN_EUSAGE: UsageError,
    c.KELVIN_ENOMEM: OutOfMemory,
    c.KELVIN_EIO: FileError,
    c.KELVIN_EFORMAT: FormatError,
    c.KELVIN_ESTOP: StoppedByWatch,
    c.KELVIN_EDIVERGED: DivergedError,
    c.KELVIN_EPARTLY: DivergedError,
}


# ---- the library ----

NAME = "libkelvin-python.so"


def places() -> list[Path]:
    """Where the library may be: where $KELVIN_LIBRARY says, beside the package, or where a wheel puts it."""
    here = Path(__file__).resolve().parent
    said = os.environ.get("KELVIN_LIBRARY")
    return ([Path(said)] if said else []) + [here / NAME, here.parent / ".kelvin.mesonpy.libs" / NAME]


def load() -> ctypes.CDLL:
    for path in places():
        if path.exists():
            return ctypes.CDLL(str(path))
    raise ImportError("the library of kelvin is missing; expected one of: " + ", ".join(map(str, places())))


class Library:
    """The functions of libkelvin, each with its types, which are told to ctypes when it is first asked for."""

    def __init__(self) -> None:
        self._library = load()

    def __getattr__(self, name: str) -> Callable:
        if name not in c.FUNCTIONS:
            raise AttributeError(name)
        result, arguments = c.FUNCTIONS[name]
        function = getattr(self._library, name)
        function.restype, function.argtypes = result, arguments
        setattr(self, name, function)
        return function


library = Library()


# ---- words ----
# Sentences refer to settings, folders and other calls, which everybody who uses the library calls something else.

def _setting(of: str) -> str:
    field, _, value = of.partition("=")
    return f"{field}={value!r}"


WORDS: Dict[int, Callable[[str], str]] = {
    c.KELVIN_WORD_FIELD: lambda of: of,
    c.KELVIN_WORD_SETTING: _setting,
    c.KELVIN_WORD_OPTION: lambda of: of,
    c.KELVIN_WORD_PART: lambda of: f"on={of!r}",
    c.KELVIN_WORD_LIST: lambda of: f"kelvin.members({of!r})",
    c.KELVIN_WORD_SAMPLE: lambda of: "kelvin.sample",
    c.KELVIN_WORD_OUTPUT: lambda of: f"folder={of!r}",
    c.KELVIN_WORD_CONFIG: lambda of: "config",
    c.KELVIN_WORD_REPEAT: lambda of: f"kelvin.sample(config={of!r})",
    c.KELVIN_WORD_RESUME: lambda of: f"kelvin.resume({of!r})",
    c.KELVIN_WORD_GO_ON: lambda of: f"go on with kelvin.resume({of!r})",
    c.KELVIN_WORD_FETCH: lambda of: f"get it with kelvin.fetch({of!r})",
    c.KELVIN_WORD_FETCH_AGAIN: lambda of: f"mend it with kelvin.fetch({of!r})",
    c.KELVIN_WORD_CALL: lambda of: "call",
    c.KELVIN_WORD_GIVE: lambda of: f"kelvin.resume({os.path.dirname(of)!r}, (X, y))",
}


def put_text(out: int, size: int, text: str) -> None:
    """A text into a buffer of C's, cut where it does not fit."""
    if out and size:
        raw = text.encode()[:size - 1] + b"\0"
        ctypes.memmove(out, raw, len(raw))


@c.kelvin_words
def words(_context, out, size, word, of):
    say = WORDS.get(word)
    if say:
        put_text(out, size, say(text(of) or ""))


def text(raw: Optional[bytes]) -> Optional[str]:
    """A text of C's; one that is not UTF-8 keeps its bytes (surrogates)."""
    return None if raw is None else raw.decode("utf-8", "surrogateescape")


def raw(value: Any) -> bytes:
    """What is told to C: a text, a number, a path."""
    if isinstance(value, bool):
        value = "yes" if value else "no"
    return os.fspath(value).encode("utf-8", "surrogateescape") if isinstance(value, (str, os.PathLike)) \
        else str(value).encode()


def said(function: Callable, *arguments: Any) -> str:
    """What ``function(..., out, size, words, context)`` writes."""
    buffer = ctypes.create_string_buffer(8192)
    function(*arguments, buffer, len(buffer), words, None)
    return text(buffer.value) or ""


def failure(status: int) -> Error:
    """The exception for a call that has just failed in this thread."""
    buffer = ctypes.create_string_buffer(8192)
    library.kelvin_error_say(buffer, len(buffer), words, None)
    error = EXCEPTIONS.get(status, Error)(text(buffer.value))
    error.field = text(library.kelvin_error_field()) or ""
    return error


def call(name: str, *arguments: Any) -> None:
    """A function that returns a status."""
    status = getattr(library, name)(*arguments)
    if status:
        raise failure(status)


class Handle:
    """An opaque struct of the library: made by one function, freed by another, once."""

    def __init__(self, free: str) -> None:
        self._pointer = ctypes.c_void_p()
        self._free = getattr(library, free)
        self._process = os.getpid()

    @classmethod
    def make(cls, free: str, name: str, *arguments: Any) -> "Handle":
        handle = cls(free)
        call(name, ctypes.byref(handle._pointer), *arguments)
        return handle

    @property
    def _as_parameter_(self) -> ctypes.c_void_p:
        if not self._pointer:
            raise UsageError("this has been closed")
        return self._pointer

    def __bool__(self) -> bool:
        return bool(self._pointer)

    def given_away(self) -> ctypes.c_void_p:
        """The pointer, for a function that frees it."""
        pointer, self._pointer = self._pointer, ctypes.c_void_p()
        return pointer

    def close(self) -> None:
        pointer, self._pointer = self._pointer, ctypes.c_void_p()
        if pointer:
            self._free(pointer)

    def __del__(self) -> None:
        # What was made before a fork is the parent's: its folder may be locked by it.
        if getattr(self, "_process", None) == os.getpid():
            self.close()


def listed(name: str, *arguments: Any) -> list:
    """All that ``name(..., i)`` has, up to the first NULL."""
    found: list = []
    while True:
        each = getattr(library, name)(*arguments, len(found))
        if not each:
            return found
        found.append(each)


def texts(values: list) -> ctypes.Array:
    """An array of texts for C."""
    return (ctypes.c_char_p * len(values))(*[raw(value) for value in values])
