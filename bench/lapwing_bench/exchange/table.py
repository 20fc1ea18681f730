"""The table of `lapwing bench exchange`."""

from __future__ import annotations

from statistics import median

from rich.console import Console
from rich.table import Table

from lapwing_bench.exchange.request import LIMIT, REFERENCE, ExchangeRequest
from lapwing_bench.exchange.timing import Measured
from lapwing_bench.measure.method_table import method_table


def print_table(request: ExchangeRequest, measured: Measured) -> None:
    """Print all results, then what an idle call costs and what was not to be had. Local."""
    console = Console(width=120)
    console.print(_table(request, measured))
    call = measured.call
    console.print(
        f"A call of exchange.run() from Python with nothing to move: {1e6 * median(call):.2f} us "
        f"(min {1e6 * min(call):.2f}, max {1e6 * max(call):.2f})"
    )
    for name, reason in measured.missing.items():
        console.print(f"not measured: {name}: {reason}", markup=False, highlight=False)


def _table(request: ExchangeRequest, measured: Measured) -> Table:
    blocks_x, blocks_y = request.blocks
    return method_table(
        title=f"Halo exchange, width {request.width}, float64, periodic, corners, "
        f"{blocks_x} x {blocks_y} ranks, {measured.sampling.description}",
        caption="Median, min and max over the turns of the mean time per exchange, rewriting of "
        f"edges subtracted. Share: time of {LIMIT} / time. Speed-up: time of {REFERENCE} / time in "
        "the same turn, median (middle half of the turns).",
        unit="us",
        results=measured.results,
    )
