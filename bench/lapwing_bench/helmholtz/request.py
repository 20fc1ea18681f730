"""What `lapwing bench helmholtz` is asked for."""

from dataclasses import dataclass
from math import prod
from typing import Annotated

from lapwing.base.error import user_error
from typer import Option

from lapwing_bench.measure.request import (
    Numbers,
    Request,
    Samples,
    Shape,
    counts,
    name_among,
    shape_option,
)

GROUPS = (1, 2, 4, 8)  # where a rank has so many levels


def methods() -> list[str]:
    """The methods of transposes. Local."""
    from lapwing import transpose_methods  # here: listing benchmarks loads no extension

    return transpose_methods()


@dataclass(frozen=True, kw_only=True)
class HelmholtzRequest(Request):
    """The solver of a semi-implicit step, by groups of levels.

    Example:

    lapwing netlab run --rate 1gbit -- lapwing bench helmholtz --groups 1,2,4,8
    """

    work: Annotated[Shape, shape_option("202x190x40", "Points of the grid.")] = Shape(
        (202, 190, 40)
    )
    blocks: Annotated[
        Shape | None, shape_option("2x1", "Ranks along x and y.", show_default="all along x")
    ] = None
    groups: Annotated[
        Numbers | None,
        counts(
            1,
            10_000,
            "Groups of levels: one is worked on while the next travels. 1 always.",
            show_default="1, 2, 4, 8, at most the levels of a rank",
        ),
    ] = None
    method: Annotated[
        str, Option(parser=name_among(methods), metavar="M", help="Method of the transposes.")
    ] = "p2p"
    samples: Samples = 15

    def __post_init__(self) -> None:
        if prod(self.cut) != self.ranks:
            got, expected = f"{self.blocks} blocks", f"{self.ranks}, one per rank"
            raise user_error("--blocks", got, expected, "change --blocks or --ranks")
        if (most := max(self.chosen)) > self._most:
            expected = f"a whole number from 1 to {self._most}"
            raise user_error("--groups", repr(most), expected, "give such a number")

    @property
    def cut(self) -> Shape:
        """Ranks along x and y."""
        return self.blocks or Shape((self.ranks, 1))

    @property
    def _most(self) -> int:
        """The levels of a rank."""
        return max(1, self.work[2] // self.cut[0])

    @property
    def chosen(self) -> Numbers:
        """Numbers of groups, 1 being the first."""
        asked = self.groups or [number for number in GROUPS if number <= self._most]
        return Numbers(dict.fromkeys((1, *asked)))
