"""mpi4py-fft's transposes of the same arrays, where it is installed."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import numpy as np
from lapwing.core.domain import Domain
from lapwing.core.partition import Box
from mpi4py import MPI

from lapwing_lab.bench.measure.method import MethodMissingError, missing_together
from lapwing_lab.bench.transpose.methods import TransposeMethod, Work


class Mpi4pyFft(TransposeMethod):
    """By Alltoallw on subarrays, which keeps the order of storage; axes z, y, x, x fastest."""

    def __init__(self, domain: Domain, work: Work) -> None:
        """Make pencils and arrays. Collective; MethodMissingError on all ranks where it cannot."""
        super().__init__(domain, work)
        if work.source_order != work.target_order:
            raise MethodMissingError("mpi4py-fft left out: it does not change the order of storage")
        pencils = missing_together(domain.mpi, _pencils)
        whole_after, whole_before = work.turning("mpi4py-fft")
        self._comms: Any = pencils.Subcomm(domain.mpi, work.parts()[0][::-1])
        size = tuple(reversed(work.source.grid.size))
        one = pencils.Pencil(self._comms, size, axis=2 - whole_before)
        other = one.pencil(2 - whole_after)
        same = _box(one) == work.source_box(domain.rank) and _box(other) == work.target_box(
            domain.rank
        )
        if not domain.mpi.allreduce(same, MPI.LAND):
            self._comms.destroy()
            raise MethodMissingError("mpi4py-fft left out: it cuts the grid at other places")
        self._way: Any = one.transfer(other, "d")
        self._arrays = np.zeros(one.subshape), np.zeros(other.subshape)
        self.source, self.target = (array.T for array in self._arrays)

    def run(self) -> None:
        """Move every value once. Collective."""
        self._way.forward(*self._arrays)

    def versions(self) -> dict[str, str]:
        """The version of mpi4py-fft. Local."""
        return {"mpi4py-fft": version("mpi4py-fft")}

    def close(self) -> None:
        """Free its communicators. Collective."""
        self._way.destroy()
        self._comms.destroy()


def _pencils() -> Any:
    try:
        from mpi4py_fft import pencil
    except ImportError as problem:
        text = f"mpi4py-fft left out: {problem}; pip install mpi4py-fft, which needs FFTW"
        raise MethodMissingError(text) from None
    return pencil


def _box(pencil: Any) -> Box:
    """The box of a pencil, in lapwing's axes."""
    lo = [int(n) for n in reversed(pencil.substart)]
    shape = [int(n) for n in reversed(pencil.subshape)]
    return Box((lo[0], lo[1], lo[2]), (lo[0] + shape[0], lo[1] + shape[1], lo[2] + shape[2]))
