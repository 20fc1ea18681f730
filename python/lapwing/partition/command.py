"""`lapwing partition`: one mask cut by several methods, as a table, a picture and files."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console

from lapwing.partition import metis
from lapwing.partition.methods import Found, Sea, find
from lapwing.partition.request import PartitionRequest, PartitionTask, checked
from lapwing.partition.table import print_heading, print_table, write_json

_LINE_EVERY = 10.0  # s between lines where there is no terminal


def partition_mask(request: PartitionRequest) -> None:
    """Do what was asked: search, print the table, write the files.

    Local. UserError for a wrong request, before anything is searched or written.
    """
    task = checked(request)
    notes = _without_metis(task, request.method)
    print_heading(task)
    found = list(_search(task))
    print_table([one.row for one in found], notes)
    if request.json is not None:
        write_json(request.json, task, [one.row for one in found])
        print(f"JSON    {request.json}")
    if request.plot is not None:
        _plot(request.plot, task, found)
    if request.layout is not None and request.layout_file is not None:
        _write_layout(request.layout, request.layout_file, task, found)


def _without_metis(task: PartitionTask, method: str) -> list[str]:
    """Take METIS from the methods where it is not installed and was not asked for by name."""
    if method == "all" and not metis.installed():
        task.methods.remove("metis")
        return [f"no METIS beside these: pymetis is not installed ({metis.INSTALL})"]
    return []


def _search(task: PartitionTask) -> Iterator[Found]:
    sea = Sea(task.mask.wet, task.model, task.threads)
    console = Console(stderr=True, highlight=False)
    todo = [(ranks, method) for ranks in task.ranks for method in task.methods]
    told = time.monotonic()
    with console.status("") as status:
        for number, (ranks, method) in enumerate(todo):
            line = f"{number + 1} of {len(todo)}: {method} into {ranks} ranks"
            status.update(line)
            if not console.is_terminal and time.monotonic() - told > _LINE_EVERY:
                told = time.monotonic()
                console.print(line)
            yield from find(sea, ranks, method)


def _plot(path: Path, task: PartitionTask, found: list[Found]) -> None:
    from lapwing.core.partition import Grid
    from lapwing.model.model import Geometry
    from lapwing.run.plot import Words, draw_partition  # matplotlib takes a second to load

    drawn = next(one for one in reversed(found) if one.partition is not None)
    for one in found:
        drawn = one if one.row.method == "ksection" else drawn
    assert drawn.partition is not None
    row, mask, nodes = drawn.row, task.mask, task.model.ranks_per_node
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
    draw_partition(path, drawn.partition, geometry, words, nodes)
    print(f"picture {path}: {row.method} into {row.ranks_used} ranks")


def _write_layout(kind: str, path: Path, task: PartitionTask, found: list[Found]) -> None:
    from lapwing.partition.layout_choice import choose_layout, write_checked_layout

    wet = task.mask.wet
    blocks = next(one.row.blocks for one in found if one.row.method == "block")
    layout = choose_layout(kind, wet, task.ranks[0], task.model, blocks)
    write_checked_layout(layout, wet, path)
    m, n = layout.blocks
    print(
        f"layout  {path}: {kind}, {m} x {n} blocks, {len(layout.dropped)} dropped, "
        f"{layout.ranks} ranks; read back and checked"
    )
    if layout.blocks != blocks:
        print(f"        other blocks than in the table, as {kind} cuts and drops by its own rules")
