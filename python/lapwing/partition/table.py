"""Partitions by several methods as a table for people, and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

from rich.console import Console
from rich.table import Table

from lapwing.base.table import PLAIN
from lapwing.core.versions import write_report
from lapwing.partition.methods import Row
from lapwing.partition.request import COSTS, PartitionTask

_WIDTH = 140  # columns at most; numbers of candidates can be long
_HEADINGS = (
    "ranks\nasked",
    "method",
    "ranks\nused",
    "max/mean\nwet",
    "halo\noff node",
    "halo\non node",
    "messages",
    "cost",
    "searched\n(candidates)",
    "seconds",
)

_WORDS = """
cost: of the slowest rank, in units of the work on one wet point. halo: wet points that
ranks get from others, all together. block: blocks of one size, those without water dropped.
assigned: several smaller blocks per rank. ksection: one box per rank, cut by wet points. metis:
k-way, parts of any shape. searched: partitions that were priced. candidates: those of a
plain k-section."""


def print_heading(task: PartitionTask) -> None:
    """Print what is cut and what a partition costs. Local."""
    wet, model = task.mask.wet, task.model
    nx, ny = wet.shape
    costs = ", ".join(f"{name} {getattr(model, name):g}" for name in COSTS)
    nodes = model.ranks_per_node
    console = _console()
    console.print(f"{task.path}: {nx} x {ny} points, {100 * wet.mean():.1f} % wet")
    console.print(
        f"halo of width {model.width}; {nodes} rank{'s' if nodes > 1 else ''} per node; "
        f"costs: {costs}" + ("; ranks of different speeds" if model.speeds else "")
    )


def print_table(rows: list[Row], notes: list[str]) -> None:
    """Print a line per partition, what the columns mean, and notes. Local."""
    table = Table(**PLAIN)
    for heading in _HEADINGS:
        table.add_column(heading, justify="left" if heading == "method" else "right", no_wrap=True)
    for number, row in enumerate(rows):
        first = number == 0 or rows[number - 1].ranks != row.ranks
        if first and number > 0:
            table.add_row()
        table.add_row(str(row.ranks) if first else "", *_cells(row))
    console = _console()
    console.print()
    console.print(table)
    console.print(_WORDS)
    for note in notes:
        console.print(f"note: {note}")


def _console() -> Console:
    return Console(width=_WIDTH, highlight=False, markup=False, soft_wrap=True)


def _cells(row: Row) -> list[str]:
    """Everything but the ranks that were asked for."""
    name, comma, order = row.method.partition(",")
    blocks = f" {row.blocks[0]}x{row.blocks[1]}" if row.blocks else ""
    return [
        name + blocks + comma + order,
        str(row.ranks_used),
        f"{row.imbalance:.3f}",
        f"{row.halo_off:,}",
        f"{row.halo_on:,}",
        f"{row.messages:,}",
        f"{row.cost:,.0f}",
        _searched(row),
        f"{row.seconds:.2f}",
    ]


def _searched(row: Row) -> str:
    if row.searched is None:
        return ""
    return f"{row.searched:,}" + (f" ({row.candidates:,})" if row.candidates is not None else "")


def write_json(file: Path, task: PartitionTask, rows: list[Row]) -> None:
    """Write all rows under the schema lapwing-partition-1.

    Local. OutsideError when the disk refuses.
    """
    wet, model = task.mask.wet, task.model
    content = {
        "mask": {"file": task.path.name, "size": list(wet.shape), "wet": int(wet.sum())},
        "costs": {name: getattr(model, name) for name in COSTS},
        "width": model.width,
        "ranks_per_node": model.ranks_per_node,
        "speeds": list(model.speeds),
        "entries": [asdict(row) for row in rows],
    }
    write_report(file, "lapwing-partition-1", content)
