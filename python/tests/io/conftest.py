"""Small NetCDF files for the tests of what reads files."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal

import netCDF4
import numpy as np
import pytest

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a NetCDF file: variables by name as (dimensions, values, attributes)."""

    def make(**variables: tuple[tuple[str, ...], Any, dict[str, Any]]) -> Path:
        path = tmp_path / "mask.nc"
        with netCDF4.Dataset(path, "w") as file:
            for name, (dimensions, values, attributes) in variables.items():
                array = np.asarray(values)
                for dimension, n in zip(dimensions, array.shape, strict=True):
                    if dimension not in file.dimensions:
                        file.createDimension(dimension, n)
                order: Literal["big", "native"]
                order = "big" if array.dtype.byteorder == ">" else "native"
                fill = attributes.get("_FillValue")
                made = file.createVariable(
                    name, array.dtype, dimensions, fill_value=fill, endian=order
                )
                made.setncatts({k: v for k, v in attributes.items() if k != "_FillValue"})
                made.set_auto_maskandscale(False)  # the values are those of the file
                made[:] = array
        return path

    return make
