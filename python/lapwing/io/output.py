"""Output files: records of model variables on the map, in one NetCDF-4 file with CF metadata."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lapwing.io.record_file import RecordFile
from lapwing.io.records.chunks import map_chunk
from lapwing.io.records.layout import About, Layout, map_layout

class OutputFile(RecordFile):
    """Records of whole maps, (time[, level], y, x); values are given as [nx, ny(, levels)]."""

    def _make_layout(self, about: About) -> Layout:
        return map_layout(about, self.geometry, self.variables)

    def _chunk(self, sizes: list[int], value_bytes: int) -> list[int]:
        return [1, *map_chunk(sizes, value_bytes)]

    def _as_stored(self, name: str, array: NDArray[Any]) -> NDArray[Any]:
        target = self._data[name]
        stored = np.array(np.asarray(array).T, dtype=target.dtype, order="C", copy=True)
        stored[..., ~self.variables[name].wet.T] = target.get_fill_value()
        return stored
