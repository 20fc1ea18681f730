"""Points files: records of columns at chosen points, as CF's discrete sampling geometries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
from numpy.typing import NDArray

from lapwing.base.error import user_error
from lapwing.io.record_file import REMEDY, RecordFile, axis_names, make_coordinate
from lapwing.io.variable_description import Description

_RECORDS = 64  # in a chunk: series are read along time
_CHUNK = 1 << 20  # bytes, about

_FACES = {
    "xface": "at the face of the cell towards larger x",
    "yface": "at the face of the cell towards larger y",
    "corner": "at the corner of the cell towards larger x and y",
}


class PointsFile(RecordFile):
    """Records of columns, (time, point[, level]); values are given as [point(, levels)].

    Not compressed: a chunk of many records that grows by one would be compressed again each time.
    """

    _compressed = False

    def _make_places(self) -> None:
        deep = any(variable.levels for variable in self.variables.values())
        self._data.featureType = "timeSeriesProfile" if deep else "timeSeries"
        self._data.createDimension("point", len(self.points))
        name = self._data.createVariable("point_name", str, ("point",))
        name.long_name, name.cf_role = "name of the point", "timeseries_id"
        name[:] = np.array([point.name for point in self.points], dtype=object)
        self._names = axis_names(self.geometry)
        axes = (self.geometry.x, self.geometry.y)
        for axis, (own, along) in enumerate(zip(self._names, axes, strict=True)):
            centres = np.asarray(along.values)[[point.cell[axis] for point in self.points]]
            made = make_coordinate(self._data, own, "point", along, centres)
            made.long_name += " of the centre of the cell"

    def _dimensions(self, variable: Description, level: list[str]) -> list[str]:
        return ["point", *level]

    def _chunk(self, sizes: list[int], value_bytes: int) -> list[int]:
        points, *levels = (max(1, size) for size in sizes)
        row = _RECORDS * value_bytes * int(np.prod(levels, dtype=np.int64))
        return [_RECORDS, max(1, min(points, _CHUNK // row)), *levels]

    def _auxiliary(self, variable: Description) -> str:
        step = [] if variable.fixed else ["step"]
        return " ".join([*self._names, "point_name", *step])

    def _make_variable(self, name: str, variable: Description, kind: str) -> None:
        super()._make_variable(name, variable, kind)
        if variable.location in _FACES:
            self._data[name].comment = _FACES[variable.location]

    def _as_stored(self, name: str, array: NDArray[Any]) -> NDArray[Any]:
        target = self._data[name]
        stored = np.array(array, dtype=target.dtype, order="C", copy=True)
        wet = self.variables[name].wet[tuple(np.transpose([p.cell for p in self.points]))]
        stored[~wet] = target.get_fill_value()
        return stored

    def _require_same_places(self, source: netCDF4.Dataset, path: Path) -> None:
        theirs, mine = _places(source, self._names), _places(self._data, self._names)
        if theirs != mine:
            raise user_error(
                str(path),
                f"the points {theirs}",
                f"{mine}",
                f"{REMEDY}; or go on with the points of that file",
            )


def _places(data: netCDF4.Dataset, axes: tuple[str, str]) -> str:
    """Names and cells of the points of a file, as text. Local."""
    x, y = (np.asarray(data[axis][:]) for axis in axes)
    names = [str(name) for name in data["point_name"][:]]
    return "; ".join(f"{name}: {a:.10g}, {b:.10g}" for name, a, b in zip(names, x, y, strict=True))
