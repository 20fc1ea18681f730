"""The options of `lapwing bench helmholtz`."""

from dataclasses import dataclass
from math import prod

import lapwing
from lapwing.base.error import user_error

from lapwing_lab.bench.measure import options
from lapwing_lab.bench.measure.request import Request

GROUPS = (1, 2, 4, 8)  # where a rank has so many levels


@dataclass(frozen=True, kw_only=True)
class HelmholtzRequest(Request):
    """The solver of a semi-implicit step, by groups of levels.

    Example:

    lapwing netlab run --rate 1gbit -- lapwing bench helmholtz --groups 1,2,4,8
    """

    work: options.Shape = options.shape(
        "202x190x40", options.Shape((202, 190, 40)), "Points of the grid."
    )
    blocks: options.Shape | None = options.shape(
        "2x1", None, "Ranks along x and y.", show_default="all along x"
    )
    groups: tuple[int, ...] | None = options.counts(
        1,
        10_000,
        None,
        "Groups of levels: one is worked on while the next travels. 1 always.",
        show_default="1, 2, 4, 8, at most the levels of a rank",
    )
    method: str = options.option(
        "p2p",
        "Method of the transposes.",
        parser=options.name_among(lambda: lapwing.transpose_methods()),
        metavar="M",
    )
    samples: int = options.samples(15)

    def __post_init__(self) -> None:
        if prod(self.cut) != self.ranks:
            got, expected = f"{self.blocks} blocks", f"{self.ranks}, one per rank"
            raise user_error("--blocks", got, expected, "change --blocks or --ranks")
        if (most := max(self.chosen)) > self._most:
            expected = f"a whole number from 1 to {self._most}"
            raise user_error("--groups", repr(most), expected, "give such a number")

    @property
    def cut(self) -> options.Shape:
        """Ranks along x and y."""
        return self.blocks or options.Shape((self.ranks, 1))

    @property
    def _most(self) -> int:
        """The levels of a rank."""
        return max(1, self.work[2] // self.cut[0])

    @property
    def chosen(self) -> tuple[int, ...]:
        """Numbers of groups, 1 being the first."""
        asked = self.groups or [number for number in GROUPS if number <= self._most]
        return tuple(dict.fromkeys((1, *asked)))
