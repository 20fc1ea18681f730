"""The files that other models read and write: which variable says water, and where axes are.

A row of the table is enough for a NetCDF file. A file of another kind needs an opener too, which
makes an `xarray.Dataset` of it; from there on both are the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import xarray


@dataclass(frozen=True)
class MapFormat:
    """A known kind of file, by the names in it. Either `variable` or `wet` says what is water."""

    name: str  # "ROMS grid file"
    evidence: tuple[str, ...]  # variables and dimensions that such a file has, all of them
    variable: str = ""  # the map, whose values the rules of `water` judge
    wet: str = ""  # or an expression that is true in wet cells, as --wet takes it
    x: str = ""  # the dimension along x, or nothing where `axes` finds it
    y: str = ""
    lon: str = ""  # coordinates of the cells, of one or two dimensions, or nothing
    lat: str = ""
    says: str = ""  # what a run says of it, in a line; "" is `name: wet where ...`

    @property
    def note(self) -> str:
        """The line that a run prints about a file of this kind. Local."""
        return self.says or f"{self.name}: wet where {self.wet or f'{self.variable} is 1'}"


FORMATS: tuple[MapFormat, ...] = (  # the first that fits is taken
    MapFormat(
        name="ROMS grid file",
        evidence=("mask_rho", "xi_rho", "eta_rho"),
        variable="mask_rho",
        x="xi_rho",
        y="eta_rho",
        lon="lon_rho",
        lat="lat_rho",
        says="ROMS grid file: wet where mask_rho is 1, with the ring of points around the domain",
    ),
)


@dataclass(frozen=True)
class Opener:
    """How a file that is no NetCDF becomes an `xarray.Dataset`.

    `open` raises UserError for a file that it cannot read, or OSError and ValueError.
    """

    fits: Callable[[Path], bool]  # by the name of the file, or its first bytes
    open: Callable[[Path, str], xarray.Dataset]  # the file, and how messages call it


OPENERS: tuple[Opener, ...] = ()  # the first that fits; where none does it is NumPy or NetCDF


def known_format(data: xarray.Dataset) -> MapFormat | None:
    """The format whose evidence the file has, or None. Local."""
    names = {*data.variables, *data.dims}
    return next((one for one in FORMATS if names.issuperset(one.evidence)), None)
