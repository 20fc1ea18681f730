"""Stopping on request: a batch system tells a job some time before it ends it."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Self

SIGNALS = (signal.SIGTERM, signal.SIGUSR1)  # ask to stop, instead of ending the process


class StopRequest:
    """True if this process was asked to stop: a context in which the signals say no more than that.

    Ctrl-C raises KeyboardInterrupt as ever, and `look` raises it again: C code that calls Python at
    that moment, such as a lookup of an attribute, may lose the exception. Local; in the main
    thread.
    """

    def __init__(self) -> None:
        """Start with no request to stop."""
        self.number = 0  # number of the signal; 0: none came
        self.interrupted = False

    def __enter__(self) -> Self:
        """Take over the signals."""
        self._before = {number: signal.signal(number, self._note) for number in SIGNALS}
        self._before[signal.SIGINT] = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, *problem: object) -> None:
        """Give them back."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def look(self) -> None:
        """Raise KeyboardInterrupt where Ctrl-C was pressed. Local."""
        if self.interrupted:
            raise KeyboardInterrupt

    def _note(self, number: int, _: FrameType | None) -> None:
        self.number = number

    def _interrupt(self, *_: object) -> None:
        self.interrupted = True
        raise KeyboardInterrupt
