"""The options of `lapwing bench lattice` and `lapwing bench stream`."""

import os
from dataclasses import dataclass
from math import prod
from types import ModuleType
from typing import ClassVar

from lapwing.base.error import user_error

from lapwing_lab.bench.measure import options
from lapwing_lab.bench.measure.request import Request

METHODS = ("two-lattice", "in-place", "lbmpy-pull", "lbmpy-inplace", "lbmpy-esotwist")


def _even(text: str) -> int:
    """Steps of a sample: in place two of them are a cycle."""
    steps = options.number_in(2, 10_000)(text)
    return steps + steps % 2


@dataclass(frozen=True, kw_only=True)
class LatticeRequest(Request):
    """Compare the lattice model's kernels with a copy of memory and with lbmpy.

    Example:

    lapwing bench lattice --works 96 --per-rank --blocks 1x1x1,1x1x2,2x1x1
    """

    works: tuple[int, ...] = options.counts(
        4, 4096, (128, 256), "Cells of the grid along each axis."
    )
    methods: tuple[str, ...] = options.names(METHODS, METHODS, "Methods.")
    blocks: tuple[options.Shape, ...] | None = options.shapes(
        "1x1x2",
        None,
        "Ways to cut, one after the other; a rank per block, others sleep.",
        show_default="all along z",
    )
    per_rank: bool = options.option(
        False, "The cells of --works are those of a rank.", "--per-rank"
    )
    steps: int = options.option(20, "Steps of a sample.", parser=_even, metavar="N")
    samples: int = options.samples(15)

    def __post_init__(self) -> None:
        for cut in self.cuts:
            if prod(cut) > self.ranks:
                got, expected = f"{cut}, {prod(cut)} blocks", f"at most {self.ranks}, one per rank"
                raise user_error("--blocks", got, expected, "change it, or start more ranks")

    @property
    def cuts(self) -> tuple[options.Shape, ...]:
        """Ways to cut the grid."""
        return self.blocks or (options.Shape((1, 1, self.ranks)),)

    def cells(self, work: int, blocks: options.Shape) -> options.Shape:
        """Cells of the whole grid along x, y and z."""
        return options.Shape(work * parts if self.per_rank else work for parts in blocks)

    def name(self, work: int, blocks: options.Shape) -> str:
        """Name of a work in tables and files."""
        cut = "" if blocks == self.cuts[0] else f"@{blocks}"
        return f"{work}{'-per-rank' if self.per_rank else ''}{cut}"


CORES = len(os.sched_getaffinity(0))


def _copies() -> ModuleType:
    from lapwing_lab.machine import stream_copy  # here: listing benchmarks loads no extension

    return stream_copy


@dataclass(frozen=True, kw_only=True)
class StreamRequest(Request):
    """Measure the copies that bound a lattice Boltzmann step, on all cores.

    Example:

    lapwing bench stream --ranks 4 --processes 1,2,4
    """

    BOUND: ClassVar[bool] = False

    ranks: int = options.ranks(CORES)
    streams: tuple[str, ...] | None = options.names(
        lambda: tuple(_copies().STREAMS),
        None,
        "2: one array to another; 2x19: 19 to 19.",
        show_default="all",
    )
    methods: tuple[str, ...] | None = options.names(
        lambda: tuple(_copies().METHODS),
        None,
        "literal, blocked, pieces, nontemporal.",
        show_default="all",
    )
    processes: tuple[int, ...] | None = options.option(
        None,
        "Processes of a node.",
        parser=lambda text: tuple(sorted(options.several(options.number_in(1, 1 << 20))(text))),
        metavar="N,M",
        show_default="1, 2, 4 and so on",
    )
    megabytes: int | None = options.count(
        1, 1 << 16, None, "What a process reads in a copy.", show_default="twice the last cache"
    )
    samples: int = options.samples(15)

    def __post_init__(self) -> None:
        if self.processes is not None and max(self.processes) > self.ranks:
            expected = f"numbers from 1 to {self.ranks}, the ranks, separated by commas"
            remedy = "change them, or start more with --ranks"
            raise user_error("--processes", f"{max(self.processes)}", expected, remedy)
