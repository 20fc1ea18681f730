#!/usr/bin/env bash
# xarray gives the number of cells that nobody wrote, and of cells outside valid_range, as if it were data.
#
# Versions:  xarray 2026.9.0, netCDF4 1.7.5.1.post1 (Python 3.11)
# Guess:     both libraries read one NetCDF file alike, so `depth > 10` is true in the same cells.
# Behaviour: netCDF4 masks cells that hold NetCDF's default fill value (9.97e36 for floats), and cells outside
#            valid_range. xarray (decode_cf, mask_and_scale=True) masks what _FillValue and missing_value name, and
#            nothing else: land that was never written is 9.97e36 m deep, and a wet cell.
# Output:    netCDF4: 2 of 4 cells deeper than 10 m
#            xarray:  4 of 4 cells deeper than 10 m
# Matters:   a mask made by `depth > 10` from such a file floods all land. lapwing reads through xarray and hides both
#            kinds itself (python/lapwing/io/maps/dataset.py).
# Source:    NetCDF Users' Guide, fill values and valid_range; CF conventions 2.5.1 (missing data)
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" install --quiet --disable-pip-version-check xarray==2026.9.0 netCDF4==1.7.5.1.post1
cd "$folder"
env/bin/python - <<'PYTHON'
import netCDF4
import numpy as np
import xarray

with netCDF4.Dataset("sea.nc", "w") as file:
    file.createDimension("x", 4)
    depth = file.createVariable("depth", "f4", ("x",))
    depth.units = "m"
    depth.valid_range = np.array([-500.0, 11000.0], "f4")
    depth[0:2] = [30.0, 40.0]
    depth.set_auto_mask(False)
    depth[2] = 32767.0  # outside the valid range; the last cell is never written
with netCDF4.Dataset("sea.nc") as file:
    by_netcdf4 = int((file["depth"][:] > 10).filled(False).sum())
with xarray.open_dataset("sea.nc") as data:
    by_xarray = int((data["depth"] > 10).sum())
print(f"netCDF4: {by_netcdf4} of 4 cells deeper than 10 m")
print(f"xarray:  {by_xarray} of 4 cells deeper than 10 m")
raise SystemExit((by_netcdf4, by_xarray) != (2, 4))
PYTHON
