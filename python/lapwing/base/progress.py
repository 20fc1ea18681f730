"""Progress of long work: a bar on a terminal, plain lines in a log."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from typing import Literal, Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from lapwing.base.duration import format_clock, format_rate

Style = Literal["auto", "bar", "plain", "none"]
Clock = Callable[[int], str]  # elapsed time after a step, as text

_EVERY = {"plain": 10.0, "bar": 0.2, "none": float("inf")}  # s between two reports


def resolved(style: Style) -> Style:
    """The style itself, or for "auto" a bar on a terminal and lines elsewhere. Local."""
    if style != "auto":
        return style
    return "bar" if sys.stdout.isatty() else "plain"


class ProgressBar:
    """Progress by the number of things done. Local; it draws only when it is called."""

    def __init__(self, style: Style, total: int, done: int = 0, transient: bool = True) -> None:
        """Begin with `done` of `total`; a transient bar vanishes in the end."""
        self.style, self.total, self.done = resolved(style), total, done
        shown = self.style == "bar"
        # Started by mpiexec, this process writes to a pipe that ends on the user's terminal.
        width = shutil.get_terminal_size((80, 24)).columns
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TextColumn("{task.fields[pace]}"),
            console=Console(force_terminal=shown, width=width),
            auto_refresh=False,  # a refreshing thread would take time from what is run or measured
            expand=True,
            transient=transient,
            disable=not shown,
        )
        self._task = self._bar.add_task("", total=total, completed=done, pace="")

    def __enter__(self) -> Self:
        """Show the bar."""
        self.began = self.told = time.monotonic()
        self._bar.start()
        return self

    def __exit__(self, *problem: object) -> None:
        """Leave the terminal as it was."""
        self._bar.stop()

    def is_due(self) -> bool:
        """True if the last report was long ago."""
        return time.monotonic() - self.told >= _EVERY[self.style]

    def show(self, done: int, words: str, pace: str = "", line: str = "") -> None:
        """Draw the bar with words on both sides, or print the line."""
        self.told = time.monotonic()
        if self.style == "plain" and line:
            print(line, flush=True)
        self._bar.update(self._task, completed=done, description=words, pace=pace)
        self._bar.refresh()

    def begin(self, name: str) -> None:
        """Say which one comes now, those before it being done; a line every 10 s."""
        if self.style == "bar" or self.is_due():
            self.show(self.done, name, line=f"{self.done}/{self.total} done; now {name}")
        self.done += 1

    def advance(self, name: str) -> None:
        """One more is done, of what has this name."""
        self.done += 1
        self.show(self.done, name)

    def finish(self, name: str) -> None:
        """All that has this name is done: a line."""
        if self.style == "plain":
            print(f"measured {name}", flush=True)


class StepProgress(ProgressBar):
    """Progress by the steps of a run, and their pace. Local."""

    def __init__(self, style: Style, first: int, last: int, clock: Clock) -> None:
        """Show the steps after `first` up to `last`."""
        super().__init__(style, last, first, transient=False)
        self.first, self.clock = first, clock

    def at(self, step: int) -> None:
        """Say that `step` steps are done; prints now and then, and at the end."""
        if step < self.total and not self.is_due():
            return
        rate = (step - self.first) / max(time.monotonic() - self.began, 1e-9)
        left = format_clock((self.total - step) / max(rate, 1e-9))
        pace = f"{format_rate(rate)} steps/s, {left} left"
        percent, passed = 100 * step // self.total, self.clock(step)
        line = f"step {step}/{self.total} ({percent} %), model time {passed}, {pace}"
        self.show(step, passed, pace, line)
