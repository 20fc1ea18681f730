"""`lapwing partition`: one mask cut by several methods, as a table, a picture and files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from rich.console import Console

from lapwing.base.agreement import DONE
from lapwing.base.atomic_file import check_file, check_picture
from lapwing.base.error import user_error
from lapwing.base.number_check import positive_numbers
from lapwing.base.progress import ProgressBar, Style
from lapwing.base.table import PLAIN, make_table
from lapwing.commands.options import MOST, Debug, Json, Progress, answered
from lapwing.core import _core
from lapwing.core.partition import COSTS, CostModel, Grid, Mask, Partition, read_costs, read_speeds
from lapwing.core.versions import write_report
from lapwing.io.mask_file import MaskFile, read_mask
from lapwing.partition import waters as lakes
from lapwing.partition.layouts import (
    RANKS,
    LayoutPlanner,
    choose_planned,
    kind_named,
    ranks_of,
    write_checked_layout,
    write_checked_ranks,
)
from lapwing.partition.methods import METHODS, METIS_INSTALL, Found, Row, Sea, find, metis_installed
from lapwing.partition.regions import REGIONS
from lapwing.partition.waters import Waters, waters_of

_RANKS_AT_WILL, _WET_PER_RANK = 5000, 8  # above the first the second is asked for
_WIDEST_HALO = 100  # cells
_MOST_FOR_METIS = 30_000_000  # wet points: its graph and what makes it take some 300 bytes for each

_CHECKED = "read back and checked"  # said of a written layout
_WIDTH = 140  # columns at most; numbers of candidates can be long
_HEADINGS = (
    *("ranks\nused", "max/mean\nwet", "halo\noff node", "halo\non node"),
    *("messages", "most of\none rank", "cost"),
)

_WORDS = """
cost: of the slowest rank, in units of the work on one wet point. halo: wet points that
ranks get from others, all together. messages: that ranks get, all together, and the rank that
gets most. block: blocks of one size, those without water dropped.
assigned: several smaller blocks per rank. ksection: one box per rank, cut by wet points. metis:
k-way, parts of any shape. searched: partitions that were priced. candidates: those of a
plain k-section."""


@answered
def partition(
    mask: Annotated[
        Path,
        typer.Argument(
            help="A map of the sea: of `lapwing mask`, or of another program.", metavar="MASK"
        ),
    ],
    ranks: Annotated[
        str,
        typer.Option(
            "--ranks",
            "-n",
            help="Numbers of ranks, separated by commas.",
            metavar="N,...",
        ),
    ],
    wet: Annotated[
        str,
        typer.Option(
            help='Cells that are wet, by variables of the file: "depth > 10", '
            '"hFacC\\[0] > 0", "elevation < 0 and ice == 0".',
            metavar="EXPR",
        ),
    ] = "",
    axes: Annotated[
        str,
        typer.Option(
            help="Order of the map's dimensions, where the file says none.", metavar="x,y|y,x"
        ),
    ] = "",
    variable: Annotated[
        str, typer.Option(help="The map, where the file has several.", metavar="NAME")
    ] = "",
    size: Annotated[
        str,
        typer.Option(help="Cells along x and y, for a file without a header.", metavar="NX,NY"),
    ] = "",
    method: Annotated[
        str,
        typer.Option(
            help="block, assigned (several blocks per rank), ksection, metis (needs pymetis), "
            "or all, in one table."
        ),
    ] = "all",
    ranks_per_node: Annotated[
        int, typer.Option(min=1, max=MOST, help="One node after the other.", metavar="P")
    ] = 1,
    width: Annotated[int, typer.Option(min=0, max=MOST, help="Cells of halo.", metavar="W")] = 2,
    speeds: Annotated[
        str | None,
        typer.Option(help="Speeds of the ranks: numbers, or a file of them.", metavar="S,S,...|F"),
    ] = None,
    costs: Annotated[
        str | None,
        typer.Option(
            help="Costs of a wet and a dry point, of a halo point from off and on the node, and of "
            "a message; or a TOML file with a table \\[partition] of them. "
            "Default: wet=1,dry=0.05,off=5,on=1,latency=0.",
            metavar="NAME=C,...|F",
        ),
    ] = None,
    threads: Annotated[int, typer.Option(min=1, max=MOST, help="Of the search.", metavar="T")] = 1,
    plot: Annotated[
        Path | None, typer.Option(help="PNG of the k-section or the last row.", metavar="FILE")
    ] = None,
    json: Json = None,
    layout: Annotated[
        str | None,
        typer.Option(
            help="Write a layout file: mom6, mitgcm, nemo, nemo-4.0, nemo-3.6, hycom, getm, roms, "
            "croco, cice, or ranks: a map of the rank of each cell.",
            metavar="MODEL",
        ),
    ] = None,
    layout_file: Annotated[
        Path | None, typer.Option(help="Name of the layout file.", metavar="FILE")
    ] = None,
    progress: Progress = "auto",
    debug: Debug = False,
) -> int:
    """Cut a sea into subdomains by several methods, and say what each costs.

    [b]max/mean wet[/b] is the imbalance: how much longer the fullest rank computes
    than the mean. A halo point costs more from another node. Layout files tell
    other models their blocks, and which of them get no rank.

    The mask is a NetCDF or .npy file, or the grid file of another model.
    1 is wet unless the file says otherwise. Notes tell how it was read; what
    is unclear is refused, and the error names the option that settles it.

    Examples:

    lapwing partition shelf.nc -n 60,120,512,720

    lapwing partition topog.nc -n 120 --wet "depth > 10"

    lapwing partition shelf.nc -n 720 --ranks-per-node 24 --plot shelf.png

    lapwing partition shelf.nc -n 120 --method block --layout mom6 --layout-file mask_table
    """
    request = PartitionRequest(
        mask=mask,
        ranks=ranks,
        wet=wet,
        axes=axes,
        variable=variable,
        size=size,
        method=method,
        ranks_per_node=ranks_per_node,
        width=width,
        speeds=speeds,
        costs=costs,
        threads=threads,
        plot=plot,
        json=json,
        layout=layout,
        layout_file=layout_file,
        progress=progress,
    )
    partition_mask(request)
    return DONE


@dataclass(frozen=True)
class PartitionRequest:
    """The user's request to `lapwing partition`, as text."""

    mask: Path
    ranks: str
    wet: str = ""
    axes: str = ""
    variable: str = ""
    size: str = ""
    method: str = "all"
    ranks_per_node: int = 1
    width: int = 2
    speeds: str | None = None
    costs: str | None = None
    threads: int = 1
    plot: Path | None = None
    json: Path | None = None
    layout: str | None = None
    layout_file: Path | None = None
    progress: Style = "auto"


@dataclass(frozen=True)
class PartitionTask:
    """A request that was found right."""

    request: PartitionRequest
    mask: MaskFile
    ranks: list[int]
    methods: list[str]
    model: CostModel


def checked(request: PartitionRequest) -> PartitionTask:
    """Read the mask and the numbers of a request. Local; UserError for what is wrong with it."""
    expected = "numbers of ranks like 60,120, each at least 1"
    ranks = positive_numbers("-n", request.ranks, int, expected)
    methods = list(METHODS) if request.method == "all" else [request.method]
    if methods[0] not in METHODS:
        expected = f"all, or one of {', '.join(METHODS)}"
        raise user_error("--method", repr(request.method), expected, "choose one of them")
    mask = _read(request)
    _check_sizes(request, max(ranks), mask)
    if request.layout not in (None, RANKS):  # before the search, what the other model refuses
        kind = kind_named(str(request.layout))
        kind.check(mask.wet)
        kind.width(request.width)
    model = CostModel(
        **read_costs("--costs", request.costs or ""),
        width=request.width,
        ranks_per_node=request.ranks_per_node,
        speeds=read_speeds(request.speeds, ranks) if request.speeds else [],
    )
    for count in ranks:
        _core.check_cost_model(model, Grid(mask.wet.shape), count)
    _check_outputs(request, ranks, methods)
    return PartitionTask(request, mask, ranks, methods, model)


def _check_sizes(request: PartitionRequest, ranks: int, mask: MaskFile) -> None:
    """Refuse what a search would take hours for."""
    wet = int(np.count_nonzero(mask.wet))
    if ranks > wet:
        expected = f"at most {wet}, the wet points of the mask"
        raise user_error("-n", str(ranks), expected, "take fewer ranks")
    # the search looks at every cut of every candidate: small parts of large seas take longest
    if ranks > (most := max(_RANKS_AT_WILL, wet // _WET_PER_RANK)):
        expected = f"1 to {most}: {_RANKS_AT_WILL}, or {_WET_PER_RANK} wet points per rank"
        raise user_error("-n", str(ranks), expected, "take fewer ranks")
    if request.width > _WIDEST_HALO:
        remedy = "give the cells that stencils reach"
        raise user_error("--width", str(request.width), f"0 to {_WIDEST_HALO}", remedy)
    if request.method == "metis" and wet > _MOST_FOR_METIS:
        expected = f"at most {_MOST_FOR_METIS}, whose graph fits into memory"
        raise user_error("--method metis", f"{wet} wet points", expected, "choose another method")


def _check_outputs(request: PartitionRequest, ranks: list[int], methods: list[str]) -> None:
    layout, layout_file, plot = request.layout, request.layout_file, request.plot
    check_picture(plot)
    check_file("--json", request.json)
    check_file("--layout-file", layout_file)
    if (layout is None) != (layout_file is None):
        got = "one of --layout and --layout-file"
        raise user_error("--layout", got, "both or neither", "give both")
    for option, value in (("--plot", plot), ("--layout", layout)):
        if value is not None and len(ranks) > 1:
            got = f"-n {','.join(map(str, ranks))}"
            raise user_error(option, got, "one number of ranks", f"write -n {ranks[-1]}")
    if plot is not None and methods == ["metis"]:
        raise user_error("--plot", "--method metis", "boxes to draw", "choose another method")
    if layout == RANKS and methods == ["metis"]:
        expected = "a method that cuts the grid into boxes"
        raise user_error("--layout", "--method metis", expected, "choose another method")
    if layout not in (None, RANKS) and "block" not in methods:
        expected = "block or all, as other models cut their grid into blocks"
        remedy = f"add --method block, or write --layout {RANKS}"
        raise user_error("--layout", f"--method {request.method}", expected, remedy)


def _read(request: PartitionRequest) -> MaskFile:
    path = request.mask
    if str(path) in REGIONS and not path.exists():
        remedy = f"lapwing mask --region {path} --out {path}.nc makes one"
        raise user_error(f"MASK {path}", "the name of a region", "a mask file", remedy)
    how = {name: getattr(request, name) for name in ("wet", "axes", "variable", "size")}
    return read_mask(path, "MASK", **how)


# ---- the search


def partition_mask(request: PartitionRequest) -> None:
    """Fulfil the request: search, print the table, write the files.

    Local. UserError for a wrong request, before anything is searched or written.
    """
    task = checked(request)
    notes = _without_metis(task)
    console = Console(width=_WIDTH, highlight=False, markup=False, soft_wrap=True)
    waters = waters_of(task.mask.wet)
    _print_heading(console, task, waters)
    found = list(_search(task))
    rows = [row for row, _ in found]
    _print_table(console, rows)
    for note in notes:
        console.print(f"note: {note}")
    if request.json is not None:
        _write_json(request.json, task, waters, found)
    if request.plot is not None:
        _plot(request.plot, task, found)
    if request.layout_file is not None:
        _write_layout(request.layout_file, task, found)


def _without_metis(task: PartitionTask) -> list[str]:
    """Remove METIS from the methods if it cannot run and was not requested by name."""
    if task.request.method != "all":
        return []
    wet = int(np.count_nonzero(task.mask.wet))
    if not metis_installed():
        reason = f"pymetis is not installed ({METIS_INSTALL})"
    elif wet > _MOST_FOR_METIS:
        reason = f"the graph of {wet} wet points, over {_MOST_FOR_METIS}, takes too much memory"
    else:
        return []
    task.methods.remove("metis")
    return [f"no METIS next to these: {reason}"]


def _search(task: PartitionTask) -> Iterator[Found]:
    wet = task.mask.wet
    sea = Sea(wet, Grid(wet.shape), Mask(wet), task.model, task.request.threads)
    with ProgressBar(task.request.progress, len(task.ranks) * len(task.methods)) as attempts:
        for ranks in task.ranks:
            for method in task.methods:
                attempts.begin(f"{method} into {ranks} ranks")
                yield from find(sea, ranks, method)


# ---- the table


def _print_heading(console: Console, task: PartitionTask, waters: Waters | None) -> None:
    """The grid that is cut, and the cost of a partition."""
    wet, model = task.mask.wet, task.model
    nx, ny = wet.shape
    share = 100 * np.count_nonzero(wet) / wet.size
    costs = ", ".join(f"{name} {getattr(model, name):g}" for name in COSTS)
    nodes = model.ranks_per_node
    console.print(f"{task.request.mask}: {nx} x {ny} points, {share:.1f} % wet")
    for note in task.mask.notes:
        console.print(f"note: {note}")
    not_counted = f"waters are not counted in more than {lakes.MOST:,} points"
    console.print(waters.text(int(np.count_nonzero(wet))) if waters else not_counted)
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
    """Everything except the requested ranks."""
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
        f"{row.max_messages:,}",
        f"{row.cost:,.0f}",
        "" if row.searched is None else f"{row.searched:,}{candidates}",
        f"{row.seconds:.2f}",
    ]


# ---- the files


def _write_json(
    file: Path, task: PartitionTask, waters: Waters | None, found: Sequence[Found]
) -> None:
    """All rows under the schema lapwing-partition-1. OutsideError when the disk refuses."""
    wet, model = task.mask.wet, task.model
    content = {
        "mask": {
            "file": task.request.mask.name,
            "size": list(wet.shape),
            "wet": int(np.count_nonzero(wet)),
            "waters": waters.count if waters else None,
            "largest_water": waters.largest if waters else None,
        },
        "costs": {name: getattr(model, name) for name in COSTS},
        "width": model.width,
        "ranks_per_node": model.ranks_per_node,
        "speeds": list(model.speeds),
        "entries": [{**asdict(row), "boxes": _boxes(partition)} for row, partition in found],
    }
    write_report(file, "lapwing-partition-1", content)
    print(f"JSON    {file}")


def _boxes(partition: Partition | None) -> list[dict[str, Any]] | None:
    """The owners: rank, and the half-open ranges [low, high) along x and y of its boxes."""
    if partition is None:  # parts are no rectangles
        return None
    return [
        {"rank": one.rank, "x": [one.box.lo[0], one.box.hi[0]], "y": [one.box.lo[1], one.box.hi[1]]}
        for one in partition.subdomains
    ]


def _shown(found: Sequence[Found]) -> tuple[Row, Partition]:
    """The last k-section, or else the last partition into boxes, to be drawn and written."""
    boxes = [(row, partition) for row, partition in found if partition is not None]
    sections = [one for one in boxes if one[0].method == "ksection"]
    return (sections or boxes)[-1]


def _plot(path: Path, task: PartitionTask, found: Sequence[Found]) -> None:
    """Draw the last k-section, or else the last partition into boxes."""
    from lapwing.model.model import Geometry
    from lapwing.run.plot import Words, draw_partition  # matplotlib takes a second to load

    row, partition = _shown(found)
    mask, nodes = task.mask, task.model.ranks_per_node
    words = Words(
        title=f"{task.request.mask.stem}: {row.method} into {row.ranks_used} ranks",
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


def _write_layout(path: Path, task: PartitionTask, found: Sequence[Found]) -> None:
    """Write the layout file of a model, or the map of ranks of what `--plot` draws."""
    kind, halo = str(task.request.layout), task.model.width
    if kind == RANKS:
        row, partition = _shown(found)
        write_checked_ranks(ranks_of(partition), task.mask.wet, path)
        print(f"layout  {path}: {kind} of {row.method}, {row.ranks_used} ranks; {_CHECKED}")
        return
    blocks = next(row.blocks for row, _ in found if row.method == "block")
    planner = LayoutPlanner(kind, task.mask.wet, halo)
    layout = choose_planned(planner, task.ranks[0], task.model, blocks)
    write_checked_layout(layout, planner, path)
    m, n = layout.blocks
    dropped = len(layout.dropped)
    print(
        f"layout  {path}: {kind}, {m} x {n} blocks, {dropped} dropped, {layout.ranks} ranks; "
        + _CHECKED
    )
    if layout.halo != halo:
        print(f"        a halo of width {layout.halo}, as {kind_named(kind).model} has it")
    if layout.blocks != blocks:
        print(f"        other blocks than in the table, as {kind} cuts and drops by its own rules")
