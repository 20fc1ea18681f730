"""Files of the older NetCDF that end too early."""

from pathlib import Path

import netCDF4
import numpy as np
import pytest
from lapwing.base.error import UserError
from lapwing.io.maps.faults.classic import require_complete
from ocean_files import DataModel, Variables, write_variables

VALUES = np.arange(3000.0).reshape(3, 1000)


@pytest.mark.parametrize("unlimited", ["", "t"])
@pytest.mark.parametrize(
    "data_model", ["NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA"]
)
def test_a_file_that_ends_too_early(tmp_path: Path, data_model: DataModel, unlimited: str) -> None:
    variables: Variables = {name: (("t", "x"), VALUES, {}) for name in ("a", "b")}
    path = write_variables(tmp_path / "map.nc", variables, {}, data_model, unlimited)
    require_complete(path, "MASK")
    whole = path.read_bytes()
    for lost in (1, 8, 9000, 20_000):
        path.write_bytes(whole[:-lost])
        expected = r"MASK, [ab]: got [\d,]+ bytes; expected at least 4[08],\d+, .*; copy it again"
        with pytest.raises(UserError, match=expected):
            require_complete(path, "MASK")
    for kept in (5, 30, 100):
        path.write_bytes(whole[:kept])
        with pytest.raises(UserError, match="MASK: got a damaged header"):
            require_complete(path, "MASK")


def test_files_without_records_and_of_other_formats(tmp_path: Path) -> None:
    models: tuple[DataModel, ...] = ("NETCDF3_CLASSIC", "NETCDF3_64BIT_DATA", "NETCDF4")
    for data_model in models:
        path = tmp_path / f"{data_model}.nc"
        with netCDF4.Dataset(path, "w", format=data_model) as file:
            file.createDimension("t", None)
            file.createDimension("x", 5)
            for name, dimensions in (("a", ("t", "x")), ("b", ("x",)), ("c", ())):
                file.createVariable(name, "i2", dimensions)
        require_complete(path, "MASK")
    (tmp_path / "text.nc").write_text("no NetCDF")
    require_complete(tmp_path / "text.nc", "MASK")


def test_one_record_variable_of_odd_length_is_not_padded(tmp_path: Path) -> None:
    variables: Variables = {"a": (("t", "x"), np.ones((4, 3), dtype="i1"), {"units": "1"})}
    path = write_variables(tmp_path / "map.nc", variables, {"n": 1.0}, "NETCDF3_CLASSIC", "t")
    require_complete(path, "MASK")
    held = path.read_bytes().rstrip(b"\0")
    path.write_bytes(held)
    require_complete(path, "MASK")
    path.write_bytes(held[:-1])
    with pytest.raises(UserError, match="MASK, a: got"):
        require_complete(path, "MASK")
