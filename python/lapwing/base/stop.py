"""Stopping on request, as of a batch system, and a quiet end where nothing reads the output."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Any, Self, TextIO, cast

SIGNALS = (signal.SIGTERM, signal.SIGUSR1)  # ask to stop, instead of ending the process
READER_GONE = 128 + signal.SIGPIPE  # the exit code that a shell gives programs that SIGPIPE ends


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


# ---- a reader of the output that has gone, as after `lapwing plan CASE | head`


class _Output:
    """Standard output or error. A write that nothing reads any more ends the process.

    It raises SystemExit, which no handler of errors takes for one. All else is the stream's own.
    """

    def __init__(self, stream: TextIO) -> None:
        """Take the stream."""
        self._stream = stream

    def write(self, text: str) -> int:
        """Write the text. Local."""
        with _quiet_end(self._stream):
            return self._stream.write(text)

    def flush(self) -> None:
        """Write what has been kept back. Local."""
        with _quiet_end(self._stream):
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        """Return the attribute of the stream."""
        return getattr(self._stream, name)


@contextmanager
def _quiet_end(stream: TextIO) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        # the rest is flushed at the end of the process, where an error would be printed
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, stream.fileno())
        os.close(nothing)
        raise SystemExit(READER_GONE) from None


@contextmanager
def quiet_without_reader() -> Iterator[None]:
    """Within it a process whose output nothing reads any more ends with READER_GONE. Local."""
    before = sys.stdout, sys.stderr
    outputs = [_Output(stream) for stream in before if stream is not None]
    if len(outputs) == len(before):
        sys.stdout, sys.stderr = (cast("TextIO", output) for output in outputs)
    try:
        yield
    finally:
        for output in outputs:
            with suppress(ValueError):  # it is closed
                output.flush()
