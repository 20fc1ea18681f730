"""Copies of many arrays by the processes of a node together: the memory bandwidth that a step gets.

Two streams are one array copied to another, 2 x 19 are nineteen copied cell by cell, as a lattice
Boltzmann step goes through memory. A store to memory that no cache holds reads it first (the
write-allocate), so a copy of N bytes moves 3 N; stores that pass the caches move 2 N. Both are
counted as what really moves.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import TYPE_CHECKING

from lapwing.base.agreement import together
from lapwing.base.error import OutsideError, user_error
from lapwing.base.table import make_table
from lapwing.core import mpi_runtime
from rich.table import Table

from lapwing_lab import _core

if TYPE_CHECKING:
    from mpi4py.MPI import Comm

StreamCopy = _core.StreamCopy  # for who times copies next to other work

# loop: whether huge pages are asked for
METHODS = {
    "literal": False,  # as the report's listing: cells outside, a value at a time
    "blocked": True,  # a cache line of each array at a time, in vectors
    "pieces": True,  # 128 values of each array at a time, line by line
    "nontemporal": True,  # as blocked, by stores that pass the caches
}
STREAMS = {"2": 1, "2x19": 19}  # name: arrays of a set

_PAUSE = 2e-4  # s between looks of a process that takes no part


@dataclass(frozen=True)
class CopySettings:
    """The measurements: names of STREAMS and METHODS, processes of a node, and sizes."""

    streams: Sequence[str]
    methods: Sequence[str]
    processes: Sequence[int]  # of a node; the first ones of each
    samples: int
    set_bytes: int  # of all arrays that are read, of one process


@dataclass(frozen=True)
class CopyTimes:
    """Times of one copy by all processes of a node, s, from the first begin to the last end."""

    streams: str
    method: str
    processes: int  # of a node
    array_bytes: int  # N of the formulas
    samples: list[float]

    @property
    def counted(self) -> float:
        """The times that each array counts: read, written, and read before it is written."""
        return float(StreamCopy.moved_arrays(self.method, 1))

    @property
    def moved(self) -> float:
        """Bytes that all processes of a node move in a copy, write-allocate included."""
        return self.processes * self.counted * STREAMS[self.streams] * self.array_bytes

    @property
    def bandwidth(self) -> float:
        """Median of the bytes per second of a node."""
        return self.moved / median(self.samples)

    @property
    def spread(self) -> tuple[float, float]:
        """Least and largest of the bytes per second of a node."""
        return self.moved / max(self.samples), self.moved / min(self.samples)


def default_set_bytes(processes: int) -> int:
    """Bytes of a set that no cache holds, as far as memory allows. Local.

    Twice the last cache, so that both sets are four times as large; with `processes` on the node
    all together take no more than a quarter of the memory that is there.
    """
    cache = int(_core.cache_share(1))
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    # both sets, with and without huge pages
    return max(1 << 20, min(2 * cache, memory // (16 * processes)))


def default_processes(most: int) -> list[int]:
    """1, 2, 4 and so on, and all `most`. Local."""
    return sorted({*(2**n for n in range(most.bit_length()) if 2**n <= most), most})


def copy_settings(
    comm: Comm,
    samples: int,
    ranks: int,
    *,
    streams: Sequence[str] = tuple(STREAMS),
    methods: Sequence[str] = tuple(METHODS),
    processes: Sequence[int] | None = None,
    set_bytes: int | None = None,
) -> CopySettings:
    """Settings that are the same on all ranks, whatever each finds on its node. Collective.

    `ranks`: of the emptiest node; `processes` None: 1, 2, 4 and so on up to it. Of the `methods`
    those that all ranks have; `set_bytes` None: what the largest of their caches asks for.
    UserError on all ranks where no method is left.
    """
    mpi = mpi_runtime.start()
    everywhere = all(comm.allgather(bool(_core.has_nontemporal_stores())))
    common = [name for name in METHODS if name != "nontemporal" or everywhere]
    if not set(methods) & set(common):
        expected = f"some of {', '.join(common)}"
        raise user_error("methods of a copy", ", ".join(methods), expected, "choose one of them")
    size = default_set_bytes(ranks) if set_bytes is None else set_bytes
    return CopySettings(
        streams=streams,
        methods=[name for name in methods if name in common],
        processes=processes or default_processes(ranks),
        samples=samples,
        set_bytes=int(comm.allreduce(size, mpi.MAX)),
    )


def measure_copies(
    comm: Comm, settings: CopySettings, advance: Callable[[str], None]
) -> list[CopyTimes]:
    """Time copies on the first processes of every node, the methods alternating.

    Collective over `comm`, with the same settings on all ranks and at most as many processes as
    every node has ranks. `advance` is told of every turn. The same result on all ranks: times are
    those of the slowest node. OutsideError on all ranks when the memory is not there.
    """
    mpi = mpi_runtime.start()
    node = comm.Split_type(mpi.COMM_TYPE_SHARED)
    groups = {
        count: node.Split(0 if node.rank < count else mpi.UNDEFINED, node.rank)
        for count in settings.processes
    }
    try:
        return [
            times
            for streams in settings.streams
            for times in _measure(comm, groups, streams, settings, advance)
        ]
    finally:
        for group in groups.values():
            if group != mpi.COMM_NULL:
                group.Free()
        node.Free()


def _measure(
    comm: Comm,
    groups: dict[int, Comm],
    streams: str,
    settings: CopySettings,
    advance: Callable[[str], None],
) -> list[CopyTimes]:
    arrays = STREAMS[streams]
    values = max(1, settings.set_bytes // (8 * arrays))
    pages = sorted({METHODS[method] for method in settings.methods})
    made = together(comm, lambda: {huge: StreamCopy(arrays, values, huge) for huge in pages})
    copies = {method: made[METHODS[method]] for method in settings.methods}
    for method, copy in copies.items():
        together(comm, partial(check_copy, method, copy))
    samples: dict[tuple[int, str], list[float]] = {
        (count, method): [] for count in settings.processes for method in settings.methods
    }
    for _ in range(settings.samples):
        for count in settings.processes:
            for method, copy in copies.items():
                seconds = _together(comm, groups[count], method, copy)
                samples[count, method].append(seconds)
            advance(f"copy {streams}, {count} per node")
    size = next(iter(copies.values())).bytes
    return [
        CopyTimes(streams, method, count, size, times) for (count, method), times in samples.items()
    ]


def check_copy(method: str, copy: StreamCopy) -> None:
    """OutsideError where a copy leaves values behind, which would be fast. Local.

    It also warms up.
    """
    copy.run(method)
    if wrong := copy.wrong_values():
        raise OutsideError(f"the copy {method} leaves {wrong} wrong values")


def _together(comm: Comm, group: Comm, method: str, copy: StreamCopy) -> float:
    """Seconds from the first begin to the last end on the slowest node. Collective over `comm`.

    `group`: the processes of this node that copy; the others sleep. The clock is that of the node:
    where processes alternate on a core, each would be quick by its own.
    """
    mpi = mpi_runtime.start()
    seconds = 0.0
    if group != mpi.COMM_NULL:
        group.Barrier()
        begin = time.clock_gettime(time.CLOCK_MONOTONIC)
        copy.run(method)
        end = time.clock_gettime(time.CLOCK_MONOTONIC)
        seconds = group.allreduce(end, mpi.MAX) - group.allreduce(begin, mpi.MIN)
    ended = comm.Ibarrier()
    while not ended.Test():
        if group == mpi.COMM_NULL:
            time.sleep(_PAUSE)
    return float(comm.allreduce(seconds, mpi.MAX))


def copy_table(copies: Sequence[CopyTimes]) -> Table:
    """Bandwidth of a node by streams and processes, as the report's table 2, per method. Local."""
    methods = list(dict.fromkeys(copy.method for copy in copies))
    table = make_table(
        ("streams per\nprocess",),
        ("processes\nper node", *methods),
        title="Memory bandwidth of a node, GB/s: median (least-largest)",
        caption="A copy of N bytes counts as 3 N: what is written is read first. nontemporal: 2 N, "
        "as its stores pass the caches.",
    )
    rows = dict.fromkeys((copy.processes, copy.streams) for copy in copies)
    found = {(copy.processes, copy.streams, copy.method): copy for copy in copies}
    for processes, streams in sorted(rows, key=lambda row: (row[0], STREAMS[row[1]])):
        cells = [
            f"{one.bandwidth / 1e9:.1f} ({one.spread[0] / 1e9:.0f}-{one.spread[1] / 1e9:.0f})"
            for one in (found[processes, streams, method] for method in methods)
        ]
        table.add_row("2 x 19" if streams == "2x19" else streams, str(processes), *cells)
    return table
