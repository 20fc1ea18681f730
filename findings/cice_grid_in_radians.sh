#!/usr/bin/env bash
# mom6-forge 0.3.1 (PyPI), which regional-mom6 and CROCODILE's tools use: Topo.write_cice_grid.
#
# Guess:     the tlat and tlon of the CICE grid file are what their units say, degrees_north and
#            degrees_east, as ulat and ulon next to them say radians and are radians.
# Behaviour: all four are radians. A sea at 50 to 58 degrees north has tlat of 0.88 to 1.00
#            "degrees_north".
# Seen:      tlat 0.881 to 1.004 degrees_north, in radians 50.5 to 57.5
# Why it matters: a tool that follows units (cf-xarray, a reader of masks, a regridder) puts the
#            grid off the coast of Ghana. CICE itself takes radians and reads no units.
# Source:    mom6_forge/topo.py of 0.3.1, write_cice_grid (np.deg2rad, then units "degrees_north").
#
# Exits with 1 if that changes. xesmf, which is not on PyPI with its library, is not needed here:
# an empty module stands for it.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" -q install --no-deps mom6-forge==0.3.1
"$folder/env/bin/pip" -q install numpy==2.4.6 xarray==2026.2.0 netCDF4==1.7.5.1.post1 scipy==1.17.1 \
    matplotlib==3.9.4 gitpython==3.2.1 regionmask==0.13.0 pyproj==3.7.2 cf_xarray==0.11.3 2>&1 |
    grep -v "dependency\|mom6-forge" || true
cd "$folder"
"$folder/env/bin/python" - <<'PYTHON'
import sys
import types

sys.modules["xesmf"] = types.ModuleType("xesmf")  # never called here
import netCDF4
import numpy as np
from mom6_forge.grid import Grid
from mom6_forge.topo import Topo

grid = Grid(lenx=10.0, leny=8.0, nx=10, ny=8, xstart=5.0, ystart=50.0)
topo = Topo(grid, min_depth=10.0, version_control_dir="versions")
topo.set_flat(100.0)
topo.write_cice_grid("cice.nc")
with netCDF4.Dataset("cice.nc") as file:
    tlat = file["tlat"]
    low, high, units = tlat[:].min(), tlat[:].max(), tlat.units
print(f"tlat {low:.3f} to {high:.3f} {units}, in radians "
      f"{np.rad2deg(low):.1f} to {np.rad2deg(high):.1f}")
sys.exit(0 if units == "degrees_north" and high < 2 else 1)
PYTHON
