"""Words for how far a kernel reads around a cell."""

from __future__ import annotations

from lapwing.base.error import user_error, whole_number
from lapwing.core._core import Extent

_AXES = "xyz"


def ahead(axis: str, cells: int = 1) -> Extent:
    """Reach `cells` cells towards larger indices along "x", "y" or "z". Local; else UserError."""
    return _along(axis, 0, cells)


def behind(axis: str, cells: int = 1) -> Extent:
    """Reach `cells` cells towards smaller indices along "x", "y" or "z". Local; else UserError."""
    return _along(axis, cells, 0)


def around(cells: int = 1) -> Extent:
    """Reach `cells` cells to all sides in x and y, with corners. Local; UserError below 0."""
    return Extent.horizontal(whole_number("cells around a cell", cells, 0))


def cross(*parts: int | Extent) -> Extent:
    """Reach a number of cells to all sides in x and y, or all parts together, without corners.

    In `reads`, several extents without this word are the whole rectangle, corners included.

    Local: `cross()`, `cross(2)`, `cross(ahead("x"), behind("y"))`. UserError for a number below 0.
    """
    cells, *others = parts or (1,)
    if not isinstance(cells, Extent) and not others:
        return Extent.cross(whole_number("cells around a cell", cells, 0))
    extents = [part for part in parts if isinstance(part, Extent)]
    if len(extents) < len(parts):
        raise user_error(
            "parts of a cross",
            ", ".join(map(repr, parts)),
            'one number, or extents like ahead("x")',
            'write a number of cells as cross(2), or say ahead("x", 2)',
        )
    extent = combined(*extents)
    return Extent(extent.lo, extent.hi, corners=False)


def combined(*extents: Extent) -> Extent:
    """Reach as far as the widest on each side, over the whole rectangle with corners. Local.

    ahead("x") and behind("y") together hold the cell (i + 1, j - 1), which neither holds alone.
    """
    if len(extents) == 1:
        return extents[0]
    lo = [max((extent.lo[axis] for extent in extents), default=0) for axis in range(3)]
    hi = [max((extent.hi[axis] for extent in extents), default=0) for axis in range(3)]
    return Extent(lo, hi)


def _along(axis: str, lower: int, upper: int) -> Extent:
    if not isinstance(axis, str) or axis not in tuple(_AXES):
        raise user_error("axis", repr(axis), 'one of "x", "y", "z"', "name the axis")
    lo, hi = [0, 0, 0], [0, 0, 0]
    lo[_AXES.index(axis)] = whole_number(f"cells along {axis}", lower, 0)
    hi[_AXES.index(axis)] = whole_number(f"cells along {axis}", upper, 0)
    return Extent(lo, hi, corners=False)
