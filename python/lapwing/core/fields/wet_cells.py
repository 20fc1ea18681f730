"""Masks as their owners hold them, masked arrays and NaN among them, as true and false."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lapwing.base.error import UserError, user_error
from lapwing.core.fields.given_values import require_x_first

_SLAB = 2**20  # cells that are checked together: temporary arrays stay in the cache


def wet_cells(name: str, mask: ArrayLike) -> NDArray[np.bool_]:
    """True where a mask is true or 1, false where it is false, 0, NaN or hidden by a masked array.

    Local. `name`: the caller's name of the mask, for messages; `mask`: any shape. An array of bool
    is returned as it is, without a copy, unless it hides cells; other types become a new array in
    the same memory order, with a byte per cell. UserError, with the first cell, for other numbers
    than 0 and 1: fractions, counts, depths and fill values leave open which cells are wet. Numbers
    that a masked array hides are never used.
    """
    values, hidden = _parts(name, mask)
    if values.dtype.kind == "b":
        return values & ~hidden if hidden.ndim else values
    wet = np.empty_like(values, dtype=np.bool_, subok=False)
    for slab in _slabs(values):
        part, unseen = values[slab], hidden[slab] if hidden.ndim else hidden
        wet[slab] = (part == 1) & ~unseen
        known = wet[slab] | (part == 0) | (part != part) | unseen
        if not known.all():
            raise _neither(name, mask, slab, known)
    return wet


def _parts(name: str, mask: Any) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """The numbers of a mask, and where it hides them: one false for all where it hides none."""
    require_x_first(name, mask)
    try:
        given = mask if isinstance(mask, np.ndarray) else np.asarray(mask)
        got = f"values of type {given.dtype}"
    except (TypeError, ValueError) as problem:  # rows of different lengths
        given, got = np.empty(0, object), str(problem)
    if given.dtype.kind not in "biuf":
        expected = "true and false, or 0 and 1"
        raise user_error(name, got, expected, "pass a comparison, for example depth > 0")
    return np.asarray(np.ma.getdata(given)), np.asarray(np.ma.getmask(given))


def _slabs(values: NDArray[Any]) -> Iterator[tuple[slice, ...]]:
    """Parts of an array, cut along the axis that varies slowest in memory."""
    if values.ndim == 0:
        yield ()
        return
    axis = int(np.argmax(np.abs(values.strides)))
    size = values.shape[axis]
    thickness = max(1, _SLAB * size // max(1, values.size))
    for first in range(0, size, thickness):
        yield (slice(None),) * axis + (slice(first, first + thickness),)


def _neither(name: str, mask: Any, slab: tuple[slice, ...], known: NDArray[np.bool_]) -> UserError:
    """The error for the first cell of a slab that is neither wet nor dry."""
    place = [int(n) for n in np.argwhere(~known)[0]] if known.ndim else []
    for axis, part in enumerate(slab):
        place[axis] += part.start or 0
    value = np.asarray(mask)[tuple(place)]
    return user_error(
        name,
        f"{value} in cell {place}",
        "true or 1 in wet cells, false, 0 or NaN in dry ones",
        "pass a comparison, for example depth > 0",
    )
