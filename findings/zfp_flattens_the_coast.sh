#!/usr/bin/env bash
# zfpy 1.0.1.post0 (PyPI, zfp's own Python package), compress_numpy with a tolerance, of a field with land.
#
# Guess:     no sea cell is off by more than the tolerance: that is what fixed-accuracy mode is for.
# Behaviour: the 4 x 4 cells of a block share one exponent, so one land cell with NetCDF's fill value (9.97e36) takes all
#            bits: the other 15 come back as 0.0. A fill value of -9999 does no harm. With NaN for land the sea is kept
#            here, and the land becomes a number, on which nothing is promised.
# Seen:      tolerance 0.001, a sea of 10 to 22 degrees in 8 x 8 cells, one of which is land
#            land is -9999: error 0.00015, cells of 0: 0, land read as -9999
#            land is 9.97e36: error 15, cells of 0: 15, land read as 9.96921e+36
#            land is NaN: error 0.00015, cells of 0: 0, land read as -31.9999
# Why it matters: coastal cells, up to three from land, are silently flat: depth 0, temperature 0. The mean error over an
#            ocean hides it, and the coast is where gauges are. A mask made by isnan() of what was read has no land. Fill land
#            from its neighbours before packing, keep the mask next to it, or use reversible mode (no tolerance), which keeps
#            all bits of both.
# Source:    zfp's documentation, compression modes, fixed-accuracy: the tolerance bounds the absolute error (its FAQ has the
#            exceptions); NetCDF Users' Guide, default fill value of floats.
#
# Exits with 1 if that changes.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/env"
"$folder/env/bin/pip" -q install zfpy==1.0.1.post0 numpy==2.4.6
cd "$folder"
env/bin/python - <<'PYTHON'
import sys

import numpy as np
import zfpy

tolerance, sea = 1e-3, 10 + np.linspace(0.0, 12.0, 64).reshape(8, 8)  # degrees Celsius
worst, land_read = {}, {}
for name, land in {"-9999": -9999.0, "9.97e36": 9.969209968386869e36, "NaN": np.nan}.items():
    field = sea.copy()
    field[1, 1] = land
    found = zfpy.decompress_numpy(zfpy.compress_numpy(field, tolerance=tolerance))
    error = abs(found - sea)
    error[1, 1] = 0.0
    worst[name], land_read[name] = error.max(), found[1, 1]
    zeros = int((found == 0).sum())
    print(f"land is {name}: error {error.max():.2g}, cells of 0: {zeros}, land read as {found[1, 1]:.6g}")
lost = worst["-9999"] < tolerance < 10 < worst["9.97e36"]
sys.exit(0 if lost and not np.isnan(land_read["NaN"]) else "this has changed")
PYTHON
