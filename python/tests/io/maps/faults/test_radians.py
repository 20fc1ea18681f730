"""CICE's grid files hold radians, whatever they call them."""

from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from lapwing.io.maps.faults.radians import in_degrees
from ocean_files import true_sea, write_cice_grid

SEA = true_sea()


@pytest.fixture
def grid(tmp_path: Path) -> xr.Dataset:
    with xr.open_dataset(write_cice_grid(tmp_path / "grid.nc", SEA)) as data:
        return data.load()


def test_radians_that_are_called_degrees(grid: xr.Dataset) -> None:
    found = in_degrees(grid)
    assert np.allclose(found.tlon, SEA.degrees[0])
    assert np.allclose(found.tlat, SEA.degrees[1])
    assert (found.tlon.units, found.tlat.units) == ("degrees_east", "degrees_north")


def test_degrees_stay(grid: xr.Dataset) -> None:
    right = grid.assign(tlat=np.rad2deg(grid.tlat), tlon=np.rad2deg(grid.tlon))
    assert in_degrees(right).identical(right)
    in_both = right.assign(ulat=np.rad2deg(grid.ulat).assign_attrs(units="degrees"))
    assert in_degrees(in_both).identical(in_both)
    assert in_degrees(grid.drop_vars("ulat")).identical(grid.drop_vars("ulat"))
