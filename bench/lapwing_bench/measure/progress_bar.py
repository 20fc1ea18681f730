"""How far a benchmark is: a bar on a terminal, a line per finished work in a log."""

from __future__ import annotations

from types import TracebackType

from lapwing.base.progress import Style, new_bar, resolved
from mpi4py import MPI
from rich.progress import BarColumn, TextColumn, TimeRemainingColumn


class WorkProgress:
    """Told of every turn; shows it on rank 0 of the world. Local."""

    def __init__(self, style: Style, turns: int) -> None:
        """Begin at none of `turns`."""
        self.style = resolved(style) if MPI.COMM_WORLD.Get_rank() == 0 else "none"
        self.bar = new_bar(
            TextColumn("{task.description}"),
            BarColumn(bar_width=None),
            TimeRemainingColumn(),
            shown=self.style == "bar",
            transient=True,
        )
        self.task = self.bar.add_task("", total=turns)

    def __enter__(self) -> WorkProgress:
        """Show the bar."""
        self.bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leave the terminal as it was."""
        self.bar.stop()

    def advance(self, work: str) -> None:
        """One turn of a work is done; drawn between turns, never inside a sample."""
        if self.style == "bar":
            self.bar.update(self.task, advance=1, description=work)
            self.bar.refresh()

    def done(self, work: str) -> None:
        """All of a work is done."""
        if self.style == "plain":
            print(f"measured {work}", flush=True)
