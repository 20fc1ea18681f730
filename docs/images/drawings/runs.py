"""Whole runs: who writes what, what porting leaves of a model, and what each choice is worth."""

from __future__ import annotations

from typing import NamedTuple

import lapwing
from lapwing.core.domain import Domain
from lapwing.core.mpi_runtime import start as start_mpi
from lapwing.core.partition import block_partition
from lapwing.io.result_files import OUTPUT, RESTART
from lapwing.model.case import geometry_of, load_case
from lapwing.model.registry import installed_models
from lapwing.run.creation import create_run
from lapwing.run.records import chosen_variables
from lapwing.run.servers.crew import shared_out
from lapwing.run.servers.delivery import item_of_map
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch

from drawings.style import BLUE, DARK, GREEN, INK, OWN, PALETTE, ROOT, WIDE, rounded, write
from drawings.tables import Row, number, table_under, tables_under

# ---- output: what each rank of the model sends to which server

MODEL, SERVERS = 4, 2  # ranks
CASE = "kelvin3d-small"


def output() -> Figure:
    """Four ranks of the model and two servers: the files, and the bytes of the gather plans."""
    figure = Figure(figsize=(WIDE, 3.3))
    axes = figure.add_axes((0, 0, 1, 1))
    heights = [3 - n for n in range(MODEL)]
    for rank, height in enumerate(heights):
        _box(axes, (0, height), (1.5, 0.7), f"rank {rank}\nmodel", BLUE)
    fields = _fields()
    for file, server in shared_out(SERVERS, points=False).items():
        sent = _sent(fields[file], MODEL + server)
        height = 2.0 - 2 * server
        total = sum(sent) / 1e6
        words = f"rank {MODEL + server}, a server\n{file}\n{len(sent)} messages, {total:.1f} MB"
        _box(axes, (4.2, height), (2.1, 1.2), words, GREEN)
        for rank, size in enumerate(sent):
            ends = (1.55, heights[rank] + 0.35), (4.15, height + 0.95 - 0.23 * rank)
            line = {"linewidth": size / 6e4, "color": (DARK, PALETTE[0])[server]}
            axes.add_patch(FancyArrowPatch(*ends, arrowstyle="-|>", mutation_scale=12, **line))
    axes.set(xlim=(-0.1, 6.4), ylim=(-0.1, 3.8))
    axes.axis("off")
    return figure


def _fields() -> dict[str, list[lapwing.FieldSpec]]:
    """The fields of each file of the case, as they travel."""
    case = load_case(CASE, installed_models())
    geometry = geometry_of(case)
    domain = Domain(block_partition(geometry.grid, (1, 1)), comm=start_mpi().COMM_SELF)
    options = {"strategy": "blocking", "transport": "auto"}
    run = create_run(case.model, domain, case.settings, geometry, **options)
    chosen = chosen_variables(run, geometry, case.output.variables)
    maps = {name: one.field for name, one in chosen.items() if not one.fixed}
    kind = {"single": "float32", "double": "float64"}[case.output.precision]
    files = {OUTPUT: (maps, kind), RESTART: (run.state, "")}
    return {
        file: [item_of_map(name, field, kind).spec for name, field in fields.items()]
        for file, (fields, kind) in files.items()
    }


def _sent(fields: list[lapwing.FieldSpec], server: int) -> list[int]:
    """Bytes that each rank of the model sends to a server, which owns nothing."""
    grid = geometry_of(load_case(CASE, installed_models())).grid
    boxes = block_partition(grid, (2, 2)).subdomains
    partition = lapwing.Partition(grid, MODEL + SERVERS, boxes)
    plan = lapwing.gather_plan(partition, server, fields, root=server)
    received = {m.peer: plan.bytes(m) for phase in plan.phases for m in phase.receives}
    return [received[rank] for rank in range(MODEL)]


def _box(
    axes: Axes, place: tuple[float, float], size: tuple[float, float], text: str, colour: str
) -> None:
    write(axes, rounded(axes, place, size, colour), text, linespacing=1.3)


# ---- porting: lines of the example, step by step

PARTS = {
    "exchange of halos": (["halo"], PALETTE[0]),
    "decomposition": (["domain"], PALETTE[1]),
    "main program": (["main"], "#cfd8dc"),
    "loops": (["continuity", "momentum", "tracer"], OWN),
}
STEPS = {  # where a step has its files, the first folder that holds them
    "by hand": ["before"],
    "1. exchanges": ["exchanges", "before"],
    "3. stages": ["stages"],
}


def porting() -> Figure:
    """Lines of Fortran of the example before and after each step."""
    figure = Figure(figsize=(WIDE, 2.8))
    axes = figure.add_axes((0.2, 0.3, 0.76, 0.68))
    for height, folders in enumerate(reversed(STEPS.values())):
        left = 0
        for names, colour in PARTS.values():
            lines = sum(_lines(folders, name) for name in names)
            axes.barh(height, lines, left=left, color=colour, height=0.65)
            if lines:
                write(axes, (left + lines / 2, height), str(lines))
            left += lines
        axes.text(left + 5, height, str(left), va="center", color=INK, weight="bold")
    axes.set_yticks(range(len(STEPS)), reversed(STEPS))
    axes.tick_params(axis="y", length=0)
    axes.set(xlabel="lines of Fortran", xlim=(0, 440))
    axes.spines[["top", "right", "left"]].set_visible(False)
    handles = [axes.barh(0, 0, color=colour, label=part) for part, (_, colour) in PARTS.items()]
    place = {"bbox_to_anchor": (0.38, -0.26), "loc": "upper center", "ncols": 4}
    look = {"handlelength": 1, "handleheight": 1, "columnspacing": 1.1}
    axes.legend(handles=handles, frameon=False, **place, **look)
    return figure


def _lines(folders: list[str], name: str) -> int:
    """Lines of a file in the first folder that has it."""
    for folder in folders:
        file = ROOT / "examples/12_port" / folder / f"{name}.f90"
        if file.exists():
            return len(file.read_text().splitlines())
    return 0


# ---- tuning: what each choice was worth where it was measured


class Choice(NamedTuple):
    """A choice, what was timed, and the time of the first over that of the second, by case."""

    name: str
    what: str
    ratios: list[float]


def tuning() -> Figure:
    """How many times as long one choice took as another, from the tables of the measurements."""
    choices = [
        Choice("1. the cut", "blocks / k-section on a coast,\na predicted step", cuts()),
        Choice("2. the strategy", "blocking / best, a step", strategies()),
        Choice("3. the transport", "p2p / shared, an exchange", transports()),
        Choice("4. memory layout", "levels apart / together,\nan exchange", layouts()),
        Choice("5. output", "model / server writes, a run", servers()),
    ]
    figure = Figure(figsize=(WIDE, 4.0))
    axes = figure.add_axes((0.4, 0.14, 0.58, 0.84))
    _ratio_axis(axes, [ratio for choice in choices for ratio in choice.ratios])
    for height, choice in enumerate(reversed(choices)):
        ends = [min(choice.ratios), max(choice.ratios)]
        axes.plot(ends, [height] * 2, color=OWN, linewidth=8, solid_capstyle="butt")
        axes.plot(choice.ratios, [height] * len(choice.ratios), "o", color=DARK, markersize=5)
        left = {"transform": axes.get_yaxis_transform(), "ha": "right", "color": INK}
        axes.text(-0.03, height + 0.17, choice.name, weight="bold", va="bottom", **left)
        axes.text(-0.03, height + 0.02, choice.what, fontsize=9.5, va="top", **left)
    axes.set_ylim(-0.6, len(choices) - 0.5)
    return figure


def _ratio_axis(axes: Axes, ratios: list[float]) -> None:
    """An axis that holds all ratios, with a line where both take as long."""
    marks = (0.25, 0.5, 0.7, 1, 1.5, 2, 3, 4, 6, 8, 12, 16)
    low, high = 0.94 * min(1, *ratios), 1.06 * max(ratios)
    shown = [mark for mark in marks if low <= mark <= high]
    axes.set(xscale="log", xlim=(low, high), xlabel="first / second choice, ratio of their times")
    axes.set_xticks(shown, [f"{mark:g}" for mark in shown])
    axes.minorticks_off()
    axes.set_yticks([])
    axes.axvline(1, color=INK, linewidth=1)
    axes.spines[["top", "right", "left"]].set_visible(False)


def cuts() -> list[float]:
    """Steps on the best blocks over those on the k-section, by number of ranks and machine."""
    page, heading = "measurements/partitions.md", "Does a better partition pay?"
    table = table_under(page, heading, "XT4, us")
    steps = {(row["ranks"], row["cut"]): row for row in table}
    return [
        number(steps[ranks, "wet blocks"][machine]) / number(steps[ranks, "ksection"][machine])
        for ranks in dict.fromkeys(row["ranks"] for row in table)
        for machine in ("XT4, us", "InfiniBand, us")
    ]


def strategies() -> list[float]:
    """Steps of the tide by `blocking` over the fastest ones, on three machines."""
    table = table_under("measurements/reports.md", "Simulated clusters", "method")
    row = next(row for row in table if row["method"] == "blocking` over the best")
    return [number(cell) for name, cell in row.items() if name != "method"]


def transports() -> list[float]:
    """Exchanges by plain messages over those through shared memory, work by work."""
    slow, fast = _exchanges("p2p"), _exchanges("shared")
    return [slow[work] / fast[work] for work in slow if work in fast]


def layouts() -> list[float]:
    """Exchanges of fields with x fastest over those with levels next to each other."""
    times = _exchanges("shared")
    suffix = "@levels"
    return [
        times[work.removesuffix(suffix)] / times[work] for work in times if work.endswith(suffix)
    ]


def _exchanges(method: str) -> dict[str, float]:
    """Times of one method by work, two ranks on a node."""
    tables: list[list[Row]] = tables_under("measurements/exchange.md", "Two ranks of one node")
    table = next(table for table in tables if method in table[0])
    return {row["work"]: number(row[method]) for row in table}


def servers() -> list[float]:
    """Runs in which the model writes over those with a server, by ranks of the model."""
    table = table_under("measurements/output.md", "Output", "model ranks")
    times = {(row["model ranks"], row["who writes"]): number(row["all, ms"]) for row in table}
    return [times[n, "model"] / times[n, "servers"] for n, who in times if who == "servers"]


DRAWINGS = {"guide/output": output, "guide/porting": porting, "guide/tuning": tuning}
