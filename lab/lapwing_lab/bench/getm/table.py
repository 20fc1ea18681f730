"""The tables of `lapwing bench getm` for people: rows and columns of the report's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from lapwing.base.table import PLAIN, make_table
from rich.table import Table

from lapwing_lab.bench.getm import paper
from lapwing_lab.bench.getm.case import FLAT, LAYERED
from lapwing_lab.bench.getm.request import UNDIVIDED, GetmRequest
from lapwing_lab.bench.getm.timers import FLAT_EXCHANGES, FLAT_ROW, ROWS, RowCount

WIDTH = 118  # columns


class Samples(dict[str, list[float]]):
    """Seconds per step by row of the tables, one value per round, mean of the ranks."""

    def quickest(self, row: str) -> float:
        """Seconds of a step in the round that took least altogether, so that rows add up. Local."""
        whole = self["Total runtime"]
        return self[row][whole.index(min(whole))]


@dataclass(frozen=True)
class Measured:
    """All samples of a run of the benchmark."""

    samples: dict[tuple[str, str, str], Samples]  # by case, size and strategy
    counts: dict[str, dict[str, RowCount]]  # Table 7-1 by policy


def tables(request: GetmRequest, measured: Measured) -> Iterator[Table | str]:
    """The subject of the tables, and all of them. Local."""
    sizes = [str(size) for size in request.sizes]
    yield (
        f"{request.ranks} ranks, {request.levels} layers, transport {request.transport}, halos as "
        f"{request.policy}, {request.rounds} rounds.\nSeconds for the report's number of steps: "
        "mean of the ranks, of the quickest round; in brackets the report's, of\n"
        "as many subdomains as make 240 x 240 cells, over Gigabit Ethernet."
    )
    flat = [measured.samples[FLAT, size, UNDIVIDED] for size in sizes]
    yield _table("Table 5-1: 2D, 10 days", sizes, flat, paper.TABLE_5_1, paper.FLAT_STEPS)
    layered = [measured.samples[LAYERED, size, UNDIVIDED] for size in sizes]
    yield _table("Table 5-2: 3D, 2 days", sizes, layered, paper.TABLE_5_2, paper.STEPS)
    for strategy in request.chosen:
        number, rows = paper.U_SPLIT_ADV.get(strategy, ("-", dict.fromkeys(_ADVECTION, ())))
        mine = [measured.samples[LAYERED, size, strategy] for size in sizes]
        title = f"Table {number}: u_split_adv, strategy {strategy}"
        yield _table(title, sizes, mine, rows, paper.STEPS)
    yield _steps(request, sizes, measured)
    yield _counts(measured.counts)


_ADVECTION = tuple(paper.U_SPLIT_ADV[UNDIVIDED][1])


def _sized(title: str, sizes: Sequence[str]) -> Table:
    look = PLAIN | {"title": f"\n{title}", "title_justify": "left", "width": WIDTH}
    table = Table(**look)
    table.add_column("cells of a rank", no_wrap=True, min_width=24)
    for size in sizes:
        table.add_column(size, justify="right", no_wrap=True)
    return table


def _table(
    title: str, sizes: Sequence[str], samples: Sequence[Samples], rows: paper.Rows, steps: int
) -> Table:
    table = _sized(f"{title}, s", sizes)
    for row, theirs in rows.items():
        reported = dict(zip(paper.SIZES, theirs, strict=False))
        cells = []
        for size, mine in zip(sizes, samples, strict=True):
            cells.append(f"{steps * mine.quickest(row):.2f}")
            if size in reported:
                cells[-1] += f" ({reported[size]:.2f})"
        table.add_row(row, *cells)
    return table


def _steps(request: GetmRequest, sizes: Sequence[str], measured: Measured) -> Table:
    """The whole step of every strategy; in the report version B made it faster on two sizes."""
    table = _sized("Whole macro step, ms: quickest round (median)", sizes)
    for strategy in request.chosen:
        found = [measured.samples[LAYERED, size, strategy]["Total runtime"] for size in sizes]
        table.add_row(strategy, *(f"{1e3 * min(s):.2f} ({1e3 * median(s):.2f})" for s in found))
    return table


def _counts(counts: dict[str, dict[str, RowCount]]) -> Table:
    """Table 7-1, of the rank that sends most."""
    policies = ("literal", "needed")
    columns = (f"{policy}\n{what}" for policy in policies for what in RowCount.__annotations__)
    table = make_table(
        ("after",),
        ("GETM", *columns),
        title="\nTable 7-1: exchanges of a macro step; messages and bytes that a rank sends",
        caption="Several rows of what is needed share a round and its messages: fields that are "
        f"ready travel together. In GETM {FLAT_EXCHANGES} per micro step besides.",
        **PLAIN | {"title_justify": "left", "caption_justify": "left"},
    )
    known = [*ROWS, "all 3D", FLAT_ROW, "all"]
    others = [row for rows in counts.values() for row in rows if row not in known]
    theirs = ROWS | {"all 3D": sum(ROWS.values())}
    for row in [*ROWS, *dict.fromkeys(others), "all 3D", FLAT_ROW, "all"]:
        shown = {"all 3D": "TOTAL with layers", FLAT_ROW: "2D, 10 micro steps"}.get(row, row)
        cells = [str(theirs.get(row, ""))]
        for policy in policies:
            count = counts[policy].get(row, RowCount())
            cells += [str(count.rounds), str(count.messages), f"{count.bytes:,}"]
        table.add_row(shown, *cells, end_section=row == list(ROWS)[-1])
    return table
