"""A partition in the hands of real ranks, and the fields and exchanges made on it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lapwing.base.agreement import together
from lapwing.base.error import UserError, user_error, whole_number
from lapwing.core import _core, mpi_runtime
from lapwing.core._core import Box, Extent, Partition, Pending
from lapwing.core.distribution import Distribution, boxes_of
from lapwing.core.exchange import Exchange
from lapwing.core.field import Field
from lapwing.core.fields.field_request import spec_of
from lapwing.core.fields.given_values import in_place
from lapwing.core.fields.labels import Axis
from lapwing.core.partition import Grid, Mask, block_partition

logger = logging.getLogger(__name__)

__all__ = ["Distribution", "Domain", "Exchange", "Field", "Pending"]


class Domain(_core.Domain):
    """A partition on a communicator, on which fields and exchanges are made.

    Collective over `comm`. `partition`: a Partition, a Grid or the sizes (nx, ny[, nz]) of one,
    which is then cut into the best blocks for the ranks; `periodic`, `north_fold` and `faces` (as
    of a Grid) go with sizes only; `comm`:
    an mpi4py communicator, COMM_WORLD by default, duplicated once. Raises UserError on all ranks
    when the request of one is wrong, the ranks disagree or are too many; if `comm` is no
    communicator, on that rank alone. `close()` (collective) frees the communicator.
    `ranks_per_node`: pretend that nodes hold this many ranks, to try on one machine what several
    would do; 0: the real nodes. `axes`: an Axis along x, y and z, as many as there are: coordinates
    for `Field.gather`. `in_place_of`: the rank of the partition for which this process stands in,
    alone on `comm`, to inspect what that rank would do: messages to other ranks are planned and
    never sent.
    """

    mpi: Any  # the communicator that it was made on
    axes: tuple[Axis, ...]

    def __init__(
        self,
        partition: Partition | _core.Grid | Sequence[int],
        comm: Any = None,
        *,
        periodic: bool | Sequence[bool] = False,
        north_fold: str = "none",
        faces: _core.Faces | None = None,
        ranks_per_node: int = 0,
        axes: Sequence[Axis] = (),
        in_place_of: int | None = None,
    ) -> None:
        """Agree on the partition and duplicate the communicator."""
        mpi = mpi_runtime.start()  # one MPI for mpi4py, lapwing and the launcher, or an error
        comm = mpi.COMM_WORLD if comm is None else comm
        if not isinstance(comm, mpi.Comm) or comm == mpi.COMM_NULL:
            raise user_error(
                "communicator",
                "COMM_NULL" if isinstance(comm, mpi.Comm) else repr(comm),
                "an mpi4py communicator of which this rank is part",
                "leave comm out for COMM_WORLD, and make no domain on ranks outside",
            )
        cut = together(
            comm, lambda: _cut(partition, periodic, north_fold, faces, comm.Get_size(), axes)
        )
        super().__init__(cut, comm, ranks_per_node, in_place_of)
        self.mpi, self.axes = comm, tuple(axes)
        self._running = threading.local()  # per thread: the stage whose kernel runs there
        logger.debug("rank %d: %r", self.rank, self)

    @property
    def _running_stage(self) -> Any:
        """The stage whose kernel runs in this thread, which knows what it may write; or None."""
        return getattr(self._running, "stage", None)

    @_running_stage.setter
    def _running_stage(self, stage: Any) -> None:
        self._running.stage = stage

    def __enter__(self) -> Self:
        """The domain, which is closed at the end of the block unless an exception ends it."""
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Close it: collective. After an exception other ranks may never come, so not then."""
        if kind is None:
            self.close()

    @property
    def boxes(self) -> list[Box]:
        """The boxes that this rank owns, possibly none. Local."""
        return boxes_of(self.partition, self.rank)

    @property
    def box(self) -> Box:
        """The one box that this rank owns. Local; raises UserError when it owns none or several."""
        boxes = self.boxes
        if len(boxes) != 1:
            raise UserError(
                f"box of rank {self.rank}: got {len(boxes)} boxes; expected one; loop over boxes"
            )
        return boxes[0]

    def field(
        self,
        name: str,
        *,
        halo: int | Extent | Sequence[Extent] | None = None,
        dtype: DTypeLike = np.float64,
        levels: int = 0,
        components: int = 1,
        location: str = "center",
        order: str = "x",
        constant_on_land: bool = False,
        vector: bool = False,
        pair: tuple[str, str] | None = None,
        frame: bool = False,
        units: str = "1",
        long_name: str = "",
        standard_name: str | None = None,
    ) -> Field:
        """Declare a field of zeros on this rank's boxes.

        Without `halo` the first `Step` that uses the field gives it memory, with the halo that its
        stages need; if the field is used before, that halo is one cell. With `halo` it has
        memory at once.

        Local: an error on one rank alone reaches other ranks only by ending the job, as any
        uncaught exception does (`mpi_runtime.start`). `halo`: cells around every box (corners
        included), an Extent, or one per component (of a field that a stage `scatters`, the offset
        at which it is written); `dtype`: float32, float64, int32, int64 or bool; `levels`: length
        of an undecomposed vertical axis; `location`: center, xface, yface or corner; `order`:
        fastest axis in memory and in messages, "x", "z" (levels) or "c" (components), or all three
        axes, fastest first ("yzx");
        `constant_on_land`: promises that no stage changes its values on land, whatever they are, so
        that steps may leave these out of computing and messages (`set_land`); `vector`: a component
        of a vector along x or y, whose sign is the other one where its axis runs the other way, as
        beyond a north fold; `pair`: names of the fields along x and y, of which this is one, which
        change places where x of a face runs along y of the next, and are exchanged together;
        `frame`: ghost cells beyond closed sides of the grid hold values that exchanges carry to
        halos there;
        `units`, `long_name`, `standard_name`: its CF attributes in files.
        Raises UserError for a bad description or a size that overflows, OutsideError when the
        memory is not there.
        """
        grid = self.partition.grid
        spec = spec_of(
            grid,
            name,
            halo or 0,
            dtype,
            levels,
            components,
            location,
            order,
            constant_on_land,
            vector,
            pair,
            frame,
        )
        core = _core.Field.declared(self, self.partition, spec, isinstance(halo, Iterable))
        if halo is not None:
            core.give_memory(Extent())
        return Field(self, core, units=units, long_name=long_name, standard_name=standard_name)

    def wrap(
        self,
        name: str,
        arrays: Any,
        *,
        halo: int | Extent | Sequence[Extent] = 1,
        dtype: DTypeLike | None = None,
        levels: int = 0,
        components: int = 1,
        location: str = "center",
        order: str = "x",
        constant_on_land: bool = False,
        vector: bool = False,
        pair: tuple[str, str] | None = None,
        frame: bool = False,
    ) -> Field:
        """Take arrays that a model owns, one per box of this rank, halo included.

        Local, an error on one rank alone as in `field`; the arrays are used in place and kept
        alive. They are NumPy arrays, or other arrays in CPU memory that support DLPack, such as
        PyTorch's. Each is indexed [i, j(, k)(, component)] with any strides, its first cell being
        the lowest halo cell of the box: sizes must match the box plus the halo. `dtype`: the
        arrays' own by default; needed for fields that are not float64 if a rank may own no box.
        `constant_on_land`, `vector`, `pair`, `frame`: as in `field`. Raises UserError for another
        shape or type, or a read-only array.
        """
        boxes = self.boxes
        given = _listed_arrays(name, arrays)
        if dtype is None:
            dtype = given[0].dtype if given else np.float64
        grid = self.partition.grid
        spec = spec_of(
            grid,
            name,
            halo,
            dtype,
            levels,
            components,
            location,
            order,
            constant_on_land,
            vector,
            pair,
            frame,
        )
        if len(given) != len(boxes):
            raise UserError(
                f"arrays of field {name}: got {len(given)}; expected {len(boxes)}, one per box of "
                f"rank {self.rank}; pass a list with an array for every box"
            )
        full, first = [], []
        for array, box in zip(given, boxes, strict=True):
            _check_values(array, spec)
            view, lo = _with_all_axes(array, box, spec)
            full.append(view)
            first.append(lo)
        core = _core.Field.wrap(self, spec, full, first, given)
        field = Field(self, core)
        field.wrapped = [(array, array.ctypes.data) for array in given]
        return field

    def __repr__(self) -> str:
        """Rank, boxes and partition."""
        return f"Domain(rank {self.rank} of {self.ranks}, {self.boxes}, {self.partition!r})"


def set_threads(domain: Domain, threads: int) -> None:
    """Let steps that are made from now on run their kernels in `threads` threads of each rank.

    Holds where a step does not say otherwise (`Step(..., threads=...)`). Compiled kernels run side
    by side: C++, Fortran, and Numba with `nogil=True`; other Python kernels one at a time.
    Collective. Raises UserError on all ranks for fewer than 1 or more than the launcher gave any
    rank cores, for numbers that differ, and for an MPI without MPI_THREAD_FUNNELED.
    """
    number = together(
        domain.mpi, lambda: whole_number("threads of a rank", threads, -(2**31), 2**31 - 1)
    )
    _core.set_threads(domain, number)


def set_land(domain: Domain, mask: Mask | None, messages: str = "auto") -> None:
    """Let steps that are made from now on leave out the land of a mask.

    Fields that are `constant_on_land` lack it: stages do not compute it, unless they write another
    field too, reduce a number or end with work of all ranks; and messages carry less of it.
    Results stay the same bits. `messages`: how pieces with land change. "off"; "clip": they shrink
    to the bounds of their water; "patches": or are cut into several; "lists": or into a list of wet
    columns, whichever costs least; "auto": lists, where that saves 5 % of the bytes of all ranks or
    more. After a field that is constant on land was `modified`, the next steps compute and send all
    land, undivided. Local, the same on all ranks. Raises UserError for a missing or invalid mask, a
    mask of another size than the grid, or another form.
    """
    if mask is not None and not isinstance(mask, Mask):
        remedy = "make one of the array: Mask(wet)"
        raise user_error("mask of the land", type(mask).__name__, "a lapwing.Mask", remedy)
    _core.set_land(domain, mask, messages)


def _cut(
    partition: Partition | _core.Grid | Sequence[int],
    periodic: bool | Sequence[bool],
    north_fold: str,
    faces: _core.Faces | None,
    ranks: int,
    axes: Sequence[Axis],
) -> Partition:
    """The partition that the arguments of a domain describe. Local."""
    if isinstance(partition, (Partition, _core.Grid)):
        said = {
            "periodic": periodic if np.any(periodic) else None,
            "north_fold": north_fold if north_fold != "none" else None,
            "faces": faces,
        }
        for word, value in said.items():
            if value is None:
                continue
            got = f"{value} with a {type(partition).__name__}"
            raise user_error(word, got, "it with sizes only", "say it when you make the grid")
    else:
        partition = Grid(partition, periodic, north_fold, faces)
    cut = partition if isinstance(partition, Partition) else block_partition(partition, ranks=ranks)
    lengths, wanted = [len(axis.values) for axis in axes], list(cut.grid.size)
    if lengths != wanted[: len(lengths)]:
        expected = f"those of the grid, {wanted[: max(1, len(lengths))]}"
        remedy = "give one value per cell, axes in the order x, y, z"
        raise user_error("values of the axes of the domain", str(lengths), expected, remedy)
    return cut


def _listed_arrays(name: str, arrays: Any) -> list[NDArray[Any]]:
    """The arrays in a list of them, or the one; UserError for anything else. Local."""
    one = hasattr(arrays, "__dlpack__") or not isinstance(arrays, Iterable)
    return [in_place(name, array) for array in ([arrays] if one else arrays)]


def _check_values(array: NDArray[Any], spec: _core.FieldSpec) -> None:
    """Raise UserError unless the values have the field's type and lie as C++ expects them."""
    got = ""
    if array.dtype.name != spec.type:
        got = array.dtype.name
    elif not array.dtype.isnative:
        got = f"{array.dtype.name} of the other byte order"
    elif not array.flags.aligned or any(stride % array.itemsize for stride in array.strides):
        got = f"strides of {array.strides} bytes, or values that are not aligned"
    if got:
        raise UserError(
            f"array of field {spec.name}: got {got}; expected {spec.type} values in native byte "
            f"order, aligned, strides that are multiples of {array.itemsize} bytes; convert it "
            "with numpy.array(...)"
        )


def _with_all_axes(
    array: NDArray[Any], box: Box, spec: _core.FieldSpec
) -> tuple[NDArray[Any], tuple[int, int, int]]:
    """View of `array` as [x, y, z, component], and the global index of its first cell."""
    grown = box.grow(spec.largest_extent)
    shape = list(grown.shape)
    if spec.levels > 0:
        shape[2] = spec.levels
    full = (*shape, spec.components)
    wanted = tuple(n for n in full if n > 1)
    if not array.flags.writeable or tuple(n for n in array.shape if n > 1) != wanted:
        state = "" if array.flags.writeable else "read-only "
        raise UserError(
            f"array of field {spec.name}: got {state}{array.shape}; expected a writable array "
            f"{wanted}: box {box} and its halo; allocate it with room for the halo"
        )
    index = iter(array.strides[a] for a in range(array.ndim) if array.shape[a] > 1)
    strides = tuple(next(index) if n > 1 else array.itemsize for n in full)
    view = np.lib.stride_tricks.as_strided(array, full, strides)
    lo = (grown.lo[0], grown.lo[1], 0 if spec.levels > 0 else grown.lo[2])
    return view, lo
