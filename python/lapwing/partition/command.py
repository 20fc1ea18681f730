"""`lapwing partition`: one mask cut by several methods, as a table, a picture and files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from rich.console import Console

from lapwing.base.progress import ProgressBar
from lapwing.base.table import PLAIN, make_table
from lapwing.core.partition import Grid, Mask
from lapwing.core.versions import write_report
from lapwing.partition import metis
from lapwing.partition.methods import Found, Row, Sea, find
from lapwing.partition.request import COSTS, PartitionRequest, PartitionTask, checked

_WIDTH = 140  # columns at most; numbers of candidates can be long
_HEADINGS = ("ranks\nused", "max/mean\nwet", "halo\noff node", "halo\non node", "messages", "cost")

_WORDS = """
cost: of the slowest rank, in units of the work on one wet point. halo: wet points that
ranks get from others, all together. block: blocks of one size, those without water dropped.
assigned: several smaller blocks per rank. ksection: one box per rank, cut by wet points. metis:
k-way, parts of any shape. searched: partitions that were priced. candidates: those of a
plain k-section."""


def partition_mask(request: PartitionRequest) -> None:
    """Do what was asked: search, print the table, write the files.

    Local. UserError for a wrong request, before anything is searched or written.
    """
    task = checked(request)
    notes = _without_metis(task, request.method)
    console = Console(width=_WIDTH, highlight=False, markup=False, soft_wrap=True)
    _print_heading(console, task)
    found = list(_search(task))
    rows = [row for row, _ in found]
    _print_table(console, rows)
    for note in notes:
        console.print(f"note: {note}")
    if request.json is not None:
        _write_json(request.json, task, rows)
        print(f"JSON    {request.json}")
    if request.plot is not None:
        _plot(request.plot, task, found)
    if request.layout is not None and request.layout_file is not None:
        _write_layout(request.layout, request.layout_file, task, rows)


def _without_metis(task: PartitionTask, method: str) -> list[str]:
    """Take METIS from the methods where it is not installed and was not asked for by name."""
    if method == "all" and not metis.installed():
        task.methods.remove("metis")
        return [f"no METIS beside these: pymetis is not installed ({metis.INSTALL})"]
    return []


def _search(task: PartitionTask) -> Iterator[Found]:
    wet = task.mask.wet
    sea = Sea(wet, Grid(wet.shape), Mask(wet), task.model, task.threads)
    with ProgressBar("auto", len(task.ranks) * len(task.methods)) as attempts:
        for ranks in task.ranks:
            for method in task.methods:
                attempts.begin(f"{method} into {ranks} ranks")
                yield from find(sea, ranks, method)


# ---- the table


def _print_heading(console: Console, task: PartitionTask) -> None:
    """What is cut, and what a partition costs."""
    wet, model = task.mask.wet, task.model
    nx, ny = wet.shape
    costs = ", ".join(f"{name} {getattr(model, name):g}" for name in COSTS)
    nodes = model.ranks_per_node
    console.print(f"{task.path}: {nx} x {ny} points, {100 * wet.mean():.1f} % wet")
    console.print(
        f"halo of width {model.width}; {nodes} rank{'s' if nodes > 1 else ''} per node; "
        f"costs: {costs}" + ("; ranks of different speeds" if model.speeds else "")
    )


def _print_table(console: Console, rows: Sequence[Row]) -> None:
    """A line per partition, and what the columns mean."""
    table = make_table((), ("ranks\nasked",), **PLAIN)
    table.add_column("method", no_wrap=True)
    for heading in (*_HEADINGS, "searched\n(candidates)", "seconds"):
        table.add_column(heading, justify="right", no_wrap=True)
    asked = 0
    for row in rows:
        if asked not in (0, row.ranks):
            table.add_row()
        table.add_row(str(row.ranks) if asked != row.ranks else "", *_cells(row))
        asked = row.ranks
    console.print()
    console.print(table)
    console.print(_WORDS)


def _cells(row: Row) -> list[str]:
    """Everything but the ranks that were asked for."""
    name, comma, order = row.method.partition(",")
    blocks = f" {row.blocks[0]}x{row.blocks[1]}" if row.blocks else ""
    candidates = "" if row.candidates is None else f" ({row.candidates:,})"
    return [
        name + blocks + comma + order,
        str(row.ranks_used),
        f"{row.imbalance:.3f}",
        f"{row.halo_off:,}",
        f"{row.halo_on:,}",
        f"{row.messages:,}",
        f"{row.cost:,.0f}",
        "" if row.searched is None else f"{row.searched:,}{candidates}",
        f"{row.seconds:.2f}",
    ]


# ---- the files


def _write_json(file: Path, task: PartitionTask, rows: Sequence[Row]) -> None:
    """All rows under the schema lapwing-partition-1. OutsideError when the disk refuses."""
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


def _plot(path: Path, task: PartitionTask, found: Sequence[Found]) -> None:
    """The last k-section, or else the last partition into boxes."""
    from lapwing.model.model import Geometry
    from lapwing.run.plot import Words, draw_partition  # matplotlib takes a second to load

    boxes = [(row, partition) for row, partition in found if partition is not None]
    sections = [one for one in boxes if one[0].method == "ksection"]
    row, partition = (sections or boxes)[-1]
    mask, nodes = task.mask, task.model.ranks_per_node
    words = Words(
        title=f"{task.path.stem}: {row.method} into {row.ranks_used} ranks",
        subtitle=f"max/mean wet {row.imbalance:.3f}, cost {row.cost:,.0f}, "
        f"{row.halo_off + row.halo_on:,} halo points"
        + (f", {row.halo_off:,} of them off node" if nodes > 1 else "")
        + "\n"
        + (f"a colour: the {nodes} ranks of a node; " if nodes > 1 else "")
        + "the paler, the fewer wet points; red: the fullest rank",
    )
    geometry = Geometry(Grid(mask.wet.shape), mask.wet, mask.x, mask.y)
    draw_partition(path, partition, geometry, words, nodes)
    print(f"picture {path}: {row.method} into {row.ranks_used} ranks")


def _write_layout(kind: str, path: Path, task: PartitionTask, rows: Sequence[Row]) -> None:
    from lapwing.partition.layout_choice import choose_layout, write_checked_layout

    wet = task.mask.wet
    blocks = next(row.blocks for row in rows if row.method == "block")
    layout = choose_layout(kind, wet, task.ranks[0], task.model, blocks)
    write_checked_layout(layout, wet, path)
    m, n = layout.blocks
    print(
        f"layout  {path}: {kind}, {m} x {n} blocks, {len(layout.dropped)} dropped, "
        f"{layout.ranks} ranks; read back and checked"
    )
    if layout.blocks != blocks:
        print(f"        other blocks than in the table, as {kind} cuts and drops by its own rules")
