"""Fields: memory with a halo, addressed in global indices."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from lapwing.base.error import UserError, user_error, whole_number
from lapwing.core import _core
from lapwing.core._core import Box, Extent
from lapwing.core.fields import labels
from lapwing.core.fields.given_values import given_values, require_exact, shown_values
from lapwing.core.names import total_of
from lapwing.core.together import together_on

if TYPE_CHECKING:
    import xarray

Array = NDArray[Any]


class Field:
    """A named array on a domain; made by `Domain.field`, `Domain.wrap` or `Distribution.field`.

    Arrays are indexed [i, j] (x first), then [k] where the field has a z axis or levels, then the
    component where there are several. Boxes and indices are global: the same on any rank count.
    """

    def __init__(
        self,
        domain: _core.Domain,
        core: _core.Field,
        partition: _core.Partition | None = None,
        *,
        units: str = "1",
        long_name: str = "",
        standard_name: str | None = None,
    ) -> None:
        """Take a core field of this domain, on its own partition unless another is given."""
        self.domain = domain
        self.units, self.long_name, self.standard_name = units, long_name, standard_name
        self.declared = core  # fields that a step may still give memory to
        self.partition = domain.partition if partition is None else partition
        # the axes of its arrays: x = 0, y = 1, z = 2 and components = 3
        self.axes = _axes(self.partition.grid, core.spec)
        # the user's own arrays, as `Domain.wrap` found them, and where their memory was
        self.wrapped: list[tuple[Array, int]] | None = None
        self._exchange: _core.Exchange | None = None
        # last gather or scatter: its root and direction, the whole grid, and the exchange
        self._whole: tuple[tuple[int, bool], _core.Field, _core.Exchange] | None = None

    @property
    def core(self) -> _core.Field:
        """Its memory; a field that no step has given memory by now gets a halo of one cell."""
        if not self.declared.has_memory:
            width = [1 if size > 1 else 0 for size in self.partition.grid.size]
            self.declared.give_memory(Extent(width, width))
        return self.declared

    def require_in_place(self) -> None:
        """Raise UserError where an array that was wrapped has got other memory since. Local."""
        for array, address in self.wrapped or []:
            if array.ctypes.data != address:
                raise user_error(
                    f"array of field {self.name}",
                    "memory that has moved since it was wrapped",
                    "an array that stays where it is while lapwing uses it",
                    "write into the array, and never resize it",
                )

    @property
    def name(self) -> str:
        """Name of the field."""
        return self.declared.spec.name

    @property
    def spec(self) -> _core.FieldSpec:
        """Name, type, shape and extents."""
        return self.declared.spec

    def without_missing_axes(self, cells: Array, place: Sequence[int]) -> Array:
        """Cells [x, y, z, component] as arrays of this field show them, as a view. Local.

        `place`: which of the cells along x, y and z is shown of an axis that these arrays lack: the
        grid has one cell along it, but memory may have a halo around that.
        """
        where = (*place, 0)
        return cells[tuple(slice(None) if a in self.axes else where[a] for a in range(4))]

    @property
    def owned(self) -> Array:
        """The cells of the one box that this rank owns, as a view.

        Local. Raises UserError if it owns none or several: loop over `domain.boxes` then.
        """
        if self.core.count != 1:
            raise user_error(
                f"owned cells of field {self.name}",
                f"{self.core.count} boxes on rank {self.domain.rank}",
                "one",
                "loop over the boxes of the domain: field[box]",
            )
        return self[self.core.owned(0)]

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> Array:
        """Return `owned` for `numpy.asarray(field)`: a view unless the type differs. Local."""
        return np.array(self.owned, dtype, copy=copy) if copy else np.asarray(self.owned, dtype)

    def array(self, block: int = 0) -> Array:
        """Memory of box number `block` with its halo, as a view.

        Local. Raises UserError for a box that this rank does not have.
        """
        count = self.core.count
        number = whole_number(f"box number of field {self.name}", block)
        if not 0 <= number < count:
            raise user_error(
                f"box number of field {self.name}",
                str(number),
                f"0 <= number < {count}, the boxes of rank {self.domain.rank}",
                "loop over the boxes of the domain",
            )
        memory = self.core.array(number)
        return self.without_missing_axes(memory, [-lo for lo in self.core.allocated(number).lo])

    def stored(self, block: int = 0) -> Array:
        """Memory of box number `block` as it is stored: axes from slowest to fastest, as a view.

        Local. C-contiguous if the field was allocated here: a field of order "yzx" is indexed
        [i, k, j]. Raises UserError for a box that this rank does not have.
        """
        view = self.array(block)
        slowest_first = [axis for axis in reversed(self.spec.order) if axis in self.axes]
        return view.transpose([self.axes.index(axis) for axis in slowest_first])

    def _shape(self, box: Box) -> tuple[int, ...]:
        """Shape of the values of the cells in `box`."""
        full = (*box.shape, self.spec.components)
        return tuple(full[axis] for axis in self.axes)

    def __getitem__(self, box: Box) -> Array:
        """Cells of `box` in global indices, halo cells included, as a view. Local.

        If several boxes of this rank hold them, in halos too, the view is of the box that owns most
        of them. Raises UserError when no box of this rank holds all of them: a view cannot span two
        boxes.
        """
        box = self._with_levels(box)
        if box.empty:
            return np.empty(self._shape(box), self.spec.type)
        blocks = range(self.core.count)
        holders = [b for b in blocks if self.core.allocated(b).contains(box)]
        if not holders:
            raise UserError(
                f"box of field {self.name}: got {box}; expected cells that rank {self.domain.rank} "
                f"holds: {[self.core.allocated(b) for b in blocks]}, all in one of these; ask for "
                "owned cells, one box after the other, or give the field a wider halo"
            )
        block = max(holders, key=lambda b: self.core.owned(b).intersect(box).volume)
        return self.cells(block, box)

    def cells(self, block: int, box: Box) -> Array:
        """Cells of `box` in global indices out of this rank's box number `block`, as a view. Local.

        The caller knows that the block and its halo hold them all; `field[box]` finds that out.
        """
        box = self._with_levels(box)
        cells = self._held(block, box)
        place = [min(max(-box.lo[axis], 0), box.shape[axis] - 1) for axis in range(3)]
        return self.without_missing_axes(cells, place)

    def all_axes(self, block: int, box: Box) -> Array:
        """The same as [x, y, z, component], with the axes that arrays of this field lack. Local."""
        return self._held(block, self._with_levels(box))

    def _held(self, block: int, box: Box) -> Array:
        cells: Array = self.core.array(block)[_slices(box, self.core.allocated(block))]
        return cells

    def __setitem__(self, box: Box, values: ArrayLike) -> None:
        """Assign to the cells of `box`, wherever this rank holds them, and count the halo as stale.

        Local, but like `modified` to be done on all ranks alike. The box may span several boxes of
        this rank; `values` broadcast to the whole of it. Integers stay exact, other numbers are
        rounded to the field's type. Raises UserError, and writes nothing, when this rank does not
        hold some of the cells, the shapes do not fit, a masked array hides values, or the type
        cannot hold an integer exactly, or is an integer type and cannot hold a fraction or NaN.
        """
        self._require_declared()
        box = self._with_levels(box)
        parts = [self.core.allocated(b).intersect(box) for b in range(self.core.count)]
        self._require_held(box, parts)
        missing = [axis for axis in range(4) if axis not in self.axes]
        whole = self._broadcast(values, self._shape(box))
        if len(parts) > 1:
            whole = np.array(whole)  # it may be a view of what the first part overwrites
        for block, part in enumerate(parts):
            if not part.empty:
                source = _slices(part, box)
                values = whole[tuple(source[a] for a in self.axes if a < 3)]
                self._held(block, part)[...] = np.expand_dims(values, missing)
        self.modified()

    def _require_declared(self) -> None:
        """Raise UserError within a kernel whose stage does not write this field."""
        stage = getattr(self.domain, "_running_stage", None)
        if stage is not None:
            stage.check_write(self)

    def _require_held(self, box: Box, parts: list[Box]) -> None:
        """Raise UserError unless the parts cover the box."""
        missing = [box]
        for part in parts:
            missing = [rest for left in missing for rest in left.subtract(part)]
        if any(not rest.empty for rest in missing):
            held = [self.core.allocated(b) for b in range(self.core.count)]
            raise UserError(
                f"box of field {self.name}: got {box}; expected cells that rank {self.domain.rank} "
                f"holds: {held}; {missing[0]} is not among them: assign to owned cells, on the "
                "ranks that own them"
            )

    def _broadcast(self, values: ArrayLike, shape: tuple[int, ...]) -> Array:
        """The values as an array of that shape."""
        given = given_values(f"values of field {self.name}", values, np.dtype(self.spec.type))
        try:
            return np.broadcast_to(given, shape)
        except ValueError:
            raise user_error(
                f"values of field {self.name}",
                f"an array {given.shape}",
                f"one that broadcasts to {shape}",
                "pass one value per cell of the box, x first",
            ) from None

    def index_of(self, box: Box) -> tuple[slice, ...]:
        """The slices of a box in an array of the whole grid, as `gather` makes. Local."""
        cells = _slices(self._with_levels(box), self.partition.grid.box)
        return tuple(cells[a] for a in self.axes if a < 3)

    def _with_levels(self, box: Box) -> Box:
        if not isinstance(box, Box):
            raise user_error(
                f"index of field {self.name}",
                repr(box),
                "a Box of global indices",
                "use field[Box((i, j, 0), (i + 1, j + 1, 1))], or array() for plain indices",
            )
        if self.spec.levels == 0:
            return box
        return Box((box.lo[0], box.lo[1], 0), (box.hi[0], box.hi[1], self.spec.levels))

    def fill(self, value: float) -> None:
        """Set every cell, halos included. Local; UserError for a value as of an assignment."""
        self._require_declared()
        given = given_values(f"value of field {self.name}", value, np.dtype(self.spec.type))
        for block in range(self.core.count):
            self.core.array(block)[...] = given
        self.modified()

    def set(self, function: Callable[..., ArrayLike]) -> None:
        """Set owned cells to function(i, j[, k]), called once per box with index arrays.

        Local. UserError for values as of an assignment.
        """
        if not callable(function):
            shape = getattr(function, "shape", ())
            raise user_error(
                f"values of field {self.name}",
                f"an array {shape}" if shape else repr(function),
                "a function of indices i, j[, k]",
                "use fill(number), field.owned[...] = this rank's cells, or scatter(whole_grid)",
            )
        for block in range(self.core.count):
            box = self.core.owned(block)
            axes = [a for a in self.axes if a < 3]
            ranges = [np.arange(box.lo[a], box.hi[a]) for a in axes]
            self[box] = function(*np.meshgrid(*ranges, indexing="ij", sparse=True))
        self.modified()  # on ranks without boxes too, or the ranks disagree on what is stale

    def modified(self) -> None:
        """Say that something outside the stages of a step wrote the field. Local.

        Must be called on all ranks alike.
        """
        self._require_declared()
        self.core.modified()

    def reduce(self, kind: str) -> float:
        """Return the minimum, maximum or sum of the values in all cells, levels and components.

        On all ranks. Collective, two reductions. `kind`: "minimum", "maximum" or "sum". A sum is
        exact and rounded once: the same bits on any number of ranks. NaN if any value is NaN.
        Raises UserError on all ranks for another kind, and for a field without memory.
        """
        return _core.total(self.domain, together_on(self.domain, lambda: total_of(kind)), self.core)

    def exchange(self) -> None:
        """Bring the halo up to date with the owners' values.

        Collective over the domain at the first call, then local: every neighbour must call it.
        Cost: one message per neighbour rank.
        """
        domain, fields = self.domain, [self.core]
        if self._exchange is None and self.partition == domain.partition:
            self._exchange = _core.Exchange(domain, fields, _core.ExchangeOptions())
        elif self._exchange is None:
            plan = together_on(
                domain, lambda: _core.halo_plan(self.partition, domain.rank, [self.spec])
            )
            self._exchange = _core.Exchange(domain, plan, fields, fields)
        self._exchange.run()

    @overload
    def gather(self, root: int = 0, *, labelled: Literal[False] = False) -> Array | None: ...
    @overload
    def gather(self, root: int = 0, *, labelled: Literal[True]) -> xarray.DataArray | None: ...
    def gather(self, root: int = 0, *, labelled: bool = False) -> Array | xarray.DataArray | None:
        """Collect the field of the whole grid on rank `root`; every other rank gets None.

        Collective over the domain. Result: a new array [nx, ny, ...]; cells without an owner are
        zero. With `labelled` a DataArray of it, with the field's name, units and long_name,
        dimensions x, y, level and component (as far as it has them, in this order; x_xface and
        y_yface on faces), and coordinates: the domain's axes (lon and lat if they are in degrees),
        else indices of cells, for faces half a cell ahead.

        Raises UserError on all ranks when the root is no rank or differs, OutsideError when a
        rank lacks the memory. Cost: one message from every rank that owns something, and a
        comparison of the roots. Besides the result, the root keeps an array of the whole grid and
        receive buffers of that size, and every rank a buffer of its own cells, for the next gather
        to the same root: until the field is deleted, or a scatter or another root replaces them.
        """
        whole, exchange = self._whole_grid(root, scatter=False)
        exchange.run()

        def copy() -> Array | None:
            if not whole.count:
                return None
            return self.without_missing_axes(whole.array(0), (0, 0, 0)).copy(order="F")

        values = together_on(self.domain, copy)
        return labels.labelled(self, values) if labelled and values is not None else values

    def scatter(self, array: ArrayLike | None, root: int = 0) -> None:
        """Give every rank its owned cells of `array`, which only rank `root` needs to pass.

        Collective over the domain. `array`: [nx, ny, ...] of a type whose values the field's type
        holds all (NumPy's "safe" casting: float32 for a float64 field, but not the reverse),
        integers beyond 2^53 in a float64 field only if it holds them exactly. Halos count as stale.
        Raises UserError on all ranks for another shape or type, such a number, a masked array that
        hides values, or when the root is no rank or differs; OutsideError when a rank lacks the
        memory. Cost: as `gather`, which also explains the memory that stays.
        """
        whole, exchange = self._whole_grid(root, scatter=True)
        together_on(self.domain, lambda: self._take(array, whole) if whole.count else None)
        exchange.run()
        self.modified()

    def _take(self, array: ArrayLike | None, whole: _core.Field) -> None:
        """Copy the array into the whole grid; UserError unless it fits."""
        target = self.without_missing_axes(whole.array(0), (0, 0, 0))
        name = f"array scattered to {self.name}"
        expected = f"{target.dtype} {target.shape}"
        given = shown_values(name, array, expected)
        if given.shape != target.shape or not np.can_cast(given.dtype, target.dtype, "safe"):
            remedy = (
                "pass the whole grid, x first, of a type that loses nothing: "
                f"array.astype({target.dtype.name!r}) where a loss is meant"
            )
            raise user_error(name, f"{given.dtype} {given.shape}", expected, remedy)
        require_exact(name, given, target.dtype)  # NumPy calls 64 bits in float64 safe
        target[...] = given

    def _whole_grid(self, root: int, *, scatter: bool) -> tuple[_core.Field, _core.Exchange]:
        """The whole grid on the root and the exchange with it, from the last call if they fit.

        Collective. At most one is kept: each holds memory of the size of the grid.
        """
        domain = self.domain
        verb = "scatter" if scatter else "gather"
        call = f"{verb} of {self.spec!r} with root {_index_or_text(root)}"
        _core.require_same(domain, "collective call", call)
        if self._whole is not None and self._whole[0] == (root, scatter):
            return self._whole[1:]
        self._whole = None

        def prepare() -> tuple[_core.Field, _core.MessagePlan]:
            number = whole_number("root", root, 0, domain.ranks - 1)
            plan = _core.gather_plan(self.partition, domain.rank, [self.spec], root=number)
            here = domain.rank == number
            whole = _core.Field.whole(self.partition.grid, self.spec, here)
            return whole, plan.reversed() if scatter else plan

        whole, plan = together_on(domain, prepare)
        ends = ([whole], [self.core]) if scatter else ([self.core], [whole])
        self._whole = ((root, scatter), whole, _core.Exchange(domain, plan, *ends))
        return self._whole[1:]

    def __repr__(self) -> str:
        """Name, type, halo and boxes."""
        boxes = ", ".join(repr(self.core.owned(b)) for b in range(self.core.count))
        return f"Field({self.spec!r} on rank {self.domain.rank}: {boxes or 'no box'})"


def _axes(grid: _core.Grid, spec: _core.FieldSpec) -> list[int]:
    """The axes of [x, y, z, component] that arrays of a field have."""
    has_z = grid.size[2] > 1 or spec.levels > 0
    has_y = grid.size[1] > 1 or has_z
    has = (True, has_y, has_z, spec.components > 1)
    return [axis for axis in range(4) if has[axis]]


def _slices(box: Box, whole: Box) -> tuple[slice, ...]:
    """The slices of a box in the memory of another one, along all three axes."""
    lo, hi, first = box.lo, box.hi, whole.lo
    return tuple(slice(lo[a] - first[a], hi[a] - first[a]) for a in range(3))


def _index_or_text(value: Any) -> str:
    """NumPy's integers as others are written, so that ranks compare what is meant."""
    try:
        return str(operator.index(value))
    except TypeError:
        return repr(value)
