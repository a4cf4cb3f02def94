"""Long calls of the library, which Ctrl-C ends.

Python handles signals in its main thread, between two of its instructions; a call of C has none. So the main thread
waits while another one makes the call, and what the other one calls back tells it to stop.
"""
from __future__ import annotations

import contextlib
import signal
import threading
from typing import Any, Callable, Iterator, Optional


class Work:
    """A call that can be asked to stop: by Ctrl-C, or by an exception in a function of the user's."""

    def __init__(self) -> None:
        self.stopped = False
        self.error: Optional[BaseException] = None

    def stop(self, error: BaseException) -> None:
        self.error = self.error or error
        self.stopped = True

    def guard(self, function: Callable, *arguments: Any) -> bool:
        """For functions that C calls: calls another one, keeps what it raises, and says whether to go on."""
        if self.stopped:
            return False
        try:
            if function(*arguments) is False:
                self.stopped = True
        except BaseException as error:  # C cannot pass it on
            self.stop(error)
        return not self.stopped

    def run(self, function: Callable, *arguments: Any) -> Any:
        """What the function returns or raises. Ctrl-C asks it to stop, waits for it, and is raised again."""
        if threading.current_thread() is not threading.main_thread():
            return self._finish(function, *arguments)
        result: list = []
        done = threading.Event()

        def work() -> None:
            try:
                result.append((function(*arguments), None))
            except BaseException as error:
                result.append((None, error))
            finally:
                done.set()

        with self.hearing_ctrl_c():
            threading.Thread(target=work, name="kelvin", daemon=True).start()
            while not done.is_set():
                try:
                    done.wait(0.05)
                except KeyboardInterrupt as error:  # by a handler of the user's
                    self.stop(error)
        return self._finish(self._outcome, result)

    @contextlib.contextmanager
    def hearing_ctrl_c(self) -> Iterator[None]:
        """Python's own handler would raise an exception anywhere: where the call must not be left alone, or in a function
        that C calls, where it would be lost."""
        if threading.current_thread() is not threading.main_thread() or \
                signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
            yield
            return
        signal.signal(signal.SIGINT, lambda _number, _frame: self.stop(KeyboardInterrupt()))
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    @staticmethod
    def _outcome(result: list) -> Any:
        value, error = result[0]
        if error is not None:
            raise error
        return value

    def _finish(self, function: Callable, *arguments: Any) -> Any:
        try:
            value = function(*arguments)
        except Exception as error:
            if self.error is not None:
                raise self.error from None
            raise error
        if isinstance(self.error, KeyboardInterrupt):  # it came too late to stop anything, and is not swallowed
            raise self.error
        return value
