"""What `lapwing bench lattice` is asked for."""

from dataclasses import dataclass
from math import prod
from typing import Annotated, Any

from lapwing.base.error import user_error
from typer import Option

from lapwing_bench.measure.request import (
    Names,
    Numbers,
    Request,
    Samples,
    Shape,
    Shapes,
    counts,
    names,
    number_in,
    shapes,
)

METHODS = ("two-lattice", "in-place", "lbmpy-pull", "lbmpy-inplace")


def _even(given: Any) -> int:
    """Steps of a sample: in place two of them are a cycle."""
    steps: int = number_in(2, 10_000)(given)
    return steps + steps % 2


@dataclass(frozen=True, kw_only=True)
class LatticeRequest(Request):
    """The lattice model's kernels compared with a copy of memory and with lbmpy.

    Example:

    lapwing bench lattice --works 96 --per-rank --blocks 1x1x1,1x1x2,2x1x1
    """

    works: Annotated[Numbers, counts(4, 4096, "Cells of the grid along each axis.")] = Numbers(
        (128, 256)
    )
    methods: Annotated[Names, names(lambda: METHODS, "Methods.")] = Names(METHODS)
    blocks: Annotated[
        Shapes | None,
        shapes(
            "1x1x2",
            "Ways to cut, one after the other; a rank per block, others sleep.",
            show_default="all along z",
        ),
    ] = None
    per_rank: Annotated[
        bool, Option("--per-rank", help="The cells of --works are those of a rank.")
    ] = False
    steps: Annotated[int, Option(parser=_even, metavar="N", help="Steps of a sample.")] = 20
    samples: Samples = 15

    def __post_init__(self) -> None:
        for cut in self.cuts:
            if prod(cut) > self.ranks:
                got, expected = f"{cut}, {prod(cut)} blocks", f"at most {self.ranks}, one per rank"
                raise user_error("--blocks", got, expected, "change it, or start more ranks")

    @property
    def cuts(self) -> Shapes:
        """Ways to cut the grid."""
        return self.blocks or Shapes((Shape((1, 1, self.ranks)),))

    def cells(self, work: int, blocks: Shape) -> Shape:
        """Cells of the whole grid along x, y and z."""
        return Shape(work * parts if self.per_rank else work for parts in blocks)

    def name(self, work: int, blocks: Shape) -> str:
        """Name of a work in tables and files."""
        cut = "" if blocks == self.cuts[0] else f"@{blocks}"
        return f"{work}{'-per-rank' if self.per_rank else ''}{cut}"
