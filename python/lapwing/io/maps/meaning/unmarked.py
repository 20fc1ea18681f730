"""Numbers that stand for a missing height, in files that do not say so."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lapwing.base.error import UserError, user_error
from lapwing.io.maps.request import MapSource

MOST_METRES = 12_000.0  # from the level of the sea, of any height or depth of the earth
_NINES = 9999.0  # also a depth, in trenches
_NEAR = 9900.0  # a trench of 9999 m has depths from here on


@dataclass
class Unmarked:
    """Heights that are water only by their sign, and may be no data. Local.

    `metres`: the unit of the values. A trench has 9999 m too, so that number is refused only
    where it is repeated and nothing is nearly as deep.
    """

    source: MapSource
    name: str
    metres: float = 1.0
    nines: int = 0
    deep: bool = False
    cell: str = ""  # the first of 9999

    def may_be_in(self, values: NDArray[np.generic]) -> bool:
        """False where all values of a block are so small that none needs a look. Local."""
        least, most = float(np.fmin.reduce(values, None)), float(np.fmax.reduce(values, None))
        return not max(-least, most) * self.metres < _NEAR

    def beyond(self, values: NDArray[np.generic], wet: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The wet cells whose value is infinite or no height of the earth. Local."""
        return np.asarray(wet & ~(self._size(values) <= MOST_METRES) & ~np.isnan(values))

    def nine(self, values: NDArray[np.generic], wet: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Note what a block has of 9999 m and of depths close to it; its cells of 9999. Local."""
        size = self._size(values)
        found = np.asarray(wet & (size == _NINES))
        self.nines += int(np.count_nonzero(found))
        close = (size >= _NEAR) & (size <= MOST_METRES) & ~found
        self.deep = self.deep or bool((wet & close).any())
        return found

    def require_depths(self) -> None:
        """Refuse 9999 m in several cells of a sea that has no trench. Local."""
        if self.nines > 1 and not self.deep:
            raise self.refused(_NINES / self.metres, f"{self.nines:,} cells, the first {self.cell}")

    def refused(self, value: float, cell: str) -> UserError:
        """Make the error of a value that is no height. Local."""
        option = self.source.request.option
        name = self.name
        return user_error(
            self.source.about(name),
            f"the size {abs(value):g} in {cell}: a fill value without _FillValue?",
            f"heights and depths of at most {MOST_METRES / 1000:g} km",
            f"say what is wet: {option('wet', f'{name} > 0 and {name} < {self._most:g}')}, or "
            f"{option('wet', f'{name} < 0 and {name} > -{self._most:g}')}",
        )

    @property
    def _most(self) -> float:
        return 9000.0 / self.metres

    def _size(self, values: NDArray[np.generic]) -> NDArray[np.float64]:
        return np.asarray(np.abs(np.asarray(values, dtype=np.float64)) * self.metres)
