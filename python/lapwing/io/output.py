"""Output files: records of model variables on the map, in one NetCDF-4 file with CF metadata."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lapwing.core.fields.labels import Axis
from lapwing.io.record_file import RecordFile, axis_names, make_coordinate, shift_by_half
from lapwing.io.variable_description import Description

_FACE_NAMES = {"xface": ("_xface", ""), "yface": ("", "_yface"), "corner": ("_xface", "_yface")}

_CHUNK = 1 << 20  # bytes before compression, about


def map_chunk(sizes: list[int], value_bytes: int) -> list[int]:
    """The part of a record of `sizes` ([levels,] y, x) that is compressed together. Local.

    It has as many layers as fit in 1 MiB; a larger layer is cut into even shares of its rows.
    """
    *levels, rows, columns = (max(1, size) for size in sizes)
    layer = rows * columns * value_bytes
    if layer > _CHUNK:
        rows = math.ceil(rows / math.ceil(layer / _CHUNK))
    fit = max(1, _CHUNK // layer)
    return [*(min(level, fit) for level in levels), rows, columns]


class OutputFile(RecordFile):
    """Records of whole maps, (time[, level], y, x); values are given as [nx, ny(, levels)]."""

    def _make_places(self) -> None:
        locations = {variable.location for variable in self.variables.values()}
        shifted = {shift for place in locations for shift in _FACE_NAMES.get(place, ()) if shift}
        self._names = axis_names(self.geometry)
        axes = (self.geometry.x, self.geometry.y)
        for letter, name, axis in zip("XY", self._names, axes, strict=True):
            self._make_axis(name, letter, axis, shift="")
            for shift in (s for s in sorted(shifted) if s == f"_{letter.lower()}face"):
                self._make_axis(name, letter, axis, shift)
        wet = self._data.createVariable("wet", "i1", self._names[::-1], zlib=True)
        wet.long_name, wet.flag_meanings = "wet cells", "dry wet"
        wet.flag_values = np.array([0, 1], dtype=np.int8)
        wet[:] = np.asarray(self.geometry.wet, dtype=np.int8).T

    def _make_axis(self, name: str, letter: str, axis: Axis, shift: str) -> None:
        values = axis.edges[1:] if shift else axis.values  # faces towards larger indices
        self._data.createDimension(name + shift, len(values))
        made = make_coordinate(self._data, name + shift, name + shift, axis, values)
        made.axis = letter
        if shift:
            made.long_name += " of the cell faces"
            shift_by_half(made)

    def _dimensions(self, variable: Description, level: list[str]) -> list[str]:
        shifts = _FACE_NAMES.get(variable.location, ("", ""))
        x, y = (axis + shift for axis, shift in zip(self._names, shifts, strict=True))
        return [*level, y, x]

    def _chunk(self, sizes: list[int], value_bytes: int) -> list[int]:
        return [1, *map_chunk(sizes, value_bytes)]

    def _as_stored(self, name: str, array: NDArray[Any]) -> NDArray[Any]:
        target = self._data[name]
        stored = np.array(np.asarray(array).T, dtype=target.dtype, order="C", copy=True)
        stored[..., ~self.variables[name].wet.T] = target.get_fill_value()
        return stored
