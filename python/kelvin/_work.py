"""Long calls of the library, which Ctrl-C ends.

Python handles signals in its main thread, between two of its instructions; a call of C has none. So the main thread
waits while another one makes the call, and what the other one calls back tells it to stop.
"""
from __future__ import annotations

import threading
from typing import Any, Callable, Optional


class Work:
    """A call that can be asked to stop: by Ctrl-C, or by an exception in a function of the user's."""

    def __init__(self) -> None:
        self.stopped = False
        self.error: Optional[BaseException] = None

    def guard(self, function: Callable, *arguments: Any) -> bool:
        """For functions that C calls: calls another one, keeps what it raises, and says whether to go on."""
        if self.stopped:
            return False
        try:
            if function(*arguments) is False:
                self.stopped = True
        except BaseException as error:  # C cannot pass it on
            self.error = self.error or error
            self.stopped = True
        return not self.stopped

    def run(self, function: Callable, *arguments: Any) -> Any:
        """What the function returns or raises. Ctrl-C asks it to stop, waits for it, and is raised again."""
        if threading.current_thread() is not threading.main_thread():
            return self._finish(function, *arguments)
        result: list = []

        def work() -> None:
            try:
                result.append((function(*arguments), None))
            except BaseException as error:
                result.append((None, error))

        thread = threading.Thread(target=work, name="kelvin", daemon=True)
        thread.start()
        while thread.is_alive():
            try:
                thread.join(0.05)
            except KeyboardInterrupt as error:
                self.error = self.error or error
                self.stopped = True
        return self._finish(self._outcome, result)

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
