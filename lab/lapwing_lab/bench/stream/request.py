"""The options of `lapwing bench stream`."""

import os
from dataclasses import dataclass
from types import ModuleType

from lapwing.base.error import user_error

from lapwing_lab.bench.measure import options
from lapwing_lab.bench.measure.request import Request

CORES = len(os.sched_getaffinity(0))


def _copies() -> ModuleType:
    from lapwing_lab.machine import stream_copy  # here: listing benchmarks loads no extension

    return stream_copy


@dataclass(frozen=True, kw_only=True)
class StreamRequest(Request):
    """The copies that bound a lattice Boltzmann step, on all cores.

    Example:

    lapwing bench stream --ranks 4 --processes 1,2,4
    """

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
