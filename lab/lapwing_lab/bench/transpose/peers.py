"""Transposes of the same cells by FFTW and by mpi4py-fft, where they are and fit this MPI."""

from __future__ import annotations

import ctypes
import os
from ctypes import c_char, c_int, c_ssize_t, c_uint, c_void_p
from importlib.metadata import version
from typing import Any

import numpy as np
from lapwing.core.domain import Domain
from lapwing.core.partition import Box
from mpi4py import MPI

from lapwing_lab.bench.measure.method import MethodMissingError, missing_together
from lapwing_lab.bench.transpose.methods import Array, TransposeMethod, Work

_LIBRARY = "libfftw3_mpi.so.3"  # of Debian's libfftw3-mpi3
_OPEN_MPI = "libmpi.so.40"  # which that is linked with; versions 4 and 5 are called so
_MEASURE = 0  # FFTW_MEASURE: plans are timed, as lapwing's `auto` is


class Fftw(TransposeMethod):
    """A distributed transpose of a matrix whose elements are lines of the third axis.

    The order of storage is its own on both sides: the axis that is cut, the other one of the two
    that change places, and the third fastest.
    """

    def __init__(self, domain: Domain, work: Work) -> None:
        """Make arrays and the plan. Collective; MethodMissingError on all ranks where it cannot."""
        super().__init__(domain, work)
        library = self._library = missing_together(domain.mpi, _load)
        cut_before, cut_after = work.turning("fftw")
        third = 3 - cut_before - cut_after
        before, after = work.source_box(domain.rank), work.target_box(domain.rank)
        size, lines = work.source.grid.size, before.shape[third]
        rows, columns = size[cut_before], size[cut_after]
        self._group: Any = domain.mpi.Split(before.lo[third], domain.rank)
        # of its ranks the first has the most
        blocks = self._group.bcast((before.shape[cut_before], after.shape[cut_after]))
        # its handle of a communicator is a pointer
        shape = (rows, columns, lines, *blocks)
        values, places = _local_size(library, shape, MPI._handleof(self._group))
        wanted = [*_range(before, cut_before), *_range(after, cut_after)]
        if not domain.mpi.allreduce(places == wanted, MPI.LAND):
            self._group.Free()
            raise MethodMissingError("fftw left out: it cuts the grid at other places")
        storage = np.zeros(values), np.zeros(values)
        self._plan = library.fftw_mpi_plan_many_transpose(
            *shape, *(one.ctypes.data for one in storage), MPI._handleof(self._group), _MEASURE
        )
        if not domain.mpi.allreduce(bool(self._plan), MPI.LAND):
            self.close()
            raise MethodMissingError("fftw left out: it has no plan for this work")
        parts = (places[0], columns, lines), (places[2], rows, lines)
        orders = (cut_before, cut_after, third), (cut_after, cut_before, third)
        self.source, self.target = map(_view, storage, parts, orders)

    def run(self) -> None:
        """Move every value once. Collective."""
        self._library.fftw_execute(self._plan)

    def versions(self) -> dict[str, str]:
        """The version of FFTW. Local."""
        text = (c_char * 64).in_dll(self._library, "fftw_version")
        return {"fftw": text.value.decode()}

    def close(self) -> None:
        """Free plan and communicator. Collective."""
        if self._plan:
            self._library.fftw_destroy_plan(self._plan)
        self._group.Free()


def _load() -> ctypes.CDLL:
    """The library with the types of its calls. Local; MethodMissingError where it is not."""
    name = MPI.get_vendor()[0]
    if name != "Open MPI":  # its library would bring a second MPI into this process
        raise MethodMissingError(
            f"fftw left out: its MPI part is built for Open MPI, this is {name}"
        )
    try:
        ctypes.CDLL(_OPEN_MPI, mode=os.RTLD_NOLOAD | os.RTLD_NOW)  # is it the one that runs?
        library = ctypes.CDLL(_LIBRARY)
    except OSError as problem:
        text = f"fftw left out: {problem}; apt-get install libfftw3-mpi3"
        raise MethodMissingError(text) from None
    library.fftw_mpi_plan_many_transpose.restype = c_void_p
    library.fftw_mpi_plan_many_transpose.argtypes = (*5 * [c_ssize_t], *3 * [c_void_p], c_uint)
    library.fftw_mpi_local_size_many_transposed.restype = c_ssize_t
    sizes, addresses = 3 * [c_ssize_t], 5 * [c_void_p]
    library.fftw_mpi_local_size_many_transposed.argtypes = (c_int, c_void_p, *sizes, *addresses)
    library.fftw_execute.argtypes = library.fftw_destroy_plan.argtypes = (c_void_p,)
    library.fftw_mpi_init()
    return library


def _local_size(
    library: ctypes.CDLL, shape: tuple[int, int, int, int, int], comm: int
) -> tuple[int, list[int]]:
    """Values of the arrays; rows and the first of them before, columns and the first after."""
    rows, columns, lines, *blocks = shape
    found = [c_ssize_t() for _ in range(4)]
    matrix = (c_ssize_t * 2)(rows, columns)
    places = [ctypes.byref(one) for one in found]
    values = library.fftw_mpi_local_size_many_transposed(2, matrix, lines, *blocks, comm, *places)
    return int(values), [one.value for one in found]


def _range(box: Box, axis: int) -> tuple[int, int]:
    """Cells along an axis, and the first of them."""
    return box.shape[axis], box.lo[axis]


def _view(storage: Array, shape: tuple[int, int, int], axes: tuple[int, int, int]) -> Array:
    """Storage as an array [x, y, z]; `axes`: what lies in it, the fastest last."""
    count = shape[0] * shape[1] * shape[2]
    return storage[:count].reshape(shape).transpose(np.argsort(axes))


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
