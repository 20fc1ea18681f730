"""The table of `lapwing bench lattice`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from lapwing.base.table import make_table
from rich.table import Table

from lapwing_bench.measure.report import Result, spread
from lapwing_bench.measure.request import Shape

COPIES = {f"copy-{loop}": loop for loop in ("blocked", "pieces")}  # of 2 x 19 streams


@dataclass(frozen=True)
class Section:
    """What was measured of one work in one cut."""

    work: int  # cells along each axis, of the grid or of a rank
    blocks: Shape
    results: list[Result]

    @property
    def ranks(self) -> int:
        """A rank has a block."""
        return prod(self.blocks)


def lattice_table(per_rank: bool, sections: Sequence[Section]) -> Table:
    """All methods of all works and cuts. Local."""
    table = make_table(
        ("work", "blocks", "method"),
        ("ms/step", "MLUP/s", "share of limit", "kernels alone", "per rank", "over lbmpy"),
        title="lattice Boltzmann, D3Q19, float64",
        caption="million updates per second of all ranks; limit: the faster copy of 2 x 19 "
        "streams, with what is fetched before it is written;\nper rank: of what a rank does in "
        "the first cut of the work; over lbmpy: median of turns (middle half)",
    )
    for section in sections:
        table.add_section()
        size = f"{section.work}^3"
        labels = [f"{size} per rank" if per_rank else size, str(section.blocks)]
        for result in section.results:
            table.add_row(*labels, result.method, *_cells(result))
            labels = ["", ""]
    return table


def _cells(result: Result) -> list[str]:
    extra, milliseconds = result.extra, f"{1e3 * result.median:.2f}"
    if result.method in COPIES:
        return [milliseconds, f"{extra['bandwidth'] / 1e9:.1f} GB/s", "", "", "", ""]
    return [
        milliseconds,
        f"{extra['mlups']:.1f}",
        f"{100 * extra['limit_share']:.0f} %",
        f"{100 * extra['limit_share_computing']:.0f} %",
        f"{100 * extra['rank_over_first']:.0f} %",
        spread(extra, "over_lbmpy") if "over_lbmpy" in extra else "",
    ]
