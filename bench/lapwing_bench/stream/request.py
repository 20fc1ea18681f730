"""What `lapwing bench stream` is asked for."""

import os
from dataclasses import dataclass
from typing import Annotated

from lapwing.base.error import user_error
from typer import Option

from lapwing_bench.measure.request import (
    Names,
    Numbers,
    Ranks,
    Request,
    Samples,
    count,
    names,
    number_in,
    several,
)

CORES = len(os.sched_getaffinity(0))


def stream_names() -> list[str]:
    """What --streams may list. Local."""
    from lapwing.machine.stream_copy import STREAMS  # here: listing benchmarks loads no extension

    return list(STREAMS)


def method_names() -> list[str]:
    """What --methods may list. Local."""
    from lapwing.machine.stream_copy import METHODS

    return list(METHODS)


@dataclass(frozen=True, kw_only=True)
class StreamRequest(Request):
    """The copies that bound a lattice Boltzmann step, on all cores.

    Example:

    lapwing bench stream --ranks 4 --processes 1,2,4
    """

    ranks: Ranks = CORES
    streams: Annotated[
        Names | None,
        names(stream_names, "2: one array to another; 2x19: 19 to 19.", show_default="all"),
    ] = None
    methods: Annotated[
        Names | None,
        names(method_names, "literal, blocked, pieces, nontemporal.", show_default="all"),
    ] = None
    processes: Annotated[
        Numbers | None,
        Option(
            parser=several(lambda asked: Numbers(sorted(asked)), number_in(1, 1 << 20)),
            metavar="N,M",
            help="Processes of a node.",
            show_default="1, 2, 4 and so on",
        ),
    ] = None
    megabytes: Annotated[
        int | None,
        count(1, 1 << 16, "What a process reads in a copy.", show_default="twice the last cache"),
    ] = None
    samples: Samples = 15

    def __post_init__(self) -> None:
        if max(self.processes or (1,)) > self.ranks:
            expected = f"numbers from 1 to {self.ranks}, the ranks, separated by commas"
            remedy = "change them, or start more with --ranks"
            raise user_error("--processes", str(self.processes), expected, remedy)
