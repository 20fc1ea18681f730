"""Stopping on request: a batch system tells a job some time before it ends it."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Self

SIGNALS = (signal.SIGTERM, signal.SIGUSR1)  # that ask to stop, instead of ending the process


class StopRequest:
    """Whether this process was asked to stop: a context in which the signals say no more than that.

    Local; in the main thread.
    """

    def __init__(self) -> None:
        """Nothing is asked yet."""
        self.number = 0  # of the signal; 0: none came

    def __enter__(self) -> Self:
        """Take over the signals."""
        self._before = {number: signal.signal(number, self._note) for number in SIGNALS}
        return self

    def __exit__(self, *problem: object) -> None:
        """Give them back."""
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, _: FrameType | None) -> None:
        self.number = number
