"""The view of a field that a kernel gets: an array that also knows which cells its offsets mean."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lapwing.base.error import user_error
from lapwing.core._core import Box, Extent
from lapwing.core.field import Field


class View(np.ndarray[Any, Any]):
    """The cells of a kernel's box, and the cells around it that it reads, of one field.

    It is an array like any other. `at(x=+1)` are the neighbours of all cells of the box in the
    direction of larger i: an array of the size of the box, whatever the extent is. Results of
    arithmetic with views, and `at`, are plain arrays; a part of a view has no `at`.
    """

    _known: tuple[Field, Extent, Box] | None = None

    @classmethod
    def of(cls, field: Field, block: int, box: Box, extent: Extent, *, written: bool) -> View:
        """The view of a box of this rank's block of a field, with the cells that `extent` adds."""
        cells = field.all_axes(block, box.grow(extent))
        cells.flags.writeable = written
        plain = field.without_missing_axes(cells, extent.lo)
        view = plain.view(cls)
        view._known, view.plain, view._cells, view._parts = (field, extent, box), plain, cells, {}
        return view

    plain: NDArray[Any]  # the same cells, without `at`
    _cells: NDArray[Any]  # the same as [x, y, z, component], with halos of axes that arrays lack
    _parts: dict[tuple[int, int, int], NDArray[Any]]

    def at(self, x: int = 0, y: int = 0, z: int = 0) -> NDArray[Any]:
        """The cells at this distance from the box, as an array of its size; `at()`: the box. Local.

        Raises UserError if the stage does not declare that it reads that far.
        """
        if self._known is None:
            raise user_error(
                "at() of a kernel's argument",
                "a part of it, or a copy",
                "the argument itself",
                "call at() first",
            )
        part = self._parts.get((x, y, z))
        if part is None:
            part = self._parts[x, y, z] = self._part((x, y, z))
        return part

    def _part(self, shift: tuple[int, int, int]) -> NDArray[Any]:
        assert self._known is not None
        field, extent, box = self._known
        reached = [-extent.lo[a] <= shift[a] <= extent.hi[a] for a in range(3)]
        if field.spec.levels:
            reached[2] = shift[2] == 0
        if not all(reached) or (sum(map(bool, shift)) > 1 and not extent.corners):
            steps = ", ".join(f"{n}={s:+d}" for n, s in zip("xyz", shift, strict=True) if s)
            raise user_error(
                f"field {field.name} at({steps})",
                "cells that the stage does not declare",
                f"at most {extent!r}",
                "widen what the stage reads of the field",
            )
        first = [extent.lo[a] + shift[a] for a in range(3)]
        index = [slice(first[a], first[a] + box.shape[a]) for a in range(3)]
        if field.spec.levels:
            index[2] = slice(None)
        return field.without_missing_axes(self._cells[tuple(index)], (0, 0, 0))

    def __array_wrap__(
        self, array: NDArray[Any], context: Any = None, return_scalar: bool = False
    ) -> Any:
        """Return the result of computing with a view: a plain array, or number."""
        return array[()] if return_scalar else array
