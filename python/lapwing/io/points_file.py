"""Points files: records of columns at chosen points, as CF's discrete sampling geometries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import netCDF4
import numpy as np
from numpy.typing import NDArray

from lapwing.base.error import user_error
from lapwing.io.record_file import REMEDY, RecordFile
from lapwing.io.records.layout import About, Layout, axis_names, points_layout

_RECORDS = 64  # in a chunk: series are read along time
_CHUNK = 1 << 20  # bytes, about


class PointsFile(RecordFile):
    """Records of columns, (time, point[, level]); values are given as [point(, levels)].

    Not compressed: a chunk of many records that grows by one would be compressed again each time.
    """

    _compressed = False

    def _make_layout(self, about: About) -> Layout:
        return points_layout(about, self.geometry, self.variables, self.points)

    def _chunk(self, sizes: list[int], value_bytes: int) -> list[int]:
        points, *levels = (max(1, size) for size in sizes)
        row = _RECORDS * value_bytes * int(np.prod(levels, dtype=np.int64))
        return [_RECORDS, max(1, min(points, _CHUNK // row)), *levels]

    def _as_stored(self, name: str, array: NDArray[Any]) -> NDArray[Any]:
        target = self._data[name]
        stored = np.array(array, dtype=target.dtype, order="C", copy=True)
        wet = self.variables[name].wet[tuple(np.transpose([p.cell for p in self.points]))]
        stored[~wet] = target.get_fill_value()
        return stored

    def _require_same_places(self, source: netCDF4.Dataset, path: Path) -> None:
        names = axis_names(self.geometry)
        theirs, mine = _places(source, names), _places(self._data, names)
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
