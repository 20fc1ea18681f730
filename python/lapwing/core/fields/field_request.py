"""The request of a field by its maker: halo, type, order of storage."""

from __future__ import annotations

import copyreg
from collections.abc import Iterable, Sequence
from itertools import permutations

import numpy as np
from numpy.typing import DTypeLike

from lapwing.base.error import UserError, user_error, whole_number
from lapwing.core import _core
from lapwing.core._core import Extent

AXES = "xyz"

# Axes x = 0, y = 1, z = 2, components = 3 by the name of an order, fastest first.
ORDERS = {
    "x": (0, 1, 2, 3),  # x fastest: Fortran order of [i, j, k, c]
    "z": (2, 0, 1, 3),  # levels fastest
    "c": (3, 0, 1, 2),  # components fastest
    **{"".join(axes): (*map(AXES.index, axes), 3) for axes in permutations(AXES)},
}

copyreg.pickle(
    _core.FieldSpec,
    lambda spec: (
        _core.FieldSpec,
        (
            spec.name,
            spec.type,
            list(spec.extents),
            spec.levels,
            spec.components,
            spec.location,
            list(spec.order),
            spec.constant_on_land,
            spec.vector,
            list(spec.pair),
            spec.frame,
        ),
    ),
)

_INT = (-(2**31), 2**31 - 1)  # range of C++'s int


def spec_of(
    grid: _core.Grid,
    name: str,
    halo: int | Extent | Sequence[Extent],
    dtype: DTypeLike,
    levels: int,
    components: int,
    location: str,
    order: str,
    constant_on_land: bool = False,
    vector: bool = False,
    pair: tuple[str, str] | None = None,
    frame: bool = False,
) -> _core.FieldSpec:
    """The description that C++ takes. Local; UserError for what it cannot mean."""
    if order not in ORDERS:
        raise UserError(
            f"order of field {name}: got {order!r}; expected one of {', '.join(ORDERS)}; name "
            "the axis that is fastest in memory, or all three"
        )
    if not isinstance(name, str):
        raise user_error("name of a field", repr(name), "text", "name the field")
    try:
        kind = np.dtype(dtype).name
    except TypeError:
        kind = repr(dtype)  # refused below, with the types that there are
    named = ("", "") if pair is None else tuple(pair)
    if len(named) != 2 or not all(isinstance(one, str) for one in named):
        remedy = "name the field along x, then the field along y"
        raise user_error(f"pair of field {name}", repr(pair), "two names", remedy)
    halos = list(halo) if isinstance(halo, Iterable) else [halo]
    extents = [extent_of(grid, one, f"halo of field {name}") for one in halos]
    levels = whole_number(f"levels of field {name}", levels, *_INT)
    components = whole_number(f"components of field {name}", components, *_INT)
    a, b, c, d = ORDERS[order]
    return _core.FieldSpec(
        name,
        kind,
        extents,
        levels,
        components,
        location,
        (a, b, c, d),
        constant_on_land=bool(constant_on_land),
        vector=bool(vector),
        pair=list(named),
        frame=bool(frame),
    )


def extent_of(grid: _core.Grid, extent: int | Extent, what: str) -> Extent:
    """The extent itself, or that many cells on every side of each axis that has neighbours. Local.

    Raises UserError, naming `what`, for anything but a whole number of cells.
    """
    if isinstance(extent, Extent):
        return extent
    cells = whole_number(what, extent, 0, _INT[1])
    width = [cells if size > 1 else 0 for size in grid.size]
    return Extent(width, width)
