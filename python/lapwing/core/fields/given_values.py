"""Values and arrays that a user gives for the cells of a field: taken as they are, or refused."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lapwing.base.error import UserError, user_error

_REMEDY = "round them first where that is meant"


def given_values(name: str, values: Any, kind: np.dtype[Any]) -> NDArray[Any]:
    """The values as an array that a field of type `kind` can be assigned.

    Local. Integers stay exact; numbers with a fraction are rounded to a shorter type if they stay
    finite. `name`: what the values are, for messages. UserError, with the first of them and its
    place, for integers that `kind` cannot hold, finite numbers that become infinite, fractions,
    infinities and NaN if `kind` is an integer type, cells that a masked array hides, and values
    that are not real numbers. Cost: at most a few passes, and none for values of the type of the
    field.
    """
    array = shown_values(name, values)
    if array.dtype.kind not in "biuf":
        expected = f"real numbers for {kind}"
        raise user_error(name, f"values of type {array.dtype}", expected, "convert them first")
    require_exact(name, array, kind)
    return array


def shown_values(name: str, values: Any, expected: str = "an array of numbers") -> NDArray[Any]:
    """The values as an array. Local; UserError if they are not numbers, or a mask hides some."""
    require_x_first(name, values)
    if not isinstance(values, np.ma.MaskedArray):
        try:
            return np.asarray(values)
        except (TypeError, ValueError) as problem:  # rows of different lengths
            remedy = "pass one value per cell, x first"
            raise user_error(name, str(problem), expected, remedy) from None
    hidden = np.ma.getmaskarray(values)
    if hidden.any():
        raise user_error(
            name,
            f"a masked array that hides {np.count_nonzero(hidden)} of {hidden.size} values",
            "a value for every cell",
            "pass array.filled(value), with the value for the cells that it hides",
        )
    return np.asarray(values.data)


def require_exact(name: str, values: NDArray[Any], kind: np.dtype[Any]) -> None:
    """Raise UserError where `kind` does not hold whole numbers, or needs them and gets others.

    Finite numbers that are infinite in a shorter type of floating-point numbers are refused too.
    """
    if values.size == 0 or values.dtype == kind or values.dtype.kind == "b":
        return
    rounded = values.dtype.kind == "f" and kind.kind == "f"  # to round is meant
    if rounded and values.dtype.itemsize <= kind.itemsize:
        return
    if not rounded and _all_fit(values, kind):
        return
    fits = _staying_finite(values, kind) if rounded else _fitting(values, kind)
    if fits.all():
        return
    place = tuple(int(n) for n in np.argwhere(~fits)[0])
    raise (_too_large if rounded else _inexact)(name, values[place], place, kind)


def _inexact(name: str, value: Any, place: tuple[int, ...], kind: np.dtype[Any]) -> UserError:
    expected = f"values that {kind} holds exactly"
    return user_error(name, f"{value}{_at(place)}", expected, _REMEDY)


def _too_large(name: str, value: Any, place: tuple[int, ...], kind: np.dtype[Any]) -> UserError:
    expected = f"values up to {np.finfo(kind).max:.8g}, the largest that {kind} holds"
    remedy = f"scale them, or make a field of {value.dtype}"
    return user_error(name, f"{value}{_at(place)}", expected, remedy)


def _at(place: tuple[int, ...]) -> str:
    return f" at {list(place)}" if place else ""


def _staying_finite(values: NDArray[Any], kind: np.dtype[Any]) -> NDArray[np.bool_]:
    """True where a value is not finite anyway, or is finite as a value of `kind` too."""
    with np.errstate(over="ignore"):  # the caller is told with the value and its place
        return np.asarray(np.isfinite(values.astype(kind)) | ~np.isfinite(values))


def _all_fit(values: NDArray[Any], kind: np.dtype[Any]) -> bool:
    """True if the least and the largest of some whole numbers tell that `kind` holds all."""
    if values.dtype.kind == "f":
        return False
    least, largest = int(values.min()), int(values.max())
    if kind.kind == "b":
        return least >= 0 and largest <= 1
    if kind.kind == "f":
        limit = 2 ** (np.finfo(kind).nmant + 1)
        return bool(-limit <= least and largest <= limit)
    limits = np.iinfo(kind)
    return int(limits.min) <= least and largest <= int(limits.max)


def _fitting(values: NDArray[Any], kind: np.dtype[Any]) -> NDArray[np.bool_]:
    """True where `kind` holds a value exactly."""
    if kind.kind == "b":
        return np.asarray((values == 0) | (values == 1))
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        if values.dtype.kind == "f":  # the bound above is a power of 2, which floats hold
            inside = (values >= float(limits.min)) & (values < float(limits.max) + 1.0)
            return np.asarray(inside & (np.trunc(values) == values))
        return np.asarray((values >= limits.min) & (values <= limits.max))
    magnitude = np.abs(values).astype(np.uint64)  # also of the least one, which is its own negative
    lowest = magnitude & (~magnitude + np.uint64(1))  # the lowest bit that is set
    bits = magnitude // np.maximum(lowest, np.uint64(1))  # from there on
    return np.asarray(bits < np.uint64(2 ** (np.finfo(kind).nmant + 1)))


_X = re.compile(r"x\w*|xi_\w+|nx|n?lon\w*|n?i|\w*_(x|lon|i)|easting")
_Y = re.compile(r"y\w*|eta(_\w+)?|ny|n?lat\w*|n?j|\w*_(y|lat|j)|northing")


def require_x_first(name: str, values: Any) -> None:
    """Refuse an array whose names of axes say that y comes before x.

    Local. `name`: what the values are, for messages; `values`: anything; only arrays with `dims`,
    as in xarray, name their axes. UserError with the call that transposes them.
    """
    axes = getattr(values, "dims", ())
    if not isinstance(axes, tuple) or not all(isinstance(axis, str) for axis in axes):
        return
    x = [n for n, axis in enumerate(axes) if _X.fullmatch(axis.lower())]
    y = [n for n, axis in enumerate(axes) if _Y.fullmatch(axis.lower())]
    if len(x) == len(y) == 1 and y[0] < x[0]:
        turned = list(axes)
        turned[y[0]], turned[x[0]] = axes[x[0]], axes[y[0]]
        raise user_error(
            name,
            f"an array with the axes {', '.join(axes)}",
            "x before y",
            f"pass array.transpose({', '.join(map(repr, turned))})",
        )


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
