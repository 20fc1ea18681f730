"""The methods of `lapwing bench transpose` on one work: memory, and what moves it."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from lapwing import Distribution, Transpose, fft_partition, tri_partition, twod_partition
from lapwing.core.domain import Domain
from lapwing.core.partition import Box, Grid, Partition
from mpi4py import MPI
from numpy.typing import NDArray

from lapwing_lab import _core
from lapwing_lab._core import HandTranspose
from lapwing_lab.bench.measure.method import MethodMissingError
from lapwing_lab.bench.transpose.request import KEPT
from lapwing_lab.machine.stream_copy import StreamCopy

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Work:
    """Two distributions of a grid, and the order of storage on both sides, fastest axis first."""

    source: Partition
    target: Partition
    source_order: str
    target_order: str

    @classmethod
    def of(cls, size: Sequence[int], way: str, blocks: tuple[int, int]) -> Work:
        """The work of a size and a way on so many ranks along x and y. Local."""
        twod = twod_partition(Grid(tuple(size)), blocks)
        fft = fft_partition(twod)
        x, y, lines = ("xyz", "xyz", "xyz") if way.endswith(KEPT) else ("xyz", "yzx", "xzy")
        if way.startswith("twod"):
            return cls(twod, fft, x, y)
        return cls(fft, tri_partition(twod), y, lines)

    def source_box(self, rank: int) -> Box:
        """The box of a rank before."""
        return self.source.subdomains[self.source.subdomains_of(rank)[0]].box

    def target_box(self, rank: int) -> Box:
        """The box of a rank afterwards."""
        return self.target.subdomains[self.target.subdomains_of(rank)[0]].box

    def parts(self) -> tuple[list[int], list[int]]:
        """Into how many parts each of the axes x, y and z is cut, before and afterwards."""
        ranks = range(self.source.ranks)
        before, after = map(self.source_box, ranks), map(self.target_box, ranks)
        return _parts(before), _parts(after)

    def turning(self, package: str) -> tuple[int, int]:
        """The axis that is cut before and whole afterwards, and the other way about.

        Local, the same on all ranks; MethodMissingError, for a package, where it is not one each.
        """
        before, after = ({a for a, parts in enumerate(cut) if parts == 1} for cut in self.parts())
        if len(before - after) != 1 or len(after - before) != 1:
            text = f"{package} left out: it needs ranks between which lines turn"
            raise MethodMissingError(text)
        (cut_before,), (cut_after,) = after - before, before - after
        return cut_before, cut_after


def _parts(boxes: Iterable[Box]) -> list[int]:
    return [len(set(lows)) for lows in zip(*(box.lo for box in boxes), strict=True)]


class TransposeMethod:
    """One way to do the work: `source` and `target` are arrays [x, y, z] of this rank."""

    source: Array
    target: Array

    def __init__(self, domain: Domain, work: Work) -> None:
        """Take the ranks and the work. Local."""
        self.domain, self.work = domain, work

    @abstractmethod
    def run(self) -> None:
        """Move every value once. Collective."""

    def close(self) -> None:
        """End what garbage collection does not end. Collective."""

    def versions(self) -> dict[str, str]:
        """The version of its package, by name, where it is not lapwing. Local."""
        return {}

    def fill(self) -> None:
        """Numbers that name their place in the source, NaN in the target. Local."""
        self.source[...] = _codes(self.work.source, self.work.source_box(self.domain.rank))
        self.target[...] = np.nan

    def wrong_cells(self) -> int:
        """Cells of all ranks that are wrong after one transpose. Collective."""
        self.fill()
        self.domain.mpi.Barrier()  # nobody reads what another has still to fill
        self.run()
        expected = _codes(self.work.target, self.work.target_box(self.domain.rank))
        return int(self.domain.mpi.allreduce(int((self.target != expected).sum()), MPI.SUM))


def _codes(partition: Partition, box: Box) -> Array:
    """The values of the cells of a box, exact in float64."""
    nx, ny, _ = partition.grid.size
    i, j, k = np.ogrid[tuple(map(slice, box.lo, box.hi))]
    codes: Array = (i + nx * (j + ny * k)).astype(float)
    return codes


class LapwingTranspose(TransposeMethod):
    """Through lapwing, in memory that lapwing allocated."""

    def __init__(self, domain: Domain, work: Work, method: str) -> None:
        """Make fields and the transpose. Collective; UserError where it is not to be had."""
        super().__init__(domain, work)
        source = Distribution(domain, work.source).field("f", order=work.source_order)
        target = Distribution(domain, work.target).field("f", order=work.target_order)
        self.source, self.target = source.array(), target.array()
        self.transpose = Transpose(source, target, method=method)

    def run(self) -> None:
        """Move every value once. Collective."""
        self.transpose.run()


class HandMethod(TransposeMethod):
    """Written by hand, in arrays of NumPy."""

    def __init__(self, domain: Domain, work: Work, *, collective: bool) -> None:
        """Make arrays and buffers. Collective."""
        super().__init__(domain, work)
        self.source = _zeros(work.source_box(domain.rank), work.source_order)
        self.target = _zeros(work.target_box(domain.rank), work.target_order)
        ranks = range(domain.ranks)
        self.hand = HandTranspose(
            domain,
            [work.source_box(rank) for rank in ranks],
            [work.target_box(rank) for rank in ranks],
            self.source,
            self.target,
            collective,
        )

    def run(self) -> None:
        """Move every value once. Collective."""
        self.hand.run()

    def close(self) -> None:
        """Free its communicator. Collective."""
        self.hand.close()


class StreamLimit(TransposeMethod):
    """A copy of as many values by a loop of `lapwing probe`."""

    def __init__(self, domain: Domain, work: Work, loop: str) -> None:
        """Make two arrays of the size of this rank's. Collective.

        MethodMissingError, on all ranks, where one has no stores for the loop.
        """
        super().__init__(domain, work)
        there = loop != "nontemporal" or _core.has_nontemporal_stores()
        if not domain.mpi.allreduce(there, MPI.LAND):
            raise MethodMissingError("this build has no stores that pass the caches")
        self.copy, self.loop = StreamCopy(1, work.source_box(domain.rank).volume, True), loop

    def run(self) -> None:
        """Copy. Local."""
        self.copy.run(self.loop)

    def wrong_cells(self) -> int:
        """Values that were not copied. Local."""
        self.run()
        return int(self.copy.wrong_values())


class CopyLimit(TransposeMethod):
    """One memcpy of all values of this rank, in order and without a message."""

    def __init__(self, domain: Domain, work: Work) -> None:
        """Make two arrays of the size of this rank's. Local."""
        super().__init__(domain, work)
        self.source = np.ones(work.source_box(domain.rank).volume)
        self.target = np.zeros(self.source.size)

    def run(self) -> None:
        """Copy. Local."""
        np.copyto(self.target, self.source)

    def wrong_cells(self) -> int:
        """Values that were not copied. Local."""
        self.target[...] = 0
        self.run()
        return int((self.target != self.source).sum())


def _zeros(box: Box, order: str) -> Array:
    """An array [x, y, z] stored in the order, fastest axis first."""
    axes = ["xyz".index(axis) for axis in reversed(order)]
    return np.zeros([box.shape[axis] for axis in axes]).transpose(np.argsort(axes))
