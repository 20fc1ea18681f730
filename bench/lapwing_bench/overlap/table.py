"""The table of `lapwing bench overlap`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.table import Table

from lapwing_bench.measure.report import Result
from lapwing_bench.overlap.request import OverlapRequest


def print_table(
    request: OverlapRequest, results: Sequence[Result], notes: Mapping[str, str]
) -> None:
    """Print the steps of all methods, then the notes by what they are about. Local."""
    console = Console(width=120)
    console.print(_table(request, [result for result in results if "hidden" in result.extra]))
    for name, note in notes.items():
        console.print(f"{name}: {note}", markup=False, highlight=False)


def _table(request: OverlapRequest, results: Sequence[Result]) -> Table:
    chunks = f", messages of at most {request.chunk_bytes} B" if request.chunk_bytes else ""
    table = Table(
        title=f"Communication behind computing, {request.ranks} ranks, transport "
        f"{request.transport}{chunks}, {request.samples} samples",
        caption="Step: median, min and max. Hidden: (fastest communication of the run + computing "
        "- step) / the lesser of the two. Kernels: their time in the step / undivided and alone. "
        "Over plain and over TCP: step / that of the same turn, median.",
    )
    table.add_column("work", no_wrap=True)
    table.add_column("method", no_wrap=True)
    for heading in (
        *("comm. ms", "compute ms", "step ms", "min", "max", "hidden"),
        *("over longer", "over plain", "over TCP", "kernels"),
    ):
        table.add_column(heading, justify="right", no_wrap=heading in ("hidden", "kernels"))
    before = ""
    for result in results:
        if result.work != before and before:
            table.add_section()
        table.add_row(result.work if result.work != before else "", *_cells(result))
        before = result.work
    return table


def _cells(result: Result) -> list[str]:
    extra = result.extra
    times = (
        *(extra["communicate"], extra["compute"]),
        *(result.median, min(result.samples), max(result.samples)),
    )
    return [
        result.method,
        *(f"{1e3 * seconds:.3f}" for seconds in times),
        f"{100 * extra['hidden']:.0f} %",
        *(
            f"{extra[name]:.3f}" if name in extra else "-"
            for name in ("over_longer", "over_plain", "over_tcp_ceiling", "zoning")
        ),
    ]
