"""Progress of a run: a bar on a terminal, a plain line every ten seconds in a log."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Literal, Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, TextColumn

from lapwing.base.duration import format_clock, format_rate

Style = Literal["auto", "bar", "plain", "none"]
Clock = Callable[[int], str]  # what has passed after a step, for people

_LINE_EVERY = 10.0  # s between plain lines
_BAR_EVERY = 0.2  # s between updates of the bar


class Reporter(Protocol):
    """Something that is told how far a run is. Local."""

    def __enter__(self) -> Reporter:
        """Begin to measure."""
        ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave the terminal as it was."""
        ...

    def at(self, step: int) -> None:
        """Say that `step` steps are done."""


def resolved(style: Style) -> Style:
    """The style itself, or for "auto" a bar on a terminal and lines elsewhere. Local."""
    if style != "auto":
        return style
    return "bar" if sys.stdout.isatty() else "plain"


def make_reporter(style: Style, first: int, last: int, clock: Clock) -> Reporter:
    """A reporter for the steps after `first` to `last`. Local."""
    kinds = {"bar": _Bar, "plain": _Lines, "none": _Silence}
    return kinds[resolved(style)](first, last, clock)


def new_bar(*columns: ProgressColumn, shown: bool = True, transient: bool = False) -> Progress:
    """A bar on the user's terminal, drawn only when it is told to be. Local."""
    # Started by mpiexec, this process writes to a pipe that ends on the user's terminal.
    width = shutil.get_terminal_size((80, 24)).columns
    return Progress(
        *columns,
        console=Console(force_terminal=shown, width=width),
        auto_refresh=False,  # a refreshing thread would take time from what is run or measured
        expand=True,
        transient=transient,
        disable=not shown,
    )


class Attempts:
    """How many of several attempts are done: a bar that goes, or a line every 10 s. Local."""

    def __init__(self, style: Style, total: int) -> None:
        """Begin to count."""
        self.lines, self.total, self.done = style == "plain", total, 0
        self.told = time.monotonic()
        shown = style == "bar"
        words = TextColumn("{task.description}")
        self.bar = new_bar(
            words, BarColumn(None), MofNCompleteColumn(), shown=shown, transient=True
        )
        self.task = self.bar.add_task("", total=total)

    def __enter__(self) -> Attempts:
        """Show the bar."""
        self.bar.start()
        return self

    def __exit__(self, *problem: object) -> None:
        """Leave the terminal as it was."""
        self.bar.stop()

    def begin(self, name: str) -> None:
        """Say which one comes now, those before it being done."""
        now = time.monotonic()
        if self.lines and now - self.told >= _LINE_EVERY:
            self.told = now
            print(f"{self.done}/{self.total} done; now {name}", flush=True)
        self.bar.update(self.task, completed=self.done, description=name)
        self.bar.refresh()
        self.done += 1


class _Silence:
    """Says nothing; knows the pace for the others."""

    pause = float("inf")  # s between two reports

    def __init__(self, first: int, last: int, clock: Clock) -> None:
        self.first, self.last, self.clock = first, last, clock
        self.began = self.told = time.monotonic()

    def __enter__(self) -> _Silence:
        self.began = self.told = time.monotonic()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        return None

    def at(self, step: int) -> None:
        now = time.monotonic()
        if now - self.told >= self.pause or step == self.last:
            self.told = now
            self.tell(step, *self.pace(step, now))

    def pace(self, step: int, now: float) -> tuple[float, float]:
        """Steps per second so far, and seconds left at that pace."""
        rate = (step - self.first) / max(now - self.began, 1e-9)
        return rate, (self.last - step) / max(rate, 1e-9)

    def tell(self, step: int, rate: float, left: float) -> None:
        return None


class _Lines(_Silence):
    pause = _LINE_EVERY

    def tell(self, step: int, rate: float, left: float) -> None:
        percent = 100 * step // self.last
        print(
            f"step {step}/{self.last} ({percent} %), model time {self.clock(step)}, "
            f"{format_rate(rate)} steps/s, {format_clock(left)} left",
            flush=True,
        )


class _Bar(_Silence):
    pause = _BAR_EVERY

    def __init__(self, first: int, last: int, clock: Clock) -> None:
        super().__init__(first, last, clock)
        self.bar = new_bar(
            TextColumn("{task.fields[clock]}"),
            BarColumn(bar_width=None),
            MofNCompleteColumn(),
            TextColumn("{task.fields[pace]}"),
        )
        self.task = self.bar.add_task("", total=last, completed=first, clock="", pace="")

    def __enter__(self) -> _Bar:
        super().__enter__()
        self.bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.bar.stop()

    def tell(self, step: int, rate: float, left: float) -> None:
        self.bar.update(
            self.task,
            completed=step,
            clock=self.clock(step),
            pace=f"{format_rate(rate)} steps/s, {format_clock(left)} left",
        )
        self.bar.refresh()
