"""Arrays of other libraries as NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lapwing.base.error import user_error
from lapwing.core.fields.given_values import shown_values


def in_place(name: str, array: Any) -> NDArray[Any]:
    """The memory of an array as NumPy's, without a copy; UserError if it is impossible.

    It is impossible for a masked array that hides cells: hidden cells would count as values.
    """
    if isinstance(array, np.ma.MaskedArray):
        return shown_values(f"array of field {name}", array)
    if isinstance(array, np.ndarray):
        return array
    got = type(array).__name__
    if hasattr(array, "__dlpack__"):
        try:
            return np.from_dlpack(array)
        except (BufferError, RuntimeError, TypeError, ValueError) as reason:
            got += f", of which DLPack says: {reason}"
    raise user_error(
        f"array of field {name}",
        got,
        "arrays of NumPy, or others in memory of the CPU (DLPack), which are used in place",
        "pass one array, or a list with one per box; convert others with numpy.array",
    )


def as_given(given: Any, values: NDArray[Any]) -> Any:
    """`values` as an array of the library of `given`, where that has a namespace; else NumPy's."""
    if isinstance(given, np.ndarray) or not hasattr(given, "__array_namespace__"):
        return values
    return given.__array_namespace__().from_dlpack(values)
