"""The table of `lapwing bench transpose`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from lapwing_bench.measure.method_table import method_table
from lapwing_bench.transpose.request import LIMIT, TransposeRequest

if TYPE_CHECKING:
    from lapwing_bench.transpose.benchmark import Measured


def print_table(request: TransposeRequest, measured: Measured) -> None:
    """Print all results, then what auto took and what was not to be had. Local."""
    console = Console(width=120)
    console.print(_table(request, measured))
    for work, method in measured.chosen.items():
        console.print(f"auto took {method} for {work}", markup=False, highlight=False)
    for name, reason in measured.missing.items():
        console.print(f"not measured: {name}: {reason}", markup=False, highlight=False)


def _table(request: TransposeRequest, measured: Measured) -> Table:
    crowded = ", OVERSUBSCRIBED: ranks share cores" if measured.oversubscribed else ""
    return method_table(
        title=f"Transpose of one field, float64, {request.ranks} ranks, "
        f"{request.samples} samples{crowded}",
        caption="Median, min and max over the turns of the time of one transpose on the slowest "
        f"rank. Share: time of {LIMIT} / time. Speed-up: time of the faster hand-written one / "
        "time in the same turn, median (middle half of the turns). kept: x stays the fastest axis.",
        unit="ms",
        results=measured.results,
    )
