"""A line that says how far a run is, with the look of tqdm's, in terminals and notebooks."""
from __future__ import annotations

import shutil
import sys
import time
from typing import Any, Optional

BLOCKS = " ▏▎▍▌▋▊▉█"


def clock(seconds: float) -> str:
    """``02:05``, ``1:02:05``, or ``?`` of what is not known."""
    if not 0 <= seconds < 1e8:
        return "?"
    minutes, seconds = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{seconds:02d}" if hours else f"{minutes:02d}:{seconds:02d}"


def in_notebook() -> bool:
    """Whether this is a kernel of Jupyter's, which has no terminal."""
    shell = sys.modules.get("IPython") and sys.modules["IPython"].get_ipython()
    return type(shell).__name__ == "ZMQInteractiveShell"


class Bar:
    """``sampling:  45%|████▌     | 12k/27k [00:03<00:04, 3.4k epoch/s]``

    Parameters
    ----------
    title : str
        What is being done.
    total : float
        How much there is to do; 0: nobody knows yet.
    unit : str
        What is counted.
    out : file, optional
        Where the line goes; standard error if nobody says.
    """

    def __init__(self, title: str, total: float, unit: str, out: Any = None) -> None:
        self.title, self.total, self.unit = title, total, unit
        self.out = out or sys.stderr
        self.done = self.first = 0.0
        self.begin: Optional[float] = None
        self.shown = 0.0
        self.width = 0

    def update(self, done: float, total: float, note: str = "") -> None:
        now = time.monotonic()
        self.total = total
        if self.begin is None:  # what an earlier sitting did is no part of the rate
            self.begin, self.first = now, done
        self.done = done
        if now - self.shown >= 0.1:
            self.shown = now
            self.show(note)

    def line(self, note: str = "") -> str:
        elapsed = time.monotonic() - self.begin if self.begin is not None else 0.0
        share = min(self.done / self.total, 1.0) if self.total else 0.0
        rate = (self.done - self.first) / elapsed if elapsed > 0 else 0.0
        left = (self.total - self.done) / rate if rate > 0 else float("inf")
        head = f"{self.title}: {share:4.0%}|"
        tail = (f"| {short(self.done)}/{short(self.total)} "
                f"[{clock(elapsed)}<{clock(left)}, {short(rate)} {self.unit}/s{note}]")
        columns = 100 if in_notebook() else shutil.get_terminal_size((100, 24)).columns
        room = max(4, min(40, columns - len(head) - len(tail) - 1))
        eighths = int(share * room * 8)
        full, part = divmod(eighths, 8)
        bar = (BLOCKS[8] * full + (BLOCKS[part] if full < room else "")).ljust(room)
        return head + bar + tail

    def show(self, note: str = "") -> None:
        line = self.line(note)
        try:
            print("\r" + line.ljust(self.width), end="", file=self.out, flush=True)
        except UnicodeEncodeError:
            print("\r" + "".join("#" if each in BLOCKS[1:] else each for each in line).ljust(self.width),
                  end="", file=self.out, flush=True)
        self.width = len(line)

    def begin_anew(self, title: str) -> None:
        """Other work, whose rate is its own."""
        self.title, self.begin, self.shown = title, None, 0.0

    def close(self, finished: bool = True) -> None:
        if self.width:
            self.done = self.total if finished else self.done
            self.show()
            print(file=self.out, flush=True)
            self.width = 0


def short(number: float) -> str:
    """``950``, ``12.3k``, ``4.5M``"""
    for factor, suffix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= factor:
            return f"{number / factor:.3g}{suffix}"
    return f"{number:.3g}"


def wanted(progress: Optional[bool]) -> bool:
    """Whether to show it: where a person looks, unless somebody says otherwise."""
    if progress is None:
        return in_notebook() or bool(getattr(sys.stderr, "isatty", lambda: False)())
    return bool(progress)
